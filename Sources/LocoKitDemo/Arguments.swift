#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD
  import LocoKitSimulation
  import LocoKitTrips
  import LocoMachine
  import LocoMachineGraphs

  /// A command of the program, with its options.
  protocol Command: SendableMetatype {
    static var known: [KnownOption] { get }
    static var help: String { get }
    /// Returns an error message if the command doesn't accept these options together; otherwise `nil`.
    static func refusal(of names: Set<String>, for command: String) -> String?
    init(_ given: GivenOptions) throws
    @MainActor func run() async throws -> ExitCode
  }

  extension Command {
    static func refusal(of names: Set<String>, for command: String) -> String? { nil }
  }

  /// An option of a command. In a literal, `=` at the end marks an option with a value.
  struct KnownOption: ExpressibleByStringLiteral {
    let name: String
    let takesValue: Bool

    init(stringLiteral text: String) {
      takesValue = text.hasSuffix("=")
      name = takesValue ? String(text.dropLast()) : text
    }
  }

  /// The given options: `--name`, `--name value` or `--name=value`. The last value counts, unless the option may be repeated.
  struct GivenOptions {
    let command: String
    private var values: [String: [String]] = [:]
    /// The arguments that aren't options: files or folders.
    private(set) var operands: [String] = []

    /// - Parameter refusal: Returns an error message if options aren't accepted together. An option that would be refused isn't suggested.
    init(
      _ arguments: ArraySlice<String>, known: [KnownOption], command: String = "", takesOperands: Bool = false,
      refusal: (Set<String>) -> String? = { _ in nil }
    ) throws {
      self.command = command
      var rest = arguments
      while let argument = rest.popFirst() {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if takesOperands, !argument.hasPrefix("-") {
          operands.append(argument)
          continue
        }
        guard argument.hasPrefix("-"), let name = parts.first else {
          throw Failure.usage("'\(argument)' is not expected here.")
        }
        guard let option = known.first(where: { $0.name == (name == "-h" ? "--help" : name) }) else {
          let others = Set(known.map(\.name)).intersection(arguments.map { String($0.prefix { $0 != "=" }) })
          let accepted = known.map(\.name).filter { refusal(others.union([$0])) == nil }
          throw Failure.usage("there is no option '\(name)'\(Suggestion.ending(for: name, in: accepted))")
        }
        if !option.takesValue {
          guard parts.count == 1 else { throw Failure.usage("\(name) takes no value.") }
          values[option.name] = [""]
        } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
          values[option.name, default: []].append(value)
        } else {
          throw Failure.usage("\(name) needs a value.")
        }
      }
    }

    var names: Set<String> { Set(values.keys) }
    func has(_ name: String) -> Bool { values[name] != nil }
    func text(_ name: String) -> String? { values[name]?.last }
    func file(_ name: String) -> URL? { files(name).last }
    func files(_ name: String) -> [URL] { (values[name] ?? []).map { URL(filePath: $0) } }

    /// Returns the seed of all random numbers, by default 1.
    func seed() throws -> UInt64 {
      let text = text("--seed") ?? "1"
      guard let seed = UInt64(text) else {
        throw Failure.usage("--seed is a whole number from 0 to 2^64 - 1, not '\(text)'.")
      }
      return seed
    }

    /// Returns the error bounds, in metres.
    func bounds() throws -> [Double] {
      try (values["--within"] ?? []).map { text in
        guard let bound = Double(text), bound >= 100, bound <= 1e7 else {
          throw Failure.usage("--within is a number of metres from 100 to 10000000, not '\(text)'.")
        }
        return bound
      }
    }

    /// Returns a length in metres.
    func metres(_ name: String, _ standard: Double, isZeroAllowed: Bool) throws -> Double {
      guard let text = text(name) else { return standard }
      guard let value = Double(text), value.isFinite, value > 0 || isZeroAllowed && value == 0, value <= 1e7 else {
        throw Failure.usage(
          "\(name) is a number of metres \(isZeroAllowed ? "from 0" : "above 0, up") to 10000000, not '\(text)'.")
      }
      return value
    }

    /// Returns a duration of at most a year, parsed from text such as `90`, `90s`, `15m` or `1h30m`.
    func duration(_ name: String) throws -> Duration? {
      guard let text = text(name) else { return nil }
      var seconds = Double(text) ?? 0
      if let parts = text.wholeMatch(of: /(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?/) {
        let units = [(parts.1, 3_600.0), (parts.2, 60), (parts.3, 1)]
        seconds = units.reduce(0) { $0 + (Double($1.0 ?? "") ?? 0) * $1.1 }
      }
      guard seconds > 0, seconds <= 31_536_000 else {
        throw Failure.usage("\(name) is a duration of at most a year, such as 90, 90s, 15m or 1h30m, not '\(text)'.")
      }
      return .seconds(seconds)
    }

    /// Returns the case whose name is the option's value, or `standard` if the option isn't given.
    func choice<Choice: RawRepresentable & CaseIterable>(
      _ name: String, _ standard: Choice
    ) throws -> Choice where Choice.RawValue == String {
      guard let value = text(name) else { return standard }
      guard let choice = Choice(rawValue: value) else {
        let all = Choice.allCases.map(\.rawValue)
        throw Failure.usage(
          "\(name) is one of \(all.joined(separator: ", ")), not '\(value)'\(Suggestion.ending(for: value, in: all))")
      }
      return choice
    }
  }

  /// A suggestion for a mistyped name.
  enum Suggestion {
    /// Returns the end of an error message: a suggestion, or a full stop.
    static func ending(for typed: String, in known: [String]) -> String {
      let distances = known.map { ($0, distance(Array(typed), Array($0))) }
      guard let (name, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, name.count / 3),
        distance * 2 <= name.drop(while: { $0 == "-" }).count
      else {
        return "."
      }
      return "; did you mean '\(name)'?"
    }

    /// Returns the Levenshtein distance, or `Int.max` if the first text has more than 100 characters.
    static func distance(_ first: [Character], _ second: [Character]) -> Int {
      guard first.count <= 100 else { return .max }
      var row = Array(0...second.count)
      for (above, letter) in first.enumerated() {
        var diagonal = row[0]
        row[0] = above + 1
        for (left, other) in second.enumerated() {
          let change = diagonal + (letter == other ? 0 : 1)
          diagonal = row[left + 1]
          row[left + 1] = min(change, row[left] + 1, row[left + 1] + 1)
        }
      }
      return row[second.count]
    }
  }

  /// The options of `drive`.
  struct DriveOptions {
    enum FaultLevel: String, CaseIterable {
      case none, some, many

      func faults(seed: UInt64) -> SimulatedProvider.Faults {
        switch self {
        case .none: .none
        case .some: SimulatedProvider.Faults(.some, seed: seed)
        case .many: SimulatedProvider.Faults(.many, seed: seed)
        }
      }
    }

    var gpx: URL?
    var builtIn: BuiltInRoute
    var seed: UInt64
    /// The error bound, in metres.
    var within: Double?
    var phone: Phone
    var trigger: SimulatedProvider.Trigger
    var answer: SimulatedProvider.Answer
    var faultLevel: FaultLevel
    var speed: Double?
    var isJSON: Bool
    var log: URL?
    var report: URL?
    var isInteractive: Bool
    var journal: JournalOptions?

    /// Returns the route, and notes about it for the user.
    func route() throws -> (SimulatedProvider.Route, notes: [String]) {
      guard let gpx else { return (builtIn.route, []) }
      return try BuiltInRoute.recorded(gpx)
    }

    var setup: Setup {
      Setup(seed: seed, phone: phone, configuration: configuration, bound: within)
    }

    func report(on trip: Trip) -> Report {
      var facts = [phone.title] + (within.map { ["within \($0.metres)"] } ?? []) + ["seed \(seed)"]
      if trigger != .apple { facts.append("trigger: \(trigger.rawValue)") }
      if answer != .allow { facts.append("answer: \(answer.rawValue)") }
      if faultLevel != .none { facts.append("faults: \(faultLevel.rawValue)") }
      return Report(
        kind: .drive, title: gpx?.lastPathComponent ?? builtIn.rawValue, facts: facts, summary: trip.summary,
        recording: trip.recording)
    }

    var configuration: SimulatedProvider.Configuration {
      var configuration = phone.configuration(hasBound: within != nil)
      configuration.trigger = trigger
      configuration.answer = answer
      configuration.faults = faultLevel.faults(seed: seed)
      return configuration
    }
  }

  extension DriveOptions: Command {
    static let known: [KnownOption] =
      [
        "--gpx=", "--route=", "--seed=", "--within=", "--phone=", "--trigger=",
        "--realtime=", "--answer=", "--faults=", "--json", "--log=", "--report=", "--interactive",
      ] + JournalOptions.known

    init(_ given: GivenOptions) throws {
      gpx = given.file("--gpx")
      builtIn = try given.choice("--route", .freeway)
      seed = try given.seed()
      within = try given.bounds().last
      phone = try given.choice("--phone", .background)
      trigger = try given.choice("--trigger", .apple)
      answer = try given.choice("--answer", .allow)
      faultLevel = try given.choice("--faults", .none)
      isJSON = given.has("--json")
      log = given.file("--log")
      report = given.file("--report")
      if let log, log.standardizedFileURL == report?.standardizedFileURL {
        throw Failure.usage("--log and --report are the same file: choose two.")
      }
      isInteractive = given.has("--interactive")
      journal = JournalOptions(given)
      if let text = given.text("--realtime") {
        guard let speed = Double(text), speed > 0, speed <= 1_000_000 else {
          throw Failure.usage("--realtime is a number above 0, at most a million, not '\(text)'.")
        }
        self.speed = speed
      }
    }

    static func refusal(of names: Set<String>, for command: String) -> String? {
      if names.isSuperset(of: ["--interactive", "--json"]) {
        return "--interactive shows a screen and --json prints: choose one."
      }
      return BuiltInRoute.refusal(of: names) ?? JournalOptions.refusal(of: names)
    }

    func run() async throws -> ExitCode {
      if isInteractive { try InteractiveDrive(self).run() } else { try await drive() }
    }

    static let help = """
      Drives a simulated device along a route and prints the calls to its location manager's listeners.

      USAGE: LocoKitDemo [drive] [options]
             LocoKitDemo get | track | trip [options]   one location, every location, or a distance; see LocoKitDemo get --help
             LocoKitDemo compare [options]          compares the GPS time and the error of policies; see LocoKitDemo compare --help
             LocoKitDemo gpsd [options]             uses a real receiver; see LocoKitDemo gpsd --help
             LocoKitDemo replay FILE [options]      replays a journal; see LocoKitDemo replay --help
             LocoKitDemo study FILE...              prints figures from journals; see LocoKitDemo study --help
             LocoKitDemo test FILE [options]        makes a test from a journal; see LocoKitDemo test --help
             LocoKitDemo diagram [--machine NAME] [--format FORMAT]

      OPTIONS:
        --gpx FILE            drive along a recorded track
        --route NAME          drive along a built-in route: freeway, half an hour on the 101 through Los Angeles (default), or
                              day, a day with long stays indoors
        --seed N              the seed of all random numbers: the same seed gives the same drive (default: 1)
        --within METRES       an error bound, 100 or more: look before the error of the last location may exceed it (default: none,
                              which is Loco's rule: look at significant changes)
      \(Phone.help)
        --trigger NAME        apple: a significant change is 500 m and 5 minutes (default); cell: any change of the cell
        --answer NAME         the user's answer to the prompt: allow (default), deny or ignore
        --faults LEVEL        faults, for example of fixes, timers, the clock and the app: none (default), some or many
        --realtime X          X times real time (default: as fast as possible; with --interactive, 1)
        --json                print only the summary, as one JSON object
        --log FILE            write each transition, location, rejection and receiver mode as a line of JSON
        --report FILE         write an HTML page that plays the drive on a map and a timeline; it contains positions
      \(JournalOptions.help)
        --interactive         drive in real time on a full screen, controlled by keys
        -h, --help            print this
        --version             print the version

      With --interactive or --realtime, SIGINT (Ctrl-C) and SIGTERM end the drive, and the summary is still printed. With
      --interactive, Ctrl-Z suspends the program.

      EXIT CODES: 0 done, 64 wrong usage, 65 the file cannot be used, 66 there is no such file, 73 the log, the report or the
                  journal cannot be created with access for its owner only, 74 the output, the log or the report cannot be
                  written, 129 hung up, 130 interrupted, 131 quit, 141 the output's reader is gone (prints no message),
                  143 terminated

      """
  }

  /// A route that is part of the program.
  enum BuiltInRoute: String, CaseIterable {
    case freeway, day

    var route: SimulatedProvider.Route { self == .freeway ? .losAngeles : .day }

    /// Returns a recorded route, and notes about it for the user.
    static func recorded(_ file: URL) throws -> (SimulatedProvider.Route, notes: [String]) {
      do {
        let track = try SimulatedProvider.GPXTrack(contentsOf: file)
        return (track.route, track.notes)
      } catch {
        throw Failure(code: error.isMissing ? .noInput : .badData, message: "\(error)")
      }
    }

    static func refusal(of names: Set<String>) -> String? {
      names.isSuperset(of: ["--gpx", "--route"]) ? "--gpx and --route are both routes: choose one." : nil
    }
  }

  /// The options of `diagram`.
  struct DiagramOptions: Command {
    enum Machine: String, CaseIterable {
      case location, look, trip
      case tripDetection = "trip-detection"
      case pace, gpsd, turnstile
    }

    enum Format: String, CaseIterable {
      case csv, markdown, mermaid, dot, plantuml, scxml, promela
    }

    var machine: Machine
    var format: Format

    static let known: [KnownOption] = ["--machine=", "--format="]

    init(_ given: GivenOptions) throws {
      machine = try given.choice("--machine", .location)
      format = try given.choice("--format", .mermaid)
    }

    func run() -> ExitCode {
      let text =
        switch machine {
        case .location: text(StateDiagram<LocationMachine>())
        case .look: text(StateDiagram<LookMachine>())
        case .trip: text(StateDiagram<TripMachine>())
        case .tripDetection: text(StateDiagram<TripDetectionMachine>())
        case .pace: text(StateDiagram<PaceMachine>())
        case .gpsd: text(StateDiagram<GPSDMachine>())
        case .turnstile: text(StateDiagram<Turnstile>())
        }
      Output.standard.write(text)
      return .done
    }

    private func text<M>(_ diagram: StateDiagram<M>) -> String {
      switch format {
      case .csv: diagram.csv
      case .markdown: diagram.markdown
      case .mermaid: diagram.mermaid
      case .dot: diagram.dot
      case .plantuml: diagram.plantUML
      case .scxml: diagram.scxml
      case .promela: diagram.promela
      }
    }

    static let help = """
      Prints a state machine as a diagram, a table or a model, generated from the machine's code.

      USAGE: LocoKitDemo diagram [--machine NAME] [--format FORMAT]

      OPTIONS:
        --machine NAME        location (default), look, trip, trip-detection, pace, gpsd, or turnstile, the README's example
        --format FORMAT       mermaid (default), for Markdown; dot, for Graphviz; plantuml; scxml, for interpreters;
                              promela, for the model checker SPIN;
                              csv, all pairs of states and events for tests; markdown, the same for reading
        -h, --help            print this

      EXIT CODES: 0 done, 64 wrong usage, 74 the output cannot be written,
                  141 the output's reader is gone (prints no message)

      """
  }
#endif

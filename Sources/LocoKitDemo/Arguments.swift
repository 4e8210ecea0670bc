#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What the program is asked to do.
  enum Command {
    case drive(DriveOptions)
    case compare(CompareOptions)
    case gpsd(GPSDOptions)
    case get(ReceiverOptions)
    case track(ReceiverOptions)
    case trip(ReceiverOptions)
    case replay(ReplayOptions)
    case study(StudyOptions)
    case diagram(DiagramOptions)
    case help(String)
    case version

    private static let names = [
      "drive", "compare", "get", "track", "trip", "gpsd", "replay", "study", "diagram", "help",
    ]

    init(_ arguments: [String]) throws {
      var arguments = arguments[...]
      var name = "drive"
      if let first = arguments.first, !first.hasPrefix("-") {
        name = try Self.known(first)
        arguments.removeFirst()
      }
      if name == "help" {
        self = .help(Self.help(try Self.known(arguments.first ?? "drive")))
        return
      }
      let (known, refusal): ([KnownOption], (Set<String>) -> String?) =
        switch name {
        case "compare": (CompareOptions.known, CompareOptions.refusal)
        case "gpsd": (GPSDOptions.known, JournalOptions.refusal)
        case "replay": (ReplayOptions.known, ReplayOptions.refusal)
        case "study": (StudyOptions.known, { _ in nil })
        case "diagram": (DiagramOptions.known, { _ in nil })
        case "get", "track", "trip": (ReceiverOptions.known, { ReceiverOptions.refusal(of: $0, for: name) })
        default: (DriveOptions.known, DriveOptions.refusal)
        }
      let given = try GivenOptions(
        arguments, known: known + Self.everywhere, takesOperands: ["replay", "study"].contains(name), refusal: refusal)
      if given.has("--help") {
        self = .help(Self.help(name))
      } else if given.has("--version") {
        self = .version
      } else if let refusal = refusal(given.names) {
        throw Failure.usage(refusal)
      } else if name == "diagram" {
        self = .diagram(try DiagramOptions(given))
      } else if name == "compare" {
        self = .compare(try CompareOptions(given))
      } else if name == "gpsd" {
        self = .gpsd(try GPSDOptions(given))
      } else if name == "replay" {
        self = .replay(try ReplayOptions(given))
      } else if name == "study" {
        self = .study(try StudyOptions(given))
      } else if name == "get" {
        self = .get(try ReceiverOptions(given))
      } else if name == "track" {
        self = .track(try ReceiverOptions(given))
      } else if name == "trip" {
        self = .trip(try ReceiverOptions(given))
      } else {
        self = .drive(try DriveOptions(given))
      }
    }

    private static func known(_ name: String) throws -> String {
      guard names.contains(name) else {
        throw Failure.usage("there is no command '\(name)'\(Suggestion.ending(for: name, in: names))")
      }
      return name
    }

    private static func help(_ name: String) -> String {
      switch name {
      case "compare": CompareOptions.help
      case "gpsd": GPSDOptions.help
      case "replay": ReplayOptions.help
      case "study": StudyOptions.help
      case "diagram": DiagramOptions.help
      case "get", "track", "trip": ReceiverOptions.help
      default: DriveOptions.help
      }
    }

    private static let everywhere = [KnownOption("--help", short: "-h"), KnownOption("--version")]
  }

  /// An option that a command has.
  struct KnownOption {
    let name: String
    let short: String?
    let takesValue: Bool

    init(_ name: String, short: String? = nil, takesValue: Bool = false) {
      self.name = name
      self.short = short
      self.takesValue = takesValue
    }
  }

  /// The options as they were given, `--name value` or `--name=value`; the last of each counts, unless it may be repeated.
  struct GivenOptions {
    private var values: [String: [String]] = [:]
    /// What is no option, in order: files.
    private(set) var operands: [String] = []

    /// - Parameters:
    ///   - known: The options that there are.
    ///   - takesOperands: Whether there may be something that is no option.
    ///   - refusal: Why a set of them is not accepted together: so that nothing is suggested that would be refused.
    init(
      _ arguments: ArraySlice<String>, known: [KnownOption], takesOperands: Bool = false,
      refusal: (Set<String>) -> String? = { _ in nil }
    ) throws {
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
        guard let option = known.first(where: { $0.name == name || $0.short == name }) else {
          let others = Set(known.map(\.name)).intersection(arguments.map { String($0.prefix { $0 != "=" }) })
          let accepted = known.map(\.name).filter { refusal(others.union([$0])) == nil }
          throw Failure.usage("there is no option '\(name)'\(Suggestion.ending(for: name, in: accepted))")
        }
        if !option.takesValue {
          guard parts.count == 1 else { throw Failure.usage("\(name) takes no value.") }
          values[option.name] = [""]
        } else if parts.count == 2 {
          values[option.name, default: []].append(parts[1])
        } else if let value = rest.popFirst() {
          values[option.name, default: []].append(value)
        } else {
          throw Failure.usage("\(name) needs a value.")
        }
      }
    }

    var names: Set<String> { Set(values.keys) }

    func has(_ name: String) -> Bool {
      values[name] != nil
    }

    func text(_ name: String) -> String? {
      values[name]?.last
    }

    /// All that an option was given, in order.
    func texts(_ name: String) -> [String] {
      values[name] ?? []
    }

    /// A whole number from 0 on that decides all chance; 1 where none is given.
    func seed() throws -> UInt64 {
      let text = text("--seed") ?? "1"
      guard let seed = UInt64(text) else {
        throw Failure.usage("--seed is a whole number from 0 on, not '\(text)'.")
      }
      return seed
    }

    /// The error bounds, metres.
    func bounds() throws -> [Double] {
      try texts("--within").map { text in
        guard let bound = Double(text), bound >= 100, bound <= 1e7 else {
          throw Failure.usage("--within is a number of metres, 100 or more, not '\(text)'.")
        }
        return bound
      }
    }

    /// A time such as `90`, `90s`, `15m` or `1h30m`, of at most a year.
    func duration(_ name: String) throws -> Duration? {
      guard let text = text(name) else { return nil }
      if let seconds = Double(text), seconds > 0, seconds <= 31_536_000 { return .seconds(seconds) }
      if let parts = text.wholeMatch(of: /(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?/), !text.isEmpty {
        let units = [(parts.1, 3_600), (parts.2, 60), (parts.3, 1)]
        let seconds = units.reduce(0) { $0 + (Int($1.0 ?? "") ?? 0) * $1.1 }
        if seconds > 0, seconds <= 31_536_000 { return .seconds(seconds) }
      }
      throw Failure.usage("\(name) is a time such as 90, 90s, 15m or 1h30m, not '\(text)'.")
    }

    /// One of the cases of an enumeration, by its name.
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

  /// The nearest of what there is to what was typed.
  enum Suggestion {
    /// How a sentence about what was typed ends.
    static func ending(for typed: String, in known: [String]) -> String {
      let distances = known.map { ($0, distance(Array(typed), Array($0))) }
      guard let (name, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, name.count / 3),
        distance * 2 <= name.drop(while: { $0 == "-" }).count
      else {
        return "."
      }
      return "; did you mean '\(name)'?"
    }

    /// Levenshtein's distance: how many letters must change.
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

  /// How to drive.
  struct DriveOptions {
    enum Policy: String, CaseIterable {
      case loco
      case standalone
    }

    /// What can wake the app beside significant changes and timers.
    enum Sensors: String, CaseIterable {
      case none
      case cells
      case motion
      case all

      var wakeSources: WakeSources {
        let sources: WakeSources =
          switch self {
          case .none: []
          case .cells: .cells
          case .motion: .motion
          case .all: [.cells, .motion]
          }
        return sources.union([.significantChanges, .timersWhileAsleep])
      }
    }

    var gpx: URL?
    var builtIn: BuiltInRoute
    var seed: UInt64
    /// The error bound, metres.
    var within: Double?
    var sensors: Sensors
    /// How late a region's exit is found, a median.
    var regionLatency: Duration?
    var policy: Policy
    var trigger: SimulatedProvider.Trigger
    var answer: SimulatedProvider.Answer
    var faults: SimulatedProvider.Faults.Level
    var speed: Double?
    var isJSON: Bool
    var log: URL?
    var report: URL?
    var isInteractive: Bool
    var journal: JournalOptions?

    static let known =
      [
        KnownOption("--gpx", takesValue: true), KnownOption("--route", takesValue: true),
        KnownOption("--seed", takesValue: true), KnownOption("--within", takesValue: true),
        KnownOption("--sensors", takesValue: true), KnownOption("--region", takesValue: true),
        KnownOption("--policy", takesValue: true), KnownOption("--trigger", takesValue: true),
        KnownOption("--realtime", takesValue: true), KnownOption("--answer", takesValue: true),
        KnownOption("--faults", takesValue: true), KnownOption("--json"), KnownOption("--log", takesValue: true),
        KnownOption("--report", takesValue: true), KnownOption("--interactive"),
      ] + JournalOptions.known

    init(_ given: GivenOptions) throws {
      gpx = given.text("--gpx").map { URL(filePath: $0) }
      builtIn = try given.choice("--route", .freeway)
      seed = try given.seed()
      within = try given.bounds().last
      sensors = try given.choice("--sensors", .all)
      regionLatency = try given.duration("--region")
      policy = try given.choice("--policy", .loco)
      trigger = try given.choice("--trigger", .apple)
      answer = try given.choice("--answer", .allow)
      faults = try given.choice("--faults", .none)
      isJSON = given.has("--json")
      log = given.text("--log").map { URL(filePath: $0) }
      report = given.text("--report").map { URL(filePath: $0) }
      if let log, log.standardizedFileURL == report?.standardizedFileURL {
        throw Failure.usage("--log and --report are one file: choose two.")
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

    /// Why these options are not accepted together; `nil` where they are.
    static func refusal(of names: Set<String>) -> String? {
      if names.isSuperset(of: ["--interactive", "--json"]) {
        return "--interactive shows a screen and --json prints: choose one."
      }
      if !names.contains("--within"), let name = ["--sensors", "--region"].first(where: names.contains) {
        return "\(name) is for an error bound: add --within."
      }
      return BuiltInRoute.refusal(of: names) ?? JournalOptions.refusal(of: names)
    }

    /// The route, and what the user should know of it.
    func route() throws -> (SimulatedProvider.Route, notes: [String]) {
      guard let gpx else { return (builtIn.route, []) }
      return try BuiltInRoute.recorded(gpx)
    }

    var setup: Setup {
      Setup(seed: seed, configuration: configuration, bound: within)
    }

    /// A report on a trip that was recorded.
    func report(on trip: Trip) -> Report {
      var facts = ["seed \(seed)"]
      if let within { facts.insert("within \(within.metres)", at: 0) }
      if within != nil { facts.append("sensors: \(sensors.rawValue)") }
      if policy != .loco { facts.append("policy: \(policy.rawValue)") }
      if trigger != .apple { facts.append("trigger: \(trigger.rawValue)") }
      if answer != .allow { facts.append("answer: \(answer.rawValue)") }
      if faults != .none { facts.append("faults: \(faults.rawValue)") }
      return Report(
        kind: .drive, title: gpx?.lastPathComponent ?? builtIn.rawValue, facts: facts, summary: trip.summary,
        recording: trip.recording)
    }

    var configuration: SimulatedProvider.Configuration {
      var configuration = SimulatedProvider.Configuration()
      configuration.trigger = trigger
      configuration.answer = answer
      configuration.faults = SimulatedProvider.Faults(faults, seed: seed)
      configuration.receiver = policy == .loco ? .phone : .standalone
      configuration.policy = policy == .loco ? .loco : .standaloneReceiver
      configuration.wakeSources = sensors.wakeSources
      // Without a bound the app needs no timers while it is asleep, and the system may suspend it.
      if within == nil { configuration.wakeSources.remove(.timersWhileAsleep) }
      if let regionLatency {
        configuration.wakeSources.insert(.regionExit)
        configuration.region.latency = regionLatency
      }
      return configuration
    }

    static let help = """
      Drives a simulated device along a route and prints what its location manager's listeners hear.

      USAGE: LocoKitDemo [drive] [options]
             LocoKitDemo get | track | trip [options]   one location, all of them, or a distance; see LocoKitDemo get --help
             LocoKitDemo compare [options]          what each policy costs and gives; see LocoKitDemo compare --help
             LocoKitDemo gpsd [options]             a real receiver; see LocoKitDemo gpsd --help
             LocoKitDemo replay FILE [options]      a journal, played again; see LocoKitDemo replay --help
             LocoKitDemo study FILE...              what journals tell of receivers and batteries; see LocoKitDemo study --help
             LocoKitDemo diagram [--machine NAME] [--format FORMAT]

      OPTIONS:
        --gpx FILE            drive along a recorded track
        --route NAME          without one: freeway, half an hour on the 101 through Los Angeles (default), or day, a day with
                              long stays indoors
        --seed N              what decides all chance: the same seed gives the same drive (default: 1)
        --within METRES       an error bound, 100 or more: look whenever the last location may be farther off (default: none,
                              which is Loco's rule: look at significant changes)
        --sensors NAME        what can wake the app beside significant changes and timers: cells, motion, none, or all
                              (default)
        --region SECONDS      the exit of a region round the last fix can too, and is found so late, a median
        --policy NAME         loco: a phone's receiver, desired 10 m within 15 s (default)
                              standalone: a receiver without assistance data, desired 30 m within 60 s
        --trigger NAME        apple: a significant change is 500 m and 5 minutes (default); cell: any change of the cell
        --answer NAME         how the user answers the prompt: allow (default), deny or ignore
        --faults LEVEL        what goes wrong with fixes, timers, the clock and the app: none (default), some or many
        --realtime X          X times as fast as real time (default: as fast as it goes; with --interactive, 1)
        --json                print the summary alone, as one JSON object
        --log FILE            write each transition, location, rejection and receiver mode as a line of JSON
        --report FILE         write a page for a browser, which plays the drive on a map and a timeline; it holds places
      \(JournalOptions.help)
        --interactive         drive in real time, with keys, on a screen
        -h, --help            print this
        --version             print the version

      With --interactive and --realtime, a signal ends the drive with its summary. With --interactive, Ctrl-Z stops it.

      EXIT CODES: 0 done, 64 wrong usage, 65 the file cannot be used, 66 there is no such file, 73 the log, the report or the
                  journal cannot be created for their owner alone, 74 the output, the log or the report cannot be written,
                  129 hung up, 130 interrupted, 131 quit, 141 the output's reader has gone (nothing is said),
                  143 terminated

      """
  }

  /// A route that the program has itself.
  enum BuiltInRoute: String, CaseIterable {
    case freeway
    case day

    var route: SimulatedProvider.Route {
      switch self {
      case .freeway: .losAngeles
      case .day: .day
      }
    }

    /// A route that was recorded, and what the user should know of it.
    static func recorded(_ file: URL) throws -> (SimulatedProvider.Route, notes: [String]) {
      do {
        let track = try SimulatedProvider.GPXTrack(contentsOf: file)
        return (track.route, track.notes)
      } catch {
        throw Failure(code: error.isMissing ? .noInput : .badData, message: "\(error)")
      }
    }

    /// Why these options are not accepted together; `nil` where they are.
    static func refusal(of names: Set<String>) -> String? {
      names.isSuperset(of: ["--gpx", "--route"]) ? "--gpx is a route and --route is another: choose one." : nil
    }
  }

  /// Which gpsd to ask, and for how long.
  struct GPSDOptions {
    var host: String
    var port: Int
    var controlSocket: String?
    var duration: Duration?
    /// The error bound, metres.
    var within: Double?
    var isJSON: Bool
    var log: URL?
    var journal: JournalOptions?

    static let known =
      [
        KnownOption("--host", takesValue: true), KnownOption("--port", takesValue: true),
        KnownOption("--control-socket", takesValue: true), KnownOption("--for", takesValue: true),
        KnownOption("--json"),
        KnownOption("--log", takesValue: true), KnownOption("--within", takesValue: true),
      ] + JournalOptions.known

    init(_ given: GivenOptions) throws {
      journal = JournalOptions(given)
      host = given.text("--host") ?? "localhost"
      guard !host.isEmpty else { throw Failure.usage("--host is a name or an address.") }
      let text = given.text("--port") ?? "2947"
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw Failure.usage("--port is a number from 1 to 65535, not '\(text)'.")
      }
      self.port = port
      controlSocket = given.text("--control-socket")
      isJSON = given.has("--json")
      log = given.text("--log").map { URL(filePath: $0) }
      duration = try given.duration("--for")
      within = try given.bounds().last
    }

    static let help = """
      Finds the location with a real receiver behind gpsd, and prints what its location manager's listeners hear.

      USAGE: LocoKitDemo gpsd [options]

      OPTIONS:
        --host H              where gpsd runs (default: localhost)
        --port P              the port on which it listens (default: 2947)
        --control-socket F    the path that gpsd was given by -F, to close the receiver at once; otherwise gpsd does so
                              after 60 s, which are counted
        --for DURATION        how long: 90, 90s, 15m, 1h30m (default: until interrupted)
        --within METRES       an error bound, 100 or more: look whenever the last location may be farther off
        --json                print the summary alone, as one JSON object
        --log FILE            write each transition, location, rejection and receiver mode as a line of JSON
      \(JournalOptions.help)
        -h, --help            print this

      A signal, or a reader of the output that goes, ends it in order: the receiver is closed first.

      EXIT CODES: 0 done, 64 wrong usage, 69 gpsd was never there, 73 the log or the journal cannot be created for their
                  owner alone, 74 the output or the log cannot be written, 129 hung up, 130 interrupted,
                  141 the output's reader has gone (nothing is said), 143 terminated

      """
  }

  /// Which machine to print, and how.
  struct DiagramOptions {
    enum Machine: String, CaseIterable {
      case location
      case look
      case trip
      case tripDetection = "trip-detection"
      case pace
      case gpsd
      case turnstile
    }

    enum Format: String, CaseIterable {
      case csv
      case markdown
      case mermaid
      case dot
      case plantuml
      case scxml
    }

    var machine: Machine
    var format: Format

    static let known = [KnownOption("--machine", takesValue: true), KnownOption("--format", takesValue: true)]

    init(_ given: GivenOptions) throws {
      machine = try given.choice("--machine", .location)
      format = try given.choice("--format", .mermaid)
    }

    var text: String {
      switch machine {
      case .location: text(StateDiagram<LocationMachine>())
      case .look: text(StateDiagram<LookMachine>())
      case .trip: text(StateDiagram<TripMachine>())
      case .tripDetection: text(StateDiagram<TripDetectionMachine>())
      case .pace: text(StateDiagram<PaceMachine>())
      case .gpsd: text(StateDiagram<GPSDMachine>())
      case .turnstile: text(StateDiagram<Turnstile>())
      }
    }

    private func text<M>(_ diagram: StateDiagram<M>) -> String {
      switch format {
      case .csv: diagram.csv
      case .markdown: diagram.markdown
      case .mermaid: diagram.mermaid
      case .dot: diagram.dot
      case .plantuml: diagram.plantUML
      case .scxml: diagram.scxml
      }
    }

    static let help = """
      Prints a state machine, made from the function that runs.

      USAGE: LocoKitDemo diagram [--machine NAME] [--format FORMAT]

      OPTIONS:
        --machine NAME        location (default), look, trip, pace, gpsd or turnstile, the example of the README
        --format FORMAT       mermaid (default), for Markdown; dot, for Graphviz; plantuml; scxml, for interpreters;
                              csv, all pairs to test from; markdown, the same to read
        -h, --help            print this

      EXIT CODES: 0 done, 64 wrong usage, 74 the output cannot be written,
                  141 the output's reader has gone (nothing is said)

      """
  }
#endif

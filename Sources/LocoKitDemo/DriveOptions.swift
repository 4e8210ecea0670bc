#if os(Linux) || os(macOS)
  import Foundation
  import LocoKitSimulation

  /// The options of `drive`.
  struct DriveOptions {
    enum FaultLevel: String, CaseIterable {
      case none, some, many

      func faults(seed: UInt64) -> SimulatedProvider.Faults {
        switch self {
        case .none: .none
        case .some: .some(seed: seed)
        case .many: .many(seed: seed)
        }
      }
    }

    var gpx: URL?
    var builtIn = BuiltInRoute.freeway
    var seed: UInt64 = 1
    /// The error bound, in metres.
    var within: Double?
    var phone = Phone.background
    var trigger = SimulatedProvider.Trigger.apple
    var answer = SimulatedProvider.Answer.allow
    var faultLevel = FaultLevel.none
    var speed: Double?
    var isJSON = false
    var log: URL?
    var report: URL?
    var journal = JournalOptions()

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
      let seconds = trip.provider.uptime.seconds
      if seconds < trip.provider.route.duration.seconds { facts.append("ended early, after \(seconds.clock)") }
      var summary = trip.summary
      // The numbers of JavaScript are doubles.
      if seed > 1 << 53 { summary.seed = nil }
      return Report(
        kind: .drive, title: gpx?.lastPathComponent ?? builtIn.rawValue, facts: facts, summary: summary,
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
    /// The options of the simulated device.
    static var device: [Option<Self>] {
      [
        Option(\.gpx, "--gpx", .file(), help: "drive along a recorded track"),
        Option(\.builtIn, "--route", .choice(), help: BuiltInRoute.help),
        Option(
          \.seed, "--seed", .seed,
          help: "the seed of all random numbers: without a journal, the same seed gives the same drive (default: 1)"),
        Option(\.phone, "--phone", .choice(), help: Phone.help),
        Option(
          \.trigger, "--trigger", .choice(),
          help: "apple: a significant change is 500 m and 5 minutes (default); cell: any change of the cell"),
        Option(
          \.answer, "--answer", .choice(), help: "the user's answer to the prompt: allow (default), deny or ignore"),
        Option(
          \.faultLevel, "--faults", .choice("LEVEL"),
          help: "faults, for example of fixes, timers, the clock and the app: none (default), some or many"),
        Option(
          \.speed, "--realtime", .factor(to: 1_000_000),
          help: "X times real time (default: as fast as possible)"),
      ]
    }

    static var options: [Option<Self>] {
      device + [
        Option(
          \.within, "--within", .bound,
          help: "an error bound, 100 or more: look before the error of the last location may exceed it (default: none, "
            + "which is Loco's rule: look at significant changes)"),
        Option(\.isJSON, "--json", help: "print only the summary, as one JSON object"),
        Option(
          \.log, "--log", .file(),
          help: "write each transition, location, rejection and receiver mode as a line of JSON"),
        Option(
          \.report, "--report", .file(),
          help: "write an HTML page that plays the drive on a map and a timeline; it contains positions"),
      ] + JournalOptions.options.map { $0.within(\.journal) }
    }

    func finish(_ given: Given) throws {
      if let log, log.standardizedFileURL == report?.standardizedFileURL {
        throw Failure.usage("--log and --report are the same file: choose two.")
      }
    }

    static func refusal(of names: Set<String>, for command: String) -> String? {
      BuiltInRoute.refusal(of: names) ?? JournalOptions.refusal(of: names)
    }

    func run() async throws -> ExitCode { try await drive() }

    static let examples: KeyValuePairs = [
      "drive --gpx commute.gpx --within 300": "a recorded drive within 300 m: each look, with its cause",
      "drive --route day --within 500 --report day.html": "the built-in day, as a page with a map",
      "drive --faults many --seed 7": "Loco's rule, with faults",
    ]

    static let about = """
      Drives a simulated device along a route and prints the calls to its location manager's listeners.

      USAGE: LocoKitDemo [drive] [options]
             LocoKitDemo get | track | trip [options]   one location, every location, or a distance; see LocoKitDemo get --help
             LocoKitDemo compare [options]          compares the GPS time and the error of policies; see LocoKitDemo compare --help
             LocoKitDemo gpsd [options]             uses a real receiver; see LocoKitDemo gpsd --help
             LocoKitDemo replay FILE|FOLDER [options]  replays a journal; see LocoKitDemo replay --help
             LocoKitDemo study FILE|FOLDER...       prints figures from journals; see LocoKitDemo study --help
             LocoKitDemo test FILE|FOLDER --expecting SYMPTOM [options]  makes a test from a journal; see LocoKitDemo test --help
             LocoKitDemo diagram [--machine NAME] [--format FORMAT]
             LocoKitDemo completions bash|zsh|fish  prints a script that completes commands and options
      """

    static let notes = """
      With --realtime, SIGINT (Ctrl-C) and SIGTERM end the drive, and the summary is still printed.

      EXIT CODES: 0 done, 64 wrong usage, 65 the file cannot be used, 66 it cannot be read, 73 the log, the report or the
                  journal cannot be created with access for its owner only, 74 the output, the log, the report or the journal
                  cannot be written, 129 hung up, 130 interrupted, 141 the output's reader is gone (prints no message),
                  143 terminated
      """
  }
#endif

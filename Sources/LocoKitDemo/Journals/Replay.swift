#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Which journal to play, and what is to be other than it was.
  struct ReplayOptions {
    var journal: URL
    var bound: JournalProvider.Alternative.ErrorBound
    var policy: DriveOptions.Policy?
    var isChecking: Bool
    var isJSON: Bool
    var report: URL?

    static let known = [
      KnownOption("--check"), KnownOption("--json"), KnownOption("--within", takesValue: true),
      KnownOption("--policy", takesValue: true), KnownOption("--report", takesValue: true),
    ]

    /// Why these options are not accepted together; `nil` where they are.
    static func refusal(of names: Set<String>) -> String? {
      guard names.contains("--check") else { return nil }
      if names.contains("--report") { return "--check prints a difference and --report writes a page: choose one." }
      if names.contains("--json") { return "--check prints a difference and --json a summary: choose one." }
      return ["--within", "--policy"].first(where: names.contains).map {
        "--check compares with what was decided, and \($0) is for what would have been: choose one."
      }
    }

    init(_ given: GivenOptions) throws {
      guard given.operands.count == 1, let path = given.operands.first else {
        throw Failure.usage("replay needs one file of a journal, or its folder.")
      }
      journal = URL(filePath: path)
      isChecking = given.has("--check")
      isJSON = given.has("--json")
      report = given.text("--report").map { URL(filePath: $0) }
      bound = .asRecorded
      if let text = given.text("--within") {
        bound = text == "none" ? .absent : .metres(try given.bounds().last ?? 0)
      }
      policy = given.has("--policy") ? try given.choice("--policy", .loco) : nil
    }

    /// What the page says of how it was played.
    var facts: [String] {
      let otherwise: String? =
        switch bound {
        case .asRecorded: nil
        case .absent: "as it would have been without a bound"
        case .metres(let metres): "as it would have been within \(Int(metres)) m"
        }
      return [otherwise, policy.map { "policy: \($0.rawValue)" }].compactMap(\.self)
    }

    /// What would have been; `nil` plays what was.
    var alternative: JournalProvider.Alternative? {
      guard policy != nil || bound != .asRecorded else { return nil }
      return JournalProvider.Alternative(
        policy: policy.map { $0 == .loco ? .loco : .standaloneReceiver }, errorBound: bound)
    }

    static let help = """
      Plays a journal, and prints what its location manager's listeners hear.

      USAGE: LocoKitDemo replay FILE|FOLDER [options]

      OPTIONS:
        --check               print nothing but the first line at which something else is decided than was recorded, with both
        --within METRES|none  what would have been with another error bound, 100 or more, or with none
        --policy NAME         what would have been with another policy: loco or standalone
        --json                print the summary alone, as one JSON object; what a journal cannot tell is null
        --report FILE         write a page for a browser, which plays the journal on a map and a timeline; its places are the
                              journal's, which are moved unless it keeps them
        -h, --help            print this

      What would have been is answered on what was reported. What was not cannot be known: where the recorded receiver was off there is
      no fix, so that a look there finds nothing. What a more frugal policy would have saved is a fair question; what a more
      eager one would have found is not.

      EXIT CODES: 0 done, 1 with --check: something else is decided, 64 wrong usage, 65 the file is no journal, 66 there is
                  no such file, or it cannot be read, 73 the report cannot be created for its owner alone, 74 the output or the
                  report cannot be written, 141 the output's reader has gone (nothing is said)

      """
  }

  extension JournalProvider {
    /// A journal that a user has named.
    static func opened(_ url: URL, instead alternative: Alternative? = nil) throws -> JournalProvider {
      do { return try JournalProvider(contentsOf: url, instead: alternative) } catch { throw Failure(error) }
    }
  }

  extension Failure {
    init(_ error: FileFailure) {
      // An error without a line concerns the file or the folder itself.
      self.init(code: error.line == 0 ? .noInput : .badData, message: error.description)
    }
  }

  /// A journal that is played, with a manager for each of its launches.
  @MainActor
  final class Replay {
    private let player: JournalProvider
    private let options: ReplayOptions
    private var manager: LocationManager
    private let events: EventLog
    private let printer: Printer
    private var hasGap = false
    private let report: ReportFile?
    private var recorder: ReportRecorder?

    init(_ options: ReplayOptions) throws {
      self.options = options
      let player = try JournalProvider.opened(options.journal, instead: options.alternative)
      self.player = player
      var bound: Double?
      if case .metres(let metres) = options.bound { bound = metres }
      report = try options.report.map(ReportFile.init)
      events = EventLog(player, bound: bound) { player.elapsed.seconds }
      manager = LocationManager(provider: player, store: player.store)
      let isQuiet = options.isJSON || options.isChecking
      printer = Printer(isQuiet: isQuiet, isLive: false)
      manager.listeners.add(events)
      if !isQuiet { events.onCall = { [printer] in printer.line($0, $1, $2) } }
      player.onRelaunch = { [weak self] in self?.relaunch() }
      player.onPlay = { [weak self] in self?.hear($0) }
      guard report != nil else { return }
      recorder = ReportRecorder(player, boundMeters: bound) { [weak self] in self?.manager }
      recorder?.begin(manager)
    }

    private func relaunch() {
      manager = LocationManager(provider: player, store: player.store)
      manager.listeners.add(events)
      recorder?.begin(manager)
      events.call(manager, "the app is launched again")
    }

    private func hear(_ played: JournalProvider.Played) {
      switch played {
      case .errorBound(let bound): if options.bound == .asRecorded { events.bound = bound }
      case .note(let text): events.call(manager, "note: \(text.printable)")
      case .gap:
        hasGap = true
        events.call(manager, "lines were lost here")
      case .launch, .report, .command, .policy: break
      }
    }

    func run() throws -> ExitCode {
      do {
        for count in 1... {
          guard try player.step() else { break }
          if options.isChecking, player.difference != nil { break }
          guard count % 1_000 == 0 else { continue }
          printer.progress(Int(player.progress * 100), player.recordedTime.seconds, state: manager.state)
          if !Output.standard.isOpen { return .done }
        }
      } catch {
        printer.end()
        throw Failure(error)
      }
      printer.end()
      if player.leftOut > 0 {
        Output.error.write(
          "note: \(player.leftOut) lines before the first launch are left out: the first file of their launch is missing.\n"
        )
      }
      if options.isChecking { return check() }
      let summary = Summary(duration: player.recordedTime, gpsOn: player.receiverOnTime, bound: events.bound, events)
      Output.standard.write(options.isJSON ? summary.json : "\n" + summary.text)
      if let recorder {
        let limit = recorder.fullAt.map { "shown up to \($0.clock): a page cannot hold more" }
        try report?.write(
          Report(
            kind: .replay, title: options.journal.lastPathComponent, facts: options.facts + [limit].compactMap(\.self),
            summary: summary,
            recording: recorder.recording))
      }
      if options.alternative != nil {
        Output.error.write(
          "note: where the recorded receiver was off there is no fix: a look there finds nothing here, and would have then.\n"
        )
      } else if let difference = player.difference {
        Output.error.write("note: \(difference.description.printable)\n")
      }
      return .done
    }

    private func check() -> ExitCode {
      if let difference = player.difference {
        Output.standard.write("\(difference.description.printable)\n")
        return .different
      }
      Output.standard.write("\(player.compared) inputs, and all was decided as it was recorded\n")
      if hasGap {
        Output.error.write("note: lines were lost, and from there to the next launch nothing was compared.\n")
      }
      return .done
    }
  }

  extension String {
    /// Without what a terminal would take for a command: a journal is somebody else's text.
    var printable: String {
      String(
        String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
  }
#endif

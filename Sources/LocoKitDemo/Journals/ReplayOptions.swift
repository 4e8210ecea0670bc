#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// The options of `replay`: a journal, and the changes for the replay.
  struct ReplayOptions: Command {
    private(set) var journal = URL(filePath: "/")
    var bound = JournalProvider.Alternative.ErrorBound.asRecorded
    var policy: Policy?
    var isChecking = false
    var isJSON = false
    var report: URL?

    enum Policy: String, CaseIterable {
      case loco, standalone

      var acquisition: AcquisitionPolicy { self == .loco ? .loco : .standaloneReceiver }
    }

    static let operands: String? = "FILE"

    static var options: [Option<Self>] {
      [
        Option(
          \.isChecking, "--check",
          help:
            "print only the first line whose decisions differ from the recorded ones, with both sets, or the number of "
            + "inputs if no decision differs"),
        Option(
          \.bound, "--within", .otherBound, help: "replay with another error bound, 100 or more, or without one"),
        Option(\.policy, "--policy", .choice(), help: "replay with another policy: loco or standalone"),
        Option(
          \.isJSON, "--json",
          help: "print only the summary, as one JSON object; what a journal doesn't contain is null"),
        Option(
          \.report, "--report", .file(),
          help:
            "write an HTML page that plays the journal on a map and a timeline; it contains the journal's positions, "
            + "which are moved ones unless it was recorded with the true ones"),
      ]
    }

    static func refusal(of names: Set<String>, for command: String) -> String? {
      guard names.contains("--check") else { return nil }
      if names.contains("--report") { return "--check prints a difference and --report writes a page: choose one." }
      if names.contains("--json") { return "--check prints a difference and --json a summary: choose one." }
      return ["--within", "--policy"].first(where: names.contains).map {
        "--check compares with the recorded decisions, and \($0) changes them: choose one."
      }
    }

    mutating func finish(_ given: Given) throws {
      guard given.operands.count == 1, let file = given.operands.first else {
        throw Failure.usage("replay needs one file of a journal, or its folder.")
      }
      journal = file
    }

    func run() throws -> ExitCode { try Replay(self).run() }

    /// The changes, for the report.
    var facts: [String] {
      let change: String? =
        switch bound {
        case .asRecorded: nil
        case .absent: "replayed without an error bound"
        case .metres(let metres): "replayed within \(metres.oneDecimal) m"
        }
      return [change, policy.map { "policy: \($0.rawValue)" }].compactMap(\.self)
    }

    /// The changes; `nil` replays the journal as recorded.
    var alternative: JournalProvider.Alternative? {
      guard policy != nil || bound != .asRecorded else { return nil }
      return JournalProvider.Alternative(policy: policy?.acquisition, bound: bound)
    }

    static let examples: KeyValuePairs = [
      "replay journal": "what the manager did",
      "replay journal --within 1000": "what it would have done within 1,000 m",
    ]

    static let about = """
      Replays a journal, and prints the calls to its location manager's listeners.

      USAGE: LocoKitDemo replay FILE|FOLDER [options]
      """

    static let notes = """
      With --within or --policy, the replay still has only the recorded reports. There are no GPS fixes from times at which the
      GPS was off, so a look at such a time fails, unless a recorded coarse fix is enough. The replay shows what a policy with
      fewer looks saves. It can't show what one with more looks would find.

      EXIT CODES: 0 done, 1 with --check: a decision differs, 64 wrong usage, 65 the file is not a journal, 66 there is no such
                  file, or it cannot be read, 73 the report cannot be created with access for its owner only, 74 the output or
                  the report cannot be written, 141 the output's reader is gone (prints no message)
      """
  }
#endif

#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitJournal

  /// A provider and its clock.
  @MainActor
  protocol Receiver {
    var provider: any LocationProvider { get }
    /// Runs until `isOver` returns true, the time is over, a signal arrives, or the output's reader is gone. Calls `isOver` at
    /// least once in each second of the clock.
    func run(_ isOver: () async -> Bool) async throws -> ExitCode
    /// The journal of the run; `nil` without one. Finish it after the result is printed.
    var journal: Journal? { get }
  }
#endif

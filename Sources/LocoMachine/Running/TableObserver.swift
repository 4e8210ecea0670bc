#if DEBUG && !hasFeature(Embedded)
  /// Passes the events that tables handle to a test, which measures the coverage of machines that have no runner.
  @usableFromInline
  package enum TableObserver {
    /// Receives the machine and the names of the state and the event, in a debug build.
    @TaskLocal package static var receiver:
      (@Sendable (_ machine: any StateMachine.Type, _ state: String, _ event: String) -> Void)?

    @usableFromInline
    static func observe<Machine: StateMachine>(
      _ machine: Machine.Type, _ event: Machine.Event, in state: Machine.State
    ) {
      receiver?(machine, state.rawValue, event.rawValue)
    }
  }
#endif

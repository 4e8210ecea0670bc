import LocoMachine

/// Keeps a TCP connection to a local port open. An actor runs the machine.
actor Link {
  private let connection: MachineRunner<Connection>

  init(port: UInt16, clock: some Clock<Duration> = ContinuousClock()) {
    connection = MachineRunner(clock: clock) { _, _ in
    } activities: { _ in
      .task { send in
        for await event in TCP.dial(port) { await send(event) }
        return nil
      }
    }
  }

  var state: Connection.State { connection.state }
  /// The time until the next attempt, or until the current attempt times out.
  var timeUntilDeadline: Duration? { connection.timeUntilDeadline }
  /// The transitions from now on.
  var transitions: AsyncStream<StateTransition<Connection>> { connection.transitions }

  /// Keeps the connection open until the task is cancelled.
  func run() async {
    connection.send(.start)
    for await _ in connection.transitions {}
    connection.send(.stop)
  }
}

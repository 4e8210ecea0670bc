import LocoMachine

/// Keeps a TCP connection to a local port open. An actor runs the machine.
actor Link {
  private let dialer: Dialer
  private let connection: MachineRunner<Connection>

  init(port: UInt16, clock: some Clock<Duration> = ContinuousClock()) {
    let dialer = Dialer(port: port)
    self.dialer = dialer
    connection = MachineRunner(clock: clock) { effect, _ in dialer.perform(effect) }
  }

  var state: Connection.State { connection.state }
  /// The time until the next attempt, or until the current attempt times out.
  var nextDeadline: Duration? { connection.nextDeadline }
  /// The transitions from now on.
  var transitions: AsyncStream<StateTransition<Connection>> { connection.transitions }

  /// Keeps the connection open until the task is cancelled.
  func run() async {
    connection.send(.start)
    for await (attempt, event) in dialer.reports where attempt == dialer.attempt { connection.send(event) }
    connection.send(.stop)
  }
}

/// Performs the effects of a connection.
private final class Dialer {
  /// The events of the network, each with its attempt's number.
  let reports: AsyncStream<(attempt: Int, event: Connection.Event)>
  /// The current attempt's number. Reports of earlier attempts are ignored.
  private(set) var attempt = 0
  private let port: UInt16
  private let reporter: AsyncStream<(attempt: Int, event: Connection.Event)>.Continuation
  private var conversation: Task<Void, Never>?

  init(port: UInt16) {
    self.port = port
    (reports, reporter) = AsyncStream.makeStream()
  }

  func perform(_ effect: Connection.Effect) {
    attempt += 1
    conversation?.cancel()
    switch effect {
    case .dial:
      conversation = Task { [port, attempt, reporter] in
        for await event in TCP.dial(port) { reporter.yield((attempt, event)) }
      }
    case .hangUp: conversation = nil
    }
  }

  deinit {
    conversation?.cancel()
    reporter.finish()
  }
}

import LocoMachine

/// A socket that is checked: a ping every 20 s, a pong within 5 s, and otherwise a new connection.
enum HeartbeatMachine: StateMachine {
  enum State: String, CaseIterable { case closed, connecting, open, pinging, pausing }
  enum Event: String, CaseIterable { case open, connected, lost, pong, timeOver, close }
  enum Effect: String { case sendPing }
  enum Activity: String { case socket }
  static let initialState = State.closed

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.closed, .open): .go(.connecting, [])
    case (.connecting, .connected): .go(.open, [])
    case (.open, .timeOver): .go(.pinging, [.sendPing])
    case (.pinging, .pong): .go(.open, [])
    case (.connecting, .timeOver), (.pinging, .timeOver): .go(.pausing, [])
    case (.connecting, .lost), (.open, .lost), (.pinging, .lost): .go(.pausing, [])
    case (.pausing, .timeOver): .go(.connecting, [])
    case (.closed, .close): .ignore("The socket is closed.")
    case (_, .close): .go(.closed, [])
    case (_, .open): .ignore("The socket is open, or will be.")
    case (.open, .pong): .ignore("The pong is late or wasn't asked for.")
    case (.closed, .timeOver): .never("A closed socket waits for nothing.")
    case (.connecting, .pong): .never("A new socket was sent no ping.")
    case (.open, .connected), (.pinging, .connected): .never("The socket is connected.")
    case (_, .connected), (_, .pong), (_, .lost): .ignore("A closed socket may still say something.")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .closed: nil
    case .connecting: .after(.seconds(10), .timeOver)
    case .open: .after(.seconds(20), .timeOver)
    case .pinging: .after(.seconds(5), .timeOver)
    case .pausing: .after(.seconds(2), .timeOver)
    }
  }

  /// The socket lives in three states. A transition between them leaves it alone; a transition out of them closes it.
  static func activities(in state: State) -> [Activity] {
    switch state {
    case .connecting, .open, .pinging: [.socket]
    case .closed, .pausing: []
    }
  }
}

/// A socket that a heartbeat keeps connected. A callback that is pending at `close()` is dropped: after the next `connect()`, it would
/// count as one of the new connection.
@MainActor
protocol Socket: AnyObject {
  func connect()
  func ping()
  func close()
}

/// Keeps a socket connected.
@MainActor
final class Heartbeat {
  let runner: MachineRunner<HeartbeatMachine>

  init(socket: any Socket, clock: any Clock<Duration> = ContinuousClock()) {
    runner = MachineRunner(clock: clock) { _, _ in
      socket.ping()
    } activities: { _ in
      .closures(start: { socket.connect() }, stop: { socket.close() })
    }
  }

  func open() { runner.send(.open) }
  func close() { runner.send(.close) }

  // The socket calls these.
  func didConnect() { runner.send(.connected) }
  func didReceivePong() { runner.send(.pong) }
  func didClose() { runner.send(.lost) }
}

import LocoMachine

/// A connection that reconnects. The pauses between attempts grow from 1 s to 5 s to 30 s.
///
/// Each pause is a state, so the drawing shows the back-off and the machine stays finite.
enum Connection: StateMachine {
  enum State: String, CaseIterable {
    case off
    case dial1, pause1
    case dial2, pause2
    case dial3, pause3
    case connected
  }

  enum Event: String, CaseIterable { case start, stop, opened, closed, timeOver }

  enum Activity: String {
    /// The call lasts from the attempt to the end of the connection.
    case call
  }

  static let initialState = State.off

  static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    switch (state, event) {
    case (.off, .start): .go(.dial1, [])
    case (.off, .stop): .ignore("The connection is off.")
    case (.off, _): .never("There is no call and no deadline.")
    case (_, .start): .ignore("The connection is already on.")

    case (.dial1, .opened), (.dial2, .opened), (.dial3, .opened): .go(.connected, [])
    case (.dial1, .closed), (.dial1, .timeOver), (.connected, .closed): .go(.pause1, [])
    case (.dial2, .closed), (.dial2, .timeOver): .go(.pause2, [])
    case (.dial3, .closed), (.dial3, .timeOver): .go(.pause3, [])
    case (.pause1, .timeOver): .go(.dial2, [])
    case (.pause2, .timeOver), (.pause3, .timeOver): .go(.dial3, [])
    case (_, .stop): .go(.off, [])

    case (.pause1, _), (.pause2, _), (.pause3, _): .never("The call has ended, and only a call sends opened or closed.")
    case (.connected, .opened): .never("A call opens once.")
    case (.connected, .timeOver): .never("A connection has no deadline.")
    }
  }

  static func activities(in state: State) -> [Activity] {
    switch state {
    case .dial1, .dial2, .dial3, .connected: [.call]
    case .off, .pause1, .pause2, .pause3: []
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .dial1, .dial2, .dial3: .after(.seconds(10), .timeOver)
    case .pause1: .after(.seconds(1), .timeOver)
    case .pause2: .after(.seconds(5), .timeOver)
    case .pause3: .after(.seconds(30), .timeOver)
    case .off, .connected: nil
    }
  }
}

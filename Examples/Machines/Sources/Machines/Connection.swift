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

  enum Effect: String, CustomStringConvertible {
    case dial, hangUp
    var description: String { rawValue }
  }

  static let initialState = State.off

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.off, .start): .go(.dial1, [.dial])
    case (.off, _): .ignore("The connection is off.")
    case (_, .start): .ignore("The connection is on already.")

    case (.dial1, .opened), (.dial2, .opened), (.dial3, .opened): .go(.connected, [])
    case (.dial1, .closed): .go(.pause1, [])
    case (.dial2, .closed): .go(.pause2, [])
    case (.dial3, .closed): .go(.pause3, [])
    case (.dial1, .timeOver): .go(.pause1, [.hangUp])
    case (.dial2, .timeOver): .go(.pause2, [.hangUp])
    case (.dial3, .timeOver): .go(.pause3, [.hangUp])
    case (.dial1, .stop), (.dial2, .stop), (.dial3, .stop): .go(.off, [.hangUp])

    case (.pause1, .timeOver): .go(.dial2, [.dial])
    case (.pause2, .timeOver), (.pause3, .timeOver): .go(.dial3, [.dial])
    case (.pause1, .stop), (.pause2, .stop), (.pause3, .stop): .go(.off, [])
    case (.pause1, _), (.pause2, _), (.pause3, _): .ignore("No attempt is being made.")

    case (.connected, .closed): .go(.pause1, [])
    case (.connected, .stop): .go(.off, [.hangUp])
    case (.connected, .opened): .ignore("The connection is open already.")
    case (.connected, .timeOver): .ignore("A connection may last.")
    }
  }

  static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .dial1, .dial2, .dial3: .after(.seconds(10), .timeOver)
    case .pause1: .after(.seconds(1), .timeOver)
    case .pause2: .after(.seconds(5), .timeOver)
    case .pause3: .after(.seconds(30), .timeOver)
    case .off, .connected: nil
    }
  }
}

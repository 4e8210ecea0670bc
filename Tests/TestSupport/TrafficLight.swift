import LocoMachine

/// A traffic light with a button. Each state has a deadline, and the deadline of one state restarts that state.
enum TrafficLight: StateMachine {
  enum State: String, CaseIterable { case flashing, red, green, amber }
  enum Event: String, CaseIterable { case turnOn, turnOff, button, timeOver }
  enum Effect: String { case toggleLamp, beep }
  static let initialState = State.flashing

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.flashing, .turnOn): .go(.red, [])
    case (.flashing, .turnOff): .ignore("The light is already off and only flashes.")
    case (.flashing, .button): .ignore("Nobody has priority while the light flashes.")
    case (.flashing, .timeOver): .go(.flashing, [.toggleLamp])
    case (.red, .timeOver): .go(.green, [])
    case (.green, .timeOver): .go(.amber, [])
    case (.green, .button): .go(.amber, [.beep])
    case (.amber, .timeOver): .go(.red, [])
    case (.red, .button), (.amber, .button): .stay([.beep])
    case (.red, .turnOff), (.green, .turnOff), (.amber, .turnOff): .go(.flashing, [])
    case (.red, .turnOn), (.green, .turnOn), (.amber, .turnOn): .ignore("The light is on already.")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .flashing: .after(.milliseconds(500), .timeOver)
    case .red: .after(.seconds(30), .timeOver)
    case .green: .after(.seconds(20), .timeOver)
    case .amber: .after(.milliseconds(3_500), .timeOver)
    }
  }
}

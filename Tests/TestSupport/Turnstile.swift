#if canImport(LocoMachine)
  import LocoMachine
#endif

/// The README's example of a machine: a coin-operated turnstile.
enum Turnstile: StateMachine {
  enum State: String, CaseIterable { case locked, unlocked }
  enum Event: String, CaseIterable { case coin, push }
  enum Effect: String { case refund }
  static let initialState = State.locked

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.locked, .coin): .go(.unlocked, [])
    case (.locked, .push): .ignore("The arm is locked until a coin is paid.")
    case (.unlocked, .coin): .stay([.refund])
    case (.unlocked, .push): .go(.locked, [])
    }
  }
}

import LocoMachine

/// A turnstile. A coin unlocks the arm, and a push locks it again.
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

/// Runs a turnstile on lines of input: `coin` or `push`.
func runTurnstile(_ nextLine: () -> String?, _ show: @escaping (String) -> Void) {
  let gate = MachineRunner<Turnstile> { _, _ in show("Your coin is returned.") }
  while let line = nextLine() {
    guard let event = Turnstile.Event(rawValue: line) else {
      show("Type coin or push.")
      continue
    }
    if case .ignored(let reason) = gate.send(event) { show(reason) } else { show(gate.state.rawValue) }
  }
}

import LocoKit
import Testing

final class Gate {
  private(set) var state = Turnstile.initialState
  private(set) var refunds = 0
  private let table = TransitionTable<Turnstile>()

  func receive(_ event: Turnstile.Event) {
    let step = table.advance(&state, on: event)
    for effect in table.effects(of: step) {
      switch effect {
      case .refund: refunds += 1
      }
    }
  }
}

@Suite("A machine of your own")
struct AMachineOfYourOwnTests {
  @Test("shows what runs one")
  func gate() {
    let gate = Gate()
    for event in [Turnstile.Event.push, .coin, .coin, .push] { gate.receive(event) }
    #expect(gate.state == .locked)
    #expect(gate.refunds == 1)
  }
}

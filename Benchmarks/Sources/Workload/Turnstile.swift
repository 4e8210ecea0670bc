@_spi(Benchmarks) package import LocoMachine

/// A machine without deadlines.
package enum Turnstile: StateMachine {
  package enum State: String, CaseIterable { case locked, unlocked }
  package enum Event: String, CaseIterable, Sendable { case coin, push }
  package enum Effect: String { case refund }
  package static let initialState = State.locked

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.locked, .coin): .go(.unlocked, [])
    case (.locked, .push): .ignore("The arm is locked until a coin is paid.")
    case (.unlocked, .coin): .stay([.refund])
    case (.unlocked, .push): .go(.locked, [])
    }
  }
}

/// Random coins and pushes, made from a seed.
package enum TurnstileStream {
  package static func events(_ count: Int, seed: UInt64 = 1) -> [Turnstile.Event] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Bool.random(using: &random) ? .coin : .push }
  }
}

/// A transition table without a runner. The class keeps the state and counts the effects.
package final class TurnstileTable {
  private let table = TransitionTable<Turnstile>()
  private var state = Turnstile.initialState
  private var refunds = 0

  package init() {}

  package func run(_ events: [Turnstile.Event]) -> Int {
    for event in events { refunds += table.effects(of: table.advance(&state, on: event)).count }
    return refunds
  }
}

/// A runner with a closure that counts the effects, and optionally with a listener.
package final class TurnstileRunner {
  private final class Counter: StateMachineListener {
    var transitions = 0
    func machine(_ runner: MachineRunner<Turnstile>, didTransition transition: StateTransition<Turnstile>) {
      transitions += 1
    }
  }

  private final class Till {
    var refunds = 0
  }

  private let runner: MachineRunner<Turnstile>
  private let till = Till()
  private let listener: Counter?

  package init(listens: Bool = false) {
    listener = listens ? Counter() : nil
    runner = MachineRunner { [till] _, _ in till.refunds += 1 }
    if let listener { runner.listeners.add(listener) }
  }

  package func run(_ events: [Turnstile.Event]) -> Int {
    for event in events { runner.send(event) }
    return till.refunds
  }
}

/// The same machine with dictionaries of states and triggers, and a closure for each effect.
package final class TurnstileDictionary {
  private struct Behaviour {
    let target: Turnstile.State?
    let actions: [() -> Void]
  }

  private final class Till {
    var refunds = 0
  }

  private var state = Turnstile.initialState
  private let till = Till()
  private let states: [Turnstile.State: [Turnstile.Event: Behaviour]]

  package init() {
    let refund: () -> Void = { [till] in till.refunds += 1 }
    states = [
      .locked: [.coin: Behaviour(target: .unlocked, actions: [])],
      .unlocked: [
        .coin: Behaviour(target: nil, actions: [refund]), .push: Behaviour(target: .locked, actions: []),
      ],
    ]
  }

  package func run(_ events: [Turnstile.Event]) -> Int {
    for event in events {
      guard let behaviour = states[state]?[event] else { continue }
      if let target = behaviour.target { state = target }
      for action in behaviour.actions { action() }
    }
    return till.refunds
  }
}

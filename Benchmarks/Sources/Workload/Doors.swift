package import LocoMachine

/// A turnstile whose coins have a value.
package enum PaidTurnstile: StateMachine {
  package enum State: String, CaseIterable { case locked, unlocked }
  package enum Event: String, CaseIterable, Sendable { case coin, push }
  package enum Input: Sendable { case coin(cents: Int), push }
  package enum Effect: String { case refund }
  package static let initialState = State.locked

  package static func event(of input: Input) -> Event {
    switch input {
    case .coin: .coin
    case .push: .push
    }
  }

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.locked, .coin): .go(.unlocked, [])
    case (.locked, .push): .ignore("The arm is locked until a coin is paid.")
    case (.unlocked, .coin): .stay([.refund])
    case (.unlocked, .push): .go(.locked, [])
    }
  }
}

/// A runner whose closure adds up the refunded cents, which it reads from the inputs.
package final class PaidTurnstileRunner {
  private final class Till {
    var cents = 0
  }

  private let runner: MachineRunner<PaidTurnstile>
  private let till = Till()

  package init() {
    runner = MachineRunner { [till] _, input in
      if case .coin(let cents) = input { till.cents += cents }
    }
  }

  package func run(_ inputs: [PaidTurnstile.Input]) -> Int {
    for input in inputs { runner.send(input) }
    return till.cents
  }
}

extension TurnstileStream {
  /// Returns the stream's events as inputs, with a value of one cent for each coin.
  package static func inputs(_ count: Int) -> [PaidTurnstile.Input] {
    events(count).map { $0 == .coin ? .coin(cents: 1) : .push }
  }
}

/// A door with a lamp that is on while the door is open.
package enum Door: StateMachine {
  package enum State: String, CaseIterable { case closed, open }
  package enum Event: String, CaseIterable, Sendable { case open, close }
  package enum Activity: String { case lamp }
  package static let initialState = State.closed

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    switch (state, event) {
    case (.closed, .open): .go(.open, [])
    case (.open, .close): .go(.closed, [])
    case (.closed, .close), (.open, .open): .ignore("The door is already as it should be.")
    }
  }

  package static func activities(in state: State) -> [Activity] { state == .open ? [.lamp] : [] }
}

/// The same door without a lamp.
package enum DarkDoor: StateMachine {
  package typealias State = Door.State
  package typealias Event = Door.Event
  package static let initialState = State.closed

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    Door.reaction(in: state, to: event)
  }
}

/// Opens and closes a door with a lamp, and one without.
package final class Doors {
  private final class Lamp {
    var starts = 0
    var stops = 0
  }

  private let lit: MachineRunner<Door>
  private let dark: MachineRunner<DarkDoor>
  private let lamp = Lamp()

  /// The starts and the stops of the lamp.
  package var switched: (starts: Int, stops: Int) { (lamp.starts, lamp.stops) }

  package init() {
    lit = MachineRunner(perform: { _, _ in }) { [lamp] _ in
      .closures(start: { lamp.starts += 1 }, stop: { lamp.stops += 1 })
    }
    dark = MachineRunner { _, _ in }
  }

  package func openLit(_ times: Int) {
    for _ in 0..<times {
      lit.send(.open)
      lit.send(.close)
    }
  }

  package func openDark(_ times: Int) {
    for _ in 0..<times {
      dark.send(.open)
      dark.send(.close)
    }
  }
}

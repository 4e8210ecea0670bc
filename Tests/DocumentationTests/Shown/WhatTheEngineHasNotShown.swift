import Foundation
import LocoMachineGraphs
import Testing

@testable import LocoMachine
@testable import TestSupport

enum Heater: StateMachine {
  enum State: String, CaseIterable { case off, heating }
  enum Event: String, CaseIterable { case cold, warm }
  static let initialState = State.off

  static func reaction(in state: State, to event: Event) -> Reaction<State, Nothing> {
    switch (state, event) {
    case (.off, .cold): .go(.heating, [])
    case (.heating, .warm): .go(.off, [])
    case (.off, .warm), (.heating, .cold): .ignore("The heater is already as it should be.")
    }
  }
}

@MainActor
func report(_ celsius: Double, to heater: MachineRunner<Heater>) {
  if celsius < 19 { heater.send(.cold) } else if celsius > 21 { heater.send(.warm) }
}

enum Player: StateMachine {
  enum State: String, CaseIterable {
    case stopped, playing, paused, held
    var isOn: Bool { self != .stopped }
  }
  enum Event: String, CaseIterable { case play, pause, stop, callBegins, callEnds }
  enum Activity: String, CustomStringConvertible {
    case display, sound
    var description: String { rawValue }
  }
  static let initialState = State.stopped

  static func reaction(in state: State, to event: Event) -> Reaction<State, Nothing> {
    switch (state, event) {
    case (.stopped, .play), (.paused, .play): .go(.playing, [])
    case (.playing, .pause), (.held, .pause): .go(.paused, [])
    case (.playing, .callBegins): .go(.held, [])
    case (.held, .callEnds): .go(.playing, [])
    case (.stopped, .stop): .ignore("The player is off.")
    case (_, .stop): .go(.stopped, [])
    case (_, .play), (_, .pause): .ignore("Nothing changes.")
    case (_, .callBegins), (_, .callEnds): .ignore("The player is silent during a call anyway.")
    }
  }

  static func activities(in state: State) -> [Activity] {
    (state.isOn ? [.display] : []) + (state == .playing ? [.sound] : [])
  }
}

@MainActor
final class Jukebox {
  private(set) var log: [String] = []
  private lazy var player = MachineRunner<Player> { _, _ in
  } activities: { [weak self] activity in
    .closures(
      start: { self?.log.append("\(activity) on") },
      stop: { self?.log.append("\(activity) off") })
  }

  func send(_ event: Player.Event) { player.send(event) }
}

@MainActor
final class Entrance {
  private let gate = MachineRunner<Turnstile> { _, _ in }
  private lazy var payment = MachineRunner<Payment> { [weak self] effect, _, _ in
    if effect == .book { self?.gate.send(.coin) }
  }
  var isOpen: Bool { gate.state == .unlocked }

  func pay(_ amount: Decimal) { payment.send(.pay(amount)) }
}

enum Call: StateMachine {
  enum State: String, CaseIterable { case idle, ringing, missed }
  enum Event: String, CaseIterable { case call, tick, answer, timeOver }
  enum Effect: String, CustomStringConvertible {
    case ring
    var description: String { rawValue }
  }
  enum Activity: String, CustomStringConvertible {
    case metronome
    var description: String { rawValue }
  }
  static let initialState = State.idle

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.idle, .call), (.missed, .call): .go(.ringing, [.ring])
    case (.ringing, .tick): .stay([.ring])
    case (.ringing, .answer): .go(.idle, [])
    case (.ringing, .timeOver): .go(.missed, [])
    case (.ringing, .call): .ignore("The phone is ringing.")
    case (_, .answer): .ignore("There is no call.")
    case (_, .tick), (_, .timeOver): .never("Only a ringing phone counts the time.")
    }
  }

  static func activities(in state: State) -> [Activity] { state == .ringing ? [.metronome] : [] }

  static func deadline(in state: State) -> Deadline<Event>? {
    state == .ringing ? .after(.seconds(30), .timeOver) : nil
  }
}

@MainActor
func phone(clock: any Clock<Duration>, ring: @escaping () -> Void) -> MachineRunner<Call> {
  MachineRunner(clock: clock) { _, _ in
    ring()
  } activities: { _ in
    .task { send in
      while (try? await clock.sleep(for: .seconds(2))) != nil { await send(.tick) }
      return nil
    }
  }
}

@MainActor
@Suite("What the engine has not")
struct WhatTheEngineHasNotTests {
  @Test("a heater follows the judged temperature, with a span between on and off")
  func guards() {
    let heater = MachineRunner<Heater> { _, _ in }
    let states = [20.0, 18, 20, 22, 20].map { celsius in
      report(celsius, to: heater)
      return heater.state
    }
    #expect(states == [.off, .heating, .heating, .off, .off])
  }

  @Test("each state that is on leaves by stop, and a call returns a player to what it did")
  func nesting() {
    for state in Player.State.allCases where state.isOn {
      #expect(Player.reaction(in: state, to: .stop) == .go(.stopped, []))
    }
    let table = TransitionTable<Player>()
    for (before, after) in [(Player.State.stopped, Player.State.stopped), (.playing, .playing), (.paused, .paused)] {
      var state = before
      table.advance(&state, on: .callBegins)
      #expect(state != .playing)
      table.advance(&state, on: .callEnds)
      #expect(state == after)
    }
  }

  @Test("the display stays on while the player is paused")
  func entryAndExit() {
    let jukebox = Jukebox()
    for event in [Player.Event.play, .pause, .play, .stop] { jukebox.send(event) }
    #expect(
      jukebox.log == ["display on", "sound on", "sound off", "sound on", "sound off", "display off"])
  }

  private enum PaymentAndGate: MachineExchange {
    typealias First = Payment
    typealias Second = Turnstile
    static func eventForSecond(from effect: Payment.Effect) -> Turnstile.Event? { effect == .book ? .coin : nil }
  }

  @Test("a payment opens the gate, whatever both did before")
  func regions() {
    let entrance = Entrance()
    #expect(!entrance.isOpen)
    entrance.pay(2)
    #expect(entrance.isOpen)
    typealias Both = ComposedMachine<PaymentAndGate>
    for state in StateGraph<Both>().reachableStates {
      guard case .both(.open, _) = state else { continue }
      #expect(Both.reaction(in: state, to: .first(.pay)).target == .both(.paid, .unlocked))
    }
  }

  @Test("a phone rings every two seconds, until the deadline or the answer", .timeLimit(.minutes(1)))
  func deadlines() async {
    let clock = ManualClock()
    var rings = 0
    let call = phone(clock: clock) { rings += 1 }
    call.send(.call)
    for count in 2...8 {
      while clock.nextEvent != .seconds(2 * (count - 1)) { await Task.yield() }
      clock.advance(by: .seconds(2))
      while rings < count { await Task.yield() }
    }
    call.send(.answer)
    clock.advance(by: .seconds(60))
    for _ in 0..<100 { await Task.yield() }
    #expect(rings == 8 && call.state == .idle)
    call.send(.call)
    clock.advance(by: .seconds(30))
    #expect(call.state == .missed)
  }
}

import Foundation
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import LocoMachine
@testable import TestSupport

// shown: Limitations

@MainActor
@Suite("What the engine doesn't have")
struct WhatTheEngineHasNotTests {
  @Test("a heater turns on below one temperature and off above a higher one")
  func guards() {
    let heater = MachineRunner<Heater> { _, _ in }
    let states = [20.0, 18, 20, 22, 20].map { celsius in
      report(celsius, to: heater)
      return heater.state
    }
    #expect(states == [.off, .heating, .heating, .off, .off])
  }

  @Test("stop turns a player off in each state that is on, and after a call the player returns to its earlier state")
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
    let switchboard = Switchboard()
    var jukebox: Jukebox? = Jukebox(switchboard)
    for event in [Player.Event.play, .pause, .play, .stop, .play] { jukebox?.send(event) }
    let changes = [
      "display on", "sound on", "sound off", "sound on", "sound off", "display off", "display on", "sound on",
    ]
    #expect(switchboard.log == changes)
    jukebox = nil
    #expect(switchboard.log == changes + ["sound off", "display off"], "a released runner stops its activities")
  }

  private enum PaymentAndGate: MachineExchange {
    typealias First = Payment
    typealias Second = Turnstile
    static func eventForSecond(from effect: Payment.Effect) -> Turnstile.Event? { effect == .book ? .coin : nil }
    static func eventForFirst(from effect: Turnstile.Effect) -> Payment.Event? { nil }
  }

  @Test("after a payment, the gate is unlocked, whatever its state was")
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

  @Test("a phone rings every two seconds until an answer, and misses a call at the deadline", .timeLimit(.minutes(15)))
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

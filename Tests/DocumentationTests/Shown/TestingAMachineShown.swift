import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

private actor Ledger {
  private(set) var balance = 0
  private var payment: MachineRunner<Payment>?

  func receive(_ event: Payment.Event) {
    if payment == nil { payment = MachineRunner { _, _, _ in } }
    payment?.send(event == .pay ? .pay(1) : .refund(1))
    balance += event == .pay ? 1 : -1
  }
}

@Suite("Testing a machine of your own")
struct TestingAMachineTests {
  @Test("books a payment once", arguments: StateGraph<Payment>().pairTours(includesIgnored: true))
  @MainActor func books(walk: [Payment.Event]) {
    let checkout = Checkout()
    for event in walk {
      checkout.receive(event == .pay ? .pay(5) : .refund(5))
      #expect(checkout.balance == 0 || checkout.balance == 5)
    }
  }

  @Test("shows in two events that a ledger books payments that are ignored")
  func shrinks() async {
    func fails(_ walk: [Payment.Event]) async -> Bool {
      let ledger = Ledger()
      for event in walk {
        await ledger.receive(event)
        if await ledger.balance > 1 { return true }
      }
      return false
    }
    let graph = StateGraph<Payment>()
    let walk = graph.walks(length: 100, ignoredShare: 0.5, seed: 1)[0]
    #expect(await graph.shrunk(walk, where: fails) == [.pay, .pay])
  }

  @Test("keeps its promises on all paths, but for those that turn it off")
  func promises() {
    let graph = StateGraph<TrafficLight>()
    // Each state ends.
    #expect(graph.counterexample(toAlways: { TrafficLight.deadline(in: $0) != nil }) == nil)
    // Red leads to green, unless the light is turned off and flashes.
    #expect(graph.counterexample(toEventually: .green, from: .red) == [.turnOn, .turnOff, .timeOver])
    // Red never follows green without amber or flashing in between.
    #expect(
      graph.counterexample(
        toNever: { $0.target == .green }, then: { $0.target == .red },
        without: { $0.target == .amber || $0.target == .flashing }) == nil)
  }

  @Test("is red for thirty seconds")
  func stops() {
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
    light.send(.turnOn)
    clock.advance(by: .seconds(29))
    #expect(light.state == .red && light.nextDeadline == .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(light.state == .green)
  }

  @Test("shows a cyclist green")
  @MainActor func waits() async throws {
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
    light.send(.turnOn)
    try await clock.advance(atMost: .seconds(60)) {
      while light.state != .green { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
    }
    #expect(clock.now.offset == .seconds(30))
  }

  @Test("A machine without traps gives one random walk of the full length, and one with traps gives several")
  func oneWalk() {
    #expect(StateGraph<Payment>().walks(length: 100, seed: 1).map(\.count) == [100])
    #expect(StateGraph<Order>().walks(length: 100, seed: 1).count > 10)
  }
}

import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

// shown: TestingAMachine: private actor Ledger {

@Suite("Testing a machine of your own")
struct TestingAMachineTests {
  // shown: TestingAMachine: let checkout

  // shown: TestingAMachine: func shrinks() async {

  // shown: TestingAMachine: func promises(

  // shown: TestingAMachine: func reviewed(

  // shown: TestingAMachine: func stops(

  // shown: TestingAMachine: try await clock.advance(

  @Test("A machine without traps has one random walk of the full length, and a machine with traps has several")
  func oneWalk() {
    #expect(StateGraph<Payment>().walks(length: 100, seed: 1).map(\.count) == [100])
    #expect(StateGraph<Order>().walks(length: 100, seed: 1).count > 10)
  }
}

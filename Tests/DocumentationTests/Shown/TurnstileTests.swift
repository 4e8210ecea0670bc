import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

/// The tests of a machine from its table, as in the article TestingAMachine.
@Suite("A turnstile, tested from its table")
struct TurnstileTests {
  // shown: TestingAMachine: func row(

  // shown: TestingAMachine: func tour(

  // shown: TestingAMachine: func locksAgain(

  // shown: TestingAMachine: func shrinks() throws {

  @Test("A machine's table has a row for each pair of a state and an event")
  func isComplete() throws {
    #expect(try table("turnstile").count == 4)
    #expect(try table("location").count == 96)
    #expect(try table("location").allSatisfy { $0.count == 5 })
  }
}

// shown: TestingAMachine: nonisolated private func table(

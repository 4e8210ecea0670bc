import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

/// The tests of a machine from its table, as in the article TestingAMachine.
@Suite("A turnstile, tested from its table")
struct TurnstileTests {
  // shown: TestingAMachine: func tour(

  // shown: TestingAMachine: func locksAgain(

  // shown: TestingAMachine: func shrinks() throws {
}

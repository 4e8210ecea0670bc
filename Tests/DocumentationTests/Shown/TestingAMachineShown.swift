import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import TestSupport

// shown: TestingAMachine: private actor Ledger {

// shown: TestingAMachine: func writePage(

@Suite("Testing a machine of your own")
struct TestingAMachineTests {
  // shown: TestingAMachine: let checkout

  // shown: TestingAMachine: func takesEachTransition(

  // shown: TestingAMachine: func shrinks() async {

  // shown: TestingAMachine: func promises(

  // shown: TestingAMachine: func reviewed(

  // shown: TestingAMachine: func coverage(

  @Test("The page is written, with the light's picture")
  func page() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "street-\(UUID()).html")
    defer { try? FileManager.default.removeItem(at: file) }
    try writePage(to: file, lightDrawnByGraphviz: "<svg id='light'></svg>")
    #expect(try String(contentsOf: file, encoding: .utf8).contains("<svg id='light'></svg>"))
  }

  // shown: TestingAMachine: func stops(

  // shown: TestingAMachine: try await clock.advance(

  @Test("A machine without traps has one random walk of the full length, and a machine with traps has several")
  func oneWalk() {
    #expect(StateGraph<Payment>().walks(length: 100, seed: 1).map(\.count) == [100])
    #expect(StateGraph<Order>().walks(length: 100, seed: 1).count > 10)
  }
}

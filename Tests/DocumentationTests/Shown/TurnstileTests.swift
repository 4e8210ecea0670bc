import Foundation
import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

/// How a user tests a machine of their own: the documentation shows this file's first four tests, word for word.
@Suite("A turnstile, tested from its table")
struct TurnstileTests {
  @Test("does what its table says", arguments: try table("turnstile"))
  func row(_ fields: [String]) throws {
    let state = try #require(Turnstile.State(rawValue: fields[0]))
    let event = try #require(Turnstile.Event(rawValue: fields[1]))
    let reaction = Turnstile.reaction(in: state, to: event)
    #expect(reaction.target?.rawValue ?? "" == fields[2])
    #expect(reaction.effects.map(\.description).joined(separator: " ") == fields[3])
  }

  @Test("takes each of its transitions on one tour")
  func tour() throws {
    let gate = MachineRunner<Turnstile> { _, _ in }
    for event in try #require(StateGraph<Turnstile>().tour()) {
      if case .ignored(let reason) = gate.send(event) { Issue.record("\(event) is ignored: \(reason)") }
    }
  }

  @Test("can be locked again, wherever it is", arguments: Turnstile.State.allCases)
  func locksAgain(from state: Turnstile.State) {
    #expect(StateGraph<Turnstile>().path(from: state, to: .locked) != nil)
  }

  @Test("shows in two coins that a till does not know of refunds")
  func shrinks() throws {
    // The till counts each coin, those that the gate refunds too.
    func fails(_ walk: [Turnstile.Event]) -> Bool {
      var (till, paid) = (0, 0)
      let gate = MachineRunner<Turnstile> { _, _ in }
      for event in walk {
        let outcome = gate.send(event)
        guard event == .coin else { continue }
        till += 1
        if outcome != .stayed { paid += 1 }
      }
      return till != paid
    }
    let graph = StateGraph<Turnstile>()
    let walk = try #require(graph.walks(length: 100, seed: 1).first(where: fails))
    #expect(graph.shrunk(walk, where: fails) == [.coin, .coin])
  }

  @Test("has a row for each pair in its table")
  func isComplete() throws {
    #expect(try table("turnstile").count == 4)
    #expect(try table("location").count == 96)
    #expect(try table("location").allSatisfy { $0.count == 5 })
  }
}

/// The rows of a recorded table: state, event, target, effects, reason.
nonisolated private func table(_ machine: String) throws -> [[String]] {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../StateDiagrams/\(machine).csv")
  return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
    .map { $0.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false).map(String.init) }
}

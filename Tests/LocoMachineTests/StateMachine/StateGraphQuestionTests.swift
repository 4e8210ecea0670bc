import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

/// A traffic light that a caretaker may operate manually, for as long as they want.
private enum Stuck: StateMachine {
  enum State: String, CaseIterable { case red, green, manual, off }
  enum Event: String, CaseIterable { case timeOver, take, giveBack, turnOff }
  enum Effect: String { case none }
  static let initialState = State.red

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.red, .timeOver): .go(.green, [])
    case (.green, .timeOver): .go(.off, [])
    case (.red, .take): .go(.manual, [])
    case (.green, .take): .stay([])
    case (.manual, .giveBack): .go(.green, [])
    case (_, .turnOff): .go(.off, [])
    default: .ignore("No.")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    state == .red || state == .green ? .after(.seconds(1), .timeOver) : nil
  }
}

@Suite("Questions to a graph")
struct StateGraphQuestionTests {
  private let order = StateGraph<Order>()

  @Test("counterexample(toAlways:) returns the shortest path to a state in which the condition doesn't hold")
  func always() {
    #expect(order.counterexample(toAlways: { $0 != .lost }) == nil)
    #expect(order.counterexample(toAlways: { $0 != .shipped }) == [.pay, .ship])
    #expect(order.counterexample(toAlways: { $0 != .cart }) == [])
  }

  @Test("counterexample(toEventually:) returns a path to a state where the machine may stay, or once around a loop")
  func eventually() {
    let graph = StateGraph<Stuck>()
    // The caretaker takes the light over, and never gives it back.
    #expect(graph.counterexample(toEventually: .off) == [.take])
    // A state with a deadline ends, and an internal transition doesn't postpone the end.
    #expect(graph.counterexample(toEventually: .off, from: .green) == nil)
    #expect(graph.counterexample(toEventually: .off, from: .off) == nil)
    #expect(graph.counterexample(toEventually: .green, from: .red) == [.take])
    // Each state ends, but the machine may repeat a loop.
    let light = StateGraph<TrafficLight>()
    #expect(light.counterexample(toEventually: .green, from: .red) == [.turnOn, .turnOff, .timeOver])
    #expect(
      light.counterexample(toEventually: .red, from: .amber) == [.turnOn, .timeOver, .button, .turnOff, .timeOver])
    // From an unreachable state, there is no counterexample.
    #expect(order.counterexample(toEventually: .cancelled, from: .lost) == nil)
  }

  @Test("counterexample(toNever:then:without:) returns a path with a row, a later row, and no third row between them")
  func never() {
    #expect(
      order.counterexample(toNever: { $0.event == .pay }, then: { $0.target == .cancelled }, without: { _ in false })
        == [.pay, .cancel])
    #expect(
      order.counterexample(
        toNever: { $0.event == .ship && $0.target != nil }, then: { $0.target == .cancelled }, without: { _ in false })
        == nil)
    // Turned off and on, a green light turns red without amber.
    let light = StateGraph<TrafficLight>()
    #expect(
      light.counterexample(
        toNever: { $0.target == .green }, then: { $0.target == .red }, without: { $0.target == .amber })
        == [.turnOn, .timeOver, .turnOff, .turnOn])
    #expect(
      light.counterexample(
        toNever: { $0.target == .green }, then: { $0.target == .red },
        without: { $0.target == .amber || $0.target == .flashing }) == nil)
    // A paid order ignores a cancellation only after it was shipped or cancelled.
    #expect(
      order.counterexample(
        toNever: { $0.target == .paid }, then: { $0.event == .cancel && $0.reason != nil },
        without: { $0.target == .shipped }) == [.pay, .cancel, .cancel])
    #expect(
      order.counterexample(
        toNever: { $0.target == .paid }, then: { $0.event == .cancel && $0.reason != nil },
        without: { $0.target == .shipped || $0.target == .cancelled }) == nil)
  }

  /// Returns all sequences of events up to a length, to find the answers by trial.
  private static func paths(_ length: Int) -> [[Chosen.Event]] {
    var all: [[Chosen.Event]] = [[]]
    var last = all
    for _ in 0..<length {
      last = last.flatMap { path in Chosen.Event.allCases.map { path + [$0] } }
      all += last
    }
    return all
  }

  @Test(
    "The answers are as short as those found by trying every path of up to six events",
    arguments: 0..<(isLong ? 40 : 8))
  func exact(seed: UInt64) {
    Chosen.$targets.withValue(StateGraphTests.randomTargets(seed: seed)) {
      let graph = StateGraph<Chosen>()
      func rows(_ path: [Chosen.Event]) -> [TransitionTable<Chosen>.Row] {
        let table = TransitionTable<Chosen>()
        var state = Chosen.initialState
        return path.map { event in
          defer { table.advance(&state, on: event) }
          return table.row(state, event)
        }
      }
      let paths = Self.paths(6)
      let states = paths.map { path in rows(path).last.map { $0.target ?? $0.state } ?? .a }
      let shortest = zip(paths, states).first { $1 == .d }?.0
      #expect(graph.counterexample(toAlways: { $0 != .d })?.count == shortest?.count, "seed \(seed)")
      func breaks(_ path: [Chosen.Event]) -> Bool {
        var hasBegun = false
        for row in rows(path) {
          if hasBegun, row.event == .y, row.reason == nil { return true }
          if row.event == .z { hasBegun = false }
          if row.target == .b { hasBegun = true }
        }
        return false
      }
      let answer = graph.counterexample(
        toNever: { $0.target == .b }, then: { $0.event == .y && $0.reason == nil }, without: { $0.event == .z })
      if let answer { #expect(breaks(answer), "seed \(seed)") }
      if let first = paths.first(where: breaks) { #expect(answer?.count == first.count, "seed \(seed)") }
      if answer == nil { #expect(!paths.contains(where: breaks), "seed \(seed)") }
    }
  }

  @Test("A failing walk can be shrunk with async code")
  func shrinksAsync() async {
    let graph = StateGraph<Turnstile>()
    let walk: [Turnstile.Event] = [.coin, .push, .coin, .coin, .push]
    let shrunk = await graph.shrunk(walk) { candidate in
      await Task.yield()
      return candidate.contains([.coin, .coin])
    }
    #expect(shrunk == [.coin, .coin])
  }
}

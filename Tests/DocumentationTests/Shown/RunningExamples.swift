import LocoKit
import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import TestSupport

@Suite("Examples of running a machine")
struct RunningExamples {
  private static func run() -> [String] {
    var printed: [String] = []
    func print(_ item: Any) { printed.append("\(item)") }
    // shown: MachineRunner.swift: let gate
    // shown: StateTransition.swift: for transition in gate.recentTransitions {
    return printed
  }

  @Test("A runner and its transitions print the text in the examples' comments")
  func gate() throws {
    let stated = try ["MachineRunner", "StateTransition"].flatMap { try ExamplesTests.stated(by: $0) }
    #expect(Self.run() == stated)
  }

  // shown: StateMachineListener.swift: final class Display

  @Test("A listener is called on a transition, and not on an ignored event")
  func display() {
    let display = Display()
    let gate = MachineRunner<Turnstile> { _, _ in }
    gate.listeners.add(display)
    gate.send(.push)
    #expect(display.text.isEmpty)
    gate.send(.coin)
    #expect(display.text == "unlocked")
  }

  @Test("Advancing a manual clock fires a deadline")
  func clock() {
    // shown: ManualClock.swift: let clock
  }

  private struct Client {
    let clock: ManualClock

    func connect() async throws -> String {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(2)))
      return "hello"
    }
  }

  @Test("A manual clock advances while code sleeps on it")
  @MainActor func connects() async throws {
    let clock = ManualClock()
    let client = Client(clock: clock)
    // shown: ManualClock.swift: let reply
    #expect(reply == "hello" && clock.now.offset == .seconds(2))
  }

  @Results
  private func ask() -> [String] {
    let graph = StateGraph<TrafficLight>()
    // shown: StateGraph.swift: graph.counterexample(toAlways: { TrafficLight.dead
    // shown: StateGraph.swift: graph.counterexample(toEventually: .green, from: .
    // shown: StateGraph.swift: toNever
  }

  @Test("A graph returns the counterexamples in the example's comments")
  func questions() throws {
    #expect(ask() == (try ExamplesTests.stated(by: "StateGraph/counterexample")))
  }
}

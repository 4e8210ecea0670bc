import LocoKit
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

@Suite("Examples of running a machine")
struct RunningExamples {
  private static func run() -> [String] {
    var printed: [String] = []
    func print(_ item: Any) { printed.append("\(item)") }
    let gate = MachineRunner<Turnstile> { effect, _ in
      switch effect {
      case .refund: print("Take your coin back.")
      }
    }
    gate.send(.coin)
    print(gate.state)  // unlocked
    for transition in gate.recentTransitions {
      print(transition)  // locked → unlocked (coin)
    }
    return printed
  }

  @Test("A runner and its transitions print the text in the example's comments")
  func gate() throws {
    let stated = try ["MachineRunner", "StateTransition"].flatMap { try ExamplesTests.stated(by: $0) }
    #expect(Self.run() == stated)
  }

  final class Display: StateMachineListener {
    var text = ""

    func machine(_ runner: MachineRunner<Turnstile>, didTransition transition: StateTransition<Turnstile>) {
      text = transition.to.rawValue
    }
  }

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
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
    light.send(.turnOn)
    clock.advance(by: .seconds(30))
    #expect(light.state == .green)
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
    let reply = try await clock.advance(atMost: .seconds(60)) { try await client.connect() }
    #expect(reply == "hello" && clock.now.offset == .seconds(2))
  }

  @Results
  private func ask() -> [String] {
    let graph = StateGraph<TrafficLight>()
    // Each state of the light has a deadline.
    graph.counterexample(toAlways: { TrafficLight.deadline(in: $0) != nil })  // nil
    // A red light doesn't turn green if it is turned off: it flashes for ever.
    graph.counterexample(toEventually: .green, from: .red)  // [.turnOn, .turnOff, .timeOver]
    // Turned off and on, a green light turns red without amber.
    graph.counterexample(
      toNever: { $0.target == .green }, then: { $0.target == .red },
      without: { $0.target == .amber })  // [.turnOn, .timeOver, .turnOff, .turnOn]
  }

  @Test("A graph returns the counterexamples in the example's comments")
  func questions() throws {
    #expect(ask() == (try ExamplesTests.stated(by: "StateGraph/counterexample")))
  }
}

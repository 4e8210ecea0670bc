import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Observation
import Testing

@testable import TestSupport

/// A view shows the state of a runner, and what its events would do.
@Suite("The view of a runner")
struct RunnerViewTests {
  @Test("In each state, an event is available or has the reason of the table")
  func reasons() {
    func check<Machine: StateMachine>(_ machine: Machine.Type) where Machine.Activity == Never {
      for state in Machine.State.allCases {
        let snapshot = StateSnapshot<Machine>(state: state, enteredAt: .zero)
        let runner = MachineRunner<Machine>(restoring: snapshot, clock: ManualClock()) { _, _ in }
        for event in Machine.Event.allCases {
          let reason = Machine.reaction(in: state, to: event).reason
          #expect(runner.reason(for: event) == reason, "\(machine), \(state.rawValue): \(event.rawValue)")
        }
        let available = Machine.Event.allCases.filter { Machine.reaction(in: state, to: $0).reason == nil }
        #expect(runner.availableEvents == available, "\(machine), \(state.rawValue)")
      }
    }
    check(Turnstile.self)
    check(TrafficLight.self)
    check(Nasty.self)
    check(Large.self)
  }

  @Test("A stream of states begins with the current one, and ends with the runner")
  func states() async {
    var gate: MachineRunner? = MachineRunner<Turnstile> { _, _ in }
    gate?.send(.coin)
    let streams = [gate?.states, gate?.states].compactMap { $0 }
    for event in [Turnstile.Event.coin, .push, .push, .coin] { gate?.send(event) }
    gate = nil
    for stream in streams {
      var states: [Turnstile.State] = []
      for await state in stream { states.append(state) }
      #expect(states == [.unlocked, .locked, .unlocked])
    }
  }

  @Test("A model has its runner's state and reasons, and lets go of the runner")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func model() {
    var gate: MachineRunner? = MachineRunner<Turnstile> { _, _ in }
    gate?.send(.coin)
    var model = gate.map { MachineModel($0) }
    weak let released = gate
    #expect(model?.state == .unlocked && model?.reason(for: .push) == nil)
    gate?.send(.push)
    #expect(model?.state == .locked && model?.reason(for: .push) != nil)
    #expect(model?.reason(for: .push) == "The arm is locked until a coin is paid." && model?.reason(for: .coin) == nil)
    #expect(model?.runner === gate && model?.availableEvents == [.coin])
    // The runner's listener goes with the model.
    model = nil
    #expect(gate?.listeners.count == 0)
    gate = nil
    #expect(released == nil)
  }

  #if canImport(Observation)
    @Test("A model tells an observer of a new state, and of the reasons that depend on it")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func observed() {
      let model = MachineModel(MachineRunner<Turnstile> { _, _ in })
      for look in [{ _ = model.state }, { _ = model.reason(for: .push) }, { _ = model.availableEvents }] {
        let changes = Counter()
        withObservationTracking(look) { changes.count += 1 }
        model.runner.send(model.state == .locked ? .push : .coin)
        #expect(changes.count == 0)
        model.runner.send(model.state == .locked ? .coin : .push)
        #expect(changes.count == 1)
      }
    }
  #endif

  private final class Counter: @unchecked Sendable {
    /// Changed on the test's thread only: the runner's, which calls the observer.
    var count = 0
  }

  private enum Named: StateMachine {
    enum State: String, CaseIterable { case on }
    enum Event: String, CaseIterable { case press }
    /// Has a raw value and a description.
    enum Effect: String, CustomStringConvertible {
      case beep
      var description: String { "a beep" }
    }
    struct Activity: Hashable, CustomStringConvertible {
      let description: String
    }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .stay([.beep]) }
    static func activities(in state: State) -> [Activity] { [Activity(description: "a hum")] }
  }

  private enum Own: StateMachine {
    enum State: String, CaseIterable { case on }
    enum Event: String, CaseIterable { case press }
    struct Effect: Hashable { let volume: Int }
    enum Activity: String { case hum }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .stay([Effect(volume: 3)]) }
    static func activities(in state: State) -> [Activity] { [.hum] }
    static func name(ofEffect effect: Effect) -> String { "beep(\(effect.volume))" }
  }

  @Test("An effect or activity is named by its description or, without one, its raw value, or as the machine says")
  func names() {
    #expect(Turnstile.name(ofEffect: .refund) == "refund")
    #expect(Named.name(ofEffect: .beep) == "a beep")
    #expect(Named.name(ofActivity: Named.Activity(description: "a hum")) == "a hum")
    #expect(Own.name(ofEffect: Own.Effect(volume: 3)) == "beep(3)" && Own.name(ofActivity: .hum) == "hum")
    #expect(StateDiagram<Own>().csv.contains("on,press,,beep(3),,stay"))
    #expect(StateDiagram<Own>().mermaid.contains("do / hum") && StateDiagram<Named>().mermaid.contains("do / a hum"))
  }
}

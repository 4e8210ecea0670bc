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

  #if canImport(Observation)
    @Test("A runner announces each external transition to what has read its state, and nothing else")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func transitionsAreObserved() {
      func watch<Value: Equatable & SendableMetatype>(
        _ name: String, _ read: @escaping (MachineRunner<Turnstile>) -> Value
      ) {
        let gate = MachineRunner<Turnstile> { _, _ in }
        let observed = ObservedValue(name) { read(gate) }
        var transitions = 0
        for (index, event) in [Turnstile.Event.push, .coin, .coin, .push, .push, .coin].enumerated() {
          if case .transition = gate.send(event) { transitions += 1 }
          observed.update("event \(index)")
          #expect(observed.announcements == transitions && observed.changes == transitions, "\(name), event \(index)")
        }
        #expect(transitions == 3)
      }
      watch("state") { $0.state }
      watch("availableEvents") { $0.availableEvents }
      watch("reason") { $0.reason(for: .push) }
      watch("recentTransitions") { $0.recentTransitions.count }
      watch("snapshot") { $0.snapshot.state }
    }

    @Test("A runner announces a deadline's transition, and a setting that moves the deadline")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func deadlinesAreObserved() {
      let clock = ManualClock()
      let light = MachineRunner<Timed>(clock: clock) { _, _ in }
      let state = ObservedValue("state") { light.state }
      let time = ObservedValue("timeUntilDeadline") { light.timeUntilDeadline }
      let settings = ObservedValue("settings") { light.settings }
      light.settings = ["delay": .seconds(20)]
      time.update("the setting")
      settings.update("the setting")
      #expect(time.changes == 1 && settings.changes == 1 && light.timeUntilDeadline == .seconds(20))
      clock.advance(by: .seconds(20))
      state.update("the deadline")
      time.update("the deadline")
      #expect(state.changes == 1 && time.changes == 2)
    }
  #endif

  @Test("A restored runner that has handled an event ends the state at once if a shorter setting requires it")
  func begun() {
    let clock = ManualClock()
    let snapshot = StateSnapshot<Timed>(enteredAt: clock.sinceEpoch)
    clock.advance(by: .seconds(30))
    let light = MachineRunner<Timed>(restoring: snapshot, clock: clock) { _, _ in }
    light.settings = ["delay": .seconds(50)]
    light.send(.touch)
    light.settings = ["delay": .seconds(20)]
    #expect(light.state == .off)
  }

  /// A machine with a deadline that a setting configures.
  private enum Timed: StateMachine {
    enum State: String, CaseIterable { case on, off }
    enum Event: String, CaseIterable { case timeOver, touch }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.on, .timeOver): .go(.off, [])
      case (.off, .timeOver): .never("The state off has no deadline.")
      case (.on, .touch), (.off, .touch): .stay([])
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      state == .on ? .after(.seconds(60), .timeOver, setting: "delay") : nil
    }
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

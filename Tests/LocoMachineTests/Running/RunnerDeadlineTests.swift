import Foundation
import LocoMachineTesting
import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

@Suite("Deadlines of a machine runner")
struct RunnerDeadlineTests {
  typealias Trace = MachineRunnerTests.Trace

  @Test("Deadlines expire when the clock reaches them, each counted from the previous one")
  func fire() {
    let (clock, trace) = (ManualClock(), Trace())
    let till = Trace.runner(trace, clock)
    #expect(till.timeUntilDeadline == nil)
    till.send(.charge(5))
    #expect(till.timeUntilDeadline == .seconds(30))
    clock.advance(by: .seconds(29))
    #expect(till.state == .asking && till.timeUntilDeadline == .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(till.state == .open && till.timeUntilDeadline == nil)
    #expect(trace.lines.suffix(2) == ["release - on timeOut, now open", "received asking → open (timeOut), now open"])

    let light = MachineRunner<TrafficLight>(clock: clock, isolation: nil) { _, _ in }
    light.send(.turnOn)
    clock.advance(by: .milliseconds(53_500 + 30_000 + 10_000))
    #expect(light.state == .green && light.timeUntilDeadline == .seconds(10))
    #expect(light.recentTransitions.map(\.to) == [.red, .green, .amber, .red, .green])
  }

  @Test("Entering the state again restarts its deadline, and an internal transition doesn't")
  func reentry() {
    let (clock, trace) = (ManualClock(), Trace())
    let till = Trace.runner(trace, clock)
    till.send(.charge(1))
    clock.advance(by: .seconds(20))
    till.send(.charge(2))
    #expect(till.timeUntilDeadline == .seconds(10))
    till.send(.init(.approve))
    clock.advance(by: .seconds(500))
    till.send(.charge(3))
    #expect(till.timeUntilDeadline == .seconds(600))
  }

  /// A clock whose timers are sleeping tasks, like those of the system's clocks. With `losesTimers`, the timers never fire.
  private struct TaskClock: Clock {
    let base: ManualClock
    var losesTimers = false
    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }
    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      if losesTimers { try await Task.sleep(for: .seconds(86_400)) }
      try await base.sleep(until: deadline)
    }
  }

  @Test(
    "If a timer is late or lost, the next call first handles the passed deadlines, at their own times",
    arguments: [true, false])
  func late(sends: Bool) {
    let clock = TaskClock(base: ManualClock(), losesTimers: true)
    var received: [String] = []
    let light = MachineRunner<TrafficLight>(clock: clock, isolation: nil) { effect, event in
      received.append("\(effect) on \(event)")
    }
    light.send(.turnOn)
    clock.base.advance(by: .seconds(45))
    #expect(light.state == .red && light.timeUntilDeadline == .zero)
    if sends {
      #expect(light.send(.button) == .transition(StateTransition(from: .green, event: .button, to: .amber)))
      #expect(light.timeUntilDeadline == .milliseconds(3_500))
      #expect(received == ["beep on button"])
    } else {
      light.expire(isolation: nil)
      #expect(light.state == .green && light.timeUntilDeadline == .seconds(5))
    }
  }

  @Test("A changed setting applies to the current deadline immediately")
  func settings() {
    let (clock, trace) = (ManualClock(), Trace())
    let till = Trace.runner(trace, clock)
    till.settings["patience"] = .seconds(10)
    till.send(.charge(5))
    #expect(till.timeUntilDeadline == .seconds(10))
    clock.advance(by: .seconds(8))
    till.settings["patience"] = .seconds(5)
    #expect(till.state == .open)
    // A deadline that passes because of a shorter setting passes now, so the next one counts from the change.
    var ends: [Duration] = []
    let retry = MachineRunner<Retry>(clock: clock, isolation: nil) { _, _ in ends.append(clock.now.offset) }
    clock.advance(by: .seconds(10))
    retry.expire(isolation: nil)
    clock.advance(by: .seconds(10))
    retry.settings["interval"] = .seconds(5)
    #expect(ends == [.seconds(28)] && retry.timeUntilDeadline == .seconds(5))
    let new = MachineRunner<Retry>(clock: clock, isolation: nil) { _, _ in ends.append(clock.now.offset) }
    clock.advance(by: .seconds(12))
    new.settings["interval"] = .seconds(5)
    #expect(new.timeUntilDeadline == .seconds(5))
    // A program changes settings after it restores a machine, so they also apply to the time before the restoration.
    let snapshot = MachineRunner<Retry>(clock: clock, isolation: nil) { _, _ in }.snapshot
    clock.advance(by: .seconds(12))
    let restored = MachineRunner<Retry>(restoring: snapshot, clock: clock, isolation: nil) { _, _ in }
    restored.settings["interval"] = .seconds(5)
    #expect(restored.timeUntilDeadline == .zero)
    restored.expire(isolation: nil)
    #expect(restored.timeUntilDeadline == .seconds(3))
    restored.settings["interval"] = .seconds(1)
    #expect(restored.timeUntilDeadline == .seconds(1), "it has begun")
  }

  private enum Steps: StateMachine {
    enum State: String, CaseIterable { case first, second, last }
    enum Event: String, CaseIterable { case timeOver }
    static let initialState = State.first
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch state {
      case .first: .go(.second, [])
      case .second: .go(.last, [])
      case .last: .ignore("It was the last step.")
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      switch state {
      case .first: .after(.seconds(20), .timeOver, setting: "first")
      case .second: .after(.seconds(5), .timeOver, setting: "second")
      case .last: nil
      }
    }
  }

  @Test("Settings that are assigned one by one after a restoration apply together to the time before it")
  func settingsOneByOne() {
    let clock = ManualClock()
    let snapshot = MachineRunner<Steps>(clock: clock, isolation: nil) { _, _ in }.snapshot
    clock.advance(by: .seconds(30))
    let runner = MachineRunner<Steps>(restoring: snapshot, clock: clock, isolation: nil) { _, _ in }
    runner.settings["second"] = .seconds(8)
    runner.settings["first"] = .seconds(60)
    #expect(runner.state == .first && runner.timeUntilDeadline == .seconds(30))
    clock.advance(by: .seconds(29))
    #expect(runner.state == .first)
    clock.advance(by: .seconds(1))
    #expect(runner.state == .second && runner.timeUntilDeadline == .seconds(8))
  }

  private enum Retry: StateMachine {
    enum State: String, CaseIterable { case waiting }
    enum Event: String, CaseIterable { case timeOver }
    enum Effect: String { case retry }
    static let initialState = State.waiting
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .go(.waiting, [.retry]) }
    static func deadline(in state: State) -> Deadline<Self>? { .after(.seconds(30), .timeOver, setting: "interval") }
  }

  #if os(Linux) || os(macOS)
    @Test(
      "A setting that the machine doesn't have, or that is out of range, stops the program",
      arguments: [
        ("patienec", 5.0, "no setting \"patienec\". Its settings are: patience."), ("patience", 0, "not 0.0 seconds"),
      ])
    func wrongSetting(name: String, seconds: Double, message: String) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name, seconds] in
        Trace.runner(Trace()).settings[name] = .seconds(seconds)
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains(message), "\(text)")
    }
  #endif

  // MARK: - Restoring

  @Test(
    "The deadlines of a restored machine include the time away, unless the wall clock was set back too far",
    arguments: [
      (Duration.seconds(0), Duration.seconds(0), "asking", Duration.seconds(20)),
      (.seconds(5), .seconds(0), "asking", .seconds(15)), (.seconds(20), .seconds(0), "open", nil),
      (.seconds(86_400), .seconds(0), "open", nil),
      // If the wall clock shows a time before the state was entered, the time in the state starts at zero.
      (.seconds(5), .seconds(-1_000_000), "asking", .seconds(30)), (.seconds(5), .seconds(1_000), "open", nil),
    ] as [(Duration, Duration, String, Duration?)])
  func restored(away: Duration, set: Duration, state: String, next: Duration?) throws {
    let clock = ManualClock()
    let till = Trace.runner(Trace(), clock)
    till.send(.charge(5))
    clock.advance(by: .seconds(10))
    let saved = try JSONEncoder().encode(till.snapshot)
    clock.advance(by: away)
    clock.adjustDate(by: set)
    let snapshot = try JSONDecoder().decode(StateSnapshot<Till>.self, from: saved)
    let trace = Trace()
    let again = Trace.runner(trace, clock, snapshot)
    #expect(trace.lines.isEmpty, "creating the runner performs no effects")
    again.expire(isolation: nil)
    #expect(again.state.rawValue == state)
    let rest = again.timeUntilDeadline
    #expect(rest.map { abs(($0 - (next ?? .zero)).inSeconds) < 1e-3 } ?? (next == nil))
  }

  @Test("After a very long time away, a thousand deadlines are handled, and the next one counts from now")
  func away() {
    let clock = ManualClock()
    var count = 0
    let snapshot = StateSnapshot<TrafficLight>(state: .flashing, enteredAt: .zero)
    let light = MachineRunner(restoring: snapshot, clock: clock, isolation: nil) { _, _ in count += 1 }
    light.expire(isolation: nil)
    #expect(count == 1_000 && light.timeUntilDeadline == .milliseconds(500))
  }

  @Test("A thousand missed deadlines that are each answered with an event aren't an endless exchange")
  func answered() {
    var (lamps, answers) = (0, 0)
    let snapshot = StateSnapshot<TrafficLight>(state: .flashing, enteredAt: .zero)
    var runner: MachineRunner<TrafficLight>?
    let light = MachineRunner(restoring: snapshot, clock: ManualClock(), isolation: nil) {
      (effect: TrafficLight.Effect, _) in
      if effect == .toggleLamp { lamps += 1 }
      answers += 1
      if lamps == 1_000 || answers > 1_000 { runner?.send(.turnOff) } else { runner?.send(.button) }
    }
    runner = light
    light.expire(isolation: nil)
    #expect(lamps == 1_000)
    runner = nil
  }

  /// A machine with a state that it no longer lists.
  private enum Hidden: StateMachine {
    enum State: String, CaseIterable {
      case open, retired
      static let allCases: [State] = [.open]
    }
    enum Event: String, CaseIterable { case wait }
    static let initialState = State.open
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> { .ignore("Nothing happens.") }
  }

  @Test("A snapshot of a state that the machine doesn't list isn't decoded, nor is a transition to it")
  func codingUnlisted() throws {
    func check<Value: Codable>(_ value: Value) throws {
      let data = try JSONEncoder().encode(value)
      let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Value.self, from: data) }
      #expect(error.map { "\($0)" }?.contains("has no \"retired\". It has open.") == true)
    }
    try check(StateSnapshot<Hidden>(state: .retired, enteredAt: .zero))
    try check(StateTransition<Hidden>(from: .open, event: .wait, to: .retired))
  }

  @Test("A snapshot encodes the state's name, and the error about an unknown name contains the name")
  func coding() throws {
    let snapshot = StateSnapshot<Till>(state: .paid, enteredAt: .seconds(1_750_000_000) + .nanoseconds(3))
    let data = try JSONEncoder().encode(snapshot)
    #expect(try JSONDecoder().decode(StateSnapshot<Till>.self, from: data) == snapshot)
    let other = Data(String(decoding: data, as: UTF8.self).replacing("paid", with: "captured").utf8)
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(StateSnapshot<Till>.self, from: other) }
    #expect(
      error.map { "\($0)" }?.contains("has no \"captured\". It has open, asking, paid, closed.") == true)
  }

  @Test(
    "A snapshot with a time out of range isn't decoded, and one with a time in the range is restored",
    arguments: [
      ("[-9223372036854775808,0]", false), ("[9223372036854775807,18446744073709551615]", false),
      ("[17108000000,0]", false), ("[-17108000000,0]", false), ("[17107000000,0]", true), ("[-17107000000,0]", true),
      ("[0,0]", true),
    ])
  func extremes(time: String, isRestored: Bool) throws {
    let data = Data(#"{"state":"flashing","enteredAt":\#(time)}"#.utf8)
    guard isRestored else {
      let error = #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(StateSnapshot<TrafficLight>.self, from: data)
      }
      #expect(error.map { "\($0)" }?.contains("more than ten thousand years from zero") == true)
      return
    }
    let snapshot = try JSONDecoder().decode(StateSnapshot<TrafficLight>.self, from: data)
    let light = MachineRunner(restoring: snapshot, clock: ManualClock(), isolation: nil) { _, _ in }
    light.send(.turnOn)
    #expect(light.state == .red && light.timeUntilDeadline == .seconds(30))
  }

  @Test("A transition of each machine is coded by its names, and a name that the machine doesn't have is refused")
  func transitions() throws {
    let transition = StateTransition<Till>(from: .open, event: .charge, to: .asking)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(transition), as: UTF8.self)
    #expect(text == #"{"event":"charge","from":"open","to":"asking"}"#)
    func decode(_ text: String) throws -> StateTransition<Till> {
      try JSONDecoder().decode(StateTransition<Till>.self, from: Data(text.utf8))
    }
    #expect(try decode(text) == transition)
    for name in ["charge", "open", "asking"] {
      let error = #expect(throws: DecodingError.self) { try decode(text.replacing(name, with: "lost")) }
      #expect(error.map { "\($0)" }?.contains("The machine Till has no \"lost\".") == true)
    }
  }

  @Test("A snapshot keeps the settings, and refuses one out of range; one that the machine has lost is dropped")
  func storedSettings() throws {
    let till = Trace.runner(Trace())
    till.settings["patience"] = .seconds(60)
    till.send(.charge(5))
    let saved = try JSONEncoder().encode(till.snapshot)
    let restored = try JSONDecoder().decode(StateSnapshot<Till>.self, from: saved)
    #expect(restored == till.snapshot && restored.settings == ["patience": .seconds(60)])
    let again = Trace.runner(Trace(), ManualClock(), restored)
    #expect(again.timeUntilDeadline.map { $0 > .seconds(59) && $0 <= .seconds(60) } == true)
    #expect(again.settings == ["patience": .seconds(60)])
    let text = String(decoding: saved, as: UTF8.self)
    let lost = try JSONDecoder().decode(
      StateSnapshot<Till>.self, from: Data(text.replacing("patience", with: "haste").utf8))
    #expect(lost.settings.isEmpty && lost.state == .asking)
    let lostAndWrong = try JSONDecoder().decode(
      StateSnapshot<Till>.self,
      from: Data(#"{"state":"asking","enteredAt":[0,0],"settings":{"haste":[0,0]}}"#.utf8))
    #expect(lostAndWrong.settings.isEmpty)
    for wrong in ["[0,0]", "[-1,0]", "[3155760001,0]"] {
      let error = #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(
          StateSnapshot<Till>.self,
          from: Data(#"{"state":"asking","enteredAt":[0,0],"settings":{"patience":\#(wrong)}}"#.utf8))
      }
      #expect(error.map { "\($0)" }?.contains("The setting \"patience\" must be more than zero") == true)
    }
  }

  @Test("A snapshot with a state's earlier name is decoded if the state's type accepts the name")
  func renamedState() throws {
    let saved = Data(#"{"state":"opened","enteredAt":[0,0]}"#.utf8)
    #expect(try JSONDecoder().decode(StateSnapshot<Shutter>.self, from: saved).state == .open)
  }

  private enum Shutter: StateMachine {
    enum State: String, CaseIterable {
      case open, shut

      init?(rawValue: String) {
        switch rawValue {
        case "open", "opened": self = .open
        case "shut": self = .shut
        default: return nil
        }
      }
    }
    enum Event: String, CaseIterable { case push }
    static let initialState = State.open
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      .go(state == .open ? .shut : .open, [])
    }
  }

  // MARK: - Timers of an owner

  @Test("Deadlines expire automatically on the main actor")
  @MainActor func mainActor() async throws {
    let clock = ManualClock()
    var states: [TrafficLight.State] = []
    let light = MachineRunner<TrafficLight>(clock: TaskClock(base: clock)) { _, _ in MainActor.assertIsolated() }
    light.send(.turnOn)
    try await clock.advance(atMost: .seconds(100)) {
      for await transition in light.transitions.prefix(3) { states.append(transition.to) }
    }
    #expect(states == [.green, .amber, .red] && clock.now.offset == .milliseconds(53_500))
    light.send(.turnOff)
    #expect(light.state == .flashing)
  }

  @Test("Deadlines expire on an actor, even if the runner is a property's initial value")
  func actor() async throws {
    let crossing = Crossing()
    try await crossing.run()
  }

  @Test("A wait for a state starts the timer of a runner that is a property's initial value", .timeLimit(.minutes(1)))
  @MainActor func lazyTimer() async throws {
    let lamp = Lamp()
    try await lamp.clock.advance(atMost: .seconds(10)) { try await lamp.wait() }
    #expect(lamp.clock.now.offset > .zero && lamp.clock.now.offset <= .milliseconds(500))
  }

  @MainActor private final class Lamp {
    let clock = ManualClock()
    private lazy var light = MachineRunner<TrafficLight>(
      restoring: StateSnapshot(state: .amber, enteredAt: WallClock.sinceEpoch - .seconds(3)),
      clock: TaskClock(base: clock)
    ) { _, _ in }

    func wait() async throws { try await light.state { $0 == .red } }
  }

  private actor Crossing {
    static let clock = ManualClock()
    private let light = MachineRunner<TrafficLight>(clock: TaskClock(base: Crossing.clock)) { _, _ in }

    func begin() { light.send(.turnOn) }

    func run() async throws {
      light.send(.turnOn)
      try await Self.clock.advance(atMost: .seconds(40)) {
        for await _ in self.light.transitions.prefix(1) {}
      }
      #expect(light.state == .green && Self.clock.now.offset == .seconds(30))
    }
  }

  @Test("A deadline that a setting shortens fires at its new time")
  @MainActor func shortened() async throws {
    let clock = ManualClock()
    let till = MachineRunner<Till>(clock: TaskClock(base: clock)) { _, _ in }
    till.send(.charge(1))
    till.settings["patience"] = .seconds(10)
    try await clock.advance(atMost: .seconds(100)) {
      for await transition in till.transitions where transition.to == .open { break }
    }
    #expect(clock.now.offset == .seconds(10))
  }

  @Test("A background task can release a runner whose timer fires at the same time")
  @MainActor func releasedElsewhere() async {
    for _ in 0..<200 {
      let owner = Locked<Blinking?>(Blinking())
      await Task.detached { owner.change { $0 = nil } }.value
    }
  }

  @MainActor private final class Blinking {
    enum Fast: StateMachine {
      enum State: String, CaseIterable { case on }
      enum Event: String, CaseIterable { case timeOver }
      enum Effect: String { case blink }
      static let initialState = State.on
      static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .go(.on, [.blink]) }
      static func deadline(in state: State) -> Deadline<Self>? { .after(.microseconds(20), .timeOver) }
    }
    let runner = MachineRunner<Fast> { _, _ in MainActor.assertIsolated() }
    init() { runner.expire() }
  }

  @Test("A deadline doesn't retain the actor that owns its runner")
  func leaks() async {
    weak var crossing: Crossing?
    do {
      let owner = Crossing()
      await owner.begin()
      crossing = owner
    }
    #expect(crossing == nil)
  }

  @Test("Passing the deadline of a released runner does no harm")
  func gone() {
    let clock = ManualClock()
    var till: MachineRunner<Till>? = Trace.runner(Trace(), clock)
    till?.send(.charge(1))
    weak var released: MachineRunner<Till>?
    released = till
    till = nil
    #expect(released == nil)
    clock.advance(by: .seconds(3_600))
    #expect(clock.nextEvent == nil)
  }
}

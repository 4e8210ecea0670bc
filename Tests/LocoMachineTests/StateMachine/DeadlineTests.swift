import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("Deadlines")
struct DeadlineTests {
  private typealias Light = MachineInstance<TrafficLight>

  private static func light(_ state: TrafficLight.State, since enteredAt: Duration) -> Light {
    Light(restoring: StateSnapshot(state: state, enteredAt: enteredAt))
  }

  @Test("A diagram shows the setting of a deadline with its default, and a setting overrides the duration")
  func setting() {
    let fixed = Deadline<Lift>.after(.seconds(10), .down)
    let configured = Deadline<Lift>.after(.seconds(10), .down, setting: "patience")
    #expect(fixed.setting == nil && fixed.duration(setting: .seconds(3)) == .seconds(10))
    #expect(configured.setting == "patience" && configured.duration(setting: .seconds(3)) == .seconds(3))
    #expect(fixed != configured)
    let drawn = StateDiagram<LocationMachine>()
    let limit = LocationMachine.promptTimeLimit.components.seconds
    for text in [drawn.mermaid, drawn.dot, drawn.plantUML, drawn.markdown] {
      #expect(text.contains("promptExpired after promptTimeLimit, \(limit) s"))
    }
    #expect(drawn.scxml.contains("delay=\"\(limit)s\"/> <!-- the default of promptTimeLimit -->"))
  }

  @Test(
    "A deadline raises its event after its duration in the state, and not before",
    arguments: TrafficLight.State.allCases)
  func give(_ state: TrafficLight.State) throws {
    let deadline = try #require(TrafficLight.deadline(in: state))
    let entered = Duration.seconds(7)
    var light = Self.light(state, since: entered)
    let due = try #require(light.deadline)
    #expect(due == entered + deadline.duration)
    let early = light.expire(at: due - .nanoseconds(1))
    #expect(early == nil)
    #expect(light == Self.light(state, since: entered))
    let expired = light.expire(at: due)
    let step = try #require(expired)
    let reaction = TrafficLight.reaction(in: state, to: deadline.input)
    let target = try #require(reaction.target)
    #expect(step.input == deadline.input && Array(step.effects) == reaction.effects)
    #expect(step.outcome == .transition(StateTransition(from: state, event: deadline.input, to: target)))
    #expect(light == Self.light(target, since: due))
  }

  static let rounded: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(60), 60), (.nanoseconds(-60), -60), (.seconds(2), 2_000_000_000),
    (.seconds(-2), -2_000_000_000), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
    (Duration(secondsComponent: 0, attosecondsComponent: -1), 0),
    (Duration(secondsComponent: -1, attosecondsComponent: -1_000_000_001), -1_000_000_001),
  ]

  @Test("Durations are rounded up to whole nanoseconds", arguments: rounded)
  func round(duration: Duration, nanoseconds: Int64) {
    #expect(duration.inNanoseconds == nanoseconds)
  }

  @Test("A deadline counts from the entry of a state, and internal transitions and ignored events don't change it")
  func count() {
    for (state, event, isEntered) in [
      (TrafficLight.State.flashing, TrafficLight.Event.timeOver, true), (.flashing, .button, false),
      (.red, .button, false), (.red, .turnOn, false), (.green, .button, true), (.amber, .button, false),
      (.amber, .turnOff, true),
    ] {
      var light = Self.light(state, since: .seconds(1))
      light.send(event, at: .seconds(2))
      #expect(light.enteredAt == (isEntered ? .seconds(2) : .seconds(1)), "\(state), \(event)")
      #expect(light.state == TrafficLight.reaction(in: state, to: event).target ?? state)
    }
  }

  @Test("Deadlines that passed during a suspension take effect one by one, each counted from the previous one")
  func areOwed() {
    var light = Self.light(.green, since: .zero)
    var states: [TrafficLight.State] = []
    while light.expire(at: .seconds(75)) != nil { states.append(light.state) }
    #expect(states == [.amber, .red, .green, .amber])
    #expect(light == Self.light(.amber, since: .milliseconds(73_500)))
  }

  /// Returns the steps of a light that handles events at their times. Deadlines that have passed take effect at each event and at
  /// each of `looks`.
  private func run(
    _ events: [(time: Duration, event: TrafficLight.Event)], from start: Light, looks: [Duration], restores: Bool
  ) -> [String] {
    var light = start
    var log: [String] = []
    func note(_ step: Light.Step) {
      log.append("\(light.state) \(step.effects.map(\.rawValue)) since \(light.enteredAt)")
    }
    var events = events[...]
    for time in (looks + events.map(\.time)).sorted() {
      if restores { light = Light(restoring: light.snapshot) }
      while let step = light.expire(at: time) { note(step) }
      while let next = events.first, next.time <= time {
        events.removeFirst()
        note(light.send(next.event, at: next.time))
      }
    }
    return log
  }

  @Test(
    "Deadlines have the same result however often they are checked, and after a restore too",
    arguments: 0..<100)
  func sameHoweverOften(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func times(_ count: Int) -> [Duration] {
      (0..<count).map { _ in .milliseconds(Int.random(in: 0...200_000, using: &random)) }.sorted()
    }
    let events = times(12).map { ($0, TrafficLight.Event.allCases.randomElement(using: &random) ?? .button) }
    let state = TrafficLight.State.allCases.randomElement(using: &random) ?? .red
    let start = Self.light(state, since: .zero)
    let end = [Duration.seconds(300)]
    let log = run(events, from: start, looks: end, restores: false)
    #expect(log.count > 12)
    #expect(run(events, from: start, looks: times(300) + end, restores: false) == log)
    #expect(run(events, from: start, looks: times(30) + end, restores: true) == log)
  }

  @Test("A machine without deadlines has none due")
  func none() {
    let table = TransitionTable<Turnstile>()
    #expect(!table.hasDeadlines)
    var gate = MachineInstance<Turnstile>()
    #expect(gate.state == .locked)
    #expect(gate.deadline == nil)
    #expect(table.deadline(in: .locked) == nil)
    let late = gate.expire(at: .seconds(1_000_000))
    #expect(late == nil)
    #expect(gate.reason(for: .coin) == nil && gate.reason(for: .push)?.hasPrefix("The arm is locked") == true)
    gate.send(.coin, at: .seconds(3))
    #expect(gate.snapshot == StateSnapshot(state: .unlocked, enteredAt: .seconds(3)))
    #expect(gate.reason(for: .push) == nil)
  }

  @Test("Deadlines work for states that aren't an enumeration")
  func lookedUp() {
    let table = TransitionTable<Lift>()
    #expect(Lift.State.allCases.map { table.deadline(in: $0)?.input } == [.down, .down, nil])
    var lift = MachineInstance<Lift>(restoring: StateSnapshot(state: .init(floor: 2), enteredAt: .zero))
    while lift.expire(at: .seconds(60)) != nil {}
    #expect(lift.snapshot == StateSnapshot(state: .init(floor: 0), enteredAt: .seconds(25)))
  }

  @Test(
    "Durations are written in seconds, or in milliseconds rounded up",
    arguments: [
      (Duration.seconds(15), "15 s"), (.milliseconds(500), "500 ms"), (.milliseconds(3_500), "3500 ms"),
      (.microseconds(1), "1 ms"), (Duration(secondsComponent: 1, attosecondsComponent: 1), "1001 ms"),
      (.nanoseconds(1_000_001), "2 ms"), (.seconds(86_400), "86400 s"),
      (.century, "3155760000 s"), (.century - .nanoseconds(1), "3155760000000 ms"),
    ])
  func written(_ duration: Duration, _ text: String) {
    #expect(duration.inUnits(separatedBy: " ") == text)
    #expect(duration.inUnits(separatedBy: "") == text.split(separator: " ").joined())
  }

  @Test("The pictures, the Markdown tables and SCXML show a deadline beside its event")
  func drawn() {
    let diagram = StateDiagram<TrafficLight>()
    #expect(
      diagram.mermaid == """
        stateDiagram-v2
          state "flashing" as s0
          state "red" as s1
          s1 : button / beep
          state "green" as s2
          state "amber" as s3
          s3 : button / beep
          [*] --> s0
          s0 --> s1 : turnOn
          s0 --> s0 : timeOver after 500 ms / toggleLamp
          s1 --> s0 : turnOff
          s1 --> s2 : timeOver after 30 s
          s2 --> s0 : turnOff
          s2 --> s3 : button / beep<br/>timeOver after 20 s
          s3 --> s0 : turnOff
          s3 --> s1 : timeOver after 3500 ms

        """)
    #expect(diagram.dot.contains(#"  s0 -> s0 [label="timeOver after 500 ms\l/ toggleLamp\l"]"#))
    #expect(diagram.plantUML.contains("s1 --> s2 : timeOver after 30 s\n"))
    #expect(diagram.markdown.contains("| amber | timeOver after 3500 ms | red |  |\n"))
    #expect(diagram.csv.contains("amber,timeOver,red,,,go\n"))
    #expect(
      diagram.scxml.contains(
        """
          <state id="amber">
            <onentry>
              <send event="timeOver" id="deadline.amber" delay="3500ms"/>
            </onentry>
            <onexit>
              <cancel sendid="deadline.amber"/>
            </onexit>

        """))
    #expect(!StateDiagram<Turnstile>().scxml.contains("onentry"))
  }

  #if os(Linux) || os(macOS)
    @Test("An invalid deadline stops the program")
    func refused() async {
      await #expect(processExitsWith: .failure) { _ = Deadline<Lift>.after(.zero, .down) }
      await #expect(processExitsWith: .failure) { _ = Deadline<Lift>.after(.century + .nanoseconds(1), .down) }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Wrong<Ignored>>() }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Wrong<Internal>>() }
    }
  #endif
}

private protocol Mistake {
  static var event: Mistaken { get }
}

private enum Mistaken: String, CaseIterable { case ignored, stays }

private enum Ignored: Mistake { static let event = Mistaken.ignored }
private enum Internal: Mistake { static let event = Mistaken.stays }

/// A machine whose deadline's event is ignored, or causes an internal transition.
private enum Wrong<Of: Mistake>: StateMachine {
  enum State: String, CaseIterable { case only }
  enum Effect: String { case happens }
  static var initialState: State { .only }

  static func reaction(in state: State, to event: Mistaken) -> Reaction<State, Effect> {
    switch event {
    case .ignored: .ignore("It does nothing.")
    case .stays: .stay([.happens])
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? { .after(.seconds(1), Of.event) }
}

import Foundation
import LocoMachineTesting
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// Tests of runners whose timers fire late or never.
@Suite("A late runner")
struct LateRunnerTests {
  /// A machine whose reactions, deadlines and activities are drawn from a seed.
  private enum Drawn: StateMachine {
    enum State: String, CaseIterable { case a, b, c, d, e }
    enum Event: String, CaseIterable { case one, two, three, four }
    enum Effect: String, CaseIterable { case ring, blink }
    enum Activity: String { case hum }
    static let initialState = State.a

    struct Rules {
      var reactions: [State: [Event: Reaction<State, Effect>]] = [:]
      var deadlines: [State: Deadline<Drawn>] = [:]
      var humming: Set<State> = []

      init(_ random: inout SeededGenerator) {
        let hums = random.draw(2) == 0
        for state in State.allCases {
          if hums, random.draw(3) > 0 { humming.insert(state) }
          for event in Event.allCases { reactions[state, default: [:]][event] = Self.reaction(&random) }
          guard random.draw(3) > 0, let event = Event.allCases.randomElement(using: &random) else { continue }
          let duration = Duration.milliseconds(500 * (1 + random.draw(8)))
          deadlines[state] = .after(duration, event, setting: random.draw(2) == 0 ? "pause" : nil)
          reactions[state]?[event] = .go(State.allCases[random.draw(5)], Self.effects(&random))
        }
      }

      private static func reaction(_ random: inout SeededGenerator) -> Reaction<State, Effect> {
        switch random.draw(4) {
        case 0: .ignore("Drawn.")
        case 1: .stay(effects(&random))
        default: .go(State.allCases[random.draw(5)], effects(&random))
        }
      }

      private static func effects(_ random: inout SeededGenerator) -> [Effect] {
        (0..<random.draw(3)).map { _ in Effect.allCases[random.draw(2)] }
      }
    }

    @TaskLocal static var rules: Rules?

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      rules?.reactions[state]?[event] ?? .ignore("No rules.")
    }
    static func deadline(in state: State) -> Deadline<Self>? { rules?.deadlines[state] }
    static func activities(in state: State) -> [Activity] { rules?.humming.contains(state) == true ? [.hum] : [] }
  }

  private enum Input {
    case event(Drawn.Event)
    case pause(Duration)
    /// The end of the activity's task.
    case end(Drawn.Event?)
  }

  /// What an app, its effects and its listeners send and set, drawn from a seed.
  private struct Script {
    let rules: Drawn.Rules
    var inputs: [(time: Duration, input: Input)] = []
    /// What effects and listeners send and set, by the number of the log line after which they do it.
    var answers: [Int: [Input]] = [:]

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      rules = Drawn.Rules(&random)
      var time = Duration.zero
      for _ in 0..<8 {
        time += .milliseconds([0, 250, 500, 3_000, 20_000][random.draw(5)])
        let event = Drawn.Event.allCases[random.draw(4)]
        let input: Input =
          switch random.draw(6) {
          case 0: .end(event)
          case 1: .end(nil)
          case 2: pause(&random)
          default: .event(event)
          }
        inputs.append((time, input))
      }
      for line in 0..<400 where random.draw(4) == 0 {
        answers[line] = (0...random.draw(2)).map { _ in
          random.draw(6) == 0 ? pause(&random) : .event(Drawn.Event.allCases[random.draw(4)])
        }
      }
    }

    private func pause(_ random: inout SeededGenerator) -> Input {
      let hasSetting = rules.deadlines.values.contains { $0.setting != nil }
      return hasSetting ? .pause(.milliseconds(500 * (1 + random.draw(20)))) : .event(.one)
    }
  }

  private final class Player: StateMachineListener {
    let script: Script
    var log: [String] = []
    /// The numbers of the runs whose tasks have ended.
    private(set) var ended: [Int] = []
    weak var runner: MachineRunner<Drawn>?
    private var clock = ManualClock()
    private var isRunning = false
    /// The number of the last run that started.
    private var run = 0
    /// The log line of the first state with an activity that the runner entered late. Before this line,
    /// a late runner does the same as one on time.
    private(set) var firstLateEntry = Int.max

    init(_ script: Script) { self.script = script }

    /// Notes a start that mustn't happen: of an activity that runs, unless its task has ended, or in a state that is over.
    private func started() {
      if isRunning, !ended.contains(run) { log.append("started twice") }
      if let runner, runner.timeUntilDeadline == .zero { log.append("started in a state that is over") }
      (isRunning, run) = (true, runner?.driver.core.runs.first ?? 1)
    }

    /// Runs the script, and returns the log: the effects, the calls of the listener, the result of each input, the final state, and whether
    /// the activity runs at the end.
    ///
    /// - Parameter onTime: The player whose runner is on time; `nil` if it is this one. The runs end that end there.
    func run(late onTime: Player? = nil) -> [String] {
      Drawn.$rules.withValue(script.rules) { play(late: onTime) }
    }

    private func play(late onTime: Player?) -> [String] {
      let clock = ManualClock()
      self.clock = clock
      let perform = { [unowned self] (effect: Drawn.Effect, event: Drawn.Event) in
        note("\(effect) on \(event)")
      }
      let hum = { [unowned self] (_: Drawn.Activity) in
        MachineRunner<Drawn>.Work.closures(
          start: { [unowned self] in started() },
          stop: { [unowned self] in
            if !isRunning { log.append("stopped twice") }
            isRunning = false
          })
      }
      let runner =
        onTime != nil
        ? MachineRunner<Drawn>(clock: StoppedTimers(base: clock), isolation: nil, perform: perform, activities: hum)
        : MachineRunner<Drawn>(clock: clock, isolation: nil, perform: perform, activities: hum)
      self.runner = runner
      runner.listeners.add(self)
      for input in script.inputs {
        clock.advance(by: input.time - clock.now.offset)
        switch input.input {
        case .event(let event):
          let outcome = runner.send(event, isolation: nil)
          log.append("\(event) at \(input.time): \(outcome, default: "queued")")
        case .pause(let pause): runner.settings["pause"] = pause
        case .end(let event):
          let number = onTime?.ended[ended.count] ?? runner.driver.core.runs.first ?? 0
          ended.append(number)
          if number > 0 { runner.handle(.end(.init(activity: 0, number: number), with: event)) }
        }
      }
      clock.advance(by: .seconds(7))
      runner.expire(isolation: nil)
      return log + [
        "\(runner.state), entered at \(runner.driver.core.instance.enteredAt), \(isRunning ? "with" : "without") activity"
      ]
    }

    func machine(_ runner: MachineRunner<Drawn>, didTransition transition: StateTransition<Drawn>) {
      if script.rules.humming.contains(transition.to) {
        if !isRunning { log.append("entered without its activity") }
        if runner.driver.core.lateTime == clock.now.offset { firstLateEntry = min(firstLateEntry, log.count) }
      }
      note("\(transition)")
    }
    func machine(_ runner: MachineRunner<Drawn>, didIgnore event: Drawn.Event, because reason: String) {
      note("ignored \(event)")
    }

    private func note(_ line: String) {
      let number = log.count
      log.append(line)
      for answer in script.answers[number] ?? [] {
        switch answer {
        case .event(let event): runner?.send(event, isolation: nil)
        case .pause(let pause):
          runner?.settings["pause"] = pause
          if let runner, runner.settings["pause"] != pause { log.append("the new setting reads back old") }
        case .end: break
        }
      }
    }
  }

  @Test(
    "A late runner does the same as one on time, until it enters a state with activities whose deadline has passed",
    arguments: 0..<4)
  func same(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 500)) { Self.difference($0) }
  }

  private static let mistakes: Set = [
    "started twice", "stopped twice", "started in a state that is over", "the new setting reads back old",
    "entered without its activity",
  ]

  private static func difference(_ seed: UInt64) -> [String] {
    let player = Player(Script(seed: seed))
    let onTime = player.run()
    let latePlayer = Player(Script(seed: seed))
    let late = latePlayer.run(late: player)
    let mistakes = (onTime + late).filter(mistakes.contains)
    if !mistakes.isEmpty { return mistakes }
    let end = min(latePlayer.firstLateEntry, max(onTime.count, late.count))
    guard let line = (0..<end).first(where: { onTime.at($0) != late.at($0) }) else { return [] }
    return ["line \(line) is \(late.at(line) ?? "missing") instead of \(onTime.at(line) ?? "nothing")"]
  }

  // MARK: - Limited attempts

  private enum Retry: StateMachine {
    enum State: String, CaseIterable { case trying, failed }
    enum Event: String, CaseIterable { case timeOver, giveUp }
    enum Effect: String { case count }
    static let initialState = State.trying

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.trying, .timeOver): .go(.trying, [.count])
      case (.trying, .giveUp): .go(.failed, [])
      case (.failed, _): .ignore("It has failed.")
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      state == .trying ? .after(.milliseconds(100), .timeOver) : nil
    }
  }

  @Test(
    "An effect gives up after the third attempt, however late the timer is, and after a restart too",
    arguments: [Duration.milliseconds(350), .seconds(1), .seconds(3_600)], [false, true])
  func attempts(late: Duration, isRestored: Bool) {
    let clock = ManualClock()
    var attempts = 0
    var runner: MachineRunner<Retry>?
    let count = { (_: Retry.Effect, _: Retry.Event) in
      attempts += 1
      if attempts == 3 { runner?.send(.giveUp, isolation: nil) }
    }
    if isRestored {
      let snapshot = StateSnapshot<Retry>(enteredAt: clock.sinceEpoch)
      clock.advance(by: late)
      runner = MachineRunner(restoring: snapshot, clock: clock, isolation: nil, perform: count)
    } else {
      runner = MachineRunner(clock: StoppedTimers(base: clock), isolation: nil, perform: count)
      clock.advance(by: late)
    }
    runner?.expire(isolation: nil)
    #expect(attempts == 3)
    #expect(runner?.state == .failed)
    runner = nil
  }

  @Test(
    "An event sent before a deadline is handled before the deadline, however long an effect takes, and with new settings",
    arguments: [nil, .seconds(20), .seconds(60)] as [Duration?])
  func sentBefore(patience: Duration?) {
    let clock = ManualClock()
    var received: [String] = []
    var runner: MachineRunner<Till>?
    let till = MachineRunner<Till>(clock: StoppedTimers(base: clock), isolation: nil) { effect, input in
      received.append("\(input.event)")
      switch effect {
      case .hold:
        if let patience { runner?.settings["patience"] = patience }
        runner?.send(.init(.approve), isolation: nil)
      case .ask: clock.advance(by: .seconds(31))  // The deadline is 30 s.
      default: break
      }
    }
    runner = till
    till.send(.charge(1))
    #expect(till.state == .paid)
    #expect(received == ["charge", "charge", "approve", "approve"])
    #expect(till.timeUntilDeadline == .seconds(600 - 31))
    runner = nil
  }

  private enum Mail: StateMachine {
    enum State: String, CaseIterable { case waiting, done }
    enum Event: String, CaseIterable { case timeOver, received }
    enum Input { case timeOver, received(any AnyObject & Sendable) }
    enum Effect: String { case fetch }
    static let initialState = State.waiting
    static func event(of input: Input) -> Event {
      switch input {
      case .timeOver: .timeOver
      case .received: .received
      }
    }
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      event == .timeOver ? .go(.done, [.fetch]) : .ignore("It has arrived.")
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      state == .waiting ? .after(.seconds(1), .timeOver) : nil
    }
  }

  @Test("A runner doesn't retain the data of an event that it has handled")
  func data() {
    final class Letter: Sendable {}
    let clock = ManualClock()
    weak var letter: Letter?
    var runner: MachineRunner<Mail>?
    runner = MachineRunner(clock: clock, isolation: nil) { _, _ in
      let sent = Letter()
      letter = sent
      runner?.send(.received(sent), isolation: nil)
    }
    clock.advance(by: .seconds(1))
    #expect(runner?.state == .done && letter == nil)
    runner = nil
  }

  @Test("After the limit of a thousand late deadlines, later deadlines still fire")
  func afterTheLimit() {
    let clock = ManualClock()
    var count = 0
    let snapshot = StateSnapshot<TrafficLight>(state: .flashing, enteredAt: .zero)
    let light = MachineRunner(restoring: snapshot, clock: clock, isolation: nil) { _, _ in count += 1 }
    light.expire(isolation: nil)
    clock.advance(by: .seconds(5))
    #expect(count == 1_010)
  }

  /// A lamp that beeps and flashes.
  private enum Beacon: StateMachine {
    enum State: String, CaseIterable { case on, off }
    enum Event: String, CaseIterable { case tick }
    enum Effect: String { case flash }
    enum Activity: String { case beep }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      state == .on ? .go(.off, []) : .go(.on, [.flash])
    }
    static func deadline(in state: State) -> Deadline<Self>? { .after(.seconds(1), .tick, setting: "pace") }
    static func activities(in state: State) -> [Activity] { state == .on ? [.beep] : [] }
  }

  @Test(
    "A restored state that is over starts no activity, and a later state with an activity gets its whole time",
    arguments: [0.5, 1, 4.5, 5, 600, 100_000])
  func starts(late: Double) {
    let clock = ManualClock()
    var (starts, stops, flashes) = (0, 0, 0)
    let snapshot = StateSnapshot<Beacon>(enteredAt: clock.sinceEpoch)
    clock.advance(by: .seconds(late))
    let beacon = MachineRunner(restoring: snapshot, clock: clock, isolation: nil) { _, _ in
      flashes += 1
    } activities: { _ in
      .closures(start: { starts += 1 }, stop: { stops += 1 })
    }
    beacon.settings = [:]
    #expect(starts == (late < 1 ? 1 : 0), "new settings start nothing in a state that is over")
    beacon.expire(isolation: nil)
    let isOn = beacon.state == .on
    #expect(starts == (isOn ? 1 : 0) && stops == 0 && flashes == (late < 2 ? 0 : 1))
    #expect(!isOn || late < 1 || beacon.timeUntilDeadline == .seconds(1))
    clock.advance(by: .seconds(2))
    #expect(starts == (isOn ? 2 : 1) && stops == 1)
  }

  /// A request with a time limit, which is repeated after a wait.
  private enum Request: StateMachine {
    enum State: String, CaseIterable { case requesting, waiting }
    enum Event: String, CaseIterable { case timeOver }
    enum Effect: String { case count }
    enum Activity: String { case request }
    static let initialState = State.requesting
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      state == .requesting ? .go(.waiting, [.count]) : .go(.requesting, [])
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      .after(.milliseconds(state == .requesting ? 300 : 500), .timeOver)
    }
    static func activities(in state: State) -> [Activity] { state == .requesting ? [.request] : [] }
  }

  @Test(
    "After a long suspension or a restart, only the request that was running has failed, and the next one gets its time",
    arguments: [false, true])
  func suspended(isRestored: Bool) {
    let clock = ManualClock()
    var (failures, requests) = (0, 0)
    let snapshot = StateSnapshot<Request>(enteredAt: clock.sinceEpoch)
    if isRestored { clock.suspend(for: .seconds(3_600)) }
    let runner = MachineRunner<Request>(
      restoring: isRestored ? snapshot : nil, clock: clock, isolation: nil, perform: { _, _ in failures += 1 }
    ) { _ in
      .closures(start: { requests += 1 }, stop: {})
    }
    if isRestored { runner.expire(isolation: nil) } else { clock.suspend(for: .seconds(3_600)) }
    #expect(runner.state == .requesting && failures == 1 && requests == (isRestored ? 1 : 2))
    #expect(runner.timeUntilDeadline == .milliseconds(300))
  }

  @Test("A setting that prolongs a restored state starts its activities")
  func prolonged() {
    let clock = ManualClock()
    let snapshot = StateSnapshot<Beacon>(enteredAt: clock.sinceEpoch)
    clock.advance(by: .seconds(5))
    var starts = 0
    let beacon = MachineRunner(restoring: snapshot, clock: clock, isolation: nil) { _, _ in
    } activities: { _ in
      .closures(start: { starts += 1 }, stop: {})
    }
    #expect(starts == 0)
    beacon.settings["pace"] = .seconds(60)
    #expect(starts == 1 && beacon.state == .on)
  }

  @Test("A new setting doesn't change a deadline that has passed", arguments: [10, 200])
  func overdueSetting(seconds: Int) {
    let clock = ManualClock()
    let till = MachineRunner<Till>(clock: StoppedTimers(base: clock), isolation: nil) { _, _ in }
    till.send(.charge(5))
    clock.advance(by: .seconds(100))
    var ends: [Duration] = []
    let listener = Times(clock) { ends.append($0) }
    till.listeners.add(listener)
    till.settings["patience"] = .seconds(seconds)
    #expect(till.state == .open && ends == [.seconds(100)])
    #expect(till.driver.core.instance.enteredAt == .seconds(30))
  }

  private final class Times: StateMachineListener {
    let clock: ManualClock
    let note: (Duration) -> Void
    init(_ clock: ManualClock, _ note: @escaping (Duration) -> Void) { (self.clock, self.note) = (clock, note) }
    func machine(_ runner: MachineRunner<Till>, didTransition transition: StateTransition<Till>) {
      note(clock.now.offset)
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

extension Array {
  fileprivate func at(_ index: Int) -> Element? { index < count ? self[index] : nil }
}

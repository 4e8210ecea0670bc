import LocoMachineTesting
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("Activities")
struct ActivityTests {
  // MARK: - All machines

  /// A machine whose reactions, deadlines and activities are drawn from a seed.
  private enum Drawn: StateMachine {
    enum State: String, CaseIterable { case a, b, c, d }
    enum Event: String, CaseIterable { case one, two, three }
    enum Effect: String, CaseIterable { case ring, blink }
    enum Activity: String, CaseIterable { case hum, glow, spin }
    static let initialState = State.a

    struct Rules {
      var reactions: [State: [Event: Reaction<State, Effect>]] = [:]
      var deadlines: [State: Deadline<Drawn>] = [:]
      var activities: [State: [Activity]] = [:]

      init(_ random: inout SeededGenerator) {
        for state in State.allCases {
          activities[state] = Activity.allCases.filter { _ in random.next(4) > 1 }.shuffled(using: &random)
          for event in Event.allCases {
            let effects = (0..<random.next(3)).map { _ in Effect.allCases[random.next(2)] }
            let target = State.allCases[random.next(4)]
            reactions[state, default: [:]][event] =
              switch random.next(5) {
              case 0: .ignore("Drawn.")
              case 1: .stay(effects)
              default: .go(target, effects)
              }
          }
          guard random.next(3) == 0, case .go? = reactions[state]?[.three] else { continue }
          deadlines[state] = .after(.seconds(1 + random.next(5)), .three)
        }
      }
    }

    @TaskLocal static var rules: Rules?

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      rules?.reactions[state]?[event] ?? .ignore("No rules.")
    }
    static func deadline(in state: State) -> Deadline<Self>? { rules?.deadlines[state] }
    static func activities(in state: State) -> [Activity] { rules?.activities[state] ?? [] }
  }

  /// A mistake in the player's expectations, which the player makes on request.
  enum Mistake: CaseIterable, Sendable { case stopsAfterEffects, startsBeforeEffects, sameStateGoesOn }

  /// Sends random events, and checks after each external transition which activities run, and the order of stops, effects and starts. Some
  /// of the activities' closures and effects send events too.
  private final class Player: StateMachineListener {
    let rules: Drawn.Rules
    private let mistake: Mistake?
    private let clock = ManualClock()
    private var random: SeededGenerator
    private(set) var broken: [String] = []
    private var lines: [String] = []
    private var ongoing: Set<Drawn.Activity> = []
    /// The activities that ran before the current event.
    private var ongoingBefore: Set<Drawn.Activity> = []
    private var runner: MachineRunner<Drawn>?
    /// The state before the current event.
    private var lastState = Drawn.State.a

    init(seed: UInt64, mistake: Mistake? = nil) {
      self.mistake = mistake
      random = SeededGenerator(seed: seed)
      rules = Drawn.Rules(&random)
    }

    private var state: Drawn.State { runner?.state ?? .a }

    /// Whether the state's deadline has passed, so that the state starts no activities.
    private var isOver: Bool { runner?.timeUntilDeadline == .zero }

    /// The activities in the order in which the states first list them.
    private var order: [Drawn.Activity] {
      Drawn.State.allCases.flatMap { rules.activities[$0] ?? [] }.reduce(into: []) { order, activity in
        if !order.contains(activity) { order.append(activity) }
      }
    }

    private func make(restoring snapshot: StateSnapshot<Drawn>?) {
      lines = []
      runner = Drawn.$rules.withValue(rules) {
        MachineRunner(restoring: snapshot, clock: clock, isolation: nil) { [unowned self] effect, event in
          perform(effect, on: event)
        } activities: { [unowned self] activity in
          .closures(
            start: { [unowned self] in
              if !ongoing.insert(activity).inserted { broken.append("\(activity) starts twice") }
              note("start \(activity)")
            },
            stop: { [unowned self] in
              if ongoing.remove(activity) == nil { broken.append("\(activity) stops without a start") }
              note("stop \(activity)")
            })
        }
      }
      runner?.listeners.add(self)
      let first = isOver ? [] : order.filter { rules.activities[state]?.contains($0) == true }
      expect(lines, first.map { "start \($0)" }, "at first")
      (lines, lastState, ongoingBefore) = ([], state, ongoing)
    }

    private func perform(_ effect: Drawn.Effect, on event: Drawn.Event) {
      switch rules.reactions[lastState]?[event] {
      case .go: note(effect.rawValue)
      case .stay: break
      default: broken.append("\(effect) on \(event) in \(lastState)")
      }
    }

    /// Clears the property before the runner is released, because the activities read the property when they stop.
    private func release() {
      let released = runner
      runner = nil
      withExtendedLifetime(released) {}
    }

    private func note(_ line: String) {
      lines.append(line)
      if runner != nil, random.next(12) == 0 {
        runner?.send(Drawn.Event.allCases[random.next(3)], isolation: nil)
      }
    }

    private func expect(_ lines: [String], _ expected: [String], _ moment: String) {
      if lines != expected { broken.append("\(moment): \(lines) instead of \(expected)") }
    }

    func machine(_ runner: MachineRunner<Drawn>, didTransition transition: StateTransition<Drawn>) {
      let before = ongoingBefore
      let remaining = Set(rules.activities[transition.to] ?? [])
      let after = isOver ? [] : remaining
      let isSame = transition.from == transition.to && mistake != .sameStateGoesOn
      let stops = order.filter { before.contains($0) && (isSame || !remaining.contains($0)) }.reversed()
      let starts = order.filter { after.contains($0) && (isSame || !before.contains($0)) }
      let effects = rules.reactions[transition.from]?[transition.event]?.effects ?? []
      var parts = [stops.map { "stop \($0)" }, effects.map(\.rawValue), starts.map { "start \($0)" }]
      if mistake == .stopsAfterEffects { parts.swapAt(0, 1) }
      if mistake == .startsBeforeEffects { parts.swapAt(1, 2) }
      expect(lines, parts.flatMap { $0 }, "\(transition)")
      (lines, lastState, ongoingBefore) = ([], transition.to, ongoing)
      if isOver ? !ongoing.isSubset(of: remaining) : ongoing != after {
        broken.append("\(ongoing) run in \(transition.to)")
      }
    }

    /// Plays 60 random steps, some of which restore the runner, and returns the violations.
    func play() -> [String] {
      make(restoring: nil)
      for _ in 0..<60 {
        clock.advance(by: .milliseconds(500 * random.next(6)))
        switch random.next(20) {
        case 0:
          let snapshot = runner?.snapshot
          release()
          if !ongoing.isEmpty { broken.append("\(ongoing) run after the release") }
          clock.advance(by: .milliseconds(500 * random.next(20)))
          make(restoring: snapshot)
        default:
          lines = []
          let outcome = runner?.send(Drawn.Event.allCases[random.next(3)], isolation: nil)
          if case .ignored = outcome { continue }
        }
        if !isOver, ongoing != Set(rules.activities[state] ?? []) { broken.append("\(ongoing) run in \(state)") }
        expect(lines, [], "without a transition")
        lines = []
      }
      release()
      if !ongoing.isEmpty { broken.append("\(ongoing) run after the release") }
      return broken
    }
  }

  @Test("A state's activities run while it lasts: stops precede effects, and effects precede starts", arguments: 0..<4)
  func drawn(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 400)) { Player(seed: $0).play() }
  }

  @Test("The comparison finds each mistake", arguments: Mistake.allCases)
  func finds(mistake: Mistake) {
    #expect((0..<400).contains { !Player(seed: $0, mistake: mistake).play().isEmpty })
  }

  // MARK: - Tasks

  /// A device that a task connects. The test decides which inputs the task sends.
  private enum Device: StateMachine {
    enum State: String, CaseIterable { case idle, connecting, connected }
    enum Event: String, CaseIterable { case connect, disconnect, progress, opened, timeOver }
    enum Input: Hashable {
      case connect, disconnect, timeOver
      case progress(Int)
      case opened(Int)
    }
    enum Effect: String { case show }
    enum Activity: String { case open }
    static let initialState = State.idle

    static func event(of input: Input) -> Event {
      switch input {
      case .connect: .connect
      case .disconnect: .disconnect
      case .timeOver: .timeOver
      case .progress: .progress
      case .opened: .opened
      }
    }

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.idle, .connect), (.connecting, .connect): .go(.connecting, [])
      case (.connecting, .progress): .stay([.show])
      case (.connecting, .opened): .go(.connected, [.show])
      case (.connecting, .disconnect), (.connecting, .timeOver), (.connected, .disconnect): .go(.idle, [])
      case (.connected, .connect): .ignore("It's connected.")
      case (.idle, .disconnect): .ignore("It isn't connected.")
      case (_, .progress), (_, .opened): .never("Only a run of the activity sends it.")
      case (_, .timeOver): .never("The state has no deadline.")
      }
    }

    static func deadline(in state: State) -> Deadline<Self>? {
      state == .connecting ? .after(.seconds(10), .timeOver) : nil
    }

    static func activities(in state: State) -> [Activity] { state == .connecting ? [.open] : [] }
  }

  /// Runs the device's task. Each run waits for orders from the test, even after it was cancelled.
  @MainActor private final class Radio {
    let clock = ManualClock()
    private(set) var shown: [Device.Input] = []
    private(set) var cancelled = 0
    private var orders: [AsyncStream<Device.Input>.Continuation] = []
    private(set) var runner: MachineRunner<Device>?

    init() {
      runner = MachineRunner(clock: StoppedTimers(base: clock)) { [unowned self] _, input in
        shown.append(input)
      } activities: { [weak self] _ in
        .task { [weak self] send in await self?.run(send) }
      }
    }

    private func run(_ send: @Sendable (Device.Input) async -> Void) async -> Device.Input? {
      let (stream, order) = AsyncStream<Device.Input>.makeStream()
      orders.append(order)
      // An unstructured task isn't cancelled with the task that creates it; a cancelled task would receive no later element.
      let rest = Task {
        var inputs: [Device.Input] = []
        for await input in stream {
          if case .opened = input { return (inputs, input as Device.Input?) }
          inputs.append(input)
          if case .progress = input { continue }
        }
        return (inputs, nil)
      }
      let (inputs, result) = await rest.value
      if Task.isCancelled { cancelled += 1 }
      for input in inputs { await send(input) }
      answered += 1
      return result
    }

    private(set) var answered = 0
    private var expected = 0

    /// Waits until another run has begun.
    func nextRun() async {
      expected += 1
      while orders.count < expected { await Task.yield() }
    }

    func order(_ run: Int, _ inputs: Device.Input...) {
      for input in inputs { orders[run].yield(input) }
      orders[run].finish()
    }

    func release() { runner = nil }

    /// Waits until a number of runs have sent their inputs.
    func answers(_ count: Int) async {
      while answered < count { await Task.yield() }
    }
  }

  @Test("A task's inputs and its result arrive while its run lasts")
  @MainActor func result() async throws {
    let radio = Radio()
    let device = try #require(radio.runner)
    device.send(.connect)
    await radio.nextRun()
    radio.order(0, .progress(50), .opened(7))
    #expect(try await device.state { $0 == .connected } == .connected)
    #expect(radio.shown == [.progress(50), .opened(7)] && radio.cancelled == 0)
  }

  @Test("The answer of an ended run is dropped: after an exit, a restart, and a deadline that passes first")
  @MainActor func lateAnswers() async throws {
    let radio = Radio()
    let device = try #require(radio.runner)
    device.send(.connect)
    await radio.nextRun()
    device.send(.disconnect)
    radio.order(0, .progress(1), .opened(1))
    await radio.answers(1)
    #expect(device.state == .idle && radio.shown == [] && radio.cancelled == 1)

    // A restart ends the second run before it answers. The machine is still connecting, so only the run's number shows that it has ended.
    device.send(.connect)
    await radio.nextRun()
    device.send(.connect)
    await radio.nextRun()
    radio.order(1, .progress(2), .opened(2))
    await radio.answers(2)
    #expect(device.state == .connecting && radio.shown == [] && radio.cancelled == 2)

    // The deadline passes, and its timer is late. The next answer arrives after the deadline. It may be the result of the second run, for
    // which `answers` doesn't wait.
    radio.clock.advance(by: .seconds(10))
    radio.order(2, .progress(3), .opened(3))
    await radio.answers(3)
    #expect(device.state == .idle && radio.shown == [])

    device.send(.connect)
    await radio.nextRun()
    radio.order(3, .opened(4))
    try await device.state { $0 == .connected }
    #expect(radio.shown == [.opened(4)])
  }

  @Test("A released runner cancels its task, and the task doesn't retain the runner")
  @MainActor func released() async throws {
    var radio: Radio? = Radio()
    weak let device = radio?.runner
    device?.send(.connect)
    await radio?.nextRun()
    radio?.release()
    #expect(device == nil)
    radio?.order(0, .opened(1))
    await radio?.answers(1)
    #expect(radio?.cancelled == 1 && radio?.shown == [])
    radio = nil
  }

  /// A runner in the initial value of a property. The first event tells the runner its actor.
  @MainActor private final class Late {
    let runner = MachineRunner<Device>(
      restoring: StateSnapshot(state: .connecting, enteredAt: .seconds(4_000_000_000)), clock: ManualClock()
    ) {
      _, _ in
    } activities: { _ in
      .task { _ in .opened(1) }
    }
  }

  @Test("A restored runner begins its state's task")
  @MainActor func restored() async throws {
    let late = Late()
    late.runner.send(.progress(0))
    #expect(try await late.runner.state { $0 == .connected } == .connected)
  }

  /// A machine with two states that share their activities, and one without activities.
  private enum Poll: StateMachine {
    enum State: String, CaseIterable { case even, odd, off }
    enum Event: String, CaseIterable { case next, switchOver, stop }
    enum Activity: String { case ask, hum }
    static let initialState = State.even
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.off, _): .ignore("It is off.")
      case (_, .stop): .go(.off, [])
      case (.even, _): .go(.odd, [])
      case (.odd, _): .go(.even, [])
      }
    }
    static func activities(in state: State) -> [Activity] { state == .off ? [] : [.ask, .hum] }
  }

  @Test(
    "An activity that two states share continues in the next state, and starts again if its task has ended",
    .timeLimit(.minutes(1)))
  @MainActor func endedTask() async throws {
    var (asked, hummed) = (0, 0)
    let runner = MachineRunner<Poll> { _, _ in
    } activities: { activity in
      switch activity {
      case .ask:
        asked += 1
        let isLast = asked == 5
        return .task { _ in isLast ? .stop : .next }
      case .hum: return .closures(start: { hummed += 1 }, stop: {})
      }
    }
    try await runner.state { $0 == .off }
    #expect(asked == 5 && hummed == 1)
    #expect(runner.recentTransitions.map(\.to) == [.odd, .even, .odd, .even, .off])
  }

  @MainActor private final class LazyPoll {
    private(set) lazy var runner = MachineRunner<Poll> { _, _ in
    } activities: {
      $0 == .ask ? .task { _ in .stop } : .closures(start: {}, stop: {})
    }
  }

  @Test(
    "A wait or an expiry starts the tasks of a runner that is a property's initial value", arguments: [false, true])
  @MainActor func lazyTasks(expires: Bool) async throws {
    let poll = LazyPoll()
    if expires {
      poll.runner.expire()
      for await state in poll.runner.states where state == .off { break }
    } else {
      try await poll.runner.state { $0 == .off }
    }
    #expect(poll.runner.state == .off)
  }

  @Test("A running task continues in the next state if that state has its activity")
  @MainActor func ongoingTask() async throws {
    var asked = 0
    let (stream, order) = AsyncStream<Void>.makeStream()
    let runner = MachineRunner<Poll> { _, _ in
    } activities: { activity in
      guard activity == .ask else { return .closures(start: {}, stop: {}) }
      asked += 1
      return .task { _ in
        for await _ in stream {}
        return .stop
      }
    }
    runner.send(.switchOver)
    order.finish()
    try await runner.state { $0 == .off }
    #expect(asked == 1)
  }

  @Test("A cancelled wait for a state throws, and a later wait succeeds")
  @MainActor func cancelledWait() async throws {
    let radio = Radio()
    let device = try #require(radio.runner)
    #expect(try await device.state { $0 == .idle } == .idle)
    let wait = Task { try await device.state { $0 == .connected } }
    await Task.yield()
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
    let connecting = Task { try await device.state { $0 == .connecting } }
    await Task.yield()
    device.send(.connect)
    #expect(try await connecting.value == .connecting)
  }

  /// A machine whose deadline begins a task.
  private enum Waking: StateMachine {
    enum State: String, CaseIterable { case asleep, awake }
    enum Event: String, CaseIterable { case wake }
    typealias Effect = Never
    enum Activity: String { case work }
    static let initialState = State.asleep

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      state == .asleep ? .go(.awake, []) : .ignore("It is awake.")
    }
    static func deadline(in state: State) -> Deadline<Self>? { state == .asleep ? .after(.seconds(1), .wake) : nil }
    static func activities(in state: State) -> [Activity] { state == .awake ? [.work] : [] }
  }

  #if os(Linux) || os(macOS)
    @Test("Wrong activities, and a task without an actor, stop the program with a message")
    func wrong() async {
      let task = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let device = MachineRunner<Device>(isolation: nil) { _, _ in
        } activities: { _ in
          .task { _ in nil }
        }
        device.send(.connect, isolation: nil)
      }
      #expect(Self.text(task).contains("A task of Device needs an actor"))
      let late = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let clock = ManualClock()
        let waking = MachineRunner<Waking>(clock: clock, isolation: nil) { _, _ in
        } activities: { _ in
          .task { _ in nil }
        }
        clock.advance(by: .seconds(1))
        waking.expire(isolation: nil)
      }
      #expect(Self.text(late).contains("A task of Waking needs an actor"))
      let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = TransitionTable<Listing<Twice>>()
      }
      #expect(Self.text(twice).contains(": the state on lists the activity 1 twice."))
      let many = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = TransitionTable<Listing<Many>>()
      }
      #expect(Self.text(many).contains("has more than 64 activities"))
      #expect(TransitionTable<Listing<Most>>().activities.count == 64)
    }

    private static func text(_ result: ExitTest.Result?) -> String {
      result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    }
  #endif

  // MARK: - Drawings

  @Test("The pictures, the Markdown tables and SCXML show the activities of a state")
  func drawings() {
    let diagram = StateDiagram<Device>()
    #expect(diagram.mermaid.contains("  s1 : do / open\n  s1 : progress / show\n"))
    #expect(diagram.dot.contains(#"s1 [label="{connecting|do\ /\ open\lprogress\l/\ show\l}"]"#))
    #expect(diagram.plantUML.contains("s1 : do / open\ns1 : progress / show\n"))
    #expect(diagram.markdown.contains("| state | while it lasts |\n|---|---|\n| connecting | do / open |\n\n"))
    #expect(
      diagram.scxml.contains(
        """
            <invoke type="scxml" id="activity.connecting.open">
              <content><scxml version="1.0" xmlns="http://www.w3.org/2005/07/scxml"><state id="lasts"/></scxml></content>
            </invoke>
            <transition event="connect" target="connecting"/>

        """), "\(diagram.scxml)")
  }

  // MARK: - Tasks with random ends

  @globalActor private actor Studio {
    static let shared = Studio()
  }

  /// A count that only its actor changes.
  private final class Tally: @unchecked Sendable {
    var count = 0
  }

  @Test(
    "The activities of a runner that a global actor owns stop on that actor, wherever the runner is released",
    .timeLimit(.minutes(1)))
  func globalActor() async {
    let tally = Tally()
    let stopped = Locked(0)
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          // The last reference is released on this task's executor.
          var holder: Holder? = await Self.hum(tally, stopped)
          holder = nil
          _ = holder
        }
      }
    }
    while stopped.change({ $0 }) < 100 { await Task.yield() }
    #expect(await Self.count(tally) == 0)
  }

  private struct Holder: @unchecked Sendable { let runner: MachineRunner<Poll> }

  @Studio private static func count(_ tally: Tally) -> Int { tally.count }

  @Studio private static func hum(_ tally: Tally, _ stopped: Locked<Int>) -> Holder {
    Holder(
      runner: MachineRunner<Poll> { _, _ in
      } activities: { activity in
        guard activity == .hum else { return .closures(start: {}, stop: {}) }
        return .closures {
          tally.count += 1
        } stop: {
          Studio.shared.preconditionIsolated()
          tally.count -= 1
          stopped.change { $0 += 1 }
        }
      })
  }

  /// A runner that is created outside an actor, as the initial value of a property is. `@unchecked`, because only the main actor uses the
  /// runner.
  private final class Adopted: @unchecked Sendable {
    let runner: MachineRunner<Poll>
    init(_ stopped: Locked<Int>) {
      runner = MachineRunner(isolation: nil) { _, _ in
      } activities: { activity in
        guard activity == .hum else { return .closures(start: {}, stop: {}) }
        return .closures(start: {}) {
          MainActor.preconditionIsolated()
          stopped.change { $0 += 1 }
        }
      }
    }
  }

  @Test(
    "The activities of a runner that the main actor uses first stop on it, wherever the runner is created and released",
    .timeLimit(.minutes(1)))
  func adopted() async {
    let stopped = Locked(0)
    for _ in 0..<20 {
      let owner = Locked<Adopted?>(Adopted(stopped))
      await MainActor.run { _ = owner.change { $0 }?.runner.send(.next, isolation: MainActor.shared) }
      await Task.detached { owner.change { $0 = nil } }.value
    }
    while stopped.change({ $0 }) < 20 { await Task.yield() }
    // On the main actor itself, they stop immediately.
    let owner = Locked<Adopted?>(Adopted(stopped))
    await MainActor.run {
      _ = owner.change { $0 }?.runner.send(.next, isolation: MainActor.shared)
      owner.change { $0 = nil }
      #expect(stopped.change { $0 } == 21)
    }
  }

  /// An actor whose runner is created on the caller's actor, because the initializer is synchronous.
  private actor Band {
    private var runner: MachineRunner<Poll>?
    private let stopped: Locked<Bool>

    init(_ stopped: Locked<Bool>) {
      self.stopped = stopped
      runner = MachineRunner(isolation: nil) { _, _ in
      } activities: { _ in
        .closures(start: {}, stop: { stopped.change { $0 = true } })
      }
    }

    func play() { runner?.send(.next) }
    func close() -> Bool {
      runner = nil
      return stopped.change { $0 }
    }
  }

  @Test("The activities of a runner that an actor uses stop in that actor at once, also if the main actor created it")
  @MainActor func createdElsewhere() async {
    let band = Band(Locked(false))
    await band.play()
    #expect(await band.close())
  }

  /// A machine with two activities that run as tasks: one in two states, one in a single state.
  private enum Tasks: StateMachine {
    enum State: String, CaseIterable { case none, one, both, other }
    enum Event: String, CaseIterable { case next, skip, ended }
    enum Activity: String, CaseIterable { case first, second }
    static let initialState = State.none

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      let states = State.allCases
      guard let index = states.firstIndex(of: state) else { return .never("Every state is listed.") }
      return switch event {
      case .next: .go(states[(index + 1) % 4], [])
      case .skip: .go(states[(index + 2) % 4], [])
      case .ended: state == .none ? .ignore("A late end.") : .go(.both, [])
      }
    }

    static func activities(in state: State) -> [Activity] {
      switch state {
      case .none: []
      case .one: [.first]
      case .both, .other: [.first, .second]
      }
    }
  }

  /// Starts and ends of the tasks, which a test orders.
  @MainActor private final class Workshop {
    private(set) var runs: [(isOpen: Bool, isCancelled: Bool, hasEnded: Bool)] = []
    private var orders: [Int: AsyncStream<Tasks.Event?>.Continuation] = [:]
    var starts: Int { runs.count }

    /// Begins a run. The task ignores its cancellation until the test ends it.
    func run(_ number: Int) async -> Tasks.Event? {
      let (stream, order) = AsyncStream<Tasks.Event?>.makeStream()
      orders[number] = order
      runs[number].isOpen = true
      let result = await Task { () -> Tasks.Event? in
        for await event in stream { return event }
        return nil
      }.value
      runs[number].isCancelled = Task.isCancelled
      runs[number].hasEnded = true
      return result
    }

    /// Returns the number of a run. Runs that start together may begin in any order.
    func start() -> Int {
      runs.append((false, false, false))
      return runs.count - 1
    }

    var open: [Int] { runs.indices.filter { orders[$0] != nil } }

    func end(_ number: Int, with event: Tasks.Event?) {
      orders.removeValue(forKey: number)?.yield(event)
    }
  }

  @Test(
    "With tasks that end at random and ignore cancellation, each activity of the state has one run, and late ends do nothing",
    .timeLimit(.minutes(5)), arguments: 0..<4)
  @MainActor func randomTasks(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 40)) { await Self.brokenTasks($0) }
  }

  @MainActor private static func brokenTasks(_ seed: UInt64) async -> [String] {
    var random = SeededGenerator(seed: seed)
    let workshop = Workshop()
    var runner: MachineRunner<Tasks>? = MachineRunner<Tasks> { _, _ in
    } activities: { [workshop] _ in
      let number = workshop.start()
      return .task { [workshop] _ in await workshop.run(number) }
    }
    /// The model: the run of each activity, and whether its task has ended. An activity whose task has ended starts again at the next
    /// transition to a state that has it.
    var running: [Tasks.Activity: (run: Int, hasEnded: Bool)] = [:]
    var state = Tasks.State.none
    var starts = 0
    func model(_ event: Tasks.Event) {
      guard case .go(let next, _) = Tasks.reaction(in: state, to: event) else { return }
      let wanted = Tasks.activities(in: next)
      for (activity, entry) in running where !wanted.contains(activity) || entry.hasEnded || state == next {
        running[activity] = nil
      }
      for activity in wanted where running[activity] == nil {
        running[activity] = (starts, false)
        starts += 1
      }
      state = next
    }
    func settle() async {
      // A task that was cancelled before it began begins too.
      while workshop.runs.contains(where: { !$0.isOpen }) { await Task.yield() }
      // The event of a task that has ended takes some time to reach the runner. A surplus start is noticed a little later.
      for _ in 0..<100_000 {
        // A closure that captures `runner` doesn't compile in a release build.
        let isBehind = if let runner { runner.state != state } else { false }
        guard isBehind || workshop.starts < starts else { break }
        await Task.yield()
      }
      for _ in 0..<20 { await Task.yield() }
    }
    for step in 0..<40 {
      let open = workshop.open
      if !open.isEmpty, random.next(2) == 0 {
        let run = open[random.next(open.count)]
        let event: Tasks.Event? = random.next(2) == 0 ? .ended : nil
        let current = running.first { $0.value.run == run }
        workshop.end(run, with: event)
        while !workshop.runs[run].hasEnded { await Task.yield() }
        if workshop.runs[run].isCancelled != (current == nil) {
          return ["step \(step): run \(run) is cancelled: \(current == nil) expected"]
        }
        if let current {
          running[current.key]?.hasEnded = true
          if let event { model(event) }
        }
      } else {
        let event: Tasks.Event = random.next(3) == 0 ? .skip : .next
        runner?.send(event)
        model(event)
      }
      await settle()
      if workshop.starts != starts {
        return ["step \(step): \(workshop.starts) starts instead of \(starts), in \(state)"]
      }
      if runner?.state != state { return ["step \(step): in \(runner?.state.rawValue ?? "") instead of \(state)"] }
    }
    // The release cancels each task, and drops all later inputs.
    runner = nil
    for run in workshop.open {
      workshop.end(run, with: .ended)
      while !workshop.runs[run].hasEnded { await Task.yield() }
      if !workshop.runs[run].isCancelled { return ["run \(run) isn't cancelled by the release"] }
    }
    await settle()
    return workshop.starts == starts ? [] : ["an activity starts after the release"]
  }

  @Test("A release stops the activities in the reverse order of their starts")
  @MainActor func releaseOrder() {
    var lines: [String] = []
    var runner: MachineRunner<Tasks>? = MachineRunner<Tasks> { _, _ in
    } activities: { activity in
      .closures(start: { lines.append("start \(activity)") }, stop: { lines.append("stop \(activity)") })
    }
    runner?.send(.skip)
    runner = nil
    #expect(lines == ["start first", "start second", "stop second", "stop first"])
  }
}

private protocol Activities {
  static var list: [Int] { get }
}
private enum Twice: Activities { static let list = [1, 2, 1] }
private enum Many: Activities { static let list = Array(0..<65) }
private enum Most: Activities { static let list = Array(0..<64) }

private enum Listing<List: Activities>: StateMachine {
  enum State: String, CaseIterable { case on }
  enum Event: String, CaseIterable { case press }
  static var initialState: State { .on }
  static func reaction(in state: State, to event: Event) -> Reaction<State, Never> { .stay([]) }
  static func activities(in state: State) -> [Int] { List.list }
}

extension SeededGenerator {
  fileprivate mutating func next(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

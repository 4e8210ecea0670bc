import LocoMachineTesting
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// A runner that saves each state before anything else happens.
@Suite("Saving before effects")
struct RunnerSaveTests {
  /// An order with a setting, effects, an activity and an input for a failed save.
  enum Order: StateMachine {
    enum State: String, CaseIterable { case open, charging, paid, broken }
    enum Event: String, CaseIterable { case buy, charged, timeOver, saveFailed }
    enum Effect: String { case note, alarm }
    enum Activity: String { case charge }
    static let initialState = State.open

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.open, .buy): .go(.charging, [.note])
      case (.charging, .charged): .go(.paid, [.note])
      case (.charging, .timeOver): .go(.open, [.note])
      case (.charging, .buy): .stay([.note])
      case (.open, .saveFailed): .stay([.alarm])
      case (.charging, .saveFailed): .go(.broken, [.alarm])
      default: .ignore("Nothing to do.")
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      state == .charging ? .after(.seconds(30), .timeOver, setting: "patience") : nil
    }
    static func activities(in state: State) -> [Activity] { state == .charging ? [.charge] : [] }
  }

  /// A machine without deadlines, whose events need no time.
  enum Plain: StateMachine {
    enum State: String, CaseIterable { case off, on }
    enum Event: String, CaseIterable { case press, saveFailed }
    static let initialState = State.off
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.off, .press): .go(.on, [])
      case (.on, .press): .go(.off, [])
      case (_, .saveFailed): .ignore("Not saved.")
      }
    }
  }

  private final class Log: StateMachineListener {
    var lines: [String] = []
    func machine(_ runner: MachineRunner<Order>, didTransition transition: StateTransition<Order>) {
      lines.append("\(transition)")
    }
    func machine(
      _ runner: MachineRunner<Order>, didHandle event: Order.Event, outcome: MachineInstance<Order>.Outcome
    ) {
      guard case .ignored(let reason) = outcome else { return }
      lines.append("\(event) ignored: \(reason)")
    }
  }

  /// Returns a runner whose saves fail while `fails` returns `true`, and its log.
  private func make(
    _ clock: ManualClock, restoring snapshot: StateSnapshot<Order>? = nil, fails: @escaping () -> Bool
  ) -> (MachineRunner<Order>, Log) {
    let log = Log()
    let order = MachineRunner<Order>(restoring: snapshot, clock: clock, isolation: nil) { [log] effect, _ in
      log.lines.append("\(effect)")
    } activities: { [log] activity in
      .closures(start: { log.lines.append("start \(activity)") }, stop: { log.lines.append("stop \(activity)") })
    }
    order.save = { [log] snapshot, input in
      log.lines.append("save \(snapshot.state) for \(input)")
      return fails() ? .saveFailed : nil
    }
    order.listeners.add(log)
    log.lines = []
    return (order, log)
  }

  @Test("A state is saved before its effects and activities, with the settings and the time of its entry")
  func before() throws {
    let clock = ManualClock()
    let (order, log) = make(clock) { false }
    order.settings["patience"] = .seconds(60)
    var saved: StateSnapshot<Order>?
    let save = try #require(order.save)
    order.save = { snapshot, input in
      saved = snapshot
      return save(snapshot, input)
    }
    clock.advance(by: .seconds(5))
    #expect(order.send(.buy) == .transition(StateTransition(from: .open, event: .buy, to: .charging)))
    #expect(log.lines == ["save charging for buy", "note", "start charge", "open → charging (buy)"])
    #expect(saved == order.snapshot && saved?.settings == ["patience": .seconds(60)])
    log.lines = []
    #expect(order.send(.buy) == .stayed)
    #expect(log.lines == ["note"], "an internal transition changes nothing to save")
    clock.advance(by: .seconds(60))
    #expect(
      log.lines.dropFirst() == ["save open for timeOver", "stop charge", "note", "charging → open (timeOver)"])
    order.save = nil
    log.lines = []
    order.send(.buy)
    #expect(log.lines == ["note", "start charge", "open → charging (buy)"])
  }

  @Test("A snapshot has the settings that an effect or a save has just set, before they apply")
  func settingsOfAnEffect() {
    var seen: [StateSnapshot<Order>] = []
    let clock = ManualClock()
    var order: MachineRunner<Order>?
    order = MachineRunner<Order>(clock: clock, isolation: nil) { _, _ in
      order?.settings["patience"] = .seconds(60)
      order.map { seen.append($0.snapshot) }
    } activities: { _ in
      .closures(start: {}, stop: {})
    }
    order?.send(.buy)
    #expect(
      seen == [StateSnapshot(state: .charging, enteredAt: clock.sinceEpoch, settings: ["patience": .seconds(60)])])
    #expect(order?.snapshot == seen[0] && order?.timeUntilDeadline == .seconds(60))
    order?.save = { _, _ in
      order?.settings["patience"] = .seconds(90)
      #expect(order?.snapshot.settings == ["patience": .seconds(90)])
      return nil
    }
    order?.send(.charged)
    #expect(order?.snapshot.settings == ["patience": .seconds(60)], "set by the effect, after the save")
    order = nil
  }

  @Test("A closure that ends the saving, such as on a read-only disk, doesn't end the transition that it saves")
  func endsWhileSaving() {
    let plain = MachineRunner<Plain>(isolation: nil) { _, _ in }
    plain.save = { [unowned plain] _, _ in
      plain.save = nil
      return nil
    }
    for state in [Plain.State.on, .off] {
      #expect(
        plain.send(.press) == .transition(StateTransition(from: state == .on ? .off : .on, event: .press, to: state)))
    }
    let (order, log) = make(ManualClock()) { false }
    order.save = { [unowned order] _, _ in
      order.save = nil
      return nil
    }
    order.send(.buy)
    #expect(log.lines == ["note", "start charge", "open → charging (buy)"])
  }

  @Test("If a save fails, the transition doesn't happen, and the machine handles its own input in the old state")
  func fails() {
    let (order, log) = make(ManualClock()) { true }
    #expect(order.send(.buy) == .ignored(because: "The state charging couldn't be saved."))
    #expect(order.state == .open)
    #expect(
      log.lines == ["save charging for buy", "buy ignored: The state charging couldn't be saved.", "alarm"])
  }

  @Test("The transition of a failed save's input happens unsaved, so failures end")
  func ends() {
    var isFull = false
    let (order, log) = make(ManualClock()) { isFull }
    order.send(.buy)
    isFull = true
    log.lines = []
    order.send(.charged)
    #expect(order.state == .broken)
    #expect(
      log.lines == [
        "save paid for charged", "charged ignored: The state paid couldn't be saved.", "stop charge", "alarm",
        "charging → broken (saveFailed)",
      ])
  }

  @Test("A deadline whose transition can't be saved counts again from then, so it isn't handled again and again")
  func deadline() {
    let clock = ManualClock()
    let snapshot = StateSnapshot<Order>(state: .charging, enteredAt: clock.sinceEpoch)
    var isFull = true
    var tries = 0
    let (order, _) = make(clock, restoring: snapshot) { isFull }
    let save = order.save
    order.save = { snapshot, input in
      tries += 1
      _ = save?(snapshot, input)
      // A state that ignores the failure.
      return isFull ? .buy : nil
    }
    clock.advance(by: .seconds(100))
    #expect(order.state == .charging && tries == 3 && order.timeUntilDeadline == .seconds(20))
    isFull = false
    clock.advance(by: .seconds(20))
    #expect(order.state == .open && tries == 4)
  }

  @Test("A long deadline whose transition can't be saved passes again after a minute, and then after each minute")
  func longDeadline() {
    let clock = ManualClock()
    var (isFull, times): (Bool, [Duration]) = (true, [])
    let (order, _) = make(clock) { isFull }
    order.send(.buy)
    isFull = false
    order.send(.buy)
    #expect(order.state == .charging)
    order.settings["patience"] = .seconds(259_200)
    isFull = true
    order.save = { _, _ in
      times.append(clock.now.offset)
      return isFull ? .buy : nil
    }
    clock.advance(by: .seconds(259_200 + 130))
    #expect(times == [259_200, 259_260, 259_320].map { .seconds($0) })
    #expect(order.state == .charging && order.timeUntilDeadline == .seconds(50))
    isFull = false
    clock.advance(by: .seconds(50))
    #expect(order.state != .charging && times.count == 4)
  }

  @Test(
    "If a late deadline can't be saved, the events that its failure's effects send happen at the time of the failure")
  func lateFailure() {
    let clock = ManualClock()
    let snapshot = StateSnapshot<Order>(state: .charging, enteredAt: clock.sinceEpoch)
    clock.advance(by: .seconds(3_600))
    var saved: [StateSnapshot<Order>] = []
    var runner: MachineRunner<Order>?
    let order = MachineRunner<Order>(restoring: snapshot, clock: clock, isolation: nil) { _, input in
      if input == .buy { runner?.send(.charged, isolation: nil) }
    } activities: { _ in
      .closures(start: {}, stop: {})
    }
    runner = order
    order.save = { snapshot, input in
      saved.append(snapshot)
      return input == .timeOver ? .buy : nil
    }
    order.expire(isolation: nil)
    #expect(saved.map(\.state) == [.open, .paid] && order.state == .paid)
    #expect(saved.last?.enteredAt == clock.sinceEpoch)
    runner = nil
  }

  @Test("An event whose transition can't be saved leaves the deadline of the state as it is")
  func deadlineAfterAFailedSave() {
    let clock = ManualClock()
    let snapshot = StateSnapshot<Order>(state: .charging, enteredAt: clock.sinceEpoch)
    let (order, _) = make(clock, restoring: snapshot) { false }
    order.save = { _, _ in .buy }  // An input that the state ignores.
    clock.advance(by: .seconds(10))
    order.send(.charged)
    #expect(order.state == .charging && order.timeUntilDeadline == .seconds(20))
  }

  @Test("A machine without deadlines saves, and the saved time is that of the save")
  func plain() {
    let clock = ManualClock()
    let lamp = MachineRunner<Plain>(clock: clock, isolation: nil) { _, _ in }
    var saved: [StateSnapshot<Plain>] = []
    lamp.save = { snapshot, _ in
      saved.append(snapshot)
      return saved.count == 2 ? .saveFailed : nil
    }
    clock.advance(by: .seconds(7))
    #expect(lamp.send(.press) == .transition(StateTransition(from: .off, event: .press, to: .on)))
    #expect(lamp.send(.press) == .ignored(because: "The state off couldn't be saved."))
    #expect(lamp.send(.press) == .transition(StateTransition(from: .on, event: .press, to: .off)))
    #expect(saved.map(\.state) == [.on, .off, .off])
    #expect(saved.first?.enteredAt == clock.sinceEpoch)
  }

  /// Draws events, waits and failing saves, and checks that the saved state is always the runner's, except after a failure that the
  /// machine handled with a transition.
  private static func difference(_ seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    let clock = ManualClock()
    var stored = Order.State.open
    var (failures, problems): (Int, [String]) = (0, [])
    var work = 0
    let order = MachineRunner<Order>(clock: clock, isolation: nil) { _, _ in
    } activities: { _ in
      .closures(start: { work += 1 }, stop: { work -= 1 })
    }
    order.save = { snapshot, _ in
      if Int.random(in: 0..<3, using: &random) == 0 {
        failures += 1
        return .saveFailed
      }
      stored = snapshot.state
      return nil
    }
    for step in 0..<60 {
      if Bool.random(using: &random) { clock.advance(by: .seconds(Int.random(in: 1..<70, using: &random))) }
      order.send(Order.Event.allCases[Int.random(in: 0..<3, using: &random)])
      if order.state != stored, order.state != .broken {
        problems.append("step \(step): \(stored) is stored in \(order.state)")
      }
      if work != (order.state == .charging ? 1 : 0) {
        problems.append("step \(step): \(work) charges in \(order.state)")
      }
      if order.state == .broken || order.state == .paid { break }
    }
    return problems
  }

  @Test("The saved state is the machine's, whichever saves fail", arguments: 0..<4)
  func same(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 400)) { Self.difference($0) }
  }
}

/// The events of a runner, for tools.
@Suite("Events of a runner")
struct RunnerEventTests {
  @Test("Each event reaches the listeners with its result, also an internal transition")
  func all() {
    final class Recorder: StateMachineListener {
      var lines: [String] = []
      func machine(
        _ runner: MachineRunner<Turnstile>, didHandle event: Turnstile.Event,
        outcome: MachineInstance<Turnstile>.Outcome
      ) { lines.append("\(event): \(outcome), now \(runner.state)") }
    }
    let gate = MachineRunner<Turnstile>(isolation: nil) { _, _ in }
    let recorder = Recorder()
    gate.send(.coin)
    gate.listeners.add(recorder)
    let outcomes = [Turnstile.Event.coin, .push, .push].map { event in (event, gate.send(event)) }
    #expect(
      outcomes.map(\.1) == [
        .stayed, .transition(StateTransition(from: .unlocked, event: .push, to: .locked)),
        .ignored(because: "The arm is locked until a coin is paid."),
      ])
    let states = ["unlocked", "locked", "locked"]
    #expect(recorder.lines == zip(outcomes, states).map { "\($0.0): \($0.1, default: "queued"), now \($1)" })
    gate.listeners.remove(recorder)
    gate.send(.coin)
    #expect(recorder.lines.count == 3)
    for _ in 0..<40 { gate.send(.coin) }
    #expect(gate.recentTransitions.count == 3)
  }
}

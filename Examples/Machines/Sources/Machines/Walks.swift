import Foundation
@_spi(Benchmarks) import LocoMachine

/// A machine whose inputs a walk can write down.
protocol WalkedMachine: StateMachine {
  /// Returns an input of an event. An input without an amount ignores the cents.
  static func input(_ event: Event, cents: Int) -> Input
  static func cents(of input: Input) -> Int?
}

extension WalkedMachine where Input == Event {
  static func input(_ event: Event, cents: Int) -> Input { event }
  static func cents(of input: Input) -> Int? { nil }
}

extension Turnstile: WalkedMachine {}
extension Connection: WalkedMachine {}

extension Payment: WalkedMachine {
  static func input(_ event: Event, cents: Int) -> Input {
    switch event {
    case .charge: .charge(cents: cents)
    case .approved: .approved(cents: cents)
    case .refused: .refused
    case .cancel: .cancel
    case .deliver: .deliver
    case .timeOver: .timeOver
    }
  }

  static func cents(of input: Input) -> Int? {
    switch input {
    case .charge(let cents), .approved(let cents): cents
    case .refused, .cancel, .deliver, .timeOver: nil
    }
  }
}

/// Random walks of a machine in virtual time, for comparison with another implementation of the machine.
///
/// Durations are whole seconds, so that many events arrive exactly at a deadline. A restart takes 37 ms more, so that none arrives
/// exactly at the deadline of a restored state: a snapshot rounds its time by less than a microsecond.
struct Walks: Codable {
  /// A walk from the initial state.
  struct Walk: Codable {
    /// Whether the clock fires deadlines. Otherwise the next input applies them.
    let hasTimers: Bool
    /// The events that effects and starts of activities send, by their name. An event is queued until the current one is processed.
    let answers: [String: String]
    var steps: [Step] = []
  }

  /// An input and its results.
  struct Step: Codable {
    var input: Input
    var actions: [Action]
    let state: String
    /// The time until the next deadline, in milliseconds.
    let next: Int?
  }

  /// An input of the runner; durations are in milliseconds.
  enum Input: Codable {
    case event(name: String, cents: Int?)
    case wait(Int)
    case expire
    case setting(name: String, duration: Int)
    /// A restart of the program after some time, with the wall clock set forward or back.
    case restart(away: Int, clockSetBy: Int)
  }

  /// An action of the runner, at a time of the clock in milliseconds.
  enum Action: Codable {
    case effect(at: Int, name: String, event: String, cents: Int?)
    case start(at: Int, name: String)
    case stop(at: Int, name: String)
    case transition(at: Int, from: String, event: String, to: String)
    case ignored(at: Int, event: String, reason: String)
  }

  let machine: String
  var walks: [Walk] = []

  /// Creates walks of a machine.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - count: The number of walks.
  ///   - length: The number of inputs of a walk.
  ///   - settings: The settings of the machine's deadlines.
  ///   - answers: The events that effects and starts of activities send, by their name. The walks use the sets in turn.
  init<Machine: WalkedMachine>(
    of machine: Machine.Type, count: Int, length: Int, settings: [String] = [], answers: [[String: String]] = [[:]]
  ) throws {
    self.machine = "\(machine)".lowercased()
    for number in 0..<count {
      var random = SeededGenerator(seed: UInt64(number))
      let hasTimers = number % 2 == 0
      let answers = answers[number % answers.count]
      let recorder = Recorder<Machine>(hasTimers: hasTimers, answers: answers)
      var walk = Walk(hasTimers: hasTimers, answers: answers)
      for _ in 0..<length {
        let input = Self.input(for: recorder, settings: settings, using: &random)
        walk.steps.append(try recorder.step(input))
      }
      walks.append(walk)
    }
  }

  /// Returns a random input.
  private static func input<Machine: WalkedMachine>(
    for recorder: Recorder<Machine>, settings: [String], using random: inout SeededGenerator
  ) -> Input {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<5: if let name = settings.randomElement(using: &random) { return setting(name, using: &random) }
    case 5..<10 where recorder.hasTimers:
      // The longest time is more than 1,000 deadlines. After that, a restored machine starts its deadline now.
      let isLong = Int.random(in: 0..<20, using: &random) == 0
      let away = isLong ? 700_000 : [0, 1, 20, 100, 3_600].randomElement(using: &random) ?? 0
      let clock = [0, 0, -10, -1_000_000, 50].randomElement(using: &random) ?? 0
      return .restart(away: away * 1_000 + 37, clockSetBy: clock * 1_000)
    case 5..<10: return .expire
    case 10..<50:
      let next = recorder.next.map { ($0 + 999) / 1_000 } ?? 10
      let longer = Int.random(in: -2...2, using: &random)
      let few = Int.random(in: 0...next, using: &random)
      let many = Int.random(in: next...3 * next, using: &random)
      return .wait((max(0, [next, next + longer, few, many].randomElement(using: &random) ?? 0)) * 1_000)
    default: break
    }
    // Half of the time, choose only among events that aren't ignored.
    let table = TransitionTable<Machine>()
    let state = recorder.stateOfNextEvent
    let rows = table.rows.filter { $0.state == state && !$0.isImpossible }
    let taken = Bool.random(using: &random) ? rows : rows.filter { $0.reason == nil }
    guard let event = taken.randomElement(using: &random)?.event else { return .expire }
    let input = Machine.input(event, cents: Int.random(in: 1...10_000, using: &random))
    return .event(name: event.rawValue, cents: Machine.cents(of: input))
  }

  private static func setting(_ name: String, using random: inout SeededGenerator) -> Input {
    .setting(name: name, duration: Int.random(in: 1...60, using: &random) * 1_000)
  }
}

/// Runs a machine and records its actions.
private final class Recorder<Machine: WalkedMachine>: StateMachineListener {
  let hasTimers: Bool
  private(set) var runner: MachineRunner<Machine>
  private let clock = ManualClock()
  private let log: Log

  private final class Log {
    /// The actions since the last step.
    var actions: [Walks.Action] = []
    var answers: [String: String] = [:]
    var send: ((Machine.Input) -> Void)?
  }

  init(hasTimers: Bool, answers: [String: String]) {
    self.hasTimers = hasTimers
    let log = Log()
    log.answers = answers
    self.log = log
    runner = Self.makeRunner(restoring: nil, hasTimers: hasTimers, clock: clock, log: log)
    runner.listeners.add(self)
    log.send = { [weak self] input in self?.runner.send(input, isolation: nil) }
  }

  private static func makeRunner(
    restoring snapshot: StateSnapshot<Machine>?, hasTimers: Bool, clock: ManualClock, log: Log
  ) -> MachineRunner<Machine> {
    let perform: (Machine.Effect, StateTransition<Machine>, Machine.Input) -> Void = { effect, transition, input in
      let cents = Machine.cents(of: input)
      log.actions.append(
        .effect(
          at: clock.now.offset.inMilliseconds, name: effect.description, event: transition.event.rawValue,
          cents: cents))
      if let event = log.answers[effect.description].flatMap(Machine.Event.init) {
        log.send?(Machine.input(event, cents: cents ?? 0))
      }
    }
    let activities: (Machine.Activity) -> MachineRunner<Machine>.Work = { activity in
      let name = activity.description
      return .closures(
        start: {
          log.actions.append(.start(at: clock.now.offset.inMilliseconds, name: name))
          if let event = log.answers[name].flatMap(Machine.Event.init) { log.send?(Machine.input(event, cents: 0)) }
        }, stop: { log.actions.append(.stop(at: clock.now.offset.inMilliseconds, name: name)) })
    }
    if hasTimers {
      return MachineRunner(
        restoring: snapshot, clock: clock, isolation: nil, perform: perform, activities: activities)
    }
    return MachineRunner(
      restoring: snapshot, clock: ClockWithoutTimers(base: clock), isolation: nil, perform: perform,
      activities: activities)
  }

  /// The state that the next event finds: without timers, the runner first takes the deadlines that have passed.
  var stateOfNextEvent: Machine.State {
    if hasTimers { return runner.state }
    let log = Log()
    let copy = Self.makeRunner(restoring: runner.snapshot, hasTimers: false, clock: clock, log: log)
    log.answers = self.log.answers
    log.send = { [weak copy] input in copy?.send(input, isolation: nil) }
    copy.settings = runner.settings
    copy.expire(isolation: nil)
    return copy.state
  }

  var next: Int? { runner.nextDeadline?.inMilliseconds }

  func step(_ input: Walks.Input) throws -> Walks.Step {
    switch input {
    case .event(let name, let cents):
      if let event = Machine.Event(rawValue: name) {
        runner.send(Machine.input(event, cents: cents ?? 0), isolation: nil)
      }
    case .wait(let time): clock.advance(by: .milliseconds(time))
    case .expire: runner.expire(isolation: nil)
    case .setting(let name, let duration): runner.settings[name] = .milliseconds(duration)
    case .restart(let away, let clockSetBy):
      let data = try JSONEncoder().encode(runner.snapshot)
      let settings = runner.settings
      // The old runner ends here, and the new one, which has no deadline, is replaced below.
      runner = MachineRunner(isolation: nil) { _, _, _ in
      } activities: { _ in
        .closures(start: {}, stop: {})
      }
      clock.advance(by: .milliseconds(away))
      clock.setDate(by: .milliseconds(clockSetBy))
      let snapshot = try JSONDecoder().decode(StateSnapshot<Machine>.self, from: data)
      // A start in the initializer can't send anything to the runner.
      let answers = log.answers
      log.answers = [:]
      runner = Self.makeRunner(restoring: snapshot, hasTimers: hasTimers, clock: clock, log: log)
      log.answers = answers
      runner.listeners.add(self)
      runner.settings = settings
      clock.advance(by: .zero)
    }
    defer { log.actions = [] }
    return Walks.Step(input: input, actions: log.actions, state: runner.state.rawValue, next: next)
  }

  func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>) {
    log.actions.append(
      .transition(
        at: clock.now.offset.inMilliseconds, from: transition.from.rawValue, event: transition.event.rawValue,
        to: transition.to.rawValue))
  }

  func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String) {
    log.actions.append(.ignored(at: clock.now.offset.inMilliseconds, event: event.rawValue, reason: reason))
  }
}

/// A clock whose timers never fire.
private struct ClockWithoutTimers: Clock {
  let base: ManualClock
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws { throw CancellationError() }
}

extension Duration {
  /// The duration in milliseconds, rounded.
  fileprivate var inMilliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1_000 + Int((Double(attoseconds) / 1e15).rounded())
  }
}

import LocoMachineTesting
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// Compares a runner with a simple interpreter on random scripts.
@Suite("A runner and an interpreter")
struct RunnerPropertyTests {
  private typealias Row = TransitionTable<Till>.Row

  /// Inputs with their times, and the events that effects and listeners send.
  private struct Script {
    var inputs: [(time: Duration, input: Till.Input)] = []
    /// The events that effects and listeners send, by the number of the log line at which they send them.
    var answers: [Int: Till.Input] = [:]
    /// The settings, which are set before the first input.
    var settings: [String: Duration] = [:]

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      var time = Duration.zero
      for _ in 0..<40 {
        time += .seconds([0, 1, 29, 30, 31, 600, 700][Int.random(in: 0..<7, using: &random)])
        inputs.append((time, Self.input(&random)))
      }
      for number in 0..<200 where Int.random(in: 0..<4, using: &random) == 0 {
        answers[number] = Self.input(&random)
      }
      if seed.isMultiple(of: 2) {
        settings["patience"] = .seconds([5, 29, 31, 650][Int.random(in: 0..<4, using: &random)])
      }
    }

    private static func input(_ random: inout SeededGenerator) -> Till.Input {
      let event = Till.Event.allCases[Int.random(in: 0..<Till.Event.allCases.count, using: &random)]
      return Till.Input(event, Int.random(in: 0..<100, using: &random))
    }
  }

  /// A mistake in the order or in the time, which the interpreter makes on request.
  enum Mistake: CaseIterable, Sendable {
    case newestEventFirst, listenersBeforeEffects, eventBeforeDeadline, deadlineCountsFromNow, oneDeadlineAtATime
  }

  /// An interpreter with a dictionary of rows, a queue of events, and the time when the state was entered.
  private struct Interpreter {
    let script: Script
    var mistake: Mistake?
    var (state, enteredAt): (Till.State, Duration) = (.open, .zero)
    var log: [String] = []
    var queue: [Till.Input] = []
    private let rows = Dictionary(
      uniqueKeysWithValues: TransitionTable<Till>().rows.map { ("\($0.state) \($0.event)", $0) })

    init(_ script: Script, mistake: Mistake? = nil) { (self.script, self.mistake) = (script, mistake) }

    mutating func run() -> [String] {
      for input in script.inputs {
        if mistake != .eventBeforeDeadline { pass(to: input.time) }
        handle(input.input, at: input.time)
        if mistake == .eventBeforeDeadline { pass(to: input.time) }
      }
      return log
    }

    private mutating func pass(to time: Duration) {
      while let deadline = Till.deadline(in: state) {
        let setting = deadline.setting.flatMap { script.settings[$0] }
        let end = enteredAt + (setting ?? deadline.duration)
        if end > time { return }
        handle(deadline.input, at: mistake == .deadlineCountsFromNow ? time : end)
        if mistake == .oneDeadlineAtATime { return }
      }
    }

    private mutating func handle(_ input: Till.Input, at time: Duration) {
      queue = [input]
      while !queue.isEmpty {
        let input = mistake == .newestEventFirst ? queue.removeLast() : queue.removeFirst()
        let event = input.event
        guard let row = rows["\(state) \(event)"] else { return }
        if let reason = row.reason {
          note("ignored \(event): \(reason)")
          continue
        }
        let from = state
        if let target = row.target { (state, enteredAt) = (target, time) }
        var lines = row.effects.map { "\($0) \(input.amount ?? -1) in \(state)" }
        if row.target != nil {
          lines.insert("\(from) → \(state) (\(event))", at: mistake == .listenersBeforeEffects ? 0 : lines.count)
        }
        for line in lines { note(line) }
      }
    }

    private mutating func note(_ line: String) {
      if let answer = script.answers[log.count] { queue.append(answer) }
      log.append(line)
    }
  }

  private final class Player: StateMachineListener {
    let script: Script
    let clock = ManualClock()
    var log: [String] = []
    lazy var runner: MachineRunner<Till> = MachineRunner(clock: clock) { [unowned self] effect, input in
      note("\(effect) \(input.amount ?? -1) in \(runner.state)")
    }

    init(_ script: Script) { self.script = script }

    func run() -> [String] {
      runner.listeners.add(self)
      runner.settings = script.settings
      for input in script.inputs {
        clock.advance(by: input.time - clock.now.offset)
        runner.send(input.input)
      }
      return log
    }

    func machine(_ runner: MachineRunner<Till>, didTransition transition: StateTransition<Till>) {
      note("\(transition)")
    }
    func machine(_ runner: MachineRunner<Till>, didIgnore event: Till.Event, because reason: String) {
      note("ignored \(event): \(reason)")
    }

    private func note(_ line: String) {
      if let answer = script.answers[log.count] { runner.send(answer) }
      log.append(line)
    }
  }

  @Test("A runner does the same as the interpreter, with the same order and data", arguments: 0..<300 as Range<UInt64>)
  func same(seed: UInt64) {
    var interpreter = Interpreter(Script(seed: seed))
    let expected = interpreter.run()
    #expect(expected.count > 40)
    #expect(Player(Script(seed: seed)).run() == expected, "seed \(seed)")
  }

  /// Does with an instance what a runner does: queues events, performs effects, and notifies a listener.
  private static func log(of script: Script) -> [String] {
    var till = MachineInstance<Till>()
    till.settings = script.settings
    var log: [String] = []
    func handle(_ first: MachineInstance<Till>.Step, at time: Duration) {
      var steps = [first]
      var queue: [Till.Input] = []
      func note(_ line: String) {
        if let answer = script.answers[log.count] { queue.append(answer) }
        log.append(line)
      }
      while let step = steps.popLast() {
        for effect in step.effects { note("\(effect) \(step.input.amount ?? -1) in \(till.state)") }
        switch step.outcome {
        case .transition(let transition): note("\(transition)")
        case .stayed: break
        case .ignored(let reason): note("ignored \(step.input.event): \(reason)")
        }
        if !queue.isEmpty { steps.append(till.send(queue.removeFirst(), at: time)) }
      }
    }
    for input in script.inputs {
      while let end = till.deadline, let step = till.expire(at: input.time) { handle(step, at: end) }
      handle(till.send(input.input, at: input.time), at: input.time)
    }
    return log
  }

  @Test("An instance does the same as the interpreter", arguments: 0..<300 as Range<UInt64>)
  func instance(seed: UInt64) {
    var interpreter = Interpreter(Script(seed: seed))
    #expect(Self.log(of: Script(seed: seed)) == interpreter.run(), "seed \(seed)")
  }

  @Test("The comparison finds each mistake in the order or in the time", arguments: Mistake.allCases)
  func finds(mistake: Mistake) {
    let differs = (0..<300 as Range<UInt64>).contains { seed in
      var interpreter = Interpreter(Script(seed: seed), mistake: mistake)
      return interpreter.run() != Player(Script(seed: seed)).run()
    }
    #expect(differs)
  }

  @Test(
    "Saving and restoring the machine between events doesn't change its effects", arguments: 0..<100 as Range<UInt64>)
  func restored(seed: UInt64) {
    let script = Script(seed: seed)
    let clock = ManualClock()
    var (log, snapshot): ([String], StateSnapshot<Till>?) = ([], nil)
    for input in script.inputs {
      let runner = MachineRunner<Till>(restoring: snapshot, clock: clock) { effect, input in
        log.append("\(effect) \(input.amount ?? -1)")
      }
      if snapshot == nil { runner.settings = script.settings }
      clock.advance(by: input.time - clock.now.offset)
      runner.send(input.input)
      snapshot = runner.snapshot
      #expect(snapshot?.settings == script.settings)
    }
    var plain = script
    plain.answers = [:]
    let player = Player(plain)
    let effects = player.run().compactMap { line in
      line.split(separator: " in ").count == 2 ? String(line.split(separator: " in ")[0]) : nil
    }
    #expect(log == effects, "seed \(seed)")
  }
}

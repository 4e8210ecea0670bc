import Foundation
import LocoKit
import LocoMachine
import LocoMachineTesting
import Testing

@testable import TestSupport

// shown: AMachineOfYourOwn

/// A clock on which runners set their timers with tasks, as on the system's clocks. On a `ManualClock`, they don't use tasks.
private struct TaskClock: Clock {
  let base: ManualClock
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline)
  }
}

extension MachineRunner {
  /// Advances the clock until the runner has made a transition, and returns it. Yields between steps, since tasks set the timers.
  fileprivate func waitForTransition(
    on clock: ManualClock, isolation: isolated (any Actor)? = #isolation
  ) async -> StateTransition<Machine>? {
    let (transitions, before) = (transitions, recentTransitions)
    for _ in 0..<10_000 where recentTransitions == before {
      clock.advance(by: .milliseconds(100))
      for _ in 0..<10 { await Task.yield() }
    }
    guard recentTransitions != before else { return nil }
    return await transitions.first { _ in true }
  }
}

extension Crossing {
  fileprivate func waitForTransition(on clock: ManualClock) async -> StateTransition<TrafficLight>? {
    await light?.waitForTransition(on: clock)
  }

  fileprivate func advance(_ clock: ManualClock, by duration: Duration) -> TrafficLight.State? {
    clock.advance(by: duration)
    return light?.state
  }
}

@MainActor
@Suite("A machine of your own")
struct AMachineOfYourOwnTests {
  #if os(Linux) || os(macOS)
    @Test("A runner works in a synchronous function, and its state is printed as its name")
    func opens() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { openTheGate() }
      let lines = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self).split(separator: "\n") } ?? []
      #expect(lines.last == "unlocked")
    }
  #endif

  @Test("send returns an outcome, and a listener is called while it exists")
  func outcomes() {
    var refunds = 0
    let gate = MachineRunner<Turnstile> { _, _ in refunds += 1 }
    var display: Display? = Display()
    if let display { gate.listeners.add(display) }
    #expect(gate.send(.push) == .ignored(because: "The arm is locked until a coin is paid."))
    #expect(display?.text == "locked")
    #expect(gate.send(.coin) == .transition(StateTransition(from: .locked, event: .coin, to: .unlocked)))
    #expect(display?.text == "unlocked")
    #expect(gate.send(.coin) == .stayed && refunds == 1)
    display = nil
    #expect(gate.listeners.count == 0)
  }

  @Test("The effects of an event receive its input, and an ignored event has no effects")
  func inputs() {
    let checkout = Checkout()
    checkout.receive(.pay(12))
    checkout.receive(.pay(7))
    #expect(checkout.balance == 12)
    checkout.receive(.refund(5))
    #expect(checkout.balance == 7)
  }

  /// A server that sends the test's answers.
  private actor Server {
    private var waiting: [String: CheckedContinuation<String, any Error>] = [:]

    func answer(_ question: String) async throws -> String {
      try await withCheckedThrowingContinuation { waiting[question] = $0 }
    }

    /// Waits for a question, and answers it. If the answer is `nil`, the call that asked the question throws.
    func send(_ answer: String?, to question: String) async {
      while waiting[question] == nil { await Task.yield() }
      let result: Result<String, any Error> = answer.map { .success($0) } ?? .failure(CancellationError())
      waiting.removeValue(forKey: question)?.resume(with: result)
    }
  }

  @Test("A helpdesk shows the answer to the last question, and keeps it after a cancelled or failed question")
  func activities() async throws {
    let server = Server()
    let helpdesk = Helpdesk { try await server.answer($0) }
    helpdesk.ask("one")
    helpdesk.ask("two")
    await server.send("1", to: "one")
    await server.send("2", to: "two")
    try await helpdesk.wait()
    #expect(helpdesk.answer == "2")

    helpdesk.ask("three")
    helpdesk.cancel()
    await server.send("3", to: "three")
    helpdesk.ask("four")
    await server.send(nil, to: "four")
    try await helpdesk.wait()
    #expect(helpdesk.answer == "2" && helpdesk.question == "four")
  }

  @Test("A runner doesn't retain its owner")
  func released() {
    weak var checkout: Checkout?
    do {
      let owner = Checkout()
      owner.receive(.pay(12))
      checkout = owner
    }
    #expect(checkout == nil)
  }

  @Test("A runner in an actor fires deadlines and performs effects on that actor")
  func actor() async {
    let clock = ManualClock()
    let crossing = Crossing()
    await crossing.start(clock: TaskClock(base: clock))
    await crossing.press()
    #expect(await crossing.beeps == 1)
    #expect(await crossing.waitForTransition(on: clock)?.description == "red → green (timeOver)")
    #expect(clock.now.offset >= .seconds(30))
  }

  @Test("A runner in an actor fires deadlines when the actor advances a manual clock")
  func manual() async {
    let clock = ManualClock()
    let crossing = Crossing()
    await crossing.start(clock: clock)
    #expect(await crossing.advance(clock, by: .seconds(50)) == .amber)
  }

  @Test("A runner on the main actor fires deadlines, including the initial state's")
  func mainActor() async {
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: TaskClock(base: clock)) { _, _ in }
    #expect(await light.waitForTransition(on: clock)?.to == .flashing)
    light.send(.turnOn)
    #expect(await light.waitForTransition(on: clock)?.to == .green)
  }

  @MainActor
  private final class Corner {
    static let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: TaskClock(base: clock)) { _, _ in }
    lazy var lazyLight = MachineRunner<TrafficLight>(clock: TaskClock(base: Corner.clock)) { _, _ in }
  }

  @Test("A runner that is a property's initial value fires no deadline before its first event")
  func properties() async {
    let corner = Corner()
    for light in [corner.light, corner.lazyLight] {
      for _ in 0..<100 {
        Corner.clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
      #expect(light.recentTransitions.isEmpty)
      light.send(.turnOn)
      #expect(light.state == .red)
      #expect(await light.waitForTransition(on: Corner.clock)?.to == .green)
    }
  }

  @Test("A runner outside an actor fires a deadline when expire is called")
  func expires() {
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: TaskClock(base: clock), isolation: nil) { _, _ in }
    light.send(.turnOn, isolation: nil)
    clock.advance(by: .seconds(31))
    #expect(light.state == .red && light.timeUntilDeadline == .zero)
    light.expire(isolation: nil)
    #expect(light.state == .green && light.timeUntilDeadline == .seconds(19))
  }

  @Test("A restored runner continues its deadline by the wall clock, and restarts it if that clock was set back")
  func restores() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let clock = ManualClock()
    let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
    light.send(.turnOn)
    clock.advance(by: .seconds(10))
    try save(light, to: file)

    clock.advance(by: .seconds(25))
    let later = try restoreLight(from: file, clock: clock)
    later.expire()
    #expect(later.state == .green)
    #expect(later.timeUntilDeadline.map { $0 > .seconds(14.9) && $0 < .seconds(15.1) } == true)

    clock.adjustDate(by: .seconds(-86_400))
    let setBack = try restoreLight(from: file, clock: clock)
    setBack.expire()
    #expect(setBack.state == .red && setBack.timeUntilDeadline == .seconds(30))

    clock.adjustDate(by: .seconds(86_400 + 16))
    let setForward = try restoreLight(from: file, clock: clock)
    setForward.expire()
    #expect(setForward.state == .amber)
  }

  /// The disk and the bank of an order. Everything that a program does to them counts as a step, and the program is killed after the last one.
  @MainActor
  private final class World {
    var file: Data?
    var charges: Set<UUID> = []
    var requests = 0
    var steps = 0
    let last: Int

    init(last: Int) { self.last = last }

    /// Returns whether the program still runs.
    func step() -> Bool {
      steps += 1
      return steps <= last
    }
  }

  @MainActor
  private static func order(in world: World) async throws -> Shop {
    let shop = try Shop(restoring: world.file) { number in
      await MainActor.run {
        guard world.step() else { return false }
        world.requests += 1
        world.charges.insert(number)
        return world.step()
      }
    } write: { data in
      if world.step() { world.file = data }
    }
    // A restored order goes on by itself; the user buys again only if there is none.
    try await shop.end()
    if world.charges.isEmpty { shop.buy() }
    try await shop.end()
    return shop
  }

  @Test("An order that is killed at any step and relaunched charges once", arguments: 0...5)
  func charge(killedAfter last: Int) async throws {
    let world = World(last: last)
    _ = try await Self.order(in: world)
    let next = World(last: .max)
    (next.file, next.charges, next.requests) = (world.file, world.charges, world.requests)
    _ = try await Self.order(in: next)
    #expect(next.charges.count == 1, "\(next.charges.count) charges after \(last) steps")
    #expect(next.requests <= 2)
  }

  @Test("An order that can't be saved isn't placed, and the user learns why")
  func full() async throws {
    struct Full: Error {}
    let shop = try Shop(restoring: nil, bank: { _ in true }, write: { _ in throw Full() })
    shop.buy()
    try await shop.end()
    #expect(shop.isDiskFull)
  }

  @Test("A function for each state handles each pair")
  func drill() {
    let table = TransitionTable<Drill>()
    #expect(table.rows.count == 9)
    #expect(table[state: .spinning, event: .jam] == .go(.stuck, []))
    #expect(table[state: .stuck, event: .release] == .go(.idle, []))
  }

  @Test("A transition table and an instance handle events without a runner")
  func table() {
    #expect(turnsRedAgain() == StateSnapshot(state: .red, enteredAt: .milliseconds(153_500)))
    let turnstile = TransitionTable<Turnstile>()
    var state = Turnstile.initialState
    turnstile.advance(&state, on: .coin)
    #expect(state == .unlocked)
    var light = MachineInstance<TrafficLight>(restoring: StateSnapshot(state: .red, enteredAt: .seconds(100)))
    let step = light.send(.button, at: .seconds(101))
    #expect(step.effects == [.beep])
    while light.expire(at: .seconds(180)) != nil {}
    #expect(light.snapshot == StateSnapshot(state: .red, enteredAt: .milliseconds(153_500)))
  }
}

import Foundation
import LocoMachineTesting
import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

/// A payment, with amounts as the events' data, and two states with deadlines.
enum Till: StateMachine {
  enum State: String, CaseIterable { case open, asking, paid, closed }
  enum Event: String, CaseIterable { case charge, approve, refuse, refund, timeOut }
  enum Effect: String { case ask, hold, capture, release, printReceipt }
  struct Input {
    let event: Event
    let amount: Int?
    init(_ event: Event, _ amount: Int? = nil) { (self.event, self.amount) = (event, amount) }

    static func charge(_ amount: Int) -> Input { Input(.charge, amount) }
  }
  static let initialState = State.open

  static func event(of input: Input) -> Event { input.event }

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.open, .charge): .go(.asking, [.hold, .ask])
    case (.asking, .approve): .go(.paid, [.capture, .printReceipt])
    case (.asking, .refuse): .go(.open, [.release])
    case (.asking, .timeOut): .go(.open, [.release])
    case (.asking, .charge): .stay([.hold])
    case (.paid, .refund): .stay([.release])
    case (.paid, .timeOut): .go(.closed, [])
    case (.paid, .charge): .go(.paid, [.hold])
    default: .ignore("Nothing to \(event.rawValue) while \(state.rawValue).")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .asking: .after(.seconds(30), Input(.timeOut), setting: "patience")
    case .paid: .after(.seconds(600), Input(.timeOut))
    case .open, .closed: nil
    }
  }
}

@Suite("A machine runner")
struct MachineRunnerTests {
  typealias TillRunner = MachineRunner<Till>

  /// A listener that records effects and callbacks in order.
  final class Trace: StateMachineListener {
    var lines: [String] = []
    var answers: [(on: String, input: Till.Input)] = []
    weak var runner: TillRunner?

    func note(_ line: String) {
      lines.append(line)
      guard let index = answers.firstIndex(where: { $0.on == line }) else { return }
      let answer = answers.remove(at: index)
      lines.append(
        "send \(answer.input.event): \(runner.map { $0.send(answer.input) == nil } == true ? "queued" : "?")")
    }

    func machine(_ runner: TillRunner, didTransition transition: StateTransition<Till>) {
      note("received \(transition), now \(runner.state)")
    }

    func machine(_ runner: TillRunner, didIgnore event: Till.Event, because reason: String) {
      note("received that \(event) is ignored: \(reason)")
    }

    static func runner(
      _ trace: Trace, _ clock: ManualClock = ManualClock(), _ snapshot: StateSnapshot<Till>? = nil
    ) -> TillRunner {
      let runner = TillRunner(restoring: snapshot, clock: clock, isolation: nil) {
        [weak trace] effect, input in
        trace?.note(
          "\(effect) \(input.amount.map(String.init) ?? "-") on \(input.event), now \(trace?.runner?.state.rawValue ?? "-")"
        )
      }
      trace.runner = runner
      runner.listeners.add(trace)
      return runner
    }
  }

  @Test("send returns what the machine did with the event")
  func outcomes() {
    let gate = MachineRunner<Turnstile> { _, _ in }
    #expect(gate.send(.push) == .ignored(because: "The arm is locked until a coin is paid."))
    #expect(gate.send(.coin) == .transition(StateTransition(from: .locked, event: .coin, to: .unlocked)))
    #expect(gate.send(.coin) == .stayed)
    #expect(gate.state == .unlocked && gate.timeUntilDeadline == nil)
    #expect(gate.recentTransitions.map(\.description) == ["locked → unlocked (coin)"])
  }

  @Test("The state is set, then the effects are performed in order, then listeners are called without the input")
  func order() {
    let trace = Trace()
    let till = Trace.runner(trace)
    till.send(.charge(5))
    till.send(.init(.approve))
    till.send(.init(.refund, 2))
    till.send(.init(.approve))
    #expect(
      trace.lines == [
        "hold 5 on charge, now asking", "ask 5 on charge, now asking", "received open → asking (charge), now asking",
        "capture - on approve, now paid", "printReceipt - on approve, now paid",
        "received asking → paid (approve), now paid", "release 2 on refund, now paid",
        "received that approve is ignored: Nothing to approve while paid.",
      ])
  }

  @Test("An event that an effect or a listener sends is handled after the listeners were called, with its own data")
  func queue() {
    let trace = Trace()
    let till = Trace.runner(trace)
    trace.answers = [
      ("hold 7 on charge, now asking", .charge(8)), ("ask 7 on charge, now asking", .init(.approve, 9)),
      ("received open → asking (charge), now asking", .init(.refund, 3)),
    ]
    #expect(till.send(.charge(7)) == .transition(StateTransition(from: .open, event: .charge, to: .asking)))
    #expect(
      trace.lines == [
        "hold 7 on charge, now asking", "send charge: queued", "ask 7 on charge, now asking", "send approve: queued",
        "received open → asking (charge), now asking", "send refund: queued", "hold 8 on charge, now asking",
        "capture 9 on approve, now paid", "printReceipt 9 on approve, now paid",
        "received asking → paid (approve), now paid", "release 3 on refund, now paid",
      ])
  }

  @Test("send returns the result of its own event, not of one that an effect or a listener sends")
  func ownOutcome() {
    let trace = Trace()
    let till = Trace.runner(trace)
    trace.answers = [("received open → asking (charge), now asking", .init(.refund))]
    #expect(till.send(.charge(1)) == .transition(StateTransition(from: .open, event: .charge, to: .asking)))
    trace.answers = [("hold 2 on charge, now asking", .init(.refund))]
    #expect(till.send(.charge(2)) == .stayed)
    trace.answers = [("received that refund is ignored: Nothing to refund while asking.", .init(.approve))]
    #expect(till.send(.init(.refund)) == .ignored(because: "Nothing to refund while asking."))
    #expect(till.state == .paid)
  }

  /// Data that sends an event when it is released. `@unchecked`, because the test uses one thread.
  private final class Lease: @unchecked Sendable {
    private let release: () -> Void
    init(release: @escaping () -> Void) { self.release = release }
    deinit { release() }
  }

  private enum Leases: StateMachine {
    enum State: String, CaseIterable { case idle, busy }
    enum Event: String, CaseIterable { case start, use, released }
    enum Effect: String { case send, count }
    enum Input { case start, use(Lease), released }
    static let initialState = State.idle
    static func event(of input: Input) -> Event {
      switch input {
      case .start: .start
      case .use: .use
      case .released: .released
      }
    }
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.idle, .start): .go(.busy, [.send])
      case (.busy, .released): .stay([.count])
      case (.busy, .use), (.idle, .use): .ignore("It isn't used.")
      case (.busy, .start), (.idle, .released): .ignore("It has started.")
      }
    }
  }

  /// ``Leases`` that a deadline starts.
  private enum LateLeases: StateMachine {
    static let initialState = Leases.initialState
    static func event(of input: Leases.Input) -> Leases.Event { Leases.event(of: input) }
    static func reaction(in state: Leases.State, to event: Leases.Event) -> Reaction<Leases.State, Leases.Effect> {
      Leases.reaction(in: state, to: event)
    }
    static func deadline(in state: Leases.State) -> Deadline<Self>? {
      state == .idle ? .after(.seconds(1), .start) : nil
    }
  }

  @Test("An event that the data of a deadline's events sends when it is released is handled too")
  func releasedByDeadline() {
    final class Owner: StateMachineListener {
      let clock = ManualClock()
      var (ignored, released) = (0, 0)
      lazy var runner: MachineRunner<LateLeases> = MachineRunner(clock: clock, isolation: nil) {
        [unowned self] effect, _ in
        guard effect == .send else { return released += 1 }
        for _ in 0..<100 {
          runner.send(
            .use(
              Lease { [unowned self] in
                // The core doesn't release the data, because it would be accessed while it handles the last event.
                #expect(ignored == 100)
                runner.send(.released)
              }))
        }
      }
      func machine(_: MachineRunner<LateLeases>, didIgnore event: Leases.Event, because reason: String) { ignored += 1 }
    }
    let owner = Owner()
    owner.runner.listeners.add(owner)
    owner.clock.advance(by: .seconds(2))
    #expect(owner.released == 100)
  }

  @Test("An event that the data of a queued event sends when it is released is handled too")
  func releasedData() {
    final class Owner {
      var released = 0
      lazy var runner: MachineRunner<Leases> = MachineRunner<Leases>(isolation: nil) { [unowned self] effect, _ in
        guard effect == .send else { return released += 1 }
        for _ in 0..<100 { runner.send(.use(Lease { [unowned self] in runner.send(.released) })) }
      }
    }
    let owner = Owner()
    owner.runner.send(.start)
    #expect(owner.released == 100)
  }

  @Test("An effect may send many events, and two machines may answer each other many times", arguments: [100_001])
  func many(count: Int) {
    let burst = Exchange(count)
    burst.ping.send(.coin)
    burst.isBurst = true
    burst.ping.send(.coin)
    #expect(burst.received == count)
    let exchange = Exchange(count)
    exchange.pong.send(.coin)
    exchange.ping.send(.coin)
    exchange.ping.send(.coin)
    #expect(exchange.received == count)
  }

  /// Two turnstiles. When unlocked, each refunds a coin by inserting one into the other; in a burst, `ping` inserts all coins into itself.
  private final class Exchange {
    let count: Int
    var received = 0
    var isBurst = false
    lazy var ping: MachineRunner<Turnstile> = MachineRunner(isolation: nil) { [unowned self] _, _ in
      received += 1
      if isBurst, received == 1 { for _ in 1..<count { ping.send(.coin, isolation: nil) } }
      if !isBurst, received < count { pong.send(.coin, isolation: nil) }
    }
    lazy var pong: MachineRunner<Turnstile> = MachineRunner(isolation: nil) { [unowned self] _, _ in
      received += 1
      if received < count { ping.send(.coin, isolation: nil) }
    }
    init(_ count: Int) { self.count = count }
  }

  #if os(Linux) || os(macOS)
    @Test("Events that answer each other endlessly stop the program")
    func endless() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let gate = Endless()
        gate.runner.send(.coin)
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains("Turnstile: effects and listeners sent more than 200000 events"))
      #expect(text.contains("without end"))
    }

    @Test("An event that can't occur stops a debug build, and the message names the machine, the state and the event")
    func impossible() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let fuse = MachineRunner<Fuse> { _, _ in }
        fuse.send(.melt)
        fuse.send(.melt)
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains("Fuse was sent melt in melted, which its table excludes: A fuse melts once."))
      await #expect(processExitsWith: .failure) {
        var state = Fuse.State.melted
        TransitionTable<Fuse>().advance(&state, on: .melt)
      }
      await #expect(processExitsWith: .failure) {
        var fuse = MachineInstance<Fuse>(restoring: StateSnapshot(state: .melted, enteredAt: .zero))
        fuse.send(.melt, at: .zero)
      }
    }

    private enum Fuse: StateMachine {
      enum State: String, CaseIterable { case whole, melted }
      enum Event: String, CaseIterable { case melt }
      enum Effect: String { case open }
      static let initialState = State.whole

      static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
        switch state {
        case .whole: .go(.melted, [.open])
        case .melted: .never("A fuse melts once.")
        }
      }
    }

    private final class Endless {
      lazy var runner: MachineRunner<Turnstile> = MachineRunner { [unowned self] _, _ in runner.send(.coin) }
      init() { runner.send(.coin) }
    }
  #endif

  @Test("A released listener no longer counts, and the newest 32 transitions are kept")
  func forgets() {
    let till = Trace.runner(Trace())
    #expect(till.listeners.count == 0)
    let gate = MachineRunner<Turnstile> { _, _ in }
    for _ in 0..<50 { [.coin, .push].forEach { gate.send($0) } }
    #expect(gate.recentTransitions.count == 32)
    #expect(gate.recentTransitions.last == StateTransition(from: .unlocked, event: .push, to: .locked))
  }

  @Test("A consumer receives the transitions until the runner is released")
  func transitions() async {
    var gate: MachineRunner<Turnstile>? = MachineRunner { _, _ in }
    let transitions = gate?.transitions
    gate?.send(.coin)
    gate?.send(.coin)
    gate?.send(.push)
    gate = nil
    var received: [String] = []
    if let transitions { for await transition in transitions { received.append(transition.description) } }
    #expect(received == ["locked → unlocked (coin)", "unlocked → locked (push)"])
  }

  @Test("A stream that its consumer drops is removed immediately, and the other streams continue")
  func droppedStreams() async {
    let gate = MachineRunner<Turnstile> { _, _ in }
    let kept = gate.transitions
    for _ in 0..<1_000 { _ = gate.transitions }
    #expect(gate.consumers.count == 1)
    gate.send(.coin)
    for await transition in kept {
      #expect(transition.to == .unlocked)
      break
    }
  }

  @Test("A runner works on the main actor and on another actor")
  @MainActor func owners() async {
    let gate = MachineRunner<Turnstile> { _, _ in }
    gate.send(.coin)
    #expect(gate.state == .unlocked)
    #expect(await Guard().pass() == .locked)
  }

  private actor Guard {
    private let gate = MachineRunner<Turnstile> { _, _ in }
    func pass() -> Turnstile.State {
      gate.send(.coin)
      gate.send(.push)
      return gate.state
    }
  }

  /// An object that counts how many of it exist.
  @MainActor private final class Counted {
    static var living = 0
    init() { Self.living += 1 }
    isolated deinit { Self.living -= 1 }
  }

  @Test(
    "A wait for a state leaves nothing behind, whether it ends, is cancelled, or was cancelled before",
    .timeLimit(.minutes(1)))
  @MainActor func waits() async throws {
    let runner = MachineRunner<Turnstile> { _, _ in }
    var tests = 0
    func wait(for state: Turnstile.State) -> Task<Turnstile.State, any Error> {
      let counted = Counted()
      return Task {
        try await runner.state { [counted] entered in
          tests += 1
          return withExtendedLifetime(counted) { entered == state }
        }
      }
    }
    let tasks = (0..<100).map { _ in wait(for: .unlocked) }
    while tests < 100 { await Task.yield() }
    for task in tasks[..<99] { task.cancel() }
    for task in tasks[..<99] { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(Counted.living == 1)
    let early = wait(for: .unlocked)
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    // Only the last wait is asked, once.
    tests = 0
    runner.send(.coin)
    #expect(tests == 1)
    #expect(try await tasks[99].value == .unlocked)
    runner.send(.push)
    #expect(tests == 1)
    // A wait that has ended isn't asked, though its task hasn't continued yet.
    let (met, cancelled) = (wait(for: .unlocked), wait(for: .unlocked))
    while tests < 3 { await Task.yield() }
    cancelled.cancel()
    for event in [Turnstile.Event.coin, .push, .coin] { runner.send(event) }
    #expect(tests == 4)
    #expect(try await met.value == .unlocked)
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    while Counted.living > 0 { await Task.yield() }
  }
}

#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoMachine
  @testable import LocoMachineTesting
  @testable import TestSupport

  /// Runners whose timers are tasks on another executor than their owner.
  @Suite("The timer of a runner")
  struct RunnerTimerTests {
    private enum Work: StateMachine {
      enum State: String, CaseIterable { case idle, busy }
      enum Event: String, CaseIterable { case start, stop, timeOver }
      enum Effect: String { case end }
      static let initialState = State.idle

      static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
        switch (state, event) {
        case (.idle, .start): .go(.busy, [])
        case (.busy, .stop): .go(.idle, [])
        case (.busy, .timeOver): .go(.idle, [.end])
        case (.busy, .start), (.idle, .stop), (.idle, .timeOver): .ignore("It has happened.")
        }
      }
      static func deadline(in state: State) -> Deadline<Self>? { state == .busy ? .after(.seconds(1), .timeOver) : nil }
    }

    /// A count that a thread can wait for.
    private final class Counter: @unchecked Sendable {
      private let condition = NSCondition()
      private var value = 0

      var count: Int { condition.withLock { value } }

      /// Counts a step, and takes it before another one is counted.
      func count(_ step: () -> Void) {
        condition.withLock {
          step()
          value += 1
          condition.broadcast()
        }
      }

      /// Waits until the count is greater than a number.
      func wait(beyond number: Int) { condition.withLock { while value <= number { condition.wait() } } }
    }

    /// A clock whose sleeps end when the test says so, also too early.
    private final class Bell: Clock {
      private struct State {
        var now = ManualClock().now
        var sleepers: [CheckedContinuation<Void, Never>] = []
        var deadlines: [ManualClock.Instant] = []
      }
      private let state = Locked(State())
      var now: ManualClock.Instant { state.change { $0.now } }
      var minimumResolution: Duration { .zero }
      /// The ends of all sleeps so far.
      var deadlines: [ManualClock.Instant] { state.change { $0.deadlines } }
      /// The number of sleeps so far.
      let slept = Counter()

      func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { sleeper in
          slept.count {
            state.change {
              $0.deadlines.append(deadline)
              $0.sleepers.append(sleeper)
            }
          }
        }
      }

      func advance(by time: Duration) { state.change { $0.now = $0.now.advanced(by: time) } }

      /// Ends all sleeps.
      func ring() {
        let sleepers = state.change { state in
          defer { state.sleepers = [] }
          return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
      }
    }

    /// A clock whose sleeps never end, which says when one begins and when it is cancelled.
    private struct Sleeps: Clock {
      let began: @Sendable () -> Void
      let cancelled: @Sendable () -> Void
      var now: ContinuousClock.Instant { .now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        began()
        do { try await Task.sleep(for: .seconds(86_400)) } catch {
          cancelled()
          throw error
        }
      }
    }

    @MainActor
    @Test("A released runner leaves no sleeping timer")
    func released() async throws {
      let (began, hasBegun) = AsyncStream<Void>.makeStream()
      let (cancelled, isCancelled) = AsyncStream<Void>.makeStream()
      let clock = Sleeps(began: { hasBegun.finish() }, cancelled: { isCancelled.finish() })
      var runner: MachineRunner<Work>? = MachineRunner(clock: clock) { _, _ in }
      runner?.send(.start)
      try await awaited("sleep") { for await _ in began {} }
      runner = nil
      try await awaited("cancellation") { for await _ in cancelled {} }
    }

    /// Runs an actor's jobs in order, and counts them.
    private final class Jobs: SerialExecutor, Sendable {
      private let queue = DispatchQueue(label: "owner")
      let queued = Counter()

      func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job may release the owner, and so the executor, before this function ends.
        let (queue, queued) = (queue, queued)
        queued.count { queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
      }
    }

    private enum Request {
      @TaskLocal static var number: Int?
    }

    private actor Owner {
      nonisolated let jobs = Jobs()
      nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }
      nonisolated let bell = Bell()
      var state: Work.State { runner.state }
      var requests: [Int?] = []
      lazy var runner: MachineRunner<Work> = MachineRunner(owner: self, clock: bell) { me, _, _ in
        me.requests.append(Request.number)
      }

      /// Starts work, and waits until the timer sleeps.
      func start() {
        let slept = bell.slept.count
        runner.send(.start)
        bell.slept.wait(beyond: slept)
      }

      /// Waits until the timer that waits for this actor has had its turn: jobs run in order.
      func letTheTimerTurn() async { await Task.yield() }

      /// Stops and starts work again while the first timer waits for this job to end.
      func restartWhileTheTimerWaits() {
        let count = jobs.queued.count
        bell.ring()
        jobs.queued.wait(beyond: count)
        runner.send(.stop)
        start()
      }

      /// Ends the timer's sleep, and waits until it waits for this job to end.
      func letTheTimerFire() {
        let count = jobs.queued.count
        bell.advance(by: .seconds(1))
        bell.ring()
        jobs.queued.wait(beyond: count)
      }
    }

    @Test("A timer that was cancelled while it waited for the owner doesn't fire")
    func cancelled() async {
      let owner = Owner()
      await owner.start()
      await owner.restartWhileTheTimerWaits()
      // Another timer would sleep soon.
      for _ in 0..<1_000 where owner.bell.slept.count == 2 { await owner.letTheTimerTurn() }
      #expect(await owner.state == .busy)
      #expect(owner.bell.slept.count == 2)
      owner.bell.ring()
    }

    @Test("The timer of an overdue deadline doesn't sleep until a time before the runner's creation")
    @MainActor
    func overdue() async {
      let bell = Bell()
      let yesterday = WallClock.sinceEpoch - .seconds(86_400)
      let work = MachineRunner<Work>(restoring: StateSnapshot(state: .busy, enteredAt: yesterday), clock: bell) {
        _, _ in
      }
      for _ in 0..<100_000 where bell.slept.count == 0 { await Task.yield() }
      #expect(bell.deadlines == [bell.now])
      bell.ring()
      for _ in 0..<100_000 where work.state == .busy { await Task.yield() }
      #expect(work.state == .idle)
    }

    @Test("After the call that handles an overdue deadline, a clock has no alarm for a state without a deadline")
    @MainActor
    func expired() {
      let clock = ManualClock()
      let snapshot = StateSnapshot<Work>(state: .busy, enteredAt: clock.sinceEpoch - .seconds(10))
      let work = MachineRunner(restoring: snapshot, clock: clock) { _, _ in }
      #expect(clock.nextEvent != nil)
      work.expire()
      #expect(work.state == .idle && clock.nextEvent == nil)
    }

    @Test("A deadline's effects have no values of the task whose event has set the timer")
    func values() async {
      let owner = Owner()
      await Request.$number.withValue(7) { await owner.start() }
      await owner.letTheTimerFire()
      await owner.letTheTimerTurn()
      let requests = await owner.requests
      #expect(requests == [Int?.none])
    }

    /// A runner of the main actor, which code in Swift 5 mode can use elsewhere.
    @MainActor
    private static func escaped() -> Unchecked {
      let runner = MachineRunner<Work>(clock: Bell()) { _, _ in }
      runner.send(.start)
      return Unchecked(runner: runner)
    }

    private struct Unchecked: @unchecked Sendable {
      let runner: MachineRunner<Work>
    }

    @Test(
      "An event outside the runner's actor stops a debug build, but not one that code without an actor sends inside")
    func elsewhere() async {
      let escaped = await Self.escaped()
      await MainActor.run { _ = escaped.runner.send(.stop, isolation: nil) }
      await MainActor.run { #expect(escaped.runner.state == .idle) }
      await #expect(processExitsWith: .failure) {
        let escaped = await Self.escaped()
        await Task.detached { _ = escaped.runner.send(.stop) }.value
      }
      await #expect(processExitsWith: .failure) {
        let escaped = await Self.escaped()
        await Task.detached { escaped.runner.expire() }.value
      }
      await #expect(processExitsWith: .failure) {
        let escaped = await Self.escaped()
        _ = try await Task.detached { try await escaped.runner.state { $0 == .busy } }.value
      }
      await #expect(processExitsWith: .failure) {
        let (escaped, other) = (await Self.escaped(), Other())
        await other.stop(escaped)
      }
    }

    private actor Other {
      func stop(_ escaped: Unchecked) { escaped.runner.send(.stop) }
    }

    @Test("A wait outside an actor, which nothing would end, stops the program")
    func waitWithoutOwner() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let runner = MachineRunner<Turnstile>(isolation: nil) { _, _ in }
        _ = try await runner.state(isolation: nil) { $0 == .locked }
        print("the current state needs no actor")
        _ = try await runner.state(isolation: nil) { $0 == .unlocked }
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains("A wait for a state of Turnstile needs an actor"))
    }
  }
#endif

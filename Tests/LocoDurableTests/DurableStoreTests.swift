import LocoFoundation
import Testing

@testable import LocoDurable
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("A durable store")
struct DurableStoreTests {
  /// A store that writes numbers to memory, and fails on request.
  private final class Numbers: DurableStore {
    struct Changes: UnwrittenChanges {
      var numbers: [Int] = []
      var isEmpty: Bool { numbers.isEmpty }
      mutating func begin() -> [Int] {
        defer { numbers = [] }
        return numbers
      }
      mutating func succeed(_: [Int]) {}
      mutating func fail(_ work: [Int]) { numbers = work + numbers }
    }

    let log: DurableLog<Changes>
    let disk = Locked((numbers: [Int](), problem: String?.none, writes: 0))
    /// Runs during each write.
    let duringWrite = Locked<(@Sendable () -> Void)?>(nil)

    init(_ reports: Reports) {
      log = DurableLog(Changes(), label: "numbers", failure: "no write", report: reports.add)
    }

    func write(_ work: [Int]) throws {
      duringWrite.change { $0 }?()
      let problem = disk.change { disk in
        disk.writes += 1
        if disk.problem == nil { disk.numbers += work }
        return disk.problem
      }
      if let problem { throw StoreError(problem) }
    }

    func append(_ number: Int) { change { $0.numbers.append(number) } }
  }

  @Test(
    "Changes are written once and in order despite failures, and a failure that repeats is reported once",
    arguments: 0..<40 as Range<UInt64>)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let reports = Reports()
    let numbers = Numbers(reports)
    var (count, streaks, last): (Int, Int, String?) = (0, 0, nil)
    for _ in 0..<30 {
      let problem = [nil, nil, "the disk is full", "no permission"][random.index(below: 4)]
      numbers.disk.change { $0.problem = problem }
      for _ in 0..<random.index(below: 4) {
        numbers.append(count)
        count += 1
      }
      let isWritten = numbers.synchronize(within: .seconds(60))
      let isComplete = numbers.disk.change { $0.numbers.count } == count
      #expect(isWritten == isComplete, "seed \(seed)")
      if isComplete {
        // After a success, the same failure is reported again.
        last = nil
      } else if problem != last {
        (streaks, last) = (streaks + 1, problem)
      }
    }
    numbers.disk.change { $0.problem = nil }
    #expect(numbers.synchronize(within: .seconds(60)), "seed \(seed)")
    #expect(numbers.disk.change { $0.numbers } == Array(0..<count), "seed \(seed)")
    #expect(reports.all.count == streaks, "seed \(seed): \(reports.all)")
  }

  @Test(
    "All changes are written without a call of synchronize, also those that are made during a write or after a failure",
    arguments: 0..<40 as Range<UInt64>)
  func progress(seed: UInt64) async throws {
    let numbers = Numbers(Reports())
    let state = Locked((random: SeededGenerator(seed: seed), next: 0, left: 40))
    /// Appends up to two numbers, as long as some are left. The last one comes during a write.
    @Sendable func append() {
      state.change { state in
        for _ in 0..<min(state.left, state.random.index(below: 3)) {
          numbers.append(state.next)
          (state.next, state.left) = (state.next + 1, state.left - 1)
        }
      }
    }
    numbers.duringWrite.change { $0 = { append() } }
    try await awaited("write of seed \(seed)", within: .seconds(60)) {
      while state.change({ $0.left > 0 }) || numbers.disk.change({ $0.numbers.count }) < 40 {
        // While all is written, the next change comes from here.
        let isIdle =
          numbers.log.update(\.isEmpty)
          && numbers.disk.change { disk in
            disk.numbers.count == state.change { $0.next }
          }
        if isIdle { append() }
        await Task.yield()
      }
    }
    #expect(numbers.disk.change { $0.numbers } == Array(0..<40), "seed \(seed)")
  }

  @Test("After a failure, changes wait for the retry unless they are urgent, and after the back-off they don't wait")
  func backOff() {
    var (schedule, now) = (WriteSchedule(), ContinuousClock.now)
    func begins(after delay: Duration = .zero, isUrgent: Bool = false) -> Bool {
      schedule.schedule(isUrgent: isUrgent, at: now + delay)
    }
    func fail() -> Duration {
      _ = schedule.begin(isEmpty: false)
      return schedule.fail("the disk is full", at: now).delay
    }
    #expect([begins(), begins()] == [true, false])
    var delays: [Duration] = []
    for _ in 0..<14 {
      let delay = fail()
      delays.append(delay)
      #expect([begins(), begins(after: delay - .milliseconds(1))] == [false, false])
      now += delay
      #expect([begins(), begins()] == [true, false])
    }
    #expect(delays.first == .milliseconds(500) && delays.last == .seconds(300))
    _ = fail()
    // A write that someone waits for succeeds during the back-off, which ends it.
    _ = schedule.begin(isEmpty: false)
    let hasMore = schedule.succeed(isEmpty: true)
    #expect([hasMore, begins(), begins()] == [false, true, false])
    _ = fail()
    #expect([begins(), begins(isUrgent: true), begins(isUrgent: true)] == [false, true, false])
  }

  @Test("During the back-off, a change begins no write")
  func quiet() async throws {
    let numbers = Numbers(Reports())
    numbers.disk.change { $0.problem = "the disk is full" }
    let began = ContinuousClock.now
    for number in 0..<1_000 {
      numbers.append(number)
      await Task.yield()
    }
    // All earlier writes of the queue are done.
    #expect(!numbers.synchronize(within: .seconds(60)))
    // The first write, the retries after 0.5 s, 1 s, 2 s and so on, and that of `synchronize`.
    var (writes, end) = (2, began + .milliseconds(500))
    var delay = Duration.seconds(1)
    while end < .now {
      writes += 1
      end += delay
      delay *= 2
    }
    #expect(numbers.disk.change { $0.writes } <= writes)
  }

  @Test("A failed write is retried without another change")
  func retried() async throws {
    let numbers = Numbers(Reports())
    numbers.disk.change { $0.problem = "the disk is full" }
    numbers.duringWrite.change { [disk = numbers.disk] in
      $0 = { disk.change { if $0.writes > 0 { $0.problem = nil } } }
    }
    numbers.append(1)
    try await awaited("retry") { while numbers.disk.change({ $0.numbers }) != [1] { await Task.yield() } }
    #expect(numbers.disk.change { $0.writes } == 2)
  }

  @Test("Changes that are made while the queue is busy are written together")
  func together() async throws {
    let numbers = Numbers(Reports())
    _ = try await numbers.perform { numbers in for number in 0..<1_000 { numbers.append(number) } }
    #expect(numbers.synchronize(within: .seconds(60)))
    let (written, writes) = numbers.disk.change { ($0.numbers, $0.writes) }
    #expect(written == Array(0..<1_000) && writes <= 2)
  }

  #if os(Linux)
    @Test("A report to a pipe without a reader is dropped, and doesn't end the process")
    func brokenPipe() async {
      await #expect(processExitsWith: .success) {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO)
        reportProblem("It is written.")
        var line = [UInt8](repeating: 0, count: 100)
        precondition(read(ends[0], &line, 100) == "LocoKit: It is written.\n".utf8.count)
        close(ends[0])
        signal(SIGPIPE, SIG_DFL)
        reportProblem("Nobody reads it.")
        _exit(EXIT_SUCCESS)
      }
    }

    @Test("A report to a full pipe that nobody reads doesn't wait")
    func fullPipe() async {
      await #expect(processExitsWith: .success) {
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        while write(ends[1], "a line of text\n", 15) > 0 {}
        precondition(
          errno == EAGAIN && fcntl(ends[1], F_SETFL, 0) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO)
        // Ends a process that waits.
        alarm(20)
        reportProblem("It isn't written.")
        // Whatever else writes to standard error would wait, too.
        _exit(EXIT_SUCCESS)
      }
    }
  #endif

  @Test("Dropping a store doesn't lose its changes")
  func dropped() async throws {
    let disk = {
      let numbers = Numbers(Reports())
      for number in 0..<10 { numbers.append(number) }
      return numbers.disk
    }()
    let written = try await awaited("write") {
      while disk.change({ $0.numbers.count }) < 10 { await Task.yield() }
      return disk.change { $0.numbers }
    }
    #expect(written == Array(0..<10))
  }
}

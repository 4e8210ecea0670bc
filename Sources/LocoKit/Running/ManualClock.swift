public import Foundation

/// A clock whose time passes when a test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
/// light.send(.turnOn)
/// clock.advance(by: .seconds(30))
/// #expect(light.state == .green)
/// ```
///
/// The deadlines of a ``MachineRunner`` fire within ``advance(by:)``, in their order, so a test of code that doesn't wait needs no `await`.
/// For `async` code that sleeps on this clock, ``advance(atMost:isolation:while:)`` lets time pass while the code runs. A simulated device
/// shares its time with the clock in ``SimulatedProvider/clock``.
///
/// Any task may sleep on the clock. Move it in the isolation of the runners that use it.
public final class ManualClock: Clock, Sendable {
  /// A time of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock's zero.
    public let offset: Duration

    /// A time so long after the clock's zero.
    public init(offset: Duration) { self.offset = offset }

    /// A later time, or an earlier one where `duration` is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether an instant is before another.
    public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  /// The clock has reached the limit before code that ``ManualClock/advance(atMost:isolation:while:)`` ran had ended.
  public struct TimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// How much of the clock's time went by.
    public let limit: Duration
    /// A sentence for a failed test.
    public var description: String { "What was run had not ended after \(limit) of the clock's time." }
  }

  /// An event at a time: a task resumes, or a runner's alarm fires.
  private struct Event: @unchecked Sendable {
    let time: Duration
    /// The runner of an alarm.
    let owner: ObjectIdentifier?
    let happen: () -> Void
    /// Ends the sleep of a task that was cancelled.
    var cancel: () -> Void = {}
  }

  private struct State: Sendable {
    var now = Duration.zero
    var dateAtZero: Date
    var isAdvancing = false
    /// By their numbers: of two events at one time the first comes first.
    var events: [Int: Event] = [:]
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    var number = 0
    var device: Device?

    mutating func makeNumber() -> Int {
      number += 1
      return number
    }

    var next: (number: Int, event: Event)? {
      events.min { ($0.value.time, $0.key) < ($1.value.time, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Removes the next event, unless it is after a time, and sets the clock to its time.
    mutating func removeNext(until end: Duration) -> Event? {
      guard let next, next.event.time <= end else { return nil }
      events[next.number] = nil
      now = max(now, next.event.time)
      return next.event
    }
  }

  /// The device that shares the clock's time.
  private struct Device: @unchecked Sendable {
    weak var timeline: (any Timeline)?
  }

  private let state: Locked<State>

  /// A clock at zero.
  ///
  /// - Parameter date: The wall clock at that time.
  public init(date: Date = Date(timeIntervalSince1970: 1_750_000_000)) {
    state = Locked(State(dateAtZero: date))
  }

  /// The time.
  public var now: Instant { Instant(offset: state.change { $0.now }) }
  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }
  /// The wall clock. It advances with the time; ``setDate(by:)`` sets it.
  public var date: Date { state.change { $0.dateAtZero.addingTimeInterval($0.now.inSeconds) } }

  /// Sets the wall clock forward, or back where `duration` is negative. The time stays.
  public func setDate(by duration: Duration) {
    state.change { $0.dateAtZero.addTimeInterval(duration.inSeconds) }
  }
}

// MARK: - Sleeping

extension ManualClock {
  /// Suspends the task until the clock has reached a time.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.change { $0.makeNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let event = Event(
          time: deadline.offset, owner: nil, happen: { continuation.resume() },
          cancel: { continuation.resume(throwing: CancellationError()) })
        let isCancelled: Bool? = state.change { state in
          if state.cancelled.remove(number) != nil { return true }
          if deadline.offset <= state.now { return false }
          state.events[number] = event
          return nil
        }
        if let isCancelled { isCancelled ? event.cancel() : event.happen() }
      }
    } onCancel: {
      let event: Event? = state.change { state in
        guard let event = state.events.removeValue(forKey: number) else {
          state.cancelled.insert(number)
          return nil
        }
        return event
      }
      event?.cancel()
    }
    state.change { _ = $0.cancelled.remove(number) }
  }

  /// Suspends the task for a time of the clock.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }

  /// Has an owner called at a time, instead of the time before; `nil` cancels that.
  func setAlarm(for owner: AnyObject, at time: Instant?, _ fire: @escaping () -> Void = {}) {
    let owner = ObjectIdentifier(owner)
    let event = time.map { Event(time: $0.offset, owner: owner, happen: fire) }
    state.change { state in
      for (number, event) in state.events where event.owner == owner { state.events[number] = nil }
      if let event { state.events[state.makeNumber()] = event }
    }
  }
}

// MARK: - Time passes

/// A simulation of time: a clock or a device.
protocol Timeline: AnyObject {
  /// The time that has passed.
  var elapsed: Duration { get }
  /// The time of the next event, its own or one of a timeline that shares its time; `nil` where none is to come.
  var nextEvent: Duration? { get }
  /// The time of the next event, without those of other timelines.
  var nextOwnEvent: Duration? { get }
  /// Lets the next event happen.
  func happenNext()
  /// Sets the time to a later one, before which nothing happens.
  func skip(to time: Duration)
  /// Lets time pass until a time.
  func run(until deadline: Duration)
}

extension ManualClock: Timeline {
  /// Lets time pass. Deadlines fire, and tasks that sleep on the clock resume, in the order of their times; a task runs when its
  /// executor has time for it, which may be later.
  ///
  /// - Precondition: `duration` is not negative. Not called from an effect, a listener or a report that this causes.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "A clock's time passes for 0 s or longer, not for \(duration).")
    run(until: elapsed + duration)
  }

  /// Runs `async` code, and lets time pass until it has ended.
  ///
  /// ```swift
  /// let reply = try await clock.advance(atMost: .seconds(60)) { try await client.connect() }
  /// ```
  ///
  /// Begins `body` in the isolation of the caller, and lets one event after the other happen. In between, the tasks of this actor run until
  /// they wait, among them `body`. Its work on other executors takes real time, during which the clock advances.
  ///
  /// - Parameters:
  ///   - limit: How much time may pass. More than 0.
  ///   - isolation: The caller's actor.
  ///   - body: What waits for the clock. Its task is cancelled where the time is over, or the caller's task is cancelled.
  /// - Throws: What `body` throws; ``TimeLimitExceeded`` where the time is over; `CancellationError` where the caller's task is
  ///   cancelled.
  /// - Precondition: The caller belongs to an actor.
  public func advance<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)? = #isolation,
    while body: @escaping () async throws -> Value
  ) async throws -> Value {
    try await pass(atMost: limit, isolation: isolation, while: body)
  }

  var elapsed: Duration { now.offset }

  var nextEvent: Duration? { earlier(nextOwnEvent, device?.nextOwnEvent) }

  var nextOwnEvent: Duration? { state.change { $0.next?.event.time } }

  func happenNext() {
    if let time = nextEvent { step(until: time) }
  }

  func run(until deadline: Duration) {
    let isNested = state.change { state in
      defer { state.isAdvancing = true }
      return state.isAdvancing
    }
    precondition(!isNested, "Time cannot be made to pass by what happens while it passes.")
    while step(until: deadline) {}
    skip(to: deadline)
    device?.skip(to: deadline)
    state.change { $0.isAdvancing = false }
  }

  func skip(to time: Duration) { state.change { $0.now = max($0.now, time) } }

  /// Lets the next event happen, unless it is after a time.
  @discardableResult
  private func step(until end: Duration) -> Bool {
    if let device, let time = device.nextOwnEvent, time <= end, time <= nextOwnEvent ?? time {
      skip(to: time)
      device.happenNext()
      return true
    }
    guard let event = state.change({ $0.removeNext(until: end) }) else { return false }
    device?.skip(to: event.time)
    event.happen()
    return true
  }

  private var device: (any Timeline)? { state.change { $0.device }?.timeline }

  /// A clock that shares its time with a device, from now on.
  convenience init(for device: some Timeline, date: Date) {
    self.init(date: date.addingTimeInterval(-device.elapsed.inSeconds))
    let (now, device) = (device.elapsed, Device(timeline: device))
    state.change { ($0.now, $0.device) = (now, device) }
  }
}

extension Timeline {
  /// Runs `async` code, and lets time pass until it has ended.
  func pass<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)?, while body: @escaping () async throws -> Value
  ) async throws -> Value {
    precondition(isolation != nil, "Code that waits for virtual time belongs to the actor that lets it pass.")
    precondition(limit > .zero, "The time that may pass is more than 0.")
    let outcome = TimelineOutcome<Value>()
    let task = Task {
      _ = isolation
      do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
    }
    let deadline = elapsed + limit
    var waits = 0
    while true {
      for _ in 0..<yieldsPerEvent {
        if let result = outcome.result { return try result.get() }
        await Task.yield()
      }
      if Task.isCancelled || elapsed >= deadline { break }
      if nextEvent == nil, waits < mostWaits {
        // A task that is about to sleep may be on its way through another executor.
        waits += 1
        try? await Task.sleep(for: .milliseconds(1))
        continue
      }
      waits = 0
      run(until: min(deadline, nextEvent ?? deadline))
    }
    task.cancel()
    await task.value
    try Task.checkCancellation()
    throw ManualClock.TimeLimitExceeded(limit: limit)
  }

  /// How often the actor's other tasks get their turn between two events. A report of a device passes through a stream to a task, and
  /// from there to those that wait for it: each step is a turn, and code has a few of them.
  private var yieldsPerEvent: Int { 16 }
  /// The milliseconds of real time before virtual time advances if no event is scheduled.
  private var mostWaits: Int { 50 }
}

private final class TimelineOutcome<Value> {
  var result: Result<Value, any Error>?
}

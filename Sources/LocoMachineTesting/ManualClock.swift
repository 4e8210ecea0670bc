public import LocoMachine

/// A clock that a test advances.
///
/// ```swift
/// let clock = ManualClock()
/// let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
/// light.send(.turnOn)
/// clock.advance(by: .seconds(30))
/// #expect(light.state == .green)
/// ```
///
/// ``advance(by:)`` fires the deadlines of a `MachineRunner` in order, so a test of synchronous code needs no `await`.
/// ``advance(atMost:isolation:while:)`` advances the clock while `async` code that sleeps on it runs. A simulated device shares its time
/// with the clock in `SimulatedProvider.clock`.
///
/// Any task may sleep on the clock. Advance the clock in the isolation of the runners that use it.
public final class ManualClock: Clock, AlarmClock {
  /// A time of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock's zero.
    public let offset: Duration

    /// Returns a later instant, or an earlier one if `duration` is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns whether the first instant is before the second.
    public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  /// The error of ``ManualClock/advance(atMost:isolation:while:)`` if the code doesn't end before the limit.
  package struct TimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// The limit.
    package let limit: Duration
    /// A message for a failed test.
    package var description: String { "The code hadn't ended after \(limit) of the clock's time." }
  }

  /// An event at a time: a task resumes, or a runner's alarm fires.
  ///
  /// `@unchecked`, because an alarm's closure isn't `Sendable`. Only the code that advances the clock calls it, in the runner's
  /// isolation.
  private struct Event: @unchecked Sendable {
    let place: Place
    /// The owner of an alarm; `nil` for a sleeping task.
    let owner: ObjectIdentifier?
    let happen: () -> Void
    /// Ends the sleep of a task that was cancelled.
    var cancel: () -> Void = {}
  }

  /// The place of an event in the order. Events at the same time happen in the order of their numbers.
  private typealias Place = (time: Duration, number: Int)

  private struct State: Sendable {
    var now = Duration.zero
    /// The wall clock's time since the beginning of 1970, when the clock is at zero.
    var sinceEpochAtZero: Duration
    var isAdvancing = false
    /// The events in order. Most are added at the end and removed at the beginning, which a slice does in constant time.
    private var events: ArraySlice<Event> = []
    private var alarms: [ObjectIdentifier: Place] = [:]
    /// The numbers of the sleeps that were cancelled before their event was added, or after it happened.
    var cancelled: Set<Int> = []
    var number = 0
    var device: Device?

    init(sinceEpochAtZero: Duration) { self.sinceEpochAtZero = sinceEpochAtZero }

    var nextTime: Duration? { events.first?.place.time }

    mutating func makeNumber() -> Int {
      number += 1
      return number
    }

    mutating func add(_ event: Event) {
      if let owner = event.owner { alarms[owner] = event.place }
      events.insert(event, at: index(of: event.place))
    }

    mutating func remove(_ place: Place) -> Event? {
      let index = index(of: place)
      return index < events.endIndex && events[index].place == place ? events.remove(at: index) : nil
    }

    mutating func removeAlarm(of owner: ObjectIdentifier) {
      if let place = alarms.removeValue(forKey: owner) { _ = remove(place) }
    }

    /// Returns the index of the first event that isn't before a place.
    private func index(of place: Place) -> Int {
      var range = events.indices
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range = events[middle].place < place ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound
    }

    /// Removes and returns the next event, and sets the clock to its time; returns `nil` if no event is due by `end`.
    mutating func removeNext(until end: Duration) -> Event? {
      guard let time = nextTime, time <= end, let event = events.popFirst() else { return nil }
      if let owner = event.owner { alarms[owner] = nil }
      now = max(now, time)
      return event
    }
  }

  /// The device that shares the clock's time.
  ///
  /// `@unchecked`, because a device isn't `Sendable`: only code that advances the time, on the device's actor, uses it.
  private struct Device: @unchecked Sendable {
    weak var timeline: (any Timeline)?
  }

  private let state: Locked<State>

  /// Creates a clock at zero. Its wall clock begins on 15 June 2025.
  public convenience init() { self.init(sinceEpoch: .seconds(1_750_000_000)) }

  /// - Parameter sinceEpoch: The wall clock's time since the beginning of 1970, when the clock is at zero.
  package init(sinceEpoch: Duration) { state = Locked(State(sinceEpochAtZero: sinceEpoch)) }

  /// The current time.
  public var now: Instant { Instant(offset: state.change { $0.now }) }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }
  /// The wall clock, as the time since the beginning of 1970: the time of a `StateSnapshot` whose state is entered now.
  public var sinceEpoch: Duration { state.change { $0.sinceEpochAtZero + $0.now } }

  /// Sets the wall clock forward, or back if `duration` is negative. ``now`` stays the same.
  public func adjustDate(by duration: Duration) {
    state.change { $0.sinceEpochAtZero += duration }
  }

  // MARK: - Sleeping

  /// Suspends the task until the clock reaches a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let place: Place = (deadline.offset, state.change { $0.makeNumber() })
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let event = Event(place: place, owner: nil) {
          continuation.resume()
        } cancel: {
          continuation.resume(throwing: CancellationError())
        }
        let isCancelled: Bool? = state.change { state in
          if state.cancelled.remove(place.number) != nil { return true }
          if place.time <= state.now { return false }
          state.add(event)
          return nil
        }
        if let isCancelled { isCancelled ? event.cancel() : event.happen() }
      }
    } onCancel: {
      let event: Event? = state.change { state in
        let event = state.remove(place)
        if event == nil { state.cancelled.insert(place.number) }
        return event
      }
      event?.cancel()
    }
    state.change { _ = $0.cancelled.remove(place.number) }
  }

  package func setAlarm(for owner: AnyObject, at time: Duration?, _ fire: @escaping () -> Void) {
    let owner = ObjectIdentifier(owner)
    let event = time.map { Event(place: ($0, state.change { $0.makeNumber() }), owner: owner, happen: fire) }
    state.change { state in
      state.removeAlarm(of: owner)
      if let event { state.add(event) }
    }
  }
}

extension ManualClock: Timeline {
  /// Advances the clock. Deadlines fire and sleeping tasks resume in the order of their times. A resumed task runs when its executor
  /// schedules it, possibly after this call returns.
  ///
  /// - Precondition: `duration` isn't negative. The call is in the isolation of the clock's runners: a test of a runner on the main actor is
  ///   `@MainActor`. It isn't nested in an effect, a listener or a report that this function causes.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "A clock can't advance by \(duration), which is negative.")
    run(until: elapsed + duration)
  }

  /// Suspends the program: the time passes, and then the deadlines that have passed fire late, and the sleeping tasks resume.
  ///
  /// A simulated device that shares the clock's time has its own `SimulatedProvider.suspend()`.
  ///
  /// - Precondition: As of ``advance(by:)``. No device shares the clock's time.
  public func suspend(for duration: Duration) {
    precondition(duration >= .zero, "A program can't be suspended for \(duration), which is negative.")
    precondition(device == nil, "A device shares the clock's time: suspend the device instead.")
    skip(to: elapsed + duration)
    run(until: elapsed)
  }

  /// Runs `async` code, and advances the clock until the code ends.
  ///
  /// ```swift
  /// let reply = try await clock.advance(atMost: .seconds(60)) { try await client.connect() }
  /// ```
  ///
  /// Starts `body` in the caller's isolation, and advances the clock from event to event. Before each advance, the function yields to
  /// the tasks of this actor, including `body`. Work on other executors takes real time, during which the clock may advance. So the
  /// clock's time at the end of such work depends on the speed of the computer.
  ///
  /// - Parameters:
  ///   - limit: The maximum time that passes on the clock. More than 0.
  ///   - isolation: The caller's actor.
  ///   - body: The code. The task of the code is cancelled at the limit, and if the caller's task is cancelled.
  /// - Throws: The errors of `body`; an error with a description at the limit; `CancellationError` if the caller's task is cancelled.
  /// - Precondition: The caller is isolated to an actor.
  @discardableResult
  public func advance<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)? = #isolation,
    while body: @escaping () async throws -> Value
  ) async throws -> Value {
    try await pass(atMost: limit, isolation: isolation, while: body)
  }

  package var elapsed: Duration { now.offset }

  /// The time of the next deadline, or of the next wake-up of a task that sleeps, since the clock's zero; `nil` if none is pending.
  ///
  /// The task of an activity runs on another executor. Before a test advances the clock past the task's first sleep, it waits until the task
  /// sleeps: `while clock.nextEvent != .seconds(2) { await Task.yield() }`.
  public var nextEvent: Duration? { earlier(nextOwnEvent, device?.nextOwnEvent) }

  package var nextOwnEvent: Duration? { state.change { $0.nextTime } }

  package func happenNext() {
    if let time = nextEvent { step(until: time) }
  }

  package func run(until deadline: Duration) {
    let isNested = state.change { state in
      defer { state.isAdvancing = true }
      return state.isAdvancing
    }
    precondition(!isNested, "A clock can't be advanced by one of its own events, or by two threads at once.")
    var (since, count) = (elapsed, 0)
    while step(until: deadline) {
      count += 1
      if elapsed - since >= .milliseconds(1) {
        (since, count) = (elapsed, 0)
      } else if count > Self.maximumEvents {
        // A precondition prints no message in a release build.
        fatalError(
          "\(Self.maximumEvents) events happened within a millisecond of a clock's time: a deadline or a sleep is too short, or never ends."
        )
      }
    }
    skip(to: deadline)
    device?.skip(to: deadline)
    state.change { $0.isAdvancing = false }
  }

  /// The maximum number of events within a millisecond. More events are considered endless.
  private static var maximumEvents: Int { 200_000 }

  package func skip(to time: Duration) { state.change { $0.now = max($0.now, time) } }

  /// Handles the next event and returns `true`, or returns `false` if no event is due by `end`.
  @discardableResult
  private func step(until end: Duration) -> Bool {
    if let device, let time = device.nextOwnEvent, time <= end, time <= nextOwnEvent ?? time {
      skip(to: time)
      device.happenNext()
      return true
    }
    guard let event = state.change({ $0.removeNext(until: end) }) else { return false }
    device?.skip(to: event.place.time)
    event.happen()
    return true
  }

  private var device: (any Timeline)? { state.change { $0.device }?.timeline }

  /// Creates a clock that shares its time with a device.
  package convenience init(for device: some Timeline, sinceEpoch: Duration) {
    self.init(sinceEpoch: sinceEpoch - device.elapsed)
    let (now, device) = (device.elapsed, Device(timeline: device))
    state.change { ($0.now, $0.device) = (now, device) }
  }
}

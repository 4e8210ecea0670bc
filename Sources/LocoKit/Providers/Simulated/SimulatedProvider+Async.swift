extension SimulatedProvider {
  /// Code that ``advance(atMost:isolation:while:)`` ran had not ended when its time was over.
  package typealias TimeLimitExceeded = ManualClock.TimeLimitExceeded

  /// Runs `async` code, and lets time pass until it has ended.
  ///
  /// ```swift
  /// let place = try await device.advance(atMost: .seconds(60)) { try await manager.acquire() }
  /// ```
  ///
  /// Begins `body` in the isolation of the caller, which is the device's, and lets one thing after the other happen. In between, the tasks
  /// of this actor run until they wait, among them `body`. What it does elsewhere takes real time, and the device's goes on
  /// meanwhile. Returns, or throws, what `body` does, as soon as it has ended.
  ///
  /// - Parameters:
  ///   - limit: How much of the device's time may pass. More than 0.
  ///   - isolation: The actor that owns the device: the caller's.
  ///   - body: What waits for the device. Its task is cancelled where the time is over, or the caller's task is cancelled.
  /// - Throws: What `body` throws; ``ManualClock/TimeLimitExceeded`` where the time is over; `CancellationError` where the caller's task is
  ///   cancelled.
  /// - Precondition: The caller belongs to an actor.
  public func advance<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)? = #isolation,
    while body: @escaping () async throws -> Value
  ) async throws -> Value {
    try await pass(atMost: limit, isolation: isolation, while: body)
  }

  /// The device's time as a clock, for deadlines and for code that sleeps.
  ///
  /// ```swift
  /// let device = SimulatedProvider(route: .losAngeles, seed: 1)
  /// let light = MachineRunner<TrafficLight>(clock: device.clock) { _, _ in }
  /// device.advance(by: .seconds(600))  // the device drives on, and the light's deadlines fire
  /// ```
  ///
  /// Moving either moves the other. The clock's date is the device's when this is first read, and goes on from there.
  public var clock: ManualClock {
    if let sharedClock { return sharedClock }
    let clock = ManualClock(for: self, date: date)
    sharedClock = clock
    return clock
  }
}

extension SimulatedProvider: Timeline {
  var elapsed: Duration { uptime }

  var nextEvent: Duration? { earlier(nextOwnEvent, sharedClock?.nextOwnEvent) }

  var nextOwnEvent: Duration? { agenda.next.map { .nanoseconds($0) } }

  func skip(to time: Duration) { now = max(now, time.inNanoseconds) }

  func happenNext() {
    guard let next = agenda.next else { return }
    now = max(now, next)
    isAdvancing = true
    if let event = agenda.removeNext() { happen(event) }
    isAdvancing = false
  }
}

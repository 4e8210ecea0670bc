#if !hasFeature(Embedded)
  /// A runner's clock, which counts from the runner's creation, and the wall clock.
  struct RunnerClock {
    let now: () -> Duration
    let sleep: @Sendable (_ time: Duration) async throws -> Void
    /// The clock, if it fires alarms itself; otherwise `nil`, and a task sleeps on it.
    let alarms: (any AlarmClock)?
    /// The time of `alarms` at the runner's creation.
    let start: Duration

    init<C: Clock<Duration>>(_ clock: C) {
      let start = clock.now
      now = { start.duration(to: clock.now) }
      // Swift's runtimes before 6.2 never wake a task that sleeps until a time before the device's start.
      sleep = { try await clock.sleep(until: start.advanced(by: max(.zero, $0)), tolerance: nil) }
      alarms = clock as? any AlarmClock
      self.start = alarms?.elapsed ?? .zero
    }

    var sinceEpoch: Duration { alarms?.sinceEpoch ?? WallClock.sinceEpoch }
  }
#endif

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
      sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
      alarms = clock as? any AlarmClock
      self.start = alarms?.elapsed ?? .zero
    }

    var sinceEpoch: Duration { alarms?.sinceEpoch ?? WallClock.sinceEpoch }
  }

  /// A clock that fires the alarms of runners in order, so that no task sleeps on it: the clock of a test.
  package protocol AlarmClock: AnyObject, Sendable {
    /// The time since the clock's zero.
    var elapsed: Duration { get }
    /// The wall clock, as the time since the beginning of 1970.
    var sinceEpoch: Duration { get }
    /// Sets the alarm of an owner, and replaces an earlier alarm; a `time` of `nil` cancels it.
    func setAlarm(for owner: AnyObject, at time: Duration?, _ fire: @escaping () -> Void)
  }
#endif

#if !hasFeature(Embedded)
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

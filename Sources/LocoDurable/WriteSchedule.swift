/// The state of a queue that writes changes, with a background activity that it ends once all changes are written.
package struct WriteSchedule: Sendable {
  package private(set) var isWriting = false
  private var isScheduled = false
  private var activity: BackgroundActivity?
  /// The number of the latest retry. An earlier retry that is still scheduled is obsolete; otherwise retries would multiply.
  package private(set) var latestRetry = 0
  private var failures = 0
  /// The reason why the last write failed; `nil` if it succeeded.
  package private(set) var failure: String?
  /// The end of the back-off. This clock also runs while the app is suspended.
  private var retryTime: ContinuousClock.Instant?

  package struct Retry: Sendable {
    package let number: Int
    /// Half a second to five minutes.
    package let delay: Duration
    /// `false` if the previous attempt failed for the same reason.
    package let isNew: Bool
  }

  package init() {}

  /// - Parameter isUrgent: Whether the change is written during the back-off after a failure. Otherwise, the retry writes it.
  /// - Returns: Whether the caller has to schedule a write.
  package mutating func schedule(isUrgent: Bool, at now: ContinuousClock.Instant = .now) -> Bool {
    if isScheduled { return false }
    if let retryTime, !isUrgent, now < retryTime { return false }
    isScheduled = true
    return true
  }

  /// Keeps an activity until everything is written, and ends the activity that it replaces.
  package mutating func keep(_ activity: BackgroundActivity) {
    self.activity?.end()
    self.activity = activity
  }

  /// Begins a write if there are changes, and returns whether there are.
  package mutating func begin(isEmpty: Bool) -> Bool {
    if isEmpty { end() } else { isWriting = true }
    return !isEmpty
  }

  /// Ends a write.
  ///
  /// - Parameter isEmpty: Whether nothing was added during the write.
  /// - Returns: Whether there is more to write.
  package mutating func succeed(isEmpty: Bool) -> Bool {
    (isWriting, failures, failure, retryTime) = (false, 0, nil, nil)
    if isEmpty { end() }
    return !isEmpty
  }

  package mutating func fail(_ reason: String, at now: ContinuousClock.Instant = .now) -> Retry {
    (isWriting, isScheduled) = (false, false)
    #if os(macOS)
      // No time limit ends the activity there, and the retries may last for days.
      activity?.end()
    #endif
    failures = min(failures + 1, 11)
    latestRetry += 1
    defer { failure = reason }
    let delay = min(.milliseconds(250) * (1 << failures), .seconds(300))
    retryTime = now + delay
    return Retry(number: latestRetry, delay: delay, isNew: failure != reason)
  }

  private mutating func end() {
    isScheduled = false
    activity?.end()
    activity = nil
  }
}

#if canImport(Dispatch)
  /// The state of a queue that writes changes, with the background activity that lasts until all of them are written.
  struct WriteSchedule: Sendable {
    private(set) var isWriting = false
    private var isScheduled = false
    private var retry = WriteRetry()
    private var activity: BackgroundActivity?

    /// - Returns: Whether the caller has to schedule a write.
    mutating func schedule() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    /// Begins a write, if there is anything to write.
    mutating func begin(isEmpty: Bool) -> Bool {
      if isEmpty { end() } else { isWriting = true }
      return !isEmpty
    }

    /// Ends a write.
    ///
    /// - Parameter isEmpty: Whether nothing was added during the write.
    /// - Returns: Whether there is more to write.
    mutating func succeed(isEmpty: Bool) -> Bool {
      isWriting = false
      retry.succeeded()
      if isEmpty { end() }
      return !isEmpty
    }

    mutating func fail(_ reason: String) -> WriteRetry.Attempt {
      (isWriting, isScheduled) = (false, false)
      return retry.failed(reason)
    }

    func isLatest(_ attempt: Int) -> Bool { retry.number == attempt }

    /// Keeps an activity until everything is written or the activity expires.
    mutating func keep(_ activity: BackgroundActivity) {
      endActivity()
      self.activity = activity
    }

    mutating func endActivity() {
      activity?.end()
      activity = nil
    }

    private mutating func end() {
      isScheduled = false
      endActivity()
    }
  }

  /// The back-off of failed writes.
  struct WriteRetry: Sendable {
    /// The number of the latest retry. An earlier retry that is still scheduled is obsolete; otherwise retries would multiply.
    private(set) var number = 0
    private var failures = 0
    private var failure: String?

    struct Attempt: Sendable {
      let number: Int
      /// Half a second to five minutes.
      let delay: Duration
      /// Whether the reason differs from that of the previous failure.
      let isNew: Bool
    }

    mutating func failed(_ reason: String) -> Attempt {
      failures = min(failures + 1, 11)
      number += 1
      defer { failure = reason }
      return Attempt(
        number: number, delay: min(.milliseconds(250) * (1 << failures), .seconds(300)), isNew: failure != reason)
    }

    mutating func succeeded() { (failures, failure) = (0, nil) }
  }
#endif

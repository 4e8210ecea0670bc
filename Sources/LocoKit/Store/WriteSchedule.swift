#if canImport(Dispatch) && !os(Windows) && !os(WASI)
  /// Whether a queue has to write, writes, or waits to retry, and the activity that lasts until all is written.
  struct WriteSchedule: Sendable {
    private(set) var isWriting = false
    private var isScheduled = false
    private var retry = WriteRetry()
    private var activity: BackgroundActivity?

    /// - Returns: Whether a write isn't scheduled yet.
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
    /// - Parameter isEmpty: Whether nothing was added meanwhile.
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

    /// Keeps an activity until all is written, or until it expires.
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
#endif

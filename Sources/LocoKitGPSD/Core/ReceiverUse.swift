#if os(Linux) || os(macOS)
  /// Measures how long the receiver was on.
  struct ReceiverUse: Equatable, Sendable {
    private var ended = Duration.zero
    private var since: Duration?
    private var tailEnd = Duration.zero

    mutating func began(at now: Duration) {
      // During the tail of the previous watch, the receiver is already on.
      tailEnded(at: now)
      since = now
    }

    mutating func ended(at now: Duration, tail: Duration) {
      guard let since else { return }
      ended += now - since + tail
      self.since = nil
      tailEnd = now + tail
    }

    /// Ends the tail now, because the receiver was closed or is used again.
    mutating func tailEnded(at now: Duration) {
      ended -= max(.zero, tailEnd - now)
      tailEnd = min(tailEnd, now)
    }

    func total(at now: Duration) -> Duration {
      ended - max(.zero, tailEnd - now) + (since.map { now - $0 } ?? .zero)
    }
  }
#endif

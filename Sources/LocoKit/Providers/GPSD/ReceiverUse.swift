#if os(Linux) || os(macOS)
  /// How long the receiver was on.
  struct ReceiverUse: Hashable, Sendable {
    private var ended = Duration.zero
    private var since: Duration?
    private var tailEnd = Duration.zero

    mutating func began(at now: Duration) {
      // Within the tail the receiver was on all the time.
      tailEnded(at: now)
      since = now
    }

    mutating func ended(at now: Duration, tail: Duration) {
      guard let since else { return }
      ended += now - since + tail
      self.since = nil
      tailEnd = now + tail
    }

    /// The receiver was closed before its time, or is used again.
    mutating func tailEnded(at now: Duration) {
      ended -= max(.zero, tailEnd - now)
      tailEnd = min(tailEnd, now)
    }

    func total(at now: Duration) -> Duration {
      ended - max(.zero, tailEnd - now) + (since.map { now - $0 } ?? .zero)
    }
  }
#endif

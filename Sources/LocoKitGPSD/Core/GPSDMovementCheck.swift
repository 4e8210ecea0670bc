#if os(Linux) || os(macOS)
  import LocoKit
  import LocoFoundation

  /// The provider's checks for significant changes. At each interval, the receiver is on until one coarse fix, or for a limited time. The
  /// fix is compared with the last good fix of an acquisition.
  struct GPSDMovementCheck: Equatable, Sendable {
    private let interval: Duration
    private let policy: AcquisitionPolicy
    /// The time when the next check begins.
    private var next: Duration?
    /// The time limit of the current check.
    private var end: Duration?
    /// The last of the acquisitions' fixes that were good enough for a check.
    private var reference: Location?

    init(every interval: Duration, policy: AcquisitionPolicy) {
      self.interval = interval
      self.policy = policy
    }

    var isOn: Bool { end != nil }
    /// The next time when a check begins or ends.
    var due: Duration? { earlier(next, end) }

    /// Ends the current check, and schedules the next one if checks are wanted.
    mutating func schedule(isWanted: Bool, at uptime: Duration) {
      end = nil
      next = isWanted ? uptime + interval : nil
    }

    mutating func stop() { end = nil }

    /// Ends a check that has timed out, and begins one that is due.
    mutating func advance(to uptime: Duration) {
      if let end, uptime >= end { self.end = nil }
      guard let next, uptime >= next else { return }
      self.next = uptime + interval
      end = uptime + policy.timeLimit
    }

    /// Keeps a fix of an acquisition for later comparisons, if it is good enough. Returns whether it is.
    mutating func note(_ location: Location, at date: Date) -> Bool {
      guard isGoodEnough(location, at: date) else { return false }
      reference = location
      return true
    }

    /// Judges a fix of a check, and returns whether it shows a significant change. The first good fix ends the check.
    ///
    /// The reference stays until an acquisition has a good fix. So if a change led to no acquisition, the next check reports it again.
    mutating func judge(_ location: Location, at date: Date) -> Bool {
      guard isGoodEnough(location, at: date) else { return false }
      end = nil
      guard let reference else { return true }
      return reference.distance(to: location) >= WakeEvent.significantDistance
    }

    private func isGoodEnough(_ location: Location, at date: Date) -> Bool {
      location.hasValidCoordinate && !location.isNull && location.hasValidAccuracy
        && location.horizontalAccuracy <= policy.acceptableAccuracy
        && abs(date.timeIntervalSince(location.timestamp)) <= policy.maximumAge.inSeconds
    }
  }
#endif

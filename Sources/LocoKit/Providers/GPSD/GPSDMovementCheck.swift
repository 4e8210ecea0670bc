#if os(Linux) || os(macOS)
  import Foundation

  /// The provider's checks for significant changes: at an interval the receiver is on for one coarse fix, and its distance
  /// from the last one is measured.
  struct GPSDMovementCheck: Hashable, Sendable {
    private let interval: Duration
    private let policy: AcquisitionPolicy
    /// When the next check begins.
    private var next: Duration?
    /// Until when the present check waits for its fix.
    private var end: Duration?
    /// The last fix of an acquisition that was good enough for a check.
    private var reference: Location?

    init(every interval: Duration, policy: AcquisitionPolicy) {
      self.interval = interval
      self.policy = policy
    }

    /// Whether a check is on, which wants the receiver.
    var isOn: Bool { end != nil }
    /// The time of the next beginning or end.
    var due: Duration? { earlier(next, end) }

    /// Ends the present check, and schedules the next one if checks are wanted.
    mutating func schedule(isWanted: Bool, at uptime: Duration) {
      end = nil
      next = isWanted ? uptime + interval : nil
    }

    /// Ends the present check.
    mutating func stop() { end = nil }

    /// Ends the check whose time is over, and begins the one that is due.
    mutating func advance(to uptime: Duration) {
      if let end, uptime >= end { self.end = nil }
      guard let next, uptime >= next else { return }
      self.next = uptime + interval
      end = uptime + policy.timeLimit
    }

    /// Takes note of an acquisition's fix.
    mutating func note(_ location: Location, at date: Date) {
      if isGoodEnough(location, at: date) { reference = location }
    }

    /// Judges a fix while a check is on; the first good one ends the check.
    ///
    /// - Returns: Whether it is a significant change.
    mutating func judge(_ location: Location, at date: Date) -> Bool {
      guard isGoodEnough(location, at: date) else { return false }
      end = nil
      // The reference stays until an acquisition has a fix: a change without an acquisition is reported again by the next check.
      guard let reference else { return true }
      return reference.distance(to: location) >= GPSDProvider.significantDistance
    }

    private func isGoodEnough(_ location: Location, at date: Date) -> Bool {
      location.hasValidCoordinate && location.hasValidAccuracy
        && location.horizontalAccuracy <= policy.acceptableAccuracy
        && abs(date.timeIntervalSince(location.timestamp)) <= policy.maximumAge.inSeconds
    }
  }
#endif

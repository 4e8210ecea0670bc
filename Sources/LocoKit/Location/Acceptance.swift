import LocoFoundation

/// Selects locations from fixes, by a ``TrackingPolicy``.
package struct Acceptance: Equatable, Sendable {
  enum Verdict: Equatable, Sendable {
    /// This location is accepted: the fix, or a better one that waited.
    case accepted(Location)
    /// The fix waits for a better one.
    case pending
    /// The last location is accurate and recent.
    case lastIsRecent
    /// The fix, or a better one that waited, may be at the place of the last location.
    case possibleDuplicate
    /// The fix is invalid, or not newer than the last fix that waits or was accepted.
    case rejected(RejectionReason)
  }

  package let policy: TrackingPolicy
  /// The end of the wait; `nil` if no fix waits.
  private(set) var waitEnds: Duration?
  private(set) var last: Location?
  private(set) var pending: [Location] = []

  package init(_ policy: TrackingPolicy, last: Location? = nil) {
    policy.check()
    (self.policy, self.last) = (policy, last)
  }

  mutating func add(_ fix: Location, at date: Date, uptime: Duration) -> Verdict {
    guard fix.hasValidAccuracy else { return .rejected(.invalidAccuracy) }
    guard fix.hasValidCoordinate else { return .rejected(.invalidCoordinate) }
    dropOld(at: date, uptime: uptime)
    if let newest = pending.last ?? last, !newest.timestamp.isAhead(of: date), fix.timestamp <= newest.timestamp {
      return .rejected(fix.timestamp < newest.timestamp ? .outOfOrder : .duplicate)
    }
    if let last, last.horizontalAccuracy <= policy.requiredAccuracy, !last.timestamp.isAhead(of: date),
      date.timeIntervalSince(last.timestamp) < policy.holdTime.inSeconds
    {
      return .lastIsRecent
    }
    if fix.horizontalAccuracy <= policy.requiredAccuracy { return accept(fix) }
    pending.append(fix)
    if pending.count >= policy.maximumPendingFixes { return accept(best ?? fix) }
    waitEnds = waitEnds ?? uptime + policy.pendingTimeLimit
    return .pending
  }

  /// Accepts the best pending fix that is still fresh at the end of the wait, or now if `early` is `true`.
  mutating func expire(
    at date: Date, uptime: Duration, early: Bool = false, isFresh: (Location) -> Bool
  ) -> Verdict? {
    guard let waitEnds, uptime >= waitEnds || early else { return nil }
    dropOld(at: date, uptime: uptime)
    pending.removeAll { !isFresh($0) }
    if pending.isEmpty { endWait() }
    return best.map { accept($0) }
  }

  mutating func endWait() { (pending, waitEnds) = ([], nil) }

  /// Drops the pending fixes if more than twice the time limit has passed, because the device has slept, or if the clock was set back.
  private mutating func dropOld(at date: Date, uptime: Duration) {
    let hasSlept = waitEnds.map { uptime - $0 > policy.pendingTimeLimit } ?? false
    if hasSlept || pending.contains(where: { $0.timestamp.isAhead(of: date) }) { endWait() }
  }

  /// The most accurate pending fix; the newest, if several are equally accurate.
  private var best: Location? {
    pending.min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
  }

  /// Whether a fix in the circle of an inaccurate location shows the place better.
  private func isBetter(_ fix: Location, than last: Location) -> Bool {
    fix.timestamp > last.timestamp && fix.isTwiceAsAccurate(as: last)
      && last.horizontalAccuracy > policy.requiredAccuracy
  }

  private mutating func accept(_ fix: Location) -> Verdict {
    endWait()
    if let last, policy.spacing.omits(fix, after: last), !isBetter(fix, than: last) { return .possibleDuplicate }
    last = fix
    return .accepted(fix)
  }
}

import LocoFoundation

/// A wait for one location, with the best fix since the wait began.
package struct OneLocation: Equatable, Sendable {
  /// The maximum age of a fix on arrival, unless ``maximumAge`` is greater: the first fix is often an old one from a cache.
  static let maximumFixAge = Duration.seconds(5)

  package let desiredAccuracy: Double
  package let timeLimit: Duration
  /// The maximum age of the last location, and of a fix from a cache.
  package let maximumAge: Duration
  /// The accuracy that is good enough at the deadline, in metres.
  private(set) var acceptableAccuracy: Double
  private(set) var deadline = Duration.zero
  private(set) var best: Location?
  private(set) var acceptsReducedAccuracy = false

  package init(desiredAccuracy: Double, within timeLimit: Duration, maximumAge: Duration = .zero) {
    (self.desiredAccuracy, self.timeLimit, self.maximumAge) = (desiredAccuracy, timeLimit, maximumAge)
    acceptableAccuracy = desiredAccuracy
  }

  mutating func begin(at uptime: Duration, under policy: AcquisitionPolicy) {
    acceptableAccuracy = max(desiredAccuracy, policy.acceptableAccuracy)
    acceptsReducedAccuracy = policy.acceptsReducedAccuracy
    restart(at: uptime)
  }

  mutating func restart(at uptime: Duration) { deadline = uptime + timeLimit }

  /// Returns the last location if it's recent and accurate enough, so that no acquisition is necessary.
  func answer(from last: Location?, at date: Date) -> Location? {
    guard maximumAge > .zero, let last, last.hasValidAccuracy, last.hasValidCoordinate, isSatisfied(by: last),
      !last.timestamp.isAhead(of: date), date.timeIntervalSince(last.timestamp) <= maximumAge.inSeconds
    else { return nil }
    return last
  }

  func isSatisfied(by fix: Location) -> Bool {
    fix.horizontalAccuracy <= desiredAccuracy || acceptsReduced(fix)
  }

  /// Whether a fix is good enough at the deadline.
  private func isAcceptable(_ fix: Location) -> Bool {
    fix.horizontalAccuracy <= acceptableAccuracy || acceptsReduced(fix)
  }

  private func acceptsReduced(_ fix: Location) -> Bool { acceptsReducedAccuracy && fix.source == .reduced }

  mutating func expire(at uptime: Duration) { deadline = min(deadline, uptime) }

  /// Returns the location or the failure; `nil` while the wait continues. At the end, the best fix of the wait counts, although it may have
  /// become too old for an earlier end, unless the end is late: the device may have slept.
  func result(at now: LocationCore.Now, in acquisition: Acquisition) -> Result<Location, AcquisitionFailure>? {
    if let known = answer(from: acquisition.previous, at: now.date) { return .success(known) }
    let isOver = now.uptime >= deadline
    let usable = best.flatMap { best in
      (isOver ? isOfWait(best, acquisition.policy, at: now.date) : acquisition.isFresh(best, at: now.date)) ? best : nil
    }
    if let usable, isOver ? isAcceptable(usable) : isSatisfied(by: usable) { return .success(usable) }
    return isOver ? .failure(.timeLimit(best: usable)) : nil
  }

  /// Whether a fix is from the wait, or young enough for the consumer or the policy.
  private func isOfWait(_ fix: Location, _ policy: AcquisitionPolicy, at date: Date) -> Bool {
    !fix.timestamp.isAhead(of: date) && date.timeIntervalSince(fix.timestamp) <= longestAge(policy.maximumAge).inSeconds
  }

  /// The maximum age of a fix at a deadline that isn't late.
  private func longestAge(_ policyAge: Duration) -> Duration {
    max(timeLimit + max(maximumAge, Self.maximumFixAge), policyAge)
  }

  /// Keeps a fix if it is the most accurate one, if the best one is older than `maximumAge`, or if the best one was a jump. An old one that
  /// is good enough at the deadline isn't replaced by one that isn't. Ignores a fix that was old on arrival, because it is from a cache,
  /// unless it is within the consumer's own maximum age or is a reduced fix that the policy accepts.
  mutating func consider(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) {
    guard acceptsReduced(fix) || now.age(of: fix) <= max(Self.maximumFixAge, self.maximumAge).inSeconds else { return }
    if let best, fix.horizontalAccuracy > best.horizontalAccuracy, fix.isPlausible(after: best) {
      let mayReplace = isAcceptable(fix) || best.horizontalAccuracy > acceptableAccuracy
      if now.age(of: best) <= (mayReplace ? maximumAge : longestAge(maximumAge)).inSeconds { return }
    }
    best = fix
  }
}

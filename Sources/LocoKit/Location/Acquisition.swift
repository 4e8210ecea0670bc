package import LocoFoundation

/// Judges the fixes of an acquisition, and keeps the best one.
///
/// The core creates a value when an acquisition begins, and another one to judge a location that was found while the GPS is off. The value
/// is pure: the time is a parameter.
struct Acquisition: Equatable, Sendable {
  typealias Verdict = LocationManager.JudgedFix.Verdict

  /// The tolerated difference between the receiver's clock and the device's, in seconds: the date of a fix may be that far in the future.
  static let clockTolerance: TimeInterval = 1

  /// The distance from 0°, 0° within which a fix at that place is plausible, in metres: what an airliner flies in seven minutes.
  private static let nearNull = 100_000.0

  let policy: AcquisitionPolicy

  /// The time of the significant change that started the acquisition; `nil` if something else started it. Earlier fixes are rejected.
  let trigger: Date?
  /// The last delivered location. Fixes are compared with it.
  var previous: Location?
  private(set) var best: Location?
  /// Whether the best fix was judged ``Verdict/acquired``.
  private(set) var isGoodEnough = false
  /// The last fix that was rejected as a jump; `nil` after a plausible one. The next fix is also plausible if the device can have
  /// moved there from this one.
  private(set) var doubted: Location?
  private(set) var errors = 0

  init(policy: AcquisitionPolicy, trigger: Date? = nil, previous: Location? = nil, doubted: Location? = nil) {
    // The manager or the decoder that accepts a policy checks it.
    assert(policy.problem == nil)
    (self.policy, self.trigger, self.previous, self.doubted) = (policy, trigger, previous, doubted)
  }

  /// Judges a fix, and keeps it if it is the best.
  mutating func judge(_ fix: Location, at now: Date) -> Verdict {
    errors = 0
    let verdict = verdict(on: fix, at: now)
    switch verdict {
    case .candidate, .acquired:
      best = fix
      isGoodEnough = verdict == .acquired
      doubted = nil
    case .surpassed: doubted = nil
    case .rejected(let reason): if reason.mayBeConfirmed { doubted = fix }
    }
    return verdict
  }

  private func verdict(on fix: Location, at now: Date) -> Verdict {
    let candidate = candidate(at: now)
    if let reason = rejection(of: fix, after: candidate, at: now) { return .rejected(reason) }
    if let last = lastUsed(at: now), !fix.isPlausible(after: last) {
      // Two fixes that agree are trusted more than an earlier fix, whatever accuracy that fix claims.
      guard let doubted, fix.timestamp > doubted.timestamp, fix.isPlausible(after: doubted) else {
        return .rejected(.implausibleSpeed)
      }
    } else if let candidate, fix.horizontalAccuracy > candidate.horizontalAccuracy {
      return .surpassed
    }
    return policy.isSatisfied(by: fix) ? .acquired : .candidate
  }

  /// Returns the candidate if it is good enough, or if it is acceptable and the time limit is over; otherwise `nil`.
  func outcome(at now: Date, isOver: Bool) -> Location? {
    guard let candidate = candidate(at: now) else { return nil }
    let isAcceptable = isOver && candidate.horizontalAccuracy <= policy.acceptableAccuracy
    return isAcceptable || isGoodEnough ? candidate : nil
  }

  /// Returns the best fix so far, unless it can no longer be delivered: see ``isFresh(_:at:)``.
  func candidate(at now: Date) -> Location? {
    guard let best, isFresh(best, at: now) else { return nil }
    return best
  }

  /// Returns whether a judged fix may still be delivered: it isn't too old, and not in the future.
  func isFresh(_ fix: Location, at now: Date) -> Bool {
    !isStale(fix, at: now) && !fix.timestamp.isAhead(of: now)
  }

  /// Returns whether a fix is newer than the last location; also `true` if there is none, or if the clock was set back since then.
  func isNew(_ fix: Location, at now: Date) -> Bool {
    guard let previous, !previous.timestamp.isAhead(of: now) else { return true }
    return fix.timestamp > previous.timestamp
  }

  /// Counts an error, and returns whether the limit is reached; the count then restarts.
  mutating func countError() -> Bool {
    errors = (errors + 1) % policy.errorLimit
    return errors == 0
  }

  /// Returns why a fix can't be used, whatever its accuracy and the distance that the device would have moved.
  private func rejection(of fix: Location, after candidate: Location?, at now: Date) -> RejectionReason? {
    if !fix.hasValidAccuracy { return .invalidAccuracy }
    if !fix.hasValidCoordinate || fix.isNull && !isNearNull { return .invalidCoordinate }
    if !policy.acceptsUnmeasuredLocations, fix.isSimulatedBySoftware || fix.isEstimated { return .unmeasured }
    if fix.timestamp.isAhead(of: now) { return .futureDated }
    if isStale(fix, at: now) { return .stale }
    // A trigger or a location in the future is from before the clock was set back, and must not block every fix.
    if let trigger, fix.timestamp < trigger, !trigger.isAhead(of: now) { return .beforeTrigger }
    if let previous, !previous.timestamp.isAhead(of: now) {
      if fix.timestamp < previous.timestamp { return .outOfOrder }
      if fix.timestamp == previous.timestamp { return .duplicate }
    }
    if let candidate {
      if fix.timestamp < candidate.timestamp { return .outOfOrder }
      if fix == candidate { return .duplicate }
    }
    return nil
  }

  /// Returns the newer one of the best fix, whatever its age, and the last location. Ignores a location with a time in the future, which is
  /// from before the clock was set back.
  private func lastUsed(at now: Date) -> Location? {
    let past = { (location: Location?) in location.flatMap { $0.timestamp.isAhead(of: now) ? nil : $0 } }
    guard let best = past(best) else { return past(previous) }
    guard let previous = past(previous), previous.timestamp > best.timestamp else { return best }
    return previous
  }

  /// Whether the last location is so near 0°, 0° that the device can be there. Receivers report that place before their first fix.
  private var isNearNull: Bool {
    guard let last = best ?? previous else { return false }
    return last.distance(to: .null) <= Self.nearNull
  }

  private func isStale(_ fix: Location, at now: Date) -> Bool {
    // NaN dates count as stale.
    !(now.timeIntervalSince(fix.timestamp) <= policy.maximumAge(of: fix).inSeconds)
  }
}

extension Location {
  /// The highest plausible speed of a device, in metres per second: see ``RejectionReason/implausibleSpeed``.
  ///
  /// It is above the ground speeds of subsonic airliners: Flightradar24 recorded 369 m/s (825 mph) for a Boeing 747 in the jet stream over
  /// the Atlantic on 9 February 2020.
  package static let maximumSpeed = 400.0

  fileprivate static let null = Location(latitude: 0, longitude: 0, horizontalAccuracy: 0, timestamp: .distantPast)

  /// Whether the coordinate is exactly 0°, 0°.
  package var isNull: Bool { latitude == 0 && longitude == 0 }

  /// Returns whether the device can have moved here from an earlier location at ``maximumSpeed``.
  ///
  /// Twice the sum of the accuracies is subtracted from the distance. An accuracy is the radius that contains 68 % of fixes, and 1 % of
  /// normally distributed errors are more than twice that. Returns `true` if the earlier location is invalid, or if a date isn't a number.
  func isPlausible(after earlier: Location) -> Bool {
    guard earlier.hasValidAccuracy, earlier.hasValidCoordinate else { return true }
    let way = Self.maximumSpeed * timestamp.timeIntervalSince(earlier.timestamp)
    let accuracies = earlier.horizontalAccuracy + horizontalAccuracy
    return !(distance(to: earlier) > way + 2 * accuracies)
  }
}

extension Date {
  /// Returns whether the date is in the future, by more than ``Acquisition/clockTolerance``.
  package func isAhead(of now: Date) -> Bool { timeIntervalSince(now) > Acquisition.clockTolerance }
}

import Foundation

/// One acquisition: gives every fix a verdict and keeps the best one.
///
/// It lives as long as the state `acquiring` and is made anew on every entry, so nothing of an earlier acquisition
/// survives in it. It reads no clock: the time is handed in.
struct Acquisition: Hashable, Sendable {
  typealias Verdict = LocationManager.JudgedFix.Verdict

  /// How far ahead of this clock a fix may be dated, in seconds: two clocks never agree quite.
  static let clockTolerance: TimeInterval = 1

  /// The highest speed that is plausible, in metres per second: see ``RejectionReason/implausibleSpeed``.
  ///
  /// Above the highest speed of an airliner over ground, 369 m/s (825 mph: a Boeing 747 in the jet stream over the Atlantic on
  /// 9 February 2020, as Flightradar24 recorded it).
  static let maximumSpeed = 400.0

  /// What counts as a good fix.
  let policy: AcquisitionPolicy

  let trigger: Date?
  private(set) var previous: Location?
  private(set) var best: Location?
  /// The last fix, where it was refused as a jump: a second one that agrees with it is accepted.
  private(set) var doubted: Location?
  private(set) var isAcquired = false
  private(set) var errors = 0

  /// An acquisition that begins now.
  ///
  /// - Parameters:
  ///   - policy: What counts as a good fix.
  ///   - trigger: When the device was found to have moved; fixes from before are refused. `nil` where nothing but a
  ///     wish began the acquisition.
  ///   - previous: The last location delivered; fixes that are not newer are refused, and so is a jump from there.
  init(policy: AcquisitionPolicy, trigger: Date? = nil, previous: Location? = nil) {
    self.init(policy: policy, trigger: trigger, previous: previous, doubted: nil)
  }

  init(policy: AcquisitionPolicy, trigger: Date? = nil, previous: Location?, doubted: Location?) {
    policy.check()
    self.doubted = doubted
    self.policy = policy
    self.trigger = trigger
    self.previous = previous
  }

  /// Says what becomes of a fix, and keeps it if it is the best.
  mutating func judge(_ fix: Location, at now: Date) -> Verdict {
    errors = 0
    let reason = rejection(of: fix, at: now)
    switch reason {
    case .implausibleSpeed: doubted = fix
    case .worseThanCandidate, nil: doubted = nil
    case .invalidAccuracy, .invalidCoordinate, .stale, .futureDated, .beforeTrigger, .outOfOrder, .tooCoarse,
      .duplicate, .notListening:
      break
    }
    if let reason { return .rejected(reason) }
    best = fix
    isAcquired = policy.isSatisfied(by: fix)
    return isAcquired ? .acquired : .candidate
  }

  /// The location that the acquisition comes to: the candidate, once a fix was judged ``Verdict/acquired``, or when the time
  /// is over and the candidate is acceptable; `nil` where there is none yet.
  func outcome(at now: Date, isOver: Bool) -> Location? {
    guard let candidate = candidate(at: now) else { return nil }
    return isAcquired || isOver && candidate.horizontalAccuracy <= policy.acceptableAccuracy ? candidate : nil
  }

  /// The best fix so far; `nil` where there is none, or where it has grown too old.
  func candidate(at now: Date) -> Location? {
    guard let best, isFresh(best, at: now) else { return nil }
    return best
  }

  /// Whether a fix that was judged before may still be delivered: it is not older than the policy allows, nor of the future.
  func isFresh(_ fix: Location, at now: Date) -> Bool {
    !isStale(fix, at: now) && !fix.timestamp.isAhead(of: now)
  }

  /// Whether a fix is newer than the last location delivered, as far as the clock was not set back since.
  func isNew(_ fix: Location, at now: Date) -> Bool {
    guard let previous, !previous.timestamp.isAhead(of: now) else { return true }
    return fix.timestamp > previous.timestamp
  }

  /// Takes note that a location was delivered while the acquisition goes on: later ones must be newer, and no jump from there.
  mutating func delivered(_ location: Location) {
    previous = location
  }

  /// Counts an error, and says whether there were too many, one after the other; then begins to count anew.
  mutating func countError() -> Bool {
    errors = (errors + 1) % policy.errorLimit
    return errors == 0
  }

  private func rejection(of fix: Location, at now: Date) -> RejectionReason? {
    if !fix.hasValidAccuracy { return .invalidAccuracy }
    if !fix.hasValidCoordinate { return .invalidCoordinate }
    if fix.timestamp.isAhead(of: now) { return .futureDated }
    if isStale(fix, at: now) { return .stale }
    // A trigger or a location dated after now came from a clock that was set back since: it must not block for ever.
    if let trigger, fix.timestamp < trigger, !trigger.isAhead(of: now) { return .beforeTrigger }
    if let previous, !previous.timestamp.isAhead(of: now) {
      if fix.timestamp < previous.timestamp { return .outOfOrder }
      if fix.timestamp == previous.timestamp { return .duplicate }
    }
    let candidate = candidate(at: now)
    if let candidate {
      if fix.timestamp < candidate.timestamp { return .outOfOrder }
      if fix == candidate { return .duplicate }
    }
    if let last = lastUsed(at: now), !fix.isPlausible(after: last) {
      // Two that agree contradict what came before, the candidate included, however accurate that says it is.
      guard let doubted, fix.timestamp > doubted.timestamp, fix.isPlausible(after: doubted) else {
        return .implausibleSpeed
      }
      return nil
    }
    if let candidate, fix.horizontalAccuracy > candidate.horizontalAccuracy { return .worseThanCandidate }
    return nil
  }

  /// The newest of what was used: the best fix, however old by now, or the last location delivered. What is dated ahead of now
  /// came from a clock that was set back since, so that nothing can be said of the time between.
  private func lastUsed(at now: Date) -> Location? {
    let past = { (location: Location?) in location.flatMap { $0.timestamp.isAhead(of: now) ? nil : $0 } }
    guard let best = past(best) else { return past(previous) }
    guard let previous = past(previous), previous.timestamp > best.timestamp else { return best }
    return previous
  }

  private func isStale(_ fix: Location, at now: Date) -> Bool {
    // NaN dates count as stale.
    !(now.timeIntervalSince(fix.timestamp) <= policy.maximumAge(of: fix).inSeconds)
  }
}

extension Location {
  /// Whether the device may have come here from an earlier location, at no more than ``Acquisition/maximumSpeed`` and with both
  /// accuracies allowed for twice: they are radii of 68 %, and twice as far off are 1 % of fixes whose errors are normal.
  ///
  /// An earlier location that is no valid one, or has no date, says nothing.
  func isPlausible(after earlier: Location) -> Bool {
    guard earlier.hasValidAccuracy, earlier.hasValidCoordinate else { return true }
    let way = Acquisition.maximumSpeed * timestamp.timeIntervalSince(earlier.timestamp)
    let accuracies = earlier.horizontalAccuracy + horizontalAccuracy
    return !(distance(to: earlier) > way + 2 * accuracies)
  }
}

extension Date {
  /// Whether this is of the future, more than two clocks differ.
  func isAhead(of now: Date) -> Bool { timeIntervalSince(now) > Acquisition.clockTolerance }
}

extension LocationManager {
  /// A fix, and what became of it.
  ///
  /// ```swift
  /// for await measurement in manager.measurements {
  ///   switch measurement.verdict {
  ///   case .candidate, .acquired: plot(measurement.fix)
  ///   case .rejected(let reason): plot(measurement.fix, label: reason.rawValue)
  ///   }
  /// }
  /// ```
  public struct JudgedFix: Hashable, Sendable {
    /// What becomes of a fix.
    public enum Verdict: Hashable, Sendable {
      /// The best fix so far, and not good enough to stop.
      case candidate
      /// The best fix so far, and at or under the desired accuracy, or of a reduced accuracy that the policy accepts.
      case acquired
      /// Not used, and why.
      case rejected(RejectionReason)
    }

    /// The fix.
    public let fix: Location
    /// What became of it.
    public let verdict: Verdict

    /// A fix with its verdict, for a test of what shows them.
    public init(fix: Location, verdict: Verdict) {
      self.fix = fix
      self.verdict = verdict
    }
  }
}

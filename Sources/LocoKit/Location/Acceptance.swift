import Foundation

/// Which fixes are accepted of a receiver that is on all the time: TTLocationHandler's rules.
///
/// ```swift
/// var policy = AcceptancePolicy()
/// policy.holdTime = .seconds(5)
/// policy.distanceFilter = 20
/// for await location in manager.track(accepting: policy) { save(location) }
/// ```
///
/// A fix that is accurate enough is accepted at once. One that is not waits, and when the wait is over, or so many have come,
/// the best of those that waited is accepted. While the last one accepted is accurate enough and recent, no other is; nor is
/// one that may be the same place.
///
/// Set the values in any order: they are checked when a ``PowerController`` gets the policy, or tracking with it begins. A value
/// out of range is a programmer's mistake and stops the program there, with a sentence that names it.
public struct AcceptancePolicy: Hashable, Sendable {
  /// A fix with this accuracy or a better one is accepted at once. Metres, more than 0.
  public var requiredAccuracy: Double
  /// How long a fix that is less accurate waits for a better one. More than 0, at most a day.
  public var pendingTimeLimit: Duration
  /// So many fixes that are less accurate end the wait. 1…1,000.
  public var maximumPendingFixes: Int
  /// How long an accurate location stands: while the last one accepted is, no other is accepted. 0 has none stand. At most a
  /// day.
  public var holdTime: Duration
  /// How far apart two places are at least to be told apart, beside both their accuracies. Metres, 0 or more. Of no use
  /// where possible duplicates are not ignored.
  public var distanceFilter: Double
  /// Whether a fix that may be the same place as the last one is left out.
  public var ignoresPossibleDuplicates: Bool

  /// A policy from its parts; TTLocationHandler's values unless said otherwise.
  public init(
    requiredAccuracy: Double = 10, pendingTimeLimit: Duration = .seconds(10), maximumPendingFixes: Int = 10,
    holdTime: Duration = .seconds(60), distanceFilter: Double = 50, ignoresPossibleDuplicates: Bool = true
  ) {
    self.requiredAccuracy = requiredAccuracy
    self.pendingTimeLimit = pendingTimeLimit
    self.maximumPendingFixes = maximumPendingFixes
    self.holdTime = holdTime
    self.distanceFilter = distanceFilter
    self.ignoresPossibleDuplicates = ignoresPossibleDuplicates
  }

  /// Stops the program where a value is out of range.
  func check() {
    let day = Duration.seconds(86_400)
    precondition(
      requiredAccuracy > 0 && requiredAccuracy.isFinite,
      "The required accuracy must be a finite number of metres above 0, not \(requiredAccuracy).")
    precondition(
      pendingTimeLimit > .zero && pendingTimeLimit <= day,
      "The pending time limit must be more than 0 and at most a day, not \(pendingTimeLimit.inSeconds) s.")
    precondition(
      (1...1_000).contains(maximumPendingFixes),
      "The maximum of pending fixes must be 1 to 1,000, not \(maximumPendingFixes).")
    precondition(holdTime >= .zero && holdTime <= day, "The hold time must be 0 to a day, not \(holdTime.inSeconds) s.")
    precondition(
      distanceFilter >= 0 && distanceFilter.isFinite,
      "The distance filter must be a finite number of metres, 0 or more, not \(distanceFilter).")
  }
}

/// Accepts fixes by an ``AcceptancePolicy``: keeps those that wait, and the last one accepted.
struct Acceptance: Hashable, Sendable {
  /// What became of a fix.
  enum Verdict: Hashable, Sendable {
    /// This location is accepted: the fix, or a better one that waited.
    case accepted(Location)
    /// It waits for a better one.
    case pending
    /// The last one accepted is accurate enough, and recent.
    case lastIsRecent
    /// It may be the same place as the last one accepted.
    case possibleDuplicate
    /// It is invalid, or not newer than the last one.
    case rejected(RejectionReason)
  }

  /// What is accepted.
  let policy: AcceptancePolicy
  /// When the wait is over, on the clock that was handed in; `nil` where nothing waits.
  private(set) var waitEnds: Duration?
  /// The last location accepted.
  private(set) var last: Location?

  private(set) var pending: [Location] = []

  /// An acceptance that has accepted nothing yet.
  ///
  /// - Parameters:
  ///   - policy: What is accepted.
  ///   - last: The last location of an earlier one.
  init(_ policy: AcceptancePolicy, last: Location? = nil) {
    policy.check()
    self.policy = policy
    self.last = last
  }

  /// Says what becomes of a fix.
  ///
  /// - Parameters:
  ///   - fix: A fix.
  ///   - date: The time on the clock that dates fixes.
  ///   - uptime: The time on a clock that never goes back.
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

  /// Accepts the best of those that wait, if the wait is over.
  mutating func expire(at date: Date, uptime: Duration) -> Verdict? {
    guard let waitEnds, uptime >= waitEnds else { return nil }
    dropOld(at: date, uptime: uptime)
    return best.map { accept($0) }
  }

  /// Forgets what waits.
  mutating func endWait() {
    pending = []
    waitEnds = nil
  }

  /// Forgets what waits where nobody looked for twice the wait, since the device slept, or where the clock was set back.
  private mutating func dropOld(at date: Date, uptime: Duration) {
    let hasSlept = waitEnds.map { uptime - $0 > policy.pendingTimeLimit } ?? false
    if hasSlept || pending.contains(where: { $0.timestamp.isAhead(of: date) }) { endWait() }
  }

  /// The most accurate; of several the newest.
  private var best: Location? {
    pending.min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
  }

  private mutating func accept(_ fix: Location) -> Verdict {
    endWait()
    if policy.ignoresPossibleDuplicates, let last,
      last.distance(to: fix) < policy.distanceFilter + last.horizontalAccuracy + fix.horizontalAccuracy
    {
      return .possibleDuplicate
    }
    last = fix
    return .accepted(fix)
  }
}

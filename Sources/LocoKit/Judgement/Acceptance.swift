import Foundation

/// Which fixes are accepted of a receiver that is on all the time: TTLocationHandler's rules.
///
/// A fix that is accurate enough is accepted at once. One that is not waits, and when the wait is over, or so many have come,
/// the best of those that waited is accepted. One that may be the same place as the last one accepted is not told again.
///
/// Values out of range are a programmer's mistake and stop the program.
public struct AcceptancePolicy: Hashable, Sendable {
  /// A fix with this accuracy or a better one is accepted at once. Metres, more than 0.
  public var requiredAccuracy: Double { didSet { check() } }
  /// How long a fix that is less accurate waits for a better one. More than 0, at most a day.
  public var pendingWait: Duration { didSet { check() } }
  /// So many fixes that are less accurate end the wait. 1…1,000.
  public var tries: Int { didSet { check() } }
  /// How old a fix may be to wait. More than 0, at most a day.
  public var recency: Duration { didSet { check() } }
  /// How far apart two places are at least to be told apart, beside both their accuracies. Metres, 0 or more.
  public var distanceFilter: Double { didSet { check() } }
  /// Whether a fix that may be the same place as the last one is left out.
  public var ignoresPossibleDuplicates: Bool

  /// A policy from its parts; TTLocationHandler's values unless said otherwise.
  public init(
    requiredAccuracy: Double = 10, pendingWait: Duration = .seconds(10), tries: Int = 10,
    recency: Duration = .seconds(60), distanceFilter: Double = 50, ignoresPossibleDuplicates: Bool = true
  ) {
    self.requiredAccuracy = requiredAccuracy
    self.pendingWait = pendingWait
    self.tries = tries
    self.recency = recency
    self.distanceFilter = distanceFilter
    self.ignoresPossibleDuplicates = ignoresPossibleDuplicates
    check()
  }

  private func check() {
    let day = Duration.seconds(86_400)
    precondition(
      requiredAccuracy > 0 && requiredAccuracy.isFinite, "The required accuracy is a number of metres above 0.")
    precondition(pendingWait > .zero && pendingWait <= day, "The pending wait is more than 0 and at most a day.")
    precondition((1...1_000).contains(tries), "The tries are 1 to 1,000.")
    precondition(recency > .zero && recency <= day, "The recency is more than 0 and at most a day.")
    precondition(
      distanceFilter >= 0 && distanceFilter.isFinite, "The distance filter is a number of metres, 0 or more.")
  }
}

/// Accepts fixes by an ``AcceptancePolicy``: keeps those that wait, and the last one accepted.
public struct Acceptance: Hashable, Sendable {
  /// What became of a fix.
  public enum Verdict: Hashable, Sendable {
    /// This location is accepted: the fix, or a better one that waited.
    case accepted(Location)
    /// It waits for a better one.
    case pending
    /// It may be the same place as the last one accepted.
    case possibleDuplicate
    /// It is invalid, or not newer than the last one.
    case rejected(RejectionReason)
  }

  /// What is accepted.
  public let policy: AcceptancePolicy
  /// When the wait is over, on the clock that was handed in; `nil` where nothing waits.
  public private(set) var waitEnds: Duration?
  /// The last location accepted.
  public private(set) var last: Location?

  private var waiting: [Location] = []

  /// An acceptance that has accepted nothing yet.
  ///
  /// - Parameters:
  ///   - policy: What is accepted.
  ///   - last: The last location of an earlier one.
  public init(_ policy: AcceptancePolicy, last: Location? = nil) {
    self.policy = policy
    self.last = last
  }

  /// Says what becomes of a fix.
  ///
  /// - Parameters:
  ///   - fix: A fix.
  ///   - uptime: The time on a clock that never goes back.
  public mutating func add(_ fix: Location, at uptime: Duration) -> Verdict {
    guard fix.hasValidAccuracy else { return .rejected(.invalidAccuracy) }
    guard fix.hasValidCoordinate else { return .rejected(.invalidCoordinate) }
    if let newest = waiting.last ?? last, fix.timestamp <= newest.timestamp {
      return .rejected(fix.timestamp < newest.timestamp ? .outOfOrder : .duplicate)
    }
    if fix.horizontalAccuracy <= policy.requiredAccuracy { return accept(fix) }
    waiting.append(fix)
    // What has grown too old cannot be the best any more.
    waiting.removeAll { fix.timestamp.timeIntervalSince($0.timestamp) > policy.recency.inSeconds }
    if waiting.count >= policy.tries { return accept(best ?? fix) }
    waitEnds = waitEnds ?? uptime + policy.pendingWait
    return .pending
  }

  /// Accepts the best of those that wait, if the wait is over.
  public mutating func expire(at uptime: Duration) -> Verdict? {
    guard let waitEnds, uptime >= waitEnds, let best else { return nil }
    return accept(best)
  }

  /// The most accurate; of several the newest.
  private var best: Location? {
    waiting.min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
  }

  private mutating func accept(_ fix: Location) -> Verdict {
    waiting = []
    waitEnds = nil
    if policy.ignoresPossibleDuplicates, let last,
      last.distance(to: fix) < policy.distanceFilter + last.horizontalAccuracy + fix.horizontalAccuracy
    {
      return .possibleDuplicate
    }
    last = fix
    return .accepted(fix)
  }
}

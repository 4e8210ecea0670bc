import LocoFoundation

/// The data of past looks that determines the time and the policy of the next one. Times of type `Double` are in seconds.
struct LookHistory: Equatable, Sendable {
  /// The mean duration of a look.
  private(set) var lead = 3.5
  /// The number of failed looks since the last fix or wake-up, at most 16.
  private(set) var failures = 0
  /// The time of the last fix from satellites.
  private(set) var satellitesAt: Duration?
  /// No look is due before this time.
  private(set) var blockedUntil = Duration.zero
  /// The cause of a look that is due as soon as looks aren't blocked; `nil` if none is.
  var hint: LocationManager.Cause?

  /// The maximum back-off, in seconds: ``Retries/longRest`` times the longest time limit of a look, 90 s. Only another acquisition, or a
  /// look whose timer was late, takes longer than that limit.
  private static let longestRest = 270.0
  /// The multiple of the mean duration that a look may take: with the spread of real receivers, one look in thirty takes longer.
  private static let patience = 2.5
  /// The longest acquisition that counts for the mean duration of a look: longer ones are exceptions, except the looks of a receiver without
  /// assistance data.
  private static let longestLead = 15.0
  /// The longest duration of such a look that counts: the receiver may need half a minute each time.
  private static let longestStandaloneLead = 30.0
  /// The best accuracy of a fix from Wi-Fi or cells, in metres. Such a fix has no speed.
  private static let networkAccuracy = 50.0

  mutating func learnDuration(_ took: Duration?, mayBeSlow: Bool) {
    guard let took = took?.inSeconds, took > 0, mayBeSlow || took < Self.longestLead else { return }
    lead += 0.2 * (min(took, Self.longestStandaloneLead) - lead)
  }

  /// Resets the failures and the hint, because a fix was found. A coarse fix isn't accurate enough to be kept for hours, so a look at rest
  /// remains due.
  mutating func find(isCoarse: Bool) {
    (failures, blockedUntil) = (0, .zero)
    if !isCoarse || hint != .rest { hint = nil }
  }

  mutating func learnSatellites(from fix: Location, at uptime: Duration) {
    if fix.source == .gps, fix.speed != nil || fix.horizontalAccuracy < Self.networkAccuracy { satellitesAt = uptime }
  }

  mutating func lookDidFail(after took: Duration, rest: Double, at uptime: Duration) {
    hint = nil
    block(for: took.inSeconds * rest, from: uptime)
  }

  /// Blocks looks for a time, at most ``longestRest``, so that a new cell can start one afterwards.
  mutating func block(for seconds: Double, from uptime: Duration) {
    blockedUntil = max(blockedUntil, uptime + .seconds(min(seconds, Self.longestRest)))
  }

  mutating func forgetFailures() { failures = 0 }

  /// Counts a failure, and returns the seconds before the retry, which grow with each failure up to a maximum.
  mutating func fail(_ settings: LookSettings, pace: Double) -> Double {
    failures = min(failures + 1, 16)
    let retries = settings.retries
    let first = min(
      max(LookSettings.retryShare * settings.bound / pace, retries.first.lowerBound), retries.first.upperBound)
    return min(first * pow(retries.growth, Double(failures - 1)), retries.longest)
  }

  /// Returns the policy of a look: the app's policy, with accuracies that follow from the bound, and a time limit from the past looks.
  func policy(
    for policy: AcquisitionPolicy, settings: LookSettings, isFirst: Bool, at uptime: Duration
  ) -> AcquisitionPolicy {
    var look = policy
    look.desiredAccuracy = desiredAccuracy(settings, isFirst: isFirst)
    look.acceptableAccuracy = max(100, settings.bound / 3)
    let limits = policy.lookLimits
    // A slow receiver has a longer limit.
    let usual = Duration.seconds(Self.patience * lead)
    let isOld = satellitesAt.map { uptime - $0 > AcquisitionPolicy.LookLimits.ephemerisLife } ?? true
    look.timeLimit =
      if isFirst {
        limits.firstFix
      } else if isOld || hint == .rest {
        // A fix at rest may be the last location for hours, so its accuracy is worth a longer look.
        limits.oldEphemeris
      } else {
        max(failures > 0 ? limits.afterFailure : limits.recentFix, usual)
      }
    return look
  }

  private func desiredAccuracy(_ settings: LookSettings, isFirst: Bool) -> Double {
    let third = LookSettings.desiredAccuracy(within: settings.bound)
    if hint == .rest { return min(third, LookPhase.Rest.accuracy) }
    // With a narrow bound, a fix needs a speed, which a fix from Wi-Fi lacks. The first fix is exempt.
    return settings.usesCoarseFixes && settings.isNarrow && !isFirst ? min(third, Self.networkAccuracy) : third
  }
}

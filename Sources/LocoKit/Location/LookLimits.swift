extension AcquisitionPolicy {
  /// How long a look within an error bound may keep the receiver on, by what the receiver knows of the satellites.
  ///
  /// A look gives up early where a fix should have come early: then there is no sky, and seconds are wasted.
  package struct LookLimits: Hashable, Sendable {
    /// Where the last look gave a fix, not long ago. More than 0, at most a day, as all of them.
    package var recentFix: Duration
    /// Where the last look gave none.
    package var afterFailure: Duration
    /// Where the last fix is older than an ephemeris lasts, ``ephemerisLife``.
    package var oldEphemeris: Duration
    /// Where there has been no fix in this launch.
    package var firstFix: Duration

    /// For how long an ephemeris is counted on: two hours, half of the four for which it is good.
    package static let ephemerisLife = Duration.seconds(7_200)

    /// Limits from their parts.
    package init(recentFix: Duration, afterFailure: Duration, oldEphemeris: Duration, firstFix: Duration) {
      self.recentFix = recentFix
      self.afterFailure = afterFailure
      self.oldEphemeris = oldEphemeris
      self.firstFix = firstFix
    }

    /// For phones, whose network helps the receiver: 8 s, 6 s after a failure, 25 s with an old ephemeris, 45 s for the first fix.
    package static let phone = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(8), afterFailure: .seconds(6), oldEphemeris: .seconds(25), firstFix: .seconds(45))
    /// For receivers without assistance data, which need half a minute for an ephemeris: 60 s, and 90 s where it is old.
    package static let standaloneReceiver = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(60), afterFailure: .seconds(60), oldEphemeris: .seconds(90), firstFix: .seconds(90))

    var all: [Duration] { [recentFix, afterFailure, oldEphemeris, firstFix] }
  }
}

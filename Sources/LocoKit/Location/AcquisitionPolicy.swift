/// The accuracy of a good fix, and the time that the receiver has to find one.
///
/// ```swift
/// var policy = AcquisitionPolicy.loco
/// policy.desiredAccuracy = 30       // stop earlier: less time with the GPS on, for many uses the same result
/// let manager = LocationManager(provider: provider, policy: policy)
/// ```
///
/// Set the values in any order: no range depends on another value. A manager checks them when it receives the policy. A value out of range
/// is a programming error and stops the program; a debug build prints the reason.
public struct AcquisitionPolicy: Hashable, Sendable {
  /// The accuracy of a fix that ends the acquisition, in metres: finite and more than 0. For a look under an
  /// ``LocationManager/errorBound``, this accuracy and ``acceptableAccuracy`` follow from the bound instead.
  ///
  /// Without an error bound, if the location of a significant change is new and plausible, has this accuracy and is no older than
  /// ``maximumAge``, the manager delivers that location without an acquisition. With 1,000 m, the GPS rarely turns on after a significant
  /// change.
  public var desiredAccuracy: Double
  /// The accuracy that the best fix must have at the time limit, in metres: finite and more than 0. In the manager's own acquisitions, a
  /// value below ``desiredAccuracy`` acts like ``desiredAccuracy``, because a fix of that accuracy has already ended the acquisition.
  public var acceptableAccuracy: Double
  /// The most time that an acquisition keeps the receiver on, unless a consumer needs it longer: more than 0, at most a day. Under an
  /// ``LocationManager/errorBound`` it applies only to the acquisitions that the app forces and to the one after tracking. Looks have time
  /// limits of their own: 8 to 45 s on a phone, and 60 or 90 s with a copy of ``standaloneReceiver``.
  public var timeLimit: Duration
  /// The greatest age of a fix, when it is judged and when it is delivered: more than 0, at most a day.
  public var maximumAge: Duration
  /// The time after an acquisition during which significant changes are ignored: 0 to a day.
  ///
  /// The significant-change service reports the last position as soon as it is started. Without a cool-down, each acquisition could start
  /// another one, and the GPS would hardly ever be off.
  public var cooldown: Duration
  /// The number of errors without a fix between them that ends an acquisition: 1 or more.
  ///
  /// "Location unknown" isn't an error: the receiver keeps trying.
  public var errorLimit: Int
  /// The time limits of looks, instead of ``timeLimit``. The two accuracies of a look follow from the bound.
  package var lookLimits: AcquisitionPolicy.LookLimits
  /// Whether a fix of reduced accuracy, ``Location/Source/reduced``, also ends an acquisition. Such a fix is accurate to 1–20 km, and may
  /// be 20 minutes old. If this is `false` and the user has reduced the accuracy, acquisitions fail, unless the accuracies of the policy or
  /// the call permit such a fix.
  ///
  /// With reduced fixes, the manager can't keep an ``LocationManager/errorBound``. A consumer of
  /// ``LocationManager/track(desiredAccuracy:distanceFilter:)`` receives only those that have its desired accuracy.
  public var acceptsReducedAccuracy: Bool
  /// Whether fixes are accepted that no satellites or networks have measured: ``Location/isSimulatedBySoftware`` and
  /// ``Location/isEstimated``. `true` by default, because tests and simulators produce such fixes. If this is `false`, the reason of their
  /// rejection is ``RejectionReason/unmeasured``.
  public var acceptsUnmeasuredLocations: Bool

  /// The greatest age of an accepted fix of reduced accuracy, unless ``maximumAge`` is greater: 20 minutes. Core Location computes such
  /// fixes a few times an hour.
  package static let reducedMaximumAge = Duration.seconds(1_200)

  /// Creates a policy for a receiver with assistance data, such as a phone's. For any other receiver, change a copy of
  /// ``standaloneReceiver``, whose looks have longer time limits.
  public init(
    desiredAccuracy: Double, acceptableAccuracy: Double, timeLimit: Duration, maximumAge: Duration = .seconds(30),
    cooldown: Duration = .seconds(30), errorLimit: Int = 5, acceptsReducedAccuracy: Bool = false,
    acceptsUnmeasuredLocations: Bool = true
  ) {
    (self.desiredAccuracy, self.acceptableAccuracy, self.timeLimit) = (desiredAccuracy, acceptableAccuracy, timeLimit)
    (self.maximumAge, self.cooldown, self.errorLimit) = (maximumAge, cooldown, errorLimit)
    lookLimits = .phone
    (self.acceptsReducedAccuracy, self.acceptsUnmeasuredLocations) = (
      acceptsReducedAccuracy, acceptsUnmeasuredLocations
    )
  }

  /// The policy for phones, whose receiver has assistance data from the network: 10 m desired, 100 m acceptable, 15 s. These are Loco's
  /// values.
  public static let loco = AcquisitionPolicy(
    desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: LocationMachine.acquisitionTimeLimit)

  /// The policy for receivers without assistance data, such as those behind gpsd: 30 m desired, 100 m acceptable, 60 s.
  ///
  /// Such a receiver may need half a minute for its first fix each time it is turned on, so with a limit of 15 s it might never find a
  /// location.
  public static let standaloneReceiver = {
    var policy = AcquisitionPolicy(desiredAccuracy: 30, acceptableAccuracy: 100, timeLimit: .seconds(60))
    policy.lookLimits = .standaloneReceiver
    return policy
  }()

  /// Returns whether a valid fix ends an acquisition.
  func isSatisfied(by fix: Location) -> Bool {
    fix.horizontalAccuracy <= desiredAccuracy || acceptsReduced(fix)
  }

  func acceptsReduced(_ fix: Location) -> Bool { acceptsReducedAccuracy && fix.source == .reduced }

  func maximumAge(of fix: Location) -> Duration {
    acceptsReduced(fix) ? max(maximumAge, Self.reducedMaximumAge) : maximumAge
  }

  package func check() { Validation.require(problem) }

  /// A message about a value out of range; `nil` if all are in range.
  var problem: String? {
    let problem =
      Validation.length("desired accuracy", desiredAccuracy)
      ?? Validation.length("acceptable accuracy", acceptableAccuracy) ?? Validation.limit("time limit", timeLimit)
      ?? Validation.limit("maximum age", maximumAge) ?? Validation.pause("cool-down", cooldown)
    if let problem { return problem }
    if errorLimit < 1 { return "The error limit must be 1 or more, not \(errorLimit)." }
    return lookLimits.all.lazy.compactMap { Validation.limit("time limit of a look", $0) }.first
  }

  /// The time limits of looks, by what the receiver knows about the satellites.
  ///
  /// The limit is short if a fix should arrive soon: when none does, the sky is probably hidden, and a longer search would waste energy.
  package struct LookLimits: Hashable, Sendable {
    /// The limit if the ephemeris is recent, and no look has failed since the last fix or wake-up; longer for a slow receiver. Like all
    /// limits, it is more than 0 and at most a day.
    package var recentFix: Duration
    /// The limit if the ephemeris is recent, and a look has failed since the last fix or wake-up; longer for a slow receiver.
    package var afterFailure: Duration
    /// The limit if the last fix from satellites is older than ``ephemerisLife`` or there is none, and for a look at rest.
    package var oldEphemeris: Duration
    /// The limit before the first fix under the error bound.
    package var firstFix: Duration

    /// The time for which an ephemeris is used: two hours, half of its real validity.
    package static let ephemerisLife = Duration.seconds(7_200)

    /// The limits for phones, whose receiver has assistance data from the network.
    static let phone = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(8), afterFailure: .seconds(12), oldEphemeris: .seconds(25), firstFix: .seconds(45))
    /// The limits for receivers without assistance data, which need half a minute for an ephemeris.
    static let standaloneReceiver = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(60), afterFailure: .seconds(60), oldEphemeris: .seconds(90), firstFix: .seconds(90))

    /// Whether the receiver has assistance data: otherwise it needs half a minute.
    var isAssisted: Bool { recentFix < .seconds(30) }

    var all: [Duration] { [recentFix, afterFailure, oldEphemeris, firstFix] }
  }
}

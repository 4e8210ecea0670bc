/// The accuracy of a good fix, and the time that the receiver has to find one.
///
/// ```swift
/// var policy = AcquisitionPolicy.loco
/// policy.desiredAccuracy = 30       // stop earlier: less time with the GPS on, for many uses the same result
/// let manager = LocationManager(provider: provider, policy: policy)
/// ```
///
/// Set the values in any order: no range depends on another value. A manager, or an acquisition with the policy, checks them. A value out
/// of range is a programming error and stops the program with a message.
public struct AcquisitionPolicy: Hashable, Sendable {
  /// The accuracy of a fix that ends the acquisition, in metres: finite and more than 0.
  ///
  /// A significant change whose own location has this accuracy, and is no older than ``maximumAge``, is delivered without an acquisition.
  /// With 1,000 m an app follows significant changes, and the GPS rarely turns on.
  public var desiredAccuracy: Double
  /// The accuracy that the best fix must have at the time limit, in metres: finite and more than 0. A value below ``desiredAccuracy`` has
  /// no effect, because such a fix has ended the acquisition already.
  public var acceptableAccuracy: Double
  /// The most time that an acquisition keeps the receiver on: more than 0, at most a day.
  public var timeLimit: Duration
  /// The greatest age of a fix, when it is judged and when it is delivered: more than 0, at most a day.
  public var maximumAge: Duration
  /// The time after an acquisition during which significant changes are ignored: 0 to a day.
  ///
  /// The significant-change service reports the last position as soon as it is started. Without a cool-down, a failed acquisition would
  /// restart again and again, and the GPS would never turn off.
  public var cooldown: Duration
  /// The number of errors without a fix between them that ends an acquisition: 1 or more.
  ///
  /// "Location unknown" isn't an error: the receiver keeps trying.
  public var errorLimit: Int
  /// The time limits of looks, which apply if an error bound is set. Then ``timeLimit`` applies only to acquisitions that the app forces,
  /// and the two accuracies follow from the bound.
  package var lookLimits: AcquisitionPolicy.LookLimits
  /// Whether an acquisition also ends with a fix of reduced accuracy, ``Location/Source/reduced``, if the user grants no other one. Such a
  /// fix is accurate to 1–20 km, and may be 20 minutes old. If this is `false`, every acquisition fails in that case.
  ///
  /// An ``LocationManager/errorBound`` doesn't apply to reduced fixes. A consumer of
  /// ``LocationManager/track(desiredAccuracy:distanceFilter:)`` receives them only if it desires no better accuracy.
  public var acceptsReducedAccuracy: Bool

  /// The greatest age of an accepted fix of reduced accuracy, unless ``maximumAge`` is greater: 20 minutes. Core Location computes such
  /// fixes a few times an hour.
  package static let reducedMaximumAge = Duration.seconds(1_200)

  /// Creates a policy.
  public init(
    desiredAccuracy: Double, acceptableAccuracy: Double, timeLimit: Duration, maximumAge: Duration = .seconds(30),
    cooldown: Duration = .seconds(30), errorLimit: Int = 5, acceptsReducedAccuracy: Bool = false
  ) {
    (self.desiredAccuracy, self.acceptableAccuracy, self.timeLimit) = (desiredAccuracy, acceptableAccuracy, timeLimit)
    (self.maximumAge, self.cooldown, self.errorLimit) = (maximumAge, cooldown, errorLimit)
    (lookLimits, self.acceptsReducedAccuracy) = (.phone, acceptsReducedAccuracy)
  }

  /// For phones, whose receiver has assistance data from the network: 10 m desired, 100 m acceptable, 15 s. These are Loco's values.
  public static let loco = AcquisitionPolicy(desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: .seconds(15))

  /// For receivers without assistance data, such as those behind gpsd: 30 m desired, 100 m acceptable, 60 s.
  ///
  /// Such a receiver needs about half a minute for its first fix each time it is turned on, so a limit of 15 s would never give a location.
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

  package func check() { OutOfRange.check(problem) }

  /// A message about a value out of range; `nil` if all are in range.
  var problem: String? {
    let problem =
      OutOfRange.length("desired accuracy", desiredAccuracy)
      ?? OutOfRange.length("acceptable accuracy", acceptableAccuracy) ?? OutOfRange.limit("time limit", timeLimit)
      ?? OutOfRange.limit("maximum age", maximumAge) ?? OutOfRange.pause("cool-down", cooldown)
    if let problem { return problem }
    if errorLimit < 1 { return "The error limit must be 1 or more, not \(errorLimit)." }
    return lookLimits.all.lazy.compactMap { OutOfRange.limit("time limit of a look", $0) }.first
  }

  /// The time limits of looks, by what the receiver knows about the satellites.
  ///
  /// A look ends early if a fix should have arrived early: then the sky is hidden, and more seconds would be wasted.
  package struct LookLimits: Hashable, Sendable {
    /// The limit if the last look found a fix and the ephemeris is recent. More than 0, at most a day, as all limits.
    package var recentFix: Duration
    /// The limit if the last look found no fix.
    package var afterFailure: Duration
    /// The limit if the last fix is older than ``ephemerisLife``.
    package var oldEphemeris: Duration
    /// The limit before the first fix of this launch.
    package var firstFix: Duration

    /// The assumed validity of an ephemeris: two hours, half of its real validity.
    package static let ephemerisLife = Duration.seconds(7_200)

    /// For phones, whose receiver has assistance data from the network.
    static let phone = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(8), afterFailure: .seconds(12), oldEphemeris: .seconds(25), firstFix: .seconds(45))
    /// For receivers without assistance data, which need half a minute for an ephemeris.
    static let standaloneReceiver = AcquisitionPolicy.LookLimits(
      recentFix: .seconds(60), afterFailure: .seconds(60), oldEphemeris: .seconds(90), firstFix: .seconds(90))

    var all: [Duration] { [recentFix, afterFailure, oldEphemeris, firstFix] }
  }
}

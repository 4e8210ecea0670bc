/// What counts as a good fix, and how long the receiver may look for one.
///
/// ```swift
/// var policy = AcquisitionPolicy.loco
/// policy.desiredAccuracy = 30       // stop earlier: half the time with the GPS on, for many uses the same result
/// let manager = LocationManager(provider: provider, policy: policy)
/// ```
///
/// Values out of range are a programmer's mistake and stop the program.
public struct AcquisitionPolicy: Hashable, Sendable {
  /// A fix with this accuracy or a better one ends the acquisition at once. Metres, more than 0.
  public var desiredAccuracy: Double { didSet { check() } }
  /// The best fix is taken when the time is over if its accuracy is this or better. Metres, no less than desired.
  public var acceptableAccuracy: Double { didSet { check() } }
  /// How long one acquisition may keep the receiver on. More than 0, at most a day.
  public var timeLimit: Duration { didSet { check() } }
  /// How old a fix may be when it is judged, and when it is delivered. More than 0, at most a day.
  public var maximumAge: Duration { didSet { check() } }
  /// How long significant changes are ignored after an acquisition. 0 to a day.
  ///
  /// A significant-change service that is armed again reports at once where it was last: without this, a failed
  /// acquisition would begin again and again, and the GPS would never be off.
  public var cooldown: Duration { didSet { check() } }
  /// So many errors, one after the other without a fix between them, end an acquisition. 1 or more.
  ///
  /// "Location unknown" is no error: it means that the receiver goes on trying.
  public var errorLimit: Int { didSet { check() } }

  /// A policy from its parts.
  public init(
    desiredAccuracy: Double, acceptableAccuracy: Double, timeLimit: Duration, maximumAge: Duration = .seconds(30),
    cooldown: Duration = .seconds(30), errorLimit: Int = 5
  ) {
    self.desiredAccuracy = desiredAccuracy
    self.acceptableAccuracy = acceptableAccuracy
    self.timeLimit = timeLimit
    self.maximumAge = maximumAge
    self.cooldown = cooldown
    self.errorLimit = errorLimit
    check()
  }

  /// For phones, whose network helps the receiver: desired 10 m, acceptable 100 m, 15 s. These are Loco's values.
  public static let loco = AcquisitionPolicy(desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: .seconds(15))

  /// For receivers without assistance data, such as those behind gpsd: desired 30 m, acceptable 100 m, 60 s.
  ///
  /// A cold receiver needs about half a minute before its first fix and begins anew each time it is turned off, so a
  /// limit of 15 s would never give a location.
  public static let standaloneReceiver = AcquisitionPolicy(
    desiredAccuracy: 30, acceptableAccuracy: 100, timeLimit: .seconds(60))

  private func check() {
    precondition(desiredAccuracy > 0 && desiredAccuracy.isFinite, "The desired accuracy is a number of metres above 0.")
    precondition(
      acceptableAccuracy >= desiredAccuracy && acceptableAccuracy.isFinite,
      "The acceptable accuracy is a number of metres, no less than the desired accuracy.")
    let day = Duration.seconds(86_400)
    precondition(timeLimit > .zero && timeLimit <= day, "The time limit is more than 0 and at most a day.")
    precondition(maximumAge > .zero && maximumAge <= day, "The maximum age is more than 0 and at most a day.")
    precondition(cooldown >= .zero && cooldown <= day, "The cool-down is 0 to a day.")
    precondition(errorLimit >= 1, "The error limit is 1 or more.")
  }
}

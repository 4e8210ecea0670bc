/// What counts as a good fix, and how long the receiver may look for one.
///
/// ```swift
/// var policy = AcquisitionPolicy.loco
/// policy.desiredAccuracy = 30       // stop earlier: half the time with the GPS on, for many uses the same result
/// let manager = LocationManager(provider: provider, policy: policy)
/// ```
///
/// Set the values in any order: no range depends on another value. They are checked when a manager gets the policy, or an
/// acquisition is made with it. A value out of range is a programmer's mistake and stops the program there, with a sentence that
/// names it.
public struct AcquisitionPolicy: Hashable, Sendable {
  /// A fix with this accuracy or a better one ends the acquisition. Metres, more than 0, finite.
  ///
  /// A significant change whose own location is as accurate, and as fresh as ``maximumAge`` says, is delivered without an acquisition: with
  /// 1,000 m an app follows significant changes, and the GPS rarely turns on.
  public var desiredAccuracy: Double
  /// The best fix is taken when the time is over if its accuracy is this or better. Metres, more than 0, finite. One below
  /// ``desiredAccuracy`` has no effect: such a fix has ended the acquisition already.
  public var acceptableAccuracy: Double
  /// How long one acquisition may keep the receiver on. More than 0, at most a day.
  public var timeLimit: Duration
  /// How old a fix may be when it is judged, and when it is delivered. More than 0, at most a day.
  public var maximumAge: Duration
  /// How long significant changes are ignored after an acquisition. 0 to a day.
  ///
  /// A significant-change service that is armed again reports at once where it was last: without this, a failed
  /// acquisition would begin again and again, and the GPS would never be off.
  public var cooldown: Duration
  /// So many errors, one after the other without a fix between them, end an acquisition. 1 or more.
  ///
  /// "Location unknown" is no error: it means that the receiver goes on trying.
  public var errorLimit: Int
  /// How long a look may keep the receiver on, where an error bound is set: then ``timeLimit`` holds for what the app forces
  /// alone, and the two accuracies follow from the bound.
  package var lookLimits: AcquisitionPolicy.LookLimits
  /// Whether an acquisition also ends with a fix of reduced accuracy, ``Location/Source/reduced``, where the user grants no other one.
  /// Such a fix is accurate to 1–20 km, and may be ``reducedMaximumAge`` old. If this is `false`, every acquisition fails then.
  ///
  /// An ``LocationManager/errorBound`` does not hold for reduced fixes. A consumer of ``LocationManager/track(desiredAccuracy:distanceFilter:)``
  /// receives them only if it desires no better accuracy.
  public var acceptsReducedAccuracy: Bool

  /// The greatest age of a fix of reduced accuracy, where the policy accepts them: 20 minutes. Core Location computes them a few times an
  /// hour. A greater ``maximumAge`` holds for them too.
  package static let reducedMaximumAge = Duration.seconds(1_200)

  /// A policy from its parts.
  public init(
    desiredAccuracy: Double, acceptableAccuracy: Double, timeLimit: Duration, maximumAge: Duration = .seconds(30),
    cooldown: Duration = .seconds(30), errorLimit: Int = 5, acceptsReducedAccuracy: Bool = false
  ) {
    self.init(
      desiredAccuracy: desiredAccuracy, acceptableAccuracy: acceptableAccuracy, timeLimit: timeLimit,
      maximumAge: maximumAge, cooldown: cooldown, errorLimit: errorLimit, lookLimits: .phone,
      acceptsReducedAccuracy: acceptsReducedAccuracy)
  }

  package init(
    desiredAccuracy: Double, acceptableAccuracy: Double, timeLimit: Duration, maximumAge: Duration = .seconds(30),
    cooldown: Duration = .seconds(30), errorLimit: Int = 5, lookLimits: LookLimits,
    acceptsReducedAccuracy: Bool = false
  ) {
    self.desiredAccuracy = desiredAccuracy
    self.acceptableAccuracy = acceptableAccuracy
    self.timeLimit = timeLimit
    self.maximumAge = maximumAge
    self.cooldown = cooldown
    self.errorLimit = errorLimit
    self.lookLimits = lookLimits
    self.acceptsReducedAccuracy = acceptsReducedAccuracy
  }

  /// For phones, whose network helps the receiver: desired 10 m, acceptable 100 m, 15 s. These are Loco's values.
  public static let loco = AcquisitionPolicy(desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: .seconds(15))

  /// For receivers without assistance data, such as those behind gpsd: desired 30 m, acceptable 100 m, 60 s.
  ///
  /// A cold receiver needs about half a minute before its first fix and begins anew each time it is turned off, so a
  /// limit of 15 s would never give a location.
  public static let standaloneReceiver = AcquisitionPolicy(
    desiredAccuracy: 30, acceptableAccuracy: 100, timeLimit: .seconds(60), lookLimits: .standaloneReceiver)

  /// Whether a valid fix ends an acquisition.
  func isSatisfied(by fix: Location) -> Bool {
    fix.horizontalAccuracy <= desiredAccuracy || acceptsReduced(fix)
  }

  /// Whether a fix is of reduced accuracy, and accepted nevertheless.
  func acceptsReduced(_ fix: Location) -> Bool { acceptsReducedAccuracy && fix.source == .reduced }

  /// The greatest age of a fix.
  func maximumAge(of fix: Location) -> Duration {
    acceptsReduced(fix) ? max(maximumAge, Self.reducedMaximumAge) : maximumAge
  }

  /// Stops the program where a value is out of range.
  func check() {
    if let problem { preconditionFailure(problem) }
  }

  /// What is wrong with the values; `nil` where they are in range.
  var problem: String? {
    func isLength(_ metres: Double) -> Bool { metres > 0 && metres.isFinite }
    func isLimit(_ time: Duration) -> Bool { time > .zero && time <= .seconds(86_400) }
    func length(_ name: String, _ metres: Double) -> String {
      "The \(name) must be a finite number of metres above 0, not \(metres)."
    }
    func limit(_ name: String, _ time: Duration) -> String {
      "The \(name) must be more than 0 and at most a day, not \(time.inSeconds) s."
    }
    if !isLength(desiredAccuracy) { return length("desired accuracy", desiredAccuracy) }
    if !isLength(acceptableAccuracy) { return length("acceptable accuracy", acceptableAccuracy) }
    if !isLimit(timeLimit) { return limit("time limit", timeLimit) }
    if !isLimit(maximumAge) { return limit("maximum age", maximumAge) }
    if cooldown != .zero, !isLimit(cooldown) { return "The cool-down must be 0 to a day, not \(cooldown.inSeconds) s." }
    if errorLimit < 1 { return "The error limit must be 1 or more, not \(errorLimit)." }
    if let time = lookLimits.all.first(where: { !isLimit($0) }) { return limit("time limit of a look", time) }
    return nil
  }
}

extension AcquisitionPolicy: Codable {
  private enum Key: String, CodingKey {
    case desiredAccuracy, acceptableAccuracy, timeLimit, maximumAge, cooldown, errorLimit
    case lookRecentFix, lookAfterFailure, lookOldEphemeris, lookFirstFix, acceptsReducedAccuracy
  }

  /// Writes accuracies in metres and durations in seconds, and ``acceptsReducedAccuracy`` only if it is `true`, so that other policies are
  /// written as by an earlier LocoKit.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(desiredAccuracy, forKey: .desiredAccuracy)
    try values.encode(acceptableAccuracy, forKey: .acceptableAccuracy)
    try values.encode(timeLimit.inSeconds, forKey: .timeLimit)
    try values.encode(maximumAge.inSeconds, forKey: .maximumAge)
    try values.encode(cooldown.inSeconds, forKey: .cooldown)
    try values.encode(errorLimit, forKey: .errorLimit)
    try values.encode(lookLimits.recentFix.inSeconds, forKey: .lookRecentFix)
    try values.encode(lookLimits.afterFailure.inSeconds, forKey: .lookAfterFailure)
    try values.encode(lookLimits.oldEphemeris.inSeconds, forKey: .lookOldEphemeris)
    try values.encode(lookLimits.firstFix.inSeconds, forKey: .lookFirstFix)
    if acceptsReducedAccuracy { try values.encode(true, forKey: .acceptsReducedAccuracy) }
  }

  /// Reads accuracies in metres and durations in seconds.
  ///
  /// - Throws: `DecodingError` where a value is missing or out of range. Without ``acceptsReducedAccuracy`` it is `false`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    func duration(_ key: Key) throws -> Duration {
      let seconds = try values.decode(Double.self, forKey: key)
      // Far out of range already, and what a duration can hold.
      guard abs(seconds) <= 1e9 else {
        throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: "This is not some seconds.")
      }
      return .seconds(seconds)
    }
    self.init(
      desiredAccuracy: try values.decode(Double.self, forKey: .desiredAccuracy),
      acceptableAccuracy: try values.decode(Double.self, forKey: .acceptableAccuracy),
      timeLimit: try duration(.timeLimit), maximumAge: try duration(.maximumAge), cooldown: try duration(.cooldown),
      errorLimit: try values.decode(Int.self, forKey: .errorLimit),
      lookLimits: AcquisitionPolicy.LookLimits(
        recentFix: try duration(.lookRecentFix), afterFailure: try duration(.lookAfterFailure),
        oldEphemeris: try duration(.lookOldEphemeris), firstFix: try duration(.lookFirstFix)),
      acceptsReducedAccuracy: try values.decodeIfPresent(Bool.self, forKey: .acceptsReducedAccuracy) ?? false)
    if let problem {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
  }
}

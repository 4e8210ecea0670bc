extension PowerController {
  /// A mode of the manager, and the conditions for the mode.
  ///
  /// ```swift
  /// let rules: [PowerController.Rule] = [
  ///   .init(.sleep, when: [.lowPowerMode]),
  ///   .init(.track(TrackingPolicy(distanceFilter: 0)), when: [.trip, .charging]),
  ///   .init(.bound(200), when: [.flag("guests are waiting"), .not(.battery(below: 0.2))]),
  ///   .init(.bound(1_000)),
  /// ]
  /// ```
  public struct Rule: Hashable, Sendable {
    /// The manager's mode while this is the first rule that holds.
    public var mode: Mode
    /// The conditions: the rule holds while all of them hold. A rule without conditions always holds.
    package var conditions: Set<Condition>

    /// Creates a rule.
    ///
    /// - Precondition: When a controller uses the rule, each value is in its range: see ``Mode`` and ``Condition``.
    public init(_ mode: Mode, when conditions: Set<Condition> = []) {
      (self.mode, self.conditions) = (mode, conditions)
    }
  }

  /// A behavior of the manager while a rule decides.
  ///
  /// ```swift
  /// switch controller.rule?.mode {
  /// case .track: status = "every location"
  /// case .bound(let metres): status = "within \(Int(metres)) m"
  /// case .sleep, nil: status = "asleep"
  /// }
  /// ```
  public enum Mode: Hashable, Sendable {
    /// The manager sleeps until a significant change, or keeps the last location within ``LocationManager/errorBound`` if the app has set
    /// it.
    case sleep
    /// The manager keeps the last location within an error bound, in metres: ``LocationManager/minimumErrorBound`` or more. The smaller of
    /// this bound and ``LocationManager/errorBound`` applies.
    case bound(Double)
    /// The GPS stays on, and the manager delivers the locations that a policy accepts.
    case track(TrackingPolicy)
  }

  /// A circumstance that a rule requires.
  ///
  /// ```swift
  /// let mayTrack: Set<PowerController.Condition> = [.vehicle, .not(.lowPowerMode), .not(.battery(below: 0.3))]
  /// ```
  public indirect enum Condition: Hashable, Sendable {
    /// The app is in the foreground. The condition doesn't hold while that is unknown.
    case foreground
    /// The battery is charging or full. The condition doesn't hold while that is unknown.
    case charging
    /// The battery's level is below a share, 0…1. The condition doesn't hold while the level is unknown.
    case battery(below: Double)
    /// The system's low-power mode is on.
    case lowPowerMode
    /// The motion sensor reports a vehicle, or a fix had a speed of 20 m/s or more. The speed counts until a fix has a speed below
    /// 15 m/s, or until no fix has had a speed for a minute. ``CoreLocationProvider`` turns its motion sensor on only under an error bound:
    /// see ``LocationManager/Circumstances/motion``.
    case vehicle
    /// A trip recorder records a trip.
    case trip
    /// There was no sign of motion for a time: more than 0, at most a day. The article *Using a manager* lists the signs.
    case atRest(after: Duration)
    /// The app has set the flag with this name: see ``PowerController/flags``.
    case flag(String)
    /// Another condition doesn't hold.
    case not(Condition)
  }

  /// The rules of TTLocationHandler, which are the default of a new controller. The manager tracks in the foreground and while charging,
  /// with at least 400 m between two locations in a vehicle and 50 m otherwise. In the background on battery, it sleeps.
  public static let standardRules: [Rule] = {
    let (far, near) = (Mode.track(TrackingPolicy(distanceFilter: 400)), Mode.track(TrackingPolicy()))
    return [
      Rule(far, when: [.foreground, .vehicle]), Rule(near, when: [.foreground]),
      Rule(far, when: [.charging, .vehicle]), Rule(near, when: [.charging]),
    ]
  }()

  /// Returns rules as a table in Markdown, in their order.
  ///
  /// ```swift
  /// print(PowerController.table(of: PowerController.standardRules))
  /// ```
  public static func table(of rules: [Rule]) -> String {
    var lines = ["| when | mode |", "|---|---|"]
    for rule in rules {
      let conditions = rule.conditions.map(\.words).sorted().joined(separator: ", ")
      lines.append("| \(conditions.isEmpty ? "always" : conditions) | \(rule.mode.words) |")
    }
    if rules.last?.conditions.isEmpty != true { lines.append("| otherwise | \(Mode.sleep.words) |") }
    return lines.joined(separator: "\n") + "\n"
  }
}

// MARK: - In words

extension PowerController.Mode {
  /// The mode in words, such as `track, 50.0 m apart`.
  var words: String {
    switch self {
    case .sleep: "sleep"
    case .bound(let metres): "stay within \(metres) m"
    case .track(let policy):
      if policy.distanceFilter > 0 { "track, \(policy.distanceFilter) m apart" } else { "track" }
    }
  }
}

extension PowerController.Condition {
  /// The condition in words, such as `not charging`.
  var words: String {
    switch self {
    case .foreground: "foreground"
    case .charging: "charging"
    case .battery(let level): "battery below \(level)"
    case .lowPowerMode: "low-power mode"
    case .vehicle: "vehicle"
    case .trip: "trip"
    case .atRest(let time): "at rest for \(time.inSeconds) s"
    case .flag(let name): "flag \(name.debugDescription.replacing("|", with: "\\|"))"
    case .not(let condition): "not \(condition.words)"
    }
  }
}

// MARK: - Checks and decisions

extension PowerController.Rule {
  /// The facts for a decision.
  struct Facts {
    var circumstances: LocationManager.Circumstances
    var isFast: Bool
    var flags: Set<String>
    /// Whether the device has rested for a time.
    var isAtRest: (Duration) -> Bool
  }

  func holds(with facts: Facts) -> Bool { conditions.allSatisfy { $0.holds(with: facts) } }

  /// The times after which the device counts as at rest.
  var rests: [Duration] { conditions.compactMap(\.rest) }

  func check() {
    switch mode {
    case .sleep: break
    case .bound(let bound): Validation.require(LookPlanner.problem(withBound: bound))
    case .track(let policy): policy.check()
    }
    for condition in conditions { condition.check() }
  }
}

extension PowerController.Condition {
  fileprivate func holds(with facts: PowerController.Rule.Facts) -> Bool {
    let circumstances = facts.circumstances
    return switch self {
    case .foreground: circumstances.isInForeground == true
    case .charging: circumstances.battery?.state == .charging || circumstances.battery?.state == .full
    case .battery(let level): circumstances.battery?.level.map { $0 < level } ?? false
    case .lowPowerMode: circumstances.isLowPowerMode == true
    case .vehicle: facts.isFast || circumstances.motion?.isInVehicle == true
    case .trip: circumstances.trip != nil
    case .atRest(let time): facts.isAtRest(time)
    case .flag(let name): facts.flags.contains(name)
    case .not(let condition): !condition.holds(with: facts)
    }
  }

  fileprivate var rest: Duration? {
    switch self {
    case .atRest(let time): time
    case .not(let condition): condition.rest
    case .foreground, .charging, .battery, .lowPowerMode, .vehicle, .trip, .flag: nil
    }
  }

  fileprivate func check() {
    switch self {
    case .battery(let level):
      precondition((0...1).contains(level), "The level of a battery must be 0 to 1, not \(level).")
    case .atRest(let time): Validation.require(Validation.limit("time without motion", time))
    case .not(let condition): condition.check()
    case .foreground, .charging, .lowPowerMode, .vehicle, .trip, .flag: break
    }
  }
}

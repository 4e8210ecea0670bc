extension PowerController {
  /// When a manager gives every location, and when it sleeps between significant changes.
  ///
  /// A table over whether the app is in the foreground, what the device is powered by, and the pace. It is a pure function: the
  /// same answer for the same conditions, whatever came before; what came before is in the pace, a ``PaceMachine``.
  ///
  /// | foreground | power | decision |
  /// |---|---|---|
  /// | yes | any | continuous, if ``isContinuousInForeground`` |
  /// | no | external | continuous, if ``isContinuousOnExternalPower`` |
  /// | no | battery | continuous, if ``isContinuousOnBattery``, without low-power mode and at ``lowestBattery`` or above |
  /// | otherwise | | significant changes |
  ///
  /// With ``sleepsAtRest`` a continuous decision becomes significant changes while the device rests.
  ///
  /// ```swift
  /// var policy = PowerController.Policy()
  /// policy.isContinuousOnBattery = true
  /// let half = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 0.5))
  /// let low = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 0.1))
  /// policy.decision(in: half, pace: .ordinary)      // .continuous(distanceFilter: 50)
  /// policy.decision(in: low, pace: .ordinary)       // .significantChanges
  /// ```
  public struct Policy: Hashable, Sendable {
    /// What a device is powered by.
    public enum Power: Hashable, Sendable {
      /// A charger or a vehicle, the battery charging or full.
      case external
      /// Its battery, with the level 0…1 where it is known.
      case battery(level: Double?)
    }

    /// What a decision depends on.
    public struct Conditions: Hashable, Sendable {
      /// Whether the app is in the foreground.
      public var isInForeground: Bool
      /// What the device is powered by.
      public var power: Power
      /// Whether the user wants the system to save power.
      public var isLowPowerMode: Bool

      /// Conditions from their parts.
      public init(isInForeground: Bool, power: Power, isLowPowerMode: Bool = false) {
        self.isInForeground = isInForeground
        self.power = power
        self.isLowPowerMode = isLowPowerMode
      }
    }

    /// What the manager should do.
    public enum Decision: Hashable, Sendable {
      /// Sleep, and wake at significant changes.
      case significantChanges
      /// Track, and give each location that the acceptance policy accepts, so many metres from the last one at least, beside
      /// both accuracies.
      case continuous(distanceFilter: Double)
    }

    /// Whether every location is wanted in the foreground.
    public var isContinuousInForeground = true
    /// The same while it is not, and the device has power from outside.
    public var isContinuousOnExternalPower = true
    /// The same while it is not, and the device runs on its battery.
    public var isContinuousOnBattery = false
    /// Under this level of the battery, 0…1, it is not.
    public var lowestBattery = 0.2

    /// The time without a sign of motion after which the controller lets the manager sleep, whatever the power. With `nil`, the default, it
    /// doesn't. More than 0, at most a day.
    ///
    /// ```swift
    /// controller.policy.sleepsAtRest = .seconds(300)
    /// manager.errorBound = 500  // a region, visits and the motion sensor end the rest
    /// ```
    ///
    /// Signs of motion are: ``Motion/walking`` and ``Motion/vehicle``, while they last; two fixes in a row more than 100 m from where the device
    /// was up to two minutes before, unless the motion sensor reports ``Motion/still``, or one more than 300 m away, both beside the accuracies; the exit from a region, the end of a visit, and a significant change outside the cool-down. Each makes the
    /// decision continuous again. So does a decision that becomes continuous for another reason, such as a charger.
    ///
    /// The manager wakes the app at rest: with an ``LocationManager/errorBound`` it arms a region, and uses visits and the motion
    /// sensor where the provider has them. Without a bound significant changes alone end the rest, half a kilometre later, and a device without
    /// any fix for that time, such as in a long tunnel, counts as at rest.
    public var sleepsAtRest: Duration?

    /// How far apart locations are in town, metres, 0 or more.
    public var distanceFilter = 50.0

    /// From this speed on the pace is a motorway's, metres per second.
    package static let highwayEntrySpeed = 20.0
    /// Under this speed it is so no more, metres per second.
    package static let highwayExitSpeed = 15.0

    /// TTLocationHandler's settings: continuous in the foreground and on external power, and not on the battery.
    public init() {}

    /// Stops the program where a value is out of range.
    func check() {
      guard let sleepsAtRest else { return }
      precondition(
        sleepsAtRest > .zero && sleepsAtRest <= .seconds(86_400),
        "The time before the sleep at rest must be more than 0 and at most a day, not \(sleepsAtRest.inSeconds) s.")
    }

    /// What the manager should do.
    ///
    /// - Parameters:
    ///   - conditions: Whether the app is in the foreground, and the device's power.
    ///   - pace: How fast the device moves.
    ///   - isAtRest: Whether the device has rested for ``sleepsAtRest``.
    public func decision(in conditions: Conditions, pace: Pace, isAtRest: Bool = false) -> Decision {
      if isAtRest { return .significantChanges }
      let isContinuous =
        if conditions.isInForeground {
          isContinuousInForeground
        } else {
          switch conditions.power {
          case .external: isContinuousOnExternalPower
          case .battery(let level):
            isContinuousOnBattery && !conditions.isLowPowerMode && (level.map { $0 >= lowestBattery } ?? true)
          }
        }
      return isContinuous ? .continuous(distanceFilter: distanceFilter(at: pace)) : .significantChanges
    }

    /// How far apart locations are at a pace, metres: 10 walking, ``distanceFilter`` in town, 400 on a motorway.
    package func distanceFilter(at pace: Pace) -> Double {
      switch pace {
      case .walking: 10
      case .ordinary: distanceFilter
      case .highway: 400
      }
    }
  }
}

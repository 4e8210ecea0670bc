extension PowerController {
  /// The rules that decide between tracking and sleep until a significant change.
  ///
  /// A decision is a pure function of the app's foreground state, the device's power and its ``Pace``.
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
    /// The device's power supply.
    public enum Power: Hashable, Sendable {
      /// A charger or a vehicle, with the battery charging or full.
      case external
      /// The battery, with its level from 0 to 1 if known.
      case battery(level: Double?)
    }

    /// The input of a decision.
    public struct Conditions: Hashable, Sendable {
      /// Whether the app is in the foreground.
      public var isInForeground: Bool
      /// The device's power supply.
      public var power: Power
      /// Whether the system's low-power mode is on.
      public var isLowPowerMode: Bool

      /// Creates conditions.
      public init(isInForeground: Bool, power: Power, isLowPowerMode: Bool = false) {
        (self.isInForeground, self.power, self.isLowPowerMode) = (isInForeground, power, isLowPowerMode)
      }
    }

    /// The manager's task.
    public enum Decision: Hashable, Sendable {
      /// Sleep, and wake at significant changes.
      case significantChanges
      /// Track, and deliver the locations that the acceptance policy accepts. Consecutive locations are apart by at least the distance
      /// filter, in metres, plus their accuracies.
      case continuous(distanceFilter: Double)
    }

    /// Whether the manager tracks while the app is in the foreground. By default `true`.
    public var isContinuousInForeground = true
    /// Whether the manager tracks in the background on external power. By default `true`.
    public var isContinuousOnExternalPower = true
    /// Whether the manager tracks in the background on battery power. By default `false`.
    public var isContinuousOnBattery = false
    /// The lowest battery level for ``isContinuousOnBattery``, 0 to 1.
    public var lowestBattery = 0.2

    /// The time without a sign of motion after which the manager sleeps, even if the other rules decide to track. More than 0, at most a
    /// day; `nil`, the default, turns this off.
    ///
    /// ```swift
    /// controller.policy.sleepsAtRest = .seconds(300)
    /// manager.errorBound = 500  // a region, visits and the motion sensor end the rest
    /// ```
    ///
    /// These are signs of motion, and each makes the decision continuous again:
    /// - ``Motion/walking`` and ``Motion/vehicle``, while they last
    /// - two fixes in a row more than 100 m, plus the accuracies, from a fix of the last two minutes or the last one before a gap, unless
    ///   the motion sensor reports ``Motion/still``
    /// - one fix more than 300 m, plus the accuracies, from such a fix
    /// - the exit from a region, the end of a visit, and a significant change after the cool-down
    ///
    /// A decision that becomes continuous for another reason, such as a charger, ends the rest too.
    ///
    /// The app can still be woken at rest. With an ``LocationManager/errorBound``, the manager monitors a region, and uses visits and the
    /// motion sensor if the provider has them. Without a bound, only significant changes end the rest, after about half a kilometre. A
    /// device that finds no fix for ``sleepsAtRest``, such as in a long tunnel, counts as at rest.
    public var sleepsAtRest: Duration?

    /// The minimum distance between locations at ``Pace/ordinary``, in metres, 0 or more. It is 10 m at ``Pace/walking``, and 400 m at
    /// ``Pace/highway``.
    public var distanceFilter = 50.0

    /// The minimum speed that changes the pace to ``Pace/highway``, in metres per second.
    package static let highwayEntrySpeed = 20.0
    /// A lower speed ends ``Pace/highway``, in metres per second.
    package static let highwayExitSpeed = 15.0

    /// Creates a policy with TTLocationHandler's settings: continuous in the foreground and on external power, not on battery power.
    public init() {}

    func check() {
      OutOfRange.check(sleepsAtRest.flatMap { OutOfRange.limit("time before the sleep at rest", $0) })
    }

    /// Returns the manager's task.
    ///
    /// - Parameters:
    ///   - conditions: The app's foreground state and the device's power.
    ///   - pace: The device's pace.
    ///   - isAtRest: Whether the device has rested for ``sleepsAtRest``.
    public func decision(in conditions: Conditions, pace: Pace, isAtRest: Bool = false) -> Decision {
      let isContinuous =
        switch (conditions.isInForeground, conditions.power) {
        case (true, _): isContinuousInForeground
        case (false, .external): isContinuousOnExternalPower
        case (false, .battery(let level)):
          isContinuousOnBattery && !conditions.isLowPowerMode && (level.map { $0 >= lowestBattery } ?? true)
        }
      return isContinuous && !isAtRest ? .continuous(distanceFilter: distanceFilter(at: pace)) : .significantChanges
    }

    private func distanceFilter(at pace: Pace) -> Double {
      switch pace {
      case .walking: 10
      case .ordinary: distanceFilter
      case .highway: 400
      }
    }
  }
}

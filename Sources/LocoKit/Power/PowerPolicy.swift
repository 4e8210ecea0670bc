/// When a manager gives every location, and when it sleeps between significant changes.
///
/// A table over whether the app is in the foreground, what the device is powered by, and the pace. It is a pure function: the
/// same answer for the same conditions, whatever came before; what came before is in the pace, a ``PaceMachine``.
///
/// | foreground | power | decision |
/// |---|---|---|
/// | yes | any | continuous, if ``isContinuousInForeground`` |
/// | no | external | continuous, if ``isContinuousOnExternalPower`` |
/// | no | battery | continuous, if ``isContinuousOnBattery``, without low-power mode and above ``lowestBattery`` |
/// | otherwise | | significant changes |
///
/// ```swift
/// var policy = PowerPolicy()
/// policy.isContinuousOnBattery = true
/// let half = PowerPolicy.Conditions(isInForeground: false, power: .battery(level: 0.5))
/// let low = PowerPolicy.Conditions(isInForeground: false, power: .battery(level: 0.1))
/// policy.decision(in: half, pace: .ordinary)      // .continuous(distanceFilter: 50)
/// policy.decision(in: low, pace: .ordinary)       // .significantChanges
/// ```
public struct PowerPolicy: Hashable, Sendable {
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

  /// How far apart locations are in town, metres, 0 or more.
  public var distanceFilter = 50.0

  /// From this speed on the pace is a motorway's, metres per second.
  public static let highwayEntrySpeed = 20.0
  /// Under this speed it is so no more, metres per second.
  public static let highwayExitSpeed = 15.0

  /// TTLocationHandler's settings: continuous in the foreground and on external power, and not on the battery.
  public init() {}

  /// What the manager should do.
  public func decision(in conditions: Conditions, pace: PaceMachine.State) -> Decision {
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
  public func distanceFilter(at pace: PaceMachine.State) -> Double {
    switch pace {
    case .walking: 10
    case .ordinary: distanceFilter
    case .highway: 400
    }
  }
}

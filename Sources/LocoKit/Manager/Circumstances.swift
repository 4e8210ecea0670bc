public import LocoFoundation

extension LocationManager {
  /// The circumstances of the last location, and of the device and the app now. A value is `nil` while it isn't known.
  ///
  /// ```swift
  /// let circumstances = manager.circumstances
  /// let isLow = circumstances.battery?.level.map { $0 < 0.2 } ?? false
  /// let isDriving = circumstances.motion == .vehicle || circumstances.motion == .standing
  /// ```
  ///
  /// For the changes of which listeners are notified, see ``LocationManagerListener/locationManagerDidChangeCircumstances(_:)``. A
  /// `LocationHistory` stores the circumstances of each location, and the rules of a ``PowerController`` depend on them.
  public struct Circumstances: Hashable, Codable, Sendable {
    /// The reason for the last location.
    public var cause: Cause?
    /// The battery, as the provider last reported it. ``CoreLocationProvider`` reports it if
    /// ``CoreLocationProvider/Configuration/reportsBattery`` is set; on Linux, `GPSDProvider` reads it when it's needed.
    public var battery: BatteryStatus?
    /// The device's motion, as the provider last reported it; `nil` while the motion sensor is off. Providers with ``WakeKind/motion``
    /// report it. ``CoreLocationProvider`` turns a ``CoreLocationProvider/Configuration/motionSensor`` on only under an error bound,
    /// while the app is kept running or, if it can't be, in the foreground. The sensor then stays on while the GPS is on, also without the
    /// bound.
    public var motion: LocationManager.Motion?
    /// Whether the app is in the foreground.
    public var isInForeground: Bool?
    /// Whether the system's low-power mode is on.
    public var isLowPowerMode: Bool?
    /// The start of the current trip, which identifies the trip; `nil` without a trip.
    public var trip: Date?

    enum CodingKeys: String, CodingKey {
      case cause, battery, motion, isInForeground, isLowPowerMode, trip
    }

    /// Creates unknown circumstances.
    package init() {}
  }

  /// The circumstances of the last location, and of the device and the app now.
  ///
  /// ```swift
  /// let interval = manager.circumstances.isInForeground == true ? 10 : 60
  /// ```
  public var circumstances: Circumstances {
    var circumstances = Circumstances()
    let device = driver.observed.core.device
    (circumstances.cause, circumstances.trip) = (driver.core.cause, trip)
    (circumstances.battery, circumstances.motion) = (device.battery ?? readBattery(), device.motion)
    (circumstances.isInForeground, circumstances.isLowPowerMode) = (
      device.app?.isInForeground, device.app?.isLowPowerMode
    )
    return circumstances
  }
}

public import LocoFoundation

extension LocationManager {
  /// The motion of a device, from its motion sensor.
  ///
  /// ```swift
  /// func ignitionChanged(to isOn: Bool) {
  ///   gpsd.reportMotion(isOn ? .vehicle : .still)
  /// }
  /// ```
  public enum Motion: String, CaseIterable, Codable, Hashable, Sendable {
    /// At rest.
    case still
    /// On foot, or in motion without a recognized vehicle.
    case walking
    /// In a vehicle.
    case vehicle
    /// In a vehicle that has stopped. In the schedule of looks, this counts neither as motion nor as rest.
    case standing

    /// Whether the device moves. A vehicle that has stopped doesn't.
    package var isMoving: Bool { self == .walking || self == .vehicle }
    /// Whether the device is in a vehicle, which may have stopped.
    package var isInVehicle: Bool { self == .vehicle || self == .standing }

    /// The least speed of a vehicle, in metres per second. A fix with this speed contradicts a report of stillness.
    package static let vehicleSpeed = 8.0
    /// The time without a known motion after which an earlier stillness no longer counts, in an app that isn't kept running.
    ///
    /// On MobilityNet's iPhone 6, at 132 departures in a vehicle after stillness, such a silence or another motion came within 41 s in nine of
    /// ten, and the vehicle was recognized after 181 s (median; 825 s in nine of ten). A rest has 2.8 such silences an hour (333 hours).
    package static let longestSilence = Duration.seconds(30)
    /// The time after which a stationary vehicle is parked: few traffic jams stand still for longer.
    package static let longestJam = Duration.seconds(900)

    /// A reading that a motion sensor stored.
    public struct Change: Hashable, Codable, Sendable {
      /// The motion from ``date`` on; `nil` if the sensor didn't know.
      public var motion: LocationManager.Motion?
      /// The start of the motion.
      public var date: Date

      /// Creates a reading.
      public init(_ motion: LocationManager.Motion?, at date: Date) {
        self.motion = motion
        self.date = date
      }
    }
  }
}

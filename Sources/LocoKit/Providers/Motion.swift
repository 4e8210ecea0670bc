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

    /// The least speed of a vehicle, in metres per second. A fix with this speed contradicts a report of stillness.
    package static let vehicleSpeed = 8.0

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

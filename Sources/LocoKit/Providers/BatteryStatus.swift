extension LocationManager {
  /// A device's battery.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didChangeBattery battery: LocationManager.BatteryStatus) {
  ///   percent = battery.level.map { Int(($0 * 100).rounded()) }
  ///   isPlugged = battery.state == .charging || battery.state == .full
  /// }
  /// ```
  public struct BatteryStatus: Hashable, Sendable {
    /// The state of a battery.
    public enum State: String, CaseIterable, Codable, Hashable, Sendable {
      /// It powers the device.
      case unplugged
      /// It is being charged.
      case charging
      /// It is full, and the device is plugged in.
      case full
    }

    /// The level, 0…1; `nil` where unknown.
    public let level: Double?
    /// The state; `nil` where unknown.
    public let state: State?

    /// A battery from its parts. A level that is not from 0 to 1 is unknown.
    public init(level: Double?, state: State?) {
      self.level = level.flatMap { (0...1).contains($0) ? $0 : nil }
      self.state = state
    }
  }
}

extension LocationManager {
  /// The state of the device's battery.
  ///
  /// ```swift
  /// func locationManagerDidChangeCircumstances(_ manager: LocationManager) {
  ///   let battery = manager.circumstances.battery
  ///   percent = battery?.level.map { Int(($0 * 100).rounded()) }
  ///   isPlugged = battery?.state == .charging || battery?.state == .full
  /// }
  /// ```
  public struct BatteryStatus: Hashable, Codable, Sendable {
    /// Whether the battery is in use, charging or full.
    public enum State: String, CaseIterable, Codable, Hashable, Sendable {
      /// The battery powers the device.
      case unplugged
      /// The battery is charging, or a Mac or a Linux machine is plugged in.
      case charging
      /// The battery is full and the device is plugged in, or a Linux machine has no battery.
      case full
    }

    /// The level, 0…1; `nil` if unknown.
    public let level: Double?
    /// The state; `nil` if unknown.
    public let state: State?

    /// Creates a status. A level outside 0…1 becomes `nil`.
    public init(level: Double?, state: State?) {
      self.level = level.flatMap { (0...1).contains($0) ? $0 : nil }
      self.state = state
    }
  }
}

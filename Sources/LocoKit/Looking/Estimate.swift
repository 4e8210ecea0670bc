public import LocoFoundation

extension LocationManager {
  /// The estimated position of a device: the last fix, moved ahead while the device probably keeps its course.
  ///
  /// ```swift
  /// if let estimate = manager.estimate {
  ///   marker.move(to: estimate.latitude, estimate.longitude, radius: estimate.accuracy)
  /// } else if let location = manager.location {
  ///   marker.move(to: location.latitude, location.longitude, radius: location.horizontalAccuracy)
  /// }
  /// ```
  public struct Estimate: Hashable, Sendable {
    /// Degrees north of the equator, −90…90, WGS 84.
    public let latitude: Double
    /// Degrees east of the prime meridian, −180…180, WGS 84.
    public let longitude: Double
    /// The estimated error in metres: the accuracy of the last fix, plus the uncertainty of the movement since then.
    public let accuracy: Double
    /// The time of the estimate.
    public let date: Date
  }
}

public import Foundation

extension LocationManager {
  /// Where a device probably is by now: straight on from the last fix for as long as it is likely to go straight on.
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
    /// Metres, give or take: the accuracy of the last fix, and what the way since then may differ from a straight one.
    public let accuracy: Double
    /// The time for which this is estimated.
    public let date: Date
  }
}

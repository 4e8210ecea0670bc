extension LocationManager {
  /// The location whose error an error bound limits.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  ///
  /// On the road ``estimate`` needs a third to two thirds of the GPS time. It is meant for platforms without coarse fixes, such as a receiver
  /// behind gpsd, and for apps that show ``LocationManager/estimate``: the last location is then up to twice the bound off.
  public enum BoundTarget: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last location delivered.
    case lastLocation
    /// The estimate of where the device is now. Under a bound of less than 300 m it is the last location as well, since the estimate is
    /// hardly better there.
    case estimate
  }
}

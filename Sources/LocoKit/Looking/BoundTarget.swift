extension LocationManager {
  /// The location that an error bound limits.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  ///
  /// On recorded drives with gpsd, a bound on the estimate needs about three quarters of the GPS time of a bound on the last location: see
  /// *Choosing a bound*. Choose ``estimate`` on platforms without coarse fixes, such as with gpsd, and in apps that show
  /// ``LocationManager/estimate``. The error of the last location may then exceed the bound.
  public enum BoundTarget: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last location.
    case lastLocation
    /// The estimate of the current position. A bound below 300 m applies to the last location, because the estimate is hardly better then.
    case estimate

    /// The target of a new manager.
    package static let standard = BoundTarget.lastLocation
  }
}

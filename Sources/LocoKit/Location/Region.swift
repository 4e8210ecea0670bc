extension Location {
  /// A circle on Earth.
  ///
  /// A provider watches the region of the manager's plan: see ``ReceiverPlan/region``.
  ///
  /// ```swift
  /// func region(around place: Location) -> Location.Region {
  ///   Location.Region(latitude: place.latitude, longitude: place.longitude, radius: max(100, place.horizontalAccuracy))
  /// }
  /// ```
  public struct Region: Hashable, Sendable {
    /// The latitude of the centre in degrees, −90…90, WGS 84.
    public let latitude: Double
    /// The longitude of the centre in degrees, −180…180, WGS 84.
    public let longitude: Double
    /// The radius in metres, more than 0.
    public let radius: Double

    /// Creates a region.
    public init(latitude: Double, longitude: Double, radius: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius = radius
    }
  }
}

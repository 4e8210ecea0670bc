public import LocoFoundation

extension Location {
  /// A stay of the device in one place.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didVisit visit: Location.Visit) {
  ///   if let departure = visit.departure { diary.add(visit.place, from: visit.arrival, to: departure) }
  /// }
  /// ```
  ///
  /// The system reports visits on iOS. On every platform, an automatic trip recorder provides visits: the current
  /// stay, and the stay before each trip.
  public struct Visit: Hashable, Codable, Sendable {
    /// The place, with its accuracy.
    public let place: Location
    /// The arrival; the distant past if the system doesn't know it.
    public let arrival: Date
    /// The departure; `nil` while the visit lasts.
    public let departure: Date?

    /// Creates a visit.
    public init(place: Location, arrival: Date, departure: Date? = nil) {
      (self.place, self.arrival, self.departure) = (place, arrival, departure)
    }
  }
}

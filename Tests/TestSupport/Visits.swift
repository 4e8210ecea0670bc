import LocoKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ProviderReport {
  private static let place = Location(
    latitude: 34, longitude: -118, horizontalAccuracy: 50, timestamp: .distantPast)

  /// The beginning of a visit.
  static let arrival = wake(.visit(Location.Visit(place: place, arrival: .distantPast)))
  /// The end of a visit.
  static let departure = wake(.visit(Location.Visit(place: place, arrival: .distantPast, departure: .distantPast)))
}

extension LocationManager {
  var motion: LocationManager.Motion? { circumstances.motion }
  var battery: BatteryStatus? { circumstances.battery }
}

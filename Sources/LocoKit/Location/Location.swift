public import Foundation

/// Where a device was, how surely, and when.
///
/// ```swift
/// let office = Location(latitude: 34.0560, longitude: -118.2365, horizontalAccuracy: 0, timestamp: .now)
/// let isNear = location.distance(to: office) < 200 + location.horizontalAccuracy
/// ```
public struct Location: Hashable, Codable, Sendable {
  /// Degrees north of the equator, −90…90, WGS 84.
  public var latitude: Double
  /// Degrees east of the prime meridian, −180…180, WGS 84.
  public var longitude: Double
  /// The radius in metres within which the device was with a probability of 68 %. Negative where the coordinate is
  /// invalid.
  public var horizontalAccuracy: Double
  /// Metres above mean sea level; `nil` where unknown.
  public var altitude: Double?
  /// The accuracy of the altitude in metres, 68 %; `nil` where unknown.
  public var verticalAccuracy: Double?
  /// Metres per second over ground; `nil` where unknown.
  public var speed: Double?
  /// The direction of travel in degrees clockwise from true north, 0..<360; `nil` where unknown.
  public var course: Double?
  /// When the device was there, by the receiver's clock.
  public var timestamp: Date

  /// A location from its parts. Nothing is judged here: see ``Acquisition``.
  public init(
    latitude: Double, longitude: Double, horizontalAccuracy: Double, altitude: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, course: Double? = nil, timestamp: Date
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalAccuracy = horizontalAccuracy
    self.altitude = altitude
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.course = course
    self.timestamp = timestamp
  }
}

extension Location {
  /// Whether the coordinate lies on Earth. The equator and the prime meridian do.
  public var hasValidCoordinate: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// Whether the horizontal accuracy is a finite number of metres, 0 or more.
  public var hasValidAccuracy: Bool {
    horizontalAccuracy >= 0 && horizontalAccuracy.isFinite
  }

  /// The same location, in which altitude, speed and course that are not finite numbers are unknown: a value that does not
  /// equal itself could neither be compared nor stored.
  var withoutNonFinite: Location {
    var location = self
    if altitude?.isFinite == false { location.altitude = nil }
    if verticalAccuracy?.isFinite == false { location.verticalAccuracy = nil }
    if speed?.isFinite == false { location.speed = nil }
    if course?.isFinite == false { location.course = nil }
    return location
  }

  /// The length in metres of the great circle between two locations, on a sphere.
  ///
  /// The haversine formula with the mean radius of Earth (6,371,008.8 m, IUGG): up to 0.57 % from the ellipsoid's
  /// length. Altitudes do not count.
  public func distance(to other: Location) -> Double {
    let radians = Double.pi / 180
    let halfLatitude = sin((other.latitude - latitude) * radians / 2)
    let halfLongitude = sin((other.longitude - longitude) * radians / 2)
    let chord =
      halfLatitude * halfLatitude
      + cos(latitude * radians) * cos(other.latitude * radians) * halfLongitude * halfLongitude
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}

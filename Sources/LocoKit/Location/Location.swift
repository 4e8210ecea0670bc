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
  /// The accuracy of the speed in metres per second, 68 %; `nil` where unknown.
  public var speedAccuracy: Double?
  /// The direction of travel in degrees clockwise from true north, 0..<360; `nil` where unknown.
  public var course: Double?
  /// The accuracy of the course in degrees, 68 %; `nil` where unknown.
  public var courseAccuracy: Double?
  /// The floor of the building, 0 for the ground floor; `nil` where unknown. Core Location knows it in some large buildings.
  public var floor: Int?
  /// When the device was there, by the receiver's clock.
  public var timestamp: Date
  /// How the platform found the location.
  public var source: Source

  /// How a platform finds locations.
  public enum Source: String, CaseIterable, Codable, Hashable, Sendable {
    /// While the GPS was on. A phone's first fix may come from Wi-Fi even so.
    case gps
    /// From Wi-Fi and cells, because the app is kept running while the GPS is off.
    case coarse
    /// With a significant change that was accurate enough for the policy, while the GPS was off: mostly from Wi-Fi and cells.
    case significantChange
    /// While the user grants the app a reduced accuracy only: some kilometres.
    case reduced
  }

  /// A location from its parts. Nothing is judged here: see ``Acquisition``.
  public init(
    latitude: Double, longitude: Double, horizontalAccuracy: Double, altitude: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil, course: Double? = nil,
    courseAccuracy: Double? = nil, floor: Int? = nil, timestamp: Date, source: Source = .gps
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalAccuracy = horizontalAccuracy
    self.altitude = altitude
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.floor = floor
    self.timestamp = timestamp
    self.source = source
  }
}

extension Location {
  private enum CodingKeys: String, CodingKey {
    case latitude, longitude, horizontalAccuracy, altitude, verticalAccuracy, speed, speedAccuracy, course,
      courseAccuracy, floor, timestamp, source
  }

  /// Reads a location. Where an earlier LocoKit wrote it, it has no source, and is of the GPS.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      latitude: try values.decode(Double.self, forKey: .latitude),
      longitude: try values.decode(Double.self, forKey: .longitude),
      horizontalAccuracy: try values.decode(Double.self, forKey: .horizontalAccuracy),
      altitude: try values.decodeIfPresent(Double.self, forKey: .altitude),
      verticalAccuracy: try values.decodeIfPresent(Double.self, forKey: .verticalAccuracy),
      speed: try values.decodeIfPresent(Double.self, forKey: .speed),
      speedAccuracy: try values.decodeIfPresent(Double.self, forKey: .speedAccuracy),
      course: try values.decodeIfPresent(Double.self, forKey: .course),
      courseAccuracy: try values.decodeIfPresent(Double.self, forKey: .courseAccuracy),
      floor: try values.decodeIfPresent(Int.self, forKey: .floor),
      timestamp: try values.decode(Date.self, forKey: .timestamp),
      source: try values.decodeIfPresent(Source.self, forKey: .source) ?? .gps)
  }

  /// Writes the fields that are known; the source only where it isn't the GPS, so that the others are written as by an earlier LocoKit.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(latitude, forKey: .latitude)
    try values.encode(longitude, forKey: .longitude)
    try values.encode(horizontalAccuracy, forKey: .horizontalAccuracy)
    try values.encodeIfPresent(altitude, forKey: .altitude)
    try values.encodeIfPresent(verticalAccuracy, forKey: .verticalAccuracy)
    try values.encodeIfPresent(speed, forKey: .speed)
    try values.encodeIfPresent(speedAccuracy, forKey: .speedAccuracy)
    try values.encodeIfPresent(course, forKey: .course)
    try values.encodeIfPresent(courseAccuracy, forKey: .courseAccuracy)
    try values.encodeIfPresent(floor, forKey: .floor)
    try values.encode(timestamp, forKey: .timestamp)
    if source != .gps { try values.encode(source, forKey: .source) }
  }
}

extension Location {
  /// Whether the coordinate lies on Earth. The equator and the prime meridian do.
  package var hasValidCoordinate: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// Whether the horizontal accuracy is a finite number of metres, 0 or more.
  package var hasValidAccuracy: Bool {
    horizontalAccuracy >= 0 && horizontalAccuracy.isFinite
  }

  /// The same location, in which altitude, speed, course and their accuracies are unknown if they are not finite numbers: a value
  /// that does not equal itself could neither be compared nor stored.
  var withoutNonFinite: Location {
    var location = self
    if altitude?.isFinite == false { location.altitude = nil }
    if verticalAccuracy?.isFinite == false { location.verticalAccuracy = nil }
    if speed?.isFinite == false { location.speed = nil }
    if speedAccuracy?.isFinite == false { location.speedAccuracy = nil }
    if course?.isFinite == false { location.course = nil }
    if courseAccuracy?.isFinite == false { location.courseAccuracy = nil }
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

public import LocoFoundation

/// The position of a device at a time, with its accuracy.
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
  /// The radius of the circle around the coordinate that contains the device with a probability of 68 %, in metres. Negative if the
  /// coordinate is invalid.
  public var horizontalAccuracy: Double
  /// Metres above mean sea level; `nil` if unknown.
  public var altitude: Double? {
    get { _altitude.value }
    set { _altitude = FiniteNumber(newValue) }
  }
  /// The accuracy of the altitude in metres, with a probability of 68 %; `nil` if unknown.
  public var verticalAccuracy: Double? {
    get { _verticalAccuracy.value }
    set { _verticalAccuracy = FiniteNumber(newValue) }
  }
  /// Metres per second over ground; `nil` if unknown.
  public var speed: Double? {
    get { _speed.value }
    set { _speed = FiniteNumber(newValue) }
  }
  /// The accuracy of the speed in metres per second, with a probability of 68 %; `nil` if unknown.
  public var speedAccuracy: Double? {
    get { _speedAccuracy.value }
    set { _speedAccuracy = FiniteNumber(newValue) }
  }
  /// The direction of travel in degrees clockwise from true north, 0..<360; `nil` if unknown.
  public var course: Double? {
    get { _course.value }
    set { _course = FiniteNumber(newValue) }
  }
  /// The accuracy of the course in degrees, with a probability of 68 %; `nil` if unknown.
  public var courseAccuracy: Double? {
    get { _courseAccuracy.value }
    set { _courseAccuracy = FiniteNumber(newValue) }
  }
  private var _altitude, _verticalAccuracy, _speed, _speedAccuracy: FiniteNumber
  private var _course, _courseAccuracy: FiniteNumber
  /// The time of the position, by the receiver's clock.
  public var timestamp: Date
  /// The floor of the building, 0 for the ground floor; `nil` if unknown. Core Location reports it in some large buildings. Limited to
  /// ±32,767.
  public var floor: Int? {
    get { _floor.value }
    set { _floor = FloorNumber(newValue) }
  }
  private var _floor: FloorNumber
  /// The origin of the location.
  public var source: Source
  /// Whether the system marks the location as simulated by software, such as Xcode.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didUpdate location: Location) {
  ///   guard !location.isSimulatedBySoftware else { return }
  ///   checkIn(at: location)
  /// }
  /// ```
  ///
  /// A program with control over the device can hide a simulation.
  public var isSimulatedBySoftware: Bool {
    get { origins & 1 != 0 }
    set { origins = newValue ? origins | 1 : origins & ~1 }
  }
  /// Whether an accessory has found the location, such as an external receiver or CarPlay.
  public var isProducedByAccessory: Bool {
    get { origins & 2 != 0 }
    set { origins = newValue ? origins | 2 : origins & ~2 }
  }
  /// Whether the location is estimated by dead reckoning, from the last fix, its speed and its course: by the receiver, as in a tunnel, or in
  /// ``LocationManager/estimate``. gpsd reports this for some receivers, and Core Location never does.
  public var isEstimated: Bool {
    get { origins & 4 != 0 }
    set { origins = newValue ? origins | 4 : origins & ~4 }
  }
  /// The sum of 1 for ``isSimulatedBySoftware``, 2 for ``isProducedByAccessory`` and 4 for ``isEstimated``. Files store this number.
  package var origins: UInt8 = 0

  /// The origin of a location.
  public enum Source: String, CaseIterable, Codable, Hashable, Sendable {
    /// A fix of the receiver. A phone may compute the first fix from Wi-Fi.
    case gps
    /// A fix of the updates that keep the app running, mostly from Wi-Fi and cells.
    case coarse
    /// A location that a significant change reported and that was accurate enough to be delivered, mostly from Wi-Fi and cells.
    case significantChange
    /// A fix of reduced accuracy, 1–20 km, because the user hasn't granted the app full accuracy.
    case reduced
  }

  private enum CodingKeys: String, CodingKey {
    case latitude, longitude, horizontalAccuracy, timestamp, source, origins
    case _floor = "floor"
    case _altitude = "altitude"
    case _verticalAccuracy = "verticalAccuracy"
    case _speed = "speed"
    case _speedAccuracy = "speedAccuracy"
    case _course = "course"
    case _courseAccuracy = "courseAccuracy"
  }

  /// Creates a location. An optional value that isn't a number, or beyond ±10⁹, becomes `nil`, also when a property is set. Nothing else
  /// is checked.
  public init(
    latitude: Double, longitude: Double, horizontalAccuracy: Double, altitude: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil, course: Double? = nil,
    courseAccuracy: Double? = nil, floor: Int? = nil, timestamp: Date, source: Source = .gps
  ) {
    (self.latitude, self.longitude, self.horizontalAccuracy) = (latitude, longitude, horizontalAccuracy)
    (_altitude, _verticalAccuracy) = (FiniteNumber(altitude), FiniteNumber(verticalAccuracy))
    (_speed, _speedAccuracy) = (FiniteNumber(speed), FiniteNumber(speedAccuracy))
    (_course, _courseAccuracy) = (FiniteNumber(course), FiniteNumber(courseAccuracy))
    (self.timestamp, _floor, self.source) = (timestamp, FloorNumber(floor), source)
  }

  /// Whether the coordinate is on Earth.
  package var hasValidCoordinate: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }

  /// Whether the horizontal accuracy is a finite number of metres, 0 or more.
  package var hasValidAccuracy: Bool { horizontalAccuracy >= 0 && horizontalAccuracy.isFinite }

  /// Half of the Earth's circumference, in metres: no place is farther.
  static let farthest = 20_040_000.0

  /// Whether the location has a valid coordinate, an accuracy of at most half of Earth's circumference, and a date within 30,000 years, so
  /// that an app can round what it reads from a file.
  package var isStorable: Bool {
    hasValidCoordinate && (0...Self.farthest).contains(horizontalAccuracy)
      && (-1e12...1e12).contains(timestamp.timeIntervalSinceReferenceDate)
  }

  /// Whether the accuracy is at most half of another location's.
  func isTwiceAsAccurate(as other: Location) -> Bool { horizontalAccuracy <= other.horizontalAccuracy / 2 }

  /// Returns the great-circle distance to another location, in metres. Altitudes are ignored.
  ///
  /// The haversine formula with the mean radius of Earth (6,371,008.8 m, IUGG) differs from the ellipsoid by at most 0.57 %.
  public func distance(to other: Location) -> Double {
    let radians = Double.pi / 180
    let halfLatitude = sin((other.latitude - latitude) * radians / 2)
    let halfLongitude = sin((other.longitude - longitude) * radians / 2)
    let chord =
      halfLatitude * halfLatitude
      + cos(latitude * radians) * cos(other.latitude * radians) * halfLongitude * halfLongitude
    return 2 * Self.meanRadius * asin(min(chord.squareRoot(), 1))
  }

  package static let meanRadius = 6_371_008.8

  /// Returns an angle in degrees as a course, 0..<360.
  package static func course(fromDegrees degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    // The sum is 360 for a tiny negative angle.
    return rest < 0 ? (rest + 360).truncatingRemainder(dividingBy: 360) : rest
  }
}

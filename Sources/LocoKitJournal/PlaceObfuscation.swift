import LocoFoundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// Rotates all places of a journal together, which keeps distances, speeds and angles.
///
/// The places are rotated about the centre of a sphere, so distances on the sphere stay the same. The rotation is the secret. Without it, a
/// true place can't be computed from a moved one, but the shape of a drive can be matched to a map: see *Keeping a journal*.
struct PlaceObfuscation: Codable, Equatable, Sendable {
  /// The rotation matrix, row by row.
  let rotation: [Double]
  /// The metres added to each altitude.
  let lift: Double

  /// Creates a random rotation that takes `place` to a latitude between −50° and 50°, away from the poles. All such places, and all
  /// directions there, are equally probable.
  init(around place: Location, using random: inout some RandomNumberGenerator) {
    let from = vector(latitude: place.latitude, longitude: place.longitude)
    // On a sphere, the sine of the latitude is distributed uniformly.
    let limit = sin(50 * Double.pi / 180)
    let to = vector(
      latitude: asin(Double.random(in: -limit...limit, using: &random)) * 180 / .pi,
      longitude: Double.random(in: -180..<180, using: &random))
    let turn = Double.random(in: 0..<2 * .pi, using: &random)
    var rotation = [Double](repeating: 0, count: 9)
    for (a, b) in zip(axes(at: from), axes(at: to, turnedBy: turn)) {
      for row in 0..<3 { for column in 0..<3 { rotation[3 * row + column] += b[row] * a[column] } }
    }
    self.rotation = rotation
    // If the first altitude isn't known, a lift of a small range would limit the later ones.
    lift =
      if let altitude = place.altitude {
        Double.random(in: 0...2_000, using: &random) - altitude
      } else {
        Double.random(in: -100_000...100_000, using: &random)
      }
  }

  /// Returns the location at its moved place. An invalid coordinate becomes NaN, because its numbers may be a swapped latitude and
  /// longitude.
  func disguised(_ location: Location) -> Location {
    guard location.hasValidCoordinate else { return Self.nowhere(location) }
    var moved = location
    moved.floor = nil
    let place = vector(latitude: location.latitude, longitude: location.longitude)
    let other = turned(place)
    moved.latitude = atan2(other.z, (other.x * other.x + other.y * other.y).squareRoot()) * 180 / .pi
    moved.longitude = atan2(other.y, other.x) * 180 / .pi
    if let course = location.course {
      let (frame, otherFrame) = (axes(at: place), axes(at: other))
      let ahead = turned(cos(course * .pi / 180) * frame[1] + sin(course * .pi / 180) * frame[2])
      let degrees = atan2((ahead * otherFrame[2]).sum(), (ahead * otherFrame[1]).sum()) * 180 / .pi
      moved.course = Location.course(fromDegrees: degrees)
    }
    moved.altitude = location.altitude.map { $0 + lift }
    return moved
  }

  /// Returns the location without its place, altitude, course and floor.
  static func nowhere(_ location: Location) -> Location {
    var nowhere = location
    (nowhere.latitude, nowhere.longitude, nowhere.altitude, nowhere.course) = (.nan, .nan, nil, nil)
    (nowhere.courseAccuracy, nowhere.floor) = (nil, nil)
    return nowhere
  }

  private func turned(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((0..<3).map { row in (SIMD3(rotation[3 * row..<3 * row + 3]) * vector).sum() })
  }
}

/// Returns the direction of a place from the centre of the Earth, as a unit vector.
private func vector(latitude: Double, longitude: Double) -> SIMD3<Double> {
  let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
  return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
}

/// Returns the directions up, north and east at a place. North and east are turned by an angle.
private func axes(at up: SIMD3<Double>, turnedBy turn: Double = 0) -> [SIMD3<Double>] {
  let length = max((up.x * up.x + up.y * up.y).squareRoot(), 1e-300)
  let east = SIMD3(-up.y / length, up.x / length, 0)
  let north = SIMD3(up.y * east.z - up.z * east.y, up.z * east.x - up.x * east.z, up.x * east.y - up.y * east.x)
  return [up, cos(turn) * north + sin(turn) * east, cos(turn) * east - sin(turn) * north]
}

/// Shifts each place by about a metre and, at 1 m/s or more, each course by about a degree and each speed by about 0.1 m/s, which hides
/// the grid of the receiver's numbers. Also converts these speeds and courses to a sphere. Removes the courses at lower or
/// unknown speeds, and the floors, because a floor may identify a building.
///
/// A receiver rounds degrees to a grid: to 5…7 decimals, or to a ten-thousandth of a minute. A rotation of the Earth preserves the grid.
/// The grid reveals the direction of true north and the latitude, because the meridians converge. A few dozen fixes are enough. The grid of
/// courses reveals the same to within some kilometres, and the grid of speeds reveals the factor of their conversion.
///
/// Rounding the moved places is a weak remedy: rounding to the step of the grid leaves 14 % of the signal, and to five times that step
/// 0.1 %. A normal shift with a standard deviation of one step leaves 3·10⁻⁹. The shift of 1 m is 0.9 steps of 10⁻⁵ degrees, the coarsest
/// grid in use, and leaves 10⁻⁷: to detect it, an attacker would need more fixes than a journal can contain.
///
/// The shift is a function of the key and the location's numbers. A repeated fix therefore gets the same shift, and the mean of many shifts
/// does not reveal the place of a device at rest.
struct Blur: Equatable, Sendable {
  /// A random number that each ``Journal`` draws when it is created, and doesn't store.
  let key: UInt64

  /// The standard deviation to the north and to the east.
  private static let metres = 1.0
  /// The standard deviations of a course and of a speed. Receivers round speeds to 0.1 m/s or finer.
  private static let (degrees, metresPerSecond) = (1.0, 0.1)
  /// The speed below which a receiver's course is noise, in metres per second. Below it the blur removes the course, and doesn't convert
  /// the speed, because the error is less than the receiver's. The planner ignores courses up to 1.5 m/s.
  private static let minimumSpeedWithCourse = 1.0
  private static let metresPerDegree = 111_195.0

  /// - Parameter isOnSphere: Whether the speed and the course are already those on a sphere.
  func blurred(_ location: Location, isOnSphere: Bool = true) -> Location {
    guard location.hasValidCoordinate else { return location }
    // Some receivers report 0, 0 for an unknown place. Since 0, 0 is known, it would reveal its distance from all other
    // places.
    guard location.latitude != 0 || location.longitude != 0 else { return PlaceObfuscation.nowhere(location) }
    var blurred = location
    blurred.floor = nil
    let place = location.latitude.bitPattern ^ SeededGenerator.mix(location.longitude.bitPattern)
    var random = SeededGenerator(seed: SeededGenerator.mix(key ^ place))
    let (north, east) = (random.nextNormal() * Self.metres, random.nextNormal() * Self.metres)
    blurred.latitude = min(90, max(-90, location.latitude + north / Self.metresPerDegree))
    let parallel = Self.metresPerDegree * max(0.01, cos(location.latitude * .pi / 180))
    blurred.longitude = (location.longitude + east / parallel).remainder(dividingBy: 360)
    guard let speed = location.speed, speed >= Self.minimumSpeedWithCourse else {
      (blurred.course, blurred.courseAccuracy) = (nil, nil)
      return blurred
    }
    // Some receivers report 0 for an unknown course.
    if location.course ?? 0 == 0 { (blurred.course, blurred.courseAccuracy) = (nil, nil) }
    if !isOnSphere { blurred = blurred.onSphere }
    // If all speeds at a place had the same shift, their differences would reveal the factor.
    let motion = speed.bitPattern ^ SeededGenerator.mix(location.course?.bitPattern ?? 0)
    random = SeededGenerator(seed: random.next() ^ SeededGenerator.mix(motion))
    blurred.course = blurred.course.map { Location.course(fromDegrees: $0 + random.nextNormal() * Self.degrees) }
    blurred.speed = blurred.speed.map { $0 + random.nextNormal() * Self.metresPerSecond }
    return blurred
  }
}

extension Location {
  /// The location with its speed and course on a sphere, as `distance(to:)` measures. Receivers measure on the ellipsoid.
  ///
  /// On the ellipsoid, a metre to the north is a larger angle than a metre to the east, by up to 0.7 % at the equator. A rotation keeps
  /// angles, so the speeds of a few hours would reveal true north and the latitude of moved places. For a speed without a course, the
  /// factor is the mean of both directions.
  var onSphere: Location {
    guard let speed else { return self }
    let radii = Ellipsoid.radii(atLatitude: latitude)
    let (northScale, eastScale) = (Self.meanRadius / radii.north, Self.meanRadius / radii.east)
    var location = self
    guard let course else {
      location.speed = speed * (northScale * eastScale).squareRoot()
      return location
    }
    let (north, east) = (cos(course * .pi / 180) * northScale, sin(course * .pi / 180) * eastScale)
    location.speed = speed * (north * north + east * east).squareRoot()
    location.course = Location.course(fromDegrees: atan2(east, north) * 180 / .pi)
    return location
  }
}

extension ProviderReport {
  /// Returns the report with all its places and names changed.
  func mapPlaces<Failure>(
    _ change: (Location) throws(Failure) -> Location, names: (String) -> String = { $0 }
  ) throws(Failure) -> Self {
    switch self {
    case .fixes(let fixes): .fixes(try fixes.map(change))
    case .wake(let event): .wake(try event.mapPlaces(change, names: names))
    // All cases are listed, so that the compiler asks whether a new report has a place.
    case .promptShown, .authorization, .pastMotion, .battery, .app, .wakeSources, .failure: self
    }
  }
}

extension JournalEntry {
  /// Returns the entry with all its places changed, and its cell numbered.
  func hidden<Failure>(
    _ cells: inout CellNumbers, _ change: (Location) throws(Failure) -> Location
  ) throws(Failure) -> JournalEntry {
    var entry = self
    switch what {
    case .launch(var launch):
      cells = CellNumbers()
      if let location = launch.location { launch.location = try change(location) }
      entry.what = .launch(launch)
    case .input(.report(let report)):
      entry.what = .input(.report(try report.mapPlaces(change) { cells.number(of: $0) }))
    case .input, .continues, .decisions, .lost, .note: break
    }
    return entry
  }
}

/// The numbers of a launch's cells, by name. A cell's name would reveal its place.
struct CellNumbers: Sendable {
  private var numbers: [String: Int] = [:]
  private static let maximum = 10_000

  mutating func number(of name: String) -> String {
    if numbers.count >= Self.maximum { numbers = [:] }
    let number = numbers[name] ?? numbers.count + 1
    numbers[name] = number
    return "\(number)"
  }
}

import LocoFoundation
import LocoKit

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

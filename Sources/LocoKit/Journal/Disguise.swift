import Foundation

/// Moves and turns all places of a journal as a whole, so that distances, speeds and angles stay and places do not.
///
/// The Earth is turned as a ball is, so that every distance along it is what it was. Which turn it is, is the secret: three numbers.
/// Without them a place cannot be had from a moved one, but the shape of a way can be laid over a map until it fits: see
/// *Keeping a journal*.
struct Disguise: Codable, Hashable, Sendable {
  /// Nine numbers, row by row: what a place, as a vector from the middle of the Earth, is multiplied by.
  let rotation: [Double]
  /// What is added to altitudes, metres.
  let lift: Double

  /// A turn that takes `place` to somewhere between the latitudes −50° and 50°, where nothing about a pole is special, and turns it
  /// there. The moved place and the direction are as likely as any other.
  init(around place: Location, using random: inout some RandomNumberGenerator) {
    let from = Vector(latitude: place.latitude, longitude: place.longitude)
    // Even over the zone: the sine of the latitude is.
    let limit = sin(50 * Double.pi / 180)
    let to = Vector(
      latitude: asin(Double.random(in: -limit...limit, using: &random)) * 180 / .pi,
      longitude: Double.random(in: -180..<180, using: &random))
    let turn = Double.random(in: 0..<2 * .pi, using: &random)
    let (first, second) = (Frame(at: from, turnedBy: 0), Frame(at: to, turnedBy: turn))
    // From one frame into the other: the sum of the products of their axes.
    var rotation = [Double](repeating: 0, count: 9)
    for (a, b) in zip(first.axes, second.axes) {
      for row in 0..<3 { for column in 0..<3 { rotation[3 * row + column] += b[row] * a[column] } }
    }
    self.rotation = rotation
    lift = Double.random(in: 0...2_000, using: &random) - (place.altitude ?? 0)
  }

  /// A location elsewhere. An invalid coordinate becomes NaN, because its numbers may be a swapped latitude and longitude.
  func disguised(_ location: Location) -> Location {
    guard location.hasValidCoordinate else { return Self.nowhere(location) }
    var moved = location
    moved.floor = nil
    let place = Vector(latitude: location.latitude, longitude: location.longitude)
    let other = turned(place)
    (moved.latitude, moved.longitude) = (other.latitude, other.longitude)
    if let course = location.course, course.isFinite {
      let radians = course * .pi / 180
      let (north, east) = (Frame(at: place, turnedBy: 0).axes[1], Frame(at: place, turnedBy: 0).axes[2])
      let ahead = turned(Vector(north, east) { cos(radians) * $0 + sin(radians) * $1 })
      let frame = Frame(at: other, turnedBy: 0)
      let degrees = atan2(ahead.dot(frame.axes[2]), ahead.dot(frame.axes[1])) * 180 / .pi
      moved.course = degrees < 0 ? degrees + 360 : degrees
    }
    moved.altitude = location.altitude.map { $0 + lift }
    return moved
  }

  /// A location without a place, and without what there is of one.
  static func nowhere(_ location: Location) -> Location {
    var nowhere = location
    (nowhere.latitude, nowhere.longitude, nowhere.altitude, nowhere.course) = (.nan, .nan, nil, nil)
    (nowhere.courseAccuracy, nowhere.floor) = (nil, nil)
    return nowhere
  }

  private func turned(_ vector: Vector) -> Vector {
    func row(_ row: Int) -> Double {
      rotation[3 * row] * vector.x + rotation[3 * row + 1] * vector.y + rotation[3 * row + 2] * vector.z
    }
    return Vector(x: row(0), y: row(1), z: row(2))
  }

  /// A direction from the middle of the Earth.
  private struct Vector {
    let x: Double
    let y: Double
    let z: Double

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(latitude: Double, longitude: Double) {
      let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
      self.init(x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }

    init(_ first: Vector, _ second: Vector, _ combine: (Double, Double) -> Double) {
      self.init(x: combine(first.x, second.x), y: combine(first.y, second.y), z: combine(first.z, second.z))
    }

    var latitude: Double { atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi }
    var longitude: Double { atan2(y, x) * 180 / .pi }
    func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }
    subscript(index: Int) -> Double { [x, y, z][index] }
  }

  /// Up, north and east at a place, the latter two turned.
  private struct Frame {
    let axes: [Vector]

    init(at up: Vector, turnedBy turn: Double) {
      let length = max((up.x * up.x + up.y * up.y).squareRoot(), 1e-300)
      let east = Vector(x: -up.y / length, y: up.x / length, z: 0)
      let north = Vector(
        x: up.y * east.z - up.z * east.y, y: up.z * east.x - up.x * east.z, z: up.x * east.y - up.y * east.x)
      axes = [
        up, Vector(north, east) { cos(turn) * $0 + sin(turn) * $1 },
        Vector(north, east) { cos(turn) * $1 - sin(turn) * $0 },
      ]
    }
  }
}

extension ProviderReport {
  /// The report with all its places changed.
  func mapPlaces(_ change: (Location) -> Location) -> Self {
    switch self {
    case .fixes(let fixes): .fixes(fixes.map(change))
    case .significantChange(let location?): .significantChange(change(location))
    default: self
    }
  }
}

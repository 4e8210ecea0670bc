import Foundation

/// A place on Earth.
public struct Place: Hashable, Sendable {
  /// The latitude in degrees north of the equator, WGS 84.
  public var latitude: Double
  /// The longitude in degrees east of the prime meridian, WGS 84.
  public var longitude: Double

  /// Creates a place.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The metres of a degree of latitude on a sphere with Earth's mean radius: 6,371,008.8 m · π / 180.
  static let metresPerDegree = 6_371_008.8 * .pi / 180

  /// Returns the metres north and east to another place, on a plane that touches Earth halfway. Within 100 km, the
  /// error is below 0.1 % of the distance on a sphere, except near the poles.
  func way(to other: Place) -> (north: Double, east: Double) {
    let middle = (latitude + other.latitude) / 2 * .pi / 180
    let east = (other.longitude - longitude).remainder(dividingBy: 360)
    return ((other.latitude - latitude) * Self.metresPerDegree, east * Self.metresPerDegree * cos(middle))
  }

  /// Returns the distance to another place in metres.
  public func distance(to other: Place) -> Double {
    let (north, east) = way(to: other)
    return (north * north + east * east).squareRoot()
  }

  /// Returns the place at the given metres north and east.
  func moved(north: Double, east: Double) -> Place {
    Place(
      latitude: latitude + north / Self.metresPerDegree,
      longitude: longitude + east / (Self.metresPerDegree * max(0.01, cos(latitude * .pi / 180))))
  }
}

/// The true positions of an outing's phones, one per second. They are unknown underground.
public struct Truth: Sendable {
  /// A place for each whole second from the outing's start, or `nil` if it's unknown.
  private var places: [Place?]

  /// Creates a truth with unknown places for a number of seconds.
  public init(seconds: Int) {
    places = Array(repeating: nil, count: max(0, seconds))
  }

  /// The number of seconds.
  public var seconds: Int { places.count }

  /// The place at a whole second, or `nil` if it's unknown. Only the first value set for a second is kept.
  public subscript(second: Int) -> Place? {
    get { places.indices.contains(second) ? places[second] : nil }
    set { if places.indices.contains(second), places[second] == nil { places[second] = newValue } }
  }

  /// Returns the place at a time in seconds, with linear interpolation between whole seconds, or `nil` if it's unknown.
  public func place(at time: Double) -> Place? {
    let second = Int(time.rounded(.down))
    guard let from = self[second] else { return nil }
    let share = time - Double(second)
    guard share > 0, let to = self[second + 1] else { return from }
    return Place(
      latitude: from.latitude + share * (to.latitude - from.latitude),
      longitude: from.longitude + share * (to.longitude - from.longitude))
  }

  /// Returns the speed in metres per second and the course in degrees, from two seconds before the time to two seconds after. Returns
  /// `nil` if the known places in this span are less than two seconds apart.
  func velocity(at time: Double) -> (speed: Double, course: Double)? {
    let second = Int(time.rounded(.down))
    guard let from = [second - 2, second - 1, second].first(where: { self[$0] != nil }),
      let to = [second + 2, second + 1, second].first(where: { self[$0] != nil }), to - from >= 2,
      let start = self[from], let end = self[to]
    else { return nil }
    let (north, east) = start.way(to: end)
    let course = atan2(east, north) * 180 / .pi
    return ((north * north + east * east).squareRoot() / Double(to - from), course < 0 ? course + 360 : course)
  }
}

/// The classes of a second of an outing.
public struct SecondClass: OptionSet, Hashable, Sendable {
  /// A bit for each class.
  public let rawValue: UInt8

  /// Creates classes from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A second in a journey, including waits. All other seconds are rest.
  public static let moving = SecondClass(rawValue: 1 << 0)
  /// A second in a leg on rails, including stations.
  public static let rails = SecondClass(rawValue: 1 << 1)
  /// A second in the first ten minutes after a journey's start.
  public static let leaving = SecondClass(rawValue: 1 << 2)

  /// The time from a journey's start that counts as leaving, in seconds.
  static let leavingTime = 600.0
}

extension Outing {
  /// Returns the classes of each second from the start to `end`.
  public func classes(until end: Int) -> [SecondClass] {
    var classes = [SecondClass](repeating: [], count: max(0, end))
    func mark(_ from: Double, _ to: Double, _ mark: SecondClass) {
      let first = max(0, Int(from.rounded(.up)))
      let last = min(classes.count, Int(to.rounded(.up)))
      for second in first..<max(first, last) { classes[second].insert(mark) }
    }
    for journey in journeys {
      mark(journey.from, journey.to, .moving)
      mark(journey.from, min(journey.to, journey.from + SecondClass.leavingTime), .leaving)
    }
    for leg in legs where leg.isRails { mark(leg.from, leg.to, .rails) }
    return classes
  }
}

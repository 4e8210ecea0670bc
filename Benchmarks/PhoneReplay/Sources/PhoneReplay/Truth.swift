import Foundation

/// A place on Earth.
public struct Place: Hashable, Sendable {
  /// Degrees north of the equator, WGS 84.
  public var latitude: Double
  /// Degrees east of the prime meridian, WGS 84.
  public var longitude: Double

  /// A place from its parts.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Metres on the sphere of Earth's mean radius for a degree northwards: 6,371,008.8 m · π / 180.
  static let metresPerDegree = 6_371_008.8 * .pi / 180

  /// The way to another place in metres, on a plane that touches Earth half-way: less than 0.1 % off within 100 km.
  func way(to other: Place) -> (north: Double, east: Double) {
    let middle = (latitude + other.latitude) / 2 * .pi / 180
    let east = (other.longitude - longitude).remainder(dividingBy: 360)
    return ((other.latitude - latitude) * Self.metresPerDegree, east * Self.metresPerDegree * cos(middle))
  }

  /// The distance to another place in metres.
  public func distance(to other: Place) -> Double {
    let (north, east) = way(to: other)
    return (north * north + east * east).squareRoot()
  }

  /// Returns the place at a distance in metres northwards and eastwards.
  func moved(north: Double, east: Double) -> Place {
    Place(
      latitude: latitude + north / Self.metresPerDegree,
      longitude: longitude + east / (Self.metresPerDegree * max(0.01, cos(latitude * .pi / 180))))
  }
}

/// The true positions of an outing's phones, each second; unknown under ground.
public struct Truth: Sendable {
  /// A place for each whole second from the outing's start; `nil` where it is not known.
  private var places: [Place?]

  /// Creates a truth of unknown places for a number of seconds.
  public init(seconds: Int) {
    places = Array(repeating: nil, count: max(0, seconds))
  }

  /// The number of seconds.
  public var seconds: Int { places.count }

  /// The place in a whole second; `nil` where it is not known. A second is set once at most: what was set first stays.
  public subscript(second: Int) -> Place? {
    get { places.indices.contains(second) ? places[second] : nil }
    set { if places.indices.contains(second), places[second] == nil { places[second] = newValue } }
  }

  /// The place at a time in seconds, between two whole seconds on a straight line; `nil` where it is not known.
  public func place(at time: Double) -> Place? {
    let second = Int(time.rounded(.down))
    guard let from = self[second] else { return nil }
    let share = time - Double(second)
    guard share > 0, let to = self[second + 1] else { return from }
    return Place(
      latitude: from.latitude + share * (to.latitude - from.latitude),
      longitude: from.longitude + share * (to.longitude - from.longitude))
  }

  /// The speed in metres per second and the course in degrees, over the two seconds before and the two after; `nil` where
  /// the truth is not known for two seconds at least.
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
  /// One bit for each class.
  public let rawValue: UInt8

  /// Classes from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Within a journey, waits included. All other seconds are rest.
  public static let moving = SecondClass(rawValue: 1 << 0)
  /// In a leg on rails, stations included.
  public static let rails = SecondClass(rawValue: 1 << 1)
  /// In the first ten minutes after a journey's start.
  public static let leaving = SecondClass(rawValue: 1 << 2)

  /// The time from a journey's start that counts as leaving, in seconds.
  static let leavingTime = 600.0
}

extension Outing {
  /// The classes of each second from the start to `end`.
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

public import Foundation

/// Where a simulated device is at every moment.
///
/// ```swift
/// let drive = Route.losAngeles                              // built in
/// let hike = try GPXTrack(contentsOf: file).route           // recorded
/// let commute = Route(waypoints: [
///   .init(latitude: 34.05, longitude: -118.24),
///   .init(latitude: 34.10, longitude: -118.33, speed: 20, entersTunnel: true),
///   .init(latitude: 34.11, longitude: -118.34, speed: 20, pause: .seconds(600), isIndoors: true),
///   .init(latitude: 34.14, longitude: -118.36),
/// ])
/// ```
public struct Route: Hashable, Sendable {
  /// A place on the way, and when it is passed.
  public struct Point: Hashable, Sendable {
    /// Seconds since the route's start.
    public let time: TimeInterval
    /// Degrees, WGS 84.
    public let latitude: Double
    /// Degrees, WGS 84.
    public let longitude: Double
    /// Metres above mean sea level; `nil` where unknown.
    public let altitude: Double?

    /// A point from its parts.
    public init(time: TimeInterval, latitude: Double, longitude: Double, altitude: Double? = nil) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
      self.altitude = altitude
    }
  }

  /// When the route begins, by the wall clock.
  public let start: Date
  /// At least one point, in the order of their times, the first at 0.
  public let points: [Point]
  /// When there is no sky, in seconds since the start: in tunnels, and where a recording has a gap on the way.
  public let outages: [Range<TimeInterval>]
  /// When the device is in a house, in seconds since the start: there is no sky, but a phone's network may know where it is.
  public let indoors: [Range<TimeInterval>]

  /// A route through points.
  ///
  /// - Precondition: There is at least one point, the first one's time is 0, and times rise from point to point.
  public init(
    points: [Point], start: Date = Route.standardStart, outages: [Range<TimeInterval>] = [],
    indoors: [Range<TimeInterval>] = []
  ) {
    precondition(points.first?.time == 0, "A route begins with a point whose time is 0.")
    precondition(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time }, "A route's times rise.")
    self.points = points
    self.start = start
    self.outages = outages.sorted { $0.lowerBound < $1.lowerBound }
    self.indoors = indoors.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Noon in Los Angeles on a day in spring 2026: when routes begin that do not say.
  public static let standardStart = Date(timeIntervalSince1970: 1_777_834_800)

  /// How long the route takes. Afterwards the device stays where it is.
  public var duration: Duration {
    .seconds(points.last?.time ?? 0)
  }

  /// Where the device is, so many seconds after the start: on the straight line between two points.
  public func position(at time: TimeInterval) -> Point {
    let next = firstPoint(after: time)
    guard next > 0 else { return points[0] }
    let from = points[next - 1]
    guard next < points.count else {
      return Point(time: time, latitude: from.latitude, longitude: from.longitude, altitude: from.altitude)
    }
    let to = points[next]
    let share = (time - from.time) / (to.time - from.time)
    var eastward = to.longitude - from.longitude
    if eastward > 180 { eastward -= 360 }
    if eastward < -180 { eastward += 360 }
    var longitude = from.longitude + eastward * share
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Point(
      time: time, latitude: from.latitude + (to.latitude - from.latitude) * share, longitude: longitude,
      altitude: from.altitude.flatMap { low in to.altitude.map { low + ($0 - low) * share } })
  }

  /// Metres per second, and degrees clockwise from true north; no course where the device stands.
  func velocity(at time: TimeInterval) -> (speed: Double, course: Double?) {
    let next = firstPoint(after: time)
    guard next > 0, next < points.count else { return (0, nil) }
    let from = points[next - 1]
    let to = points[next]
    let metres = from.location.distance(to: to.location)
    guard metres > 0.01 else { return (0, nil) }
    let east = (to.longitude - from.longitude) * cos(from.latitude * .pi / 180)
    let degrees = atan2(east, to.latitude - from.latitude) * 180 / .pi
    return (metres / (to.time - from.time), degrees < 0 ? degrees + 360 : degrees)
  }

  /// Whether a receiver sees the sky.
  public func hasSky(at time: TimeInterval) -> Bool {
    !Self.contains(time, in: outages) && !isIndoors(at: time)
  }

  /// Whether the device is in a house.
  public func isIndoors(at time: TimeInterval) -> Bool {
    Self.contains(time, in: indoors)
  }

  private static func contains(_ time: TimeInterval, in ranges: [Range<TimeInterval>]) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 && ranges[low - 1].contains(time)
  }

  func firstPoint(after time: TimeInterval) -> Int {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Route.Point {
  /// The place as a location without error, for distances: how far off a fix is. It has no time.
  public var location: Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: 0, timestamp: .distantPast)
  }
}

public import Foundation

extension SimulatedProvider {
  /// Where a simulated device is at every moment.
  ///
  /// ```swift
  /// let drive = SimulatedProvider.Route.losAngeles                              // built in
  /// let hike = try SimulatedProvider.GPXTrack(contentsOf: file).route           // recorded
  /// let commute = SimulatedProvider.Route(waypoints: [
  ///   .init(latitude: 34.05, longitude: -118.24),
  ///   .init(latitude: 34.10, longitude: -118.33, speed: 20, entersTunnel: true),
  ///   .init(latitude: 34.11, longitude: -118.34, speed: 20, pause: .seconds(600), isIndoors: true),
  ///   .init(latitude: 34.14, longitude: -118.36),
  /// ])
  /// ```
  public struct Route: Hashable, Sendable {
    /// A place on the way, and when it is passed.
    package struct Point: Hashable, Sendable {
      /// Seconds since the route's start.
      package let time: TimeInterval
      /// Degrees, WGS 84, -90…90.
      package let latitude: Double
      /// Degrees, WGS 84, -180…180.
      package let longitude: Double
      /// Metres above mean sea level; `nil` where unknown.
      package let altitude: Double?

      /// A point from its parts.
      package init(time: TimeInterval, latitude: Double, longitude: Double, altitude: Double? = nil) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
      }
    }

    /// When the route begins, by the wall clock.
    public let start: Date
    /// At least one point, in the order of their times, the first at 0.
    package let points: [Point]
    /// When there is no sky, in seconds since the start: in tunnels, and where a recording has a gap on the way.
    package let outages: [Range<TimeInterval>]
    /// When the device is in a house, in seconds since the start: there is no sky, but a phone's network may know where it is.
    package let indoors: [Range<TimeInterval>]

    /// Creates a route through recorded locations, such as the fixes of a trip.
    ///
    /// - Parameter locations: At least one location, in the order of their timestamps, with valid coordinates. The route starts at
    ///   the first one's timestamp; accuracies, speeds and courses are ignored.
    /// - Precondition: Timestamps rise from location to location, over a century at most.
    /// - Complexity: O(number of locations).
    public init(locations: [Location]) {
      let start = locations.first?.timestamp ?? Self.standardStart
      self.init(
        points: locations.map {
          Point(
            time: $0.timestamp.timeIntervalSince(start), latitude: $0.latitude, longitude: $0.longitude,
            altitude: $0.altitude)
        }, start: start)
    }

    /// A route through points.
    ///
    /// - Complexity: O(number of points).
    /// - Precondition: There is at least one point, the first one's time is 0, and times rise from point to point, to a century
    ///   at most. Coordinates are on Earth, altitudes are finite, and so is the start.
    package init(
      points: [Point], start: Date = SimulatedProvider.Route.standardStart, outages: [Range<TimeInterval>] = [],
      indoors: [Range<TimeInterval>] = []
    ) {
      precondition(points.first?.time == 0, "A route begins with a point whose time is 0.")
      precondition(
        start.timeIntervalSinceReferenceDate.isFinite,
        "A route's start is a date, not \(start.timeIntervalSinceReferenceDate).")
      for index in points.indices {
        if let fault = Self.fault(at: index, of: points) { preconditionFailure(fault) }
      }
      self.points = points
      self.start = start
      self.outages = outages.sorted { $0.lowerBound < $1.lowerBound }
      self.indoors = indoors.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// A sentence that says why a point is invalid; `nil` if it is valid.
    private static func fault(at index: Int, of points: [Point]) -> String? {
      let point = points[index]
      if !(-90...90).contains(point.latitude) {
        return "Point \(index) of a route has the latitude \(point.latitude); one is from -90 to 90."
      }
      if !(-180...180).contains(point.longitude) {
        return "Point \(index) of a route has the longitude \(point.longitude); one is from -180 to 180."
      }
      if let altitude = point.altitude, !altitude.isFinite {
        return "Point \(index) of a route has the altitude \(altitude), which is no number of metres."
      }
      if index > 0, !(point.time > points[index - 1].time) {
        return "Point \(index) of a route is passed after \(point.time) s, and the point before after "
          + "\(points[index - 1].time) s; times rise from point to point."
      }
      if point.time > Duration.century.inSeconds {
        return "Point \(index) of a route is passed after \(point.time) s; a route takes a century at most, which is "
          + "\(Duration.century.inSeconds) s."
      }
      return nil
    }

    /// Noon in Los Angeles on a day in spring 2026: when routes begin that do not say.
    public static let standardStart = Date(timeIntervalSince1970: 1_777_834_800)

    /// How long the route takes. Afterwards the device stays where it is.
    public var duration: Duration {
      .seconds(points.last?.time ?? 0)
    }

    /// Where the device is, so many seconds after the start: on the straight line between two points.
    package func position(at time: TimeInterval) -> Point {
      let next = firstPoint(after: time)
      guard next > 0 else { return points[0] }
      let from = points[next - 1]
      guard next < points.count else {
        return Point(time: time, latitude: from.latitude, longitude: from.longitude, altitude: from.altitude)
      }
      let to = points[next]
      let share = (time - from.time) / (to.time - from.time)
      return from.point(towards: to, share, at: time)
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
    package func hasSky(at time: TimeInterval) -> Bool {
      !Self.contains(time, in: outages) && !isIndoors(at: time)
    }

    /// Whether the device is in a house.
    package func isIndoors(at time: TimeInterval) -> Bool {
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
}

extension SimulatedProvider.Route.Point {
  /// The point at a share of the straight line to another one, which crosses the antimeridian where that is shorter.
  func point(towards end: Self, _ share: Double, at time: TimeInterval) -> Self {
    let eastward = (end.longitude - longitude).remainder(dividingBy: 360)
    var east = longitude + eastward * share
    if east > 180 { east -= 360 }
    if east < -180 { east += 360 }
    return Self(
      time: time, latitude: latitude + (end.latitude - latitude) * share, longitude: east,
      altitude: altitude.flatMap { low in end.altitude.map { low + ($0 - low) * share } })
  }

  /// The place as a location without error, for distances: how far off a fix is. It has no time.
  package var location: Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: 0, timestamp: .distantPast)
  }
}

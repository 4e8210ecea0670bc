public import Foundation
public import LocoKit

extension SimulatedProvider {
  /// The place of a simulated device at every time.
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
    /// A place on the route and its time.
    package struct Point: Hashable, Sendable {
      /// Seconds since the route's start.
      package internal(set) var time: TimeInterval
      /// Degrees, WGS 84: -90…90 and -180…180.
      package let latitude, longitude: Double
      /// Metres above mean sea level; `nil` if unknown.
      package let altitude: Double?

      package init(time: TimeInterval, latitude: Double, longitude: Double, altitude: Double? = nil) {
        (self.time, self.latitude, self.longitude, self.altitude) = (time, latitude, longitude, altitude)
      }
    }

    /// The date of the route's start. You can change it; the duration remains.
    ///
    /// - Precondition: The date is finite.
    public var start: Date { didSet { Self.checkStart(start) } }
    /// The points in rising order of time: at least one, the first at 0.
    package let points: [Point]
    /// The times outdoors without sky, in seconds since the start: tunnels, and the gaps of a recording that aren't stays.
    package let outages: [Range<TimeInterval>]
    /// The times indoors, in seconds since the start. There is no sky, but a phone may have fixes of the network.
    package let indoors: [Range<TimeInterval>]

    /// Creates a route through recorded locations, such as the fixes of a trip.
    ///
    /// - Parameter locations: At least one location, in the order of their timestamps, with valid coordinates. The route starts at
    ///   the first one's timestamp; accuracies, speeds and courses are ignored.
    /// - Precondition: Timestamps are finite and rise from location to location, over a century at most. Altitudes are finite or `nil`.
    /// - Complexity: O(number of locations).
    public init(locations: [Location]) {
      let start = locations.first?.timestamp ?? Self.standardStart
      let points = locations.map {
        Point(
          time: $0.timestamp.timeIntervalSince(start), latitude: $0.latitude, longitude: $0.longitude,
          altitude: $0.altitude)
      }
      self.init(points: points, start: start)
    }

    /// Creates a route through points.
    ///
    /// - Complexity: O(number of points).
    /// - Precondition: There is at least one point, the first one's time is 0, and times rise from point to point, to a century
    ///   at most. Coordinates are on Earth, altitudes are finite, and so is the start.
    package init(
      points: [Point], start: Date = standardStart, outages: [Range<TimeInterval>] = [],
      indoors: [Range<TimeInterval>] = []
    ) {
      precondition(points.first?.time == 0, "The first point of a route needs the time 0.")
      Self.checkStart(start)
      for index in points.indices {
        if let fault = Self.fault(at: index, of: points) { preconditionFailure("Point \(index) of a route \(fault)") }
      }
      self.points = points
      self.start = start
      self.outages = outages.sorted { $0.lowerBound < $1.lowerBound }
      self.indoors = indoors.sorted { $0.lowerBound < $1.lowerBound }
    }

    private static func checkStart(_ start: Date) {
      precondition(
        start.timeIntervalSinceReferenceDate.isFinite,
        "A route's start is a date, not \(start.timeIntervalSinceReferenceDate).")
    }

    /// Returns the reason why a point is invalid; `nil` if it is valid.
    private static func fault(at index: Int, of points: [Point]) -> String? {
      let point = points[index]
      if let fault = coordinateFault(point.latitude, point.longitude) { return fault }
      if let altitude = point.altitude, !altitude.isFinite { return "has the altitude \(altitude); use metres or nil." }
      if index > 0, !(point.time > points[index - 1].time) {
        return "has the time \(point.time) s, and the point before \(points[index - 1].time) s; times must rise."
      }
      let century = Duration.century.inSeconds
      if point.time > century {
        return "has the time \(point.time) s; a route takes a century at most, which is \(century) s."
      }
      return nil
    }

    static func coordinateFault(_ latitude: Double, _ longitude: Double) -> String? {
      if !(-90...90).contains(latitude) { return "has the latitude \(latitude); the range is -90 to 90." }
      if !(-180...180).contains(longitude) { return "has the longitude \(longitude); the range is -180 to 180." }
      return nil
    }

    /// The default start: noon in Los Angeles on 3 May 2026.
    package static let standardStart = Date(timeIntervalSince1970: 1_777_834_800)

    /// The duration of the route. After the route, the device stays at its end.
    public var duration: Duration { .seconds(points.last?.time ?? 0) }

    /// Returns the place at a time, in seconds since the start, on the straight line between two points.
    package func position(at time: TimeInterval) -> Point {
      let next = firstPoint(after: time)
      guard next > 0 else { return points[0] }
      let from = points[next - 1]
      guard next < points.count else { return from.staying(until: time) }
      let to = points[next]
      return from.point(towards: to, (time - from.time) / (to.time - from.time), at: time)
    }

    /// Returns the speed in metres per second, and the course in degrees clockwise from true north; the course is `nil` at rest.
    func velocity(at time: TimeInterval) -> (speed: Double, course: Double?) {
      let next = firstPoint(after: time)
      guard next > 0, next < points.count else { return (0, nil) }
      let (from, to) = (points[next - 1], points[next])
      let metres = from.location.distance(to: to.location)
      guard metres > 0.01 else { return (0, nil) }
      let east = (to.longitude - from.longitude).remainder(dividingBy: 360) * cos(from.latitude * .pi / 180)
      let degrees = atan2(east, to.latitude - from.latitude) * 180 / .pi
      return (metres / (to.time - from.time), Location.course(fromDegrees: degrees))
    }

    package func hasSky(at time: TimeInterval) -> Bool { !Self.contains(time, in: outages) && !isIndoors(at: time) }

    package func isIndoors(at time: TimeInterval) -> Bool { Self.contains(time, in: indoors) }

    private static func contains(_ time: TimeInterval, in ranges: [Range<TimeInterval>]) -> Bool {
      let next = firstIndex(in: ranges) { $0.lowerBound > time }
      return next > 0 && ranges[next - 1].contains(time)
    }

    func firstPoint(after time: TimeInterval) -> Int { Self.firstIndex(in: points) { $0.time > time } }

    /// Returns the index of the first element that satisfies a condition, by binary search.
    private static func firstIndex<Element>(in elements: [Element], where isWanted: (Element) -> Bool) -> Int {
      var (low, high) = (0, elements.count)
      while low < high {
        let middle = (low + high) / 2
        if isWanted(elements[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }
}

extension SimulatedProvider.Route.Point {
  func staying(until time: TimeInterval) -> Self {
    Self(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
  }

  /// Returns the point at a share of the straight line to another point. The line crosses the antimeridian if that is shorter.
  func point(towards end: Self, _ share: Double, at time: TimeInterval) -> Self {
    let eastward = (end.longitude - longitude).remainder(dividingBy: 360)
    return Self(
      time: time, latitude: latitude + (end.latitude - latitude) * share,
      longitude: (longitude + eastward * share).remainder(dividingBy: 360),
      altitude: altitude.flatMap { low in end.altitude.map { low + ($0 - low) * share } })
  }

  /// The place as an exact location without a time, for distances.
  package var location: Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: 0, timestamp: .distantPast)
  }
}

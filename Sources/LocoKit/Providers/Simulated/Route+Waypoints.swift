public import Foundation

extension SimulatedProvider.Route {
  /// A place to pass, how fast, and how long to stop there.
  public struct Waypoint: Hashable, Sendable {
    /// Degrees, WGS 84, -90…90.
    package var latitude: Double
    /// Degrees, WGS 84, -180…180.
    package var longitude: Double
    /// Metres per second when passing, 0 or more; between two waypoints the speed changes evenly.
    package var speed: Double
    /// The duration of a stop, 0 or longer.
    package var pause: Duration
    /// Whether the pause is spent in a house.
    package var isIndoors: Bool
    /// Whether the way from here to the next waypoint has no sky.
    package var entersTunnel: Bool

    /// A waypoint from its parts.
    public init(
      latitude: Double, longitude: Double, speed: Double = 14, pause: Duration = .zero, isIndoors: Bool = false,
      entersTunnel: Bool = false
    ) {
      self.latitude = latitude
      self.longitude = longitude
      self.speed = speed
      self.pause = pause
      self.isIndoors = isIndoors
      self.entersTunnel = entersTunnel
    }
  }

  /// The seconds of movement in a route from waypoints, at most. Each second adds a point.
  static let longestMovement: TimeInterval = 1_000_000

  /// A route from waypoints, with a point every second while it moves. Legs cross the antimeridian where that is shorter.
  ///
  /// - Complexity: O(seconds of movement), in time and in memory.
  /// - Precondition: There is at least one waypoint, and no leg between two different places is driven at no speed. The device
  ///   moves for a million seconds at most, which is eleven days and a half; coordinates are on Earth; speeds and pauses are not
  ///   negative.
  public init(waypoints: [Waypoint], start: Date = SimulatedProvider.Route.standardStart) {
    precondition(!waypoints.isEmpty, "A route has at least one waypoint.")
    for index in waypoints.indices {
      if let fault = Self.fault(at: index, of: waypoints) { preconditionFailure(fault) }
    }
    var points: [Point] = []
    var outages: [Range<TimeInterval>] = []
    var indoors: [Range<TimeInterval>] = []
    var time: TimeInterval = 0
    var movement: TimeInterval = 0
    for (index, waypoint) in waypoints.enumerated() {
      let here = Point(time: time, latitude: waypoint.latitude, longitude: waypoint.longitude)
      if points.last?.time != time { points.append(here) }
      if waypoint.pause > .zero {
        let arrival = time
        time += waypoint.pause.inSeconds
        if waypoint.isIndoors { indoors.append(arrival..<time) }
        points.append(Point(time: time, latitude: waypoint.latitude, longitude: waypoint.longitude))
      }
      guard index + 1 < waypoints.count else { break }
      let next = waypoints[index + 1]
      let there = Point(time: 0, latitude: next.latitude, longitude: next.longitude)
      let metres = here.location.distance(to: there.location)
      guard metres > 0 else { continue }
      precondition(
        waypoint.speed + next.speed > 0, "The leg from waypoint \(index) to the next needs a speed at one of them.")
      let seconds = 2 * metres / (waypoint.speed + next.speed)
      movement += seconds
      precondition(
        movement <= Self.longestMovement,
        "The leg from waypoint \(index) to the next takes \(seconds) s, from \(waypoint.speed) m/s to \(next.speed) m/s; "
          + "a route from waypoints moves for \(Self.longestMovement) s at most.")
      var elapsed: TimeInterval = 1
      while elapsed < seconds - 0.5 {
        let driven = waypoint.speed * elapsed + (next.speed - waypoint.speed) * elapsed * elapsed / (2 * seconds)
        points.append(here.point(towards: there, driven / metres, at: time + elapsed))
        elapsed += 1
      }
      if waypoint.entersTunnel { outages.append(time..<time + seconds) }
      time += seconds
    }
    self.init(points: points, start: start, outages: outages, indoors: indoors)
  }

  /// A sentence that says why a waypoint is invalid; `nil` if it is valid.
  private static func fault(at index: Int, of waypoints: [Waypoint]) -> String? {
    let waypoint = waypoints[index]
    if !(-90...90).contains(waypoint.latitude) {
      return "Waypoint \(index) has the latitude \(waypoint.latitude); one is from -90 to 90."
    }
    if !(-180...180).contains(waypoint.longitude) {
      return "Waypoint \(index) has the longitude \(waypoint.longitude); one is from -180 to 180."
    }
    if !(waypoint.speed >= 0 && waypoint.speed.isFinite) {
      return "Waypoint \(index) has the speed \(waypoint.speed) m/s; one is 0 or more."
    }
    if waypoint.pause < .zero || waypoint.pause > .century {
      return "Waypoint \(index) has a pause of \(waypoint.pause); one is from 0 s to a century."
    }
    return nil
  }
}

public import Foundation

extension Route {
  /// A place to pass, how fast, and how long to stop there.
  public struct Waypoint: Hashable, Sendable {
    /// Degrees, WGS 84.
    public var latitude: Double
    /// Degrees, WGS 84.
    public var longitude: Double
    /// Metres per second when passing; between two waypoints the speed changes evenly.
    public var speed: Double
    /// How long the device stands here.
    public var pause: Duration
    /// Whether the pause is spent in a house.
    public var isIndoors: Bool
    /// Whether the way from here to the next waypoint has no sky.
    public var entersTunnel: Bool

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

  /// A route from waypoints, with a point every second while it moves.
  ///
  /// - Precondition: There is at least one waypoint, and no leg between two different places is driven at no speed.
  public init(waypoints: [Waypoint], start: Date = Route.standardStart) {
    precondition(!waypoints.isEmpty, "A route has at least one waypoint.")
    var points: [Point] = []
    var outages: [Range<TimeInterval>] = []
    var indoors: [Range<TimeInterval>] = []
    var time: TimeInterval = 0
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
      precondition(waypoint.speed + next.speed > 0, "A leg between two places needs a speed.")
      let seconds = 2 * metres / (waypoint.speed + next.speed)
      var elapsed: TimeInterval = 1
      while elapsed < seconds - 0.5 {
        let driven = waypoint.speed * elapsed + (next.speed - waypoint.speed) * elapsed * elapsed / (2 * seconds)
        let share = driven / metres
        points.append(
          Point(
            time: time + elapsed, latitude: here.latitude + (there.latitude - here.latitude) * share,
            longitude: here.longitude + (there.longitude - here.longitude) * share))
        elapsed += 1
      }
      if waypoint.entersTunnel { outages.append(time..<time + seconds) }
      time += seconds
    }
    self.init(points: points, start: start, outages: outages, indoors: indoors)
  }
}

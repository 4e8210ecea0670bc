public import Foundation
import LocoKit

extension SimulatedProvider.Route {
  /// A place that a route passes.
  public struct Waypoint: Hashable, Sendable {
    /// Degrees, WGS 84, -90…90.
    package var latitude: Double
    /// Degrees, WGS 84, -180…180.
    package var longitude: Double
    package var speed: Double
    package var legSpeed: Double?
    package var pause: Duration
    package var isIndoors, entersTunnel: Bool

    /// Creates a waypoint.
    ///
    /// - Parameters:
    ///   - latitude: Degrees, WGS 84, -90…90.
    ///   - longitude: Degrees, WGS 84, -180…180.
    ///   - speed: The speed at the waypoint, in metres per second, 0 or more. It changes evenly between waypoints.
    ///   - legSpeed: The constant speed of the leg to the next waypoint, in metres per second, more than 0. With `nil`, the speed changes
    ///     from that of this waypoint to that of the next.
    ///   - pause: The duration of a stop at the waypoint, 0 or longer.
    ///   - isIndoors: Whether the device is indoors during the pause.
    ///   - entersTunnel: Whether the leg to the next waypoint has no sky.
    public init(
      latitude: Double, longitude: Double, speed: Double = 14, legSpeed: Double? = nil, pause: Duration = .zero,
      isIndoors: Bool = false, entersTunnel: Bool = false
    ) {
      (self.latitude, self.longitude, self.speed, self.legSpeed) = (latitude, longitude, speed, legSpeed)
      (self.pause, self.isIndoors, self.entersTunnel) = (pause, isIndoors, entersTunnel)
    }

    /// The reason why the waypoint is invalid; `nil` if it is valid.
    fileprivate var fault: String? {
      if !(speed >= 0 && speed.isFinite) { return "has the speed \(speed) m/s; use 0 or more." }
      if let legSpeed, !(legSpeed > 0 && legSpeed.isFinite) {
        return "has the speed \(legSpeed) m/s on its leg; use more than 0."
      }
      if pause < .zero || pause > .century { return "has a pause of \(pause); the range is 0 s to a century." }
      return SimulatedProvider.Route.coordinateFault(latitude, longitude)
    }
  }

  /// The maximum time of movement in a route from waypoints, in seconds. It is limited because each second adds a point.
  private static let longestMovement: TimeInterval = 1_000_000

  /// Creates a route from waypoints, with a point for every second of movement. Legs cross the antimeridian if that is shorter.
  ///
  /// - Parameters:
  ///   - waypoints: The places, in the order of the visit.
  ///   - start: The date at the first waypoint; `nil` for noon in Los Angeles on 3 May 2026.
  /// - Complexity: O(seconds of movement), in time and in memory.
  /// - Precondition: There is at least one waypoint. Each leg between two different places has a `legSpeed`, or a speed above 0 at one of
  ///   its ends. The device moves for at most a million seconds, about eleven and a half days. The route takes a century at most.
  ///   Coordinates are on Earth. Speeds are finite. A `legSpeed` is more than 0; other speeds and pauses aren't negative.
  public init(waypoints: [Waypoint], start: Date? = nil) {
    precondition(!waypoints.isEmpty, "A route needs at least one waypoint.")
    for (index, waypoint) in waypoints.enumerated() {
      if let fault = waypoint.fault { preconditionFailure("Waypoint \(index) \(fault)") }
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
        points.append(here.staying(until: time))
      }
      guard index + 1 < waypoints.count else { break }
      let next = waypoints[index + 1]
      let there = Point(time: 0, latitude: next.latitude, longitude: next.longitude)
      let metres = here.location.distance(to: there.location)
      guard metres > 0 else { continue }
      let (start, end) = waypoint.legSpeed.map { ($0, $0) } ?? (waypoint.speed, next.speed)
      precondition(
        start + end > 0, "The leg from waypoint \(index) to the next needs a speed at one of them.")
      let seconds = 2 * metres / (start + end)
      movement += seconds
      precondition(
        movement <= Self.longestMovement,
        "The leg from waypoint \(index) to the next takes \(seconds) s, from \(start) m/s to \(end) m/s; "
          + "a route from waypoints moves for at most \(Self.longestMovement) s.")
      for elapsed in stride(from: 1, to: seconds - 0.5, by: 1) {
        let driven = start * elapsed + (end - start) * elapsed * elapsed / (2 * seconds)
        points.append(here.point(towards: there, driven / metres, at: time + elapsed))
      }
      if waypoint.entersTunnel { outages.append(time..<time + seconds) }
      time += seconds
    }
    self.init(points: points, start: start ?? Self.standardStart, outages: outages, indoors: indoors)
  }

  /// Half an hour along the 101 freeway through Los Angeles, 42 km, from Calabasas through the valley and the Cahuenga Pass, where traffic
  /// is slow, to a car park at Union Station.
  public static let losAngeles: Self = {
    var waypoints = freeway.map { Waypoint(latitude: $0.latitude, longitude: $0.longitude, speed: $0.speed) }
    waypoints[0].pause = .seconds(20)
    let route = Self(waypoints: waypoints)
    return Self(points: route.points + [route.points[route.points.count - 1].staying(until: 1_800)])
  }()

  private static let freeway: [(latitude: Double, longitude: Double, speed: Double)] = [
    (34.1555, -118.6400, 0), (34.1580, -118.6360, 22), (34.1683, -118.6058, 33), (34.1708, -118.5975, 33),
    (34.1722, -118.5884, 34), (34.1727, -118.5709, 34), (34.1731, -118.5536, 33), (34.1719, -118.5362, 33),
    (34.1680, -118.5190, 34), (34.1612, -118.5010, 33), (34.1584, -118.4920, 31), (34.1608, -118.4695, 24),
    (34.1577, -118.4486, 29), (34.1575, -118.4311, 32), (34.1553, -118.4137, 32), (34.1533, -118.3964, 31),
    (34.1512, -118.3792, 27), (34.1460, -118.3690, 25), (34.1383, -118.3625, 22), (34.1325, -118.3480, 13),
    (34.1240, -118.3420, 10), (34.1125, -118.3365, 12), (34.1075, -118.3290, 21), (34.1018, -118.3135, 26),
    (34.0980, -118.3105, 27), (34.0907, -118.3060, 28), (34.0837, -118.2995, 29), (34.0795, -118.2917, 29),
    (34.0762, -118.2840, 28), (34.0735, -118.2745, 27), (34.0672, -118.2610, 26), (34.0622, -118.2488, 20),
    (34.0580, -118.2440, 17), (34.0548, -118.2395, 13), (34.0560, -118.2365, 0),
  ]
}

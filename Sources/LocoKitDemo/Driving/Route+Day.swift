import Foundation
import LocoKit
import LocoKitSimulation

extension SimulatedProvider.Route {
  /// A day from midnight to midnight: home, on foot and by car to the office, lunch nearby, a shop on the way home, and an
  /// evening walk. The stays are indoors.
  static let day: SimulatedProvider.Route = {
    var day = Itinerary()
    day.stay(.seconds(27_600))
    day.walk(by: [(0, 180), (260, 0)])
    day.drive(by: [(420, 0), (0, 800), (650, 0), (0, 500)], at: 13)
    day.drive(by: [(7_800, 2_100)], at: 27)
    day.drive(by: [(0, 450), (520, 0), (0, 700), (480, 0), (0, 350)], at: 12)
    day.walk(by: [(120, 0), (0, 210)])
    day.stay(.seconds(13_200))
    day.walk(by: [(-180, 0), (0, 240)])
    day.stay(.seconds(2_400))
    day.walk(by: [(0, -240), (180, 0)])
    day.stay(.seconds(15_600))
    day.walk(by: [(0, -210), (-120, 0)])
    day.drive(by: [(0, -350), (-480, 0), (0, -700), (-900, 0), (0, -1_100), (-600, 0)], at: 12)
    day.stay(.seconds(1_500))
    day.drive(by: [(-700, 0), (0, 650), (0, 300)], at: 12)
    day.drive(by: [(-6_300, -1_700)], at: 25)
    day.drive(by: [(0, -800), (-650, 0), (0, -860), (-420, 0)], at: 13)
    day.walk(by: [(-320, 0), (0, -440)])
    day.stay(.seconds(5_400))
    day.walk(by: [(0, -400), (-500, 0), (0, -350), (500, 0), (0, 750)])
    let midnight = Date(timeIntervalSince1970: 1_777_791_600)
    day.stay(.seconds(86_400) - SimulatedProvider.Route(waypoints: day.waypoints).duration)
    return SimulatedProvider.Route(waypoints: day.waypoints, start: midnight)
  }()
}

/// A route of legs in metres, with a stop at most corners.
private struct Itinerary {
  private(set) var waypoints = [SimulatedProvider.Route.Waypoint(latitude: 34.0300, longitude: -118.4700, speed: 0)]
  private var corners = 0
  /// The stops at corners, in seconds, used in turn.
  private static let waits = [8.0, 35, 0, 22, 50, 4, 15]

  /// Adds a stay indoors.
  mutating func stay(_ duration: Duration) {
    waypoints[waypoints.count - 1].pause += duration
    waypoints[waypoints.count - 1].isIndoors = true
  }

  mutating func walk(by legs: [(east: Double, north: Double)]) {
    for leg in legs { go(leg, at: 1.4, within: 2) }
  }

  mutating func drive(by legs: [(east: Double, north: Double)], at speed: Double) {
    for leg in legs { go(leg, at: speed, within: min(speed * speed / 3, hypot(leg.east, leg.north) / 3)) }
  }

  /// - Parameter ramp: The distance in metres over which the speed rises at the start, and falls at the end.
  private mutating func go(_ leg: (east: Double, north: Double), at speed: Double, within ramp: Double) {
    let start = waypoints[waypoints.count - 1]
    let length = hypot(leg.east, leg.north)
    let wait = Self.waits[corners % Self.waits.count]
    corners += 1
    for (metres, speed, pause) in [(ramp, speed, 0), (length - ramp, speed, 0), (length, 0, wait)] {
      let share = metres / length
      waypoints.append(
        SimulatedProvider.Route.Waypoint(
          latitude: start.latitude + leg.north * share / 110_574,
          longitude: start.longitude + leg.east * share / (111_320 * cos(34.03 * .pi / 180)), speed: speed,
          pause: .seconds(pause)))
    }
  }
}

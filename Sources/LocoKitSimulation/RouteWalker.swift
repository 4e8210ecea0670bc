import Foundation
import LocoKit

/// Follows a route, in metres east and north of its first point, and caches the current leg.
struct RouteWalker: Sendable {
  /// The speed below which the device stands, in metres per second. A lower speed is due to rounding errors of the places.
  private static let standing = 1e-3

  private let latitude, longitude: Double
  private let eastScale: Double
  /// The index of the leg's last point.
  private var next = 0
  private(set) var leg: Range<TimeInterval> = 0..<0
  private var start = (east: 0.0, north: 0.0)
  private var velocity = (east: 0.0, north: 0.0)
  private var speed = 0.0

  init(origin: SimulatedProvider.Route.Point) {
    (latitude, longitude) = (origin.latitude, origin.longitude)
    eastScale = max(1, 111_320 * cos(origin.latitude * .pi / 180))
  }

  /// Returns the place and the speed in metres per second.
  mutating func step(
    at time: TimeInterval, on route: SimulatedProvider.Route
  ) -> (east: Double, north: Double, speed: Double) {
    enterLeg(at: time, route)
    guard speed > 0 else { return (start.east, start.north, 0) }
    let passed = time - leg.lowerBound
    return (start.east + velocity.east * passed, start.north + velocity.north * passed, speed)
  }

  /// Returns the time when the device next moves: `time` if it moves now, and infinity if it stays.
  mutating func standsUntil(from time: TimeInterval, on route: SimulatedProvider.Route) -> TimeInterval {
    enterLeg(at: time, route)
    guard speed == 0 else { return time }
    while leg.upperBound < .infinity {
      let end = leg.upperBound
      enterLeg(at: end, route)
      if speed > 0 { return end }
    }
    return .infinity
  }

  private mutating func enterLeg(at time: TimeInterval, _ route: SimulatedProvider.Route) {
    guard !leg.contains(time) else { return }
    let points = route.points
    let isNext = time >= leg.upperBound && next + 1 < points.count && time < points[next + 1].time && next > 0
    next = isNext ? next + 1 : route.firstPoint(after: time)
    let from = points[max(0, next - 1)]
    start = place(from)
    guard next > 0, next < points.count else {
      leg = next == 0 ? -.infinity..<from.time : from.time..<TimeInterval.infinity
      speed = 0
      return
    }
    let to = points[next]
    leg = from.time..<to.time
    let seconds = to.time - from.time
    // The shorter way, which may cross the antimeridian.
    let east = ((to.longitude - from.longitude).remainder(dividingBy: 360) * eastScale) / seconds
    velocity = (east, (place(to).north - start.north) / seconds)
    let trueEast = east * cos(from.latitude * .pi / 180) * 111_320 / eastScale
    speed = (trueEast * trueEast + velocity.north * velocity.north).squareRoot()
    if speed < Self.standing { speed = 0 }
  }

  private func place(_ point: SimulatedProvider.Route.Point) -> (east: Double, north: Double) {
    ((point.longitude - longitude).remainder(dividingBy: 360) * eastScale, (point.latitude - latitude) * 110_574)
  }
}

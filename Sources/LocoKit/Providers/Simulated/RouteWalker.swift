import Foundation

/// Follows a route, in metres east and north of its first point, and caches the current leg.
struct RouteWalker: Sendable {
  /// A place and the speed in metres per second.
  struct Step {
    var east: Double
    var north: Double
    var speed: Double
  }

  /// The speed below which a difference is a rounding error, in metres per second.
  private static let standing = 1e-3

  private let latitude: Double
  private let longitude: Double
  private let eastScale: Double
  /// The index of the leg's last point.
  private var next = 0
  private var leg: Range<TimeInterval> = 0..<0
  private var start = (east: 0.0, north: 0.0)
  private var velocity = (east: 0.0, north: 0.0)
  private var speed = 0.0

  init(origin: SimulatedProvider.Route.Point) {
    latitude = origin.latitude
    longitude = origin.longitude
    eastScale = max(1, 111_320 * cos(origin.latitude * .pi / 180))
  }

  mutating func step(at time: TimeInterval, on route: SimulatedProvider.Route) -> Step {
    enterLeg(at: time, route)
    guard speed > 0 else { return Step(east: start.east, north: start.north, speed: 0) }
    let passed = time - leg.lowerBound
    return Step(
      east: start.east + velocity.east * passed, north: start.north + velocity.north * passed, speed: speed)
  }

  /// Returns the speed of the device, in metres per second, and the end of its leg.
  mutating func stretch(at time: TimeInterval, on route: SimulatedProvider.Route) -> (speed: Double, end: TimeInterval)
  {
    enterLeg(at: time, route)
    return (speed, leg.upperBound)
  }

  /// Returns the end of the current stand; `time` if the device moves.
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
    // The shorter way over the antimeridian.
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

import Foundation

/// Follows a route in time, in metres east and north of its first point, and remembers the leg it is on.
struct RouteWalker: Sendable {
  /// Where a device is, and how fast.
  struct Step {
    var east: Double
    var north: Double
    /// Metres per second.
    var speed: Double
  }

  /// Slower than this a device stands: less than a millimetre a second is rounding.
  private static let standing = 1e-3

  private let latitude: Double
  private let longitude: Double
  private let eastScale: Double
  /// The number of the leg's last point.
  private var next = 0
  private var time: Range<TimeInterval> = 0..<0
  private var start = (east: 0.0, north: 0.0)
  private var velocity = (east: 0.0, north: 0.0)
  private var speed = 0.0

  init(origin: SimulatedProvider.Route.Point) {
    latitude = origin.latitude
    longitude = origin.longitude
    eastScale = max(1, 111_320 * cos(origin.latitude * .pi / 180))
  }

  /// Where a point of the map lies.
  func place(latitude: Double, longitude: Double) -> (east: Double, north: Double) {
    (
      (longitude - self.longitude).remainder(dividingBy: 360) * eastScale,
      (latitude - self.latitude) * 110_574
    )
  }

  /// Where the device is at a time.
  mutating func step(at time: TimeInterval, on route: SimulatedProvider.Route) -> Step {
    if !self.time.contains(time) { enter(legAt: time, route) }
    let passed = time - self.time.lowerBound
    guard speed > 0 else { return Step(east: start.east, north: start.north, speed: 0) }
    return Step(
      east: start.east + velocity.east * passed, north: start.north + velocity.north * passed, speed: speed)
  }

  /// Returns the speed of the device, in metres per second, and the end of its leg.
  mutating func stretch(at time: TimeInterval, on route: SimulatedProvider.Route) -> (speed: Double, end: TimeInterval)
  {
    if !self.time.contains(time) { enter(legAt: time, route) }
    return (speed, self.time.upperBound)
  }

  /// Until when the device stands where it is; `time` where it moves.
  mutating func standsUntil(from time: TimeInterval, on route: SimulatedProvider.Route) -> TimeInterval {
    if !self.time.contains(time) { enter(legAt: time, route) }
    guard speed == 0 else { return time }
    while self.time.upperBound < .infinity {
      let end = self.time.upperBound
      enter(legAt: end, route)
      if speed > 0 { return end }
    }
    return .infinity
  }

  private mutating func enter(legAt time: TimeInterval, _ route: SimulatedProvider.Route) {
    let points = route.points
    let isNext = time >= self.time.upperBound && next + 1 < points.count && time < points[next + 1].time && next > 0
    next = isNext ? next + 1 : route.firstPoint(after: time)
    let from = points[max(0, next - 1)]
    start = place(latitude: from.latitude, longitude: from.longitude)
    guard next > 0, next < points.count else {
      self.time = next == 0 ? -.infinity..<from.time : from.time..<TimeInterval.infinity
      speed = 0
      return
    }
    let to = points[next]
    let end = place(latitude: to.latitude, longitude: to.longitude)
    self.time = from.time..<to.time
    let seconds = to.time - from.time
    // Over the antimeridian the shorter way is gone.
    let east = ((to.longitude - from.longitude).remainder(dividingBy: 360) * eastScale) / seconds
    velocity = (east, (end.north - start.north) / seconds)
    let trueEast = east * cos(from.latitude * .pi / 180) * 111_320 / eastScale
    speed = (trueEast * trueEast + velocity.north * velocity.north).squareRoot()
    if speed < Self.standing { speed = 0 }
  }
}

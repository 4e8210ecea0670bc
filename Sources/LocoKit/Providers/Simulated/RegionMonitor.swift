import Foundation

/// Watches whether a simulated device has left a region.
///
/// It is told of no movement: it looks along the route for when the device will be outside.
struct RegionMonitor: Sendable {
  let region: Location.Region
  /// For how many seconds it must be.
  private let latency: Double
  private let isLost: Bool
  private let metresPerDegreeEast: Double
  /// Since when it is outside.
  private var outsideSince: Double?

  /// Points of a route that are looked at in one go.
  private static let pointsAtOnce = 512

  init(_ region: Location.Region, _ model: SimulatedProvider.RegionModel, _ random: inout SeededGenerator) {
    self.region = region
    latency = model.latency.inSeconds * exp(model.latencySpread * random.nextNormal())
    isLost = Double.random(in: 0..<1, using: &random) < model.lost
    metresPerDegreeEast = 111_320 * cos(region.latitude * .pi / 180)
  }

  /// What comes next.
  enum Next {
    /// The device has left the region now.
    case exit
    /// Nothing before this time.
    case check(at: Double)
    /// Nothing any more.
    case nothing
  }

  /// Looks at where the device is and will be.
  mutating func check(at time: Double, on route: SimulatedProvider.Route) -> Next {
    if isLost { return .nothing }
    let wasOutsideSince = outsideSince
    outsideSince = nil
    guard isOutside(route.position(at: time)) else { return nextLeaving(after: time, route) }
    let since = wasOutsideSince.map { lastReturn(since: $0, until: time, route) ?? $0 } ?? time
    outsideSince = since
    return time - since >= latency ? .exit : .check(at: since + latency)
  }

  private func isOutside(_ point: SimulatedProvider.Route.Point) -> Bool {
    let north = (point.latitude - region.latitude) * 111_195
    let east = (point.longitude - region.longitude).remainder(dividingBy: 360) * metresPerDegreeEast
    return north * north + east * east > region.radius * region.radius
  }

  /// When the device was inside again last, at a point of its route.
  private func lastReturn(since start: Double, until time: Double, _ route: SimulatedProvider.Route) -> Double? {
    var index = route.firstPoint(after: time) - 1
    while index >= 0, route.points[index].time > start {
      if !isOutside(route.points[index]) { return nextCrossing(from: route.points[index].time, to: time, route) }
      index -= 1
    }
    return nil
  }

  /// When the device, which is inside, leaves; or when to look on.
  private func nextLeaving(after time: Double, _ route: SimulatedProvider.Route) -> Next {
    let first = route.firstPoint(after: time)
    let last = min(first + Self.pointsAtOnce, route.points.count)
    var inside = time
    for index in first..<last {
      let point = route.points[index]
      if isOutside(point) { return .check(at: nextCrossing(from: inside, to: point.time, route)) }
      inside = point.time
    }
    return last == route.points.count ? .nothing : .check(at: inside)
  }

  /// When the device, inside at one time and outside at another on a straight way, crosses the edge: by halving, from below.
  private func nextCrossing(from inside: Double, to outside: Double, _ route: SimulatedProvider.Route) -> Double {
    var (inside, outside) = (inside, outside)
    while outside - inside > 0.01 {
      let middle = (inside + outside) / 2
      if isOutside(route.position(at: middle)) { outside = middle } else { inside = middle }
    }
    return outside
  }
}

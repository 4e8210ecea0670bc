import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  /// The delay and the loss rate of exits from regions.
  ///
  /// Measured by MobilityNet on iPhone 6 with iOS 12.3.1 and regions of 100 m: exits were reported 38 s (10th percentile), 98–112 s
  /// (median), 138 s (75th) and 183–225 s (90th) after the device crossed the edge, and 5–13 % were never reported. The distance of the
  /// device at the report follows from its speed: it was 248 m from the centre (median), 416 m (75th percentile) and 743 m (90th; n = 100).
  package struct RegionModel: Hashable, Sendable {
    /// The median time from the crossing of the edge to the report of the exit. The time of each region has a log-normal distribution.
    package var latency = Duration.seconds(100)
    /// The standard deviation of the logarithm of ``latency``. With 0.65 the times meet the percentiles above within 15 %.
    package var latencySpread = 0.65
    /// The share of regions whose exit is never reported, 0…1.
    package var lost = 0.08

    package init() {}
  }
}

/// Detects when a simulated device leaves a region, by searching the route ahead.
struct RegionMonitor: Sendable {
  private let region: Location.Region
  /// The time outside the region before the exit is reported, in seconds.
  private let latency: Double
  private let isLost: Bool
  private let metresPerDegreeEast: Double
  private var outsideSince: Double?

  /// The number of points to search at a time.
  private static let batch = 512

  init(_ region: Location.Region, _ model: SimulatedProvider.RegionModel, _ random: inout SeededGenerator) {
    self.region = region
    latency = model.latency.inSeconds * exp(model.latencySpread * random.nextNormal())
    isLost = Double.random(in: 0..<1, using: &random) < model.lost
    metresPerDegreeEast = 111_320 * cos(region.latitude * .pi / 180)
  }

  enum Next {
    case exit
    /// Nothing happens before this time.
    case check(at: Double)
    case nothing
  }

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

  /// Returns the last time after `start` when the device left the region again; `nil` if all points of the route
  /// since then are outside.
  private func lastReturn(since start: Double, until time: Double, _ route: SimulatedProvider.Route) -> Double? {
    let points = route.points[..<route.firstPoint(after: time)].reversed().prefix { $0.time > start }
    return points.first { !isOutside($0) }.map { nextCrossing(from: $0.time, to: time, route) }
  }

  /// Returns the time when a device inside leaves the region, or the time when to continue the search; `nothing` if the device
  /// stays inside.
  private func nextLeaving(after time: Double, _ route: SimulatedProvider.Route) -> Next {
    let first = route.firstPoint(after: time)
    let last = min(first + Self.batch, route.points.count)
    var inside = time
    for point in route.points[first..<last] {
      if isOutside(point) { return .check(at: nextCrossing(from: inside, to: point.time, route)) }
      inside = point.time
    }
    return last == route.points.count ? .nothing : .check(at: inside)
  }

  /// Finds the crossing of the edge by bisection between a time inside and a time outside.
  private func nextCrossing(from inside: Double, to outside: Double, _ route: SimulatedProvider.Route) -> Double {
    var (inside, outside) = (inside, outside)
    while outside - inside > 0.01 {
      let middle = (inside + outside) / 2
      if isOutside(route.position(at: middle)) { outside = middle } else { inside = middle }
    }
    return outside
  }
}

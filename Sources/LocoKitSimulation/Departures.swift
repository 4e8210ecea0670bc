import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// The departures from visits that a simulated phone reports.
///
/// Measured by MobilityNet of iPhone 6 with iOS 12.3.1 (89 departures): the median is 513 s after the start of the trip, and 80 % are
/// 340–780 s after it. The phone reported the exit from a region or the departure for 114 of 115 trips; the model loses 10 % of the
/// departures.
enum Departures {
  /// The time from the start of the trip to the report, in seconds.
  private static let latency = Quantiles([
    (0, 300), (0.1, 342), (0.25, 385), (0.5, 513), (0.75, 662), (0.9, 779), (1, 880),
  ])
  private static let lost = 0.1
  /// The least duration of a stay, in seconds, and its radius, in metres.
  private static let (stay, radius) = (300.0, 75.0)

  /// Returns the times of the reports, in seconds, in the order of the stays.
  static func times(seed: UInt64, on route: SimulatedProvider.Route) -> [Double] {
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xDE9A27))
    return ends(of: route).compactMap { end in
      let isLost = Double.random(in: 0..<1, using: &random) < lost
      let time = end + latency.draw(&random)
      return isLost ? nil : time
    }
  }

  /// Returns the ends of the stays: the last points within the radius.
  private static func ends(of route: SimulatedProvider.Route) -> [Double] {
    let points = route.points
    var ends: [Double] = []
    var first = 0
    while first < points.count {
      var next = first + 1
      while next < points.count, points[first].location.distance(to: points[next].location) <= radius { next += 1 }
      guard next < points.count else { break }
      let isStay = points[next - 1].time - points[first].time >= stay
      if isStay { ends.append(points[next - 1].time) }
      first = isStay ? next : first + max(1, (next - first) / 4)
    }
    return ends
  }
}

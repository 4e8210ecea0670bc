import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// The arrivals and departures of visits that a simulated phone reports.
///
/// Measured by MobilityNet on iPhone 6 with iOS 12.3.1: 111 of 114 arrivals were reported, 235 s after the phone was within 75 m of the
/// place (median; 80 % within 77–318 s). 89 departures were reported, 513 s after the start of the trip (median; 80 % within 340–780 s).
/// For 114 of 115 trips, the phone reported the exit from a region, the departure or both. In the model, 10 % of the departures
/// aren't reported.
enum Visits {
  /// The time from the end of the stay to the report of the departure, in seconds. It was measured from the start of the trip.
  private static let latency = Quantiles([
    (0, 300), (0.1, 342), (0.25, 385), (0.5, 513), (0.75, 662), (0.9, 779), (1, 880),
  ])
  private static let lost = 0.1
  /// The time from the arrival to its report, in seconds.
  private static let arrivalLatency = Quantiles([
    (0, 20), (0.1, 77), (0.25, 171), (0.5, 235), (0.75, 267), (0.9, 318), (1, 1_150),
  ])
  private static let lostArrivals = 0.03
  /// The minimum duration of a stay, in seconds, and its radius, in metres.
  private static let stay = 300.0
  static let radius = 75.0

  /// A report of an arrival or a departure: its time in seconds, and the stay.
  typealias Report = (time: Double, stay: ClosedRange<Double>)

  /// Returns the reports of departures, in the order of the stays.
  static func departures(seed: UInt64, from stays: [ClosedRange<Double>]) -> [Report] {
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xDE9A27))
    return stays.filter { $0.upperBound < .infinity }.compactMap { stay in
      let isLost = Double.random(in: 0..<1, using: &random) < lost
      let time = stay.upperBound + latency.draw(&random)
      return isLost ? nil : (time, stay)
    }
  }

  /// Returns the reports of arrivals, each during its stay. A stay at the start of the route has none, because it began earlier.
  static func arrivals(seed: UInt64, at stays: [ClosedRange<Double>]) -> [Report] {
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xA221FE))
    return stays.compactMap { stay in
      let isLost = Double.random(in: 0..<1, using: &random) < lostArrivals
      let time = stay.lowerBound + arrivalLatency.draw(&random)
      return isLost || stay.lowerBound <= 0 || time >= stay.upperBound ? nil : (time, stay)
    }
  }

  /// Returns the stays, each as the times of the first and the last point within the radius. The stay at the end of the route has no end.
  static func stays(on route: SimulatedProvider.Route) -> [ClosedRange<Double>] {
    let points = route.points
    var stays: [ClosedRange<Double>] = []
    var first = 0
    while first < points.count {
      var next = first + 1
      while next < points.count, points[first].location.distance(to: points[next].location) <= radius { next += 1 }
      guard next < points.count else {
        stays.append(points[first].time...(.infinity))
        break
      }
      let isStay = points[next - 1].time - points[first].time >= stay
      if isStay { stays.append(points[first].time...points[next - 1].time) }
      first = isStay ? next : first + max(1, (next - first) / 4)
    }
    return stays
  }
}

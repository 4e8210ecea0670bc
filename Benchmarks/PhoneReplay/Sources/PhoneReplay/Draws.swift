import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine

/// A measured distribution, as quantiles with linear interpolation between them.
struct Quantiles: Sendable {
  private let points: [(share: Double, value: Double)]

  /// Creates a distribution.
  ///
  /// - Parameter points: Shares in rising order from 0, and their quantiles. A share above the last one has no value.
  init(_ points: [(share: Double, value: Double)]) {
    self.points = points
  }

  /// Returns the value at a share, or `nil` above the last share.
  func value(at share: Double) -> Double? {
    for (from, to) in zip(points, points.dropFirst()) where share <= to.share {
      return from.value + (share - from.share) / (to.share - from.share) * (to.value - from.value)
    }
    return nil
  }
}

extension SeededGenerator {
  /// Creates a generator whose numbers depend on all values.
  init(_ values: UInt64...) {
    var seed: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in values {
      // One step of SplitMix64 spreads each value over all bits.
      var mixer = SeededGenerator(seed: seed ^ value)
      seed = mixer.next()
    }
    self.init(seed: seed)
  }

  /// Returns a random number in 0..<1.
  mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Returns two random numbers with a standard normal distribution, by the Box–Muller transform.
  mutating func normals() -> (Double, Double) {
    let radius = (-2 * log(1 - share())).squareRoot()
    let angle = 2 * .pi * share()
    return (radius * cos(angle), radius * sin(angle))
  }
}

/// Constants of the receiver, regions and significant changes, most of them measured on four iPhone 6 with iOS 12.3.1. Source: MobilityNet.
enum Measured {
  /// The time from the start to the first network fix, in seconds: log-normal, median 0.7 s, 90 % within 1.0 s.
  static let networkStart = (median: 0.7, spread: 0.2783)
  /// The best claimed accuracy of a network fix, in metres.
  static let networkClaim = 65.0
  /// The maximum time between a network fix and the coarse fix whose error is used, in seconds.
  static let networkMemory = 15.0
  /// The standard deviation of a network fix without a coarse fix in that time, in metres along an axis: 95 % within 90 m. 95 % of a
  /// two-dimensional normal distribution lie within 2.4477 standard deviations.
  static let networkError = 90 / 2.4477
  /// The time from the start to the first satellite fix, in seconds: median 4.0 s, 75 % within 6.6 s, 81 % within 8 s, 88 % within 15 s,
  /// 90 % within 29 s. The ends are assumed: at least 1.5 s and at most 120 s.
  static let satelliteStart = Quantiles([(0, 1.5), (0.5, 4), (0.75, 6.6), (0.81, 8), (0.88, 15), (0.9, 29), (1, 120)])
  /// The standard deviation of a satellite fix, in metres along an axis: 95 % within 30 m (measured: 23 to 37 m).
  static let satelliteError = 30 / 2.4477
  /// The correlation time of a satellite fix's error, in seconds. Assumed.
  static let satelliteMemory = 30.0
  /// The claimed accuracies of the first and of later satellite fixes, in metres: 30 m and then 10 m in the Best streams.
  static let satelliteClaims = (first: 30.0, later: 10.0)
  /// The mean time until the claim settles, in seconds: 1 to 6 s in the Best streams.
  static let satelliteSettling = 3.0
  /// The maximum age of a used fix of the Best stream, in seconds.
  static let bestLife = 2.0
  /// The time from the crossing of a region's edge to the report, in seconds: 10 % within 38 s, 50 % within 105 s, 75 % within 138 s,
  /// 90 % within 205 s. The ends are assumed: at least 10 s and at most 400 s.
  static let exitLateness = Quantiles([(0, 10), (0.1, 38), (0.5, 105), (0.75, 138), (0.9, 205), (1, 400)])
  /// The share of exits that are never reported.
  static let exitLost = 0.08
  /// The seconds before and after a crossing in which a recorded exit belongs to the crossing. The recorded regions have a radius of 100 m.
  static let exitWindow = (before: 60.0, after: 600.0)
  /// The maximum radius of a region that uses a recorded exit, in metres.
  static let exitRadius = 150.0
  /// Apple's rule for significant changes: the minimum distance and the minimum time since the last change.
  static let change = (metres: 500.0, seconds: 300)
  /// The claimed accuracy of a significant change, in metres. Assumed.
  static let changeClaim = 1_000.0
  /// The standard deviation of a significant change's error along an axis, in metres. Assumed: 87 % of the errors are within the claim, as
  /// measured for coarse fixes.
  static let changeError = 1_000 / 2.02
}

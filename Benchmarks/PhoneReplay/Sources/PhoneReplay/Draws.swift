import Foundation
@_spi(Benchmarks) import LocoKit

/// A measured distribution: its quantiles, with linear interpolation between them.
struct Quantiles: Sendable {
  private let points: [(share: Double, value: Double)]

  /// - Parameter points: Shares that rise from 0, and their quantiles. A share above the last one has no value.
  init(_ points: [(share: Double, value: Double)]) {
    self.points = points
  }

  /// The value at a share; `nil` above the last share.
  func value(at share: Double) -> Double? {
    for (from, to) in zip(points, points.dropFirst()) where share <= to.share {
      return from.value + (share - from.share) / (to.share - from.share) * (to.value - from.value)
    }
    return nil
  }
}

extension SeededGenerator {
  /// A generator whose numbers depend on all of the values.
  init(_ values: UInt64...) {
    var seed: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in values {
      // One step of SplitMix64 spreads each value over all bits.
      var mixer = SeededGenerator(seed: seed ^ value)
      seed = mixer.next()
    }
    self.init(seed: seed)
  }

  /// A number in 0..<1.
  mutating func share() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// Two normal numbers with variance 1, by Box and Muller.
  mutating func normals() -> (Double, Double) {
    let radius = (-2 * log(1 - share())).squareRoot()
    let angle = 2 * .pi * share()
    return (radius * cos(angle), radius * sin(angle))
  }
}

/// Measurements of the receiver and of regions on four iPhone 6 with iOS 12.3.1, by MobilityNet.
enum Measured {
  /// Seconds from the start to the first network fix: log-normal, median 0.7 s, 90 % within 1.0 s.
  static let networkStart = (median: 0.7, spread: 0.2783)
  /// The claim of a network fix, in metres.
  static let networkClaim = 65.0
  /// The greatest time between a network fix and the coarse fix that gives its error, in seconds.
  static let networkMemory = 15.0
  /// The standard deviation along an axis, in metres, of a network fix without a coarse fix in that time: 95 % within
  /// 90 m. 95 % of a two-dimensional normal distribution lie within 2.4477 standard deviations.
  static let networkError = 90 / 2.4477
  /// Seconds from the start to the first fix of satellites: median 4.0 s, 75 % within 6.6, 81 % within 8, 88 % within 15,
  /// 90 % within 29. The ends are assumed: never before 1.5 s, all within 120 s.
  static let satelliteStart = Quantiles([(0, 1.5), (0.5, 4), (0.75, 6.6), (0.81, 8), (0.88, 15), (0.9, 29), (1, 120)])
  /// The standard deviation along an axis, in metres, of a fix of satellites: 95 % within 30 m (23 to 37 m were measured).
  static let satelliteError = 30 / 2.4477
  /// The correlation time of a satellite fix's error, in seconds: assumed.
  static let satelliteMemory = 30.0
  /// The claims of the first satellite fixes and of later ones, in metres: in the Best streams 30 m and then 10 m.
  static let satelliteClaims = (first: 30.0, later: 10.0)
  /// The mean time until the claim settles, in seconds: in the Best streams 1 to 6 s.
  static let satelliteSettling = 3.0
  /// The time that a fix of the Best stream counts, in seconds.
  static let bestLife = 2.0
  /// Seconds from the crossing of a region's edge to the report: 10 % within 38 s, 50 % within 105, 75 % within 138, 90 % within
  /// 205. The ends are assumed: never before 10 s, all within 400 s.
  static let exitLateness = Quantiles([(0, 10), (0.1, 38), (0.5, 105), (0.75, 138), (0.9, 205), (1, 400)])
  /// The share of exits that are never reported.
  static let exitLost = 0.08
  /// A recorded exit, of a region of 100 m, belongs to a crossing if it lies in this window of seconds round the crossing.
  static let exitWindow = (before: 60.0, after: 600.0)
  /// The radius of the widest region that a recorded exit can belong to, in metres.
  static let exitRadius = 150.0
  /// Apple's rule of significant changes: the least distance and the least time from the last one.
  static let change = (metres: 500.0, seconds: 300)
  /// The claim of a significant change, in metres, and the standard deviation of its error along an axis: assumed. 87 % of the errors
  /// are within the claim, as measured for coarse fixes.
  static let changeClaim = 1_000.0
  static let changeError = 1_000 / 2.02
}

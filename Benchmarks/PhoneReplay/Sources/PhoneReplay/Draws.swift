import Foundation
import LocoKit

/// A measured distribution: shares, and the value that so many are at most; on straight lines between them.
struct Quantiles: Sendable {
  private let points: [(share: Double, value: Double)]

  /// - Parameter points: Shares that rise from 0, and their values. A share above the last one has no value.
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

/// What was measured of the receiver and of regions: four iPhone 6 with iOS 12.3.1, MobilityNet.
enum Measured {
  /// Seconds from the start to the first network fix: log-normal, median 0.7 s, 90 % within 1.0 s.
  static let networkStart = (median: 0.7, spread: 0.2783)
  /// Metres that a network fix claims.
  static let networkClaim = 65.0
  /// A coarse fix that is no more seconds away says how far off the network is at present.
  static let networkMemory = 15.0
  /// The standard deviation along an axis, in metres, of a network fix where nothing is known of the network at present:
  /// 95 % within 90 m. 95 % of a two-dimensional normal distribution lie within 2.4477 standard deviations.
  static let networkError = 90 / 2.4477
  /// Seconds from the start to the first fix of satellites: median 4.0 s, 75 % within 6.6, 81 % within 8, 88 % within 15,
  /// 90 % within 29. The ends are assumed: never before 1.5 s, all within 120 s.
  static let satelliteStart = Quantiles([(0, 1.5), (0.5, 4), (0.75, 6.6), (0.81, 8), (0.88, 15), (0.9, 29), (1, 120)])
  /// The standard deviation along an axis, in metres, of a fix of satellites: 95 % within 30 m (23 to 37 m were measured).
  static let satelliteError = 30 / 2.4477
  /// For how many seconds the error of a fix of satellites lasts: assumed.
  static let satelliteMemory = 30.0
  /// Metres that the first fixes of satellites claim, and those afterwards: in the Best streams 30 m and then 10 m.
  static let satelliteClaims = (first: 30.0, later: 10.0)
  /// Seconds until the claim settles, a mean: in the Best streams 1 to 6 s.
  static let satelliteSettling = 3.0
  /// A fix of the Best stream counts for so many seconds.
  static let bestLife = 2.0
  /// Seconds from the crossing of a region's edge to the report: 10 % within 38 s, 50 % within 105, 75 % within 138, 90 % within
  /// 205. The ends are assumed: never before 10 s, all within 400 s.
  static let exitLateness = Quantiles([(0, 10), (0.1, 38), (0.5, 105), (0.75, 138), (0.9, 205), (1, 400)])
  /// The share of exits that are never reported.
  static let exitLost = 0.08
  /// A recorded exit, of a region of 100 m, belongs to a crossing from so many seconds before it to so many after it.
  static let exitWindow = (before: 60.0, after: 600.0)
  /// The widest region in metres of which a recorded exit can be the exit.
  static let exitRadius = 150.0
  /// Apple's rule of significant changes: so many metres and so many seconds from the last one.
  static let change = (metres: 500.0, seconds: 300)
  /// Metres that a significant change claims, and the standard deviation along an axis of its error: assumed, 87 % within the
  /// claim as measured of coarse fixes.
  static let changeClaim = 1_000.0
  static let changeError = 1_000 / 2.02
}

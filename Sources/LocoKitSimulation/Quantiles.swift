import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// A distribution of positive values, given by its quantiles. Between two quantiles, the logarithm of the value is interpolated linearly.
struct Quantiles: Sendable {
  private let points: [(share: Double, value: Double)]

  /// - Parameter points: The quantiles, in order, from the share 0 to the share 1.
  init(_ points: [(share: Double, value: Double)]) { self.points = points }

  /// Returns the quantile of a share, 0…1.
  func value(at share: Double) -> Double {
    let next = points.firstIndex { $0.share >= share } ?? points.count - 1
    guard next > 0 else { return points[0].value }
    let (low, high) = (points[next - 1], points[next])
    return low.value * pow(high.value / low.value, (share - low.share) / (high.share - low.share))
  }

  /// Returns the quantile at the cumulative probability of a standard normal number.
  func value(atNormal normal: Double) -> Double {
    value(at: 0.5 * erfc(-normal / 2.0.squareRoot()))
  }

  func draw(_ random: inout SeededGenerator) -> Double {
    value(at: Double.random(in: 0..<1, using: &random))
  }
}

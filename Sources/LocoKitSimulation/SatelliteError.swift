import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// The error of a phone's satellite fixes, and how it changes.
///
/// The error is the sum of a slow and a fast process. The slow process is smooth, like the output of a low-pass filter, and grows little
/// with the speed; the fast one grows much more. The size of each process varies with time. Both processes are fitted to the fixes of
/// MobilityNet's iPhone 6 with iOS 12.3.1 (6,890 on foot, 23,528 on roads and rails, claims up to 20 m): to the quantiles of the error and
/// of its change over 1, 3, 10, 30 and 100 s. On the road, part of the measured change is a timing error of the reference positions.
///
/// At rest the location of a phone hardly changes: with a distance filter of 1 m, four phones delivered 72 fixes in 17 hours. So after the
/// device stops, the error changes less and less while the receiver is on.
struct SatelliteError: Sendable {
  /// The standard deviation of the slow part per axis, in metres, up to a walker's speed; its increase for each m/s above that; and a
  /// walker's speed, in metres per second.
  private static let (slow, slowPerSpeed, footSpeed) = (4.2, 0.05, 2.0)
  /// The standard deviation of the fast part per axis, in metres, at rest, and its increase for each m/s.
  private static let (fast, fastPerSpeed) = (0.19, 0.11)
  /// The standard deviations of the logarithms of the sizes, and their correlation times in seconds.
  private static let (slowSize, slowSizeTime) = (0.72, 45.0)
  private static let (fastSize, fastSizeTime) = (0.92, 40.0)
  /// The correlation times of the parts, in seconds.
  private static let (slowTime, fastTime) = (14.7, 3.2)
  /// The time constant with which the error stops changing at rest, and the longest time between two fixes to which it applies, in seconds.
  private static let (settling, pause) = (20.0, 2.0)
  /// Two limits for the size of the slow part, in standard deviations. Above the first, a phone claims 30 m (7 % of the fixes); below the
  /// second, 5 m (10 %); and between them, 10 m.
  private static let (poor, good) = (1.5, -1.3)

  /// The slow part, and the process that it follows.
  private var smooth: [(position: Double, target: Double)]
  private var jitter: [Double]
  private var (smoothSize, jitterSize): (Double, Double)
  private var drawnAt = 0.0
  /// The time of the last movement, in seconds.
  private var movedAt = -Double.infinity

  private var random: SeededGenerator

  init(seed: UInt64) {
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x5A7E11))
    smooth = (0..<2).map { _ in
      let target = random.nextNormal()
      return (0.5 * target + 0.5 * random.nextNormal(), target)
    }
    jitter = [random.nextNormal(), random.nextNormal()]
    (smoothSize, jitterSize) = (random.nextNormal(), random.nextNormal())
    self.random = random
  }

  /// The accuracy that a settled receiver claims, in metres.
  var claim: Double { smoothSize > Self.poor ? 30 : smoothSize < Self.good ? 5 : 10 }

  /// Updates the error to the time of a fix.
  mutating func pass(to time: Double, speed: Double) {
    if speed > 0.5 { movedAt = time }
    var passed = time - drawnAt
    drawnAt = time
    if passed <= Self.pause { passed *= exp(-(time - movedAt) / Self.settling) }
    // In a microsecond the error hardly changes, and without a difference of time the formulas below would divide by zero.
    guard passed > 1e-6 else { return }
    smoothSize = random.nextValue(after: smoothSize, in: passed / Self.slowSizeTime)
    jitterSize = random.nextValue(after: jitterSize, in: passed / Self.fastSizeTime)
    for axis in 0..<2 {
      smooth[axis] = Self.next(smooth[axis], after: passed / Self.slowTime, &random)
      jitter[axis] = random.nextValue(after: jitter[axis], in: passed / Self.fastTime)
    }
  }

  /// Returns the error at a speed, in metres.
  func metres(speed: Double) -> (north: Double, east: Double) {
    let slow = (Self.slow + Self.slowPerSpeed * max(0, speed - Self.footSpeed)) * exp(Self.slowSize * smoothSize)
    let fast = (Self.fast + Self.fastPerSpeed * speed) * exp(Self.fastSize * jitterSize)
    func metres(_ axis: Int) -> Double { slow * smooth[axis].position * 2.0.squareRoot() + fast * jitter[axis] }
    return (metres(0), metres(1))
  }

  /// Returns the next values of a process of variance 1/2 that follows a Gauss–Markov process of variance 1 with the same time constant.
  private static func next(
    _ value: (position: Double, target: Double), after time: Double, _ random: inout SeededGenerator
  ) -> (position: Double, target: Double) {
    let kept = exp(-time)
    let targetVariance = 1 - kept * kept
    let covariance = 0.5 - kept * kept * (time + 0.5)
    let variance = 0.5 - kept * kept * (time * time + time + 0.5)
    let noise = random.nextNormal()
    let rest = max(0, variance - covariance * covariance / targetVariance).squareRoot()
    return (
      value.position * kept + value.target * time * kept + covariance / targetVariance.squareRoot() * noise
        + rest * random.nextNormal(),
      value.target * kept + targetVariance.squareRoot() * noise
    )
  }
}

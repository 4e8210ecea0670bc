import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// Locates a simulated phone by Wi-Fi and cells, as iOS does for a desired accuracy of 100 m.
///
/// MobilityNet measured phones (iPhone 6, iOS 12.3.1: 13,000 fixes in motion, 4,000 at rest), in a region with dense Wi-Fi. 66 % of the
/// fixes claim an accuracy of 65 m, and 13 % claim more than 500 m (24 % above 20 m/s). The claim holds for 92 % of the fixes at up to 8
/// m/s, for 87 % up to 20 m/s and for 84 % above. The errors of fixes that claim at most 100 m are below 90 m in 95 % of cases. The error
/// depends on the place: it changes with the distance traveled, and slowly at rest. The errors and their changes over 10, 30 and 100 s are
/// fitted (3,799 fixes on foot, 5,034 on roads and rails, 2,364 at rest). The correlation time of the claims is an assumption.
struct CoarseLocator: Sendable {
  /// The correlation time of claims, in seconds.
  private static let claimTime = 60.0
  /// The correlation time of errors in seconds, and their correlation length in metres.
  private static let (errorTime, errorLength) = (480.0, 120.0)
  /// The ratio of the error per axis to the claim, at rest and in motion, and its increase per m/s.
  private static let (restingRatio, movingRatio, ratioPerSpeed) = (0.44, 0.345, 0.0105)
  /// The standard deviation of the ratio's logarithm, at rest and in motion.
  private static let (restingSpread, movingSpread) = (0.57, 0.47)
  /// The part of an error that is independent for each fix, relative to the part that changes slowly.
  private static let noise = 0.14
  /// The speed below which the device is at rest, in metres per second.
  private static let minimumSpeed = 0.5
  /// The speeds above which claims grow, in metres per second.
  private static let (roadSpeed, fastSpeed) = (8.0, 20.0)
  /// The claims by speed, in metres.
  private static let slow = Quantiles([
    (0, 65), (0.825, 65), (0.838, 100), (0.839, 165), (0.893, 165), (0.91, 500), (0.95, 2_040), (0.99, 11_000),
    (1, 15_000),
  ])
  private static let road = Quantiles([
    (0, 65), (0.595, 65), (0.612, 100), (0.613, 165), (0.797, 165), (0.89, 500), (0.95, 2_040), (0.99, 12_000),
    (1, 15_000),
  ])
  private static let fast = Quantiles([
    (0, 65), (0.28, 65), (0.293, 100), (0.294, 165), (0.54, 165), (0.755, 500), (0.9, 1_660), (0.95, 6_000),
    (0.99, 13_000), (1, 15_000),
  ])
  /// The claims of the first fix after a start, at up to 20 m/s, in metres. After 94 % of 79 starts at the exit from a region, the first
  /// fix claims at most 65 m.
  private static let first = Quantiles([(0, 65), (0.937, 65), (0.938, 100), (0.939, 165), (0.985, 165), (1, 5_000)])
  /// The claims of fixes in houses for the best desired accuracy, and their error per axis, in metres.
  ///
  /// MobilityNet's iPhone 6 with iOS 12.3.1 delivered 2,365 such fixes between journeys. 63 % claim at most 20 m, and a quarter claim 65 m.
  /// Their median distance from the place of the stay is 40 m, and 80 % are 15 to 69 m away, partly because the phone moves in the house.
  /// The time to the first such fix wasn't measured: the model draws it as in the open.
  private static let indoors = Quantiles([(0, 5), (0.1, 10), (0.6, 10), (0.63, 20), (0.75, 30), (0.76, 65), (1, 65)])
  private static let indoorError = 31.0
  /// The interval between two fixes in motion and at rest, in seconds. The mean at rest is 30 s.
  private static let movingInterval = Quantiles([
    (0, 1), (0.1, 4.7), (0.25, 6), (0.5, 6.4), (0.75, 6.8), (0.9, 13), (0.95, 18), (0.99, 50), (1, 120),
  ])
  private static let restingInterval = (median: 15.0, spread: 1.18)
  /// The time from the start of the GPS to the network's first fix, in seconds, from 42 starts after the exit from a region.
  private static let networkInterval = Quantiles([
    (0, 0.2), (0.1, 0.45), (0.25, 0.5), (0.5, 0.7), (0.75, 0.8), (0.9, 0.85), (1, 1.2),
  ])
  /// The time from the start of the keeper to the first fix, in seconds, from 47 starts after the exit from a region.
  private static let firstInterval = Quantiles([
    (0, 0.3), (0.1, 0.5), (0.5, 0.6), (0.75, 0.7), (0.9, 0.9), (0.98, 4), (1, 31),
  ])

  private var random: SeededGenerator
  /// Gauss–Markov processes of variance 1: the claim, the size of the error and its direction.
  private var (claim, size, north, east) = (0.0, 0.0, 0.0, 0.0)
  private var drawnAt = -Double.infinity
  /// Whether the next fix is the first one after a start.
  private var isFirst = false

  init(seed: UInt64) {
    random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xC0A25E))
  }

  /// Returns the claim of a fix and its error, in metres.
  mutating func fix(at time: Double, speed: Double) -> (accuracy: Double, error: (north: Double, east: Double)) {
    let passed = time - drawnAt
    drawnAt = time
    claim = random.nextValue(after: claim, in: passed / Self.claimTime)
    let moved = passed * (1 / Self.errorTime + speed / Self.errorLength)
    size = random.nextValue(after: size, in: moved)
    north = random.nextValue(after: north, in: moved)
    east = random.nextValue(after: east, in: moved)
    let claims = speed > Self.fastSpeed ? Self.fast : speed > Self.roadSpeed ? Self.road : Self.slow
    let known = isFirst && speed <= Self.fastSpeed ? Self.first : claims
    isFirst = false
    let accuracy = known.value(atNormal: claim).rounded()
    let (ratio, spread) =
      speed > Self.minimumSpeed
      ? (Self.movingRatio + Self.ratioPerSpeed * speed, Self.movingSpread) : (Self.restingRatio, Self.restingSpread)
    let metres = accuracy * ratio * exp(spread * size)
    return (
      accuracy,
      (metres * (north + Self.noise * random.nextNormal()), metres * (east + Self.noise * random.nextNormal()))
    )
  }

  /// Returns the claim of a fix in a house and its error, in metres.
  mutating func indoorFix(at time: Double) -> (accuracy: Double, error: (north: Double, east: Double)) {
    let passed = time - drawnAt
    drawnAt = time
    claim = random.nextValue(after: claim, in: passed / Self.claimTime)
    north = random.nextValue(after: north, in: passed / Self.errorTime)
    east = random.nextValue(after: east, in: passed / Self.errorTime)
    let accuracy = Self.indoors.value(atNormal: claim).rounded()
    return (accuracy, (Self.indoorError * north, Self.indoorError * east))
  }

  /// Returns the time to the next fix, in seconds.
  ///
  /// - Parameter rest: The time until the device moves, in seconds.
  mutating func wait(standingFor rest: Double) -> Double {
    let moving = Self.movingInterval.draw(&random)
    guard rest > 0 else { return moving }
    return min(rest + moving, Self.restingInterval.median * exp(Self.restingInterval.spread * random.nextNormal()))
  }

  /// Returns the time from the start of the GPS to the network's first fix, in seconds.
  mutating func networkWait() -> Double {
    isFirst = true
    return Self.networkInterval.draw(&random)
  }

  /// Returns the time from the start of the keeper to the first fix, in seconds.
  mutating func firstWait() -> Double {
    isFirst = true
    return Self.firstInterval.value(atNormal: random.nextNormal())
  }
}

import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// A simulated device's motion sensor, which is late and sometimes wrong.
///
/// On foot, the sensor notices the motion in 8 of 10 seconds, and reports it for 60 s after that, even if a drive has begun meanwhile.
/// Later in the drive, it reports nothing until it recognizes the vehicle, which takes a random time (median 190 s) and 25 fast seconds
/// among the last 40. Then it reports a vehicle, or standing while the vehicle is stopped, until 120 s after the last such fast second.
/// While the device is still, the sensor reports two bursts of false motion in three hours on average, and reports nothing for 8 % of the
/// time.
///
/// Measured by MobilityNet on iPhone 6 with iOS 12.3.1: cars were reported as automotive 237 s after the start of the drive (median,
/// n = 52), and phones at rest never, during 402 hours. No flag was set during 8.1 % of the time at rest, and during 57 to 68 % of the
/// first four minutes of drives. After the first of these minutes, 2 % of the time was reported as walking. Phones that rested between
/// journeys reported 0.68 bursts of false motion an hour (267 hours), and phones on a table 0.04 (559 hours).
struct MotionSensor: Sendable {
  /// The speed above which the device moves, and the speed above which it is in a vehicle, in metres per second.
  private static let (minimumSpeed, vehicleSpeed) = (0.5, 5.5)
  /// The share of seconds of motion that the sensor notices.
  private static let noticed = 0.8
  /// The seconds from the start of a drive until the sensor may recognize the vehicle. The sensor also needs enough fast seconds, which
  /// delays the recognition further: in 32 recordings, by four phones on eight drives in a car, the vehicle was reported as automotive
  /// within 40 s in a tenth, within 237 s in half and within 390 s in nine tenths.
  private static let recognition = Quantiles([
    (0, 15), (0.1, 30), (0.25, 75), (0.5, 190), (0.75, 290), (0.9, 320), (0.95, 500), (1, 800),
  ])
  /// The number of fast seconds that indicate a vehicle, and a mask of the last 40 seconds, in which they count.
  private static let (fastSeconds, window): (Int, UInt64) = (25, 1 << 40 - 1)
  /// Fewer fast seconds are a jump of the route, not a drive.
  private static let minimumFastSeconds = 5
  /// The time after noticed motion during which it is still reported, in seconds: on foot and in a vehicle.
  private static let (walkHold, vehicleHold) = (60.0, 120.0)
  /// The number of bursts per hour of rest, without the time in bursts, and the share of them with false motion. In the others the sensor
  /// reports nothing. The lengths of both kinds, in seconds, are log-normal.
  private static let (bursts, falseShare) = (22.3, 0.03)
  private static let falseBurst = (median: 14.0, spread: 0.6)
  private static let silentBurst = (median: 10.0, spread: 0.9)

  /// The reported motion; `nil` while the sensor reports nothing.
  private(set) var motion: LocationManager.Motion? = .still
  /// The times of the last noticed motion and the last noticed vehicle.
  private var (walkAt, vehicleAt) = (-Double.infinity, -Double.infinity)
  /// The time of the last fast second of a drive, and the earliest time when the current drive's vehicle may be recognized.
  private var fastAt = -Double.infinity
  private var recognisedFrom: Double?
  /// A bit for each of the last seconds, set if the second was fast.
  private var fast: UInt64 = 0
  private var sensedAt = 0.0
  private var (burstAt, burstEnd) = (Double.infinity, -Double.infinity)
  private var isBurstFalse = false
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x307107))
  }

  /// Updates ``motion`` after a second at a speed. A device at rest stands until `end`.
  ///
  /// - Returns: The time of the next call.
  mutating func sense(at time: Double, speed: Double, standingUntil end: Double) -> Double {
    let passed = min(64, max(1, Int((time - sensedAt).rounded())))
    sensedAt = time
    fast = passed < 64 ? fast << UInt64(passed) & Self.window : 0
    if speed > Self.minimumSpeed {
      (burstAt, burstEnd) = (.infinity, -.infinity)
      let isInVehicle = speed > Self.vehicleSpeed || time - fastAt < Self.vehicleHold
      if !isInVehicle, Double.random(in: 0..<1, using: &random) < Self.noticed { walkAt = time }
    } else {
      makeBursts(at: time)
    }
    if time - fastAt >= Self.vehicleHold { recognisedFrom = nil }
    if speed > Self.vehicleSpeed { fast |= 1 }
    if speed > Self.vehicleSpeed, fast.nonzeroBitCount >= Self.minimumFastSeconds {
      fastAt = time
      let from = recognisedFrom ?? time + Self.recognition.draw(&random)
      recognisedFrom = from
      if time >= from, fast.nonzeroBitCount >= Self.fastSeconds { vehicleAt = time }
    }
    motion =
      if time - vehicleAt < Self.vehicleHold {
        speed > Self.minimumSpeed ? .vehicle : .standing
      } else if time - walkAt < Self.walkHold {
        .walking
      } else if time - fastAt < Self.vehicleHold {
        nil
      } else if time < burstEnd {
        isBurstFalse ? .walking : nil
      } else {
        .still
      }
    return nextSense(after: time, standingUntil: end)
  }

  private func nextSense(after time: Double, standingUntil end: Double) -> Double {
    var next = min(end, time < burstEnd ? burstEnd : burstAt)
    for deadline in [vehicleAt + Self.vehicleHold, fastAt + Self.vehicleHold, walkAt + Self.walkHold]
    where deadline > time {
      next = min(next, deadline)
    }
    return max(time + 1, time + (next - time).rounded(.up))
  }

  private mutating func makeBursts(at time: Double) {
    if time >= burstAt {
      isBurstFalse = Double.random(in: 0..<1, using: &random) < Self.falseShare
      let burst = isBurstFalse ? Self.falseBurst : Self.silentBurst
      burstEnd = burstAt + burst.median * exp(burst.spread * random.nextNormal())
      burstAt = .infinity
    }
    if burstAt == .infinity, time >= burstEnd {
      burstAt = time - log(1 - Double.random(in: 0..<1, using: &random)) * 3_600 / Self.bursts
    }
  }
}

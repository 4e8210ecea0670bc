import Foundation

/// A sensor that tells how a simulated device moves: late, and at times wrongly.
///
/// While the device moves, 8 seconds in 10 are noticed; a vehicle is recognised after 25 fast seconds within 40. What was noticed
/// holds for 60 s on foot and for 120 s in a vehicle. While the device is still there are 8 bursts of false motion an hour.
/// Measured of phones: 8.4 false events an hour, a vehicle found within 24 s in 75 % of the rides, within 82 s in 90 %, and in
/// 12 % not within 300 s. The model finds each vehicle that is fast enough after 25 s, and so is too good for a tenth of them.
struct MotionSensor: Sendable {
  /// Faster than this is motion, metres per second.
  private static let leastSpeed = 0.5
  /// Faster than this is a vehicle, metres per second.
  private static let vehicleSpeed = 5.5
  /// The share of seconds of motion that are noticed.
  private static let noticed = 0.8
  /// Fast seconds that make a vehicle, and the bits of the seconds among which they count.
  private static let fastSeconds = 25
  private static let window: UInt64 = 1 << 40 - 1
  /// For how many seconds motion holds.
  private static let walkHold = 60.0
  private static let vehicleHold = 120.0
  /// False motion while still: bursts an hour, their median length in seconds, and the spread of its logarithm.
  private static let bursts = 8.0
  private static let burst = 14.0
  private static let burstSpread = 0.6

  private(set) var motion = Motion.still
  /// When motion was noticed last, and a vehicle.
  private var walkAt = -Double.infinity
  private var vehicleAt = -Double.infinity
  /// The last seconds, a bit each: whether they were fast.
  private var fast: UInt64 = 0
  private var sensedAt = 0.0
  private var burstAt = Double.infinity
  private var burstEnd = -Double.infinity
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x307107))
  }

  /// Senses the last second, and says when to sense next where the device, if it stands, does so until `end`.
  mutating func sense(at time: Double, speed: Double, standingUntil end: Double) -> Double {
    let passed = min(64, max(1, Int((time - sensedAt).rounded())))
    sensedAt = time
    fast = passed < 64 ? fast << UInt64(passed) & Self.window : 0
    if speed > Self.leastSpeed {
      (burstAt, burstEnd) = (.infinity, -.infinity)
      if Double.random(in: 0..<1, using: &random) < Self.noticed { walkAt = time }
    } else {
      makeBursts(at: time)
    }
    if speed > Self.vehicleSpeed { fast |= 1 }
    if fast & 1 == 1, fast.nonzeroBitCount >= Self.fastSeconds { vehicleAt = time }
    motion =
      if time - vehicleAt < Self.vehicleHold {
        .vehicle
      } else if time - walkAt < Self.walkHold || time < burstEnd {
        .walking
      } else {
        .still
      }
    return nextSense(after: time, standingUntil: end)
  }

  private func nextSense(after time: Double, standingUntil end: Double) -> Double {
    var next = min(end, time < burstEnd ? burstEnd : burstAt)
    for deadline in [vehicleAt + Self.vehicleHold, walkAt + Self.walkHold] where deadline > time {
      next = min(next, deadline)
    }
    return max(time + 1, time + (next - time).rounded(.up))
  }

  private mutating func makeBursts(at time: Double) {
    if time >= burstAt {
      burstEnd = burstAt + Self.burst * exp(Self.burstSpread * random.nextNormal())
      burstAt = .infinity
    }
    if burstAt == .infinity, time >= burstEnd {
      burstAt = time - log(1 - Double.random(in: 0..<1, using: &random)) * 3_600 / Self.bursts
    }
  }
}

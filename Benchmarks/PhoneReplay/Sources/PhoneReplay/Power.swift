@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine

/// The power of a phone, above the baseline of an idle phone in the same pocket.
///
/// Source: the batteries of four iPhone 6 (iOS 12.3.1) on 44 outings, MobilityNet, BSD-3. The confidence intervals are 95 %.
public enum Power {
  /// Milliwatts in 100 m mode, at rest (confidence interval 84–99) and moving (182–207).
  public static let coarse = milliwatts(profile.keptRunning)
  /// Milliwatts in Best mode, at rest (230–255) and moving (405–495). An accuracy of 10 m costs the same.
  public static let best = milliwatts(profile.gps)
  /// Milliwatts of an idle phone, at rest and moving: 0.29 and 1.07 % of a new battery per hour.
  public static let baseline = milliwatts(profile.baseline)
  /// The nominal capacity of a new battery, in milliwatt-hours.
  public static let battery = (profile.batteryCapacity ?? .nan) * 1_000
  private static let profile = SimulatedProvider.EnergyProfile.phone

  private static func milliwatts(_ power: SimulatedProvider.EnergyProfile.Power) -> (rest: Double, moving: Double) {
    (power.resting * 1_000, power.moving * 1_000)
  }
  /// The hours of rest and of movement in the reference day.
  static let day = (rest: 22.0, moving: 2.0)
  /// The capacity of each phone's battery as a share of a new battery's, fitted together with the powers.
  public static let capacity = ["ios-1": 0.79, "ios-2": 1.0, "ios-3": 0.84, "ios-4": 0.81]

  /// Returns the mean power above the baseline in milliwatts, at rest or moving, or `nil` if that time is zero.
  public static func milliwatts(_ counts: Counts, moving isMoving: Bool) -> Double? {
    milliwatts(counts, moving: isMoving, on: profile)
  }

  private static func milliwatts(
    _ counts: Counts, moving isMoving: Bool, on profile: SimulatedProvider.EnergyProfile
  ) -> Double? {
    let seconds = counts.seconds(moving: isMoving)
    guard seconds > 0 else { return nil }
    let (gps, coarse, idle) = (profile.gps, profile.keptRunning, profile.keptIdle)
    let joules =
      counts.seconds(.gps, moving: isMoving) * (isMoving ? gps.moving : gps.resting)
      + counts.seconds(.coarse, moving: isMoving) * (isMoving ? coarse.moving : coarse.resting)
      + counts.seconds(.idle, moving: isMoving) * (isMoving ? idle.moving : idle.resting)
      + Double(counts.switches.value(moving: isMoving)) * profile.switchEnergy
      + Double(counts.wakes.value(moving: isMoving)) * profile.wakeEnergy
    return joules * 1_000 / seconds
  }

  /// Returns the mean percentage of a new battery that an iPhone 13 Pro Max uses per hour of the reference day: the least and the most.
  /// Returns `nil` without time at rest or without time moving.
  public static func recentDay(_ counts: Counts) -> ClosedRange<Double>? {
    let profiles = SimulatedProvider.EnergyProfile.phone13ProMax
    let ends = [profiles.least, profiles.most].compactMap { profile -> Double? in
      guard let rest = milliwatts(counts, moving: false, on: profile), let capacity = profile.batteryCapacity,
        let moving = milliwatts(counts, moving: true, on: profile)
      else { return nil }
      return dayPercentPerHour(rest: rest, moving: moving) * battery / (capacity * 1_000)
    }
    return ends.count == 2 ? ends[0]...ends[1] : nil
  }

  /// Returns the mean percentage of a new battery that is used per hour of the reference day, from the milliwatts at rest and moving.
  public static func dayPercentPerHour(rest: Double, moving: Double) -> Double {
    (day.rest * rest + day.moving * moving) / (day.rest + day.moving) / battery * 100
  }
}

@_spi(Benchmarks) import LocoKit

/// The power of a phone, above that of a phone that only rests in the same pocket.
///
/// Source: the batteries of four iPhone 6 (iOS 12.3.1) on 44 outings, MobilityNet, BSD-3. The confidence intervals are 95 %.
public enum Power {
  /// Milliwatts in 100 m mode, at rest (84–99) and moving (182–207).
  public static let coarse = milliwatts(profile.keptRunning)
  /// Milliwatts in Best mode, at rest (230–255) and moving (405–495). An accuracy of 10 m costs the same.
  public static let best = milliwatts(profile.gps)
  /// Milliwatts of the phone that does nothing, at rest and moving: 0.29 and 1.07 % of a new battery an hour.
  public static let baseline = milliwatts(profile.baseline)
  /// The energy of a wake of a suspended app, in joules. The data doesn't resolve it: assumed.
  public static let wake = profile.wakeEnergy
  /// Milliwatt-hours of a new battery, nominal.
  public static let battery = (profile.batteryCapacity ?? .nan) * 1_000
  private static let profile = SimulatedProvider.EnergyProfile.phone

  private static func milliwatts(_ power: SimulatedProvider.EnergyProfile.Power) -> (rest: Double, moving: Double) {
    (power.resting * 1_000, power.moving * 1_000)
  }
  /// Hours of rest, and of moving, in the day that is shown.
  static let day = (rest: 22.0, moving: 2.0)
  /// The capacity of each phone's battery as a share of a new one's, by the fit.
  public static let capacity = ["ios-1": 0.79, "ios-2": 1.0, "ios-3": 0.84, "ios-4": 0.81]

  /// The mean power of a phone above the baseline, at rest or moving, in milliwatts; `nil` if that time is zero.
  public static func milliwatts(_ counts: Counts, moving isMoving: Bool) -> Double? {
    let seconds = counts.seconds(moving: isMoving)
    guard seconds > 0 else { return nil }
    let wakes = Double(counts.wakes.value(moving: isMoving))
    let millijoules =
      counts.seconds(.gps, moving: isMoving) * (isMoving ? best.moving : best.rest)
      + counts.seconds(.coarse, moving: isMoving) * (isMoving ? coarse.moving : coarse.rest) + wakes * wake * 1_000
    return millijoules / seconds
  }

  /// Percent of a new battery in an hour of a day of 22 hours at rest and 2 moving, from the milliwatts of each.
  public static func dayPercentPerHour(rest: Double, moving: Double) -> Double {
    (day.rest * rest + day.moving * moving) / (day.rest + day.moving) / battery * 100
  }
}

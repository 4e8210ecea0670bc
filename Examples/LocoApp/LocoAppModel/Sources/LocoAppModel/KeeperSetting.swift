import Foundation

/// How coarse updates keep the app running in an hour of the study that compares their power.
public enum KeeperSetting: String, CaseIterable, Sendable {
  case metres100 = "100 m"
  case kilometre1 = "1 km"
  case kilometres3 = "3 km"
  case dutyCycled = "duty-cycled"
  /// The app isn't kept running.
  case none

  /// Returns the setting of the hour that contains a date: five hours in a row have all five settings, in a random order that depends only
  /// on the date. iOS charges energy by hours that begin with those of the clock.
  public static func at(_ date: Date) -> Self {
    let hour = Int((date.timeIntervalSinceReferenceDate / 3_600).rounded(.down))
    let count = allCases.count
    let position = ((hour % count) + count) % count
    var generator = Order(state: UInt64(bitPattern: Int64(hour - position)))
    return allCases.shuffled(using: &generator)[position]
  }

  /// SplitMix64, by Steele, Lea and Flood.
  private struct Order: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// The note in the journal, which `receipt` reads.
  var note: String { "keeper \(rawValue)" }
}

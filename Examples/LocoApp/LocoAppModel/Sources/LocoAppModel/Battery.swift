/// The battery's level and power supply.
public struct Battery: Hashable, Sendable {
  public enum Supply: String, Sendable { case unplugged, charging, full }

  /// The level, from 0 to 1. iOS rounds it to steps of 1 or 5 %.
  public var level: Double
  public var supply: Supply

  public init(level: Double, supply: Supply) { (self.level, self.supply) = (level, supply) }

  /// The journal's note, in the format that `LocoKitDemo study` reads.
  var note: String { "battery \((level * 100).rounded() / 100) \(supply.rawValue)" }
}

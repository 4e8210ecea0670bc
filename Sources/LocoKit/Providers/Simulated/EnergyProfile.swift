/// What turns seconds with the GPS on into joules. Devices differ thirtyfold: choose yours, and compare seconds first.
///
/// ```swift
/// var configuration = SimulatedProvider.Configuration()
/// configuration.energyProfile = EnergyProfile(name: "watch", gpsPower: 0.060, tail: .seconds(5), wakeEnergy: 0.1)
/// let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
/// let manager = LocationManager(provider: device)
/// manager.tryPromptAuthorization()
/// device.advance(by: .seconds(1_800))
/// print("\(device.energy.joules(configuration.energyProfile)) J")
/// ```
public struct EnergyProfile: Hashable, Sendable {
  /// The profile's name, for a report.
  public var name: String
  /// The receiver's power while it is on, watts.
  public var gpsPower: Double
  /// How long the receiver really stays on after it was turned off.
  public var tail: Duration
  /// What waking the device costs, joules.
  public var wakeEnergy: Double

  /// A profile from its parts.
  public init(name: String, gpsPower: Double, tail: Duration = .zero, wakeEnergy: Double = 0) {
    self.name = name
    self.gpsPower = gpsPower
    self.tail = tail
    self.wakeEnergy = wakeEnergy
  }

  /// Android's sample power profile: 50 mA at 3.8 V, no tail; 0.45 J a wake is an assumption.
  public static let phone = EnergyProfile(name: "phone", gpsPower: 0.190, wakeEnergy: 0.45)
  /// Nokia N95, as measured for RAPS: 370 mW, and a tail of 30 s.
  public static let n95 = EnergyProfile(name: "N95", gpsPower: 0.370, tail: .seconds(30))
  /// A u-blox M8 behind gpsd: 100 mW, and the 60 s after which gpsd closes a receiver that nobody watches.
  public static let gpsd = EnergyProfile(name: "gpsd", gpsPower: 0.100, tail: .seconds(60))
}

/// What a simulated device has spent.
///
/// ```swift
/// let energy = device.energy
/// print("GPS on for \(energy.gpsOn) in \(energy.gpsStarts) starts, and \(energy.wakes) wakes")
/// ```
public struct EnergyUse: Hashable, Sendable {
  /// How long the GPS was on.
  public internal(set) var gpsOn: Duration = .zero
  /// How often the GPS was turned on.
  public internal(set) var gpsStarts = 0
  /// How often the app was woken from its sleep, or launched: by a significant change, or the exit from a region.
  public internal(set) var wakes = 0
  /// How much longer than commanded the receiver was on, by the profile's tail.
  public internal(set) var tail: Duration = .zero

  /// Joules by a profile: the one that the provider was made with, whose tail is counted.
  public func joules(_ profile: EnergyProfile) -> Double {
    (gpsOn + tail).inSeconds * profile.gpsPower + Double(wakes) * profile.wakeEnergy
  }
}

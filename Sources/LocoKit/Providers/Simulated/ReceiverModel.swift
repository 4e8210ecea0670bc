/// How a simulated receiver finds its first fix, and how accurate it is.
///
/// The times are medians; each start draws its own, log-normally. Without sky the search begins anew, and what was found
/// is lost when the receiver is turned off. Sources: u-blox SAM-M8Q and MAX-M8Q data sheets (hot 1 s, cold 26–30 s),
/// Nordic and u-blox notes on assistance (1–5 s); the phone's values are assumptions within 1–35 s.
public struct ReceiverModel: Hashable, Sendable {
  /// Seconds to the first fix with a valid ephemeris.
  public var hotStart: Double
  /// Seconds to the first fix with an old ephemeris.
  public var warmStart: Double
  /// Seconds to the first fix ever.
  public var coldStart: Double
  /// Seconds for which an ephemeris is good.
  public var ephemerisLife = 7_200.0
  /// The spread of the time to first fix and of the first accuracy: the standard deviation of the logarithm.
  public var spread = 0.35
  /// The median accuracy of a first fix, metres.
  public var firstAccuracy = 30.0
  /// The accuracy that is reached in time, metres.
  public var accuracyFloor = 5.0
  /// How fast accuracy settles: seconds to come down to 37 % of the way.
  public var settling = 4.0
  /// How long an error lasts: the correlation time in seconds of a Gauss–Markov process.
  public var errorTime = 30.0

  /// A receiver from its times to first fix, in seconds.
  public init(hotStart: Double, warmStart: Double, coldStart: Double) {
    self.hotStart = hotStart
    self.warmStart = warmStart
    self.coldStart = coldStart
  }

  /// A phone's receiver, helped by its network, which hands it the satellites' orbits where it has none: 2.5 s, 6 s, 6 s.
  public static let phone = ReceiverModel(hotStart: 2.5, warmStart: 6, coldStart: 6)
  /// A receiver without assistance data: 1.5 s, 27 s, 29 s.
  public static let standalone = ReceiverModel(hotStart: 1.5, warmStart: 27, coldStart: 29)
}

/// What turns seconds with the GPS on into joules. Devices differ thirtyfold: choose yours, and compare seconds first.
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
public struct EnergyUse: Hashable, Sendable {
  /// How long the GPS was on.
  public internal(set) var gpsOn: Duration = .zero
  /// How often the GPS was turned on.
  public internal(set) var gpsStarts = 0
  /// How often a significant change woke the app.
  public internal(set) var wakes = 0
  /// How much longer than commanded the receiver was on, by the profile's tail.
  public internal(set) var tail: Duration = .zero

  /// Joules by a profile: the one that the provider was made with, whose tail is counted.
  public func joules(_ profile: EnergyProfile) -> Double {
    (gpsOn + tail).inSeconds * profile.gpsPower + Double(wakes) * profile.wakeEnergy
  }
}

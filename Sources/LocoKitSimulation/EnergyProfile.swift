import LocoKit

extension SimulatedProvider {
  /// The power of a device in each of its states, above its baseline. Devices differ by a factor of thirty: choose the profile of
  /// your device, and compare the times with the GPS on before you compare energies.
  ///
  /// ```swift
  /// var configuration = SimulatedProvider.Configuration()
  /// configuration.energyProfile = .init(name: "watch", gpsPower: 0.060, tail: .seconds(5), wakeEnergy: 0.1)
  /// let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
  /// let manager = LocationManager(provider: device)
  /// manager.tryPromptAuthorization()
  /// device.advance(by: .seconds(1_800))
  /// print("\(device.energy.joules(configuration.energyProfile)) J")
  /// ```
  public struct EnergyProfile: Hashable, Sendable {
    /// The power of a state, in watts, 0 or more.
    @_spi(Benchmarks) public struct Power: Hashable, Sendable {
      /// The power while the device stands.
      @_spi(Benchmarks) public var resting: Double
      /// The power while the device moves.
      @_spi(Benchmarks) public var moving: Double

      package init(resting: Double, moving: Double) { (self.resting, self.moving) = (resting, moving) }
    }

    /// The profile's name, for a report.
    package var name: String
    /// The power of the device without the app. ``SimulatedProvider/EnergyUse/joules(_:)`` doesn't include it.
    @_spi(Benchmarks) public var baseline: Power
    /// The power above the baseline while the app is kept running and the GPS is off.
    @_spi(Benchmarks) public var keptRunning: Power
    /// The power above the baseline while a duty-cycled app is kept running without coarse fixes and the GPS is off.
    @_spi(Benchmarks) public var keptIdle: Power
    /// The energy of each change to coarse fixes and back of a duty-cycled app, in joules.
    @_spi(Benchmarks) public var switchEnergy: Double
    /// The power above the baseline while the GPS is on, including that of the app.
    @_spi(Benchmarks) public var gps: Power
    /// The time that the receiver stays on after the app turns it off.
    package var tail: Duration
    /// The energy of a wake-up, in joules.
    @_spi(Benchmarks) public var wakeEnergy: Double
    /// The capacity of a new battery, in watt-hours, more than 0; `nil` if the device has no battery, or the capacity isn't known.
    @_spi(Benchmarks) public var batteryCapacity: Double?

    package init(
      name: String, baseline: Power = Power(resting: 0, moving: 0), keptRunning: Power = Power(resting: 0, moving: 0),
      keptIdle: Power? = nil, switchEnergy: Double = 0, gps: Power, tail: Duration = .zero, wakeEnergy: Double = 0,
      batteryCapacity: Double? = nil
    ) {
      (self.name, self.baseline, self.keptRunning, self.gps) = (name, baseline, keptRunning, gps)
      (self.keptIdle, self.switchEnergy) = (keptIdle ?? keptRunning, switchEnergy)
      (self.tail, self.wakeEnergy, self.batteryCapacity) = (tail, wakeEnergy, batteryCapacity)
    }

    /// Creates a profile that counts only the receiver, with its power in watts, and wake-ups, with the energy of each in joules.
    public init(name: String, gpsPower: Double, tail: Duration = .zero, wakeEnergy: Double = 0) {
      self.init(name: name, gps: Power(resting: gpsPower, moving: gpsPower), tail: tail, wakeEnergy: wakeEnergy)
    }

    /// An iPhone 6 with iOS 12.3.1 and a new battery of 6.91 Wh.
    ///
    /// MobilityNet measured four phones that were carried together in 2019 and 2020 (bin/data, BSD 3-Clause). The baseline, a phone without
    /// the app, uses 20 mW at rest and 74 mW in motion. Updates accurate to 100 m, which keep an app running, add 91 mW (84–99) and
    /// 188 mW (182–207); updates of the best accuracy add 235 mW (230–255) and 471 mW (405–495). The tail of 5 s and
    /// the energy of 1 J per wake-up are assumptions. So are the 30 mW of updates accurate to 3 km, for which 15 to 90 mW are plausible, and
    /// the 0.8 J of a change from 3 km to 100 m and back. Without a data connection, which the profile doesn't have, updates accurate to 100 m
    /// add about 200 mW.
    public static let phone = EnergyProfile(
      name: "iPhone 6", baseline: Power(resting: 0.020, moving: 0.074),
      keptRunning: Power(resting: 0.091, moving: 0.188), keptIdle: Power(resting: 0.030, moving: 0.030),
      switchEnergy: 0.8, gps: Power(resting: 0.235, moving: 0.471), tail: .seconds(5), wakeEnergy: 1,
      batteryCapacity: 6.91)
    /// An iPhone 13 Pro Max with a new battery of 16.6 Wh: the profiles with the least and the most power that the measurements allow.
    ///
    /// The measurements are Apple's accounting of one phone in January 2026 (markm39/mcm-battery-2026, CC BY 4.0). In the hour with the
    /// highest use, the GPS used 118 mWh for all apps together, so both profiles have a GPS power of 118 mW. Updates accurate to 100 m were
    /// not measured. They are assumed to use at least 12 mW, the CPU power of a family tracker in hours with the GPS, and at most as much
    /// as on an iPhone 6. Updates accurate to 3 km are assumed to use 12 to 90 mW, a change to 100 m and back 0.1 to 0.8 J, and a wake-up
    /// 0.1 to 1 J.
    @_spi(Benchmarks) public static let phone13ProMax: (least: EnergyProfile, most: EnergyProfile) = {
      let gps = Power(resting: 0.118, moving: 0.118)
      let name = "iPhone 13 Pro Max"
      return (
        EnergyProfile(
          name: name, keptRunning: Power(resting: 0.012, moving: 0.012), switchEnergy: 0.1, gps: gps, tail: .seconds(5),
          wakeEnergy: 0.1,
          batteryCapacity: 16.6),
        EnergyProfile(
          name: name, keptRunning: phone.keptRunning, keptIdle: Power(resting: 0.090, moving: 0.090),
          switchEnergy: phone.switchEnergy, gps: gps, tail: .seconds(5), wakeEnergy: 1, batteryCapacity: 16.6)
      )
    }()
    /// A u-blox M8 behind gpsd: 100 mW, and a tail of 60 s, after which gpsd closes a receiver without clients.
    public static let gpsd = EnergyProfile(name: "gpsd", gpsPower: 0.100, tail: .seconds(60))
  }

  /// The energy use of a simulated device.
  ///
  /// ```swift
  /// let energy = device.energy
  /// print("GPS on for \(energy.gpsOn) in \(energy.gpsStarts) starts, and \(energy.wakes) wakes")
  /// ```
  ///
  /// The device is in one of five states: the GPS is on, the receiver is in the tail of the profile, the app is kept running with coarse fixes
  /// or without, or the app is asleep. If the provider's ``SimulatedProvider/wakeSources`` contain the timer, an app
  /// that waits for significant changes counts as kept running.
  public struct EnergyUse: Hashable, Sendable {
    /// The duration of a state. A device moves if the speed of its route is more than 0.5 m/s.
    package struct Time: Hashable, Sendable {
      package internal(set) var (resting, moving) = (Duration.zero, Duration.zero)
      package var total: Duration { resting + moving }

      fileprivate func joules(_ power: EnergyProfile.Power) -> Double {
        resting.inSeconds * power.resting + moving.inSeconds * power.moving
      }
    }

    /// The time with the GPS on.
    package internal(set) var gps = Time()
    /// The time in the tail, by the profile of the provider.
    package internal(set) var tail = Time()
    /// The time that the app was kept running with the receiver off, except ``keptIdle``.
    package internal(set) var keptRunning = Time()
    /// The time that a duty-cycled app was kept running without coarse fixes and with the receiver off.
    package internal(set) var keptIdle = Time()
    /// The number of changes of a duty-cycled app to coarse fixes.
    package internal(set) var switches = 0
    /// The time that the app was suspended, terminated or idle, with the receiver off.
    package internal(set) var asleep = Time()
    /// The number of times that the GPS was turned on.
    public internal(set) var gpsStarts = 0
    /// The number of wake-ups from sleep and of launches: by a significant change, the exit from a region, a visit, or the end of faults.
    public internal(set) var wakes = 0

    package init() {}

    /// The total time with the GPS on.
    public var gpsOn: Duration { gps.total }
    /// The total time of the simulation.
    package var duration: Duration { gps.total + tail.total + keptRunning.total + keptIdle.total + asleep.total }

    /// The energy by cause, in joules above the baseline.
    package struct Parts: Hashable, Sendable {
      /// The receiver, with its tail.
      package var gps: Double
      /// The energy while the app is kept running with the receiver off.
      package var keeper: Double
      package var wakes: Double

      package var total: Double { gps + keeper + wakes }
    }

    package func parts(_ profile: EnergyProfile) -> Parts {
      Parts(
        gps: gps.joules(profile.gps) + tail.joules(profile.gps),
        keeper: keptRunning.joules(profile.keptRunning) + keptIdle.joules(profile.keptIdle)
          + Double(switches) * profile.switchEnergy, wakes: Double(wakes) * profile.wakeEnergy)
    }

    /// Returns the energy above the baseline, in joules. Pass the provider's profile, because the measured times depend on its tail.
    public func joules(_ profile: EnergyProfile) -> Double { parts(profile).total }

    /// The energy use of the same route if the GPS were always on, and if the app were always kept running with the GPS off.
    package var alwaysOn: (gps: EnergyUse, keeper: EnergyUse) {
      var all = Time()
      for part in [gps, tail, keptRunning, keptIdle, asleep] {
        all.resting += part.resting
        all.moving += part.moving
      }
      var (withGPS, withKeeper) = (EnergyUse(), EnergyUse())
      (withGPS.gps, withKeeper.keptRunning) = (all, all)
      return (withGPS, withKeeper)
    }

    /// Returns the energy of the device without the app, in joules.
    func baselineJoules(_ profile: EnergyProfile) -> Double {
      [gps, tail, keptRunning, keptIdle, asleep].reduce(0) { $0 + $1.joules(profile.baseline) }
    }

    /// Returns the average power above the baseline, in milliwatts; `nil` before the simulation has started.
    package func milliwatts(_ profile: EnergyProfile) -> Double? {
      duration > .zero ? joules(profile) / duration.inSeconds * 1_000 : nil
    }

    /// Returns the share of a new battery that the app uses in an hour, in percent; `nil` before the simulation has started, or if
    /// the profile has no battery.
    public func percentPerHour(_ profile: EnergyProfile) -> Double? {
      guard let milliwatts = milliwatts(profile), let capacity = profile.batteryCapacity else { return nil }
      return milliwatts / 1_000 / capacity * 100
    }

    package static func + (first: Self, second: Self) -> Self {
      var sum = first
      func add(_ time: Time, to total: inout Time) {
        total.resting += time.resting
        total.moving += time.moving
      }
      add(second.gps, to: &sum.gps)
      add(second.tail, to: &sum.tail)
      add(second.keptRunning, to: &sum.keptRunning)
      add(second.keptIdle, to: &sum.keptIdle)
      add(second.asleep, to: &sum.asleep)
      sum.switches += second.switches
      sum.gpsStarts += second.gpsStarts
      sum.wakes += second.wakes
      return sum
    }
  }

  /// Counts the time of a simulated device in each state, at rest and in motion.
  struct EnergyMeter: Sendable {
    enum State: Sendable {
      case gps, keptRunning, keptIdle, asleep
    }

    /// The speed above which a device moves, in metres per second.
    private static let minimumSpeed = 0.5

    var use = EnergyUse()
    private var state = State.asleep
    /// The end of the counted time and the end of the tail, in nanoseconds.
    private var (countedTo, tailEnd): (Int64, Int64) = (0, 0)
    private var walker: RouteWalker

    init(origin: Route.Point) { walker = RouteWalker(origin: origin) }

    mutating func enter(_ state: State, at now: Int64, tail: Duration, on route: Route) {
      count(to: now, on: route)
      if self.state == .gps, state != .gps { tailEnd = now + tail.inNanoseconds }
      if self.state == .keptIdle, state == .keptRunning { use.switches += 1 }
      self.state = state
    }

    mutating func count(to now: Int64, on route: Route) {
      while countedTo < now {
        let speed = walker.step(at: Double(countedTo) * 1e-9, on: route).speed
        let legEnd = walker.leg.upperBound
        // Counts at least a nanosecond, because the rounded end of a leg may be the time that is counted already.
        var end = legEnd < Double(now) * 1e-9 ? min(now, max(countedTo + 1, Int64((legEnd * 1e9).rounded()))) : now
        let isTail = state != .gps && countedTo < tailEnd
        if isTail { end = min(end, tailEnd) }
        let time = Duration.nanoseconds(end - countedTo)
        let isMoving = speed > Self.minimumSpeed
        switch state {
        case _ where isTail: use.tail.add(time, isMoving)
        case .gps: use.gps.add(time, isMoving)
        case .keptIdle: use.keptIdle.add(time, isMoving)
        case .asleep: use.asleep.add(time, isMoving)
        case .keptRunning: use.keptRunning.add(time, isMoving)
        }
        countedTo = end
      }
    }
  }
}

extension SimulatedProvider.EnergyUse.Time {
  fileprivate mutating func add(_ time: Duration, _ isMoving: Bool) {
    if isMoving { moving += time } else { resting += time }
  }
}

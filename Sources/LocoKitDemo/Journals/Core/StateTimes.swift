#if os(Linux) || os(macOS)
  @_spi(Benchmarks) import LocoKitSimulation

  /// The time of a phone in each state, at rest and in motion, in seconds.
  struct StateTimes: Encodable {
    struct Time: Encodable {
      var resting = 0.0
      var moving = 0.0

      private enum Key: CodingKey { case resting, moving }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(resting.rounded(decimals: 3), forKey: .resting)
        try container.encode(moving.rounded(decimals: 3), forKey: .moving)
      }
    }

    var gps = Time()
    /// The tail: the time after the GPS was turned off while the receiver still uses power, by the profile.
    var tail = Time()
    var keptRunning = Time()
    var asleep = Time()
    var wakes = 0

    private enum CodingKeys: CodingKey { case gps, tail, keptRunning, asleep }

    private static let parts = [\Self.gps, \.tail, \.keptRunning, \.asleep]

    var seconds: Double { Self.parts.reduce(0) { $0 + self[keyPath: $1].resting + self[keyPath: $1].moving } }

    /// Returns the energy of the whole phone according to a profile, including the baseline, in joules.
    func joules(_ profile: SimulatedProvider.EnergyProfile) -> Double {
      let powers = [
        profile.gps, profile.gps, profile.keptRunning, SimulatedProvider.EnergyProfile.Power(resting: 0, moving: 0),
      ]
      return zip(Self.parts, powers).reduce(Double(wakes) * profile.wakeEnergy) { sum, part in
        let time = self[keyPath: part.0]
        return sum + time.resting * (profile.baseline.resting + part.1.resting)
          + time.moving * (profile.baseline.moving + part.1.moving)
      }
    }

    static func += (sum: inout Self, other: Self) {
      sum.combine(other, +)
      sum.wakes += other.wakes
    }

    static func - (first: Self, second: Self) -> Self {
      var difference = first
      difference.combine(second, -)
      difference.wakes -= second.wakes
      return difference
    }

    private mutating func combine(_ other: Self, _ operation: (Double, Double) -> Double) {
      for part in Self.parts {
        self[keyPath: part].resting = operation(self[keyPath: part].resting, other[keyPath: part].resting)
        self[keyPath: part].moving = operation(self[keyPath: part].moving, other[keyPath: part].moving)
      }
    }
  }
#endif

#if os(Linux) || os(macOS)
  /// The delays before another connection to gpsd.
  enum GPSDBackOff {
    /// Returns half a second, doubled for each further failure up to 30 s, plus a random part of up to half of that. The random part keeps
    /// clients of the same gpsd from reconnecting at the same time.
    ///
    /// - Parameters:
    ///   - attempts: The number of failures, 1 or more.
    ///   - chance: A random number, 0..<1.
    static func delay(after attempts: Int, chance: Double) -> Duration {
      let base = min(0.5 * Double(1 << (min(attempts, 7) - 1)), 30)
      return .seconds(base * (1 + chance / 2))
    }
  }
#endif

#if os(Linux) || os(macOS)
  /// The failures in a row, and how long the next attempt waits after them.
  struct GPSDBackOff: Hashable, Sendable {
    private var failures = 0

    /// The least age of a connection whose failure resets the back-off.
    static let usefulConnection = Duration.seconds(10)

    /// Resets the back-off: the connection was useful, or an acquisition waits.
    mutating func reset() { failures = 0 }

    /// Counts a failure, with the time when gpsd sent its version; `nil` if it never did.
    mutating func fail(identifiedAt: Duration?, at uptime: Duration) {
      // A server that greets and closes is no better than one that refuses.
      if let identifiedAt, uptime - identifiedAt >= Self.usefulConnection { reset() }
      failures += 1
    }

    /// The back-off after the failures so far, one at least.
    func delay(chance: Double) -> Duration { Self.delay(after: failures, chance: chance) }

    /// Half a second, doubled each time, at most half a minute; up to half of it more by chance, so that clients that lost
    /// the same gpsd don't all reconnect together.
    ///
    /// - Parameters:
    ///   - attempts: 1 or more.
    ///   - chance: 0..<1.
    static func delay(after attempts: Int, chance: Double) -> Duration {
      let base = min(0.5 * Double(1 << (min(attempts, 7) - 1)), 30)
      return .seconds(base * (1 + chance / 2))
    }
  }
#endif

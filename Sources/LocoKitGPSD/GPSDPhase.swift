#if os(Linux) || os(macOS)
  import LocoKit

  /// The connection's state. A value that a state doesn't use is `nil`.
  struct GPSDPhase: Hashable, Sendable {
    var state = GPSDMachine.State.closed
    /// When the machine's deadline ends the state.
    var end: Duration?
    /// When gpsd sent its version.
    var identifiedAt: Duration?
    /// The first request since gpsd's last answer.
    var unansweredSince: Duration?
    var watch: GPSDWatch?
    /// Why the connection failed.
    var failure: String?

    var connection: GPSDProvider.Connection {
      switch state {
      case .closed: .closed
      case .connecting, .greeting: .connecting
      case .idle: .open
      case .watching: .watching
      case .withoutReceiver: .withoutReceiver
      case .backingOff: .failed(reason: failure ?? "")
      }
    }
  }

  enum GPSDBackOff {
    /// Returns half a second, doubled for each further failure up to 30 s, plus up to half of it by chance: clients of the same
    /// gpsd don't all reconnect at the same time.
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

#if os(Linux) || os(macOS)
  /// The connection's state, with the data that exists only in that state.
  enum GPSDPhase: Hashable, Sendable {
    case closed
    case connecting(end: Duration)
    /// `identifiedAt` is when gpsd sent its version.
    case greeting(end: Duration, identifiedAt: Duration?)
    case idle(Session)
    case watching(GPSDWatch)
    case withoutReceiver(GPSDWatch)
    case backingOff(reason: String, end: Duration)

    /// A connection after the greeting.
    struct Session: Hashable, Sendable {
      let identifiedAt: Duration
      /// The first request since gpsd's last answer.
      private(set) var unansweredSince: Duration?

      init(identifiedAt: Duration) { self.identifiedAt = identifiedAt }

      mutating func ask(at uptime: Duration) { unansweredSince = unansweredSince ?? uptime }
      mutating func hear() { unansweredSince = nil }
    }

    var state: GPSDMachine.State {
      switch self {
      case .closed: .closed
      case .connecting: .connecting
      case .greeting: .greeting
      case .idle: .idle
      case .watching: .watching
      case .withoutReceiver: .withoutReceiver
      case .backingOff: .backingOff
      }
    }

    var connection: GPSDProvider.Connection {
      switch self {
      case .closed: .closed
      case .connecting, .greeting: .connecting
      case .idle: .open
      case .watching: .watching
      case .withoutReceiver: .withoutReceiver
      case .backingOff(let reason, _): .failed(reason: reason)
      }
    }

    /// When the machine's deadline ends the state.
    var end: Duration? {
      switch self {
      case .connecting(let end), .greeting(let end, _), .backingOff(_, let end): end
      case .closed, .idle, .watching, .withoutReceiver: nil
      }
    }

    var identifiedAt: Duration? {
      if case .greeting(_, let time) = self { time } else { session?.identifiedAt }
    }

    var session: Session? {
      get { if case .idle(let session) = self { session } else { watch?.session } }
      set {
        guard let newValue else { return }
        if case .idle = self { self = .idle(newValue) } else { watch?.session = newValue }
      }
    }

    var watch: GPSDWatch? {
      get {
        switch self {
        case .watching(let watch), .withoutReceiver(let watch): watch
        case .closed, .connecting, .greeting, .idle, .backingOff: nil
        }
      }
      set {
        switch (self, newValue) {
        case (.watching, let watch?): self = .watching(watch)
        case (.withoutReceiver, let watch?): self = .withoutReceiver(watch)
        default: break
        }
      }
    }
  }

  /// The failures in a row, and the delay of the next attempt.
  struct GPSDBackOff: Hashable, Sendable {
    private(set) var failures = 0

    /// The least age of a connection whose failure resets the back-off.
    private static let usefulConnection = Duration.seconds(10)

    mutating func reset() { failures = 0 }

    /// Counts a failure. The connection's age counts from gpsd's version: a server that greets and closes is no better than one
    /// that refuses.
    mutating func fail(identifiedAt: Duration?, at uptime: Duration) {
      if let identifiedAt, uptime - identifiedAt >= Self.usefulConnection { reset() }
      failures += 1
    }

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

#if os(Linux) || os(macOS)
  import LocoKit

  /// A state of the connection with its data.
  enum GPSDPhase: Hashable, Sendable {
    case closed
    /// `end` is the time when the machine's deadline ends the state.
    case connecting(end: Duration)
    /// `identifiedAt` is the time when gpsd sent its version.
    case greeting(end: Duration, identifiedAt: Duration?)
    case idle(Session)
    case watching(Session, GPSDWatch)
    case withoutReceiver(Session, GPSDWatch)
    case backingOff(end: Duration, reason: String)

    /// A connection after gpsd's greeting.
    struct Session: Hashable, Sendable {
      /// The time when gpsd sent its version.
      let identifiedAt: Duration?
      /// The time of the first watch request since gpsd last sent something; `nil` if there was none.
      private(set) var unansweredSince: Duration?

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
      case .backingOff(_, let reason): .failed(reason: reason)
      }
    }

    /// The time when the machine's deadline ends the state.
    var end: Duration? {
      switch self {
      case .connecting(let end), .greeting(let end, _), .backingOff(let end, _): end
      case .closed, .idle, .watching, .withoutReceiver: nil
      }
    }

    var identifiedAt: Duration? {
      if case .greeting(_, let identifiedAt) = self { identifiedAt } else { session?.identifiedAt }
    }

    /// The session; `nil` in a state without one, where setting it does nothing.
    var session: Session? {
      get {
        switch self {
        case .idle(let session), .watching(let session, _), .withoutReceiver(let session, _): session
        case .closed, .connecting, .greeting, .backingOff: nil
        }
      }
      set {
        guard let newValue else { return }
        switch self {
        case .idle: self = .idle(newValue)
        case .watching(_, let watch): self = .watching(newValue, watch)
        case .withoutReceiver(_, let watch): self = .withoutReceiver(newValue, watch)
        case .closed, .connecting, .greeting, .backingOff: break
        }
      }
    }

    /// The watch; `nil` in a state without one, where setting it does nothing.
    var watch: GPSDWatch? {
      get {
        switch self {
        case .watching(_, let watch), .withoutReceiver(_, let watch): watch
        case .closed, .connecting, .greeting, .idle, .backingOff: nil
        }
      }
      set {
        guard let newValue else { return }
        switch self {
        case .watching(let session, _): self = .watching(session, newValue)
        case .withoutReceiver(let session, _): self = .withoutReceiver(session, newValue)
        case .closed, .connecting, .greeting, .idle, .backingOff: break
        }
      }
    }

    mutating func identify(at uptime: Duration) {
      if case .greeting(let end, _) = self { self = .greeting(end: end, identifiedAt: uptime) }
    }
  }

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

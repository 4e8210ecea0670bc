#if os(Linux) || os(macOS)
  /// A state of the connection with its data.
  enum GPSDPhase: Equatable, Sendable {
    case closed
    /// `end` is the time when the machine's deadline ends the state.
    case connecting(end: Duration)
    /// `identifiedAt` is the time when gpsd sent its version.
    case greeting(end: Duration, identifiedAt: Duration?)
    /// A connection after gpsd's greeting; `watch` is `nil` while nothing is asked for.
    case open(Session, GPSDWatch?)
    case backingOff(end: Duration, reason: String)

    /// A connection after gpsd's greeting.
    struct Session: Equatable, Sendable {
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
      case .open(_, nil): .idle
      case .open(_, let watch?): watch.hasReceiver ? .watching : .withoutReceiver
      case .backingOff: .backingOff
      }
    }

    var connection: GPSDProvider.Connection {
      switch self {
      case .closed: .closed
      case .connecting, .greeting: .connecting
      case .open(_, nil): .open
      case .open(_, let watch?): watch.hasReceiver ? .watching : .withoutReceiver
      case .backingOff(_, let reason): .failed(reason: reason)
      }
    }

    /// The time when the machine's deadline ends the state.
    var end: Duration? {
      switch self {
      case .connecting(let end), .greeting(let end, _), .backingOff(let end, _): end
      case .closed, .open: nil
      }
    }

    var identifiedAt: Duration? {
      if case .greeting(_, let identifiedAt) = self { identifiedAt } else { session?.identifiedAt }
    }

    /// The session; `nil` in a state without one, where setting it does nothing.
    var session: Session? {
      get { if case .open(let session, _) = self { session } else { nil } }
      set { if let newValue, case .open(_, let watch) = self { self = .open(newValue, watch) } }
    }

    /// The watch; `nil` in a state without one, where setting it does nothing.
    var watch: GPSDWatch? {
      get { if case .open(_, let watch) = self { watch } else { nil } }
      set { if let newValue, case .open(let session, _?) = self { self = .open(session, newValue) } }
    }

    mutating func identify(at uptime: Duration) {
      if case .greeting(let end, _) = self { self = .greeting(end: end, identifiedAt: uptime) }
    }
  }
#endif

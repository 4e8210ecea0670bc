#if os(Linux) || os(macOS)
  /// The connection's state, with the data that belongs to it: data of one state can't exist in another.
  enum GPSDPhase: Hashable, Sendable {
    /// There is no connection.
    case closed
    /// A connection is attempted, until the attempt has failed at `end`.
    case connecting(end: Duration)
    /// gpsd has yet to say what it is.
    case greeting(Greeting)
    /// The connection stands, and the receiver is not wanted.
    case idle(Session)
    /// The receiver is watched.
    case watching(GPSDWatch)
    /// The receiver is wanted, and gpsd has none.
    case withoutReceiver(GPSDWatch)
    /// The connection has failed, and is attempted again at `end`.
    case backingOff(reason: String, end: Duration)

    /// The time from the connection to gpsd's list of receivers.
    struct Greeting: Hashable, Sendable {
      /// When gpsd has said too little for too long.
      let end: Duration
      /// When gpsd said its version.
      var identifiedAt: Duration?
    }

    /// A connection to a gpsd that has said what it is.
    struct Session: Hashable, Sendable {
      /// When gpsd said its version.
      let identifiedAt: Duration
      /// When gpsd was asked for the first time since its last answer.
      private(set) var unansweredSince: Duration?

      init(identifiedAt: Duration) { self.identifiedAt = identifiedAt }

      /// gpsd was asked.
      mutating func ask(at uptime: Duration) { unansweredSince = unansweredSince ?? uptime }

      /// gpsd has said something.
      mutating func hear() { unansweredSince = nil }
    }

    /// The state of the ``GPSDMachine``.
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

    /// The state of the connection that an app sees.
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

    /// When the machine's deadline ends the state; `nil` where it has none.
    var end: Duration? {
      switch self {
      case .connecting(let end), .backingOff(_, let end): end
      case .greeting(let greeting): greeting.end
      case .closed, .idle, .watching, .withoutReceiver: nil
      }
    }

    /// When gpsd said its version on this connection.
    var identifiedAt: Duration? { greeting?.identifiedAt ?? session?.identifiedAt }

    /// The greeting, while it is awaited.
    var greeting: Greeting? {
      get { if case .greeting(let greeting) = self { greeting } else { nil } }
      _modify {
        var greeting = self.greeting
        yield &greeting
        if let greeting { self = .greeting(greeting) }
      }
    }

    /// The connection, once gpsd has said what it is.
    var session: Session? {
      get { if case .idle(let session) = self { session } else { watch?.session } }
      _modify {
        var session = self.session
        yield &session
        guard let session else { return }
        if case .idle = self { self = .idle(session) } else { watch?.session = session }
      }
    }

    /// The watch, while the receiver is wanted.
    var watch: GPSDWatch? {
      get {
        switch self {
        case .watching(let watch), .withoutReceiver(let watch): watch
        case .closed, .connecting, .greeting, .idle, .backingOff: nil
        }
      }
      _modify {
        var watch = self.watch
        yield &watch
        guard let watch else { return }
        if case .watching = self { self = .watching(watch) } else { self = .withoutReceiver(watch) }
      }
    }
  }
#endif

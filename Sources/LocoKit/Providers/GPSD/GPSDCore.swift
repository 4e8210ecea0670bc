#if os(Linux) || os(macOS)
  import Foundation

  /// The decisions of the provider for gpsd, as a pure value: inputs and the time go in, actions come out.
  ///
  /// The core raises each fact as an event, in any state, and the table of the ``GPSDMachine`` decides what it does.
  struct GPSDCore: DecisionCore, Hashable, Sendable {
    struct Now: Hashable, Sendable {
      var uptime: Duration
      var date: Date
      /// A random number, 0..<1.
      var chance: Double
      /// The files of this machine among the receivers that gpsd has named, the current report's included.
      var files: [String: GPSDFile]
    }

    enum Input: Hashable, Sendable {
      // From the system.
      case began
      case connected
      case report(GPSDReport)
      case problem(GPSDReader.Problem)
      /// The connection was closed, or couldn't be made.
      case lost(reason: String)
      case receiversClosed(error: String?)
      case receiversReopened
      case timer

      // From the manager.
      case mode(ReceiverMode)
      case managerTimer(Duration?)
      /// Whether the manager has an error bound, and decides when to look.
      case errorBound(isSet: Bool)
      /// The program ends, or releases the provider.
      case stop
    }

    enum Action: Hashable, Sendable {
      case connect
      case disconnect
      case send(String)
      case closeReceivers([String])
      case closeReceiversNow([String])
      case reopenReceivers([String], closing: Bool)
      case setTimer(Duration?)
      case connectionChanged(GPSDProvider.Connection)
      case log(String)
      case report(ProviderReport)
    }

    struct Configuration: Hashable, Sendable {
      var host: String
      var port: Int
      var controlSocket: String?
      var checkInterval: Duration
      var policy: AcquisitionPolicy

      /// gpsd, for a log.
      var place: String { "gpsd at \(host):\(port)" }

      /// Whether the control socket may be used: the socket of this machine can't close the receivers of another one.
      var hasControlSocket: Bool { controlSocket != nil && isLocal }

      /// Whether gpsd runs on this machine. Only a loopback address is certain; `127.example.com` isn't one.
      var isLocal: Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1"
          || host.hasPrefix("127.") && host.unicodeScalars.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
      }

      /// Whether a receiver is a file of this machine.
      func isFile(_ path: String) -> Bool { path.hasPrefix("/") && isLocal }
    }

    let configuration: Configuration
    var phase = GPSDPhase.closed
    var backOff = GPSDBackOff()
    var receivers: GPSDReceivers
    var check: GPSDMovementCheck
    var log = GPSDLog()
    var use = ReceiverUse()
    private(set) var mode = ReceiverMode.off
    private(set) var hasErrorBound = false
    private var isRunning = false
    private var managerTimer: Duration?
    private var systemTimer: Duration?

    init(_ configuration: Configuration) {
      self.configuration = configuration
      receivers = GPSDReceivers(hasControlSocket: configuration.hasControlSocket)
      check = GPSDMovementCheck(every: configuration.checkInterval, policy: configuration.policy)
    }

    var state: GPSDMachine.State { phase.state }
    private var wantsReceiver: Bool { mode == .gps || check.isOn }
  }

  // MARK: - Inputs

  extension GPSDCore {
    mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
      switch input {
      case .began: begin(at: now, into: &actions)
      case .connected: raise(.connected, at: now, into: &actions)
      case .report(let report):
        phase.session?.hear()
        receive(report, at: now, into: &actions)
      case .problem(let problem):
        phase.session?.hear()
        log.add(problem: "\(problem)", at: now.uptime, into: &actions)
      case .lost(let reason): raise(.failed, because: reason, at: now, into: &actions)
      case .receiversClosed(let error): endClose(error, at: now, into: &actions)
      case .receiversReopened: raise(.receiversReopened, at: now, into: &actions)
      case .timer: systemTimer = nil
      case .mode(let mode): setMode(mode, at: now, into: &actions)
      case .managerTimer(let deadline): managerTimer = deadline
      case .errorBound(let isSet):
        guard isSet != hasErrorBound else { break }
        hasErrorBound = isSet
        scheduleCheck(at: now)
      case .stop: stop(at: now, into: &actions)
      }
    }

    private mutating func begin(at now: Now, into actions: inout [Action]) {
      isRunning = true
      guard let socket = configuration.controlSocket, !configuration.isLocal else { return }
      let line =
        "gpsd's control socket \(socket) is not used, because \(configuration.place) is not known to run on this "
        + "machine; if it does, use localhost as its host"
      log.add(problem: line, at: now.uptime, into: &actions)
    }

    private mutating func endClose(_ error: String?, at now: Now, into actions: inout [Action]) {
      receivers.endClose()
      guard let error else { return use.tailEnded(at: now.uptime) }
      let socket = configuration.controlSocket ?? ""
      let line = "gpsd's control socket \(socket) cannot be used, so the receiver stays on for 60 s: \(error)"
      log.add(problem: line, at: now.uptime, into: &actions)
    }

    private mutating func setMode(_ mode: ReceiverMode, at now: Now, into actions: inout [Action]) {
      guard mode != self.mode else { return }
      self.mode = mode
      scheduleCheck(at: now)
      guard mode == .gps else { return }
      backOff.reset()
      raise(.retryDue, at: now, into: &actions)
    }

    private mutating func scheduleCheck(at now: Now) {
      check.schedule(isWanted: mode == .significantChanges && !hasErrorBound, at: now.uptime)
    }

    private mutating func stop(at now: Now, into actions: inout [Action]) {
      isRunning = false
      check.stop()
      raise(.receiverUnwanted, at: now, into: &actions)
      if let paths = receivers.beginLastClose() { actions.append(.closeReceiversNow(paths)) }
      raise(.released, at: now, into: &actions)
      log.summarize(into: &actions)
    }
  }

  // MARK: - Deadlines

  extension GPSDCore {
    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
      guard isRunning else { return false }
      if settlePhase(at: now, into: &actions) { return true }
      check.advance(to: now.uptime)
      if settleDemand(at: now, into: &actions) { return true }
      if let time = managerTimer, now.uptime >= time {
        managerTimer = nil
        actions.append(.report(.timer))
        return true
      }
      let watch = phase.watch
      let next = [managerTimer, stateEnd, watch?.silenceEnd, watch?.epochEnd, check.due].reduce(nil, earlier)
      if next != systemTimer {
        systemTimer = next
        actions.append(.setTimer(next))
      }
      return false
    }

    private mutating func settlePhase(at now: Now, into actions: inout [Action]) -> Bool {
      if let end = stateEnd, now.uptime >= end {
        endState(at: now, into: &actions)
      } else if let end = phase.watch?.silenceEnd, now.uptime >= end {
        answerSilence(at: now, into: &actions)
      } else if let end = phase.watch?.epochEnd, now.uptime >= end {
        if let location = phase.watch?.endEpoch() { emit(location, at: now, into: &actions) }
      } else {
        return false
      }
      return true
    }

    /// Raises the demand of the manager and the movement check, and returns whether that did something.
    private mutating func settleDemand(at now: Now, into actions: inout [Action]) -> Bool {
      if wantsReceiver { return raise(.receiverWanted, at: now, into: &actions) }
      if let paths = receivers.beginClose() { actions.append(.closeReceivers(paths)) }
      return raise(mode == .off ? .released : .receiverUnwanted, at: now, into: &actions)
    }

    /// When the machine's deadline ends the state. A back-off sets no timer while the receiver isn't wanted.
    private var stateEnd: Duration? { state == .backingOff && !wantsReceiver ? nil : phase.end }
  }
#endif

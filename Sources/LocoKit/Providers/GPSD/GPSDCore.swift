#if os(Linux) || os(macOS)
  import Foundation

  /// The decisions of the provider for gpsd, as a pure value: inputs and the time go in, actions come out.
  ///
  /// It composes the connection's ``GPSDPhase``, the ``GPSDBackOff``, the ``GPSDReceivers``, the ``GPSDMovementCheck`` and the
  /// ``GPSDLog``. It raises each fact as an event, in any state, and the table of the ``GPSDMachine`` answers.
  struct GPSDCore: DecisionCore, Hashable, Sendable {
    /// The time, a random number, and the device files that exist.
    struct Now: Hashable, Sendable {
      var uptime: Duration
      var date: Date
      /// 0..<1.
      var chance: Double
      /// The files of this machine among the paths that gpsd has named so far, and names in the present report.
      var files: [String: GPSDFile]
    }

    /// An input of the provider.
    enum Input: Hashable, Sendable {
      case began
      case connected
      case report(GPSDReport)
      case problem(GPSDReader.Problem)
      case lost(reason: String)
      case receiversClosed(error: String?)
      case receiversReopened
      /// The timer that was set last is over.
      case timer
      /// The mode that the manager sets.
      case mode(ReceiverMode)
      case managerTimer(Duration?)
      /// Whether the manager has an error bound, and decides when to look.
      case errorBound(isSet: Bool)
      /// The program ends, or releases the provider.
      case stop
    }

    /// An action of the provider. Actions are carried out in their order.
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

    let configuration: Configuration
    /// The connection's state, with what exists only in it.
    var phase = GPSDPhase.closed
    var backOff = GPSDBackOff()
    var receivers: GPSDReceivers
    var check: GPSDMovementCheck
    var log = GPSDLog()
    var use = ReceiverUse()
    /// The receiver's mode that the manager has set.
    private(set) var mode = ReceiverMode.off
    /// Whether the manager decides when to look, so that the provider checks for no significant changes.
    private(set) var hasErrorBound = false
    private var isRunning = false
    private var managerTimer: Duration?
    private var systemTimer: Duration?

    init(_ configuration: Configuration) {
      self.configuration = configuration
      receivers = GPSDReceivers(hasControlSocket: configuration.hasControlSocket)
      check = GPSDMovementCheck(every: configuration.checkInterval, policy: configuration.policy)
    }

    /// The state of the ``GPSDMachine``.
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
        log.tell(problem: "\(problem)", at: now.uptime, into: &actions)
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
      log.tell(problem: line, at: now.uptime, into: &actions)
    }

    private mutating func endClose(_ error: String?, at now: Now, into actions: inout [Action]) {
      receivers.endClose()
      guard let error else { return use.tailEnded(at: now.uptime) }
      let socket = configuration.controlSocket ?? ""
      let line = "gpsd's control socket \(socket) cannot be used, so the receiver stays on for 60 s: \(error)"
      log.tell(problem: line, at: now.uptime, into: &actions)
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

  // MARK: - What is due

  extension GPSDCore {
    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
      guard isRunning else { return false }
      if settlePhase(at: now, into: &actions) { return true }
      check.advance(to: now.uptime)
      if settleWants(at: now, into: &actions) { return true }
      if let time = managerTimer, now.uptime >= time {
        managerTimer = nil
        actions.append(.report(.timer))
        return true
      }
      setTimer(into: &actions)
      return false
    }

    /// Ends what is over of the phase: the state itself, a silence, or an epoch.
    private mutating func settlePhase(at now: Now, into actions: inout [Action]) -> Bool {
      if let end = stateEnd, now.uptime >= end {
        endState(at: now, into: &actions)
      } else if let end = phase.watch?.silenceEnd, now.uptime >= end {
        answerSilence(at: now, into: &actions)
      } else if let end = phase.watch?.epoch.end, now.uptime >= end {
        if let location = phase.watch?.epoch.finish() { emit(location, at: now, into: &actions) }
      } else {
        return false
      }
      return true
    }

    /// Raises what the manager and the check want.
    ///
    /// - Returns: Whether that did something.
    private mutating func settleWants(at now: Now, into actions: inout [Action]) -> Bool {
      if wantsReceiver { return raise(.receiverWanted, at: now, into: &actions) }
      if let paths = receivers.beginClose() { actions.append(.closeReceivers(paths)) }
      return raise(mode == .off ? .released : .receiverUnwanted, at: now, into: &actions)
    }

    /// When the machine's deadline ends the state. A back-off sets no timer while the receiver isn't wanted.
    private var stateEnd: Duration? { state == .backingOff && !wantsReceiver ? nil : phase.end }

    private mutating func setTimer(into actions: inout [Action]) {
      let watch = phase.watch
      let next = [managerTimer, stateEnd, watch?.silenceEnd, watch?.epoch.end, check.due].reduce(nil, earlier)
      guard next != systemTimer else { return }
      systemTimer = next
      actions.append(.setTimer(next))
    }
  }
#endif

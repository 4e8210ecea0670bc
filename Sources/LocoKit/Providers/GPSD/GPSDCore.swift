#if os(Linux) || os(macOS)
  import Foundation

  /// All that the provider for gpsd decides, as a value that does nothing.
  ///
  /// It asks the table of the ``GPSDMachine``. What runs out is the state's; what the provider says of the connection is
  /// derived from it.
  struct GPSDCore: DecisionCore, Hashable, Sendable {
    /// The time, chance, and what is there of the files that receivers are.
    struct Now: Hashable, Sendable {
      var uptime: Duration
      var date: Date
      /// 0..<1.
      var chance: Double
      /// The files of this machine among the paths that gpsd has named so far, and names in the present report.
      var files: [String: GPSDFile]
    }

    /// What can happen to the provider.
    enum Input: Hashable, Sendable {
      case began
      case connected
      case report(GPSDReport)
      case problem(GPSDReader.Problem)
      case lost(reason: String)
      case receiversClosed(error: String?)
      case receiversReopened
      /// Some time has passed.
      case timer
      /// What the manager wants.
      case mode(ReceiverMode)
      case managerTimer(Duration?)
      /// Whether the manager decides by itself when to look.
      case errorBound(isSet: Bool)
      /// The program ends, or wants nothing of gpsd any more.
      case stop
    }

    /// What is to be done, in the order in which it stands.
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

    /// What a provider is told when it is made.
    struct Configuration: Hashable, Sendable {
      var host: String
      var port: Int
      var controlSocket: String?
      var checkInterval: Duration
      var policy: AcquisitionPolicy
    }

    private let configuration: Configuration
    private(set) var state = GPSDMachine.initialState
    /// What the manager wants of the receiver.
    private(set) var mode = ReceiverMode.off
    /// Whether it decides by itself when to look, so that nobody waits for a significant change of the provider's own.
    private var hasErrorBound = false
    private(set) var use = ReceiverUse()
    /// What gpsd has named, and may have dropped since.
    private(set) var receivers: Set<String> = []
    private var isRunning = false
    private var toldConnection = GPSDProvider.Connection.closed

    // The connection.
    /// When what the state has a limit for is over.
    private var limitEnd: Duration?
    /// When gpsd has greeted.
    private var greetedAt: Duration?
    private var failures = 0
    private var failure = ""
    /// When gpsd was asked what it has not yet answered.
    private var unansweredSince: Duration?
    private var changes = LogBudget(lines: 30)
    private var problems = LogBudget(lines: 10)

    // The receivers.
    /// The receivers that are device files of this machine, and were there when gpsd named them.
    private var files: Set<String> = []
    /// Whether gpsd may have a receiver open for this provider that was not closed through the control socket.
    private var mayBeOpen = false
    private var pendingCloses = 0
    /// How often gpsd was asked since it last said anything of a fix.
    private var silences = 0
    /// Whether gpsd has said that it closed the receiver.
    private var isEndKnown = false
    private var lastFix: Duration?
    /// Whether the log was told what looks cost that leave the receiver on.
    private var hasToldOfTail = false
    /// How long the receiver takes between two reports, for some time after it took so long.
    private var interval = Duration.zero

    // Fixes.
    private var assembler = GPSDFixAssembler()
    private var epochEnd: Duration?
    /// When the provider looks next whether the device has moved, and until when it looks now.
    private var nextCheck: Duration?
    private var checkEnd: Duration?
    private var reference: Location?

    // Timers.
    private var managerTimer: Duration?
    private var systemTimer: Duration?

    private static let table = TransitionTable<GPSDMachine>()
    /// How many receivers are known at most; gpsd has room for a few.
    static let maximumReceivers = 16
    /// How long a connection must have stood for the back-off to begin anew.
    static let usefulConnection = Duration.seconds(10)

    init(_ configuration: Configuration) {
      self.configuration = configuration
    }

    /// What the provider has with gpsd.
    var connection: GPSDProvider.Connection {
      switch state {
      case .closed: .closed
      case .connecting, .greeting: .connecting
      case .idle: .open
      case .watching: .watching
      case .withoutReceiver: .withoutReceiver
      case .backingOff: .failed(reason: failure)
      }
    }

    private var wantsReceiver: Bool { mode == .gps || checkEnd != nil }
    /// Whether receivers can be closed and returned through the control socket: a socket of this machine has nothing to
    /// do with the receivers of another one.
    private var hasControlSocket: Bool { configuration.controlSocket != nil && isLocal }
    /// Whether gpsd runs on this machine: only a loopback address says so for certain. A name such as `127.example.com` is
    /// none.
    private var isLocal: Bool {
      let host = configuration.host.lowercased()
      return host == "localhost" || host == "::1"
        || host.hasPrefix("127.") && host.unicodeScalars.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
    }
    private var place: String { "gpsd at \(configuration.host):\(configuration.port)" }
  }

  // MARK: - Inputs

  extension GPSDCore {
    mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
      switch input {
      case .began:
        isRunning = true
        if let socket = configuration.controlSocket, !isLocal {
          let place = place
          log(
            "gpsd's control socket \(socket) is not used, because \(place) is not known to run on this machine; if it does, "
              + "use localhost as its host", at: now, into: &actions)
        }
      case .connected:
        raise(.connected, at: now, into: &actions)
      case .report(let report):
        unansweredSince = nil
        receive(report, at: now, into: &actions)
      case .problem(let problem):
        unansweredSince = nil
        log("\(problem)", at: now, into: &actions)
      case .lost(let reason):
        if state != .closed, state != .backingOff { fail(reason, at: now, into: &actions) }
      case .receiversClosed(let error):
        pendingCloses = max(0, pendingCloses - 1)
        if let error {
          let path = configuration.controlSocket ?? ""
          log(
            "gpsd's control socket \(path) cannot be used, so the receiver stays on for 60 s: \(error)", at: now,
            into: &actions)
        } else {
          use.tailEnded(at: now.uptime)
        }
      case .receiversReopened:
        // gpsd opens a receiver that it was given when it is asked to watch, and otherwise perhaps not for some seconds.
        if state.isWatching { askToWatch(at: now, into: &actions) }
      case .timer:
        systemTimer = nil
      case .mode(let mode):
        setMode(mode, at: now, into: &actions)
      case .managerTimer(let deadline):
        managerTimer = deadline
      case .errorBound(let isSet):
        guard isSet != hasErrorBound else { break }
        hasErrorBound = isSet
        scheduleCheck(at: now)
      case .stop:
        stop(at: now, into: &actions)
      }
    }

    private mutating func setMode(_ mode: ReceiverMode, at now: Now, into actions: inout [Action]) {
      guard mode != self.mode else { return }
      self.mode = mode
      scheduleCheck(at: now)
      guard mode == .gps else { return }
      failures = 0
      if isRunning { raise(.acquisitionBegan, at: now, into: &actions) }
    }

    private mutating func scheduleCheck(at now: Now) {
      checkEnd = nil
      nextCheck = mode == .significantChanges && !hasErrorBound ? now.uptime + configuration.checkInterval : nil
    }

    private mutating func stop(at now: Now, into actions: inout [Action]) {
      isRunning = false
      checkEnd = nil
      raise(.receiverUnwanted, at: now, into: &actions)
      if hasControlSocket, !receivers.isEmpty, mayBeOpen || pendingCloses > 0 {
        // What was asked for a moment ago may not have reached gpsd: asked twice, it does no harm.
        (mayBeOpen, pendingCloses) = (false, 0)
        actions.append(.closeReceiversNow(receivers.sorted()))
      }
      raise(.released, at: now, into: &actions)
      if let line = problems.summary() { actions.append(.log(line)) }
    }

    private mutating func receive(_ report: GPSDReport, at now: Now, into actions: inout [Action]) {
      switch report {
      case .version(let version):
        guard version.protocolMajor == 3 else {
          let reason = "\(place) speaks version \(version.protocolMajor) of its protocol, not 3"
          return fail(reason, at: now, into: &actions)
        }
        guard state == .greeting, greetedAt == nil else { break }
        greetedAt = now.uptime
        // Whatever a watch opens can be closed, even before gpsd has answered it.
        actions.append(.send("?DEVICES;\n"))
      case .devices(let devices):
        // What it has now comes before what it had.
        let known = receivers
        receivers = []
        for device in devices { note(device.path, at: now) }
        for path in known.sorted() { note(path, at: now) }
        files.formIntersection(receivers)
        if state == .greeting, greetedAt != nil {
          raise(.greeted, at: now, into: &actions)
        } else {
          setReceiverPresent(!devices.isEmpty, at: now, into: &actions)
        }
      case .device(let device):
        note(device.path, at: now)
        // gpsd says that a receiver is open before it has tried: only its fixes show that it is there.
        if state.isWatching, device.isActivated == false, silences == 0 {
          isEndKnown = true
          limitEnd = now.uptime + backOff(1, now)
        }
      case .fix(let fix):
        receive(fix, at: now, into: &actions)
      case .noise:
        if state.isWatching, let ended = assembler.add(report) { emit(ended, at: now, into: &actions) }
      case .error(let message):
        log("gpsd does not understand: \(message.printable)", at: now, into: &actions)
      case .watch, .sky, .poll, .other:
        break
      }
    }

    private mutating func receive(_ fix: GPSDReport.Fix, at now: Now, into actions: inout [Action]) {
      guard state.isWatching else { return }
      setReceiverPresent(true, at: now, into: &actions)
      if let lastFix { interval = max(min(now.uptime - lastFix, .seconds(6)), interval / 2) }
      lastFix = now.uptime
      silences = 0
      isEndKnown = false
      limitEnd = now.uptime + patience
      if fix.mode == .none || fix.mode == .unknown {
        if mode == .gps { actions.append(.report(.failure(.locationUnknown))) }
        return
      }
      // A connection that has given a fix was of use, however short it was.
      failures = 0
      if let ended = assembler.add(.fix(fix)) { emit(ended, at: now, into: &actions) }
      // Without a later epoch, this one ends when no more is said of it.
      epochEnd = now.uptime + .milliseconds(250)
    }
  }

  // MARK: - The machine

  extension GPSDCore {
    private mutating func raise(_ event: GPSDMachine.Event, at now: Now, into actions: inout [Action]) {
      let step = Self.table.step(from: state, on: event)
      guard step.kind != .ignored else { return }
      let from = state
      state = step.next
      // What was due of a receiver is due whether or not it is there.
      if step.kind == .external, !(from.isWatching && state.isWatching) { limitEnd = limit(at: now) }
      for effect in Self.table.effects(of: step) { act(effect, at: now, into: &actions) }
      let connection = connection
      guard connection != toldConnection else { return }
      toldConnection = connection
      for line in changes.lines(for: connection.description, at: now.uptime) { actions.append(.log(line)) }
      actions.append(.connectionChanged(connection))
    }

    /// When the present state's limit is over.
    private func limit(at now: Now) -> Duration? {
      switch state {
      case .connecting, .greeting: Self.table.deadline(in: state).map { now.uptime + $0.duration }
      case .watching, .withoutReceiver: now.uptime + .seconds(5)
      case .backingOff: now.uptime + backOff(failures, now)
      case .closed, .idle: nil
      }
    }

    private mutating func act(_ effect: GPSDMachine.Effect, at now: Now, into actions: inout [Action]) {
      switch effect {
      case .connect:
        greetedAt = nil
        actions.append(.connect)
      case .disconnect:
        greetedAt = nil
        actions.append(.disconnect)
      case .watch:
        mayBeOpen = true
        silences = 0
        isEndKnown = false
        lastFix = nil
        use.began(at: now.uptime)
        if hasErrorBound, !hasControlSocket, !hasToldOfTail {
          hasToldOfTail = true
          log(
            "gpsd keeps the receiver on for 60 s after each look, which leaves it on for most of a drive; it is closed at once "
              + "where the provider is given gpsd's control socket (gpsd's option -F)", at: now, into: &actions)
        }
        askToWatch(at: now, into: &actions)
      case .unwatch:
        endUse(at: now)
        actions.append(.send("?WATCH={\"enable\":false};\n"))
      case .endUse:
        // gpsd is gone, and the receiver with it; or the connection is, and gpsd closes the receiver after its time.
        endUse(at: now)
      }
    }

    private mutating func endUse(at now: Now) {
      epochEnd = nil
      assembler = GPSDFixAssembler()
      use.ended(at: now.uptime, tail: GPSDProvider.tail)
    }

    private mutating func askToWatch(at now: Now, into actions: inout [Action]) {
      unansweredSince = unansweredSince ?? now.uptime
      actions.append(.send("?WATCH={\"enable\":true,\"json\":true};\n"))
    }

    /// The connection is lost or was not made: tried again later, and later each time.
    private mutating func fail(_ reason: String, at now: Now, into actions: inout [Action]) {
      // A server that greets and closes is no better than one that refuses.
      if let greetedAt, now.uptime - greetedAt >= Self.usefulConnection { failures = 0 }
      failures += 1
      failure = reason
      raise(.failed, at: now, into: &actions)
      if let line = problems.summary() { actions.append(.log(line)) }
      if mode == .gps { actions.append(.report(.failure(.other(reason)))) }
    }

    /// Half a second, doubled each time, at most half a minute; up to half of it more by chance, so that clients that lost
    /// the same gpsd do not all come back at once.
    private func backOff(_ attempts: Int, _ now: Now) -> Duration {
      let base = min(0.5 * Double(1 << (min(attempts, 7) - 1)), 30)
      return .seconds(base * (1 + now.chance / 2))
    }

    /// How long a receiver may say nothing.
    ///
    /// gpsd often does not notice that a serial receiver is gone. Where it can be told, it soon is; otherwise asking is all
    /// that can be done, and may have gpsd 3.22 drop a receiver for good.
    private var patience: Duration {
      hasControlSocket ? max(.milliseconds(1_500), interval * 5 / 2) : .seconds(5)
    }

    private mutating func log(_ problem: @autoclosure () -> String, at now: Now, into actions: inout [Action]) {
      for line in problems.lines(for: problem(), at: now.uptime) { actions.append(.log(line)) }
    }
  }

  // MARK: - What is due

  extension GPSDCore {
    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
      guard isRunning else { return false }
      if let limitEnd, now.uptime >= limitEnd, endLimit(at: now, into: &actions) { return true }
      if let end = epochEnd, now.uptime >= end {
        epochEnd = nil
        if let location = assembler.end() { emit(location, at: now, into: &actions) }
        return true
      }
      if let end = checkEnd, now.uptime >= end { checkEnd = nil }
      if let time = nextCheck, now.uptime >= time {
        nextCheck = now.uptime + configuration.checkInterval
        checkEnd = now.uptime + configuration.policy.timeLimit
      }
      if wantsReceiver, state == .closed || state == .idle {
        raise(.receiverWanted, at: now, into: &actions)
        return true
      }
      if !wantsReceiver, state.isWatching {
        raise(.receiverUnwanted, at: now, into: &actions)
        return true
      }
      if !wantsReceiver { closeReceivers(into: &actions) }
      if mode == .off, state != .closed {
        raise(.released, at: now, into: &actions)
        return true
      }
      if let time = managerTimer, now.uptime >= time {
        managerTimer = nil
        actions.append(.report(.timer))
        return true
      }
      setTimer(into: &actions)
      return false
    }

    /// Whether something came of the end of the state's limit.
    private mutating func endLimit(at now: Now, into actions: inout [Action]) -> Bool {
      switch state {
      case .connecting: fail("\(place) does not answer", at: now, into: &actions)
      case .greeting: fail("\(place) does not say what it is", at: now, into: &actions)
      case .watching, .withoutReceiver: askAgain(at: now, into: &actions)
      case .backingOff:
        guard wantsReceiver else { return false }
        raise(.backOffEnded, at: now, into: &actions)
      case .closed, .idle: return false
      }
      return true
    }

    /// Nothing was heard of the receiver: gpsd does not open one again by itself.
    private mutating func askAgain(at now: Now, into actions: inout [Action]) {
      let present = receivers.filter { !files.contains($0) || now.files[$0] == .device }
      if present.isEmpty, !receivers.isEmpty {
        // Asked for a file that is not there, gpsd would drop the receiver.
        setReceiverPresent(false, at: now, into: &actions)
        limitEnd = now.uptime + .seconds(1)
        return
      }
      if let unansweredSince, now.uptime - unansweredSince >= .seconds(10) {
        return fail("\(place) has fallen silent", at: now, into: &actions)
      }
      silences += 1
      if hasControlSocket, !present.isEmpty {
        // gpsd takes two seconds to open a serial receiver, and longer to find its speed: it is not closed again soon.
        let isGone = silences == 1 && lastFix != nil && !isEndKnown
        let isStuck = silences >= 4 && silences & (silences - 1) == 0
        actions.append(.reopenReceivers(present.sorted(), closing: isGone || isStuck))
      } else {
        askToWatch(at: now, into: &actions)
      }
      if hasControlSocket || !files.isEmpty {
        // Within two seconds for a minute and a half, then every ten.
        limitEnd = now.uptime + .milliseconds(500) + backOff(silences > 50 ? 5 : min(silences, 2), now)
      } else {
        limitEnd = now.uptime + .seconds(4) + backOff(silences, now)
      }
    }

    /// Also where the connection was lost in between: the control socket has its own.
    private mutating func closeReceivers(into actions: inout [Action]) {
      guard mayBeOpen, hasControlSocket, !receivers.isEmpty else { return }
      mayBeOpen = false
      pendingCloses += 1
      actions.append(.closeReceivers(receivers.sorted()))
    }

    private mutating func setTimer(into actions: inout [Action]) {
      // A back-off that nobody waits for wakes nobody.
      let limit = state == .backingOff && !wantsReceiver ? nil : limitEnd
      let next = [managerTimer, limit, epochEnd, nextCheck, checkEnd].reduce(nil, earlier)
      guard next != systemTimer else { return }
      systemTimer = next
      actions.append(.setTimer(next))
    }
  }

  // MARK: - Receivers and fixes

  extension GPSDCore {
    /// Adds a path to the receivers, unless it cannot be one.
    private mutating func note(_ path: String, at now: Now) {
      guard Self.isReceiver(path, now.files[path]), receivers.contains(path) || receivers.count < Self.maximumReceivers
      else { return }
      receivers.insert(path)
      if now.files[path] == .device { files.insert(path) }
    }

    /// Whether a receiver is a file of this machine.
    func isFile(_ path: String) -> Bool {
      path.hasPrefix("/") && isLocal
    }

    /// Whether a path may be that of a receiver, which is written to the control socket: gpsd, with its rights, opens what it
    /// is given there, and a server that only claims to be gpsd may name any file.
    ///
    /// A network source has an address. A file is a device; one that is not there, or that this program does not see, has a
    /// device's path. Nothing in a path may end the command.
    private static func isReceiver(_ path: String, _ file: GPSDFile?) -> Bool {
      guard path.utf8.count <= 1_024, path.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
        return false
      }
      switch file {
      case .device: return true
      case .other: return false
      case nil: break
      }
      let isDevice = path.hasPrefix("/dev/") || !path.hasPrefix("/") && path.contains("://")
      return isDevice && !path.split(separator: "/").contains("..")
    }

    private mutating func setReceiverPresent(_ isPresent: Bool, at now: Now, into actions: inout [Action]) {
      guard state.isWatching else { return }
      let wasPresent = state == .watching
      raise(isPresent ? .receiverFound : .receiverMissing, at: now, into: &actions)
      guard !isPresent else { return }
      // gpsd has dropped what it had: the control socket gives it back.
      if hasControlSocket, silences == 0, !receivers.isEmpty { limitEnd = now.uptime + backOff(1, now) }
      if wasPresent, mode == .gps {
        actions.append(.report(.failure(.other(GPSDProvider.Connection.withoutReceiver.description))))
      }
    }

    private mutating func emit(_ location: Location, at now: Now, into actions: inout [Action]) {
      if checkEnd != nil {
        checkDistance(to: location, at: now, into: &actions)
      } else if mode == .gps {
        if isCoarse(location, at: now) { reference = location }
        actions.append(.report(.fixes([location])))
      }
    }

    private func isCoarse(_ location: Location, at now: Now) -> Bool {
      let policy = configuration.policy
      return location.hasValidCoordinate && location.hasValidAccuracy
        && location.horizontalAccuracy <= policy.acceptableAccuracy
        && abs(now.date.timeIntervalSince(location.timestamp)) <= policy.maximumAge.inSeconds
    }

    /// The one fix of a check.
    private mutating func checkDistance(to location: Location, at now: Now, into actions: inout [Action]) {
      guard isCoarse(location, at: now) else { return }
      checkEnd = nil
      if let reference, reference.distance(to: location) < GPSDProvider.significantDistance { return }
      // The reference stays until an acquisition has a fix: a change that comes to nothing is one at the next check too.
      actions.append(.report(.significantChange(location)))
    }
  }
#endif

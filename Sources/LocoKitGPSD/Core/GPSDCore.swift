#if os(Linux) || os(macOS)
  import LocoKit
  import LocoFoundation

  /// The decisions of ``GPSDProvider``, as a pure value that takes inputs and the time, and returns actions.
  ///
  /// The core raises facts as events, and the table of ``GPSDMachine`` decides how each state reacts to them.
  struct GPSDCore: CoreProtocol, Equatable, Sendable {
    struct Now: Equatable, Sendable {
      var uptime: Duration
      var date: Date
      /// A random number, 0..<1.
      var chance: Double
      /// The receivers' files on this machine, by path: those of the remembered receivers and of the receivers in the current report.
      var files: [String: GPSDFile]
    }

    enum Input: Equatable, Sendable {
      // From the system.
      case began
      case connected
      case report(GPSDReport)
      case problem(GPSDReader.Problem)
      /// The connection was closed or failed, or couldn't be made.
      case lost(reason: String)
      case receiversClosed(error: String?)
      case receiversReopened
      case timer

      // From the manager and the program.
      case plan(ReceiverPlan)
      /// The serving cell; `nil` without a modem.
      case cell(String?)
      /// Turns the receiver off and on again.
      case restart
      /// The task of ``GPSDProvider/run()`` was cancelled.
      case stop
    }

    enum Action: Equatable, Sendable {
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

    struct Configuration: Equatable, Sendable {
      var host: String
      var port: Int
      var controlSocket: String?
      var checkInterval: Duration
      var policy: AcquisitionPolicy
      /// Whether the receiver's time replaces the machine's.
      var usesReceiverTime: Bool

      /// The name of this gpsd in messages.
      var place: String { "gpsd at \(host):\(port)" }

      /// Whether the control socket may be used: a socket on this machine can't close the receivers of another machine.
      var hasControlSocket: Bool { controlSocket != nil && isLocal }

      /// Whether gpsd is known to run on this machine, because its host is a loopback address. `127.example.com` isn't one.
      var isLocal: Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1"
          || host.hasPrefix("127.") && host.unicodeScalars.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
      }

      /// Returns whether a receiver's path is that of a file on this machine.
      func isFile(_ path: String) -> Bool { path.hasPrefix("/") && isLocal }
    }

    struct Logs: Equatable, Sendable {
      var changes = GPSDLog(limit: 30)
      var problems = GPSDLog(limit: 10)
      /// Whether the cost of looks without a control socket was logged.
      var hasAdvised = false
      /// What has been logged about the receiver's data: each problem is logged once.
      var faults: Set<Fault> = []
    }

    /// What is logged about a receiver's data, once.
    enum Fault: Equatable, Sendable {
      case noPosition, noTime, noAccuracy, otherTime, usedTime
    }

    private static let table = TransitionTable<GPSDMachine>()
    /// The minimum age of a connection whose failure restarts the back-off with the shortest delay.
    private static let usefulConnection = Duration.seconds(10)

    let configuration: Configuration
    private(set) var phase = GPSDPhase.closed
    /// The number of failures since the back-off was reset.
    private var failures = 0
    /// The reasons of the failures that the manager has received since the receiver was turned on or delivered a fix. The manager counts
    /// errors, and a gpsd that starts later would find no acquisition.
    private var reportedFailures: Set<String> = []
    private(set) var receivers: GPSDReceivers
    private var check: GPSDMovementCheck
    private var cells = GPSDCells()
    private var source = GPSDSource()
    private var logs = Logs()
    /// The receiver's time minus the machine's, in seconds, if the receiver's is used.
    private(set) var clockOffset: TimeInterval = 0
    private(set) var clockError: ClockError?
    private(set) var use = ReceiverUse()
    /// The manager's plan, without a timer that has fired.
    private(set) var plan = ReceiverPlan()
    /// Whether the program runs the provider.
    private(set) var isRunning = false
    private var systemTimer: Duration?

    init(_ configuration: Configuration) {
      self.configuration = configuration
      receivers = GPSDReceivers(hasControlSocket: configuration.hasControlSocket)
      check = GPSDMovementCheck(every: configuration.checkInterval, policy: configuration.policy)
    }

    var state: GPSDMachine.State { phase.state }
    private var wantsReceiver: Bool { plan.mode == .gps || check.isOn }

    // MARK: - Inputs

    mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
      let now = corrected(now)
      switch input {
      case .began: begin(at: now, into: &actions)
      case .connected: raise(.connected, at: now, into: &actions)
      case .report(let report):
        phase.session?.hear()
        receive(report, at: now, into: &actions)
      case .problem(let problem):
        phase.session?.hear()
        logs.problems.add("\(problem)", at: now.uptime, into: &actions)
      case .lost(let reason): raise(.failed, because: reason, at: now, into: &actions)
      case .receiversClosed(let error): endClose(error, at: now, into: &actions)
      case .receiversReopened: raise(.receiversReopened, at: now, into: &actions)
      case .timer: systemTimer = nil
      case .plan(let plan): apply(plan, at: now, into: &actions)
      case .cell(let name): receive(cell: name, at: now, into: &actions)
      case .restart: close(at: now, into: &actions)
      case .stop: stop(at: now, into: &actions)
      }
    }

    private mutating func begin(at now: Now, into actions: inout [Action]) {
      // The system loses the timer when a run ends.
      (isRunning, systemTimer) = (true, nil)
      guard let socket = configuration.controlSocket, !configuration.isLocal else { return }
      let line =
        "gpsd's control socket \(socket) is not used, because \(configuration.place) is not known to run on this "
        + "machine; if it does, use localhost as its host"
      logs.problems.add(line, at: now.uptime, into: &actions)
    }

    private mutating func endClose(_ error: String?, at now: Now, into actions: inout [Action]) {
      receivers.endClose()
      guard let error else { return use.tailEnded(at: now.uptime) }
      let socket = configuration.controlSocket ?? ""
      let line = "closing through gpsd's control socket \(socket) failed; the receiver may stay on for 60 s: \(error)"
      logs.problems.add(line, at: now.uptime, into: &actions)
    }

    /// Passes a cell to a manager with an error bound. Without one, the cells replace the checks for movement.
    private mutating func receive(cell name: String?, at now: Now, into actions: inout [Action]) {
      let wereReported = cells.areReported
      cells.report(name)
      if let name { actions.append(.report(.wake(.cell(name)))) }
      if cells.areReported != wereReported { scheduleCheck(at: now) }
    }

    /// Whether the provider reports significant changes: with an error bound, the manager schedules its looks itself.
    private var reportsChanges: Bool { plan.mode == .significantChanges && plan.errorBound == nil }

    private mutating func scheduleCheck(at now: Now) {
      check.schedule(isWanted: reportsChanges && !cells.areReported, at: now.uptime)
    }

    private mutating func apply(_ new: ReceiverPlan, at now: Now, into actions: inout [Action]) {
      let old = plan
      plan = new
      // A change within an acquisition precedes its end, which counts.
      if old.mode == .gps {
        cells.endAcquisition(at: now.uptime, cooldown: configuration.policy.cooldown)
      }
      if new.mode != old.mode || (new.errorBound == nil) != (old.errorBound == nil) { scheduleCheck(at: now) }
      guard new.mode == .gps, old.mode != .gps else { return }
      (failures, reportedFailures) = (0, [])
      raise(.retryDue, at: now, into: &actions)
    }

    private mutating func stop(at now: Now, into actions: inout [Action]) {
      isRunning = false
      check.stop()
      close(at: now, into: &actions)
      logs.problems.summarize(into: &actions)
    }

    /// Turns the receiver off, and disconnects.
    private mutating func close(at now: Now, into actions: inout [Action]) {
      raise(.receiverUnwanted, at: now, into: &actions)
      if isRunning {
        if let paths = receivers.beginClose(now.files) { actions.append(.closeReceivers(paths)) }
      } else if let paths = receivers.beginLastClose(now.files) {
        actions.append(.closeReceiversNow(paths))
      }
      raise(.released, at: now, into: &actions)
    }

    // MARK: - Deadlines

    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
      let now = corrected(now)
      guard isRunning else { return false }
      if settlePhase(at: now, into: &actions) { return true }
      check.advance(to: now.uptime)
      if settleDemand(at: now, into: &actions) { return true }
      if let time = plan.timer, now.uptime >= time {
        plan.timer = nil
        actions.append(.report(.wake(.timer)))
        return true
      }
      if reportsChanges, cells.change(at: now.uptime) {
        actions.append(.report(.wake(.significantChange(nil))))
        return true
      }
      let watch = phase.watch
      let change = reportsChanges ? cells.due : nil
      let next = [plan.timer, stateEnd, watch?.silenceEnd, watch?.epochEnd, check.due, change].reduce(nil, earlier)
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

    /// Raises the event that says whether the manager or the movement check wants the receiver. Returns whether the event did
    /// something.
    private mutating func settleDemand(at now: Now, into actions: inout [Action]) -> Bool {
      if wantsReceiver { return raise(.receiverWanted, at: now, into: &actions) }
      if let paths = receivers.beginClose(now.files) { actions.append(.closeReceivers(paths)) }
      return raise(plan.mode == .off ? .released : .receiverUnwanted, at: now, into: &actions)
    }

    /// The time when the machine's deadline ends the state. A back-off sets no timer while the receiver isn't wanted.
    private var stateEnd: Duration? { state == .backingOff && !wantsReceiver ? nil : phase.end }

    // MARK: - The table

    /// Raises an event: looks it up in the table, changes the phase, and appends the actions.
    ///
    /// - Parameter reason: Why the connection failed, if the event is `failed`.
    /// - Returns: Whether the event does something in the current state.
    @discardableResult
    private mutating func raise(
      _ event: GPSDMachine.Event, because reason: String = "", at now: Now, into actions: inout [Action]
    ) -> Bool {
      guard let step = Self.table.transition(from: state, on: event) else { return false }
      let connection = phase.connection
      if step.kind == .external { enter(step.next, because: reason, at: now, into: &actions) }
      for effect in Self.table.effects(of: step) { perform(effect, at: now, into: &actions) }
      if phase.connection != connection {
        logs.changes.add(phase.connection.description, at: now.uptime, into: &actions)
        actions.append(.connectionChanged(phase.connection))
      }
      if step.kind == .external, state == .backingOff {
        logs.problems.summarize(into: &actions)
        reportFailure(reason, into: &actions)
      }
      return true
    }

    private mutating func enter(
      _ state: GPSDMachine.State, because reason: String, at now: Now, into actions: inout [Action]
    ) {
      if phase.watch != nil, !state.isWatching {
        // gpsd closes the receiver after the tail. The tail counts even if gpsd is gone.
        use.ended(at: now.uptime, tail: GPSDProvider.tail)
        receivers.endWatch()
      }
      let session = phase.session ?? GPSDPhase.Session(identifiedAt: phase.identifiedAt)
      switch state {
      case .closed: phase = .closed
      case .connecting: phase = .connecting(end: Self.table.end(of: state, from: now.uptime))
      case .greeting: phase = .greeting(end: Self.table.end(of: state, from: now.uptime), identifiedAt: nil)
      case .idle: phase = .open(session, nil)
      case .watching, .withoutReceiver:
        var watch = watch(at: now, into: &actions)
        watch.hasReceiver = state == .watching
        phase = .open(session, watch)
      case .backingOff:
        // The connection's age counts from gpsd's version, because a connection on which gpsd says nothing isn't useful.
        let isUseful = phase.identifiedAt.map { now.uptime - $0 >= Self.usefulConnection } ?? false
        failures = isUseful ? 1 : failures + 1
        let delay = GPSDBackOff.delay(after: failures, chance: now.chance)
        phase = .backingOff(end: Self.table.end(of: state, from: now.uptime, setting: delay), reason: reason)
      }
    }

    private mutating func watch(at now: Now, into actions: inout [Action]) -> GPSDWatch {
      if let watch = phase.watch { return watch }
      receivers.beginWatch()
      source.beginWatch(at: now.uptime)
      use.began(at: now.uptime)
      if plan.errorBound != nil, !receivers.hasControlSocket, !logs.hasAdvised {
        logs.hasAdvised = true
        let line =
          "gpsd keeps the receiver on for 60 s after each look, and so for most of a drive; give the provider gpsd's "
          + "control socket (gpsd's option -F) to close the receiver immediately"
        logs.problems.add(line, at: now.uptime, into: &actions)
      }
      return GPSDWatch(at: now.uptime)
    }

    private mutating func perform(_ effect: GPSDMachine.Effect, at now: Now, into actions: inout [Action]) {
      switch effect {
      case .connect: actions.append(.connect)
      case .disconnect: actions.append(.disconnect)
      case .listReceivers:
        phase.identify(at: now.uptime)
        // The names are needed to close the receivers, even if gpsd never answers the watch.
        actions.append(.send("?DEVICES;\n"))
      case .watch: requestWatch(at: now, into: &actions)
      case .unwatch: actions.append(.send("?WATCH={\"enable\":false};\n"))
      }
    }

    private mutating func requestWatch(at now: Now, into actions: inout [Action]) {
      phase.session?.ask(at: now.uptime)
      actions.append(.send("?WATCH={\"enable\":true,\"json\":true};\n"))
    }

    /// Raises the event of the machine's deadline.
    private mutating func endState(at now: Now, into actions: inout [Action]) {
      guard let deadline = Self.table.deadline(in: state) else { return }
      let failure = state == .greeting ? "does not send its version and receivers" : "does not answer"
      raise(deadline.input, because: "\(configuration.place) \(failure)", at: now, into: &actions)
    }

    /// Handles a timeout of the receiver's reports.
    private mutating func answerSilence(at now: Now, into actions: inout [Action]) {
      let unansweredSince = phase.session?.unansweredSince
      switch phase.watch?.answerSilence(of: receivers, unansweredSince: unansweredSince, at: now) {
      case .fileIsGone: raisePresence(false, at: now, into: &actions)
      case .gpsdIsSilent: raise(.failed, because: "\(configuration.place) has fallen silent", at: now, into: &actions)
      case .ask: requestWatch(at: now, into: &actions)
      case .reopen(let paths, let closing): actions.append(.reopenReceivers(paths, closing: closing))
      case nil: break
      }
    }

    // MARK: - gpsd's reports

    private mutating func receive(_ report: GPSDReport, at now: Now, into actions: inout [Action]) {
      switch report {
      case .version(let protocolMajor): receive(protocolMajor, at: now, into: &actions)
      case .devices(let devices):
        receivers.list(devices.map(\.path), now.files)
        for device in devices { receivers.note(device) }
        // A list before the version isn't a greeting.
        if state != .greeting || phase.identifiedAt != nil { raise(.greeted, at: now, into: &actions) }
        raisePresence(!devices.isEmpty, at: now, into: &actions)
        if devices.isEmpty, receivers.hasControlSocket, !receivers.paths.isEmpty { phase.watch?.hearLoss(at: now) }
      case .device(let device):
        receivers.add(device.path, now.files[device.path])
        receivers.note(device)
        if device.isActivated == false { phase.watch?.hearEnd(at: now) }
      case .fix(let fix): receive(receivers.marked(fix), at: now, into: &actions)
      case .noise(let noise):
        guard source.followed == nil || source.followed == noise.device ?? "" else { break }
        if let ended = phase.watch?.assembler.add(report) { emit(ended, at: now, into: &actions) }
      case .error(let message):
        logs.problems.add("gpsd does not understand: \(message.printable)", at: now.uptime, into: &actions)
      case .other: break
      }
    }

    private mutating func receive(_ protocolMajor: Int, at now: Now, into actions: inout [Action]) {
      guard protocolMajor == 3 else {
        let reason = "\(configuration.place) speaks version \(protocolMajor) of its protocol, not 3"
        raise(.failed, because: reason, at: now, into: &actions)
        return
      }
      // A repeated version doesn't repeat the request for the receivers.
      if state != .greeting || phase.identifiedAt == nil { raise(.identified, at: now, into: &actions) }
    }

    private mutating func receive(_ fix: GPSDReport.Fix, at now: Now, into actions: inout [Action]) {
      raisePresence(true, at: now, into: &actions)
      guard phase.watch != nil else { return }
      if let last = phase.watch?.lastReport { receivers.report(after: now.uptime - last) }
      phase.watch?.hear(at: now.uptime, patience: receivers.patience)
      if source.lacksPosition(fix, at: now.uptime) { note(.noPosition, of: fix.device, at: now, into: &actions) }
      let followed = source.followed
      guard source.follows(fix, at: now.uptime) else { return }
      if let device = source.followed, device != followed {
        logs.changes.add("the fixes of \(device) are used", at: now.uptime, into: &actions)
      }
      guard fix.isPositioned else {
        if plan.mode == .gps { actions.append(.report(.failure(.locationUnknown))) }
        return
      }
      // A fix resets the back-off, however short the connection is.
      if fix.hasPosition { (failures, reportedFailures) = (0, []) }
      let now = compareClocks(fix, at: now, into: &actions)
      guard let timed = source.timed(fix, at: now) else { return }
      if source.isUntimed(at: now.uptime) { note(.noTime, at: now, into: &actions) }
      if let ended = phase.watch?.add(timed, at: now.uptime) { emit(ended, at: now, into: &actions) }
    }

    // MARK: - Faults of the receiver

    private func corrected(_ now: Now) -> Now {
      var now = now
      now.date += clockOffset
      return now
    }

    /// A receiver's time that differs from the clock.
    struct ClockError: Equatable, Sendable {
      let seconds: TimeInterval
      let since: Duration
      var last: Duration
    }

    /// Compares the receiver's time with the machine's. Returns the time by the clock that is used.
    ///
    /// Only a difference that stays the same for five seconds, in fixes that follow each other within five seconds, is the clock's. Fixes that
    /// waited in the connection are late too, each by another time, and a receiver's first date may be wrong. Once the receiver's time is used,
    /// a lag of a second counts: a receiver whose leap seconds were old may have corrected itself.
    private mutating func compareClocks(_ fix: GPSDReport.Fix, at now: Now, into actions: inout [Action]) -> Now {
      guard let time = fix.time else { return now }
      let difference = time.timeIntervalSince(now.date)
      let tolerance = clockOffset == 0 ? configuration.policy.maximumAge.inSeconds : 1
      guard time.isAhead(of: now.date) || difference < -tolerance else {
        clockError = nil
        return now
      }
      guard let error = clockError, abs(error.seconds - difference) < 2, now.uptime - error.last <= .seconds(5) else {
        clockError = ClockError(seconds: difference, since: now.uptime, last: now.uptime)
        return now
      }
      clockError?.last = now.uptime
      guard now.uptime - error.since >= .seconds(5) else { return now }
      clockError = nil
      guard configuration.usesReceiverTime else {
        note(.otherTime, at: now, into: &actions)
        return now
      }
      clockOffset += difference
      note(.usedTime, at: now, into: &actions)
      var now = now
      now.date += difference
      return now
    }

    /// Logs a fault, once.
    private mutating func note(
      _ fault: Fault, of device: String? = nil, at now: Now, into actions: inout [Action]
    ) {
      guard logs.faults.insert(fault).inserted else { return }
      let device = (device ?? source.followed ?? "").printable
      let binary = "or switch it to its binary protocol with gpsctl -b"
      let line =
        switch fault {
        case .noPosition:
          "\(device) has a fix, but sends no position; turn on the receiver's sentence GGA, RMC or GLL, \(binary)"
        case .noTime:
          "\(device) sends positions without a time, so the times of their arrival are used; turn on the receiver's sentence RMC "
            + "or ZDA, \(binary)"
        case .noAccuracy:
          "\(device) sends positions without an accuracy, which are rejected; turn on the receiver's sentence GGA or GSA, \(binary)"
        case .otherTime:
          "the time of \(device) differs from this machine's clock, so its fixes are rejected as stale or futureDated; set the "
            + "clock, or use the receiver's time (usesReceiverTime; with the tracker, RECEIVER_TIME=yes)"
        case .usedTime:
          "the time of \(device) differs from this machine's clock by \(Int(clockOffset)) s, and is used; if the receiver's date is wrong, "
            + "don't use it (usesReceiverTime; with the tracker, RECEIVER_TIME=no)"
        }
      logs.problems.add(line, at: now.uptime, into: &actions)
    }

    /// Raises `receiverFound` or `receiverMissing`, and reports to an acquisition that the receiver is missing.
    private mutating func raisePresence(_ isPresent: Bool, at now: Now, into actions: inout [Action]) {
      let isNew = raise(isPresent ? .receiverFound : .receiverMissing, at: now, into: &actions)
      if !isPresent, isNew { reportFailure(GPSDProvider.Connection.withoutReceiver.description, into: &actions) }
    }

    /// Reports a failure to an acquisition, once for each reason.
    private mutating func reportFailure(_ reason: String, into actions: inout [Action]) {
      // A server's texts may all differ.
      guard plan.mode == .gps, reportedFailures.count < 16, reportedFailures.insert(reason).inserted else { return }
      actions.append(.report(.failure(.other(reason))))
    }

    /// Passes a location to the current movement check or acquisition; drops it if there is neither.
    private mutating func emit(_ location: Location, at now: Now, into actions: inout [Action]) {
      if source.lacksAccuracy(location) { note(.noAccuracy, at: now, into: &actions) }
      if check.isOn {
        guard check.judge(location, at: now.date) else { return }
        // The report omits the location: the manager might deliver it instead of acquiring one, and then the reference would stay.
        actions.append(.report(.wake(.significantChange(nil))))
      } else if plan.mode == .gps {
        if check.note(location, at: now.date) { cells.locate() }
        actions.append(.report(.fixes([location])))
      }
    }
  }
#endif

#if os(Linux) || os(macOS)
  public import Foundation

  /// A real GPS receiver on Linux or macOS, through gpsd.
  ///
  /// ```swift
  /// let provider = GPSDProvider()
  /// let manager = LocationManager(provider: provider)
  /// manager.listeners.add(self)
  /// manager.tryPromptAuthorization()
  /// try await provider.run()
  /// ```
  ///
  /// The actor that made the provider awaits ``run()``; all reports come there, between other things that the actor does.
  /// Before it nothing is on, and after it nothing is.
  ///
  /// **The receiver really goes off.** While the manager wants fixes the provider watches; otherwise it does not, and gpsd
  /// closes a receiver that nobody watches after 60 s. Where ``controlSocket`` is given and may be written, it is closed at
  /// once: the provider takes the receiver away from gpsd and gives it back, which leaves it closed until somebody watches;
  /// another program that watches at the same time gets it back with a break. Either is counted in ``receiverOnTime``.
  ///
  /// **There are no cell towers.** While the manager waits for a significant change, the provider looks by itself: every
  /// ``checkInterval`` it turns the receiver on for one coarse fix, and reports a change if that is 500 m or more from the
  /// last one. An app that knows better calls ``reportSignificantChange()``.
  ///
  /// **Faults** end by themselves: gpsd that is away or silent is asked again, after half a second at first and three
  /// quarters of a minute at most. A receiver that was unplugged is asked for again, which gpsd does not do by itself; given
  /// the control socket, the provider also returns it to gpsd, which drops a receiver that it cannot open. The article
  /// *Running on Linux* says how long that takes, and what holds without a control socket. ``connection`` says what is.
  public final class GPSDProvider: LocationProvider {
    /// What the provider has with gpsd.
    public enum Connection: Hashable, Sendable, CustomStringConvertible {
      /// Nothing is wanted of it.
      case closed
      /// It is being connected to, for half a minute at most, or has not yet said what it is, for five seconds.
      case connecting
      /// It is there, and the receiver is not wanted.
      case open
      /// The receiver is wanted.
      case watching
      /// It is there, and has no receiver.
      case withoutReceiver
      /// It is not there, and will be tried again.
      case failed(reason: String)

      /// A sentence for a log.
      public var description: String {
        switch self {
        case .closed: "not connected to gpsd"
        case .connecting: "connecting to gpsd"
        case .open: "connected to gpsd, the receiver is not wanted"
        case .watching: "watching gpsd's receiver"
        case .withoutReceiver: "gpsd has no receiver; add one with 'gpsdctl add /dev/…', or start gpsd with it"
        case .failed(let reason): reason
        }
      }
    }

    /// Where gpsd listens.
    public let host: String
    /// The port on which gpsd listens.
    public let port: Int
    /// The path of gpsd's control socket, which gpsd was given by `-F`.
    public let controlSocket: String?
    /// How often the provider looks where it is while a significant change is awaited. More than 0, at most a day.
    public let checkInterval: Duration
    /// Set by the manager.
    public var onReport: ((ProviderReport) -> Void)?
    /// Told of every change of ``connection``.
    public var onConnectionChange: ((Connection) -> Void)?
    /// Told, for a log, of every change of the connection, and of what gpsd said that was of no use. Holds no location and no
    /// control characters. Gets at most 30 changes and 10 other lines a minute; the rest are counted, and their number logged.
    public var log: ((String) -> Void)?
    /// What the provider has with gpsd.
    public private(set) var connection = Connection.closed
    /// What the manager wants of the receiver.
    public private(set) var mode = ReceiverMode.off

    /// How far from the last fix a significant change is, in metres: as with Apple's.
    public static let significantDistance = 500.0
    /// How long gpsd keeps a receiver open that nobody watches.
    public static let tail = Duration.seconds(60)
    /// How many receivers are known at most; gpsd has room for a few.
    static let maximumReceivers = 16
    /// How long a connection must have stood for the back-off to begin anew.
    static let usefulConnection = Duration.seconds(10)

    private let system: any GPSDSystem
    private var reader = GPSDReader()
    private var fixes = GPSDFixes()
    private var use = ReceiverUse()
    private var isRunning = false

    // What is with gpsd now.
    private enum Link {
      case closed, opening, greeting, open
    }
    private var link = Link.closed
    private var isWatching = false
    /// When gpsd has greeted.
    private var openSince: Duration?
    private var failures = 0
    /// When gpsd was asked what it has not yet answered.
    private var unansweredSince: Duration?
    private var changes = LogBudget(lines: 30)
    private var problems = LogBudget(lines: 10)

    // What is with the receivers.
    /// What gpsd has named, and may have dropped since.
    private var receivers: Set<String> = []
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
    /// How long the receiver takes between two reports, for some time after it took so long.
    private var interval = Duration.zero

    // What runs out.
    private var timer: Duration?
    private var retry: Duration?
    private var linkLimit: Duration?
    private var silence: Duration?
    private var epochEnd: Duration?
    private var check: Duration?
    private var checkEnd: Duration?
    private var reference: Location?

    /// A provider for the gpsd that listens at a host and a port.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: 1…65535.
    ///   - controlSocket: The path that gpsd was given by `-F`, to close the receiver at once; `nil` leaves that to gpsd.
    ///   - checkInterval: How often to look for a significant change. More than 0, at most a day.
    public convenience init(
      host: String = "localhost", port: Int = 2947, controlSocket: String? = nil,
      checkInterval: Duration = .seconds(300)
    ) {
      self.init(
        host: host, port: port, controlSocket: controlSocket, checkInterval: checkInterval,
        system: SocketSystem(host: host, port: port, controlSocket: controlSocket))
    }

    init(
      host: String = "localhost", port: Int = 2947, controlSocket: String? = nil,
      checkInterval: Duration = .seconds(300), system: any GPSDSystem
    ) {
      precondition((1...65_535).contains(port), "A port is a number from 1 to 65535.")
      precondition(
        checkInterval > .zero && checkInterval <= .seconds(86_400),
        "The check interval is more than 0 and at most a day.")
      self.host = host
      self.port = port
      self.controlSocket = controlSocket
      self.checkInterval = checkInterval
      self.system = system
    }
  }

  @available(*, unavailable)
  extension GPSDProvider: Sendable {}

  // MARK: - What the owner does

  extension GPSDProvider {
    /// Serves the manager until the task is cancelled; then closes the connection and the receiver.
    ///
    /// Call it where the provider was made, in one task at a time.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which is the only way to end it.
    public func run() async throws {
      precondition(!isRunning, "A provider runs in one task at a time.")
      await system.run { take($0) }
      stop()
      throw CancellationError()
    }

    /// Says that the device has moved, where the app knows it: by an odometer, an ignition line or a modem's cell.
    ///
    /// The manager begins an acquisition, if it waits for a significant change and the cool-down of its policy is over.
    public func reportSignificantChange() {
      guard mode == .significantChanges else { return }
      onReport?(.significantChange(nil))
    }

    /// How long the receiver has been on for this provider, as far as gpsd tells: while it was watched, and the 60 s in which
    /// gpsd keeps it open afterwards where it was not closed through the control socket.
    public var receiverOnTime: Duration { use.total(at: system.uptime) }

    func stop() {
      isRunning = false
      checkEnd = nil
      if isWatching { unwatch() }
      if controlSocket != nil, !receivers.isEmpty, mayBeOpen || pendingCloses > 0 {
        // What was asked for a moment ago may not have reached gpsd: asked twice, it does no harm.
        (mayBeOpen, pendingCloses) = (false, 0)
        take(system.closeReceiversNow(receivers.sorted()))
      }
      system.close()
      link = .closed
      openSince = nil
      retry = nil
      linkLimit = nil
      change(to: .closed)
      if let line = problems.summary() { log?(line) }
    }
  }

  // MARK: - What the manager asks for

  extension GPSDProvider {
    /// How long the system has been running, asleep or awake.
    public var uptime: Duration { system.uptime }
    /// What the clock on the wall says.
    public var date: Date { system.date }
    /// Nobody has to allow it.
    public var authorization: Authorization { .always }
    /// For receivers without assistance data: half a minute before the first fix is usual.
    public var recommendedPolicy: AcquisitionPolicy { .standaloneReceiver }

    /// Reports that it is allowed.
    public func requestAuthorization() {
      onReport?(.authorization(.always))
    }

    /// Turns on what `mode` says, and all else off.
    public func setMode(_ mode: ReceiverMode) {
      guard mode != self.mode else { return }
      self.mode = mode
      checkEnd = nil
      check = mode == .significantChanges ? system.uptime + checkInterval : nil
      if mode == .gps {
        // The app has waited for this: what failed before is tried at once.
        retry = nil
        failures = 0
      }
      settle()
    }

    /// Reports ``ProviderReport/timer`` when the time has come.
    public func setTimer(_ deadline: Duration?) {
      timer = deadline
      setSystemTimer()
    }

    private var wantsReceiver: Bool { mode == .gps || checkEnd != nil }
  }

  // MARK: - The connection

  extension GPSDProvider {
    /// Something that the system has to say.
    func take(_ event: GPSDEvent) {
      let now = system.uptime
      switch event {
      case .began:
        isRunning = true
      case .connected:
        guard link == .opening else { break }
        unansweredSince = nil
        link = .greeting
        linkLimit = now + .seconds(5)
      case .bytes(let bytes):
        unansweredSince = nil
        for output in reader.read(bytes) { take(output) }
      case .closed(let reason):
        if link != .closed { fail(reason) }
      case .timer:
        break
      case .receiversClosed(let error):
        pendingCloses = max(0, pendingCloses - 1)
        if let error {
          logProblem(
            "gpsd's control socket \(controlSocket ?? "") cannot be used, so the receiver stays on for 60 s: \(error)")
        } else {
          use.tailEnded(at: now)
        }
      case .receiversReopened:
        // gpsd opens a receiver that it was given when it is asked to watch, and otherwise perhaps not for some seconds.
        if isWatching { askToWatch() }
      }
      guard isRunning else { return }
      runOut()
      settle()
    }

    /// What has run out, whichever timer fired: whether a time has come is read.
    private func runOut() {
      let now = system.uptime
      if let limit = linkLimit, now >= limit {
        fail("gpsd at \(host):\(port) " + (link == .opening ? "does not answer" : "does not say what it is"))
      }
      if let limit = epochEnd, now >= limit { endEpoch() }
      if let limit = silence, now >= limit { askAgain() }
      if let limit = checkEnd, now >= limit { checkEnd = nil }
      if let time = check, now >= time {
        check = now + checkInterval
        checkEnd = now + recommendedPolicy.timeLimit
      }
      if let time = retry, now >= time { retry = nil }
      if let time = timer, now >= time {
        timer = nil
        onReport?(.timer)
      }
    }

    /// Makes what is with gpsd what is wanted.
    private func settle() {
      guard isRunning else { return }
      switch link {
      case .closed where wantsReceiver && retry == nil:
        reader = GPSDReader()
        link = .opening
        // A look-up takes some seconds where a name server is down, and each address that does not answer some more.
        linkLimit = system.uptime + .seconds(30)
        change(to: .connecting)
        system.connect()
      case .open where wantsReceiver && !isWatching:
        watch()
      case .open where !wantsReceiver && isWatching:
        unwatch()
        change(to: .open)
      default:
        break
      }
      if !wantsReceiver { closeReceivers() }
      if mode == .off, link != .closed {
        system.close()
        link = .closed
        openSince = nil
        linkLimit = nil
      }
      if mode == .off {
        retry = nil
        change(to: .closed)
      }
      setSystemTimer()
    }

    private func watch() {
      let now = system.uptime
      isWatching = true
      mayBeOpen = true
      silence = now + .seconds(5)
      silences = 0
      isEndKnown = false
      lastFix = nil
      use.began(at: now)
      askToWatch()
      change(to: .watching)
    }

    private func askToWatch() {
      unansweredSince = unansweredSince ?? system.uptime
      send("?WATCH={\"enable\":true,\"json\":true};\n")
    }

    private func unwatch() {
      isWatching = false
      silence = nil
      epochEnd = nil
      fixes = GPSDFixes()
      use.ended(at: system.uptime, tail: Self.tail)
      send("?WATCH={\"enable\":false};\n")
    }

    /// Also where the connection was lost in between: the control socket has its own.
    private func closeReceivers() {
      guard mayBeOpen, controlSocket != nil, !receivers.isEmpty else { return }
      mayBeOpen = false
      pendingCloses += 1
      system.closeReceivers(receivers.sorted())
    }

    private func send(_ line: String) {
      system.send(Array(line.utf8))
    }

    /// The connection is lost or was not made: tried again later, and later each time.
    private func fail(_ reason: String) {
      system.close()
      link = .closed
      linkLimit = nil
      silence = nil
      epochEnd = nil
      if isWatching {
        isWatching = false
        // gpsd is gone, and the receiver with it; or the connection is, and gpsd closes the receiver after its time.
        use.ended(at: system.uptime, tail: Self.tail)
      }
      // A server that greets and closes is no better than one that refuses.
      if let openSince, system.uptime - openSince >= Self.usefulConnection { failures = 0 }
      openSince = nil
      failures += 1
      retry = system.uptime + backOff(failures)
      change(to: .failed(reason: reason))
      if let line = problems.summary() { log?(line) }
      if mode == .gps { onReport?(.failure(.other(reason))) }
    }

    /// Half a second, doubled each time, at most half a minute; up to half of it more by chance, so that clients that lost
    /// the same gpsd do not all come back at once.
    private func backOff(_ attempts: Int) -> Duration {
      let base = min(0.5 * Double(1 << (min(attempts, 7) - 1)), 30)
      return .seconds(base * (1 + system.chance() / 2))
    }

    /// How long a receiver may say nothing.
    ///
    /// gpsd often does not notice that a serial receiver is gone. Where it can be told, it soon is; otherwise asking is all
    /// that can be done, and may have gpsd 3.22 drop a receiver for good.
    private var patience: Duration {
      controlSocket == nil ? .seconds(5) : max(.milliseconds(1_500), interval * 5 / 2)
    }

    /// Nothing was heard of the receiver: gpsd does not open one again by itself.
    private func askAgain() {
      let now = system.uptime
      let present = receivers.filter { !files.contains($0) || system.hasFile($0) }
      if present.isEmpty, !receivers.isEmpty {
        // Asked for a file that is not there, gpsd would drop the receiver.
        hasReceivers(false)
        silence = now + .seconds(1)
        return
      }
      if let unansweredSince, now - unansweredSince >= .seconds(10) {
        return fail("gpsd at \(host):\(port) has fallen silent")
      }
      silences += 1
      if controlSocket != nil, !present.isEmpty {
        // gpsd takes two seconds to open a serial receiver, and longer to find its speed: it is not closed again soon.
        let isGone = silences == 1 && lastFix != nil && !isEndKnown
        let isStuck = silences >= 4 && silences & (silences - 1) == 0
        system.reopenReceivers(present.sorted(), closing: isGone || isStuck)
      } else {
        askToWatch()
      }
      if controlSocket != nil || !files.isEmpty {
        // Within two seconds for a minute and a half, then every ten.
        silence = now + .milliseconds(500) + backOff(silences > 50 ? 5 : min(silences, 2))
      } else {
        silence = now + .seconds(4) + backOff(silences)
      }
    }

    private func change(to new: Connection) {
      guard new != connection else { return }
      connection = new
      for line in changes.lines(for: new.description, at: system.uptime) { log?(line) }
      onConnectionChange?(new)
    }

    private func logProblem(_ problem: @autoclosure () -> String) {
      for line in problems.lines(for: problem(), at: system.uptime) { log?(line) }
    }

    private func setSystemTimer() {
      let times = [timer, retry, linkLimit, silence, epochEnd, check, checkEnd].compactMap { $0 }
      system.setTimer(isRunning ? times.min() : nil)
    }
  }

  // MARK: - What gpsd says

  extension GPSDProvider {
    private func take(_ output: GPSDReader.Output) {
      switch output {
      case .report(let report): take(report)
      case .problem(let problem): logProblem("\(problem)")
      }
    }

    private func take(_ report: GPSDReport) {
      switch report {
      case .version(let version):
        guard version.protocolMajor == 3 else {
          return fail("gpsd at \(host):\(port) speaks version \(version.protocolMajor) of its protocol, not 3")
        }
        if link == .greeting, openSince == nil {
          openSince = system.uptime
          // Whatever a watch opens can be closed, even before gpsd has answered it.
          send("?DEVICES;\n")
        }
      case .devices(let devices):
        // What it has now comes before what it had.
        let known = receivers
        receivers = []
        for device in devices { note(device.path) }
        for path in known.sorted() { note(path) }
        files.formIntersection(receivers)
        if link == .greeting, openSince != nil {
          linkLimit = nil
          link = .open
          change(to: .open)
        }
        if isWatching { hasReceivers(!devices.isEmpty) }
      case .device(let device):
        note(device.path)
        // gpsd says that a receiver is open before it has tried: only its fixes show that it is there.
        if isWatching, device.isActivated == false, silences == 0 {
          isEndKnown = true
          silence = system.uptime + backOff(1)
        }
      case .fix(let fix):
        heard(of: fix)
      case .noise:
        if isWatching, let ended = fixes.add(report) { located(ended) }
      case .error(let message):
        logProblem("gpsd does not understand: \(message.printable)")
      case .watch, .sky, .poll, .other:
        break
      }
    }

    /// A receiver that gpsd has named.
    private func note(_ path: String) {
      guard Self.isPath(path), receivers.contains(path) || receivers.count < Self.maximumReceivers else { return }
      receivers.insert(path)
      if path.hasPrefix("/"), isLocal, system.hasFile(path) { files.insert(path) }
    }

    /// Whether gpsd's files are those of this machine.
    private var isLocal: Bool {
      controlSocket != nil || host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// A path that may be written to the control socket: nothing that would end the command.
    private static func isPath(_ path: String) -> Bool {
      !path.isEmpty && path.utf8.count <= 1_024 && path.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
    }

    private func hasReceivers(_ has: Bool) {
      let wasWithout = connection == .withoutReceiver
      change(to: has ? .watching : .withoutReceiver)
      guard !has else { return }
      // gpsd has dropped what it had: the control socket gives it back.
      if controlSocket != nil, silences == 0, !receivers.isEmpty { silence = system.uptime + backOff(1) }
      if !wasWithout, mode == .gps { onReport?(.failure(.other(Connection.withoutReceiver.description))) }
    }

    private func heard(of fix: GPSDReport.Fix) {
      guard isWatching else { return }
      hasReceivers(true)
      let now = system.uptime
      if let lastFix { interval = max(min(now - lastFix, .seconds(6)), interval / 2) }
      lastFix = now
      silences = 0
      isEndKnown = false
      silence = now + patience
      if fix.mode == .none || fix.mode == .unknown {
        if mode == .gps { onReport?(.failure(.locationUnknown)) }
        return
      }
      if let ended = fixes.add(.fix(fix)) { located(ended) }
      // Without a later epoch, this one ends when no more is said of it.
      epochEnd = now + .milliseconds(250)
    }

    private func endEpoch() {
      epochEnd = nil
      if let location = fixes.end() { located(location) }
    }

    private func located(_ location: Location) {
      if checkEnd != nil {
        look(at: location)
      } else if mode == .gps {
        if isCoarse(location) { reference = location }
        onReport?(.fixes([location]))
      }
    }

    private func isCoarse(_ location: Location) -> Bool {
      location.hasValidCoordinate && location.hasValidAccuracy
        && location.horizontalAccuracy <= recommendedPolicy.acceptableAccuracy
        && abs(date.timeIntervalSince(location.timestamp)) <= recommendedPolicy.maximumAge.inSeconds
    }

    /// The one fix of a check.
    private func look(at location: Location) {
      guard isCoarse(location) else { return }
      checkEnd = nil
      if let reference, reference.distance(to: location) < Self.significantDistance { return }
      // The reference stays until an acquisition has a fix: a change that comes to nothing is one at the next look too.
      onReport?(.significantChange(location))
    }
  }

  /// How long the receiver was on.
  struct ReceiverUse {
    private var ended = Duration.zero
    private var since: Duration?
    private var tailEnd = Duration.zero

    mutating func began(at now: Duration) {
      // Within the tail the receiver was on all the time.
      tailEnded(at: now)
      since = now
    }

    mutating func ended(at now: Duration, tail: Duration) {
      guard let since else { return }
      ended += now - since + tail
      self.since = nil
      tailEnd = now + tail
    }

    /// The receiver was closed before its time, or is used again.
    mutating func tailEnded(at now: Duration) {
      ended -= max(.zero, tailEnd - now)
      tailEnd = min(tailEnd, now)
    }

    func total(at now: Duration) -> Duration {
      ended - max(.zero, tailEnd - now) + (since.map { now - $0 } ?? .zero)
    }
  }
#endif

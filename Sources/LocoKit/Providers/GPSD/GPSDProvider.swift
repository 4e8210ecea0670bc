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
  /// last one. With an ``LocationManager/errorBound`` it does not: the manager looks by its timers. An app that knows better
  /// says so, by ``reportSignificantChange()``, ``reportCell(_:)`` and ``reportMotion(_:)``; each is one of the
  /// ``wakeSources`` from its first call on.
  ///
  /// **Faults** end by themselves: gpsd that is away or silent is asked again, after half a second at first and three
  /// quarters of a minute at most. A receiver that was unplugged is asked for again, which gpsd does not do by itself; given
  /// the control socket, the provider also returns it to gpsd, which drops a receiver that it cannot open. The article
  /// *Running on Linux* says how long that takes, and what holds without a control socket. ``connection`` says what is.
  public final class GPSDProvider: LocationProvider {
    /// The connection's state.
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
    package let host: String
    /// The port on which gpsd listens.
    package let port: Int
    /// The path of gpsd's control socket, which gpsd was given by `-F`. Used only where ``host`` is this machine: `localhost`,
    /// `::1` or `127.…`.
    package let controlSocket: String?
    /// How often the provider looks where it is while a significant change is awaited and no error bound is set. More than 0, at
    /// most a day.
    package let checkInterval: Duration
    /// Timers, which run as long as the machine is not suspended; and significant changes, cells and motion, once the app
    /// has reported one of these.
    public private(set) var wakeSources: WakeSources = .timersWhileAsleep
    /// Set by the manager.
    public var onReport: ((ProviderReport) -> Void)?
    /// Told of every change of ``connection``.
    public var onConnectionChange: ((Connection) -> Void)?
    /// Told, for a log, of every change of the connection, and of what gpsd said that was of no use. Holds no location and no
    /// control characters. Gets at most 30 changes and 10 other lines a minute; the rest are counted, and their number logged.
    package var log: ((String) -> Void)?
    /// The connection's state.
    public var connection: Connection { turns.core.phase.connection }
    /// What the manager wants of the receiver.
    public var mode: ReceiverMode { turns.core.mode }

    /// How far from the last fix a significant change is, in metres: as with Apple's.
    package static let significantDistance = 500.0
    /// How long gpsd keeps a receiver open that nobody watches.
    package static let tail = Duration.seconds(60)

    private let turns: Turns<GPSDCore>
    private let system: any GPSDSystem
    private var reader = GPSDReader()
    private var isRunning = false

    /// A provider for the gpsd that listens at a host and a port.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: 1…65535.
    ///   - controlSocket: The path that gpsd was given by `-F`, to close the receiver at once; `nil` leaves that to gpsd. Used
    ///     only where `host` is `localhost`, `::1` or `127.…`; otherwise ``log`` gets a line that it is not.
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
      turns = Turns(
        GPSDCore(
          .init(
            host: host, port: port, controlSocket: controlSocket, checkInterval: checkInterval,
            policy: .standaloneReceiver)))
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
      isRunning = true
      await system.run { take($0) }
      stop()
      throw CancellationError()
    }

    /// Says that the device has moved, where the app knows it: by an odometer, or an ignition line.
    ///
    /// The manager begins an acquisition, if it waits for a significant change and the cool-down of its policy is over. With an
    /// error bound it does so only where it took the device to be at rest, or looked in vain.
    public func reportSignificantChange() {
      add(.significantChanges)
      guard mode == .significantChanges else { return }
      onReport?(.significantChange(nil))
    }

    /// Says which cell serves the device from now on, where the app has a modem to ask. With an error bound, a cell in which the
    /// device was not since the last fix is a reason to look. Call it with the present cell and at each change; a cell that was
    /// reported before does no harm.
    ///
    /// ModemManager tells it on D-Bus, once `Setup` of `org.freedesktop.ModemManager1.Modem.Location` has been called for the
    /// source `MM_MODEM_LOCATION_SOURCE_3GPP_LAC_CI`: that interface's property `Location` then has the cell as a text,
    /// `MCC,MNC,LAC,CI,TAC`.
    ///
    /// - Parameter name: Any text that tells the cell from others, such as ModemManager's.
    public func reportCell(_ name: String) {
      add(.cells)
      onReport?(.cell(name))
    }

    /// Says how the device moves from now on, where the app has a sensor or an ignition line to ask. With an error bound, the time
    /// for which it is still does not count, and no timer makes the manager look while it is.
    ///
    /// What was reported holds until the next report. An app that no longer knows, since its sensor has failed, reports
    /// ``Motion/walking``: then all the time counts.
    public func reportMotion(_ motion: Motion) {
      add(.motion)
      onReport?(.motion(motion))
    }

    private func add(_ source: WakeSources) {
      guard !wakeSources.contains(source) else { return }
      wakeSources.insert(source)
      onReport?(.wakeSources(wakeSources))
    }

    /// How long the receiver has been on for this provider, as far as gpsd tells: while it was watched, and the 60 s in which
    /// gpsd keeps it open afterwards where it was not closed through the control socket.
    package var receiverOnTime: Duration { turns.core.use.total(at: system.uptime) }

    func stop() {
      isRunning = false
      enqueue(.stop)
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
    public func setMode(_ mode: ReceiverMode) { enqueue(.mode(mode)) }

    /// Makes no checks for significant changes while there is a bound; and without a control socket, tells the log once what that
    /// costs.
    public func setErrorBound(_ bound: Double?) { enqueue(.errorBound(isSet: bound != nil)) }

    /// Reports ``ProviderReport/timer`` when the time has come.
    public func setTimer(_ deadline: Duration?) { enqueue(.managerTimer(deadline)) }
  }

  // MARK: - One turn at a time

  extension GPSDProvider {
    /// Something that the system has to say.
    func take(_ event: GPSDEvent) {
      switch event {
      case .began: enqueue(.began)
      case .connected: enqueue(.connected)
      case .bytes(let bytes):
        for output in reader.read(bytes) {
          switch output {
          case .report(let report): enqueue(.report(report))
          case .problem(let problem): enqueue(.problem(problem))
          }
        }
      case .closed(let reason): enqueue(.lost(reason: reason))
      case .receiversClosed(let error): enqueue(.receiversClosed(error: error))
      case .receiversReopened: enqueue(.receiversReopened)
      case .timer: enqueue(.timer)
      }
    }

    private func enqueue(_ input: GPSDCore.Input) {
      turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
    }

    func now(for input: GPSDCore.Input) -> GPSDCore.Now {
      var paths = turns.core.receivers.paths
      if case .report(let report) = input { paths.formUnion(report.receiverPaths) }
      let files = paths.filter(turns.core.configuration.isFile).compactMap { path in
        system.file(at: path).map { (path, $0) }
      }
      return GPSDCore.Now(
        uptime: system.uptime, date: system.date, chance: system.chance(),
        files: Dictionary(uniqueKeysWithValues: files))
    }

    /// Does what the core has decided.
    func carryOut(_ action: GPSDCore.Action) {
      switch action {
      case .connect:
        reader = GPSDReader()
        system.connect()
      case .disconnect: system.close()
      case .send(let line): system.send(Array(line.utf8))
      case .closeReceivers(let paths): system.closeReceivers(paths)
      case .closeReceiversNow(let paths): take(system.closeReceiversNow(paths))
      case .reopenReceivers(let paths, let closing): system.reopenReceivers(paths, closing: closing)
      case .setTimer(let deadline): system.setTimer(deadline)
      case .connectionChanged(let connection): onConnectionChange?(connection)
      case .log(let line): log?(line)
      case .report(let report): onReport?(report)
      }
    }
  }
#endif

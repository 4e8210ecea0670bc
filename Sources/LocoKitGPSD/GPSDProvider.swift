#if os(Linux) || os(macOS)
  public import LocoKit
  public import LocoFoundation

  /// A GPS receiver on Linux or macOS, through gpsd.
  ///
  /// ```swift
  /// let provider = GPSDProvider()
  /// let manager = LocationManager(provider: provider)
  /// manager.listeners.add(self)
  /// manager.tryPromptAuthorization()
  /// try await provider.run()
  /// ```
  ///
  /// The actor that creates the provider awaits ``run()``, and receives gpsd's fixes and failures during this call. Before and after it,
  /// the provider isn't connected.
  ///
  /// **Turning the receiver off.** The provider watches the receiver only while fixes are wanted. gpsd closes a receiver 60 s after
  /// the last client has stopped watching. With write access to gpsd's control socket, the provider closes the receiver immediately: it
  /// removes the receiver from gpsd and adds it back, and gpsd opens it when a client watches. A client that watches at that moment
  /// sees a short interruption. ``receiverOnTime`` counts the time with the receiver on in both cases.
  ///
  /// **Significant changes.** While the manager waits for a significant change and the app reports cells with ``reportCell(_:)``, another
  /// cell is one, at most every five minutes, and the receiver stays off. Without cells, the provider turns the receiver on at every check
  /// interval for one coarse fix, and reports a change if the fix is 500 m or more from the last good fix of an acquisition, or if no
  /// acquisition had one. If `LocationManager.errorBound` is set, the provider makes no checks, because the manager
  /// schedules looks with timers. An app with better signals calls ``reportSignificantChange()``, ``reportCell(_:)`` and
  /// ``reportMotion(_:)``. Each function adds its source to ``wakeSources`` at its first call.
  ///
  /// **Receivers.** If gpsd has several receivers, the provider uses the fixes of one: of the first that has a position, until it has had
  /// none for ten seconds, or another one was clearly more accurate for ten seconds.
  ///
  /// **Failures.** While the receiver is wanted, the provider reconnects to a gpsd that is gone or silent, after a delay of half a second
  /// to 45 s, or immediately when an acquisition begins. An acquisition learns of each reason once, and again after a fix. gpsd doesn't
  /// reopen a receiver that was unplugged, so the provider requests it again. gpsd drops a receiver that it can't open; the provider adds it
  /// back through the control socket. The article *Running on Linux* has the times, and the limits without a control socket.
  /// ``connection`` is the current state.
  public final class GPSDProvider: LocationProvider {
    /// The state of the connection to gpsd.
    public enum Connection: Hashable, Sendable, CustomStringConvertible {
      /// Not connected, and not needed.
      case closed
      /// Connecting, for at most 30 s, or waiting for gpsd's version and list of receivers, for at most 5 s.
      case connecting
      /// Connected; the receiver isn't wanted.
      case open
      /// Connected; the receiver is wanted.
      case watching
      /// Connected; gpsd has no receiver, or the receiver's file is gone.
      case withoutReceiver
      /// Not connected; the provider retries while the receiver is wanted.
      case failed(reason: String)

      /// A text for a log.
      public var description: String {
        switch self {
        case .closed: "not connected to gpsd"
        case .connecting: "connecting to gpsd"
        case .open: "connected to gpsd, the receiver is off"
        case .watching: "watching gpsd's receiver"
        case .withoutReceiver: "gpsd has no receiver; add one with 'gpsdctl add /dev/…', or start gpsd with it"
        case .failed(let reason): reason
        }
      }
    }

    /// Timers, which run while the machine isn't suspended; and significant changes, cells and motion, each from the app's first
    /// report on. Cells end with a report of `nil`.
    public private(set) var wakeSources: Set<WakeKind> = [.timer]
    /// The manager's handler.
    public var onReport: ProviderReport.Handler?
    /// Called after each change of ``connection``.
    package var onConnectionChange: ((Connection) -> Void)?
    /// Receives a line for each change of the connection or of the receiver that is used, for each problem with gpsd's data or control
    /// socket, and once for the cost of looks without a control socket and for each thing that the receiver's fixes lack. A line has no
    /// location and no control characters. At most 30 changes and 10 other lines are logged per minute, and then the number of omitted lines.
    public var log: ((String) -> Void)?
    /// The state of the connection.
    public var connection: Connection { driver.core.phase.connection }
    /// The manager's plan, without a timer that has fired.
    package var plan: ReceiverPlan { driver.core.plan }

    /// The time that gpsd keeps a receiver open after the last client has stopped watching.
    static let tail = Duration.seconds(60)

    private let driver: CoreDriver<GPSDCore>
    private let system: any GPSDSystem
    private var reader = GPSDReader()

    /// Creates a provider for the gpsd at a host and a port.
    ///
    /// - Parameters:
    ///   - host: A name or an address; an IPv6 address has no brackets.
    ///   - port: 1…65535.
    ///   - controlSocket: The path of gpsd's option `-F`, to close the receiver immediately; `nil` leaves the closing to gpsd. The socket
    ///     is used only with the host `localhost`, `::1` or `127.…`; with any other host, ``log`` receives a line that says so.
    ///   - checkInterval: The interval of the checks for significant changes. More than 0, at most a day.
    ///   - usesReceiverTime: Whether the receiver's time replaces the machine's, for a machine without a battery-backed clock or a network.
    ///     If the times of fixes are in the future, or older than half a minute, by the same difference for five seconds, ``date`` becomes the
    ///     receiver's time. A receiver with a wrong date then gives all locations that date.
    public convenience init(
      host: String = "localhost", port: Int = 2947, controlSocket: String? = nil,
      checkInterval: Duration = .seconds(300), usesReceiverTime: Bool = false
    ) {
      let configuration = GPSDCore.Configuration(
        host: host, port: port, controlSocket: controlSocket, checkInterval: checkInterval,
        policy: .standaloneReceiver, usesReceiverTime: usesReceiverTime)
      self.init(configuration, SocketSystem(host: host, port: port, controlSocket: controlSocket))
    }

    init(_ configuration: GPSDCore.Configuration, _ system: any GPSDSystem) {
      precondition((1...65_535).contains(configuration.port), "The port must be 1…65535.")
      precondition(
        configuration.checkInterval > .zero && configuration.checkInterval <= .seconds(86_400),
        "The check interval must be more than 0 and at most a day.")
      self.system = system
      driver = CoreDriver(GPSDCore(configuration))
    }

    // MARK: - The program

    /// Serves the manager until the task is cancelled, and then closes the connection and, with a control socket, the receiver. Await the
    /// task's end before the program exits.
    ///
    /// Call it on the actor that created the provider, in one task at a time. Outside this call no timer runs: an `acquire` that waits, and
    /// its timeout, continue with the next call. Cancel the tasks that wait.
    ///
    /// - Throws: `CancellationError` when the task is cancelled. The function never returns normally.
    public func run() async throws {
      precondition(!driver.core.isRunning, "A provider runs in one task at a time.")
      await system.run(handle: { handle($0) }, read: { read($0) })
      stop()
      throw CancellationError()
    }

    /// Reports that the device has moved, for an app with a signal such as an odometer or an ignition line.
    ///
    /// The manager begins an acquisition if it waits for a significant change and the policy's cool-down is over. With an error
    /// bound it does so only if it assumed that the device is at rest, or if its last look failed and the back-off is over.
    public func reportSignificantChange() {
      add(.significantChange)
      guard plan.mode == .significantChanges else { return }
      onReport?(.wake(.significantChange(nil)))
    }

    /// Reports the cell that serves the device, for an app with a modem. Call it with the current cell and at each change; repetitions do no
    /// harm.
    ///
    /// With an error bound, a cell that is new since the last fix is a reason to look. Without one, a cell other than that of the last fix is
    /// a significant change, at most one in five minutes, and the provider makes no checks for significant changes while there are cells. The
    /// change is repeated after 5, 10, … 60 minutes until a fix is good.
    ///
    /// `Examples/tracker` is a daemon that reports cells. ModemManager has the cell on D-Bus. Call `Setup` of
    /// `org.freedesktop.ModemManager1.Modem.Location` with the source `MM_MODEM_LOCATION_SOURCE_3GPP_LAC_CI` and `signal_location`: the
    /// interface's property `Location` then has the cell as a text, `MCC,MNC,LAC,CI,TAC`.
    ///
    /// - Parameter name: Any text that identifies the cell, such as ModemManager's; `nil` if the modem has no cell or is gone.
    public func reportCell(_ name: String?) {
      if name == nil { remove(.cell) } else { add(.cell) }
      handle(.cell(name))
    }

    /// Reports how the device moves, for an app with a motion sensor or an ignition line. With an error bound, the estimated error
    /// doesn't grow while the device is at rest, so the manager doesn't look.
    ///
    /// A report holds until the next one. But after a fix of more than 2.5 m/s, stillness doesn't count until a slower one in the same place.
    /// If the sensor fails, report `LocationManager.Motion.walking`: the estimated error then grows all the time.
    public func reportMotion(_ motion: LocationManager.Motion) {
      add(.motion)
      onReport?(.wake(.motion(motion)))
    }

    private func remove(_ kind: WakeKind) {
      guard wakeSources.remove(kind) != nil else { return }
      onReport?(.wakeSources(wakeSources, backgroundUpdates: backgroundUpdates))
    }

    private func add(_ kind: WakeKind) {
      guard wakeSources.insert(kind).inserted else { return }
      onReport?(.wakeSources(wakeSources, backgroundUpdates: backgroundUpdates))
    }

    /// The total time that the receiver was on for this provider: the watches, and after each watch up to 60 s, for which gpsd keeps the
    /// receiver open unless it is closed through the control socket.
    public var receiverOnTime: Duration { driver.core.use.total(at: system.uptime) }

    func stop() { handle(.stop) }

    // MARK: - The manager's commands

    /// The time since the provider was created, including sleep.
    public var uptime: Duration { system.uptime }
    /// The machine's wall clock, or the receiver's time if it is used.
    public var date: Date { system.date.addingTimeInterval(driver.core.clockOffset) }
    /// `Authorization.always`, because gpsd needs no permission.
    public var authorization: Authorization { .always }
    /// The policy for receivers without assistance data, which often need half a minute for the first fix.
    public var recommendedPolicy: AcquisitionPolicy { driver.core.configuration.policy }

    /// Turns on what a plan needs, and turns everything else off. While there is a bound, there are no checks for significant changes.
    /// Without a control socket, the cost of looks is logged once, when the receiver is next turned on.
    public func apply(_ plan: ReceiverPlan) { handle(.plan(plan)) }

    /// Reports `Authorization.always`, or turns the receiver off and on again.
    public func perform(_ request: ReceiverRequest) {
      switch request {
      case .authorization: onReport?(.authorization(.always))
      case .restart: handle(.restart)
      }
    }

    // MARK: - Turns

    /// Handles bytes from gpsd.
    func read(_ bytes: [UInt8]) {
      for result in reader.read(bytes) {
        switch result {
        case .success(let report): handle(.report(report))
        case .failure(let problem): handle(.problem(problem))
        }
      }
    }

    func handle(_ input: GPSDCore.Input) {
      driver.handle(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
    }

    private func now(for input: GPSDCore.Input) -> GPSDCore.Now {
      var paths = driver.core.receivers.paths
      if case .report(let report) = input { paths.formUnion(report.receiverPaths) }
      let files = paths.filter(driver.core.configuration.isFile).compactMap { path in
        system.file(at: path).map { (path, $0) }
      }
      return GPSDCore.Now(
        uptime: system.uptime, date: system.date, chance: system.chance(),
        files: Dictionary(uniqueKeysWithValues: files))
    }

    private func carryOut(_ action: GPSDCore.Action) {
      switch action {
      case .connect:
        reader = GPSDReader()
        system.connect()
      case .disconnect: system.close()
      case .send(let line): system.send(Array(line.utf8))
      case .closeReceivers(let paths): system.closeReceivers(paths)
      case .closeReceiversNow(let paths): handle(.receiversClosed(error: system.closeReceiversNow(paths)))
      case .reopenReceivers(let paths, let closing): system.reopenReceivers(paths, closing: closing)
      case .setTimer(let deadline): system.setTimer(deadline)
      case .connectionChanged(let connection): onConnectionChange?(connection)
      case .log(let line): log?(line)
      case .report(let report): onReport?(report)
      }
    }
  }

  @available(*, unavailable)
  extension GPSDProvider: Sendable {}
#endif

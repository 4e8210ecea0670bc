#if canImport(CoreLocation)
  import LocoDurable
  public import CoreLocation
  import LocoFoundation

  /// A provider that uses Core Location, on iOS, macOS, watchOS, tvOS and visionOS.
  ///
  /// ```swift
  /// var configuration = CoreLocationProvider.Configuration()
  /// configuration.permission = .whenInUseThenAlways
  /// configuration.allowsBackgroundUpdates = true
  /// let manager = LocationManager(provider: CoreLocationProvider(configuration: configuration))
  /// ```
  ///
  /// Core Location calls back on the run loop of the thread that created the provider. Create the provider on the main actor, or on a
  /// thread with its own run loop. The GPS and significant changes have a `CLLocationManager` each, so that the provider can distinguish
  /// their locations.
  ///
  /// The initializer stops the program, in a debug build with a message, if the app's `Info.plist` lacks a usage description, the entry for
  /// ``Configuration/fullAccuracyPurposeKey``, or the background mode for ``Configuration/allowsBackgroundUpdates``. Without these entries,
  /// the system would do nothing, or stop the program. On a Mac nothing is checked: see *Setting up an app*. In an app extension, the
  /// initializer checks the containing app's `Info.plist`, unless that file can't be read.
  public final class CoreLocationProvider: LocationProvider {
    /// The configuration with which the provider was created.
    public let configuration: Configuration
    /// The handler for reports, which the manager sets.
    public var onReport: ProviderReport.Handler?

    let driver: CoreDriver<CoreLocationCore>
    /// The Core Location manager for the GPS and the permission.
    private let gps: CLLocationManager
    private let gpsDelegate = GPSDelegate()
    private let waking: WakingServices
    #if os(iOS) || LOCOKIT_STAND_INS
      private let motion: (any MotionReadings)?
      /// `nil` without background updates.
      private let appKeeper: AppKeeper?
    #endif
    #if !os(tvOS)
      /// Created on the main actor, even if the provider uses another thread.
      private let battery = Locked<BatterySensor?>(nil)
    #endif
    private let host: any CoreLocationHost
    private var endServiceSession: (() -> Void)?
    private var endActivitySession: (() -> Void)?
    /// The calls to the manager and the app that wait until the turn ends. The services are then in the state that the core decided.
    private var pendingReports: [() -> Void] = []
    private var isReporting = false

    /// The longest duration of the host's timer. A timer may stop counting while the device sleeps, so the core compares its
    /// deadlines with the uptime at least this often.
    private static let longestTimer = Duration.seconds(10)

    package init(
      configuration: Configuration, makeManager: () -> CLLocationManager, host: any CoreLocationHost,
      capabilities: Capabilities = CoreLocationProvider.capabilities, conditions: RegionConditions? = nil
    ) {
      self.configuration = configuration
      self.host = host
      gps = makeManager()
      waking = WakingServices(makeManager(), conditions: conditions)
      // Without the background mode in the running bundle's own Info.plist, allowing background updates raises an exception.
      let hasBackgroundUpdates = Self.usesBackgroundMode(configuration) && Self.hasBackgroundMode(host.info)
      #if os(iOS) || LOCOKIT_STAND_INS
        motion = configuration.motionSensor?.makeReadings()
        appKeeper = hasBackgroundUpdates ? AppKeeper(makeManager(), configuration) : nil
      #endif
      driver = CoreDriver(
        CoreLocationCore(
          CoreLocationCore.Configuration(
            permission: configuration.permission, hasBackgroundUpdates: hasBackgroundUpdates,
            showsBackgroundIndicator: configuration.showsBackgroundIndicator,
            asksForFullAccuracy: configuration.fullAccuracyPurposeKey != nil,
            usesMotionActivity: configuration.motionSensor?.isAvailable == true,
            backgroundUpdates: configuration.backgroundUpdates, keepsRunning: configuration.keepsRunning,
            usesConditions: conditions != nil, platform: capabilities),
          authorization: Authorization(gps.authorizationStatus),
          isAccuracyReduced: gps.accuracyAuthorization == .reducedAccuracy, isInForeground: host.isInForeground,
          at: host.uptime))
      if let info = host.appInfo { Self.check(configuration, info) }
      gpsDelegate.onInput = { [weak self] in self?.handle($0) }
      setUpGPS(hasBackgroundUpdates: hasBackgroundUpdates)
      waking.onInput = { [weak self] in self?.handle($0) }
      #if os(iOS) || LOCOKIT_STAND_INS
        appKeeper?.onInput = { [weak self] in self?.handle($0) }
      #endif
      if configuration.reportsBattery { watchBattery() }
      host.onAppChange = { [weak self] in self?.senseApp() }
      senseApp()
    }

    // A session that isn't invalidated lasts until the process ends, because a task awaits its diagnostics.
    deinit {
      endServiceSession?()
      endActivitySession?()
    }

    private func senseApp() {
      if host.isInForeground != driver.core.system.isInForeground { handle(.foreground(host.isInForeground)) }
      handle(.power(isLowPowerMode: host.isLowPowerMode, host.refresh))
    }

    private func watchBattery() {
      #if !os(tvOS)
        let (handle, battery) = (handleFromAnyThread, battery)
        Task { @MainActor in
          let sensor = BatterySensor { handle(.battery($0)) }
          battery.change { $0 = sensor }
        }
      #endif
    }

    private func setUpGPS(hasBackgroundUpdates: Bool) {
      gps.desiredAccuracy = kCLLocationAccuracyBest
      #if !os(tvOS)
        gps.activityType = configuration.activityType
      #endif
      #if !os(tvOS) && !os(visionOS)
        if hasBackgroundUpdates { gps.allowsBackgroundLocationUpdates = true }
      #endif
      #if !os(tvOS) && !os(watchOS)
        // By default, Core Location may pause the updates on its own, and never resumes them.
        gps.pausesLocationUpdatesAutomatically = false
      #endif
      #if !os(tvOS) && !os(visionOS) && !os(watchOS) && !os(macOS)
        gps.showsBackgroundLocationIndicator = configuration.showsBackgroundIndicator
      #endif
      gps.delegate = gpsDelegate
    }

    // MARK: - The manager's commands

    /// The time since the provider was created, including sleep.
    public var uptime: Duration { host.uptime }
    /// The wall clock.
    public var date: Date { host.date }
    /// The policy of ``configuration``.
    public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
    /// The permission, as Core Location last reported it.
    public var authorization: Authorization { driver.core.system.authorization }

    /// The kinds of events that can wake the app now. The provider reports each change; in the background there may be fewer kinds.
    ///
    /// - Significant changes, if the system has them: on a Mac, in the foreground, and with Always in the background too.
    /// - The exit from a region, with Always and full accuracy, unless the system has failed to watch the region.
    /// - The beginning and the end of a visit on iOS, with Always.
    /// - Timers: on a Mac, in the foreground, and in the background while the app is kept running.
    /// - Motion, from the sensor's first reading on, while the app is kept running or, if it can't be, in the foreground under a bound. A fix
    ///   with the speed of a vehicle withdraws a reading of stillness. If the app can't be kept running, a sensor that doesn't know the motion
    ///   for 30 s withdraws it too.
    ///
    /// Those that need Always also need *Background App Refresh*. The low-power mode turns that off, but doesn't count: the provider keeps
    /// the value that it read before, and assumes *on* if the app was launched in the mode. On a Mac, App Nap may delay timers between
    /// looks if no window of the app is visible. The provider prevents this while the GPS is on.
    public var wakeSources: Set<WakeKind> { driver.core.sources.kinds }

    /// Those of the configuration on iOS, with Always, full accuracy and ``Configuration/allowsBackgroundUpdates``; otherwise never.
    public var backgroundUpdates: LocationManager.BackgroundUpdates { driver.core.sources.backgroundUpdates }

    /// Starts the services that a plan needs, and then stops those that it doesn't need.
    ///
    /// **Mode.** The significant changes and the visits of an earlier launch, which would keep launching the app, are turned off by the first
    /// mode that doesn't need them, or five seconds after the provider is created. What launched the app, such as the end of a visit, is
    /// reported when the manager turns on a mode in this time. With Always, significant changes stay on while the GPS is on, so that the
    /// system relaunches the app if it is terminated. If the background time expires while the GPS is on, and background updates don't keep
    /// the app running, the provider reports ``ProviderReport/Failure/backgroundTimeExpired``.
    ///
    /// **Receiver.** With background updates and no indicator, the accuracy is 100 m or better: from iOS 16.4 on, other updates
    /// end in the background. Core Location's distance filter isn't set. The manager filters the locations for its consumers.
    ///
    /// **Region.** The system wakes or launches the app when the device leaves the region, whose radius is limited to Core Location's
    /// maximum. From iOS 18 and macOS 15 on, the region is a condition of a `CLMonitor` if the provider was created on the main thread and
    /// the device has been unlocked since it started, and the service session has an effect. Otherwise it is a `CLCircularRegion`. An app may have twenty regions and conditions in
    /// total. The provider uses one of them, a second one while it replaces a condition, and a third one after a launch. An exit
    /// is reported once. While the mode is `off`, an exit isn't reported, and the provider removes the region. Otherwise a region, even from an earlier launch, stays
    /// until a plan replaces or removes it. If the system doesn't watch the region, the provider withdraws ``WakeKind/regionExit`` and writes
    /// the reason to the system's log. It restores the kind at the next fix, at most once a minute, and when the app enters the foreground.
    ///
    /// **Error bound.** On iOS, visits are monitored while there is a bound, with Always, unless the mode is `off`. The beginning and the end
    /// of a visit then wake or launch the app. Core Location reports them minutes late, at almost no cost. It monitors visits for all
    /// managers of an app together. So when the provider stops monitoring, and five seconds after it is created if the manager doesn't use
    /// locations, it also stops the monitoring that the app itself started.
    ///
    /// **Background updates.** A separate `CLLocationManager` requests coarse updates, by ``Configuration/keepsRunning``, even while the GPS
    /// is on. Their fixes then don't count, because they may be copies of the GPS's. Otherwise they have the source
    /// ``Location/Source/coarse``, although they may come from the GPS if it is on for another app. With ``Configuration/motionSensor``,
    /// the motion sensor runs at the same time; in an app without these updates, it runs in the foreground under a bound. For the cost, see
    /// ``LocationManager/BackgroundUpdates``.
    ///
    /// **Timer.** Run loop timers don't count the time while the device sleeps, so a timer fires every ten seconds: a time that passes
    /// during sleep is reported up to ten seconds after the device wakes.
    public func apply(_ plan: ReceiverPlan) { handle(.plan(plan)) }

    /// Asks for the permission, or reports it if the answer is known. In the background the system ignores the request, so the provider
    /// repeats it in the foreground, and then reports ``ProviderReport/promptShown``. After an answer, the provider may also ask for Always
    /// after While Using, or call ``Configuration/onRequestWhenDenied``. It ignores a restart: Core Location keeps trying, and an app in the
    /// background may not be allowed to restart updates.
    public func perform(_ request: ReceiverRequest) {
      switch request {
      case .authorization: handle(.requestAuthorization)
      case .restart: break
      }
    }

    /// Changes how coarse updates keep the app running, instead of the values in ``configuration``. The manager learns of it immediately.
    /// A study compares the settings' cost in this way without a new manager.
    public func keepRunning(_ updates: LocationManager.BackgroundUpdates, by keepsRunning: KeepsRunning) {
      handle(.keepRunning(updates, keepsRunning))
    }

    // MARK: - Turns

    private func now(for input: CoreLocationCore.Input) -> CoreLocationCore.Now {
      CoreLocationCore.Now(
        uptime: host.uptime, date: host.date,
        hasBeenUnlocked: driver.core.asksForUnlock(on: input) && host.hasBeenUnlocked)
    }

    private func handle(_ input: CoreLocationCore.Input) {
      driver.handle(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
      guard !driver.isTurning, !isReporting else { return }
      isReporting = true
      while !pendingReports.isEmpty {
        let report = pendingReports.removeFirst()
        report()
      }
      isReporting = false
    }

    /// Returns a closure that passes an input to the provider's thread.
    private var handleFromAnyThread: @Sendable (CoreLocationCore.Input) -> Void {
      let (provider, onThread) = (ThreadBound(self), host.onThread)
      return { input in onThread { provider.object?.handle(input) } }
    }

    private func carryOut(_ action: CoreLocationCore.Action) {
      switch action {
      case .beginServiceSession(let session): begin(session)
      case .endServiceSession: end(&endServiceSession)
      case .start(let service): set(service, isOn: true)
      case .stop(let service): set(service, isOn: false)
      case .setReceiver(let accuracy): gps.desiredAccuracy = accuracy <= 10 ? kCLLocationAccuracyBest : accuracy
      case .setKeeper(let accuracy):
        #if os(iOS) || LOCOKIT_STAND_INS
          appKeeper?.setAccuracy(accuracy)
        #endif
      case .openConditions: waking.openConditions()
      case .armCircle(let region): waking.arm(region)
      case .armCondition(let region): waking.setCondition(region)
      case .removeRegion: waking.setCondition(nil)
      case .checkCondition: waking.checkCondition()
      case .setTimer(let time):
        let delay = time.map { min($0 - host.uptime, Self.longestTimer) }
        host.setTimer(after: delay) { [weak self] in self?.timerFired() }
      case .requestWhenInUse: gps.requestWhenInUseAuthorization()
      case .requestAlways:
        #if os(tvOS) || os(visionOS)
          gps.requestWhenInUseAuthorization()
        #else
          gps.requestAlwaysAuthorization()
        #endif
      case .requestFullAccuracy: requestFullAccuracy()
      case .requestLocation: gps.requestLocation()
      case .log(let line): host.log(line)
      case .report(let report): pendingReports.append { self.onReport?(report) }
      case .openSettings: pendingReports.append { self.configuration.onRequestWhenDenied?() }
      }
    }

    private func set(_ service: Services.Service, isOn: Bool) {
      switch service {
      case .activitySession: if isOn { beginActivitySession() } else { end(&endActivitySession) }
      // The system may suspend a woken app before its acquisition ends.
      case .backgroundTime:
        guard isOn else { return host.endActivity() }
        host.beginActivity { [weak self] in self?.handle(.backgroundTimeExpired) }
      case .updates, .requests:
        #if !os(tvOS)
          if isOn, service == .updates { gps.startUpdatingLocation() }
        #endif
        if !isOn { gps.stopUpdatingLocation() }
      case .significantChanges:
        if isOn { waking.startSignificantChanges() } else { waking.stopSignificantChanges() }
      case .visits: if isOn { waking.startVisits() } else { waking.stopVisits() }
      case .keeper:
        #if os(iOS) || LOCOKIT_STAND_INS
          if isOn { appKeeper?.start() } else { appKeeper?.stop() }
        #endif
      case .motion:
        #if os(iOS) || LOCOKIT_STAND_INS
          guard isOn else { motion?.stop(); return }
          motion?.start()
          let handle = handleFromAnyThread
          motion?.query(from: driver.core.storedMotionBegins(at: date), to: date) { handle(.storedMotion($0)) }
        #endif
      }
    }

    private func end(_ session: inout (() -> Void)?) {
      session?()
      session = nil
    }

    private func timerFired() {
      #if os(iOS) || LOCOKIT_STAND_INS
        if let reading = motion?.next() { handle(.motion(reading)) }
        if motion?.isSilent == true { handle(.motionUnknown) }
      #endif
      handle(.timerFired)
    }

    private func requestFullAccuracy() {
      guard let key = configuration.fullAccuracyPurposeKey else { return }
      let handle = handleFromAnyThread
      gps.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
        // If the request fails, such as in the background, the user wasn't asked, so the provider may ask again later.
        if error != nil { handle(.fullAccuracyRequestFailed) }
      }
    }

    // MARK: - Sessions

    /// Replaces the service session.
    private func begin(_ session: Services.Session) {
      #if os(iOS) || os(watchOS) || os(tvOS) || os(visionOS) || LOCOKIT_STAND_INS
        if #available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *) {
          #if os(iOS) || os(watchOS) || LOCOKIT_STAND_INS
            let service = CLServiceSession(authorization: session.requiresAlways ? .always : .none)
          #else
            let service = CLServiceSession(authorization: .none)
          #endif
          endServiceSession?()
          endServiceSession = { service.invalidate() }
          #if os(iOS) || LOCOKIT_STAND_INS
            let (handle, number) = (handleFromAnyThread, session.number)
            // The loop ends when the session is invalidated.
            Task {
              for try await diagnostic in service.diagnostics {
                let isSuspended = diagnostic.insufficientlyInUse || diagnostic.alwaysAuthorizationDenied
                handle(.session(number, isSuspended: isSuspended))
              }
            }
          #endif
        }
      #endif
    }

    /// Replaces the activity session, from iOS 17 and watchOS 10 on.
    private func beginActivitySession() {
      #if os(iOS) || os(watchOS) || LOCOKIT_STAND_INS
        if #available(iOS 17, watchOS 10, *) {
          let activity = CLBackgroundActivitySession()
          endActivitySession?()
          endActivitySession = { activity.invalidate() }
        }
      #endif
    }
  }

  @available(*, unavailable)
  extension CoreLocationProvider: Sendable {}
#endif

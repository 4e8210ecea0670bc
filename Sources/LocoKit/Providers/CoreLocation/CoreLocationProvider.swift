#if canImport(CoreLocation)
  public import CoreLocation
  public import Foundation

  /// Core Location as a platform: for iOS, macOS, watchOS, tvOS and visionOS.
  ///
  /// ```swift
  /// var configuration = CoreLocationProvider.Configuration()
  /// configuration.permission = .whenInUseThenAlways
  /// configuration.allowsBackgroundUpdates = true
  /// let manager = LocationManager(provider: CoreLocationProvider(configuration: configuration))
  /// ```
  ///
  /// Core Location calls back on the run loop of the thread that made the provider, so make it where it is used: on the
  /// main actor, or on a thread with a run loop of its own. The GPS and significant changes have a `CLLocationManager` each,
  /// so it is known where a location comes from.
  ///
  /// The permission is asked for with the usage descriptions of the app's `Info.plist`. Where one of them is missing, the
  /// entry for ``Configuration/fullAccuracyPurposeKey``, or the background mode that
  /// ``Configuration/allowsBackgroundUpdates`` needs, making a provider stops the program with a sentence that names it;
  /// Core Location alone would stay silent, or stop it without one. A Mac needs none of them. In an app extension the
  /// containing app's `Info.plist` counts; where that cannot be read, nothing is checked.
  public final class CoreLocationProvider: NSObject, LocationProvider {
    /// How Core Location is used.
    public let configuration: Configuration
    /// Set by the manager.
    public var onReport: ((ProviderReport) -> Void)?
    /// Whether the user gives a reduced accuracy only: some kilometres. Fixes then have the source ``Location/Source/reduced``, and satisfy a
    /// policy only with ``AcquisitionPolicy/acceptsReducedAccuracy``.
    public var isAccuracyReduced: Bool { turns.core.isAccuracyReduced }

    let turns: Turns<CoreLocationCore>
    /// The GPS and the permission.
    private let gps: CLLocationManager
    private let waking: WakingServices
    private let motion = ActivitySensor()
    #if os(iOS) || LOCOKIT_STAND_INS
      /// `nil` where no fixes may come in the background.
      private let appKeeper: AppKeeper?
    #endif
    #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
      /// Made on the main actor, whichever thread the provider is on.
      private let battery = Locked<BatterySensor?>(nil)
    #endif
    private let host: any CoreLocationHost
    private var endServiceSession: (() -> Void)?
    private var endActivitySession: (() -> Void)?
    /// The actions for the app, which are carried out when the turn is over: the manager's commands then find the services as the core
    /// has decided.
    private var news: [CoreLocationCore.Action] = []
    private var isReporting = false

    /// The longest duration of the host's timer. A timer may not count the time while the device sleeps, so the core compares its
    /// deadlines with the uptime after this duration.
    private static let longestTimer = Duration.seconds(10)

    init(
      configuration: Configuration, makeManager: () -> CLLocationManager, host: any CoreLocationHost,
      capabilities: Capabilities = CoreLocationProvider.capabilities, conditions: RegionConditions? = nil
    ) {
      self.configuration = configuration
      self.host = host
      gps = makeManager()
      waking = WakingServices(makeManager(), conditions: conditions)
      // Without the background mode in the running bundle's own Info.plist, allowing them raises an exception.
      let hasBackgroundUpdates = configuration.allowsBackgroundUpdates && Self.hasBackgroundMode(host.info)
      #if os(iOS) || LOCOKIT_STAND_INS
        appKeeper =
          hasBackgroundUpdates ? AppKeeper(makeManager(), configuration) : nil
      #endif
      turns = Turns(
        CoreLocationCore(
          CoreLocationCore.Configuration(
            configuration, capabilities, hasBackgroundUpdates: hasBackgroundUpdates,
            usesConditions: conditions != nil),
          authorization: Authorization(gps.authorizationStatus),
          isAccuracyReduced: gps.accuracyAuthorization == .reducedAccuracy, isInForeground: host.isInForeground))
      super.init()
      if let info = host.appInfo { Self.check(configuration, info) }
      setUpGPS(hasBackgroundUpdates: hasBackgroundUpdates)
      waking.onInput = { [weak self] in self?.take($0) }
      #if os(iOS) || LOCOKIT_STAND_INS
        appKeeper?.onInput = { [weak self] in self?.take($0) }
      #endif
      if configuration.reportsBattery { watchBattery() }
      host.onForegroundChange = { [weak self] in
        if let self { take(.foreground(self.host.isInForeground)) }
      }
    }

    private func watchBattery() {
      #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
        let (provider, onThread, battery) = (ThreadBound(self), host.onThread, battery)
        Task { @MainActor in
          let sensor = BatterySensor { news in onThread { provider.object?.take(.battery(news)) } }
          battery.change { $0 = sensor }
        }
      #endif
    }

    private func setUpGPS(hasBackgroundUpdates: Bool) {
      setAccuracy(.best)
      #if !os(tvOS)
        gps.activityType = configuration.activityType
      #endif
      #if !os(tvOS) && !os(visionOS)
        if hasBackgroundUpdates { gps.allowsBackgroundLocationUpdates = true }
      #endif
      #if !os(tvOS) && !os(watchOS)
        // A pause of the framework's own would end an acquisition without a word.
        gps.pausesLocationUpdatesAutomatically = false
      #endif
      #if !os(tvOS) && !os(visionOS) && !os(watchOS) && !os(macOS)
        gps.showsBackgroundLocationIndicator = configuration.showsBackgroundIndicator
      #endif
      gps.delegate = self
    }
  }

  @available(*, unavailable)
  extension CoreLocationProvider: Sendable {}

  // MARK: - The manager's commands

  extension CoreLocationProvider {
    /// The time since the system started.
    public var uptime: Duration { host.uptime }
    /// The wall clock.
    public var date: Date { host.date }
    /// The configuration's policy.
    public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
    /// Whether locations may be used, as Core Location last reported.
    public var authorization: Authorization { turns.core.authorization }

    /// Asks for the permission, or reports what it is where no prompt will be shown.
    public func requestAuthorization() { take(.requestAuthorization) }

    /// The sources that can wake the app now.
    ///
    /// - Significant changes, where the system has them: in the background with Always.
    /// - The exit of a region, with Always and full accuracy, while the system watches over it.
    /// - The beginning and the end of a visit on iOS, with Always.
    /// - Timers on a Mac, in the foreground, and in the background while the app is kept running: see ``setKeptRunning(_:)``.
    /// - Motion, from the sensor's first reading on, while the app is kept running.
    /// - The keeper on iOS, with Always, full accuracy, ``Configuration/allowsBackgroundUpdates``, and ``Configuration/keepsRunning``
    ///   other than `never`; at rest too where that is `always`.
    ///
    /// In the background there is less than in the foreground: each change is reported.
    public var wakeSources: WakeSources { turns.core.wakeSources }

    /// Turns on what `mode` says, and all else off.
    ///
    /// The first command also turns off the significant changes and the visits of an earlier launch, which would keep
    /// launching the app. With Always significant changes stay on while the GPS is on, so that the system relaunches an app that is terminated.
    ///
    /// A region stays until another one takes its place or ``setRegion(_:)`` removes it: one of an earlier launch too.
    ///
    /// Where background time expires while the GPS is on, and background updates do not keep the app running, the provider reports
    /// ``ProviderFailure/backgroundTimeExpired``.
    public func setMode(_ mode: ReceiverMode) { take(.mode(mode)) }

    /// Has the system wake the app, or launch it, when the device leaves `region`; `nil` removes it. Its radius is at most what
    /// Core Location can monitor.
    ///
    /// From iOS 18 and macOS 15 on it is a condition of a `CLMonitor` where the provider was made on the main thread, and a
    /// `CLCircularRegion` otherwise. It takes one of the twenty regions and conditions that an app may have, and a condition a
    /// second one while it is replaced. Before the device is unlocked for the first time since it started, it is a
    /// `CLCircularRegion` too. An exit is reported once; while the mode is `off` it is not reported, and removes the region.
    ///
    /// Where the system does not watch over the region, ``WakeSources/regionExit`` is withdrawn, and the system's log has the reason.
    /// It returns with the next fix, once a minute at most, and when the app enters the foreground.
    public func setRegion(_ region: Location.Region?) { take(.region(region)) }

    /// With a bound and Always, the end of a visit wakes the app or launches it, unless the mode is `off`. Core Location reports it some
    /// minutes late, and it costs next to nothing. Core Location monitors visits for all managers of an app together, so the provider also
    /// stops visits of the app's own code: with its first command, when the bound is removed, and when the mode becomes `off`.
    public func setErrorBound(_ bound: Double?) { take(.errorBound(isSet: bound != nil)) }

    /// Keeps the app running by coarse updates, while the mode isn't `off` and ``wakeSources`` has ``WakeSources/keeper``. A separate
    /// `CLLocationManager` requests them at ``Configuration/keeperAccuracy``; it stays on while the GPS is on. Its fixes are reported with
    /// the source ``Location/Source/coarse``. They may come from the GPS while it is on, for the manager or for another app.
    ///
    /// The motion sensor runs at the same time, with ``Configuration/usesMotionActivity``. For the cost see ``KeepsRunning``.
    public func setKeptRunning(_ isKept: Bool) { take(.keptRunning(isKept)) }

    /// Sets Core Location's desired accuracy and distance filter.
    ///
    /// From iOS 16.4 on, updates continue in the background without an indicator only where there is no filter, and 100 m or
    /// better is desired: then these are set. A consumer that tracks receives what it asked for all the same.
    public func setReceiver(_ settings: ReceiverSettings) { take(.receiver(settings)) }

    /// Does nothing: Core Location keeps trying, and an app in the background that stopped updates might not be
    /// allowed to start them again.
    public func restartReceiver() {}

    /// Reports ``ProviderReport/timer`` when the time has come. If the device has slept meanwhile, up to ten seconds after it
    /// wakes: timers of the run loop do not count that time. Until the time has come the app wakes every ten seconds.
    public func setTimer(_ deadline: Duration?) { take(.deadline(deadline)) }
  }

  // MARK: - One turn at a time

  extension CoreLocationProvider {
    func now(for input: CoreLocationCore.Input) -> CoreLocationCore.Now {
      CoreLocationCore.Now(
        uptime: host.uptime, date: host.date,
        hasBeenUnlocked: turns.core.asksForUnlock(on: input) && host.hasBeenUnlocked)
    }

    private func take(_ input: CoreLocationCore.Input) {
      turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
      guard !turns.isTurning, !isReporting else { return }
      isReporting = true
      while !news.isEmpty { tell(news.removeFirst()) }
      isReporting = false
    }

    private func tell(_ action: CoreLocationCore.Action) {
      switch action {
      case .report(let report): onReport?(report)
      case .openSettings: configuration.onRequestWhenDenied?()
      default: preconditionFailure("Commands are carried out within the turn.")
      }
    }

    /// Carries out what the core has decided.
    func carryOut(_ action: CoreLocationCore.Action) {
      switch action {
      case .beginServiceSession(let session): begin(session)
      case .endServiceSession:
        endServiceSession?()
        endServiceSession = nil
      case .start(let service): start(service)
      case .stop(let service): stop(service)
      case .setReceiver(let settings): setAccuracy(settings)
      case .openConditions: waking.openConditions()
      case .armCircle(let region): waking.arm(region)
      case .armCondition(let region): waking.armCondition(region)
      case .removeRegion: waking.removeRegion()
      case .checkCondition: waking.checkCondition()
      case .setTimer(let time):
        host.setTimer(after: time.map { min($0 - host.uptime, Self.longestTimer) }) { [weak self] in self?.timerFired()
        }
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
      case .report, .openSettings: news.append(action)
      }
    }

    private func start(_ service: Services.Service) {
      switch service {
      case .activitySession: beginActivitySession()
      // An app that was woken or launched in the background has some ten seconds, and an acquisition may take longer.
      case .backgroundTime: host.beginActivity { [weak self] in self?.take(.backgroundTimeExpired) }
      case .updates:
        #if !os(tvOS)
          gps.startUpdatingLocation()
        #endif
      case .requests: break
      case .significantChanges: waking.startSignificantChanges()
      case .visits: waking.startVisits()
      case .keeper:
        #if os(iOS) || LOCOKIT_STAND_INS
          appKeeper?.start()
        #endif
      case .motion:
        motion.start()
        queryStoredMotion()
      }
    }

    private func stop(_ service: Services.Service) {
      switch service {
      case .activitySession:
        endActivitySession?()
        endActivitySession = nil
      case .backgroundTime: host.endActivity()
      case .updates, .requests: gps.stopUpdatingLocation()
      case .significantChanges: waking.stopSignificantChanges()
      case .visits: waking.stopVisits()
      case .keeper:
        #if os(iOS) || LOCOKIT_STAND_INS
          appKeeper?.stop()
        #endif
      case .motion: motion.stop()
      }
    }

    private func setAccuracy(_ settings: ReceiverSettings) {
      gps.desiredAccuracy = settings.desiredAccuracy <= 10 ? kCLLocationAccuracyBest : settings.desiredAccuracy
      gps.distanceFilter = settings.distanceFilter > 0 ? settings.distanceFilter : kCLDistanceFilterNone
    }

    private func queryStoredMotion() {
      let (provider, onThread) = (ThreadBound(self), host.onThread)
      motion.query(from: turns.core.storedMotionBegins(at: date), to: date) { changes in
        onThread { provider.object?.take(.storedMotion(changes)) }
      }
    }

    private func timerFired() {
      if let reading = motion.take() { take(.motion(reading)) }
      take(.timerFired)
    }

    private func requestFullAccuracy() {
      guard let key = configuration.fullAccuracyPurposeKey else { return }
      let (provider, onThread) = (ThreadBound(self), host.onThread)
      gps.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
        // An error says that the user wasn't asked, such as in the background: a later start may ask.
        if error != nil { onThread { provider.object?.take(.fullAccuracyRequestFailed) } }
      }
    }
  }

  // MARK: - Sessions

  extension CoreLocationProvider {
    /// Begins a session in the place of the last one.
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
            let (provider, onThread, number) = (ThreadBound(self), host.onThread, session.number)
            // Ends when the session is invalidated.
            Task {
              for try await diagnostic in service.diagnostics {
                let isSuspended = diagnostic.insufficientlyInUse || diagnostic.alwaysAuthorizationDenied
                onThread { provider.object?.take(.session(number, isSuspended: isSuspended)) }
              }
            }
          #endif
        }
      #endif
    }

    /// Begins a session from iOS 17 on, in the place of the last one.
    private func beginActivitySession() {
      #if os(iOS) || os(watchOS) || LOCOKIT_STAND_INS
        if #available(iOS 17, watchOS 10, *) {
          endActivitySession?()
          let activity = CLBackgroundActivitySession()
          endActivitySession = { activity.invalidate() }
        }
      #endif
    }
  }

  // MARK: - Core Location's callbacks

  extension CoreLocationProvider: CLLocationManagerDelegate {
    /// Fixes of the GPS: also those that were on their way when it was turned off.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      take(.fixes(locations.map(Location.init)))
    }

    /// Errors that concern locations.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      if let failure = CoreLocationCore.Failure(error) { take(.failure(failure)) }
    }

    /// The permission and the accuracy, when the provider is made and whenever they change: here alone they are read.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      take(
        .authorization(
          Authorization(gps.authorizationStatus), isAccuracyReduced: gps.accuracyAuthorization == .reducedAccuracy))
    }

    #if !os(tvOS) && !os(watchOS)
      /// Core Location has paused the updates without being asked, and won't resume them.
      public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { take(.updatesPaused) }
    #endif
  }
#endif

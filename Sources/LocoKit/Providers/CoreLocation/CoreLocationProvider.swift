#if canImport(CoreLocation)
  public import CoreLocation
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif
  import Dispatch
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
    /// Which permission is asked for.
    public enum Permission: String, CaseIterable, Hashable, Sendable {
      /// While the app is in use.
      case whenInUse
      /// In the background too: one prompt now, and a second one when the system finds it time.
      case always
      /// While the app is in use first, and the rest as soon as that is given. The system asks for the rest only once.
      case whenInUseThenAlways
    }

    /// How Core Location is used.
    public struct Configuration {
      /// Which permission is asked for.
      public var permission = Permission.whenInUse
      /// Whether fixes come while the app is in the background. Needs the background mode `location`; has no effect on a Mac
      /// or in an app extension whose own `Info.plist` does not declare it.
      public var allowsBackgroundUpdates = false
      /// Whether the status bar says that the app uses the location in the background. On iOS, with Always.
      public var showsBackgroundIndicator = false
      #if !os(tvOS)
        /// What the app is for, from which Core Location guesses how the device moves.
        public var activityType = CLActivityType.other
      #endif
      /// Asks for full accuracy, for this launch, when the GPS is turned on and the user gives a reduced one only: a key of
      /// `NSLocationTemporaryUsageDescriptionDictionary`. The user is asked once in a launch. `nil` does not ask.
      public var fullAccuracyPurposeKey: String?
      /// What is done where the permission is known to be refused and the app asks again, by a forced prompt: open its
      /// settings. The first time that a launch asks, it finds out.
      public var onRequestWhenDenied: (() -> Void)?
      /// Whether the motion sensor is used where an error bound is set: then the GPS stays off while the device is still. On iOS,
      /// with ``allowsBackgroundUpdates`` and Always. Needs `NSMotionUsageDescription`, and shows the user a second prompt.
      public var usesMotionActivity = false
      /// The policy recommended to the manager.
      public var policy = AcquisitionPolicy.loco

      /// While in use, in the foreground.
      public init() {}
    }

    /// What the platform has.
    public struct Capabilities: Hashable, Sendable {
      /// Whether significant changes wake the app: on iOS and macOS. Elsewhere a manager that sleeps is woken by the app
      /// alone, which forces an acquisition.
      public let significantChanges: Bool
      /// Whether the receiver gives one fix after the other. On tvOS it is asked for each.
      public let continuousFixes: Bool
      /// Whether the exit of a region wakes the app: on iOS and macOS. A Mac tells only an app that runs.
      public let regionExits: Bool
      /// Whether the motion sensor says how the device moves: on an iPhone.
      public let motionActivity: Bool
      /// Whether the system suspends an app in the background, which then has no timers: everywhere but on a Mac.
      public let suspendsApps: Bool
    }

    /// What this platform has.
    public static var capabilities: Capabilities {
      #if os(iOS) || LOCOKIT_STAND_INS
        Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), continuousFixes: true,
          regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self),
          motionActivity: CMMotionActivityManager.isActivityAvailable(), suspendsApps: true)
      #elseif os(macOS)
        Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), continuousFixes: true,
          regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self), motionActivity: false,
          suspendsApps: false)
      #elseif os(tvOS)
        Capabilities(
          significantChanges: false, continuousFixes: false, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #else
        Capabilities(
          significantChanges: false, continuousFixes: true, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #endif
    }

    /// How Core Location is used.
    public let configuration: Configuration
    /// Set by the manager.
    public var onReport: ((ProviderReport) -> Void)?
    /// Whether the user gives a reduced accuracy only: some kilometres, which no policy for the GPS accepts.
    public var isAccuracyReduced: Bool { core.accuracyAuthorization == .reducedAccuracy }

    /// The GPS and the permission.
    private let core: CLLocationManager
    private let waking: WakingServices
    private let motion = ActivitySensor()
    #if os(iOS) || LOCOKIT_STAND_INS
      /// `nil` where no fixes may come in the background.
      private let appKeeper: AppKeeper?
    #endif
    private let host: any CoreLocationHost
    private let capabilities: Capabilities
    /// Whether fixes may come in the background.
    private let hasBackgroundUpdates: Bool
    /// `nil` before the first command: significant changes may still be on from an earlier launch.
    private var mode: ReceiverMode?
    private var hasErrorBound = false
    /// Why the region is not watched; `nil` where it is, and without a region.
    private(set) var regionProblem: String?
    /// Before which a region that was lost is not armed again.
    private var nextRegionAttempt = Duration.zero
    /// Whether the service session says that Always has no effect.
    private var isAlwaysSuspended = false
    /// When a fix was last as fast as a vehicle.
    private var lastFastFix: Duration?
    /// Whether updates began in the foreground: with a permission for while in use, only these continue in the background.
    private var beganInForeground = false
    /// What the manager was told last of what can wake the app.
    private var knownWakeSources: WakeSources = []
    private var hasAsked = false
    private var hasAskedForAlways = false
    /// Has a count of 1 as long as the user has not been asked for full accuracy in this launch, otherwise of 0.
    private let fullAccuracyPermit = DispatchSemaphore(value: 0)
    /// The manager's deadline.
    private var deadline: Duration?
    /// When the last fix was asked for, and when the next one is to be, where the receiver gives one at a time.
    private var requestedAt = Duration.zero
    private var nextRequest: Duration?
    /// The permission for which a service session is held, and what ends it.
    private var serviceSession: (authorization: Authorization, end: () -> Void)?
    /// How many service sessions were begun.
    private var serviceSessions = 0
    /// Ends the background activity session that is held.
    private var endActivitySession: (() -> Void)?

    /// How long the host's timer runs at most. It need not count the time for which the device sleeps, so the deadlines are
    /// compared with the uptime again after this.
    private static let longestTimer = Duration.seconds(10)
    /// How much time passes at least between two requests for a fix, where the receiver gives one at a time.
    private static let requestInterval = Duration.seconds(1)
    /// The same after an error, which may come at once.
    private static let requestIntervalAfterError = Duration.seconds(5)
    /// The least time between two attempts to arm a region that the system does not watch.
    private static let regionAttemptInterval = Duration.seconds(60)
    /// The least speed of a vehicle, in metres per second, and the time after such a fix for which stillness is not believed: Core
    /// Motion calls a smooth ride stationary.
    private static let vehicleSpeed = 8.0
    private static let vehicleMemory = Duration.seconds(180)
    /// Older fixes come from a cache.
    private static let newestFixAge = 10.0

    init(
      configuration: Configuration, makeManager: () -> CLLocationManager, host: any CoreLocationHost,
      capabilities: Capabilities = CoreLocationProvider.capabilities, conditions: RegionConditions? = nil
    ) {
      self.configuration = configuration
      self.host = host
      self.capabilities = capabilities
      core = makeManager()
      waking = WakingServices(makeManager(), conditions: conditions, mayOpenConditions: { host.hasBeenUnlocked })
      // Without the background mode in the running bundle's own Info.plist, allowing them raises an exception.
      hasBackgroundUpdates = configuration.allowsBackgroundUpdates && Self.hasBackgroundMode(host.info)
      #if os(iOS) || LOCOKIT_STAND_INS
        appKeeper =
          hasBackgroundUpdates
          ? AppKeeper(makeManager(), showsIndicator: configuration.showsBackgroundIndicator) : nil
      #endif
      super.init()
      if let info = host.appInfo { Self.check(configuration, info) }
      fullAccuracyPermit.signal()
      setReceiver(.best)
      #if !os(tvOS)
        core.activityType = configuration.activityType
      #endif
      #if !os(tvOS) && !os(visionOS)
        if hasBackgroundUpdates { core.allowsBackgroundLocationUpdates = true }
      #endif
      #if !os(tvOS) && !os(watchOS)
        // A pause of the framework's own would end an acquisition without a word.
        core.pausesLocationUpdatesAutomatically = false
      #endif
      #if !os(tvOS) && !os(visionOS) && !os(watchOS) && !os(macOS)
        core.showsBackgroundLocationIndicator = configuration.showsBackgroundIndicator
      #endif
      core.delegate = self
      waking.onSignificantChange = { [weak self] in self?.detectChange($0) }
      waking.onRegionExit = { [weak self] in self?.leaveRegion() }
      waking.onRegionLoss = { [weak self] in self?.loseRegion($0) }
      host.onForegroundChange = { [weak self] in self?.changeForeground() }
      knownWakeSources = wakeSources
    }

    /// Stops a program whose `Info.plist` lacks what Core Location needs. A Mac asks without it.
    private static func check(_ configuration: Configuration, _ info: (_ key: String) -> Any?) {
      #if !os(macOS)
        func requireDescription(_ key: String) {
          precondition(
            info(key) != nil, "Info.plist lacks \(key): without it no prompt for the permission is ever shown.")
        }
        requireDescription("NSLocationWhenInUseUsageDescription")
        #if !os(tvOS) && !os(visionOS)
          if configuration.permission != .whenInUse {
            requireDescription("NSLocationAlwaysAndWhenInUseUsageDescription")
          }
        #endif
        #if os(iOS) || LOCOKIT_STAND_INS
          precondition(
            !configuration.usesMotionActivity || info("NSMotionUsageDescription") != nil,
            "Info.plist lacks NSMotionUsageDescription, which usesMotionActivity needs.")
        #endif
        if let key = configuration.fullAccuracyPurposeKey {
          let purposes = info("NSLocationTemporaryUsageDescriptionDictionary") as? [String: Any] ?? [:]
          precondition(
            purposes[key] != nil,
            "Info.plist lacks \(key) in NSLocationTemporaryUsageDescriptionDictionary, which fullAccuracyPurposeKey needs."
          )
        }
        precondition(
          !configuration.allowsBackgroundUpdates || hasBackgroundMode(info),
          "Info.plist lacks location among its UIBackgroundModes, which allowsBackgroundUpdates needs.")
      #endif
    }

    private static func hasBackgroundMode(_ info: (_ key: String) -> Any?) -> Bool {
      (info("UIBackgroundModes") as? [String] ?? []).contains("location")
    }
  }

  @available(*, unavailable)
  extension CoreLocationProvider: Sendable {}

  // MARK: - What the manager asks for

  extension CoreLocationProvider {
    /// How long the system has been running.
    public var uptime: Duration { host.uptime }
    /// What the clock on the wall says.
    public var date: Date { host.date }
    /// The configuration's policy.
    public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
    /// Whether locations may be used.
    public var authorization: Authorization { Authorization(core.authorizationStatus) }

    /// Asks for the permission, or reports what it is where no prompt will be shown.
    public func requestAuthorization() {
      let isFirst = !hasAsked
      hasAsked = true
      let authorization = authorization
      switch authorization {
      case .notDetermined:
        if configuration.permission == .always {
          requestAlways()
        } else {
          core.requestWhenInUseAuthorization()
        }
        onReport?(.promptShown)
      case .whenInUse:
        // The second step may be answered by silence, so nothing waits for it.
        onReport?(.authorization(authorization))
        askForTheRest()
      case .denied:
        onReport?(.authorization(authorization))
        if !isFirst { configuration.onRequestWhenDenied?() }
      case .restricted, .always:
        onReport?(.authorization(authorization))
      }
    }

    /// The sources that can wake the app now.
    ///
    /// - Significant changes, where the system has them: in the background with Always.
    /// - The exit of a region, with Always and full accuracy, while the system watches over it.
    /// - Timers on a Mac, in the foreground, and in the background where ``Configuration/allowsBackgroundUpdates`` keeps an app
    ///   running that regions can launch again too.
    /// - Motion, while the sensor says something there.
    ///
    /// In the background there is less than in the foreground: each change is reported.
    public var wakeSources: WakeSources {
      var sources: WakeSources = []
      if capabilities.significantChanges, isNotSuspended || hasAlways { sources.insert(.significantChanges) }
      if mayWatchRegions, regionProblem == nil { sources.insert(.regionExit) }
      if isNotSuspended || mayKeepRunning { sources.insert(.timersWhileAsleep) }
      if motion.last != nil { sources.insert(.motion) }
      return sources
    }

    /// Whether the system lets the app run, whatever it does.
    private var isNotSuspended: Bool { !capabilities.suspendsApps || host.isInForeground }
    /// Whether Always is given, and has an effect.
    private var hasAlways: Bool { authorization == .always && !isAlwaysSuspended }
    private var mayWatchRegions: Bool { capabilities.regionExits && hasAlways && !isAccuracyReduced }
    private var mayKeepRunning: Bool { capabilities.suspendsApps && hasBackgroundUpdates && mayWatchRegions }

    /// Turns on what `mode` says, and all else off.
    ///
    /// The first command also turns off the significant changes of an earlier launch, for which the system would go on
    /// launching the app. With Always they stay on while the GPS is on, for an app that is ended meanwhile.
    ///
    /// A region stays until another one takes its place or ``setRegion(_:)`` removes it: one of an earlier launch too.
    ///
    /// Where background time expires while the GPS is on, and background updates do not keep the app running, the provider reports
    /// ``ProviderFailure/backgroundTimeExpired``.
    public func setMode(_ mode: ReceiverMode) {
      guard mode != self.mode else { return }
      let (last, isAuthorized) = (self.mode, authorization.isAuthorized)
      self.mode = mode
      if mode != .off, isAuthorized { holdServiceSession() }
      // What comes on does so before anything goes off, so that something keeps the app running all the time.
      if mode == .gps, isAuthorized { startGPS() }
      updateServices()
      if last == .gps { stopGPS() }
      waking.checkRegion()
      if mode == .off {
        endServiceSession()
      } else if !isAuthorized {
        onReport?(.authorization(authorization))
      }
    }

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
    public func setRegion(_ region: CircularRegion?) {
      waking.setRegion(region)
      updateServices()
    }

    /// While there is a bound and significant changes are awaited, keeps an app running that allows background updates, so that
    /// timers run: see *Setting up an app*.
    public func setErrorBound(_ bound: Double?) {
      hasErrorBound = bound != nil
      updateServices()
    }

    /// Sets Core Location's desired accuracy and distance filter.
    ///
    /// From iOS 16.4 on, updates go on in the background without an indicator only where there is no filter, and 100 m or
    /// better is desired: then these are set. Who tracks is given what was asked for all the same.
    public func setReceiver(_ settings: ReceiverSettings) {
      let isUnseen = configuration.allowsBackgroundUpdates && !configuration.showsBackgroundIndicator
      let accuracy = isUnseen ? min(settings.desiredAccuracy, 100) : settings.desiredAccuracy
      core.desiredAccuracy = accuracy <= 10 ? kCLLocationAccuracyBest : accuracy
      core.distanceFilter =
        settings.distanceFilter > 0 && !isUnseen ? settings.distanceFilter : kCLDistanceFilterNone
    }

    /// Does nothing: Core Location goes on trying by itself, and an app in the background that stopped it might not be let
    /// start it again.
    public func restartReceiver() {}

    /// Reports ``ProviderReport/timer`` when the time has come. If the device has slept meanwhile, up to ten seconds after it
    /// wakes: timers of the run loop do not count that time. Until the time has come the app wakes every ten seconds.
    public func setTimer(_ deadline: Duration?) {
      self.deadline = deadline
      armTimer()
    }

    private func armTimer() {
      let now = host.uptime
      let motionCheck = motion.isOn ? now + Self.longestTimer : nil
      let due = [deadline, nextRequest, motionCheck].compactMap { $0 }.min()
      host.setTimer(after: due.map { min($0 - now, Self.longestTimer) }) { [weak self] in self?.checkDeadlines() }
    }

    private func checkDeadlines() {
      let now = host.uptime
      if let nextRequest, now >= nextRequest { request() }
      let isDue = deadline.map { now >= $0 } ?? false
      if isDue { deadline = nil }
      armTimer()
      hearMotion()
      if isDue { onReport?(.timer) }
    }

    private func requestAlways() {
      // In the background the system ignores it.
      hasAskedForAlways = isNotSuspended
      #if os(tvOS) || os(visionOS)
        core.requestWhenInUseAuthorization()
      #else
        core.requestAlwaysAuthorization()
      #endif
    }

    private func askForTheRest() {
      guard hasAsked, !hasAskedForAlways, configuration.permission != .whenInUse else { return }
      requestAlways()
    }

    private func startGPS() {
      askForFullAccuracy()
      holdActivitySession()
      beganInForeground = isNotSuspended
      beginActivity()
      #if !os(tvOS)
        if capabilities.continuousFixes { return core.startUpdatingLocation() }
      #endif
      request()
    }

    /// An app that was woken or launched in the background is given some ten seconds, and an acquisition may take longer.
    private func beginActivity() {
      host.beginActivity(onExpiry: { [weak self] in self?.endBackgroundTime() })
    }

    private func endBackgroundTime() {
      // Updates that continue in the background keep the app running.
      let goesOn = hasBackgroundUpdates && (hasAlways || authorization == .whenInUse && beganInForeground)
      guard mode == .gps, !isNotSuspended, !goesOn else { return }
      onReport?(.failure(.backgroundTimeExpired))
    }

    private func changeForeground() {
      if host.isInForeground {
        waking.checkRegion()
        offerRegion(now: true)
        if authorization == .whenInUse { askForTheRest() }
      }
      if mode == .gps, authorization.isAuthorized { renewGPS() }
      updateServices()
    }

    /// Adapts updates and sessions to a change between foreground and background while the GPS is on.
    private func renewGPS() {
      if host.isInForeground {
        beganInForeground = true
        // A session that was begun in the background has no effect, and updates while in use cannot begin there.
        endActivitySession?()
        endActivitySession = nil
        holdActivitySession()
        #if !os(tvOS)
          if capabilities.continuousFixes { core.startUpdatingLocation() }
        #endif
      } else {
        // The activity of the foreground may have expired.
        beginActivity()
      }
    }

    private func stopGPS() {
      core.stopUpdatingLocation()
      nextRequest = nil
      endActivitySession?()
      endActivitySession = nil
      host.endActivity()
    }

    /// Turns on what runs beside the GPS, and off what does not.
    private func updateServices() {
      let isOn = mode != nil && mode != .off && authorization.isAuthorized
      if capabilities.significantChanges {
        waking.setSignificantChanges(isOn && (mode == .significantChanges || authorization == .always))
      }
      if isOn, mayWatchRegions { waking.openConditions() }
      let keepsRunning = isOn && hasErrorBound && mayKeepRunning
      #if os(iOS) || LOCOKIT_STAND_INS
        appKeeper?.set(keepsRunning && mode == .significantChanges)
      #endif
      let wasHearing = motion.isOn
      motion.set(keepsRunning && configuration.usesMotionActivity && capabilities.motionActivity)
      if motion.isOn != wasHearing { armTimer() }
      reportWakeSources()
    }

    private func reportWakeSources() {
      let sources = wakeSources
      guard sources != knownWakeSources else { return }
      knownWakeSources = sources
      onReport?(.wakeSources(sources))
    }

    /// What the motion sensor has said since the last look at it.
    private func hearMotion() {
      let last = motion.last
      motion.update(mayBeStill: lastFastFix.map { host.uptime - $0 >= Self.vehicleMemory } ?? true)
      guard motion.last != last else { return }
      reportWakeSources()
      if let news = motion.last { onReport?(.motion(news)) }
    }

    private func loseRegion(_ reason: String) {
      host.log("The region round the last location is not watched: \(reason).")
      regionProblem = reason
      reportWakeSources()
    }

    /// Has the manager arm a region again that was lost.
    private func offerRegion(now isNow: Bool) {
      guard regionProblem != nil, isNow || host.uptime >= nextRegionAttempt else { return }
      nextRegionAttempt = host.uptime + Self.regionAttemptInterval
      regionProblem = nil
      reportWakeSources()
    }

    /// Once in a launch, which is how long the answer holds.
    private func askForFullAccuracy() {
      guard isAccuracyReduced, let key = configuration.fullAccuracyPurposeKey,
        fullAccuracyPermit.wait(timeout: .now()) == .success
      else { return }
      core.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { [fullAccuracyPermit] error in
        // An error says that the user was not asked, such as in the background: a later start may.
        if error != nil { fullAccuracyPermit.signal() }
      }
    }

    /// Asks for the next fix where the receiver gives one at a time, `interval` after the last request at the earliest.
    private func requestNext(after interval: Duration) {
      guard mode == .gps, !capabilities.continuousFixes else { return }
      if host.uptime >= requestedAt + interval { return request() }
      nextRequest = requestedAt + interval
      armTimer()
    }

    private func request() {
      requestedAt = host.uptime
      nextRequest = nil
      core.requestLocation()
    }
  }

  // MARK: - Sessions

  extension CoreLocationProvider {
    /// From iOS 18 on, a session declares that locations are used. It is held until the mode is off, because a session that
    /// is begun in the background counts only at once after a launch, where one was held before.
    private func holdServiceSession() {
      #if os(iOS) || os(watchOS) || os(tvOS) || os(visionOS) || LOCOKIT_STAND_INS
        let authorization = authorization
        guard serviceSession?.authorization != authorization else { return }
        if #available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *) {
          // A session that requires more than is granted shows a prompt by itself. Always must be required where it is
          // granted: otherwise it has no effect in the background (CLServiceSession.h, sessionRequiringAuthorization:).
          #if os(iOS) || os(watchOS) || LOCOKIT_STAND_INS
            let service = CLServiceSession(authorization: authorization == .always ? .always : .none)
          #else
            let service = CLServiceSession(authorization: .none)
          #endif
          endServiceSession()
          serviceSession = (authorization, { service.invalidate() })
          #if os(iOS) || LOCOKIT_STAND_INS
            listen(to: service)
          #endif
        }
      #endif
    }

    private func endServiceSession() {
      serviceSession?.end()
      serviceSession = nil
      isAlwaysSuspended = false
    }

    #if os(iOS) || LOCOKIT_STAND_INS
      /// Receives what keeps a session from having its effect, on the provider's thread, until it is invalidated.
      @available(iOS 18, *)
      private func listen(to service: CLServiceSession) {
        serviceSessions += 1
        let (provider, onThread, number) = (ThreadBound(self), host.onThread, serviceSessions)
        Task {
          for try await diagnostic in service.diagnostics {
            let isSuspended = diagnostic.insufficientlyInUse || diagnostic.alwaysAuthorizationDenied
            onThread { provider.object?.changeSession(number, isSuspended: isSuspended) }
          }
        }
      }

      /// Ignores a session that has ended, or was replaced.
      private func changeSession(_ number: Int, isSuspended: Bool) {
        guard serviceSession != nil, number == serviceSessions, isSuspended != isAlwaysSuspended else { return }
        if isSuspended { host.log("Always has no effect: the app is not sufficiently in use, or Always is denied.") }
        isAlwaysSuspended = isSuspended
        updateServices()
      }
    #endif

    /// From iOS 17 on, a session keeps an app in use while it is in the background. It shows the indicator, and an app that
    /// is always allowed goes on without it.
    private func holdActivitySession() {
      #if os(iOS) || os(watchOS) || LOCOKIT_STAND_INS
        let isNeeded = authorization == .whenInUse || configuration.showsBackgroundIndicator
        if configuration.allowsBackgroundUpdates, isNeeded, #available(iOS 17, watchOS 10, *) {
          let activity = CLBackgroundActivitySession()
          endActivitySession = { activity.invalidate() }
        }
      #endif
    }
  }

  // MARK: - What Core Location says

  extension CoreLocationProvider: CLLocationManagerDelegate {
    /// Fixes of the GPS: also those that were on their way when it was turned off.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      let isFast = locations.contains {
        $0.speed >= Self.vehicleSpeed && abs(host.date.timeIntervalSince($0.timestamp)) < Self.newestFixAge
      }
      if isFast { lastFastFix = host.uptime }
      onReport?(.fixes(locations.map(Location.init)))
      offerRegion(now: false)
      requestNext(after: Self.requestInterval)
    }

    /// What went wrong; what does not concern locations is left aside.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      guard let failure = failure(error) else { return }
      onReport?(failure)
      requestNext(after: Self.requestIntervalAfterError)
    }

    /// The permission and the accuracy, when the provider is made and whenever they change.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let authorization = authorization
      onReport?(.authorization(authorization))
      if serviceSession != nil, authorization.isAuthorized { holdServiceSession() }
      updateServices()
      if authorization == .whenInUse { askForTheRest() }
    }

    #if !os(tvOS) && !os(watchOS)
      /// Core Location has paused by itself, and does not go on by itself.
      public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
        if mode == .gps { core.startUpdatingLocation() }
      }
    #endif

    /// While the GPS is on, significant changes are there to launch the app again, and say nothing.
    private func detectChange(_ locations: [CLLocation]) {
      guard mode == .significantChanges else { return }
      waking.checkRegion()
      onReport?(.significantChange(locations.last.map(Location.init)))
    }

    private func leaveRegion() {
      guard mode != nil, mode != .off else { return waking.setRegion(nil) }
      onReport?(.regionExited)
    }

    /// What an error of Core Location's is reported as; `nil` where it does not concern locations.
    private func failure(_ error: any Error) -> ProviderReport? {
      guard let code = (error as? CLError)?.code else {
        return .failure(.other("an error that is not Core Location's: \(type(of: error))"))
      }
      switch code {
      case .locationUnknown:
        return .failure(.locationUnknown)
      case .denied:
        // It may come before the status has changed, which will be told too; and where the status stays, it is an error like
        // others, such as a service begun in the background: nothing would ever take it back.
        let isDenied = !authorization.isAuthorized
        return .failure(isDenied ? .accessDenied : .other("Core Location's error 1, though access is given"))
      case .headingFailure, .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
        .regionMonitoringResponseDelayed, .rangingUnavailable, .rangingFailure, .geocodeFoundNoResult,
        .geocodeFoundPartialResult, .geocodeCanceled:
        return nil
      case .promptDeclined:
        return .authorization(authorization)
      default:
        return .failure(.other("Core Location's error \(code.rawValue)"))
      }
    }
  }

  extension Authorization {
    fileprivate init(_ status: CLAuthorizationStatus) {
      switch status {
      case .notDetermined: self = .notDetermined
      case .restricted: self = .restricted
      case .denied: self = .denied
      #if !os(visionOS)
        case .authorizedAlways: self = .always
      #endif
      #if !os(macOS)
        case .authorizedWhenInUse: self = .whenInUse
      #endif
      @unknown default: self = .denied
      }
    }
  }

  extension Location {
    /// A location of Core Location's, whose numbers are negative where they are unknown.
    fileprivate init(_ location: CLLocation) {
      // An accuracy of 0 says that the altitude is invalid, as a negative one does.
      let hasAltitude = location.verticalAccuracy > 0
      self.init(
        latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
        horizontalAccuracy: location.horizontalAccuracy, altitude: hasAltitude ? location.altitude : nil,
        verticalAccuracy: hasAltitude ? location.verticalAccuracy : nil,
        speed: location.speed >= 0 ? location.speed : nil, course: location.course >= 0 ? location.course : nil,
        timestamp: location.timestamp)
    }
  }
#endif

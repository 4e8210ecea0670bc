import LocoFoundation

/// The decisions of the provider for Core Location, as a pure value: the manager's commands and the system's callbacks go in, commands
/// to the system and reports to the manager come out.
///
/// Each input updates the state. Then ``wanted`` computes the services that should run, and the differences from the running services
/// become commands. The core doesn't import Core Location, so tests explore it on every platform.
struct CoreLocationCore: CoreProtocol, Equatable, Sendable {
  package struct Now: Equatable, Sendable {
    var uptime: Duration
    var date: Date
    /// Whether the device has been unlocked since it started. Always `false` if ``asksForUnlock(on:)`` returns `false`.
    var hasBeenUnlocked: Bool
  }

  struct Configuration: Hashable, Sendable {
    var permission: CoreLocationProvider.Permission
    /// Whether the app allows background updates, and its bundle declares them.
    var hasBackgroundUpdates: Bool
    var showsBackgroundIndicator: Bool
    var asksForFullAccuracy: Bool
    var usesMotionActivity: Bool
    var backgroundUpdates: LocationManager.BackgroundUpdates
    var keepsRunning: CoreLocationProvider.KeepsRunning
    /// Whether regions are conditions of a `CLMonitor`, once the device has been unlocked.
    var usesConditions: Bool
    var platform: CoreLocationProvider.Capabilities
  }

  package enum Input: Equatable, Sendable {
    // The manager's commands.
    case plan(ReceiverPlan)
    case requestAuthorization
    /// The app's.
    case keepRunning(LocationManager.BackgroundUpdates, CoreLocationProvider.KeepsRunning)

    // The system's callbacks.
    case authorization(Authorization, isAccuracyReduced: Bool)
    case foreground(Bool)
    case power(isLowPowerMode: Bool, BackgroundRefresh)
    case fixes([Location])
    /// Fixes of the keeper's updates.
    case coarseFixes([Location])
    case failure(ProviderReport.Failure)
    case promptDeclined
    /// Core Location has paused the updates on its own, and won't resume them.
    case updatesPaused
    case significantChange(Location?)
    case regionEvent(RegionWatch.Event)
    case visit(Location.Visit)
    /// A reading of medium or high confidence.
    case motion(LocationManager.Motion)
    /// The sensor doesn't know the motion; repeated every ten seconds.
    case motionUnknown
    /// The readings that the system stored while the motion sensor was off.
    case storedMotion([LocationManager.Motion.Change])
    case battery(LocationManager.BatteryStatus)
    /// The request for full accuracy failed, so the user wasn't asked.
    case fullAccuracyRequestFailed
    /// A service session reports whether it has no effect. Then the conditions of a `CLMonitor` have none either.
    case session(Int, isSuspended: Bool)
    case backgroundTimeExpired
    case timerFired
  }

  package enum Action: Equatable, Sendable {
    // Commands for the services. For their order, see `Services.commands(from:renewing:)`.
    case beginServiceSession(Services.Session)
    case start(Services.Service)
    case setReceiver(accuracy: Double)
    case setKeeper(accuracy: Double)
    case openConditions
    case armCircle(Location.Region)
    case armCondition(Location.Region)
    case removeRegion
    case stop(Services.Service)
    case endServiceSession
    /// Sets the only timer, which fires at an uptime; `nil` removes it.
    case setTimer(Duration?)

    // Single requests.
    case requestWhenInUse
    case requestAlways
    case requestFullAccuracy
    case requestLocation
    case checkCondition
    case log(String)

    // Carried out after the turn.
    case report(ProviderReport)
    case openSettings
  }

  /// The state while the GPS is on.
  struct Locating: Equatable, Sendable {
    /// Whether the updates began in the foreground. With While Using, only such updates continue in the background.
    var beganInForeground: Bool
    /// The time of the last request for a fix, where fixes are requested one at a time.
    var requestedAt: Duration
    /// The time of the next request; `nil` if none is planned.
    var nextRequest: Duration?
  }

  /// The system's last reports.
  struct System: Equatable, Sendable {
    var authorization: Authorization
    var isAccuracyReduced: Bool
    var isInForeground: Bool
    var isUnlocked = false
    var battery: LocationManager.BatteryStatus?
    var isLowPowerMode = false
    var refresh = BackgroundRefresh.available
    /// ``refresh`` outside the low-power mode, which turns it off for scheduled work only. Assumed to be available at first.
    var fullPowerRefresh = BackgroundRefresh.available

    /// A restriction isn't reported as the user's refusal, because the user can't lift it.
    var appReport: ProviderReport {
      .app(isInForeground: isInForeground, isLowPowerMode: isLowPowerMode, mayRefresh: refresh != .denied)
    }
  }

  /// The prompts of this launch.
  struct Prompts: Equatable, Sendable {
    enum Prompt: Equatable, Sendable {
      case none, first, always
    }

    /// The last request: `first` even if no prompt followed, `always` only if the system doesn't ignore the request.
    var last = Prompt.none
    /// Whether the last request for a permission was made in the background, where the system ignores it.
    var isIgnored = false
    var mayAskForFullAccuracy = true
  }

  struct Sensing: Equatable, Sendable {
    /// `nil` while the sensor is off.
    var watch: MotionWatch?
    /// The time when the motion sensor was last turned off; `nil` before the first time. While it is off, the system stores activities.
    var offSince: Date?
    /// The time of the last fix with a vehicle's speed.
    var lastFastFix: Duration?
  }

  struct Sessions: Equatable, Sendable {
    var current: Services.Session?
    /// Whether the session began in the background, where it may have no effect.
    var beganInBackground = false
    var count = 0
    /// The number of the session that reports that it has no effect.
    var suspended: Int?

    var isSuspended: Bool { current != nil && current?.number == suspended }
  }

  /// The first seconds after the provider is created, until the manager turns on a mode. The services of an earlier launch stay on: stopping
  /// one could drop the event that launched the app, which the system delivers after the provider is created.
  struct Launch: Equatable, Sendable {
    let ends: Duration
    /// Whether the device has left the region of an earlier launch.
    var hasLeftRegion = false
    /// The visits that were reported, oldest first.
    private(set) var visits: [Location.Visit] = []

    private static let maximumVisits = 8

    mutating func keep(_ visit: Location.Visit) {
      visits = (visits.filter { $0 != visit } + [visit]).suffix(Self.maximumVisits)
    }
  }

  private(set) var configuration: Configuration
  /// `nil` once the launch is over.
  private(set) var launch: Launch?
  /// The manager's plan, without a timer that has fired.
  private(set) var plan = ReceiverPlan()
  private(set) var system: System
  private(set) var prompts = Prompts()
  private(set) var locating: Locating?
  /// Whether a duty-cycled keeper requests coarse fixes now.
  private(set) var wantsCoarseFixes = false
  private(set) var region = RegionWatch()
  private(set) var motion = Sensing()
  private(set) var sessions = Sessions()
  private(set) var services = Services()
  /// The services and the region that the current step starts again; empty between two steps.
  private var renewal = Services.Renewal()
  private(set) var reportedSources = Sources()

  /// What can wake the app, and when the app can be kept running.
  struct Sources: Hashable, Sendable {
    var kinds: Set<WakeKind> = []
    var backgroundUpdates = LocationManager.BackgroundUpdates.never
  }

  /// The duration of a launch. The system may suspend an app that it launched in the background a few seconds later.
  static let launchTime = Duration.seconds(5)
  /// The least time between two requests for a fix.
  static let requestInterval = Duration.seconds(1)
  /// The least time between two requests after an error, which may follow a request immediately.
  static let requestIntervalAfterError = Duration.seconds(5)
  /// The maximum age of a fix whose speed counts, in seconds. An older fix may come from a cache.
  private static let newestFixAge = 10.0

  init(
    _ configuration: Configuration, authorization: Authorization, isAccuracyReduced: Bool, isInForeground: Bool,
    at uptime: Duration = .zero
  ) {
    self.configuration = configuration
    launch = Launch(ends: uptime + Self.launchTime)
    system = System(
      authorization: authorization, isAccuracyReduced: isAccuracyReduced, isInForeground: isInForeground)
    reportedSources = sources
  }

  // MARK: - Derived facts

  /// See `CoreLocationProvider.wakeSources`.
  var sources: Sources {
    var sources = Sources()
    if configuration.platform.significantChanges, isNotSuspended || wakesApp {
      sources.kinds.insert(.significantChange)
    }
    if mayWatchRegions, wakesApp, region.problem == nil { sources.kinds.insert(.regionExit) }
    if isNotSuspended || keepsRunning { sources.kinds.insert(.timer) }
    if motion.watch?.last != nil { sources.kinds.insert(.motion) }
    if configuration.platform.visits, wakesApp { sources.kinds.insert(.visit) }
    if mayKeepRunning { sources.backgroundUpdates = configuration.backgroundUpdates }
    return sources
  }

  /// Returns whether an input depends on ``Now/hasBeenUnlocked``.
  func asksForUnlock(on input: Input) -> Bool {
    guard configuration.usesConditions, !system.isUnlocked else { return false }
    let next = if case .plan(let next) = input { next } else { plan }
    return next.mode != .off
  }

  private var isOn: Bool { plan.mode != .off && system.authorization.isAuthorized }
  /// Whether the app isn't suspended, even if no service keeps it running.
  private var isNotSuspended: Bool { !configuration.platform.suspendsApps || system.isInForeground }
  /// Whether the system wakes a suspended app.
  private var wakesApp: Bool { system.authorization == .always && system.fullPowerRefresh == .available }
  private var mayWatchRegions: Bool {
    configuration.platform.regionExits && system.authorization == .always && !system.isAccuracyReduced
  }
  private var mayKeepRunning: Bool {
    configuration.platform.suspendsApps && configuration.hasBackgroundUpdates
      && configuration.backgroundUpdates != .never
      && mayWatchRegions
  }
  /// Whether the keeper runs. It stays on while the GPS is on.
  private var keepsRunning: Bool { isOn && plan.keepsAppRunning && mayKeepRunning }

  /// Whether the keeper's accuracy changes between two looks. From iOS 16.4 on, updates without an indicator keep an app running only at
  /// 100 m or better.
  private var isDutyCycled: Bool { configuration.keepsRunning == .dutyCycled && configuration.showsBackgroundIndicator }

  private var keeperAccuracy: Double {
    let coarsest = configuration.showsBackgroundIndicator ? .infinity : CoreLocationProvider.KeepsRunning.coarseAccuracy
    return switch configuration.keepsRunning {
    case .continuous(let accuracy): min(accuracy, coarsest)
    case .dutyCycled where wantsCoarseFixes: CoreLocationProvider.KeepsRunning.coarseAccuracy
    case .dutyCycled: min(CoreLocationProvider.KeepsRunning.idleAccuracy, coarsest)
    }
  }

  /// The services that should run.
  private var wanted: Services {
    var wanted = Services()
    let isAsleep = isOn && plan.mode == .significantChanges
    wanted.session = sessions.current
    wanted.receiverAccuracy = plan.desiredAccuracy.map(adapted) ?? services.receiverAccuracy ?? adapted(0)
    wanted.keeperAccuracy = keepsRunning ? keeperAccuracy : services.keeperAccuracy
    wanted.region = region.armed
    wanted.hasOpenConditions = services.hasOpenConditions || isOn && mayWatchRegions && system.isUnlocked
    let coarseFixesFrom = isDutyCycled && keepsRunning && !wantsCoarseFixes ? plan.coarseFixesFrom : nil
    wanted.timer = [plan.timer, coarseFixesFrom, locating?.nextRequest, motion.watch?.nextCheck, launch?.ends]
      .compactMap(\.self)
      .min()
    wanted.mayRunEarlier = launch != nil
    if locating != nil {
      // The session keeps the app in use in the background, and shows the indicator.
      let needsSession = system.authorization == .whenInUse || configuration.showsBackgroundIndicator
      if configuration.hasBackgroundUpdates, needsSession { wanted.running.insert(.activitySession) }
      wanted.running.insert(.backgroundTime)
      wanted.running.insert(configuration.platform.continuousFixes ? .updates : .requests)
    }
    // With Always, significant changes stay on while the GPS is on, to relaunch an app that is terminated.
    if configuration.platform.significantChanges, isAsleep || isOn && system.authorization == .always {
      wanted.running.insert(.significantChanges)
    }
    if configuration.platform.visits, isOn, system.authorization == .always, plan.errorBound != nil {
      wanted.running.insert(.visits)
    }
    if keepsRunning { wanted.running.insert(.keeper) }
    if motion.watch != nil { wanted.running.insert(.motion) }
    return wanted
  }

  /// Returns the accuracy for Core Location. From iOS 16.4 on, updates without an indicator continue in the background only at 100 m or
  /// better.
  private func adapted(_ accuracy: Double) -> Double {
    configuration.hasBackgroundUpdates && !configuration.showsBackgroundIndicator ? min(accuracy, 100) : accuracy
  }

  // MARK: - Steps

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    let first = actions.count
    if now.hasBeenUnlocked { system.isUnlocked = true }
    act(on: input, at: now, into: &actions)
    updateLaunch(at: now, into: &actions)
    updateLocating(at: now, into: &actions)
    updateSession()
    updateMotion(at: now)
    wantsCoarseFixes = isDutyCycled && plan.coarseFixesFrom.map { $0 <= now.uptime } ?? false
    let wanted = wanted
    actions.insert(contentsOf: wanted.commands(from: services, renewing: renewal), at: first)
    (services, renewal) = (wanted, Services.Renewal())
    reportSources(into: &actions)
  }

  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool { false }

  /// Ends the launch. If the manager uses locations, reports what launched the app; otherwise removes a region that the device has left.
  private mutating func updateLaunch(at now: Now, into actions: inout [Action]) {
    guard let launch, plan.mode != .off || now.uptime >= launch.ends else { return }
    self.launch = nil
    if isOn {
      if launch.hasLeftRegion { actions.append(.report(.wake(.regionExit))) }
      actions += launch.visits.map { .report(.wake(.visit($0))) }
    } else if launch.hasLeftRegion {
      arm(nil)
    }
  }

  private mutating func updateLocating(at now: Now, into actions: inout [Action]) {
    guard (plan.mode == .gps && isOn) != (locating != nil) else { return }
    guard locating == nil else { return locating = nil }
    locating = Locating(beganInForeground: isNotSuspended, requestedAt: now.uptime)
    askForFullAccuracy(into: &actions)
    if !configuration.platform.continuousFixes { actions.append(.requestLocation) }
  }

  /// From iOS 18 on, a session declares the use of locations. The session requires Always if that is granted, because a `CLMonitor`
  /// otherwise reports no events in the background (CLServiceSession.h). The session never requires more than is granted, because that would
  /// show a prompt. It is held during a pause, because one that begins in the background has no effect, and the app may resume there.
  ///
  /// A session that began in the background, such as with a permission that the user has just changed in the settings, is replaced in the
  /// foreground.
  private mutating func updateSession() {
    guard system.authorization.isAuthorized else { return sessions.current = nil }
    let requiresAlways = system.authorization == .always
    let isOutdated = sessions.beganInBackground && isNotSuspended
    guard isOutdated || sessions.current?.requiresAlways != requiresAlways else { return }
    sessions.count += 1
    sessions.current = Services.Session(number: sessions.count, requiresAlways: requiresAlways)
    sessions.beganInBackground = !isNotSuspended
  }

  private mutating func updateMotion(at now: Now) {
    // An app that can't be kept running receives readings in the foreground.
    let isBoundInForeground = isOn && isNotSuspended && !mayKeepRunning && plan.errorBound != nil
    // A power rule that tracks replaces one with a bound, perhaps because of the motion. The sensor then stays on with the GPS.
    let mayRun = isNotSuspended || configuration.hasBackgroundUpdates && configuration.backgroundUpdates != .never
    let mayContinue = locating != nil && mayRun
    let isWanted =
      configuration.usesMotionActivity
      && (keepsRunning || isBoundInForeground || motion.watch != nil && mayContinue)
    guard isWanted != (motion.watch != nil) else { return }
    motion.watch = isWanted ? MotionWatch(at: now.uptime) : nil
    if !isWanted { motion.offSince = now.date }
  }

  /// Returns the start of a query for stored motion: an hour ago, or the time when the sensor was turned off if that is later. If the clock
  /// was set back to before that time, an hour ago: Core Motion expects a start in the past.
  func storedMotionBegins(at date: Date) -> Date {
    let hourAgo = date.addingTimeInterval(-3_600)
    guard let offSince = motion.offSince, offSince <= date else { return hourAgo }
    return max(offSince, hourAgo)
  }

  private mutating func reportSources(into actions: inout [Action]) {
    let sources = sources
    guard sources != reportedSources else { return }
    reportedSources = sources
    actions.append(.report(.wakeSources(sources.kinds, backgroundUpdates: sources.backgroundUpdates)))
  }

  // MARK: - Inputs

  private mutating func act(on input: Input, at now: Now, into actions: inout [Action]) {
    switch input {
    case .plan(let plan): apply(plan, at: now, into: &actions)
    case .requestAuthorization: requestAuthorization(into: &actions)
    case .keepRunning(let updates, let keepsRunning):
      (configuration.backgroundUpdates, configuration.keepsRunning) = (updates, keepsRunning)
    case .authorization(let authorization, let isReduced): receive(authorization, isReduced, into: &actions)
    case .foreground(let isInForeground):
      enter(isInForeground, at: now, into: &actions)
      reportApp(into: &actions)
    case .power(let isLowPowerMode, let refresh):
      let last = system.appReport
      (system.isLowPowerMode, system.refresh) = (isLowPowerMode, refresh)
      if !isLowPowerMode { system.fullPowerRefresh = refresh }
      if system.appReport != last { reportApp(into: &actions) }
    case .fixes(let fixes):
      receive(fixes, at: now, into: &actions)
      requestNext(after: Self.requestInterval, at: now)
    case .coarseFixes(let fixes): receive(coarse: fixes, at: now, into: &actions)
    case .failure(let failure): receive(failure, at: now, into: &actions)
    case .promptDeclined:
      actions.append(.report(.authorization(system.authorization)))
      requestNext(after: Self.requestIntervalAfterError, at: now)
    // The system has stopped the updates.
    case .updatesPaused: services.running.remove(.updates)
    case .significantChange(let location): receive(change: location, into: &actions)
    case .regionEvent(let event): receive(event, into: &actions)
    case .visit(let visit):
      if plan.mode != .off { actions.append(.report(.wake(.visit(visit)))) } else { launch?.keep(visit) }
    case .motion(let reading): motion.watch?.receive(reading)
    case .motionUnknown: motion.watch?.receiveUnknown(at: now.uptime)
    // The sensor may have been turned off before the answer arrives.
    case .storedMotion(let changes):
      if motion.watch != nil, !changes.isEmpty { actions.append(.report(.pastMotion(changes))) }
    case .battery(let battery): receive(battery, into: &actions)
    case .fullAccuracyRequestFailed: prompts.mayAskForFullAccuracy = true
    case .session(let number, let isSuspended):
      receive(session: number, isSuspended: isSuspended, at: now, into: &actions)
    case .backgroundTimeExpired: endBackgroundTime(into: &actions)
    case .timerFired: fireTimer(at: now, into: &actions)
    }
  }

  private mutating func receive(_ authorization: Authorization, _ isReduced: Bool, into actions: inout [Action]) {
    // The user's answer has expired.
    let isNewlyReduced = isReduced && !system.isAccuracyReduced
    (system.authorization, system.isAccuracyReduced) = (authorization, isReduced)
    if authorization != .notDetermined {
      prompts.isIgnored = false
    } else if prompts.last == .always {
      // The permission lasted for this use only, so that the system has ignored the request for Always.
      prompts.last = .first
    }
    actions.append(.report(.authorization(authorization)))
    askForAlways(into: &actions)
    guard isNewlyReduced else { return }
    prompts.mayAskForFullAccuracy = true
    askForFullAccuracy(into: &actions)
  }

  /// Reports a failure. A denial while the permission is granted is reported as another error. If the permission changes, that is reported
  /// separately. If it doesn't, such as for a service that began in the background, no later report would revoke the denial.
  private mutating func receive(_ failure: ProviderReport.Failure, at now: Now, into actions: inout [Action]) {
    let isNoDenial = failure == .accessDenied && system.authorization.isAuthorized
    let reported = isNoDenial ? .other("Core Location's error 1, though access is given") : failure
    actions.append(.report(.failure(reported)))
    requestNext(after: Self.requestIntervalAfterError, at: now)
  }

  /// Reports a significant change. While the GPS is on, significant changes only serve to relaunch the app.
  private mutating func receive(change: Location?, into actions: inout [Action]) {
    guard plan.mode == .significantChanges else { return }
    checkRegion(into: &actions)
    actions.append(.report(.wake(.significantChange(change.map(sourced)))))
  }

  private mutating func receive(_ battery: LocationManager.BatteryStatus, into actions: inout [Action]) {
    guard battery != system.battery else { return }
    system.battery = battery
    if plan.mode != .off { actions.append(.report(.battery(battery))) }
  }

  private func reportApp(into actions: inout [Action]) {
    if plan.mode != .off { actions.append(.report(system.appReport)) }
  }

  /// Stores whether the session has an effect. Without one, a `CLMonitor` reports no events in the background (CLServiceSession.h), so a
  /// `CLCircularRegion` replaces the condition. Ignores the reports of an earlier session.
  private mutating func receive(
    session number: Int, isSuspended: Bool, at now: Now, into actions: inout [Action]
  ) {
    guard number == sessions.current?.number, isSuspended != sessions.isSuspended else { return }
    sessions.suspended = isSuspended ? number : nil
    guard isSuspended, configuration.usesConditions, sessions.current?.requiresAlways == true else { return }
    actions.append(.log("CLMonitor has no effect: the app is not sufficiently in use, or Always is denied."))
    if case .condition(let last) = region.armed, region.awaitsExit { arm(last) }
    region.offer(at: now.uptime, isDue: true)
  }

  private func endBackgroundTime(into actions: inout [Action]) {
    guard !isNotSuspended, let locating else { return }
    let keepsUpdating = system.authorization == .always || locating.beganInForeground
    guard !(configuration.hasBackgroundUpdates && keepsUpdating) else { return }
    actions.append(.report(.failure(.backgroundTimeExpired)))
  }

  private mutating func apply(_ new: ReceiverPlan, at now: Now, into actions: inout [Action]) {
    let old = plan
    plan = new
    if new.mode != old.mode { begin(new.mode, after: old.mode, into: &actions) }
    // A new manager counts from 0 again, and doesn't know the region of an earlier launch.
    guard new.regionNumber != old.regionNumber, new.regionNumber > 0 else { return }
    // A new region forgets the exit that launched the app. Before the region is removed, that exit is reported.
    if new.region == nil { updateLaunch(at: now, into: &actions) }
    arm(new.region)
  }

  private mutating func begin(_ mode: ReceiverMode, after last: ReceiverMode, into actions: inout [Action]) {
    // While the mode is `off`, the battery and the state of the app aren't reported.
    if last == .off {
      if let battery = system.battery { actions.append(.report(.battery(battery))) }
      actions.append(.report(system.appReport))
    }
    // Nothing may wake the app, so a region of an earlier launch is removed too, whose number the manager doesn't know.
    if mode == .off, region.armed == .earlier { arm(nil) }
    if mode == .gps { checkRegion(into: &actions) }
    if mode != .off, !system.authorization.isAuthorized {
      actions.append(.report(.authorization(system.authorization)))
    }
  }

  /// Asks for the permission. If the answer is known, reports it, and may ask for Always or open the settings.
  private mutating func requestAuthorization(into actions: inout [Action]) {
    let isFirst = prompts.last == .none
    if isFirst { prompts.last = .first }
    guard system.authorization == .notDetermined else {
      actions.append(.report(.authorization(system.authorization)))
      // The second prompt may never be answered, so nothing waits for it.
      askForAlways(into: &actions)
      if system.authorization == .denied, !isFirst { actions.append(.openSettings) }
      return
    }
    showPrompt(into: &actions)
  }

  private mutating func showPrompt(into actions: inout [Action]) {
    prompts.isIgnored = !isNotSuspended
    if configuration.permission == .always {
      requestAlways(into: &actions)
    } else {
      actions.append(.requestWhenInUse)
    }
    if !prompts.isIgnored { actions.append(.report(.promptShown)) }
  }

  /// Asks for full accuracy if the GPS is on and the accuracy is reduced, once until the user's answer expires. In the background, the
  /// request fails.
  private mutating func askForFullAccuracy(into actions: inout [Action]) {
    guard locating != nil, isOn, system.isAccuracyReduced, configuration.asksForFullAccuracy,
      prompts.mayAskForFullAccuracy
    else { return }
    prompts.mayAskForFullAccuracy = false
    actions.append(.requestFullAccuracy)
  }

  /// Asks for Always after While Using, only after the app's first request, and once per launch, not counting requests in the background
  /// and those before a reset of the permission.
  private mutating func askForAlways(into actions: inout [Action]) {
    guard system.authorization == .whenInUse, prompts.last == .first, configuration.permission != .whenInUse else {
      return
    }
    requestAlways(into: &actions)
  }

  private mutating func requestAlways(into actions: inout [Action]) {
    // The system ignores a request in the background.
    if isNotSuspended { prompts.last = .always }
    actions.append(.requestAlways)
  }

  private mutating func enter(_ isInForeground: Bool, at now: Now, into actions: inout [Action]) {
    system.isInForeground = isInForeground
    guard isInForeground else {
      // The background time that was requested in the foreground may have expired.
      renewal.services = [.backgroundTime]
      return
    }
    checkRegion(into: &actions)
    region.offer(at: now.uptime, isDue: true)
    if prompts.isIgnored, system.authorization == .notDetermined { showPrompt(into: &actions) }
    askForAlways(into: &actions)
    askForFullAccuracy(into: &actions)
    locating?.beganInForeground = true
    // A session that began in the background has no effect, and with While Using, updates can't start there.
    renewal.services = [.activitySession, .updates]
    // The system can't ask for the motion permission in the background.
    if let watch = motion.watch, watch.last == nil { renewal.services.insert(.motion) }
  }

  private mutating func receive(_ fixes: [Location], at now: Now, into actions: inout [Action]) {
    let speeds = fixes.compactMap {
      abs(now.date.timeIntervalSince($0.timestamp)) < Self.newestFixAge ? $0.speed : nil
    }
    if speeds.contains(where: { $0 >= LocationManager.Motion.vehicleSpeed }) {
      motion.lastFastFix = now.uptime
      motion.watch?.withdrawStillness()
      reportSources(into: &actions)
    } else if !speeds.isEmpty {
      motion.watch?.restoreStillness()
    }
    actions.append(.report(.fixes(fixes.map(sourced))))
    region.offer(at: now.uptime, isDue: false)
  }

  /// Receives fixes of the keeper, which may arrive after it has stopped. While the GPS is on, they are copies of its fixes.
  private mutating func receive(coarse fixes: [Location], at now: Now, into actions: inout [Action]) {
    if keepsRunning, locating == nil { receive(fixes.map(\.coarse), at: now, into: &actions) }
  }

  /// Returns the fix, marked if the accuracy is reduced.
  private func sourced(_ fix: Location) -> Location {
    guard system.isAccuracyReduced else { return fix }
    var fix = fix
    fix.source = .reduced
    return fix
  }

  private mutating func fireTimer(at now: Now, into actions: inout [Action]) {
    services.timer = nil
    if let next = locating?.nextRequest, now.uptime >= next {
      locating?.requestedAt = now.uptime
      locating?.nextRequest = nil
      actions.append(.requestLocation)
    }
    // The coarse fixes of an app that is kept running show a departure.
    let (lastFastFix, doubtsStillness) = (motion.lastFastFix, !mayKeepRunning)
    if let motion = motion.watch?.judge(
      at: now.uptime, lastFastFix: lastFastFix, doubtsStillness: doubtsStillness)
    {
      reportSources(into: &actions)
      actions.append(.report(.wake(.motion(motion))))
    }
    if let timer = plan.timer, now.uptime >= timer {
      plan.timer = nil
      actions.append(.report(.wake(.timer)))
    }
  }

  /// Schedules the next request, `interval` after the last one at the earliest. The request is made by a timer, after the manager has
  /// received the fix and may have turned the GPS off.
  private mutating func requestNext(after interval: Duration, at now: Now) {
    guard !configuration.platform.continuousFixes, let requestedAt = locating?.requestedAt else { return }
    locating?.nextRequest = max(now.uptime, requestedAt + interval)
  }

  // MARK: - The region

  private mutating func arm(_ newRegion: Location.Region?) {
    launch?.hasLeftRegion = false
    let asCondition = configuration.usesConditions && system.isUnlocked && !sessions.isSuspended
    region.arm(newRegion, asCondition: asCondition)
    // An unchanged region is armed again too, because its exit may have been reported.
    renewal.region = true
  }

  private mutating func receive(_ event: RegionWatch.Event, into actions: inout [Action]) {
    switch region.receive(event) {
    case .exit where launch != nil && plan.mode == .off: launch?.hasLeftRegion = true
    case .exit where plan.mode == .off: arm(nil)
    case .exit: actions.append(.report(.wake(.regionExit)))
    case .loss(let reason): actions.append(.log("The region around the last location is not watched: \(reason)."))
    case nil: break
    }
  }

  /// Arms the region again, or checks its condition: other code of the app may have removed it, which Core Location doesn't report.
  private mutating func checkRegion(into actions: inout [Action]) {
    guard region.awaitsExit else { return }
    switch region.armed {
    case .circle: renewal.region = true
    case .condition: actions.append(.checkCondition)
    case .earlier, .none: break
    }
  }
}

extension Location {
  /// The fix of an update that keeps the app running.
  fileprivate var coarse: Location {
    var fix = self
    fix.source = .coarse
    return fix
  }
}

@_exported public import Foundation
import Synchronization

/// A scripted device with Core Location's documented behavior, and some that isn't documented, in virtual time.
///
/// ``advance(by:)`` lets time pass, and delivers the callbacks in order, on the caller's thread.
public final class StandInDevice {
  /// The user's answer to a prompt.
  public enum Answer: Sendable {
    case allowOnce, allowWhileUsing, changeToAlways, keepOnlyWhileUsing, deny
    /// The user doesn't answer the prompt, so there is no callback.
    case none
  }

  // The app's declarations.
  public var infoKeys: Set<String> = [
    "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription", "NSMotionUsageDescription",
  ]
  public var backgroundModes: Set<String> = ["location"]
  public var purposeKeys: Set<String> = ["Navigation"]
  /// Whether the app's `Info.plist` can be read. An app extension may not be allowed to read it.
  public var appInfoIsReadable = true
  /// The background modes of the running app extension; `nil` if the app itself runs.
  public var extensionBackgroundModes: Set<String>?
  /// The background modes of the running bundle.
  public var bundleBackgroundModes: Set<String> { extensionBackgroundModes ?? backgroundModes }

  // The user.
  public private(set) var status = CLAuthorizationStatus.notDetermined
  public private(set) var isGloballyOn = true
  public private(set) var accuracyAuthorization = CLAccuracyAuthorization.fullAccuracy
  public var answers: [Answer] = [.allowWhileUsing, .keepOnlyWhileUsing]
  public private(set) var promptsShown = 0
  public var givesFullAccuracy = true
  public private(set) var fullAccuracyPromptsShown = 0

  // The hardware.
  public var isUpdating: Bool { updatingSince != nil }
  private var updatingSince: TimeInterval?
  public private(set) var isRequesting = false
  /// The time until a request for one fix is answered.
  public var requestDuration: TimeInterval = 5
  /// How long the receiver has been on, not counting the device's sleep and the app's suspensions that have ended; `nil` while the receiver
  /// is off.
  public var updatingFor: TimeInterval? { updatingSince.map { uptime - suspendedFor - $0 } }
  private var suspendedFor: TimeInterval = 0
  private var suspendedSince: TimeInterval?
  public private(set) var isMonitoringSignificantChanges = false
  /// Whether significant changes launch the app: from a start until a stop, even after the app has ended.
  public private(set) var launchesForSignificantChanges = false
  public internal(set) var isMonitoringVisits = false
  /// Whether visits launch the app: from a start until a stop, even after the app has ended.
  public internal(set) var launchesForVisits = false
  /// The services that were turned on and off, and the requests for one fix, in order, such as `+updating`, `-updating` and `request`.
  public internal(set) var switches: [String] = []
  /// Returns the receiver's fix of a second. If it returns `nil`, the receiver reports an unknown location.
  public var fixes: ((_ second: Int) -> CLLocation?)?
  public private(set) var lastLocation: CLLocation?
  public var isInForeground = true {
    didSet {
      guard isInForeground != oldValue else { return }
      if isInForeground {
        resume()
      } else {
        beginBackgroundTime()
      }
      makeCurrent()
      onForegroundChange?()
    }
  }
  /// Called after ``isInForeground`` has changed, while the app runs.
  public var onForegroundChange: (() -> Void)?
  /// Whether the device has been unlocked since it started.
  public var hasBeenUnlocked = true
  /// Called when the background time of an activity expires; `nil` without an activity.
  public var onActivityExpiry: (() -> Void)?
  /// When the app is suspended, unless something keeps it running.
  private var suspendsAt: TimeInterval = 0
  /// When the background time of an activity expires.
  private var activityEndsAt: TimeInterval = 0
  private var checksSuspension = false
  /// Whether updates began in the foreground, so that they may continue in the background with While Using.
  private var beganInForeground = false
  /// Whether the last start of updates was refused, such as in the background with While Using.
  public private(set) var areUpdatesRefused = false
  /// Calls from other threads.
  public let inbox = StandInInbox()
  /// Why the app was launched: `location` for a significant change, a visit or the exit from a region.
  public internal(set) var launchReason: String?

  // The sessions of this launch, including those that have ended.
  public internal(set) var serviceSessions: [CLServiceSession] = []
  public internal(set) var activitySessions: [CLBackgroundActivitySession] = []
  private var hadServiceSession = false
  private var launchedAt: TimeInterval = 0

  /// The thread that created the device. All calls must be made on this thread, and Core Location calls back on it.
  private var thread = ObjectIdentifier(Thread.current)
  /// Whether calls arrive on the main actor instead, which has no fixed thread on Linux.
  public var isOnMainActor = false

  // Time.
  public private(set) var uptime: TimeInterval = 0
  public var clockOffset: TimeInterval = 0
  public var date: Date { Date(timeIntervalSince1970: 1_777_834_800 + uptime + clockOffset) }
  private var agenda: [(time: TimeInterval, number: Int, outlivesApp: Bool, action: () -> Void)] = []
  private var scheduled = 0

  // The regions of all managers. They remain after the app has ended.
  public var regions: [CLCircularRegion] = []
  /// The distance beyond a region's edge at which the system notices an exit, in metres.
  public var regionBuffer: CLLocationDistance = 100
  /// The time after which the system reports an exit that it has noticed.
  public var regionLatency: TimeInterval = 50
  public var maximumRegionDistance: CLLocationDistance = 400_000
  /// The number of reads of properties that, on a real device, are read from another process.
  public internal(set) var reads = 0
  /// Returns whether an arming is lost if it immediately follows the removal of a region with the same identifier.
  public var losesArmingAfterRemoval: () -> Bool = { true }
  /// The identifiers of regions that are listed but whose exits are never reported.
  var lostRegions: Set<String> = []
  var removedAt: [String: TimeInterval] = [:]
  /// The identifiers of the regions that, according to the system, contain the device.
  var insideOf: Set<String> = []
  /// The regions whose exits launched the app, until a manager has a delegate.
  var untoldExits: [CLCircularRegion] = []
  /// The visits that launched the app, until a manager has a delegate.
  var untoldVisits: [CLVisit] = []
  /// The device's real position.
  public internal(set) var place: CLLocation?

  /// The managers of this launch. The first one uses the receiver; the updates of the others are coarse.
  private var managers: [WeakManager] = []
  private var manager: CLLocationManager? { managers.first?.manager }
  private weak var changesManager: CLLocationManager?
  /// The number of deliveries of a coarse location, for all managers together.
  public private(set) var coarseUpdates = 0
  /// The device's position at the last coarse location.
  private var coarsePlace: CLLocation?
  /// The accuracy of coarse locations, in metres.
  public var coarseAccuracy: CLLocationAccuracy = 65
  /// The speed of coarse locations, in metres per second; negative if unknown.
  public var coarseSpeed: CLLocationSpeed = -1
  private var alwaysWasAsked = false
  private var isForOnce = false
  private var session = 0
  private var seconds = 0
  public private(set) var isSuspended = false
  private var queued: [() -> Void] = []
  private var queuedFixes: [CLLocation] = []
  private var lastChange: (location: CLLocation, at: TimeInterval)?

  public init() {}

  var effectiveStatus: CLAuthorizationStatus { isGloballyOn ? status : .denied }
  private var mayLocate: Bool { effectiveStatus == .authorizedAlways || effectiveStatus == .authorizedWhenInUse }

  /// Whether a manager's services continue in the background, and wake the app. CLServiceSession.h makes only live updates and the events of
  /// a `CLMonitor` depend on a session.
  var mayUseAlways: Bool { effectiveStatus == .authorizedAlways }

  /// Whether updates may begin. In the background, that requires Always or an effective background activity session.
  private var mayBeginUpdates: Bool {
    guard mayLocate else { return false }
    return isInForeground || mayUseAlways || heldActivitySessions.contains(where: \.isEffective)
  }
}

/// Calls from other threads. The device makes them when its time advances.
public final class StandInInbox: Sendable {
  private let calls = Mutex([@Sendable () -> Void]())

  public func leave(_ call: @escaping @Sendable () -> Void) { calls.withLock { $0.append(call) } }

  public func empty() {
    while case let calls = takeAll(), !calls.isEmpty { for call in calls { call() } }
  }

  private func takeAll() -> [@Sendable () -> Void] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }
}

@available(*, unavailable)
extension StandInDevice: Sendable {}

private struct WeakManager {
  weak var manager: CLLocationManager?
}

// MARK: - Time

extension StandInDevice {
  /// The maximum number of actions in one advance. More actions indicate an endless loop.
  private static let maximumActions = 100_000

  public func advance(by duration: TimeInterval) {
    let end = uptime + duration
    var actions = 0
    inbox.empty()
    while let next = agenda.indices.min(by: {
      (agenda[$0].time, agenda[$0].number) < (agenda[$1].time, agenda[$1].number)
    }),
      agenda[next].time <= end
    {
      actions += 1
      precondition(actions <= Self.maximumActions, "An endless loop of actions.")
      uptime = max(uptime, agenda[next].time)
      agenda.remove(at: next).action()
      inbox.empty()
    }
    uptime = end
  }

  public func schedule(after delay: TimeInterval, _ action: @escaping () -> Void) {
    scheduled += 1
    agenda.append((uptime + delay, scheduled, false, action))
  }

  /// Schedules an action of the system, which also happens if the app has ended.
  func scheduleOfSystem(after delay: TimeInterval, _ action: @escaping () -> Void) {
    scheduled += 1
    agenda.append((uptime + delay, scheduled, true, action))
  }

  /// Lets the device sleep: nothing happens, and the time doesn't count for timers.
  public func sleep(for duration: TimeInterval) {
    uptime += duration
    suspendedFor += duration
    for index in agenda.indices { agenda[index].time += duration }
  }

  /// The time that an app runs in the background without an activity.
  private static let backgroundTime: TimeInterval = 10
  /// The time that an app runs in the background with an activity.
  private static let activityTime: TimeInterval = 30

  /// Wakes the app in the background, for ``backgroundTime``.
  func wake() {
    guard !isInForeground else { return resume() }
    beginBackgroundTime()
    resume()
  }

  func beginBackgroundTime() {
    (suspendsAt, activityEndsAt) = (uptime + Self.backgroundTime, uptime + Self.activityTime)
    guard !checksSuspension else { return }
    checksSuspension = true
    checkSuspension()
  }

  private func checkSuspension() {
    guard !isInForeground, !isSuspended, !isOver else { return checksSuspension = false }
    // Updates that keep the app running don't extend the time of an activity.
    if isKeptRunning { suspendsAt = uptime + Self.backgroundTime }
    if let expire = onActivityExpiry, uptime >= activityEndsAt {
      onActivityExpiry = nil
      expire()
    }
    if uptime >= suspendsAt, onActivityExpiry == nil, !isKeptRunning {
      checksSuspension = false
      return suspend()
    }
    scheduleOfSystem(after: 1) { [weak self] in self?.checkSuspension() }
  }

  /// Suspends the app. Callbacks wait until it is resumed, and fixes then arrive in one batch.
  public func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    suspendedSince = uptime
  }

  public func resume() {
    guard isSuspended else { return }
    isSuspended = false
    if !isInForeground { beginBackgroundTime() }
    suspendedFor += uptime - (suspendedSince ?? uptime)
    suspendedSince = nil
    let calls = queued
    queued = []
    for call in calls { call() }
    let fixes = queuedFixes
    queuedFixes = []
    if !fixes.isEmpty { notify { $0.locationManager($1, didUpdateLocations: fixes) } }
  }

  /// Performs an action of the app, such as that of a timer: now, or when the app is resumed.
  public func whenRunning(_ action: @escaping () -> Void) {
    if isSuspended { queued.append(action) } else { action() }
  }

  private func notify(_ call: @escaping (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
    if let manager { notify(manager, call) }
  }

  /// Calls the delegate of a manager: now, or when the app is resumed.
  func notify(
    _ manager: CLLocationManager, _ call: @escaping (any CLLocationManagerDelegate, CLLocationManager) -> Void
  ) {
    if isSuspended {
      queued.append { [weak self, weak manager] in
        if let manager { self?.notify(manager, call) }
      }
    } else if isManaged(by: manager), let delegate = manager.delegate {
      makeCurrent()
      call(delegate, manager)
    }
  }

  /// Calls the delegates of all managers.
  func tellAll(_ call: @escaping (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
    for manager in managers.compactMap(\.manager) { notify(manager, call) }
  }

  private func tellSoon(_ call: @escaping (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
    schedule(after: 0.01) { [weak self] in self?.notify(call) }
  }

  private func fail(_ code: CLError.Code) {
    tellSoon { $0.locationManager($1, didFailWithError: CLError(code)) }
  }
}

// MARK: - The manager

extension StandInDevice {
  /// Ends the app. Significant changes, visits and regions can launch it again.
  public func terminate() {
    managers = []
    (changesManager, isMonitoringVisits) = (nil, false)
    isSuspended = false
    (queued, queuedFixes, untoldExits, untoldVisits) = ([], [], [], [])
    session += 1
    updatingSince = nil
    isMonitoringSignificantChanges = false
    (onForegroundChange, onActivityExpiry) = (nil, nil)
    isInForeground = false
    launchReason = nil
    agenda.removeAll { !$0.outlivesApp }
    hadServiceSession = !heldServiceSessions.isEmpty
    serviceSessions = []
    activitySessions = []
    if status == .authorizedWhenInUse, isForOnce { status = .notDetermined }
  }

  /// Makes the current thread a wrong one, so that the next call on it stops the program.
  public func moveToAnotherThread() { thread = ObjectIdentifier(self) }

  func checkThread() {
    guard !isOnMainActor else { return MainActor.preconditionIsolated() }
    precondition(
      thread == ObjectIdentifier(Thread.current), "Core Location must be used on the thread that created its manager.")
  }

  /// Adds a manager. The first manager after the app has ended begins a new launch.
  func attach(_ manager: CLLocationManager) {
    checkThread()
    makeCurrent()
    managers.append(WeakManager(manager: manager))
    guard managers.count == 1 else { return }
    launchedAt = uptime
    if !isInForeground { beginBackgroundTime() }
    session += 1
    updatingSince = nil
    isMonitoringSignificantChanges = false
  }

  /// Whether a session that begins now is effective: in the foreground, or immediately after a background launch of an app whose previous
  /// launch held a session.
  var mayBeginSession: Bool { isInForeground || hadServiceSession && uptime - launchedAt < 5 }

  func isManaged(by manager: CLLocationManager) -> Bool { managers.contains { $0.manager === manager } }

  /// Whether the app has ended.
  var isOver: Bool { managers.isEmpty }

  func hasDelegate(_ manager: CLLocationManager) {
    schedule(after: 0.01) { [weak self, weak manager] in
      guard let self, let manager else { return }
      self.notify(manager) { $0.locationManagerDidChangeAuthorization($1) }
    }
    tellUntoldExits()
    tellUntoldVisits()
  }
}

// MARK: - Permission

extension StandInDevice {
  func requestWhenInUse() {
    guard status == .notDetermined, isGloballyOn, isInForeground else { return }
    guard infoKeys.contains("NSLocationWhenInUseUsageDescription") else { return }
    prompt()
  }

  func requestAlways() {
    guard isGloballyOn, isInForeground, infoKeys.contains("NSLocationWhenInUseUsageDescription"),
      infoKeys.contains("NSLocationAlwaysAndWhenInUseUsageDescription")
    else { return }
    switch status {
    case .notDetermined:
      alwaysWasAsked = true
      prompt(isForAlways: true)
    case .authorizedWhenInUse where !alwaysWasAsked && !isForOnce:
      alwaysWasAsked = true
      prompt(isForAlways: true)
    default: break
    }
  }

  private func prompt(isForAlways: Bool = false) {
    promptsShown += 1
    let before = status
    let answer = answers.isEmpty ? Answer.none : answers.removeFirst()
    schedule(after: 2) { [weak self] in
      guard let self, self.status == before else { return }
      self.isForOnce = answer == .allowOnce
      switch answer {
      case .allowOnce: self.setStatus(.authorizedWhenInUse)
      case .allowWhileUsing:
        self.setStatus(isForAlways && before == .notDetermined ? .authorizedAlways : .authorizedWhenInUse)
      case .changeToAlways: self.setStatus(.authorizedAlways)
      case .deny: self.setStatus(.denied)
      case .keepOnlyWhileUsing, .none: break
      }
    }
  }

  /// Shows and answers the second prompt of a provisional Always, which the system delays.
  public func answerSecondPrompt(_ answer: Answer) {
    guard status == .authorizedAlways, alwaysWasAsked else { return }
    promptsShown += 1
    // Keeping Always changes nothing, and isn't reported.
    if answer == .keepOnlyWhileUsing { setStatus(.authorizedWhenInUse) }
  }

  /// Changes the permission, as the user does in the settings or with an answer to a prompt.
  public func setStatus(_ status: CLAuthorizationStatus) {
    let before = effectiveStatus
    self.status = status
    statusChanged(from: before)
  }

  /// Turns Location Services on or off for all apps.
  public func setGloballyOn(_ isOn: Bool) {
    let before = effectiveStatus
    isGloballyOn = isOn
    statusChanged(from: before)
  }

  private func statusChanged(from before: CLAuthorizationStatus) {
    guard effectiveStatus != before else { return }
    tellAll { $0.locationManagerDidChangeAuthorization($1) }
    if !mayLocate, isUpdating || isMonitoringSignificantChanges { fail(.denied) }
  }

  public func setAccuracy(_ accuracy: CLAccuracyAuthorization) {
    guard accuracy != accuracyAuthorization else { return }
    accuracyAuthorization = accuracy
    tellAll { $0.locationManagerDidChangeAuthorization($1) }
  }

  func requestFullAccuracy(_ purposeKey: String, _ completion: (((any Error)?) -> Void)?) {
    let isShown = purposeKeys.contains(purposeKey) && accuracyAuthorization == .reducedAccuracy && isInForeground
    if isShown { fullAccuracyPromptsShown += 1 }
    schedule(after: 2) { [weak self] in
      guard isShown else { completion?(CLError(.promptDeclined)); return }
      if self?.givesFullAccuracy == true { self?.setAccuracy(.fullAccuracy) }
      completion?(nil)
    }
  }
}

// MARK: - Locations

extension StandInDevice {
  func startUpdating(_ manager: CLLocationManager) {
    guard manager === self.manager else { return startCoarseUpdates(manager) }
    guard !isUpdating else { return }
    guard mayBeginUpdates else {
      areUpdatesRefused = true
      return fail(.denied)
    }
    isRequesting = false
    areUpdatesRefused = false
    beganInForeground = isInForeground
    switches.append("+updating")
    updatingSince = uptime - suspendedFor
    session += 1
    seconds = 0
    if let lastLocation { schedule(after: 0.05, in: session) { $0.deliver([lastLocation]) } }
    second(session)
  }

  func stopUpdating(_ manager: CLLocationManager) {
    guard manager === self.manager else {
      if manager.hasCoarseUpdates { switches.append("-coarse") }
      return manager.hasCoarseUpdates = false
    }
    guard isUpdating || isRequesting else { return }
    switches.append(isUpdating ? "-updating" : "-request")
    updatingSince = nil
    isRequesting = false
    session += 1
  }

  /// Requests one fix. Only one request runs at a time, and none while the standard service is on.
  func requestLocation() {
    guard mayBeginUpdates else { return fail(.denied) }
    guard !isRequesting, !isUpdating else { return }
    isRequesting = true
    switches.append("request")
    session += 1
    schedule(after: requestDuration, in: session) { device in
      device.isRequesting = false
      device.seconds += Int(device.requestDuration)
      if let fix = device.fixes?(device.seconds) { device.deliver([fix]) } else { device.failNow(.locationUnknown) }
    }
  }

  private func startCoarseUpdates(_ manager: CLLocationManager) {
    guard !manager.hasCoarseUpdates, mayBeginUpdates else { return }
    manager.hasCoarseUpdates = true
    switches.append("+coarse")
    coarseUpdate(of: manager)
  }

  private func coarseUpdate(of manager: CLLocationManager) {
    // The median intervals at rest and in motion, measured on iPhones with a desired accuracy of 100 m.
    let interval: TimeInterval = place === coarsePlace ? 30 : 6
    coarsePlace = place
    schedule(after: interval) { [weak self, weak manager] in
      guard let self, let manager, manager.hasCoarseUpdates else { return }
      self.tellCoarseLocation(manager)
      self.coarseUpdate(of: manager)
    }
  }

  private func tellCoarseLocation(_ manager: CLLocationManager) {
    guard let place = place ?? lastLocation else { return }
    // A fix isn't better than what the manager desires.
    let isCoarser = manager.desiredAccuracy > kCLLocationAccuracyHundredMeters
    let accuracy = isCoarser ? max(coarseAccuracy, manager.desiredAccuracy) : coarseAccuracy
    let location = CLLocation(
      coordinate: place.coordinate, altitude: 0, horizontalAccuracy: accuracy, verticalAccuracy: -1, course: -1,
      speed: coarseSpeed, timestamp: date)
    coarseUpdates += 1
    notify(manager) { $0.locationManager($1, didUpdateLocations: [location]) }
  }

  /// Delivers a coarse location to the managers with coarse updates or, if `late`, to all managers but the first one. Only managers that
  /// allow background updates receive it.
  public func deliverCoarseLocation(late: Bool = false) {
    for manager in managers.dropFirst().compactMap(\.manager) where late || manager.hasCoarseUpdates {
      if manager.allowsBackgroundLocationUpdates { tellCoarseLocation(manager) }
    }
  }

  /// The desired accuracies of the managers with coarse updates.
  public var coarseAccuracies: [CLLocationAccuracy] {
    coarseManagers.map(\.desiredAccuracy)
  }

  private var coarseManagers: [CLLocationManager] { managers.compactMap(\.manager).filter(\.hasCoarseUpdates) }

  /// Whether updates keep the app running in the background. As in iOS 16.4 and later, they must have no distance filter and, without an
  /// indicator, a desired accuracy of 100 m or better.
  public var isKeptRunning: Bool {
    let mayGoOn =
      mayUseAlways
      || effectiveStatus == .authorizedWhenInUse
        && (beganInForeground || heldActivitySessions.contains(where: \.isEffective))
    return mayGoOn
      && managers.compactMap(\.manager).contains { manager in
        let isOn = manager === self.manager ? isUpdating : manager.hasCoarseUpdates
        let isUnseen = !manager.showsBackgroundLocationIndicator
        return isOn && manager.allowsBackgroundLocationUpdates && manager.distanceFilter == kCLDistanceFilterNone
          && (!isUnseen || manager.desiredAccuracy <= kCLLocationAccuracyHundredMeters)
      }
  }

  func startSignificantChanges(_ manager: CLLocationManager) {
    guard !isMonitoringSignificantChanges else { return }
    guard mayLocate else { return fail(.denied) }
    changesManager = manager
    switches.append("+changes")
    isMonitoringSignificantChanges = true
    launchesForSignificantChanges = true
    if let known = lastChange?.location ?? lastLocation {
      schedule(after: 0.5) { [weak self] in
        if let self, self.isMonitoringSignificantChanges { self.deliverChange(known) }
      }
    }
  }

  func stopSignificantChanges() {
    if isMonitoringSignificantChanges { switches.append("-changes") }
    isMonitoringSignificantChanges = false
    launchesForSignificantChanges = false
  }

  /// Moves the device for the monitoring of significant changes; only ``carry(to:)`` changes ``place``. While the app monitors changes, a
  /// move is reported if it is the first, or at least 500 m and five minutes from the last report.
  ///
  /// With Always, the change launches an app that ended while it monitored significant changes.
  public func move(to location: CLLocation) {
    let launches = isOver && launchesForSignificantChanges && status == .authorizedAlways
    guard isMonitoringSignificantChanges || launches, mayLocate else { return }
    if let lastChange {
      guard uptime - lastChange.at >= 300, metres(location, lastChange.location) >= 500 else { return }
    }
    lastChange = (location, uptime)
    if launches {
      lastLocation = location
      launchReason = "location"
    } else {
      // A suspended app is woken only with Always. Otherwise it receives the change when it is resumed.
      if mayUseAlways { wake() }
      deliverChange(location)
    }
  }

  private func deliverChange(_ location: CLLocation) {
    lastLocation = location
    if let changesManager { notify(changesManager) { $0.locationManager($1, didUpdateLocations: [location]) } }
  }

  /// Delivers fixes unchanged, even while updates are off: for late, cached or wrong fixes.
  public func deliver(_ locations: [CLLocation]) {
    if let last = locations.last { lastLocation = last }
    if isSuspended {
      queuedFixes += locations
    } else {
      notify { $0.locationManager($1, didUpdateLocations: locations) }
    }
  }

  public func failNow(_ code: CLError.Code) {
    notify { $0.locationManager($1, didFailWithError: CLError(code)) }
  }

  /// Whether a manager with updates lets the framework pause them.
  public var mayPauseUpdates: Bool {
    (coarseManagers + [manager].compactMap { isUpdating ? $0 : nil }).contains(
      where: \.pausesLocationUpdatesAutomatically)
  }

  /// Pauses the updates, as the framework does if the app allows it. The app has to restart them.
  public func pauseAutomatically() {
    guard let manager, manager.pausesLocationUpdatesAutomatically, isUpdating else { return }
    pauseAnyway()
  }

  /// Pauses the updates even if the app doesn't allow it.
  public func pauseAnyway() {
    updatingSince = nil
    session += 1
    notify { $0.locationManagerDidPauseLocationUpdates($1) }
  }

  private func second(_ session: Int) {
    schedule(after: 1, in: session) { device in
      device.seconds += 1
      if let fixes = device.fixes {
        if let fix = fixes(device.seconds) {
          device.copyToOthers(fix)
          device.deliver([fix])
        } else {
          device.notify { $0.locationManager($1, didFailWithError: CLError(.locationUnknown)) }
        }
      }
      device.second(session)
    }
  }

  /// Delivers a fix of the receiver to the other managers with updates, which share the receiver while it is on.
  private func copyToOthers(_ fix: CLLocation) {
    guard !isSuspended else { return }
    for manager in coarseManagers {
      notify(manager) { $0.locationManager($1, didUpdateLocations: [fix]) }
    }
  }

  private func schedule(after delay: TimeInterval, in session: Int, _ action: @escaping (StandInDevice) -> Void) {
    schedule(after: delay) { [weak self] in
      if let self, self.session == session { action(self) }
    }
  }

  func metres(_ first: CLLocation, _ second: CLLocation) -> Double {
    let north = (first.coordinate.latitude - second.coordinate.latitude) * 111_320
    let east = (first.coordinate.longitude - second.coordinate.longitude) * 111_320 * 0.83
    return (north * north + east * east).squareRoot()
  }
}

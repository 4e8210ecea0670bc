import Foundation

@testable import LocoKit
@testable import TestSupport

/// `CoreLocationCore` with a system that carries out its commands, played letter by letter. The rules are checked after each turn.
struct CoreLocationWorld: ExploredWorld {
  typealias Core = CoreLocationCore
  typealias Service = Services.Service

  /// A command of the manager, an event of the system, or time that passes.
  enum Letter: Hashable {
    case mode(ReceiverMode)
    case requestAuthorization
    case bound(Bool)
    case keptRunning(Bool)
    /// A region whose centre is this many degrees north of the device; `nil` removes the region.
    case region(Double?)
    case deadline(Double?)
    /// The seconds until coarse fixes are wanted; `nil` if none are.
    case coarseFixes(Double?)
    case tracks(Bool)
    /// The app's setting: as the phone's configuration, or never kept running.
    case keeps(Bool)
    case authorization(Authorization, isReduced: Bool)
    case foreground(Bool)
    case fix(speed: Double)
    /// Two fixes: an old one with a vehicle's speed, and a new slow one.
    case batch
    /// A fix of the keeper, perhaps after it has stopped.
    case coarse(speed: Double)
    case arrival, departure
    case charging, charged
    case locationUnknown, denied, promptDeclined, network
    case updatesPaused
    case change
    /// A report of an exit from the `CLCircularRegion` whose centre is this many degrees north of the device.
    case outside(Double)
    case failed(Double?)
    case outsideCondition, conditionFailed
    case still, walking, vehicle, standing, unknownMotion
    /// The answer to a query for stored motion.
    case storedMotion(isEmpty: Bool)
    case fullAccuracyFailed
    /// The low-power mode and *Background App Refresh*.
    case power(isLow: Bool, BackgroundRefresh)
    /// A diagnostic of the current session, or of the one before.
    case session(isSuspended: Bool, isOld: Bool)
    case backgroundTimeExpired
    case timer
    case unlock
    case wait(Double)
  }

  /// A platform with an app's configuration.
  enum Phone: String, CaseIterable {
    /// Always and background updates, with conditions and the motion sensor.
    case background
    /// While Using, then Always, with `CLCircularRegion`s, the indicator, requests for full accuracy, and a duty-cycled keeper that runs even
    /// at rest.
    case twoSteps
    /// While Using, with background updates. The app is never kept running.
    case inUse
    /// The default configuration.
    case simple
    /// A platform with single fixes and no wake-ups.
    case television
    case mac

    var configuration: Core.Configuration {
      let phone = CoreLocationProvider.Capabilities(
        significantChanges: true, visits: true, continuousFixes: true, regionExits: true,
        suspendsApps: true)
      var configuration = Core.Configuration(
        permission: .always, hasBackgroundUpdates: true, showsBackgroundIndicator: false, asksForFullAccuracy: false,
        usesMotionActivity: true, backgroundUpdates: .whileMoving,
        keepsRunning: .continuous(), usesConditions: true, platform: phone)
      switch self {
      case .background: break
      case .twoSteps:
        (configuration.permission, configuration.asksForFullAccuracy) = (.whenInUseThenAlways, true)
        (configuration.showsBackgroundIndicator, configuration.usesConditions) = (true, false)
        (configuration.backgroundUpdates, configuration.keepsRunning) = (.always, .dutyCycled)
      case .inUse: (configuration.permission, configuration.backgroundUpdates) = (.whenInUse, .never)
      case .simple:
        (configuration.permission, configuration.hasBackgroundUpdates) = (.whenInUse, false)
        configuration.usesMotionActivity = false
      case .television:
        configuration.permission = .whenInUse
        configuration.hasBackgroundUpdates = false
        configuration.platform = CoreLocationProvider.Capabilities(
          significantChanges: false, visits: false, continuousFixes: false, regionExits: false,
          suspendsApps: true)
      case .mac:
        configuration.platform = CoreLocationProvider.Capabilities(
          significantChanges: true, visits: false, continuousFixes: true, regionExits: true,
          suspendsApps: false)
      }
      return configuration
    }
  }

  /// The state of the system after the commands.
  struct System: Hashable {
    /// The running services. At first, significant changes and visits still run from an earlier launch.
    var running: Set<Service> = [.significantChanges, .visits]
    var session: Services.Session?
    var region = RegionWatch.Armed.earlier
    var accuracy: Double?
    var keeperAccuracy: Double?
    var timer: Duration?
    /// Whether a requested fix is pending.
    var isRequesting = false
    var lastRequest: Duration?
    /// Whether an error has followed the last request.
    var hasFailed = false
    var hasOpenConditions = false
  }

  let phone: Phone
  private(set) var configuration: Core.Configuration
  private(set) var core: Core
  private(set) var system = System()
  private(set) var now = Core.Now(
    uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 800_000_000), hasBeenUnlocked: false)
  private(set) var isUnlocked = false
  /// The manager's plan, without a timer that has fired.
  private(set) var plan = ReceiverPlan()
  var mode: ReceiverMode { plan.mode }
  var hasBound: Bool { plan.errorBound != nil }
  var isKept: Bool { plan.keepsAppRunning }
  var deadline: Duration? { plan.timer }
  var tracks: Bool { plan.desiredAccuracy ?? 0 > 0 }
  /// Whether the launch isn't over: the manager hasn't turned on a mode, and the first five seconds haven't passed.
  private(set) var isLaunching = true
  /// What the system has reported since the launch began while the mode was off.
  private(set) var keptVisits: [Location.Visit] = []
  private(set) var keptExit = false
  /// The last reports of the system.
  private(set) var authorization = Authorization.notDetermined
  private(set) var isReduced = false
  /// The battery's status in the system's last notification, and in the last report to the manager.
  private(set) var presentBattery: LocationManager.BatteryStatus?
  private(set) var battery: LocationManager.BatteryStatus?
  private(set) var isInForeground = true
  /// Whether *Background App Refresh* is off, and not because of the low-power mode.
  private(set) var isRefreshOff = false
  /// Whether the service session began in the background.
  private(set) var isSessionLate = false
  /// The last reported sources.
  private(set) var sources: Core.Sources
  /// Whether the region's exit may still be reported, and whether the region is lost and its source hasn't been offered again.
  private(set) var mayExit = true
  private(set) var isLost = false
  private(set) var lastOffer: Duration?
  private(set) var hasAsked = false
  /// Whether the last request for a permission was made in the background, where the system ignores it.
  private(set) var isPromptIgnored = false
  private(set) var alwaysRequests = 0
  private(set) var mayAskForFullAccuracy = true
  private(set) var isSessionSuspended = false
  private(set) var beganInForeground = true
  /// The last motion reported since the sensor was turned on, and the newest reading that isn't judged yet.
  private(set) var motion: LocationManager.Motion?
  private(set) var reading: LocationManager.Motion?
  /// Whether a fast fix has contradicted the last report, which was stillness, and no reading has followed.
  private(set) var isWithdrawn = false
  /// The time since when the sensor hasn't known the motion.
  private(set) var unknownSince: Duration?
  /// The date when the sensor was last turned off.
  private(set) var motionOffSince: Date?
  /// The time of the last fix with a vehicle's speed.
  private(set) var lastFastFix: Duration?
  /// The actions of the last letter's turns.
  private(set) var actions: [Core.Action] = []
  private(set) var violation: String?
  /// A seeded defect.
  var defect: CoreLocationDefect?

  var initializer: String { "CoreLocationWorld(.\(phone))" }

  init(_ phone: Phone) {
    self.phone = phone
    configuration = phone.configuration
    core = Core(
      phone.configuration, authorization: .notDetermined, isAccuracyReduced: false, isInForeground: true)
    sources = core.sources
  }

  var letters: [Letter] { Self.letters }
  private static let letters = groups.flatMap { $0 }

  /// The letters by kind. A random walk draws a kind first, so that those with many letters don't crowd out the others.
  static let groups: [[Letter]] = [
    ReceiverMode.allCases.map(Letter.mode), [.requestAuthorization], [.bound(true), .bound(false)],
    [.keptRunning(true), .keptRunning(false)], [.region(0), .region(10), .region(nil)],
    [.deadline(30), .deadline(nil)], [.coarseFixes(0), .coarseFixes(10), .coarseFixes(nil)],
    [.tracks(true), .tracks(false)], [.keeps(true), .keeps(false)],
    [Authorization.notDetermined, .denied, .whenInUse, .always].map { .authorization($0, isReduced: false) }
      + [Authorization.denied, .whenInUse, .always].map { .authorization($0, isReduced: true) },
    [.foreground(true), .foreground(false)], [.fix(speed: 1), .fix(speed: 20), .batch],
    [.coarse(speed: -1), .coarse(speed: 20)], [.arrival, .departure],
    [.locationUnknown, .denied, .promptDeclined, .network], [.updatesPaused], [.change],
    [.outside(0), .outside(10), .failed(0), .failed(nil), .outsideCondition, .conditionFailed], [.charging, .charged],
    [.still, .walking, .vehicle, .standing], [.unknownMotion],
    [.storedMotion(isEmpty: false), .storedMotion(isEmpty: true)],
    [.fullAccuracyFailed],
    [false, true].flatMap { isOld in [false, true].map { .session(isSuspended: $0, isOld: isOld) } },
    [
      .power(isLow: false, .available), .power(isLow: false, .denied), .power(isLow: false, .restricted),
      .power(isLow: true, .denied),
    ],
    [.backgroundTimeExpired], [.timer], [.unlock], [.wait(1), .wait(10), .wait(60), .wait(180)],
  ]

  /// The paths that random walks begin with: an empty one; one to an app that is kept running while a region is armed; one to a GPS that
  /// was turned on in the background; and one to a GPS with reduced accuracy.
  static let beginnings: [[Letter]] = [
    [],
    [
      .unlock, .authorization(.always, isReduced: false), .mode(.significantChanges), .bound(true), .keptRunning(true),
      .region(0), .foreground(false),
    ],
    [.authorization(.whenInUse, isReduced: false), .foreground(false), .mode(.gps)],
    [.requestAuthorization, .authorization(.always, isReduced: true), .mode(.gps)],
  ]

  mutating func play(_ letter: Letter) {
    let before = self
    actions = []
    guard let input = input(of: letter) else { return }
    turn(input, letter, before)
    // The provider reads the sensor when its timer fires.
    switch input {
    case .motion, .motionUnknown: if violation == nil, system.timer != nil { turn(.timerFired, letter, self) }
    default: break
    }
  }

  /// Changes the world by a letter, and returns the core's input; `nil` if the core receives none.
  private mutating func input(of letter: Letter) -> Core.Input? {
    switch letter {
    case .mode(let mode): plan.mode = mode
    case .bound(let isSet): plan.errorBound = isSet ? 500 : nil
    case .keptRunning(let isKept): plan.keepsAppRunning = isKept
    case .region(let place):
      plan.region = place.map(Self.region)
      plan.regionNumber += 1
    case .deadline(let seconds): plan.timer = seconds.map { now.uptime + .seconds($0) }
    case .coarseFixes(let seconds): plan.coarseFixesFrom = seconds.map { now.uptime + .seconds($0) }
    case .tracks(let tracks):
      plan.desiredAccuracy = tracks ? 500 : 0
    case .keeps(let isSet):
      let own = phone.configuration
      let (updates, keepsRunning) =
        isSet ? (own.backgroundUpdates, own.keepsRunning) : (.never, CoreLocationProvider.KeepsRunning.continuous())
      (configuration.backgroundUpdates, configuration.keepsRunning) = (updates, keepsRunning)
      return .keepRunning(updates, keepsRunning)
    case .requestAuthorization:
      hasAsked = true
      return .requestAuthorization
    case .authorization(let authorization, let isReduced):
      (self.authorization, self.isReduced) = (authorization, isReduced)
      return .authorization(authorization, isAccuracyReduced: isReduced)
    case .foreground(let isInForeground):
      guard isInForeground != self.isInForeground else { return nil }
      self.isInForeground = isInForeground
      if isInForeground { beganInForeground = true }
      return .foreground(isInForeground)
    case .power(let isLow, let refresh):
      // The low-power mode changes what the system reports, not what the user wants.
      if !isLow { isRefreshOff = refresh != .available }
      return .power(isLowPowerMode: isLow, refresh)
    case .fix(let speed): return .fixes([fix(speed: speed)])
    case .batch: return .fixes([fix(speed: 20, age: 60), fix(speed: 1)])
    case .coarse(let speed): return .coarseFixes([fix(speed: speed < 0 ? nil : speed)])
    case .locationUnknown: return .failure(.locationUnknown)
    case .denied: return .failure(.accessDenied)
    case .promptDeclined: return .promptDeclined
    case .network: return .failure(.other("Core Location's error 2"))
    case .unlock:
      isUnlocked = true
      return nil
    case .wait(let seconds):
      now.uptime += .seconds(seconds)
      now.date += seconds
      return nil
    default: return callback(letter)
    }
    return .plan(plan)
  }

  private func fix(speed: Double?, age: TimeInterval = 0) -> Location {
    Location(
      latitude: 34, longitude: -118, horizontalAccuracy: 8, speed: speed, timestamp: now.date.addingTimeInterval(-age))
  }

  private static let place = Location(
    latitude: 34, longitude: -118, horizontalAccuracy: 50, timestamp: .distantPast)

  /// Returns the input of a callback of the system; `nil` if the system can't make the call now.
  private func callback(_ letter: Letter) -> Core.Input? {
    switch letter {
    case .updatesPaused: .updatesPaused
    case .change: .significantChange(fix(speed: nil))
    case .outside(let place): .regionEvent(.outside(latitude: 34 + place, longitude: -118))
    case .failed(let place):
      .regionEvent(.failed(latitude: place.map { 34 + $0 }, longitude: place.map { _ in -118 }, reason: "it failed"))
    case .outsideCondition: .regionEvent(.outsideCondition)
    case .conditionFailed: .regionEvent(.conditionFailed(reason: "it failed"))
    case .charging: .battery(LocationManager.BatteryStatus(level: 0.9, state: .charging))
    case .charged: .battery(LocationManager.BatteryStatus(level: 1, state: .full))
    case .arrival: .visit(Location.Visit(place: Self.place, arrival: .distantPast))
    case .departure: .visit(Location.Visit(place: Self.place, arrival: .distantPast, departure: .distantPast))
    case .still: .motion(.still)
    case .walking: .motion(.walking)
    case .vehicle: .motion(.vehicle)
    case .standing: .motion(.standing)
    case .unknownMotion: .motionUnknown
    case .storedMotion(let isEmpty): .storedMotion(isEmpty ? [] : [LocationManager.Motion.Change(.still, at: now.date)])
    case .fullAccuracyFailed: .fullAccuracyRequestFailed
    case .session(let isSuspended, let isOld):
      system.session.map { .session($0.number - (isOld ? 1 : 0), isSuspended: isSuspended) }
    case .backgroundTimeExpired: .backgroundTimeExpired
    // The host's timer runs ten seconds at most, so it may fire before the core's deadline.
    case .timer: system.timer == nil ? nil : .timerFired
    default: nil
    }
  }

  static func region(_ place: Double) -> Location.Region {
    Location.Region(latitude: 34 + place, longitude: -118, radius: 100)
  }

  // MARK: - A turn

  private mutating func turn(_ input: Core.Input, _ letter: Letter, _ before: CoreLocationWorld) {
    now.hasBeenUnlocked = core.asksForUnlock(on: input) && isUnlocked
    var actions: [Core.Action] = []
    core.handle(defect?.changed(input, before) ?? input, at: now, into: &actions)
    var (again, same) = (before.core, [Core.Action]())
    again.handle(defect?.changed(input, before) ?? input, at: now, into: &same)
    defect?.change(&actions, on: input, before)
    defect?.change(&same, on: input, before)
    now.hasBeenUnlocked = false
    if again != core || same != actions { return violation = "9: the same input gives the same actions" }
    if input == .timerFired {
      system.timer = nil
      if doubtsStillness, motion == .still { motion = nil }
    }
    switch input {
    case .fixes(let fixes):
      (system.isRequesting, system.hasFailed) = (false, false)
      noteSpeed(of: fixes)
    case .coarseFixes(let fixes): if isKeptRunning, !isLocating { noteSpeed(of: fixes) }
    case .failure, .promptDeclined: (system.isRequesting, system.hasFailed) = (false, true)
    default: break
    }
    self.actions += actions
    if mode != .off || now.uptime >= .seconds(5) { isLaunching = false }
    // The user's answer has expired.
    if isReduced, !before.isReduced { mayAskForFullAccuracy = true }
    for action in actions { carryOut(action, before) }
    if case .session(let number, let isSuspended) = input, number == system.session?.number {
      isSessionSuspended = isSuspended
    }
    if violation == nil { violation = CoreLocationRules.afterTurn(before, input, letter, actions, self) }
    // An answer ends the wait for the foreground, where the prompt is shown again.
    let isAsked = input == .requestAuthorization || isPromptIgnored
    isPromptIgnored = isAsked && authorization == .notDetermined && !isNotSuspended
    for case .report(.wakeSources(let kinds, let updates)) in actions {
      sources = Core.Sources(kinds: kinds, backgroundUpdates: updates)
    }
    note(input, letter, actions)
  }

  private mutating func carryOut(_ action: Core.Action, _ before: CoreLocationWorld) {
    switch action {
    case .start(let service):
      if service == .updates || service == .requests, !before.isLocating {
        beganInForeground = isNotSuspended
      }
      system.running.insert(service)
    case .stop(let service):
      system.running.remove(service)
      if service == .requests { system.isRequesting = false }
      if service == .motion {
        (motion, reading, isWithdrawn, motionOffSince, unknownSince) = (nil, nil, false, now.date, nil)
      }
    case .beginServiceSession(let session):
      (system.session, isSessionSuspended, isSessionLate) = (session, false, !isNotSuspended)
    case .endServiceSession: (system.session, isSessionSuspended) = (nil, false)
    case .setReceiver(let accuracy): system.accuracy = accuracy
    case .setKeeper(let accuracy): system.keeperAccuracy = accuracy
    case .armCircle(let region): system.region = .circle(region)
    case .armCondition(let region): system.region = .condition(region)
    case .removeRegion: system.region = .none
    case .openConditions: system.hasOpenConditions = true
    case .setTimer(let time): system.timer = time
    case .requestLocation:
      (system.isRequesting, system.hasFailed, system.lastRequest) = (true, false, now.uptime)
    case .requestAlways: if isNotSuspended { alwaysRequests += 1 }
    case .requestFullAccuracy: mayAskForFullAccuracy = false
    case .requestWhenInUse, .checkCondition, .log, .report, .openSettings: break
    }
  }

  /// Stores the facts that the rules need in later turns.
  private mutating func note(_ input: Core.Input, _ letter: Letter, _ actions: [Core.Action]) {
    if case .region(let place) = letter { (mayExit, keptExit) = (place != nil, false) }
    switch input {
    case .visit(let visit): keptVisits = (keptVisits.filter { $0 != visit } + [visit]).suffix(8)
    case .battery(let battery): presentBattery = battery
    // The permission of one use is over.
    case .authorization(.notDetermined, _): alwaysRequests = 0
    case .regionEvent:
      if isLaunching, mayExit, CoreLocationRules.isExit(input, of: system.region) {
        (mayExit, keptExit) = (false, true)
      }
    case .fullAccuracyRequestFailed: mayAskForFullAccuracy = true
    case .motion(let motion):
      if system.running.contains(.motion) { (reading, isWithdrawn, unknownSince) = (motion, false, nil) }
    case .motionUnknown: if system.running.contains(.motion) { unknownSince = unknownSince ?? now.uptime }
    // A smooth ride isn't stillness: the reading waits.
    case .timerFired: if reading != .still || !hasBeenFast || doubtsStillness { reading = nil }
    default: break
    }
    for action in actions {
      switch action {
      case .report(.wake(.regionExit)), .removeRegion: mayExit = false
      case .log(let line) where line.contains("region"): (mayExit, isLost) = (false, true)
      case .report(.wake(.motion(let motion))): self.motion = motion
      case .report(.battery(let battery)): self.battery = battery
      case .report(.wake(.timer)): plan.timer = nil
      default: break
      }
    }
    if !isLaunching { (keptVisits, keptExit) = ([], false) }
    if isLost, core.region.problem == nil { (isLost, lastOffer) = (false, now.uptime) }
  }

  private mutating func noteSpeed(of fixes: [Location]) {
    let speeds = fixes.compactMap { now.date.timeIntervalSince($0.timestamp) < 10 ? $0.speed : nil }
    if speeds.contains(where: { $0 >= 8 }) {
      lastFastFix = now.uptime
      // The stillness that was reported is wrong.
      if motion == .still { (motion, isWithdrawn) = (nil, true) }
    } else if isWithdrawn, !speeds.isEmpty {
      (reading, isWithdrawn) = (.still, false)
    }
  }

  /// Whether stillness doesn't count, because the sensor of an app that can't be kept running hasn't known the motion for 30 s.
  var doubtsStillness: Bool {
    !CoreLocationRules.mayKeepRunning(self) && unknownSince.map { now.uptime - $0 >= .seconds(30) } ?? false
  }

  /// Whether a fix of the last three minutes had a vehicle's speed.
  var hasBeenFast: Bool { lastFastFix.map { now.uptime - $0 < .seconds(180) } ?? false }

  var isNotSuspended: Bool { !configuration.platform.suspendsApps || isInForeground }

  var isLocating: Bool { mode == .gps && authorization.isAuthorized }

  // MARK: - The search

  /// A hash of the world's state, with times relative to now. Past times that have the same effect count as equal.
  var key: Int {
    var key = RelativeHasher(LocationCore.Now(uptime: now.uptime, date: now.date))
    for date in [core.motion.offSince, motionOffSince] {
      key.add(date.map { max($0.timeIntervalSince(now.date), -3_600) })
    }
    let (system, locating, watch) = (core.system, core.locating, core.motion.watch)
    key.add(configuration, core.configuration, mode, authorization, presentBattery, battery, sources, motion, reading)
    key.add(
      isUnlocked, hasBound, isKept, tracks, isReduced, isInForeground, mayExit, isLost, hasAsked, mayAskForFullAccuracy,
      isSessionSuspended, beganInForeground, alwaysRequests > 0, isLaunching, keptExit, keptVisits, isPromptIgnored,
      isRefreshOff, isSessionLate, isWithdrawn)
    key.add(
      system.authorization, system.isAccuracyReduced, system.isInForeground, system.battery, system.isUnlocked,
      system.isLowPowerMode, system.refresh, system.fullPowerRefresh)
    key.add(
      core.plan.mode, core.plan.desiredAccuracy, core.plan.errorBound, core.plan.keepsAppRunning, core.wantsCoarseFixes,
      core.reportedSources)
    key.add(core.prompts.last, core.prompts.mayAskForFullAccuracy, core.prompts.isIgnored)
    key.add(core.launch?.hasLeftRegion, core.launch?.visits)
    key.add(core.region.armed, core.region.awaitsExit, core.region.problem)
    key.add(watch?.last, watch?.pending, watch?.isWithdrawn, locating?.beganInForeground)
    key.add(core.sessions.beganInBackground, core.sessions.current.map { $0.number == core.sessions.suspended })
    for time in [
      core.plan.timer, core.plan.coarseFixesFrom, core.launch?.ends, core.region.nextAttempt, locating?.nextRequest,
      watch?.nextCheck, deadline,
    ] {
      key.add(uptime: time, sameBefore: 0)
    }
    key.add(uptime: locating?.requestedAt, sameBefore: 5)
    for time in [watch?.unknownSince, unknownSince] { key.add(uptime: time, sameBefore: 30) }
    for time in [core.motion.lastFastFix, lastFastFix] { key.add(uptime: time, sameBefore: 180) }
    key.add(uptime: lastOffer, sameBefore: 60)
    add(core.sessions.current, to: &key)
    add(core.services, to: &key)
    add(self.system, to: &key)
    return key.finalize()
  }

  private func add(_ services: Services, to key: inout RelativeHasher) {
    add(services.session, to: &key)
    key.add(
      services.running, services.receiverAccuracy, services.keeperAccuracy, services.region,
      services.hasOpenConditions, services.mayRunEarlier)
    key.add(uptime: services.timer, sameBefore: 0)
  }

  private func add(_ system: System, to key: inout RelativeHasher) {
    add(system.session, to: &key)
    key.add(
      system.running, system.region, system.accuracy, system.keeperAccuracy, system.isRequesting, system.hasFailed,
      system.hasOpenConditions)
    key.add(uptime: system.timer, sameBefore: 0)
    key.add(uptime: system.lastRequest, sameBefore: 5)
  }

  private func add(_ session: Services.Session?, to key: inout RelativeHasher) {
    key.add(session.map { $0.number - core.sessions.count }, session?.requiresAlways)
  }

  /// The actions of the last letter without times, to compare them at different times. The key contains the timer, so it's omitted here.
  var told: [Core.Action] {
    actions.compactMap { action in
      switch action {
      case .setTimer: nil
      case .beginServiceSession(let session):
        .beginServiceSession(Services.Session(number: 0, requiresAlways: session.requiresAlways))
      case .report(.fixes(let fixes)): .report(.fixes(fixes.map(undated)))
      case .report(.wake(.significantChange(let location))): .report(.significantChange(location.map(undated)))
      case .report(.pastMotion(let changes)):
        .report(.pastMotion(changes.map { LocationManager.Motion.Change($0.motion, at: .distantPast) }))
      default: action
      }
    }
  }

  private func undated(_ location: Location) -> Location {
    var location = location
    location.timestamp = .distantPast
    return location
  }

  /// Whether the keeper runs.
  var isKeptRunning: Bool { system.running.contains(.keeper) }

  /// Checks that the GPS turns on in the foreground with all permissions, and that everything turns off when the mode is off.
  func afterCalm() -> String? {
    var world = self
    if let violation = world.play([
      .foreground(true), .authorization(.always, isReduced: false), .mode(.gps), .wait(180), .fix(speed: 1), .timer,
    ]) {
      return violation
    }
    guard world.system.running.contains(.updates) || world.system.isRequesting else { return "7: the GPS turns on" }
    if let violation = world.play([.region(nil), .mode(.off), .keptRunning(false), .deadline(nil)]) {
      return violation
    }
    let isOff = world.system.running.isEmpty && world.system.timer == nil
    return isOff && world.system.region == .none ? nil : "1: nothing runs while the mode is off"
  }
}

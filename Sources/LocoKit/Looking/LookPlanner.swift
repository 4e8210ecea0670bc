import Foundation

/// Decides when to look where the device is, so that the last location stays within a bound: a value that reads no clock.
///
/// Since the last fix it counts the seconds for which the device has moved, and computes how far the device may have gone: at the
/// speed of the fix at first, later at the pace of the trip. What a look found moves the ``LookMachine``; its state decides which
/// limits count. The core reports what happens, asks ``due(at:)`` what is due, and asks again at ``nextDue(at:)``.
///
/// The constants were chosen on recorded tracks (see *Choosing a bound* in the documentation); distances are metres, times
/// seconds.
struct LookPlanner: Hashable, Sendable {
  /// The least bound that can be kept: fixes are some tens of metres off, and found in some seconds.
  static let leastBound = 100.0

  /// How far off the last location may be.
  var bound: Double
  /// The location whose error is bounded.
  var target = LocationManager.BoundTarget.lastLocation
  /// What can wake the app.
  var sources: WakeSources {
    didSet { if !maySleep { isAsleep = false } }
  }

  /// Whether somebody wants the app kept running: then it isn't suspended, at rest neither.
  var mustKeepRunning = false {
    didSet { if !maySleep { isAsleep = false } }
  }

  /// How the device moves, by the last looks.
  private(set) var state = LookMachine.initialState
  /// The last fix.
  private(set) var fix: Location?
  /// When the last fix of satellites was found.
  private(set) var satellitesAt: Duration?
  /// The pace of the trip.
  private(set) var trip = TripPace()
  /// For how long the device has been moving since the fix, or since it came to rest.
  private(set) var moved = 0.0
  /// For how long it has been still.
  private(set) var still = 0.0
  /// How long a look takes, on average.
  private(set) var lead = 3.5
  /// Looks in a row that found nothing.
  private(set) var failures = 0
  /// What the motion sensor said last; `nil` before it has said anything.
  private(set) var motion: Motion?

  /// Fixes in a row in one place.
  private var fixesHere = 0
  /// The time of the last update.
  private(set) var countedTo = Duration.zero
  /// While blind: after how much motion the last look was, and after how much the next one is.
  private var triedAt = 0.0
  private var retryAt = 0.0
  /// After how long at rest the next look is, where nothing tells of motion.
  private var restInterval = Self.restIntervals.lowerBound
  /// Before which nothing but the app itself makes the device look.
  private(set) var blockedUntil = Duration.zero
  /// The cells in which the device was since the last fix.
  private var cells = KnownCells()
  /// What happened that makes the device look, as soon as it may.
  private var hint: LocationManager.LookCause?
  private(set) var hasLeftRegion = false
  /// The centre of the region.
  private var regionFix: Location?
  /// When the region's centre was set.
  private var regionSetAt = Duration.zero
  /// When the last fix was found.
  private(set) var fixAt = Duration.zero

  /// Whether the app may be suspended: the device rests or is slow, and a region, visits and significant changes wake the app.
  private(set) var isAsleep = false
  /// When the app was woken last, and when it fell asleep.
  private(set) var wokeAt = Duration.zero
  private(set) var asleepAt = Duration.zero
  /// Whether a look has been due since the device came to rest.
  private(set) var hasLookedAtRest = false
  /// Whether the device was slow when it was asleep last: then the next fix says whether it still is.
  private var wasSlow = false
  /// The place in which the fixes have been.
  private(set) var place = RestPlace()
  /// For how many seconds the estimate went straight on when the device came to rest, and how far off it may have been.
  private var restAhead = 0.0
  private var restGrowth = 0.0

  /// The share of the bound at which a look is due: a look takes time, and a pace is not certain.
  private static let share = 0.85
  /// How fast the speed of the fix reverts to the pace of the trip.
  private static let reversion = 30.0
  /// How fast a vehicle is at least, and one that coarse fixes follow, where the bound isn't narrow: they make looks rare.
  private static let leastVehiclePace = 8.0
  private static let leastFollowedPace = 12.0
  /// For how long a pace is taken to hold that is not learnt yet: five minutes.
  private static let leastHorizon = 300.0
  /// A network's fix is hardly better, and has no speed: it says nothing of satellites.
  private static let networkAccuracy = 50.0
  /// Where the last location may be a coarse fix, a look is due as much earlier, or a third of a narrow bound.
  private static let coarseMargin = 100.0
  /// The least bound that lets a fix of Wi-Fi end a look, in metres.
  private static let leastBoundForWiFi = 250.0
  /// The accuracy that a look at rest is for.
  private static let restAccuracy = 30.0
  /// How long without motion it takes to come to rest, and how much motion to look again.
  private static let quiet = 180.0
  /// The time without motion after which the app may be suspended, in seconds.
  private static let quietBeforeSleep = 120.0
  private static let motionAtRest = 60.0
  /// How many seconds of stillness undo one of motion at rest: false motion comes in bursts.
  private static let leak = 4.0
  private static let restIntervals = 120.0...900.0
  private static let retryIntervals = 60.0...240.0
  private static let shortestRetry = 20.0
  /// A new cell starts a look once the device may have gone this share of the bound.
  private static let shareBeforeCell = 0.5
  /// How much motion there is at least between a look and one because of a new cell.
  private static let motionBeforeCell = 20.0
  /// For how long after motion a new cell counts at rest.
  private static let stillBeforeCell = 120.0
  /// The back-off after a failed look, as a multiple of the look's duration: the receiver is on for a quarter of the time at most.
  private static let restAfterFailure = 3.0
  /// That is, after the longest look that there is. One that took longer did so because a timer was late.
  private static let longestRest = 270.0
  /// So many times as long as looks take is what a look may take: with the spread of real receivers one in thirty takes longer.
  private static let patience = 2.5
  /// Looks that took longer say nothing of the next one.
  private static let longestLead = 15.0
  /// If the bound holds for the estimate, a look is due at an error of this share of the bound less a margin, which covers the errors
  /// that a course leaves out. A narrower bound than the least one holds for the last location.
  private static let estimateShare = 1.1
  private static let estimateMargin = 75.0
  private static let leastBoundOfEstimate = 300.0
  /// How far beyond a region's edge, and how long after, a device is found outside: medians of what was measured of phones.
  private static let regionBuffer = 100.0
  private static let regionLateness = 110.0
  private static let leastRegion = 100.0
  /// How late nine in ten exits are reported at most, seconds: see *Choosing a bound*.
  private static let longestLateness = 220.0
  /// The share of that pace below which a device that was woken is still slow.
  private static let slowShare = 0.7
  /// The time that the app is kept running after a wake before its suspension during movement, and the greatest age of the last fix.
  private static let watch = 30.0
  private static let newestFix = 20.0

  private static let table = TransitionTable<LookMachine>()

  init(bound: Double, sources: WakeSources, at uptime: Duration) {
    self.bound = bound
    self.sources = sources
    countedTo = uptime
  }

  /// What is wrong with a bound; `nil` where it can be kept.
  static func problem(withBound bound: Double) -> String? {
    bound >= leastBound && bound.isFinite
      ? nil
      : "An error bound must be finite and 100 m or more, not \(bound): fixes are tens of metres off, and take time."
  }
}

// MARK: - What happens

extension LookPlanner {
  /// Counts the time up to now. Called before anything else is told or asked.
  mutating func count(to uptime: Duration) {
    if uptime > countedTo { pass(to: uptime) }
    guard let sleepAt, countedTo >= sleepAt else { return }
    guard restAt != nil else { return fallAsleep(isSlow: true) }
    if state != .resting { raise(.stillness) }
    if mustLookAtRest {
      hasLookedAtRest = true
      hint = .rest
    } else {
      fallAsleep(isSlow: false)
    }
  }

  private mutating func pass(to uptime: Duration) {
    let seconds = (uptime - countedTo).inSeconds
    countedTo = uptime
    if isAsleep {
      if state == .moving { move(for: seconds) }
      return
    }
    if isMoving {
      move(for: seconds)
      still = 0
      hasLookedAtRest = false
    } else if !isStanding {
      still += seconds
      if state == .resting { moved = max(0, moved - seconds / Self.leak) }
    }
    // Nothing is reckoned while the device is still, so this may be found out late.
    if hasBeenStill { raise(.stillness) }
  }

  private mutating func move(for seconds: Double) {
    moved += seconds
    trip.move(for: seconds)
  }

  mutating func hear(_ motion: Motion) {
    self.motion = motion
  }

  mutating func enter(_ name: String) {
    guard cells.enter(name), mayLook else { return }
    let counts =
      switch state {
      case .moving: error >= Self.shareBeforeCell * bound && moved >= Self.motionBeforeCell
      case .blind: moved >= triedAt + Self.motionBeforeCell
      case .resting: !hearsMotion || still < Self.stillBeforeCell
      }
    if counts { hint = .cell }
  }

  mutating func leaveRegion() {
    hasLeftRegion = true
    if isAsleep || state != .moving || !runsTimers || error >= Self.shareBeforeCell * bound { hint = .regionExit }
    wake()
  }

  /// The device has left a place. Where it is known to move, that is no news.
  mutating func depart() {
    if isAsleep || state != .moving || !runsTimers { hint = .visit }
    wake()
  }

  /// The device has arrived at a place. If the app was suspended during the movement, the place isn't known well.
  mutating func arrive() {
    guard isAsleep, wasSlow else { return }
    wake()
    hasLookedAtRest = true
    hint = .rest
  }

  /// Something has woken the app.
  mutating func wake() {
    guard isAsleep else { return }
    isAsleep = false
    hasLookedAtRest = false
    // Failed looks at the last place don't predict the reception after it.
    failures = 0
    wokeAt = countedTo
  }

  /// Whether a significant change makes the device look. On the way its timers do, where there are any.
  var looksAtSignificantChange: Bool { mayLook && (isAsleep || state != .moving || !runsTimers) }

  /// A look has given a fix.
  ///
  /// - Parameter took: How long it took; `nil` where the receiver was on already.
  mutating func find(_ fix: Location, after took: Duration?) {
    if let took = took?.inSeconds, took > 0, took < Self.longestLead { lead += 0.2 * (took - lead) }
    let isHere = isHere(fix)
    fixesHere = isHere ? fixesHere + 1 : 0
    raise(fixesHere >= 2 || isAsleep && isHere ? .fixHere : .fixElsewhere, fix)
    trip.restart(at: fix)
    let last = self.fix
    take(fix)
    if fix.source == .gps, fix.speed != nil || fix.horizontalAccuracy < Self.networkAccuracy {
      satellitesAt = countedTo
    }
    setRegion(round: fix)
    let isSlow = wasSlow && isSlow(from: last, to: fix)
    wasSlow = false
    if isSlow { fallAsleep(isSlow: true) } else if state != .resting { wake() }
  }

  /// Whether the device was slow since it was asleep: much slower than where it would be awake, so that the keeper isn't toggled.
  private func isSlow(from last: Location?, to fix: Location) -> Bool {
    guard let last, fix.horizontalAccuracy <= Self.leastRegion else { return false }
    let seconds = max(1, (countedTo - asleepAt).inSeconds)
    return max(last.distance(to: fix) / seconds, fix.speed ?? 0) < Self.slowShare * slowPace
  }

  /// Whether a coarse fix says more of where the device is than the last fix does by now.
  func accepts(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= Self.share * bound else { return false }
    return self.fix.map { fix.horizontalAccuracy <= $0.horizontalAccuracy + reach(moved) } ?? true
  }

  /// A coarse fix was accepted. It carries no information about satellites, and doesn't show that the device rests.
  mutating func findCoarse(_ fix: Location) {
    let isHere = isHere(fix)
    if !isHere { fixesHere = 0 }
    if !(isHere && state == .resting) { raise(.fixElsewhere, fix) }
    take(fix)
    if !hasRegion(round: fix) { setRegion(round: fix) }
  }

  /// A coarse fix wasn't accepted. It may show that the device isn't where it was.
  mutating func hear(ofPlace fix: Location) {
    if fix.horizontalAccuracy <= Self.leastRegion { comparePlace(fix) }
  }

  /// A device that was reported as still and is elsewhere isn't still: the sensor may report nothing for minutes.
  private mutating func comparePlace(_ fix: Location) {
    if place.compare(fix, at: countedTo, isLookAtRest: hint == .rest), motion == .still { motion = nil }
  }

  private mutating func take(_ fix: Location) {
    comparePlace(fix)
    self.fix = fix
    fixAt = countedTo
    (failures, triedAt, retryAt, blockedUntil) = (0, 0, 0, .zero)
    hint = nil
    moved = 0
    (restAhead, restGrowth) = (0, 0)
    cells.restart()
  }

  /// A look has found nothing.
  mutating func findNothing(after took: Duration) {
    raise(.noFix)
    hint = nil
    let wait = min(took.inSeconds * Self.restAfterFailure, Self.longestRest)
    blockedUntil = max(blockedUntil, countedTo + .seconds(wait))
  }

  private mutating func raise(_ event: LookMachine.Event, _ fix: Location? = nil) {
    let step = Self.table.step(from: state, on: event)
    for effect in Self.table.effects(of: step) {
      switch effect {
      case .learnPace: if let fix { trip.learn(from: fix) }
      case .beginTrip: if let fix { trip.begin(at: fix) }
      case .rest: rest()
      case .putOff: putOff()
      }
    }
    state = step.next
  }

  private func isHere(_ fix: Location) -> Bool {
    self.fix.map { RestPlace.isOne($0, fix) } ?? false
  }

  private mutating func rest() {
    (restAhead, restGrowth) = (DeadReckoning.ahead(moved), estimateGrowth)
    moved = 0
    trip.rest()
    restInterval =
      state == .resting ? min(2 * restInterval, Self.restIntervals.upperBound) : Self.restIntervals.lowerBound
    cells.restart()
  }

  /// The motion before the repetition of a failed look, in seconds. A phone without a fix is mostly slow to find one, and tries again
  /// when it may have gone the distance of the bound again.
  private var firstRetry: Double {
    let interval = Self.retryIntervals.lowerBound
    guard usesCoarseFixes else { return interval }
    return min(max(Self.share * bound / paceAndSpeed.0, Self.shortestRetry), interval)
  }

  private mutating func putOff() {
    failures = min(failures + 1, 16)
    let wait = min(firstRetry * Double(1 << (failures - 1)), Self.retryIntervals.upperBound)
    if state == .resting {
      blockedUntil = max(blockedUntil, countedTo + .seconds(wait))
      moved = 0
      restInterval = min(2 * restInterval, Self.restIntervals.upperBound)
    } else {
      (triedAt, retryAt) = (moved, moved + wait)
    }
  }
}

// MARK: - What is due

extension LookPlanner {
  /// Why a look is due; `nil` where none is.
  func due(at uptime: Duration) -> LocationManager.LookCause? {
    guard uptime >= blockedUntil else { return nil }
    if fix == nil, failures == 0 { return .bound }
    if let hint { return hint }
    switch state {
    case .moving: return error >= limit || moved >= horizon ? .bound : nil
    case .blind: return moved >= retryAt ? .retry : nil
    case .resting:
      guard runsTimers, !isAsleep, moved >= waitAtRest else { return nil }
      return hearsMotion ? .motion : .bound
    }
  }

  /// When a look will be due if nothing happens until then; `nil` where that is never, or where no timer would run.
  func nextDue(at uptime: Duration) -> Duration? {
    guard runsTimers else { return nil }
    if hint != nil || fix == nil && failures == 0 { return max(uptime, blockedUntil) }
    return earlier(nextLook(at: uptime), sleepAt)
  }

  private func nextLook(at uptime: Duration) -> Duration? {
    guard !(isAsleep && state == .resting) else { return nil }
    guard isMoving else { return due(at: max(uptime, blockedUntil)).map { _ in max(uptime, blockedUntil) } }
    let missing =
      switch state {
      case .moving: max(0, min(motionUntilDue, horizon) - moved)
      case .blind: max(0, retryAt - moved)
      case .resting: max(0, waitAtRest - moved)
      }
    guard missing > 0 else { return max(uptime, blockedUntil) }
    // Rounded up, so that it is due by then.
    return max(countedTo + .milliseconds(Int64((missing * 1_000).rounded(.up)) + 1), blockedUntil)
  }

  /// Whether the receiver stays on after a fix, since the next look would be due at once.
  var staysOn: Bool { state == .moving && error(2 + lead) >= limit }

  /// The distance that the device may have gone when a look is due.
  var limit: Double {
    let limit = isForEstimate ? Self.estimateShare * (bound - Self.estimateMargin) : Self.share * bound
    return limit - (usesCoarseFixes ? min(Self.coarseMargin, bound / 3) : 0)
  }

  /// The error that the target may have at the end of a look that begins now.
  var error: Double { error(moved + lead) }

  private func error(_ seconds: Double) -> Double { isForEstimate ? growth(seconds) : reach(seconds) }

  private var isForEstimate: Bool { target == .estimate && bound >= Self.leastBoundOfEstimate }

  /// The region whose exit makes the device look; `nil` where there is none to be armed.
  var region: Location.Region? {
    guard let fix = regionFix, !hasLeftRegion else { return nil }
    var radius = Self.leastRegion
    if state == .moving, !isAsleep {
      let speed = max(trip.value, fix.speed ?? 0)
      radius = max(radius, Self.share * bound - Self.regionBuffer - Self.regionLateness * speed)
    }
    return Location.Region(latitude: fix.latitude, longitude: fix.longitude, radius: radius)
  }

  /// What counts as a good fix in a look: its limits follow from the bound, all else is the app's policy.
  func policy(for policy: AcquisitionPolicy, at uptime: Duration) -> AcquisitionPolicy {
    var look = policy
    look.desiredAccuracy = desiredAccuracy
    look.acceptableAccuracy = max(100, bound / 3)
    let limits = policy.lookLimits
    // A receiver that is slower than the limits are made for is given what it takes.
    let usual = Duration.seconds(Self.patience * lead)
    look.timeLimit =
      if fix == nil {
        limits.firstFix
      } else if hint == .rest {
        // The place is the last location for hours, so its accuracy is worth a longer look.
        limits.oldEphemeris
      } else if satellitesAt.map({ uptime - $0 > AcquisitionPolicy.LookLimits.ephemerisLife }) ?? true {
        limits.oldEphemeris
      } else {
        max(failures > 0 ? limits.afterFailure : limits.recentFix, usual)
      }
    return look
  }

  private var desiredAccuracy: Double {
    let third = max(10, bound / 3)
    if hint == .rest { return min(third, Self.restAccuracy) }
    // A fix of Wi-Fi has no speed, which a narrow bound needs; but any location is better than none.
    return usesCoarseFixes && isNarrow && fix != nil ? min(third, Self.networkAccuracy) : third
  }

  /// Whether a new reason may be taken note of: none is at rest while the next look is put off.
  private var mayLook: Bool { countedTo >= blockedUntil }

  /// Whether the app can be kept running, which gives coarse fixes.
  private var usesCoarseFixes: Bool { sources.contains(.keeper) }
  private var runsTimers: Bool { sources.contains(.timersWhileAsleep) }
  /// Whether motion is known while asleep.
  private var hearsMotion: Bool { sources.isSuperset(of: [.motion, .timersWhileAsleep]) }
  /// Whether time counts as motion: without a sensor all of it does.
  private var isMoving: Bool { hearsMotion ? motion != .still && motion != .standing : true }
  /// Whether the device is in a vehicle that stands: that is neither motion nor stillness.
  private var isStanding: Bool { hearsMotion && motion == .standing }
  private var waitAtRest: Double { hearsMotion ? Self.motionAtRest : restInterval }

  /// How far the device may be from the last fix after so many seconds of motion: at the speed of the fix at first, at the
  /// trip's pace in the end.
  private func reach(_ seconds: Double) -> Double {
    let (pace, speed) = paceAndSpeed
    return max(0, pace * seconds + (speed - pace) * Self.reversion * (1 - exp(-seconds / Self.reversion)))
  }

  /// After how much motion a look is due, however far off it is allowed to be: a pace holds for no more than twice as long as it was
  /// learnt. Who is known to be on foot does not become much faster.
  private var horizon: Double {
    hearsMotion && !isVehicle ? .infinity : max(Self.leastHorizon, 2 * trip.learntFor)
  }

  private var isVehicle: Bool { hearsMotion && (motion == .vehicle || motion == .standing) }

  private var leastVehiclePace: Double {
    usesCoarseFixes && !isNarrow ? Self.leastFollowedPace : Self.leastVehiclePace
  }
  private var isNarrow: Bool { bound < Self.leastBoundForWiFi }

  private var paceAndSpeed: (Double, Double) {
    let pace = isVehicle ? max(trip.value, leastVehiclePace) : trip.value
    return (pace, fix?.speed ?? pace)
  }

  /// After how many seconds of motion ``reach`` is at the bound. It grows without end, and never slower than on foot, so the way
  /// there is found by halving.
  private var motionUntilDue: Double {
    let limit = limit
    var (low, high) = (0.0, limit / TripPace.least + Self.reversion)
    while error(high + lead) < limit { high *= 2 }
    while high - low > 1e-4 {
      let middle = (low + high) / 2
      if error(middle + lead) < limit { low = middle } else { high = middle }
    }
    return high
  }
}

// MARK: - The keeper

extension LookPlanner {
  /// Whether the app is to be kept running while the GPS is off: while the device moves, and not at rest, where that costs more than
  /// all looks.
  var keepsRunning: Bool { usesCoarseFixes && (sources.contains(.keeperAtRest) || !isAsleep) }

  /// Whether the keeper may be off: a region must guard the way.
  private var maySleep: Bool {
    sources.isSuperset(of: [.keeper, .regionExit]) && !sources.contains(.keeperAtRest) && !mustKeepRunning
  }

  /// The time of the app's suspension if no event precedes it; `nil` where that isn't known.
  private var sleepAt: Duration? {
    guard !isAsleep, maySleep, hint == nil, fix != nil else { return nil }
    return restAt ?? (isSlow ? max(countedTo, wokeAt + .seconds(Self.watch)) : nil)
  }

  /// When the device has rested for long enough, by its motion sensor and its fixes; `nil` where it doesn't rest.
  private var restAt: Duration? {
    let quiet = Duration.seconds(Self.quietBeforeSleep)
    if hearsMotion, let motion {
      return motion == .still ? max(countedTo - .seconds(still), place.since, wokeAt) + quiet : nil
    }
    return state == .resting ? max(place.since, wokeAt) + quiet : nil
  }

  /// Whether the device has been still for long enough to rest: by its motion sensor, or without one by its fixes.
  private var hasBeenStill: Bool {
    guard state != .resting else { return false }
    if hearsMotion, motion != nil { return still >= Self.quiet }
    guard usesCoarseFixes, let length = place.length else { return false }
    return length >= .seconds(Self.quiet)
  }

  /// Whether the app looks once more before it may be suspended: the place at rest is the last location for hours.
  private var mustLookAtRest: Bool {
    guard !hasLookedAtRest, mayLook, let fix else { return false }
    return fix.horizontalAccuracy + restGrowth > Self.restAccuracy
  }

  /// Whether the device moves so slowly that a region is left before the bound is reached.
  private var isSlow: Bool {
    guard state == .moving, let fix, !isVehicle,
      fix.horizontalAccuracy <= Self.leastRegion, countedTo - fixAt <= .seconds(Self.newestFix)
    else { return false }
    return max(trip.value, fix.speed ?? 0) < slowPace
  }

  /// The highest pace that lets the system report the exit from a region before the device is beyond the bound.
  private var slowPace: Double { (Self.share * bound - Self.leastRegion) / Self.longestLateness }

  private mutating func fallAsleep(isSlow: Bool) {
    isAsleep = true
    asleepAt = countedTo
    wasSlow = isSlow
    motion = nil
    if let fix { setRegion(round: fix) }
  }

  private mutating func setRegion(round fix: Location) {
    (regionFix, regionSetAt, hasLeftRegion) = (fix, countedTo, false)
  }

  /// Whether the region that is armed is near enough to a coarse fix: one that follows each fix would never be watched.
  private func hasRegion(round fix: Location) -> Bool {
    guard let regionFix, !hasLeftRegion, let region else { return false }
    return regionFix.distance(to: fix) < region.radius / 2 || countedTo - regionSetAt < .seconds(60)
  }
}

// MARK: - The estimate

extension LookPlanner {
  /// Where the device probably is; `nil` before the first fix.
  func estimate(at date: Date) -> LocationManager.Estimate? {
    guard let fix else { return nil }
    let (seconds, growth) =
      state == .resting
      ? (restAhead, restGrowth + (hearsMotion ? reach(moved) : 0)) : (DeadReckoning.ahead(moved), estimateGrowth)
    return DeadReckoning(fix: fix).estimate(ahead: seconds, growth: growth, at: date)
  }

  /// How far the device may be from the estimate.
  private var estimateGrowth: Double { growth(moved) }

  private func growth(_ seconds: Double) -> Double {
    reach(seconds) * (fix.map { DeadReckoning(fix: $0).uncertainty(after: seconds) } ?? 1)
  }
}

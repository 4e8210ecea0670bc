import LocoFoundation

/// Decides when to look, so that the error of the last location stays within a bound: a pure value that reads no clock.
///
/// The planner counts the seconds of motion since the last fix, and computes the distance that the device may have moved: at the speed of
/// the fix at first, later at the pace of the trip. Each look's result is an event of the ``LookMachine``; its state selects the limit for
/// the next look. The core reports inputs, asks ``due(at:)`` for a look, and asks again at ``nextDue(at:)``.
///
/// The constants were chosen on recorded tracks; see *Choosing a bound* in the documentation. Distances are in metres, times in seconds.
package struct LookPlanner: Hashable, Sendable {
  /// The least bound: fixes are tens of metres off, and take seconds.
  static let leastBound = 100.0

  var bound: Double
  var target = LocationManager.BoundTarget.lastLocation
  var sources: WakeSources {
    didSet { if !maySleep { isAsleep = false } }
  }
  /// Whether a consumer requires that the app isn't suspended, even at rest.
  var mustKeepRunning = false {
    didSet { if !maySleep { isAsleep = false } }
  }

  private(set) var state = LookMachine.initialState
  /// The last fix, and when it was found.
  private(set) var fix: Location?
  private(set) var fixAt = Duration.zero
  /// The time of the last fix from satellites.
  private(set) var satellitesAt: Duration?
  private(set) var trip = TripPace()
  /// The seconds of motion since the fix, or since the device came to rest.
  private(set) var moved = 0.0
  /// The seconds without motion.
  private(set) var still = 0.0
  /// The mean duration of a look, in seconds.
  private(set) var lead = 3.5
  /// The number of failed looks in a row.
  private(set) var failures = 0
  private(set) var motion: Motion?

  /// The number of consecutive fixes in one place.
  private(set) var fixesHere = 0
  /// The time of the last update.
  private(set) var countedTo = Duration.zero
  /// In the state `blind`: the seconds of motion at the last look, and at the next one.
  private(set) var triedAt = 0.0
  private(set) var retryAt = 0.0
  /// The seconds at rest until the next look, if nothing reports motion.
  private(set) var restInterval = Self.restIntervals.lowerBound
  /// No look begins before this time unless the app forces one.
  private(set) var blockedUntil = Duration.zero
  private(set) var cells = KnownCells()
  /// The cause of a look that starts as soon as possible.
  private(set) var hint: LocationManager.LookCause?
  private(set) var hasLeftRegion = false
  /// The region's centre, and the time when it was set.
  private(set) var regionFix: Location?
  private(set) var regionSetAt = Duration.zero

  /// Whether the app is allowed to sleep now: the device rests or is slow, and a region, visits and significant changes wake the app.
  private(set) var isAsleep = false
  private(set) var wokeAt = Duration.zero
  private(set) var asleepAt = Duration.zero
  /// Whether the look at rest was requested since the device came to rest.
  private(set) var hasLookedAtRest = false
  /// Whether the device was slow at the last suspension. The next fix then shows whether it still is.
  private(set) var wasSlow = false
  private(set) var place = RestPlace()
  /// The seconds of straight movement and the error of the estimate when the device came to rest.
  private(set) var restAhead = 0.0
  private(set) var restGrowth = 0.0

  /// A look is due at this share of the bound: a look takes time, and a pace is uncertain.
  private static let share = 0.85
  /// The time constant of the change from the speed of the fix to the trip's pace, in seconds.
  private static let reversion = 30.0
  /// The assumed minimum paces of a vehicle. The second one applies with coarse fixes, which make looks rare, unless the bound is narrow.
  private static let leastVehiclePace = 8.0
  private static let leastFollowedPace = 12.0
  /// The assumed validity of a new pace, in seconds.
  private static let leastHorizon = 300.0
  /// The best accuracy of a fix from Wi-Fi or cells, which has no speed.
  private static let networkAccuracy = 50.0
  /// If the last location may be a coarse fix, the limit is lower by this distance, or by a third of the bound if that is less.
  private static let coarseMargin = 100.0
  /// With a narrower bound, a fix from Wi-Fi doesn't end a look.
  private static let leastBoundForWiFi = 250.0
  /// The desired accuracy of a look at rest.
  private static let restAccuracy = 30.0
  /// The seconds without motion until the device is at rest, and until the app may be suspended.
  private static let quiet = 180.0
  private static let quietBeforeSleep = 120.0
  /// The seconds of motion that start a look at rest.
  private static let motionAtRest = 60.0
  /// The seconds of stillness that undo a second of motion at rest: false motion arrives in bursts.
  private static let leak = 4.0
  private static let restIntervals = 120.0...900.0
  private static let retryIntervals = 60.0...240.0
  private static let shortestRetry = 20.0
  /// In the state `moving`, a new cell starts a look only if the possible error is this share of the bound or more; in `moving` and
  /// `blind`, only after this many seconds of motion since the last look.
  private static let shareBeforeCell = 0.5
  private static let motionBeforeCell = 20.0
  /// At rest, a new cell starts a look only until this many seconds after motion.
  private static let stillBeforeCell = 120.0
  /// The back-off after a failed look, as a multiple of the look's duration: the receiver is on for at most a quarter of the time.
  private static let restAfterFailure = 3.0
  /// The maximum back-off, in seconds: that of a look with the longest time limit. A look that seems longer ended at a late timer.
  private static let longestRest = 270.0
  /// A look may take this multiple of the mean duration; with the spread of real receivers one in thirty takes longer.
  private static let patience = 2.5
  /// The longest look that counts for the mean duration.
  private static let longestLead = 15.0
  /// If the bound applies to the estimate, a look is due at this multiple of the difference between the bound and the margin, which covers
  /// the errors of the course. A bound below ``leastBoundOfEstimate`` applies to the last location.
  private static let estimateShare = 1.1
  private static let estimateMargin = 75.0
  private static let leastBoundOfEstimate = 300.0
  /// A margin inside the bound, in metres.
  private static let regionBuffer = 100.0
  /// The median delay of region exits on phones, in seconds, rounded up; see *Choosing a bound*.
  private static let regionLateness = 110.0
  private static let leastRegion = 100.0
  /// The delay of nine in ten reports is at most this long; see *Choosing a bound*.
  private static let longestLateness = 220.0
  /// The share of the slow pace below which a device that was woken is still slow.
  private static let slowShare = 0.7
  /// The minimum time between a wake-up and a suspension during movement, and the maximum age of the last fix at the suspension, in
  /// seconds.
  private static let watch = 30.0
  private static let newestFix = 20.0

  private static let table = TransitionTable<LookMachine>()

  init(bound: Double, sources: WakeSources, at uptime: Duration) {
    (self.bound, self.sources, countedTo) = (bound, sources, uptime)
  }

  /// Returns a message about a bound that is out of range; `nil` for other bounds.
  package static func problem(withBound bound: Double) -> String? {
    if bound >= leastBound, bound.isFinite { return nil }
    return "An error bound must be finite and 100 m or more, not \(bound): fixes are tens of metres off, and take time."
  }

  // MARK: - Inputs

  /// Updates the planner to the current time. Call it before any other function.
  mutating func count(to uptime: Duration) {
    if uptime > countedTo { pass(to: uptime) }
    guard let sleepAt, countedTo >= sleepAt else { return }
    guard restAt != nil else { return fallAsleep(isSlow: true) }
    raise(.stillness)
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
    } else if motion != .standing {  // A stationary vehicle counts neither as motion nor as stillness.
      still += seconds
      if state == .resting { moved = max(0, moved - seconds / Self.leak) }
    }
    // The planner isn't updated while the device is still, so this may be late.
    if hasBeenStill { raise(.stillness) }
  }

  private mutating func move(for seconds: Double) {
    moved += seconds
    trip.move(for: seconds)
  }

  mutating func hear(_ motion: Motion) { self.motion = motion }

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

  /// The device has left a place, which starts a look unless it was known to move.
  mutating func depart() {
    if isAsleep || state != .moving || !runsTimers { hint = .visit }
    wake()
  }

  /// The device has arrived at a place, which starts a look if the app was suspended during the movement.
  mutating func arrive() {
    guard isAsleep, wasSlow else { return }
    wake()
    hasLookedAtRest = true
    hint = .rest
  }

  mutating func wake() {
    guard isAsleep else { return }
    // Failed looks at the last place don't predict the reception elsewhere, so their count restarts.
    (isAsleep, hasLookedAtRest, failures, wokeAt) = (false, false, 0, countedTo)
  }

  /// Whether a significant change starts a look. During movement, timers start looks instead, if they run.
  var looksAtSignificantChange: Bool { mayLook && (isAsleep || state != .moving || !runsTimers) }

  /// A look has found a fix.
  ///
  /// - Parameter took: The duration of the look; `nil` if the receiver was on before.
  mutating func find(_ fix: Location, after took: Duration?) {
    if let took = took?.inSeconds, took > 0, took < Self.longestLead { lead += 0.2 * (took - lead) }
    let isHere = isHere(fix)
    fixesHere = isHere ? fixesHere + 1 : 0
    raise(fixesHere >= 2 || isAsleep && isHere ? .fixHere : .fixElsewhere, fix)
    trip.restart(at: fix)
    let last = self.fix
    learn(from: fix)
    if fix.source == .gps, fix.speed != nil || fix.horizontalAccuracy < Self.networkAccuracy {
      satellitesAt = countedTo
    }
    setRegion(round: fix)
    let isSlow = wasSlow && maySleep && isSlow(from: last, to: fix)
    wasSlow = false
    if isSlow { fallAsleep(isSlow: true) } else if state != .resting { wake() }
  }

  /// Returns whether the device has been slow since the suspension. The threshold is lower than for a suspension, so that the app isn't
  /// suspended and woken in turn.
  private func isSlow(from last: Location?, to fix: Location) -> Bool {
    guard let last, fix.horizontalAccuracy <= Self.leastRegion else { return false }
    let seconds = max(1, (countedTo - asleepAt).inSeconds)
    return max(last.distance(to: fix) / seconds, fix.speed ?? 0) < Self.slowShare * slowPace
  }

  /// Returns whether a coarse fix is better than the last fix by now.
  func accepts(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= Self.share * bound else { return false }
    return self.fix.map { fix.horizontalAccuracy <= $0.horizontalAccuracy + reach(moved) } ?? true
  }

  /// A coarse fix was accepted. It says nothing about the satellites, and doesn't show that the device rests.
  mutating func findCoarse(_ fix: Location) {
    let isHere = isHere(fix)
    if !isHere { fixesHere = 0 }
    if !(isHere && state == .resting) { raise(.fixElsewhere, fix) }
    learn(from: fix)
    if !hasRegion(round: fix) { setRegion(round: fix) }
  }

  /// A coarse fix wasn't accepted. It may show that the device has left the place.
  mutating func hear(ofPlace fix: Location) {
    if fix.horizontalAccuracy <= Self.leastRegion { comparePlace(fix) }
  }

  /// Discards a report of stillness if the device is elsewhere: the sensor may report nothing for minutes.
  private mutating func comparePlace(_ fix: Location) {
    if place.compare(fix, at: countedTo, isLookAtRest: hint == .rest), motion == .still { motion = nil }
  }

  private mutating func learn(from fix: Location) {
    comparePlace(fix)
    self.fix = fix
    fixAt = countedTo
    (failures, triedAt, retryAt, blockedUntil) = (0, 0, 0, .zero)
    hint = nil
    moved = 0
    (restAhead, restGrowth) = (0, 0)
    cells.restart()
  }

  mutating func findNothing(after took: Duration) {
    raise(.noFix)
    hint = nil
    let wait = min(took.inSeconds * Self.restAfterFailure, Self.longestRest)
    blockedUntil = max(blockedUntil, countedTo + .seconds(wait))
  }

  private mutating func raise(_ event: LookMachine.Event, _ fix: Location? = nil) {
    guard let step = Self.table.transition(from: state, on: event) else { return }
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

  private func isHere(_ fix: Location) -> Bool { self.fix.map { RestPlace.isOne($0, fix) } ?? false }

  private mutating func rest() {
    (restAhead, restGrowth) = (DeadReckoning.ahead(moved), growth(moved))
    moved = 0
    restInterval =
      state == .resting ? min(2 * restInterval, Self.restIntervals.upperBound) : Self.restIntervals.lowerBound
    cells.restart()
  }

  /// The seconds of motion before the retry of a failed look. A phone that found no fix usually needs more time with the GPS on, not a
  /// later look. So with coarse fixes, the retry comes sooner: once the device may have moved 85 % of the bound, but not before
  /// ``shortestRetry``.
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

  // MARK: - Due looks

  /// Returns the cause of a look that is due; `nil` if none is.
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

  /// Returns the time of the next look or suspension without other inputs; `nil` if neither is planned, or if timers don't run.
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
    // Rounded up, so that the look is due at that time.
    return max(countedTo + .milliseconds(Int64((missing * 1_000).rounded(.up)) + 1), blockedUntil)
  }

  /// Whether the receiver stays on, because the next look would be due immediately.
  var staysOn: Bool { state == .moving && error(2 + lead) >= limit }

  /// A look is due when the error reaches this limit.
  var limit: Double {
    let limit = isForEstimate ? Self.estimateShare * (bound - Self.estimateMargin) : Self.share * bound
    return limit - (usesCoarseFixes ? min(Self.coarseMargin, bound / 3) : 0)
  }

  /// The possible error of the target at the end of a look that starts now.
  var error: Double { error(moved + lead) }

  private func error(_ seconds: Double) -> Double { isForEstimate ? growth(seconds) : reach(seconds) }

  private var isForEstimate: Bool { target == .estimate && bound >= Self.leastBoundOfEstimate }

  /// The region whose exit starts a look; `nil` if none is to be monitored.
  var region: Location.Region? {
    guard let fix = regionFix, !hasLeftRegion else { return nil }
    var radius = Self.leastRegion
    if state == .moving, !isAsleep {
      let speed = max(trip.value, fix.speed ?? 0)
      radius = max(radius, Self.share * bound - Self.regionBuffer - Self.regionLateness * speed)
    }
    return Location.Region(latitude: fix.latitude, longitude: fix.longitude, radius: radius)
  }

  /// Returns the policy of a look: the app's policy, with accuracies and a time limit that follow from the bound.
  func policy(for policy: AcquisitionPolicy, at uptime: Duration) -> AcquisitionPolicy {
    var look = policy
    look.desiredAccuracy = desiredAccuracy
    look.acceptableAccuracy = max(100, bound / 3)
    let limits = policy.lookLimits
    // The limit of a slow receiver is longer.
    let usual = Duration.seconds(Self.patience * lead)
    let isOld = satellitesAt.map { uptime - $0 > AcquisitionPolicy.LookLimits.ephemerisLife } ?? true
    look.timeLimit =
      if fix == nil {
        limits.firstFix
      } else if isOld || hint == .rest {
        // A fix at rest will be the last location for hours, so its accuracy is worth a longer look.
        limits.oldEphemeris
      } else {
        max(failures > 0 ? limits.afterFailure : limits.recentFix, usual)
      }
    return look
  }

  private var desiredAccuracy: Double {
    let third = max(10, bound / 3)
    if hint == .rest { return min(third, Self.restAccuracy) }
    // With a narrow bound, a fix needs a speed, which one from Wi-Fi lacks. The first fix is exempt.
    return usesCoarseFixes && isNarrow && fix != nil ? min(third, Self.networkAccuracy) : third
  }

  private var mayLook: Bool { countedTo >= blockedUntil }

  /// Whether the app can be kept running and so receives coarse fixes.
  private var usesCoarseFixes: Bool { sources.contains(.keeper) }
  private var runsTimers: Bool { sources.contains(.timersWhileAsleep) }
  /// Whether motion is reported while the system is asleep.
  private var hearsMotion: Bool { sources.isSuperset(of: [.motion, .timersWhileAsleep]) }
  /// Whether time counts as motion. Without a sensor it always does.
  private var isMoving: Bool { hearsMotion ? motion != .still && motion != .standing : true }
  private var waitAtRest: Double { hearsMotion ? Self.motionAtRest : restInterval }

  /// Returns the possible distance from the last fix after a time of motion: at the speed of the fix at first, later at the trip's pace.
  private func reach(_ seconds: Double) -> Double {
    let (pace, speed) = paceAndSpeed
    return max(0, pace * seconds + (speed - pace) * Self.reversion * (1 - exp(-seconds / Self.reversion)))
  }

  /// The seconds of motion until a look is due regardless of the bound: a pace holds for twice the time that it took to learn it. The pace
  /// of a device on foot always holds.
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

  /// The seconds of motion until the error reaches the limit, by bisection: the error grows at least at the pace of a walk.
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

  // MARK: - Suspension

  /// Whether the app is kept running while the GPS is off. At rest it may be suspended: running there costs more than all looks together.
  var keepsRunning: Bool { usesCoarseFixes && (sources.contains(.keeperAtRest) || !isAsleep) }

  /// Whether sleeping is possible: a region must be able to detect movement, and nothing keeps the app running at rest.
  private var maySleep: Bool {
    sources.isSuperset(of: [.keeper, .regionExit]) && !sources.contains(.keeperAtRest) && !mustKeepRunning
  }

  /// The time of the app's suspension without other inputs; `nil` if none is planned.
  private var sleepAt: Duration? {
    guard !isAsleep, maySleep, hint == nil, fix != nil else { return nil }
    return restAt ?? (isSlow ? max(countedTo, wokeAt + .seconds(Self.watch)) : nil)
  }

  /// The time when the device has rested long enough, by its motion sensor and its fixes; `nil` if it doesn't rest.
  private var restAt: Duration? {
    let quiet = Duration.seconds(Self.quietBeforeSleep)
    if hearsMotion, let motion {
      return motion == .still ? max(countedTo - .seconds(still), place.since, wokeAt) + quiet : nil
    }
    return state == .resting ? max(place.since, wokeAt) + quiet : nil
  }

  /// Whether the device has been still long enough to be at rest, by its motion sensor or else by its fixes.
  private var hasBeenStill: Bool {
    if hearsMotion, motion != nil { return still >= Self.quiet }
    return usesCoarseFixes && place.length >= .seconds(Self.quiet)
  }

  /// Whether a look precedes the suspension, because the fix will be the last location for hours.
  private var mustLookAtRest: Bool {
    guard !hasLookedAtRest, mayLook, let fix else { return false }
    return fix.horizontalAccuracy + restGrowth > Self.restAccuracy
  }

  /// Whether the device is so slow that it leaves a region before it reaches the bound.
  private var isSlow: Bool {
    guard state == .moving, let fix, !isVehicle,
      fix.horizontalAccuracy <= Self.leastRegion, countedTo - fixAt <= .seconds(Self.newestFix)
    else { return false }
    return max(trip.value, fix.speed ?? 0) < slowPace
  }

  /// The highest pace that allows the system to report a region's exit before the device reaches the bound.
  private var slowPace: Double { (Self.share * bound - Self.leastRegion) / Self.longestLateness }

  private mutating func fallAsleep(isSlow: Bool) {
    (isAsleep, asleepAt, wasSlow, motion) = (true, countedTo, isSlow, nil)
    if let fix { setRegion(round: fix) }
  }

  private mutating func setRegion(round fix: Location) {
    (regionFix, regionSetAt, hasLeftRegion) = (fix, countedTo, false)
  }

  /// Returns whether the current region is close enough to a coarse fix: a region that follows each fix would never be monitored.
  private func hasRegion(round fix: Location) -> Bool {
    guard let regionFix, !hasLeftRegion, let region else { return false }
    return regionFix.distance(to: fix) < region.radius / 2 || countedTo - regionSetAt < .seconds(60)
  }

  // MARK: - The estimate

  /// Returns the estimated position; `nil` before the first fix.
  func estimate(at date: Date) -> LocationManager.Estimate? {
    guard let fix else { return nil }
    let (seconds, growth) =
      state == .resting
      ? (restAhead, restGrowth + (hearsMotion ? reach(moved) : 0)) : (DeadReckoning.ahead(moved), growth(moved))
    return DeadReckoning(fix: fix).estimate(ahead: seconds, growth: growth, at: date)
  }

  /// Returns the possible distance from the estimate after a time of motion.
  private func growth(_ seconds: Double) -> Double {
    reach(seconds) * (fix.map { DeadReckoning(fix: $0).uncertainty(after: seconds) } ?? 1)
  }
}

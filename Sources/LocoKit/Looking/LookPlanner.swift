import LocoFoundation

/// Decides when to look, so that the error of the last location or the estimate stays within a bound: a pure value that reads no clock.
///
/// The planner counts the seconds of motion since the last fix, and computes the distance that the device may have moved: at the speed of
/// the fix at first, later at the pace of the trip. Each look's result is an event of the ``LookMachine``, whose state decides what starts
/// the next look. The core passes the inputs, calls ``due(at:)`` to learn whether a look is due, and calls it again at ``nextDue(at:)``.
///
/// Distances are in metres. Times of type `Double` are in seconds.
package struct LookPlanner: Equatable, Sendable {
  var settings: LookSettings {
    didSet {
      if !settings.maySleep { appDidWake() }
      if !settings.sleepsSoon { sleep.arrivedAt = nil }
      if settings.bound < oldValue.bound { boundDidShrink() }
    }
  }
  private(set) var phase = LookPhase()
  private(set) var found: FoundFix?
  private(set) var trip = TripPace()
  private(set) var counter: MotionCounter
  private(set) var looks = LookHistory()
  private(set) var place = RestPlace()
  private(set) var cells = KnownCells()
  private(set) var wakeRegion: WakeRegion?
  private(set) var sleep = LookSleep()

  private static let table = TransitionTable<LookMachine>()

  var state: LookMachine.State { phase.state }
  var isAsleep: Bool { phase.isAsleep }
  var fix: Location? { found?.fix }

  init(settings: LookSettings, at uptime: Duration) {
    self.settings = settings
    counter = MotionCounter(at: uptime)
  }

  /// Returns a message about a bound that is out of range; `nil` for other bounds.
  package static func problem(withBound bound: Double) -> String? {
    if bound >= LookSettings.minimumBound, bound.isFinite { return nil }
    return
      "An error bound must be finite and \(Int(LookSettings.minimumBound)) m or more, not \(bound): fixes are tens of metres off, and take time."
  }

  // MARK: - Inputs

  /// Updates the planner to the current time. Call it before any other function.
  ///
  /// - Parameter isLooking: Whether the GPS is on. If so, the planner allows no suspension, because the look may show that the device
  ///   moves.
  mutating func count(to uptime: Duration, isLooking: Bool = false) {
    if uptime > counter.time { pass(counter.advance(to: uptime)) }
    guard !isLooking, let sleepAt, counter.time >= sleepAt else { return }
    guard let restAt, counter.time >= restAt else { return raise(.slow) }
    raise(.stillness)
    if mustLookAtRest {
      sleep.hasLookedAtRest = true
      looks.hint = .rest
    } else {
      raise(.settled)
    }
  }

  private mutating func pass(_ seconds: Double) {
    if isAsleep {
      if state == .asleepMoving { move(for: seconds) }
      return
    }
    if isMoving {
      move(for: seconds)
      counter.still = 0
      // Without a report, time counts as motion but shows no departure. After an arrival, motion within the place shows none either.
      if motion != nil, sleep.arrivedAt == nil { sleep.hasLookedAtRest = false }
    } else if counter.motion == .standing {  // A stationary vehicle counts neither as motion nor as stillness.
      counter.stood += seconds
    } else {
      counter.still += seconds
      if state == .resting { counter.moved = max(0, counter.moved - seconds / LookPhase.Rest.leak) }
    }
    // The planner isn't always updated while the device is still, so this event may be late.
    if hasBeenStill { raise(.stillness) }
  }

  private mutating func move(for seconds: Double) {
    counter.moved += seconds
    trip.move(for: seconds)
  }

  mutating func motionDidChange(to motion: LocationManager.Motion) {
    // An app that gets a report isn't suspended, and stillness may show that a slow device has arrived.
    if motion == .still, state == .asleepMoving, settings.hearsMotion {
      appDidWake()
      sleep.endSlowness()
    }
    counter.motion = motion
    if isVehicle { sleep.arrivedAt = nil }
  }

  /// Handles the name of the serving cell, reported by a wake event of this kind.
  mutating func enter(_ name: String, because kind: WakeKind) {
    guard cells.enter(name) else { return }
    let counts =
      switch phase.movement {
      case .moving: isHalfway && counter.moved >= LookPhase.motionBeforeCell
      case .blind(let blindness): counter.moved >= blindness.triedAt + LookPhase.motionBeforeCell
      case .resting: !settings.hearsMotion || counter.still < LookPhase.Rest.stillBeforeCell
      }
    if counts, looks.hint == nil { looks.hint = .wake(kind) }
  }

  mutating func leaveRegion() {
    (wakeRegion, sleep.arrivedAt) = (nil, nil)
    if isAsleep { sleep.countExit() }
    if !plansByTime || isHalfway { looks.hint = .wake(.regionExit) }
    appDidWake()
  }

  /// Handles the end of a visit: starts a look, unless the device already counts as moving and timers start the looks.
  mutating func visitEnded() {
    sleep.arrivedAt = nil
    if !plansByTime { looks.hint = .wake(.visit) }
    appDidWake()
  }

  /// Handles the start of a visit: starts a look if the app may be suspended, because the device may have been suspended before it arrived.
  /// With ``LookSettings/sleepsSoon``, the app may be suspended soon after the arrival.
  mutating func visitBegan() {
    if isAsleep {
      appDidWake()
      sleep.hasLookedAtRest = true
      looks.hint = .rest
    }
    if !isAsleep, settings.sleepsSoon, !isVehicle, found != nil { sleep.arrivedAt = counter.time }
  }

  mutating func appDidWake() { raise(.woken) }

  /// Whether a significant change starts a look. During movement, timers start looks instead, if they run. In the back-off after a failed
  /// look a change has no effect: the service repeats its last position whenever it is started.
  var looksAtSignificantChange: Bool { mayLook && !plansByTime }

  /// Handles a location that was found while the GPS was on.
  ///
  /// - Parameters:
  ///   - took: The duration of the look; `nil` if the GPS has already delivered a location since it was turned on.
  ///   - age: The age of the fix, in seconds.
  ///   - isLook: Whether the planner started the acquisition, rather than the app or a consumer.
  mutating func find(_ fix: Location, after took: Duration?, age: Double, isLook: Bool) {
    looks.learnDuration(took, mayBeSlow: isLook && !settings.isAssisted)
    let repeatCount = repeatCount(fix)
    raise(repeatCount >= 2 || isAsleep && repeatCount > 0 ? .fixHere : .fixElsewhere, fix)
    trip.restart(at: fix)
    let last = found
    learn(from: fix, repeatCount: repeatCount, age: age)
    looks.learnSatellites(from: fix, at: counter.time)
    // The first fix of a look, and the last one if the look is followed by others, as in a vehicle at a narrow bound.
    if took != nil || !staysOn || !hasRegion(round: fix) { setRegion(round: fix) }
    if sleep.wasSlow(from: last, to: fix, at: counter.time, slowPace: settings.slowPaceOnceWoken), settings.maySleep {
      raise(.slow)
    } else if state == .asleepMoving {
      appDidWake()
    }
  }

  /// Returns whether a coarse fix locates the device at least as well as the last fix does by now. Except after a failed look, it must also be
  /// accurate enough for the bound.
  func accepts(_ fix: Location) -> Bool {
    guard isAccurate(fix) || phase.blindness != nil && found != nil else { return false }
    let moved = (phase.rest?.distance ?? 0) + reach(counter.moved)
    return self.fix.map { fix.horizontalAccuracy <= $0.horizontalAccuracy + moved } ?? true
  }

  /// Handles an accepted coarse fix, which says nothing about the satellites, and alone doesn't show that the device rests.
  mutating func findCoarse(_ fix: Location, age: Double) {
    guard isAccurate(fix) else { return findWithoutAccuracy(fix, age: age) }
    let isHere = repeatCount(fix) > 0
    if !isHere || phase.rest == nil { raise(.fixElsewhere, fix) }
    learn(from: fix, repeatCount: isHere ? found?.repeatCount ?? 0 : 0, age: age, isCoarse: true)
    if !hasRegion(round: fix) { setRegion(round: fix) }
  }

  /// A phone that fell asleep on the move may be too fast for the new bound, and the last fix too inaccurate.
  private mutating func boundDidShrink() {
    if isAsleep, phase.rest == nil { appDidWake() }
    if let fix, !isAccurate(fix) { looks.hint = .bound }
  }

  private func isAccurate(_ fix: Location) -> Bool { fix.horizontalAccuracy <= LookSettings.share * settings.bound }

  /// Handles a coarse fix after a failed look that is better than the last location, although not accurate enough for the bound. The next
  /// look remains due when it was.
  private mutating func findWithoutAccuracy(_ fix: Location, age: Double) {
    found = FoundFix(fix: fix, time: counter.time, repeatCount: 0)
    phase.blindness?.advance(by: counter.restart(age: age))
  }

  /// Handles a rejected coarse fix, which may still show that the device has left the place.
  mutating func noteRejectedCoarseFix(_ fix: Location) {
    if fix.horizontalAccuracy <= WakeRegion.minimumRadius || place.isClearlyElsewhere(fix) { comparePlace(fix) }
  }

  /// Whether a significant change shows that the device has left the place of its last fix, while the app may be suspended or no look may
  /// start. Otherwise looks show it better, because a third of the changes are off by more than their accuracy.
  func hasLeft(by change: Location, at date: Date) -> Bool {
    guard isAsleep || !mayLook, let fix, change.hasValidCoordinate, change.hasValidAccuracy else { return false }
    // A fix in the future is from before the clock was set back.
    return (change.timestamp > fix.timestamp || fix.timestamp.isAhead(of: date))
      && change.distance(to: fix) > change.horizontalAccuracy + fix.horizontalAccuracy
  }

  /// Whether a fix shows that the error of the last one has reached the limit.
  func isFar(_ fix: Location) -> Bool { self.fix.map { $0.distance(to: fix) >= settings.limit } ?? true }

  /// Compares a fix with the place. If the device has left, discards a report of stillness, because the sensor of a phone may report nothing
  /// for minutes. Without coarse fixes, such as on a machine whose app reports the motion, the report holds until the next one, unless
  /// the speed of the fix contradicts it.
  private mutating func comparePlace(_ fix: Location) {
    let (last, seenAt, showsMotion) = (place.fix, place.seenAt, LookSleep.showsMotion(fix))
    let isLookAtRest = looks.hint == .rest && !showsMotion
    let hasLeft = place.compare(fix, at: counter.time, isLookAtRest: isLookAtRest)
    sleep.checkArrival(with: fix, last: last, seenAt: seenAt)
    if hasLeft { sleep.hasLookedAtRest = false }
    // Whatever the sensor says, the vehicle has moved.
    if hasLeft || showsMotion { counter.stood = 0 }
    if counter.motion == .still, hasLeft && settings.usesCoarseFixes || showsMotion {
      counter.doubtStillness(mayReturn: !settings.usesCoarseFixes)
    } else if !hasLeft, !showsMotion {
      // The fast fix was wrong, or the device has stopped since; its motion may be reported only once.
      counter.confirmStillness()
    }
  }

  private mutating func learn(from fix: Location, repeatCount: Int, age: Double, isCoarse: Bool = false) {
    comparePlace(fix)
    sleep.compare(fix, with: self.fix)
    found = FoundFix(fix: fix, time: counter.time, repeatCount: repeatCount)
    looks.find(isCoarse: isCoarse)
    counter.restart(age: age)
    phase.rest?.begin(ahead: 0, growth: 0, distance: 0)
    cells.restart()
  }

  /// Returns ``FoundFix/repeatCount`` of a new fix from the GPS; 0 if the fix is elsewhere.
  private func repeatCount(_ fix: Location) -> Int {
    found.map { RestPlace.isOne($0.fix, fix) ? $0.repeatCount + 1 : 0 } ?? 0
  }

  mutating func lookDidFail(after took: Duration) {
    raise(.noFix)
    let isFirstFailure = looks.failures == 1 && found != nil
    looks.lookDidFail(
      after: took, rest: isFirstFailure ? settings.retries.rest : LookSettings.Retries.longRest, at: counter.time)
  }

  // MARK: - The machine

  private mutating func raise(_ event: LookMachine.Event, _ fix: Location? = nil) {
    guard let step = Self.table.transition(from: state, on: event) else { return }
    if step.kind == .external { phase.enter(step.next) }
    for effect in Self.table.effects(of: step) {
      switch effect {
      case .learnPace: if let fix { trip.learn(from: fix) }
      case .beginTrip: if let fix { trip.begin(at: fix) }
      case .rest: rest()
      case .waitLonger: phase.rest?.waitLonger()
      case .scheduleRetry:
        let wait = looks.fail(settings, pace: paceAndSpeed.0)
        phase.blindness = LookPhase.Blindness(triedAt: counter.moved, retryAt: counter.moved + wait)
      case .backOff:
        looks.block(for: looks.fail(settings, pace: paceAndSpeed.0), from: counter.time)
        counter.moved = 0
      case .fallAsleep:
        sleep.begin(at: counter.time, isSlow: event == .slow)
        counter.motion = nil
        if let fix = self.fix { setRegion(round: fix) }
      case .wakeUp:
        // Failed looks at the last place don't predict the reception elsewhere, so their count restarts.
        looks.forgetFailures()
        sleep.end(at: counter.time)
      }
    }
  }

  private mutating func rest() {
    let (growth, distance) = (growth(counter.moved), reach(counter.moved))
    phase.rest?.begin(ahead: DeadReckoning.ahead(counter.moved), growth: growth, distance: distance)
    counter.moved = 0
    cells.restart()
  }

  // MARK: - Due looks

  /// Returns the cause of a look that is due; `nil` if none is.
  func due(at uptime: Duration) -> LocationManager.Cause? {
    guard uptime >= looks.blockedUntil else { return nil }
    if needsFirstFix { return .bound }
    if let hint = looks.hint { return hint }
    switch phase.movement {
    case .moving: return error >= settings.limit || counter.moved >= horizon ? .bound : nil
    case .blind(let blindness): return counter.moved >= blindness.retryAt ? .retry : nil
    case .resting(let rest):
      guard !isAsleep, settings.runsTimers, counter.moved >= motionBeforeLook(rest) else { return nil }
      return settings.hearsMotion ? .wake(.motion) : .bound
    }
  }

  /// Returns the time of the next look or suspension if no other input arrives; `nil` if neither is planned, or if timers don't run.
  func nextDue(at uptime: Duration) -> Duration? {
    guard settings.runsTimers else { return nil }
    if looks.hint != nil || needsFirstFix { return max(uptime, looks.blockedUntil) }
    return earlier(nextLook(at: uptime), sleepAt)
  }

  /// Returns the time from which a coarse fix may replace the next look or show where the device is, while the app is kept running; `nil` if
  /// none can, because the device is at rest.
  func coarseFixesFrom(at uptime: Duration) -> Duration? {
    guard let found, looks.hint == nil, phase.blindness == nil else { return .zero }
    // The first motion after a rest is a departure or false, which a coarse fix decides.
    if state == .resting { return isMoving ? .zero : nil }
    guard let next = nextLook(at: uptime) else { return nil }
    return max(.zero, min(next - .seconds(Self.coarseLead), found.time + .seconds(Self.longestSilence)))
  }

  /// The seconds before a look in which coarse fixes can replace it. While a device moves, 75 % of the coarse fixes follow the last one
  /// within 6.8 s, and 90 % within 13 s (MobilityNet).
  private static let coarseLead = 10.0
  /// The most seconds after a fix without coarse fixes: the pace may have changed. Chosen with recordings: with 30 s the energy is 3 to 5 %
  /// higher.
  private static let longestSilence = 45.0

  private func nextLook(at uptime: Duration) -> Duration? {
    let next = max(uptime, looks.blockedUntil)
    let motionUntilLook: Double
    switch phase.movement {
    case .resting where isAsleep: return nil
    case _ where !isMoving: return due(at: next).map { _ in next }
    case .moving: motionUntilLook = min(motionUntilDue, horizon)
    case .blind(let blindness): motionUntilLook = blindness.retryAt
    case .resting(let rest): motionUntilLook = motionBeforeLook(rest)
    }
    let missing = motionUntilLook - counter.moved
    guard missing > 0 else { return next }
    // Rounded up, so that the look is due at that time.
    return max(counter.time + .milliseconds(Int64((missing * 1_000).rounded(.up)) + 1), looks.blockedUntil)
  }

  private var needsFirstFix: Bool { found == nil && looks.failures == 0 }

  private func motionBeforeLook(_ rest: LookPhase.Rest) -> Double {
    settings.hearsMotion ? LookPhase.Rest.motionBeforeLook : rest.interval
  }

  /// The fix at the place where the device rests, and the possible distance from it to the place; `nil` while the device moves.
  var placeAtRest: (fix: Location, distance: Double)? {
    guard let fix, let rest = phase.rest else { return nil }
    return (fix, rest.distance)
  }

  /// Whether the device rests at the place of the last fix, no look has failed there, and the motion sensor has reported no long motion.
  var restsAtFix: Bool { placeAtRest != nil && looks.failures == 0 && !showsDeparture }

  /// Whether the device has probably left the place of the last fix: the motion sensor has reported motion for some time, or a look during
  /// movement has failed.
  var showsDeparture: Bool {
    state == .blind || counter.motion?.isMoving == true && counter.moved > LookPhase.Rest.motionBeforeLook
  }

  /// Whether time starts looks: the device moves, and timers run.
  private var plansByTime: Bool { state == .moving && settings.runsTimers }

  /// Whether the receiver stays on, because the next look would be due within ``LookSettings/shortestPause``.
  var staysOn: Bool {
    phase.movement == .moving && error(LookSettings.shortestPause + looks.lead) >= settings.limit
  }

  var mayLook: Bool { counter.time >= looks.blockedUntil }

  /// Whether time counts as motion. Without a sensor it always does, and so it does before the first fix without coarse fixes, because
  /// then nothing but another look can find where the device rests.
  private var isMoving: Bool {
    motion?.isMoving ?? true || found == nil && !settings.usesCoarseFixes
  }

  /// Returns the policy of a look: the app's policy, with accuracies that follow from the bound, and a time limit from the past looks.
  func policy(for policy: AcquisitionPolicy, at uptime: Duration) -> AcquisitionPolicy {
    looks.policy(for: policy, settings: settings, isFirst: found == nil, at: uptime)
  }

  // MARK: - Suspension

  /// Whether the app is kept running while the GPS is off. At rest it may be suspended, because keeping it running would cost more than all
  /// looks.
  var keepsRunning: Bool { settings.usesCoarseFixes && (settings.keepsRunningAtRest || !isAsleep) }

  /// The time of the app's next suspension if no other input arrives; `nil` if none is planned.
  private var sleepAt: Duration? {
    guard !isAsleep, settings.maySleep, looks.hint == nil, found != nil else { return nil }
    // A stationary vehicle may be slow long before it counts as parked.
    return motion == .standing ? earlier(restAt, slowAt) : restAt ?? slowAt
  }

  /// The time of a suspension because of slow movement; `nil` if the device isn't slow.
  private var slowAt: Duration? { isSlow ? max(counter.time, sleep.wokeAt + .seconds(LookSleep.watch)) : nil }

  /// The time when the device has rested long enough, by a reported arrival, or by its motion sensor and its fixes; `nil` if it doesn't
  /// rest.
  private var restAt: Duration? {
    if let arrivedAt = sleep.arrivedAt, counter.time - arrivedAt <= .seconds(LookSleep.longestStay) {
      return arrivedAt + .seconds(LookSleep.stay)
    }
    // After a failed look, nothing but stillness shows that the device is at rest, and a vehicle stands at traffic lights, so the wait
    // isn't shortened.
    let isUncertain = looks.failures > 0 || trip.value > LookSleep.fastPace
    let quiet = Duration.seconds(isUncertain ? LookSettings.longQuiet : settings.quiet.sleep)
    if let motion {
      switch motion {
      case .still: return max(counter.time - .seconds(counter.still), place.since, sleep.wokeAt) + quiet
      case .standing:
        let parkedAt = counter.time + LocationManager.Motion.longestJam - .seconds(counter.stood)
        return max(parkedAt, place.since + quiet)
      case .walking, .vehicle: return nil
      }
    }
    return phase.rest == nil ? nil : max(place.since, sleep.wokeAt) + quiet
  }

  /// Whether the device has been still long enough to be at rest, by its motion sensor or else by its fixes.
  private var hasBeenStill: Bool {
    if motion != nil { return counter.still >= settings.quiet.rest }
    return settings.usesCoarseFixes && place.length >= .seconds(settings.quiet.rest)
  }

  /// Whether a look is necessary before the suspension, because the last location will then be kept for hours.
  private var mustLookAtRest: Bool {
    guard !sleep.hasLookedAtRest, let fix else { return false }
    return fix.horizontalAccuracy + (phase.rest?.distance ?? 0) > LookPhase.Rest.accuracy
  }

  /// Whether a recent fix shows that the device is so slow that the system usually reports a region exit before the error reaches the
  /// bound.
  private var isSlow: Bool {
    guard state == .moving, !isVehicle || settings.vehiclesMaySleep,
      let found, found.fix.horizontalAccuracy <= WakeRegion.minimumRadius,
      counter.time - found.time <= .seconds(LookSleep.newestFix)
    else { return false }
    return max(trip.value, found.fix.speed ?? 0) < settings.slowPace
  }

  /// The region whose exit wakes the app and may start a look; `nil` if none is to be monitored.
  var region: Location.Region? {
    guard let wakeRegion else { return nil }
    let centre = wakeRegion.fix
    let radius = WakeRegion.radius(bound: settings.bound, speed: state == .moving ? wakeRegion.pace : nil)
    return Location.Region(latitude: centre.latitude, longitude: centre.longitude, radius: radius)
  }

  /// Sets the region, except after several exits in one place: the next exit would soon wake the app again.
  private mutating func setRegion(round fix: Location) {
    let pace = max(trip.value, fix.speed ?? 0)
    wakeRegion = sleep.mayWatch ? WakeRegion(fix: fix, setAt: counter.time, pace: pace) : nil
  }

  private func hasRegion(round fix: Location) -> Bool {
    guard let wakeRegion, let region else { return false }
    return wakeRegion.holds(fix, radius: region.radius, at: counter.time)
  }
}

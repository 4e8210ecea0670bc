import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  func startSenses() {
    sensorGeneration += 1
    cells.reset()
    reportedMotion = nil
    let kinds = configuration.wakeSources
    if kinds.contains(.significantChange) || kinds.contains(.cell) { schedule(.cell, after: 0) }
    if motionSensor != nil { schedule(.motion, after: 0) }
  }

  func startChanges(isNew: Bool) {
    guard configuration.wakeSources.contains(.significantChange) else { return }
    // Apple's service reports its last location when it starts.
    if isNew, configuration.trigger == .apple {
      schedule(.firstChange, after: Double.random(in: 0.2...1, using: &random))
    }
    if faults.falseWakes > 0 { schedule(.falseWake, after: 60) }
  }

  func measureCell() {
    let (time, sensorGeneration) = (seconds, sensorGeneration)
    let step = walker.step(at: time, on: route)
    let isFirst = cells.serving == nil
    let isOther = cells.measure(east: step.east, north: step.north, at: time)
    let next = cells.nextMeasurement(after: time, standingUntil: walker.standsUntil(from: time, on: route))
    schedule(.cell, after: next - time)
    guard isOther || isFirst, let cell = cells.serving else { return }
    if configuration.wakeSources.contains(.cell), !isKeeperOff { report(.wake(.cell(cell.description))) }
    // The report's handler may have turned significant changes off.
    guard isOther, sensorGeneration == self.sensorGeneration, configuration.wakeSources.contains(.significantChange)
    else { return }
    if configuration.trigger == .apple, let last = lastChange {
      let distance = point.location.distance(to: last.location)
      guard distance >= WakeEvent.significantDistance, .nanoseconds(now - last.at) >= WakeEvent.significantInterval
      else { return }
    }
    significantChange()
  }

  /// Whether a significant change is reported or launches the app. A running app with the GPS on receives none.
  var receivesChanges: Bool { mode == .significantChanges || mode == .gps && isTerminated }

  func significantChange() {
    let location = coarseChange()
    lastChange = (location, now)
    if receivesChanges { report(.wake(.significantChange(configuration.trigger == .apple ? location : nil))) }
  }

  func coarseChange() -> Location {
    let accuracy = 500 * exp(0.5 * random.nextNormal())
    return place(
      point, north: accuracy / 1.51 * random.nextNormal(), east: accuracy / 1.51 * random.nextNormal(),
      accuracy: accuracy)
  }

  // MARK: - Motion

  private static let maximumStored = 1_000

  func senseMotion() {
    let time = seconds
    let speed = walker.step(at: time, on: route).speed
    let end = walker.standsUntil(from: time, on: route)
    guard let next = motionSensor?.sense(at: time, speed: speed, standingUntil: end) else { return }
    let motion = motionSensor?.motion
    // As on a phone, an app without a keeper notices within ten seconds that the sensor is silent.
    schedule(.motion, after: !hasKeeper && motion == nil ? min(next - time, 10) : next - time)
    guard !hasKeeper || isKeptRunning else {
      if storedMotion.isEmpty || storedMotion.last?.motion != motion {
        storedMotion.append(LocationManager.Motion.Change(motion, at: date))
        if storedMotion.count > Self.maximumStored { storedMotion.removeFirst() }
      }
      return
    }
    doubtStillness(motion, at: time)
    guard let motion, motion != reportedMotion else { return }
    reportedMotion = motion
    report(.wake(.motion(motion)))
  }

  /// Withdraws the motion as a wake source if the sensor has been silent for a while since it reported stillness, and restores the source
  /// with the next report, as `CoreLocationProvider` does for an app without a keeper.
  private func doubtStillness(_ motion: LocationManager.Motion?, at time: Double) {
    guard !hasKeeper else { return }
    silentSince = motion == nil && reportedMotion == .still ? min(silentSince, time) : .infinity
    if time - silentSince >= LocationManager.Motion.longestSilence.inSeconds {
      (reportedMotion, isMotionDoubted) = (nil, true)
    } else if isMotionDoubted, motion != nil {
      isMotionDoubted = false
    } else {
      return
    }
    report(.wakeSources(wakeSources, backgroundUpdates: backgroundUpdates))
  }

  // MARK: - The battery and the app

  private static let batteryInterval = 60.0

  /// The energy that the device and the app have used, in joules.
  private var joules: Double {
    let (use, profile) = (energy, configuration.energyProfile)
    return use.joules(profile) + use.baselineJoules(profile)
  }

  func level(of charge: (level: Double?, state: LocationManager.BatteryStatus.State?, joules: Double)) -> Double? {
    guard let level = charge.level, charge.state == .unplugged,
      let capacity = configuration.energyProfile.batteryCapacity
    else { return charge.level }
    return max(0, level - (joules - charge.joules) / (capacity * 3_600))
  }

  func setBattery(_ battery: LocationManager.BatteryStatus?) {
    let isFirst = charge == nil
    charge = battery.map { ($0.level, $0.state, joules) }
    if isFirst, charge != nil { schedule(.battery, after: Self.batteryInterval) }
    reportBatteryIfHeard(isNew: true)
  }

  func checkBattery() {
    guard charge != nil else { return }
    schedule(.battery, after: Self.batteryInterval)
    reportBatteryIfHeard()
  }

  /// Reports the battery unless the app is suspended. Like the system, the device doesn't wake an app because of the battery.
  func reportBatteryIfHeard(isNew: Bool = false) {
    if !isKeeperOff || app?.isInForeground == true { reportBattery(isNew: isNew) }
  }

  func reportBattery(isNew: Bool) {
    guard let battery else { return }
    let level = battery.level.map { ($0 * 100).rounded(.up) / 100 }
    let rounded = LocationManager.BatteryStatus(level: level, state: battery.state)
    guard isNew || rounded != reportedBattery, mode != .off else { return }
    reportedBattery = rounded
    report(.battery(rounded))
  }

  func reportApp() {
    guard let app else { return }
    report(.app(isInForeground: app.isInForeground, isLowPowerMode: app.isLowPowerMode, mayRefresh: app.mayRefresh))
  }

  // MARK: - Visits

  /// Reports the beginning or the end of a stay.
  func reportVisit(_ stay: ClosedRange<Double>, hasEnded: Bool) {
    guard mode != .off, authorization == .always else { return }
    func date(_ time: Double) -> Date { route.start.addingTimeInterval(time + clockOffset) }
    var place = route.position(at: stay.lowerBound).location
    place.horizontalAccuracy = Visits.radius
    place.timestamp = date(stay.lowerBound)
    let arrival = stay.lowerBound > 0 ? date(stay.lowerBound) : .distantPast
    report(
      .wake(.visit(Location.Visit(place: place, arrival: arrival, departure: hasEnded ? date(stay.upperBound) : nil))))
  }

  // MARK: - Regions

  /// Watches the region, if there is one. This needs the authorization `always`.
  func watchRegion() {
    regions += 1
    if regionMonitor != nil, authorization == .always { schedule(.region, after: 0) }
  }

  func checkRegion() {
    switch regionMonitor?.check(at: seconds, on: route) {
    case .exit:
      regionMonitor = nil
      report(.wake(.regionExit))
    case .check(let time):
      // At least 10 ms later: otherwise a time that was rounded down would repeat the check forever.
      schedule(.region, after: max(0.01, time - seconds))
    case .nothing, nil: break
    }
  }

  // MARK: - Coarse fixes

  func coarseWait() -> Double {
    coarseLocator.wait(standingFor: max(0, walker.standsUntil(from: seconds, on: route) - seconds))
  }

  func reportCoarseFix() {
    schedule(.coarse, after: coarseWait())
    guard var fix = coarseFix() else { return }
    fix.source = .coarse
    deliverWithFaults(fix)
  }

  func reportNetworkFix() {
    if let fix = coarseFix() { deliverWithFaults(fix) }
  }

  /// Returns a fix from the network; `nil` outdoors without sky, as in a tunnel.
  private func coarseFix() -> Location? {
    guard hasSky || route.isIndoors(at: seconds) else { return nil }
    let speed = walker.step(at: seconds, on: route).speed
    let coarse = coarseLocator.fix(at: seconds, speed: speed)
    return place(point, north: coarse.error.north, east: coarse.error.east, accuracy: coarse.accuracy)
  }

  // MARK: - GPS

  func startGPS() {
    meter.use.gpsStarts += 1
    receiver.start(configuration.receiver, at: now, &random)
    heldBack = nil
    if let lastFix, chance(faults.cachedFixes) { schedule(.lateFix(lastFix), after: 0.05) }
    updateState()
    if configuration.receiver.hasNetwork { schedule(.networkFix, after: coarseLocator.networkWait()) }
    scheduleSecond()
  }

  /// Schedules the next whole second, at which the receiver measures.
  private func scheduleSecond() { schedule(.second, at: (now / 1_000_000_000 + 1) * 1_000_000_000) }

  /// Turns the GPS off. A late fix may follow.
  func stopGPS() {
    guard let search = receiver.search else { return }
    receiver.stop()
    guard search.foundAt != nil, chance(faults.fixesAfterStop) else { return }
    schedule(.lateFix(fix(of: search)), after: draw(0.01...3))
  }

  func second() {
    scheduleSecond()
    let hasSky = hasSky
    if hasSky {
      if unknownLeft > 0 {
        unknownLeft -= 1
        return report(.failure(.locationUnknown))
      }
      if chance(faults.unknownBursts) { unknownLeft = draw(1...20) }
      if chance(faults.receiverErrors) { return report(.failure(.other("the receiver did not answer"))) }
    }
    switch receiver.pass(configuration.receiver, at: seconds, hasSky: hasSky, isIndoors: route.isIndoors(at: seconds)) {
    case .fix: if let search = receiver.search { deliverWithFaults(fix(of: search)) }
    case .networkFix: reportNetworkFix()
    case .indoorFix:
      let (accuracy, error) = coarseLocator.indoorFix(at: seconds)
      deliverWithFaults(place(point, north: error.north, east: error.east, accuracy: accuracy))
    case .skyLost: report(.failure(.locationUnknown))
    case .searching: break
    case .noSky: if Int64(seconds) % 5 == 0 { report(.failure(.locationUnknown)) }
    }
  }

  private func fix(of search: Receiver.Search) -> Location {
    let speed = walker.step(at: seconds, on: route).speed
    let (accuracy, error) = receiver.measure(search, at: seconds, speed: speed, &random)
    var fix = place(point, north: error.north, east: error.east, accuracy: accuracy)
    (fix.speed, fix.course) = route.velocity(at: seconds)
    return fix
  }

  /// Returns the location at a distance from a point, in metres.
  func place(_ point: Route.Point, north: Double, east: Double, accuracy: Double) -> Location {
    var longitude = point.longitude + east / max(1, 111_320 * cos(point.latitude * .pi / 180))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Location(
      latitude: min(90, max(-90, point.latitude + north / 111_320)), longitude: longitude, horizontalAccuracy: accuracy,
      altitude: point.altitude, verticalAccuracy: point.altitude.map { _ in accuracy * 1.5 }, timestamp: date)
  }
}

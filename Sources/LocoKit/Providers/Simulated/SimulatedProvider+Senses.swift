import Foundation

// MARK: - Cells and significant changes

extension SimulatedProvider {
  /// Starts the cells and the motion sensor that the configuration contains.
  func startSenses() {
    senses += 1
    cells.reset()
    reportedMotion = nil
    if !configuration.wakeSources.isDisjoint(with: [.significantChanges, .cells]) { schedule(.cell, after: 0) }
    if motionSensor != nil { schedule(.motion, after: 0) }
  }

  func startChanges() {
    guard configuration.wakeSources.contains(.significantChanges) else { return }
    // Apple's service reports its last location when it starts.
    if configuration.trigger == .apple { schedule(.firstChange, after: Double.random(in: 0.2...1, using: &random)) }
    if faults.falseWakes > 0 { schedule(.falseWake, after: 60) }
  }

  func measureCell() {
    let (time, senses) = (seconds, senses)
    let step = walker.step(at: time, on: route)
    let isFirst = cells.serving == nil
    let isOther = cells.measure(east: step.east, north: step.north, at: time)
    let next = cells.nextMeasurement(after: time, standingUntil: walker.standsUntil(from: time, on: route))
    schedule(.cell, after: next - time)
    guard isOther || isFirst, let cell = cells.serving else { return }
    if configuration.wakeSources.contains(.cells) { report(.cell(cell.description)) }
    // The report may have turned changes off.
    guard isOther, senses == self.senses, configuration.wakeSources.contains(.significantChanges) else { return }
    if configuration.trigger == .apple, let last = lastChange {
      guard point.location.distance(to: last.location) >= 500, now - last.at >= 300_000_000_000 else { return }
    }
    significantChange()
  }

  /// Whether a significant change is reported or launches the app. A running app with the GPS on receives none.
  var receivesChanges: Bool { mode == .significantChanges || mode == .gps && isTerminated }

  func significantChange() {
    let location = coarseChange()
    lastChange = (location, now)
    if receivesChanges { report(.significantChange(configuration.trigger == .apple ? location : nil)) }
  }

  /// Returns the location of a significant change.
  func coarseChange() -> Location {
    let accuracy = 500 * exp(0.5 * random.nextNormal())
    return place(
      point, north: accuracy / 1.51 * random.nextNormal(), east: accuracy / 1.51 * random.nextNormal(),
      accuracy: accuracy)
  }
}

// MARK: - Motion

extension SimulatedProvider {
  private static let mostStored = 1_000

  func senseMotion() {
    let time = seconds
    let speed = walker.step(at: time, on: route).speed
    let end = walker.standsUntil(from: time, on: route)
    guard let next = motionSensor?.sense(at: time, speed: speed, standingUntil: end) else { return }
    schedule(.motion, after: next - time)
    let motion = motionSensor?.motion
    if isKeeperOff, storedMotion.isEmpty || storedMotion.last?.motion != motion {
      storedMotion.append(Motion.Change(motion, at: date))
      if storedMotion.count > Self.mostStored { storedMotion.removeFirst() }
    }
    guard let motion, motion != reportedMotion else { return }
    reportedMotion = motion
    report(.motion(motion))
  }
}

// MARK: - Regions

extension SimulatedProvider {
  /// Watches the region, if there is one. This needs the authorization `always`.
  func watchRegion() {
    regions += 1
    if regionMonitor != nil, authorization == .always { schedule(.region, after: 0) }
  }

  func checkRegion() {
    switch regionMonitor?.check(at: seconds, on: route) {
    case .exit:
      regionMonitor = nil
      report(.regionExited)
    case .check(let time):
      // Not immediately: a time that was rounded down would repeat forever.
      schedule(.region, after: max(0.01, time - seconds))
    case .nothing, nil: break
    }
  }
}

// MARK: - Coarse fixes

extension SimulatedProvider {
  func reportCoarseFix() {
    let rest = max(0, walker.standsUntil(from: seconds, on: route) - seconds)
    schedule(.coarse, after: coarseLocator.wait(standingFor: rest))
    guard var fix = coarseFix() else { return }
    fix.source = .coarse
    deliverWithFaults(fix)
  }

  func reportNetworkFix() {
    if let fix = coarseFix() { deliverWithFaults(fix) }
  }

  /// Returns a fix of the network; `nil` in a tunnel.
  private func coarseFix() -> Location? {
    guard hasSky || route.isIndoors(at: seconds) else { return nil }
    let speed = walker.step(at: seconds, on: route).speed
    let coarse = coarseLocator.fix(at: seconds, speed: speed, hasData: configuration.hasDataConnection)
    return place(point, north: coarse.error.north, east: coarse.error.east, accuracy: coarse.accuracy)
  }
}

import Foundation

// Cells and significant changes.
extension SimulatedProvider {
  /// Turns cells and motion on, as far as the device tells of them.
  func startSenses() {
    senses += 1
    cells.reset()
    reportedMotion = nil
    if !configuration.wakeSources.isDisjoint(with: [.significantChanges, .cells]) {
      schedule(.cell(senses: senses), after: 0)
    }
    if motionSensor != nil { schedule(.motion(senses: senses), after: 0) }
  }

  func startChanges() {
    guard configuration.wakeSources.contains(.significantChanges) else { return }
    // A service that is armed again says at once where it was last.
    if configuration.trigger == .apple {
      schedule(.firstChange(generation: generation), after: Double.random(in: 0.2...1, using: &random))
    }
    if faults.falseWakes > 0 { schedule(.falseWake(generation: generation), after: 60) }
  }

  func measureCell() {
    let (time, senses) = (seconds, senses)
    let step = walker.step(at: time, on: route)
    let isFirst = cells.serving == nil
    let isOther = cells.measure(east: step.east, north: step.north, at: time)
    let next = cells.nextMeasurement(after: time, standingUntil: standingEnd(step, at: time))
    schedule(.cell(senses: senses), after: next - time)
    guard isOther || isFirst, let cell = cells.serving else { return }
    if configuration.wakeSources.contains(.cells) { report(.cell(cell.description)) }
    // What the app did when it heard of it may have turned changes off.
    if isOther, senses == self.senses { judgeChange() }
  }

  private func standingEnd(_ step: RouteWalker.Step, at time: Double) -> Double {
    step.speed == 0 ? walker.standsUntil(from: time, on: route) : time
  }

  private func judgeChange() {
    guard configuration.wakeSources.contains(.significantChanges) else { return }
    if configuration.trigger == .apple, let last = lastChange {
      let moved = point.location.distance(to: last.location)
      guard moved >= 500, now - last.at >= 300_000_000_000 else { return }
    }
    significantChange()
  }

  /// Whether a significant change is told, or launches the app.
  var hearsChanges: Bool { mode == .significantChanges || mode == .gps && isTerminated }

  func significantChange() {
    let fix = networkFix()
    lastChange = (fix, now)
    // An app that runs and uses the GPS is not told.
    if hearsChanges { report(.significantChange(configuration.trigger == .apple ? fix : nil)) }
  }

  func falseWake() {
    schedule(.falseWake(generation: generation), after: 60)
    if chance(faults.falseWakes) { report(.significantChange(lastChange?.location)) }
  }

  /// Where the network believes the device to be.
  func networkFix() -> Location {
    let accuracy = 500 * exp(0.5 * random.nextNormal())
    return place(
      point, north: accuracy / 1.51 * random.nextNormal(), east: accuracy / 1.51 * random.nextNormal(),
      accuracy: accuracy, speed: nil, course: nil)
  }
}

// Motion.
extension SimulatedProvider {
  func senseMotion() {
    let time = seconds
    let step = walker.step(at: time, on: route)
    let end = standingEnd(step, at: time)
    guard let next = motionSensor?.sense(at: time, speed: step.speed, standingUntil: end) else { return }
    schedule(.motion(senses: senses), after: next - time)
    if isKeeperOff { storeMotion() }
    guard let motion = motionSensor?.motion, motion != reportedMotion else { return }
    reportedMotion = motion
    report(.motion(motion))
  }
}

// Stored motion.
extension SimulatedProvider {
  private static let mostStored = 1_000

  /// Stores the sensor's reading, if it is another one.
  private func storeMotion() {
    guard let motionSensor, storedMotion.last?.motion != motionSensor.motion || storedMotion.isEmpty else { return }
    storedMotion.append(Motion.Change(motionSensor.motion, at: date))
    if storedMotion.count > Self.mostStored { storedMotion.removeFirst() }
  }

  /// Reports what the sensor stored while the app was suspended.
  func reportStoredMotion() {
    guard !storedMotion.isEmpty else { return }
    let motion = storedMotion
    storedMotion = []
    report(.pastMotion(motion))
  }
}

// The region.
extension SimulatedProvider {
  /// Begins to watch the region, if there is one: only where locations may always be used.
  func watchRegion() {
    regions += 1
    guard regionMonitor != nil, authorization == .always else { return }
    schedule(.region(regions), after: 0)
  }

  func checkRegion() {
    switch regionMonitor?.check(at: seconds, on: route) {
    case .exit:
      regionMonitor = nil
      report(.regionExited)
    case .check(let time):
      // Not at once, which a time rounded down would be again and again.
      schedule(.region(regions), after: max(0.01, time - seconds))
    case .nothing, nil: break
    }
  }
}

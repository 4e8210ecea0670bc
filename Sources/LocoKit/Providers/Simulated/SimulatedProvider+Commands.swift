public import Foundation

// What the manager commands.
extension SimulatedProvider {
  /// Shows the prompt, or reports the authorization where it is known.
  public func requestAuthorization() {
    guard !isTerminated else { return }
    guard authorization == .notDetermined else { return report(.authorization(authorization)) }
    prompts += 1
    isPrompting = true
    schedule(.prompt(prompts), after: 0.2)
    if configuration.answer != .ignore {
      schedule(.answer(prompts), after: 0.5 + 3 * exp(0.5 * random.nextNormal()))
    }
  }

  /// Turns on what `mode` says, and all else off; but significant changes stay registered while the mode is `gps`, for the case
  /// that the app is terminated.
  public func setMode(_ mode: ReceiverMode) {
    guard !isTerminated, mode != self.mode else { return }
    let wasOff = self.mode == .off
    if self.mode == .gps { stopGPS() }
    self.mode = mode
    generation += 1
    updateState()
    if mode == .off {
      senses += 1
    } else if !authorization.isAuthorized {
      report(.authorization(authorization))
    } else {
      if wasOff { startSenses() }
      startMode()
    }
  }

  /// Turns the GPS off and on.
  public func restartReceiver() {
    guard !isTerminated, mode == .gps, authorization.isAuthorized else { return }
    stopGPS()
    generation += 1
    startGPS()
  }

  /// Keeps the app running, or suspends it. Has no effect unless the configuration contains ``WakeSources/keeper``.
  public func setKeptRunning(_ isKept: Bool) {
    guard !isTerminated, hasKeeper, isKept != isKeptRunning else { return }
    isKeptRunning = isKept
    updateState()
    report(.wakeSources(wakeSources))
    guard isKept, mode != .off, authorization.isAuthorized else { return }
    reportStoredMotion()
    guard let motion = motionSensor?.motion else { return }
    reportedMotion = motion
    report(.motion(motion))
  }

  /// Reports ``ProviderReport/regionExited`` when the device is found outside, as the ``SimulatedProvider/RegionModel`` says.
  public func setRegion(_ region: Location.Region?) {
    guard !isTerminated, configuration.wakeSources.contains(.regionExit) else { return }
    regionMonitor = region.map { RegionMonitor($0, configuration.region, &regionRandom) }
    watchRegion()
  }

  /// Reports ``ProviderReport/timer`` when the time has come.
  public func setTimer(_ deadline: Duration?) {
    guard !isTerminated else { return }
    timers += 1
    timerIsSet = deadline != nil
    timerIsOverdue = false
    guard let deadline else { return }
    if chance(faults.missingTimers) { return }
    let late = chance(faults.lateTimers) ? draw(0...120.0) : 0
    agenda.add(.timer(timers), at: max(now, deadline.inNanoseconds) + Int64(late * 1e9))
  }

  private func startMode() {
    switch mode {
    case .off: break
    case .significantChanges: startChanges()
    case .gps: if !isTerminated { startGPS() }
    }
  }
}

// What the user does.
extension SimulatedProvider {
  /// Changes the permission, as the user does by answering the prompt or in the settings.
  public func setAuthorization(_ authorization: Authorization) {
    guard authorization != self.authorization else { return }
    isPrompting = false
    let was = self.authorization.isAuthorized
    self.authorization = authorization
    if was, !authorization.isAuthorized {
      generation += 1
      senses += 1
      if mode == .gps { stopGPS() }
    } else if !was, authorization.isAuthorized, mode != .off {
      generation += 1
      startSenses()
      startMode()
    }
    updateState()
    watchRegion()
    report(.authorization(authorization))
  }

  /// How the user will answer the next prompt.
  public func setAnswer(_ answer: Answer) {
    configuration.answer = answer
  }

  /// Sets the wall clock forward, or back where `seconds` is negative.
  public func setClock(by seconds: TimeInterval) {
    clockOffset += seconds
  }
}

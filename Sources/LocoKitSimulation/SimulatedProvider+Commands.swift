public import Foundation
@_spi(Benchmarks) public import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  /// Watches a new region, turns on what the plan needs, turns off what it doesn't, and sets the timer. Has no effect while the app is
  /// terminated.
  ///
  /// The device keeps the app running only with ``Configuration/backgroundUpdates`` other than `never`, and watches a region only if
  /// ``Configuration/wakeSources`` contains `regionExit`. Significant changes stay registered while the mode is `gps`, so that they launch an
  /// app that was terminated.
  public func apply(_ plan: ReceiverPlan) {
    guard !isTerminated else { return }
    let last = self.plan
    // A report may lead to another plan while this one is applied, which is then up to date.
    if plan.regionNumber != last.regionNumber {
      (self.plan.region, self.plan.regionNumber) = (plan.region, plan.regionNumber)
      // A new manager doesn't know the region of an earlier launch, which stays.
      if plan.regionNumber > 0 { watch(plan.region) }
    }
    (self.plan.desiredAccuracy, self.plan.errorBound) = (plan.desiredAccuracy, plan.errorBound)
    if plan.keepsAppRunning, !last.keepsAppRunning { keepAppRunning(true) }
    if plan.mode != last.mode { begin(plan.mode) }
    if !plan.keepsAppRunning, last.keepsAppRunning { keepAppRunning(false) }
    if plan.coarseFixesFrom != last.coarseFixesFrom { wantCoarseFixes(from: plan.coarseFixesFrom) }
    if plan.timer != last.timer { setTimer(plan.timer) }
  }

  /// Shows the prompt or reports the authorization if it is known; or turns the GPS off and on again.
  public func perform(_ request: ReceiverRequest) {
    guard !isTerminated else { return }
    switch request {
    case .authorization:
      guard authorization == .notDetermined else { return report(.authorization(authorization)) }
      prompts += 1
      schedule(.prompt, after: 0.2)
      if configuration.answer != .ignore { schedule(.answer, after: 0.5 + 3 * exp(0.5 * random.nextNormal())) }
    case .restart:
      guard mode == .gps, authorization.isAuthorized else { return }
      stopGPS()
      generation += 1
      startGPS()
    }
  }

  private func begin(_ mode: ReceiverMode) {
    let wasOff = self.mode == .off
    if self.mode == .gps { stopGPS() }
    plan.mode = mode
    generation += 1
    updateState()
    if mode == .off {
      sensorGeneration += 1
    } else if !authorization.isAuthorized {
      report(.authorization(authorization))
    } else {
      if wasOff {
        reportBattery(isNew: true)
        reportApp()
        startSenses()
      }
      startMode(from: wasOff ? .off : .gps)
    }
  }

  private func keepAppRunning(_ isKept: Bool) {
    plan.keepsAppRunning = isKept
    guard hasKeeper else { return }
    updateState()
    reportBatteryIfHeard()
    report(.wakeSources(wakeSources, backgroundUpdates: backgroundUpdates))
    guard isKept, mode != .off, authorization.isAuthorized else { return }
    if !storedMotion.isEmpty {
      let motion = storedMotion
      storedMotion = []
      report(.pastMotion(motion))
    }
    reportedMotion = motionSensor?.motion
    if let reportedMotion { report(.wake(.motion(reportedMotion))) }
  }

  /// Watches a region in place of the previous one, or no region if it is `nil`. Reports the exit with a delay, and loses some exits.
  private func watch(_ region: Location.Region?) {
    guard configuration.wakeSources.contains(.regionExit) else { return }
    regionMonitor = region.map { RegionMonitor($0, configuration.region, &regionRandom) }
    watchRegion()
  }

  private func wantCoarseFixes(from time: Duration?) {
    plan.coarseFixesFrom = time
    guard configuration.isDutyCycled else { return }
    if let time = time?.inNanoseconds, time > now { schedule(.coarseStart, at: time) }
    updateState()
  }

  private func setTimer(_ deadline: Duration?) {
    plan.timer = deadline
    timers += 1
    timerIsOverdue = false
    guard let deadline else { return }
    if chance(faults.missingTimers) { return }
    let late = chance(faults.lateTimers) ? draw(0...120.0) : 0
    schedule(.timer, at: max(now, deadline.inNanoseconds) + Int64(late * 1e9))
  }

  /// Starts the hardware of the mode. With `always`, significant changes stay on while the GPS is on, and don't start again after it.
  private func startMode(from last: ReceiverMode) {
    switch mode {
    case .off: break
    case .significantChanges: startChanges(isNew: last == .off || authorization != .always)
    case .gps: if !isTerminated { startGPS() }
    }
  }

  /// Updates the energy meter, an overdue timer and the coarse fixes after a change of the hardware or the app.
  func updateState() {
    let wantsChanges = mode == .significantChanges && authorization.isAuthorized && !isTerminated
    let isKept = wantsChanges && isAwake
    let isIdle = hasKeeper && !wantsCoarseFixes
    let state: EnergyMeter.State =
      receiver.search != nil ? .gps : !isKept || isSuspended ? .asleep : isIdle ? .keptIdle : .keptRunning
    meter.enter(state, at: now, tail: configuration.energyProfile.tail, on: route)
    if timerIsOverdue, !isKeeperOff {
      timerIsOverdue = false
      schedule(.timer, after: 0)
    }
    guard hasKeeper else { return }
    let isOn = isKeptRunning && authorization.isAuthorized && !isTerminated
    let isStart = isOn && !isKeeperOn
    isKeeperOn = isOn
    guard (isKept && !isIdle) != hasCoarseFixes else { return }
    hasCoarseFixes = isKept && !isIdle
    coarseChanges += 1
    guard hasCoarseFixes else { return }
    // The keeper also runs during a look, so after one the next fix comes as any other.
    let isFirst = isStart || configuration.isDutyCycled
    schedule(.coarse, after: isFirst ? coarseLocator.firstWait() : coarseWait())
  }

  // MARK: - Events of the user and of a test

  /// Changes the authorization, as the user does by answering the prompt or in the settings.
  func change(to authorization: Authorization) {
    guard authorization != currentAuthorization else { return }
    prompts += 1
    let was = currentAuthorization.isAuthorized
    currentAuthorization = authorization
    if was, !authorization.isAuthorized {
      generation += 1
      sensorGeneration += 1
      if mode == .gps { stopGPS() }
    } else if !was, authorization.isAuthorized, mode != .off {
      generation += 1
      startSenses()
      startMode(from: .off)
    }
    updateState()
    watchRegion()
    report(.authorization(authorization))
  }

  /// Sets the state of the app. The device reports the state now unless the mode is `off`, and each time a manager turns the hardware on
  /// while locations are authorized.
  ///
  /// - Parameters:
  ///   - isInForeground: Whether the app is in the foreground.
  ///   - isLowPowerMode: Whether the system's low-power mode is on.
  ///   - mayRefresh: Whether the user allows *Background App Refresh*. Without it, the system doesn't launch a terminated app.
  public func setApp(isInForeground: Bool, isLowPowerMode: Bool = false, mayRefresh: Bool = true) {
    app = (isInForeground, isLowPowerMode, mayRefresh)
    if mode != .off { reportApp() }
    reportBatteryIfHeard()
  }

  /// Sets the wall clock forward, or back if `seconds` is negative.
  ///
  /// - Precondition: The sum of all changes is then at most ten thousand years.
  public func setClock(by seconds: TimeInterval) {
    clockOffset += seconds
    precondition(
      abs(clockOffset) <= Duration.century.inSeconds * 100,
      "The changes of the clock must be at most ten thousand years together, not \(clockOffset) s.")
  }

  /// Reports a significant change, as if the device had moved to another cell. Does nothing unless locations are authorized, and the mode
  /// is `significantChanges`, or was `gps` when the app was terminated.
  public func reportSignificantChange() {
    if receivesChanges, authorization.isAuthorized { significantChange() }
  }

  /// Reports fixes to the manager, in any mode, as if the receiver had found them. The manager judges them like any other: a fix far from the
  /// last location, for example, is rejected as `implausibleSpeed` until a second one confirms it.
  public func deliver(_ fixes: [Location]) { report(.fixes(fixes)) }

  /// Hides the sky from the receiver for a duration, or until the end of an earlier call if that is later. Unless the device is indoors, the
  /// network gives no fixes either, as in a tunnel.
  public func loseSky(for duration: Duration) { skyLostUntil = max(skyLostUntil, now + duration.inNanoseconds) }

  /// Suspends the app until ``launch()``, or until an event wakes it.
  ///
  /// A suspended app receives no reports, and its timers don't fire, except those of ``clock``, which runs on. A significant change, the exit
  /// from a region, or the arrival or departure of a visit wakes it, if the authorization is `always`. When it runs again, it receives the
  /// stored reports. Does nothing if the app isn't running.
  public func suspend() {
    guard appIsRunning else { return }
    isSuspended = true
    suspensions += 1
    updateState()
  }

  /// Suspends the app for a duration, or until an event wakes it.
  package func suspend(for duration: Duration) {
    guard appIsRunning else { return }
    suspend()
    schedule(.resume, after: duration.inSeconds)
  }

  /// Resumes a suspended app. It receives the stored reports, with consecutive fixes in one report. Does nothing if the app isn't
  /// suspended.
  package func resume() {
    guard isSuspended else { return }
    isSuspended = false
    updateState()
    let reports = queued
    queued = []
    var batch: [Location] = []
    for report in reports {
      if case .fixes(let fixes) = report {
        batch += fixes
      } else {
        if !batch.isEmpty { onReport?(.fixes(batch)) }
        batch = []
        deliver(report)
      }
    }
    if !batch.isEmpty { onReport?(.fixes(batch)) }
  }

  /// Terminates the app: turns the GPS off, and removes the prompt and the timer.
  ///
  /// The region stays registered. So do significant changes and visits, on a device that has them, unless the mode is `off`. If the
  /// authorization is `always`, *Background App Refresh* is allowed and ``onRelaunch`` is set, each of them launches the app again.
  /// ``launch()`` launches it in any case.
  ///
  /// While the app is terminated, the device ignores every command and reports nothing. A manager that you create now stays in the state
  /// that its first command leads to, such as `prompted`. Create the manager in ``onRelaunch``, or after ``launch()``.
  ///
  /// Does nothing if the app is already terminated.
  public func terminate() {
    guard !isTerminated else { return }
    (isTerminated, isSuspended, timerIsOverdue) = (true, false, false)
    plan.keepsAppRunning = false
    queued = []
    prompts += 1
    timers += 1
    if mode == .gps {
      receiver.stop()
      generation += 1
    }
    updateState()
  }

  /// Opens the app as its user does: launches a terminated app, and resumes a suspended one.
  ///
  /// ```swift
  /// device.terminate()
  /// device.launch()
  /// let manager = LocationManager(provider: device)
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// A launch replaces the old manager, which then has no effect, and calls ``onRelaunch``. If that isn't set, create the new manager
  /// afterwards. Unlike a launch by the system, this launch needs no permission, and doesn't count in
  /// ``SimulatedProvider/EnergyUse/wakes``. Does nothing if the app is running.
  public func launch() {
    if isTerminated { startApp() } else { resume() }
  }
}

// MARK: - Events of a test

extension SimulatedProvider {
  /// Reports a significant change, as if the device had moved to another cell. Nothing happens unless the mode is
  /// `significantChanges`, or was `gps` when the app was terminated.
  public func changeCell() {
    if receivesChanges, authorization.isAuthorized { significantChange() }
  }

  /// Reports fixes unchanged, in any mode.
  public func deliver(_ fixes: [Location]) { report(.fixes(fixes)) }

  /// Hides the sky from the receiver for a duration. As in a tunnel, the network gives no fixes either.
  public func loseSky(for duration: Duration) { skyLostUntil = now + duration.inNanoseconds }

  /// Suspends the app until ``resume()``, or until an event wakes it.
  ///
  /// A suspended app receives no reports, and its timers don't fire. A significant change, the exit from a region or a departure wakes
  /// it. When it runs again, it receives the reports of the time in between. Does nothing if the app isn't running.
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
  public func resume() {
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
        onReport?(report)
      }
    }
    if !batch.isEmpty { onReport?(.fixes(batch)) }
  }

  /// Terminates the app: the GPS turns off, and the prompt and the timer are removed.
  ///
  /// Significant changes stay registered, if the mode isn't `off` and the device has them, and so does the region. If the authorization
  /// is `always` and ``onRelaunch`` is set, either launches the app again. ``launch()`` does so in any case.
  ///
  /// A terminated device ignores every command and reports nothing. A manager that you create now stays in the state that its first
  /// command leads to, such as `prompted`. Create the manager in ``onRelaunch``, or after ``launch()``.
  ///
  /// Does nothing if the app is terminated already.
  public func terminate() {
    guard !isTerminated else { return }
    (isTerminated, isSuspended, isKeptRunning, timerIsOverdue) = (true, false, false, false)
    queued = []
    prompts += 1
    timers += 1
    if mode == .gps {
      turnGPSOff()
      generation += 1
    }
    updateState()
  }

  /// Opens the app, as its user does: launches it if it is terminated, and resumes it if it is suspended.
  ///
  /// ```swift
  /// device.terminate()
  /// device.launch()
  /// let manager = LocationManager(provider: device)
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// A launch replaces the old manager, which ignores all further commands, and calls ``onRelaunch`` if that is set. Otherwise create
  /// the new manager afterwards. Unlike a launch by the system, this one needs no permission, and doesn't count in
  /// ``SimulatedProvider/EnergyUse/wakes``. Does nothing if the app is running.
  public func launch() {
    if isTerminated { startApp() } else { resume() }
  }
}

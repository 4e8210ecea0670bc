import Foundation

// What a test makes happen.
extension SimulatedProvider {
  /// Reports a significant change now, as if the device had moved to another cell. Nothing happens unless the mode is
  /// `significantChanges`, or was `gps` when the app was terminated.
  public func changeCell() {
    guard hearsChanges, authorization.isAuthorized else { return }
    significantChange()
  }

  /// Reports fixes now, as they are, whatever the device does.
  public func deliver(_ fixes: [Location]) {
    report(.fixes(fixes))
  }

  /// Takes the sky away from the receiver for a duration from now on, and the network with it, as in a tunnel.
  public func loseSky(for duration: Duration) {
    madeFaultState().skyLostUntil = now + duration.inNanoseconds
  }

  /// Suspends the app until ``resume()``, or until something wakes it.
  ///
  /// A suspended app receives no reports, and its timers do not fire. A significant change, the exit from a region or a departure wakes
  /// it. When it runs again, it receives the reports of the time in between. Does nothing where the app does not run.
  public func suspend() {
    guard appIsRunning else { return }
    let state = madeFaultState()
    state.isSuspended = true
    state.suspensions += 1
    updateState()
  }

  /// Suspends the app for so long, or until something wakes it.
  public func suspend(for duration: Duration) {
    guard appIsRunning else { return }
    suspend()
    schedule(.resume(madeFaultState().suspensions), after: duration.inSeconds)
  }

  /// Lets a suspended app run again: it is told what came meanwhile, fixes in one batch. Does nothing where it is not suspended.
  public func resume() {
    guard let faultState, faultState.isSuspended else { return }
    faultState.isSuspended = false
    updateState()
    let reports = faultState.queued
    faultState.queued = []
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

  /// Terminates the app: the GPS goes off, a prompt and the timer are gone.
  ///
  /// Significant changes stay registered, if the mode is not `off` and the device has them, and so does the region: where the
  /// authorization is `always` and ``onRelaunch`` is set, either launches the app again. ``launch()`` does so whatever is
  /// registered; without ``onRelaunch`` nothing else does.
  ///
  /// A terminated device ignores every command and reports nothing. A manager made for it stays in the state that its first
  /// command leads to, such as `prompted`. Make the manager in ``onRelaunch``, or after ``launch()``.
  ///
  /// Does nothing if the app is terminated already.
  public func terminate() {
    guard !isTerminated else { return }
    let state = madeFaultState()
    state.isTerminated = true
    (state.isSuspended, state.queued) = (false, [])
    isPrompting = false
    timerIsSet = false
    isKeptRunning = false
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
  /// A launch replaces the manager of the earlier one, which ignores all commands from then on, and calls ``onRelaunch`` if
  /// that is set. Otherwise make the new manager afterwards. Unlike a launch by the system, this one needs no permission, and
  /// does not count as one of the ``SimulatedProvider/EnergyUse/wakes``. Does nothing if the app is running.
  public func launch() {
    if isTerminated { startApp() } else { resume() }
  }
}

import Foundation

extension SimulatedProvider {
  /// Lets so much time pass.
  ///
  /// - Precondition: `duration` is not negative: time does not go back. ``setClock(by:)`` sets the wall clock back. Not called
  ///   from a report.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "A device's time passes for 0 s or longer, not for \(duration).")
    run(until: uptime + duration)
  }

  /// Lets time pass until ``uptime`` is `deadline`. Does nothing if it is already.
  ///
  /// - Precondition: Not called from a report.
  public func run(until deadline: Duration) {
    precondition(!isAdvancing, "Time cannot be made to pass while a report is being told.")
    if let sharedClock { return sharedClock.run(until: deadline) }
    let end = deadline.inNanoseconds
    while let next = agenda.next, next <= end { happenNext() }
    now = max(now, end)
  }

  /// What is scheduled.
  enum ScheduledEvent {
    case second(generation: Int)
    case firstChange(generation: Int)
    case falseWake(generation: Int)
    case cell(senses: Int)
    case motion(senses: Int)
    case region(Int)
    case departure
    case coarse(Int)
    case networkFix(generation: Int)
    case timer(Int)
    case prompt(Int)
    case answer(Int)
    indirect case lateFix(Location)
    case resume(Int)
    case incident(Incident, round: Int)
  }

  func schedule(_ event: ScheduledEvent, after seconds: Double) {
    agenda.add(event, at: now + Int64((seconds * 1e9).rounded()))
  }

  func happen(_ event: ScheduledEvent) {
    switch event {
    case .second(let scheduled) where scheduled == generation: second()
    case .firstChange(let scheduled) where scheduled == generation:
      report(.significantChange(lastChange?.location ?? networkFix()))
    case .falseWake(let scheduled) where scheduled == generation: falseWake()
    case .cell(let scheduled) where scheduled == senses: measureCell()
    case .motion(let scheduled) where scheduled == senses: senseMotion()
    case .region(let scheduled) where scheduled == regions: checkRegion()
    case .departure:
      if mode != .off, authorization == .always { report(.departure) }
    case .coarse(let scheduled) where scheduled == coarseChanges: reportCoarseFix()
    case .networkFix(let scheduled) where scheduled == generation: firstNetworkFix()
    case .timer(let number) where number == timers && timerIsSet:
      if isKeeperOff { timerIsOverdue = true } else { fireTimer() }
    case .prompt(let number) where number == prompts && isPrompting:
      report(.promptShown)
    case .answer(let number) where number == prompts && isPrompting:
      isPrompting = false
      setAuthorization(configuration.answer == .allow ? .always : .denied)
    case .lateFix(let fix): report(.fixes([fix]))
    case .resume(let number) where number == faultState?.suspensions: resume()
    case .incident(let incident, let round) where round == faultState?.round: happen(incident)
    case .second, .firstChange, .falseWake, .cell, .motion, .region, .coarse, .networkFix, .timer, .prompt, .answer,
      .resume,
      .incident:
      break  // scheduled before something changed
    }
  }

  /// Tells the manager, or keeps it for when the app runs again.
  func report(_ report: ProviderReport) {
    if isTerminated {
      if report.wakesApp, authorization == .always { relaunch() }
      return
    }
    // An app that uses the GPS, or is kept running, is awake.
    if report.wakesApp, isSuspended || mode != .gps && !isKeptRunning { meter.use.wakes += 1 }
    if let faultState, faultState.isSuspended {
      if faultState.queued.count < FaultState.mostQueued { faultState.queued.append(report) }
      if report.wakesApp { resume() }
      return
    }
    guard isKeeperOff else {
      onReport?(report)
      return
    }
    switch report {
    case .motion, .cell: break
    default: onReport?(report)
    }
    if report.wakesApp, timerIsOverdue { fireTimer() }
  }

  private func fireTimer() {
    (timerIsSet, timerIsOverdue) = (false, false)
    if isKeeperOff { onReport?(.timer) } else { report(.timer) }
  }
}

extension ProviderReport {
  /// Whether the system wakes an app to tell it this, or launches it.
  fileprivate var wakesApp: Bool {
    switch self {
    case .significantChange, .regionExited, .arrival, .departure: true
    case .promptShown, .authorization, .pastMotion, .fixes, .motion, .cell, .wakeSources, .failure, .battery, .timer,
      .replaced:
      false
    }
  }
}

import LocoFoundation

extension LocationCore {
  /// Does the next thing that is due, with at most one transition. Returns whether there was one.
  mutating func settleNext(at now: Now, into actions: inout [Action]) -> Bool {
    if settleFixes(at: now, into: &actions) { return true }
    if !acquiring.unjudged.isEmpty {
      judge(acquiring.unjudged.removeFirst(), at: now, into: &actions)
      return true
    }
    switch phase {
    case .acquiring: if loseSignal(at: now, into: &actions) { return true }
    case .prompted(let end?) where now.uptime >= end:
      guard let deadline = Self.table.deadline(in: state) else { break }
      raise(.event(deadline.input), at: now, into: &actions)
      return true
    case .waiting:
      if acquiring.demands.hasConsumers { acquiring.settleWaiters(in: state, at: now.uptime, into: &actions) }
      // The look that has just ended may allow the app to be suspended.
      surroundings.planner?.value.count(to: now.uptime)
      guard !device.isOutOfTime, let cause = surroundings.planner?.value.due(at: now.uptime) else { break }
      surroundings.planner?.value.appDidWake()
      raise(.lookDue(cause), at: now, into: &actions)
      return true
    case .initial, .prompted, .denied, .paused, .released:
      if acquiring.demands.hasConsumers { acquiring.settleWaiters(in: state, at: now.uptime, into: &actions) }
    }
    guard let id = acquiring.demands.takeAlarm(at: now) else { return false }
    actions.append(.callBack(id))
    return true
  }

  /// Delivers the next location, or ends the demands that have a result, with at most one transition. The fixes of one report are all judged
  /// before an acquisition ends, so that it ends with the best one.
  ///
  /// - Returns: Whether there was something to do.
  @discardableResult
  private mutating func settleFixes(at now: Now, into actions: inout [Action]) -> Bool {
    if let location = acquiring.takeUndelivered() {
      deliver(location, at: now, into: &actions)
      return true
    }
    guard acquiring.unjudged.isEmpty, case .acquiring = phase else { return false }
    if acquiring.demands.isTracking, let acquisition, acquiring.expireWaits(at: now, in: acquisition, into: &actions) {
      return true
    }
    return settleAcquisition(at: now, into: &actions)
  }

  /// Judges a fix, offers it to the consumers, and delivers it or ends the acquisition with it.
  mutating func judge(_ fix: Location, at now: Now, into actions: inout [Action]) {
    if fix.source == .coarse, case .waiting = phase { return judgeCoarse(fix, at: now, into: &actions) }
    var isBack = false
    let verdict = phase.changeRun { $0.judge(fix, at: now, isBack: &isBack) } ?? .rejected(.notListening)
    if isBack { actions.append(.signalChanged(true)) }
    let isTaken =
      acquiring.demands.hasConsumers
      && acquiring.offer(
        LocationManager.JudgedFix(fix: fix, verdict: verdict), at: now, maximumAge: settings.policy.maximumAge,
        into: &actions)
    actions.append(
      .judged(LocationManager.JudgedFix(fix: fix, verdict: verdict), isUsed: isTaken || verdict.isBest))
    if fix.source == .reduced { noteReduced(fix) }
    // A rejected fix ends nothing. If a time limit is over, the listeners learn of the rejection before the acquisition ends.
    guard !verdict.isRejection, !settleFixes(at: now, into: &actions), surroundings.planner != nil else { return }
    keepBound(with: fix, at: now, into: &actions)
  }

  /// Delivers a fix that no tracking consumer uses, if the error of the last location would otherwise exceed the error bound. If consumers wait
  /// for a better fix, their waits end instead, so that the listeners receive the fixes in order.
  private mutating func keepBound(with fix: Location, at now: Now, into actions: inout [Action]) {
    guard case .acquiring = phase, acquiring.demands.isTracking, let planner = surroundings.planner,
      planner.value.due(at: now.uptime) != nil || planner.value.isFar(fix),
      fix.horizontalAccuracy <= lookPolicy(at: now).acceptableAccuracy
    else { return }
    if let acquisition, acquiring.expireWaits(at: now, in: acquisition, early: true, into: &actions) { return }
    deliver(fix, at: now, into: &actions)
  }

  /// Notes a fix of reduced accuracy that no consumer can use, and that can't end the acquisition, not even at the time limit. Between
  /// delivered fixes of reduced accuracy, coarser ones are no problem.
  private mutating func noteReduced(_ fix: Location) {
    guard let run = phase.run, !acquiring.demands.mayUse(fix) else { return }
    if run.hasDelivered, run.acquisition.previous?.source == .reduced { return }
    let policy = run.acquisition.policy
    if policy.acceptsReducedAccuracy { return }
    if fix.horizontalAccuracy > policy.acceptableAccuracy { surroundings.monitoring.health.noteReducedAccuracy() }
  }

  /// Delivers a location that a demand has used, unless it's too old or isn't newer than the last location.
  private mutating func deliver(_ location: Location, at now: Now, into actions: inout [Action]) {
    guard let acquisition, acquisition.isFresh(location, at: now.date), acquisition.isNew(location, at: now.date)
    else { return }
    accept(location, at: now, into: &actions)
  }

  /// Notes the loss of the signal when a consumer's signal timeout has passed without a usable fix.
  private mutating func loseSignal(at now: Now, into actions: inout [Action]) -> Bool {
    guard acquiring.demands.isTracking, let timeout = demands.signalTimeout,
      phase.changeRun({ $0.lose(at: now.uptime, after: timeout) }) == true
    else { return false }
    actions.append(.signalChanged(false))
    return true
  }

  /// Ends the demands for one location that have a result, and the acquisition if no other demand needs it.
  private mutating func settleAcquisition(at now: Now, into actions: inout [Action]) -> Bool {
    guard let acquisition, let settlement = acquiring.settle(acquisition, at: now, into: &actions) else { return false }
    switch settlement {
    case .ended(let location): endRun(with: location, at: now, into: &actions)
    case .failed(let failure): raise(.failed(failure), at: now, into: &actions)
    case .accepted(let location): accept(location, at: now, into: &actions)
    }
    return true
  }

  /// Ends the run with a location, or continues it if the next look would be due within seconds.
  private mutating func endRun(with location: Location, at now: Now, into actions: inout [Action]) {
    plan(with: location, at: now)
    guard surroundings.planner?.value.staysOn == true, !device.isOutOfTime else {
      raise(.acquired(location), at: now, into: &actions)
      return
    }
    raise(.accepted(location), at: now, into: &actions)
    acquire(under: lookPolicy(at: now), at: now, because: .bound)
  }

  /// Delivers a location, and continues the run.
  private mutating func accept(_ location: Location, at now: Now, into actions: inout [Action]) {
    plan(with: location, at: now)
    raise(.accepted(location), at: now, into: &actions)
  }

  private mutating func plan(with location: Location, at now: Now) {
    surroundings.planner?.value.find(
      location, after: phase.run?.timeToFirstLocation(at: now.uptime) ?? nil, age: now.age(of: location),
      isLook: phase.run?.cause.isLook == true)
  }
}

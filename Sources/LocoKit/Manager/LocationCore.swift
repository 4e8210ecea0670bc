import LocoFoundation

/// The location manager's decisions, as a pure value: inputs and the time go in, actions come out.
///
/// A ``LocationManager`` passes an input to ``handle(_:at:into:)`` and carries out the actions in order. It then calls
/// ``settle(at:into:)`` and carries out its actions, until nothing is due. Each call is a step with at most one transition, so a listener
/// that is notified of a transition reads the resulting state.
///
/// In each step, the commands to the provider precede the notifications, and the store is last. A copy is a snapshot, which tests
/// compare and explore.
package struct LocationCore: CoreProtocol, Hashable, Sendable {
  private(set) var phase: Phase
  package private(set) var settings: Settings
  package private(set) var device: Device
  package private(set) var location: Location?
  /// The reason for the location.
  private(set) var cause: LocationManager.Cause?
  private(set) var acquiring = Acquiring()
  /// The planner of looks, if there is an error bound. Shared, because it's large.
  private(set) var planner: Shared<LookPlanner>?
  private(set) var planning = Planning()
  private(set) var saved: Saved
  private(set) var monitoring: Monitoring

  package var state: LocationMachine.State { phase.state }
  var isReleased: Bool { if case .released = phase { true } else { false } }
  package var plan: ReceiverPlan { planning.plan }
  var demands: Demands { acquiring.demands }
  var acquisition: Acquisition? { phase.run?.acquisition }

  static let table = TransitionTable<LocationMachine>()

  init(
    authorization: Authorization, policy: AcquisitionPolicy, wakeSources: Set<WakeKind> = [.significantChange],
    backgroundUpdates: BackgroundUpdates = .never, location: Location? = nil, isPaused: Bool = false,
    presence: LocationManager.Presence? = nil
  ) {
    phase = isPaused ? .paused : .initial
    saved = Saved(isPaused: isPaused)
    settings = Settings(policy: policy)
    device = Device(authorization: authorization, wakeSources: wakeSources, backgroundUpdates: backgroundUpdates)
    self.location = location
    monitoring = Monitoring(
      presence: presence, isPaused: isPaused, recalled: isPaused || authorization != .always ? nil : location)
  }

  // MARK: - Steps

  package mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    if isReleased { return refuse(input, into: &actions) }
    let first = actions.count
    planner?.value.count(to: now.uptime, isLooking: phase.mode == .gps)
    if device.isOutOfTime, input.showsThatTheAppRuns { device.isOutOfTime = false }
    act(on: input, at: now, into: &actions)
    conclude(since: first, isSettled: false, at: now, into: &actions)
  }

  /// Does one thing that is due: delivers a location, judges a fix, ends a wait or an acquisition, begins a look, or handles a deadline or
  /// an alarm. If nothing is due, sets the timer.
  ///
  /// - Returns: Whether something was due. If so, the manager carries out the actions and calls this again.
  package mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    if isReleased { return false }
    let first = actions.count
    let wasDue = settleNext(at: now, into: &actions)
    conclude(since: first, isSettled: !wasDue, at: now, into: &actions)
    return wasDue
  }

  /// Inserts a new plan before the other actions of the step, and appends the actions for the store.
  private mutating func conclude(since first: Int, isSettled: Bool, at now: Now, into actions: inout [Action]) {
    if updatePlan(isSettled: isSettled, at: now) { actions.insert(.apply(plan), at: first) }
    let isPresenceNew = isSettled && updateOutlook(at: now, into: &actions)
    saved.update(
      isPaused: state == .paused, isFrequent: phase.mode == .gps || planning.plan.keepsAppRunning, location: location,
      at: now.uptime, into: &actions)
    if isPresenceNew { actions.append(.savePresence(monitoring.lastReported.stored)) }
  }

  /// Derives the presence and the health, and notifies the listeners of changes. Returns whether the presence has changed.
  @inline(__always)
  private mutating func updateOutlook(at now: Now, into actions: inout [Action]) -> Bool {
    let isPresenceNew =
      (monitoring.mayHavePresence || planner != nil)
      && monitoring.updatePresence(
        of: planner?.value, in: phase.mode, watching: planning.watchedRegion, on: device, at: now.date)
    if isPresenceNew { actions.append(.presenceChanged(monitoring.lastReported.stored)) }
    if let health = monitoring.updateHealth(of: device, in: state, at: now.date) {
      actions.append(.healthChanged(health))
    }
    return isPresenceNew
  }

  func health(at now: Now) -> LocationManager.Health { monitoring.health(of: device, in: state, at: now.date) }

  /// Updates the plan. Returns whether it has changed.
  @inline(__always)
  private mutating func updatePlan(isSettled: Bool, at now: Now) -> Bool {
    var isNew = planning.update(mode: phase.mode, isReleased: isReleased, for: planner, acquiring.demands)
    if planning.updateRegion(for: planner, watchesRegions: device.watchesRegions) {
      isNew = true
      monitoring.watchRegion(since: now.uptime)
    }
    // The timer is set once a turn, when nothing else is due.
    guard isReleased || isSettled else { return isNew }
    return planning.update(timer: wantedTimer(at: now), for: planner, at: now.uptime) || isNew
  }

  @inline(__always)
  private func wantedTimer(at now: Now) -> Duration? {
    let deadline = acquiring.demands.deadline(whileAcquiring: phase.mode == .gps)
    return switch phase {
    case .prompted(let end): earlier(deadline, end)
    case .waiting: earlier(deadline, planner?.value.nextDue(at: now.uptime))
    case .acquiring: earlier(deadline, signalLoss)
    case .initial, .denied, .paused: deadline
    case .released: nil
    }
  }

  /// Returns the time when the signal is lost unless a usable fix arrives; `nil` if it is lost already, or if no consumer wants to know.
  @inline(__always)
  private var signalLoss: Duration? {
    guard let timeout = acquiring.demands.signalTimeout, let run = phase.run, !run.signal.isLost else { return nil }
    return run.signal.lastFix + timeout
  }

  func estimate(at now: Now) -> LocationManager.Estimate? {
    guard var planner = planner?.value else { return nil }
    planner.count(to: now.uptime)
    return planner.estimate(at: now.date)
  }

  // MARK: - Inputs

  // Like the function below, this function is inlined: the caller would otherwise copy the input for the call.
  @inline(__always)
  private mutating func act(on input: Input, at now: Now, into actions: inout [Action]) {
    switch input {
    case .command(let event):
      if !raise(.event(event), at: now, into: &actions) { actions.append(.ignored(event, in: state)) }
    case .report(let report): handle(report, at: now, into: &actions)
    case .policy(let policy): settings.policy = policy
    case .promptTimeLimit(let limit): settings.promptTimeLimit = limit
    case .errorBound(let bound):
      settings.errorBound = bound
      updateBound(at: now)
    case .boundTarget(let target):
      settings.boundTarget = target
      planner?.value.settings.target = target
    case .begin(let id, let kind): begin(id, kind, at: now, into: &actions)
    case .setAlarm(let id, let time): acquiring.demands.setAlarm(time, of: id)
    case .end(let id):
      let wasTracking = acquiring.demands.isTracking
      acquiring.demands.end(id)
      if wasTracking { boundAcquisition(at: now) }
      updateBound(at: now)
    case .restartReceiver: if phase.mode == .gps { actions.append(.perform(.restart)) }
    case .release: release(into: &actions)
    }
  }

  @inline(__always)
  private mutating func handle(_ report: ProviderReport, at now: Now, into actions: inout [Action]) {
    switch report {
    case .promptShown:
      if state == .prompted { actions.append(.promptShown) }
    case .authorization(let authorization):
      let isNew = device.authorization.update(to: authorization)
      monitoring.noteDevice()
      raise(.event(authorization.event), at: now, into: &actions)
      if isNew { actions.append(.authorizationChanged(authorization)) }
    case .fixes(let fixes): receive(fixes, at: now, into: &actions)
    case .wake(let event): wake(event, at: now, into: &actions)
    case .pastMotion(let changes):
      guard acquiring.demands.hasConsumers, !changes.isEmpty else { break }
      actions.append(.movedBefore(changes))
    case .battery(let battery):
      if device.battery.update(to: battery) { announce(.batteryChanged(battery), into: &actions) }
    case .app(let isInForeground, let isLowPowerMode, let mayRefresh):
      let app = Device.App(isInForeground: isInForeground, isLowPowerMode: isLowPowerMode, mayRefresh: mayRefresh)
      guard device.app.update(to: app) else { break }
      monitoring.noteDevice()
      announce(.appChanged, into: &actions)
    case .wakeSources(let sources, let backgroundUpdates):
      (device.wakeSources, device.backgroundUpdates) = (sources, backgroundUpdates)
      if !sources.contains(.motion) { device.motion = nil }
      planner?.value.settings.use(sources, backgroundUpdates)
    case .failure(let failure):
      note(failure, into: &actions)
      handle(failure, at: now, into: &actions)
    }
  }

  private mutating func wake(_ event: WakeEvent, at now: Now, into actions: inout [Action]) {
    switch event {
    case .significantChange(let change): noteChange(change, at: now, into: &actions)
    case .regionExit:
      monitoring.leaveRegion(at: now.date)
      planner?.value.leaveRegion()
      planning.leaveRegion()
      noteDeparture(into: &actions)
    case .visit(let visit): note(visit, into: &actions)
    case .cell(let name): planner?.value.enter(name)
    case .motion(let motion):
      if event.showsMotion { monitoring.move(at: now.date) }
      planner?.value.motionDidChange(to: motion)
      if device.motion.update(to: motion) { announce(.motionChanged(motion), into: &actions) }
    case .timer:
      planning.timerDidFire()
      monitoring.checkTime(at: now.date)
    }
  }

  @inline(__always)
  private mutating func receive(_ fixes: [Location], at now: Now, into actions: inout [Action]) {
    guard fixes.count == 1 else { return acquiring.unjudged = fixes[...] }
    judge(fixes[0], at: now, into: &actions)
  }

  @inline(never)
  private mutating func note(_ failure: ProviderFailure, into actions: inout [Action]) {
    if acquiring.demands.hasConsumers { actions.append(.providerFailed(failure)) }
    // The listeners learn of a denial by the transition that it causes.
    guard failure != .accessDenied, phase.changeRun({ $0.begin(failure) }) == true else { return }
    actions.append(.failureBegan(failure))
  }

  @inline(never)
  private mutating func note(_ visit: Visit, into actions: inout [Action]) {
    if visit.departure == nil {
      planner?.value.visitBegan()
    } else {
      monitoring.leave()
      planner?.value.visitEnded()
      noteDeparture(into: &actions)
    }
    if visit.place.hasValidCoordinate { announce(.visited(visit), into: &actions) }
  }

  /// Appends a notification about the device or the app, of which listeners aren't notified during a pause.
  private func announce(_ action: Action, into actions: inout [Action]) {
    if state != .paused { actions.append(action) }
  }

  private func noteDeparture(into actions: inout [Action]) {
    if acquiring.demands.hasConsumers, phase.mode != .off { actions.append(.departed) }
  }

  /// Begins an acquisition after a significant change, unless the cool-down lasts or the planner doesn't look at significant changes. If
  /// the location of the change satisfies the policy, delivers that location instead. In the cool-down, a change counts if it shows that a
  /// phone whose app may be suspended has left: the next change may be minutes away.
  @inline(never)
  private mutating func noteChange(_ change: Location?, at now: Now, into actions: inout [Action]) {
    if case .waiting(let sleep) = phase, now.uptime < sleep.cooldownEnd,
      change.map({ planner?.value.hasLeft(by: $0) == true }) != true
    {
      return
    }
    monitoring.endPresence()
    monitoring.move(at: now.date)
    noteDeparture(into: &actions)
    if case .waiting = phase, planner?.value.looksAtSignificantChange == false { return }
    planner?.value.appDidWake()
    guard var location = change, judgeAsleep(location, at: now) == .acquired else {
      raise(.changed(change), at: now, into: &actions)
      return
    }
    if location.source != .reduced { location.source = .significantChange }
    actions.append(.judged(LocationManager.JudgedFix(fix: location, verdict: .acquired), isUsed: true))
    raise(.coarse(location), at: now, into: &actions)
  }

  private mutating func handle(_ failure: ProviderFailure, at now: Now, into actions: inout [Action]) {
    switch failure {
    case .locationUnknown: break
    case .accessDenied: raise(.event(.refused), at: now, into: &actions)
    case .backgroundTimeExpired:
      guard phase.mode == .gps else { break }
      device.isOutOfTime = true
      acquiring.demands.expireDeadlines(at: now)
    case .other:
      guard phase.changeRun({ $0.acquisition.countError() }) == true else { break }
      if acquiring.failAfterErrors(into: &actions) { raise(.failed(.tooManyErrors), at: now, into: &actions) }
    }
  }

  private mutating func begin(_ id: Demand.ID, _ kind: Demand.Kind, at now: Now, into actions: inout [Action]) {
    let wasTracking = acquiring.demands.isTracking
    switch kind {
    case .one(var one):
      one.begin(at: now.uptime, under: settings.policy)
      if state == .waitingSignificantChange, let known = one.answer(from: location, at: now.date) {
        actions.append(.give(known, to: id))
        return actions.append(.finish(id, nil))
      }
      acquiring.demands.begin(id, .one(one))
      raise(.demanded(.forceAcquire), at: now, into: &actions)
    case .accepted(let acceptance):
      acquiring.demands.begin(id, .accepted(Acceptance(acceptance.policy, last: location)))
    case .policy, .every, .fixes, .bound: acquiring.demands.begin(id, kind)
    }
    updateBound(at: now)
    if acquiring.demands.isTracking {
      raise(.demanded(.trackingRequested), at: now, into: &actions)
    } else if wasTracking {
      boundAcquisition(at: now)
    }
  }

  /// Begins an acquisition with a time limit when tracking has ended.
  private mutating func boundAcquisition(at now: Now) {
    if phase.mode == .gps, !acquiring.demands.isTracking { acquire(under: settings.policy, at: now) }
  }

  /// Creates, changes or removes the planner after a change of an error bound or of the demands.
  private mutating func updateBound(at now: Now) {
    let look = settings.look(for: demands, on: device)
    if let look, planner != nil {
      if planner?.value.settings != look { planner?.value.settings = look }
    } else {
      planner = look.map { Shared(LookPlanner(settings: $0, at: now.uptime)) }
    }
  }

  /// Releases the provider: turns it off, saves an unsaved location, and ends every demand.
  private mutating func release(into actions: inout [Action]) {
    acquiring.release(into: &actions)
    phase = .released(state)
  }

  /// Ignores commands and fails new demands, after the release of the provider.
  private func refuse(_ input: Input, into actions: inout [Action]) {
    switch input {
    case .command(let event): actions.append(.ignored(event, in: nil))
    case .begin(let id, _): actions.append(.finish(id, .replaced))
    case .report, .policy, .promptTimeLimit, .errorBound, .boundTarget, .setAlarm, .end, .restartReceiver, .release:
      break
    }
  }

  // MARK: - The machine

  /// Looks the fact up in the table, changes the phase, and appends the actions.
  ///
  /// - Returns: Whether the fact does something in the current state.
  @discardableResult
  private mutating func raise(_ fact: Fact, at now: Now, into actions: inout [Action]) -> Bool {
    let from = state
    guard let step = Self.table.transition(from: from, on: fact.event) else { return false }
    learn(from: fact, at: now)
    if step.kind == .external {
      leave(into: &actions)
      enter(step.next, because: fact, at: now)
    }
    let effects = Self.table.effects(of: step)
    if effects.contains(.requestAuthorization) { actions.append(.perform(.authorization)) }
    if step.kind == .external {
      actions.append(.transition(LocationManager.Transition(from: from, event: fact.event, to: state, date: now.date)))
    }
    for effect in effects {
      if let notification = fact.notification(of: effect) { actions.append(notification) }
    }
    return true
  }

  /// Updates the data that outlasts the phase, before the transition.
  private mutating func learn(from fact: Fact, at now: Now) {
    switch fact {
    case .accepted(let location), .acquired(let location):
      save(location, because: acquiring.demands.isTracking ? .tracking : phase.run?.cause, at: now)
      phase.changeRun { $0.deliver(location, at: now.uptime) }
    case .coarse(let location):
      save(location, because: location.source == .coarse ? .backgroundUpdate : .wake(.significantChange), at: now)
      planner?.value.findCoarse(location)
    case .failed(.cancelled): break
    case .failed: if let run = phase.run { planner?.value.lookDidFail(after: now.uptime - run.began) }
    case .event, .demanded, .changed, .lookDue: break
    }
  }

  private mutating func save(_ location: Location, because cause: LocationManager.Cause?, at now: Now) {
    (self.location, self.cause) = (location, cause)
    saved.needsLocation = true
    if monitoring.awaitsLocation || planner != nil {
      monitoring.find(location, watching: planning.watchedRegion, at: now.uptime)
    }
  }

  private mutating func leave(into actions: inout [Action]) {
    if case .acquiring = phase { acquiring.interrupt(into: &actions) }
  }

  private mutating func enter(_ state: LocationMachine.State, because fact: Fact, at now: Now) {
    // Before the prompt's answer, a missing permission is no problem.
    if self.state == .initial || self.state == .prompted || state == .prompted { monitoring.noteDevice() }
    // If an error bound is set, every acquisition that begins here, unless the app forces it or a consumer requests it, is a look.
    let isLook = state == .acquiring && fact.event != .forceAcquire && !fact.isDemanded
    let policy = isLook ? lookPolicy(at: now) : settings.policy
    phase = Phase(
      state, because: fact, under: policy, promptTimeLimit: settings.promptTimeLimit, previous: location, at: now)
    if state.mode == .off, state != .prompted { monitoring.endPresence() }
    // An acquisition that a consumer begins belongs to the consumer. Any other one is the manager's own.
    if state == .acquiring, !fact.isDemanded { wantOne(under: policy, at: now) }
  }

  /// Begins the manager's own acquisition while the GPS is on.
  private mutating func acquire(
    under policy: AcquisitionPolicy, at now: Now, because cause: LocationManager.Cause = .tracking
  ) {
    let acquisition = Acquisition(policy: policy, previous: location)
    phase.changeRun { $0.begin(acquisition, at: now.uptime, because: cause) }
    wantOne(under: policy, at: now)
  }

  /// Returns the policy of the planner's next look, or the app's policy without an error bound.
  private func lookPolicy(at now: Now) -> AcquisitionPolicy {
    planner?.value.policy(for: settings.policy, at: now.uptime) ?? settings.policy
  }

  private mutating func wantOne(under policy: AcquisitionPolicy, at now: Now) {
    let deadline = Self.table.end(of: .acquiring, from: now.uptime, setting: policy.timeLimit)
    acquiring.demands.begin(Demand.policyID, .policy(deadline: deadline))
  }

  // MARK: - What is due

  private mutating func settleNext(at now: Now, into actions: inout [Action]) -> Bool {
    if settleFixes(at: now, into: &actions) { return true }
    if !acquiring.unjudged.isEmpty {
      judge(acquiring.unjudged.removeFirst(), at: now, into: &actions)
      return true
    }
    switch phase {
    case .acquiring: if loseSignal(at: now, into: &actions) { return true }
    case .prompted(let end) where now.uptime >= end:
      guard let deadline = Self.table.deadline(in: state) else { break }
      raise(.event(deadline.input), at: now, into: &actions)
      return true
    case .waiting:
      if acquiring.demands.hasConsumers { acquiring.settleWaiters(in: state, at: now.uptime, into: &actions) }
      // The look that has just ended may allow the app to be suspended.
      planner?.value.count(to: now.uptime)
      guard !device.isOutOfTime, let cause = planner?.value.due(at: now.uptime) else { break }
      planner?.value.appDidWake()
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
    return acquiring.expireWaits(at: now, into: &actions) || settleAcquisition(at: now, into: &actions)
  }

  /// Judges a fix, offers it to the consumers, and delivers it or ends the acquisition with it.
  private mutating func judge(_ fix: Location, at now: Now, into actions: inout [Action]) {
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
    // A rejected fix ends nothing. If a time limit is over, the listeners learn of the rejection before the acquisition ends.
    if !verdict.isRejection { settleFixes(at: now, into: &actions) }
  }

  /// Judges a coarse fix while the GPS is off, and delivers it if it isn't rejected.
  @inline(never)
  private mutating func judgeCoarse(_ fix: Location, at now: Now, into actions: inout [Action]) {
    // Coarse fixes count only with an error bound.
    let verdict = planner == nil ? .rejected(.notListening) : judgeAsleep(fix, at: now)
    if verdict == .rejected(.tooCoarse) { planner?.value.noteRejectedCoarseFix(fix) }
    let judged = LocationManager.JudgedFix(fix: fix, verdict: verdict)
    acquiring.giveFix(judged, into: &actions)
    actions.append(.judged(judged, isUsed: verdict.isBest))
    if verdict.isBest { raise(.coarse(fix), at: now, into: &actions) }
  }

  /// Judges a location that was found while the GPS is off, by the policy of the next acquisition and by the planner if there is one.
  private mutating func judgeAsleep(_ fix: Location, at now: Now) -> Acquisition.Verdict {
    guard case .waiting(var sleep) = phase else { return .rejected(.notListening) }
    let verdict = sleep.judge(fix, under: lookPolicy(at: now), previous: location, at: now.date)
    phase = .waiting(sleep)
    return !verdict.isBest || planner?.value.accepts(fix) ?? true ? verdict : .rejected(.tooCoarse)
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
    guard planner?.value.staysOn == true, !device.isOutOfTime else {
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
    planner?.value.find(location, after: phase.run?.timeToFirstLocation(at: now.uptime) ?? nil)
  }
}

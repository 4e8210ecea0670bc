import LocoFoundation

/// The location manager's decisions, as a pure value: inputs and the time go in, actions come out.
///
/// A ``LocationManager`` passes an input to ``handle(_:at:into:)`` and carries out the actions in order. It then calls
/// ``settle(at:into:)`` and carries out its actions, until nothing is due. Each call is a step with at most one transition, so a listener
/// that is notified of a transition reads the resulting state.
///
/// In each step, the commands to the provider precede the notifications, and the store is last. A copy is a snapshot, which tests
/// compare and explore.
package struct LocationCore: CoreProtocol, Equatable, Sendable {
  var phase: Phase
  package private(set) var settings: Settings
  package private(set) var location: Location?
  /// The reason for the location.
  private(set) var cause: LocationManager.Cause?
  var acquiring = Acquiring()
  var surroundings: Surroundings
  private(set) var saved: Saved

  package var state: LocationMachine.State { phase.state }
  var isReleased: Bool { if case .released = phase { true } else { false } }
  package var device: Device { surroundings.device }
  package var plan: ReceiverPlan { surroundings.planning.plan }
  var planner: LookPlanner? { surroundings.planner?.value }
  var demands: Demands { acquiring.demands }
  var acquisition: Acquisition? { phase.run?.acquisition }

  static let table = TransitionTable<LocationMachine>()

  init(
    authorization: Authorization, policy: AcquisitionPolicy, wakeSources: Set<WakeKind> = [.significantChange],
    backgroundUpdates: LocationManager.BackgroundUpdates = .never, location: Location? = nil, isPaused: Bool = false,
    presence: LocationManager.Presence? = nil
  ) {
    phase = isPaused ? .paused : .initial
    saved = Saved(isPaused: isPaused)
    settings = Settings(policy: policy)
    self.location = location
    surroundings = Surroundings(
      Device(authorization: authorization, wakeSources: wakeSources, backgroundUpdates: backgroundUpdates),
      monitoring: Monitoring(
        // Only a system that reports visits launches an app that was closed.
        presence: presence, isPaused: isPaused,
        recalled: !isPaused && authorization == .always && wakeSources.contains(.visit) ? location : nil))
  }

  // MARK: - Steps

  package mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    if isReleased { return refuse(input, into: &actions) }
    let first = actions.count
    surroundings.pass(to: now.uptime, isLooking: phase.isAcquiring, isRunning: input.showsThatTheAppRuns)
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
    let (state, mode) = (state, phase.mode)
    if updatePlan(in: mode, isSettled: isSettled, at: now) { actions.insert(.apply(plan), at: first) }
    let isPresenceNew = isSettled && surroundings.updateOutlook(in: state, mode, at: now, into: &actions)
    saved.update(
      isPaused: state == .paused, isFrequent: mode == .gps || plan.keepsAppRunning, location: location,
      at: now.uptime, into: &actions)
    if isPresenceNew { actions.append(.savePresence(surroundings.monitoring.lastReported.stored)) }
  }

  /// Updates the plan. Returns whether it has changed.
  @inline(__always)
  private mutating func updatePlan(in mode: ReceiverMode, isSettled: Bool, at now: Now) -> Bool {
    let isNew = surroundings.updatePlan(in: mode, isReleased: isReleased, for: acquiring.demands, at: now.uptime)
    // The timer is set once a turn, when nothing else is due.
    guard isSettled || isReleased else { return isNew }
    return surroundings.updateTimer(to: wantedTimer(at: now), at: now.uptime) || isNew
  }

  @inline(__always)
  private func wantedTimer(at now: Now) -> Duration? {
    let deadline = acquiring.demands.deadline(whileAcquiring: phase.isAcquiring)
    return switch phase {
    case .prompted(let end): earlier(deadline, end)
    case .waiting: earlier(deadline, surroundings.planner?.value.nextDue(at: now.uptime))
    case .acquiring: earlier(deadline, signalLoss)
    case .initial, .denied: deadline
    // An alarm waits for the end of a pause, or another input.
    case .paused, .released: nil
    }
  }

  /// Returns the time when the signal is lost unless a usable fix arrives; `nil` if it is lost already, or if no consumer wants to know.
  @inline(__always)
  private var signalLoss: Duration? {
    guard let timeout = acquiring.demands.signalTimeout, let run = phase.run, !run.signal.isLost else { return nil }
    return run.signal.lastFix + timeout
  }

  // MARK: - Inputs

  // Like the function below, this function is inlined: the caller would otherwise copy the input for the call.
  @inline(__always)
  private mutating func act(on input: Input, at now: Now, into actions: inout [Action]) {
    switch input {
    case .command(let event):
      if !raise(.event(event), at: now, into: &actions) { actions.append(.ignored(event, in: state)) }
    case .report(let report): handle(report, at: now, into: &actions)
    case .policy(let policy):
      settings.policy = policy
      surroundings.planner?.value.settings.isAssisted = policy.lookLimits.isAssisted
    case .promptTimeLimit(let limit): settings.promptTimeLimit = limit
    case .errorBound(let bound):
      settings.errorBound = bound
      updateBound(at: now)
    case .boundTarget(let target):
      settings.boundTarget = target
      surroundings.planner?.value.settings.target = target
    case .begin(let id, let kind): begin(id, kind, at: now, into: &actions)
    case .setAlarm(let id, let time): acquiring.demands.setAlarm(time, of: id)
    case .end(let id):
      let wasTracking = acquiring.demands.isTracking
      acquiring.demands.end(id)
      if wasTracking { boundAcquisition(at: now) }
      updateBound(at: now)
    case .restartReceiver: if phase.isAcquiring { actions.append(.perform(.restart)) }
    case .release: release(into: &actions)
    }
  }

  @inline(__always)
  private mutating func handle(_ report: ProviderReport, at now: Now, into actions: inout [Action]) {
    switch report {
    case .promptShown:
      guard case .prompted = phase else { break }
      let end = Self.table.end(of: state, from: now.uptime, setting: settings.promptTimeLimit)
      phase = .prompted(deadline: end)
      acquiring.demands.restartDeadlines(at: end)
      actions.append(.promptShown)
    case .authorization(let authorization):
      let isNew = surroundings.update(authorization)
      raise(.event(authorization.event), at: now, into: &actions)
      if case .waiting = phase, surroundings.monitoring.health.endReducedAccuracy() {
        // The user may have restored the full accuracy, as the health's advice says.
        raise(.event(.forceAcquire), at: now, into: &actions)
      }
      if isNew { actions.append(.authorizationChanged(authorization)) }
    case .fixes(let fixes): receive(fixes, at: now, into: &actions)
    case .wake(let event): wake(event, at: now, into: &actions)
    case .pastMotion(let changes):
      guard acquiring.demands.hasConsumers, !changes.isEmpty else { break }
      actions.append(.movedBefore(changes))
    case .battery(let battery): announce(surroundings.update(battery), into: &actions)
    case .app(let isInForeground, let isLowPowerMode, let mayRefresh):
      let app = Device.App(isInForeground: isInForeground, isLowPowerMode: isLowPowerMode, mayRefresh: mayRefresh)
      announce(surroundings.update(app), into: &actions)
    case .wakeSources(let sources, let backgroundUpdates): surroundings.update(sources, backgroundUpdates)
    case .failure(let failure):
      note(failure, into: &actions)
      handle(failure, at: now, into: &actions)
    }
  }

  private mutating func wake(_ event: WakeEvent, at now: Now, into actions: inout [Action]) {
    if case .significantChange(let change) = event, !counts(change, at: now) { return }
    let notification = surroundings.note(event, in: phase.mode, at: now.uptime)
    // Such a change counts only if it shows a departure, and no look follows that would end the rest.
    if case .significantChange = event, isBackingOff { surroundings.monitoring.leave() }
    if event.showsDeparture, acquiring.demands.hasConsumers, phase.mode != .off { actions.append(.departed) }
    announce(notification, into: &actions)
    if case .significantChange(let change) = event { look(because: change, at: now, into: &actions) }
  }

  @inline(__always)
  private mutating func receive(_ fixes: [Location], at now: Now, into actions: inout [Action]) {
    guard fixes.count == 1 else { return acquiring.unjudged = fixes[...] }
    judge(fixes[0], at: now, into: &actions)
  }

  private mutating func note(_ failure: ProviderReport.Failure, into actions: inout [Action]) {
    if acquiring.demands.hasConsumers { actions.append(.providerFailed(failure)) }
    // The listeners learn of a denial by the transition that it causes.
    guard failure != .accessDenied, phase.changeRun({ $0.begin(failure) }) == true else { return }
    actions.append(.failureBegan(failure))
  }

  /// Appends a notification about the device or the app, of which listeners aren't notified during a pause.
  private func announce(_ action: Action?, into actions: inout [Action]) {
    if let action, state != .paused { actions.append(action) }
  }

  private mutating func handle(_ failure: ProviderReport.Failure, at now: Now, into actions: inout [Action]) {
    switch failure {
    case .locationUnknown: break
    case .accessDenied: raise(.event(.refused), at: now, into: &actions)
    case .backgroundTimeExpired:
      guard phase.isAcquiring else { break }
      surroundings.backgroundTimeDidExpire()
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
      one.begin(at: max(now.uptime, phase.promptEnd ?? now.uptime), under: settings.policy)
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
    if phase.isAcquiring, !acquiring.demands.isTracking { acquire(under: settings.policy, at: now) }
  }

  /// Updates the planner after a change of an error bound or of the demands.
  private mutating func updateBound(at now: Now) {
    surroundings.setBound(settings.look(for: demands, on: device), at: now.uptime)
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
  mutating func raise(_ fact: Fact, at now: Now, into actions: inout [Action]) -> Bool {
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
      surroundings.planner?.value.findCoarse(location, age: now.age(of: location))
    case .failed(.cancelled): break
    case .failed:
      if let run = phase.run { surroundings.planner?.value.lookDidFail(after: now.uptime - run.began) }
    case .event, .demanded, .changed, .lookDue: break
    }
  }

  private mutating func save(_ location: Location, because cause: LocationManager.Cause?, at now: Now) {
    (self.location, self.cause) = (location, cause)
    saved.needsLocation = true
    surroundings.find(location, at: now.uptime)
  }

  private mutating func leave(into actions: inout [Action]) {
    if case .acquiring = phase { acquiring.interrupt(into: &actions) }
  }

  private mutating func enter(_ state: LocationMachine.State, because fact: Fact, at now: Now) {
    surroundings.enter(state, from: self.state, at: now.uptime)
    // The time that the user needed to answer the prompt isn't part of a wait.
    if case .prompted = phase { acquiring.demands.restartDeadlines(at: now.uptime) }
    // If an error bound is set, every acquisition that begins here, unless the app forces it or a consumer requests it, is a look.
    let isLook = state == .acquiring && fact.event != .forceAcquire && !fact.isDemanded
    let policy = isLook ? lookPolicy(at: now) : settings.policy
    phase = Phase(
      state, because: fact, under: policy, previous: location, at: now)
    // An acquisition that a consumer begins belongs to the consumer. Any other one is the manager's own.
    if state == .acquiring, !fact.isDemanded { wantOne(under: policy, at: now) }
  }

  /// Begins the manager's own acquisition while the GPS is on.
  mutating func acquire(
    under policy: AcquisitionPolicy, at now: Now, because cause: LocationManager.Cause = .tracking
  ) {
    let acquisition = Acquisition(policy: policy, previous: location)
    phase.changeRun { $0.begin(acquisition, at: now.uptime, because: cause) }
    wantOne(under: policy, at: now)
  }

  private mutating func wantOne(under policy: AcquisitionPolicy, at now: Now) {
    let deadline = Self.table.end(of: .acquiring, from: now.uptime, setting: policy.timeLimit)
    acquiring.demands.begin(Demand.policyID, .policy(deadline: deadline))
  }
}

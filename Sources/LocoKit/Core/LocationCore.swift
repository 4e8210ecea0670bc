import Foundation

/// All that a location manager decides, as a value that does nothing: inputs and the time go in, actions come out.
///
/// It asks the table of the ``LocationMachine``. Whoever runs it gives it an input with ``handle(_:at:into:)``, carries out
/// the actions in their order, and then calls ``settle(at:into:)`` and carries out its actions until nothing is due any more.
/// Each call makes at most one transition, so that a listener who hears of it reads the state that it led to. A copy is a
/// snapshot: it can be compared, kept in a test, and explored.
struct LocationCore: DecisionCore, Hashable, Sendable {
  /// The time, on both clocks.
  struct Now: Hashable, Sendable {
    /// How long the system has been running: never goes back.
    var uptime: Duration
    /// The wall clock, which somebody may set.
    var date: Date
  }

  /// What can happen to a manager.
  enum Input: Hashable, Sendable {
    /// A command of the app: one of the machine's events.
    case command(LocationMachine.Event)
    /// Something that the provider says.
    case report(ProviderReport)
    /// What counts as a good fix, from the next acquisition on.
    case policy(AcquisitionPolicy)
    /// How long an answer to the next prompt is awaited.
    case promptTimeLimit(Duration)
    /// How far off the last location may be; `nil` is Loco's rule.
    case errorBound(Double?)
    /// Somebody wants something of the receiver, or something else than before.
    case begin(Demand.ID, Demand.Wish)
    /// Somebody who wants something is to be called back at a time; `nil` is never.
    case callBack(Demand.ID, at: Duration?)
    /// Somebody wants nothing any more.
    case end(Demand.ID)
    /// Whoever owns the manager has let go of it, or another manager has its provider.
    case release
  }

  /// What is to be done, in the order in which it stands.
  enum Action: Hashable, Sendable {
    case setReceiver(ReceiverSettings)
    case setMode(ReceiverMode)
    case requestAuthorization
    case setTimer(Duration?)
    case setRegion(CircularRegion?)

    // For the listeners.
    case transition(Transition)
    case deliver(Location)
    case notify(Notice)
    case significantChange(Location?)
    case look(LookCause)
    case acquisitionFailed(AcquisitionFailure)
    case promptShown
    case authorizationChanged(Authorization)
    case ignored(LocationMachine.Event, reason: String)
    /// A fix with its verdict; listeners hear of one that was not used by anybody.
    case judged(JudgedFix, isUsed: Bool)

    // For demands.
    case give(Location, to: Demand.ID)
    case finish(Demand.ID, AcquisitionFailure?)
    case callBack(Demand.ID)
    case providerFailed(ProviderFailure)
    /// The GPS goes off.
    case interrupted

    // For the next launch.
    case savePause(Bool)
    case save(Location)
  }

  typealias Notice = LocationMachine.Notice

  /// The current state.
  private(set) var state: LocationState
  /// Whether locations may be used, as the provider last said.
  private(set) var authorization: Authorization
  /// The last location delivered.
  private(set) var location: Location?
  /// What counts as a good fix in the next acquisition.
  private(set) var policy: AcquisitionPolicy
  /// How long an answer to the next prompt is awaited.
  private(set) var promptTimeLimit = LocationMachine.promptTimeLimit
  /// All who want something of the receiver.
  private(set) var demands = Demands()
  /// Decides when to look, where an error bound is set.
  private(set) var planner: LookPlanner?
  /// The acquisition, while the state is `acquiring`.
  private(set) var acquisition: Acquisition?
  /// What can wake the app.
  private(set) var wakeSources: WakeSources
  /// When the acquisition began, or gave its last location and went on.
  private(set) var acquisitionBegan = Duration.zero
  /// Whether it has given one.
  private(set) var hasDelivered = false
  /// Whether the system is about to suspend the app: no look begins, and none keeps the GPS on, until an input shows that it runs.
  private(set) var isOutOfTime = false
  /// When the prompt expires, while the state is `prompted`.
  private(set) var promptDeadline: Duration?
  /// From when on significant changes count, while the state is `waitingSignificantChange`.
  private(set) var cooldownEnd: Duration?

  /// Fixes of the present report that are not judged yet.
  private(set) var unjudged: ArraySlice<Location> = []
  /// Locations given to somebody that the listeners have not been given yet.
  private(set) var undelivered: [Location] = []

  /// What the provider was told of the receiver last.
  private(set) var receiver: ReceiverSettings?
  /// The region that is armed, as far as it is known: one of an earlier launch may be.
  private(set) var region: Arming = .unknown
  /// What the provider's timer is set to.
  private(set) var timer: Duration?
  /// Whether the store has a pause.
  private(set) var hasSavedPause: Bool
  /// Whether a location was delivered that the store does not have.
  private(set) var needsSave = false
  /// When the store was last given a location.
  private(set) var savedAt: Duration?
  /// Whether the manager has let go of everything.
  private(set) var isReleased = false

  /// What the provider was told of regions last.
  enum Arming: Hashable, Sendable {
    case unknown
    case none
    case armed(CircularRegion)
    /// The device has left it; it is still there.
    case left
  }

  private static let table = TransitionTable<LocationMachine>()
  /// How often the store is given a location while the GPS stays on.
  private static let saveInterval = Duration.seconds(10)

  init(
    authorization: Authorization, policy: AcquisitionPolicy, wakeSources: WakeSources = .significantChanges,
    location: Location? = nil, isPaused: Bool = false
  ) {
    state = isPaused ? .paused : LocationMachine.initialState
    hasSavedPause = isPaused
    self.authorization = authorization
    self.policy = policy
    self.wakeSources = wakeSources
    self.location = location
  }
}

// MARK: - Inputs

extension LocationCore {
  /// Takes note of an input, and says what is to be done at once.
  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    if isReleased { return refuse(input, into: &actions) }
    planner?.count(to: now.uptime)
    if isOutOfTime, input.showsThatTheAppRuns { isOutOfTime = false }
    act(on: input, at: now, into: &actions)
    save(at: now, evenIfRecent: state != .acquiring, into: &actions)
  }

  private mutating func act(on input: Input, at now: Now, into actions: inout [Action]) {
    switch input {
    case .command(let event):
      if case .ignore(let reason) = Self.table[state: state, event: event] {
        actions.append(.ignored(event, reason: reason))
      } else {
        raise(event, at: now, into: &actions)
      }
    case .report(let report):
      handle(report, at: now, into: &actions)
    case .policy(let policy):
      self.policy = policy
    case .promptTimeLimit(let limit):
      promptTimeLimit = limit
    case .errorBound(let bound):
      setBound(bound, at: now)
      setRegion(into: &actions)
    case .begin(let id, let wish):
      begin(id, wish, at: now, into: &actions)
    case .callBack(let id, let time):
      demands.setCallback(time, of: id)
    case .end(let id):
      let wasTracking = demands.isTracking
      if demands.end(id), wasTracking { boundAcquisition(at: now) }
    case .release:
      release(at: now, into: &actions)
    }
  }

  private mutating func handle(_ report: ProviderReport, at now: Now, into actions: inout [Action]) {
    switch report {
    case .promptShown:
      if state == .prompted { actions.append(.promptShown) }
    case .authorization(let authorization):
      let isNew = authorization != self.authorization
      self.authorization = authorization
      raise(authorization.event, at: now, into: &actions)
      if isNew { actions.append(.authorizationChanged(authorization)) }
    case .fixes(let fixes) where fixes.count == 1:
      judge(fixes[0].withoutNonFinite, at: now, into: &actions)
    case .fixes(let fixes):
      unjudged = fixes[...]
    case .significantChange(let change):
      // Whether the cool-down is over is read, not awaited.
      if let cooldownEnd, now.uptime < cooldownEnd { break }
      if state == .waitingSignificantChange, planner?.changeCell() == false { break }
      raise(.significantChange, .change(change?.withoutNonFinite), at: now, into: &actions)
    case .regionExited:
      planner?.leaveRegion()
      region = .left
    case .motion(let motion):
      planner?.hear(motion)
    case .cell(let name):
      planner?.enter(name)
    case .wakeSources(let sources):
      wakeSources = sources
      planner?.sources = sources
      setRegion(into: &actions)
    case .failure(let failure):
      if !demands.all.isEmpty { actions.append(.providerFailed(failure)) }
      handle(failure, at: now, into: &actions)
    case .timer:
      timer = nil
    case .replaced:
      preconditionFailure("The manager releases the core where its provider has another manager.")
    }
  }

  private mutating func handle(_ failure: ProviderFailure, at now: Now, into actions: inout [Action]) {
    switch failure {
    case .locationUnknown:
      break
    case .accessDenied:
      raise(.refused, at: now, into: &actions)
    case .backgroundTimeExpired:
      guard acquisition != nil else { break }
      isOutOfTime = true
      demands.expireDeadlines(at: now)
    case .other:
      guard acquisition?.countError() == true else { break }
      demands.endWaiters({ _ in .failure(.tooManyErrors) }, { actions.append(.finish($0, $1.failure)) })
      demands.policyDeadline = nil
      // Consumers of every location have no limit: the receiver may be well again.
      if !demands.isTracking {
        raise(.acquisitionFailed, .failure(.tooManyErrors), at: now, into: &actions)
      }
    }
  }

  private mutating func begin(_ id: Demand.ID, _ wish: Demand.Wish, at now: Now, into actions: inout [Action]) {
    let wasTracking = demands.isTracking
    switch wish {
    case .one(let accuracy, let limit):
      let one = OneLocation(
        desiredAccuracy: accuracy, acceptableAccuracy: max(accuracy, policy.acceptableAccuracy),
        deadline: now.uptime + limit)
      demands.begin(id, .one(one))
      if state == .waitingSignificantChange { raise(.forceAcquire, .demand, at: now, into: &actions) }
    case .every(let settings):
      demands.begin(id, .every(TrackFilter(settings)))
    case .accepted(let policy):
      demands.begin(id, .accepted(Acceptance(policy, last: location)))
    case .nothing:
      demands.begin(id, .nothing)
    }
    if demands.isTracking {
      if state == .waitingSignificantChange { raise(.trackingRequested, .demand, at: now, into: &actions) }
    } else if wasTracking {
      boundAcquisition(at: now)
    }
  }

  /// Nobody wants every location any more: what is left is an acquisition like any other, and nothing of it was delivered yet.
  private mutating func boundAcquisition(at now: Now) {
    guard state == .acquiring, !demands.isTracking else { return }
    acquire(under: policy, at: now)
  }

  /// Begins an acquisition that is the policy's, beside what it is for others.
  private mutating func acquire(under policy: AcquisitionPolicy, trigger: Date? = nil, at now: Now) {
    acquisition = Acquisition(policy: policy, trigger: trigger, previous: location)
    acquisitionBegan = now.uptime
    demands.policyDeadline = now.uptime + policy.timeLimit
  }

  private mutating func setBound(_ bound: Double?, at now: Now) {
    guard let bound else { return planner = nil }
    if planner == nil { planner = LookPlanner(bound: bound, sources: wakeSources, at: now.uptime) }
    planner?.bound = bound
  }

  /// Turns off what was turned on, keeps what is not saved, and ends everybody who waits for something.
  private mutating func release(at now: Now, into actions: inout [Action]) {
    actions.append(.setTimer(nil))
    actions.append(.setMode(.off))
    if region != .unknown, region != .none { actions.append(.setRegion(nil)) }
    for demand in demands.all { actions.append(.finish(demand.id, .replaced)) }
    demands.removeAll()
    (unjudged, undelivered, timer) = ([], [], nil)
    save(at: now, evenIfRecent: true, into: &actions)
    isReleased = true
  }

  /// What a manager answers that has let go of everything.
  private func refuse(_ input: Input, into actions: inout [Action]) {
    switch input {
    case .command(let event):
      actions.append(.ignored(event, reason: "Another manager has been given this one's provider."))
    case .begin(let id, _):
      actions.append(.finish(id, .replaced))
    case .report, .policy, .promptTimeLimit, .errorBound, .callBack, .end, .release:
      break
    }
  }
}

// MARK: - The machine

extension LocationCore {
  /// What an event has with it.
  private enum Payload {
    case nothing
    case location(Location)
    case change(Location?)
    case look(LookCause)
    case failure(AcquisitionFailure)
    /// The event comes of somebody's demand.
    case demand
  }

  /// The machine's answer to an event: the state, then the hardware, and the listeners.
  private mutating func raise(
    _ event: LocationMachine.Event, _ payload: Payload = .nothing, at now: Now, into actions: inout [Action]
  ) {
    let step = Self.table.step(from: state, on: event)
    guard step.kind != .ignored else { return }
    let from = state
    if step.kind == .external {
      leaveState(into: &actions)
      state = step.next
      enterState(event, payload, at: now)
      setReceiver(into: &actions)
      if from.mode != state.mode { actions.append(.setMode(state.mode)) }
    }
    let effects = Self.table.effects(of: step)
    for effect in effects { act(effect, payload, at: now, into: &actions) }
    setRegion(into: &actions)
    if step.kind == .external {
      actions.append(.transition(Transition(from: from, event: event, to: state, date: now.date)))
    }
    for effect in effects { tell(effect, payload, into: &actions) }
  }

  private mutating func leaveState(into actions: inout [Action]) {
    if state == .acquiring, !demands.all.isEmpty {
      actions.append(.interrupted)
      demands.endWaits()
    }
    (promptDeadline, cooldownEnd, acquisition) = (nil, nil, nil)
    demands.policyDeadline = nil
  }

  private mutating func enterState(_ event: LocationMachine.Event, _ payload: Payload, at now: Now) {
    switch state {
    case .prompted:
      promptDeadline = now.uptime + promptTimeLimit
    case .acquiring:
      (acquisitionBegan, hasDelivered) = (now.uptime, false)
      var trigger: Date?
      if case .change(let change) = payload { trigger = min(change?.timestamp ?? now.date, now.date) }
      // An acquisition that begins for somebody is theirs; one that the app forces is the app's policy's; and where there is a
      // bound any other is a look.
      if case .demand = payload {
        acquisition = Acquisition(policy: policy, trigger: trigger, previous: location)
      } else {
        let look = event == .forceAcquire ? nil : planner
        acquire(under: look?.policy(for: policy, at: now.uptime) ?? policy, trigger: trigger, at: now)
      }
    case .waitingSignificantChange:
      cooldownEnd = now.uptime + policy.cooldown
    case .initial, .denied, .paused:
      break
    }
  }

  private mutating func act(
    _ effect: LocationMachine.Effect, _ payload: Payload, at now: Now, into actions: inout [Action]
  ) {
    switch effect {
    case .requestAuthorization:
      actions.append(.requestAuthorization)
    case .deliverLocation:
      guard case .location(let location) = payload else {
        preconditionFailure("Only an event with a location delivers one.")
      }
      self.location = location
      acquisition?.delivered(location)
      let took = lookTook(at: now)
      planner?.find(location, after: took)
      (acquisitionBegan, hasDelivered) = (now.uptime, true)
      needsSave = true
    case .notify(.acquisitionFailed):
      if case .failure(.cancelled) = payload { break }
      planner?.findNothing(after: now.uptime - acquisitionBegan)
    case .notify:
      break
    }
  }

  private func tell(_ effect: LocationMachine.Effect, _ payload: Payload, into actions: inout [Action]) {
    switch (effect, payload) {
    case (.requestAuthorization, _): break
    case (.deliverLocation, .location(let location)): actions.append(.deliver(location))
    case (.notify(.significantChange), .change(let change)): actions.append(.significantChange(change))
    case (.notify(.acquisitionFailed), .failure(let failure)): actions.append(.acquisitionFailed(failure))
    case (.notify(.lookDue), .look(let cause)): actions.append(.look(cause))
    case (.deliverLocation, _), (.notify(.significantChange), _), (.notify(.acquisitionFailed), _),
      (.notify(.lookDue), _):
      preconditionFailure("An event must have with it what its effects tell.")
    case (.notify(let notice), _): actions.append(.notify(notice))
    }
  }

  /// Keeps a pause and the last location for the next launch; while the GPS stays on, a location now and then. The disk comes
  /// last: whatever it takes, the receiver is off and everybody has been told.
  private mutating func save(at now: Now, evenIfRecent: Bool, into actions: inout [Action]) {
    let isPaused = state == .paused
    if isPaused != hasSavedPause {
      actions.append(.savePause(isPaused))
      hasSavedPause = isPaused
    }
    guard needsSave, let location else { return }
    if !evenIfRecent, let savedAt, now.uptime - savedAt < Self.saveInterval { return }
    actions.append(.save(location))
    (savedAt, needsSave) = (now.uptime, false)
  }

  /// Arms the region whose exit makes the device look, or launches the app. One of an earlier launch stays until there is another
  /// one in its place: what is removed first may be lost.
  private mutating func setRegion(into actions: inout [Action]) {
    let wanted: Arming
    if state.mode != .off, wakeSources.contains(.regionExit), let planner {
      guard let region = planner.region else { return }
      wanted = .armed(region)
    } else if state.mode == .off, region == .unknown {
      return
    } else {
      wanted = .none
    }
    guard wanted != region, wanted != .none || region != .unknown || wakeSources.contains(.regionExit) else { return }
    region = wanted
    if case .armed(let region) = wanted { actions.append(.setRegion(region)) } else { actions.append(.setRegion(nil)) }
  }

  /// Tells the receiver what all who want something of it want.
  private mutating func setReceiver(into actions: inout [Action]) {
    let settings = state.mode == .gps ? demands.receiverSettings : nil
    guard settings != receiver else { return }
    receiver = settings
    if let settings { actions.append(.setReceiver(settings)) }
  }
}

// MARK: - What is due

extension LocationCore {
  /// Does one thing that is due: judges a fix, gives what somebody is owed, ends what is over, or sets the timer.
  ///
  /// - Returns: Whether something was due; then it is to be called once more, after the actions have been carried out.
  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    if isReleased { return false }
    let wasDue = settleNext(at: now, into: &actions)
    save(at: now, evenIfRecent: state != .acquiring, into: &actions)
    return wasDue
  }

  private mutating func settleNext(at now: Now, into actions: inout [Action]) -> Bool {
    if !undelivered.isEmpty {
      deliver(undelivered.removeFirst(), at: now, into: &actions)
      return true
    }
    if let fix = unjudged.popFirst() {
      judge(fix.withoutNonFinite, at: now, into: &actions)
      return true
    }
    if let promptDeadline, now.uptime >= promptDeadline, let deadline = Self.table.deadline(in: state) {
      raise(deadline.event, at: now, into: &actions)
      return true
    }
    if acquisition == nil {
      settleWaiters(at: now, into: &actions)
    } else {
      if demands.isTracking, expireWaits(at: now, into: &actions) { return true }
      if settleAcquisition(at: now, into: &actions) { return true }
    }
    setReceiver(into: &actions)
    if state == .waitingSignificantChange, !isOutOfTime, let cause = planner?.due(at: now.uptime) {
      raise(.lookDue, .look(cause), at: now, into: &actions)
      return true
    }
    if let id = demands.takeDue(at: now) {
      actions.append(.callBack(id))
      return true
    }
    setTimer(at: now, into: &actions)
    return false
  }

  private mutating func judge(_ fix: Location, at now: Now, into actions: inout [Action]) {
    let verdict = acquisition?.judge(fix, at: now.date) ?? .rejected(.notListening)
    let judged = JudgedFix(fix: fix, verdict: verdict)
    switch verdict {
    case .rejected(let reason) where reason != .worseThanCandidate:
      actions.append(.judged(judged, isUsed: false))
    case .rejected, .candidate, .acquired:
      var isUsed = !verdict.isRejection
      if !demands.all.isEmpty {
        var given: [Demands.Given] = []
        demands.offer(fix, at: now, maximumAge: policy.maximumAge, into: &given)
        isUsed = isUsed || given.contains { $0.location == fix }
        give(given, into: &actions)
      }
      actions.append(.judged(judged, isUsed: isUsed))
    }
  }

  /// What somebody is given, the listeners are given too.
  private mutating func give(_ given: [Demands.Given], into actions: inout [Action]) {
    for each in given {
      actions.append(.give(each.location, to: each.id))
      if !undelivered.contains(each.location) { undelivered.append(each.location) }
    }
    undelivered.sort { $0.timestamp < $1.timestamp }
  }

  /// Delivers what somebody was given, if it is newer than what the listeners had, and not too old.
  private mutating func deliver(_ location: Location, at now: Now, into actions: inout [Action]) {
    guard let acquisition, acquisition.isFresh(location, at: now.date), acquisition.isNew(location, at: now.date)
    else { return }
    raise(.fixAccepted, .location(location), at: now, into: &actions)
  }

  /// Whether somebody was given what had waited for a better fix.
  private mutating func expireWaits(at now: Now, into actions: inout [Action]) -> Bool {
    var given: [Demands.Given] = []
    demands.expire(at: now, into: &given)
    give(given, into: &actions)
    return !given.isEmpty
  }

  /// Gives the policy and each waiter what they are due, and ends an acquisition that nobody wants any longer.
  ///
  /// - Returns: Whether the machine heard of it.
  private mutating func settleAcquisition(at now: Now, into actions: inout [Action]) -> Bool {
    guard let acquisition else { return false }
    var new: Location?
    var isPolicyServed = false
    var isTimeOver = false
    if let deadline = demands.policyDeadline {
      isTimeOver = now.uptime >= deadline
      if let best = acquisition.outcome(at: now.date, isOver: isTimeOver) {
        isPolicyServed = true
        if acquisition.isNew(best, at: now.date) { new = best }
      }
      if isPolicyServed || isTimeOver { demands.policyDeadline = nil }
    }
    if !demands.all.isEmpty {
      demands.endWaiters({ $0.outcome(at: now, in: acquisition) }) { id, result in
        switch result {
        case .success(let best):
          if acquisition.isNew(best, at: now.date), best.timestamp > new?.timestamp ?? .distantPast { new = best }
          actions.append(.give(best, to: id))
          actions.append(.finish(id, nil))
        case .failure(let failure):
          isTimeOver = true
          actions.append(.finish(id, failure))
        }
      }
    }
    if demands.wantNoGPS {
      if let new, staysOn(after: new, at: now) {
        raise(.fixAccepted, .location(new), at: now, into: &actions)
        if let planner { acquire(under: planner.policy(for: policy, at: now.uptime), at: now) }
      } else if let new {
        raise(.acquired, .location(new), at: now, into: &actions)
      } else {
        let candidate = acquisition.candidate(at: now.date)
        raise(
          .acquisitionFailed, .failure(isTimeOver ? .timeLimit(best: candidate) : .cancelled), at: now, into: &actions)
      }
      return true
    }
    guard isPolicyServed, let new else { return false }
    raise(.fixAccepted, .location(new), at: now, into: &actions)
    return true
  }

  /// Whether the next look would be due as soon as the receiver is off.
  private func staysOn(after location: Location, at now: Now) -> Bool {
    guard var planner, !isOutOfTime else { return false }
    planner.find(location, after: lookTook(at: now))
    return planner.staysOn
  }

  /// How long the acquisition took to its first location; `nil` for those after it.
  private func lookTook(at now: Now) -> Duration? { hasDelivered ? nil : now.uptime - acquisitionBegan }

  /// Where the device probably is, where an error bound is set.
  func estimate(at now: Now) -> Estimate? {
    guard var planner else { return nil }
    planner.count(to: now.uptime)
    return planner.estimate(at: now.date)
  }

  /// Waiters outside an acquisition wait on while the permission is being asked for, and no longer.
  private mutating func settleWaiters(at now: Now, into actions: inout [Action]) {
    guard !demands.all.isEmpty else { return }
    let refusal: AcquisitionFailure? =
      switch state {
      case .initial: .accessNotRequested
      case .denied: .accessDenied
      case .paused: .paused
      case .prompted, .waitingSignificantChange, .acquiring: nil
      }
    demands.endWaiters({ one in
      if let refusal { return .failure(refusal) }
      return now.uptime >= one.deadline ? .failure(.timeLimit(best: nil)) : nil
    }) { actions.append(.finish($0, $1.failure)) }
  }

  private mutating func setTimer(at now: Now, into actions: inout [Action]) {
    var deadline = earlier(promptDeadline, demands.deadline(whileAcquiring: state == .acquiring))
    if state == .waitingSignificantChange { deadline = earlier(deadline, planner?.nextDue(at: now.uptime)) }
    guard deadline != timer else { return }
    timer = deadline
    actions.append(.setTimer(deadline))
  }
}

extension LocationCore.Input {
  /// Whether the app runs again after the end of its background time. Fixes and errors may still arrive before it is suspended.
  fileprivate var showsThatTheAppRuns: Bool {
    switch self {
    case .command, .begin, .errorBound: true
    case .report(.significantChange), .report(.regionExited), .report(.motion), .report(.cell), .report(.timer): true
    case .report(.wakeSources(let sources)): sources.contains(.timersWhileAsleep)
    case .report(.promptShown), .report(.authorization), .report(.fixes), .report(.failure), .report(.replaced): false
    case .policy, .promptTimeLimit, .callBack, .end, .release: false
    }
  }
}

extension Acquisition.Verdict {
  fileprivate var isRejection: Bool {
    if case .rejected = self { true } else { false }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

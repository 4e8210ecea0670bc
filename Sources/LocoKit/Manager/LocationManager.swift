import Foundation

/// Finds the device's location on little battery.
///
/// Make one, add listeners, and ask for the permission; from then on it sleeps until the device has moved to another cell,
/// turns the GPS on until a fix is good enough or a short time has passed, and turns it off again.
///
/// ```swift
/// let manager = LocationManager(provider: provider)
/// manager.listeners.add(self)
/// manager.tryPromptAuthorization()
/// ```
///
/// A manager belongs to the actor that made it: the main actor in an app, an actor of its own in a daemon. It is not
/// `Sendable`, its listeners are called in its owner's isolation, and nothing in it runs at the same time as anything else.
/// A command or a report becomes an event; the ``LocationMachine`` says what comes of it; then the state is set, the
/// hardware is commanded, effects run, and the listeners are told, in this order. Commands given by a listener wait until
/// all listeners have been told.
public final class LocationManager {
  /// What the manager is in.
  public private(set) var state: LocationState
  /// Whether locations may be used, as the provider last said.
  public private(set) var authorization: Authorization
  /// The last location delivered, in this launch or, through the store, in an earlier one.
  public var location: Location? { lastLocation }
  /// Who is told. Held weakly.
  public let listeners = ListenerRegistry()
  /// What counts as a good fix. A change applies from the next acquisition on.
  public var policy: AcquisitionPolicy {
    get { ownPolicy ?? provider.recommendedPolicy }
    set { ownPolicy = newValue }
  }
  /// How long an answer to the prompt is awaited before ``state`` is ``LocationMachine/State/initial`` again, in which a
  /// late answer begins nothing: the app asks again. A minute unless set; at most a day.
  public var promptTimeLimit: Duration = .seconds(60) {
    didSet {
      precondition(
        promptTimeLimit > .zero && promptTimeLimit <= .seconds(86_400),
        "The prompt's time limit is more than 0 and at most a day.")
    }
  }
  /// How old a fix may be for ``acquire(desiredAccuracy:timeout:)`` when it comes: the first one often comes from a cache.
  public static let oldestMeasurement = Duration.seconds(5)
  /// The newest transitions, at most 32, oldest first: they answer "why is it off?" in a bug report. No location in them.
  public var recentTransitions: [Transition] { log.inOrder }

  private static let table = TransitionTable<LocationMachine>()
  private static let answersPerTurn = 1_000

  private let provider: any LocationProvider
  /// Whether another manager was given the provider: from then on this one commands nothing and keeps nothing.
  private var isReplaced = false
  private let store: (any LocationStore)?
  @Seldom private var ownPolicy: AcquisitionPolicy?
  @Seldom private var lastLocation: Location?
  private var log = TransitionLog()
  private var isTurning = false
  private var waiting: [Input] = []
  /// When the prompt expires, or when significant changes count again: the state says which.
  private var limit: Duration?
  @Seldom private var acquisition: Acquisition?
  private var wants: [Want] = []
  private var wantsMade = 0
  private var timer: Duration?
  private var updateStreams: [AsyncStream<Location>.Continuation] = []
  private var transitionStreams: [AsyncStream<Transition>.Continuation] = []
  @Seldom private var measurementStreams: [AsyncStream<JudgedFix>.Continuation]?
  @Seldom private var trackers: Trackers?
  @Seldom private var observers: Observers?
  private var receiver: ReceiverSettings?
  /// What the store has: a pause, when it was last given a location, and whether one was delivered since.
  private var saved: (pause: Bool, at: Duration?, isBehind: Bool)

  /// A manager in the state `init`: everything is off until the app asks for the permission. Where the store says that the
  /// app had paused, the state is `paused`, until the app resumes.
  ///
  /// So an app that is launched again, by the user or by a significant change in the background, makes its manager, calls
  /// ``tryPromptAuthorization()``, and goes on with what it did before.
  ///
  /// - Parameters:
  ///   - provider: The platform. It serves this manager alone: a manager that it served before lets go of it, and from then on
  ///     ignores every command.
  ///   - policy: What counts as a good fix; `nil` is what the provider recommends.
  ///   - store: Keeps the last location and a pause for the next launch; `nil` keeps them in memory alone.
  public init(provider: any LocationProvider, policy: AcquisitionPolicy? = nil, store: (any LocationStore)? = nil) {
    policy?.check()
    provider.onReport?(.replaced)
    self.provider = provider
    self.store = store
    saved = (pause: store?.isPaused == true, at: nil, isBehind: false)
    state = saved.pause ? .paused : LocationMachine.initialState
    authorization = provider.authorization
    ownPolicy = policy
    lastLocation = store?.location
    provider.setMode(state.mode)
    provider.onReport = { [weak self] in self?.take(.report($0)) }
  }

  deinit {
    guard !isReplaced else { return }
    provider.onReport = nil
    letGo()
  }

  /// Asks for the permission, unless this manager has heard that it is refused. With a permission already given, the
  /// first acquisition begins.
  public func tryPromptAuthorization() { take(.command(.tryPrompt)) }

  /// Asks for the permission, even where it was refused before.
  public func forcePromptAuthorization() { take(.command(.forcePrompt)) }

  /// Turns everything off and leaves it off until ``resume()``, whatever happens to the permission meanwhile.
  ///
  /// When this returns, nothing is on, and no location is delivered until the app resumes. Called by a listener, it takes
  /// effect after all listeners have been told of the present event. Does nothing before the permission is given.
  public func pause() { take(.command(.pause)) }

  /// Goes on after a pause: an acquisition begins. Does nothing where there was no pause.
  public func resume() { take(.command(.resume)) }

  /// Begins an acquisition without waiting for a significant change. Does nothing in other states than
  /// `waitingSignificantChange`: while acquiring, a location is on its way already.
  public func forceAcquireLocation() { take(.command(.forceAcquire)) }
}

@available(*, unavailable)
extension LocationManager: Sendable {}

// MARK: - For async code

extension LocationManager {
  /// The locations delivered from now on, for one consumer. Ask anew for each.
  ///
  /// A consumer that is slow gets the 16 newest. Consuming turns nothing on.
  public var updates: AsyncStream<Location> {
    let (stream, continuation) = AsyncStream<Location>.makeStream(bufferingPolicy: .bufferingNewest(16))
    updateStreams.append(continuation)
    return stream
  }

  /// The transitions made from now on, for one consumer. Ask anew for each.
  ///
  /// A consumer that is slow gets the 64 newest.
  public var transitions: AsyncStream<Transition> {
    let (stream, continuation) = AsyncStream<Transition>.makeStream(bufferingPolicy: .bufferingNewest(64))
    transitionStreams.append(continuation)
    return stream
  }

  /// Every fix from now on with what became of it, for one consumer that shows them. Ask anew for each.
  ///
  /// A consumer that is slow gets the 64 newest. Consuming turns nothing on.
  public var measurements: AsyncStream<JudgedFix> {
    let (stream, continuation) = AsyncStream<JudgedFix>.makeStream(bufferingPolicy: .bufferingNewest(64))
    measurementStreams = (measurementStreams ?? []) + [continuation]
    return stream
  }

  /// Every location, for as long as somebody consumes them.
  ///
  /// ```swift
  /// for await location in manager.track(desiredAccuracy: 50, distanceFilter: 100) {
  ///   show(location)
  /// }
  /// ```
  ///
  /// While somebody tracks, the state is `acquiring`, the GPS is on without a time limit, and the listeners hear of each of
  /// these locations. When the last consumer has ended, tracking turns into a bounded acquisition, and then sleeps. Where
  /// the permission is not given yet, or the app has paused, locations come when it is and when it resumes: a pause is off
  /// for those who track too.
  ///
  /// One that is slow gets the 16 newest. The receiver is used as the most demanding of all wants it, so a consumer may
  /// be glad of another's accuracy, but gets its own locations only. A distance filter saves no power; accuracies of 100
  /// m and more may, on Apple's platforms.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How accurate a location is at least, metres, more than 0.
  ///   - distanceFilter: How far from the last one a location is at least, unless it is more accurate. Metres, 0 or more.
  public func track(desiredAccuracy: Double = 100, distanceFilter: Double = 0) -> Tracking {
    precondition(
      desiredAccuracy > 0 && desiredAccuracy.isFinite,
      "The desired accuracy is a number of metres above 0, not one of Core Location's constants.")
    return Tracking(
      manager: self,
      settings: ReceiverSettings(desiredAccuracy: desiredAccuracy, distanceFilter: distanceFilter))
  }

  /// Every location that TTLocationHandler's rules accept, for as long as somebody consumes them.
  ///
  /// See ``track(desiredAccuracy:distanceFilter:)`` for what tracking is, and ``AcceptancePolicy`` for the rules, which begin
  /// from the manager's last location: a device that has not moved since gives none.
  public func track(accepting policy: AcceptancePolicy) -> Tracking {
    Tracking(
      manager: self,
      settings: ReceiverSettings(desiredAccuracy: policy.requiredAccuracy, distanceFilter: 0), acceptance: policy)
  }

  /// One location, as soon as a fix is accurate enough.
  ///
  /// Begins an acquisition, or joins the one that is running; the receiver stays on until this is satisfied or its time is
  /// over, and is turned off as soon as nobody else wants it. Fixes older than ``oldestMeasurement`` when they come are not
  /// used. Where the permission is still being asked for, waits for the answer. Listeners hear of the acquisition as of any
  /// other.
  ///
  /// Cancelling the task ends the wait at once, and then, in the isolation of the caller, what was on for it alone.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: A fix with this accuracy or a better one is returned at once. Metres, more than 0.
  ///   - timeout: How long to wait. When it is over, the best fix is returned if it is acceptable to the policy or desired
  ///     here. More than 0, at most a day.
  /// - Throws: ``AcquisitionFailure``, at once where the permission was not asked for or is refused and where the manager
  ///   is paused; `CancellationError` where the task is cancelled.
  public func acquire(desiredAccuracy: Double = 100, timeout: Duration = .seconds(30)) async throws -> Location {
    precondition(
      desiredAccuracy > 0 && desiredAccuracy.isFinite,
      "The desired accuracy is a number of metres above 0, not one of Core Location's constants.")
    precondition(timeout > .zero && timeout <= .seconds(86_400), "The timeout is more than 0 and at most a day.")
    try Task.checkCancellation()
    if let refusal { throw refusal }
    let (stream, waiter) = AsyncThrowingStream<Location, any Error>.makeStream(bufferingPolicy: .bufferingOldest(1))
    wantsMade += 1
    let want = Want(
      number: wantsMade, desiredAccuracy: desiredAccuracy,
      acceptableAccuracy: max(desiredAccuracy, policy.acceptableAccuracy),
      deadline: provider.uptime + timeout, waiter: waiter)
    wants.append(want)
    take(.want)
    defer { leave(want.number) }
    for try await location in stream { return location }
    throw CancellationError()
  }

  private func leave(_ number: Int) {
    guard let index = wants.firstIndex(where: { $0.number == number }) else { return }
    wants.remove(at: index)
    take(.wantLeft)
  }

  /// Adds one who tracks, a consumer, or the listeners alone where there is none. ``serveTrackers()`` turns the receiver on;
  /// the number ends it, and by then is known to whoever the listeners' answers make end it.
  func addTracker(
    _ settings: ReceiverSettings, accepting acceptance: AcceptancePolicy? = nil,
    _ continuation: AsyncStream<Location>.Continuation?
  ) -> Int {
    if isReplaced { continuation?.finish() }
    var trackers = trackers ?? Trackers()
    let number = trackers.add(settings, acceptance, last: location, continuation)
    self.trackers = trackers
    return number
  }

  /// Begins to track for those who were added.
  func serveTrackers() { take(.tracking) }

  /// Ends what ``addTracker(_:accepting:_:)`` began; once is enough.
  func endTracking(_ number: Int) {
    guard var trackers, trackers.remove(number) else { return }
    self.trackers = trackers.isEmpty ? nil : trackers
    take(.trackingEnded)
  }

  /// How long the system has been running.
  var uptime: Duration { provider.uptime }

  /// Begins to tell somebody within the library of each fix and failure; the number ends it.
  func observe(
    onFix: @escaping (JudgedFix) -> Void, onFailure: @escaping (ProviderFailure) -> Void,
    onDeadline: @escaping () -> Void, onInterruption: @escaping () -> Void
  ) -> Int {
    var observers = observers ?? Observers()
    defer { self.observers = observers }
    return observers.add(
      onFix: onFix, onFailure: onFailure, onDeadline: onDeadline, onInterruption: onInterruption)
  }

  /// Ends what ``observe(onFix:onFailure:onDeadline:onInterruption:)`` began.
  func stopObserving(_ number: Int) {
    guard var observers else { return }
    observers.remove(number)
    self.observers = observers.isEmpty ? nil : observers
  }

  /// Calls an observer back when the time has come; `nil` does not.
  func setDeadline(_ deadline: Duration?, of number: Int) {
    guard var observers else { return }
    observers.setDeadline(deadline, of: number)
    self.observers = observers
    if !isTurning, !isReplaced { setTimer() }
  }

  /// Has the receiver give a fresh fix, where it is on.
  func restartReceiver() {
    if state.mode == .gps, !isReplaced { provider.restartReceiver() }
  }

  /// Why nobody can be given a location in this state; `nil` where one may come.
  private var refusal: AcquisitionFailure? {
    if isReplaced { return .cancelled }
    return switch state {
    case .initial: .accessNotRequested
    case .denied: .accessDenied
    case .paused: .paused
    case .prompted, .waitingSignificantChange, .acquiring: nil
    }
  }
}

// MARK: - One turn at a time

extension LocationManager {
  /// What a turn begins with.
  private enum Input {
    case command(LocationMachine.Event)
    case report(ProviderReport)
    case want
    case wantLeft
    case tracking
    case trackingEnded
  }

  /// Somebody who wants a fix: a waiter, or the policy itself.
  private struct Want {
    let number: Int
    let desiredAccuracy: Double
    let acceptableAccuracy: Double
    let deadline: Duration
    let waiter: AsyncThrowingStream<Location, any Error>.Continuation?
    /// The best of the fixes that came since this is wanted; a waiter's own.
    @Seldom var best: Location?

    /// Takes a fix for the best if it is, or if the best is older than `limit`.
    mutating func consider(_ fix: Location, at date: Date, limit: Duration) {
      guard date.timeIntervalSince(fix.timestamp) <= LocationManager.oldestMeasurement.inSeconds else {
        return
      }
      if let best, date.timeIntervalSince(best.timestamp) <= limit.inSeconds,
        fix.horizontalAccuracy > best.horizontalAccuracy
      {
        return
      }
      best = fix
    }
  }

  /// What an event has with it.
  private enum Enclosed {
    case nothing
    case location(Location)
    case change(Location?, trigger: Date)
    case failure(AcquisitionFailure)
    case want
  }

  private func take(_ input: Input) {
    // At once, in the middle of a turn too: the provider serves the other manager from now on.
    if case .report(.replaced) = input { return replaced() }
    if isReplaced {
      if case .command(let event) = input { tellIgnored(event, "Another manager has been given this one's provider.") }
      return
    }
    guard !isTurning else {
      waiting.append(input)
      return
    }
    isTurning = true
    turn(input)
    var answers = 0
    while !waiting.isEmpty {
      answers += 1
      precondition(
        answers <= Self.answersPerTurn,
        "Listeners answer each other without end: each of 1,000 turns in a row gave the next command.")
      turn(waiting.removeFirst())
    }
    isTurning = false
  }

  private func turn(_ input: Input) {
    switch input {
    case .command(let event): command(event)
    case .want: if state == .waitingSignificantChange { handle(.forceAcquire, .want) }
    // Whoever wanted it may have left since.
    case .tracking: if trackers != nil, state == .waitingSignificantChange { handle(.trackingRequested, .want) }
    case .trackingEnded: boundAcquisition()
    case .wantLeft: break
    case .report(let report): handle(report)
    }
    guard !isReplaced else { return }
    settle()
    setReceiver()
    if var observers {
      let due = observers.takeDue(at: provider.uptime)
      self.observers = observers
      for call in due { call() }
    }
    if !isReplaced { setTimer() }
  }

  /// What the app commands; a command that the machine ignores is told with the table's reason.
  private func command(_ event: LocationMachine.Event) {
    if case .ignore(let reason) = Self.table[state: state, event: event] { return tellIgnored(event, reason) }
    handle(event)
  }

  private func tellIgnored(_ event: LocationMachine.Event, _ reason: String) {
    listeners.tell { $0.locationManager(self, didIgnore: event, because: reason) }
  }

  /// Another manager was given the provider.
  private func replaced() {
    guard !isReplaced else { return }
    letGo()
    isReplaced = true
    (updateStreams, transitionStreams, measurementStreams) = ([], [], nil)
    (trackers, observers, wants, waiting) = (nil, nil, [], [])
  }

  /// Turns off what this manager has turned on, stores what is left, and ends everybody who waits for something.
  private func letGo() {
    provider.setTimer(nil)
    provider.setMode(.off)
    for stream in updateStreams { stream.finish() }
    for stream in transitionStreams { stream.finish() }
    for stream in measurementStreams ?? [] { stream.finish() }
    trackers?.finish()
    for want in wants { want.waiter?.finish(throwing: AcquisitionFailure.cancelled) }
    save(evenIfRecent: true)
  }

  private func handle(_ report: ProviderReport) {
    if case .failure(let failure) = report, let observers {
      for observer in observers.all { observer.onFailure(failure) }
    }
    switch report {
    case .promptShown:
      if state == .prompted { listeners.tell { $0.locationManagerDidPromptAccess(self) } }
    case .authorization(let authorization):
      let isNew = authorization != self.authorization
      self.authorization = authorization
      handle(authorization.event)
      if isNew { listeners.tell { $0.locationManager(self, didChangeAuthorization: authorization) } }
    case .fixes(let fixes):
      for fix in fixes { judge(fix.withoutNonFinite) }
    case .significantChange(let change):
      let change = change?.withoutNonFinite
      // Whether the cool-down is over is read, not awaited.
      if state == .waitingSignificantChange, let limit, provider.uptime < limit { break }
      handle(.significantChange, .change(change, trigger: min(change?.timestamp ?? provider.date, provider.date)))
    case .failure(.locationUnknown):
      break
    case .failure(.accessDenied):
      handle(.refused)
    case .failure(.other):
      guard changeAcquisition({ $0.countError() }) == true else { break }
      for want in wants { want.waiter?.finish(throwing: AcquisitionFailure.tooManyErrors) }
      wants = []
      // Those who track have no limit: the receiver may be well again.
      guard trackers == nil else { break }
      handle(.acquisitionFailed, .failure(.tooManyErrors))
    case .timer:
      timer = nil
    case .replaced:
      preconditionFailure("A replaced manager lets go before a turn begins.")
    }
  }

  private func judge(_ fix: Location) {
    let date = provider.date
    let verdict = changeAcquisition { $0.judge(fix, at: date) } ?? .rejected(.notListening)
    if measurementStreams != nil { Self.send(JudgedFix(fix: fix, verdict: verdict), to: &measurementStreams) }
    if let observers { for observer in observers.all { observer.onFix(JudgedFix(fix: fix, verdict: verdict)) } }
    switch verdict {
    case .rejected(let reason) where reason != .worseThanCandidate:
      listeners.tell { $0.locationManager(self, didReject: fix, because: reason) }
    case .rejected, .candidate, .acquired:
      for index in wants.indices where wants[index].waiter != nil {
        wants[index].consider(fix, at: date, limit: policy.maximumAge)
      }
      if var trackers {
        let given = trackers.give(fix, at: date, uptime: provider.uptime)
        self.trackers = trackers
        deliver(given)
        if given.contains(fix) { return }
      }
      if case .rejected(let reason) = verdict {
        listeners.tell { $0.locationManager(self, didReject: fix, because: reason) }
      }
    }
  }

  /// What those who track were given, the listeners are given too, if it is newer than what they had, and not too old.
  private func deliver(_ locations: [Location]) {
    for location in locations {
      let date = provider.date
      guard let acquisition, acquisition.isFresh(location, at: date), acquisition.isNew(location, at: date) else {
        continue
      }
      handle(.fixAccepted, .location(location))
    }
  }

  /// Nobody tracks any more: what is left is an acquisition like any other, of which nothing has been delivered yet.
  private func boundAcquisition() {
    guard trackers == nil, state == .acquiring else { return }
    acquisition = Acquisition(policy: policy, previous: location)
    wants.removeAll { $0.waiter == nil }
    wants.append(policyWant)
  }

  /// Reads the acquisition, changes it and puts it back: changing it in its place would allocate.
  @discardableResult
  private func changeAcquisition<Result>(_ change: (inout Acquisition) -> Result) -> Result? {
    guard var acquisition else { return nil }
    defer { self.acquisition = acquisition }
    return change(&acquisition)
  }

  /// The machine's answer: the state, the hardware, the effects, the listeners.
  private func handle(_ event: LocationMachine.Event, _ enclosed: Enclosed = .nothing) {
    guard !isReplaced else { return }
    let step = Self.table.step(from: state, on: event)
    guard step.kind != .ignored else { return }
    let from = state
    var transition: Transition?
    if step.kind == .external {
      transition = Transition(from: from, event: event, to: step.next, date: provider.date)
      leaveState()
      state = step.next
      if let transition { log.append(transition) }
      enterState(enclosed)
      setReceiver()
      if from.mode != state.mode { provider.setMode(state.mode) }
    }
    for index in step.effects { run(Self.table.effects[index], enclosed) }
    if let transition {
      listeners.tell { $0.locationManager(self, didTransition: transition) }
      Self.send(transition, to: &transitionStreams)
    }
    for index in step.effects { tell(Self.table.effects[index], enclosed) }
    // The disk comes last: whatever it takes, the receiver is off and everybody has been told.
    if !isReplaced { save(evenIfRecent: state != .acquiring) }
  }

  private func leaveState() {
    if state == .acquiring, let observers { for observer in observers.all { observer.onInterruption() } }
    if state == .acquiring, var trackers {
      trackers.endWaits()
      self.trackers = trackers
    }
    limit = nil
    acquisition = nil
    wants.removeAll { $0.waiter == nil }
  }

  private func enterState(_ enclosed: Enclosed) {
    let now = provider.uptime
    switch state {
    case .prompted:
      limit = now + promptTimeLimit
    case .acquiring:
      var trigger: Date?
      if case .change(_, let date) = enclosed { trigger = date }
      acquisition = Acquisition(policy: policy, trigger: trigger, previous: location)
      // An acquisition that begins for a waiter is the waiter's; any other is the policy's.
      if case .want = enclosed { break }
      wants.append(policyWant)
    case .waitingSignificantChange:
      limit = now + policy.cooldown
    case .initial, .denied, .paused:
      break
    }
  }

  private var policyWant: Want {
    Want(
      number: 0, desiredAccuracy: policy.desiredAccuracy, acceptableAccuracy: policy.acceptableAccuracy,
      deadline: provider.uptime + policy.timeLimit, waiter: nil)
  }

  private func run(_ effect: LocationMachine.Effect, _ enclosed: Enclosed) {
    switch effect {
    case .requestAuthorization:
      provider.requestAuthorization()
    case .deliverLocation:
      guard case .location(let location) = enclosed else {
        preconditionFailure("Only an event with a location delivers one.")
      }
      lastLocation = location
      saved.isBehind = true
      changeAcquisition { $0.delivered(location) }
    case .notify:
      break
    }
  }

  /// Keeps a pause and the last location for the next launch. While the GPS stays on locations may come every second: then
  /// the store is written every ten seconds, and at the end.
  private func save(evenIfRecent: Bool) {
    guard let store else { return }
    let isPaused = state == .paused
    if isPaused != saved.pause {
      store.isPaused = isPaused
      saved.pause = isPaused
    }
    guard saved.isBehind else { return }
    let now = provider.uptime
    if !evenIfRecent, let at = saved.at, now - at < .seconds(10) { return }
    store.location = lastLocation
    (saved.at, saved.isBehind) = (now, false)
  }

  private func tell(_ effect: LocationMachine.Effect, _ enclosed: Enclosed) {
    switch (effect, enclosed) {
    case (.requestAuthorization, _):
      break
    case (.deliverLocation, .location(let location)):
      listeners.tell { $0.locationManager(self, didUpdate: location) }
      Self.send(location, to: &updateStreams)
    case (.notify(.accessGranted), _):
      listeners.tell { $0.locationManagerDidGrantAccess(self) }
    case (.notify(.accessDenied), _):
      listeners.tell { $0.locationManagerDidDenyAccess(self) }
    case (.notify(.promptExpired), _):
      listeners.tell { $0.locationManagerPromptDidExpire(self) }
    case (.notify(.significantChange), .change(let change, _)):
      listeners.tell { $0.locationManager(self, didDetectSignificantChange: change) }
    case (.notify(.forceAcquire), _):
      listeners.tell { $0.locationManagerDidForceAcquire(self) }
    case (.notify(.acquisitionFailed), .failure(let failure)):
      listeners.tell { $0.locationManager(self, didFailToAcquire: failure) }
    case (.notify(.paused), _):
      listeners.tell { $0.locationManagerDidPause(self) }
    case (.notify(.resumed), _):
      listeners.tell { $0.locationManagerDidResume(self) }
    case (.deliverLocation, _), (.notify(.significantChange), _), (.notify(.acquisitionFailed), _):
      preconditionFailure("An event must have with it what its effects tell.")
    }
  }

  /// Gives a value to each consumer, and forgets those who have gone.
  private static func send<Element: Sendable>(_ element: Element, to streams: inout [AsyncStream<Element>.Continuation])
  {
    streams.removeAll { stream in
      if case .terminated = stream.yield(element) { true } else { false }
    }
  }

  private static func send<Element: Sendable>(
    _ element: Element, to streams: inout [AsyncStream<Element>.Continuation]?
  ) {
    guard var present = streams else { return }
    send(element, to: &present)
    streams = present.isEmpty ? nil : present
  }
}

// MARK: - What is read at every turn

extension LocationManager {
  /// Gives each want what it is due, and ends what nobody wants any longer.
  private func settle() {
    if state == .prompted, let limit, provider.uptime >= limit { handle(.promptExpired) }
    if state == .acquiring, var trackers {
      let given = trackers.expire(at: provider.date, uptime: provider.uptime)
      self.trackers = trackers
      deliver(given)
    }
    if let acquisition { settle(acquisition) }
    settleWaiters()
  }

  private func settle(_ acquisition: Acquisition) {
    let now = provider.uptime
    let date = provider.date
    let candidate = acquisition.candidate(at: date)
    // Mostly nothing is due.
    guard candidate != nil || wants.isEmpty || wants.contains(where: { $0.waiter != nil || now >= $0.deadline }) else {
      return
    }
    var new: Location?
    var policyIsServed = false
    var timeIsOver = false
    wants.removeAll { want in
      let isOver = now >= want.deadline
      timeIsOver = timeIsOver || isOver
      let best = want.waiter == nil ? candidate : want.best.flatMap { acquisition.isFresh($0, at: date) ? $0 : nil }
      if let best, best.horizontalAccuracy <= (isOver ? want.acceptableAccuracy : want.desiredAccuracy) {
        policyIsServed = policyIsServed || want.waiter == nil
        if acquisition.isNew(best, at: date), best.timestamp > new?.timestamp ?? .distantPast { new = best }
        want.waiter?.yield(best)
        want.waiter?.finish()
        return true
      }
      if isOver { want.waiter?.finish(throwing: AcquisitionFailure.timeLimit(best: best)) }
      return isOver
    }
    if wants.isEmpty, trackers == nil {
      if let new {
        handle(.acquired, .location(new))
      } else {
        handle(.acquisitionFailed, .failure(timeIsOver ? .timeLimit(best: candidate) : .cancelled))
      }
    } else if policyIsServed, let new {
      handle(.fixAccepted, .location(new))
    }
  }

  /// Waiters outside an acquisition: they wait on while the permission is being asked for, and no longer.
  private func settleWaiters() {
    guard !wants.isEmpty, acquisition == nil else { return }
    let failure = refusal
    let now = provider.uptime
    wants.removeAll { want in
      if let failure {
        want.waiter?.finish(throwing: failure)
      } else if now >= want.deadline {
        want.waiter?.finish(throwing: AcquisitionFailure.timeLimit(best: nil))
      } else {
        return false
      }
      return true
    }
  }

  /// Tells the receiver what all who want something of it want.
  private func setReceiver() {
    var settings: ReceiverSettings?
    if state.mode == .gps {
      let bounded = wants.isEmpty ? nil : ReceiverSettings.everything
      // Mostly nobody tracks.
      settings =
        trackers.map { ReceiverSettings.serving($0.settings + (bounded.map { [$0] } ?? []), isPaused: false) }
        ?? bounded
    }
    guard settings != receiver else { return }
    receiver = settings
    if let settings { provider.setReceiver(settings) }
  }

  private func setTimer() {
    var deadline = state == .prompted ? limit : nil
    for want in wants where want.deadline < deadline ?? .seconds(Int64.max) { deadline = want.deadline }
    if state == .acquiring, let due = trackers?.deadline, due < deadline ?? .seconds(Int64.max) { deadline = due }
    if let due = observers?.deadline, due < deadline ?? .seconds(Int64.max) { deadline = due }
    guard deadline != timer else { return }
    timer = deadline
    provider.setTimer(deadline)
  }
}

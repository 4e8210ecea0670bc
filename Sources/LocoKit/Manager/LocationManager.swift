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
/// hardware is commanded, the listeners are told, and the store is written, in this order. Commands given by a listener wait
/// until all listeners have been told.
public final class LocationManager {
  /// The current state.
  ///
  /// ```swift
  /// let isGPSOn = manager.state.mode == .gps
  /// ```
  public var state: LocationState { turns.core.state }
  /// Whether locations may be used, as the provider last said.
  ///
  /// ```swift
  /// if manager.authorization == .whenInUse { offerAlways() }
  /// ```
  public var authorization: Authorization { turns.core.authorization }
  /// The last location delivered, in this launch or, through the store, in an earlier one.
  ///
  /// ```swift
  /// if let last = manager.location, Date.now.timeIntervalSince(last.timestamp) < 600 { show(last) }
  /// ```
  public var location: Location? { turns.core.location }
  /// How the device moves, as the provider last reported; `nil` before its first report, and while its motion sensor is off.
  ///
  /// ```swift
  /// let isDriving = manager.motion == .vehicle || manager.motion == .standing
  /// ```
  ///
  /// A provider reports what it knows: see ``WakeSources/motion``. ``CoreLocationProvider`` uses the sensor while an ``errorBound`` keeps the
  /// app running.
  public var motion: Motion? { turns.core.motion }
  /// The battery, as the provider last reported; `nil` where no provider has.
  ///
  /// ```swift
  /// let isLow = manager.battery?.level.map { $0 < 0.2 } ?? false
  /// ```
  ///
  /// ``CoreLocationProvider`` reports it with ``CoreLocationProvider/Configuration/reportsBattery``.
  public var battery: LocationManager.BatteryStatus? { turns.core.battery }
  /// The listeners, in order of registration, held weakly.
  public let listeners = ListenerRegistry<any LocationManagerListener>()
  /// What counts as a good fix. A change applies from the next acquisition on.
  ///
  /// ```swift
  /// manager.policy.desiredAccuracy = 30
  /// manager.policy.timeLimit = .seconds(10)
  /// ```
  ///
  /// - Precondition: Each value is in the range that ``AcquisitionPolicy`` gives for it.
  public var policy: AcquisitionPolicy {
    didSet {
      policy.check()
      enqueue(.policy(policy))
    }
  }
  /// How long an answer to the prompt is awaited before ``state`` is ``LocationMachine/State/initial`` again, in which a
  /// late answer begins nothing: the app asks again. A minute unless set; more than 0, at most a day. A change applies from the
  /// next prompt on.
  ///
  /// ```swift
  /// manager.promptTimeLimit = .seconds(300)
  /// manager.tryPromptAuthorization()
  /// ```
  package var promptTimeLimit = LocationMachine.promptTimeLimit {
    didSet {
      precondition(
        promptTimeLimit > .zero && promptTimeLimit <= .seconds(86_400),
        "The prompt's time limit must be more than 0 and at most a day, not \(promptTimeLimit.inSeconds) s.")
      enqueue(.promptTimeLimit(promptTimeLimit))
    }
  }
  /// How far off the last location may be, in metres, ``minimumErrorBound`` or more: then the manager decides by itself when to
  /// look, so that it hardly ever is farther off. `nil`, as in the beginning, is Loco's rule: it looks at significant changes alone.
  ///
  /// ```swift
  /// manager.errorBound = 500
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// A look stops at a third of the bound, and may take as long as ``AcquisitionPolicy/lookLimits`` say. How well the bound is kept,
  /// and what that costs, depends on what the provider has to wake with, ``LocationProvider/wakeSources``: see
  /// *Choosing a bound*. It is not stored: set it in each launch, before ``tryPromptAuthorization()``.
  ///
  /// - Precondition: A bound is ``minimumErrorBound`` or more, and finite.
  public var errorBound: Double? {
    didSet {
      if let errorBound, let problem = LookPlanner.problem(withBound: errorBound) { preconditionFailure(problem) }
      enqueue(.errorBound(errorBound))
    }
  }
  /// The location whose error ``errorBound`` limits: the last one, or the ``estimate``, which takes a third to two thirds of the GPS time on
  /// the road. It isn't stored: set it in each launch.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  public var boundTarget: LocationManager.BoundTarget {
    get { turns.core.boundTarget }
    set { enqueue(.boundTarget(newValue)) }
  }
  /// Where the device probably is by now, where an ``errorBound`` is set and a fix was found since: straight on from the
  /// last location for as long as that is likely. Reckoned when it is read, which takes a microsecond or less; nothing is turned on.
  ///
  /// ```swift
  /// if let here = manager.estimate, here.accuracy < 400 { showStops(near: here.latitude, here.longitude) }
  /// ```
  public var estimate: LocationManager.Estimate? {
    turns.core.estimate(at: LocationCore.Now(uptime: provider.uptime, date: provider.date))
  }
  /// The smallest ``errorBound``: 100 m. Fixes are some tens of metres off and take seconds to find.
  ///
  /// ```swift
  /// manager.errorBound = max(slider.value, LocationManager.minimumErrorBound)
  /// ```
  package static let minimumErrorBound = LookPlanner.leastBound
  /// How old a fix may be for ``acquire(desiredAccuracy:maximumAge:timeout:)`` when it comes: the first one often comes from a cache.
  package static let maximumFixAge = OneLocation.maximumFixAge
  /// The newest transitions, at most 32, oldest first: they answer "why is it off?" in a bug report. No location in them.
  ///
  /// ```swift
  /// let report = manager.recentTransitions.map(\.description).joined(separator: "\n")
  /// ```
  public var recentTransitions: [LocationManager.Transition] { log.inOrder }

  /// All that is decided, for rules that are checked from outside.
  var core: LocationCore { turns.core }

  private let turns: Turns<LocationCore>
  private let provider: any LocationProvider
  // Turns read or change the properties below between the accesses to the core. Overlapping accesses aren't checked at run time.
  // There are none: a log calls nobody, and a stream that is sent an element resumes its consumer later.

  /// The provider, where it connects the manager to a journal: until another manager has the provider.
  @exclusivity(unchecked) private var observer: (any TurnObserver)?
  private let store: (any LocationStore)?
  @exclusivity(unchecked) private var log = RecentLog<LocationManager.Transition>()
  @exclusivity(unchecked) private var handles: [(id: Demand.ID, handle: Handle)] = []
  private var nextDemandID: Demand.ID
  @exclusivity(unchecked) var updateConsumers = Broadcast<Location>()
  @exclusivity(unchecked) var transitionConsumers = Broadcast<LocationManager.Transition>()
  @exclusivity(unchecked) var measurementConsumers = Broadcast<LocationManager.JudgedFix>()
  private let line = Line()

  /// Leads the provider's reports to the manager, until the manager is deinitialized.
  ///
  /// A weak reference does the same. But once an object was referenced weakly, each retain and release of it takes longer.
  private final class Line {
    unowned var manager: LocationManager?
  }

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
    let policy = policy ?? provider.recommendedPolicy
    policy.check()
    provider.onReport?(.replaced)
    self.provider = provider
    self.store = store
    self.policy = policy
    observer = provider as? any TurnObserver
    nextDemandID = observer?.firstDemandID ?? Demand.policyID + 1
    var location = store?.location
    if let stored = location, let observer { location = observer.recalled(stored) }
    turns = Turns(
      LocationCore(
        authorization: provider.authorization, policy: policy, wakeSources: provider.wakeSources,
        location: location, isPaused: store?.isPaused == true))
    provider.setMode(turns.core.state.mode)
    observer?.begin(turns.core)
    line.manager = self
    provider.onReport = { [line] in line.manager?.receive($0) }
    observer?.onInput = { [line] in line.manager?.play($0) }
  }

  deinit {
    line.manager = nil
    if turns.core.isReleased { return }
    provider.onReport = nil
    release()
  }

  /// Asks for the permission, unless this manager has heard that it is refused. With a permission already given, the
  /// first acquisition begins.
  ///
  /// ```swift
  /// // At launch, and whenever the permission changes: starts if it is given, and never shows a prompt.
  /// if manager.authorization.isAuthorized { manager.tryPromptAuthorization() }
  /// ```
  ///
  /// A permission alone starts nothing. An app that was refused when it was launched, and whose user then allows it in the
  /// settings, stays in the state ``LocationMachine/State/initial`` until it calls this: call it from
  /// ``LocationManagerListener/locationManager(_:didChangeAuthorization:)``.
  public func tryPromptAuthorization() { enqueue(.command(.tryPrompt)) }

  /// Asks for the permission, even where it was refused before.
  ///
  /// ```swift
  /// // The user presses "Use my location" after all.
  /// if manager.state == .denied { manager.forcePromptAuthorization() }
  /// ```
  public func forcePromptAuthorization() { enqueue(.command(.forcePrompt)) }

  /// Turns everything off and leaves it off until ``resume()``, whatever happens to the permission meanwhile.
  ///
  /// ```swift
  /// func sharingChanged(to isOn: Bool) {
  ///   if isOn { manager.resume() } else { manager.pause() }
  /// }
  /// ```
  ///
  /// When this returns, nothing is on, and no location is delivered until the app resumes. Called by a listener, it takes
  /// effect after all listeners have been told of the present event. Does nothing before the permission is given.
  public func pause() { enqueue(.command(.pause)) }

  /// Goes on after a pause: an acquisition begins. Does nothing where there was no pause.
  public func resume() { enqueue(.command(.resume)) }

  /// Begins an acquisition without waiting for a significant change. Does nothing in other states than
  /// `waitingSignificantChange`: while acquiring, a location is on its way already.
  ///
  /// ```swift
  /// // The user has pulled to refresh; the listeners are given the location.
  /// manager.forceAcquireLocation()
  /// ```
  ///
  /// Each call may keep the GPS on for the policy's ``AcquisitionPolicy/timeLimit``, and nothing limits how often an app calls
  /// it: a listener that calls it in each `didUpdate` keeps the GPS on as long as there are fixes. For every location use
  /// ``track(desiredAccuracy:distanceFilter:)``, for a recent one ``errorBound``.
  public func forceAcquireLocation() { enqueue(.command(.forceAcquire)) }
}

@available(*, unavailable)
extension LocationManager: Sendable {}

// MARK: - Demands

extension LocationManager {
  /// What somebody who wants something is reached by.
  enum Handle {
    case waiter(AsyncThrowingStream<Location, any Error>.Continuation)
    case consumer(AsyncStream<Location>.Continuation)
    /// A part of the library that receives every fix and failure, in the middle of a turn.
    case observer((Notice) -> Void)
    /// The listeners: they receive the locations of every demand.
    case listeners

    fileprivate var observer: ((Notice) -> Void)? {
      if case .observer(let observer) = self { observer } else { nil }
    }
  }

  /// What an observer receives.
  enum Notice {
    case fix(LocationManager.JudgedFix)
    case failure(ProviderFailure)
    /// The GPS goes off.
    case interrupted
    /// The app has paused.
    case paused
    /// The observer's alarm is due.
    case due
    /// The ``LocationManager/motion`` has changed.
    case motion(Motion)
    /// What the motion sensor stored while the app was suspended.
    case pastMotion([Motion.Change])
    /// The device has left a region, the place of a visit, or a cell.
    case departed
  }

  /// Makes an identifier for a demand, and keeps how its owner is reached.
  func makeDemand(_ handle: Handle) -> Demand.ID {
    let id = nextDemandID
    nextDemandID += 1
    handles.append((id, handle))
    return id
  }

  /// Begins a demand, or replaces what it wants.
  func begin(_ id: Demand.ID, _ want: Demand.Want) { enqueue(.begin(id, want)) }

  /// Calls an observer back at an uptime; `nil` cancels that.
  func setAlarm(_ id: Demand.ID, at time: Duration?) { enqueue(.setAlarm(id, at: time)) }

  /// Ends a demand, unless it has ended.
  func end(_ id: Demand.ID) {
    if finish(id, nil) { enqueue(.end(id)) }
  }

  /// Has the receiver give a fresh fix, if it is on.
  func restartReceiver() { enqueue(.restartReceiver) }

  /// How long the system has been running.
  var uptime: Duration { provider.uptime }
  /// What the clock on the wall says.
  var date: Date { provider.date }

  // The size of a handle is known at run time only. Functions that use one are not inlined: their caller would look the size up
  // and reserve memory in every turn.

  @inline(never)
  private func give(_ location: Location, to id: Demand.ID) {
    switch handle(of: id) {
    case .waiter(let waiter): waiter.yield(location)
    case .consumer(let consumer): consumer.yield(location)
    case .observer, .listeners, nil: break
    }
  }

  @inline(never)
  private func tell(_ id: Demand.ID, _ notice: Notice) { handle(of: id)?.observer?(notice) }

  @inline(never)
  private func tellObservers(_ notice: Notice) {
    for (_, handle) in handles { handle.observer?(notice) }
  }

  private func handle(of id: Demand.ID) -> Handle? { handles.first { $0.id == id }?.handle }

  /// Ends what a demand's owner waits for, and returns whether there was an owner.
  @inline(never)
  @discardableResult
  private func finish(_ id: Demand.ID, _ failure: AcquisitionFailure?) -> Bool {
    guard let index = handles.firstIndex(where: { $0.id == id }) else { return false }
    switch handles.remove(at: index).handle {
    case .waiter(let waiter): waiter.finish(throwing: failure)
    case .consumer(let consumer): consumer.finish()
    case .observer, .listeners: break
    }
    return true
  }
}

// MARK: - One turn at a time

extension LocationManager {
  private func now(for input: LocationCore.Input) -> LocationCore.Now {
    let now = LocationCore.Now(uptime: provider.uptime, date: provider.date)
    observer?.willTake(input, at: now)
    return now
  }

  private func enqueue(_ input: LocationCore.Input) {
    turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
    if let observer, !turns.isTurning { observer.didEndTurn() }
  }

  private func receive(_ report: ProviderReport) {
    if case .replaced = report { release() } else { enqueue(.report(report)) }
  }

  /// Handles an input that a journal plays in place of the manager's owner.
  private func play(_ input: LocationCore.Input) {
    switch input {
    case .policy(let policy): self.policy = policy
    case .promptTimeLimit(let limit): promptTimeLimit = limit
    case .errorBound(let bound): errorBound = bound
    default: enqueue(input)
    }
  }

  /// Releases the provider and everybody who waits, in the middle of a turn too: the provider serves another manager from now on.
  private func release() {
    turns.takeFirst(.release, at: { now(for: $0) }, carryOut: { carryOut($0) })
    updateConsumers.finish()
    transitionConsumers.finish()
    measurementConsumers.finish()
    // Handles stay: the core finishes a demand that is still pending after this turn.
    observer = nil
  }

  /// Carries out what the core has decided.
  private func carryOut(_ action: LocationCore.Action) {
    observer?.didDecide(action)
    switch action {
    case .setErrorBound(let bound): provider.setErrorBound(bound)
    case .setReceiver(let settings): provider.setReceiver(settings)
    case .setRegion(let region): provider.setRegion(region)
    case .setKeptRunning(let isKept): provider.setKeptRunning(isKept)
    case .setMode(let mode): provider.setMode(mode)
    case .setTimer(let deadline): provider.setTimer(deadline)
    case .restartReceiver: provider.restartReceiver()
    case .requestAuthorization: provider.requestAuthorization()
    case .transition(let transition):
      log.append(transition)
      listeners.tell { $0.locationManager(self, didTransition: transition) }
      transitionConsumers.send(transition)
    case .deliver(let location): deliver(location)
    case .notify(let notice): notify(notice)
    case .significantChange(let change):
      listeners.tell { $0.locationManager(self, didDetectSignificantChange: change) }
    case .look(let cause): listeners.tell { $0.locationManager(self, didBeginLookBecauseOf: cause) }
    case .acquisitionFailed(let failure):
      listeners.tell { $0.locationManager(self, didFailToAcquire: failure) }
    case .promptShown: listeners.tell { $0.locationManagerDidPromptAccess(self) }
    case .authorizationChanged(let authorization):
      listeners.tell { $0.locationManager(self, didChangeAuthorization: authorization) }
    case .motionChanged(let motion):
      listeners.tell { $0.locationManager(self, didChangeMotion: motion) }
      tellObservers(.motion(motion))
    case .departed: tellObservers(.departed)
    case .batteryChanged(let battery):
      listeners.tell { $0.locationManager(self, didChangeBattery: battery) }
    case .ignored(let event, let obstacle):
      let reason = obstacle.reason(for: event)
      listeners.tell { $0.locationManager(self, didIgnore: event, because: reason) }
    case .judged(let judged, let isUsed): tell(of: judged, isUsed: isUsed)
    case .give(let location, let id): give(location, to: id)
    case .giveFix(let judged, let id): tell(id, .fix(judged))
    case .finish(let id, let failure): finish(id, failure)
    case .callBack(let id): tell(id, .due)
    case .providerFailed: if let failure = turns.core.failure { tellObservers(.failure(failure)) }
    case .interrupted: tellObservers(.interrupted)
    case .movedBefore: tellObservers(.pastMotion(turns.core.pastMotion))
    case .savePause(let isPaused): store?.isPaused = isPaused
    case .save(let location): store?.location = location
    }
  }

  // Not inlined, the functions below copy the location once. Inlined, they copy it once for each listener.

  @inline(never)
  private func deliver(_ location: Location) {
    listeners.tell { $0.locationManager(self, didUpdate: location) }
    updateConsumers.send(location)
  }

  @inline(never)
  private func tell(of judged: LocationManager.JudgedFix, isUsed: Bool) {
    measurementConsumers.send(judged)
    guard !isUsed, case .rejected(let reason) = judged.verdict else { return }
    reject(judged.fix, because: reason)
  }

  @inline(never)
  private func reject(_ fix: Location, because reason: RejectionReason) {
    listeners.tell { $0.locationManager(self, didReject: fix, because: reason) }
  }

  private func notify(_ notice: LocationCore.Notice) {
    if notice == .paused { tellObservers(.paused) }
    listeners.tell { listener in
      switch notice {
      case .accessGranted: listener.locationManagerDidGrantAccess(self)
      case .accessDenied: listener.locationManagerDidDenyAccess(self)
      case .promptExpired: listener.locationManagerPromptDidExpire(self)
      case .forceAcquire: listener.locationManagerDidForceAcquire(self)
      case .paused: listener.locationManagerDidPause(self)
      case .resumed: listener.locationManagerDidResume(self)
      }
    }
  }
}

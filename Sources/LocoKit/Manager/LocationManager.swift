package import LocoFoundation

/// Finds the device's location with little battery power.
///
/// Create a manager, add listeners, and ask for the permission. After a first acquisition, the manager sleeps until a significant
/// change, turns the GPS on until a fix is good enough or a short time limit ends, and turns it off again.
///
/// ```swift
/// let manager = LocationManager(provider: provider)
/// manager.listeners.add(self)
/// manager.tryPromptAuthorization()
/// ```
///
/// With Observation (iOS 17, macOS 14), a manager is `Observable`. A SwiftUI view that reads its state, its last location, its health or
/// another property that the manager changes is updated after each event:
///
/// ```swift
/// struct Status: View {
///   let manager: LocationManager
///   var body: some View { Text(manager.state.rawValue) }
/// }
/// ```
///
/// A manager doesn't announce the changes of time alone, such as the age of the ``estimate``, and the settings that the app itself
/// assigns, such as ``errorBound``.
///
/// A manager belongs to the actor that creates it: the main actor in an app, another actor in a daemon. It isn't `Sendable`, and it calls
/// listeners in that actor's isolation. Commands and many reports become events of the ``LocationMachine``. The manager sets the new state,
/// commands the hardware, notifies the listeners and writes to the store, in this order. Commands from a listener wait until all listeners
/// are notified; more than 10,000 commands during one event count as an endless exchange, and stop the program.
///
/// The last reference may be dropped on any thread. A manager of the main actor then turns its provider off on the main actor.
public final class LocationManager {
  /// The current state.
  ///
  /// ```swift
  /// let isGPSOn = LocationMachine.activities(in: manager.state).contains(.gps)
  /// ```
  public var state: LocationMachine.State { driver.observed.core.state }
  /// Whether the app may use locations, as the provider last reported.
  ///
  /// ```swift
  /// if manager.authorization == .whenInUse { offerAlways() }
  /// ```
  public var authorization: Authorization { driver.observed.core.device.authorization }
  /// The last location delivered, in this launch or in an earlier one if the manager has a store.
  ///
  /// ```swift
  /// if let last = manager.location, Date.now.timeIntervalSince(last.timestamp) < 600 { show(last) }
  /// ```
  public var location: Location? { driver.observed.core.location }
  /// The listeners, held weakly, in order of registration.
  public let listeners = ListenerRegistry<any LocationManagerListener>()
  /// The definition of a good fix. A change takes effect at the next acquisition.
  ///
  /// ```swift
  /// manager.policy.desiredAccuracy = 30
  /// manager.policy.timeLimit = .seconds(10)
  /// ```
  ///
  /// - Precondition: Each value is in its range: see ``AcquisitionPolicy``.
  public var policy: AcquisitionPolicy {
    didSet {
      policy.check()
      enqueue(.policy(policy))
    }
  }
  /// The time limit of a prompt, from the moment when the system shows it: more than 0 and at most a day. After it, ``state`` is
  /// ``LocationMachine/State/initial`` again, and a late answer starts nothing until the app asks again. A change takes effect at the next
  /// prompt. <doc:UsingAManager> lists the default.
  ///
  /// ```swift
  /// manager.promptTimeLimit = .seconds(300)
  /// manager.tryPromptAuthorization()
  /// ```
  public var promptTimeLimit = LocationMachine.promptTimeLimit {
    didSet {
      Validation.require(Validation.limit("prompt's time limit", promptTimeLimit))
      enqueue(.promptTimeLimit(promptTimeLimit))
    }
  }
  /// The error bound in metres, ``minimumErrorBound`` or more. The manager schedules looks so that the error of the ``boundTarget``, by
  /// default the last location, rarely exceeds the bound. With `nil`, the default, significant changes cause looks, unless a
  /// ``PowerController`` or a trip recorder sets a bound.
  ///
  /// ```swift
  /// manager.errorBound = 500
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// A look ends at an accuracy of a third of the bound or better, or at its time limit. While a consumer tracks, the last location is
  /// updated when its error would otherwise exceed the bound; while only `acquire` waits for a better fix, it isn't. How well the manager
  /// keeps the bound, and at what cost, depends on the provider's ``LocationProvider/wakeSources``: see *Choosing a bound*. The bound
  /// isn't persisted; set it at every launch before ``tryPromptAuthorization()``.
  ///
  /// - Precondition: A bound is ``minimumErrorBound`` or more, and finite.
  public var errorBound: Double? {
    didSet {
      Validation.require(errorBound.flatMap(LookPlanner.problem))
      enqueue(.errorBound(errorBound))
    }
  }
  /// The location that ``errorBound`` applies to: the last one, or the ``estimate``. On recorded drives with gpsd, a bound on the
  /// estimate needs about three quarters of the GPS time of a bound on the last location. The target isn't persisted; set it at every launch.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  public var boundTarget = BoundTarget.standard {
    didSet { enqueue(.boundTarget(boundTarget)) }
  }
  /// The device's probable current location: the last fix, moved ahead at its speed while the device probably keeps its course. `nil`
  /// without an error bound, before the first fix under one, and after a pause or a lost permission until the next fix. The bound is
  /// ``errorBound``, or that of a ``PowerController`` or an automatic trip recorder. Its accuracy is the last fix's plus the uncertainty of
  /// the movement since then, its timestamp is the current time, and ``Location/isEstimated`` is `true`. The other values are the last
  /// fix's; at rest, speed and course are `nil`. Reading it takes a microsecond or less and turns nothing on.
  ///
  /// ```swift
  /// if let here = manager.estimate ?? manager.location { marker.move(to: here) }
  /// ```
  public var estimate: Location? {
    driver.observed.core.surroundings.estimate(at: LocationCore.Now(uptime: provider.uptime, date: provider.date))
  }
  /// The place where the device rests, with its radius and its validity; `nil` if the device moves, or without an error bound. After a
  /// relaunch, it is the stored presence at first. After its end, it is `nil`. No timer wakes the device for the end, so listeners are
  /// notified at the manager's next input.
  ///
  /// ```swift
  /// if let presence = manager.presence { status = "within \(Int(presence.radius)) m until \(presence.until)" }
  /// ```
  public var presence: Presence? {
    driver.observed.core.surroundings.monitoring.presence.presence(at: provider.date)
  }
  /// The reasons why the app may receive fewer locations than it expects. Reading it takes a microsecond or less.
  ///
  /// ```swift
  /// if let problem = manager.health.problems.first { banner = problem.advice }
  /// ```
  public var health: Health { driver.core.surroundings.health(in: state, at: provider.uptime) }
  /// The smallest ``errorBound``: 100 m. Fixes are tens of metres off and take seconds to find.
  ///
  /// ```swift
  /// manager.errorBound = max(slider.value, LocationManager.minimumErrorBound)
  /// ```
  public static let minimumErrorBound = LookSettings.minimumBound
  /// The last 32 transitions, oldest first. They contain no location, so they can be attached to a bug report about a GPS that stays on or
  /// off.
  ///
  /// ```swift
  /// let report = manager.recentTransitions.map(\.description).joined(separator: "\n")
  /// ```
  public var recentTransitions: [Transition] {
    driver.registrar.noteRead()
    return log.inOrder
  }

  var core: LocationCore { driver.core }

  /// The beginning of the trip that a recorder records.
  package var trip: Date? {
    didSet { if trip != oldValue, !driver.core.isReleased { circumstancesChanged() } }
  }

  private func circumstancesChanged() {
    listeners.notify { $0.locationManagerDidChangeCircumstances(self) }
    notifyObservers(.circumstances)
    driver.announceChange()
  }

  let driver: CoreDriver<LocationCore>
  private let provider: any LocationProvider
  // Overlapping accesses to the `unchecked` properties aren't checked at run time, because they don't occur: a log calls nothing, and a
  // stream resumes its consumer later.

  /// The provider, if it connects the manager to a journal; `nil` after the release of the provider.
  @exclusivity(unchecked) private var observer: (any TurnObserver)?
  private let store: (any LocationStore)?
  @exclusivity(unchecked) private var log = RecentLog<Transition>()
  @exclusivity(unchecked) private var consumers: [(id: Demand.ID, consumer: Consumer)] = []
  private var nextDemandID: Demand.ID
  @exclusivity(unchecked) var updateConsumers = Broadcast<Location>()
  @exclusivity(unchecked) var transitionConsumers = Broadcast<Transition>()
  @exclusivity(unchecked) var judgedFixConsumers = Broadcast<JudgedFix>()
  private let line = WeakManager()
  package let home = HomeIsolation()
  /// Whether the manager was first used on the main actor; `nil` before. An actor's initializer may create the manager there.
  private var isOfMainActor: Bool?

  /// Creates a manager in the state ``LocationMachine/State/initial``, or in ``LocationMachine/State/paused`` if the store contains a
  /// pause. Nothing is on until the app asks for the permission or resumes.
  ///
  /// Create the manager and call ``tryPromptAuthorization()`` at every launch, whether the user or the system launches the app.
  ///
  /// - Parameters:
  ///   - provider: The platform. A provider serves a single manager: an earlier manager of the provider releases it, and ignores every
  ///     later command.
  ///   - policy: The definition of a good fix; `nil` is the provider's recommendation.
  ///   - store: Persists the last location and a pause for the next launch; with `nil` they stay in memory.
  public init(provider: any LocationProvider, policy: AcquisitionPolicy? = nil, store: (any LocationStore)? = nil) {
    let policy = policy ?? provider.recommendedPolicy
    policy.check()
    provider.onReport?.releaseManager()
    self.provider = provider
    self.store = store
    self.policy = policy
    observer = Self.observer(provider)
    nextDemandID = observer?.firstDemandID ?? Demand.policyID + 1
    var location = store?.location
    if let stored = location, let observer { location = observer.recalled(stored) }
    driver = CoreDriver(
      LocationCore(
        authorization: provider.authorization, policy: policy, wakeSources: provider.wakeSources,
        backgroundUpdates: provider.backgroundUpdates, location: location, isPaused: store?.isPaused == true,
        presence: store.flatMap(Self.presenceStore)?.presence))
    provider.apply(driver.core.plan)
    observer?.begin(driver.core)
    line.manager = self
    provider.onReport = .ofManager { [line] report in
      if let manager = line.manager { manager.receive(report) } else if report == nil { line.isReplaced = true }
    }
    observer?.onInput = { [line] in line.manager?.play($0) }
  }

  deinit {
    finishConsumers()
    if driver.core.isReleased { return }
    let (driver, provider, store, observer, consumers) = (driver, provider, store, observer, consumers)
    home.release { [line] in
      // Another manager may have taken over the provider since the last reference was released on another thread.
      let ownProvider = line.isReplaced ? nil : provider
      ownProvider?.onReport = nil
      driver.handle(.release, at: { Self.now(for: $0, provider, observer) }) { action in
        observer?.didDecide(action)
        if case .finish(let id, let failure) = action {
          consumers.first { $0.id == id }?.consumer.finish(failure)
        } else if !Self.command(action, ownProvider, store) {
          preconditionFailure("A release has only commands and ends of demands, so it has no \(action).")
        }
      }
    }
  }

  /// Asks for the permission. If it is already granted, the first acquisition begins. Has no effect in states other than
  /// ``LocationMachine/State/initial``.
  ///
  /// ```swift
  /// // At launch, and whenever the permission changes: starts if the permission is granted, and never shows a prompt.
  /// if manager.authorization.isAuthorized { manager.tryPromptAuthorization() }
  /// ```
  ///
  /// A permission alone starts nothing. If the app didn't make this call at launch because the permission was refused, and the user grants
  /// it in the settings later, the manager stays in the state ``LocationMachine/State/initial``: make the call from
  /// ``LocationManagerListener/locationManager(_:didChangeAuthorization:)``.
  public func tryPromptAuthorization() { enqueue(.command(.tryPrompt)) }

  /// Asks for the permission, even if it was refused before. Has no effect in states other than ``LocationMachine/State/initial`` and
  /// ``LocationMachine/State/denied``.
  ///
  /// ```swift
  /// // The user taps "Use my location" after a refusal.
  /// if manager.state == .denied { manager.forcePromptAuthorization() }
  /// ```
  public func forcePromptAuthorization() { enqueue(.command(.forcePrompt)) }

  /// Turns everything off until ``resume()``, even if the permission changes during the pause.
  ///
  /// ```swift
  /// func sharingChanged(to isOn: Bool) {
  ///   if isOn { manager.resume() } else { manager.pause() }
  /// }
  /// ```
  ///
  /// When this returns, everything is off, and no location is delivered until the app resumes. A stream's buffer may
  /// still have locations from before the pause. Only a call from a listener takes effect later: after all listeners are notified of the
  /// current report, which may have several locations.
  ///
  /// A pause during the prompt counts: the user's answer then changes only ``authorization``. If the app resumes before the user has
  /// answered, the state is ``LocationMachine/State/initial``, so ask again. A pause has no effect before the app asks, and while the
  /// permission is denied: call this function again in ``LocationManagerListener/locationManagerDidGrantAccess(_:)`` if the user
  /// has turned sharing off.
  public func pause() { enqueue(.command(.pause)) }

  /// Ends a pause: an acquisition begins. If the app has never asked for the permission, or the user hasn't answered, the state is then
  /// ``LocationMachine/State/initial``: call ``tryPromptAuthorization()``. Has no effect without a pause.
  public func resume() { enqueue(.command(.resume)) }

  /// Begins an acquisition without waiting for a significant change. Has no effect in states other than `waitingSignificantChange`:
  /// in `acquiring`, an acquisition is already running. While the manager tracks, a device that hasn't moved far enough for the
  /// ``TrackingPolicy`` delivers no location: to refresh it, use ``acquire(desiredAccuracy:maximumAge:timeout:)``.
  ///
  /// ```swift
  /// // The user has pressed "Check in"; the listeners receive the location.
  /// manager.forceAcquireLocation()
  /// ```
  ///
  /// Each call may keep the GPS on for the policy's ``AcquisitionPolicy/timeLimit``, and the number of calls isn't limited: a listener that
  /// calls it in each `didUpdate` keeps the GPS on. To receive every location, use ``track(desiredAccuracy:distanceFilter:)``. To keep the
  /// last location recent, use ``errorBound``.
  public func forceAcquireLocation() { enqueue(.command(.forceAcquire)) }

  // MARK: - Demands

  /// The recipient of a demand's results.
  package enum Consumer {
    case waiter(AsyncThrowingStream<Location, any Error>.Continuation)
    case stream(AsyncStream<Location>.Continuation)
    /// A part of the library that receives every fix and failure during a turn.
    case observer((Observed) -> Void)
    /// The listeners, which receive the locations of every demand.
    case listeners

    fileprivate var observer: ((Observed) -> Void)? {
      if case .observer(let observer) = self { observer } else { nil }
    }

    fileprivate func finish(_ failure: AcquisitionFailure?) {
      switch self {
      case .waiter(let waiter): waiter.finish(throwing: failure)
      case .stream(let stream): stream.finish()
      case .observer, .listeners: break
      }
    }
  }

  package enum Observed {
    case fix(JudgedFix)
    case failure(ProviderReport.Failure)
    /// The GPS is turned off.
    case interrupted
    /// The manager has paused, or the permission was withdrawn: what follows may be elsewhere.
    case paused
    /// The observer's alarm is due.
    case due
    case motion(LocationManager.Motion)
    /// The battery, the state of the app or the trip has changed.
    case circumstances
    /// The motion that the sensor recorded while the app was suspended.
    case pastMotion([LocationManager.Motion.Change])
    /// The device has left a region, the place of a visit, or a cell.
    case departed
  }

  package func makeDemand(_ consumer: Consumer) -> Demand.ID {
    let id = nextDemandID
    nextDemandID += 1
    consumers.append((id, consumer))
    return id
  }

  package func begin(_ id: Demand.ID, _ kind: Demand.Kind) { enqueue(.begin(id, kind)) }

  /// Schedules a callback of an observer at an uptime; `nil` cancels the callback.
  package func setAlarm(_ id: Demand.ID, at time: Duration?) { enqueue(.setAlarm(id, at: time)) }

  package func end(_ id: Demand.ID) {
    if finish(id, nil) { enqueue(.end(id)) }
  }

  /// Restarts a receiver that is on, so that it reports a fresh fix.
  package func restartReceiver() { enqueue(.restartReceiver) }

  package var uptime: Duration { provider.uptime }

  /// The desired accuracy of the acquisition, in metres; `nil` while the GPS is off.
  package var desiredAccuracy: Double? { driver.core.acquisition?.policy.desiredAccuracy }

  /// Reads the battery of a provider that doesn't report it, which takes tens of microseconds.
  func readBattery() -> BatteryStatus? { Self.machine(provider)?.readBattery() }
  package var date: Date { provider.date }

  // The size of a consumer is known only at run time. If the functions below were inlined, every turn would look up the size and reserve
  // memory.

  @inline(never)
  private func give(_ location: Location, to id: Demand.ID) {
    switch consumer(of: id) {
    case .waiter(let waiter): waiter.yield(location)
    case .stream(let stream): stream.yield(location)
    case .observer, .listeners, nil: break
    }
  }

  @inline(never)
  private func notify(_ id: Demand.ID, _ observed: Observed) { consumer(of: id)?.observer?(observed) }

  @inline(never)
  private func notifyObservers(_ observed: Observed) {
    for (_, consumer) in consumers { consumer.observer?(observed) }
  }

  private func consumer(of id: Demand.ID) -> Consumer? { consumers.first { $0.id == id }?.consumer }

  /// Ends a consumer's wait, and returns whether there was a consumer.
  @inline(never)
  @discardableResult
  private func finish(_ id: Demand.ID, _ failure: AcquisitionFailure?) -> Bool {
    guard let index = consumers.firstIndex(where: { $0.id == id }) else { return false }
    consumers.remove(at: index).consumer.finish(failure)
    return true
  }

  // MARK: - One turn at a time

  @inline(__always)
  private static func now(
    for input: LocationCore.Input, _ provider: any LocationProvider, _ observer: (any TurnObserver)?
  ) -> LocationCore.Now {
    let now = LocationCore.Now(uptime: provider.uptime, date: provider.date)
    observer?.willTake(input, at: now)
    return now
  }

  private func enqueue(_ input: LocationCore.Input) {
    assert(
      isInIsolation(), "A manager that belongs to the main actor is used elsewhere, by the app or by its provider.")
    driver.handle(input, at: { Self.now(for: $0, provider, observer) }, carryOut: { carryOut($0) })
    if let observer, !driver.isTurning { observer.didEndTurn() }
    driver.announceChange()
  }

  /// Whether the caller is on the main actor, if the first one was. Debug builds check that.
  private func isInIsolation() -> Bool {
    let isHere = HomeIsolation.isOnMainActor
    isOfMainActor = isOfMainActor ?? isHere
    return isHere || isOfMainActor == false
  }

  fileprivate func receive(_ report: ProviderReport?) {
    if let report { enqueue(.report(report)) } else { release() }
  }

  /// Handles an input that a journal replays.
  fileprivate func play(_ input: LocationCore.Input) {
    switch input {
    case .policy(let policy): self.policy = policy
    case .promptTimeLimit(let limit): promptTimeLimit = limit
    case .errorBound(let bound): errorBound = bound
    default: enqueue(input)
    }
  }

  /// Releases the provider and all consumers, even during a turn.
  private func release() {
    driver.handleFirst(.release, at: { Self.now(for: $0, provider, observer) }, carryOut: { carryOut($0) })
    finishConsumers()
    // The consumers remain registered: a demand whose `begin` waits for the end of this turn is finished then.
    observer = nil
  }

  private func finishConsumers() {
    updateConsumers.finish()
    transitionConsumers.finish()
    judgedFixConsumers.finish()
  }

  /// Carries out a command to the provider, or writes a pause or a location to the store. Returns whether the action is one of these.
  @inline(__always)
  private static func command(
    _ action: LocationCore.Action, _ provider: (any LocationProvider)?, _ store: (any LocationStore)?
  ) -> Bool {
    switch action {
    case .apply(let plan): provider?.apply(plan)
    case .perform(let request): provider?.perform(request)
    case .savePause(let isPaused): store?.isPaused = isPaused
    case .save(let location): store?.location = location
    default: return false
    }
    return true
  }

  private func carryOut(_ action: LocationCore.Action) {
    observer?.didDecide(action)
    switch action {
    case .transition(let transition):
      log.append(transition)
      listeners.notify { $0.locationManager(self, didTransition: transition) }
      transitionConsumers.send(transition)
    case .deliver(let location): deliver(location)
    case .notify(let notice): notify(notice)
    case .significantChange(let change):
      listeners.notify { $0.locationManager(self, didDetectSignificantChange: change) }
    case .look(let cause): listeners.notify { $0.locationManager(self, didBeginLookBecauseOf: cause) }
    case .acquisitionFailed(let failure):
      listeners.notify { $0.locationManager(self, didFailToAcquire: failure) }
    case .promptShown: listeners.notify { $0.locationManagerDidPromptAccess(self) }
    case .authorizationChanged(let authorization):
      if !authorization.isAuthorized { notifyObservers(.paused) }
      listeners.notify { $0.locationManager(self, didChangeAuthorization: authorization) }
    case .motionChanged(let motion):
      listeners.notify { $0.locationManagerDidChangeCircumstances(self) }
      notifyObservers(.motion(motion))
    case .departed: notifyObservers(.departed)
    case .batteryChanged, .appChanged: circumstancesChanged()
    case .presenceChanged(let presence): listeners.notify { $0.locationManager(self, didChangePresence: presence) }
    case .healthChanged(let health): listeners.notify { $0.locationManager(self, didChangeHealth: health) }
    case .visited(let visit): listeners.notify { $0.locationManager(self, didVisit: visit) }
    case .signalChanged(let hasSignal): listeners.notify { $0.locationManager(self, didChangeSignal: hasSignal) }
    case .failureBegan(let failure): listeners.notify { $0.locationManager(self, didReceive: failure) }
    case .savePresence(let presence): store.flatMap(Self.presenceStore)?.presence = presence
    case .ignored(let event, let state):
      let reason = state.flatMap { LocationCore.table[state: $0, event: event].reason }
      let text = reason ?? "Another manager now uses this manager's provider."
      listeners.notify { $0.locationManager(self, didIgnore: event, because: text) }
    case .judged(let judged, let isUsed): notify(of: judged, isUsed: isUsed)
    case .give(let location, let id): give(location, to: id)
    case .giveFix(let judged, let id): notify(id, .fix(judged))
    case .finish(let id, let failure): finish(id, failure)
    case .callBack(let id): notify(id, .due)
    case .providerFailed(let failure): notifyObservers(.failure(failure))
    case .interrupted: notifyObservers(.interrupted)
    case .movedBefore(let changes): notifyObservers(.pastMotion(changes))
    case .apply, .perform, .savePause, .save:
      _ = Self.command(action, provider, store)
    }
  }

  // Inlined, the functions below would copy the location once for each listener.

  @inline(never)
  private func deliver(_ location: Location) {
    listeners.notify { $0.locationManager(self, didUpdate: location) }
    updateConsumers.send(location)
  }

  @inline(never)
  private func notify(of judged: JudgedFix, isUsed: Bool) {
    judgedFixConsumers.send(judged)
    if !isUsed, case .rejected(let reason) = judged.verdict { reject(judged.fix, because: reason) }
  }

  @inline(never)
  private func reject(_ fix: Location, because reason: RejectionReason) {
    listeners.notify { $0.locationManager(self, didReject: fix, because: reason) }
  }

  private func notify(_ notice: LocationMachine.Notice) {
    if notice == .paused { notifyObservers(.paused) }
    // During a pause, they weren't notified of changes.
    if notice == .resumed { notifyObservers(.circumstances) }
    listeners.notify { listener in
      switch notice {
      case .accessGranted: listener.locationManagerDidGrantAccess(self)
      case .accessDenied: listener.locationManagerDidDenyAccess(self)
      case .promptExpired: listener.locationManagerPromptDidExpire(self)
      case .forceAcquire: listener.locationManagerDidForceAcquire(self)
      case .paused: listener.locationManagerDidPause(self)
      case .resumed: listener.locationManagerDidResume(self)
      case .significantChange, .lookDue, .acquisitionFailed: break  // Separate actions, with a payload.
      }
    }
  }
}

@available(*, unavailable)
extension LocationManager: Sendable {}

/// A provider's reference to its manager. It is a class because the check of overlapping accesses to a captured weak variable would take
/// 150 instructions.
private final class WeakManager {
  /// Whether another manager has replaced this one, perhaps while it is released on another thread.
  var isReplaced = false
  #if hasFeature(Embedded)
    unowned(unsafe) var manager: LocationManager?
  #else
    @exclusivity(unchecked) weak var manager: LocationManager?
  #endif
}

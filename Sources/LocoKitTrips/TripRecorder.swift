import LocoFoundation
public import LocoKit

/// Records the distance and the duration of trips.
///
/// ```swift
/// let trip = TripRecorder(manager)
/// trip.prepare()      // some time before: the receiver warms up
/// trip.start()
/// drive()
/// trip.stop()
/// print("\(trip.distance) m in \(trip.duration)")
/// ```
///
/// While a recorder that the app starts is prepared or recording, the manager tracks: the GPS is on, and the manager's listeners receive
/// each location that is accurate enough. Without the permission, or while the manager is paused, no fixes arrive. A recorder from
/// ``automatic(_:store:kinds:minimumStay:)`` detects trips and uses less power. Use a recorder only on the actor of its manager.
///
/// With Observation (iOS 17, macOS 14), a recorder is `Observable`: a SwiftUI view that reads its properties is updated after each fix and
/// each command. The ``duration`` of a recorder that the app starts also grows between fixes, without an announcement: read it in a
/// `TimelineView`. The duration of an automatic recorder's trip grows with its steps; a view can show the time since ``Trip/began``.
public final class TripRecorder {
  package let manager: LocationManager
  /// The listeners, in order of registration, held weakly.
  public let listeners = ListenerRegistry<any TripRecorderListener>()
  /// The current state.
  public var state: TripState { driver.observed.core.state }
  /// The quality of the satellite signal.
  public var signalStrength: TripRecorder.SignalStrength { driver.observed.core.signalStrength }
  /// The distance of ``trip``, in metres; 0 if there is no trip.
  public var distance: Double { driver.observed.core.distance }
  /// The recorded time since the last reset, without the gaps between two launches. For an automatic recorder, the duration of ``trip``.
  public var duration: Duration { driver.observed.core.duration(at: manager.uptime) }
  /// The trip that is recorded, or the last trip of this launch; `nil` if there is none since the last ``reset()``, if it was discarded
  /// because of its kind, or until an automatic recorder is certain that the current trip has one of the chosen kinds.
  public var trip: Trip? { driver.observed.core.toldTrip }
  /// The trip of an earlier launch that the recorder resumed, up to its last fix in that launch.
  public var resumedTrip: Trip? { driver.observed.core.resumedTrip }

  /// The stay in the place where the device rests; `nil` during a trip, while the place isn't known, and if the recorder isn't automatic.
  public var visit: Location.Visit? { driver.observed.core.visit }

  let driver: CoreDriver<TripCore>
  private let store: TripRecorder.Store?
  /// The recorder's number in the store.
  private let user: Int
  private var demand: Demand.ID?
  /// The beginning of the trip that was passed to the manager for its circumstances.
  private var announced: Date?

  /// Creates a recorder that the app starts and stops.
  ///
  /// If such a recorder was recording a trip in an earlier launch, this one resumes it in the state ``TripState/recording``. The first fix
  /// that is accurate enough ends the gap, and the listeners are notified. A trip whose last fix is older than a day isn't resumed: it
  /// ended at that fix, and the store contains it. Reading a trip takes some milliseconds for each thousand fixes.
  ///
  /// - Parameters:
  ///   - manager: The manager that provides the fixes.
  ///   - requiredAccuracy: The accuracy that a fix must have, in metres, more than 0. It doesn't affect ``SignalStrength``. The default is
  ///     that of CYLocationManager, as is the next one.
  ///   - weakAccuracy: The accuracy that a fix must have after 15 s of weak signal, in metres: finite, and `requiredAccuracy` or more.
  ///   - store: Persists the current trip and ended trips; `nil` keeps only the last trip, in memory. Only one recorder may use a
  ///     store at a time: once another one is created on the store, the store drops this recorder's changes, and reports that once.
  public convenience init(
    _ manager: LocationManager, requiredAccuracy: Double = 20, weakAccuracy: Double = 70,
    store: TripRecorder.Store? = nil
  ) {
    let configuration = Configuration(requiredAccuracy: requiredAccuracy, weakAccuracy: weakAccuracy)
    self.init(manager, TripCore(configuration), store)
  }

  private init(_ manager: LocationManager, _ core: TripCore, _ store: TripRecorder.Store?) {
    (self.manager, self.store) = (manager, store)
    user = store?.begin() ?? 0
    driver = CoreDriver(core)
    handle(.launch(store?.load(), beginnings: store?.beginnings ?? []))
  }

  /// Creates a recorder that detects trips, and uses little battery power.
  ///
  /// ```swift
  /// trips = TripRecorder.automatic(manager, store: store)
  /// trips?.listeners.add(self)
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// At rest, the app may be suspended until the device has left its place. The recorder then computes the start of the trip in hindsight,
  /// from the motion that the sensor stored or from the fixes, and the distance counts from the place. While the device moves, the manager
  /// keeps the app running (on iOS with `CoreLocationProvider.Configuration.allowsBackgroundUpdates`), and keeps the last location within
  /// 300 m, with coarse fixes and short looks. The trip ends after the device
  /// has stayed in one place for `minimumStay`; its end is the start of that stay. <doc:RecordingTrips> has measurements of the cost and
  /// the accuracy.
  ///
  /// ``start()`` begins a trip immediately, and ``stop()`` ends the current trip. If the device continues to move after that, the next trip
  /// begins. ``prepare()`` does nothing. A pause of the manager, or a withdrawn permission, ends the trip, and no trip
  /// begins until the manager may use locations again. The signal strength stays invalid.
  ///
  /// A trip that ends while the recorder is created, for example because its stay is over, isn't reported to listeners.
  /// ``TripRecorder/Store/trips(withFixes:)`` returns it.
  ///
  /// - Parameters:
  ///   - manager: The manager that provides the locations. It needs the permission `always` to detect trips while the app is closed.
  ///   - store: Persists the current trip, the place of rest and ended trips.
  ///   - kinds: The kinds of trips that are recorded, at least one. Other trips aren't reported, and aren't stored after their end.
  ///   - minimumStay: The length of the stay that ends a trip: one minute to an hour.
  public static func automatic(
    _ manager: LocationManager, store: TripRecorder.Store? = nil, kinds: Set<Trip.Kind> = Set(Trip.Kind.allCases),
    minimumStay: Duration = .seconds(300)
  ) -> TripRecorder {
    precondition(
      (.seconds(60) ... .seconds(3_600)).contains(minimumStay),
      "minimumStay must be one minute to an hour, not \(minimumStay.inSeconds) s.")
    precondition(!kinds.isEmpty, "kinds must not be empty. Omit the parameter for all kinds.")
    let recorder = TripRecorder(manager, TripCore(AutomaticTrips(kinds: kinds, minimumStay: minimumStay)), store)
    if recorder.isOff { recorder.handle(.paused) }
    // A resumed trip receives the motion with its next fix, so that the listeners receive the trip's beginning.
    if recorder.state == .idle { recorder.learnMotion() }
    return recorder
  }

  /// Whether the manager delivers no locations, because of a pause or a missing permission.
  private var isOff: Bool { !manager.authorization.isAuthorized || manager.state == .paused }

  deinit {
    manager.home.release { [manager, demand, announced] in
      if let demand { manager.end(demand) }
      if let announced, manager.trip == announced { manager.trip = nil }
    }
  }

  /// Turns the GPS on before ``start()``, so that fixes are available from the start. The distance before the start doesn't count.
  public func prepare() { handle(.command(.prepare)) }
  /// Starts a trip, or continues the trip that was stopped in this launch. To start a new trip instead, call ``reset()`` first; otherwise a trip
  /// that the app has removed from the store is stored again. An automatic recorder ignores the call while the manager is paused or may not use
  /// locations. If a callback of the manager ends the pause, the pause lasts until the callback returns.
  ///
  /// While the manager is off, such as before the permission and during a pause, the duration counts from the first fix on.
  public func start() {
    if case .automatic = driver.core.recorder, isOff { return }
    handle(.command(.start))
    // The clock of a trip that starts while the manager is off waits for the first fix.
    if manager.state.mode == .off { handle(.paused) }
  }
  /// Ends the trip, and keeps its distance and duration.
  public func stop() { handle(.command(.stop)) }
  /// Sets the distance and the duration to 0. While recording, discards the current trip and begins a new one. An automatic recorder
  /// discards the current trip without a notification of its end, and forgets the place where the device rests; the next trip begins when
  /// the recorder detects it.
  public func reset() { handle(.command(.reset)) }

  /// The quality of the satellite signal, by the accuracy of the last fix; invalid after ten seconds without a fix.
  ///
  /// ```swift
  /// func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {
  ///   switch strength {
  ///   case .invalid: bars = 0
  ///   case .weak: bars = 1
  ///   case .strong: bars = 3
  ///   }
  /// }
  /// ```
  public enum SignalStrength: String, CaseIterable, Codable, Hashable, Sendable {
    /// No fix yet, none for ten seconds, an invalid fix, or one less accurate than 70 m.
    case invalid
    /// More than 20 m, and at most 70 m.
    case weak
    /// At most 20 m.
    case strong

    /// Creates the strength for an accuracy in metres.
    init(accuracy: Double) {
      switch accuracy {
      case 0...20: self = .strong
      case 0...70: self = .weak
      default: self = .invalid
      }
    }
  }

  private func handle(_ input: TripCore.Input) {
    driver.handle(
      input, at: { _ in TripCore.Now(uptime: manager.uptime, date: manager.date) }, carryOut: { carryOut($0) })
    driver.announceChange()
    // Without a note of a read, which would announce each turn.
    let (current, last) = (driver.core.state == .recording ? driver.core.toldTrip?.began : nil, announced)
    announced = current
    if current != nil {
      // The manager may have another recorder, whose trip has ended since.
      if current != last || manager.trip == nil { manager.trip = current }
    } else if last != nil, manager.trip == last {
      manager.trip = nil
    }
  }

  private func receive(_ observed: LocationManager.Observed) {
    switch observed {
    case .fix(let fix):
      learnMotion()
      handle(.fix(fix))
    case .interrupted: handle(.interrupted)
    case .paused: handle(.paused)
    case .motion(let motion): handle(.motion(motion))
    case .pastMotion(let changes): handle(.pastMotion(changes))
    case .departed, .circumstances: break
    case .due: handle(.due)
    case .failure(let failure): listeners.notify { $0.tripRecorder(self, didFail: failure) }
    }
  }

  /// Passes the manager's current motion to an automatic recorder. The sensor may have reported it before the recorder was created, or
  /// during a pause, and may be off since.
  private func learnMotion() {
    if case .automatic = driver.core.recorder { handle(.motion(manager.circumstances.motion)) }
  }

  private func begin(_ kind: Demand.Kind) {
    let demand = demand ?? manager.makeDemand(.observer { [weak self] in self?.receive($0) })
    self.demand = demand
    manager.begin(demand, kind)
  }

  private func carryOut(_ action: TripCore.Action) {
    switch action {
    case .begin(let desiredAccuracy):
      begin(.fixes(TrackFilter(desiredAccuracy: desiredAccuracy)))
    case .follow(let keepsRunning): begin(.bound(AutomaticTrips.errorBound, keepsRunning: keepsRunning))
    case .end:
      if let demand { manager.end(demand) }
      demand = nil
    case .callBack(let time): if let demand { manager.setAlarm(demand, at: time) }
    case .restartReceiver: manager.restartReceiver()
    case .distanceChanged(let distance): listeners.notify { $0.tripRecorder(self, didChangeDistance: distance) }
    case .signalChanged(let strength): listeners.notify { $0.tripRecorder(self, didChangeSignal: strength) }
    case .signalIsWeakForLong: listeners.notify { $0.tripRecorderDidFindSignalConsistentlyWeak(self) }
    case .began(let trip): listeners.notify { $0.tripRecorder(self, didBegin: trip) }
    case .ended(let trip): listeners.notify { $0.tripRecorder(self, didEnd: trip) }
    case .missed(let gap): listeners.notify { $0.tripRecorder(self, didMiss: gap) }
    case .save(let record): store?.save(record, by: user)
    }
  }
}

@available(*, unavailable)
extension TripRecorder: Sendable {}

extension ListenerRegistry where Listener == any TripRecorderListener {
  /// Adds a listener after the others and holds it weakly. A listener that was added before keeps its position.
  ///
  /// - Complexity: O(n).
  public func add(_ listener: any TripRecorderListener) { add(TripRecorderEntry(listener)) }

  func notify(_ body: (any TripRecorderListener) -> Void) { notify(through: TripRecorderEntry.self, body) }
}

private final class TripRecorderEntry: ListenerEntry {
  let identifier: ObjectIdentifier
  private(set) weak var listener: (any TripRecorderListener)?

  init(_ listener: any TripRecorderListener) {
    (identifier, self.listener) = (ObjectIdentifier(listener), listener)
  }

  func forget() { listener = nil }
}

extension TripState: Codable {}

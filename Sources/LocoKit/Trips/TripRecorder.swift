/// Records how far and how long a trip is.
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
/// While it is prepared or recording, the manager tracks: the GPS is on, and the manager's listeners hear of each location. It
/// belongs to the actor to which its manager belongs. Where the permission is not given, or the manager is paused, fixes come
/// when it is and when it resumes. What it does when is the ``TripMachine``; what it measures, and how well, a ``TripMeter``.
public final class TripRecorder {
  /// The manager whose receiver is used.
  package let manager: LocationManager
  /// The listeners, in order of registration, held weakly.
  public let listeners = ListenerRegistry<any TripRecorderListener>()
  /// The current state.
  public var state: TripState { turns.core.state }
  /// How well the satellites are received.
  public var signalStrength: TripRecorder.SignalStrength { turns.core.signalStrength }
  /// How far the device has travelled while this was recording, metres, since the last reset.
  public var distance: Double { turns.core.distance }
  /// The recorded time since the last reset, without the gaps between two launches.
  public var duration: Duration { turns.core.duration(at: manager.uptime) }
  /// The trip that is recorded, or that was recorded last in this launch: its fixes, and what is missing.
  public var trip: Trip? { turns.core.toldTrip }
  /// The trip that an earlier launch was recording when it ended, as its last fix left it; `nil` where it recorded none.
  ///
  /// The recorder resumes it, unless it ends in the same moment: see ``state``. The first fix ends the gap, and notifies the listeners.
  /// A trip whose last fix is older than ``longestGap`` isn't resumed; the store has it as one that ended there.
  public var resumedTrip: Trip? { turns.core.resumedTrip }

  /// How long nothing but a weak signal makes it weak for long.
  package static let weakForLong = TripCore.weakForLong
  /// How long after a fix, without another, a fresh one is asked for, once, where the provider can do so.
  package static let silence = TripCore.silence
  /// The longest time between two launches over which a trip is resumed: a day.
  package static let longestGap = TripCore.longestGap

  private let turns: Turns<TripCore>
  private let store: TripStore?
  private var demand: Demand.ID?

  /// Creates a recorder that the app starts and stops.
  ///
  /// Where the store has a trip that an earlier launch neither stopped nor lost, the recorder resumes it in the state
  /// ``TripState/recording``: see ``resumedTrip``. Reading it takes some milliseconds for each thousand fixes.
  ///
  /// - Parameters:
  ///   - manager: The manager whose receiver is used.
  ///   - configuration: Which fixes are measured, and how.
  ///   - store: Keeps the trip over a relaunch, and trips that have ended; `nil` keeps them in memory. One recorder at a time uses it.
  public convenience init(
    _ manager: LocationManager, configuration: TripRecorder.Configuration = .init(), store: TripStore? = nil
  ) {
    self.init(manager, TripCore(configuration), store)
  }

  private init(_ manager: LocationManager, _ core: TripCore, _ store: TripStore?) {
    self.manager = manager
    self.store = store
    turns = Turns(core)
    take(.launch(store?.load()))
  }

  /// Creates a recorder that detects trips on little battery.
  ///
  /// ```swift
  /// trips = TripRecorder.automatic(manager, store: store)
  /// trips?.listeners.add(self)
  /// manager.tryPromptAuthorization()
  /// ```
  ///
  /// At rest, the app is suspended until the device has left the place where it rests. The trip then begins in hindsight: its start is
  /// found in the motion that the sensor stored, and its distance counts from the place. While the device moves, the manager keeps the
  /// last location within 300 m, and the app running, with coarse fixes and short looks. The trip ends when the device has stood for
  /// `minimumStay`, at the time when it began to stand. What this costs, and how exact it is, was measured: see <doc:RecordingTrips>.
  ///
  /// ``start()`` begins a trip before the recorder has found one, which ends as any other, and ``stop()`` ends it; a device that goes on
  /// moving begins the next one. ``prepare()`` and ``reset()`` do nothing. A pause of the manager ends the trip, and while it lasts no
  /// trip is found. The signal strength stays invalid.
  ///
  /// A trip that ends while the recorder is made, since its stay is over, reaches no listener: ``TripStore/trips()`` has it.
  ///
  /// - Parameters:
  ///   - manager: The manager that finds the locations. It needs the permission `always` to find trips while the app is closed.
  ///   - store: Keeps the trip and the place of rest over a relaunch, and trips that have ended.
  ///   - kinds: The kinds of trips that are recorded. Others are not told, and not stored.
  ///   - minimumStay: How long the device stands at the end of a trip: one minute to an hour.
  public static func automatic(
    _ manager: LocationManager, store: TripStore? = nil, kinds: Set<Trip.Kind> = Set(Trip.Kind.allCases),
    minimumStay: Duration = .seconds(300)
  ) -> TripRecorder {
    precondition(
      (.seconds(60) ... .seconds(3_600)).contains(minimumStay),
      "The least stay must be one minute to an hour, not \(minimumStay.inSeconds) s.")
    precondition(
      !kinds.isEmpty, "A recorder of no kind of trip records nothing: leave the parameter out for all kinds.")
    return TripRecorder(
      manager, TripCore(.init(), automatic: TripCore.Automatic(kinds: kinds, minimumStay: minimumStay)), store)
  }

  deinit {
    if let demand { manager.end(demand) }
  }

  /// Warms the receiver up, so that the first segment counts from its beginning. What is travelled meanwhile does not count.
  public func prepare() { take(.command(.prepare)) }
  /// Counts what is travelled from now on: on a new trip, or after ``stop()`` on the same one, until ``reset()``.
  public func start() { take(.command(.start)) }
  /// Ends the trip; the distance and the duration stand.
  public func stop() { take(.command(.stop)) }
  /// Sets the distance and the duration to 0. While recording, it discards the trip and begins a new one.
  public func reset() { take(.command(.reset)) }
}

@available(*, unavailable)
extension TripRecorder: Sendable {}

extension TripRecorder {
  private func now(for input: TripCore.Input) -> TripCore.Now {
    TripCore.Now(uptime: manager.uptime, date: manager.date)
  }

  private func take(_ input: TripCore.Input) {
    turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
  }

  private func receive(_ notice: LocationManager.Notice) {
    switch notice {
    case .fix(let fix): take(.fix(fix))
    case .interrupted: take(.interrupted)
    case .paused: take(.paused)
    case .motion(let motion): take(.motion(motion))
    case .pastMotion(let changes): take(.pastMotion(changes))
    case .departed: break
    case .due: take(.due)
    case .failure(let failure): listeners.tell { $0.tripRecorder(self, didFail: failure) }
    }
  }

  private func begin(_ want: Demand.Want) {
    let demand = demand ?? manager.makeDemand(.observer { [weak self] in self?.receive($0) })
    self.demand = demand
    manager.begin(demand, want)
  }

  /// Does what the core has decided.
  private func carryOut(_ action: TripCore.Action) {
    switch action {
    case .begin(let desiredAccuracy):
      begin(.fixes(TrackFilter(ReceiverSettings(desiredAccuracy: desiredAccuracy, distanceFilter: 0))))
    case .follow(let keepsRunning): begin(.bound(TripCore.Automatic.errorBound, keepsRunning: keepsRunning))
    case .end:
      guard let demand else { break }
      self.demand = nil
      manager.end(demand)
    case .callBack(let time):
      if let demand { manager.setAlarm(demand, at: time) }
    case .restartReceiver: manager.restartReceiver()
    case .distanceChanged(let distance): listeners.tell { $0.tripRecorder(self, didChangeDistance: distance) }
    case .signalChanged(let strength): listeners.tell { $0.tripRecorder(self, didChangeSignal: strength) }
    case .signalIsWeakForLong: listeners.tell { $0.tripRecorderDidFindSignalConsistentlyWeak(self) }
    case .began(let trip): listeners.tell { $0.tripRecorder(self, didBegin: trip) }
    case .ended(let trip): listeners.tell { $0.tripRecorder(self, didEnd: trip) }
    case .missed(let gap): listeners.tell { $0.tripRecorder(self, didMiss: gap) }
    case .save(let record): store?.save(record)
    }
  }
}

/// Receives a trip recorder's events. Every method has a default that does nothing.
///
/// ```swift
/// func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
///   text = "\(Int(distance)) m"
/// }
///
/// func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {
///   hint = "The signal is weak: put the phone where it sees the sky."
/// }
/// ```
public protocol TripRecorderListener: AnyObject {
  /// The distance has grown, or was set to 0: metres.
  func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double)
  /// The signal has become invalid, weak or strong.
  func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength)
  /// The signal has been weak for 15 s, and nothing else; weaker fixes are used until it is strong.
  func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder)
  /// The receiver reports that something went wrong; the trip goes on.
  func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure)
  /// A trip has begun. An automatic recorder detects it minutes later, when the kind of the trip is known and wanted.
  func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip)
  /// A trip has ended; an automatic recorder finds that when the device has stood for the least stay.
  func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip)
  /// The first fix after a relaunch shows what the trip misses.
  func tripRecorder(_ recorder: TripRecorder, didMiss gap: Trip.Gap)
}

extension TripRecorderListener {
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {}
  /// Does nothing.
  public func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didMiss gap: Trip.Gap) {}
}

extension ListenerRegistry where Listener == any TripRecorderListener {
  /// Adds a listener behind the others, without keeping it alive; one that is there already stays where it is.
  ///
  /// - Complexity: O(n).
  public func add(_ listener: any TripRecorderListener) { add(TripRecorderEntry(listener)) }
}

private final class TripRecorderEntry: ListenerRegistry<any TripRecorderListener>.Entry {
  private weak var held: (any TripRecorderListener)?
  override var listener: (any TripRecorderListener)? { held }
  override func forget() { held = nil }

  init(_ listener: any TripRecorderListener) {
    held = listener
    super.init(ObjectIdentifier(listener))
  }
}

extension TripState: Codable {}

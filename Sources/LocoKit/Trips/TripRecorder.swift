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
  public let manager: LocationManager
  /// The listeners, in order of registration, held weakly.
  public let listeners = ListenerRegistry<any TripRecorderListener>()
  /// The current state.
  public var state: TripMachine.State { turns.core.state }
  /// How well the satellites are received.
  public var signalStrength: SignalStrength { turns.core.signalStrength }
  /// How far the device has travelled while this was recording, metres, since the last reset.
  public var distance: Double { turns.core.meter.distance }
  /// How long this has been recording since the last reset.
  public var duration: Duration { turns.core.duration(at: manager.uptime) }

  /// How long nothing but a weak signal makes it weak for long.
  public static let weakForLong = TripCore.weakForLong
  /// How long after a fix, without another, a fresh one is asked for, once, where the provider can do so.
  public static let silence = TripCore.silence

  private let turns: Turns<TripCore>
  private var demand: Demand.ID?

  /// A recorder in the state `idle`, at 0.
  public init(_ manager: LocationManager, configuration: TripMeter.Configuration = .init()) {
    self.manager = manager
    turns = Turns(TripCore(configuration))
  }

  deinit {
    if let demand { manager.end(demand) }
  }

  /// Warms the receiver up, so that the first segment counts from its beginning. What is travelled meanwhile does not count.
  public func prepare() { take(.command(.prepare)) }
  /// Counts what is travelled from now on.
  public func start() { take(.command(.start)) }
  /// Ends the trip; the distance and the duration stand.
  public func stop() { take(.command(.stop)) }
  /// Sets the distance and the duration to 0; a trip that is recorded goes on from there.
  public func reset() { take(.command(.reset)) }
}

@available(*, unavailable)
extension TripRecorder: Sendable {}

extension TripRecorder {
  private func now(for input: TripCore.Input) -> Duration { manager.uptime }

  private func take(_ input: TripCore.Input) {
    turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
  }

  private func receive(_ notice: LocationManager.Notice) {
    switch notice {
    case .fix(let fix): take(.fix(fix))
    case .interrupted: take(.interrupted)
    case .due: take(.due)
    case .failure(let failure): listeners.tell { $0.tripRecorder(self, didFail: failure) }
    }
  }

  /// Does what the core has decided.
  private func carryOut(_ action: TripCore.Action) {
    switch action {
    case .begin(let desiredAccuracy):
      let demand = manager.makeDemand(.observer { [weak self] in self?.receive($0) })
      self.demand = demand
      manager.begin(
        demand, .fixes(TrackFilter(ReceiverSettings(desiredAccuracy: desiredAccuracy, distanceFilter: 0))))
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
  func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: SignalStrength)
  /// The signal has been weak for 15 s, and nothing else; weaker fixes are used until it is strong.
  func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder)
  /// The receiver reports that something went wrong; the trip goes on.
  func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure)
}

extension TripRecorderListener {
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: SignalStrength) {}
  /// Does nothing.
  public func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure) {}
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

extension TripMachine.State: Codable {}

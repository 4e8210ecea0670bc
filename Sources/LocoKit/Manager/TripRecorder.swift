/// Records how far and how long a trip is.
///
/// ```swift
/// let trip = TripRecorder(manager)
/// trip.listeners.add(self)
/// trip.prepare()          // some time before: the receiver warms up
/// trip.start()
/// …
/// trip.stop()
/// print(trip.distance, trip.duration)
/// ```
///
/// While it is prepared or recording, the manager tracks: the GPS is on, and the manager's listeners hear of each location. It
/// belongs to the actor to which its manager belongs. Where the permission is not given, or the manager is paused, fixes come
/// when it is and when it resumes. What it does when is the ``TripMachine``; what it measures, and how well, a ``TripMeter``.
public final class TripRecorder {
  /// The manager whose receiver is used.
  public let manager: LocationManager
  /// Who is told: those that are ``TripRecorderListener``s. Held weakly.
  public let listeners = ListenerRegistry()
  /// What the recorder is in.
  public private(set) var state = TripMachine.initialState
  /// How well the satellites are received.
  public private(set) var signalStrength = SignalStrength.invalid
  /// How far the device has travelled while this was recording, metres, since the last reset.
  public var distance: Double { meter.distance }
  /// How long this has been recording since the last reset.
  public var duration: Duration { recorded + (since.map { manager.uptime - $0 } ?? .zero) }

  /// How long nothing but a weak signal makes it weak for long.
  public static let weakForLong = Duration.seconds(15)
  /// How long after a fix, without another, a fresh one is asked for, once, where the provider can do so.
  public static let silence = Duration.seconds(10)

  private static let table = TransitionTable<TripMachine>()
  private var meter: TripMeter
  private var recorded = Duration.zero
  private var since: Duration?
  private var tracking: Int?
  private var observing: Int?
  private var weakSince: Duration?
  private var lastFix: Duration?

  /// A recorder in the state `idle`, at 0.
  public init(_ manager: LocationManager, configuration: TripMeter.Configuration = .init()) {
    self.manager = manager
    meter = TripMeter(configuration)
  }

  deinit {
    if let tracking { manager.endTracking(tracking) }
    if let observing { manager.stopObserving(observing) }
  }

  /// Warms the receiver up, so that the first way counts from its beginning. What is travelled meanwhile does not count.
  public func prepare() { handle(.prepare) }
  /// Counts what is travelled from now on.
  public func start() { handle(.start) }
  /// Ends the trip; the distance and the duration stand.
  public func stop() { handle(.stop) }
  /// Sets the distance and the duration to 0; a trip that is recorded goes on from there.
  public func reset() { handle(.reset) }
}

@available(*, unavailable)
extension TripRecorder: Sendable {}

/// How well the satellites are received, by the accuracy of the last fix.
public enum SignalStrength: String, CaseIterable, Codable, Hashable, Sendable {
  /// No fix yet, an invalid one, or one that is less accurate than 70 m.
  case invalid
  /// 70 m or better.
  case weak
  /// 20 m or better.
  case strong

  /// The strength that an accuracy in metres shows; a negative one is invalid.
  public init(accuracy: Double) {
    switch accuracy {
    case 0...20: self = .strong
    case 0...70: self = .weak
    default: self = .invalid
    }
  }
}

/// Hears what a trip recorder does. Every method has a default that does nothing.
public protocol TripRecorderListener: LocationManagerListener {
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

// MARK: - What the machine says

extension TripRecorder {
  private func handle(_ event: TripMachine.Event, fix: Location? = nil) {
    let step = Self.table.step(from: state, on: event)
    guard step.kind != .ignored else { return }
    if step.kind == .external { enter(step.next) }
    for index in step.effects { run(Self.table.effects[index], fix) }
  }

  private func enter(_ next: TripMachine.State) {
    let now = manager.uptime
    if let since { recorded += now - since }
    since = next == .recording ? now : nil
    let isWanted = next.wantsReceiver
    let wasWanted = state.wantsReceiver
    state = next
    if isWanted, !wasWanted {
      signalStrength = .invalid
      weakSince = nil
      lastFix = nil
      meter.usesWeakFixes = false
      observing = manager.observe(
        onFix: { [weak self] in self?.heard($0) },
        onFailure: { [weak self] failure in self?.tell { $0.tripRecorder($1, didFail: failure) } },
        onDeadline: { [weak self] in self?.runOut() },
        onInterruption: { [weak self] in self?.interrupt() })
      tracking = manager.addTracker(
        ReceiverSettings(desiredAccuracy: meter.configuration.weakAccuracy, distanceFilter: 0), nil)
      manager.serveTrackers()
    } else if !isWanted, wasWanted {
      let (observed, tracked) = (observing, tracking)
      (observing, tracking) = (nil, nil)
      meter.end()
      if let observed { manager.stopObserving(observed) }
      if let tracked { manager.endTracking(tracked) }
    }
  }

  private func run(_ effect: TripMachine.Effect, _ fix: Location?) {
    switch effect {
    case .beginWay:
      meter.end()
    case .measure:
      guard let fix else { preconditionFailure("Only an event with a fix measures one.") }
      if case .added(let way) = meter.add(fix), way > 0 { tellDistance() }
    case .clear:
      meter.reset()
      recorded = .zero
      if since != nil { since = manager.uptime }
      tellDistance()
    case .allowWeakFixes:
      meter.usesWeakFixes = true
    case .restartReceiver:
      manager.restartReceiver()
    case .notifySignal:
      tell { [signalStrength] in $0.tripRecorder($1, didChangeSignal: signalStrength) }
    case .notifyWeak:
      tell { $0.tripRecorderDidFindSignalConsistentlyWeak($1) }
    }
  }

  private func tellDistance() {
    tell { [distance] in $0.tripRecorder($1, didChangeDistance: distance) }
  }

  private func tell(_ call: (any TripRecorderListener, TripRecorder) -> Void) {
    listeners.tell { listener in
      if let listener = listener as? any TripRecorderListener { call(listener, self) }
    }
  }
}

// MARK: - What the receiver says

extension TripRecorder {
  private func heard(_ judged: JudgedFix) {
    switch judged.verdict {
    // Of another time, or heard before: it says nothing of the signal now.
    case .rejected(.stale), .rejected(.futureDated), .rejected(.outOfOrder), .rejected(.duplicate),
      .rejected(.notListening), .rejected(.beforeTrigger):
      return
    case .candidate, .acquired, .rejected: break
    }
    let fix = judged.fix
    lastFix = manager.uptime
    let strength = SignalStrength(accuracy: fix.horizontalAccuracy)
    if strength != .weak { weakSince = nil } else if weakSince == nil { weakSince = manager.uptime }
    if strength == .strong { meter.usesWeakFixes = false }
    if strength != signalStrength {
      signalStrength = strength
      handle(.signalChanged)
    }
    handle(.fix, fix: fix)
    setDeadline()
  }

  private func runOut() {
    let now = manager.uptime
    if let since = weakSince, now >= since + Self.weakForLong, !meter.usesWeakFixes { handle(.weakForLong) }
    if let last = lastFix, now >= last + Self.silence {
      // Once: the next fix begins the next silence. A receiver that finds nothing would begin anew each time.
      lastFix = nil
      handle(.silence)
    }
    setDeadline()
  }

  /// What is travelled during a pause is no part of the trip, and nothing is to be heard of the signal.
  private func interrupt() {
    meter.end()
    (weakSince, lastFix) = (nil, nil)
    setDeadline()
  }

  private func setDeadline() {
    guard let observing else { return }
    let weak = meter.usesWeakFixes ? nil : weakSince.map { $0 + Self.weakForLong }
    let silent = lastFix.map { $0 + Self.silence }
    manager.setDeadline([weak, silent].compactMap { $0 }.min(), of: observing)
  }
}

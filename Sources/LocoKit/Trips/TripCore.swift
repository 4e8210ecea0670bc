/// A trip recorder's decisions, as a pure value.
///
/// It asks the table of the ``TripMachine``, and measures with a ``TripMeter``.
struct TripCore: DecisionCore, Hashable, Sendable {
  /// How long the system has been running.
  typealias Now = Duration

  /// What can happen to a trip recorder.
  enum Input: Hashable, Sendable {
    /// A command of the app: one of the machine's events.
    case command(TripMachine.Event)
    /// A fix, with the verdict of the manager's acquisition.
    case fix(JudgedFix)
    /// The GPS goes off.
    case interrupted
    /// The time has come that was asked for.
    case due
  }

  /// What is to be done, in the order in which it stands.
  enum Action: Hashable, Sendable {
    /// Fixes are wanted, of an accuracy in metres.
    case begin(desiredAccuracy: Double)
    case end
    case callBack(at: Duration?)
    case restartReceiver
    case distanceChanged(Double)
    case signalChanged(SignalStrength)
    case signalIsWeakForLong
  }

  /// The current state.
  private(set) var state = TripMachine.initialState
  /// How well the satellites are received.
  private(set) var signalStrength = SignalStrength.invalid
  private(set) var meter: TripMeter
  private var recorded = Duration.zero
  private var recordingSince: Duration?
  /// `nil` while the receiver isn't wanted.
  private var reception: Reception?
  private var unmeasured: Location?

  /// The signal while the receiver is wanted.
  private struct Reception: Hashable, Sendable {
    /// Since when the signal has been weak.
    var weakSince: Duration?
    /// When the last fix came; `nil` once its silence has been raised.
    var lastFix: Duration?
    /// The time of the callback.
    var callback: Duration?

    mutating func receive(_ strength: SignalStrength, at now: Duration) {
      lastFix = now
      if strength != .weak { weakSince = nil } else if weakSince == nil { weakSince = now }
    }

    mutating func interrupt() { (weakSince, lastFix) = (nil, nil) }
  }

  private static let table = TransitionTable<TripMachine>()
  static let weakForLong = Duration.seconds(15)
  static let silence = Duration.seconds(10)

  init(_ configuration: TripMeter.Configuration) {
    meter = TripMeter(configuration)
  }

  /// How long this has been recording since the last reset.
  func duration(at now: Duration) -> Duration {
    recorded + (recordingSince.map { now - $0 } ?? .zero)
  }

  mutating func handle(_ input: Input, at now: Duration, into actions: inout [Action]) {
    switch input {
    case .command(let event):
      raise(event, at: now, into: &actions)
    case .fix(let judged):
      receive(judged, at: now, into: &actions)
    case .interrupted:
      // The way during a pause isn't part of the trip, and without fixes nothing is known about the signal.
      meter.endSegment()
      reception?.interrupt()
    case .due:
      reception?.callback = nil
    }
  }

  mutating func settle(at now: Duration, into actions: inout [Action]) -> Bool {
    if let fix = unmeasured {
      unmeasured = nil
      raise(.fix, fix, at: now, into: &actions)
      return true
    }
    guard let reception else { return false }
    let weakEnds = meter.usesWeakFixes ? nil : reception.weakSince.map { $0 + Self.weakForLong }
    if let weakEnds, now >= weakEnds {
      // The meter uses weak fixes from now on, which ends this wait.
      raise(.weakForLong, at: now, into: &actions)
      return true
    }
    let silenceBegins = reception.lastFix.map { $0 + Self.silence }
    if let silenceBegins, now >= silenceBegins {
      // Once: the next fix begins the next silence. A receiver without a fix would begin anew each time.
      self.reception?.lastFix = nil
      raise(.silence, at: now, into: &actions)
      return true
    }
    let next = earlier(weakEnds, silenceBegins)
    if next != reception.callback {
      self.reception?.callback = next
      actions.append(.callBack(at: next))
    }
    return false
  }

  private mutating func receive(_ judged: JudgedFix, at now: Duration, into actions: inout [Action]) {
    switch judged.verdict {
    // Of another time, or known already: it says nothing of the signal now.
    case .rejected(.stale), .rejected(.futureDated), .rejected(.outOfOrder), .rejected(.duplicate),
      .rejected(.notListening), .rejected(.beforeTrigger):
      return
    case .candidate, .acquired, .rejected: break
    }
    unmeasured = judged.fix
    guard reception != nil else { return }
    let strength = SignalStrength(accuracy: judged.fix.horizontalAccuracy)
    reception?.receive(strength, at: now)
    if strength == .strong { meter.usesWeakFixes = false }
    if strength != signalStrength {
      signalStrength = strength
      raise(.signalChanged, at: now, into: &actions)
    }
  }

  /// The machine's answer to an event.
  private mutating func raise(
    _ event: TripMachine.Event, _ fix: Location? = nil, at now: Duration, into actions: inout [Action]
  ) {
    let step = Self.table.step(from: state, on: event)
    guard step.kind != .ignored else { return }
    if step.kind == .external { enter(step.next, at: now, into: &actions) }
    for effect in Self.table.effects(of: step) { act(effect, fix, at: now, into: &actions) }
  }

  private mutating func enter(_ next: TripMachine.State, at now: Duration, into actions: inout [Action]) {
    if let recordingSince { recorded += now - recordingSince }
    recordingSince = next == .recording ? now : nil
    let (wasWanted, isWanted) = (state.wantsReceiver, next.wantsReceiver)
    state = next
    guard isWanted != wasWanted else { return }
    reception = isWanted ? Reception() : nil
    if isWanted {
      signalStrength = .invalid
      meter.usesWeakFixes = false
      actions.append(.begin(desiredAccuracy: meter.configuration.weakAccuracy))
    } else {
      actions.append(.end)
    }
  }

  private mutating func act(
    _ effect: TripMachine.Effect, _ fix: Location?, at now: Duration, into actions: inout [Action]
  ) {
    switch effect {
    case .endSegment:
      meter.endSegment()
    case .measure:
      guard let fix else { preconditionFailure("Only an event with a fix measures one.") }
      if case .added(let metres) = meter.add(fix), metres > 0 { actions.append(.distanceChanged(meter.distance)) }
    case .clear:
      meter.reset()
      recorded = .zero
      if recordingSince != nil { recordingSince = now }
      actions.append(.distanceChanged(meter.distance))
    case .allowWeakFixes:
      meter.usesWeakFixes = true
    case .restartReceiver:
      actions.append(.restartReceiver)
    case .notifySignal:
      actions.append(.signalChanged(signalStrength))
    case .notifyWeak:
      actions.append(.signalIsWeakForLong)
    }
  }
}

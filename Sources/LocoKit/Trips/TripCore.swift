import Foundation

/// A trip recorder's decisions, as a pure value.
///
/// It asks the table of the ``TripMachine``, and measures with a ``TripMeter``. An automatic recorder's decisions are in
/// `TripCore+Automatic.swift`: they ask a ``TripDetector``.
struct TripCore: DecisionCore, Hashable, Sendable {
  /// The time, on both clocks.
  typealias Now = LocationCore.Now

  /// An input of a trip recorder.
  enum Input: Hashable, Sendable {
    /// A command of the app: one of the machine's events.
    case command(TripMachine.Event)
    /// The recorder begins, with what an earlier launch stored.
    case launch(TripSnapshot?)
    /// A fix, with the verdict of the manager's acquisition.
    case fix(LocationManager.JudgedFix)
    case motion(Motion)
    case pastMotion([Motion.Change])
    /// The GPS is turned off.
    case interrupted
    /// The app has paused.
    case paused
    /// The time has come that was asked for.
    case due
  }

  /// An action of a trip recorder.
  enum Action: Hashable, Sendable {
    /// Fixes are wanted, of an accuracy in metres.
    case begin(desiredAccuracy: Double)
    case end
    /// An error bound is wanted. The app is kept running during a trip.
    case follow(keepsRunning: Bool)
    case callBack(at: Duration?)
    case restartReceiver
    case distanceChanged(Double)
    case signalChanged(TripRecorder.SignalStrength)
    case signalIsWeakForLong
    case began(Trip)
    case ended(Trip)
    case missed(Trip.Gap)
    case save(TripRecord)
  }

  /// The state of the machine, where the app starts and stops the recorder.
  private(set) var commandedState = TripMachine.initialState
  /// The trip that is recorded, or that was recorded last.
  var trip: Trip?
  /// The trip that an earlier launch left; `nil` where it left none.
  private(set) var resumedTrip: Trip?
  /// Whether the next fix ends a gap.
  var isAfterGap = false
  /// Finds trips; `nil` where the app starts and stops the recorder.
  var automatic: Automatic?
  /// How well the satellites are received.
  private(set) var signalStrength = TripRecorder.SignalStrength.invalid
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

    mutating func receive(_ strength: TripRecorder.SignalStrength, at now: Duration) {
      lastFix = now
      if strength != .weak { weakSince = nil } else if weakSince == nil { weakSince = now }
    }

    mutating func interrupt() { (weakSince, lastFix) = (nil, nil) }
  }

  private static let table = TransitionTable<TripMachine>()
  static let weakForLong = Duration.seconds(15)
  static let silence = Duration.seconds(10)
  /// A trip isn't resumed if its last fix is older at the next launch: it ended there.
  static let longestGap = Duration.seconds(86_400)

  init(_ configuration: TripRecorder.Configuration, automatic: Automatic? = nil) {
    meter = TripMeter(configuration)
    self.automatic = automatic
  }

  /// The current state.
  var state: TripState { automatic?.detector.state.asCommanded ?? commandedState }
  /// The distance of the trip, in metres.
  var distance: Double { automatic == nil ? meter.distance : toldTrip?.distance ?? 0 }

  /// The recorded time since the last reset.
  func duration(at now: Duration) -> Duration {
    if automatic != nil { return toldTrip?.duration ?? .zero }
    return recorded + (recordingSince.map { now - $0 } ?? .zero)
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    guard automatic == nil else { return handleAutomatically(input, at: now, into: &actions) }
    switch input {
    case .command(let event):
      raise(event, at: now, into: &actions)
    case .launch(let snapshot):
      if let snapshot { resume(snapshot, at: now, into: &actions) }
    case .fix(let judged):
      receive(judged, at: now, into: &actions)
    case .interrupted, .paused:
      // The way during a pause isn't part of the trip, and without fixes nothing is known about the signal.
      meter.endSegment()
      trip?.endSegment()
      reception?.interrupt()
    case .motion, .pastMotion: break
    case .due:
      reception?.callback = nil
    }
  }

  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    guard automatic == nil else { return settleAutomatically(at: now, into: &actions) }
    if let fix = unmeasured {
      unmeasured = nil
      raise(.fix, fix, at: now, into: &actions)
      return true
    }
    guard let reception else { return false }
    let weakEnds = meter.usesWeakFixes ? nil : reception.weakSince.map { $0 + Self.weakForLong }
    if let weakEnds, now.uptime >= weakEnds {
      // The meter uses weak fixes from now on, which ends this wait.
      raise(.weakForLong, at: now, into: &actions)
      return true
    }
    let silenceBegins = reception.lastFix.map { $0 + Self.silence }
    if let silenceBegins, now.uptime >= silenceBegins {
      // The next fix begins the next silence. A receiver without a fix would be restarted again and again.
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

  private mutating func receive(_ judged: LocationManager.JudgedFix, at now: Now, into actions: inout [Action]) {
    switch judged.verdict {
    // An old or repeated fix doesn't show the present signal.
    case .rejected(.stale), .rejected(.futureDated), .rejected(.outOfOrder), .rejected(.duplicate),
      .rejected(.notListening), .rejected(.beforeTrigger):
      return
    case .candidate, .acquired, .rejected: break
    }
    unmeasured = judged.fix
    guard reception != nil else { return }
    let strength = TripRecorder.SignalStrength(accuracy: judged.fix.horizontalAccuracy)
    reception?.receive(strength, at: now.uptime)
    if strength == .strong { meter.usesWeakFixes = false }
    if strength != signalStrength {
      signalStrength = strength
      raise(.signalChanged, at: now, into: &actions)
    }
  }

  /// The machine's answer to an event.
  private mutating func raise(
    _ event: TripMachine.Event, _ fix: Location? = nil, at now: Now, into actions: inout [Action]
  ) {
    let step = Self.table.step(from: commandedState, on: event)
    guard step.kind != .ignored else { return }
    if step.kind == .external { enter(step.next, at: now, into: &actions) }
    for effect in Self.table.effects(of: step) { act(effect, fix, at: now, into: &actions) }
  }

  private mutating func enter(_ next: TripState, at now: Now, into actions: inout [Action]) {
    if let recordingSince { recorded += now.uptime - recordingSince }
    recordingSince = next == .recording ? now.uptime : nil
    let (wasWanted, isWanted) = (commandedState.wantsReceiver, next.wantsReceiver)
    let wasRecording = commandedState == .recording
    commandedState = next
    if next == .recording {
      beginTrip(at: now, into: &actions)
    } else if wasRecording {
      endTrip(at: now, into: &actions)
    }
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
    _ effect: TripMachine.Effect, _ fix: Location?, at now: Now, into actions: inout [Action]
  ) {
    switch effect {
    case .endSegment:
      meter.endSegment()
    case .measure:
      guard let fix else { preconditionFailure("Only an event with a fix measures one.") }
      measure(fix, at: now, into: &actions)
    case .clear:
      meter.reset()
      recorded = .zero
      trip = nil
      if recordingSince != nil {
        recordingSince = now.uptime
        beginTrip(at: now, into: &actions)
      }
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

// MARK: - The trip

extension TripCore {
  /// The state and the trip without its fixes, as they are stored.
  var snapshot: TripSnapshot {
    TripSnapshot(isRecording: commandedState == .recording, trip: trip, detector: automatic?.detector)
  }

  /// Begins a trip, or continues the one that was stopped.
  private mutating func beginTrip(at now: Now, into actions: inout [Action]) {
    let isNew = trip == nil
    if isNew { isAfterGap = false }
    var trip = trip ?? Trip(began: now.date)
    trip.ended = nil
    trip.endSegment()
    self.trip = trip
    actions.append(.save(.whole(snapshot)))
    if isNew { actions.append(.began(trip)) }
  }

  private mutating func endTrip(at now: Now, into actions: inout [Action]) {
    guard var trip else { return }
    // The clock may have been set back meanwhile.
    trip.ended = max(now.date, trip.began)
    trip.setDuration(duration(at: now.uptime))
    self.trip = trip
    actions.append(.ended(trip))
    actions.append(.save(.ended(trip, snapshot)))
  }

  private mutating func measure(_ fix: Location, at now: Now, into actions: inout [Action]) {
    let verdict = meter.add(fix)
    if case .rejected = verdict { return }
    endGap(with: fix, at: now.uptime, into: &actions)
    var metres: Double?
    if case .added(let added) = verdict, added > 0 { metres = added }
    guard metres != nil || trip?.isBetweenSegments == true else { return }
    let duration = duration(at: now.uptime)
    trip?.setDuration(duration)
    append(fix, metres: metres ?? 0, into: &actions)
    if metres != nil { actions.append(.distanceChanged(meter.distance)) }
  }

  /// Adds a fix to the trip, and stores it.
  mutating func append(_ fix: Location, metres: Double, into actions: inout [Action]) {
    guard var trip else { return }
    // Without a second reference to its fixes, none is copied.
    self.trip = nil
    let beginsSegment = trip.isBetweenSegments
    let count = trip.fixes.count
    trip.add(fix, metres: metres)
    self.trip = trip
    if trip.fixes.count == count + 1 {
      actions.append(
        .save(
          .fix(
            TripRecord.Fix(
              location: fix, distance: trip.distance, seconds: trip.duration.inSeconds, beginsSegment: beginsSegment))))
    } else {
      actions.append(.save(.whole(snapshot)))
    }
  }

  /// Ends the gap since an earlier launch.
  mutating func endGap(with fix: Location, at uptime: Duration? = nil, into actions: inout [Action]) {
    guard isAfterGap else { return }
    isAfterGap = false
    // The wait for the fix is a part of the gap.
    if recordingSince != nil { recordingSince = uptime }
    guard let gap = trip?.addGap(to: fix) else { return }
    actions.append(.save(.state(snapshot.withoutFixes)))
    actions.append(.missed(gap))
  }

  /// Resumes the trip that an earlier launch stored.
  private mutating func resume(_ snapshot: TripSnapshot, at now: Now, into actions: inout [Action]) {
    guard let trip = snapshot.trip else { return }
    // A trip that an automatic recorder found isn't one that the app has started.
    guard snapshot.isRecording else { return endForgotten(trip, snapshot.detector?.kind, into: &actions) }
    guard take(trip, nil, at: now, into: &actions) else { return }
    meter.resume(at: trip.distance)
    recorded = trip.duration
    raise(.start, at: now, into: &actions)
  }

  /// Takes the trip of an earlier launch, or ends it where its last fix is too old; or too far in the future, because the clock was set
  /// back.
  mutating func take(_ trip: Trip, _ kind: Trip.Kind?, at now: Now, into actions: inout [Action]) -> Bool {
    let last = trip.fixes.last?.timestamp ?? trip.began
    guard abs(now.date.timeIntervalSince(last)) <= Self.longestGap.inSeconds else {
      endForgotten(trip, kind, into: &actions)
      return false
    }
    (self.trip, resumedTrip) = (trip, trip)
    isAfterGap = !trip.fixes.isEmpty
    return true
  }

  /// Ends a trip that isn't resumed, at its last fix.
  mutating func endForgotten(_ trip: Trip, _ kind: Trip.Kind?, into actions: inout [Action]) {
    var trip = trip
    trip.ended = max(trip.fixes.last?.timestamp ?? trip.began, trip.began)
    trip.kind = kind
    let nothing = TripSnapshot(isRecording: false, trip: nil, detector: nil)
    if let kind, let automatic, !automatic.isWanted(kind, isOver: true) {
      actions.append(.save(.whole(nothing)))
    } else {
      actions.append(.save(.ended(trip, nothing)))
    }
  }
}

import LocoFoundation
import LocoKit

/// A trip recorder's decisions, as a pure value.
///
/// A recorder that the app starts and stops uses a ``TripMachine`` and a ``TripMeter``; an automatic one uses a ``TripDetector``, in
/// `TripCore+Automatic.swift`.
struct TripCore: DecisionCore, Hashable, Sendable {
  typealias Now = LocationCore.Now

  enum Input: Hashable, Sendable {
    case command(TripMachine.Event)
    /// The recorder is created, with the snapshot of an earlier launch and the beginnings of the stored trips, in milliseconds.
    case launch(TripSnapshot?, beginnings: [Int64] = [])
    case fix(LocationManager.JudgedFix)
    case motion(Motion)
    case pastMotion([Motion.Change])
    /// The GPS is turned off.
    case interrupted
    case paused
    /// The callback's time.
    case due
  }

  enum Action: Hashable, Sendable {
    /// Requests fixes of an accuracy in metres.
    case begin(desiredAccuracy: Double)
    case end
    /// Requests an error bound. The app is kept running during a trip.
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

  /// The state of a recorder that isn't automatic.
  private(set) var commandedState = TripMachine.initialState
  /// The trip that is recorded, or the last one.
  var trip: Trip?
  private(set) var resumedTrip: Trip?
  /// Whether the next fix ends a gap.
  var isAfterGap = false
  /// `nil` for a recorder that the app starts and stops.
  var automatic: Automatic?
  private(set) var signalStrength = TripRecorder.SignalStrength.invalid
  private(set) var meter: TripMeter
  private var recorded = Duration.zero
  private var recordingSince: Duration?
  /// `nil` while the GPS isn't used.
  private var reception: Reception?
  private var unmeasured: Location?
  /// The beginnings of the latest trips, in milliseconds.
  private var beginnings: [Int64] = []

  /// The signal while the GPS is used.
  private struct Reception: Hashable, Sendable {
    var weakSince: Duration?
    /// The time of the last fix; `nil` after its silence was raised.
    var lastFix: Duration?
    var callback: Duration?
  }

  private static let table = TransitionTable<TripMachine>()
  static let weakForLong = Duration.seconds(15)
  static let silence = Duration.seconds(10)
  /// The maximum age of the last fix of a trip that is resumed.
  static let longestGap = Duration.seconds(86_400)
  /// The maximum capacity of a store.
  static let maximumBeginnings = 10_000

  init(_ configuration: TripRecorder.Configuration, automatic: Automatic? = nil) {
    meter = TripMeter(configuration)
    self.automatic = automatic
  }

  var state: TripState {
    switch automatic?.detector.state {
    case nil: commandedState
    case .resting: .idle
    case .leaving: .prepared
    case .moving, .stopping: .recording
    }
  }
  var distance: Double { toldTrip?.distance ?? 0 }
  /// The trip, once the listeners were notified of it. A trip of an automatic recorder may still be of a kind that isn't recorded.
  var toldTrip: Trip? { automatic?.isTold == false && trip?.ended == nil ? nil : trip }

  /// The recorded time since the last reset.
  func duration(at now: Duration) -> Duration {
    if automatic != nil { return toldTrip?.duration ?? .zero }
    return recorded + (recordingSince.map { now - $0 } ?? .zero)
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    if case .launch(_, let beginnings) = input { self.beginnings = beginnings }
    guard automatic == nil else { return handleAutomatically(input, at: now, into: &actions) }
    switch input {
    case .command(let event): raise(event, at: now, into: &actions)
    case .launch(let snapshot, _): if let snapshot { resume(snapshot, at: now, into: &actions) }
    case .fix(let judged): receive(judged, at: now, into: &actions)
    case .interrupted, .paused:
      // The way during a pause isn't part of the trip, and without fixes the signal is unknown.
      meter.endSegment()
      trip?.endSegment()
      reception?.weakSince = nil
      reception?.lastFix = nil
    case .motion, .pastMotion: break
    case .due: reception?.callback = nil
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
      // The next fix begins the next silence, so that a receiver without fixes isn't restarted repeatedly.
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
    // An old or repeated fix doesn't show the current signal.
    case .rejected(.stale), .rejected(.futureDated), .rejected(.outOfOrder), .rejected(.duplicate),
      .rejected(.notListening), .rejected(.beforeTrigger):
      return
    case .candidate, .acquired, .rejected: break
    }
    unmeasured = judged.fix
    guard let weakSince = reception.map(\.weakSince) else { return }
    let strength = TripRecorder.SignalStrength(accuracy: judged.fix.horizontalAccuracy)
    reception?.weakSince = strength == .weak ? weakSince ?? now.uptime : nil
    reception?.lastFix = now.uptime
    if strength == .strong { meter.usesWeakFixes = false }
    if strength != signalStrength {
      signalStrength = strength
      raise(.signalChanged, at: now, into: &actions)
    }
  }

  private mutating func raise(
    _ event: TripMachine.Event, _ fix: Location? = nil, at now: Now, into actions: inout [Action]
  ) {
    guard let step = Self.table.transition(from: commandedState, on: event) else { return }
    if step.kind == .external { enter(step.next, at: now, into: &actions) }
    for effect in Self.table.effects(of: step) { act(effect, fix, at: now, into: &actions) }
  }

  private mutating func enter(_ next: TripState, at now: Now, into actions: inout [Action]) {
    if let recordingSince { recorded += now.uptime - recordingSince }
    recordingSince = next == .recording ? now.uptime : nil
    let last = commandedState
    commandedState = next
    if next == .recording {
      beginTrip(at: now, into: &actions)
    } else if last == .recording {
      endTrip(at: now, into: &actions)
    }
    guard next.wantsReceiver != last.wantsReceiver else { return }
    reception = next.wantsReceiver ? Reception() : nil
    if next.wantsReceiver {
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
    case .endSegment: meter.endSegment()
    case .measure:
      guard let fix else { preconditionFailure("Only a fix is measured.") }
      measure(fix, at: now, into: &actions)
    case .clear:
      meter.endSegment()
      recorded = .zero
      trip = nil
      if recordingSince != nil {
        recordingSince = now.uptime
        beginTrip(at: now, into: &actions)
      }
      actions.append(.distanceChanged(distance))
    case .allowWeakFixes: meter.usesWeakFixes = true
    case .restartReceiver: actions.append(.restartReceiver)
    case .notifySignal: actions.append(.signalChanged(signalStrength))
    case .notifyWeak: actions.append(.signalIsWeakForLong)
    }
  }

  // MARK: - The trip

  var snapshot: TripSnapshot {
    TripSnapshot(isRecording: commandedState == .recording, trip: trip, detector: automatic?.detector)
  }

  /// Creates a trip that begins at a date. If another trip began then, because the clock was set back, it begins milliseconds later.
  mutating func makeTrip(began: Date) -> Trip {
    var trip = Trip(began: began)
    for _ in beginnings where beginnings.contains(trip.milliseconds) {
      // Rounding doesn't move the middle of a millisecond into another one.
      trip = Trip(began: Date(timeIntervalSince1970: (Double(trip.milliseconds) + 1.5) / 1_000))
    }
    beginnings = beginnings.suffix(Self.maximumBeginnings - 1) + [trip.milliseconds]
    return trip
  }

  /// Begins a trip, or continues the one that was stopped.
  private mutating func beginTrip(at now: Now, into actions: inout [Action]) {
    let isNew = trip == nil
    if isNew { isAfterGap = false }
    var trip = trip ?? makeTrip(began: now.date)
    trip.ended = nil
    trip.endSegment()
    self.trip = trip
    actions.append(.save(.whole(snapshot)))
    if isNew { actions.append(.began(trip)) }
  }

  private mutating func endTrip(at now: Now, into actions: inout [Action]) {
    guard var trip else { return }
    // The clock may have been set back.
    trip.ended = max(now.date, trip.began)
    trip.setDuration(duration(at: now.uptime))
    self.trip = trip
    actions.append(.ended(trip))
    actions.append(.save(.ended(trip, snapshot)))
  }

  private mutating func measure(_ fix: Location, at now: Now, into actions: inout [Action]) {
    guard let metres = meter.add(fix) else { return }
    endGap(with: fix, at: now.uptime, into: &actions)
    guard metres > 0 || trip?.endsSegment == true else { return }
    let duration = duration(at: now.uptime)
    trip?.setDuration(duration)
    append(fix, metres: metres, into: &actions)
    if metres > 0 { actions.append(.distanceChanged(distance)) }
  }

  /// Adds a fix to the trip, and stores it.
  mutating func append(_ fix: Location, metres: Double, into actions: inout [Action]) {
    guard var trip else { return }
    // A second reference would copy the fixes.
    self.trip = nil
    let beginsSegment = trip.endsSegment
    let count = trip.fixes.count
    trip.add(fix, metres: metres)
    self.trip = trip
    let added = TripRecord.Fix(
      location: fix, distance: trip.distance, seconds: trip.duration.inSeconds, beginsSegment: beginsSegment)
    actions.append(.save(trip.fixes.count == count + 1 ? .fix(added) : .whole(snapshot)))
  }

  /// Saves the snapshot without the trip's fixes.
  func saveState(into actions: inout [Action]) { actions.append(.save(.state(snapshot.withoutFixes))) }

  /// Ends the gap since an earlier launch.
  mutating func endGap(with fix: Location, at uptime: Duration? = nil, into actions: inout [Action]) {
    guard isAfterGap else { return }
    isAfterGap = false
    // The wait for the fix is a part of the gap.
    if recordingSince != nil { recordingSince = uptime }
    guard let gap = trip?.addGap(to: fix) else { return }
    saveState(into: &actions)
    actions.append(.missed(gap))
  }

  /// Resumes the trip that an earlier launch stored.
  private mutating func resume(_ snapshot: TripSnapshot, at now: Now, into actions: inout [Action]) {
    guard let trip = snapshot.trip else { return }
    // A trip of an automatic recorder isn't resumed here.
    guard snapshot.isRecording else { return endForgotten(trip, snapshot.detector?.kind, into: &actions) }
    guard resume(trip, nil, at: now, into: &actions) else { return }
    recorded = trip.duration
    raise(.start, at: now, into: &actions)
  }

  /// Resumes the trip of an earlier launch. Ends it and returns `false` if its last fix is too old, or in the future, because the clock
  /// was set back.
  mutating func resume(_ trip: Trip, _ kind: Trip.Kind?, at now: Now, into actions: inout [Action]) -> Bool {
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
    trip.endAtLastFix(kind)
    let isWanted = kind.flatMap { automatic?.isWanted($0, isOver: true) } ?? true
    actions.append(.save(isWanted ? .ended(trip, .nothing) : .whole(.nothing)))
  }
}

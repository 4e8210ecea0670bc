import LocoFoundation
import LocoKit

/// The decisions of a recorder that the app starts and stops. It uses a ``TripMachine`` and a ``TripMeter``.
struct CommandedTrips: Equatable, Sendable {
  typealias Action = TripCore.Action
  typealias Now = TripCore.Now

  private var machine = MachineInstance<TripMachine>()
  private(set) var signalStrength = TripRecorder.SignalStrength.invalid
  private(set) var meter: TripMeter
  private var recorded = Duration.zero
  private var recordingSince: Duration?
  /// `nil` while the recorder doesn't use the GPS.
  private var reception: Reception?
  private var unmeasured: Location?
  /// The last time that the trip was saved with its duration.
  private var savedAt = Duration.zero

  /// The signal while the recorder uses the GPS.
  private struct Reception: Equatable, Sendable {
    var weakSince: Duration?
    /// The time of the last fix; `nil` before the first one, after an interruption or a pause, and after the event `silence`.
    var lastFix: Duration?
    var callback: Duration?
  }

  private static let weakForLong = Duration.seconds(15)
  private static let silence = Duration.seconds(10)
  /// The time after which the trip of a device that stands is saved. While fixes are accurate enough, a kill loses at most this time.
  private static let saveInterval = Duration.seconds(60)

  var state: TripState { machine.state }

  init(_ configuration: TripRecorder.Configuration) { meter = TripMeter(configuration) }

  /// Returns the recorded time since the last reset.
  func duration(at now: Duration) -> Duration { recorded + (recordingSince.map { now - $0 } ?? .zero) }

  mutating func handle(_ input: TripCore.Input, _ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    switch input {
    case .command(let event): raise(event, &log, at: now, into: &actions)
    case .launch(let snapshot, _): if let snapshot { resume(snapshot, &log, at: now, into: &actions) }
    case .fix(let judged): receive(judged, &log, at: now, into: &actions)
    case .interrupted, .paused: interrupt(&log, at: now, into: &actions)
    case .motion, .pastMotion: break
    case .due: reception?.callback = nil
    }
  }

  mutating func settle(_ log: inout TripLog, at now: Now, into actions: inout [Action]) -> Bool {
    if let fix = unmeasured {
      unmeasured = nil
      raise(.fix, measuring: fix, &log, at: now, into: &actions)
      return true
    }
    guard let reception else { return false }
    let weakEnds = meter.usesWeakFixes ? nil : reception.weakSince.map { $0 + Self.weakForLong }
    if let weakEnds, now.uptime >= weakEnds {
      // The meter uses weak fixes from now on, which ends this wait.
      raise(.weakForLong, &log, at: now, into: &actions)
      return true
    }
    let silenceBegins = reception.lastFix.map { $0 + Self.silence }
    if let silenceBegins, now.uptime >= silenceBegins {
      raise(.silence, &log, at: now, into: &actions)
      // The next silence counts from the next fix, so that a receiver without fixes isn't restarted repeatedly.
      loseSignal(&log, at: now, into: &actions)
      return true
    }
    let next = earlier(weakEnds, silenceBegins)
    if next != reception.callback {
      self.reception?.callback = next
      actions.append(.callBack(at: next))
    }
    return false
  }

  private mutating func receive(
    _ judged: LocationManager.JudgedFix, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    guard judged.verdict.showsSignal else { return }
    unmeasured = judged.fix
    // The first fix after an interruption.
    if state == .recording, recordingSince == nil { recordingSince = now.uptime }
    guard let weakSince = reception.map(\.weakSince) else { return }
    let accuracy = judged.fix.horizontalAccuracy
    let (required, weak) = (meter.configuration.requiredAccuracy, meter.configuration.weakAccuracy)
    let isUsable = (0...required).contains(accuracy)
    // By the configuration, which the strength doesn't depend on.
    reception?.weakSince = !isUsable && (0...weak).contains(accuracy) ? weakSince ?? now.uptime : nil
    reception?.lastFix = now.uptime
    if isUsable { meter.usesWeakFixes = false }
    setSignal(TripRecorder.SignalStrength(accuracy: accuracy), &log, at: now, into: &actions)
  }

  private mutating func setSignal(
    _ strength: TripRecorder.SignalStrength, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    guard strength != signalStrength else { return }
    signalStrength = strength
    raise(.signalChanged, &log, at: now, into: &actions)
  }

  /// Stops the clock until the next fix. The way and the time without fixes aren't part of the trip, and the signal is unknown.
  private mutating func interrupt(_ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    meter.endSegment()
    if state == .recording, let since = recordingSince {
      if !log.isAfterGap { recorded += now.uptime - since }
      recordingSince = nil
    }
    loseSignal(&log, at: now, into: &actions)
  }

  /// Forgets the last fixes, and makes the signal invalid until the next one.
  private mutating func loseSignal(_ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    guard reception != nil else { return }
    reception?.weakSince = nil
    reception?.lastFix = nil
    setSignal(.invalid, &log, at: now, into: &actions)
  }

  private mutating func raise(
    _ event: TripMachine.Event, measuring fix: Location? = nil, _ log: inout TripLog, at now: Now,
    into actions: inout [Action]
  ) {
    let step = machine.send(event, at: now.uptime)
    if case .transition(let transition) = step.outcome { enter(transition, &log, at: now, into: &actions) }
    for effect in step.effects { act(effect, fix, &log, at: now, into: &actions) }
  }

  private mutating func enter(
    _ transition: StateTransition<TripMachine>, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    let (last, next) = (transition.from, transition.to)
    if let recordingSince { recorded += now.uptime - recordingSince }
    recordingSince = next == .recording ? now.uptime : nil
    if next == .recording {
      beginTrip(&log, at: now, into: &actions)
    } else if last == .recording {
      endTrip(&log, at: now, into: &actions)
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
    _ effect: TripMachine.Effect, _ fix: Location?, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    switch effect {
    case .endSegment: meter.endSegment()
    case .measure:
      guard let fix else { preconditionFailure("Only a fix is measured.") }
      measure(fix, &log, at: now, into: &actions)
    case .clear:
      meter.endSegment()
      recorded = .zero
      log.trip = nil
      if state == .recording {
        if recordingSince != nil { recordingSince = now.uptime }
        beginTrip(&log, at: now, into: &actions)
      }
      actions.append(.distanceChanged(log.trip?.distance ?? 0))
    case .allowWeakFixes: meter.usesWeakFixes = true
    case .restartReceiver: actions.append(.restartReceiver)
    case .notifySignal: actions.append(.signalChanged(signalStrength))
    case .notifyWeak: actions.append(.signalIsWeakForLong)
    }
  }

  // MARK: - The trip

  private func snapshot(_ log: TripLog) -> TripSnapshot {
    TripSnapshot(isRecording: state == .recording, trip: log.trip, detector: nil)
  }

  /// Begins a trip, or continues the one that was stopped or that an earlier launch stored.
  private mutating func beginTrip(_ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    let isNew = log.trip == nil
    if isNew { log.isAfterGap = false }
    var trip = log.trip ?? log.makeTrip(began: now.date)
    trip.ended = nil
    log.trip = trip
    actions.append(.save(.whole(snapshot(log))))
    if isNew { actions.append(.began(trip)) }
  }

  private mutating func endTrip(_ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    guard var trip = log.trip else { return }
    // The wait for a fix after a relaunch is a part of the gap, also if no fix arrives.
    if log.isAfterGap { recorded = trip.duration }
    // The clock may have been set back.
    trip.ended = max(now.date, trip.began)
    trip.setDuration(duration(at: now.uptime))
    log.trip = trip
    // Saved first, so that a listener may write the store, or read the trip from it.
    actions.append(.save(.ended(trip, snapshot(log))))
    actions.append(.ended(trip))
  }

  private mutating func measure(_ fix: Location, _ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    guard let metres = meter.add(fix) else { return }
    // After several jumps in a row, the meter begins a segment, whose distance from the last fix doesn't count.
    if meter.hasBegunSegment { log.trip?.endSegment() }
    endGap(with: fix, &log, at: now.uptime, into: &actions)
    let isStanding = !(metres > 0 || log.trip?.endsSegment == true)
    if isStanding {
      log.trip?.stand(at: fix)
      guard now.uptime - savedAt >= Self.saveInterval else { return }
    }
    savedAt = now.uptime
    log.trip?.setDuration(duration(at: now.uptime))
    if isStanding, let trip = log.trip {
      actions.append(.save(.standing(trip.record(of: fix))))
    } else {
      actions.append(.save(log.append(fix, metres: metres) ?? .whole(snapshot(log))))
    }
    if metres > 0 { actions.append(.distanceChanged(log.trip?.distance ?? 0)) }
  }

  /// Ends the gap since an earlier launch.
  private mutating func endGap(
    with fix: Location, _ log: inout TripLog, at uptime: Duration, into actions: inout [Action]
  ) {
    guard log.isAfterGap else { return }
    // The wait for the fix is a part of the gap.
    if recordingSince != nil { recordingSince = uptime }
    guard let gap = log.endGap(with: fix) else { return }
    actions.append(.save(.state(snapshot(log).withoutFixes)))
    actions.append(.missed(gap))
  }

  /// Resumes the trip that an earlier launch stored, or ends it at its last fix.
  private mutating func resume(
    _ snapshot: TripSnapshot, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    guard let trip = snapshot.trip else { return }
    // A trip isn't resumed if it was stopped, if an automatic recorder began it, or if its last fix is more than a day
    // away.
    guard snapshot.isRecording, log.resume(trip, at: now.date) else {
      return actions.append(.save(trip.forgotten(snapshot.isRecording ? nil : snapshot.detector?.kind)))
    }
    recorded = trip.duration
    raise(.start, &log, at: now, into: &actions)
  }
}

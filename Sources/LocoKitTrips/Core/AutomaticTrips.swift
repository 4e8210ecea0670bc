import LocoFoundation
import LocoKit

/// The decisions of a recorder that detects trips. It uses a ``TripDetector``.
struct AutomaticTrips: Equatable, Sendable {
  typealias Action = TripCore.Action
  typealias Now = TripCore.Now

  private(set) var detector = TripDetector()
  let kinds: Set<Trip.Kind>
  /// The time in one place that ends a trip.
  let minimumStay: Duration
  /// The fix after the trip's last one. It joins the trip unless a later fix shows that it is an outlier, or the trip ended before it.
  private var next: Location?
  /// The fixes of the last seconds, whose mean is more accurate than each of them.
  private(set) var recent: [Location] = []
  /// Whether the listeners were notified of the trip.
  private(set) var hasReportedTrip = false
  /// The distance that the listeners know, in metres.
  private var announcedDistance = 0.0
  /// Whether the app is kept running; `nil` before the launch.
  private var keepsRunning: Bool?
  private var callback: Date?

  init(kinds: Set<Trip.Kind>, minimumStay: Duration) {
    (self.kinds, self.minimumStay) = (kinds, minimumStay)
  }

  /// The error bound, in metres. See *Recording trips* for its cost and its accuracy.
  static let errorBound = 300.0
  /// The shortest step that counts, in metres, if the accuracies of its ends don't require a longer one.
  fileprivate static let minimumStep = 30.0
  /// The maximum distance from the place of rest to the first fix away from it, in metres. If the distance is larger, the app probably
  /// wasn't running during the departure, so the trip begins at the fix.
  static let farthestDeparture = 20_000.0
  private static let meanOf = 3
  private static let meanWithin = 15.0

  /// Whether a trip that has this kind so far is certainly recorded. Before its end, a trip on foot may become one in a vehicle.
  func isWanted(_ kind: Trip.Kind, isOver: Bool) -> Bool {
    kinds.contains(kind) && (isOver || kind == .automotive || kinds.contains(.automotive))
  }

  /// Returns the mean of a fix and the fixes of the last seconds, weighted by their accuracies.
  private mutating func mean(with fix: Location) -> Location {
    recent.removeAll { fix.timestamp.timeIntervalSince($0.timestamp) > Self.meanWithin }
    recent = recent.suffix(Self.meanOf - 1) + [fix]
    guard recent.count > 1 else { return fix }
    var (mean, total) = (fix, 0.0)
    var (north, east, seconds) = (0.0, 0.0, 0.0)
    for each in recent {
      let weight = 1 / max(each.horizontalAccuracy * each.horizontalAccuracy, 1)
      total += weight
      // Differences, because longitudes jump at 180 degrees.
      north += weight * (each.latitude - fix.latitude)
      east += weight * (each.longitude - fix.longitude).remainder(dividingBy: 360)
      seconds += weight * each.timestamp.timeIntervalSince(fix.timestamp)
    }
    mean.latitude += north / total
    mean.longitude = (mean.longitude + east / total).remainder(dividingBy: 360)
    mean.timestamp += seconds / total
    mean.horizontalAccuracy = fix.horizontalAccuracy / Double(recent.count).squareRoot()
    return mean
  }

  var state: TripState {
    switch detector.state {
    case .resting: .idle
    case .leaving: .prepared
    case .moving, .stopping: .recording
    }
  }

  mutating func handle(_ input: TripCore.Input, _ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    var event: TripDetectionMachine.Event?
    var fix: Location?
    let hadPlace = detector.place != nil
    switch input {
    case .launch(let snapshot, _): return launch(snapshot, &log, at: now, into: &actions)
    case .command(.start): event = .start
    case .command(.stop), .paused: event = .stop
    case .command(.reset): return reset(&log, into: &actions)
    case .command, .interrupted: break
    case .fix(let judged):
      guard !judged.verdict.isRejection else { break }
      // A deadline that has passed precedes the fix: it may end the trip or the departure.
      while settleDeadline(&log, at: now, into: &actions) {}
      if detector.hasStayed(minimumStay, before: judged.fix) {
        raise(.stayed, &log, at: now, date: now.date, into: &actions)
      }
      fix = judged.fix
      event = detector.judge(judged.fix)
    case .motion(let motion):
      guard motion != detector.motion?.motion else { break }
      guard let motion else {
        detector.forgetMotion()
        break
      }
      let kind = detector.kind
      if detector.add(motion, at: now.date) { event = .vehicle }
      if detector.isOnTrip, kind != detector.kind {
        saveState(log, into: &actions)
        tellBeginning(log, into: &actions)
      }
    case .pastMotion(let changes): detector.add(changes)
    case .due: callback = nil
    }
    if let event { raise(event, measuring: fix, &log, at: now, date: now.date, into: &actions) }
    // The next launch needs the place that the device leaves, and must not use a place from before a pause.
    let isPlaceNew = (detector.place != nil) != hadPlace
    if case .paused = input, hadPlace || isPlaceNew {
      detector.forgetPlace()
      // The whole file, so that the place doesn't remain in an earlier line.
      actions.append(.save(.whole(snapshot(log))))
    } else if isPlaceNew {
      saveState(log, into: &actions)
    }
  }

  /// Discards the trip that is being recorded, and forgets the place and the motion.
  private mutating func reset(_ log: inout TripLog, into actions: inout [Action]) {
    (detector, next, recent, hasReportedTrip, callback) = (TripDetector(), nil, [], false, nil)
    log.forgetTrip()
    actions.append(.save(.whole(snapshot(log))))
    announce(0, into: &actions)
  }

  mutating func settle(_ log: inout TripLog, at now: Now, into actions: inout [Action]) -> Bool {
    if settleDeadline(&log, at: now, into: &actions) { return true }
    guard let wasKept = keepsRunning else { return false }
    let keepsRunning = detector.state != .resting && !detector.hasStayed(minimumStay, at: now.date)
    if keepsRunning != wasKept {
      self.keepsRunning = keepsRunning
      actions.append(.follow(keepsRunning: keepsRunning))
    }
    // An earlier callback stays. When it arrives, the recorder sets the next one.
    let deadline = detector.deadline(minimumStay: minimumStay)?.date
    if let deadline, callback.map({ $0 > deadline }) ?? true {
      callback = deadline
      actions.append(.callBack(at: now.uptime + .seconds(max(0, deadline.timeIntervalSince(now.date)))))
    }
    return false
  }

  /// Moves all dates, because the clock by which they were noted no longer applies.
  mutating func shift(by seconds: TimeInterval) {
    detector.shift(by: seconds)
    for index in recent.indices { recent[index].timestamp += seconds }
    next?.timestamp += seconds
    callback? += seconds
  }

  private mutating func settleDeadline(_ log: inout TripLog, at now: Now, into actions: inout [Action]) -> Bool {
    guard let deadline = detector.deadline(minimumStay: minimumStay), now.date >= deadline.date else { return false }
    raise(deadline.event, &log, at: now, date: deadline.date, into: &actions)
    return true
  }

  private mutating func launch(
    _ snapshot: TripSnapshot?, _ log: inout TripLog, at now: Now, into actions: inout [Action]
  ) {
    keepsRunning = false
    actions.append(.follow(keepsRunning: false))
    guard let snapshot else { return }
    guard var detector = snapshot.detector else {
      // The app had started the trip with a recorder that isn't automatic.
      if let trip = snapshot.trip { actions.append(.save(trip.forgotten(nil))) }
      return
    }
    detector.relaunch(at: now.date, last: snapshot.trip?.fixes.last)
    if detector.isOnTrip, let trip = snapshot.trip {
      guard log.resume(trip, at: now.date) else {
        let isWanted = isWanted(detector.kind, isOver: true)
        return actions.append(.save(isWanted ? trip.forgotten(detector.kind) : .whole(.nothing)))
      }
      hasReportedTrip = isWanted(detector.kind, isOver: false)
      announcedDistance = hasReportedTrip ? trip.distance : 0
    }
    if snapshot.trip == nil { detector.settle(since: now.date, at: nil) }
    self.detector = detector
  }

  private mutating func raise(
    _ event: TripDetectionMachine.Event, measuring fix: Location? = nil, _ log: inout TripLog, at now: Now, date: Date,
    into actions: inout [Action]
  ) {
    let (before, kind) = (detector.state, detector.kind)
    guard let effects = detector.raise(event, at: date) else { return }
    for effect in effects {
      switch effect {
      case .beginTrip: begin(&log, at: now, into: &actions)
      case .measure: if let fix { follow(mean(with: fix), &log, into: &actions) }
      case .endTrip: end(&log, at: date, isCommanded: event == .stop, into: &actions)
      }
    }
    // The kind is stored because the next launch can't derive it from the stored fixes.
    if before != detector.state && (effects.isEmpty || event == .away || event == .here)
      || detector.isOnTrip && kind != detector.kind
    {
      saveState(log, into: &actions)
    }
  }

  private func saveState(_ log: TripLog, into actions: inout [Action]) {
    actions.append(.save(.state(snapshot(log).withoutFixes)))
  }

  private mutating func begin(_ log: inout TripLog, at now: Now, into actions: inout [Action]) {
    log.isAfterGap = false
    let place = detector.place
    let (start, fixes) = detector.takeDeparture(at: now.date)
    let since = detector.restingSince
    var trip = log.makeTrip(began: start)
    // Far from the place, the device has left it without the app, at an unknown time.
    if var first = place, fixes.first.map({ first.distance(to: $0) <= Self.farthestDeparture }) ?? true {
      trip.visit = Location.Visit(place: first, arrival: min(since, trip.began), departure: trip.began)
      first.timestamp = trip.began
      (first.speed, first.course) = (nil, nil)
      trip.add(first, metres: 0)
    }
    log.trip = trip
    actions.append(.save(.whole(snapshot(log))))
    // Until the listeners are notified of the trip, the recorder has none.
    announce(0, into: &actions)
    tellBeginning(log, into: &actions)
    for fix in fixes { follow(fix, &log, into: &actions) }
  }

  /// Extends the trip to a fix that is a step from the last one: at least 30 m, and farther than both accuracies explain.
  ///
  /// The first fix of a segment is added immediately, and any other once a later fix is a step from it, or if the trip ends after it.
  /// An outlier, which is far off the way between the fixes before and after it, is dropped.
  private mutating func follow(_ fix: Location, _ log: inout TripLog, into actions: inout [Action]) {
    if let gap = log.endGap(with: fix) {
      saveState(log, into: &actions)
      actions.append(.missed(gap))
    }
    defer { tellBeginning(log, into: &actions) }
    guard let last = log.lastOfSegment else { return addStep(to: fix, &log, into: &actions) }
    guard let next else {
      if last.isStep(to: fix) { self.next = fix }
      return
    }
    if last.isStray(next, before: fix) {
      self.next = last.isStep(to: fix) ? fix : nil
    } else if next.isStep(to: fix) {
      addStep(to: next, &log, into: &actions)
      self.next = fix
    }
  }

  private mutating func addStep(to fix: Location, _ log: inout TripLog, into actions: inout [Action]) {
    var metres = 0.0
    var hasMoved = false
    if let last = log.lastOfSegment {
      hasMoved = isPlace(last, of: log.trip) && last.distance(to: fix) > Self.farthestDeparture
      if hasMoved {
        // The device has moved since it was at the place, without the app.
        log.trip?.endSegment()
        log.trip?.visit = nil
      } else {
        metres = last.geodesicDistance(to: fix)
        detector.addStep(metres, from: last, to: fix)
      }
    }
    log.trip?.setDuration(until: fix.timestamp)
    let record = log.append(fix, metres: metres)
    actions.append(.save(hasMoved ? .whole(snapshot(log)) : record ?? .whole(snapshot(log))))
    if hasReportedTrip { announce(log.trip?.distance ?? 0, into: &actions) }
  }

  private mutating func announce(_ distance: Double, into actions: inout [Action]) {
    guard distance != announcedDistance else { return }
    announcedDistance = distance
    actions.append(.distanceChanged(distance))
  }

  /// Whether a trip's last fix is the place where the trip began.
  private func isPlace(_ fix: Location, of trip: Trip?) -> Bool {
    guard let trip, trip.fixes.count == 1, let place = trip.visit?.place else { return false }
    return place.latitude == fix.latitude && place.longitude == fix.longitude
  }

  /// Notifies the listeners of the trip once it is certain that the trip is recorded.
  private mutating func tellBeginning(_ log: TripLog, isOver: Bool = false, into actions: inout [Action]) {
    guard !hasReportedTrip, var trip = log.trip, isWanted(detector.kind, isOver: isOver) else { return }
    hasReportedTrip = true
    trip.kind = detector.kind
    announce(trip.distance, into: &actions)
    actions.append(.began(trip))
  }

  private mutating func end(_ log: inout TripLog, at date: Date, isCommanded: Bool, into actions: inout [Action]) {
    guard log.trip != nil else { return }
    let (kind, stop) = (detector.kind, detector.stop)
    // The device was moving when the app was killed, and no fix has arrived since.
    let isPlaceUnknown = log.isAfterGap && stop.map { $0.since == $0.seen } ?? true
    // The time since a relaunch isn't recorded before the first fix.
    let commandedEnd = log.isAfterGap ? log.trip?.fixes.last?.timestamp ?? date : date
    log.isAfterGap = false
    let end = min(isCommanded ? commandedEnd : stop?.since ?? date, date)
    detector.rest(since: end)
    if isPlaceUnknown { detector.forgetPlace() }
    let next = self.next
    self.next = nil
    if let next, next.timestamp <= end { addStep(to: next, &log, into: &actions) }
    log.trip?.cut(after: end)
    if var last = stop?.fix, log.trip?.fixes.last?.isStep(to: last) == true {
      last.timestamp = max(end, log.trip?.fixes.last?.timestamp ?? end)
      addStep(to: last, &log, into: &actions)
    }
    log.trip?.setDuration(until: end)
    log.trip?.kind = kind
    let began = log.trip?.began ?? end
    log.trip?.ended = max(end, began)
    guard let trip = log.trip, isWanted(kind, isOver: true) else {
      log.trip = nil
      actions.append(.save(.whole(snapshot(log))))
      return
    }
    tellBeginning(log, isOver: true, into: &actions)
    announce(trip.distance, into: &actions)
    hasReportedTrip = false
    // Saved first, so that a listener may write the store, or read the trip from it.
    actions.append(.save(.ended(trip, snapshot(log))))
    actions.append(.ended(trip))
  }

  private func snapshot(_ log: TripLog) -> TripSnapshot {
    TripSnapshot(isRecording: false, trip: log.trip, detector: detector)
  }
}

extension Location {
  /// Whether another fix is newer, and far enough from this one: at least 30 m, and at least the distance that both accuracies explain.
  fileprivate func isStep(to other: Location) -> Bool {
    other.timestamp > timestamp && distance(to: other) >= max(AutomaticTrips.minimumStep, noise(with: other))
  }

  /// Whether a fix is far off the way from this fix to the next.
  fileprivate func isStray(_ fix: Location, before next: Location) -> Bool {
    distance(to: next) + horizontalAccuracy + next.horizontalAccuracy < distance(to: fix) / 2
  }
}

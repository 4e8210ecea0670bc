import LocoFoundation
import LocoKit

extension TripCore {
  /// The state of an automatic recorder.
  struct Automatic: Hashable, Sendable {
    var detector = TripDetector()
    let kinds: Set<Trip.Kind>
    /// The time without motion that ends a trip.
    let minimumStay: Duration
    /// The fix after the trip's last one. It joins the trip unless the next fix shows that it is an outlier.
    fileprivate var next: Location?
    /// The fixes of the last seconds, whose mean is more accurate than each of them.
    fileprivate(set) var recent: [Location] = []
    /// Whether the listeners were notified of the trip.
    fileprivate(set) var isTold = false
    /// Whether the app is kept running; `nil` before the launch.
    fileprivate var keepsRunning: Bool?
    fileprivate var callback: Date?

    init(kinds: Set<Trip.Kind>, minimumStay: Duration) {
      (self.kinds, self.minimumStay) = (kinds, minimumStay)
    }

    /// The error bound, in metres. See *Recording trips* for its cost and its accuracy.
    static let errorBound = 300.0
    /// The shortest step that counts, in metres, if the accuracies of its ends don't require a longer one.
    fileprivate static let leastStep = 30.0
    /// The maximum distance from the place to the first fix, in metres. A larger distance means that the app didn't run on the way, and the
    /// trip begins at the fix.
    static let farthestDeparture = 20_000.0
    private static let meanOf = 3
    private static let meanWithin = 15.0

    /// Whether trips of a kind are recorded. Before its end, a trip on foot may become one in a vehicle.
    func isWanted(_ kind: Trip.Kind, isOver: Bool) -> Bool {
      kinds.contains(kind) && (isOver || kind == .automotive || kinds.contains(.automotive))
    }

    /// The mean of a fix and the fixes of the last seconds, weighted by their accuracies.
    fileprivate mutating func mean(with fix: Location) -> Location {
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
  }

  mutating func handleAutomatically(_ input: Input, at now: Now, into actions: inout [Action]) {
    guard var automatic else { return }
    var event: TripDetectionMachine.Event?
    var fix: Location?
    let hadPlace = automatic.detector.place != nil
    switch input {
    case .launch(let snapshot, _): return launch(snapshot, at: now, into: &actions)
    case .command(.start): event = .start
    case .command(.stop), .paused: event = .stop
    case .command, .interrupted: break
    case .fix(let judged):
      guard !judged.verdict.isRejection else { break }
      // A deadline that has passed precedes the fix: it may end the trip or the departure.
      while settleDeadline(at: now, into: &actions) {}
      automatic = self.automatic ?? automatic
      fix = judged.fix
      event = automatic.detector.judge(judged.fix)
    case .motion(let motion): if automatic.detector.add(motion, at: now.date) { event = .vehicle }
    case .pastMotion(let changes): automatic.detector.add(changes)
    case .due: automatic.callback = nil
    }
    self.automatic = automatic
    if let event { raise(event, fix, at: now, date: now.date, into: &actions) }
    if case .paused = input { self.automatic?.detector.forgetPlace() }
    // The next launch needs the place that the device leaves, and must not use one from before a pause.
    let hasPlace = self.automatic?.detector.place != nil
    if hasPlace != hadPlace { saveState(into: &actions) }
  }

  mutating func settleAutomatically(at now: Now, into actions: inout [Action]) -> Bool {
    if settleDeadline(at: now, into: &actions) { return true }
    guard var automatic, automatic.keepsRunning != nil else { return false }
    let keepsRunning = automatic.detector.state != .resting
    if keepsRunning != automatic.keepsRunning {
      automatic.keepsRunning = keepsRunning
      actions.append(.follow(keepsRunning: keepsRunning))
    }
    // A callback that is set for an earlier time stays: the next one is set at that time.
    let deadline = automatic.detector.deadline(minimumStay: automatic.minimumStay)?.date
    if let deadline, automatic.callback.map({ $0 > deadline }) ?? true {
      automatic.callback = deadline
      actions.append(.callBack(at: now.uptime + .seconds(max(0, deadline.timeIntervalSince(now.date)))))
    }
    self.automatic = automatic
    return false
  }

  private mutating func settleDeadline(at now: Now, into actions: inout [Action]) -> Bool {
    guard let automatic, let deadline = automatic.detector.deadline(minimumStay: automatic.minimumStay),
      now.date >= deadline.date
    else { return false }
    raise(deadline.event, at: now, date: deadline.date, into: &actions)
    return true
  }

  private mutating func launch(_ snapshot: TripSnapshot?, at now: Now, into actions: inout [Action]) {
    automatic?.keepsRunning = false
    actions.append(.follow(keepsRunning: false))
    guard let snapshot else { return }
    guard var detector = snapshot.detector else {
      // The app had started the trip with a recorder that isn't automatic.
      if let trip = snapshot.trip { endForgotten(trip, nil, into: &actions) }
      return
    }
    detector.relaunch(at: now.date, last: snapshot.trip?.fixes.last)
    if detector.isOnTrip, let trip = snapshot.trip {
      guard resume(trip, detector.kind, at: now, into: &actions) else { return }
      let isTold = automatic?.isWanted(detector.kind, isOver: false) ?? false
      automatic?.isTold = isTold
    }
    if snapshot.trip == nil { detector.settle(since: now.date, at: nil) }
    automatic?.detector = detector
  }

  private mutating func raise(
    _ event: TripDetectionMachine.Event, _ fix: Location? = nil, at now: Now, date: Date, into actions: inout [Action]
  ) {
    guard let before = automatic?.detector.state, let effects = automatic?.detector.raise(event, at: date)
    else { return }
    let kind = automatic?.detector.kind
    for effect in effects {
      switch effect {
      case .beginTrip: beginAutomatically(at: now, into: &actions)
      case .measure: if let fix, let mean = automatic?.mean(with: fix) { follow(mean, into: &actions) }
      case .endTrip: endAutomatically(at: date, isCommanded: event == .stop, into: &actions)
      }
    }
    // The kind is stored because the next launch can't derive it from the fixes that remain.
    if before != automatic?.detector.state && (effects.isEmpty || event == .away || event == .here)
      || automatic?.detector.isOnTrip == true && kind != automatic?.detector.kind
    {
      saveState(into: &actions)
    }
  }

  private mutating func beginAutomatically(at now: Now, into actions: inout [Action]) {
    isAfterGap = false
    let place = automatic?.detector.place
    guard let (start, fixes) = automatic?.detector.takeDeparture(at: now.date) else { return }
    var trip = makeTrip(began: start)
    if var first = place, fixes.first.map({ first.distance(to: $0) <= Automatic.farthestDeparture }) ?? true {
      first.timestamp = trip.began
      (first.speed, first.course) = (nil, nil)
      trip.add(first, metres: 0)
    }
    self.trip = trip
    actions.append(.save(.whole(snapshot)))
    tellBeginning(into: &actions)
    for fix in fixes { follow(fix, into: &actions) }
  }

  /// Extends the trip to a fix that is farther from the last one than both accuracies explain.
  ///
  /// A fix is added once the next one is known: an outlier, far off the way between its neighbours, is dropped.
  private mutating func follow(_ fix: Location, into actions: inout [Action]) {
    if isAfterGap { endGap(with: fix, into: &actions) }
    defer { tellBeginning(into: &actions) }
    guard let trip, let last = trip.fixes.last, !trip.endsSegment else { return addStep(to: fix, into: &actions) }
    guard let next = automatic?.next else {
      if last.isStep(to: fix) { automatic?.next = fix }
      return
    }
    if last.isStray(next, before: fix) {
      automatic?.next = last.isStep(to: fix) ? fix : nil
    } else if next.isStep(to: fix) {
      addStep(to: next, into: &actions)
      automatic?.next = fix
    }
  }

  private mutating func addStep(to fix: Location, into actions: inout [Action]) {
    var metres = 0.0
    if let trip, let last = trip.fixes.last, !trip.endsSegment {
      metres = last.geodesicDistance(to: fix)
      automatic?.detector.addStep(metres, from: last, to: fix)
    }
    trip?.setDuration(until: fix.timestamp)
    append(fix, metres: metres, into: &actions)
    if automatic?.isTold == true, metres > 0 { actions.append(.distanceChanged(distance)) }
  }

  /// Notifies the listeners of the trip once its kind is known and wanted.
  private mutating func tellBeginning(isOver: Bool = false, into actions: inout [Action]) {
    guard let automatic, !automatic.isTold, var trip, automatic.isWanted(automatic.detector.kind, isOver: isOver)
    else { return }
    self.automatic?.isTold = true
    trip.kind = automatic.detector.kind
    actions.append(.began(trip))
  }

  private mutating func endAutomatically(at date: Date, isCommanded: Bool, into actions: inout [Action]) {
    guard var automatic, trip != nil else { return }
    let (kind, stop) = (automatic.detector.kind, automatic.detector.stop)
    // The device was moving when the app was killed, and no fix has arrived since.
    let isPlaceUnknown = isAfterGap && stop.map { $0.since == $0.seen } ?? true
    isAfterGap = false
    let end = isCommanded ? date : min(stop?.since ?? date, date)
    automatic.detector.rest(since: end)
    if isPlaceUnknown { automatic.detector.forgetPlace() }
    self.automatic = automatic
    self.automatic?.next = nil
    if let next = automatic.next, next.timestamp <= end { addStep(to: next, into: &actions) }
    trip?.cut(after: end)
    if var last = stop?.fix, trip?.fixes.last?.isStep(to: last) == true {
      last.timestamp = max(end, trip?.fixes.last?.timestamp ?? end)
      addStep(to: last, into: &actions)
    }
    trip?.setDuration(until: end)
    trip?.kind = kind
    let began = trip?.began ?? end
    trip?.ended = max(end, began)
    guard let trip, automatic.isWanted(kind, isOver: true) else {
      self.trip = nil
      actions.append(.save(.whole(snapshot)))
      return
    }
    tellBeginning(isOver: true, into: &actions)
    self.automatic?.isTold = false
    actions.append(.ended(trip))
    actions.append(.save(.ended(trip, snapshot)))
  }
}

extension Location {
  /// Whether another fix is farther away than both accuracies explain.
  fileprivate func isStep(to other: Location) -> Bool {
    other.timestamp > timestamp && distance(to: other) >= max(TripCore.Automatic.leastStep, noise(with: other))
  }

  /// Whether a fix is far off the way from this one to the next.
  fileprivate func isStray(_ fix: Location, before next: Location) -> Bool {
    distance(to: next) + horizontalAccuracy + next.horizontalAccuracy < distance(to: fix) / 2
  }
}

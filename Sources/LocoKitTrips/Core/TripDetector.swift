import LocoFoundation
import LocoKit

/// Judges fixes and motion for an automatic trip recorder: where the device rests, when it left, and where it stops.
///
/// Fixes arrive late: the exit from a region of 100 m is reported about 105 s after the device crossed its edge. So the start of a trip is
/// computed in hindsight: from the motion that the sensor stored, or from the distance to the place and the speed of the fixes.
///
/// The constants were chosen on MobilityNet's outings (see *Recording trips*). Distances are in metres, times in seconds.
struct TripDetector: Equatable, Codable, Sendable {
  private(set) var state = TripDetectionMachine.initialState
  /// The last place of rest; `nil` if it isn't known, as before the first fix.
  private(set) var place: Location?
  private(set) var restingSince = Date.distantPast
  /// The fixes away from the place, before the trip begins.
  private(set) var departure: [Location] = []
  /// The place where the device may have stopped.
  private(set) var stop: Stop?
  /// The time when the state was entered.
  private(set) var enteredAt = Date.distantPast
  /// The time of this trip at a vehicle's speed, in seconds; at least ``minimumRide`` if the sensor reported a vehicle.
  private(set) var secondsInVehicle = 0.0
  private var lastFix: Location?
  /// The stored and the reported motion, oldest first. Motion from before the device came to rest doesn't count.
  private var motions: [LocationManager.Motion.Change] = []
  private(set) var motion: LocationManager.Motion.Change?

  private enum CodingKeys: CodingKey {
    case state, place, restingSince, departure, stop, enteredAt, secondsInVehicle
  }

  struct Stop: Equatable, Codable, Sendable {
    /// The most accurate fix at the stop.
    var fix: Location
    /// The time of the first fix at the stop.
    let since: Date
    /// The time of the last fix at the stop.
    var seen: Date

    init(_ fix: Location) { (self.fix, since, seen) = (fix, fix.timestamp, fix.timestamp) }
  }

  /// The worst accuracy of a fix that is judged. Nine in ten coarse fixes that claim this accuracy have a smaller error.
  static let minimumAccuracy = 166.0
  /// The least distance from the place, beyond both accuracies, of a fix that is away.
  private static let away = 60.0
  /// The same while the motion sensor reports stillness: in a house, the error of a fix may be many times its accuracy.
  private static let awayWhileStill = 300.0
  /// The least time from the first fix away to the fix that confirms the departure. The stored motion arrives in this time.
  private static let confirmation = 15.0
  /// Fixes within the lower distance are in one place, if the later one is slower than ``standing``. For less accurate fixes the limit
  /// is the sum of both accuracies, up to the upper distance.
  private static let onePlace = 50.0...130.0
  /// The lowest speed of a fix that isn't at rest, in metres per second.
  private static let standing = 1.0
  /// The time in one place after which the device may have stopped.
  private static let stopLength = 60.0
  /// The time after the minimum stay for which a trip may still continue, because no fix shows that the device is still at the stop.
  private static let unseenStay = 600.0
  /// The least speed of a vehicle: 25 km/h.
  private static let vehicleSpeed = 7.0
  /// The least time at a vehicle's speed on a trip in a vehicle.
  private static let minimumRide = 60.0
  /// The longest time between two fixes for which the speed between them counts.
  private static let longestStep = 120.0
  /// Motion after a longer pause begins a new episode.
  private static let longestPause = 60.0
  /// A device that the sensor reports still for this time hasn't left before.
  private static let longestWait = 300.0
  /// The range of speeds of a departure: 0.8 to 3 m/s, or up to 30 m/s in a vehicle.
  private static let slowest = 0.8
  private static let fastest = 3.0
  private static let fastestVehicle = 30.0
  /// The usual speed of a walk.
  private static let walk = 1.3
  private static let maximumMotions = 1_000
  private static let maximumDeparture = 100

  private static let table = TransitionTable<TripDetectionMachine>()

  var isOnTrip: Bool { state == .moving || state == .stopping }

  // MARK: - Motion

  /// Adds stored motion.
  mutating func add(_ changes: [LocationManager.Motion.Change]) {
    // A reading may arrive twice, or after a newer one.
    motions = Set(motions).union(changes).sorted {
      ($0.date, $0.motion?.rawValue ?? "") < ($1.date, $1.motion?.rawValue ?? "")
    }
    trim()
  }

  /// Adds the current motion. Returns whether the device is in a vehicle.
  mutating func add(_ motion: LocationManager.Motion, at date: Date) -> Bool {
    // On the measured phones, the sensor reports a vehicle late, but never falsely.
    if motion == .vehicle, isOnTrip { secondsInVehicle = max(secondsInVehicle, Self.minimumRide) }
    self.motion = LocationManager.Motion.Change(motion, at: date)
    motions.append(LocationManager.Motion.Change(motion, at: date))
    trim()
    return isInVehicle(at: date)
  }

  /// Forgets the current motion, because the sensor is off.
  mutating func forgetMotion() { motion = nil }

  private mutating func trim() {
    if motions.count > Self.maximumMotions { motions.removeFirst(motions.count - Self.maximumMotions) }
  }

  /// Whether the last motion is that of a vehicle, moving or standing, which hasn't stood for longer than the longest jam. The motion holds
  /// until the sensor reports another one.
  private func isInVehicle(at date: Date) -> Bool {
    guard let motion, motion.motion?.isInVehicle == true else { return false }
    let since = max(motion.date, stop?.since ?? motion.date)
    return date.timeIntervalSince(since) <= LocationManager.Motion.longestJam.inSeconds
  }

  // MARK: - Fixes

  /// Judges a fix. Returns the event to raise, or `nil` if there is none.
  mutating func judge(_ fix: Location) -> TripDetectionMachine.Event? {
    guard fix.horizontalAccuracy <= Self.minimumAccuracy else { return nil }
    defer { lastFix = fix }
    return isOnTrip ? judgeMoving(fix) : judgeAtRest(fix)
  }

  private mutating func judgeAtRest(_ fix: Location) -> TripDetectionMachine.Event? {
    guard let place else {
      (self.place, restingSince) = (fix, fix.timestamp)
      return .here
    }
    let metres = place.distance(to: fix)
    let away = motion?.motion == .still ? Self.awayWhileStill : Self.away
    if metres - fix.horizontalAccuracy - place.horizontalAccuracy > away {
      if departure.count < Self.maximumDeparture { departure.append(fix) }
      guard state == .leaving, let first = departure.first else { return .away }
      return fix.timestamp.timeIntervalSince(first.timestamp) >= Self.confirmation ? .away : nil
    }
    // A fix that is neither away nor in the place raises no event.
    guard Self.isOnePlace(place, fix) else { return nil }
    if fix.horizontalAccuracy < place.horizontalAccuracy { self.place = fix }
    return .here
  }

  private mutating func judgeMoving(_ fix: Location) -> TripDetectionMachine.Event {
    guard var stop, Self.isOnePlace(stop.fix, fix) else {
      stop = Stop(fix)
      return .away
    }
    stop.seen = fix.timestamp
    if fix.horizontalAccuracy < stop.fix.horizontalAccuracy { stop.fix = fix }
    self.stop = stop
    if state == .stopping { return .here }
    return stop.seen.timeIntervalSince(stop.since) >= Self.stopLength && !isInVehicle(at: fix.timestamp) ? .here : .away
  }

  private static func isOnePlace(_ first: Location, _ second: Location) -> Bool {
    let noise = min(first.horizontalAccuracy + second.horizontalAccuracy, onePlace.upperBound)
    return first.distance(to: second) < max(onePlace.lowerBound, noise) && second.speed ?? 0 < standing
  }

  /// Adds the time of a step at a vehicle's speed.
  mutating func addStep(_ metres: Double, from first: Location, to second: Location) {
    let time = second.timestamp.timeIntervalSince(first.timestamp)
    if time > 0, time <= Self.longestStep, metres / time >= Self.vehicleSpeed { secondsInVehicle += time }
  }

  var kind: Trip.Kind { secondsInVehicle >= Self.minimumRide ? .automotive : .onFoot }

  // MARK: - The machine

  /// Returns the time and the event of the state's deadline; `nil` if the state has none.
  func deadline(minimumStay: Duration) -> (date: Date, event: TripDetectionMachine.Event)? {
    guard let deadline = Self.table.deadline(in: state) else { return nil }
    let from =
      switch state {
      case .resting, .leaving: enteredAt
      case .moving: max(lastFix?.timestamp ?? enteredAt, enteredAt)
      case .stopping: stop?.since ?? enteredAt
      }
    let end = from + deadline.duration(setting: minimumStay).inSeconds
    // The device may have left without a fix that shows it.
    if state == .stopping, let stop, stop.seen < end { return (end + Self.unseenStay, deadline.input) }
    return (end, deadline.input)
  }

  /// Whether the current stop has lasted for the minimum stay, as far as fixes show. The app needn't be kept running then.
  func hasStayed(_ minimumStay: Duration, at date: Date) -> Bool {
    guard state == .stopping, let stop else { return false }
    return date.timeIntervalSince(stop.since) >= minimumStay.inSeconds
  }

  /// Whether a fix away from the stop shows, in hindsight, that the device left after the minimum stay.
  func hasStayed(_ minimumStay: Duration, before fix: Location) -> Bool {
    guard state == .stopping, let stop, fix.horizontalAccuracy <= Self.minimumAccuracy, !Self.isOnePlace(stop.fix, fix)
    else { return false }
    let left = stop.fix.distance(to: fix) / max(Self.walk, (fix.speed ?? 0) / 2)
    return fix.timestamp.timeIntervalSince(stop.since) - left >= minimumStay.inSeconds
  }

  /// Enters the next state. Returns the effects, or `nil` if the event is ignored.
  mutating func raise(_ event: TripDetectionMachine.Event, at date: Date) -> ArraySlice<TripDetectionMachine.Effect>? {
    guard let step = Self.table.transition(from: state, on: event) else { return nil }
    if step.kind == .external {
      if step.next == .resting, state == .leaving { departure = [] }
      (state, enteredAt) = (step.next, date)
    }
    return Self.table.effects(of: step)
  }

  /// Removes and returns the fixes away from the place, with the time of the departure.
  mutating func takeDeparture(at date: Date) -> (start: Date, fixes: [Location]) {
    defer { departure = [] }
    // If the app begins the trip at rest, no fix is away yet, and the last fix may be hours old. So it isn't used as the stop.
    stop = departure.last.map(Stop.init)
    var began = date
    if let place, let first = departure.first {
      let isFar = place.distance(to: first) > AutomaticTrips.farthestDeparture
      // The clock may have been set back since the stay began.
      began = isFar ? first.timestamp : max(min(restingSince, first.timestamp), start(from: place, to: first))
    }
    // The sensor may have reported the vehicle before the departure was confirmed.
    secondsInVehicle = motions.contains { $0.motion == .vehicle && $0.date >= began } ? Self.minimumRide : 0
    return (began, departure)
  }

  /// Sets the place of rest to the stop, or to the last fix.
  mutating func rest(since date: Date) {
    (place, restingSince) = (stop?.fix ?? lastFix, date)
    (stop, departure) = (nil, [])
    motions.removeAll { $0.date < date }
  }

  /// Sets the state to rest if it is still on a trip, although that trip has ended or isn't stored.
  mutating func settle(since date: Date, at fix: Location?) {
    guard isOnTrip else { return }
    rest(since: date)
    place = place ?? fix
    (state, enteredAt) = (.resting, date)
  }

  /// Corrects the stored values at the beginning of another launch, with the last fix of the resumed trip.
  ///
  /// The stored stop and the stored time of entering the state may be as old as the trip. While moving, the time of the trip's last fix
  /// replaces that time, and the fix replaces an older stop. A stored time in the future means that the clock was set back: it is corrected
  /// or removed. A few seconds are permitted, because the receiver's clock may be ahead.
  mutating func relaunch(at date: Date, last: Location?) {
    if state == .moving {
      (lastFix, enteredAt) = (last, last?.timestamp ?? date)
      if let last, stop.map({ $0.seen < last.timestamp }) ?? true { stop = Stop(last) }
    }
    let latest = date.addingTimeInterval(Self.confirmation)
    if enteredAt > latest { enteredAt = date }
    if restingSince > latest { restingSince = date }
    departure.removeAll { $0.timestamp > latest }
    if let stop, max(stop.since, stop.seen) > latest { self.stop = nil }
  }

  /// Moves the dates of a device at rest.
  mutating func shift(by seconds: TimeInterval) {
    place?.timestamp += seconds
    lastFix?.timestamp += seconds
    restingSince += seconds
    enteredAt += seconds
    motions = motions.map { LocationManager.Motion.Change($0.motion, at: $0.date + seconds) }
    motion = motion.map { LocationManager.Motion.Change($0.motion, at: $0.date + seconds) }
  }

  /// Forgets the place, because the device may have moved unnoticed.
  mutating func forgetPlace() { (place, stop, departure, lastFix) = (nil, nil, [], nil) }

  /// Returns the time when the device left the place: the start of the latest motion that began early enough for the distance to the
  /// fix, but no earlier than at the speed of a slow walk. Without such motion, the speed of the fixes determines the time.
  private func start(from place: Location, to fix: Location) -> Date {
    let metres = place.distance(to: fix)
    func before(_ pace: Double) -> Date { fix.timestamp.addingTimeInterval(-metres / pace) }
    // Motion that ended before the slowest departure belongs to the stay.
    for episode in episodes(until: fix.timestamp).reversed()
    where episode.start <= before(episode.isVehicle ? Self.fastestVehicle : Self.fastest).addingTimeInterval(10)
      && episode.end >= before(Self.slowest)
    {
      let start = max(episode.start, before(Self.slowest))
      // The sensor detects a vehicle minutes after its departure.
      return episode.isVehicle ? min(start, before(departurePace)) : start
    }
    return before(departurePace)
  }

  /// The speed from the first to the last fix away from the place, with both accuracies subtracted from the distance, or half the speed of
  /// the first one if that is more; at least that of a walk.
  private var departurePace: Double {
    guard let first = departure.first, let last = departure.last else { return Self.walk }
    let time = last.timestamp.timeIntervalSince(first.timestamp)
    let metres = first.distance(to: last) - first.horizontalAccuracy - last.horizontalAccuracy
    return max(Self.walk, (first.speed ?? 0) / 2, time > 0 ? metres / time : 0)
  }

  /// Returns the episodes of motion since the device came to rest, without those before a long stillness.
  private func episodes(until end: Date) -> [(start: Date, end: Date, isVehicle: Bool)] {
    var episodes: [(start: Date, end: Date, isVehicle: Bool)] = []
    let changes = motions.filter { $0.date >= restingSince && $0.date <= end }
    var stillSince: Date?
    for (index, change) in changes.enumerated() {
      let until = index + 1 < changes.count ? changes[index + 1].date : end
      guard let motion = change.motion, motion != .still else {
        // At rest, short unknown activities are frequent.
        let isShort = until.timeIntervalSince(change.date) <= Self.longestPause
        stillSince = change.motion == .still ? stillSince ?? change.date : isShort ? stillSince : nil
        if let stillSince, until.timeIntervalSince(stillSince) >= Self.longestWait { episodes = [] }
        continue
      }
      stillSince = nil
      let isVehicle = motion.isInVehicle
      if let last = episodes.last, change.date.timeIntervalSince(last.end) <= Self.longestPause {
        episodes[episodes.count - 1] = (last.start, until, last.isVehicle || isVehicle)
      } else {
        episodes.append((change.date, until, isVehicle))
      }
    }
    return episodes
  }

  /// Whether the values are in the range that a recorder stores.
  var isValid: Bool {
    let locations = departure + [place, stop?.fix].compactMap { $0 }
    let dates = [restingSince, enteredAt] + [stop?.since, stop?.seen].compactMap { $0 }
    return departure.count <= Self.maximumDeparture && locations.allSatisfy(\.canBeInTrip)
      && dates.allSatisfy(\.canBeInTrip) && (0...Trip.maximumSeconds).contains(secondsInVehicle)
  }
}

extension TripDetectionMachine.State: Codable {}

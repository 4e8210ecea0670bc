import Foundation

/// A consumer's claim on the receiver: what the consumer wants, and how far it has come.
///
/// A waiter of `acquire`, a consumer of `track`, a trip, the power policy, and the manager's own acquisition.
struct Demand: Hashable, Sendable {
  /// Chosen by the manager; a new want with the same identifier replaces the old one.
  typealias ID = Int

  /// A consumer's request, with its progress.
  enum Want: Hashable, Sendable {
    /// The manager's own acquisition: a fix that satisfies the policy, by a deadline.
    case policy(deadline: Duration)
    /// One location.
    case one(OneLocation)
    /// Every location that passes a filter.
    case every(TrackFilter)
    /// Every location that an acceptance accepts.
    case accepted(Acceptance)
    /// Every fix with its verdict. With a filter the GPS stays on, and the listeners receive the fixes that pass; without one
    /// the consumer receives the fixes of others' acquisitions.
    case fixes(TrackFilter?)
    /// A last location that is no farther off than some metres, and every fix with its verdict. If `keepsRunning`, the app isn't
    /// suspended while the GPS is off.
    case bound(Double, keepsRunning: Bool)
  }

  /// The manager's own acquisition; no consumer has this identifier.
  static let policyID = 0

  let id: ID
  var want: Want

  /// Whether it is the manager's own acquisition, and no consumer's.
  var isPolicy: Bool { id == Self.policyID }

  /// Whether the GPS stays on for it without a limit.
  var isTracking: Bool {
    switch want {
    case .every, .accepted, .fixes(.some): true
    case .policy, .one, .fixes(nil), .bound: false
    }
  }

  /// Whether its owner receives every fix with its verdict.
  var receivesFixes: Bool {
    switch want {
    case .fixes, .bound: true
    case .policy, .one, .every, .accepted: false
    }
  }

  /// How it uses the receiver while the GPS is on; `nil` where it doesn't.
  var receiverSettings: ReceiverSettings? {
    switch want {
    case .policy, .one: .best
    case .every(let filter): filter.settings
    // A trip counts satellites' fixes; weaker ones pass the filter while there are no better ones.
    case .fixes(let filter?): ReceiverSettings(desiredAccuracy: 0, distanceFilter: filter.settings.distanceFilter)
    // The system's own distance filter would hold back fixes that are judged here.
    case .accepted(let acceptance):
      ReceiverSettings(desiredAccuracy: acceptance.policy.requiredAccuracy, distanceFilter: 0)
    case .fixes(nil), .bound: nil
    }
  }

  /// The time of its next turn.
  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    switch want {
    case .policy(let deadline): deadline
    case .one(let one): one.deadline
    case .accepted(let acceptance): isAcquiring ? acceptance.waitEnds : nil
    case .every, .fixes, .bound: nil
    }
  }

  /// The result of a demand for one location: the location, a failure, or `nil` until the acquisition ends.
  func result(at now: LocationCore.Now, in acquisition: Acquisition) -> Result<Location, AcquisitionFailure>? {
    let (best, isOver): (Location?, Bool)
    switch want {
    case .policy(let deadline):
      isOver = now.uptime >= deadline
      best = acquisition.outcome(at: now.date, isOver: isOver).flatMap {
        acquisition.isNew($0, at: now.date) ? $0 : nil
      }
    case .one(let one):
      if let known = one.answer(from: acquisition.previous, at: now.date) { return .success(known) }
      isOver = now.uptime >= one.deadline
      guard let fresh = one.best.flatMap({ acquisition.isFresh($0, at: now.date) ? $0 : nil }) else {
        return isOver ? .failure(.timeLimit(best: nil)) : nil
      }
      if !one.isSatisfied, !(isOver && fresh.horizontalAccuracy <= one.acceptableAccuracy) {
        return isOver ? .failure(.timeLimit(best: fresh)) : nil
      }
      best = fresh
    case .every, .accepted, .fixes, .bound: return nil
    }
    if let best { return .success(best) }
    return isOver ? .failure(.timeLimit(best: acquisition.candidate(at: now.date))) : nil
  }
}

/// One location that a consumer waits for: the best of the fixes since it began to wait.
struct OneLocation: Hashable, Sendable {
  static let maximumFixAge = Duration.seconds(5)

  let desiredAccuracy: Double
  let timeLimit: Duration
  /// The greatest age of the last location, and of a fix from a cache, that is returned.
  let maximumAge: Duration
  /// The accuracy that is good enough at the deadline, in metres.
  private(set) var acceptableAccuracy: Double
  private(set) var deadline = Duration.zero
  private(set) var best: Location?
  private(set) var isSatisfied = false
  private var acceptsReducedAccuracy = false

  init(desiredAccuracy: Double, within timeLimit: Duration, maximumAge: Duration = .zero) {
    (self.desiredAccuracy, self.timeLimit, self.maximumAge) = (desiredAccuracy, timeLimit, maximumAge)
    acceptableAccuracy = desiredAccuracy
  }

  /// Starts the wait.
  mutating func begin(at uptime: Duration, under policy: AcquisitionPolicy) {
    acceptableAccuracy = max(desiredAccuracy, policy.acceptableAccuracy)
    acceptsReducedAccuracy = policy.acceptsReducedAccuracy
    deadline = uptime + timeLimit
  }

  /// Returns the last location if it is young and accurate enough, so that no acquisition is necessary.
  func answer(from last: Location?, at date: Date) -> Location? {
    guard maximumAge > .zero, let last, last.hasValidAccuracy, last.hasValidCoordinate, isSatisfied(by: last),
      !last.timestamp.isAhead(of: date), date.timeIntervalSince(last.timestamp) <= maximumAge.inSeconds
    else { return nil }
    return last
  }

  private func isSatisfied(by fix: Location) -> Bool {
    fix.horizontalAccuracy <= desiredAccuracy || acceptsReduced(fix)
  }

  private func acceptsReduced(_ fix: Location) -> Bool { acceptsReducedAccuracy && fix.source == .reduced }

  /// Ends the wait at an uptime, unless it ends before.
  mutating func expire(at uptime: Duration) { deadline = min(deadline, uptime) }

  /// Keeps a fix if it is the best one, if the best one is older than `maximumAge`, or if the fix proves that the best one was
  /// a jump. A fix that was old on arrival comes from a cache and doesn't count, unless the consumer wants it or it is a reduced one that
  /// the policy accepts.
  mutating func consider(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) {
    let age = now.date.timeIntervalSince(fix.timestamp)
    guard acceptsReduced(fix) || age <= max(Self.maximumFixAge, self.maximumAge).inSeconds else { return }
    if let best, now.date.timeIntervalSince(best.timestamp) <= maximumAge.inSeconds,
      fix.horizontalAccuracy > best.horizontalAccuracy, fix.isPlausible(after: best)
    {
      return
    }
    best = fix
    isSatisfied = isSatisfied(by: fix)
  }
}

/// All demands on the receiver, and the alarms of their owners.
struct Demands: Hashable, Sendable {
  private(set) var all: [Demand] = []
  private(set) var alarms: [Alarm] = []

  /// The time of an owner's callback.
  struct Alarm: Hashable, Sendable {
    let id: Demand.ID
    let time: Duration
  }

  /// A location for the listeners, and for the owner of a demand unless it receives every fix anyway.
  struct Given: Hashable, Sendable {
    let location: Location
    let id: Demand.ID?
  }

  /// The demands of consumers: all but the policy's.
  var consumers: some Sequence<Demand> { all.lazy.filter { !$0.isPolicy } }
  var hasConsumers: Bool { all.contains { !$0.isPolicy } }
  var isTracking: Bool { all.contains(where: \.isTracking) }
  var wantGPS: Bool { all.contains { $0.receiverSettings != nil } }

  /// The smallest error bound of the demands that have one.
  var errorBound: Double? {
    var least: Double?
    for case .bound(let bound, _) in all.lazy.map(\.want) { least = min(least ?? bound, bound) }
    return least
  }

  /// Whether a demand wants the app kept running.
  var keepRunning: Bool {
    all.contains { if case .bound(_, keepsRunning: true) = $0.want { true } else { false } }
  }

  /// The settings that satisfy every demand.
  var receiverSettings: ReceiverSettings? {
    var settings: ReceiverSettings?
    for demand in all {
      guard let wanted = demand.receiverSettings else { continue }
      settings = settings.map { $0.merging(wanted) } ?? wanted
    }
    return settings
  }

  /// The time of the next deadline or alarm.
  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    var deadline: Duration?
    for demand in all { deadline = earlier(deadline, demand.deadline(whileAcquiring: isAcquiring)) }
    for alarm in alarms { deadline = earlier(deadline, alarm.time) }
    return deadline
  }

  /// Moves the deadlines of the demands for one location to now.
  mutating func expireDeadlines(at now: LocationCore.Now) {
    for index in all.indices {
      switch all[index].want {
      case .policy(let deadline): all[index].want = .policy(deadline: min(deadline, now.uptime))
      case .one(var one):
        one.expire(at: now.uptime)
        all[index].want = .one(one)
      case .every, .accepted, .fixes, .bound: break
      }
    }
  }

  /// Adds a demand, or replaces the one with its identifier.
  mutating func begin(_ id: Demand.ID, _ want: Demand.Want) {
    if let index = all.firstIndex(where: { $0.id == id }) {
      all[index].want = want
    } else {
      all.append(Demand(id: id, want: want))
    }
  }

  /// Removes a demand, and its owner's alarm.
  mutating func end(_ id: Demand.ID) {
    all.removeAll { $0.id == id }
    setAlarm(nil, of: id)
  }

  /// Sets, moves or removes an owner's alarm.
  mutating func setAlarm(_ time: Duration?, of id: Demand.ID) {
    alarms.removeAll { $0.id == id }
    if let time { alarms.append(Alarm(id: id, time: time)) }
  }

  /// Removes the first alarm that is due, and returns its owner.
  mutating func takeAlarm(at now: LocationCore.Now) -> Demand.ID? {
    guard let index = alarms.firstIndex(where: { now.uptime >= $0.time }) else { return nil }
    return alarms.remove(at: index).id
  }

  /// Offers a fix to each demand, and returns the locations for their owners.
  mutating func offer(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration, into given: inout [Given]) {
    for index in all.indices {
      if case .accepted(let location)? = all[index].want.offer(fix, at: now, maximumAge: maximumAge) {
        given.append(Given(location: location, id: all[index].receivesFixes ? nil : all[index].id))
      }
    }
  }

  /// Returns the locations of acceptances whose wait for a better fix has ended.
  mutating func expire(at now: LocationCore.Now, into given: inout [Given]) {
    for index in all.indices {
      if case .accepted(let location)? = all[index].want.expire(at: now) {
        given.append(Given(location: location, id: all[index].id))
      }
    }
  }

  /// Discards the fixes that wait for a better one, because the GPS is turned off.
  mutating func endWaits() {
    for index in all.indices { all[index].want.endWait() }
  }

  /// Removes each demand that `result` ends, and calls `ended` with its result.
  mutating func end(
    _ result: (Demand) -> Result<Location, AcquisitionFailure>?,
    _ ended: (Demand, Result<Location, AcquisitionFailure>) -> Void
  ) {
    all.removeAll { demand in
      guard let result = result(demand) else { return false }
      ended(demand, result)
      return true
    }
  }

  mutating func removeAll() { (all, alarms) = ([], []) }
}

extension Demand.Want {
  /// The verdict on a fix for a demand for every location; `nil` for other demands.
  fileprivate mutating func offer(
    _ fix: Location, at now: LocationCore.Now, maximumAge: Duration
  ) -> Acceptance.Verdict? {
    switch self {
    case .policy, .fixes(nil), .bound:
      return nil
    case .one(var one):
      one.consider(fix, at: now, maximumAge: maximumAge)
      self = .one(one)
      return nil
    case .every(var filter), .fixes(var filter?):
      guard fix.satisfies(filter.settings.desiredAccuracy), filter.passes(fix) else { return nil }
      if case .every = self { self = .every(filter) } else { self = .fixes(filter) }
      return .accepted(fix)
    case .accepted(var acceptance):
      guard fix.satisfies(acceptance.policy.requiredAccuracy) else { return nil }
      // Its pending fixes are an array: with one reference to it, none is copied.
      self = .fixes(nil)
      let verdict = acceptance.add(fix, at: now.date, uptime: now.uptime)
      self = .accepted(acceptance)
      return verdict
    }
  }

  fileprivate mutating func expire(at now: LocationCore.Now) -> Acceptance.Verdict? {
    guard case .accepted(var acceptance) = self else { return nil }
    let verdict = acceptance.expire(at: now.date, uptime: now.uptime)
    self = .accepted(acceptance)
    return verdict
  }

  fileprivate mutating func endWait() {
    guard case .accepted(var acceptance) = self else { return }
    acceptance.endWait()
    self = .accepted(acceptance)
  }
}

extension Location {
  /// Whether a consumer of every location that wants this accuracy may receive the location: a coarse one only where it is as accurate.
  fileprivate func satisfies(_ desiredAccuracy: Double) -> Bool {
    source == .gps || source == .reduced || horizontalAccuracy <= desiredAccuracy
  }
}

import LocoFoundation

/// A consumer's claim on the receiver, with its progress.
///
/// Consumers are callers of `acquire` and `track`, trip recorders and power controllers. The manager's own acquisition has a demand too.
package struct Demand: Equatable, Sendable {
  /// An identifier that the manager chooses. A new demand with the same identifier replaces the old one.
  package typealias ID = Int

  package enum Kind: Equatable, Sendable {
    /// The manager's own acquisition: a fix that satisfies the policy, until a deadline.
    case policy(deadline: Duration)
    case one(OneLocation)
    case every(TrackFilter)
    case accepted(Acceptance)
    /// Every fix with its verdict. With a filter the GPS stays on, and the listeners receive the fixes that pass. Without a filter, the
    /// demand doesn't turn on the GPS.
    case fixes(TrackFilter?)
    /// An error bound in metres, and every fix with its verdict. With `keepsRunning`, the app is kept running while the GPS is off, even at
    /// rest, if the provider can do that.
    case bound(Double, keepsRunning: Bool)
  }

  /// The identifier of the manager's own acquisition.
  package static let policyID = 0

  let id: ID
  var kind: Kind

  var isPolicy: Bool { id == Self.policyID }

  /// Whether the GPS stays on without a time limit.
  var isTracking: Bool {
    switch kind {
    case .every, .accepted, .fixes(.some): true
    case .policy, .one, .fixes(nil), .bound: false
    }
  }

  /// Whether a fix is accurate enough for the consumer, now or at a time limit.
  fileprivate func mayUse(_ fix: Location) -> Bool {
    switch kind {
    case .one(let one): fix.horizontalAccuracy <= one.acceptableAccuracy
    case .every(let filter), .fixes(let filter?): fix.horizontalAccuracy <= filter.desiredAccuracy
    case .accepted: true
    case .policy, .fixes(nil), .bound: false
    }
  }

  /// Whether the consumer receives every fix with its verdict.
  var receivesFixes: Bool {
    switch kind {
    case .fixes, .bound: true
    case .policy, .one, .every, .accepted: false
    }
  }

  /// The accuracy that the demand needs, in metres; `nil` if it doesn't need the receiver.
  var receiverAccuracy: Double? {
    switch kind {
    // A trip needs the best fixes, although its filter also passes less accurate ones.
    case .policy, .one, .fixes(.some): 0
    case .every(let filter): filter.desiredAccuracy
    case .accepted(let acceptance): acceptance.policy.requiredAccuracy
    case .fixes(nil), .bound: nil
    }
  }

  /// Returns the time when the demand needs the next turn; `nil` if it needs none.
  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    switch kind {
    case .policy(let deadline): deadline
    case .one(let one): one.deadline
    case .accepted(let acceptance): isAcquiring ? acceptance.waitEnds : nil
    case .every, .fixes, .bound: nil
    }
  }

  /// Returns the location or the failure of a demand for one location; `nil` while it waits, and for every other demand.
  func result(at now: LocationCore.Now, in acquisition: Acquisition) -> Result<Location, AcquisitionFailure>? {
    switch kind {
    case .policy(let deadline):
      let isOver = now.uptime >= deadline
      if let best = acquisition.outcome(at: now.date, isOver: isOver), acquisition.isNew(best, at: now.date) {
        return .success(best)
      }
      return isOver ? .failure(.timeLimit(best: acquisition.candidate(at: now.date))) : nil
    case .one(let one): return one.result(at: now, in: acquisition)
    case .every, .accepted, .fixes, .bound: return nil
    }
  }

  /// Offers a fix to the demand, and returns the location that the demand accepts. That may be an earlier fix, which waited for a better
  /// one.
  fileprivate mutating func offer(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) -> Location? {
    switch kind {
    case .policy, .fixes(nil), .bound: return nil
    case .one(var one):
      one.consider(fix, at: now, maximumAge: maximumAge)
      kind = .one(one)
      return nil
    case .every(var filter), .fixes(var filter?):
      guard filter.passes(fix) else { return nil }
      kind = if case .every = kind { .every(filter) } else { .fixes(filter) }
      return fix
    case .accepted:
      return changeAcceptance {
        // A coarse fix must have the required accuracy.
        fix.source == .gps || fix.source == .reduced || fix.horizontalAccuracy <= $0.policy.requiredAccuracy
          ? $0.add(fix, at: now.date, uptime: now.uptime) : nil
      }
    }
  }

  fileprivate mutating func changeAcceptance(_ change: (inout Acceptance) -> Acceptance.Verdict?) -> Location? {
    guard case .accepted(var acceptance) = kind else { return nil }
    // The pending fixes are an array. While only `acceptance` refers to the array, a change doesn't copy it.
    kind = .fixes(nil)
    defer { kind = .accepted(acceptance) }
    return if case .accepted(let location)? = change(&acceptance) { location } else { nil }
  }
}

/// A wait for one location, with the best fix since the wait began.
package struct OneLocation: Equatable, Sendable {
  /// The maximum age of a fix on arrival, unless ``maximumAge`` is greater: the first fix is often an old one from a cache.
  static let maximumFixAge = Duration.seconds(5)

  package let desiredAccuracy: Double
  package let timeLimit: Duration
  /// The maximum age of the last location, and of a fix from a cache.
  package let maximumAge: Duration
  /// The accuracy that is good enough at the deadline, in metres.
  private(set) var acceptableAccuracy: Double
  private(set) var deadline = Duration.zero
  private(set) var best: Location?
  private(set) var acceptsReducedAccuracy = false

  package init(desiredAccuracy: Double, within timeLimit: Duration, maximumAge: Duration = .zero) {
    (self.desiredAccuracy, self.timeLimit, self.maximumAge) = (desiredAccuracy, timeLimit, maximumAge)
    acceptableAccuracy = desiredAccuracy
  }

  mutating func begin(at uptime: Duration, under policy: AcquisitionPolicy) {
    acceptableAccuracy = max(desiredAccuracy, policy.acceptableAccuracy)
    acceptsReducedAccuracy = policy.acceptsReducedAccuracy
    deadline = uptime + timeLimit
  }

  /// Returns the last location if it's recent and accurate enough, so that no acquisition is necessary.
  func answer(from last: Location?, at date: Date) -> Location? {
    guard maximumAge > .zero, let last, last.hasValidAccuracy, last.hasValidCoordinate, isSatisfied(by: last),
      !last.timestamp.isAhead(of: date), date.timeIntervalSince(last.timestamp) <= maximumAge.inSeconds
    else { return nil }
    return last
  }

  func isSatisfied(by fix: Location) -> Bool {
    fix.horizontalAccuracy <= desiredAccuracy || acceptsReduced(fix)
  }

  /// Whether a fix is good enough at the deadline.
  private func isAcceptable(_ fix: Location) -> Bool {
    fix.horizontalAccuracy <= acceptableAccuracy || acceptsReduced(fix)
  }

  private func acceptsReduced(_ fix: Location) -> Bool { acceptsReducedAccuracy && fix.source == .reduced }

  mutating func expire(at uptime: Duration) { deadline = min(deadline, uptime) }

  /// Returns the location or the failure; `nil` while the wait continues. At the end, the best fix of the wait counts, although it may have
  /// become too old for an earlier end, unless the end is late: the device may have slept.
  func result(at now: LocationCore.Now, in acquisition: Acquisition) -> Result<Location, AcquisitionFailure>? {
    if let known = answer(from: acquisition.previous, at: now.date) { return .success(known) }
    let isOver = now.uptime >= deadline
    let usable = best.flatMap { best in
      (isOver ? isOfWait(best, acquisition.policy, at: now.date) : acquisition.isFresh(best, at: now.date)) ? best : nil
    }
    if let usable, isOver ? isAcceptable(usable) : isSatisfied(by: usable) { return .success(usable) }
    return isOver ? .failure(.timeLimit(best: usable)) : nil
  }

  /// Whether a fix is from the wait, or young enough for the consumer or the policy.
  private func isOfWait(_ fix: Location, _ policy: AcquisitionPolicy, at date: Date) -> Bool {
    !fix.timestamp.isAhead(of: date) && date.timeIntervalSince(fix.timestamp) <= longestAge(policy.maximumAge).inSeconds
  }

  /// The maximum age of a fix at a deadline that isn't late.
  private func longestAge(_ policyAge: Duration) -> Duration {
    max(timeLimit + max(maximumAge, Self.maximumFixAge), policyAge)
  }

  /// Keeps a fix if it is the most accurate one, if the best one is older than `maximumAge`, or if the best one was a jump. An old one that
  /// is good enough at the deadline isn't replaced by one that isn't. Ignores a fix that was old on arrival, because it is from a cache,
  /// unless it is within the consumer's own maximum age or is a reduced fix that the policy accepts.
  mutating func consider(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) {
    guard acceptsReduced(fix) || now.age(of: fix) <= max(Self.maximumFixAge, self.maximumAge).inSeconds else { return }
    if let best, fix.horizontalAccuracy > best.horizontalAccuracy, fix.isPlausible(after: best) {
      let mayReplace = isAcceptable(fix) || best.horizontalAccuracy > acceptableAccuracy
      if now.age(of: best) <= (mayReplace ? maximumAge : longestAge(maximumAge)).inSeconds { return }
    }
    best = fix
  }
}

/// All demands on the receiver, and the alarms of their consumers.
struct Demands: Equatable, Sendable {
  // Read by index in each turn: an element of a loop would be a copy.
  private(set) var all: [Demand] = []
  private(set) var alarms: [Alarm] = []

  /// The time of a consumer's callback.
  struct Alarm: Equatable, Sendable {
    let id: Demand.ID
    let time: Duration
  }

  /// A location for the listeners, and for a consumer; `id` is `nil` if the consumer receives every fix anyway.
  typealias Delivery = (location: Location, id: Demand.ID?)

  var hasConsumers: Bool { all.contains { !$0.isPolicy } }
  var isTracking: Bool { all.contains { $0.isTracking } }
  var wantGPS: Bool { all.contains { $0.receiverAccuracy != nil } }

  /// The smallest error bound.
  var errorBound: Double? {
    all.lazy.compactMap { if case .bound(let bound, _) = $0.kind { bound } else { nil } }.min()
  }

  /// The shortest time without a fix that a consumer wants to be notified of.
  var signalTimeout: Duration? {
    all.lazy.compactMap { if case .accepted(let acceptance) = $0.kind { acceptance.policy.signalTimeout } else { nil } }
      .min()
  }

  var keepRunning: Bool {
    all.contains { if case .bound(_, keepsRunning: true) = $0.kind { true } else { false } }
  }

  /// The accuracy that satisfies every demand, in metres; `nil` if none needs the receiver.
  var receiverAccuracy: Double? {
    var accuracy: Double?
    for index in all.indices {
      if let wanted = all[index].receiverAccuracy { accuracy = min(accuracy ?? wanted, wanted) }
    }
    return accuracy
  }

  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    var deadline: Duration?
    for index in all.indices { deadline = earlier(deadline, all[index].deadline(whileAcquiring: isAcquiring)) }
    for alarm in alarms { deadline = earlier(deadline, alarm.time) }
    return deadline
  }

  /// Moves the deadlines of the demands for one location to now.
  mutating func expireDeadlines(at now: LocationCore.Now) {
    for index in all.indices {
      switch all[index].kind {
      case .policy(let deadline): all[index].kind = .policy(deadline: min(deadline, now.uptime))
      case .one(var one):
        one.expire(at: now.uptime)
        all[index].kind = .one(one)
      case .every, .accepted, .fixes, .bound: break
      }
    }
  }

  /// Adds a demand, or replaces the demand with its identifier.
  mutating func begin(_ id: Demand.ID, _ kind: Demand.Kind) {
    if let index = all.firstIndex(where: { $0.id == id }) {
      all[index].kind = kind
    } else {
      all.append(Demand(id: id, kind: kind))
    }
  }

  mutating func end(_ id: Demand.ID) {
    all.removeAll { $0.id == id }
    setAlarm(nil, of: id)
  }

  /// Whether a fix is accurate enough for a consumer.
  func mayUse(_ fix: Location) -> Bool { all.contains { $0.mayUse(fix) } }

  mutating func setAlarm(_ time: Duration?, of id: Demand.ID) {
    alarms.removeAll { $0.id == id }
    if let time { alarms.append(Alarm(id: id, time: time)) }
  }

  /// Removes the first alarm that is due, and returns the consumer.
  mutating func takeAlarm(at now: LocationCore.Now) -> Demand.ID? {
    guard let index = alarms.firstIndex(where: { now.uptime >= $0.time }) else { return nil }
    return alarms.remove(at: index).id
  }

  /// Offers a fix to each demand, and appends the resulting locations to `deliveries`.
  mutating func offer(
    _ fix: Location, at now: LocationCore.Now, maximumAge: Duration, into deliveries: inout [Delivery]
  ) {
    for index in all.indices {
      if let location = all[index].offer(fix, at: now, maximumAge: maximumAge) {
        deliveries.append((location, all[index].receivesFixes ? nil : all[index].id))
      }
    }
  }

  /// Ends the waits for a better fix that are over, or all if `early` is `true`, and appends their locations to `deliveries`.
  mutating func expire(
    at now: LocationCore.Now, in acquisition: Acquisition, early: Bool, into deliveries: inout [Delivery]
  ) {
    for index in all.indices {
      let location = all[index].changeAcceptance {
        $0.expire(at: now.date, uptime: now.uptime, early: early) { acquisition.isFresh($0, at: now.date) }
      }
      if let location {
        deliveries.append((location, all[index].id))
      }
    }
  }

  /// Discards the fixes that wait for a better one, because the GPS is turned off.
  mutating func endWaits() {
    for index in all.indices {
      _ = all[index].changeAcceptance {
        $0.endWait()
        return nil
      }
    }
  }

  /// Removes each demand that has a result, and calls `ended` with the result.
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
}

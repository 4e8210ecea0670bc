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

  /// Begins the time limits of the demands for one location at a time.
  // Rarely called, but from functions that each turn runs: inlined, it would only make them larger.
  @inline(never)
  mutating func restartDeadlines(at uptime: Duration) {
    for index in all.indices { all[index].restartDeadline(at: uptime) }
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

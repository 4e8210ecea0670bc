import Foundation

/// Somebody who wants something of the receiver: what they want, and how far they have come.
///
/// A waiter of `acquire`, a consumer of `track`, a trip, the power policy. The policy's own acquisition is in ``Demands`` too.
struct Demand: Hashable, Sendable {
  /// Given by whoever wants something; the same for what takes its place.
  typealias ID = Int

  /// What is wanted.
  enum Wish: Hashable, Sendable {
    /// One location, of an accuracy in metres, within a time.
    case one(desiredAccuracy: Double, within: Duration)
    /// Every location that is accurate enough and far enough from the last one.
    case every(ReceiverSettings)
    /// Every location that an acceptance accepts.
    case accepted(AcceptancePolicy)
    /// Nothing of the receiver: only to be called back when a time has come.
    case nothing
  }

  /// What came of the wish so far.
  enum Progress: Hashable, Sendable {
    case one(OneLocation)
    case every(TrackFilter)
    case accepted(Acceptance)
    case nothing
  }

  let id: ID
  var progress: Progress
  /// When whoever wants it is to be called back.
  var callback: Duration?

  /// Whether the GPS stays on for it without a limit.
  var isTracking: Bool {
    switch progress {
    case .every, .accepted: true
    case .one, .nothing: false
    }
  }

  /// What it wants of the receiver while the GPS is on; `nil` where that is nothing.
  var receiverSettings: ReceiverSettings? {
    switch progress {
    case .one: .best
    case .every(let filter): filter.settings
    // A filter of the system's own would hold back fixes that are to be judged here.
    case .accepted(let acceptance):
      ReceiverSettings(desiredAccuracy: acceptance.policy.requiredAccuracy, distanceFilter: 0)
    case .nothing: nil
    }
  }

  /// When something is due of it while the state is `acquiring`, or whatever the state is.
  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    switch progress {
    case .one(let one): earlier(one.deadline, callback)
    case .accepted(let acceptance) where isAcquiring: earlier(acceptance.waitEnds, callback)
    case .accepted, .every, .nothing: callback
    }
  }
}

/// One location that somebody waits for: the best of the fixes that came since.
struct OneLocation: Hashable, Sendable {
  static let maximumFixAge = Duration.seconds(5)

  let desiredAccuracy: Double
  /// What is taken when the time is over, metres.
  let acceptableAccuracy: Double
  fileprivate(set) var deadline: Duration
  private(set) var best: Location?
  private(set) var isSatisfied = false

  init(desiredAccuracy: Double, acceptableAccuracy: Double, deadline: Duration) {
    self.desiredAccuracy = desiredAccuracy
    self.acceptableAccuracy = acceptableAccuracy
    self.deadline = deadline
  }

  /// Takes a fix for the best if it is, or if the best is older than `maximumAge`, or is contradicted by a jump that was found to
  /// be true. A fix that comes old is from a cache.
  mutating func consider(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) {
    guard now.date.timeIntervalSince(fix.timestamp) <= Self.maximumFixAge.inSeconds else { return }
    if let best, now.date.timeIntervalSince(best.timestamp) <= maximumAge.inSeconds,
      fix.horizontalAccuracy > best.horizontalAccuracy, fix.isPlausible(after: best)
    {
      return
    }
    best = fix
    isSatisfied = fix.horizontalAccuracy <= desiredAccuracy
  }

  /// What has become of it: a location, a failure, or `nil` while it goes on.
  func outcome(
    at now: LocationCore.Now, in acquisition: Acquisition
  ) -> Result<Location, AcquisitionFailure>? {
    let isOver = now.uptime >= deadline
    let best = best.flatMap { acquisition.isFresh($0, at: now.date) ? $0 : nil }
    if let best, isSatisfied || isOver && best.horizontalAccuracy <= acceptableAccuracy { return .success(best) }
    return isOver ? .failure(.timeLimit(best: best)) : nil
  }
}

/// All who want something of the receiver.
struct Demands: Hashable, Sendable {
  /// When the policy's own acquisition is over; `nil` where it is served, or none runs.
  var policyDeadline: Duration?
  private(set) var all: [Demand] = []

  /// Whether somebody wants every location.
  var isTracking: Bool { all.contains(where: \.isTracking) }
  /// Whether nobody wants the GPS.
  var wantNoGPS: Bool { policyDeadline == nil && all.allSatisfy { $0.progress == .nothing } }

  /// What all of them want of the receiver together.
  var receiverSettings: ReceiverSettings? {
    var settings = policyDeadline == nil ? nil : ReceiverSettings.best
    for demand in all {
      guard let wanted = demand.receiverSettings else { continue }
      settings = settings.map { $0.merging(wanted) } ?? wanted
    }
    return settings
  }

  /// When something is due next of any of them.
  func deadline(whileAcquiring isAcquiring: Bool) -> Duration? {
    var deadline = policyDeadline
    for demand in all { deadline = earlier(deadline, demand.deadline(whileAcquiring: isAcquiring)) }
    return deadline
  }

  /// Moves the deadlines of the policy's acquisition and of every waiter for one location to now.
  mutating func expireDeadlines(at now: LocationCore.Now) {
    policyDeadline = policyDeadline.map { min($0, now.uptime) }
    for index in all.indices {
      guard case .one(var one) = all[index].progress else { continue }
      one.deadline = min(one.deadline, now.uptime)
      all[index].progress = .one(one)
    }
  }

  /// Adds a demand, or puts it in the place of the one with its identifier, which keeps its callback.
  mutating func begin(_ id: Demand.ID, _ progress: Demand.Progress) {
    if let index = all.firstIndex(where: { $0.id == id }) {
      all[index].progress = progress
    } else {
      all.append(Demand(id: id, progress: progress))
    }
  }

  /// Whether there was one with this identifier.
  mutating func end(_ id: Demand.ID) -> Bool {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
    all.remove(at: index)
    return true
  }

  mutating func setCallback(_ callback: Duration?, of id: Demand.ID) {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return }
    all[index].callback = callback
  }

  /// The first whose callback is due, which is called back once.
  mutating func takeDue(at now: LocationCore.Now) -> Demand.ID? {
    for index in all.indices {
      guard let callback = all[index].callback, now.uptime >= callback else { continue }
      all[index].callback = nil
      return all[index].id
    }
    return nil
  }

  /// Offers a fix to all, and says which locations are given to whom.
  mutating func offer(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration, into given: inout [Given]) {
    for index in all.indices {
      switch all[index].progress {
      case .one(var one):
        all[index].progress = .nothing
        one.consider(fix, at: now, maximumAge: maximumAge)
        all[index].progress = .one(one)
      case .every(var filter):
        if filter.passes(fix) { given.append(Given(location: fix, id: all[index].id)) }
        all[index].progress = .every(filter)
      case .accepted(var acceptance):
        all[index].progress = .nothing
        if case .accepted(let location) = acceptance.add(fix, at: now.date, uptime: now.uptime) {
          given.append(Given(location: location, id: all[index].id))
        }
        all[index].progress = .accepted(acceptance)
      case .nothing:
        break
      }
    }
  }

  /// What an acceptance gives whose wait for a better fix is over.
  mutating func expire(at now: LocationCore.Now, into given: inout [Given]) {
    for index in all.indices {
      guard case .accepted(var acceptance) = all[index].progress else { continue }
      if case .accepted(let location)? = acceptance.expire(at: now.date, uptime: now.uptime) {
        given.append(Given(location: location, id: all[index].id))
      }
      all[index].progress = .accepted(acceptance)
    }
  }

  /// Forgets what waits for a better fix: the GPS goes off.
  mutating func endWaits() {
    for index in all.indices {
      guard case .accepted(var acceptance) = all[index].progress else { continue }
      acceptance.endWait()
      all[index].progress = .accepted(acceptance)
    }
  }

  /// Ends each waiter that `outcome` has a result for.
  mutating func endWaiters(
    _ outcome: (OneLocation) -> Result<Location, AcquisitionFailure>?,
    _ ended: (Demand.ID, Result<Location, AcquisitionFailure>) -> Void
  ) {
    all.removeAll { demand in
      guard case .one(let one) = demand.progress, let result = outcome(one) else { return false }
      ended(demand.id, result)
      return true
    }
  }

  mutating func removeAll() {
    policyDeadline = nil
    all = []
  }

  /// A location given to somebody.
  struct Given: Hashable, Sendable {
    let location: Location
    let id: Demand.ID
  }
}

/// The earlier of two times that may be never.
func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}

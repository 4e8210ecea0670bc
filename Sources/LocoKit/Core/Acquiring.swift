import LocoFoundation

/// The consumers' demands and the fixes of a turn: offers fixes to the consumers, and says when an acquisition ends.
struct Acquiring: Equatable, Sendable {
  typealias Action = LocationCore.Action
  typealias Now = LocationCore.Now

  var demands = Demands()
  /// The unjudged fixes of the current report. Empty between two turns.
  var unjudged: ArraySlice<Location> = []
  /// Locations that consumers have received and listeners haven't. Empty between two turns.
  private(set) var undelivered: [Location] = []

  /// The result of an acquisition, or a location for the manager's own demand while other demands continue the acquisition.
  enum Settlement {
    case ended(Location)
    case failed(AcquisitionFailure)
    case accepted(Location)
  }

  // MARK: - Fixes

  /// Offers a fix to the consumers, and returns whether one of them accepts it immediately.
  mutating func offer(
    _ judged: LocationManager.JudgedFix, at now: Now, maximumAge: Duration, into actions: inout [Action]
  ) -> Bool {
    var deliveries: [Demands.Delivery] = []
    if !judged.verdict.isRejection {
      demands.offer(judged.fix, at: now, maximumAge: maximumAge, into: &deliveries)
      give(deliveries, into: &actions)
    }
    giveFix(judged, into: &actions)
    return deliveries.contains { $0.location == judged.fix }
  }

  /// Gives a fix with its verdict to the consumers that receive every fix.
  func giveFix(_ judged: LocationManager.JudgedFix, into actions: inout [Action]) {
    for demand in demands.all where demand.receivesFixes { actions.append(.giveFix(judged, to: demand.id)) }
  }

  /// Gives locations to the consumers. The listeners receive them later in the turn.
  private mutating func give(_ deliveries: [Demands.Delivery], into actions: inout [Action]) {
    for delivery in deliveries {
      if let id = delivery.id { actions.append(.give(delivery.location, to: id)) }
      undelivered.append(delivery.location)
    }
    undelivered.sort { $0.timestamp < $1.timestamp }
  }

  /// Removes and returns the oldest location that the listeners haven't received.
  mutating func takeUndelivered() -> Location? { undelivered.isEmpty ? nil : undelivered.removeFirst() }

  /// Ends the waits for a better fix that are over, and gives their locations to the consumers. Returns whether there were any.
  ///
  /// - Parameter early: Whether to end the other waits, too.
  mutating func expireWaits(
    at now: Now, in acquisition: Acquisition, early: Bool = false, into actions: inout [Action]
  ) -> Bool {
    var deliveries: [Demands.Delivery] = []
    demands.expire(at: now, in: acquisition, early: early, into: &deliveries)
    give(deliveries, into: &actions)
    return !deliveries.isEmpty
  }

  // MARK: - Ends

  /// Ends the demands for one location that have a result. Returns the result of the acquisition; `nil` if the acquisition continues
  /// without a location for the listeners.
  mutating func settle(_ acquisition: Acquisition, at now: Now, into actions: inout [Action]) -> Settlement? {
    var newest: Location?
    var isPolicyServed = false
    var isTimeOver = false
    demands.end({ $0.result(at: now, in: acquisition) }) { demand, result in
      switch result {
      case .success(let best):
        // A consumer may get a location that the listeners already have, or that is too old for them.
        let isNew =
          demand.isPolicy || acquisition.isFresh(best, at: now.date) && acquisition.isNew(best, at: now.date)
        if isNew, best.timestamp > newest?.timestamp ?? .distantPast { newest = best }
        if demand.isPolicy { isPolicyServed = true } else { actions.append(.give(best, to: demand.id)) }
      case .failure: isTimeOver = true
      }
      if !demand.isPolicy { actions.append(.finish(demand.id, result.failure)) }
    }
    guard demands.wantGPS else {
      if let newest { return .ended(newest) }
      return .failed(isTimeOver ? .timeLimit(best: acquisition.candidate(at: now.date)) : .cancelled)
    }
    // The listeners receive the better location of the policy's own acquisition, if that continues.
    guard let newest, isPolicyServed || !demands.all.contains(where: { $0.isPolicy }) else { return nil }
    return .accepted(newest)
  }

  /// Fails the waits for one location that can't be served while the GPS is off. A wait continues while the prompt is shown.
  mutating func settleWaiters(in state: LocationMachine.State, at uptime: Duration, into actions: inout [Action]) {
    let refusal: AcquisitionFailure? =
      switch state {
      case .initial: .accessNotRequested
      case .denied: .accessDenied
      case .paused: .paused
      case .prompted, .waitingSignificantChange, .acquiring: nil
      }
    fail(into: &actions) { demand in
      guard case .one(let one) = demand.kind else { return nil }
      return refusal ?? (uptime >= one.deadline ? .timeLimit(best: nil) : nil)
    }
  }

  /// Fails the demands for one location after too many errors. Tracking continues after any number of errors, because the receiver may
  /// recover. Returns whether the acquisition fails.
  mutating func failAfterErrors(into actions: inout [Action]) -> Bool {
    fail(into: &actions) { $0.isTracking || $0.receivesFixes ? nil : .tooManyErrors }
    return !demands.isTracking
  }

  /// Ends the demands that have a failure, and notifies their consumers.
  private mutating func fail(into actions: inout [Action], _ failure: (Demand) -> AcquisitionFailure?) {
    demands.end({ failure($0).map { .failure($0) } }) { demand, result in
      if !demand.isPolicy { actions.append(.finish(demand.id, result.failure)) }
    }
  }

  /// Ends the waits of consumers when the GPS is turned off.
  mutating func interrupt(into actions: inout [Action]) {
    demands.end(Demand.policyID)
    guard demands.hasConsumers else { return }
    demands.endWaits()
    actions.append(.interrupted)
  }

  /// Ends each demand, because the provider is released.
  mutating func release(into actions: inout [Action]) {
    for demand in demands.all where !demand.isPolicy { actions.append(.finish(demand.id, .replaced)) }
    self = Acquiring()
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

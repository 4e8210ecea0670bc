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
  func mayUse(_ fix: Location) -> Bool {
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
  mutating func offer(_ fix: Location, at now: LocationCore.Now, maximumAge: Duration) -> Location? {
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

  mutating func restartDeadline(at uptime: Duration) {
    guard case .one(var one) = kind else { return }
    one.restart(at: uptime)
    kind = .one(one)
  }

  mutating func changeAcceptance(_ change: (inout Acceptance) -> Acceptance.Verdict?) -> Location? {
    guard case .accepted(var acceptance) = kind else { return nil }
    // The pending fixes are an array. While only `acceptance` refers to the array, a change doesn't copy it.
    kind = .fixes(nil)
    defer { kind = .accepted(acceptance) }
    return if case .accepted(let location)? = change(&acceptance) { location } else { nil }
  }
}

/// A power controller's decisions, as a pure value.
struct PowerCore: DecisionCore, Hashable, Sendable {
  package struct Now: Hashable, Sendable {
    var uptime: Duration
    var conditions: PowerController.Policy.Conditions
    var motion: Motion?
  }

  package enum Input: Hashable, Sendable {
    /// The conditions may have changed, or it's time to read them.
    case look
    case fix(LocationManager.JudgedFix)
    /// The device has left a region, the place of a visit, or a cell.
    case departed
    case policy(PowerController.Policy)
    case acceptance(TrackingPolicy)
    case isWalking(Bool)
  }

  package enum Action: Hashable, Sendable {
    /// The demand on the manager; `nil` lets it sleep.
    case demand(Demand.Kind?)
    case callBack(at: Duration?)
  }

  private(set) var policy: PowerController.Policy
  private(set) var acceptance: TrackingPolicy
  private(set) var decision = PowerController.Policy.Decision.significantChanges
  private(set) var pace = PaceMachine.initialState
  private(set) var rest = RestWatch()
  /// Whether the decision would be continuous if the device moved.
  private var tracksInMotion = false
  private var demand: Demand.Kind?
  private var lastSpeedUptime: Duration?
  private var callback: Duration?

  private static let table = TransitionTable<PaceMachine>()
  /// The time between two readings of the conditions, and the maximum age of a speed.
  static let interval = Duration.seconds(60)

  init(_ policy: PowerController.Policy, _ acceptance: TrackingPolicy) {
    (self.policy, self.acceptance) = (policy, acceptance)
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    rest.note(now.motion, at: now.uptime)
    switch input {
    case .look: break
    case .departed: rest.move(at: now.uptime)
    case .fix(let judged):
      if judged.verdict.isRejection, judged.verdict != .rejected(.worseThanCandidate) { return }
      rest.find(judged.fix, at: now.uptime)
      guard let speed = judged.fix.speed else { break }
      lastSpeedUptime = now.uptime
      if speed >= PowerController.Policy.highwayEntrySpeed {
        raise(.fast)
      } else if speed < PowerController.Policy.highwayExitSpeed {
        raise(.slow)
      }
    case .policy(let policy): self.policy = policy
    case .acceptance(let acceptance): self.acceptance = acceptance
    case .isWalking(let isWalking): raise(isWalking ? .walkModeOn : .walkModeOff)
    }
    callback = nil
  }

  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    if let last = lastSpeedUptime, now.uptime - last >= Self.interval {
      lastSpeedUptime = nil
      raise(.slow)
    }
    updateRest(at: now)
    decision = policy.decision(in: now.conditions, pace: pace, isAtRest: rest.isAtRest)
    var demand: Demand.Kind?
    if case .continuous(let distanceFilter) = decision {
      var acceptance = acceptance
      acceptance.distanceFilter = distanceFilter
      demand = .accepted(Acceptance(acceptance))
    }
    if demand != self.demand {
      self.demand = demand
      actions.append(.demand(demand))
    }
    if callback == nil {
      var next = now.uptime + Self.interval
      if tracksInMotion, !rest.isAtRest, let end = rest.deadline(after: policy.sleepsAtRest) { next = min(next, end) }
      callback = next
      actions.append(.callBack(at: next))
    }
    return false
  }

  /// Updates the wait for rest, which begins when the decision becomes continuous.
  private mutating func updateRest(at now: Now) {
    let wasTracking = tracksInMotion
    tracksInMotion = policy.decision(in: now.conditions, pace: pace) != .significantChanges
    if tracksInMotion, !wasTracking { rest.move(at: now.uptime) }
    rest.settle(after: policy.sleepsAtRest, at: now.uptime)
  }

  private mutating func raise(_ event: PaceMachine.Event) { Self.table.advance(&pace, on: event) }
}

/// Detects rest from the motion sensor, the fixes and the wake-ups.
///
/// Each sign of motion restarts the wait for rest: motion on foot or in a vehicle, fixes away from an earlier place, and a wake-up
/// because the device has left a place.
struct RestWatch: Hashable, Sendable {
  /// Whether there was no sign of motion for the whole wait.
  private(set) var isAtRest = false
  /// The time of the last sign of motion.
  private var movedAt = Duration.zero
  /// The most accurate fix of its ``interval``. Later fixes are compared with it.
  private var place: Location?
  /// The beginning of the place's ``interval``.
  private var placeAt = Duration.zero
  /// Whether the last fix was away from the place.
  private var wasAway = false
  private var motion: Motion?

  /// The minimum distance from the place for two fixes in a row to be a sign of motion, in metres, in addition to the accuracies. A single
  /// fix at rest may have such an error. The distance doesn't count while the sensor reports that the device is still.
  static let distance = 100.0
  /// The same for a single fix. It counts even if the sensor reports that the device is still, as it does during a smooth ride.
  static let certainDistance = 300.0
  /// The time after which a fix that isn't away replaces the place. At rest, a place from before the stop would add to the distance of
  /// noisy fixes.
  static let interval = Duration.seconds(120)

  mutating func note(_ motion: Motion?, at uptime: Duration) {
    let wasMoving = isMoving
    self.motion = motion
    if isMoving || wasMoving { move(at: uptime) }
  }

  mutating func find(_ fix: Location, at uptime: Duration) {
    guard let place else { return setPlace(fix, at: uptime) }
    let distance = place.distance(to: fix) - place.horizontalAccuracy - fix.horizontalAccuracy
    let isAway = distance > Self.distance && motion != .still
    if distance > Self.certainDistance || isAway && wasAway {
      move(at: uptime)
      setPlace(fix, at: uptime)
    } else if isAway {
      wasAway = true
    } else if uptime - placeAt >= Self.interval {
      setPlace(fix, at: uptime)
    } else {
      wasAway = false
      if fix.horizontalAccuracy < place.horizontalAccuracy { self.place = fix }
    }
  }

  private mutating func setPlace(_ fix: Location, at uptime: Duration) {
    (place, placeAt, wasAway) = (fix, uptime, false)
  }

  private var isMoving: Bool { motion == .walking || motion == .vehicle }

  mutating func move(at uptime: Duration) { (movedAt, isAtRest) = (uptime, false) }

  /// Updates ``isAtRest``. Without a wait the device never rests.
  mutating func settle(after wait: Duration?, at uptime: Duration) {
    isAtRest = deadline(after: wait).map { isAtRest || uptime >= $0 } ?? false
  }

  /// Returns the end of the wait, or `nil` while the sensor reports motion.
  func deadline(after wait: Duration?) -> Duration? { isMoving ? nil : wait.map { movedAt + $0 } }
}

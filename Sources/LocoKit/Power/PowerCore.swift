/// A power controller's decisions, as a pure value.
///
/// It asks a ``PowerController/Policy``, and the table of the ``PaceMachine``.
struct PowerCore: DecisionCore, Hashable, Sendable {
  /// The time, and what the source says at this time.
  struct Now: Hashable, Sendable {
    var uptime: Duration
    var conditions: PowerController.Policy.Conditions
    /// How the device moves, as the manager's provider last reported.
    var motion: Motion?
  }

  /// What can happen to a power controller.
  enum Input: Hashable, Sendable {
    /// The conditions may have changed, or the time has come to read them.
    case look
    case fix(LocationManager.JudgedFix)
    /// The device has left a place: a region, a visit's, or a cell.
    case departed
    case policy(PowerController.Policy)
    case acceptance(AcceptancePolicy)
    case isWalking(Bool)
  }

  /// What is to be done, in the order in which it stands.
  enum Action: Hashable, Sendable {
    /// What the manager is made to want; `nil` lets it sleep.
    case want(Demand.Want?)
    case callBack(at: Duration?)
  }

  private(set) var policy: PowerController.Policy
  private(set) var acceptance: AcceptancePolicy
  /// What the manager is made to do.
  private(set) var decision = PowerController.Policy.Decision.significantChanges
  /// How fast the device moves.
  private(set) var pace = PaceMachine.initialState
  /// Whether the device rests.
  var isAtRest: Bool { rest.isAtRest }
  private var rest = RestWatch()
  /// Whether the decision would be continuous if the device moved.
  private var tracksInMotion = false
  private var want: Demand.Want?
  private var lastSpeedUptime: Duration?
  private var callback: Duration?

  private static let table = TransitionTable<PaceMachine>()
  static let interval = Duration.seconds(60)

  init(_ policy: PowerController.Policy, _ acceptance: AcceptancePolicy) {
    self.policy = policy
    self.acceptance = acceptance
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    rest.hear(now.motion, at: now.uptime)
    switch input {
    case .look: break
    case .departed: rest.move(at: now.uptime)
    case .fix(let judged):
      if case .rejected(let reason) = judged.verdict, reason != .worseThanCandidate { return }
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
    // A speed this old no longer counts.
    if let last = lastSpeedUptime, now.uptime - last >= Self.interval {
      lastSpeedUptime = nil
      raise(.slow)
    }
    updateRest(at: now)
    decision = policy.decision(in: now.conditions, pace: pace, isAtRest: isAtRest)
    let want = want(for: decision)
    if want != self.want {
      self.want = want
      actions.append(.want(want))
    }
    if callback == nil {
      var next = now.uptime + Self.interval
      if tracksInMotion, !isAtRest, let end = rest.deadline(after: policy.sleepsAtRest) { next = min(next, end) }
      callback = next
      actions.append(.callBack(at: next))
    }
    return false
  }

  /// The wait for rest begins when the decision becomes continuous: no sign of motion is looked for before.
  private mutating func updateRest(at now: Now) {
    let wasTracking = tracksInMotion
    tracksInMotion = policy.decision(in: now.conditions, pace: pace) != .significantChanges
    if tracksInMotion, !wasTracking { rest.move(at: now.uptime) }
    rest.settle(after: policy.sleepsAtRest, at: now.uptime)
  }

  private mutating func raise(_ event: PaceMachine.Event) {
    Self.table.advance(&pace, on: event)
  }

  private func want(for decision: PowerController.Policy.Decision) -> Demand.Want? {
    switch decision {
    case .significantChanges: return nil
    case .continuous(let distanceFilter):
      var acceptance = acceptance
      acceptance.distanceFilter = distanceFilter
      return .accepted(Acceptance(acceptance))
    }
  }
}

/// A power controller's decisions, as a pure value.
///
/// It asks a ``PowerPolicy``, and the table of the ``PaceMachine``.
struct PowerCore: DecisionCore, Hashable, Sendable {
  /// The time, and what the source says at this time.
  struct Now: Hashable, Sendable {
    var uptime: Duration
    var conditions: PowerPolicy.Conditions
  }

  /// What can happen to a power controller.
  enum Input: Hashable, Sendable {
    /// The conditions may have changed, or the time has come to read them.
    case look
    case fix(JudgedFix)
    case policy(PowerPolicy)
    case acceptance(AcceptancePolicy)
    case isWalking(Bool)
  }

  /// What is to be done, in the order in which it stands.
  enum Action: Hashable, Sendable {
    /// What the manager is made to want; `nil` lets it sleep.
    case want(Demand.Want?)
    case callBack(at: Duration?)
  }

  private(set) var policy: PowerPolicy
  private(set) var acceptance: AcceptancePolicy
  /// What the manager is made to do.
  private(set) var decision = PowerPolicy.Decision.significantChanges
  /// How fast the device moves.
  private(set) var pace = PaceMachine.initialState
  private var want: Demand.Want?
  private var lastSpeedUptime: Duration?
  private var callback: Duration?

  private static let table = TransitionTable<PaceMachine>()
  static let interval = Duration.seconds(60)

  init(_ policy: PowerPolicy, _ acceptance: AcceptancePolicy) {
    self.policy = policy
    self.acceptance = acceptance
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    switch input {
    case .look: break
    case .fix(let judged):
      if case .rejected(let reason) = judged.verdict, reason != .worseThanCandidate { return }
      guard let speed = judged.fix.speed else { break }
      lastSpeedUptime = now.uptime
      if speed >= PowerPolicy.highwayEntrySpeed {
        raise(.fast)
      } else if speed < PowerPolicy.highwayExitSpeed {
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
    decision = policy.decision(in: now.conditions, pace: pace)
    let want = want(for: decision)
    if want != self.want {
      self.want = want
      actions.append(.want(want))
    }
    if callback == nil {
      let next = now.uptime + Self.interval
      callback = next
      actions.append(.callBack(at: next))
    }
    return false
  }

  private mutating func raise(_ event: PaceMachine.Event) {
    Self.table.advance(&pace, on: event)
  }

  private func want(for decision: PowerPolicy.Decision) -> Demand.Want? {
    switch decision {
    case .significantChanges: return nil
    case .continuous(let distanceFilter):
      var acceptance = acceptance
      acceptance.distanceFilter = distanceFilter
      return .accepted(Acceptance(acceptance))
    }
  }
}

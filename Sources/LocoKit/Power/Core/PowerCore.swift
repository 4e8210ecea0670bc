/// A power controller's decisions, as a pure value.
struct PowerCore: CoreProtocol, Equatable, Sendable {
  package struct Now: Equatable, Sendable {
    var uptime: Duration
    var circumstances: LocationManager.Circumstances
  }

  package enum Input: Equatable, Sendable {
    /// The circumstances may have changed, or the callback is due.
    case look
    case fix(LocationManager.JudgedFix)
    /// The device has left a region, the place of a visit, or a cell.
    case departed
    case rules([PowerController.Rule])
    case flags(Set<String>)
  }

  package enum Action: Equatable, Sendable {
    /// The demand on the manager; `nil` if the manager may sleep.
    case demand(Demand.Kind?)
    case callBack(at: Duration?)
  }

  private(set) var rules: [PowerController.Rule]
  private(set) var flags: Set<String> = []
  /// The first rule that holds.
  private(set) var rule: PowerController.Rule?
  private(set) var pace = MachineInstance<PaceMachine>()
  private(set) var rest = RestWatch()
  /// Whether the manager would track if the device weren't at rest.
  private var tracksInMotion = false
  private var demand: Demand.Kind?
  private var lastSpeedUptime: Duration?
  private var callback: Duration?

  /// The maximum time between two readings of the circumstances, and the maximum age of a speed.
  static let interval = Duration.seconds(60)
  /// The least speed that counts as fast, and the speed below which a fix counts as slow, in metres per second.
  static let (fastSpeed, slowSpeed) = (20.0, 15.0)

  init(_ rules: [PowerController.Rule], at uptime: Duration) {
    self.rules = rules
    rest.move(at: uptime)
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    rest.note(now.circumstances.motion, at: now.uptime)
    if let last = lastSpeedUptime, now.uptime - last >= Self.interval {
      lastSpeedUptime = nil
      pace.send(.slow, at: now.uptime)
    }
    switch input {
    case .look: break
    case .departed: rest.move(at: now.uptime)
    case .fix(let judged):
      if judged.verdict.isRejection { return }
      rest.find(judged.fix, at: now.uptime)
      guard let speed = judged.fix.speed else { break }
      lastSpeedUptime = now.uptime
      if speed >= Self.fastSpeed {
        pace.send(.fast, at: now.uptime)
      } else if speed < Self.slowSpeed {
        pace.send(.slow, at: now.uptime)
      }
    case .rules(let rules): self.rules = rules
    case .flags(let flags): self.flags = flags
    }
  }

  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    let wasTracking = tracksInMotion
    tracksInMotion = if case .track = firstRule(at: now, whereRests: { _ in false })?.mode { true } else { false }
    // A new reason to track, such as a charger, ends the rest.
    if tracksInMotion, !wasTracking { rest.move(at: now.uptime) }
    rule = firstRule(at: now) { [rest] wait in rest.deadline(after: wait).map { now.uptime >= $0 } ?? false }
    let demand = rule?.mode.demand
    if demand != self.demand {
      self.demand = demand
      actions.append(.demand(demand))
    }
    // An earlier callback stays, so that a report of many fixes doesn't set one for each.
    let next = nextLook(after: now.uptime)
    guard callback.map({ $0 <= now.uptime || next < $0 }) ?? true else { return false }
    callback = next
    actions.append(.callBack(at: next))
    return false
  }

  /// Returns the time when the rule may change without an input, at most ``interval`` later.
  private func nextLook(after uptime: Duration) -> Duration {
    var next = uptime + Self.interval
    if let last = lastSpeedUptime { next = min(next, last + Self.interval) }
    for wait in rules.flatMap(\.rests) {
      if let end = rest.deadline(after: wait), end > uptime { next = min(next, end) }
    }
    return next
  }

  /// Returns the first rule that holds.
  private func firstRule(at now: Now, whereRests isAtRest: @escaping (Duration) -> Bool) -> PowerController.Rule? {
    let facts = PowerController.Rule.Facts(
      circumstances: now.circumstances, isFast: pace.state == .highway, flags: flags, isAtRest: isAtRest)
    return rules.first { $0.holds(with: facts) }
  }
}

extension PowerController.Mode {
  /// The demand on the manager; `nil` if the manager may sleep.
  fileprivate var demand: Demand.Kind? {
    switch self {
    case .sleep: nil
    case .bound(let bound): .bound(bound, keepsRunning: false)
    case .track(let policy): .accepted(Acceptance(policy))
    }
  }
}

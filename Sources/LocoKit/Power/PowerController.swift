/// Has a manager give every location or sleep, as a ``PowerController/Policy`` says.
///
/// ```swift
/// let controller = PowerController(manager, source: source)
/// controller.policy.isContinuousOnBattery = true
/// controller.isWalking = true     // the user has begun a walk
/// ```
///
/// The source is an ``PowerController/AppSource`` in an app, and a `PowerController.SystemSource` on Linux.
///
/// It shares the receiver with consumers, trips and waiters, and never overrides a pause. It belongs to the actor to which
/// its manager belongs, and decides anew whenever the source says that something has changed, with each location, and once a
/// minute.
public final class PowerController {
  /// The manager.
  package let manager: LocationManager
  /// What decides.
  public var policy: PowerController.Policy {
    didSet {
      policy.check()
      take(.policy(policy))
    }
  }
  /// Which fixes become locations while the GPS is on all the time; the distance filter is the policy's. By default an
  /// accurate location stands for a minute; with a hold time of 0 each that is far enough is given.
  public var acceptance: AcceptancePolicy {
    didSet {
      acceptance.check()
      take(.acceptance(acceptance))
    }
  }
  /// What the manager is made to do.
  public var decision: PowerController.Policy.Decision { turns.core.decision }
  /// Whether the manager sleeps because the device rests: see ``PowerController/Policy/sleepsAtRest``.
  public var isAtRest: Bool { turns.core.isAtRest }
  /// How fast the device moves.
  public var pace: Pace { turns.core.pace }
  /// Whether the app says that its user walks: locations are closer then.
  public var isWalking = false {
    didSet { take(.isWalking(isWalking)) }
  }
  /// How often the source is read where it says nothing by itself, and how long a speed is remembered.
  package static let interval = PowerCore.interval

  private let turns: Turns<PowerCore>
  private let source: any PowerController.Source
  private var observation: Demand.ID
  private var demand: Demand.ID?

  /// Begins to decide.
  public init(
    _ manager: LocationManager, source: any PowerController.Source,
    policy: PowerController.Policy = PowerController.Policy(),
    acceptance: AcceptancePolicy = AcceptancePolicy()
  ) {
    policy.check()
    acceptance.check()
    self.manager = manager
    self.source = source
    (self.policy, self.acceptance) = (policy, acceptance)
    turns = Turns(PowerCore(policy, acceptance))
    observation = Demand.policyID
    observation = manager.makeDemand(.observer { [weak self] in self?.receive($0) })
    manager.begin(observation, .fixes(nil))
    source.onChange = { [weak self] in self?.take(.look) }
    take(.look)
  }

  deinit {
    manager.end(observation)
    if let demand { manager.end(demand) }
  }

  private func take(_ input: PowerCore.Input) { turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) }) }

  private func receive(_ notice: LocationManager.Notice) {
    switch notice {
    case .fix(let fix): take(.fix(fix))
    case .due, .motion: take(.look)
    case .departed: take(.departed)
    case .failure, .interrupted, .paused, .pastMotion: break
    }
  }
}

extension PowerController {
  private func now(for input: PowerCore.Input) -> PowerCore.Now {
    PowerCore.Now(uptime: manager.uptime, conditions: source.conditions, motion: manager.motion)
  }

  /// Carries out what the core has decided.
  private func carryOut(_ action: PowerCore.Action) {
    switch action {
    case .want(let want?):
      let id = demand ?? manager.makeDemand(.listeners)
      demand = id
      manager.begin(id, want)
    case .want(nil):
      if let demand { manager.end(demand) }
      demand = nil
    case .callBack(let time): manager.setAlarm(observation, at: time)
    }
  }
}

@available(*, unavailable)
extension PowerController: Sendable {}

extension Pace: Codable {}

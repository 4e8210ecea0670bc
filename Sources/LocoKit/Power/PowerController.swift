/// Switches a manager between tracking and sleep, according to a ``PowerController/Policy``.
///
/// ```swift
/// let controller = PowerController(manager, source: source)
/// controller.policy.isContinuousOnBattery = true
/// controller.isWalking = true     // the user has begun a walk
/// ```
///
/// The controller shares the receiver with other consumers and trips, and never overrides a pause. It belongs to the manager's actor. The
/// controller decides again when the ``Source`` or the motion sensor reports a change, with each fix, and at least once a minute.
public final class PowerController {
  /// The manager.
  package let manager: LocationManager
  /// The rules of the decision.
  public var policy: Policy {
    didSet {
      policy.check()
      handle(.policy(policy))
    }
  }
  /// The rules that accept fixes as locations while the manager tracks, except the distance filter, which is the policy's. With the default
  /// hold time, no location follows an accurate one for a minute. With a hold time of 0, each accurate fix that is far enough from the last
  /// location is delivered.
  public var acceptance: TrackingPolicy {
    didSet {
      acceptance.check()
      handle(.acceptance(acceptance))
    }
  }
  /// The manager's current task.
  public var decision: Policy.Decision { turns.core.decision }
  /// Whether the manager sleeps because the device rests: see ``PowerController/Policy/sleepsAtRest``.
  public var isAtRest: Bool { turns.core.rest.isAtRest }
  /// The device's pace.
  public var pace: Pace { turns.core.pace }
  /// Whether the user walks, as the app reports. Locations are then closer together.
  public var isWalking = false {
    didSet { handle(.isWalking(isWalking)) }
  }

  private let turns: Turns<PowerCore>
  private let source: Source
  private var observation = Demand.policyID
  private var demand: Demand.ID?

  /// Creates a controller and makes its first decision.
  public init(
    _ manager: LocationManager, source: Source, policy: Policy = Policy(),
    acceptance: TrackingPolicy = TrackingPolicy()
  ) {
    policy.check()
    acceptance.check()
    (self.manager, self.source, self.policy, self.acceptance) = (manager, source, policy, acceptance)
    turns = Turns(PowerCore(policy, acceptance))
    observation = manager.makeDemand(.observer { [weak self] in self?.receive($0) })
    manager.begin(observation, .fixes(nil))
    source.onChange = { [weak self] in self?.handle(.look) }
    handle(.look)
  }

  deinit {
    manager.owner.release { [manager, observation, demand] in
      manager.end(observation)
      if let demand { manager.end(demand) }
    }
  }

  private func handle(_ input: PowerCore.Input) {
    turns.handle(
      input,
      at: { _ in PowerCore.Now(uptime: manager.uptime, conditions: source.conditions, motion: manager.motion) },
      carryOut: { carryOut($0) })
  }

  private func receive(_ observed: LocationManager.Observed) {
    switch observed {
    case .fix(let fix): handle(.fix(fix))
    case .due, .motion: handle(.look)
    case .departed: handle(.departed)
    case .failure, .interrupted, .paused, .pastMotion: break
    }
  }

  private func carryOut(_ action: PowerCore.Action) {
    switch action {
    case .demand(let kind?):
      let id = demand ?? manager.makeDemand(.listeners)
      demand = id
      manager.begin(id, kind)
    case .demand(nil):
      if let demand { manager.end(demand) }
      demand = nil
    case .callBack(let time): manager.setAlarm(observation, at: time)
    }
  }
}

@available(*, unavailable)
extension PowerController: Sendable {}

extension Pace: Codable {}

/// Switches a manager between tracking, an error bound and sleep, by an ordered list of rules: the first rule that holds decides.
///
/// ```swift
/// let controller = PowerController(manager)
/// controller.rules = [
///   .init(.sleep, when: [.atRest(after: .seconds(300))]),
///   .init(.track(TrackingPolicy(distanceFilter: 20)), when: [.charging, .vehicle]),
///   .init(.bound(500), when: [.not(.battery(below: 0.2))]),
/// ]
/// ```
///
/// The rules depend on the manager's ``LocationManager/circumstances``, on the speed, on the time at rest, and on ``flags`` that the app
/// sets. If no rule holds, ``Mode/sleep`` applies. The controller shares the receiver with other consumers and trips, and never overrides a
/// pause. It belongs to the manager's actor. It decides again when the rules, the flags or the circumstances change, with each fix, when
/// the device leaves a place, and, while the app runs, at least once a minute: a motion sensor that turns off is noticed then. For this
/// purpose a timer runs as long as the controller exists; that of ``CoreLocationProvider`` fires every ten seconds while the app runs.
///
/// For other circumstances, such as a schedule or the system's thermal state, the app sets ``flags``.
///
/// ``CoreLocationProvider`` reports the battery if ``CoreLocationProvider/Configuration/reportsBattery`` is set. With `GPSDProvider` on
/// Linux, the controller reads chargers and batteries from `/sys/class/power_supply`, and a machine without a battery counts as charging.
public final class PowerController {
  package let manager: LocationManager
  /// The rules, in order.
  ///
  /// - Precondition: Each value is in its range: see ``Mode`` and ``Condition``.
  public var rules: [Rule] {
    didSet {
      for rule in rules { rule.check() }
      handle(.rules(rules))
    }
  }
  /// The names of the flags that are set, for ``Condition/flag(_:)``. A flag may stand for a network, a region, a schedule or the thermal
  /// state, which the app observes itself.
  public var flags: Set<String> = [] {
    didSet { handle(.flags(flags)) }
  }
  /// The rule that decides now; `nil` if none holds and ``Mode/sleep`` applies. A view that reads it is updated after each decision (iOS 17,
  /// macOS 14).
  public var rule: Rule? { driver.observed.core.rule }

  private let driver: CoreDriver<PowerCore>
  private var observation = Demand.policyID
  private var demand: Demand.ID?

  /// Creates a controller and makes its first decision.
  ///
  /// - Precondition: Each value of the rules is in its range: see ``Mode`` and ``Condition``.
  public init(_ manager: LocationManager, rules: [Rule] = standardRules) {
    for rule in rules { rule.check() }
    (self.manager, self.rules) = (manager, rules)
    driver = CoreDriver(PowerCore(rules, at: manager.uptime))
    observation = manager.makeDemand(.observer { [weak self] in self?.receive($0) })
    manager.begin(observation, .fixes(nil))
    handle(.look)
  }

  deinit {
    manager.home.release { [manager, observation, demand] in
      manager.end(observation)
      if let demand { manager.end(demand) }
    }
  }

  private var now: PowerCore.Now {
    PowerCore.Now(uptime: manager.uptime, circumstances: manager.circumstances)
  }

  private func handle(_ input: PowerCore.Input) {
    driver.handle(input, at: { _ in now }, carryOut: { carryOut($0) })
    driver.announceChange()
  }

  private func receive(_ observed: LocationManager.Observed) {
    switch observed {
    case .fix(let fix): handle(.fix(fix))
    case .due, .motion, .circumstances: handle(.look)
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

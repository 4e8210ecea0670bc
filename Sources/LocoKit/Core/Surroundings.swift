import LocoFoundation

/// The device as its provider reports it, and what follows without the GPS: when to look, the presence and the health, and the provider's
/// plan.
struct Surroundings: Equatable, Sendable {
  typealias Action = LocationCore.Action
  typealias Now = LocationCore.Now

  /// Each report may change the health.
  private(set) var device: LocationCore.Device { didSet { monitoring.health.noteDevice() } }
  /// The planner of looks, if there is an error bound. Shared, because it's large.
  var planner: Shared<LookPlanner>?
  private(set) var planning = Planning()
  var monitoring: Monitoring

  init(_ device: LocationCore.Device, monitoring: Monitoring) { (self.device, self.monitoring) = (device, monitoring) }

  // MARK: - Reports

  /// Updates the time before an input.
  mutating func pass(to uptime: Duration, isLooking: Bool, isRunning: @autoclosure () -> Bool) {
    planner?.value.count(to: uptime, isLooking: isLooking)
    if device.isOutOfTime, isRunning() { device.isOutOfTime = false }
  }

  /// Returns whether the authorization has changed.
  mutating func update(_ authorization: Authorization) -> Bool { device.authorization.update(to: authorization) }

  /// Returns the notification of a change.
  mutating func update(_ battery: LocationManager.BatteryStatus) -> Action? {
    device.battery.update(to: battery) ? .batteryChanged(battery) : nil
  }

  mutating func update(_ app: LocationCore.Device.App) -> Action? {
    device.app.update(to: app) ? .appChanged : nil
  }

  mutating func update(_ sources: Set<WakeKind>, _ backgroundUpdates: LocationManager.BackgroundUpdates) {
    (device.wakeSources, device.backgroundUpdates) = (sources, backgroundUpdates)
    if !sources.contains(.motion) { device.motion = nil }
    planner?.value.settings.use(sources, backgroundUpdates)
  }

  mutating func backgroundTimeDidExpire() { device.isOutOfTime = true }

  /// Updates the planner, the plan, the presence and the health to an event. Returns its notification.
  mutating func note(_ event: WakeEvent, in mode: ReceiverMode, at uptime: Duration) -> Action? {
    // Without the permission or during a pause, no location follows motion.
    if event.showsMotion, mode != .off { monitoring.health.move(at: uptime) }
    switch event {
    case .significantChange: monitoring.endPresence()
    case .regionExit:
      monitoring.leaveRegion()
      planner?.value.leaveRegion()
      planning.leaveRegion()
    case .visit(let visit):
      if visit.departure == nil {
        planner?.value.visitBegan()
      } else {
        monitoring.leave()
        planner?.value.visitEnded()
      }
      return visit.place.hasValidCoordinate ? .visited(visit) : nil
    case .cell(let name): planner?.value.enter(name, because: event.kind)
    case .motion(let motion):
      // After a short motion, such as of a phone that is picked up, no look follows.
      let wasShort = mode != .gps && planner?.value.restsAtFix == true
      planner?.value.motionDidChange(to: motion)
      if motion == .still, wasShort { monitoring.health.forgetMotion() }
      return device.motion.update(to: motion) ? .motionChanged(motion) : nil
    case .timer:
      planning.timerDidFire()
      monitoring.health.checkTime(at: uptime)
    }
    return nil
  }

  /// Notes a delivered location.
  mutating func find(_ location: Location, at uptime: Duration) {
    if monitoring.awaitsLocation || planner != nil {
      monitoring.find(location, watching: planning.watchedRegion, at: uptime)
    }
  }

  /// Notes a transition of the machine.
  mutating func enter(_ state: LocationMachine.State, from: LocationMachine.State, at uptime: Duration) {
    // Before the prompt's answer, a missing permission is no problem. A refusal is one, also in an error.
    if from.mode == .off || state == .denied { monitoring.health.noteDevice() }
    if (from.mode == .off) != (state.mode == .off) { monitoring.health.forgetMotion() }
    guard state.mode == .off else { return }
    if from.mode != .off { monitoring.health.forgetRecalled() }
    if state != .prompted { monitoring.endPresence() }
    // Until the next fix, the device may be anywhere.
    createPlanner(planner?.value.settings, at: uptime)
  }

  // MARK: - Looks

  /// Creates, changes or removes the planner.
  mutating func setBound(_ settings: LookSettings?, at uptime: Duration) {
    if let settings, planner != nil {
      if planner?.value.settings != settings { planner?.value.settings = settings }
    } else if settings != nil || planner != nil {
      // Without a bound, missed exits are no problem.
      monitoring.health.noteDevice()
      createPlanner(settings, at: uptime)
    }
  }

  private mutating func createPlanner(_ settings: LookSettings?, at uptime: Duration) {
    planner = settings.map { Shared(LookPlanner(settings: $0, at: uptime)) }
    // The sensor reports a motion once.
    if let motion = device.motion { planner?.value.motionDidChange(to: motion) }
  }

  func estimate(at now: Now) -> Location? {
    guard var planner = planner?.value else { return nil }
    planner.count(to: now.uptime)
    return planner.estimate(at: now.date)
  }

  // MARK: - Conclusions

  /// Updates the plan, except its timer. Returns whether it has changed.
  @inline(__always)
  mutating func updatePlan(in mode: ReceiverMode, isReleased: Bool, for demands: Demands, at uptime: Duration) -> Bool {
    let isNew = planning.update(mode: mode, isReleased: isReleased, for: planner, demands)
    guard planning.updateRegion(for: planner, watchesRegions: device.watchesRegions) else { return isNew }
    monitoring.health.watch(since: uptime)
    return true
  }

  mutating func updateTimer(to timer: Duration?, at uptime: Duration) -> Bool {
    planning.update(timer: timer, for: planner, at: uptime)
  }

  /// Derives the presence and the health, and notifies the listeners of changes. Returns whether the presence has changed.
  @inline(__always)
  mutating func updateOutlook(
    in state: LocationMachine.State, _ mode: ReceiverMode, at now: Now, into actions: inout [Action]
  ) -> Bool {
    let isPresenceNew =
      (monitoring.mayHavePresence || planner != nil)
      && monitoring.updatePresence(
        of: planner?.value, in: mode, watching: planning.watchedRegion, on: device, at: now.date)
    if isPresenceNew { actions.append(.presenceChanged(monitoring.lastReported.stored)) }
    if let health = monitoring.updateHealth(of: device, in: state, hasBound: planner != nil, at: now.uptime) {
      actions.append(.healthChanged(health))
    }
    return isPresenceNew
  }

  func health(in state: LocationMachine.State, at uptime: Duration) -> LocationManager.Health {
    monitoring.health(of: device, in: state, hasBound: planner != nil, at: uptime)
  }
}

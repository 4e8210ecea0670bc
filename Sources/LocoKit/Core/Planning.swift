/// The plan that the provider has, without a timer that has fired.
struct Planning: Equatable, Sendable {
  private(set) var plan = ReceiverPlan()
  /// Whether the device has left the plan's region.
  private(set) var hasLeftRegion = false

  /// The region whose exit the provider still reports.
  var watchedRegion: Location.Region? { hasLeftRegion ? nil : plan.region }

  mutating func leaveRegion() { hasLeftRegion = true }
  mutating func timerDidFire() { plan.timer = nil }

  /// Updates the hardware that is on, property by property: a comparison of two plans takes a quarter of a turn. Returns whether the plan has
  /// changed.
  @inline(__always)
  mutating func update(
    mode: ReceiverMode, isReleased: Bool, for planner: Shared<LookPlanner>?, _ demands: Demands
  ) -> Bool {
    var isNew = plan.mode.update(to: mode)
    isNew = plan.keepsAppRunning.update(to: mode != .off && planner?.value.keepsRunning == true) || isNew
    isNew = plan.desiredAccuracy.update(to: mode == .gps ? accuracy(for: planner, demands) : nil) || isNew
    return plan.errorBound.update(to: isReleased ? nil : planner?.value.settings.bound) || isNew
  }

  /// The accuracy that the demands and the error bound need; `nil` if no demand needs the receiver.
  @inline(__always)
  private func accuracy(for planner: Shared<LookPlanner>?, _ demands: Demands) -> Double? {
    guard let wanted = demands.receiverAccuracy, let planner else { return demands.receiverAccuracy }
    return min(wanted, LookSettings.desiredAccuracy(within: planner.value.settings.bound))
  }

  /// Sets the region whose exit causes a look or relaunches the app. A region of an earlier launch stays watched until the mode changes to
  /// `off`, another region replaces it, or it is removed because no bound is set. Returns whether the region has changed.
  @inline(__always)
  mutating func updateRegion(for planner: Shared<LookPlanner>?, watchesRegions: Bool) -> Bool {
    let mayWatch = plan.mode != .off && watchesRegions
    if mayWatch, let planner {
      guard let region = planner.value.region, region != watchedRegion else { return false }
      plan.region = region
    } else {
      guard plan.region != nil || mayWatch && plan.regionNumber == 0 else { return false }
      plan.region = nil
    }
    plan.regionNumber += 1
    hasLeftRegion = false
    return true
  }

  /// Sets the timer and ``ReceiverPlan/coarseFixesFrom``. Returns whether the plan has changed.
  @inline(__always)
  mutating func update(timer: Duration?, for planner: Shared<LookPlanner>?, at uptime: Duration) -> Bool {
    let isNew = plan.timer.update(to: timer)
    // A look that succeeds changes the time, and after one that fails, coarse fixes are wanted immediately.
    guard plan.mode != .gps, plan.keepsAppRunning || plan.coarseFixesFrom != nil else { return isNew }
    return plan.coarseFixesFrom.update(to: plan.keepsAppRunning ? planner?.value.coarseFixesFrom(at: uptime) : nil)
      || isNew
  }
}

extension Equatable {
  /// Sets a value, and returns whether it has changed.
  @inline(__always)
  mutating func update(to new: Self) -> Bool {
    if self == new { return false }
    self = new
    return true
  }
}

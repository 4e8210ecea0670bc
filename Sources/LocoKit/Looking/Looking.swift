import LocoFoundation

/// The planner of looks, if there is an error bound, and the region whose exit the provider reports.
struct Looking: Hashable, Sendable {
  /// Shared, because it's large and most managers have none.
  var planner: Shared<LookPlanner>?
  /// Whether the device has left the plan's region.
  private(set) var hasLeftRegion = false

  /// Creates, changes or removes the planner after a change of an error bound or of the demands.
  mutating func update(
    _ settings: LocationCore.Settings, _ demands: Demands, on device: LocationCore.Device, at uptime: Duration
  ) {
    guard let bound = [settings.errorBound, demands.errorBound].compactMap({ $0 }).min() else {
      planner = nil
      return
    }
    var look = LookSettings(
      bound: bound, sources: device.wakeSources, backgroundUpdates: device.backgroundUpdates)
    (look.target, look.mustKeepRunning) = (settings.boundTarget, demands.keepRunning)
    if planner == nil {
      planner = Shared(wrappedValue: LookPlanner(settings: look, at: uptime))
    } else if look != planner?.wrappedValue.settings {
      planner?.wrappedValue.settings = look
    }
  }

  mutating func leaveRegion() {
    planner?.wrappedValue.leaveRegion()
    hasLeftRegion = true
  }

  /// Returns the region of a plan if the provider still reports its exit.
  func watchedRegion(of plan: ReceiverPlan) -> Location.Region? { hasLeftRegion ? nil : plan.region }

  /// Sets the region whose exit causes a look or relaunches the app. While the mode is `off`, a region of an earlier launch stays watched.
  /// Later, another region replaces it, or it is removed because no bound is set. Returns whether the region has changed.
  @inline(__always)
  mutating func updateRegion(in plan: inout ReceiverPlan, watchesRegions: Bool) -> Bool {
    let mayWatch = plan.mode != .off && watchesRegions
    if mayWatch, planner != nil {
      guard let region = planner?.wrappedValue.region, region != watchedRegion(of: plan) else { return false }
      plan.region = region
    } else {
      guard plan.region != nil || mayWatch && plan.regionNumber == 0 else { return false }
      plan.region = nil
    }
    plan.regionNumber += 1
    hasLeftRegion = false
    return true
  }

  func estimate(at now: LocationCore.Now) -> LocationManager.Estimate? {
    guard var planner = planner?.wrappedValue else { return nil }
    planner.count(to: now.uptime)
    return planner.estimate(at: now.date)
  }
}

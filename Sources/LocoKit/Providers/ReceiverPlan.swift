/// The hardware that a manager needs, and when the manager must run again.
///
/// ``LocationProvider/apply(_:)`` receives the whole plan at each change, so a provider compares it with the last one, or sets everything:
///
/// ```swift
/// func apply(_ plan: ReceiverPlan) {
///   if plan.regionNumber != last.regionNumber {
///     buoy.fence = plan.region.map { Buoy.Fence(latitude: $0.latitude, longitude: $0.longitude, radius: $0.radius) }
///   }
///   buoy.interval = (plan.desiredAccuracy ?? 0) >= 100 ? .seconds(10) : .seconds(1)
///   buoy.isReceiverOn = plan.mode == .gps
///   buoy.alarm = plan.timer
///   last = plan
/// }
/// ```
public struct ReceiverPlan: Hashable, Sendable {
  /// The hardware that is on. The plan of a pause is `off`.
  ///
  /// If the mode needs a missing permission, the provider reports the authorization. If significant changes launch the app on this
  /// platform, they stay registered while the mode is `gps`, so that the system relaunches the app if it is terminated.
  public var mode = ReceiverMode.off
  /// The desired accuracy of fixes, in metres, while the mode is `gps`; 0 is the receiver's best. Otherwise `nil`.
  ///
  /// A provider may use it to save power, or ignore it: more accurate fixes do no harm. The provider delivers each fix of the receiver,
  /// without a distance filter, because the manager decides which ones count.
  public var desiredAccuracy: Double?
  /// The region whose exit the provider reports, once, with ``WakeEvent/regionExit``, in the modes `significantChanges` and `gps`. On iOS,
  /// the system launches a terminated app for the exit. It is set only if ``LocationProvider/wakeSources`` contains
  /// ``WakeKind/regionExit``.
  public var region: Location.Region?
  /// The number of times that the manager has set or removed ``region``. Watch the region from its beginning whenever the number changes,
  /// even if the region is the same: its exit may have been reported. While the number is 0, a region of an earlier launch stays,
  /// until ``mode`` changes to `off`.
  public var regionNumber = 0
  /// The error in metres that the manager allows for the last location or the estimate; `nil` without a bound.
  ///
  /// With a bound, the manager decides when to look. A provider that turns the receiver on to detect significant changes doesn't need to do
  /// so then.
  public var errorBound: Double?
  /// Whether the app is kept running while the mode is `significantChanges`, so that it receives timers and motion. The provider then
  /// reports the coarse fixes that keep the app running, with the source ``Location/Source/coarse``.
  ///
  /// It is `true` only if the provider's ``LocationProvider/backgroundUpdates`` aren't ``LocationManager/BackgroundUpdates/never``. It may stay `true` while
  /// the mode is `gps`, in which the GPS keeps the app running.
  public var keepsAppRunning = false
  /// The ``LocationProvider/uptime`` from which a coarse fix may replace the next look; `nil` while none can.
  ///
  /// A provider that keeps the app running may save energy before this time, and deliver no coarse fixes. The time is ten seconds before the
  /// next look, or 45 s after the last fix if that is earlier. It has passed after a failed look, and when motion begins after a rest.
  public var coarseFixesFrom: Duration?
  /// The ``LocationProvider/uptime`` when the provider reports ``WakeEvent/timer``, once, or later; `nil` for no timer. The time may have
  /// passed already. A plan that follows the report may contain the same time: it is then set again.
  public var timer: Duration?

  /// Creates the plan of a manager that needs nothing: the mode is `off`.
  public init() {}
}

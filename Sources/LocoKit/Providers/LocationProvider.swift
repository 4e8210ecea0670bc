public import LocoFoundation

/// The platform of a ``LocationManager``: the source of fixes, significant changes, permissions and the time.
///
/// ```swift
/// final class BuoyProvider: LocationProvider {
///   let buoy = Buoy()
///   let authorization = Authorization.always
///   let recommendedPolicy = AcquisitionPolicy.standaloneReceiver
///   var onReport: ProviderReport.Handler?
///   var uptime: Duration { buoy.uptime }
///   var date: Date { buoy.date }
///   func perform(_ request: ReceiverRequest) { if request == .authorization { onReport?(.authorization(.always)) } }
///   func apply(_ plan: ReceiverPlan) { (buoy.isReceiverOn, buoy.alarm) = (plan.mode == .gps, plan.timer) }
/// }
/// ```
///
/// A provider serves one ``LocationManager`` at a time. It sends reports through ``onReport``, and the manager commands the hardware.
/// The provider makes no decisions. All calls happen in the isolation of the manager's actor, and so must the reports: hardware that reports on a
/// queue passes its reports to the main actor, if that is the manager's. A debug build stops if they come from elsewhere.
///
/// If you write your own provider:
///
/// - The manager applies the plan of a manager that needs nothing before it sets ``onReport``. Earlier reports are lost.
/// - The manager may apply a plan during a report, and the provider may report while it applies a plan. The manager finishes its current
///   work first, so ``onReport`` may return before the report takes effect.
/// - Start before you stop: the system may suspend or terminate the app when the GPS or the background updates go off, and the new region
///   or timer then has to be there.
/// - A second manager with the same provider replaces the first. The first turns its hardware off, then the second sets ``onReport``. When
///   a manager that wasn't replaced is deinitialized, it sets ``onReport`` to `nil` and applies a plan with the mode `off`.
/// - Fixes may be late, stale, invalid, repeated or out of order, and timers may be late or missing. The manager handles all of these.
public protocol LocationProvider: AnyObject {
  /// The time since a fixed moment, such as the boot, including sleep: zero to a century. It never decreases. The manager measures durations
  /// with it.
  var uptime: Duration { get }
  /// The wall-clock time, which the user can change. The manager computes the age of a fix with it.
  var date: Date { get }
  /// The app's permission to use locations.
  var authorization: Authorization { get }
  /// The kinds of events that the provider reports while the mode is `significantChanges`. If they change, report
  /// ``ProviderReport/wakeSources(_:backgroundUpdates:)``.
  var wakeSources: Set<WakeKind> { get }
  /// When the provider can keep the app running while the GPS is off, at the energy cost of coarse location updates. In the background,
  /// timers and motion are then available only while the app is kept running. If it changes, report
  /// ``ProviderReport/wakeSources(_:backgroundUpdates:)``.
  var backgroundUpdates: LocationManager.BackgroundUpdates { get }
  /// The policy that suits the receiver.
  var recommendedPolicy: AcquisitionPolicy { get }
  /// The handler for reports, which the manager sets.
  var onReport: ProviderReport.Handler? { get set }

  /// Turns on what a plan needs, and turns off what it doesn't. The manager calls this whenever the plan changes, and after a timer that it
  /// still needs has fired.
  func apply(_ plan: ReceiverPlan)

  /// Carries out a request once.
  func perform(_ request: ReceiverRequest)
}

extension LocationProvider {
  /// Significant changes only.
  public var wakeSources: Set<WakeKind> { [.significantChange] }

  /// Never: the system doesn't suspend apps.
  public var backgroundUpdates: LocationManager.BackgroundUpdates { .never }
}

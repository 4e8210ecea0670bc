public import LocoFoundation

/// The platform of a ``LocationManager``: the source of fixes, significant changes, permissions and the time.
///
/// ```swift
/// final class BuoyProvider: LocationProvider {
///   let buoy = Buoy()
///   let authorization = Authorization.always
///   let recommendedPolicy = AcquisitionPolicy.standaloneReceiver
///   var onReport: ((ProviderReport) -> Void)?
///   var uptime: Duration { buoy.uptime }
///   var date: Date { buoy.date }
///   func requestAuthorization() { onReport?(.authorization(.always)) }
///   func setMode(_ mode: ReceiverMode) { buoy.isReceiverOn = mode == .gps }
///   func setTimer(_ deadline: Duration?) { buoy.alarm = deadline }
/// }
/// ```
///
/// A provider serves one ``LocationManager`` at a time. It sends reports through ``onReport``, and the manager commands the hardware.
/// The provider makes no decisions. All calls happen in the isolation of the manager's owner.
///
/// If you write your own provider:
///
/// - The manager calls ``setMode(_:)`` with `off`, the mode of its first state, before it sets ``onReport``. Earlier reports are lost.
/// - The manager may send a command during a report, and the provider may report during a command. The manager finishes its current
///   work first, so ``onReport`` may return before the report takes effect.
/// - ``setMode(_:)`` may repeat the current mode, and the deadline of ``setTimer(_:)`` may have passed. Neither is an error.
///   ``setReceiver(_:)`` precedes the ``setMode(_:)`` that turns the GPS on.
/// - A second manager with the same provider replaces the first. The first turns its hardware off, then the second sets ``onReport``. When
///   a manager that wasn't replaced is deinitialized, it sets ``onReport`` to `nil`, removes the timer and turns the mode off.
/// - Report motion, cells and exits from the region when they occur, whether or not the manager uses them.
/// - Fixes may be late, stale, invalid, repeated or out of order, and timers may be late or missing. The manager handles all of these.
public protocol LocationProvider: AnyObject {
  /// The time since a fixed moment, such as the boot, including sleep. It never decreases. The manager measures durations with it.
  var uptime: Duration { get }
  /// The wall-clock time, which the user can change. The manager computes the age of a fix with it.
  var date: Date { get }
  /// The app's permission to use locations.
  var authorization: Authorization { get }
  /// The events that can wake the app while the mode is `significantChanges`. If they change, report
  /// ``ProviderReport/wakeSources(_:)``.
  var wakeSources: WakeSources { get }
  /// The policy that suits the receiver.
  var recommendedPolicy: AcquisitionPolicy { get }
  /// The handler for reports, which the manager sets.
  var onReport: ((ProviderReport) -> Void)? { get set }

  /// Asks the user for permission.
  ///
  /// If the system shows no prompt because the answer is known, the provider reports the authorization immediately.
  func requestAuthorization()

  /// Turns on the hardware for a mode, and turns off the hardware that the mode doesn't need.
  ///
  /// If the mode needs a missing permission, the provider reports the authorization. If significant changes launch the app on this
  /// platform, they stay registered while the mode is `gps`, so that the system relaunches the app if it is terminated.
  func setMode(_ mode: ReceiverMode)

  /// Configures the receiver for the mode `gps`. The manager calls this before it sets that mode, and again when the settings change.
  ///
  /// A receiver may ignore settings that it doesn't support. Fixes that are more accurate or more frequent than requested do no harm.
  func setReceiver(_ settings: ReceiverSettings)

  /// Restarts the receiver while the mode is `gps`, so that it delivers a new fix. A receiver that delivers fixes continuously can
  /// ignore this.
  func restartReceiver()

  /// Reports ``ProviderReport/regionExited`` once when the device is outside `region`, now or later, in the modes `significantChanges` and
  /// `gps`. On iOS, the system launches a terminated app for the exit. There is one region: each call replaces it, and `nil` removes it.
  ///
  /// The manager sets a region only if ``wakeSources`` contains ``WakeSources/regionExit``.
  func setRegion(_ region: Location.Region?)

  /// Sets the error in metres that the manager allows for the last location or the estimate; `nil`, the default, is no bound.
  ///
  /// With a bound, the manager decides when to look. A provider that turns the receiver on to detect significant changes doesn't
  /// need to do so then.
  func setErrorBound(_ bound: Double?)

  /// Keeps the app running while the mode is `significantChanges`, so that it receives timers and motion. The provider then reports
  /// the coarse fixes that keep the app running, with the source ``Location/Source/coarse``.
  ///
  /// The manager passes `true` only if ``wakeSources`` contains ``WakeSources/keeper``. The command may stay in effect while the mode is
  /// `gps`, in which the GPS keeps the app running.
  func setKeptRunning(_ isKept: Bool)

  /// Reports ``ProviderReport/timer`` when ``uptime`` reaches `deadline`, or later. There is one timer: each call replaces it, and
  /// `nil` removes it.
  func setTimer(_ deadline: Duration?)
}

/// A provider that computes speeds and courses on a sphere, like ``Location/distance(to:)``. Real receivers measure them on the ellipsoid.
package protocol SphericalProvider: LocationProvider {}

/// A provider that doesn't report changes of its computer's battery. A ``PowerController`` therefore reads the battery.
package protocol MachineProvider: LocationProvider {
  func readBattery() -> LocationManager.BatteryStatus?
}

extension LocationProvider {
  /// Significant changes only.
  public var wakeSources: WakeSources { .significantChanges }

  /// Does nothing: the platform has no regions.
  public func setRegion(_ region: Location.Region?) {}

  /// Does nothing: the system doesn't suspend apps.
  public func setKeptRunning(_ isKept: Bool) {}

  /// Does nothing: significant changes cost no energy.
  public func setErrorBound(_ bound: Double?) {}

  /// Does nothing: the receiver has no settings.
  public func setReceiver(_ settings: ReceiverSettings) {}

  /// Sets the mode to `off`, then to `gps`.
  public func restartReceiver() {
    setMode(.off)
    setMode(.gps)
  }
}

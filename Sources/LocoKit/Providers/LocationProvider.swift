public import Foundation

/// A platform: where fixes, significant changes, permissions and the time come from.
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
/// A provider serves one ``LocationManager`` at a time, which receives all it has to say through ``onReport`` and tells it what
/// to turn on. It decides nothing by itself. All of it happens in the isolation of the manager's owner.
///
/// What a provider of one's own can rely on, and what its manager relies on:
///
/// - The manager commands ``setMode(_:)`` with the mode of its first state, `off`, before it sets ``onReport``. Reports made
///   before that are lost.
/// - A command may be given in the middle of a report, and a report may be made from within a command: the manager finishes what
///   it is doing first, so a report's effects are not there yet when ``onReport`` returns.
/// - ``setMode(_:)`` may name the mode that is on already, and ``setTimer(_:)`` a deadline that has passed: neither is an error.
///   ``setReceiver(_:)`` comes before the ``setMode(_:)`` that turns the GPS on.
/// - A second manager made with the same provider takes its place: the first one turns off what it had on, then the second one
///   sets ``onReport``. A manager that is let go sets ``onReport`` to `nil`, removes the timer and turns the mode off.
/// - Motion, cells and a region's exit are reported as they are found, whether they are used or not.
/// - Fixes may be late, old, invalid, repeated or out of order, and a timer late or missing: all of this is judged by the manager.
public protocol LocationProvider: AnyObject {
  /// How long the system has been running, asleep or awake: never goes back. For durations.
  var uptime: Duration { get }
  /// What the clock on the wall says; somebody may set it. For the age of fixes.
  var date: Date { get }
  /// Whether locations may be used.
  var authorization: Authorization { get }
  /// What can wake the app while the mode is `significantChanges`. Where this changes later, the provider reports
  /// ``ProviderReport/wakeSources(_:)``.
  var wakeSources: WakeSources { get }
  /// The policy that fits the receiver.
  var recommendedPolicy: AcquisitionPolicy { get }
  /// Set by the manager; the provider calls it with each report.
  var onReport: ((ProviderReport) -> Void)? { get set }

  /// Asks for the permission.
  ///
  /// Where no prompt will be shown, because the answer is known, reports the authorization at once.
  func requestAuthorization()

  /// Turns on what `mode` says, and all else off.
  ///
  /// Where that needs a permission and there is none, reports the authorization. While the mode is `gps`, significant changes
  /// stay registered where the system launches an app for them, so that one that is ended meanwhile is launched again.
  func setMode(_ mode: ReceiverMode)

  /// Uses the receiver so while the mode is `gps`: told before, and whenever it changes.
  ///
  /// What a receiver cannot do it need not: fixes that are more accurate or more frequent than wanted do no harm.
  func setReceiver(_ settings: ReceiverSettings)

  /// Has the receiver give a fresh fix while the mode is `gps`, by turning it off and on again. Where it goes on by itself
  /// nothing need be done.
  func restartReceiver()

  /// Reports ``ProviderReport/regionExited`` once when the device is found outside `region`, now or later, whatever the mode is;
  /// where the app has been ended meanwhile, the system launches it. There is one region, which this replaces; `nil` removes it.
  ///
  /// Called only where ``wakeSources`` has ``WakeSources/regionExit``.
  func setRegion(_ region: Location.Region?)

  /// Says that the manager decides by itself when to look, so that the last location is hardly ever more than `bound` metres off;
  /// `nil`, as in the beginning, that it waits for significant changes. A provider that has to turn the receiver on to find these
  /// need not while there is a bound.
  func setErrorBound(_ bound: Double?)

  /// Keeps the app running while the mode is `significantChanges`, so that timers and motion are reported, and reports the coarse
  /// fixes that the app then receives, with the source ``Location/Source/coarse``.
  ///
  /// Called only where ``wakeSources`` has ``WakeSources/keeper``. While the mode is `gps`, the GPS keeps the app running, and the
  /// command may stand.
  func setKeptRunning(_ isKept: Bool)

  /// Reports ``ProviderReport/timer`` when ``uptime`` has reached `deadline`, or later. There is one timer, which this
  /// replaces; `nil` removes it.
  func setTimer(_ deadline: Duration?)
}

extension LocationProvider {
  /// Significant changes alone.
  public var wakeSources: WakeSources { .significantChanges }

  /// Does nothing: there are no regions.
  public func setRegion(_ region: Location.Region?) {}

  /// Does nothing: the system suspends no app.
  public func setKeptRunning(_ isKept: Bool) {}

  /// Does nothing: significant changes cost nothing.
  public func setErrorBound(_ bound: Double?) {}

  /// A receiver that gives what it has.
  public func setReceiver(_ settings: ReceiverSettings) {}

  /// Turns everything off, and the receiver on.
  public func restartReceiver() {
    setMode(.off)
    setMode(.gps)
  }
}

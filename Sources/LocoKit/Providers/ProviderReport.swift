/// A report from a provider to its manager.
///
/// ```swift
/// func receive(_ message: Buoy.Message) {
///   switch message {
///   case .fix(let fix): onReport?(.fixes([fix]))
///   case .noSky: onReport?(.failure(.locationUnknown))
///   case .alarm: onReport?(.wake(.timer))
///   }
/// }
/// ```
public enum ProviderReport: Hashable, Sendable {
  /// The system shows the permission prompt. The prompt's time limit begins.
  case promptShown
  /// The current authorization, after a change or a request, or because a mode needs a missing permission.
  case authorization(Authorization)
  /// Fixes in the order of their arrival. There may be several, such as after a suspension of the app.
  case fixes([Location])
  /// An event that can wake the app.
  case wake(WakeEvent)
  /// The motion that the system stored while the provider didn't report motion, such as while the app was suspended, oldest first. A trip
  /// recorder uses it to find the start of a trip.
  case pastMotion([LocationManager.Motion.Change])
  /// The current state of the battery.
  case battery(LocationManager.BatteryStatus)
  /// The current state of the app: whether it is in the foreground, whether the system's low-power mode is on, and whether the system may
  /// launch it in the background.
  case app(isInForeground: Bool, isLowPowerMode: Bool, mayRefresh: Bool)
  /// The kinds of events that can wake the app from now on, and when the app can be kept running.
  case wakeSources(Set<WakeKind>, backgroundUpdates: LocationManager.BackgroundUpdates)
  /// A failure.
  case failure(ProviderReport.Failure)
}

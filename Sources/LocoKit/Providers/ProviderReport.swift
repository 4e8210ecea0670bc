/// What a provider has to say.
///
/// ```swift
/// func receive(_ message: Buoy.Message) {
///   switch message {
///   case .fix(let fix): onReport?(.fixes([fix]))
///   case .noSky: onReport?(.failure(.locationUnknown))
///   case .alarm: onReport?(.timer)
///   }
/// }
/// ```
public enum ProviderReport: Hashable, Sendable {
  /// A prompt for the permission is shown to the user.
  case promptShown
  /// The authorization, after it has changed or when it was asked for.
  case authorization(Authorization)
  /// Fixes, in the order in which they came; several after a time in which the app did not run.
  case fixes([Location])
  /// The device has moved to another cell, with a coarse location where there is one.
  case significantChange(Location?)
  /// The device is outside the region that the manager has set; once for each that is set.
  case regionExited
  /// The device has arrived at a place where it stays: the beginning of a visit, a minute or more after it.
  case arrival
  /// The device has left a place where it had stayed: the end of a visit, minutes after it.
  case departure
  /// How the device moves from now on.
  case motion(Motion)
  /// How the device moved while the app was suspended, oldest first: what the motion sensor stored. A trip recorder finds the start
  /// of a trip in it.
  case pastMotion([Motion.Change])
  /// The cell that serves the device from now on: any name that tells it from other cells.
  case cell(String)
  /// The battery, as it is from now on.
  case battery(LocationManager.BatteryStatus)
  /// What can wake the app from now on.
  case wakeSources(WakeSources)
  /// Something went wrong.
  case failure(ProviderFailure)
  /// The timer has fired.
  case timer
  /// Another manager is made with the provider, which says this to the manager that it replaces: a provider itself never does.
  /// The old manager turns off what it had turned on, and from then on ignores every command.
  case replaced
}

/// What can go wrong with a provider.
///
/// ```swift
/// func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure) {
///   switch failure {
///   case .locationUnknown: lines.append("no sky")
///   case .accessDenied: lines.append("no permission")
///   case .backgroundTimeExpired: lines.append("about to be suspended")
///   case .other(let words): lines.append(words)
///   }
/// }
/// ```
public enum ProviderFailure: Error, Hashable, Sendable {
  /// No fix at present; the receiver goes on trying.
  case locationUnknown
  /// The permission is missing.
  case accessDenied
  /// The system is about to suspend the app: an acquisition ends now, with the best fix so far where that is acceptable. Consumers
  /// of every location keep the receiver on, and get nothing until the app runs again.
  case backgroundTimeExpired
  /// Anything else, in words for a log. Holds no location.
  case other(String)
}

/// Whether an app may use locations.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
///   switch authorization {
///   case .always: hint = nil
///   case .whenInUse: hint = "Choose Always to be found while the app is closed."
///   case .denied, .restricted: hint = "Locations are off for this app."
///   case .notDetermined: hint = "Press the button to be found."
///   }
/// }
/// ```
public enum Authorization: String, CaseIterable, Codable, Hashable, Sendable {
  /// The user was not asked, or the answer was for once.
  case notDetermined
  /// The user may not decide, on a device that is managed.
  case restricted
  /// The user refused, or location services are off.
  case denied
  /// While the app is in use.
  case whenInUse
  /// In the background too.
  case always

  /// Whether locations may be used at all.
  public var isAuthorized: Bool {
    self == .whenInUse || self == .always
  }
}

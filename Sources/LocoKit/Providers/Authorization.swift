/// The app's permission to use locations.
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
  /// The user hasn't answered a prompt, has reset the permission, or chose *Allow Once* in an earlier session.
  case notDetermined
  /// The user can't decide, because of parental controls or the management of the device.
  case restricted
  /// The user refused, or location services are off.
  case denied
  /// The app may use locations while it is in use.
  case whenInUse
  /// The app may use locations in the background too.
  case always

  /// Whether the app may use locations, at least while it is in use.
  public var isAuthorized: Bool { self == .whenInUse || self == .always }
}

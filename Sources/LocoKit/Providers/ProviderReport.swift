/// A report from a provider to its manager.
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
  /// The system shows the permission prompt.
  case promptShown
  /// The current authorization, after a change or a request, or because a mode needs a missing permission.
  case authorization(Authorization)
  /// Fixes in the order of their arrival. There may be several, such as after a suspension of the app.
  case fixes([Location])
  /// The device has probably moved to another cell. The coarse location is `nil` if the platform has none.
  // Indirect, so that the other reports are small: a turn copies its report several times.
  indirect case significantChange(Location?)
  /// The device is outside the manager's region. Sent once per region.
  case regionExited
  /// The device arrived at a place or, if the visit has a departure, left it. Both are reported minutes later.
  indirect case visit(Visit)
  /// The current motion.
  case motion(Motion)
  /// The motion that the system stored while the provider didn't report motion, such as while the app was suspended, oldest first. A trip
  /// recorder uses it to find the start of a trip.
  case pastMotion([Motion.Change])
  /// The name of the serving cell, which is unique to the cell.
  case cell(String)
  /// The current state of the battery.
  case battery(LocationManager.BatteryStatus)
  /// The current state of the app: whether it is in the foreground, whether the system's low-power mode is on, and whether the system may
  /// launch it in the background.
  case app(isInForeground: Bool, isLowPowerMode: Bool, mayRefresh: Bool)
  /// The events that can wake the app from now on.
  case wakeSources(WakeSources)
  /// A failure.
  case failure(ProviderFailure)
  /// The timer has fired.
  case timer
  /// Another manager has taken over the provider. The new manager sends this report to the old one; providers never send it. The old
  /// manager turns its hardware off and ignores all further commands.
  case replaced
}

/// A failure of a provider.
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
  /// There is no fix at present. The receiver keeps searching.
  case locationUnknown
  /// The app has no permission.
  case accessDenied
  /// The system is about to suspend the app. An acquisition ends now, with the best fix so far if that is acceptable. Consumers of
  /// every location keep the receiver on, and receive nothing until the app runs again.
  case backgroundTimeExpired
  /// Any other failure, described for a log. The description contains no location.
  case other(String)
}

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

extension LocationManager {
  /// The state of the device's battery.
  ///
  /// ```swift
  /// func locationManagerDidChangeCircumstances(_ manager: LocationManager) {
  ///   let battery = manager.circumstances.battery
  ///   percent = battery?.level.map { Int(($0 * 100).rounded()) }
  ///   isPlugged = battery?.state == .charging || battery?.state == .full
  /// }
  /// ```
  public struct BatteryStatus: Hashable, Codable, Sendable {
    /// Whether the battery is in use, charging or full.
    public enum State: String, CaseIterable, Codable, Hashable, Sendable {
      /// The battery powers the device.
      case unplugged
      /// The battery is charging, or a Mac or a Linux machine is plugged in.
      case charging
      /// The battery is full and the device is plugged in, or a Linux machine has no battery.
      case full
    }

    /// The level, 0…1; `nil` if unknown.
    public let level: Double?
    /// The state; `nil` if unknown.
    public let state: State?

    /// Creates a status. A level outside 0…1 becomes `nil`.
    public init(level: Double?, state: State?) {
      self.level = level.flatMap { (0...1).contains($0) ? $0 : nil }
      self.state = state
    }
  }
}

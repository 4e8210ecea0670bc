extension LocationManager {
  /// The reasons why an app may receive fewer locations than it expects, or none.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
  ///   warning = health.problems.first?.advice
  /// }
  /// ```
  ///
  /// The manager notifies its listeners of a problem at the next event that shows the problem, such as a location or a report of motion.
  /// While the app is suspended nothing runs, so read the health whenever the app is opened.
  public struct Health: Hashable, Sendable {
    /// A reason.
    public enum Problem: String, CaseIterable, Codable, Hashable, Sendable {
      /// The permission is refused or restricted, or was withdrawn in the settings, possibly before this launch.
      case permission
      /// The user has reduced the accuracy, and neither the policy nor a consumer uses such a fix: see
      /// ``AcquisitionPolicy/acceptsReducedAccuracy``. The problem ends with the next location, or when the system reports the permission
      /// again, which then starts an acquisition.
      case reducedAccuracy
      /// The permission is *Always*, and *Background App Refresh* is off, though the low-power mode isn't on: the system doesn't launch the
      /// app in the background.
      case backgroundRefresh
      /// Twice, a location was kilometres outside the watched region without a report of an exit.
      case regions
      /// There was no location for a day, although motion was reported.
      case noLocation
      /// The last location of the previous launch is more than a day older than the first one of this launch, and kilometres away: the
      /// system didn't launch the app in between. The user may have closed the app in the app switcher. On iOS with *Always* only: no other
      /// system launches apps that were closed.
      case notRelaunched
      /// The system's low-power mode is on. The system then delays what apps do in the background.
      case lowPowerMode

      /// A sentence for the user, in English.
      public var advice: String {
        switch self {
        case .permission: "Allow locations for this app in the settings, and turn on Location Services."
        case .reducedAccuracy: "Turn on the precise location for this app in the settings."
        case .backgroundRefresh: "Turn on Background App Refresh for this app in the settings."
        case .regions: "The system doesn't report departures: restart the device."
        case .noLocation:
          "There was no location for a day: check that location services are on, and go outside for a moment."
        case .notRelaunched: "Don't close this app in the app switcher: the system then doesn't launch it again."
        case .lowPowerMode: "Locations are rare while the low-power mode is on."
        }
      }
    }

    /// The problems, the most serious first. Empty if nothing is known to be wrong.
    public let problems: [Problem]
  }
}

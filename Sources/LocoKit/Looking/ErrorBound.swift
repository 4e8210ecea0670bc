public import LocoFoundation

extension LocationManager {
  /// The reason for a location: the event that turned the GPS on, or the source of a location that was found without it.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didUpdate location: Location) {
  ///   switch manager.circumstances.cause {
  ///   case .tracking, .command: wanted += 1
  ///   case .bound, .retry, .rest, .motion, .cell, .regionExit, .visit: looks += 1
  ///   case .significantChange, .keptRunning, nil: others += 1
  ///   }
  /// }
  /// ```
  public enum Cause: String, CaseIterable, Codable, Hashable, Sendable {
    /// The app asked for the permission, which was granted, resumed, or asked for one location.
    case command
    /// A consumer tracks: the app, a trip recorder or a ``PowerController``.
    case tracking
    /// The device has moved to another cell.
    case significantChange
    /// The location is a coarse one of the updates that keep the app running.
    case keptRunning
    // The causes of a look, if an error bound is set.
    /// The error of the last location may soon exceed the bound.
    case bound
    /// The device was at rest and has been moving for some time.
    case motion
    /// The wait after a failed look is over.
    case retry
    /// The device has moved to a cell where it hasn't been since the last fix.
    case cell
    /// The device has left the region around the last fix.
    case regionExit
    /// The device has left a place where it had stayed.
    case visit
    /// The device is at rest, and the last location isn't accurate enough to be kept for hours.
    case rest
  }

  /// The location whose error an error bound limits.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  ///
  /// On recorded drives, ``estimate`` needs about two thirds to three quarters of the GPS time: see *Choosing a bound*. It is meant for
  /// platforms without coarse fixes, such as a receiver behind gpsd, and for apps that show ``LocationManager/estimate``: 95 % of the last
  /// location's errors are then under 1.4 times the bound.
  public enum BoundTarget: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last location.
    case lastLocation
    /// The estimate of where the device is now. Below 300 m the bound applies to the last location, because the estimate is hardly better
    /// then.
    case estimate
  }

  /// The estimated position of a device, which continues in the direction of the last fix while that is likely.
  ///
  /// ```swift
  /// if let estimate = manager.estimate {
  ///   marker.move(to: estimate.latitude, estimate.longitude, radius: estimate.accuracy)
  /// } else if let location = manager.location {
  ///   marker.move(to: location.latitude, location.longitude, radius: location.horizontalAccuracy)
  /// }
  /// ```
  public struct Estimate: Hashable, Sendable {
    /// Degrees north of the equator, −90…90, WGS 84.
    public let latitude: Double
    /// Degrees east of the prime meridian, −180…180, WGS 84.
    public let longitude: Double
    /// The estimated error in metres: the accuracy of the last fix, plus the uncertainty of the movement since then.
    public let accuracy: Double
    /// The time of the estimate.
    public let date: Date
  }
}

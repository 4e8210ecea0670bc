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
    /// The app resumed, forced an acquisition or requested one location, or the permission that it asked for was granted.
    case command
    /// A consumer tracks or has just stopped tracking: the app, a trip recorder or a ``PowerController``.
    case tracking
    /// The device has moved to another cell.
    case significantChange
    /// The location is a coarse fix of the updates that keep the app running.
    case keptRunning
    // The causes of a look, if an error bound is set.
    /// The error may soon exceed the bound, the device has moved for several minutes, a device without a motion sensor has rested for some
    /// time, or there is no fix yet.
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
    /// The device is at rest, and the last location is from before its arrival or isn't accurate enough to be kept for hours.
    case rest
  }

  /// The location that an error bound limits.
  ///
  /// ```swift
  /// manager.boundTarget = .estimate  // and show manager.estimate, not the last location
  /// manager.errorBound = 500
  /// ```
  ///
  /// On recorded drives with gpsd, a bound on the estimate needs about four fifths of the GPS time of a bound on the last location: see
  /// *Choosing a bound*. Choose ``estimate`` on platforms without coarse fixes, such as with gpsd, and in apps that show
  /// ``LocationManager/estimate``. The error of the last location may then exceed the bound.
  public enum BoundTarget: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last location.
    case lastLocation
    /// The estimate of the current position. A bound below 300 m applies to the last location, because the estimate is hardly better then.
    case estimate
  }

  /// The estimated position of a device: the last fix, moved ahead while the device probably keeps its course.
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

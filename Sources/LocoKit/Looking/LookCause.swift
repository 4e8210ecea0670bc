extension LocationManager {
  /// Why the GPS is turned on for a look, where an error bound is set.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause) {
  ///   switch cause {
  ///   case .bound, .retry, .rest: timedLooks += 1
  ///   case .motion, .cell, .regionExit, .visit: wakes += 1
  ///   }
  /// }
  /// ```
  public enum LookCause: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last location may be nearly as far off as the bound allows.
    case bound
    /// The device was at rest and has been moving for some time.
    case motion
    /// The last look found nothing, and the wait after it is over.
    case retry
    /// The device has moved to a cell that it was not in since the last fix.
    case cell
    /// The device has left the region round the last fix.
    case regionExit
    /// The device has left a place where it had stayed.
    case visit
    /// The device now rests, and the last location is not accurate enough for hours.
    case rest
  }
}

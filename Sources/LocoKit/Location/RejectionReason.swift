/// Why a fix was not used.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
///   rejections[reason, default: 0] += 1
///   if reason == .futureDated { warning = "Is this device's clock right?" }
/// }
/// ```
public enum RejectionReason: String, CaseIterable, Codable, Hashable, Sendable {
  /// The horizontal accuracy is negative or not a number: the receiver itself calls the coordinate invalid.
  case invalidAccuracy
  /// The coordinate is not a number, or not on Earth.
  case invalidCoordinate
  /// The fix is older than the policy allows.
  case stale
  /// The fix is dated after now: one of two clocks is wrong.
  case futureDated
  /// The fix is from before the significant change that began the acquisition.
  case beforeTrigger
  /// The fix is older than the candidate, or than the last location delivered.
  case outOfOrder
  /// The fix lies farther from the last fix used, or the last location, than anything moves in the time between them: at
  /// ``Acquisition/maximumSpeed``, and both accuracies allowed for twice.
  ///
  /// If the next fix agrees with it, that one is used, for then it was the last location that was wrong.
  case implausibleSpeed
  /// A more accurate fix is at hand.
  case worseThanCandidate
  /// A coarse fix that says less of where the device is than the last location does.
  case tooCoarse
  /// The same fix was judged before.
  case duplicate
  /// No acquisition is running: the fix came late, or the receiver sent one unasked.
  case notListening
}

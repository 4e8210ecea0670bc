/// The reason for not using a fix.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
///   rejections[reason, default: 0] += 1
///   if reason == .futureDated { warning = "Is this device's clock right?" }
/// }
/// ```
public enum RejectionReason: String, CaseIterable, Codable, Hashable, Sendable {
  /// The horizontal accuracy is negative or not a number: the receiver marks the coordinate as invalid.
  case invalidAccuracy
  /// The coordinate is not a number, or not on Earth.
  case invalidCoordinate
  /// The fix is older than the policy allows.
  case stale
  /// The timestamp is in the future: the receiver's clock or the device's is wrong.
  case futureDated
  /// The fix is older than the significant change that started the acquisition.
  case beforeTrigger
  /// The fix is older than the candidate, or than the last location.
  case outOfOrder
  /// The fix is too far from the last fix that was used, or from the last location, for the time between them: at more than
  /// 400 m/s, after twice both accuracies are subtracted from the distance.
  ///
  /// If the next fix agrees with it, that one is used, because then the last location was wrong.
  case implausibleSpeed
  /// The candidate is more accurate.
  case worseThanCandidate
  /// The last location says more about where the device is than this coarse fix.
  case tooCoarse
  /// The fix was judged before.
  case duplicate
  /// No acquisition is running: the fix is late, or the receiver sent it without a request.
  case notListening
}

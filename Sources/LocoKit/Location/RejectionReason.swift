/// The reason for not using a fix.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
///   rejections[reason, default: 0] += 1
///   if reason == .futureDated { warning = "Is this device's clock right?" }
/// }
/// ```
public enum RejectionReason: String, CaseIterable, Codable, Hashable, Sendable {
  /// The horizontal accuracy is negative or not finite. A receiver marks an invalid coordinate with a negative accuracy.
  case invalidAccuracy
  /// The coordinate isn't a number, or isn't on Earth; or it is exactly 0°, 0°, where receivers are before their first fix, and the last
  /// location is more than 100 km away or unknown.
  case invalidCoordinate
  /// Software or dead reckoning has produced the fix, and the policy refuses such fixes: see
  /// ``AcquisitionPolicy/acceptsUnmeasuredLocations``.
  case unmeasured
  /// The fix is older than the policy allows.
  case stale
  /// The timestamp is in the future: the receiver's clock or the device's is wrong.
  case futureDated
  /// The fix is older than the significant change that started the acquisition.
  case beforeTrigger
  /// The fix is older than the best fix so far, or than the last location.
  case outOfOrder
  /// The device would have moved from the best fix so far, or from the last location if that is newer, to this fix at more than 400 m/s.
  /// Twice the sum of the accuracies is first subtracted from the distance.
  ///
  /// If the next fix agrees with this one, the next one is used, because the location before both was probably wrong.
  case implausibleSpeed
  /// This coarse fix isn't accurate enough for the error bound, or the last location locates the device better.
  case tooCoarse
  /// The receiver has repeated a fix: it equals the best fix so far, or has the time of the last location.
  case duplicate
  /// No acquisition is running: the fix is late, or the receiver sent it without a request.
  case notListening

  /// Whether the next fix may confirm the place of this one, which is then used.
  var mayBeConfirmed: Bool {
    switch self {
    case .implausibleSpeed: true
    case .invalidAccuracy, .invalidCoordinate, .unmeasured, .stale, .futureDated, .beforeTrigger, .outOfOrder,
      .tooCoarse,
      .duplicate, .notListening:
      false
    }
  }

  /// Whether the accuracy of the fix is that of the receiver's current signal. A fix with a wrong time or place, a repeated or estimated
  /// fix, or one that the manager didn't request doesn't show the signal.
  package var showsSignal: Bool {
    switch self {
    case .invalidAccuracy, .implausibleSpeed, .tooCoarse: true
    case .invalidCoordinate, .unmeasured, .stale, .futureDated, .beforeTrigger, .outOfOrder, .duplicate, .notListening:
      false
    }
  }

  /// The reason in a few words, in English.
  package var words: String {
    switch self {
    case .invalidAccuracy: "invalid accuracy"
    case .invalidCoordinate: "invalid coordinate"
    case .unmeasured: "not measured"
    case .stale: "stale"
    case .futureDated: "in the future"
    case .beforeTrigger: "before the trigger"
    case .outOfOrder: "out of order"
    case .implausibleSpeed: "implausible speed"
    case .tooCoarse: "too coarse"
    case .duplicate: "duplicate"
    case .notListening: "not requested"
    }
  }
}

import LocoKit

/// A listener that counts a manager's events.
final class EventCounts: LocationManagerListener {
  static let causes = LookCause.allCases.filter { $0 != .tracking }

  private(set) var acquisitions = Summary.Acquisitions()
  private(set) var locations = 0
  private(set) var wakes = 0
  /// The starts of the GPS, by cause, except starts for tracking. The causes in ``causes`` are included even if their count is 0.
  private(set) var looks = Dictionary(uniqueKeysWithValues: causes.map { ($0.name, 0) })
  private(set) var rejections: [String: Int] = [:]

  /// The manager's error bound, in metres. Looks stop at a third of the bound.
  var bound: Double?
  private let provider: any LocationProvider

  init(_ provider: any LocationProvider, bound: Double?) { (self.provider, self.bound) = (provider, bound) }

  private var desiredAccuracy: Double {
    bound.map { LookSettings.desiredAccuracy(within: $0) } ?? provider.recommendedPolicy.desiredAccuracy
  }

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    if let cause = transition.cause, looks[cause.name] != nil { looks[cause.name, default: 0] += 1 }
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    locations += 1
    if location.horizontalAccuracy <= desiredAccuracy { acquisitions.met += 1 } else { acquisitions.timedOut += 1 }
  }

  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    acquisitions.failed += 1
  }

  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
    rejections[reason.rawValue, default: 0] += 1
  }

  func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) { wakes += 1 }

  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
    looks[cause.rawValue, default: 0] += 1
  }
}

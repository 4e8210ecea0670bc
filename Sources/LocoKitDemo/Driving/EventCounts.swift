import LocoKit

/// A listener that counts a manager's events.
final class EventCounts: LocationManagerListener {
  static let causes = LookCause.allCases.filter { $0 != .tracking }

  private(set) var acquisitions = Summary.Acquisitions()
  private(set) var locations = 0
  /// The starts of the GPS, by cause, except starts for tracking. The causes in ``causes`` are included even if their count is 0.
  private(set) var looks = Dictionary(uniqueKeysWithValues: causes.map { ($0.name, 0) })
  private(set) var rejections: [String: Int] = [:]

  /// The desired accuracy of the last acquisition, in metres.
  private var desiredAccuracy = 0.0
  /// Whether an acquisition has found a location that the manager hasn't delivered yet.
  private var awaitsResult = false

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    if let cause = transition.cause, looks[cause.name] != nil { looks[cause.name, default: 0] += 1 }
    awaitsResult = transition.event == .acquired
    noteAccuracy(of: manager)
  }

  /// Stores the desired accuracy, which is that of the next look if the GPS stays on for it.
  private func noteAccuracy(of manager: LocationManager) {
    if let accuracy = manager.desiredAccuracy { desiredAccuracy = accuracy }
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    locations += 1
    noteAccuracy(of: manager)
    // Coarse fixes, and fixes after which the GPS stays on, end no acquisition.
    guard awaitsResult else { return }
    awaitsResult = false
    if location.horizontalAccuracy <= desiredAccuracy { acquisitions.met += 1 } else { acquisitions.timedOut += 1 }
  }

  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    acquisitions.failed += 1
  }

  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
    rejections[reason.rawValue, default: 0] += 1
  }

  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
    looks[cause.rawValue, default: 0] += 1
  }
}

@_exported public import Foundation

/// A stay in one place: see `CLVisit.h`.
public final class CLVisit: NSObject, Sendable {
  public let arrivalDate: Date
  /// The departure; `Date.distantFuture` until the visit has ended.
  public let departureDate: Date
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy

  // For tests. The framework has no public initializer.
  public init(
    arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D, horizontalAccuracy: CLLocationAccuracy
  ) {
    (self.arrivalDate, self.departureDate) = (arrivalDate, departureDate)
    (self.coordinate, self.horizontalAccuracy) = (coordinate, horizontalAccuracy)
  }
}

// MARK: - The visits of a device

extension StandInDevice {
  func startVisits() {
    if !isMonitoringVisits { switches.append("+visits") }
    (isMonitoringVisits, launchesForVisits) = (true, true)
  }

  func stopVisits() {
    if isMonitoringVisits { switches.append("-visits") }
    (isMonitoringVisits, launchesForVisits) = (false, false)
    // The system drops the visits that it hasn't delivered.
    untoldVisits = []
  }

  /// Reports the visits that launched the app, unless it has stopped monitoring visits in the meantime. Called when a manager gets a
  /// delegate.
  func tellUntoldVisits() {
    schedule(after: 0.02) { [weak self] in
      guard let self else { return }
      let visits = untoldVisits
      untoldVisits = []
      for visit in visits { tellAll { $0.locationManager($1, didVisit: visit) } }
    }
  }

  /// With Always, reports a visit to all managers of an app that monitors visits. The visit wakes a suspended app, and launches an app that
  /// ended while it monitored visits.
  public func notify(_ visit: CLVisit) {
    if isOver {
      guard launchesForVisits, status == .authorizedAlways else { return }
      launchReason = "location"
      untoldVisits.append(visit)
    } else if mayUseAlways, isMonitoringVisits {
      wake()
      tellAll { $0.locationManager($1, didVisit: visit) }
    }
  }

  /// Reports a visit that ended `delay` seconds ago.
  public func depart(reportedAfter delay: TimeInterval = 0) {
    let place = place?.coordinate ?? CLLocationCoordinate2D(latitude: 34, longitude: -118)
    notify(
      CLVisit(
        arrivalDate: date - 3_600, departureDate: date - delay, coordinate: place, horizontalAccuracy: 50))
  }
}

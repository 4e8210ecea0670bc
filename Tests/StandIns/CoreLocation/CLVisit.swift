public import Foundation

/// A stay in one place: see `CLVisit.h`.
public final class CLVisit: NSObject, Sendable {
  public let arrivalDate: Date
  /// In the distant future until the visit has ended.
  public let departureDate: Date
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy

  // For tests: only the framework makes visits.
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
  }

  /// Reports a visit to all managers of an app that monitors visits. It wakes a suspended app, and launches one that was ended.
  public func tell(_ visit: CLVisit) {
    if isOver {
      guard launchesForVisits, status == .authorizedAlways else { return }
      launchReason = "location"
    } else if mayUseAlways, isMonitoringVisits {
      wake()
      tellAll { $0.locationManager($1, didVisit: visit) }
    }
  }

  /// Makes a visit whose departure is reported after `delay` seconds.
  public func depart(reportedAfter delay: TimeInterval = 0) {
    let place = place?.coordinate ?? CLLocationCoordinate2D(latitude: 34, longitude: -118)
    tell(
      CLVisit(
        arrivalDate: date - 3_600, departureDate: date - delay, coordinate: place, horizontalAccuracy: 50))
  }
}

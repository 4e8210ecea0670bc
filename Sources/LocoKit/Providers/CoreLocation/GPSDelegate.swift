#if canImport(CoreLocation)
  import CoreLocation
  import LocoFoundation

  /// Receives what Core Location reports of the GPS.
  final class GPSDelegate: NSObject, CLLocationManagerDelegate {
    var onInput: ((CoreLocationCore.Input) -> Void)?

    /// Receives fixes of the GPS, including late ones after the GPS was turned off.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      onInput?(.fixes(locations.map(Location.init)))
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      if let input = CoreLocationCore.Input(error) { onInput?(input) }
    }

    /// Receives the permission and the accuracy, when the manager is created and whenever they change.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      onInput?(
        .authorization(
          Authorization(manager.authorizationStatus),
          isAccuracyReduced: manager.accuracyAuthorization == .reducedAccuracy
        ))
    }

    #if !os(tvOS) && !os(watchOS)
      /// Handles a pause of the updates, which Core Location starts but never ends.
      func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { onInput?(.updatesPaused) }
    #endif
  }
#endif

#if canImport(CoreLocation) && (os(iOS) || LOCOKIT_STAND_INS)
  import CoreLocation
  import Foundation

  /// Keeps an app running in the background by coarse location updates, which it ignores.
  final class AppKeeper: NSObject {
    private let keeper: CLLocationManager

    /// - Parameter showsIndicator: Whether the status bar says that the app uses the location.
    init(_ manager: CLLocationManager, showsIndicator: Bool) {
      keeper = manager
      super.init()
      // From iOS 16.4 on, updates without an indicator keep an app running only at 100 m or better and without a filter.
      keeper.desiredAccuracy = showsIndicator ? kCLLocationAccuracyThreeKilometers : kCLLocationAccuracyHundredMeters
      keeper.distanceFilter = kCLDistanceFilterNone
      keeper.pausesLocationUpdatesAutomatically = false
      keeper.allowsBackgroundLocationUpdates = true
      #if os(iOS)
        keeper.showsBackgroundLocationIndicator = showsIndicator
      #endif
      keeper.delegate = self
    }

    func start() { keeper.startUpdatingLocation() }
    func stop() { keeper.stopUpdatingLocation() }
  }

  extension AppKeeper: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  }
#endif

#if canImport(CoreLocation) && (os(iOS) || LOCOKIT_STAND_INS)
  import CoreLocation
  import LocoFoundation

  /// Keeps an app running in the background with coarse updates of a separate `CLLocationManager`.
  ///
  /// Errors are ignored: the only one that matters is a denial, and the provider receives changes of the permission itself.
  final class AppKeeper: NSObject {
    var onInput: ((CoreLocationCore.Input) -> Void)?

    private let keeper: CLLocationManager

    init(_ manager: CLLocationManager, _ configuration: CoreLocationProvider.Configuration) {
      keeper = manager
      super.init()
      keeper.distanceFilter = kCLDistanceFilterNone
      keeper.pausesLocationUpdatesAutomatically = false
      keeper.allowsBackgroundLocationUpdates = true
      keeper.showsBackgroundLocationIndicator = configuration.showsBackgroundIndicator
      keeper.delegate = self
    }

    func setAccuracy(_ accuracy: Double) { keeper.desiredAccuracy = accuracy }
    func start() { keeper.startUpdatingLocation() }
    func stop() { keeper.stopUpdatingLocation() }
  }

  extension AppKeeper: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      onInput?(.coarseFixes(locations.map(Location.init)))
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  }
#endif

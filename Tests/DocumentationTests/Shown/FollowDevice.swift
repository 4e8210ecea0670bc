#if canImport(CoreLocation)
  import LocoKit

  @MainActor
  func followDevice() async {
    let manager = LocationManager(provider: CoreLocationProvider(), store: LastLocationStore.standard)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    for await location in manager.updates {
      print("at \(location.latitude), \(location.longitude), give or take \(location.horizontalAccuracy) m")
    }
  }

  @MainActor
  func makeBackgroundProvider() -> CoreLocationProvider {
    var configuration = CoreLocationProvider.Configuration()
    configuration.permission = .always
    configuration.allowsBackgroundUpdates = true
    return CoreLocationProvider(configuration: configuration)
  }
#endif

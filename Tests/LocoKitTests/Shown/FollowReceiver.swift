#if os(Linux) || os(macOS)
  import LocoKit

  @MainActor
  func followReceiver() async {
    let gpsd = GPSDProvider()
    let manager = LocationManager(provider: gpsd)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    let serving = Task { try await gpsd.run() }
    for await location in manager.updates {
      print("at \(location.latitude), \(location.longitude), give or take \(location.horizontalAccuracy) m")
    }
    serving.cancel()
  }
#endif

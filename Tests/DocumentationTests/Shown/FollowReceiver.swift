#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitGPSD

  @MainActor
  func followReceiver() async {
    let gpsd = GPSDProvider()
    let serving = Task { try await gpsd.run() }
    defer { serving.cancel() }
    let manager = LocationManager(provider: gpsd)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    for await location in manager.updates {
      print("at \(location.latitude), \(location.longitude), give or take \(location.horizontalAccuracy) m")
    }
  }
#endif

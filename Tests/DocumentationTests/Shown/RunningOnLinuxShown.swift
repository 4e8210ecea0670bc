#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD

  /// Prints each location as a line of JSON, until the task is cancelled.
  @MainActor func printLocations() async throws {
    let gpsd = GPSDProvider(host: "localhost", port: 2947)
    let manager = LocationManager(provider: gpsd, store: LastLocationStore.standard)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let token = manager.listeners.add(onUpdate: { location in
      guard let line = try? encoder.encode(location) else { return }
      print(String(decoding: line, as: UTF8.self))
    })
    defer { manager.listeners.remove(token) }
    manager.errorBound = 500
    // A store that can't be read pauses the manager.
    manager.resume()
    manager.tryPromptAuthorization()
    try await gpsd.run()
  }
#endif

import Foundation
import LocoKit

@main
@MainActor
final class Daemon: @MainActor LocationManagerListener {
  private let encoder = JSONEncoder()

  static func main() async {
    let daemon = Daemon()
    let environment = ProcessInfo.processInfo.environment
    guard let port = Int(environment["GPSD_PORT"] ?? "2947"), (1...65_535).contains(port) else {
      say("GPSD_PORT is a number from 1 to 65535")
      exit(64)
    }
    let provider = GPSDProvider(
      host: environment["GPSD_HOST"] ?? "localhost", port: port, controlSocket: environment["GPSD_CONTROL_SOCKET"])
    let manager = LocationManager(provider: provider, store: LastLocationStore.standard)
    manager.listeners.add(daemon)
    provider.log = say
    manager.tryPromptAuthorization()
    let running = Task { try await provider.run() }
    let terminations = Termination { running.cancel() }
    _ = await running.result
    terminations.end()
  }

  private init() { encoder.dateEncodingStrategy = .iso8601 }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    guard let line = try? encoder.encode(location) else { return }
    try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
  }

  /// A full device or a reader that is gone ends nothing.
  private static func say(_ words: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
  }
}

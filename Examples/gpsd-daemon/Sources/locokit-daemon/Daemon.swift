import Foundation
import LocoKit

@main
@MainActor
final class Daemon: @MainActor LocationManagerListener {
  private let encoder = JSONEncoder()

  static func main() async {
    let daemon = Daemon()
    let environment = ProcessInfo.processInfo.environment
    let provider = GPSDProvider(
      host: environment["GPSD_HOST"] ?? "localhost", port: environment["GPSD_PORT"].flatMap(Int.init) ?? 2947,
      controlSocket: environment["GPSD_CONTROL_SOCKET"])
    let manager = LocationManager(provider: provider, store: LastLocationStore.standard)
    manager.listeners.add(daemon)
    provider.log = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
    manager.tryPromptAuthorization()
    let running = Task { try await provider.run() }
    let terminations = Termination { running.cancel() }
    _ = await running.result
    terminations.end()
  }

  private init() { encoder.dateEncodingStrategy = .iso8601 }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    guard let line = try? encoder.encode(location) else { return }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
  }
}

import Foundation
import LocoKit
import LocoKitGPSD
import LocoKitJournal

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
    let bound = environment["ERROR_BOUND"].map { Double($0) ?? .nan }
    if let bound, !(bound >= 100 && bound.isFinite) {
      say("ERROR_BOUND is a number of metres, 100 or more")
      exit(64)
    }
    let gpsd = GPSDProvider(
      host: environment["GPSD_HOST"] ?? "localhost", port: port, controlSocket: environment["GPSD_CONTROL_SOCKET"])
    gpsd.log = say
    let journal = environment["JOURNAL"].flatMap { $0.isEmpty ? nil : Journal(folder: URL(filePath: $0)) }
    let provider: any LocationProvider = journal.map { RecordingProvider(gpsd, to: $0) } ?? gpsd
    let manager = LocationManager(provider: provider, store: LastLocationStore.standard)
    manager.listeners.add(daemon)
    manager.errorBound = bound
    // This daemon never pauses, so a paused manager means that the store couldn't be read.
    manager.resume()
    manager.tryPromptAuthorization()
    let running = Task { try await gpsd.run() }
    let terminations = Termination { running.cancel() }
    _ = await running.result
    terminations.end()
    LastLocationStore.standard.synchronize()
    journal?.synchronize()
  }

  private let locations = LocationOutput(ProcessInfo.processInfo.environment["LOCATION_FILE"])
  private var lastFailure = ""

  private init() {
    // A write to a closed pipe returns an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    encoder.dateEncodingStrategy = .iso8601
    do {
      try locations.write(Data())
    } catch {
      Self.say("LOCATION_FILE: \(error)")
      exit(73)
    }
  }

  /// Writes a location. A failure, such as a full device or a closed pipe, is logged once while it lasts, and doesn't end the daemon.
  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    guard let line = try? encoder.encode(location) else { return }
    var failure = ""
    do { try locations.write(line + Data("\n".utf8)) } catch { failure = "\(error)" }
    if !failure.isEmpty, failure != lastFailure { Self.say("locations are lost: \(failure)") }
    lastFailure = failure
  }

  /// Writes a line to standard error. A closed standard error is ignored.
  private static func say(_ words: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(words)\n".utf8))
  }
}

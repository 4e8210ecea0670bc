import Foundation
import LocoKit
import LocoKitJournal
import Testing

// HealthPermission.jsonl shows that the manager's health has the problem 'permission'.
// All its places are moved and turned together, and inputs that the symptom doesn't need are left out.
@Suite("HealthPermission")
struct HealthPermissionTests {
  /// The test measures nothing before this uptime: the journal lacks inputs there, so every manager would show the symptom.
  static let beginning = Duration.milliseconds(0)

  @Test("The manager's health doesn't have the problem 'permission'")
  func isGone() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "HealthPermission.jsonl")
    let largest = try Self.measured(in: file)
    #expect(largest <= 0, "the health had the problem 'permission'")
  }

  /// Returns the number of health reports with the problem.
  static func measured(in file: URL) throws -> Double {
    // The empty alternative fires the manager's own timers. A repaired manager may set others than were recorded.
    let player = try JournalProvider(contentsOf: file, instead: .init())
    let manager = LocationManager(provider: player, store: player.store)
    let watch = Watch()
    manager.listeners.add(watch)
    watch.isCounting = { [unowned player] in player.uptime >= beginning }
    try player.run()
    watch.isCounting = { false }
    withExtendedLifetime(manager) {}
    return watch.count
  }
}

/// Counts the health reports with the problem.
private final class Watch: LocationManagerListener {
  var count = 0.0
  var isCounting = { false }

  func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
    if isCounting(), health.problems.contains(.permission) { count += 1 }
  }
}

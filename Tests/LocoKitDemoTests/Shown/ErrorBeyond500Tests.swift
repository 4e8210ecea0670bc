import Foundation
import LocoKit
import LocoKitJournal
import Testing

// ErrorBeyond500.jsonl shows that the last location is more than 500 m off.
// All its places are moved and turned together, and inputs that the symptom doesn't need are left out.
@Suite("ErrorBeyond500")
struct ErrorBeyond500Tests {
  /// The test measures nothing before this uptime: the journal lacks inputs there, so every manager would show the symptom.
  static let beginning = Duration.milliseconds(0)

  @Test("The last location is at most 500 m off")
  func isGone() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ErrorBeyond500.jsonl")
    let largest = try Self.measured(in: file)
    #expect(largest <= 500, "the last location was \(largest) m off")
  }

  /// Returns the largest distance from the last location to a later accurate fix, less that fix's accuracy, in metres.
  static func measured(in file: URL) throws -> Double {
    // The empty alternative fires the manager's own timers. A repaired manager may set others than were recorded.
    let player = try JournalProvider(contentsOf: file, instead: .init())
    let manager = LocationManager(provider: player, store: player.store)
    let watch = Watch()
    manager.listeners.add(watch)
    var largest = 0.0
    player.onPlay = { [unowned player] played in
      guard case .report(.fixes(let fixes)) = played, let last = watch.location, player.uptime >= beginning
      else { return }
      for fix in fixes where fix.horizontalAccuracy > 0 && fix.horizontalAccuracy <= 100 {
        guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180 else { continue }
        let time = fix.timestamp.timeIntervalSince(last.timestamp)
        let distance = last.distance(to: fix)
        let isFresh = abs(player.date.timeIntervalSince(fix.timestamp)) <= 10
        // A fix that requires a higher speed is wrong.
        guard isFresh, time > 0, distance <= 400 * time else { continue }
        largest = max(largest, distance - fix.horizontalAccuracy)
      }
    }
    try player.run()
    withExtendedLifetime(manager) {}
    return largest
  }
}

/// The last location that the manager delivered since it was turned on.
private final class Watch: LocationManagerListener {
  var location: Location?

  func locationManager(_ manager: LocationManager, didUpdate location: Location) { self.location = location }

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    if ![.acquiring, .waitingSignificantChange].contains(transition.to) { location = nil }
  }
}

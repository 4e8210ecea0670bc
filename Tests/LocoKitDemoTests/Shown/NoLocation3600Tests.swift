import Foundation
import LocoKit
import LocoKitJournal
import Testing

// NoLocation3600.jsonl shows that no location comes for more than 3600 s.
// All its places are moved and turned together, and inputs that the symptom doesn't need are left out.
@Suite("NoLocation3600")
struct NoLocation3600Tests {
  /// The test measures nothing before this uptime: the journal lacks inputs there, so every manager would show the symptom.
  static let beginning = Duration.milliseconds(0)

  @Test("A location comes within 3600 s")
  func isGone() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "NoLocation3600.jsonl")
    let largest = try Self.measured(in: file)
    #expect(largest <= 3600, "no location came for \(largest) s")
  }

  /// Returns the longest time without a location while the manager looks or waits, in seconds.
  static func measured(in file: URL) throws -> Double {
    // The empty alternative fires the manager's own timers. A repaired manager may set others than were recorded.
    let player = try JournalProvider(contentsOf: file, instead: .init())
    let manager = LocationManager(provider: player, store: player.store)
    let watch = Watch()
    manager.listeners.add(watch)
    (watch.beginning, watch.uptime) = (beginning, { [unowned player] in player.uptime })
    player.onPlay = { _ in watch.measure() }
    try player.run()
    watch.measure()
    withExtendedLifetime(manager) {}
    return watch.longest / .seconds(1)
  }
}

/// Measures the longest time since the last location, or since the manager was turned on.
private final class Watch: LocationManagerListener {
  var (beginning, uptime) = (Duration.zero, { Duration.zero })
  var longest = Duration.zero
  private var began: Duration?

  func measure() { if let began { longest = max(longest, uptime() - max(began, beginning)) } }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    measure()
    began = uptime()
  }

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    measure()
    let isOn = [.acquiring, .waitingSignificantChange].contains(transition.to)
    began = isOn ? began ?? uptime() : nil
  }
}

import Foundation
import LocoKit
import LocoKitJournal
import Testing

// GPSLonger120.jsonl shows that the GPS is on for more than 120 s in one run.
// All its places are moved and turned together, and inputs that the symptom doesn't need are left out.
@Suite("GPSLonger120")
struct GPSLonger120Tests {
  /// The test measures nothing before this uptime: the journal lacks inputs there, so every manager would show the symptom.
  static let beginning = Duration.milliseconds(0)

  @Test("The GPS is on for at most 120 s in one run")
  func isGone() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GPSLonger120.jsonl")
    let largest = try Self.measured(in: file)
    #expect(largest <= 120, "the GPS was on for \(largest) s in one run")
  }

  /// Returns the longest time with the GPS on in one run, in seconds.
  static func measured(in file: URL) throws -> Double {
    // The empty alternative fires the manager's own timers. A repaired manager may set others than were recorded.
    let player = try JournalProvider(contentsOf: file, instead: .init())
    let manager = LocationManager(provider: player, store: player.store)
    var began: Duration?
    var longest = Duration.zero
    let measure = { (now: Duration) in if let began { longest = max(longest, now - max(began, beginning)) } }
    player.onPlay = { [unowned player] _ in measure(player.uptime) }
    player.onMode = { [unowned player] mode in
      measure(player.uptime)
      began = mode == .gps ? began ?? player.uptime : nil
    }
    try player.run()
    measure(player.uptime)
    player.onMode = nil
    withExtendedLifetime(manager) {}
    return longest / .seconds(1)
  }
}

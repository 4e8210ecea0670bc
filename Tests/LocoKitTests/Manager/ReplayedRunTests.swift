import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitJournal
@testable import TestSupport

@Suite("Journals of seeded runs")
struct ReplayedRunTests {
  @Test(
    "Replays of seeded runs have the same transitions, locations, rejections and commands",
    arguments: 0..<10)
  func seeds(part: Int) async {
    await Arena().host { _ in
      await Seeds.play(Seeds.part(part, of: 10, runs: 30)) { await Self.differences($0) }
    }
  }

  private static func differences(_ seed: UInt64) async -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
    let isRemoved = Locked(false)
    defer {
      // The journal writes the manager's release after the folder is removed, and reports that this isn't possible.
      isRemoved.change { $0 = true }
      for suffix in ["", ".secret"] { try? FileManager.default.removeItem(atPath: folder.path + suffix) }
    }
    var configuration = Journal.Configuration()
    configuration.keepsPlaces = seed.isMultiple(of: 2)
    let journal = Journal(folder: folder, configuration: configuration, key: seed) { report in
      if !isRemoved.change({ $0 }) { Issue.record("\(report)") }
    }
    let checker = await InvariantTests.run(seed, journal: journal)
    guard journal.synchronize(within: .seconds(60)) else { return ["writing timed out"] }
    do {
      let player = try JournalProvider(contentsOf: folder)
      let recorder = Recorder()
      var manager = LocationManager(provider: player, store: player.store)
      manager.listeners.add(recorder)
      player.onRelaunch = {
        manager = LocationManager(provider: player, store: player.store)
        manager.listeners.add(recorder)
      }
      try player.run()
      withExtendedLifetime((checker, manager)) {}
      let isLong = player.compared >= 10 && !recorder.calls.isEmpty
      return [player.difference.map { "\($0)" }, isLong ? nil : "too little was replayed"].compactMap(\.self)
    } catch {
      return ["\(error)"]
    }
  }
}

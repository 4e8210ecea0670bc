import Foundation
import LocoKit
import LocoKitJournal
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of journals")
final class JournalExamples {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private var printed: [String] = []

  deinit {
    for url in [folder, URL(filePath: folder.path + ".secret")] { try? FileManager.default.removeItem(at: url) }
  }

  private func print(_ item: Any) { printed.append("\(item)") }

  private func record(_ provider: any LocationProvider) -> (RecordingProvider, LocationManager) {
    // shown: RecordingProvider.swift: let recording
    return (recording, manager)
  }

  private func record(_ provider: any LocationProvider, _ share: ([URL]) -> Void) {
    // shown: Journal.swift: let journal
  }

  @Results
  private func play(_ file: URL) throws -> [String] {
    // shown: JournalProvider.swift: let journal
  }

  /// Drives for ten minutes and returns the journal's file.
  private func drive() throws -> URL {
    let journal = Journal(folder: folder)
    let manager = LocationManager(provider: RecordingProvider(device, to: journal))
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(600))
    #expect(manager.state == .waitingSignificantChange)
    #expect(journal.synchronize(within: .seconds(30)))
    return try #require(journal.files.first)
  }

  @Test("A replay ends in the state that the example's comments show")
  func plays() throws {
    let file = try drive()
    #expect(try play(file) == (try ExamplesTests.stated(by: "JournalProvider")))
  }

  @Test("Only the journal's files are shared")
  func shares() throws {
    var shared: [URL] = []
    record(device) { shared = $0 }
    #expect(shared.map(\.lastPathComponent) == ["journal-000001.jsonl"])
  }

  @Test("A note is written to the journal and replayed")
  func notes() throws {
    let (recording, manager) = record(device)
    #expect(recording.journal.synchronize(within: .seconds(30)))
    var notes: [String] = []
    let player = try JournalProvider(contentsOf: folder)
    player.onPlay = { if case .note(let note) = $0 { notes.append(note) } }
    try player.run()
    #expect(notes == ["the battery is at 83 %"])
    withExtendedLifetime(manager) {}
  }

  private func notify(_ file: URL) {
    // shown: FileFailure.swift: try JournalProvider(
  }

  @Test("A replay's error says that the journal is missing, or names the unreadable line")
  func errors() throws {
    notify(folder)
    #expect(printed == ["There is no journal yet."])
    let file = try drive()
    notify(file)
    #expect(printed.count == 1)
    try Data("no journal\n".utf8).write(to: file)
    notify(file)
    #expect(printed.count == 2 && printed[1].hasPrefix("line 1: "))
  }
}

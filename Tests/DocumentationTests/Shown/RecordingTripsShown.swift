import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import Testing

@testable import TestSupport

// shown: RecordingTrips: final class Logbook

@MainActor
@Suite("Examples of Recording trips")
struct RecordingTripsShown {
  @Test("A logbook keeps the trips of a day, and forgets them")
  func logbook() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "diary-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: .phoneInBackground)
    let last = LastLocationStore(file: folder.appending(path: "last.json"))
    let history = LocationHistory(file: folder.appending(path: "history.jsonl"))
    let manager = LocationManager(provider: device, store: last)
    manager.listeners.add(history)
    let logbook = Logbook(manager, TripRecorder.Store(folder: folder.appending(path: "trips")))
    device.advance(by: .seconds(6_000))
    #expect(try await logbook.trips().count == 1)
    try await logbook.forget(history, last)
    let (trips, batch) = (try await logbook.trips(), try await history.batch(upTo: 1))
    #expect(trips.isEmpty && batch.isEmpty && last.location == nil)
  }
}

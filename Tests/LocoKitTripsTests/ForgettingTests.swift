import Foundation
import LocoKitSimulation
import Testing

@testable import LocoKit
@testable import LocoKitTrips
@testable import TestSupport

/// After the user forgets everything, no file has a place.
@Suite("Forgetting")
struct ForgettingTests {
  /// A device with everything that persists places, in one folder.
  private final class Scene {
    let folder = FileManager.default.temporaryDirectory.appending(path: "forgetting-\(UUID().uuidString)")
    let device = SimulatedProvider(route: .losAngeles, seed: 3, configuration: .phoneInBackground)
    let last: LastLocationStore
    let history: LocationHistory
    let store: TripRecorder.Store
    let manager: LocationManager
    var recorder: TripRecorder?

    init(isAutomatic: Bool) {
      last = LastLocationStore(file: folder.appending(path: "last.json")) { _ in }
      history = LocationHistory(file: folder.appending(path: "history.jsonl")) { _ in }
      store = TripRecorder.Store(folder: folder.appending(path: "trips")) { _ in }
      manager = LocationManager(provider: device, store: last)
      recorder = isAutomatic ? .automatic(manager, store: store) : TripRecorder(manager, store: store)
      manager.listeners.add(history)
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(60))
      recorder?.start()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The files with a latitude or longitude of the route, which is near 34 degrees north, 118 degrees west.
    func filesWithPlaces() throws -> [String] {
      for isWritten in [last.synchronize(), history.synchronize(), store.synchronize()] { #expect(isWritten) }
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
      return paths.sorted().filter { path in
        guard let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else { return false }
        return text.contains(/3[34]\.\d\d|-11[78]\.\d/)
      }
    }

    func forget() async throws {
      manager.pause()
      recorder?.reset()
      last.location = nil
      try await store.removeAll()
      try await history.removeAll()
    }
  }

  enum Moment: CaseIterable { case during, stopped, atRest, withoutRecorder, afterDamage }

  @Test(
    "After a reset and the removal of all trips and locations, no file has a place", arguments: Moment.allCases,
    [true, false])
  func everything(moment: Moment, isAutomatic: Bool) async throws {
    let scene = Scene(isAutomatic: isAutomatic)
    scene.device.advance(by: .seconds(600))
    #expect(try !scene.filesWithPlaces().isEmpty)
    switch moment {
    case .during: break
    case .stopped: scene.recorder?.stop()
    case .atRest:
      scene.device.advance(by: .seconds(6_000))
      scene.recorder?.stop()
    case .withoutRecorder: scene.recorder = nil
    case .afterDamage:
      scene.recorder?.stop()
      _ = try scene.filesWithPlaces()
      for name in ["trips/current.jsonl", "history.jsonl"] {
        let text = try String(contentsOf: scene.folder.appending(path: name), encoding: .utf8)
        try Data("not JSON\n\(text)34.05\n".utf8).write(to: scene.folder.appending(path: name), options: .atomic)
      }
      _ = try? await scene.history.batch(upTo: 1)
      #expect(try scene.filesWithPlaces().contains { $0.hasPrefix("history.jsonl.unreadable") })
      scene.recorder?.start()
    }
    try await scene.forget()
    if moment == .withoutRecorder {
      // Another store, without a recorder, reads the file.
      try await TripRecorder.Store(folder: scene.folder.appending(path: "trips")) { _ in }.removeAll()
    }
    #expect(try scene.filesWithPlaces() == [])
    let (trips, batch) = (try await scene.store.trips(), try await scene.history.batch(upTo: 1))
    #expect(trips.isEmpty && batch.isEmpty)
    // The stores keep later trips and locations as usual.
    scene.manager.resume()
    scene.device.advance(by: .seconds(600))
    scene.recorder?.start()
    scene.device.advance(by: .seconds(600))
    scene.recorder?.stop()
    #expect(try await !scene.history.batch(upTo: 1).entries.isEmpty)
    #expect(try await scene.store.trips().count == (moment == .withoutRecorder ? 0 : 1))
  }

  @Test(
    "Without a pause, a reset of an automatic recorder forgets the trip in memory too, and isn't reported as its end")
  func memory() {
    let scene = Scene(isAutomatic: true)
    scene.device.advance(by: .seconds(600))
    let listener = Listener()
    scene.recorder?.listeners.add(listener)
    #expect(scene.recorder?.trip != nil)
    scene.recorder?.reset()
    #expect(scene.recorder?.trip == nil && scene.recorder?.visit == nil && scene.recorder?.state == .idle)
    #expect(listener.ends == 0 && listener.distance == 0)
  }

  private final class Listener: TripRecorderListener {
    private(set) var ends = 0
    private(set) var distance = -1.0
    func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) { ends += 1 }
    func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) { self.distance = distance }
  }

  @Test("After the removal, a store doesn't write what it couldn't write before")
  func unwritten() async throws {
    let (scene, fails) = (TripStoreTests.Scene(), Locked(false))
    let store = scene.store(flush: { _ in fails.change { $0 } ? -1 : 0 })
    var automatic = AutomaticScene()
    automatic.rest(600)
    #expect(automatic.stored.detector?.place != nil)
    store.save(.whole(automatic.stored))
    #expect(store.synchronize())
    // A folder has the name of the trip's file.
    let trip = TripStoreTests.trip(fixes: 3)
    let file = scene.folder.appending(path: "trip-\(String(repeating: "0", count: 2))\(trip.milliseconds).json")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    fails.change { $0 = true }
    store.save(.ended(trip, automatic.stored))
    #expect(!store.synchronize())
    await #expect(throws: (any Error).self) { try await store.removeAll() }
    #expect(!FileManager.default.fileExists(atPath: scene.current.path(percentEncoded: false)))
    try FileManager.default.removeItem(at: file)
    fails.change { $0 = false }
    #expect(store.synchronize())
    let trips = try await store.trips()
    #expect(trips.isEmpty)
  }

  @Test("A history forgets the locations that it couldn't write")
  func unwrittenHistory() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "forgetting-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder)
    let history = LocationHistory(file: folder.appending(path: "history.jsonl")) { _ in }
    history.append(TripStoreTests.fix(1))
    await #expect(throws: (any Error).self) { try await history.removeAll() }
    try FileManager.default.removeItem(at: folder)
    #expect(history.synchronize())
    let batch = try await history.batch(upTo: 1)
    #expect(batch.isEmpty)
  }

  @Test("A reset forgets the trip that the recorder has resumed")
  func resumed() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 12)
    try scene.relaunch(after: 10)
    #expect(scene.core.resumedTrip != nil)
    scene.take(.command(.reset))
    #expect(scene.core.resumedTrip == nil && scene.core.log.trip == nil && scene.stored.trip == nil)
  }

  @Test("After a removal, a recorder resumes nothing, and its own trip is resumed by the next one")
  func nextRecorder() async throws {
    let scene = TripStoreTests.Scene()
    let first = scene.store()
    first.save(.whole(TripSnapshot(isRecording: true, trip: TripStoreTests.trip(fixes: 5), detector: nil)))
    #expect(first.synchronize())
    let store = scene.store()
    _ = try await store.trips()
    try await store.removeAll()
    #expect(store.load() == nil)
    let trip = TripStoreTests.trip(fixes: 4, from: 200)
    store.save(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    store.save(TripStoreTests.record(204, trip))
    #expect(store.synchronize())
    #expect(scene.store().load()?.trip?.fixes.count == 5)
  }

  @Test("A pause erases the place where the device rested from the trip store")
  func pause() throws {
    let scene = Scene(isAutomatic: true)
    scene.recorder?.stop()
    scene.device.advance(by: .seconds(4_000))
    scene.manager.pause()
    #expect(try !scene.filesWithPlaces().contains("trips/current.jsonl"))
  }

  @Test("A removal of all removes what it can, reports what it can't, and keeps other files")
  func failure() async throws {
    let scene = Scene(isAutomatic: true)
    scene.device.advance(by: .seconds(600))
    scene.recorder?.stop()
    _ = try scene.filesWithPlaces()
    let trips = scene.folder.appending(path: "trips")
    for name in ["notes.txt", "trip-0.json/inside"] {
      let file = trips.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: file)
    }
    scene.recorder?.reset()
    let error = await #expect(throws: (any Error).self) { try await scene.store.removeAll() }
    #expect("\(error, default: "none")".contains("trip-0.json"))
    #expect(try await scene.store.trips().isEmpty)
    #expect(FileManager.default.fileExists(atPath: trips.appending(path: "notes.txt").path(percentEncoded: false)))
  }
}

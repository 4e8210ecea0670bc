import Dispatch
import Foundation

/// Reads the input as the files of a trip store. Checks the trips, writes them and reads them again, and resumes recorders with the stored
/// snapshot.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Data(UnsafeBufferPointer(start: start, count: count))
  empty()
  try? bytes.write(to: folder.appending(path: "current.jsonl"))
  try? bytes.write(to: folder.appending(path: "trip-000000000000000.json"))
  let store = TripRecorder.Store(folder: folder, report: { _ in })
  let snapshot = store.load()
  if let trip = snapshot?.trip { use(trip) }
  for trip in trips(in: store) { use(trip) }
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard var trip = try? JSONDecoder().decode(Trip.self, from: line) else { continue }
    use(trip)
    trip.ended = trip.ended ?? trip.began
    store.save(.ended(trip, .nothing))
    precondition(trips(in: store).contains(trip), "A trip that was written isn't read.")
  }
  if let snapshot { resume(with: snapshot, count) }
  return 0
}

private let folder: URL = {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "fuzz-trips-\(ProcessInfo.processInfo.processIdentifier)")
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}()

private func empty() {
  for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
    try? FileManager.default.removeItem(at: folder.appending(path: name))
  }
}

/// Returns the stored trips. Blocks until the store's queue has read them.
private func trips(in store: TripRecorder.Store) -> [Trip] {
  let (isDone, found) = (DispatchSemaphore(value: 0), Locked<[Trip]>([]))
  Task.detached {
    let trips = (try? await store.trips()) ?? []
    found.change { $0 = trips }
    isDone.signal()
  }
  isDone.wait()
  return found.change { $0 }
}

private func use(_ trip: Trip) {
  precondition(Array(trip.segments.joined()) == trip.fixes, "The segments differ from the fixes.")
  precondition(
    trip.duration >= .zero && trip.distance >= 0 && trip.distance.isFinite, "An invalid duration or distance.")
  precondition(trip.gaps.allSatisfy { $0.duration >= .zero && $0.length.isFinite }, "An invalid gap.")
  precondition(trip.gpx.utf8.count > 100, "The GPX export is too short.")
  precondition(
    (try? JSONSerialization.jsonObject(with: Data(trip.geoJSON.utf8))) != nil, "The GeoJSON export isn't JSON.")
}

/// Resumes a manual and an automatic recorder: at the time of the last fix, a minute later, or years before or after it.
private func resume(with snapshot: TripSnapshot, _ seed: Int) {
  let fixes = snapshot.trip?.fixes ?? [snapshot.detector?.place].compactMap { $0 }
  let begin = fixes.last?.timestamp ?? Date(timeIntervalSinceReferenceDate: 8e8)
  for isAutomatic in [false, true] {
    let date = begin + [0, 60, 3e8, -3e8][seed % 4]
    if Date.distantPast < date, date < .distantFuture - 1e8 {
      let automatic = AutomaticTrips(
        kinds: seed % 2 == 0 ? [.automotive] : [.automotive, .onFoot], minimumStay: .seconds(60))
      var core = isAutomatic ? TripCore(automatic) : TripCore(.init())
      var now = TripCore.Now(uptime: .zero, date: date)
      var actions: [TripCore.Action] = []
      core.handle(.launch(snapshot), at: now, into: &actions)
      while core.settle(at: now, into: &actions) {}
      for step in 0..<20 {
        now.uptime += .seconds(30)
        now.date += 30
        let fix = Location(
          latitude: min(80, fixes.last?.latitude ?? 34) + Double(min(step, 20)) / 100, longitude: -118,
          horizontalAccuracy: 10, timestamp: now.date)
        core.handle(.fix(LocationManager.JudgedFix(fix: fix, verdict: .candidate)), at: now, into: &actions)
        core.handle(.due, at: now, into: &actions)
        while core.settle(at: now, into: &actions) {}
      }
      core.handle(.command(.stop), at: now, into: &actions)
      if let trip = core.trip { use(trip) }
      for case .save(let record) in actions {
        if case .ended(let trip, _) = record {
          precondition(trip.ended.map { $0 >= trip.began } ?? false, "A trip ends before it begins.")
        }
      }
    }
  }
}

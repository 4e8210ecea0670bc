import LocoDurable
import LocoFoundation

/// The changes that a ``TripRecorder/Store`` hasn't written yet.
package struct UnwrittenTrips: UnwrittenChanges {
  let capacity: Int
  /// The contents of the file after all changes. A retry writes the whole snapshot.
  private(set) var snapshot = TripSnapshot.nothing
  /// Whether a recorder of this launch uses the store. Its changes are newer than the file.
  private(set) var isOwned = false
  /// The last ended trip, which may be started again.
  private var lastEnded: (began: Date, ended: Date?)?
  /// The lines to append; `nil` if the whole snapshot replaces the file.
  private var lines: [TripLine]? = []
  private(set) var ended: [Trip] = []

  package struct Work: Sendable {
    let ended: [Trip]
    let whole: TripSnapshot?
    let goesOnAfter: Date?
    let lines: [TripLine]
  }

  init(capacity: Int) { self.capacity = capacity }

  package var isEmpty: Bool { lines?.isEmpty == true && ended.isEmpty }
  var beginnings: [Int64] { (ended + [snapshot.trip].compactMap { $0 }).map(\.milliseconds) }

  /// Takes the contents of the file, and the ended trip that began at the same time, if there is one, unless a recorder owns the contents
  /// since the file was read.
  mutating func read(_ stored: TripSnapshot, goesOnAfter: Date?, _ ended: Trip?) {
    if isOwned { return }
    (snapshot, lastEnded) = (stored, nil)
    guard let trip = stored.trip else { return }
    if let goesOnAfter { lastEnded = (trip.began, goesOnAfter) }
    // The process was killed after the trip had been written as ended, before this file was updated.
    if let ended, ended.ended != goesOnAfter { replace(snapshot.afterEnd(of: ended)) }
  }

  /// Forgets the contents of the file, unless a recorder owns them since the file was read.
  mutating func forget() {
    if !isOwned { (snapshot, lastEnded) = (.nothing, nil) }
  }

  /// Returns the contents of the file to a recorder, which owns them from now on.
  mutating func own() -> TripSnapshot? {
    isOwned = true
    return snapshot == .nothing ? nil : snapshot
  }

  /// Forgets the ended trips that aren't written yet.
  mutating func forgetEnded() { ended = [] }

  /// Forgets an ended trip that isn't written yet.
  mutating func forget(_ trip: Trip) { ended.removeAll { $0.began == trip.began } }

  /// Removes an ended trip that is now written. If the trip was started and ended again since, it stays.
  mutating func written(_ trip: Trip) { ended.removeAll { $0 == trip } }

  mutating func add(_ record: TripRecord) {
    isOwned = true
    switch record {
    case .whole(let snapshot): replace(snapshot)
    case .state(let state):
      snapshot.update(state)
      lines?.append(TripLine(version: TripLine.version, state: state))
    case .fix(let fix):
      snapshot.add(fix)
      lines?.append(TripLine(fix: fix))
    case .standing(let fix):
      snapshot.stand(fix)
      lines?.append(TripLine(standing: fix))
    case .ended(let trip, let snapshot):
      forget(trip)
      ended.append(trip)
      lastEnded = (trip.began, trip.ended)
      replace(snapshot)
    }
  }

  private mutating func replace(_ snapshot: TripSnapshot) {
    (self.snapshot, lines) = (snapshot, nil)
  }

  package mutating func begin() -> Work {
    defer { lines = [] }
    let goesOnAfter = lastEnded.flatMap { $0.began == snapshot.trip?.began ? $0.ended : nil }
    return Work(
      ended: ended, whole: lines == nil ? snapshot : nil, goesOnAfter: goesOnAfter, lines: lines ?? [])
  }

  package mutating func succeed(_: Work) {}

  package mutating func fail(_: Work) {
    ended = ended.suffix(capacity)
    lines = nil
  }
}

import Foundation
import Testing

@testable import LocoDurable
@testable import LocoKit
@testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Trip stores")
struct TripStoreTests {
  /// A temporary folder, and the reports of its stores.
  final class Scene {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trips-\(UUID().uuidString)")
    let problems = Locked<[String]>([])

    deinit {
      _ = chmod(path, 0o700)
      try? FileManager.default.removeItem(at: folder)
    }

    var path: String { folder.path(percentEncoded: false) }
    var current: URL { folder.appending(path: "current.jsonl") }
    var reports: [String] { problems.change { $0 } }

    func store(
      capacity: Int = 100, flush: @escaping @Sendable (Int32) -> Int32 = RecordFile.flushToDevice
    ) -> TripRecorder.Store {
      let problems = problems
      return TripRecorder.Store(
        folder: folder, capacity: capacity, report: { problem in problems.change { $0.append(problem) } },
        flush: flush)
    }
  }

  static func fix(_ number: Int) -> Location {
    Location(
      latitude: 34 + Double(number) / 1_000, longitude: -118, horizontalAccuracy: 8, altitude: 100.5,
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number)))
  }

  static func trip(fixes: Int, from number: Int = 0) -> Trip {
    var trip = Trip(began: fix(number).timestamp)
    for index in 0..<fixes {
      if index == fixes / 2 { trip.endSegment() }
      trip.add(fix(number + index), metres: index == 0 ? 0 : 111.25)
      trip.setDuration(.seconds(index))
    }
    return trip
  }

  static func record(_ number: Int, _ trip: Trip) -> TripRecord {
    .fix(TripRecord.Fix(location: fix(number), distance: trip.distance, seconds: 0, beginsSegment: false))
  }

  @Test("The next launch reads the recorded trip with its fixes, segments and gaps", arguments: [0, 1, 2, 200])
  func roundTrip(_ count: Int) throws {
    let scene = Scene()
    var trip = Trip(began: Self.fix(0).timestamp)
    let store = scene.store()
    #expect(store.load() == nil)
    store.save(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    for number in 0..<count {
      if number == 50 {
        _ = trip.addGap(to: Self.fix(50))
        store.save(.state(TripSnapshot(isRecording: true, trip: trip, detector: nil).withoutFixes))
      }
      let beginsSegment = trip.endsSegment
      trip.add(Self.fix(number), metres: 10.25)
      trip.setDuration(.seconds(number))
      store.save(
        .fix(
          TripRecord.Fix(
            location: Self.fix(number), distance: trip.distance, seconds: Double(number), beginsSegment: beginsSegment
          )))
      if number % 60 == 0 { store.synchronize() }
    }
    #expect(store.synchronize(within: .seconds(60)))
    let loaded = try #require(scene.store().load())
    #expect(loaded.isRecording && loaded.trip?.fixes == trip.fixes && loaded.trip?.segments == trip.segments)
    #expect(loaded.trip?.gaps == trip.gaps && abs((loaded.trip?.distance ?? 0) - trip.distance) < 1e-6)
    #expect(loaded.trip?.duration == trip.duration)
    #expect(scene.reports.isEmpty, "\(scene.reports)")
  }

  @Test("The newest ended trips, up to the capacity, are kept until the app removes them, and returned oldest first")
  func ended() async throws {
    let scene = Scene()
    let store = scene.store(capacity: 3)
    let trips = (0..<5).map { Self.trip(fixes: 10, from: $0 * 100) }
    for trip in trips { store.save(.ended(trip, .nothing)) }
    #expect(try await store.trips() == Array(trips.suffix(3)))
    #expect(scene.reports.count == 2)
    try await store.remove(trips[3])
    try await store.remove(trips[3])
    #expect(try await scene.store().trips() == [trips[2], trips[4]])
    #expect(scene.store().load()?.trip == nil)
  }

  @Test("The ended trips are read without their fixes, and one of them with its fixes")
  func summaries() async throws {
    let scene = Scene()
    let store = scene.store()
    var trips = [0, 1, 10, 3_000].map { Self.trip(fixes: $0, from: $0) }
    // The first line of this trip's file is longer than the part that is read for a trip without its fixes.
    for number in 0..<900 { _ = trips[2].addGap(to: Self.fix(number)) }
    trips[1].kind = .onFoot
    for trip in trips { store.save(.ended(trip, .nothing)) }
    #expect(try await store.trips() == trips)
    let list = try await store.trips(withFixes: false)
    #expect(list == trips.map { $0.withFixes(of: nil) } && list.allSatisfy(\.fixes.isEmpty))
    for trip in trips {
      #expect(try await store.trip(trip.id) == trip)
      #expect(try await store.trip(trip.id + 0.001) == nil)
    }
    #expect(trips[1].kind == list[1].kind && trips[3].distance == list[3].distance)
    // A trip that is recorded again isn't ended.
    store.save(.whole(TripSnapshot(isRecording: true, trip: trips[3], detector: nil)))
    #expect(try await store.trip(trips[3].id) == nil)
    #expect(try await store.trips(withFixes: false) == Array(list.dropLast()))
    #expect(scene.reports.isEmpty, "\(scene.reports)")
  }

  @Test("A trip's file without a summary, or with another trip's, is read whole, and a damaged one is reported")
  func otherSummaries() async throws {
    let scene = Scene()
    let (trip, other) = (Self.trip(fixes: 10, from: 0), Self.trip(fixes: 5, from: 100))
    let store = scene.store()
    for trip in [trip, other] { store.save(.ended(trip, .nothing)) }
    #expect(try await store.trips().count == 2)
    let files = try FileManager.default.contentsOfDirectory(at: scene.folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("trip-") }.sorted { $0.path < $1.path }
    let (whole, wrong) = (try JSONEncoder().encode(trip), try Data(contentsOf: files[1]).prefix { $0 != 10 })
    for text in [whole, wrong + [10] + whole, Data("?\n".utf8) + whole] {
      try text.write(to: files[0])
      #expect(try await store.trips(withFixes: false).first == trip.withFixes(of: nil))
      #expect(try await store.trip(trip.id) == trip)
      #expect(scene.reports.isEmpty, "\(scene.reports)")
    }
    try (try JSONEncoder().encode(trip.withFixes(of: nil)) + [10]).write(to: files[0])
    #expect(try await store.trips().count == 1 && scene.reports.count == 1)
    scene.problems.change { $0 = [] }
    try wrong.write(to: files[0])
    #expect(try await store.trips(withFixes: false).count == 1 && scene.reports.count == 1)
    #expect(try await store.trip(trip.id) == nil && scene.reports.count == 2)
  }

  @Test("A file that is truncated within its last line is read up to that line")
  func torn() throws {
    let scene = Scene()
    let store = scene.store()
    let trip = Self.trip(fixes: 3)
    store.save(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    for number in 3..<5 { store.save(Self.record(number, trip)) }
    #expect(store.synchronize())
    let bytes = try Data(contentsOf: scene.current)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let before = bytes.count - (lines.last?.count ?? 0) - 1
    for length in before..<bytes.count {
      try bytes.prefix(length).write(to: scene.current)
      #expect(scene.store().load()?.trip?.fixes.count == 4, "\(length)")
    }
    #expect(scene.reports.isEmpty)
    // The next launch appends lines after the last complete one.
    let next = scene.store()
    _ = next.load()
    next.save(Self.record(5, trip))
    #expect(next.synchronize())
    #expect(scene.store().load()?.trip?.fixes.map(\.latitude) == [0, 1, 2, 3, 5].map { Self.fix($0).latitude })
  }

  static let damages: [(bytes: String, isKeptAside: Bool)] = [
    ("", false), ("no JSON\n", true), ("{\"version\":2,\"state\":{\"isRecording\":false}}\n", true), ("{}\n", true),
    (String(repeating: "x", count: 100), true),
  ]

  @Test("An unreadable file is renamed and reported unless it's empty; a new one begins", arguments: damages.indices)
  func damaged(_ index: Int) throws {
    let (bytes, isKeptAside) = Self.damages[index]
    let scene = Scene()
    try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
    try Data(bytes.utf8).write(to: scene.current)
    let store = scene.store()
    #expect(store.load() == nil)
    let trip = Self.trip(fixes: 4)
    store.save(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    #expect(store.synchronize())
    #expect(scene.store().load()?.trip?.fixes == trip.fixes)
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.path)
    #expect(names.contains { $0.contains("unreadable") } == isKeptAside && scene.reports.isEmpty != isKeptAside)
  }

  @Test(
    "A trip that can't be read at launch, but can be read later, ends",
    arguments: [
      .whole(TripSnapshot(isRecording: true, trip: trip(fixes: 2, from: 100), detector: nil)),
      .whole(.nothing), .state(.nothing),
    ] as [TripRecord])
  func unreadAtLaunch(record: TripRecord) async throws {
    let scene = Scene()
    let (first, old) = (scene.store(), Self.trip(fixes: 4))
    first.save(.whole(TripSnapshot(isRecording: true, trip: old, detector: nil)))
    #expect(first.synchronize())
    let next = try Self.launchUnread(scene)
    next.save(record)
    #expect(next.synchronize(within: .seconds(10)))
    #expect(try await next.trips().map(\.fixes) == [old.fixes])
    #expect(scene.reports.count == 2 && scene.reports[1].contains("couldn't be read at launch"))
    // Only once: the store now knows its file.
    next.save(.whole(TripSnapshot(isRecording: true, trip: Self.trip(fixes: 3, from: 200), detector: nil)))
    #expect(next.synchronize() && scene.reports.count == 2)
    #expect(scene.store().load()?.trip?.fixes.count == 3)
  }

  /// Lets a new store read the file of the current trip only after its launch.
  private static func launchUnread(_ scene: Scene) throws -> TripRecorder.Store {
    let away = scene.folder.appending(path: "away")
    // A folder in the file's place can't be read as a file.
    try FileManager.default.moveItem(at: scene.current, to: away)
    try FileManager.default.createDirectory(at: scene.current, withIntermediateDirectories: false)
    let store = scene.store()
    #expect(store.load() == nil && scene.reports.count == 1)
    try FileManager.default.removeItem(at: scene.current)
    try FileManager.default.moveItem(at: away, to: scene.current)
    return store
  }

  @Test(
    "A trip that went on after its end, and can't be read at launch, keeps all its fixes",
    arguments: [(true, false, 5), (false, false, 4), (true, true, nil)] as [(Bool, Bool, Int?)])
  func unreadContinuation(goesOn: Bool, isEndedFileDamaged: Bool, fixes: Int?) async throws {
    let scene = Scene()
    let first = scene.store()
    let running = Self.trip(fixes: 4)
    var (ended, continued) = (running, running)
    ended.endAtLastFix(nil)
    continued.add(Self.fix(4), metres: 111)
    if goesOn {
      first.save(.ended(ended, .nothing))
      first.save(.whole(TripSnapshot(isRecording: true, trip: continued, detector: nil)))
    } else {
      // The process was killed between the file of the ended trip and that of the current one.
      first.save(.whole(TripSnapshot(isRecording: true, trip: continued, detector: nil)))
      #expect(first.synchronize())
      let current = try Data(contentsOf: scene.current)
      first.save(.ended(ended, .nothing))
      #expect(first.synchronize())
      try current.write(to: scene.current)
    }
    #expect(first.synchronize())
    if isEndedFileDamaged {
      let file = try #require(
        FileManager.default.contentsOfDirectory(atPath: scene.path).first { $0.hasPrefix("trip-") })
      try Data("{".utf8).write(to: scene.folder.appending(path: file))
    }
    let next = try Self.launchUnread(scene)
    next.save(.whole(TripSnapshot(isRecording: true, trip: Self.trip(fixes: 2, from: 100), detector: nil)))
    #expect(next.synchronize(within: .seconds(10)))
    #expect(try await next.trips().first?.fixes.count == fixes)
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.path)
    #expect(names.contains { $0.contains("unreadable") } == isEndedFileDamaged, "\(scene.reports)")
  }

  @Test("A damaged line in the middle is skipped")
  func damagedLine() throws {
    let scene = Scene()
    let store = scene.store()
    store.save(.whole(TripSnapshot(isRecording: true, trip: Self.trip(fixes: 4), detector: nil)))
    #expect(store.synchronize())
    var lines = try String(contentsOf: scene.current, encoding: .utf8).split(separator: "\n").map(String.init)
    lines[2] = "{\"fix\":17}"
    try (lines.joined(separator: "\n") + "\n").write(to: scene.current, atomically: false, encoding: .utf8)
    #expect(scene.store().load()?.trip?.fixes.count == 3)
  }

  @Test("After a failure, the trip is written when the folder can be written again")
  func readOnly() throws {
    guard geteuid() != 0 else { return }
    let scene = Scene()
    try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
    #expect(chmod(scene.path, 0o500) == 0)
    let store = scene.store()
    let trip = Self.trip(fixes: 4)
    store.save(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    #expect(!store.synchronize())
    #expect(scene.reports.count == 1)
    #expect(chmod(scene.path, 0o700) == 0)
    #expect(store.synchronize())
    #expect(scene.store().load()?.trip?.fixes == trip.fixes)
  }

  @Test("Only the owner can read the files")
  func permissions() throws {
    let scene = Scene()
    let store = scene.store()
    store.save(.whole(TripSnapshot(isRecording: true, trip: Self.trip(fixes: 4), detector: nil)))
    store.save(.ended(Self.trip(fixes: 4), .nothing))
    #expect(store.synchronize())
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.path)
    #expect(names.count == 2)
    for name in names {
      var status = stat()
      #expect(stat(scene.folder.appending(path: name).path(percentEncoded: false), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test(
    "A trip with the maximum number of fixes keeps every second fix, the ends of its segments and its distance",
    arguments: [10, 101, 10_000])
  func most(_ length: Int) {
    var trip = Trip(began: Self.fix(0).timestamp)
    for number in 0..<Trip.maximumFixes {
      if number % length == 0 { trip.endSegment() }
      trip.add(Self.fix(number), metres: 2)
    }
    let count = trip.segments.count
    #expect(trip.fixes.count <= Trip.maximumFixes / 2 + count && count == (Trip.maximumFixes + length - 1) / length)
    for (number, segment) in trip.segments.enumerated() {
      #expect(segment.first == Self.fix(number * length))
      #expect(segment.last == Self.fix(min((number + 1) * length, Trip.maximumFixes) - 1))
    }
    #expect(trip.distance == Double(Trip.maximumFixes) * 2)
  }

  /// An event between two recorders.
  enum Between: CaseIterable {
    case nothing, failedWrites, relaunch
  }

  @Test("A file that was read before a recorder owned its contents doesn't replace the recorder's trip")
  func readTooLate() {
    let trip = Trip(began: Date(timeIntervalSince1970: 1_800_000_000))
    var trips = UnwrittenTrips(capacity: 10)
    #expect(trips.own() == nil)
    trips.add(.whole(TripSnapshot(isRecording: true, trip: trip, detector: nil)))
    let before = trips.snapshot
    trips.read(.nothing, goesOnAfter: nil, nil)
    #expect(trips.snapshot == before && before.trip == trip)
    trips.forget()
    #expect(trips.snapshot == before)
  }

  @Test(
    "A permission that is withdrawn ends the stay, as a pause does, so a stay elsewhere afterwards begins no trip",
    arguments: [false, true], [false, true])
  func withdrawn(isRelaunched: Bool, isPause: Bool) {
    final class Listener: TripRecorderListener {
      var began = 0
      func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip) { began += 1 }
    }
    let scene = Scene()
    let (listener, store) = (Listener(), scene.store())
    var fixture = Fixture(in: .waitingSignificantChange)
    var recorder = TripRecorder.automatic(fixture.manager, store: store)
    recorder.listeners.add(listener)
    func rest(_ latitude: Double) {
      for _ in 0..<20 {
        fixture.provider.pass(60)
        fixture.manager.forceAcquireLocation()
        fixture.provider.fix(8, latitude: latitude)
      }
    }
    rest(34.1)
    #expect(recorder.visit != nil)
    if isRelaunched {
      #expect(store.synchronize(within: .seconds(60)))
      let date = fixture.provider.date
      fixture = Fixture(in: isPause ? .waitingSignificantChange : .initial)
      fixture.provider.date = date
      if isPause { fixture.manager.pause() } else { fixture.provider.decide(.denied) }
      recorder = TripRecorder.automatic(fixture.manager, store: scene.store())
      recorder.listeners.add(listener)
    } else if isPause {
      fixture.manager.pause()
    } else {
      fixture.provider.decide(.denied)
    }
    #expect(recorder.visit == nil)
    fixture.provider.pass(7_200)
    if isPause { fixture.manager.resume() }
    fixture.provider.decide(.always)
    fixture.manager.tryPromptAuthorization()
    rest(34.2)
    #expect(listener.began == 0 && recorder.visit != nil)
  }

  @Test(
    "Trips that begin at the same time, because the clock was set back, are all kept", arguments: [false, true],
    Between.allCases)
  func sameBeginning(_ isAutomatic: Bool, _ between: Between) async throws {
    let scene = Scene()
    let store = scene.store()
    if between == .failedWrites { try TripStoreAttackTests.Obstacle.fileForTheFolder.put(scene.current) }
    var recorded: [Trip] = []
    for _ in 0..<2 {
      let (fixture, store) = (Fixture(in: .waitingSignificantChange), between == .relaunch ? scene.store() : store)
      // A device that doesn't know the time starts at this date.
      fixture.provider.date = Date(timeIntervalSince1970: 0)
      let recorder =
        isAutomatic ? .automatic(fixture.manager, store: store) : TripRecorder(fixture.manager, store: store)
      for _ in 0..<2 {
        recorder.start()
        fixture.provider.pass(30)
        recorder.stop()
        recorded.append(try #require(recorder.trip))
        recorder.reset()
        fixture.provider.date -= 30
      }
      #expect(store.synchronize(within: .seconds(60)) == (between != .failedWrites))
    }
    #expect(Set(recorded.map(\.id)).count == 4)
    for trip in recorded { #expect(abs(trip.began.timeIntervalSince(recorded[0].began)) < 0.01) }
    if between == .failedWrites { try FileManager.default.removeItem(atPath: scene.path) }
    #expect(try await store.trips() == recorded)
    try await store.remove(recorded[1])
    #expect(try await store.trips() == [recorded[0]] + recorded[2...])
  }
}

@Suite("Trips across relaunches")
struct TripRelaunchTests {
  /// Drives 17 km and relaunches the app, with a new manager, while the device continues.
  @Test("A trip is resumed at its distance, and the gap is reported", arguments: [0, 120, 600])
  func relaunch(_ gap: Int) throws {
    let scene = TripStoreTests.Scene()
    let fixture = Fixture(in: .waitingSignificantChange)
    let store = scene.store()
    var trip: TripRecorder? = TripRecorder(fixture.manager, store: store)
    #expect(trip?.resumedTrip == nil)
    trip?.start()
    var metres = 0.0
    func drive(_ fixture: Fixture, _ seconds: Int) {
      for _ in 0..<seconds {
        fixture.provider.pass(1)
        metres += 25
        fixture.provider.fix(8, latitude: 34 + metres / 111_195)
      }
    }
    drive(fixture, 680)
    let distance = try #require(trip?.distance)
    #expect(abs(distance / 17_000 - 1) < 0.01)
    trip = nil
    #expect(store.synchronize(within: .seconds(60)))

    let next = Fixture(in: .waitingSignificantChange)
    next.provider.pass(Double(680 + gap / 2))
    metres += Double(gap) * 25
    let resumed = TripRecorder(next.manager, store: scene.store())
    let hearer = Hearer()
    resumed.listeners.add(hearer)
    #expect(resumed.state == .recording && resumed.distance == distance && next.provider.mode == .gps)
    #expect(resumed.resumedTrip?.distance == distance)
    // The first fix arrives some time after the relaunch.
    next.provider.pass(Double(gap / 2))
    drive(next, 100)
    let missed = try #require(hearer.missed)
    #expect(abs(missed.length - Double(gap) * 25) < 100 && abs(missed.duration.inSeconds - Double(gap)) < 5)
    #expect(abs(resumed.distance - distance - 2_500) < 120)
    resumed.stop()
    let whole = try #require(resumed.trip)
    #expect(whole.gaps == [missed] && whole.segments.count == 2 && hearer.ended == whole)
    let seconds = try #require(whole.ended).timeIntervalSince(whole.began)
    #expect(abs((whole.duration + missed.duration).inSeconds - seconds) < 0.001)
  }

  @Test("A trip's duration and its gaps are the time since its start, without pauses, whatever the device does")
  func times() async {
    await Seeds.play(Seeds.part(0, of: 1, runs: 15)) { seed in
      var random = SeededGenerator(seed: seed)
      let scene = TripStoreTests.Scene()
      var store = scene.store()
      var (seconds, metres) = (0, 0.0)
      // The time that is in neither, the time without the app, and the time that kills may lose.
      var (paused, dead, slack) = (0, 0, 2)
      // The pauses and the other time since the last fix. Both are part of a gap if a launch follows before the next fix.
      var (isAfterGap, unseen, silent) = (false, 0, 0)
      func launch() -> (Fixture, TripRecorder) {
        slack += 60
        store.synchronize()
        store = scene.store()
        dead += silent
        (isAfterGap, silent) = (true, 0)
        let fixture = Fixture(in: .waitingSignificantChange)
        fixture.provider.pass(Double(seconds))
        return (fixture, TripRecorder(fixture.manager, store: store))
      }
      var (fixture, trip) = launch()
      trip.start()
      func pass(_ count: Int, _ speed: Double) {
        for _ in 0..<count {
          seconds += 1
          metres += speed
          fixture.provider.pass(1)
          guard fixture.provider.mode == .gps else { continue }
          fixture.provider.fix(8, latitude: 34 + metres / 111_195)
          if isAfterGap { dead += unseen } else { paused += unseen }
          (isAfterGap, unseen, silent) = (false, 0, 0)
        }
      }
      pass(10, 20)
      for _ in 0..<8 {
        let time = Int.random(in: 2...(Bool.random(using: &random) ? 900 : 20), using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: pass(time, 20)
        case 1: pass(time, 0)
        case 3:
          seconds += time
          fixture.provider.pass(Double(time))
          // After a pause, the clock runs again from the next fix on.
          if isAfterGap { dead += time } else if unseen > 0 { unseen += time } else { silent += time }
        case 2:
          fixture.manager.pause()
          pass(time, 0)
          unseen += time
          if Bool.random(using: &random) { (fixture, trip) = launch() } else { fixture.manager.resume() }
        default:
          seconds += time
          dead += time
          metres += 20 * Double(time)
          (fixture, trip) = launch()
          // A fix from before the kill, as Core Location may deliver it first.
          let age = Double(time + [0, 5][Int.random(in: 0..<2, using: &random)])
          fixture.provider.fix(8, age: age, latitude: 34 + (metres - 100) / 111_195)
        }
        // Another launch or a pause may follow before the next fix.
        if Bool.random(using: &random) { pass(5, 20) }
        slack += 3
      }
      pass(5, 20)
      trip.stop()
      guard let whole = trip.trip else { return ["there is no trip"] }
      let gaps = whole.gaps.reduce(Duration.zero) { $0 + $1.duration }.inSeconds
      let missing = Double(seconds - paused) - whole.duration.inSeconds - gaps
      let isAscending = zip(whole.fixes, whole.fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp }
      return [
        abs(missing) <= Double(slack) ? nil : "\(missing) s are missing of \(seconds) s with \(paused) s of pauses",
        gaps <= Double(dead + slack) ? nil : "the gaps take \(gaps) s, and the app was dead for \(dead) s",
        isAscending ? nil : "the fixes aren't in order",
        whole.gaps.allSatisfy { $0.duration > .zero } ? nil : "a gap takes no time",
      ].compactMap(\.self)
    }
  }

  @Test(
    "The time of a device that stands belongs to its trip, whether the next launch resumes the trip or ends it",
    arguments: [10.0, 90_000, -1_800])
  func standing(change: Double) async throws {
    let scene = TripStoreTests.Scene()
    let store = scene.store()
    let fixture = Fixture(in: .waitingSignificantChange)
    let trip = TripRecorder(fixture.manager, store: store)
    trip.start()
    func fixes(_ fixture: Fixture, _ count: Int, every interval: Double, from metres: Double, at speed: Double) {
      for number in 0..<count {
        fixture.provider.pass(interval)
        fixture.provider.fix(8, latitude: 34 + (metres + Double(number) * speed) / 111_195)
      }
    }
    fixes(fixture, 60, every: 1, from: 0, at: 20)
    // A trip whose last fix is a day old isn't resumed.
    fixes(fixture, 3_100, every: 30, from: 1_200, at: 0)
    let (stood, location) = (fixture.provider.date, fixture.manager.location)
    @discardableResult
    func relaunch(_ change: Double) throws -> (Fixture, TripRecorder) {
      let (next, store) = (Fixture(in: .waitingSignificantChange), scene.store())
      next.provider.date = stood + change
      let recorder = TripRecorder(next.manager, store: store)
      #expect(store.synchronize())
      return (next, recorder)
    }
    #expect(store.synchronize())
    // A launch without a fix, and another one.
    if change < 86_400 { try relaunch(change / 2) }
    let (next, resumed) = try relaunch(change)
    if change > 86_400 {
      let ended = try #require(try await scene.store().trips().first)
      #expect(resumed.state == .idle && ended.ended.map { stood.timeIntervalSince($0) <= 60 } == true)
      return
    }
    #expect(resumed.state == .recording && resumed.duration.inSeconds > 93_000)
    fixes(next, 60, every: 1, from: 1_200, at: 20)
    resumed.stop()
    let whole = try #require(resumed.trip)
    let gap = try #require(whole.gaps.first)
    #expect(gap.from.distance(to: try #require(location)) < 1 && gap.duration < .seconds(120), "\(gap)")
    #expect(zip(whole.fixes, whole.fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
  }

  @Test("Of two recorders on one store, the newer one's trips are stored, and the mix is reported once")
  func twoRecorders() async throws {
    let scene = TripStoreTests.Scene()
    let fixture = Fixture(in: .waitingSignificantChange)
    let store = scene.store()
    let earlier = TripRecorder(fixture.manager, store: store)
    earlier.start()
    earlier.stop()
    let newer = TripRecorder(fixture.manager, store: store)
    #expect(scene.reports.isEmpty)
    for recorder in [earlier, newer] {
      recorder.reset()
      recorder.start()
    }
    fixture.provider.pass(10)
    for recorder in [newer, earlier] { recorder.stop() }
    #expect(scene.reports.count == 1 && scene.reports.first?.contains("two recorders") == true, "\(scene.reports)")
    let trips = try await store.trips()
    #expect(trips.count == 2 && trips.last == newer.trip)
    let newest = TripRecorder(fixture.manager, store: store)
    newer.reset()
    newer.start()
    newer.stop()
    #expect(scene.reports.count == 2 && newest.state == .idle)
  }

  @Test("A recorder doesn't resume a trip that is days old")
  func forgotten() throws {
    let scene = TripStoreTests.Scene()
    let store = scene.store()
    let old = TripStoreTests.trip(fixes: 10)
    store.save(.whole(TripSnapshot(isRecording: true, trip: old, detector: nil)))
    #expect(store.synchronize())
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.pass(200_000)
    let trip = TripRecorder(fixture.manager, store: scene.store())
    #expect(trip.resumedTrip == nil && trip.trip == nil && trip.state == .idle)
    trip.start()
    #expect(try #require(trip.trip).began == fixture.provider.date && trip.distance == 0)
  }

  final class Hearer: TripRecorderListener {
    var missed: Trip.Gap?
    var ended: Trip?
    func tripRecorder(_ recorder: TripRecorder, didMiss gap: Trip.Gap) { missed = gap }
    func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) { ended = trip }
  }
}

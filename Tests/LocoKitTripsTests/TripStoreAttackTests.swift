import Foundation
import Testing

@testable import LocoDurable
@testable import LocoKit
@testable import LocoKitTrips
@testable import TestSupport

@Suite("Trip stores with damaged files")
struct TripStoreAttackTests {
  typealias Scene = TripStoreTests.Scene

  private static let nothing = TripSnapshot.nothing

  private static func snapshot(_ trip: Trip) -> TripSnapshot {
    TripSnapshot(isRecording: true, trip: trip, detector: nil)
  }

  /// Returns an object with another value at a path of names and indices.
  private static func with(_ value: Any, at path: some Collection<String>, in object: Any) -> Any {
    guard let first = path.first else { return value }
    if let index = Int(first), var list = object as? [Any], list.indices.contains(index) {
      list[index] = with(value, at: path.dropFirst(), in: list[index])
      return list
    }
    var fields = object as? [String: Any] ?? [:]
    fields[first] = with(value, at: path.dropFirst(), in: fields[first] ?? [:])
    return fields
  }

  /// Encodes a value as JSON, and replaces the value at a path.
  private static func bytes(_ value: some Encodable, with other: String, at path: String) throws -> Data {
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
    let wrong = try JSONSerialization.jsonObject(with: Data(other.utf8), options: .fragmentsAllowed)
    return try JSONSerialization.data(
      withJSONObject: with(wrong, at: path.split(separator: ".").map(String.init), in: object))
  }

  private static func list(_ value: String, _ count: Int) -> String {
    "[" + Array(repeating: value, count: count).joined(separator: ",") + "]"
  }

  private static let place = #"{"latitude":1,"longitude":2,"horizontalAccuracy":3,"timestamp":4}"#

  /// Paths, and values that no recorder stores.
  static let damages: [(path: String, value: String)] = [
    ("starts", "[]"), ("starts", "[1]"), ("starts", "[0,0]"), ("starts", "[0,3,2]"), ("starts", "[-1]"),
    ("starts", "[0,4]"), ("starts", "[0,9223372036854775807]"), ("starts", "[0,1e300]"), ("starts", "17"),
    ("fixes", "[]"), ("fixes", list(place, 10_001)), ("fixes.1.latitude", "91"), ("fixes.1.longitude", "-1e300"),
    ("fixes.1.horizontalAccuracy", "-1"), ("fixes.1.timestamp", "1e300"), ("fixes.1.timestamp", "-1e12"),
    ("distance", "-0.1"), ("distance", "1e300"), ("distance", "\"NaN\""), ("distance", "null"),
    ("seconds", "-1"), ("seconds", "1e300"), ("seconds", "1e19"), ("began", "1e300"), ("began", "-1e300"),
    ("ended", "1e300"), ("ended", "\"Infinity\""), ("kind", "\"flying\""), ("gaps.0.to.timestamp", "1e300"),
    ("gaps.0.from.latitude", "-90.1"), ("gaps", list("{\"from\":\(place),\"to\":\(place)}", 1_001)),
  ]

  private static func trip() -> Trip {
    var trip = TripStoreTests.trip(fixes: 4)
    _ = trip.addGap(to: TripStoreTests.fix(9))
    return trip
  }

  /// Returns whether a report contains a coordinate of the trips. The folder's random name is removed first, because it may contain the
  /// same digits.
  private static func namesPlace(_ scene: Scene) -> Bool {
    let reports = scene.reports.joined(separator: "\n").replacingOccurrences(of: scene.path, with: "")
    return reports.contains("34.0") || reports.contains("118")
  }

  @Test("A trip that no recorder makes is refused and reported", arguments: damages.indices)
  func damaged(_ index: Int) async throws {
    let (path, value) = Self.damages[index]
    let scene = Scene()
    let store = scene.store()
    let (trip, other) = (Self.trip(), TripStoreTests.trip(fixes: 4, from: 100))
    for trip in [trip, other] { store.save(.ended(trip, Self.nothing)) }
    #expect(store.synchronize())
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.path).sorted()
    let file = scene.folder.appending(path: try #require(names.first { $0.hasPrefix("trip-") }))
    try Self.bytes(trip, with: value, at: path).write(to: file)
    #expect(try await scene.store().trips() == [other])
    #expect(scene.reports.count == 1 && scene.reports[0].contains(file.lastPathComponent), "\(scene.reports)")

    // The same damage to the current trip: the file is renamed, and a new one begins.
    var header = try Self.bytes(Self.snapshot(trip), with: value, at: "trip." + path)
    header = Data(#"{"version":1,"state":"#.utf8) + header + Data("}\n".utf8)
    try header.write(to: scene.current)
    let next = scene.store()
    #expect(next.load() == nil && scene.reports.count == 2 && scene.reports[1].contains("renamed"))
    next.save(.whole(Self.snapshot(trip)))
    #expect(next.synchronize() && scene.store().load()?.trip?.fixes == trip.fixes)
    #expect(!Self.namesPlace(scene), "\(scene.reports)")
  }

  private static func detector() -> TripDetector {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.wait(60)
    scene.fix(off: 500)
    return scene.stored.detector ?? TripDetector()
  }

  static let detectors: [(path: String, value: String)] = [
    ("state", "\"flying\""), ("departure", list(place, 101)), ("departure", list(place, 20_000)),
    ("departure.0.latitude", "1e9"), ("departure.0.timestamp", "1e300"), ("enteredAt", "1e300"),
    ("restingSince", "-1e300"), ("place.longitude", "181"), ("secondsInVehicle", "1e300"),
    ("secondsInVehicle", "-1"), ("stop", #"{"fix":\#(place),"since":1e300,"seen":0}"#),
  ]

  @Test("A file with an invalid detector is renamed", arguments: detectors.indices)
  func damagedDetector(_ index: Int) throws {
    let (path, value) = Self.detectors[index]
    let scene = Scene()
    try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
    let snapshot = TripSnapshot(isRecording: false, trip: nil, detector: Self.detector())
    let state = try Self.bytes(snapshot, with: value, at: "detector." + path)
    try (Data(#"{"version":1,"state":"#.utf8) + state + Data("}\n".utf8)).write(to: scene.current)
    #expect(scene.store().load() == nil)
    #expect(scene.reports.count == 1 && scene.reports[0].contains("renamed"), "\(scene.reports)")
  }

  @Test("A detector that was stored during a trip is at rest after the launch if no trip is stored")
  func detectorWithoutATrip() throws {
    for state in ["moving", "stopping"] {
      let snapshot = TripSnapshot(isRecording: false, trip: nil, detector: Self.detector())
      let bytes = try Self.bytes(snapshot, with: "\"\(state)\"", at: "detector.state")
      var scene = AutomaticScene()
      scene.take(.launch(try JSONDecoder().decode(TripSnapshot.self, from: bytes)))
      #expect(scene.core.state == .idle)
      scene.rest(600)
      scene.move(600, speed: 10)
      scene.rest(600)
      #expect(scene.ended.count == 1)
    }
  }

  /// An object in place of a file or its folder.
  enum Obstacle: CaseIterable {
    case folder, link, othersFile, fileForTheFolder

    func put(_ url: URL) throws {
      let path = url.path(percentEncoded: false)
      switch self {
      case .folder:
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: url.appending(path: "inside"))
      case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
      case .othersFile:
        try Data("{}\n".utf8).write(to: url)
        #expect(chown(path, 65_534, 65_534) == 0)
      case .fileForTheFolder:
        let folder = url.deletingLastPathComponent()
        try? FileManager.default.removeItem(at: folder)
        try Data().write(to: URL(filePath: folder.path(percentEncoded: false).trimmingSuffix("/")))
      }
    }
  }

  @Test(
    "An object in place of the current trip's file or its folder is reported, without a crash",
    arguments: Obstacle.allCases)
  func obstacle(_ obstacle: Obstacle) async throws {
    if obstacle == .othersFile, geteuid() != 0 { return }
    let scene = Scene()
    try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
    try obstacle.put(scene.current)
    let store = scene.store()
    #expect(store.load() == nil)
    store.save(.whole(Self.snapshot(Self.trip())))
    #expect(!store.synchronize())
    #expect((1...3).contains(scene.reports.count), "\(scene.reports)")
    #expect(!Self.namesPlace(scene), "\(scene.reports)")
    store.save(.ended(Self.trip(), Self.nothing))
    #expect(!store.synchronize())
    if obstacle == .fileForTheFolder {
      await #expect(throws: StoreError.self) { try await store.trips() }
    } else {
      #expect(try await store.trips() == [Self.trip()])
    }
  }

  #if os(Linux) || os(macOS)
    @Test("If the disk is full, even in the middle of a line, nothing is lost, and the rest is written later")
    func full() async throws {
      await #expect(processExitsWith: .success) {
        let scene = Scene()
        let store = scene.store()
        let trip = TripStoreTests.trip(fixes: 4)
        store.save(.whole(Self.snapshot(trip)))
        precondition(store.synchronize(within: .seconds(60)))
        let size = try Data(contentsOf: scene.current).count
        signal(SIGXFSZ, SIG_IGN)
        for (number, free) in [0, 1, 30].enumerated() {
          limitFiles(to: size + free)
          store.save(TripStoreTests.record(4 + number, trip))
          precondition(!store.synchronize(within: .seconds(60)))
          precondition(scene.store().load()?.trip?.fixes == trip.fixes)
        }
        precondition(scene.reports.count >= 1 && scene.reports[0].contains("can't write the current trip"))
        limitFiles(to: 1_000_000)
        precondition(store.synchronize(within: .seconds(60)))
        precondition(scene.store().load()?.trip?.fixes.count == 7)
      }
    }

    /// How a trip ends, and whether it is stored.
    enum End: CaseIterable {
      case stop, reset, automaticStop, pause, unwanted

      var isStored: Bool { self != .reset && self != .unwanted }

      func recorder(_ fixture: Fixture, _ store: TripRecorder.Store) -> TripRecorder {
        switch self {
        case .stop, .reset: TripRecorder(fixture.manager, store: store)
        case .automaticStop, .pause: .automatic(fixture.manager, store: store)
        case .unwanted: .automatic(fixture.manager, store: store, kinds: [.automotive])
        }
      }
    }

    @Test("A trip that ends on a full disk isn't resumed; unless it is discarded, the written fixes are kept")
    func endOnAFullDisk() async {
      await #expect(processExitsWith: .success) {
        signal(SIGXFSZ, SIG_IGN)
        for end in End.allCases {
          let scene = Scene()
          let store = scene.store()
          let fixture = Fixture(in: .waitingSignificantChange, updates: .whileMoving)
          let recorder = end.recorder(fixture, store)
          recorder.start()
          for second in 0..<60 {
            fixture.provider.pass(1)
            var fix = fixture.provider.location(8, latitude: 34 + Double(second) * 3 / 111_195)
            if fixture.provider.mode != .gps { fix.source = .coarse }
            fixture.provider.report(.fixes([fix]))
          }
          precondition(store.synchronize(within: .seconds(60)), "\(end)")
          let written = scene.store().load()?.trip
          precondition(written.map { $0.fixes.count > 1 } ?? false, "\(end)")
          limitFiles(to: 0)
          switch end {
          case .stop, .automaticStop, .unwanted: recorder.stop()
          case .reset: recorder.reset()
          case .pause: fixture.manager.pause()
          }
          precondition(!store.synchronize(within: .seconds(60)), "\(end)")

          let next = Fixture(in: .waitingSignificantChange, updates: .whileMoving)
          next.provider.pass(60)
          let nextStore = scene.store()
          let resumed = end.recorder(next, nextStore)
          precondition(resumed.state == .idle && resumed.resumedTrip == nil, "\(end)")
          let kept = try await nextStore.trips()
          precondition(kept.map(\.fixes) == (end.isStored ? [written?.fixes] : []), "\(end)")
          let isKindKnown = end != .stop
          precondition(
            kept.allSatisfy { $0.ended == $0.fixes.last?.timestamp && $0.kind == (isKindKnown ? .onFoot : nil) },
            "\(end)")

          limitFiles(to: 1_000_000)
          precondition(store.synchronize(within: .seconds(60)), "\(end)")
          let trips = try await store.trips()
          precondition(trips == (end.isStored ? [recorder.trip] : []), "\(end)")
          precondition((1...2).contains(scene.reports.count), "\(end): \(scene.reports)")
        }
      }
    }

  #endif

  @Test("A folder with the name of a trip's file isn't removed, and other trips are written")
  func folderForATrip() async throws {
    let scene = Scene()
    let store = scene.store()
    let (trip, other) = (Self.trip(), TripStoreTests.trip(fixes: 4, from: 100))
    store.save(.ended(trip, Self.nothing))
    #expect(store.synchronize())
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: scene.path).first { $0.hasPrefix("trip-") })
    let folder = scene.folder.appending(path: name)
    try FileManager.default.removeItem(at: folder)
    try Obstacle.folder.put(folder)
    await #expect(throws: StoreError.self) { try await store.remove(trip) }
    store.save(.whole(Self.snapshot(trip)))
    #expect(store.synchronize())
    store.save(.ended(trip, Self.nothing))
    store.save(.ended(other, Self.nothing))
    #expect(!store.synchronize())
    // A trip that can't be written to its own file stays in the file of the current trip.
    #expect(scene.store().load()?.trip?.fixes == trip.fixes)
    #expect(try await store.trips() == [other])
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "inside").path(percentEncoded: false)))
    try FileManager.default.removeItem(at: folder)
    #expect(store.synchronize())
    #expect(try await store.trips() == [trip, other])
    #expect(scene.store().load()?.trip == nil)
  }

  @Test("A trip that the app removes before it could be written isn't written later")
  func removedBeforeItIsWritten() async throws {
    let scene = Scene()
    let store = scene.store()
    store.save(.ended(Self.trip(), Self.nothing))
    #expect(store.synchronize())
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: scene.path).first { $0.hasPrefix("trip-") })
    try await store.remove(Self.trip())
    let obstacle = scene.folder.appending(path: name + ".new")
    try Obstacle.folder.put(obstacle)
    store.save(.ended(Self.trip(), Self.nothing))
    #expect(!store.synchronize())
    try await store.remove(Self.trip())
    try FileManager.default.removeItem(at: obstacle)
    #expect(store.synchronize())
    #expect(try await store.trips().isEmpty)
  }

  @Test("A stored state of another trip isn't combined with the fixes of the first trip")
  func otherTrip() throws {
    let scene = Scene()
    let store = scene.store()
    let other = TripStoreTests.trip(fixes: 1, from: 100)
    store.save(.whole(Self.snapshot(Self.trip())))
    store.save(.state(Self.snapshot(other).withoutFixes))
    #expect(store.synchronize())
    let loaded = try #require(scene.store().load()?.trip)
    #expect(loaded.began == other.began && loaded.fixes.isEmpty && loaded.segments.isEmpty)
  }

  @Test("Lines that no recorder writes are skipped and counted")
  func lines() throws {
    let scene = Scene()
    let store = scene.store()
    store.save(.whole(Self.snapshot(TripStoreTests.trip(fixes: 4))))
    #expect(store.synchronize())
    let fix = #"{"fix":{"location":\#(Self.place),"distance":D,"seconds":S,"beginsSegment":false}}"#
    var text = try String(contentsOf: scene.current, encoding: .utf8)
    for (distance, seconds) in [("-1", "1"), ("1e300", "1"), ("1", "-1"), ("1", "1e300"), ("null", "1")] {
      text += fix.replacing("D", with: distance).replacing("S", with: seconds) + "\n"
    }
    for wrong in ["1e300", "\"now\""] {
      text += fix.replacing("D", with: "1").replacing("S", with: "1").replacing(":4}", with: ":\(wrong)}") + "\n"
    }
    text += String(repeating: "x", count: 2 << 20) + "\n\n"
    try text.write(to: scene.current, atomically: false, encoding: .utf8)
    let loaded = try #require(scene.store().load()?.trip)
    #expect(loaded.fixes.count == 4 && loaded.distance == TripStoreTests.trip(fixes: 4).distance)
    #expect(scene.reports.count == 1 && scene.reports[0].hasSuffix("skipped: 9"), "\(scene.reports)")
  }

  @Test(
    "After a kill between the writes of the ended trip and of the current file, the trip is stored once, as ended",
    arguments: [1, 2])
  func betweenTheWrites(_ times: Int) async throws {
    let scene = Scene()
    let store = scene.store()
    var trip = TripStoreTests.trip(fixes: 4)
    var before = Data()
    for time in 1...times {
      trip.ended = nil
      store.save(.whole(Self.snapshot(trip)))
      #expect(store.synchronize())
      before = try Data(contentsOf: scene.current)
      trip.ended = TripStoreTests.fix(100 * time).timestamp
      store.save(.ended(trip, Self.nothing))
      #expect(store.synchronize())
    }
    try before.write(to: scene.current)
    let next = scene.store()
    #expect(next.load()?.trip == nil)
    #expect(try await next.trips() == [trip])
    // The same holds for an app that removes the trip before it creates a recorder.
    try before.write(to: scene.current)
    let other = scene.store()
    #expect(try await other.trips() == [trip])
    try await other.remove(trip)
    #expect(other.load()?.trip == nil && scene.store().load()?.trip == nil)
    #expect(scene.reports.isEmpty, "\(scene.reports)")
  }

  @Test("A restarted trip is the current one, until it ends again")
  func startedAgain() async throws {
    let scene = Scene()
    let store = scene.store()
    var trip = TripStoreTests.trip(fixes: 4)
    store.save(.whole(Self.snapshot(trip)))
    trip.ended = TripStoreTests.fix(100).timestamp
    store.save(.ended(trip, Self.nothing))
    #expect(try await store.trips() == [trip])
    trip.ended = nil
    store.save(.whole(Self.snapshot(trip)))
    #expect(try await store.trips().isEmpty)
    for _ in 0..<2 {
      let next = scene.store()
      #expect(try await next.trips().isEmpty)
      let loaded = try #require(next.load())
      #expect(loaded.trip?.fixes == trip.fixes && loaded.isRecording)
      next.save(.whole(loaded))
      #expect(next.synchronize())
    }
    let last = scene.store()
    _ = last.load()
    trip.ended = TripStoreTests.fix(200).timestamp
    last.save(.ended(trip, Self.nothing))
    #expect(try await last.trips() == [trip] && scene.store().load()?.trip == nil)
  }

  @Test("A second recorder of a launch continues the first one's trip, even if the trip isn't written yet")
  func secondRecorder() throws {
    let scene = Scene()
    let store = scene.store()
    #expect(store.load() == nil)
    let trip = TripStoreTests.trip(fixes: 4)
    store.save(.whole(Self.snapshot(trip)))
    #expect(store.load()?.trip?.fixes == trip.fixes)
    #expect(store.synchronize())
    #expect(store.load()?.trip?.fixes == trip.fixes)
  }

  @Test("The whole trip is written again after its file was removed or replaced")
  func removedFile() throws {
    for bytes in [nil, "{}\n", "{\"version\":1,\"state\":{\"isRecording\":false}}\n"] {
      let scene = Scene()
      let store = scene.store()
      let trip = TripStoreTests.trip(fixes: 4)
      store.save(.whole(Self.snapshot(trip)))
      #expect(store.synchronize())
      try FileManager.default.removeItem(at: scene.current)
      if let bytes { try Data(bytes.utf8).write(to: scene.current) }
      store.save(TripStoreTests.record(4, trip))
      store.synchronize()
      #expect(store.synchronize())
      #expect(scene.store().load()?.trip?.fixes == trip.fixes + [TripStoreTests.fix(4)])
      #expect(scene.reports.count == 1, "\(scene.reports)")
    }
  }

  @Test("A full store keeps the trip that ended last, even if the clock was set back")
  func newest() async throws {
    let scene = Scene()
    let store = scene.store(capacity: 2)
    let dates = [8e8, 8.1e8, -2e9, -2e9 - 1]
    for date in dates {
      store.save(.ended(Trip(began: Date(timeIntervalSinceReferenceDate: date)), Self.nothing))
      #expect(store.synchronize())
    }
    #expect(try await store.trips().map(\.began.timeIntervalSinceReferenceDate) == [-2e9 - 1, 8.1e8])
  }

  @Test("A trip ends at its last fix if the clock changed by years between two launches", arguments: [-1.0, 1])
  func clock(_ sign: Double) throws {
    let trip = TripStoreTests.trip(fixes: 4)
    let now = TripCore.Now(
      uptime: .zero, date: try #require(trip.fixes.last).timestamp.addingTimeInterval(sign * 3e8))
    var core = TripCore(.init())
    var actions: [TripCore.Action] = []
    core.handle(.launch(Self.snapshot(trip)), at: now, into: &actions)
    let ended = actions.compactMap { if case .save(.ended(let trip, _)) = $0 { trip.ended } else { nil } }
    #expect(core.state == .idle && ended == [trip.fixes.last?.timestamp])
    // A trip never ends before it began.
    actions = []
    core.handle(.command(.reset), at: now, into: &actions)
    core.handle(.command(.start), at: now, into: &actions)
    let later = TripCore.Now(uptime: .seconds(60), date: now.date.addingTimeInterval(-3e8))
    core.handle(.command(.stop), at: later, into: &actions)
    #expect(core.trip?.began == now.date && core.trip?.ended == now.date && core.trip?.duration == .seconds(60))
  }

  @Test("A relaunch continues a trip of two hours with all its fixes", arguments: [0, 60, 1_500])
  func relaunchOfALongTrip(_ gap: Double) throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(7_200, speed: 10)
    let before = try #require(scene.core.trip)
    scene.moveUnseen(gap, speed: 10)
    try scene.relaunch()
    scene.take(.due)
    #expect(scene.core.state == .recording && scene.ended.isEmpty)
    scene.move(600, speed: 10)
    scene.rest(600)
    let trip = try #require(scene.ended.first)
    #expect(scene.ended.count == 1 && trip.fixes.starts(with: before.fixes) && trip.gaps.count == 1)
    #expect(abs(trip.distance / 78_000 - 1) < 0.01)
  }

  @Test("Without a fix after a relaunch, a trip ends at its last fix")
  func silenceAfterARelaunch() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(7_200, speed: 10)
    let last = try #require(scene.core.trip?.fixes.last)
    try scene.relaunch(after: 60)
    scene.wait(1_801)
    scene.take(.due)
    #expect(scene.ended.map(\.ended) == [last.timestamp] && scene.ended.first?.fixes.last == last)
  }

  @Test("A departure ends after ten minutes even if the clock was set back by years")
  func clockOfADeparture() {
    var scene = AutomaticScene()
    let future = AutomaticScene.start.addingTimeInterval(3e8)
    var detector = TripDetector()
    let place = TripStoreTests.fix(0)
    _ = detector.judge(place)
    _ = detector.raise(.away, at: future)
    scene.take(.launch(TripSnapshot(isRecording: false, trip: nil, detector: detector)))
    #expect(scene.core.state == .prepared)
    scene.wait(601)
    scene.take(.due)
    #expect(scene.core.state == .idle && !scene.isKept)
  }

  @Test("After the end of a stored trip without a stop, the device rests at the trip's last fix")
  func restAfterEnd() {
    let trip = TripStoreTests.trip(fixes: 4)
    var moving = TripDetector()
    _ = moving.raise(.start, at: trip.began)
    let after = TripSnapshot(isRecording: false, trip: trip, detector: moving).afterEnd(of: trip)
    #expect(after.detector?.place == trip.fixes.last && after.detector?.isOnTrip == false)
  }

  @Test("A recorder ends a stored trip of the other kind of recorder")
  func otherKind() {
    let trip = TripStoreTests.trip(fixes: 4)
    let now = TripCore.Now(uptime: .zero, date: TripStoreTests.fix(10).timestamp)
    let automatic = AutomaticTrips(kinds: [.automotive, .onFoot], minimumStay: .seconds(300))
    var moving = TripDetector()
    _ = moving.raise(.start, at: trip.began)
    for (core, snapshot) in [
      (TripCore(automatic), Self.snapshot(trip)),
      (TripCore(.init()), TripSnapshot(isRecording: false, trip: trip, detector: moving)),
    ] {
      var (core, actions) = (core, [TripCore.Action]())
      core.handle(.launch(snapshot), at: now, into: &actions)
      let ended = actions.compactMap { if case .save(.ended(let trip, _)) = $0 { trip } else { nil } }
      #expect(ended.map(\.fixes) == [trip.fixes] && core.state == .idle)
    }
  }

  @Test("A gap between any two dates has a duration")
  func gaps() {
    var (first, second) = (TripStoreTests.fix(0), TripStoreTests.fix(1))
    for seconds in [0, 1e10, 1e30, 1e300, .infinity, .nan, -1e300] {
      second.timestamp = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(Trip.Gap(from: first, to: second).duration >= .zero)
      first.timestamp = second.timestamp
    }
  }

  @Test("A trip of short segments has fewer fixes than the maximum", arguments: [1, 2, 3])
  func shortSegments(_ length: Int) {
    var trip = Trip(began: TripStoreTests.fix(0).timestamp)
    for number in 0..<25_000 {
      if number % length == 0 { trip.endSegment() }
      trip.add(TripStoreTests.fix(number % 1_000), metres: 1)
    }
    #expect(trip.fixes.count < Trip.maximumFixes && trip.distance == 25_000)
    #expect(Array(trip.segments.joined()) == trip.fixes && trip.segments.allSatisfy { !$0.isEmpty })
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoDurable
@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Last location store")
struct LastLocationStoreTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private var file: URL { folder.appending(path: "program/last-location.json") }
  private let here = Location(
    latitude: 0, longitude: 0, horizontalAccuracy: 5, altitude: 3, speed: 1, course: 359,
    timestamp: Date(timeIntervalSince1970: 1_777_777_777.125))

  init() throws { temporary = try TemporaryFolder() }

  /// Returns the names of the files in the store's folder.
  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).sorted()
  }

  private func permissions(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
  }

  @Test("A later launch reads the location and the pause, even at latitude and longitude 0")
  func roundTrip() throws {
    let reports = Reports()
    let store = LastLocationStore(file: file, report: reports.add)
    #expect(store.location == nil && !store.isPaused)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    store.location = here
    store.isPaused = true
    #expect(store.location == here && store.isPaused, "a new value is returned immediately")
    #expect(store.synchronize())
    let later = LastLocationStore(file: file, report: reports.add)
    #expect(later.location == here && later.isPaused)
    later.location = nil
    #expect(later.synchronize())
    #expect(store.location == nil && store.isPaused)
    #expect(reports.all.isEmpty)
    #expect(try names() == ["last-location.json"])
  }

  @Test("A date is stored exactly")
  func dates() throws {
    var random = SeededGenerator(seed: 1)
    let store = LastLocationStore(file: file)
    var location = here
    for _ in 0..<200 {
      location.timestamp = Date(timeIntervalSinceReferenceDate: Double.random(in: 7e8...9e8, using: &random))
      store.location = location
      #expect(store.synchronize())
      #expect(LastLocationStore(file: file).location == location)
    }
  }

  @Test("Only the owner can read the file, even if its permissions were different before")
  func permissions() throws {
    let store = LastLocationStore(file: file)
    store.location = here
    #expect(store.synchronize())
    #expect(try permissions(file.path) == 0o600)
    #expect(try permissions(file.deletingLastPathComponent().path) == 0o700)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    store.isPaused = true
    #expect(store.synchronize())
    #expect(try permissions(file.path) == 0o600)
  }

  @Test(
    "An unreadable file is reported, renamed without overwriting an earlier one, and counts as a pause",
    arguments: [
      "{", "null", "[]", "{\"version\":2,\"isPaused\":false}", "{\"version\":2,\"pause\":[]}", "{\"isPaused\":false}",
      "{\"version\":1,\"isPaused\":false,\"location\":{\"latitude\":91.0625,\"longitude\":0,\"horizontalAccuracy\":5,\"timestamp\":0}}",
      "{\"version\":1,\"isPaused\":false,\"location\":{\"latitude\":9,\"longitude\":0,\"horizontalAccuracy\":-5,\"timestamp\":0}}",
      String(repeating: "[", count: 10_000), String(repeating: "[", count: 513), String(repeating: " ", count: 20_000),
      "\u{0}\u{1}\u{2}",
    ])
  func unreadable(_ text: String) throws {
    let reports = Reports()
    let store = LastLocationStore(file: file, report: reports.add)
    store.location = here
    #expect(store.synchronize())
    for number in 1...9 {
      try Data("\(text)".utf8).write(to: file)
      if number % 2 == 0 {
        store.location = here
        #expect(store.synchronize())
      } else {
        #expect(store.location == nil)
      }
      #expect(LastLocationStore(file: file).isPaused, "also in later launches, until the app resumes")
      #expect(reports.all.count == number)
      #expect(reports.all.last?.contains("last-location.json.unreadable-\(number)") == true)
      #expect(reports.all.last?.contains("its version is 2") == text.contains(#""version":2"#))
      let aside = file.deletingLastPathComponent().appending(path: "last-location.json.unreadable-\(number)")
      #expect(try Data(contentsOf: aside) == Data(text.utf8))
    }
    // After nine renamed files, the tenth keeps its name.
    try Data(text.utf8).write(to: file)
    store.location = here
    #expect(!store.synchronize())
    #expect(reports.all.count == 10)
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    #expect(try names().count == 10)
    #expect(!reports.all.contains { $0.contains("91.0625") || $0.contains("latitude") })
  }

  /// A medium that can be full, and that runs an action during the next change.
  private final class Medium: StoreBacking {
    struct State: Sendable {
      var contents = StoreContents()
      var isFull = false
      var duringChange: (@Sendable () -> Void)?
    }
    let state = Locked(State())
    let isWritten = DispatchSemaphore(value: 0)

    func read() -> (StoreContents, problem: String?) { (state.change { $0.contents }, nil) }

    func change(_ change: (inout StoreContents) -> Void) throws -> String? {
      var contents = state.change { $0.contents }
      change(&contents)
      let action = state.change { state in
        defer { state.duringChange = nil }
        return state.duringChange
      }
      action?()
      let isFull = state.change { [contents] state in
        if !state.isFull { state.contents = contents }
        return state.isFull
      }
      if isFull { throw StoreError("the disk is full") }
      isWritten.signal()
      return nil
    }
  }

  /// Values that a test sets, each `nil` if it isn't set.
  private struct Values: Sendable {
    var location: Location??
    var isPaused: Bool?
    var presence: LocationManager.Presence??

    init(_ random: inout SeededGenerator) {
      func place() -> Location? {
        [1, 2, nil][random.index(below: 3)].map {
          Location(latitude: $0, longitude: 0, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 9))
        }
      }
      if random.index(below: 2) == 0 { location = .some(place()) }
      if random.index(below: 2) == 0 { isPaused = random.index(below: 2) == 0 }
      if random.index(below: 2) == 0 {
        presence = .some(
          place().map {
            LocationManager.Presence(
              place: $0, radius: 105, reasons: [.visit], until: Date(timeIntervalSince1970: 99))
          })
      }
    }

    func set(_ store: LastLocationStore, _ last: inout StoreContents) {
      if let location { (store.location, last.location) = (location, location) }
      if location == .some(nil) { last.presence = nil }
      if let isPaused { (store.isPaused, last.isPaused) = (isPaused, isPaused) }
      if let presence { (store.presence, last.presence) = (presence, presence) }
    }
  }

  @Test(
    "Values that are set before and during a write are written without a call of synchronize, and each reads as last set",
    arguments: 0..<60 as Range<UInt64>)
  func setDuringAWrite(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let medium = Medium()
    let store = LastLocationStore(medium)
    let last = Locked(StoreContents())
    @Sendable func check(_ last: StoreContents) {
      #expect(store.location == last.location && store.isPaused == last.isPaused, "seed \(seed)")
      #expect(store.presence == last.presence, "seed \(seed)")
    }
    for _ in 0..<20 {
      let (before, during) = (Values(&random), Values(&random))
      medium.state.change { state in
        state.duringChange = {
          last.change {
            during.set(store, &$0)
            check($0)
          }
        }
      }
      last.change {
        before.set(store, &$0)
        check($0)
      }
      try await awaited("write of seed \(seed)") { while !store.log.update(\.isEmpty) { await Task.yield() } }
      last.change { check($0) }
      #expect(medium.state.change { $0.contents } == last.change { $0 }, "seed \(seed)")
    }
  }

  @Test(
    "A file that another program emptied counts as a pause until the app resumes, and is reported",
    arguments: [true, false])
  func emptied(isWritten: Bool) throws {
    let reports = Reports()
    let store = LastLocationStore(file: file, report: reports.add)
    store.location = here
    #expect(store.synchronize())
    for number in 1...3 {
      try Data().write(to: file)
      if isWritten {
        store.location = here
        #expect(store.synchronize())
      }
      #expect(store.isPaused && LastLocationStore(file: file, report: reports.add).isPaused)
      #expect(
        reports.all.count == number && reports.all.allSatisfy { $0.contains("was empty, which counts as a pause") })
      store.isPaused = false
      #expect(store.synchronize() && !store.isPaused)
    }
    #expect(try names() == ["last-location.json"])
    try Data().write(to: file)
    store.isPaused = false
    #expect(store.synchronize() && !LastLocationStore(file: file).isPaused)
  }

  /// JSON of a presence, and whether it is one.
  private static let presences: [(String, Bool)] = {
    func presence(_ name: String = "", _ value: String = "") -> String {
      let place = #"{"latitude":1,"longitude":2,"horizontalAccuracy":5,"timestamp":0}"#
      let values = [
        ("place", place), ("radius", "105"), ("reasons", #"["region"]"#), ("until", "799556977"),
      ]
      return "{" + values.map { "\"\($0)\":\($0 == name ? value : $1)" }.joined(separator: ",") + "}"
    }
    let others = [
      ("reasons", #"["smell"]"#), ("reasons", #"["region","smell"]"#), ("reasons", "[]"), ("reasons", "null"),
      ("radius", #""wide""#), ("radius", "-1"), ("radius", "99"), ("radius", "1e308"), ("radius", "null"),
      ("until", #""later""#), ("until", "null"), ("place", "[]"),
      ("place", #"{"latitude":91,"longitude":2,"horizontalAccuracy":5,"timestamp":0}"#),
      ("place", #"{"latitude":1,"longitude":2,"horizontalAccuracy":-5,"timestamp":0}"#),
    ]
    return [(presence(), true), (presence("radius", "1e6"), true)] + others.map { (presence($0, $1), false) }
      + ["[]", "7", #""home""#, "null", "{}"].map { ($0, false) }
  }()

  @Test(
    "A presence that can't be read, or that no manager stores, is none, and costs neither the location nor a pause",
    arguments: presences.indices)
  func decodedPresence(index: Int) throws {
    let (presence, isValid) = Self.presences[index]
    let reports = Reports()
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    for isPaused in [true, false] {
      for rest in ["", #","mood":{"is":"good"}"#] {
        let location = #"{"latitude":1,"longitude":2,"horizontalAccuracy":5,"timestamp":0}"#
        try Data(
          #"{"version":1,"isPaused":\#(isPaused),"location":\#(location),"presence":\#(presence)\#(rest)}"#.utf8
        ).write(to: file)
        let store = LastLocationStore(file: file, report: reports.add)
        #expect(store.location?.longitude == 2 && store.isPaused == isPaused && (store.presence != nil) == isValid)
        store.location = here
        #expect(store.synchronize() && store.location == here && store.isPaused == isPaused)
      }
    }
    #expect(try reports.all.isEmpty && names() == ["last-location.json"])
  }

  @Test("A change after many failures is written without waiting for the next retry")
  func changeAfterFailures() {
    let medium = Medium()
    let store = LastLocationStore(medium, report: { _ in })
    medium.state.change { $0.isFull = true }
    store.location = here
    // After eleven failures, the next retry is in five minutes.
    for _ in 0..<11 { #expect(!store.synchronize(within: .seconds(60))) }
    medium.state.change { $0.isFull = false }
    store.isPaused = true
    #expect(medium.isWritten.wait(timeout: .now() + 60) == .success)
    #expect(medium.state.change { $0.contents } == StoreContents(location: here, isPaused: true))
  }

  @Test("A folder in place of the file and a folder that can't be created are reported")
  func noFile() throws {
    let reports = Reports()
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let store = LastLocationStore(file: file, report: reports.add)
    #expect(store.location == nil && store.isPaused)
    store.location = here
    #expect(!store.synchronize())
    #expect(reports.all.count == 3 && reports.all.allSatisfy { $0.contains("is not a regular file") })
    try Data().write(to: folder.appending(path: "plain"))
    let below = LastLocationStore(file: folder.appending(path: "plain/below/file.json"), report: reports.add)
    below.location = here
    #expect(!below.synchronize())
    #expect(reports.all.count == 4)
  }

  #if os(Linux) || os(macOS)
    @Test("On a full disk the previous location remains, and the problem is reported")
    func full() async throws {
      await #expect(processExitsWith: .success) {
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "LastLocationStoreTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "last-location.json")
        // The file size limit doesn't apply to a pipe.
        let reports = Pipe()
        let store = LastLocationStore(file: file) { reports.fileHandleForWriting.write(Data($0.utf8)) }
        var here = Location(
          latitude: 1, longitude: 1, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
        store.location = here
        precondition(store.synchronize())
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 10, rlim_max: 10)
        #if os(Linux)
          precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        #else
          precondition(setrlimit(RLIMIT_FSIZE, &limit) == 0)
        #endif
        let before = store.location
        here.latitude = 2
        store.location = here
        precondition(!store.synchronize())
        precondition(LastLocationStore(file: file).location == before && before != nil)
        try reports.fileHandleForWriting.close()
        let report = try reports.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
        precondition(report.contains("cannot be written yet") && report.contains("File too large"))
        precondition(
          try! FileManager.default.contentsOfDirectory(atPath: folder.path) == ["last-location.json"])
      }
    }
  #endif

  #if os(Linux) || os(macOS)
    /// - Parameter text: The contents of the file before the disk is full; `nil` means no file.
    @Test(
      "A pause and its end on a full disk survive relaunches, and are written once there is space",
      arguments: [nil, "", "damaged", "{\"version\":1,\"isPaused\":false,\"location\":\(location)}"])
    func pauseOnAFullDisk(_ text: String?) async throws {
      await #expect(processExitsWith: .success) { [text] in
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "LastLocationStoreTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "last-location.json")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let text { try Data(text.utf8).write(to: file) }
        signal(SIGXFSZ, SIG_IGN)
        limitFiles(to: 10)
        /// Launches the app on a device that grants the permission. Returns its manager and the device.
        func launch(_ store: LastLocationStore) -> (manager: LocationManager, device: ScriptedProvider) {
          let device = ScriptedProvider(.always)
          let manager = LocationManager(provider: device, store: store)
          manager.tryPromptAuthorization()
          return (manager, device)
        }
        let first = LastLocationStore(file: file, report: { _ in })
        launch(first).manager.pause()
        first.synchronize(within: .seconds(60))
        for _ in 0..<3 {
          let (manager, device) = launch(LastLocationStore(file: file, report: { _ in }))
          precondition(manager.state == .paused && device.mode == .off)
        }
        if text == "damaged" {
          precondition(try! String(contentsOf: file, encoding: .utf8) == text)
        } else {
          // The end of the pause needs no space either. Another pause does.
          let resumed = LastLocationStore(file: file, report: { _ in })
          launch(resumed).manager.resume()
          resumed.synchronize(within: .seconds(60))
          let again = LastLocationStore(file: file, report: { _ in })
          let (manager, _) = launch(again)
          precondition(manager.state != .paused && again.location == nil)
          manager.pause()
          again.synchronize(within: .seconds(60))
        }
        limitFiles(to: 1_000_000)
        let last = LastLocationStore(file: file, report: { _ in })
        precondition(launch(last).manager.state == .paused)
        last.location = Location(
          latitude: 1, longitude: 1, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
        precondition(last.synchronize(within: .seconds(60)))
        precondition(LastLocationStore(file: file).isPaused && LastLocationStore(file: file).location == last.location)
        last.isPaused = false
        precondition(last.synchronize(within: .seconds(60)))
        precondition(launch(LastLocationStore(file: file)).manager.state != .paused)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        precondition(names == ["last-location.json"] + (text == "damaged" ? ["last-location.json.unreadable-1"] : []))
      }
    }

    private static let location = #"{"latitude":1,"longitude":2,"horizontalAccuracy":5,"timestamp":0}"#
  #endif

  #if canImport(Darwin)
    @Test("Backups contain the last location and a pause, but neither a history nor trips")
    func backups() async throws {
      let store = LastLocationStore(file: file)
      store.isPaused = true
      #expect(store.synchronize())
      let history = LocationHistory(file: folder.appending(path: "history.jsonl"))
      history.append(here)
      #expect(history.synchronize(within: .seconds(60)))
      let trips = TripRecorder.Store(folder: folder.appending(path: "trips"))
      trips.save(.whole(.nothing))
      #expect(trips.synchronize(within: .seconds(60)))
      for (path, isExcluded) in [
        ("program/last-location.json", false), ("history.jsonl", true), ("trips/current.jsonl", true),
      ] {
        let values = try folder.appending(path: path).resourceValues(forKeys: [.isExcludedFromBackupKey])
        #expect(values.isExcludedFromBackup == isExcluded, "\(path)")
      }
    }
  #endif

  @Test("Non-finite values are stored as unknown, and a location that isn't on Earth is reported")
  func notFinite() throws {
    let reports = Reports()
    let store = LastLocationStore(file: file, report: reports.add)
    var wrong = here
    (wrong.speed, wrong.course) = (Double.nan, Double.infinity)
    (wrong.altitude, wrong.verticalAccuracy) = (Double.nan, -Double.infinity)
    store.location = wrong
    #expect(store.synchronize())
    let kept = try #require(LastLocationStore(file: file).location)
    #expect(kept == wrong && kept.speed == nil && kept.altitude == nil && kept.latitude == 0)
    #expect(reports.all.isEmpty)
    for invalid in [Double.nan, 91, -Double.infinity] {
      wrong.latitude = invalid
      store.location = wrong
    }
    #expect(store.location == kept)
    #expect(reports.all.count == 3)
  }

  @Test("A location that a later launch couldn't read is refused, whichever of its values is invalid")
  func eachInvalidValue() throws {
    let changes: [(String, (inout Location) -> Void)] = [
      ("latitude", { $0.latitude = .nan }), ("latitude", { $0.latitude = -90.1 }),
      ("longitude", { $0.longitude = .infinity }), ("longitude", { $0.longitude = 180.1 }),
      ("accuracy", { $0.horizontalAccuracy = -1 }), ("accuracy", { $0.horizontalAccuracy = .nan }),
      ("accuracy", { $0.horizontalAccuracy = .infinity }),
    ]
    for (name, change) in changes {
      let reports = Reports()
      let store = LastLocationStore(file: file, report: reports.add)
      store.location = here
      #expect(store.synchronize() && reports.all.isEmpty)
      var wrong = here
      change(&wrong)
      store.location = wrong
      #expect(store.synchronize() && reports.all.count == 1, "\(name)")
      let later = LastLocationStore(file: file, report: reports.add)
      #expect(later.location == here && !later.isPaused && reports.all.count == 1, "\(name)")
    }
  }

  @Test(
    "A later launch reads what was written, whatever the file contained",
    arguments: [nil, "", "damaged", String(repeating: " ", count: 100_000), #"{"version":99}"#, #"{"isPaused":true}"#],
    [false, true])
  func overwritten(text: String?, isReadFirst: Bool) throws {
    for isPaused in [false, true] {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      if let text { try Data(text.utf8).write(to: file) }
      let store = LastLocationStore(file: file, report: { _ in })
      if isReadFirst { _ = store.location }
      (store.location, store.isPaused) = (here, isPaused)
      #expect(store.synchronize())
      let later = LastLocationStore(file: file)
      #expect(later.location == here && later.isPaused == isPaused)
    }
  }

  #if os(Linux) || os(macOS)
    @Test(
      "On a full disk nothing that was stored is lost, except that the app counts as paused", arguments: [false, true])
    func nothingIsLost(isPaused: Bool) async throws {
      await #expect(processExitsWith: .success) { [isPaused] in
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "LastLocationStoreTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "last-location.json")
        let store = LastLocationStore(file: file, report: { _ in })
        var here = Location(latitude: 1, longitude: 1, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
        (store.location, store.isPaused) = (here, isPaused)
        precondition(store.synchronize(within: .seconds(60)))
        signal(SIGXFSZ, SIG_IGN)
        limitFiles(to: 10)
        let before = here
        here.latitude = 2
        store.location = here
        precondition(!store.synchronize(within: .seconds(60)))
        let later = LastLocationStore(file: file, report: { _ in })
        precondition(later.location == before && later.isPaused == isPaused)
      }
    }
  #endif

  #if os(Linux)
    @Test("A written file leaves no descriptor open")
    func descriptors() throws {
      let store = LastLocationStore(file: file)
      for number in 1...20 {
        store.location = Location(latitude: Double(number), longitude: 1, horizontalAccuracy: 5, timestamp: Date())
        #expect(store.synchronize())
      }
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(open.filter { $0.hasPrefix(folder.path) } == [])
    }
  #endif

  /// Creates and locks the file with the extension `new`, like a program that hangs.
  private func holdNewFile() throws -> FileHandle {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let descriptor = open(file.path + ".new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Releases the lock, also for the copies in processes that other tests are starting.
  private func release(_ other: FileHandle) throws {
    try #require(flock(other.fileDescriptor, LOCK_UN) == 0)
    try other.close()
  }

  @Test("A pause, its end and an erasure are flushed to the device; a location is ordered before later writes")
  func flushes() throws {
    let (flushed, ordered) = (Locked(0), Locked(0))
    var backing = StoreFile(path: file.path)
    backing.flush = { _ in
      flushed.change { $0 += 1 }
      return 0
    }
    backing.order = { _ in
      ordered.change { $0 += 1 }
      return 0
    }
    let store = LastLocationStore(backing)
    store.isPaused = true
    #expect(store.synchronize(), "creates the folder")
    for (change, isFlushed) in [
      ({ $0.isPaused = false }, true), ({ $0.location = here }, false), ({ $0.isPaused = true }, true),
      ({ $0.isPaused = false }, true),
      ({ $0.location = nil }, true),
    ] as [((LastLocationStore) -> Void, Bool)] {
      let before = (flushed.change { $0 }, ordered.change { $0 })
      change(store)
      #expect(store.synchronize())
      #expect((flushed.change { $0 } > before.0) == isFlushed && (ordered.change { $0 } > before.1) == !isFlushed)
    }
  }

  /// Returns a flush that fails for a type of files while a condition holds.
  private static func flush(
    failingFor type: mode_t, with error: Int32, while fails: @escaping @Sendable () -> Bool
  ) -> @Sendable (Int32) -> Int32 {
    { descriptor in
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == type, fails() else { return 0 }
      errno = error
      return 1
    }
  }

  @Test(
    "A value whose folder wasn't flushed isn't written: the next attempt flushes the folder", arguments: [true, false])
  func unflushedFolder(isPaused: Bool) throws {
    let first = LastLocationStore(file: file)
    (first.location, first.isPaused) = (here, !isPaused)
    #expect(first.synchronize())
    let fails = Locked(true)
    var backing = StoreFile(path: file.path)
    backing.flush = Self.flush(failingFor: S_IFDIR, with: EIO) { fails.change { $0 } }
    let store = LastLocationStore(backing, report: { _ in })
    store.isPaused = isPaused
    #expect(!store.synchronize() && !store.synchronize())
    fails.change { $0 = false }
    #expect(store.synchronize())
    #expect(LastLocationStore(file: file).isPaused == isPaused && LastLocationStore(file: file).location == here)
  }

  @Test(
    "If the end of a pause can't be written, the file is removed, unless an earlier library's location would come back",
    arguments: [false, true])
  func unwrittenEnd(hasEarlierLocation: Bool) throws {
    let first = LastLocationStore(file: file)
    (first.location, first.isPaused) = (here, true)
    #expect(first.synchronize())
    var backing = StoreFile(path: file.path)
    if hasEarlierLocation { backing.carriedOver = { here } }
    backing.flush = Self.flush(failingFor: S_IFREG, with: ENOSPC) { true }
    let store = LastLocationStore(backing, report: { _ in })
    store.isPaused = false
    let isWritten = store.synchronize()
    #expect(!(isWritten && hasEarlierLocation) && !store.isPaused)
    #expect(FileManager.default.fileExists(atPath: file.path) == hasEarlierLocation)
    #expect(LastLocationStore(file: file).isPaused == hasEarlierLocation)
  }

  @Test("An earlier library's location is removed once the file has replaced it", arguments: [nil, 12] as [Double?])
  func carriedOver(latitude: Double?) {
    let earlier = Locked<Location?>(here)
    let backing = StoreFile(
      path: file.path, carriedOver: { earlier.change { $0 } }, removeCarriedOver: { earlier.change { $0 = nil } })
    let store = LastLocationStore(backing)
    #expect(store.location == here)
    store.isPaused = false
    #expect(store.synchronize() && earlier.change { $0 } == here, "no file was written")
    let next = latitude.map { Location(latitude: $0, longitude: 5, horizontalAccuracy: 5, timestamp: .distantPast) }
    store.location = next
    #expect(store.synchronize() && earlier.change { $0 } == nil)
    #expect(LastLocationStore(backing).location == next)
  }

  @Test(
    "If another program holds the lock, a setter doesn't wait, one problem is reported, and the write is retried")
  func frozenWriter() throws {
    let reports = Reports()
    let other = try holdNewFile()
    let store = LastLocationStore(
      StoreFile(path: file.path, lockTimeout: .milliseconds(20)), report: reports.add)
    store.location = here
    store.isPaused = true
    #expect(store.location == here && store.isPaused)
    for _ in 0..<3 { #expect(!store.synchronize(within: .seconds(20))) }
    #expect(reports.all.count == 1 && reports.all.allSatisfy { $0.contains("another program has locked") })
    #expect(LastLocationStore(file: file).location == nil)
    try release(other)
    #expect(store.synchronize(within: .seconds(20)))
    #expect(LastLocationStore(file: file).location == here)
    #expect(reports.all.count == 1)
  }

  @Test("A manager doesn't wait for another program that holds the lock")
  func frozenWriterOfAManager() throws {
    let reports = Reports()
    let other = try holdNewFile()
    let store = LastLocationStore(
      StoreFile(path: file.path, lockTimeout: .milliseconds(20)), report: reports.add)
    let provider = ScriptedProvider(.always)
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    provider.fix(5)
    manager.pause()
    #expect(manager.state == .paused && provider.mode == .off)
    try release(other)
    #expect(store.synchronize(within: .seconds(20)))
    #expect(LastLocationStore(file: file).isPaused)
  }

  @Test("A link in place of the temporary file isn't followed, and its target remains unchanged")
  func links() throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let victim = folder.appending(path: "victim")
    let new = file.path + ".new"
    try Data("precious".utf8).write(to: victim)
    for make in [symlink, link] {
      let reports = Reports()
      try #require(make(victim.path, new) == 0)
      let store = LastLocationStore(file: file, report: reports.add)
      store.location = here
      #expect(!store.synchronize())
      #expect(reports.all.count == 1)
      #expect(try Data(contentsOf: victim) == Data("precious".utf8))
      try FileManager.default.removeItem(atPath: new)
      #expect(store.synchronize())
      try FileManager.default.removeItem(at: file)
    }
  }

  @Test(
    "A temporary file that another user owns isn't written",
    .enabled(if: geteuid() == 0, "only root can create another user's file"))
  func anotherUser() throws {
    let reports = Reports()
    try holdNewFile().close()
    try #require(chown(file.path + ".new", 65_534, 65_534) == 0)
    let store = LastLocationStore(file: file, report: reports.add)
    store.location = here
    #expect(!store.synchronize())
    #expect(reports.all.count == 1 && reports.all.allSatisfy { $0.contains("another user") })
    #expect(try Data(contentsOf: URL(filePath: file.path + ".new")).isEmpty)
  }

  #if os(Linux) || os(macOS)
    @Test("Ten processes that write concurrently never read or leave a damaged file")
    func tenProcesses() async throws {
      let writers = try (0..<10).map { _ in
        let writer = Process()
        writer.executableURL = products.appending(path: "StoreWriter")
        writer.arguments = [file.path, "--count", "40"]
        try writer.run()
        return writer
      }
      for writer in writers {
        writer.waitUntilExit()
        #expect(writer.terminationStatus == 0)
      }
      #expect(LastLocationStore(file: file).location?.latitude == 0.039)
      #expect(try names() == ["last-location.json"])
    }
  #endif

  /// The number of killed writers: the value of `LOCOKIT_KILLS`, or 30.
  private static let kills = ProcessInfo.processInfo.environment["LOCOKIT_KILLS"].flatMap(Int.init) ?? 30

  #if os(Linux) || os(macOS)
    @Test("The file is complete after its writer is killed at any time")
    func killed() throws {
      let reports = Reports()
      let store = LastLocationStore(file: file, report: reports.add)
      var last = 0.0
      var moves = 0
      for seed in 0..<Self.kills {
        let writer = Process()
        writer.executableURL = products.appending(path: "StoreWriter")
        writer.arguments = [file.path, "\(seed)"]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationReason == .uncaughtSignal && writer.terminationStatus == SIGKILL)
        let latitude = store.location?.latitude ?? 0
        if latitude < last || !reports.all.isEmpty {
          Issue.record("after the writer of seed \(seed): \(latitude) after \(last), \(reports.all)")
          return
        }
        if latitude > last { moves += 1 }
        last = latitude
        #expect(try names().count <= 2)
      }
      #expect(moves > Self.kills * 9 / 10)
    }
  #endif

  @Test("Concurrent writers lose no change")
  func severalWriters() async throws {
    let (file, here) = (file, here)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          let store = LastLocationStore(file: file)
          for _ in 0..<25 {
            if writer == 0 { store.isPaused = true } else { store.location = here }
            store.synchronize()
          }
        }
      }
    }
    let store = LastLocationStore(file: file)
    #expect(store.isPaused && store.location == here)
    #expect(try names() == ["last-location.json"])
  }

  #if os(Linux)
    @Test("The standard store is in $XDG_STATE_HOME, or in the user's home")
    func standard() async {
      await #expect(processExitsWith: .success) { Self.checkStandard("XDG_STATE_HOME", under: "") }
      await #expect(processExitsWith: .success) { Self.checkStandard("HOME", under: ".local/state") }
    }

    private static func checkStandard(_ variable: String, under path: String) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      // A relative path is ignored.
      setenv("XDG_STATE_HOME", "state", 1)
      setenv(variable, folder.path, 1)
      LastLocationStore.standard.isPaused = true
      precondition(LastLocationStore.standard.synchronize())
      let name = ProcessInfo.processInfo.processName
      let file = folder.appending(path: path).appending(path: "\(name)/last-location.json")
      precondition(FileManager.default.fileExists(atPath: file.path))
    }
  #endif
}

import Foundation
import Testing

@testable import LocoKit

@Suite("The stored last location")
struct LastLocationStoreTests {
  private let folder: URL
  private var file: URL { folder.appending(path: "program/last-location.json") }
  private let here = Location(
    latitude: 0, longitude: 0, horizontalAccuracy: 5, altitude: 3, speed: 1, course: 359,
    timestamp: Date(timeIntervalSince1970: 1_777_777_777.125))

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "LastLocationStoreTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// What a store reports, kept in a file.
  private struct Reports: Sendable {
    private let file = FileManager.default.temporaryDirectory.appending(path: "reports-\(UUID().uuidString)")
    var all: [String] {
      (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }
    func add(_ report: String) {
      try? Data((all + [report]).joined(separator: "\n").utf8).write(to: file)
    }
    func remove() { try? FileManager.default.removeItem(at: file) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).sorted()
  }

  private func permissions(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
  }

  @Test("gives back what was written, on the equator and the prime meridian too, in another launch")
  func roundTrip() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reports = Reports()
    defer { reports.remove() }
    let store = LastLocationStore(file: file, report: reports.add)
    #expect(store.location == nil && !store.isPaused)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    store.location = here
    store.isPaused = true
    let later = LastLocationStore(file: file, report: reports.add)
    #expect(later.location == here && later.isPaused)
    later.location = nil
    #expect(store.location == nil && store.isPaused)
    #expect(reports.all.isEmpty)
    #expect(try names() == ["last-location.json"])
  }

  @Test("is readable by its owner alone, whatever the file was before")
  func permissions() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = LastLocationStore(file: file)
    store.location = here
    #expect(try permissions(file.path) == 0o600)
    #expect(try permissions(file.deletingLastPathComponent().path) == 0o700)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    store.isPaused = true
    #expect(try permissions(file.path) == 0o600)
  }

  @Test(
    "keeps an unreadable file aside and says so, and never overwrites one kept before",
    arguments: [
      "", "{", "null", "[]", "{\"version\":2,\"isPaused\":false}", "{\"isPaused\":false}",
      "{\"version\":1,\"isPaused\":false,\"location\":{\"latitude\":91.0625,\"longitude\":0,\"horizontalAccuracy\":5,\"timestamp\":0}}",
      "{\"version\":1,\"isPaused\":false,\"location\":{\"latitude\":9,\"longitude\":0,\"horizontalAccuracy\":-5,\"timestamp\":0}}",
      String(repeating: "[", count: 10_000), String(repeating: " ", count: 20_000), "\u{0}\u{1}\u{2}",
    ])
  func unreadable(_ text: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reports = Reports()
    defer { reports.remove() }
    let store = LastLocationStore(file: file, report: reports.add)
    store.location = here
    for number in 1...9 {
      try Data("\(text)".utf8).write(to: file)
      if number % 2 == 0 { store.location = here } else { #expect(store.location == nil) }
      #expect(reports.all.count == number)
      #expect(reports.all.last?.contains("last-location.json.unreadable-\(number)") == true)
      let aside = file.deletingLastPathComponent().appending(path: "last-location.json.unreadable-\(number)")
      #expect(try Data(contentsOf: aside) == Data(text.utf8))
    }
    // Nine are kept; the tenth stays where it is.
    try Data(text.utf8).write(to: file)
    store.location = here
    #expect(reports.all.count == 10)
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    #expect(try names().count == 10)
    #expect(!reports.all.contains { $0.contains("91.0625") || $0.contains("latitude") })
  }

  @Test("reports what is no file, and a folder that cannot be made")
  func noFile() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reports = Reports()
    defer { reports.remove() }
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let store = LastLocationStore(file: file, report: reports.add)
    #expect(store.location == nil)
    store.location = here
    #expect(reports.all.count == 2 && reports.all.allSatisfy { $0.contains("is no file") })
    try Data().write(to: folder.appending(path: "plain"))
    let below = LastLocationStore(file: folder.appending(path: "plain/below/file.json"), report: reports.add)
    below.location = here
    #expect(reports.all.count == 3)
  }

  @Test("keeps what was there where the device is full, and says so")
  func full() async throws {
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "LastLocationStoreTests-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "last-location.json")
      // A report goes to a pipe, which has no limit.
      let reports = Pipe()
      let store = LastLocationStore(file: file) { reports.fileHandleForWriting.write(Data($0.utf8)) }
      var here = Location(
        latitude: 1, longitude: 1, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
      store.location = here
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
      precondition(store.location == before && before != nil)
      try reports.fileHandleForWriting.close()
      let report = try reports.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
      precondition(report.contains("cannot be written, for want of space"))
      precondition(
        try! FileManager.default.contentsOfDirectory(atPath: folder.path) == ["last-location.json"])
    }
  }

  @Test("refuses numbers that are not finite, and keeps what was there")
  func notFinite() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reports = Reports()
    defer { reports.remove() }
    let store = LastLocationStore(file: file, report: reports.add)
    store.location = here
    var wrong = here
    wrong.speed = .nan
    store.location = wrong
    #expect(store.location == here)
    #expect(reports.all.count == 1)
  }

  @Test("is whole, whenever its writer is killed: a thousand times")
  func killed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reports = Reports()
    defer { reports.remove() }
    let store = LastLocationStore(file: file, report: reports.add)
    var last = 0.0
    var moves = 0
    for seed in 0..<1_000 {
      let writer = Process()
      writer.executableURL = Self.products.appending(path: "StoreWriter")
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
    #expect(moves > 900)
  }

  @Test("several writers at once lose nothing of each other's")
  func severalWriters() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, here) = (file, here)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          let store = LastLocationStore(file: file)
          for _ in 0..<25 { if writer == 0 { store.isPaused = true } else { store.location = here } }
        }
      }
    }
    let store = LastLocationStore(file: file)
    #expect(store.isPaused && store.location == here)
    #expect(try names() == ["last-location.json"])
  }

  @Test("in user defaults, gives back what was written, and keeps aside what is damaged")
  func userDefaults() throws {
    let suite = "LastLocationStoreTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    let reports = Reports()
    defer { reports.remove() }
    let store = LastLocationStore(userDefaults: suite, report: reports.add)
    #expect(store.location == nil)
    store.location = here
    store.isPaused = true
    #expect(LastLocationStore(userDefaults: suite).location == here)
    #expect(LastLocationStore(userDefaults: suite).isPaused)
    #expect(reports.all.isEmpty)
    defaults.set("something else", forKey: StoreDefaults.key)
    #expect(store.location == nil)
    #expect(reports.all.count == 1)
    #expect(defaults.string(forKey: StoreDefaults.unreadableKey) == "something else")
    #expect(store.location == nil)
    #expect(reports.all.count == 1)
  }

  @Test("TTLocationHandler's location is carried over once, with the accuracy that it gave; the equator is a place")
  func carriedOver() throws {
    let suite = "LastLocationStoreTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    let date = Date(timeIntervalSince1970: 1_400_000_000)
    defaults.set(["LATITUDE": 0.0, "LONGITUDE": 12.5, "TIME_STAMP": date], forKey: StoreDefaults.oldKey)
    let store = LastLocationStore(userDefaults: suite)
    let old = try #require(store.location)
    #expect(old == Location(latitude: 0, longitude: 12.5, horizontalAccuracy: 1_000, timestamp: date))
    store.isPaused = true
    #expect(store.location == old)
    defaults.set(["LATITUDE": 7.0, "LONGITUDE": 7.0, "TIME_STAMP": date], forKey: StoreDefaults.oldKey)
    #expect(store.location == old)
    store.location = nil
    #expect(store.location == nil)
  }

  @Test("no location is made up of TTLocationHandler's default coordinates, or of half of one")
  func nothingInvented() throws {
    let suite = "LastLocationStoreTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    defaults.set(45.0, forKey: "DEFAULT_LOCATION_LATITUDE")
    defaults.set(9.0, forKey: "DEFAULT_LOCATION_LONGITUDE")
    #expect(LastLocationStore(userDefaults: suite).location == nil)
    defaults.set(["LATITUDE": 1.0], forKey: StoreDefaults.oldKey)
    #expect(LastLocationStore(userDefaults: suite).location == nil)
  }

  @Test("the standard one is in the state folder of the system")
  func standard() async {
    #if os(Linux)
      await #expect(processExitsWith: .success) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        setenv("XDG_STATE_HOME", folder.path, 1)
        LastLocationStore.standard.isPaused = true
        let name = ProcessInfo.processInfo.processName
        precondition(
          FileManager.default.fileExists(atPath: folder.appending(path: "\(name)/last-location.json").path))
      }
    #endif
  }

  private static var products: URL {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    return (tests ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
  }
}

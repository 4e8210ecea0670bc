import Foundation
import Testing

@testable import LocoDurable
@testable import LocoKit
@testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Journals on failing disks")
struct JournalDiskTests {
  private static func names(_ folder: JournalFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  private static let three = ["journal-000001.jsonl", "journal-000002.jsonl", "journal-000003.jsonl"]

  /// An invalid file in place of the secret.
  enum Obstacle: CaseIterable {
    case empty, nonsense, folder, link, danglingLink, pipe, anotherUsers

    /// Only root can create another user's file.
    static var possible: [Obstacle] { allCases.filter { $0 != .anotherUsers || geteuid() == 0 } }

    func make(_ secret: URL) throws {
      let path = secret.path
      let valid = try Data(contentsOf: secret)
      try FileManager.default.removeItem(at: secret)
      switch self {
      case .empty: try Data().write(to: secret)
      case .nonsense: try Data("nonsense".utf8).write(to: secret)
      case .folder: try FileManager.default.createDirectory(at: secret, withIntermediateDirectories: false)
      case .link:
        let target = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try valid.write(to: target)
        try #require(symlink(target.path, path) == 0)
      case .danglingLink: try #require(symlink("/nowhere/secret", path) == 0)
      case .pipe: try #require(mkfifo(path, 0o600) == 0)
      case .anotherUsers:
        try valid.write(to: secret)
        try #require(chown(path, 65_534, 65_534) == 0)
      }
    }
  }

  @Test(
    "If its secret is unusable, a journal keeps its files, reports once, and continues when it can create a new secret",
    arguments: Obstacle.possible)
  func obstacles(obstacle: Obstacle) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    for _ in 0..<3 { JournalTests.drive(folder.journal { $0.maximumFiles = 4 }, seconds: 60) }
    #expect(try Self.names(folder) == Self.three)
    try obstacle.make(folder.secret)
    let reports = Reports()
    let journal = folder.journal(reports: reports) { ($0.maximumFiles, $0.maximumFileSize) = (4, 10_000) }
    for _ in 0..<5 { JournalTests.drive(journal, seconds: 60, isWritten: false) }
    // The first launch contains no place, so it is written.
    #expect(try Self.names(folder) == Self.three + ["journal-000004.jsonl"])
    #expect(reports.all.count == 1 && reports.all.allSatisfy { $0.contains(".secret") }, "\(reports.all)")
    try FileManager.default.removeItem(at: folder.secret)
    JournalTests.drive(journal, seconds: 60)
    #expect(reports.all.count == 1)
    #expect(try JournalTests.replay(folder.url).player.difference == nil)
    #expect(try Self.lost(folder.url) > 0)
    #expect(try Self.lost(folder.url) == journal.lostLines)
  }

  @Test("Each line is in the journal or counted as lost, also the line of a launch", arguments: 1...4)
  func launches(_ launches: Int) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    // A file in place of the folder.
    try Data().write(to: folder.url)
    let journal = folder.journal(reports: Reports())
    var appended = 0
    for number in 0..<launches {
      let now = LocationCore.Now(
        uptime: .seconds(number), date: Date(timeIntervalSinceReferenceDate: Double(number)))
      let launch = JournalEntry.Launch(
        platform: "iOS 26.0", authorization: .always, wakeSources: [.timer], backgroundUpdates: .never, policy: .loco,
        location: nil, isPaused: false)
      let failures = (0..<number % 2).map { _ in
        JournalEntry(now: now, what: .input(.report(.failure(.locationUnknown))))
      }
      for entry in [JournalEntry(now: now, what: .launch(launch))] + failures {
        journal.append(entry)
        appended += 1
      }
      journal.synchronize(within: .seconds(60))
    }
    try FileManager.default.removeItem(at: folder.url)
    #expect(journal.synchronize(within: .seconds(60)))
    var reader = try JournalReader(contentsOf: folder.url)
    var (lines, lost) = (0, 0)
    while let entry = try reader.next() {
      if case .lost(let count) = entry.what { lost += count } else { lines += 1 }
    }
    #expect(lines + lost == appended && lost == journal.lostLines, "\(lines), \(lost) of \(appended)")
  }

  /// Returns the number of lost lines in a journal.
  private static func lost(_ url: URL) throws -> Int {
    var reader = try JournalReader(contentsOf: url)
    var lost = 0
    while let entry = try reader.next() {
      if case .lost(let count) = entry.what { lost += count }
    }
    return lost
  }

  #if os(Linux) || os(macOS)
    /// Limits the size of files, and returns the previous limit.
    @discardableResult
    private static func limit(to bytes: Int) -> Int {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      #if os(Linux)
        let files = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let files = RLIMIT_FSIZE
      #endif
      precondition(getrlimit(files, &limit) == 0)
      let before = Int(clamping: limit.rlim_cur)
      limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
      precondition(setrlimit(files, &limit) == 0)
      return before
    }

    /// Limits the size of files while `body` runs.
    private static func limited(to bytes: Int, _ body: () -> Void) {
      let before = limit(to: bytes)
      body()
      limit(to: before)
    }

    /// Runs turns of a manager. Each writes a few lines.
    private static func play(_ manager: LocationManager, _ base: ScriptedProvider, _ turns: Int) {
      for _ in 0..<turns {
        manager.forceAcquireLocation()
        base.pass(1)
        base.fix(5)
      }
    }

    @Test(
      "On a full disk a journal drops and counts lines, and keeps its files",
      arguments: [1_000, 2_000, 2_345])
    func full(bytes: Int) async throws {
      // The limit applies to the whole process.
      await #expect(processExitsWith: .success) { [bytes] in
        let folder = JournalFolder()
        defer { folder.remove() }
        for _ in 0..<3 { JournalTests.drive(folder.journal { $0.maximumFiles = 4 }, seconds: 30) }
        let reports = Reports()
        let journal = folder.journal(reports: reports) { $0.maximumFiles = 4 }
        let base = ScriptedProvider(.always)
        let manager = LocationManager(provider: RecordingProvider(base, to: journal))
        manager.tryPromptAuthorization()
        base.fix(5)
        Self.limited(to: bytes) {
          Self.play(manager, base, 50)
          // The count of lost lines may fit, so the result isn't checked.
          journal.synchronize(within: .seconds(30))
        }
        precondition(reports.all.count == 1, "\(reports.all)")
        precondition(!reports.all[0].contains("Success"))
        Self.play(manager, base, 5)
        precondition(journal.synchronize(within: .seconds(30)))
        precondition(try! Self.names(folder) == Self.three + ["journal-000004.jsonl"])
        let last = folder.url.appending(path: "journal-000004.jsonl")
        precondition(try! Self.lost(last) > 50)
        precondition(try! JournalTests.replay(folder.url).player.difference == nil)
      }
    }

    /// Returns entries of a few launches, with lines of about 40 bytes to one kilobyte.
    private static func entries(seed: UInt64) -> [JournalEntry] {
      var random = SeededGenerator(seed: seed)
      let launch = JournalEntry.Launch(
        platform: "Linux", authorization: .always, wakeSources: Sources.awake.kinds, backgroundUpdates: .never,
        policy: .loco, isPaused: false)
      return (0..<200).map { index in
        let length = Int.random(in: 0..<4, using: &random) == 0 ? 1_000 : Int.random(in: 1...100, using: &random)
        let text = String(repeating: "a", count: length)
        let what: JournalEntry.What =
          index == 0 || Int.random(in: 0..<60, using: &random) == 0 ? .launch(launch) : .note(text)
        let now = LocationCore.Now(
          uptime: .seconds(index), date: Date(timeIntervalSinceReferenceDate: Double(index)))
        return JournalEntry(now: now, what: what)
      }
    }

    /// Appends entries in three parts, each in groups of at most `size`, and waits for the queue after each group. Before each part, calls
    /// `before` with the folder and the part's number. Returns the files' contents and the number of reports.
    private static func written(
      _ entries: [JournalEntry], inGroupsOf size: Int, before: (URL, Int) -> Void
    ) throws -> (files: [String], reports: Int) {
      let folder = JournalFolder()
      defer { folder.remove() }
      let reports = Reports()
      let journal = folder.journal(reports: reports) {
        ($0.maximumFileSize, $0.maximumFiles, $0.keepsPlaces) = (10_000, 1_000, true)
      }
      for part in 0..<3 {
        before(folder.url, part)
        var rest = entries[part * entries.count / 3..<(part + 1) * entries.count / 3]
        while !rest.isEmpty {
          // While the queue is suspended, the journal collects entries.
          journal.log.queue.suspend()
          for entry in rest.prefix(size) { journal.append(entry) }
          rest = rest.dropFirst(size)
          journal.log.queue.resume()
          journal.log.queue.sync {}
        }
      }
      journal.synchronize(within: .seconds(30))
      return (try journal.files.map { try String(contentsOf: $0, encoding: .utf8) }, reports.all.count)
    }

    @Test("Files are the same whether entries are written one by one or together", arguments: 0..<20 as Range<UInt64>)
    func groups(seed: UInt64) throws {
      let entries = Self.entries(seed: seed)
      for isRemoved in [false, true] {
        let results = try [1, 5, 20, 200].map {
          try Self.written(entries, inGroupsOf: $0) { folder, part in
            if isRemoved, part == 2 { try? FileManager.default.removeItem(at: folder) }
          }
        }
        #expect(results.allSatisfy { $0 == (results[0].files, 0) }, "seed \(seed)")
        // Each file begins with a launch, or in the middle of one.
        for file in results[0].files {
          let begins = file.split(separator: "\n").map { $0.contains("launch") || $0.contains("continues") }
          #expect(begins.first == true && !begins.dropFirst().contains(true), "seed \(seed)")
        }
        let lines = results[0].files.joined().split(separator: "\n").count { !$0.contains("continues") }
        #expect(lines == (isRemoved ? entries.count - entries.count * 2 / 3 : entries.count), "seed \(seed)")
      }
    }

    @Test("Files are the same whether entries are written one by one or together, even if a disk becomes full twice")
    func fullGroups() async throws {
      await #expect(processExitsWith: .success) {
        var maximumReports = 0
        for seed in 0..<20 as Range<UInt64> {
          let entries = Self.entries(seed: seed)
          for bytes in [2_000, 5_000, 9_000] {
            let results = [1, 5, 20, 200].map {
              try! Self.written(entries, inGroupsOf: $0) { _, part in Self.limit(to: part == 1 ? 1_000_000 : bytes) }
            }
            precondition(results.allSatisfy { $0 == results[0] }, "seed \(seed), \(bytes) bytes")
            maximumReports = max(maximumReports, results[0].reports)
          }
        }
        precondition(maximumReports > 1, "No disk became full twice.")
      }
    }

    @Test("On a full disk a launch creates no file, and is written when there is space")
    func fullAtLaunch() async throws {
      await #expect(processExitsWith: .success) {
        let folder = JournalFolder()
        defer { folder.remove() }
        for _ in 0..<3 { JournalTests.drive(folder.journal { $0.maximumFiles = 3 }, seconds: 30) }
        let reports = Reports()
        let journal = folder.journal(reports: reports) { $0.maximumFiles = 3 }
        let base = ScriptedProvider(.always)
        var manager: LocationManager?
        Self.limited(to: 10) {
          let first = LocationManager(provider: RecordingProvider(base, to: journal))
          first.tryPromptAuthorization()
          base.fix(5)
          Self.play(first, base, 40)
          manager = first
          precondition(!journal.synchronize(within: .seconds(30)))
          precondition(try! Self.names(folder) == Self.three)
        }
        precondition(reports.all.count == 1)
        Self.play(manager!, base, 5)
        precondition(journal.synchronize(within: .seconds(30)))
        precondition(try! Self.names(folder) == Array(Self.three.dropFirst()) + ["journal-000004.jsonl"])
        let last = folder.url.appending(path: "journal-000004.jsonl")
        let player = try! JournalTests.replay(last).player
        precondition(player.difference == nil && player.compared == 0 && player.leftOut == 0)
        precondition(try! Self.lost(last) > 50)
      }
    }

    @Test("Journals and secrets of killed writers are intact")
    func killed() throws {
      let folder = JournalFolder()
      defer { folder.remove() }
      for seed in 0..<30 {
        // Every second writer needs a new secret.
        if seed % 2 == 0 { try? FileManager.default.removeItem(at: folder.secret) }
        let writer = Process()
        writer.executableURL = products.appending(path: "StoreWriter")
        writer.arguments = [folder.url.path, "--journal", "\(seed)"]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationReason == .uncaughtSignal && writer.terminationStatus == SIGKILL)
        if let secret = try? Data(contentsOf: folder.secret) {
          #expect(try JSONDecoder().decode(PlaceObfuscation.self, from: secret).rotation.count == 9)
        }
        guard FileManager.default.fileExists(atPath: folder.url.path) else { continue }
        #expect(try Self.names(folder).count <= 21)
        for file in try JournalFiles.listed(in: folder.url) {
          var reader = try JournalReader(contentsOf: file.url)
          while try reader.next() != nil {}
        }
      }
      // Another writer continues.
      let journal = folder.journal()
      JournalTests.drive(journal, seconds: 60)
      #expect(try JournalTests.replay(try #require(journal.files.last)).player.difference == nil)
    }
  #endif

  @Test("A journal continues after an incomplete secret, an empty file and an incomplete line")
  func windows() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    JournalTests.drive(folder.journal(), seconds: 60)
    let first = try #require(folder.journal().files.first)
    let whole = try Data(contentsOf: first)
    try whole.dropLast(7).write(to: first)
    try FileManager.default.removeItem(at: folder.secret)
    try Data("{\"rot".utf8).write(to: URL(filePath: folder.secret.path + ".new"))
    for number in 2...9 { try Data().write(to: folder.url.appending(path: JournalFiles.name(number))) }
    let journal = folder.journal { $0.maximumFiles = 2 }
    JournalTests.drive(journal, seconds: 60)
    // Empty files don't count against the maximum.
    #expect(try Self.names(folder).contains("journal-000001.jsonl"))
    #expect(journal.files.last?.lastPathComponent == "journal-000010.jsonl")
    #expect(!FileManager.default.fileExists(atPath: folder.secret.path + ".new"))
    #expect(try JSONDecoder().decode(PlaceObfuscation.self, from: Data(contentsOf: folder.secret)).rotation.count == 9)
    #expect(try JournalTests.replay(folder.url).player.difference == nil)
    // A minute later the empty files are deleted.
    for number in 2...9 {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -90)],
        ofItemAtPath: folder.url.appending(path: JournalFiles.name(number)).path)
    }
    JournalTests.drive(journal, seconds: 60)
    #expect(try Self.names(folder) == ["journal-000010.jsonl", "journal-000011.jsonl"])
  }

  @Test("Concurrent writers without a secret create a single one")
  func twoWriters() async throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { JournalTests.drive(folder.journal(), seconds: 30) } }
    }
    var places: [Location] = []
    for file in folder.journal().files {
      var reader = try JournalReader(contentsOf: file)
      while let entry = try reader.next() {
        guard case .input(.report(.fixes(let fixes))) = entry.what, let fix = fixes.first else { continue }
        places.append(fix)
        break
      }
    }
    #expect(places.count == 8)
    for place in places { #expect(place.distance(to: places[0]) < 1_000) }
  }

  @Test("After its folder was deleted, a journal continues in a new file")
  func removed() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal()
    let base = ScriptedProvider(.always)
    let manager = LocationManager(provider: RecordingProvider(base, to: journal))
    manager.tryPromptAuthorization()
    base.fix(5)
    #expect(journal.synchronize(within: .seconds(30)))
    try FileManager.default.removeItem(at: folder.url)
    base.fix(5)
    #expect(journal.synchronize(within: .seconds(30)))
    let file = try #require(journal.files.first)
    #expect(try String(contentsOf: file, encoding: .utf8).contains(#""is":"continues""#))
  }

  @Test("Similar file names are ignored, and running out of names is reported")
  func names() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    JournalTests.drive(folder.journal(), seconds: 30)
    for name in ["journal-9223372036854775807.jsonl", "journal-99999999999999999999.jsonl", "journal--1.jsonl"] {
      try Data().write(to: folder.url.appending(path: name))
    }
    let journal = folder.journal()
    JournalTests.drive(journal, seconds: 30)
    #expect(journal.files.map(\.lastPathComponent) == Array(Self.three.prefix(2)))
    try Data("\n".utf8).write(to: folder.url.appending(path: "journal-999999999.jsonl"))
    let reports = Reports()
    JournalTests.drive(folder.journal(reports: reports), seconds: 30, isWritten: false)
    #expect(reports.all.count == 1 && reports.all.allSatisfy { $0.contains("has no file name left") })
  }

  #if os(Linux)
    @Test("A folder or file without permissions isn't reported as missing")
    func unreadable() async throws {
      await #expect(processExitsWith: .success) {
        let folder = JournalFolder()
        defer { folder.remove() }
        JournalTests.drive(folder.journal(), seconds: 30)
        let file = folder.journal().files[0]
        if geteuid() == 0 { precondition(chmod(file.path, 0) == 0 && chmod(folder.url.path, 0o711) == 0) }
        if geteuid() == 0 { precondition(seteuid(65_534) == 0) } else { chmod(folder.url.path, 0o111) }
        for url in [folder.url, file] {
          do throws(FileFailure) {
            _ = try JournalProvider(contentsOf: url)
            preconditionFailure("The file was read.")
          } catch {
            precondition(!error.isMissing && error.reason.contains("permission"), "\(error)")
          }
          if geteuid() != 65_534 { break }
        }
        seteuid(0)
        // The folder's own folder can't be searched.
        chmod(folder.url.path, 0)
        if geteuid() == 0 { precondition(seteuid(65_534) == 0) }
        do throws(FileFailure) {
          _ = try JournalProvider(contentsOf: folder.url.appending(path: "journal"))
          preconditionFailure("The file was read.")
        } catch {
          precondition(!error.isMissing && error.reason.contains("permission"), "\(error)")
        }
        seteuid(0)
        chmod(folder.url.path, 0o700)
      }
    }
  #endif

  @Test("Opening a link to a pipe doesn't block")
  func pipe() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let (pipe, link) = (folder.url.appending(path: "pipe"), folder.url.appending(path: "journal-000001.jsonl"))
    try #require(mkfifo(pipe.path, 0o600) == 0 && symlink(pipe.path, link.path) == 0)
    for url in [folder.url, link, pipe] {
      let error = #expect(throws: FileFailure.self) { try JournalProvider(contentsOf: url) }
      #expect(error?.reason == "is not a regular file")
    }
    // A link to a file is followed.
    JournalTests.drive(folder.journal(), seconds: 30)
    let other = folder.url.appending(path: "other")
    try #require(symlink(folder.url.appending(path: "journal-000002.jsonl").path, other.path) == 0)
    #expect(try JournalTests.replay(other).player.difference == nil)
  }
}

import Foundation
import Testing

@testable import LocoDurable
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Record file")
struct RecordFileTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private var path: String { folder.appending(path: "records/file.jsonl").path }

  init() throws { temporary = try TemporaryFolder() }

  private func file(
    maximumSize: Int = 10_000, flush: @escaping @Sendable (Int32) -> Int32 = RecordFile.flushToDevice
  ) -> RecordFile {
    RecordFile(path: path, maximumSize: maximumSize, maximumLine: 20, flush: flush)
  }

  private func text(_ lines: RecordFile.Lines) -> [String] { lines.lines.map { String(decoding: $0, as: UTF8.self) } }

  private func append(_ lines: [String], to file: inout RecordFile) throws {
    try file.locked(within: .seconds(2)) { file in
      _ = try file.read()
      try file.append(lines.map { Data($0.utf8) })
    }
  }

  private func read(_ file: inout RecordFile) throws -> (isWholeFile: Bool, lines: [String]) {
    let lines = try file.locked(within: .seconds(2)) { try $0.read() }
    return (lines.isWholeFile, text(lines))
  }

  private static func isFolder(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  @Test("A replacement whose folder can't be flushed isn't undone by another one")
  func unflushedFolder() throws {
    let file = PrivateFile(path: path, flush: { Self.isFolder($0) ? 1 : 0 })
    try FileManager.default.createDirectory(
      at: folder.appending(path: "records"), withIntermediateDirectories: true)
    try file.locked(within: .seconds(2)) { new in
      errno = EIO
      #expect(throws: StoreError.self) { try file.replace(with: Data("new".utf8), in: new) }
      #expect(throws: StoreError.self) { try file.replace(with: Data(), in: new) }
    }
    #expect(try file.contents(atMost: 10) == Data("new".utf8))
  }

  @Test("A read returns the lines that another writer appended, and all lines of a replaced file")
  func reads() throws {
    var (one, other) = (file(), file())
    #expect(try read(&one) == (true, []))
    try append(["a", "b"], to: &one)
    #expect(try read(&one) == (true, ["a", "b"]), "a new file")
    try append(["", "c"], to: &one)
    #expect(try read(&one) == (false, []), "a read doesn't return the lines that this file appended")
    #expect(try read(&other) == (true, ["a", "b", "", "c"]))
    try append(["d"], to: &other)
    #expect(try read(&one) == (false, ["d"]))
    for _ in 0..<5 {
      // Repeated, because the file system might reuse the inode of the file that was read.
      try other.locked(within: .seconds(2)) { try $0.replace(with: [Data("e".utf8), Data("fghijklmnop".utf8)]) }
      try append(["q"], to: &other)
      #expect(try read(&one) == (true, ["e", "fghijklmnop", "q"]))
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(try read(&one) == (true, []))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "records").path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("A torn last line is ignored, and truncated by the next append")
  func torn() throws {
    var writer = file()
    try append(["first", "second"], to: &writer)
    let whole = try Data(contentsOf: URL(filePath: path))
    for length in 6..<whole.count {
      try whole.prefix(length).write(to: URL(filePath: path))
      var one = file()
      #expect(try read(&one) == (true, ["first"]))
      try append(["third"], to: &one)
      #expect(try read(&one) == (false, []))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\nthird\n")
    }
  }

  @Test("An overlong line is read as an empty one; a file that is too large or has no complete line is unreadable")
  func bounded() throws {
    var one = file(maximumSize: 100)
    try append(["first"], to: &one)
    try Data("first\n\(String(repeating: "x", count: 21))\nlast\n".utf8).write(to: URL(filePath: path))
    #expect(try read(&one) == (true, ["first", "", "last"]))
    #expect(throws: StoreError.self) { try append([String](repeating: "0123456789", count: 7), to: &one) }
    #expect(try read(&one) == (false, []))
    for text in [String(repeating: "x\n", count: 51), "x"] {
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(throws: Unreadable.self) { try read(&one) }
    }
    #expect(try one.locked(within: .seconds(2)) { try $0.setAside() } == path + ".unreadable-1")
    #expect(try read(&one) == (true, []))
  }

  @Test("No write exceeds the maximum size of the file, and a refused write changes nothing")
  func writesWithinTheSize() throws {
    let large = [String](repeating: "0123456789", count: 10)
    for before in [nil, "first"] {
      var one = file(maximumSize: 100)
      if let before { try append([before], to: &one) }
      #expect(throws: StoreError.self) { try append(large, to: &one) }
      #expect(throws: StoreError.self) {
        try one.locked(within: .seconds(2)) {
          _ = try $0.read()
          try $0.replace(with: large.map { Data($0.utf8) })
        }
      }
      var other = file(maximumSize: 100)
      #expect(try read(&other) == (true, [before].compactMap(\.self)))
      try append(["last"], to: &one)
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(
    "After a failed flush, no lines count as durable until a flush succeeds", arguments: 0..<50 as Range<UInt64>)
  func failedFlushes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // A third of the flushes fail.
    let (failures, flushes, path) = (Locked(SeededGenerator(seed: seed + 1_000)), Locked(0), path)
    /// A power loss preserves these contents of each inode, and this inode as the one with the file's name.
    let (contents, named) = (Locked([UInt64: Data]()), Locked(UInt64(0)))
    @Sendable func inode() -> UInt64 {
      var status = stat()
      return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
    var one = file { flushed in
      var status = stat()
      flushes.change { $0 += 1 }
      guard failures.change({ $0.index(below: 3) }) > 0, fstat(flushed, &status) == 0 else {
        errno = EIO
        return -1
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        named.change { $0 = inode() }
      } else {
        let bytes = (try? Descriptor(dup(flushed), "").bytes(from: 0, to: Int(status.st_size))) ?? Data()
        contents.change { [inode = UInt64(status.st_ino)] in $0[inode] = bytes }
      }
      return 0
    }
    for number in 0..<40 {
      do {
        try one.locked(within: .seconds(60)) { file in
          let lines = try file.read().lines
          switch random.index(below: 4) {
          case 0: try file.replace(with: lines.suffix(2) + [Data("\(number)".utf8)])
          case 1: try file.append([Data("\(number)".utf8)])
          default: break
          }
        }
        try one.locked(within: .seconds(60)) { file in
          _ = try file.read()
          try file.synchronize()
          let count = flushes.change { $0 }
          try file.synchronize()
          #expect(flushes.change { $0 } == count, "seed \(seed): durable lines are flushed again")
        }
      } catch { continue }
      let now = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
      guard !now.isEmpty else { continue }
      #expect(named.change { $0 } == inode(), "seed \(seed): the name of the new file isn't durable")
      let flushed = contents.change { $0 }[inode()]
      #expect(flushed == now, "seed \(seed): lines aren't durable")
    }
  }

  @Test("New folders are flushed into their folders; if that fails, the next write makes them again")
  func newFolders() throws {
    let (flushed, fails) = (Locked<[String]>([]), Locked(true))
    let path = folder.appending(path: "a/b/file.jsonl").path
    let folders = [(folder.path, "top"), (folder.path + "/a", "a"), (folder.path + "/a/b", "b")]
    var one = RecordFile(path: path, maximumSize: 100, maximumLine: 20) { file in
      var status = stat()
      if fstat(file, &status) == 0, let name = folders.first(where: { status.isFile(at: $0.0) })?.1 {
        flushed.change { $0.append(name) }
      }
      errno = EIO
      return fails.change { $0 } ? -1 : 0
    }
    #expect(throws: StoreError.self) { try append(["first"], to: &one) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    fails.change { $0 = false }
    flushed.change { $0 = [] }
    try append(["first"], to: &one)
    #expect(flushed.change { $0 } == ["a", "top", "b"])
    #expect(try read(&one).lines == ["first"])
  }

  @Test("A file that another program changes between a read and an append is not filled with zeros, or is refused")
  func changedByAnotherProgram() throws {
    for (change, expected) in [
      ("first", nil), ("", nil), ("first\nsecond\n", "first\nsecond\nthird\n"),
      ("first\nsecond\ntorn", "first\nsecond\nthird\n"),
    ] as [(String, String?)] {
      try? FileManager.default.removeItem(atPath: path)
      var one = file()
      try append(["first", "second"], to: &one)
      let error: (any Error)? = one.errorOfAppending("third") {
        // Not atomically, so the inode remains.
        try Data(change.utf8).write(to: URL(filePath: path))
      }
      #expect((error == nil) == (expected != nil) && (error.map { "\($0)".contains("has shortened") } ?? true))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == expected ?? change)
    }
  }

  @Test("A new file is flushed to the device before it replaces the old one, and the folder is flushed afterwards")
  func flushes() throws {
    let flushed = Locked<[String]>([])
    let path = path
    var one = RecordFile(path: path, maximumSize: 100, maximumLine: 20) { file in
      let kind = Self.isFolder(file) ? "folder" : "file"
      let text = try? String(contentsOfFile: path, encoding: .utf8)
      flushed.change { $0.append("\(kind), \(text?.dropLast() ?? "nothing")") }
      return 0
    }
    try append(["first"], to: &one)
    try one.locked(within: .seconds(2)) { try $0.replace(with: [Data("second".utf8)]) }
    #expect(
      flushed.change { $0 }
        == ["folder, nothing", "file, nothing", "folder, first", "file, first", "folder, second"])
  }

  @Test("An append restores the file's permissions")
  func permissions() throws {
    var one = file()
    for permissions in [0o600, 0o644, 0o666] {
      try append(["line"], to: &one)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
  }

  @Test("A renamed file is readable for its owner only, and a link's target is not changed")
  func permissionsAside() throws {
    let victim = folder.appending(path: "victim")
    func permissions(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    var one = file()
    try append(["line"], to: &one)
    for permissions in [0o644, 0o666, 0o600] {
      try Data("x".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
      let aside = try PrivateFile(path: path).setAside { try PrivateFile(path: path).remove() }
      #expect(try FileManager.default.attributesOfItem(atPath: aside)[.posixPermissions] as? Int == 0o600)
    }
    try Data("precious".utf8).write(to: victim)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: victim.path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim.path)
    _ = try PrivateFile(path: path).setAside { try PrivateFile(path: path).remove() }
    #expect(try permissions(victim.path) == 0o644)
  }

  @Test("A symbolic link, a hard link, a folder, a pipe and another user's file are refused")
  func foreign() async throws {
    let victim = folder.appending(path: "victim")
    try Data("precious\n".utf8).write(to: victim)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "records"), withIntermediateDirectories: true)
    var cases: [(make: () throws -> Void, problem: String)] = [
      (
        { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim.path) },
        "is a symbolic link"
      ),
      ({ try FileManager.default.linkItem(atPath: victim.path, toPath: path) }, "is a hard link"),
      (
        { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
        "is not a regular file"
      ),
      ({ try #require(mkfifo(path, 0o600) == 0) }, "is not a regular file"),
    ]
    if geteuid() == 0 {
      cases.append(
        (
          {
            try Data("line\n".utf8).write(to: URL(filePath: path))
            try #require(chown(path, 65_534, 65_534) == 0)
          }, "another user"
        ))
    }
    for (make, problem) in cases {
      try make()
      var one = file()
      #expect { try append(["line"], to: &one) } throws: { "\($0)".contains(problem) && !"\($0)".contains("line") }
      let file = PrivateFile(path: path)
      let contents = try await awaited("answer") { Result { try file.contents(atMost: 9, mustBeOwn: true) } }
      // A file with another name is only read.
      #expect((try? contents.get()) == nil || problem == "is a hard link")
      try FileManager.default.removeItem(atPath: path)
      #expect(try String(contentsOf: victim, encoding: .utf8) == "precious\n")
    }
  }
}

extension RecordFile {
  /// Reads the file, lets another program change it, and appends a line. Returns the error.
  fileprivate mutating func errorOfAppending(_ line: String, after change: () throws -> Void) -> (any Error)? {
    do {
      try locked(within: .seconds(60)) { file in
        _ = try file.read()
        try change()
        try file.append([Data(line.utf8)])
      }
      return nil
    } catch { return error }
  }
}

import Foundation
import Testing

@testable import LocoDurable
@testable import LocoMachine
@testable import TestSupport

@Suite("Record file")
struct RecordFileTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private var path: String { folder.appending(path: "records/file.jsonl").path }

  init() throws { temporary = try TemporaryFolder() }

  private func file(maximumSize: Int = 10_000) -> RecordFile {
    RecordFile(path: path, maximumSize: maximumSize, maximumLine: 20)
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

  @Test("A new file is flushed to the device before it replaces the old one, and the folder is flushed afterwards")
  func flushes() throws {
    let flushed = Locked<[String]>([])
    let path = path
    var one = RecordFile(path: path, maximumSize: 100, maximumLine: 20) { file in
      var status = stat()
      let kind = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? "folder" : "file"
      let text = try? String(contentsOfFile: path, encoding: .utf8)
      flushed.change { $0.append("\(kind), \(text?.dropLast() ?? "nothing")") }
      return 0
    }
    try append(["first"], to: &one)
    try one.locked(within: .seconds(2)) { try $0.replace(with: [Data("second".utf8)]) }
    #expect(flushed.change { $0 } == ["file, nothing", "folder, first", "file, first", "folder, second"])
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

  @Test("A symbolic link, a hard link, a folder and another user's file are refused")
  func foreign() throws {
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
      try FileManager.default.removeItem(atPath: path)
      #expect(try String(contentsOf: victim, encoding: .utf8) == "precious\n")
    }
  }
}

import Foundation

/// Reads the entries of a journal, one after the other: a file, or all files of a folder.
struct JournalReader {
  /// How long a line may be: ten thousand fixes have fewer bytes.
  static let maximumLine = 4_000_000
  /// How long a file may be.
  static let maximumFile = 1_000_000_000
  private static let piece = 1 << 16

  private var files: ArraySlice<URL>
  /// How many bytes all files had in the beginning.
  private let size: Int
  private var readBefore = 0
  private var handle: FileHandle?
  private var buffer: [UInt8] = []
  private var position = 0
  private var read = 0
  private(set) var file = ""
  private(set) var line = 0

  init(contentsOf url: URL) throws(FileFailure) {
    let path = url.path(percentEncoded: false)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FileFailure(url.relativePath, 0, "no such file", isMissing: true)
    }
    do { files = isFolder.boolValue ? try JournalFiles.listed(in: url).map(\.url)[...] : [url] } catch {
      throw FileFailure(url.relativePath, 0, "the folder cannot be read, for want of a permission perhaps")
    }
    guard !files.isEmpty else {
      throw FileFailure(
        url.relativePath, 0, "the folder has no file of a journal, journal-000001.jsonl or so", isMissing: true)
    }
    size = files.reduce(0) { sum, file in
      let path = file.path(percentEncoded: false)
      return sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
    }
  }

  /// The lines of some bytes: what a fuzzer feeds.
  init(_ bytes: [UInt8]) {
    (files, buffer, file, size) = ([], bytes, "bytes", bytes.count)
  }

  /// How much is read, 0…1.
  var progress: Double { size > 0 ? min(1, Double(readBefore + read) / Double(size)) : 1 }

  /// The next entry; `nil` after the last whole line.
  mutating func next() throws(FileFailure) -> JournalEntry? {
    while let text = try nextLine() {
      if text.isEmpty { continue }
      do { return try JournalEntry(buffer[text]) } catch { throw FileFailure(file, line, error.reason) }
    }
    return nil
  }

  /// Where the next whole line stands, without its end. What is behind the last end of a line was cut off, and is left out.
  private mutating func nextLine() throws(FileFailure) -> Range<Int>? {
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        let text = position..<end
        position = end + 1
        line += 1
        guard text.count <= Self.maximumLine else { throw tooLong }
        return text
      }
      guard buffer.count - position <= Self.maximumLine else {
        line += 1
        throw tooLong
      }
      guard try fill() else {
        guard try nextFile() else { return nil }
        continue
      }
    }
  }

  private var tooLong: FileFailure { FileFailure(file, line, "the line has more than \(Self.maximumLine) bytes") }

  /// Reads some more of the file, and says whether there was more.
  private mutating func fill() throws(FileFailure) -> Bool {
    guard let handle else { return false }
    let more: Data?
    do { more = try handle.read(upToCount: Self.piece) } catch {
      throw FileFailure(file, line, "the file cannot be read")
    }
    guard let more, !more.isEmpty else { return false }
    read += more.count
    guard read <= Self.maximumFile else {
      throw FileFailure(file, line, "the file has more than \(Self.maximumFile) bytes")
    }
    buffer.removeFirst(position)
    buffer += more
    position = 0
    return true
  }

  private mutating func nextFile() throws(FileFailure) -> Bool {
    try? handle?.close()
    handle = nil
    guard let url = files.popFirst() else { return false }
    readBefore += read
    (file, line, read, position, buffer) = (url.relativePath, 0, 0, 0, [])
    // The target of a link: opening a pipe would block.
    let path = url.resolvingSymlinksInPath().path(percentEncoded: false)
    guard let type = try? FileManager.default.attributesOfItem(atPath: path)[.type],
      type as? FileAttributeType == .typeRegular
    else { throw FileFailure(file, 0, "is no file that can be read") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw FileFailure(file, 0, "cannot be opened, for want of a permission perhaps")
    }
    self.handle = handle
    return true
  }
}

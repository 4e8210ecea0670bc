import LocoDurable
import LocoFoundation
import LocoKit

/// Reads the entries of a journal in order, from a file or from all files of a folder.
struct JournalReader {
  /// The maximum length of a line in bytes. Ten thousand fixes need fewer.
  static let maximumLine = 4_000_000
  private static let maximumFile = 1_000_000_000
  private static let chunk = 1 << 16

  private var files: ArraySlice<URL>
  /// The size of all files together, in bytes.
  private let size: Int
  private var readBefore = 0
  private var input: Descriptor?
  private var buffer: [UInt8] = []
  private var position = 0
  private var read = 0
  private(set) var file = ""
  private(set) var line = 0
  /// The number of the file.
  private var number: Int?
  /// Whether the file before this one is missing, until the first line is read.
  private var isAfterMissing = false

  init(contentsOf url: URL) throws(FileFailure) {
    let path = url.path(percentEncoded: false)
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Self.failure(errno, opening: url.relativePath)
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    do { files = isFolder ? try JournalFiles.listed(in: url).map(\.url)[...] : [url] } catch {
      throw FileFailure(url.relativePath, 0, "can't read the folder; check its permissions")
    }
    guard !files.isEmpty else {
      throw FileFailure(
        url.relativePath, 0, "the folder contains no journal file, such as journal-000001.jsonl", isMissing: true)
    }
    size = files.reduce(0) { sum, file in
      let path = file.path(percentEncoded: false)
      return sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
    }
  }

  /// Creates a reader of bytes in memory.
  init(_ bytes: [UInt8]) {
    (files, buffer, file, size) = ([], bytes, "bytes", bytes.count)
  }

  /// The share of the files' bytes that has been read: 0…1. It has no meaning for bytes in memory.
  var progress: Double { size > 0 ? min(1, Double(readBefore + read) / Double(size)) : 1 }

  /// Returns the next entry; `nil` after the last complete line.
  mutating func next() throws(FileFailure) -> JournalEntry? {
    while let text = try nextLine() {
      if text.isEmpty { continue }
      do {
        var entry = try JournalEntry(buffer[text])
        // The launch continues, but the file in between is missing. The number of its lines is unknown.
        if isAfterMissing, case .continues = entry.what { entry = JournalEntry(now: entry.now, what: .lost(0)) }
        isAfterMissing = false
        return entry
      } catch { throw FileFailure(file, line, error.reason) }
    }
    return nil
  }

  /// Returns the range of the next line in the buffer, without its newline. An incomplete last line is ignored.
  private mutating func nextLine() throws(FileFailure) -> Range<Int>? {
    while true {
      let newline = buffer[position...].firstIndex(of: UInt8(ascii: "\n"))
      let text = position..<(newline ?? buffer.count)
      guard text.count <= Self.maximumLine else {
        throw FileFailure(file, line + 1, "the line has more than \(Self.maximumLine) bytes")
      }
      if newline != nil {
        (position, line) = (text.upperBound + 1, line + 1)
        return text
      }
      guard try fill() ? true : nextFile() else { return nil }
    }
  }

  /// Reads the next chunk of the file. Returns `false` at its end.
  private mutating func fill() throws(FileFailure) -> Bool {
    guard let input else { return false }
    guard let more = try? input.bytes(from: read, to: read + Self.chunk) else {
      throw FileFailure(file, line, "can't read the file")
    }
    if more.isEmpty { return false }
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
    input = nil
    guard let url = files.popFirst() else { return false }
    readBefore += read
    // A number in a folder's file names follows the last one.
    let number = JournalFiles.number(of: url.lastPathComponent)
    if let last = self.number, number != last + 1 { isAfterMissing = true }
    self.number = number
    (file, line, read, position, buffer) = (url.relativePath, 0, 0, 0, [])
    // Opening a pipe would block.
    let opened = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw Self.failure(errno, opening: file) }
    let input = Descriptor(opened, file)
    guard let status = try? input.status(), status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure(file, 0, "is not a regular file")
    }
    self.input = input
    return true
  }

  private static func failure(_ code: Int32, opening file: String) -> FileFailure {
    switch code {
    case ENOENT, ENOTDIR: FileFailure(file, 0, "no such file", isMissing: true)
    case EACCES, EPERM: FileFailure(file, 0, "can't open the file; check its permissions")
    default: FileFailure(file, 0, "can't open the file: \(String(cString: strerror(code)))")
    }
  }
}

import Foundation

/// Why a journal cannot be read.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name.
  public let file: String
  /// The line, from 1 on; 0 where the reason is not in a line.
  public let line: Int
  /// What is wrong, in words.
  public let reason: String
  /// Whether there is no such file.
  public let isMissing: Bool

  /// `file:line: reason`.
  public var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }

  init(_ file: String, _ line: Int, _ reason: String, isMissing: Bool = false) {
    (self.file, self.line, self.reason, self.isMissing) = (file, line, reason, isMissing)
  }
}

/// Reads the entries of a journal, one after the other: a file, or all files of a folder.
struct JournalReader {
  /// How long a line may be: ten thousand fixes have fewer bytes.
  static let maximumLine = 4_000_000
  /// How long a file may be.
  static let maximumFile = 1_000_000_000
  private static let piece = 1 << 16

  private var files: ArraySlice<URL>
  private var handle: FileHandle?
  private var buffer = Data()
  private var position = 0
  private var read = 0
  private(set) var file = ""
  private(set) var line = 0
  private let decoder: JSONDecoder

  init(contentsOf url: URL) throws(JournalError) {
    let path = url.path(percentEncoded: false)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw JournalError(url.relativePath, 0, "no such file", isMissing: true)
    }
    files = isFolder.boolValue ? JournalFiles.all(in: url).map(\.url)[...] : [url]
    guard !files.isEmpty else {
      throw JournalError(
        url.relativePath, 0, "the folder has no file of a journal, journal-000001.jsonl or so", isMissing: true)
    }
    decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// The lines of some data: what a fuzzer feeds.
  init(_ data: Data) {
    files = []
    buffer = data
    (file, decoder) = ("data", JSONDecoder())
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// The next entry; `nil` after the last whole line.
  mutating func next() throws(JournalError) -> JournalEntry? {
    while let text = try nextLine() {
      if text.isEmpty { continue }
      do {
        return try JournalEntry(decoder.decode(JournalLine.self, from: text))
      } catch let problem as JournalLine.Problem {
        throw JournalError(file, line, problem.reason)
      } catch {
        throw JournalError(file, line, "this is no line of a journal\(Self.words(for: error))")
      }
    }
    return nil
  }

  private static func words(for error: any Error) -> String {
    guard let error = error as? DecodingError else { return "" }
    switch error {
    case .keyNotFound(let key, _): return ": it has no \(key.stringValue)"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return context.codingPath.isEmpty
        ? ": it is no object" : ": \(context.codingPath[0].stringValue) is of another type"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? ": it is no JSON" : ": \(context.codingPath[0].stringValue) is not known"
    @unknown default: return ""
    }
  }

  /// The next whole line, without its end. What is behind the last end of a line was cut off, and is left out.
  private mutating func nextLine() throws(JournalError) -> Data? {
    while true {
      if let end = buffer[(buffer.startIndex + position)...].firstIndex(of: UInt8(ascii: "\n")) {
        let text = buffer[(buffer.startIndex + position)..<end]
        position = end + 1 - buffer.startIndex
        line += 1
        guard text.count <= Self.maximumLine else { throw tooLong }
        return Data(text)
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

  private var tooLong: JournalError { JournalError(file, line, "the line has more than \(Self.maximumLine) bytes") }

  /// Reads some more of the file, and says whether there was more.
  private mutating func fill() throws(JournalError) -> Bool {
    guard let handle else { return false }
    let more: Data?
    do { more = try handle.read(upToCount: Self.piece) } catch {
      throw JournalError(file, line, "the file cannot be read")
    }
    guard let more, !more.isEmpty else { return false }
    read += more.count
    guard read <= Self.maximumFile else {
      throw JournalError(file, line, "the file has more than \(Self.maximumFile) bytes")
    }
    buffer = buffer.dropFirst(position) + more
    position = 0
    return true
  }

  private mutating func nextFile() throws(JournalError) -> Bool {
    try? handle?.close()
    handle = nil
    guard let url = files.popFirst() else { return false }
    (file, line, read, position, buffer) = (url.relativePath, 0, 0, 0, Data())
    guard let type = try? FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.type],
      type as? FileAttributeType == .typeRegular || type as? FileAttributeType == .typeSymbolicLink
    else { throw JournalError(file, 0, "is no file that can be read", isMissing: true) }
    guard let handle = try? FileHandle(forReadingFrom: url) else {
      throw JournalError(file, 0, "cannot be opened", isMissing: true)
    }
    self.handle = handle
    return true
  }
}

public import Foundation
public import LocoKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

extension SimulatedProvider.GPXTrack {
  /// Reads a file.
  ///
  /// - Complexity: O(size of the file), in time and in memory.
  /// - Throws: `FileFailure` with the file, the line and the reason.
  public init(contentsOf url: URL) throws(FileFailure) {
    try self.init(GPXDocument(contentsOf: url), file: url.relativePath)
  }

  /// Reads the contents of a file.
  ///
  /// - Parameters:
  ///   - data: The contents.
  ///   - name: The file's name in errors.
  /// - Complexity: O(size of the data), in time and in memory.
  /// - Throws: `FileFailure` with the name, the line and the reason.
  public init(data: Data, name: String = "GPX") throws(FileFailure) {
    try self.init(GPXDocument(data, file: name), file: name)
  }
}

extension GPXDocument {
  init(contentsOf url: URL, limits: SimulatedProvider.GPXTrack.Limits = .init()) throws(FileFailure) {
    let file = url.relativePath
    // Opening a pipe or a device could block.
    var status = stat()
    guard stat(url.path(percentEncoded: false), &status) == 0 else {
      let isAbsent = errno == ENOENT || errno == ENOTDIR
      throw FileFailure(file, 0, isAbsent ? "no such file" : "cannot be opened", isMissing: true)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileFailure(file, 0, "is a folder, not a file", isMissing: true)
    default: throw FileFailure(file, 0, "is a pipe or a device: write it to a file first", isMissing: true)
    }
    guard let handle = try? FileHandle(forReadingFrom: url),
      let data = try? handle.read(upToCount: limits.bytes + 1) ?? Data()
    else { throw FileFailure(file, 0, "cannot be opened", isMissing: true) }
    try self.init(data, file: file, limits: limits)
  }

  init(_ data: Data, file: String, limits: SimulatedProvider.GPXTrack.Limits = .init()) throws(FileFailure) {
    guard data.count <= limits.bytes else {
      throw FileFailure(file, 0, "the file has more than \(limits.bytes) bytes")
    }
    let reader = GPXReader(limits: limits)
    // The parser reads a stream, because libxml2 reports an error for more than 10 MB in one call.
    let parser = XMLParser(stream: InputStream(data: try Self.sanitized(data, file: file)))
    parser.delegate = reader
    _ = parser.parse()
    self = reader.document
    if let (line, reason) = reader.refusal { throw FileFailure(file, line, reason) }
    if let error = parser.parserError {
      let line = max(1, reader.errorLine)
      let reason = Self.reason(for: error)
      guard tracks.joined().count + routes.joined().count >= 2 else { throw FileFailure(file, line, reason) }
      note = "Line \(line): \(reason); the part before it is used."
    }
    if !reader.sawRoot { throw FileFailure(file, 1, "the file is empty") }
  }

  /// Returns a description of an error, by its code in libxml2. Foundation's parser uses libxml2 on every platform.
  private static func reason(for error: any Error) -> String {
    let code = (error as NSError).code
    return switch code {
    case 1: "a tag or a text has more than 10 MB"
    case 4: "the file isn't XML"
    case 5, 76, 77: "the XML is cut off, or an element isn't closed"
    case 9: "the text has a character that XML doesn't allow"
    case 31, 32, 81: "a character doesn't fit the file's encoding"
    case 26, 27: "the file uses an entity that it doesn't declare"
    default: "the XML is malformed (libxml2's error \(code))"
    }
  }

  // MARK: - Text

  /// The greatest number of attributes of an element, namespaces included. GPX needs two, and a root element about ten.
  static let maximumAttributes = 64

  /// Returns a file's text as UTF-8 that Foundation's parser can read safely.
  ///
  /// On Linux, that parser traps at a name that isn't UTF-8, at a processing instruction without data, and at some document types, and its
  /// time grows with the square of an element's attributes. The result is valid UTF-8. Blanks replace processing instructions, comments,
  /// and each `<` in a CDATA section, because the parser ends a comment or a CDATA section at a control character, and reads the rest as
  /// XML. Blanks also replace the XML declaration, because the encoding that it names no longer applies.
  ///
  /// - Throws: `FileFailure` for an encoding that isn't in ``encodings``, a document type, or an element with more than
  ///   ``maximumAttributes``.
  static func sanitized(_ data: Data, file: String) throws(FileFailure) -> Data {
    var bytes = Array(try decoded(data, file: file).utf8)
    var index = 0

    func has(_ mark: String) -> Bool { bytes[index...].starts(with: mark.utf8) }
    func skip(_ mark: String, to end: String) -> Range<Int> {
      let start = index
      index = min(bytes.count, index + mark.utf8.count)
      let content = index
      while index < bytes.count {
        index += 1
        guard bytes[index - 1] == UInt8(ascii: ">") else { continue }
        if bytes[content..<index].suffix(end.utf8.count).elementsEqual(end.utf8) { break }
      }
      return start..<index
    }
    func refusal(_ reason: String) -> FileFailure {
      FileFailure(file, 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }, reason)
    }

    // Line ends remain, so that the line numbers of errors are right.
    func blank(_ range: Range<Int>, where isBlanked: (UInt8) -> Bool = { $0 != UInt8(ascii: "\n") }) {
      for index in range where isBlanked(bytes[index]) { bytes[index] = UInt8(ascii: " ") }
    }

    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        index += 1
        continue
      }
      switch index + 1 < bytes.count ? bytes[index + 1] : 0 {
      case UInt8(ascii: "?"):
        blank(skip("<?", to: "?>"))
      case UInt8(ascii: "!") where has("<!--"): blank(skip("<!--", to: "-->"))
      case UInt8(ascii: "!") where has("<![CDATA["):
        blank(skip("<![CDATA[", to: "]]>").dropFirst()) { $0 == UInt8(ascii: "<") }
      case UInt8(ascii: "!") where has("<!DOCTYPE"):
        throw refusal("a document type isn't allowed: remove <!DOCTYPE …>")
      default:
        let start = index
        if attributes(ofTagAt: &index, in: bytes) > maximumAttributes {
          index = start
          throw refusal("an element has more than \(maximumAttributes) attributes")
        }
      }
    }
    return Data(bytes)
  }

  /// Returns the number of quoted values in a tag, and moves the index to the tag's end, or to a misplaced `<`.
  private static func attributes(ofTagAt index: inout Int, in bytes: [UInt8]) -> Int {
    var quote: UInt8?
    var attributes = 0
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
      let byte = bytes[index]
      if quote == byte {
        quote = nil
      } else if quote == nil {
        if byte == UInt8(ascii: ">") { break }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { (quote, attributes) = (byte, attributes + 1) }
      }
      index += 1
    }
    return attributes
  }

  /// The encodings of files without a byte order mark, by their names in the XML declaration.
  private static let encodings: [String: String.Encoding] = [
    "utf-8": .utf8, "us-ascii": .utf8, "iso-8859-1": .isoLatin1, "iso-8859-15": .isoLatin1, "latin1": .isoLatin1,
    "windows-1252": .windowsCP1252,
    // A declaration that can be read as ASCII isn't in UTF-16: a program has converted the file and left the name.
    "utf-16": .utf8,
  ]

  /// Decodes a file by its byte order mark or its XML declaration. Bytes that don't fit the encoding become U+FFFD.
  private static func decoded(_ data: Data, file: String) throws(FileFailure) -> String {
    let text = if let marked = marked(data) { marked } else { try declared(data, file: file) }
    // libxml2 reads a text with a zero byte at the start as UTF-16 or UTF-32.
    guard !text.utf8.prefix(4).contains(0) else {
      throw FileFailure(file, 1, "the file is in UTF-32, or in UTF-16 without a byte order mark; convert it to UTF-8")
    }
    return text
  }

  /// Decodes a file with a byte order mark, and removes the mark; `nil` if there is none.
  private static func marked(_ data: Data) -> String? {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: data.dropFirst(3), as: UTF8.self) }
    guard data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) else { return nil }
    let bytes = Array(data)
    let (high, low) = bytes[0] == 0xFE ? (0, 1) : (1, 0)
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func declared(_ data: Data, file: String) throws(FileFailure) -> String {
    let declaration = String(decoding: data.prefix(256).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    let name = declaration.firstMatch(of: /<\?xml\b[^>]*\sencoding\s*=\s*["']([A-Za-z][\w.\-]*)["']/)?.1
    guard let encoding = encodings[name?.lowercased() ?? "utf-8"] else {
      throw FileFailure(file, 1, "the file is in the encoding \(name ?? ""); convert it to UTF-8")
    }
    let text = encoding == .utf8 ? nil : String(data: data, encoding: encoding)
    return text ?? String(decoding: data, as: UTF8.self)
  }
}

// MARK: - Elements

/// Collects points while the parser reads.
private final class GPXReader: NSObject, XMLParserDelegate {
  var document = GPXDocument()
  private(set) var sawRoot = false
  /// The line and the reason if the file is refused.
  private(set) var refusal: (line: Int, reason: String)?
  private(set) var errorLine = 0

  private let limits: SimulatedProvider.GPXTrack.Limits
  private var path: [Substring] = []
  private var point: GPXDocument.Point?
  private var pointDepth = 0
  private var text = ""
  private var points = 0
  private static let longestValue = 64

  init(limits: SimulatedProvider.GPXTrack.Limits) { self.limits = limits }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    let name = Self.local(name)
    if !sawRoot, name != "gpx" { refuse("the file isn't GPX: its root is <\(name.prefix(40))>", parser) }
    sawRoot = true
    path.append(name)
    if path.count > limits.depth { refuse("elements are nested more than \(limits.depth) deep", parser) }
    text = ""
    switch name {
    case "trkseg": document.tracks.append([])
    case "rte": document.routes.append([])
    case "trkpt", "rtept": begin(attributes, parser)
    case "wpt": document.waypoints += 1
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    if text.utf8.count <= Self.longestValue { text += characters }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block.prefix(Self.longestValue), as: UTF8.self))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    let isInPoint = point != nil && path.count == pointDepth + 1
    switch Self.local(name) {
    case "ele" where isInPoint: point?.altitude = Self.number(text).flatMap { $0.isFinite ? $0 : nil }
    case "time" where isInPoint: point?.time = Self.date(Self.trimmed(text))
    case "trkpt", "rtept": end()
    default: break
    }
    text = ""
    _ = path.popLast()
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    if errorLine == 0 { errorLine = parser.lineNumber }
  }

  func parser(_ parser: XMLParser, resolveExternalEntityName name: String, systemID: String?) -> Data? { nil }

  private func begin(_ attributes: [String: String], _ parser: XMLParser) {
    points += 1
    if points > limits.points { return refuse("there are more than \(limits.points) points", parser) }
    guard let latitude = attributes["lat"].flatMap(Self.number), (-90...90).contains(latitude),
      let longitude = attributes["lon"].flatMap(Self.number), (-180...180).contains(longitude)
    else {
      document.badCoordinates += 1
      if document.badCoordinates == points, points == SimulatedProvider.GPXTrack.Limits.unusablePoints {
        refuse("the first \(points) points are without a usable coordinate", parser)
      }
      return
    }
    point = GPXDocument.Point(latitude: latitude, longitude: longitude)
    pointDepth = path.count
  }

  private func end() {
    guard let point, path.count == pointDepth else { return }
    self.point = nil
    func add(to segments: inout [[GPXDocument.Point]]) {
      if segments.isEmpty { segments.append([]) }
      segments[segments.count - 1].append(point)
    }
    if path.last == "trkpt" { add(to: &document.tracks) } else { add(to: &document.routes) }
  }

  private func refuse(_ reason: String, _ parser: XMLParser) {
    guard refusal == nil else { return }
    refusal = (parser.lineNumber, reason)
    parser.abortParsing()
  }

  /// Returns an element's name without its prefix.
  private static func local(_ name: String) -> Substring {
    name.utf8.lastIndex(of: UInt8(ascii: ":")).map { name[name.index(after: $0)...] } ?? name[...]
  }

  private static func number(_ text: String) -> Double? { Double(text) ?? Double(trimmed(text)) }

  private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

  private static func date(_ text: String) -> Date? {
    (try? wholeSeconds.parse(text)) ?? (try? fractions.parse(text)) ?? (try? wholeSeconds.parse(text + "Z"))
      ?? (try? fractions.parse(text + "Z"))
  }

  private static let wholeSeconds = Date.ISO8601FormatStyle()
  private static let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

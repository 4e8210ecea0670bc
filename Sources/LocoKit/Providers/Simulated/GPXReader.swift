import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What stands in a GPX file, as it stands there.
struct GPXDocument {
  struct Point {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
    var time: Date?

    func point(at time: TimeInterval) -> Route.Point {
      Route.Point(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
    }
  }

  /// A list for each segment.
  var tracks: [[Point]] = []
  var routes: [[Point]] = []
  var waypoints = 0
  var badCoordinates = 0
  /// Where the file is broken, if it is and something of it can be used.
  var note: String?

  init() {}

  init(contentsOf url: URL, limits: GPXTrack.Limits) throws(GPXError) {
    let file = url.relativePath
    let handle: FileHandle
    do {
      handle = try FileHandle(forReadingFrom: url)
    } catch {
      let reason = (try? url.checkResourceIsReachable()) == true ? "cannot be opened" : "no such file"
      throw GPXError(file: file, line: 0, reason: reason, isMissing: true)
    }
    defer { try? handle.close() }
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    if attributes?[.type] as? FileAttributeType == .typeDirectory {
      throw GPXError(file: file, line: 0, reason: "is a folder, not a file", isMissing: true)
    }
    let stream = BoundedStream(handle, limit: limits.bytes)
    let parser = XMLParser(stream: stream)
    let reader = GPXReader(limits: limits)
    parser.delegate = reader
    _ = parser.parse()
    self = reader.document
    if stream.isOverLimit {
      throw GPXError(
        file: file, line: parser.lineNumber, reason: "the file has more than \(limits.bytes) bytes", isMissing: false)
    }
    if let refusal = reader.refusal {
      throw GPXError(file: file, line: reader.refusalLine, reason: refusal, isMissing: false)
    }
    if let error = parser.parserError {
      let line = max(1, reader.errorLine)
      let reason = Self.words(for: error)
      guard tracks.joined().count + routes.joined().count >= 2 else {
        throw GPXError(file: file, line: line, reason: reason, isMissing: false)
      }
      note = "Line \(line): \(reason); what stands before is used."
    }
    if !reader.sawRoot {
      throw GPXError(file: file, line: 1, reason: "the file is empty", isMissing: false)
    }
  }

  /// What the parser says, in words. The numbers are libxml2's, on which Foundation's parser stands everywhere.
  private static func words(for error: any Error) -> String {
    let code = (error as NSError).code
    return switch code {
    case 4: "this is no XML"
    case 5, 76, 77: "the XML is cut off, or an element is not closed"
    case 9, 31, 32, 81: "a character does not fit the file's encoding"
    case 26, 27: "an entity is used that the file does not declare"
    case 89: "entities expand without bound"
    default: "the XML is malformed (libxml2's error \(code))"
    }
  }
}

/// Reads a file in pieces, up to a bound.
private final class BoundedStream: InputStream {
  private let handle: FileHandle
  private var left: Int
  private(set) var isOverLimit = false
  private var isAtEnd = false
  private var repair: UTF8Repair?
  private var hasBegun = false

  init(_ handle: FileHandle, limit: Int) {
    self.handle = handle
    left = limit
    super.init(data: Data())
  }

  override func open() {}
  override func close() {}
  override var streamStatus: Stream.Status { isAtEnd ? .atEnd : .open }
  override var streamError: (any Error)? { nil }
  override var hasBytesAvailable: Bool { !isAtEnd }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard !isAtEnd, maxLength > UTF8Repair.longestPending,
      let piece = try? handle.read(upToCount: maxLength - UTF8Repair.longestPending), !piece.isEmpty
    else {
      isAtEnd = true
      return 0
    }
    guard piece.count <= left else {
      isOverLimit = true
      isAtEnd = true
      return 0
    }
    left -= piece.count
    if !hasBegun {
      hasBegun = true
      repair = UTF8Repair.isOfAnotherEncoding(piece) ? nil : UTF8Repair()
    }
    guard var repair else {
      piece.copyBytes(to: buffer, count: piece.count)
      return piece.count
    }
    let repaired = repair.repaired(piece)
    self.repair = repair
    guard !repaired.isEmpty else { return read(buffer, maxLength: maxLength) }
    buffer.update(from: repaired, count: repaired.count)
    return repaired.count
  }
}

/// Puts a question mark in place of every byte that is not UTF-8: Foundation's parser on Linux stops the program where one
/// stands in a name.
struct UTF8Repair {
  /// How many bytes of an unfinished character may be waiting for their rest.
  static let longestPending = 3
  private var pending: [UInt8] = []

  /// Whether a file that begins so says that it is not UTF-8, in a way that the parser understands.
  static func isOfAnotherEncoding(_ beginning: Data) -> Bool {
    if beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) { return true }
    let declaration = String(decoding: beginning.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard let name = declaration.firstMatch(of: /encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/)?.1.lowercased() else {
      return false
    }
    return ["iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "utf-16"].contains(name)
  }

  /// At most ``longestPending`` bytes more than are given.
  mutating func repaired(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var whole = pending + bytes
    let unfinished = Self.unfinished(whole)
    pending = Array(whole.suffix(unfinished))
    whole.removeLast(unfinished)
    var result: [UInt8] = []
    result.reserveCapacity(whole.count)
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = whole.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let character): result += character
      case .error(let length): result += repeatElement(UInt8(ascii: "?"), count: length)
      case .emptyInput: return result
      }
    }
  }

  /// How many bytes at the end begin a character of which more bytes may come.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for (back, byte) in bytes.suffix(longestPending).reversed().enumerated() {
      let length =
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        case 0x80...0xBF: 0
        default: 1
        }
      if length == 0 { continue }
      return length > back + 1 ? back + 1 : 0
    }
    return 0
  }
}

/// Collects points while the parser reads.
private final class GPXReader: NSObject, XMLParserDelegate {
  var document = GPXDocument()
  private(set) var sawRoot = false
  private(set) var refusal: String?
  private(set) var refusalLine = 0
  private(set) var errorLine = 0

  private let limits: GPXTrack.Limits
  private var path: [String] = []
  private var point: GPXDocument.Point?
  private var pointDepth = 0
  private var text = ""
  private var textBytes = 0
  private var points = 0
  private static let longestValue = 64

  init(limits: GPXTrack.Limits) {
    self.limits = limits
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    let name = Self.local(name)
    if path.isEmpty, !sawRoot {
      sawRoot = true
      if name != "gpx" { return refuse("this is no GPX: its root is <\(name.prefix(40))>", parser) }
    }
    path.append(name)
    if path.count > limits.depth { return refuse("elements are nested more than \(limits.depth) deep", parser) }
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
    textBytes += characters.utf8.count
    if textBytes > limits.bytes {
      return refuse("the text in the file expands to more than \(limits.bytes) bytes", parser)
    }
    if text.utf8.count <= Self.longestValue { text += characters }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block.prefix(Self.longestValue), as: UTF8.self))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    let isInPoint = point != nil && path.count == pointDepth + 1
    switch Self.local(name) {
    case "ele" where isInPoint: point?.altitude = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))?.ifFinite
    case "time" where isInPoint: point?.time = Self.date(text.trimmingCharacters(in: .whitespacesAndNewlines))
    case "trkpt", "rtept": end()
    default: break
    }
    text = ""
    if !path.isEmpty { path.removeLast() }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    if errorLine == 0 { errorLine = parser.lineNumber }
  }

  func parser(_ parser: XMLParser, resolveExternalEntityName name: String, systemID: String?) -> Data? {
    nil
  }

  private func begin(_ attributes: [String: String], _ parser: XMLParser) {
    points += 1
    if points > limits.points { return refuse("there are more than \(limits.points) points", parser) }
    let latitude = attributes["lat"].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
    let longitude = attributes["lon"].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
    guard let latitude, let longitude, (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      document.badCoordinates += 1
      return
    }
    point = GPXDocument.Point(latitude: latitude, longitude: longitude)
    pointDepth = path.count
  }

  private func end() {
    guard let point, path.count == pointDepth else { return }
    self.point = nil
    if path.last == "trkpt" {
      if document.tracks.isEmpty { document.tracks.append([]) }
      document.tracks[document.tracks.count - 1].append(point)
    } else {
      if document.routes.isEmpty { document.routes.append([]) }
      document.routes[document.routes.count - 1].append(point)
    }
  }

  private func refuse(_ reason: String, _ parser: XMLParser) {
    guard refusal == nil else { return }
    refusal = reason
    refusalLine = parser.lineNumber
    parser.abortParsing()
  }

  private static func local(_ name: String) -> String {
    name.split(separator: ":").last.map(String.init) ?? name
  }

  private static func date(_ text: String) -> Date? {
    (try? wholeSeconds.parse(text)) ?? (try? fractions.parse(text)) ?? (try? wholeSeconds.parse(text + "Z"))
      ?? (try? fractions.parse(text + "Z"))
  }

  private static let wholeSeconds = Date.ISO8601FormatStyle()
  private static let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Double {
  fileprivate var ifFinite: Double? { isFinite ? self : nil }
}

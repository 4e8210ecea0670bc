import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What stands in a GPX file, as it stands there.
struct GPXDocument {
  struct Point {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
    var time: Date?

    func point(at time: TimeInterval) -> SimulatedProvider.Route.Point {
      SimulatedProvider.Route.Point(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
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

  init(contentsOf url: URL, limits: SimulatedProvider.GPXTrack.Limits) throws(FileFailure) {
    let file = url.relativePath
    // A pipe or a device is not opened: that alone may take for ever.
    var status = stat()
    guard stat(url.path(percentEncoded: false), &status) == 0 else {
      throw FileFailure(file, 0, "no such file", isMissing: true)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let reason =
        status.st_mode & S_IFMT == S_IFDIR
        ? "is a folder, not a file" : "is a pipe or a device: write it to a file first"
      throw FileFailure(file, 0, reason, isMissing: true)
    }
    guard let handle = try? FileHandle(forReadingFrom: url) else {
      throw FileFailure(file, 0, "cannot be opened", isMissing: true)
    }
    defer { try? handle.close() }
    try self.init(BoundedStream(limit: limits.bytes) { try? handle.read(upToCount: $0) }, file: file, limits: limits)
  }

  init(_ data: Data, file: String, limits: SimulatedProvider.GPXTrack.Limits) throws(FileFailure) {
    var rest = data[...]
    let stream = BoundedStream(limit: limits.bytes) { count in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    try self.init(stream, file: file, limits: limits)
  }

  private init(_ stream: BoundedStream, file: String, limits: SimulatedProvider.GPXTrack.Limits) throws(FileFailure) {
    let parser = XMLParser(stream: stream)
    let reader = GPXReader(limits: limits)
    parser.delegate = reader
    _ = parser.parse()
    self = reader.document
    if stream.isOverLimit {
      throw FileFailure(
        file, parser.lineNumber, "the file has more than \(limits.bytes) bytes")
    }
    if let (line, reason) = stream.refusal {
      throw FileFailure(file, line, reason)
    }
    if let refusal = reader.refusal {
      throw FileFailure(file, reader.refusalLine, refusal)
    }
    if let error = parser.parserError {
      let line = max(1, reader.errorLine)
      let reason = Self.words(for: error)
      guard tracks.joined().count + routes.joined().count >= 2 else {
        throw FileFailure(file, line, reason)
      }
      note = "Line \(line): \(reason); what stands before is used."
    }
    if !reader.sawRoot {
      throw FileFailure(file, 1, "the file is empty")
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
    default: "the XML is malformed (libxml2's error \(code))"
    }
  }
}

/// Reads a file in pieces, up to a bound.
private final class BoundedStream: InputStream {
  private let next: (Int) -> Data?
  private var left: Int
  private(set) var isOverLimit = false
  private var isAtEnd = false
  private var isFileAtEnd = false
  private var bytes = XMLBytes()
  var refusal: (line: Int, reason: String)? { bytes.refusal }
  /// What the parser has not taken yet.
  private var ready: ArraySlice<UInt8> = []

  init(limit: Int, _ next: @escaping (Int) -> Data?) {
    self.next = next
    left = limit
    super.init(data: Data())
  }

  override func open() {}
  override func close() {}
  override var streamStatus: Stream.Status { isAtEnd ? .atEnd : .open }
  override var streamError: (any Error)? { nil }
  override var hasBytesAvailable: Bool { !isAtEnd }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    while ready.isEmpty, !isOverLimit, !isFileAtEnd {
      let piece = next(65_536) ?? Data()
      guard piece.count <= left else {
        isOverLimit = true
        break
      }
      left -= piece.count
      isFileAtEnd = piece.isEmpty
      ready = (isFileAtEnd ? bytes.end() : bytes.text(of: piece))[...]
    }
    let next = ready.prefix(maxLength)
    ready = isOverLimit ? [] : ready.dropFirst(next.count)
    isAtEnd = isOverLimit || isFileAtEnd && ready.isEmpty
    buffer.update(from: Array(next), count: next.count)
    return next.count
  }
}

/// Collects points while the parser reads.
private final class GPXReader: NSObject, XMLParserDelegate {
  var document = GPXDocument()
  private(set) var sawRoot = false
  private(set) var refusal: String?
  private(set) var refusalLine = 0
  private(set) var errorLine = 0

  private let limits: SimulatedProvider.GPXTrack.Limits
  private var path: [String] = []
  private var point: GPXDocument.Point?
  private var pointDepth = 0
  private var text = ""
  private var points = 0
  private static let longestValue = 64

  init(limits: SimulatedProvider.GPXTrack.Limits) {
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
    if text.utf8.count <= Self.longestValue { text += characters }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    self.parser(parser, foundCharacters: String(decoding: block.prefix(Self.longestValue), as: UTF8.self))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    let isInPoint = point != nil && path.count == pointDepth + 1
    switch Self.local(name) {
    case "ele" where isInPoint: point?.altitude = Double(Self.trimmed(text))?.ifFinite
    case "time" where isInPoint: point?.time = Self.date(Self.trimmed(text))
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
    let latitude = attributes["lat"].flatMap { Double(Self.trimmed($0)) }
    let longitude = attributes["lon"].flatMap { Double(Self.trimmed($0)) }
    guard let latitude, let longitude, (-90...90).contains(latitude), (-180...180).contains(longitude) else {
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
    guard name.utf8.contains(UInt8(ascii: ":")) else { return name }
    return name.split(separator: ":").last.map(String.init) ?? name
  }

  /// The text without blanks and line ends round it; nearly none has any, and looking is faster than trimming.
  private static func trimmed(_ text: String) -> String {
    guard let first = text.utf8.first, let last = text.utf8.last, !isPlain(first) || !isPlain(last) else { return text }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

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

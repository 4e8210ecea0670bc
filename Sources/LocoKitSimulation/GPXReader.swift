import LocoKit

/// Reads a GPX file.
///
/// Many programs write files that aren't XML: with a bare `&` or `<` in a name, with HTML or control characters in a description, cut off
/// by a full disk. None of these hides a point from the reader. A `<` that begins no tag is text, an end tag ends the innermost element
/// with its name, and a point ends where the next one begins. The reader ignores all text except times and altitudes, and all attributes
/// except coordinates. Therefore, it needs no encoding: every encoding that contains ASCII has the same bytes for them.
///
/// Foundation's `XMLParser` stops at the first error. On Linux, it also traps at some names, instructions and document types.
struct GPXReader {
  private(set) var document = GPXDocument()
  private let bytes: [UInt8]
  private let file: String
  private let limits: SimulatedProvider.GPXTrack.Limits
  private var index = 0
  /// The number of line ends before an index.
  private var lines = (index: 0, ends: 0)
  /// The names of the open elements.
  private var path: [Range<Int>] = []
  private var hasRoot = false
  /// The number of points so far, with those without a usable coordinate.
  private var points = 0
  /// The open point, and the length of the path at it.
  private var point: GPXDocument.Point?
  private var pointDepth: Int?
  /// The text of an altitude or a time of the open point, while it is open.
  private var value: [UInt8]?
  /// Whether the rest of the file has no end of such a part.
  private var isEndMissing = (comment: false, instruction: false, characters: false)

  private static let longestValue = 64

  init(_ bytes: [UInt8], file: String, limits: SimulatedProvider.GPXTrack.Limits) throws(FileFailure) {
    guard bytes.count <= limits.bytes else {
      throw FileFailure(file, 0, "the file has more than \(limits.bytes) bytes")
    }
    let bytes = Self.withoutMark(bytes)
    guard !bytes.prefix(4).contains(0) else {
      throw FileFailure(file, 1, "the file is in UTF-32, or in UTF-16 without a byte order mark; convert it to UTF-8")
    }
    (self.bytes, self.file, self.limits) = (bytes, file, limits)
    try read()
  }

  /// Removes a byte order mark, and converts UTF-16 to UTF-8.
  private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isBig = bytes.starts(with: [0xFE, 0xFF])
    guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[isBig ? $0 : $0 + 1]) << 8 | UInt16(bytes[isBig ? $0 + 1 : $0])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  // MARK: - Tags

  private mutating func read() throws(FileFailure) {
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "<") {
        if !isEndMissing.comment, has("<!--", at: index) {
          isEndMissing.comment = !skip(4, to: "-->")
          continue
        }
        if !isEndMissing.instruction, has("<?", at: index) {
          isEndMissing.instruction = !skip(2, to: "?>")
          continue
        }
        let start = index
        if !isEndMissing.characters, has("<![CDATA[", at: index) {
          isEndMissing.characters = !skip(9, to: "]]>")
          if !isEndMissing.characters { for byte in bytes[(start + 9)..<(index - 3)] { add(byte) } }
          continue
        }
        if has("<!DOCTYPE", at: index) { throw refusal("a document type isn't allowed: remove <!DOCTYPE …>") }
        switch tag() {
        case .cut: index = bytes.count
        case .text:
          document.malformed.add(line(), "a < begins no tag")
          add(bytes[index])
          index += 1
        case .tag(let name, let end, let isEnd):
          if isEnd {
            self.end(name)
          } else {
            try begin(name, upTo: end)
            if bytes[end - 1] == UInt8(ascii: "/") { close(to: path.count - 1) }
          }
          index = end + 1
        }
      } else {
        add(bytes[index])
        index += 1
      }
    }
    guard hasRoot else {
      let isEmpty = bytes.allSatisfy(Self.isBlank)
      throw FileFailure(file, 1, isEmpty ? "the file is empty" : "the file isn't XML: it has no element")
    }
    guard !path.isEmpty else { return }
    document.cutOff = line()
    // The value that the file ends in can be cut off, so the point is not used.
    if document.points < 2 { throw refusal("the file is cut off, or an element isn't closed; export it again") }
  }

  private enum Tag {
    /// The file ends inside the tag.
    case cut
    /// The `<` begins no tag.
    case text
    case tag(name: Range<Int>, end: Int, isEnd: Bool)
  }

  /// Returns the tag at the index. A `<` can't occur in a tag.
  private func tag() -> Tag {
    guard index + 1 < bytes.count else { return .cut }
    let isEnd = bytes[index + 1] == UInt8(ascii: "/")
    let start = index + (isEnd ? 2 : 1)
    guard start < bytes.count else { return .cut }
    guard Self.isLetter(bytes[start]) else { return .text }
    var (next, quote, firstEnd) = (start, UInt8?.none, Int?.none)
    while next < bytes.count, bytes[next] != UInt8(ascii: "<") {
      let byte = bytes[next]
      if byte == UInt8(ascii: ">") {
        // If a quotation mark is missing, the tag ends at its first >.
        if firstEnd == nil { firstEnd = next }
        if quote == nil { return .tag(name: name(at: start, upTo: next), end: next, isEnd: isEnd) }
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      next += 1
    }
    if let firstEnd { return .tag(name: name(at: start, upTo: firstEnd), end: firstEnd, isEnd: isEnd) }
    return next < bytes.count ? .text : .cut
  }

  /// Returns the name at a start, without its prefix.
  private func name(at start: Int, upTo end: Int) -> Range<Int> {
    let rest = bytes[start..<end]
    let name = rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "/") }
    return (name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? start)..<name.endIndex
  }

  private func has(_ mark: StaticString, at start: Int) -> Bool {
    guard start + mark.utf8CodeUnitCount <= bytes.count else { return false }
    return mark.withUTF8Buffer { mark in mark.indices.allSatisfy { bytes[start + $0] == mark[$0] } }
  }

  /// Moves the index to the end of a comment or a similar part. Returns whether there is an end.
  private mutating func skip(_ count: Int, to end: StaticString) -> Bool {
    for start in (index + count)..<max(bytes.count, index + count) where has(end, at: start) {
      index = start + end.utf8CodeUnitCount
      return true
    }
    return false
  }

  // MARK: - Elements

  private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range].prefix(40), as: UTF8.self) }

  private mutating func begin(_ name: Range<Int>, upTo end: Int) throws(FileFailure) {
    let element = string(name)
    if !hasRoot, element != "gpx" { throw refusal("the file isn't GPX: its root is <\(element)>") }
    hasRoot = true
    let isPoint = element == "trkpt" || element == "rtept"
    if isPoint, let pointDepth {
      document.malformed.add(line(), "a point begins inside another")
      close(to: pointDepth - 1)
    }
    path.append(name)
    if path.count > limits.depth { throw refusal("elements are nested more than \(limits.depth) deep") }
    switch element {
    case "trkseg": document.tracks.append([])
    case "rte": document.routes.append([])
    case "wpt": document.waypoints += 1
    case "ele", "time": if pointDepth == path.count - 1 { value = [] }
    default: if isPoint { try beginPoint(name.upperBound..<end) }
    }
  }

  private mutating func beginPoint(_ attributes: Range<Int>) throws(FileFailure) {
    points += 1
    if points > limits.points { throw refusal("there are more than \(limits.points) points") }
    pointDepth = path.count
    let (latitude, longitude) = (attribute("lat", in: attributes), attribute("lon", in: attributes))
    if let fault = Self.fault("lat", latitude, most: 90) ?? Self.fault("lon", longitude, most: 180) {
      document.badCoordinates.add(line(), fault)
    } else if let latitude = latitude.flatMap(Double.init(decimal:)),
      let longitude = longitude.flatMap(Double.init(decimal:))
    {
      point = GPXDocument.Point(latitude: latitude, longitude: longitude)
    }
    // A file with so many unusable points has coordinates of another kind.
    if document.badCoordinates.count == points, points == SimulatedProvider.GPXTrack.Limits.unusablePoints {
      throw refusal("the first \(points) points are without a usable coordinate")
    }
  }

  /// Returns the value of an attribute, without blanks around it.
  private func attribute(_ name: String, in attributes: Range<Int>) -> ArraySlice<UInt8>? {
    var rest = bytes[attributes]
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let key = rest[..<equals].split(whereSeparator: Self.isBlank).last
      rest = rest[(equals + 1)...].drop(while: Self.isBlank)
      let value: ArraySlice<UInt8>
      if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        value = rest.dropFirst().prefix { $0 != quote }
        rest = bytes[min(value.endIndex + 1, attributes.upperBound)..<attributes.upperBound]
      } else {
        value = rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "/") }
        rest = rest[value.endIndex...]
      }
      if let key, key.elementsEqual(name.utf8) { return Self.trimmed(value) }
    }
    return nil
  }

  /// Returns what is wrong with a coordinate; `nil` if it is valid.
  private static func fault(_ name: String, _ text: ArraySlice<UInt8>?, most: Double) -> String? {
    guard let text else { return "it has no \(name)" }
    let number = Double(decimal: text)
    if let number, abs(number) <= most { return nil }
    let start = "\(name)=\"\(String(decoding: text.prefix(longestValue), as: UTF8.self))\""
    if number != nil { return "\(start) isn't from -\(Int(most)) to \(Int(most))" }
    return start + (text.contains(UInt8(ascii: ",")) ? " has a comma; write a point" : " isn't a number")
  }

  private mutating func end(_ name: Range<Int>) {
    guard let open = path.lastIndex(where: { bytes[$0] == bytes[name] }) else {
      return document.malformed.add(line(), "</\(string(name))> ends no element")
    }
    if open < path.count - 1, let inner = path.last {
      document.malformed.add(line(), "<\(string(inner))> isn't closed")
    }
    close(to: open)
  }

  /// Closes elements until the path has a length.
  private mutating func close(to length: Int) {
    while path.count > length, let name = path.last {
      if let value, path.count == (pointDepth ?? 0) + 1 {
        self.value = nil
        take(Self.trimmed(value[...]), isTime: string(name) == "time")
      }
      if path.count == pointDepth { endPoint(isTrack: string(name) == "trkpt") }
      path.removeLast()
    }
  }

  /// Uses the value of an altitude or a time.
  private mutating func take(_ value: ArraySlice<UInt8>, isTime: Bool) {
    guard !value.isEmpty, let point else { return }
    var words: String { "“\(String(decoding: value.prefix(Self.longestValue), as: UTF8.self))”" }
    if isTime {
      if let time = GPXDate.seconds(value) {
        self.point?.time = point.time ?? time
      } else {
        document.badTimes.add(line(), "\(words) isn't a date and a time like 2026-05-03T19:00:00Z")
      }
    } else if let altitude = Double(decimal: value) {
      self.point?.altitude = altitude
    } else {
      document.badAltitudes.add(line(), "\(words) isn't a number of metres")
    }
  }

  private mutating func endPoint(isTrack: Bool) {
    pointDepth = nil
    guard let point else { return }
    self.point = nil
    func add(to segments: inout [[GPXDocument.Point]]) {
      if segments.isEmpty { segments.append([]) }
      segments[segments.count - 1].append(point)
    }
    if isTrack { add(to: &document.tracks) } else { add(to: &document.routes) }
  }

  // MARK: - Text

  /// Adds a byte to the value, if an altitude or a time is open.
  private mutating func add(_ byte: UInt8) {
    guard let count = value?.count, count <= Self.longestValue, path.count == (pointDepth ?? 0) + 1 else { return }
    // A file may indent its values by any number of blanks.
    if count > 0 || !Self.isBlank(byte) { value?.append(byte) }
  }

  /// Returns the line of the index.
  private mutating func line() -> Int {
    lines.ends += bytes[lines.index..<index].count { $0 == UInt8(ascii: "\n") }
    lines.index = index
    return lines.ends + 1
  }

  private mutating func refusal(_ reason: String) -> FileFailure { FileFailure(file, line(), reason) }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Whether a name can begin with a byte.
  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}

extension Double {
  /// Reads a decimal number, such as `-48.1` or `4.81e1`. Returns `nil` for another text or a number that isn't finite.
  ///
  /// The result has the bits of `Double(String)` for up to 15 digits with an exponent of at most 22, and otherwise differs by a few units
  /// in the last place: less than a nanometre in degrees.
  init?(decimal text: ArraySlice<UInt8>) {
    var (rest, mantissa, exponent, digits) = (text, UInt64(0), 0, 0)
    func sign(_ rest: inout ArraySlice<UInt8>) -> Bool {
      guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else { return false }
      rest.removeFirst()
      return first == UInt8(ascii: "-")
    }
    let isNegative = sign(&rest)
    var isFraction = false
    while let byte = rest.first {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        digits += 1
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
          if isFraction { exponent -= 1 }
        } else if !isFraction {
          exponent += 1
        }
      } else {
        break
      }
      rest.removeFirst()
    }
    guard digits > 0 else { return nil }
    if let byte = rest.first {
      guard byte | 0x20 == UInt8(ascii: "e") else { return nil }
      rest.removeFirst()
      let isSmall = sign(&rest)
      guard !rest.isEmpty, rest.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
      let written = rest.reduce(0) { min(1_000, $0 * 10 + Int($1 - UInt8(ascii: "0"))) }
      exponent += isSmall ? -written : written
    }
    var (number, power) = (Double(mantissa), 1.0)
    for _ in 0..<min(400, abs(exponent)) { power *= 10 }
    number = exponent < 0 ? number / power : mantissa == 0 ? 0 : number * power
    guard number.isFinite else { return nil }
    self = isNegative ? -number : number
  }
}

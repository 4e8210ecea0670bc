import Foundation

/// The fields of a journal's line, which is a JSON object: *Keeping a journal* says which kind has which.
///
/// `t` is the uptime in nanoseconds, `d` the date in seconds since the beginning of 2001, UTC, and `is` the kind. A location is a
/// list: latitude, longitude, horizontal accuracy, altitude, vertical accuracy, speed, course and date, in the units of
/// ``Location``; what is unknown is `null`, and what is not a number is one of the strings `nan`, `inf` and `-inf`.
struct JournalLine {
  /// The version of the format, in the lines that begin a file.
  static let format = 1
  /// How many fixes a report may have.
  static let maximumFixes = 10_000
  /// How many characters a note may have.
  static let longestNote = 1_000
  /// Times are within a century of the system's start, nanoseconds.
  static let latest = Duration.century.inNanoseconds
  /// Dates are within some three thousand years of 2001.
  static let latestDate = 1e11

  enum Kind: String, CaseIterable {
    case launch, continues, lost, note
    case command, promptShown, authorization, fixes, significantChange, regionExited, motion, cell, wakeSources,
      failure, timer
    case policy, promptTimeLimit, errorBound, begin, callBack, end, restartReceiver, release
    case decisions = "do"
  }

  /// What is wrong with a line.
  struct Problem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  var t: Int64
  var d: Double
  var `is`: Kind
  var format: Int?
  var version: String?
  var platform: String?
  var event: LocationMachine.Event?
  var authorization: Authorization?
  var policy: AcquisitionPolicy?
  var sources: Int?
  var fixes: [Location]?
  var motion: Motion?
  var text: String?
  var isPaused: Bool?
  var metres: Double?
  var nanoseconds: Int64?
  var id: Int?
  var wish: String?
  var filter: Double?
  var holds: Int64?
  var count: Int?
  var ignores: Bool?
}

// MARK: - Writing

extension JournalLine {
  /// The line in UTF-8, with its end.
  var bytes: [UInt8] {
    var text = JournalText()
    text.add("t", t)
    text.add("d", d)
    text.add("is", `is`.rawValue)
    text.add("format", format)
    text.add("version", version)
    text.add("platform", platform)
    text.add("event", event?.rawValue)
    text.add("authorization", authorization?.rawValue)
    if let policy {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      if let encoded = try? encoder.encode(policy) { text.add("policy", encoded) }
    }
    text.add("sources", sources)
    text.add("fixes", fixes)
    text.add("motion", motion?.rawValue)
    text.add("text", self.text)
    text.add("isPaused", isPaused)
    text.add("metres", metres)
    text.add("nanoseconds", nanoseconds)
    text.add("id", id)
    text.add("wish", wish)
    text.add("filter", filter)
    text.add("holds", holds)
    text.add("count", count)
    text.add("ignores", ignores)
    return text.end()
  }
}

/// An object of JSON that is being written. A phone writes thousands of lines a day: `JSONEncoder` takes many times as long for each.
private struct JournalText {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(200) }

  mutating func end() -> [UInt8] {
    bytes += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
    return bytes
  }

  private mutating func begin(_ key: StaticString) {
    bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func add(_ key: StaticString, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    begin(key)
    bytes += "\(value)".utf8
  }

  mutating func add(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    begin(key)
    bytes += (value ? "true" : "false").utf8
  }

  mutating func add(_ key: StaticString, _ value: Double?) {
    guard let value else { return }
    begin(key)
    append(value)
  }

  mutating func add(_ key: StaticString, _ encoded: Data) {
    begin(key)
    bytes += encoded
  }

  mutating func add(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    begin(key)
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case ..<0x20: bytes += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func add(_ key: StaticString, _ fixes: [Location]?) {
    guard let fixes else { return }
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (index, fix) in fixes.enumerated() {
      bytes.append(contentsOf: (index == 0 ? "[" : ",[").utf8)
      append(fix.latitude)
      append(fix.longitude, after: true)
      append(fix.horizontalAccuracy, after: true)
      append(fix.altitude, after: true)
      append(fix.verticalAccuracy, after: true)
      append(fix.speed, after: true)
      append(fix.course, after: true)
      append(fix.timestamp.timeIntervalSinceReferenceDate, after: true)
      bytes.append(UInt8(ascii: "]"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A number as the shortest text that is read as the same.
  private mutating func append(_ value: Double?, after comma: Bool = false) {
    if comma { bytes.append(UInt8(ascii: ",")) }
    guard let value else { return bytes += "null".utf8 }
    guard value.isFinite else { return bytes += (value.isNaN ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"").utf8 }
    let text = value.description.utf8
    bytes += text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...]
  }
}

// MARK: - Reading

extension JournalLine {
  /// Reads a line in UTF-8, without its end. What it does not know it leaves out.
  init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
    var (t, d, kind) = (Int64?.none, Double?.none, Kind?.none)
    self.init(t: 0, d: 0, is: .continues)
    var scanner = JournalScanner(bytes)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if try scanner.skipNull() { continue }
      scanner.key = key
      switch key {
      case "t": t = try scanner.integer()
      case "d": d = try scanner.number()
      case "is": kind = try scanner.choice()
      case "format": format = try scanner.integer()
      case "version": version = try scanner.string()
      case "platform": platform = try scanner.string()
      case "event": event = try scanner.choice()
      case "authorization": authorization = try scanner.choice()
      case "policy": policy = try scanner.policy()
      case "sources": sources = try scanner.integer()
      case "fixes": fixes = try scanner.locations()
      case "motion": motion = try scanner.choice()
      case "text": text = try scanner.string()
      case "isPaused": isPaused = try scanner.boolean()
      case "metres": metres = try scanner.number()
      case "nanoseconds": nanoseconds = try scanner.integer()
      case "id": id = try scanner.integer()
      case "wish": wish = try scanner.string()
      case "filter": filter = try scanner.number()
      case "holds": holds = try scanner.integer()
      case "count": count = try scanner.integer()
      case "ignores": ignores = try scanner.boolean()
      default: try scanner.skipValue()
      }
    }
    guard let t else { throw JournalScanner.problem("it has no t") }
    guard let d else { throw JournalScanner.problem("it has no d") }
    guard let kind else { throw JournalScanner.problem("it has no is") }
    (self.t, self.d, self.is) = (t, d, kind)
  }
}

/// Reads JSON byte by byte, no deeper than it has to. A week has a hundred thousand lines: `JSONDecoder` takes many times as long
/// for each.
private struct JournalScanner {
  /// The field whose value is read.
  var key = ""
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  static func problem(_ reason: String) -> JournalLine.Problem {
    JournalLine.Problem("this is no line of a journal: \(reason)")
  }

  private static var malformed: JournalLine.Problem { problem("it is no JSON") }
  private var ofAnotherType: JournalLine.Problem { Self.problem("\(key) is of another type") }

  /// The next byte that is no space; 0 at the end.
  private mutating func peek() -> UInt8 {
    while position < bytes.endIndex {
      let byte = bytes[position]
      guard byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") else { return byte }
      position += 1
    }
    return 0
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  // MARK: Objects

  mutating func beginObject() throws(JournalLine.Problem) {
    if take(UInt8(ascii: "{")) { return }
    try skipValue()
    guard peek() == 0 else { throw Self.malformed }
    throw Self.problem("it is no object")
  }

  private var hasField = false

  /// The next field's name; `nil` at the object's end, which is the line's.
  mutating func nextKey() throws(JournalLine.Problem) -> String? {
    if take(UInt8(ascii: "}")) {
      guard peek() == 0, position == bytes.endIndex else { throw Self.malformed }
      return nil
    }
    if hasField, !take(UInt8(ascii: ",")) { throw Self.malformed }
    hasField = true
    guard peek() == UInt8(ascii: "\"") else { throw Self.malformed }
    let key = try text()
    guard take(UInt8(ascii: ":")) else { throw Self.malformed }
    return key
  }

  // MARK: Values

  mutating func skipNull() throws(JournalLine.Problem) -> Bool {
    guard peek() == UInt8(ascii: "n") else { return false }
    try word("null")
    return true
  }

  private mutating func word(_ word: StaticString) throws(JournalLine.Problem) {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.endIndex, word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else {
      throw Self.malformed
    }
    position = end
  }

  mutating func boolean() throws(JournalLine.Problem) -> Bool {
    switch peek() {
    case UInt8(ascii: "t"):
      try word("true")
      return true
    case UInt8(ascii: "f"):
      try word("false")
      return false
    default: throw ofAnotherType
    }
  }

  mutating func string() throws(JournalLine.Problem) -> String {
    guard peek() == UInt8(ascii: "\"") else { throw ofAnotherType }
    return try text()
  }

  /// One of the cases of an enumeration, by its name.
  mutating func choice<Choice: RawRepresentable>() throws(JournalLine.Problem) -> Choice
  where Choice.RawValue == String {
    guard let choice = Choice(rawValue: try string()) else { throw Self.problem("\(key) is not known") }
    return choice
  }

  mutating func integer<Value: FixedWidthInteger>() throws(JournalLine.Problem) -> Value {
    let digits = try digits()
    var value: Value = 0
    let isNegative = digits.first == UInt8(ascii: "-")
    for byte in isNegative ? digits.dropFirst() : digits {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { throw ofAnotherType }
      let digit = Value(byte - UInt8(ascii: "0"))
      let (product, isTooMuch) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuchToo) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      guard !isTooMuch, !isTooMuchToo else { throw Self.problem("\(key) is out of range") }
      value = sum
    }
    guard digits.count > (isNegative ? 1 : 0) else { throw ofAnotherType }
    return value
  }

  mutating func number() throws(JournalLine.Problem) -> Double {
    if peek() == UInt8(ascii: "\"") {
      switch try text() {
      case "nan": return .nan
      case "inf": return .infinity
      case "-inf": return -.infinity
      default: throw ofAnotherType
      }
    }
    guard let value = Double(String(decoding: try digits(), as: UTF8.self)) else { throw ofAnotherType }
    return value
  }

  /// All that a number can consist of.
  private mutating func digits() throws(JournalLine.Problem) -> ArraySlice<UInt8> {
    let first = peek()
    let start = position
    guard first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      throw ofAnotherType
    }
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        position += 1
      default: return bytes[start..<position]
      }
    }
    return bytes[start...]
  }

  // MARK: What a journal has

  mutating func locations() throws(JournalLine.Problem) -> [Location] {
    guard take(UInt8(ascii: "[")) else { throw ofAnotherType }
    var locations: [Location] = []
    if take(UInt8(ascii: "]")) { return locations }
    repeat {
      guard locations.count < JournalLine.maximumFixes else {
        throw JournalLine.Problem("a report has more than \(JournalLine.maximumFixes) fixes")
      }
      locations.append(try location())
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw ofAnotherType }
    return locations
  }

  private mutating func location() throws(JournalLine.Problem) -> Location {
    guard take(UInt8(ascii: "[")) else { throw ofAnotherType }
    let location = Location(
      latitude: try number(), longitude: try nextNumber(), horizontalAccuracy: try nextNumber(),
      altitude: try nextOptional(), verticalAccuracy: try nextOptional(), speed: try nextOptional(),
      course: try nextOptional(), timestamp: Date(timeIntervalSinceReferenceDate: try nextNumber()))
    guard take(UInt8(ascii: "]")) else { throw ofAnotherType }
    return location
  }

  private mutating func nextNumber() throws(JournalLine.Problem) -> Double {
    guard take(UInt8(ascii: ",")) else { throw ofAnotherType }
    return try number()
  }

  private mutating func nextOptional() throws(JournalLine.Problem) -> Double? {
    guard take(UInt8(ascii: ",")) else { throw ofAnotherType }
    return try skipNull() ? nil : try number()
  }

  /// A policy is in few lines, and its fields are its own.
  mutating func policy() throws(JournalLine.Problem) -> AcquisitionPolicy {
    guard peek() == UInt8(ascii: "{") else { throw ofAnotherType }
    let start = position
    try skipValue()
    let decoder = JSONDecoder()
    do { return try decoder.decode(AcquisitionPolicy.self, from: Data(bytes[start..<position])) } catch {
      throw Self.problem("\(key) is no policy")
    }
  }

  // MARK: Text

  private mutating func text() throws(JournalLine.Problem) -> String {
    position += 1
    let start = position
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: bytes[start..<position - 1], as: UTF8.self)
      case UInt8(ascii: "\\"):
        return try escapedText(after: Array(bytes[start..<position]))
      case ..<0x20: throw Self.malformed
      default: position += 1
      }
    }
    throw Self.malformed
  }

  private mutating func escapedText(after beginning: [UInt8]) throws(JournalLine.Problem) -> String {
    var text = beginning
    while position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      case ..<0x20: throw Self.malformed
      default: text.append(byte)
      }
    }
    throw Self.malformed
  }

  private mutating func escape() throws(JournalLine.Problem) -> [UInt8] {
    guard position < bytes.endIndex else { throw Self.malformed }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let first = try codeUnit()
      var units = [first]
      // A character beyond the first plane is two of them.
      if UTF16.isLeadSurrogate(first), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try codeUnit())
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw Self.malformed
    }
  }

  private mutating func codeUnit() throws(JournalLine.Problem) -> UInt16 {
    guard position + 4 <= bytes.endIndex,
      bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw Self.malformed }
    position += 4
    return unit
  }

  // MARK: What is left out

  /// Goes past a value of any kind, however deep it is, without recursion.
  mutating func skipValue() throws(JournalLine.Problem) {
    var depth = 0
    repeat {
      switch peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
        guard depth >= 0 else { throw Self.malformed }
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw Self.malformed }
        position += 1
      case UInt8(ascii: "\""): _ = try text()
      case UInt8(ascii: "t"): try word("true")
      case UInt8(ascii: "f"): try word("false")
      case UInt8(ascii: "n"): try word("null")
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try digits()
      default: throw Self.malformed
      }
    } while depth > 0
  }
}

import Foundation

/// The coders of a journal's lines: what is not a number is one of the strings `nan`, `inf` and `-inf`.
///
/// Measured on Linux (x86-64, Swift 6.3, release build, processor time) with 300,000 lines of 110 bytes on average: reading takes
/// 5 µs a line and writing 6 µs, and a scanner and a writer by hand took 1.3 µs and 1 µs. `replay --check` of these lines takes 2.2 s,
/// and took 1 s by hand.
enum JournalCoding {
  static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()

  /// Sorts the fields, whose order differs from process to process without that.
  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()
}

/// A location as a list: latitude, longitude, horizontal accuracy, altitude, vertical accuracy, speed, course and date, in the units
/// of ``Location``, and the source where that isn't the GPS; what is unknown is `null`. Where the speed's accuracy, the course's accuracy or
/// the floor is known, the source and these three follow.
struct JournalLocation: Codable {
  let location: Location

  init(_ location: Location) { self.location = location }

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(location.latitude)
    try list.encode(location.longitude)
    try list.encode(location.horizontalAccuracy)
    try list.encode(location.altitude)
    try list.encode(location.verticalAccuracy)
    try list.encode(location.speed)
    try list.encode(location.course)
    try list.encode(location.timestamp.timeIntervalSinceReferenceDate)
    let hasMore = location.speedAccuracy != nil || location.courseAccuracy != nil || location.floor != nil
    if hasMore || location.source != .gps { try list.encode(location.source) }
    guard hasMore else { return }
    try list.encode(location.speedAccuracy)
    try list.encode(location.courseAccuracy)
    try list.encode(location.floor)
  }

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var location = Location(
      latitude: try list.decode(Double.self), longitude: try list.decode(Double.self),
      horizontalAccuracy: try list.decode(Double.self), altitude: try list.nextIfKnown(),
      verticalAccuracy: try list.nextIfKnown(), speed: try list.nextIfKnown(), course: try list.nextIfKnown(),
      timestamp: Date(timeIntervalSinceReferenceDate: try list.decode(Double.self)),
      source: list.isAtEnd ? .gps : try list.decode(Location.Source.self))
    if !list.isAtEnd {
      (location.speedAccuracy, location.courseAccuracy) = (try list.nextIfKnown(), try list.nextIfKnown())
      location.floor = try list.decodeNil() ? nil : try list.decode(Int.self)
    }
    guard list.isAtEnd else {
      throw DecodingError.dataCorruptedError(
        in: list, debugDescription: "A location has eight numbers, perhaps a source, and perhaps three more numbers.")
    }
    self.location = location
  }
}

extension UnkeyedDecodingContainer {
  /// The next number, or `nil` for `null`. A list that ends here is an error.
  fileprivate mutating func nextIfKnown() throws -> Double? { try decodeNil() ? nil : try decode(Double.self) }
}

/// The fields of a line that is being read. A field that is `null` is absent.
struct JournalFields {
  private let container: KeyedDecodingContainer<JournalLine.Field>

  init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: JournalLine.Field.self) }

  /// The value of a field that every line has.
  func common<Value>(_ value: Value?, _ field: JournalLine.Field) throws -> Value {
    guard let value else { throw JournalLine.Problem.noLine("it has no \(field.rawValue)") }
    return value
  }

  func kind() throws -> JournalLine.Kind { try common(try choiceIfPresent(.is), .is) }

  /// The value of a field that each line of this kind has.
  func require<Value>(_ value: Value?, _ field: JournalLine.Field) throws -> Value {
    guard let value else {
      throw JournalLine.Problem("a line of the kind \(try kind().rawValue) has no \(field.rawValue)")
    }
    return value
  }

  // MARK: Fields that may be absent

  func stringIfPresent(_ field: JournalLine.Field) throws -> String? {
    try container.decodeIfPresent(String.self, forKey: field)
  }

  func booleanIfPresent(_ field: JournalLine.Field) throws -> Bool? {
    try container.decodeIfPresent(Bool.self, forKey: field)
  }

  func numberIfPresent(_ field: JournalLine.Field) throws -> Double? {
    try inRange(field) { try container.decodeIfPresent(Double.self, forKey: field) }
  }

  func integerIfPresent<Value: FixedWidthInteger>(_ field: JournalLine.Field) throws -> Value? {
    guard let integer = try inRange(field, { try container.decodeIfPresent(Int64.self, forKey: field) }) else {
      return nil
    }
    guard let value = Value(exactly: integer) else {
      throw JournalLine.Problem.noLine("\(field.rawValue) is out of range")
    }
    return value
  }

  /// Foundation's error for a number that its type can't hold has no documented case, and differs between versions.
  private func inRange<Value>(_ field: JournalLine.Field, _ decode: () throws -> Value?) throws -> Value? {
    do { return try decode() } catch DecodingError.typeMismatch {
      throw JournalLine.Problem.noLine("\(field.rawValue) is of another type")
    } catch {
      let number = try? container.decode(Double.self, forKey: field)
      let isFraction = number.map { $0 != $0.rounded() } ?? false
      throw JournalLine.Problem.noLine("\(field.rawValue) is \(isFraction ? "of another type" : "out of range")")
    }
  }

  /// One of the cases of an enumeration, by its name.
  func choiceIfPresent<Choice: RawRepresentable>(_ field: JournalLine.Field) throws -> Choice?
  where Choice.RawValue == String {
    guard let name = try stringIfPresent(field) else { return nil }
    guard let choice = Choice(rawValue: name) else {
      throw JournalLine.Problem.noLine("\(field.rawValue) is not known")
    }
    return choice
  }

  func locations() throws -> [Location]? {
    guard container.contains(.fixes), try !container.decodeNil(forKey: .fixes) else { return nil }
    var list = try container.nestedUnkeyedContainer(forKey: .fixes)
    var locations: [Location] = []
    while !list.isAtEnd {
      guard locations.count < JournalLine.maximumFixes else {
        throw JournalLine.Problem("a report has more than \(JournalLine.maximumFixes) fixes")
      }
      locations.append(try list.decode(JournalLocation.self).location)
    }
    return locations
  }

  func changes() throws -> [Motion.Change] {
    let changes = try require(try container.decodeIfPresent([Motion.Change].self, forKey: .changes), .changes)
    guard changes.count <= JournalLine.maximumChanges else {
      throw JournalLine.Problem("a report has more than \(JournalLine.maximumChanges) changes of the motion")
    }
    return changes
  }

  // MARK: Fields that are required

  func string(_ field: JournalLine.Field) throws -> String { try require(try stringIfPresent(field), field) }

  func number(_ field: JournalLine.Field) throws -> Double { try require(try numberIfPresent(field), field) }

  func integer<Value: FixedWidthInteger>(_ field: JournalLine.Field) throws -> Value {
    try require(try integerIfPresent(field), field)
  }

  func choice<Choice: RawRepresentable>(_ field: JournalLine.Field) throws -> Choice
  where Choice.RawValue == String {
    try require(try choiceIfPresent(field), field)
  }

  func policy() throws -> AcquisitionPolicy {
    try require(try container.decodeIfPresent(AcquisitionPolicy.self, forKey: .policy), .policy)
  }
}

// MARK: - Errors

extension JournalLine.Problem {
  /// A line that is not one of a journal.
  static func noLine(_ reason: String) -> Self { Self("this is no line of a journal: \(reason)") }

  /// A decoder's error in words, which name fields and no values.
  init(_ error: any Error) {
    if let problem = error as? Self {
      self = problem
      return
    }
    let (path, isMismatch): ([any CodingKey], Bool) =
      switch error as? DecodingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context): (context.codingPath, true)
      case .keyNotFound(_, let context), .dataCorrupted(let context): (context.codingPath, false)
      default: ([], false)
      }
    guard let field = path.first?.stringValue else {
      self = .noLine(isMismatch ? "it is no object" : "it is no JSON")
      return
    }
    let isPolicy = field == JournalLine.Field.policy.rawValue && (path.count > 1 || !isMismatch)
    self = .noLine(isPolicy ? "\(field) is no policy" : "\(field) is of another type")
  }
}

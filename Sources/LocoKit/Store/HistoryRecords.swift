import Foundation

/// The records of a ``LocationHistory`` in memory, and their lines in a file.
///
/// The first line is the header. Each further line is a location with its number, or the number through which locations are
/// acknowledged. The number increases by one for each appended location, and a dropped or unreadable location leaves a gap. The
/// gaps show how many locations were dropped.
struct HistoryRecords: Sendable {
  /// The file's random identity. Another file at the same path has a different one.
  let identity: UInt64
  /// The number through which locations are acknowledged.
  private(set) var acknowledged: Int
  /// Locations that are neither acknowledged nor dropped.
  private(set) var kept: ArraySlice<Entry> = []
  /// The number of the last location before the file was compacted.
  private let lastCompacted: Int
  /// The number of the last readable location.
  private var last: Int
  /// The greatest number in use. An unreadable line at the end may have been a location, so it counts as one.
  private var end: Int
  private(set) var lineCount = 1

  struct Entry: Sendable {
    let number: Int
    let location: Location
  }

  /// The greatest number in a header, and the greatest gap between two numbers. A file with greater numbers is damaged. So sums
  /// don't overflow.
  private static let maximumNumber = 1 << 61
  private static let maximumGap = 1 << 32
  /// The maximum number of superfluous lines without a compaction.
  private static let superfluousLines = 64

  /// The records of a new file.
  init(identity: UInt64) {
    (self.identity, acknowledged, lastCompacted, last, end) = (identity, 0, 0, 0, 0)
  }

  /// The records of a file with this header; `nil` if the line isn't a header of this version.
  init?(header line: Data) {
    guard let header = try? JSONDecoder().decode(Header.self, from: line), header.version == 1,
      let identity = UInt64(header.history, radix: 16), (0...Self.maximumNumber).contains(header.last),
      (0...header.last).contains(header.acknowledged)
    else { return nil }
    (self.identity, acknowledged, lastCompacted) = (identity, header.acknowledged, header.last)
    (last, end) = (acknowledged, lastCompacted)
  }

  /// Reads lines after the header, and returns how many of them are unreadable.
  mutating func read(_ lines: some Sequence<Data>) -> Int {
    var unreadable = 0
    let decoder = JSONDecoder()
    for line in lines {
      lineCount += 1
      let record = try? decoder.decode(Line.self, from: line)
      switch (record?.number, record?.location) {
      case (let number?, let location?) where number > last && number - end <= Self.maximumGap && location.isStorable:
        (last, end) = (number, max(number, lastCompacted, acknowledged))
        if number > acknowledged { kept.append(Entry(number: number, location: location)) }
      case (let number?, nil) where (0...end).contains(number):
        forget(through: number)
      default:
        end += 1
        unreadable += 1
      }
    }
    return unreadable
  }

  /// Returns the lines of new locations. `dropped` others before them were never written.
  func lines(appending locations: some Sequence<Location>, dropped: Int) throws -> [Data] {
    let encoder = JSONEncoder()
    return try locations.enumerated().map { offset, location in
      try encoder.encode(Line(number: end + dropped + offset + 1, location: location))
    }
  }

  /// Returns the line that acknowledges locations, or `nil` if that changes nothing.
  func line(acknowledgingThrough number: Int) throws -> Data? {
    guard number > acknowledged, number <= end else { return nil }
    return try JSONEncoder().encode(Line(number: number, location: nil))
  }

  /// Returns the lines of a compacted file, or `nil` while compaction isn't worth its cost.
  ///
  /// At least half of the lines are superfluous, so the cost per appended line is constant.
  func compacted() throws -> [Data]? {
    guard lineCount > 2 * kept.count + Self.superfluousLines else { return nil }
    let encoder = JSONEncoder()
    return try [header()] + kept.map { try encoder.encode(Line(number: $0.number, location: $0.location)) }
  }

  func header() throws -> Data {
    let header = Header(version: 1, history: String(identity, radix: 16), last: end, acknowledged: acknowledged)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(header)
  }

  /// Drops the oldest locations beyond the capacity, and the oldest ones from before a date.
  mutating func drop(beyond capacity: Int, before date: Date) {
    if kept.count > capacity { kept.removeFirst(kept.count - capacity) }
    while let first = kept.first, first.location.timestamp < date { kept.removeFirst() }
  }

  /// Returns the oldest locations, the last number of this range, and how many locations in it were dropped.
  func batch(upTo count: Int) -> (entries: ArraySlice<Entry>, end: Int, dropped: Int) {
    let entries = kept.prefix(count)
    let end = entries.count < kept.count ? entries.last?.number ?? acknowledged : end
    return (entries, end, end - acknowledged - entries.count)
  }

  private mutating func forget(through number: Int) {
    acknowledged = max(acknowledged, number)
    let rest = kept.firstIndex { $0.number > acknowledged } ?? kept.endIndex
    kept.removeFirst(rest - kept.startIndex)
  }

  private struct Header: Codable {
    let version: Int
    let history: String
    let last: Int
    let acknowledged: Int
  }

  /// A list: a number, and a location as in `Location+List.swift`. An acknowledgement is a number alone.
  private struct Line: Codable {
    let number: Int
    let location: Location?

    init(number: Int, location: Location?) { (self.number, self.location) = (number, location) }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      number = try list.decode(Int.self)
      location = list.isAtEnd ? nil : try list.decodeLocation()
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(number)
      if let location { try list.encode(location, isShort: false) }
    }
  }
}

extension Location {
  /// Whether the location is on Earth at a finite date.
  var isStorable: Bool {
    hasValidCoordinate && hasValidAccuracy && timestamp.timeIntervalSinceReferenceDate.isFinite
  }
}

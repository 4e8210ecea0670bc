import LocoDurable
import LocoFoundation
import LocoKit

/// The records of a ``LocationHistory`` in memory, and their lines in a file.
///
/// The first line is the header. Each further line has one of three contents: a location with its number; the number through which
/// locations are acknowledged; or a random identity with the first number that it applies to. The number increases by one for each appended
/// location. A dropped or unreadable location leaves a gap in the numbers, and the gaps show how many locations were dropped.
///
/// Each launch appends under its own identity, and counts its locations. So a location's position is known before it is written, and a copy
/// of the file, such as a restored backup, never uses a position of the original for another location. Only clones of a running process
/// would share an identity.
struct HistoryRecords: Sendable {
  /// The identities of the unacknowledged locations, and the identity of the last acknowledged one. There is at least one identity.
  private var identities: [Identity]
  /// The number through which locations are acknowledged.
  private(set) var acknowledged: Int
  /// Locations that are neither acknowledged nor dropped.
  private(set) var kept: ArraySlice<Entry> = []
  /// The greatest number in use when the file was last compacted; 0 if it never was.
  private let lastCompacted: Int
  /// The number of the last readable location in the file; at first, the header's acknowledged number.
  private var last: Int
  /// The greatest number in use. An unreadable line at the end may have been a location, so it counts as a location.
  private var end: Int
  private(set) var lineCount = 1

  struct Entry: Sendable {
    let number: Int
    let location: Location
    let circumstances: LocationManager.Circumstances
  }

  private struct Identity: Sendable {
    let identity: UInt64
    /// The number of the first location.
    let first: Int
    /// The difference between a position's number and the number in this file. It is 0 in files of early versions.
    let offset: Int
  }

  /// The greatest number, and the greatest gap between two numbers. A line with a greater number or gap is damaged. The limits keep sums
  /// from overflowing, even where `Int` has 32 bits.
  private static let maximumNumber = Int.max / 2
  private static let maximumGap = 1 << 28
  /// A file may contain as many superfluous lines as needed lines, plus this number.
  private static let superfluousLines = 64

  /// Creates the records of a new file.
  init(identity: UInt64) {
    identities = [Identity(identity: identity, first: 0, offset: 0)]
    (acknowledged, lastCompacted, last, end) = (0, 0, 0, 0)
  }

  /// Creates the records of a file with this header. Throws an error if the line isn't a valid header of this version.
  init(header line: Data) throws(Unreadable) {
    guard let header = try? JSONDecoder().decode(Header.self, foreign: line), header.version == 1,
      let identity = UInt64(header.history, radix: 16), (0...Self.maximumNumber).contains(header.last),
      (0...header.last).contains(header.acknowledged), Self.isOffset(header.offset ?? 0)
    else { throw Unreadable(line, otherwise: "its first line is damaged") }
    identities = [Identity(identity: identity, first: 0, offset: header.offset ?? 0)]
    (acknowledged, lastCompacted) = (header.acknowledged, header.last)
    (last, end) = (acknowledged, lastCompacted)
  }

  /// Reads lines after the header, and returns how many of them are unreadable.
  mutating func read(_ lines: some Sequence<Data>) -> Int {
    var unreadable = 0
    let decoder = JSONDecoder()
    for line in lines {
      lineCount += 1
      switch try? decoder.decode(Line.self, foreign: line) {
      case .location(let number, let location, let circumstances)
      where number > last && number <= min(end + Self.maximumGap, Self.maximumNumber) && location.isStorable:
        (last, end) = (number, max(number, lastCompacted, acknowledged))
        if number > acknowledged {
          kept.append(Entry(number: number, location: location, circumstances: circumstances))
        }
      case .acknowledgement(let number) where (0...end).contains(number):
        forget(through: number)
      case .identity(let identity, let first, let offset)
      where first >= identities[identities.count - 1].first && first <= min(end + Self.maximumGap, Self.maximumNumber)
        && Self.isOffset(offset):
        identities.append(Identity(identity: identity, first: first, offset: offset))
      default:
        end += 1
        unreadable += 1
      }
    }
    return unreadable
  }

  private static func isOffset(_ offset: Int) -> Bool { (-maximumNumber...maximumNumber).contains(offset) }

  /// Returns the lines of new locations, which an identity has numbered without a gap. `dropped` is the number of locations between the
  /// last written location and these that were dropped unwritten.
  func lines(
    appending locations: some Collection<UnwrittenEntry>, dropped: Int, under identity: UInt64
  ) throws -> [Data] {
    guard let first = locations.first else { return [] }
    var lines = locations.enumerated().map { Line.location(end + dropped + $0 + 1, $1.location, $1.circumstances) }
    let (latest, offset) = (identities[identities.count - 1], first.number - (end + dropped + 1))
    if latest.identity != identity || latest.offset != offset {
      lines.insert(.identity(identity, first: max(end + 1, latest.first), offset: offset), at: 0)
    }
    return try lines.map(JSONEncoder().encode)
  }

  /// Returns the line that acknowledges locations. Returns `nil` if it would change nothing, or if the position isn't one of this file.
  func line(acknowledgingThrough position: LocationHistory.Position) throws -> Data? {
    guard (0...Self.maximumNumber).contains(position.number) else { return nil }
    // A damaged line before a location may have the location's position, which then acknowledges the line first.
    let numbers = identities.lazy.map { position.number - $0.offset }
    guard let number = numbers.first(where: { $0 > acknowledged && $0 <= end && self.position(of: $0) == position })
    else { return nil }
    return try JSONEncoder().encode(Line.acknowledgement(number))
  }

  /// Returns the position of an unacknowledged number, or of the last acknowledged one.
  func position(of number: Int) -> LocationHistory.Position {
    let identity = identity(of: number)
    return LocationHistory.Position(identity: identity.identity, number: number + identity.offset)
  }

  private func identity(of number: Int) -> Identity {
    var (low, high) = (0, identities.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if identities[middle].first <= number { low = middle } else { high = middle }
    }
    return identities[low]
  }

  /// Whether compaction is worth its cost: the superfluous lines outnumber the needed ones by more than 64, so the cost
  /// per appended line is constant on average.
  var areWorthCompacting: Bool { lineCount > 2 * (identities.count + kept.count) + Self.superfluousLines }

  /// Returns the lines of a compacted file.
  func compacted() throws -> [Data] {
    let lines =
      identities.dropFirst().map { Line.identity($0.identity, first: $0.first, offset: $0.offset) }
      + kept.map { .location($0.number, $0.location, $0.circumstances) }
    return try [header()] + lines.map(JSONEncoder().encode)
  }

  func header() throws -> Data {
    let header = Header(
      version: 1, history: String(identities[0].identity, radix: 16), last: end, acknowledged: acknowledged,
      offset: identities[0].offset == 0 ? nil : identities[0].offset)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(header)
  }

  /// Drops the oldest locations beyond the capacity.
  mutating func drop(beyond capacity: Int) {
    if kept.count > capacity { kept.removeFirst(kept.count - capacity) }
  }

  /// Returns the oldest locations that aren't too old, the number to acknowledge after them, and how many unacknowledged locations up to
  /// that number were dropped, are unreadable or are too old.
  ///
  /// The age of a location is the time from its date to the median date of the last three locations, because one of those may have a wrong
  /// date, or to `now`, if that is earlier: the clock may have been ahead when they were added.
  func batch(upTo count: Int, maximumAge: Duration, at now: Date) -> (entries: [Entry], end: Int, dropped: Int) {
    let dates = kept.suffix(3).map(\.location.timestamp).sorted()
    let newest = dates.isEmpty ? now : min(now, dates[(dates.count - 1) / 2])
    func isRecent(_ entry: Entry) -> Bool {
      newest.timeIntervalSince(entry.location.timestamp) <= maximumAge.inSeconds
    }
    let entries = Array(kept.lazy.filter(isRecent).prefix(count))
    let last = entries.last?.number
    // After the last location, a damaged line may have the position of a later location.
    let end = last == kept.last(where: isRecent)?.number ? kept.last?.number ?? end : last ?? acknowledged
    return (entries, end, end - acknowledged - entries.count)
  }

  private mutating func forget(through number: Int) {
    acknowledged = max(acknowledged, number)
    let rest = kept.firstIndex { $0.number > acknowledged } ?? kept.endIndex
    kept.removeFirst(rest - kept.startIndex)
    identities.removeFirst(identities.dropFirst().prefix { $0.first <= acknowledged }.count)
  }

  private struct Header: Codable {
    let version: Int
    let history: String
    let last: Int
    let acknowledged: Int
    let offset: Int?
  }

  /// A line after the header is a list. The list of a location has a number, the circumstances if any are known, and the values in
  /// `Location+List.swift`. The list of an acknowledgement has only a number. The list of an identity has the identity, the first number
  /// and, unless it is 0, the offset.
  private enum Line: Codable {
    case location(Int, Location, LocationManager.Circumstances)
    case acknowledgement(Int)
    case identity(UInt64, first: Int, offset: Int)

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      if let number = try? list.decode(Int.self) {
        guard !list.isAtEnd else {
          self = .acknowledgement(number)
          return
        }
        let circumstances = try? list.decode(LocationManager.Circumstances.self)
        self = .location(number, try list.decodeLocation(), circumstances ?? LocationManager.Circumstances())
      } else {
        guard let identity = UInt64(try list.decode(String.self), radix: 16) else {
          throw DecodingError.dataCorruptedError(in: list, debugDescription: "not an identity")
        }
        self = .identity(
          identity, first: try list.decode(Int.self), offset: list.isAtEnd ? 0 : try list.decode(Int.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      switch self {
      case .location(let number, let location, let circumstances):
        try list.encode(number)
        if circumstances != LocationManager.Circumstances() { try list.encode(circumstances) }
        for value in location.listed { try list.encode(value) }
      case .acknowledgement(let number):
        try list.encode(number)
      case .identity(let identity, let first, let offset):
        try list.encode(String(identity, radix: 16))
        try list.encode(first)
        if offset != 0 { try list.encode(offset) }
      }
    }
  }
}

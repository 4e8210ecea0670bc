import LocoDurable
import LocoFoundation

/// A line of the file of the current trip.
struct TripLine: Codable, Sendable {
  var version: Int?
  /// In the first line: the previous end of a trip that was started again.
  var goesOnAfter: Date?
  var state: TripSnapshot?
  var fix: TripRecord.Fix?
  var standing: TripRecord.Fix?

  static let version = 1

  /// Returns the lines of a whole snapshot: its state, then each fix with the distance of the whole trip, and the fix of a device that stands.
  static func lines(of snapshot: TripSnapshot, goesOnAfter end: Date?) throws -> [Data] {
    var lines = [try encoder.encode(TripLine(version: version, goesOnAfter: end, state: snapshot.withoutFixes))]
    guard let trip = snapshot.trip else { return lines }
    for segment in trip.segments {
      for (index, location) in zip(segment.indices, segment) {
        let fix = trip.record(of: location, beginsSegment: index == segment.startIndex)
        lines.append(try encoder.encode(TripLine(fix: fix)))
      }
    }
    if let standing = trip.standing { lines.append(try encoder.encode(TripLine(standing: trip.record(of: standing)))) }
    return lines
  }

  /// Reads lines. Returns the snapshot and the number of damaged lines, or `nil` if there are no lines.
  static func stored(
    in lines: [Data]
  ) throws(Unreadable) -> (snapshot: TripSnapshot, goesOnAfter: Date?, damaged: Int)? {
    guard let first = lines.first else { return nil }
    let decoder = JSONDecoder()
    guard let header = try? decoder.decode(TripLine.self, foreign: first), var snapshot = header.state else {
      throw Unreadable(first, otherwise: "its first line is damaged")
    }
    guard header.version == version else {
      throw Unreadable(first, otherwise: "its first line has no version")
    }
    var damaged = 0
    for line in lines.dropFirst() {
      let line = try? decoder.decode(TripLine.self, foreign: line)
      switch (line?.state, line?.fix, line?.standing) {
      case (let state?, nil, nil): snapshot.update(state)
      case (nil, let fix?, nil) where fix.isValid: snapshot.add(fix)
      case (nil, nil, let fix?) where fix.isValid: snapshot.stand(fix)
      default: damaged += 1
      }
    }
    return (snapshot, header.goesOnAfter, damaged)
  }

  /// Returns the contents of an ended trip's file: a line with the trip without its fixes, and a line with the whole trip.
  static func data(of trip: Trip) throws -> Data {
    try encoder.encode(trip.withFixes(of: nil)) + [RecordFile.newline] + encoder.encode(trip)
  }

  /// Returns the trip without its fixes; `nil` if the beginning of its file doesn't contain it.
  static func summary(in beginning: Data) -> Trip? {
    guard let end = beginning.firstIndex(of: RecordFile.newline) else { return nil }
    return try? JSONDecoder().decode(Trip.self, foreign: beginning[..<end])
  }

  /// Reads the file of an ended trip. If the disk was full when the trip ended, the file contains the lines of a current trip.
  static func endedTrip(in data: Data) throws -> Trip {
    let lines = data.split(separator: RecordFile.newline)
    // Without its second line, a file has no fixes.
    if lines.count == 1, data.last == RecordFile.newline { throw Unreadable("it has no second line") }
    if let last = lines.last, let trip = try? JSONDecoder().decode(Trip.self, foreign: last) { return trip }
    let snapshot = try stored(in: lines)?.snapshot
    guard var trip = snapshot?.trip else { throw Unreadable("it contains no trip") }
    trip.endAtLastFix(snapshot?.detector?.kind)
    return trip
  }

  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return encoder
  }()
}

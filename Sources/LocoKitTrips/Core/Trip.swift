public import LocoFoundation
public import LocoKit

/// The fixes, the distance and the gaps of a trip that a ``TripRecorder`` records or has recorded.
///
/// ```swift
/// func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) {
///   lines.append("\(Int(trip.distance)) m in \(trip.duration), \(trip.gaps.count) gaps")
///   files.append(trip.gpx)
/// }
/// ```
public struct Trip: Hashable, Codable, Sendable, Identifiable {
  /// How the device moved.
  public enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    /// In a vehicle: the motion sensor reported one, or the device moved at 25 km/h or faster for a minute in total.
    case automotive
    /// Not in a vehicle: on foot, or on a bicycle.
    case onFoot
  }

  /// A part of a trip that wasn't recorded, because the app wasn't running.
  ///
  /// Decoding a trip throws an error if the locations of a gap aren't on Earth. Decoding a single gap doesn't check that. The trip's distance
  /// and duration include neither the way nor the time between the two locations.
  public struct Gap: Hashable, Codable, Sendable {
    /// The last location before the gap.
    public let from: Location
    /// The first location after the gap.
    public let to: Location

    /// The length of the shortest line between both locations, in metres; NaN if they aren't on Earth.
    public var length: Double { from.geodesicDistance(to: to) }
    /// The time between both locations, 0 or more.
    package var duration: Duration {
      // The difference of arbitrary dates may be out of the range of a duration.
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      return seconds > 0 ? .seconds(min(seconds, Trip.maximumSeconds)) : .zero
    }
  }

  /// The beginning of the trip. All trips of a recorder begin at different times.
  public let began: Date
  /// The end of the trip; `nil` while it is recorded.
  public internal(set) var ended: Date?
  /// How the device moved; `nil` if the recorder isn't automatic. In ``TripRecorder/trip``, it is `nil` until the trip ends.
  public internal(set) var kind: Kind?
  /// The stay before the trip, at the place where the device rested; `nil` if the recorder isn't automatic, or if the place isn't known.
  public internal(set) var visit: Location.Visit?
  /// The length of the trip in metres, without its gaps.
  public private(set) var distance = 0.0
  /// The fixes that describe the route, oldest first, at most 10,000.
  public private(set) var fixes: [Location] = []
  /// The gaps, oldest first, at most 1,000.
  public private(set) var gaps: [Gap] = []
  /// The indices of the fixes that begin a segment.
  private var starts: [Int] = []
  private var seconds = 0.0
  /// Whether the next fix begins a segment.
  private(set) var endsSegment = true
  /// The last fix, if it isn't one of ``fixes`` because the device stands.
  private(set) var standing: Location?

  /// The maximum number of fixes. At this number, usually every second fix is removed, which doesn't change the distance.
  package static let maximumFixes = 10_000
  /// The maximum number of gaps. Further gaps are not listed.
  package static let maximumGaps = 1_000

  /// The beginning identifies the trip.
  public var id: Date { began }
  /// The recorded time. It excludes gaps, the time between a stop and the next start, and pauses of the manager until the next fix.
  public var duration: Duration { .seconds(seconds) }
  /// The fixes in segments, oldest first. The route between two segments wasn't recorded.
  public var segments: [ArraySlice<Location>] {
    zip(starts, starts.dropFirst() + [fixes.count]).map { fixes[$0..<$1] }
  }

  /// The last fix; `nil` before the first one.
  var lastFix: Location? { standing ?? fixes.last }

  init(began: Date) { self.began = began }

  /// The beginning in milliseconds since 1970, which names the trip's file. A text of the date may be the nearest number of milliseconds. The
  /// limits include the years 1 to 4000.
  var milliseconds: Int64 { Int64(min(max(-1e14, began.timeIntervalSince1970 * 1_000), 1e14).rounded()) }

  /// Adds a fix that is `metres` from the last one along the route.
  mutating func add(_ fix: Location, metres: Double) {
    if endsSegment || fixes.isEmpty { starts.append(fixes.count) }
    (endsSegment, standing) = (false, nil)
    fixes.append(fix)
    distance += metres
    if fixes.count >= Self.maximumFixes { thin() }
  }

  /// Notes a fix that adds no distance.
  mutating func stand(at fix: Location) { standing = fix }

  mutating func endSegment() { endsSegment = true }

  /// Ends the segment, and adds a gap from the last fix.
  mutating func addGap(to fix: Location) -> Gap? {
    endSegment()
    guard let last = lastFix, gaps.count < Self.maximumGaps else { return nil }
    let gap = Gap(from: last, to: fix)
    gaps.append(gap)
    return gap
  }

  mutating func setDuration(_ duration: Duration) { seconds = duration.inSeconds }

  /// Sets the duration to the time from the beginning to a date, without the gaps.
  mutating func setDuration(until date: Date) {
    let missing = gaps.reduce(0) { $0 + $1.duration.inSeconds }
    seconds = max(0, date.timeIntervalSince(began) - missing)
  }

  /// Ends a trip that isn't resumed.
  mutating func endAtLastFix(_ kind: Kind?) {
    ended = max(lastFix?.timestamp ?? began, began)
    self.kind = kind
  }

  /// Removes the gaps that end after a date, and the fixes after it with their share of the distance.
  mutating func cut(after date: Date) {
    gaps.removeAll { $0.to.timestamp > date }
    while let last = fixes.last, last.timestamp > date {
      fixes.removeLast()
      if starts.last == fixes.count {
        starts.removeLast()
      } else if let before = fixes.last {
        distance = max(0, distance - before.geodesicDistance(to: last))
      }
    }
  }

  /// Keeps the first, the last and every second fix of each segment. If more than three quarters of the fixes remain, keeps every second of
  /// those, and the last.
  private mutating func thin() {
    let enough = fixes.count / 4 * 3
    keep { ($0 - $1.lowerBound) % 2 == 0 || $0 == $1.upperBound - 1 }
    let last = fixes.count - 1
    if last >= enough { keep { index, _ in index % 2 == 0 || index == last } }
  }

  private mutating func keep(where isKept: (_ index: Int, _ segment: Range<Int>) -> Bool) {
    var kept: [Location] = []
    var newStarts: [Int] = []
    for segment in segments {
      let start = kept.count
      for index in segment.indices where isKept(index, segment.indices) { kept.append(segment[index]) }
      if kept.count > start { newStarts.append(start) }
    }
    (fixes, starts) = (kept, newStarts)
  }

  /// Returns the trip with the fixes of another trip; without fixes if `other` is `nil`.
  func withFixes(of other: Trip?) -> Trip {
    var trip = self
    (trip.fixes, trip.starts) = (other?.fixes ?? [], other?.starts ?? [])
    return trip
  }

  // MARK: - From a file

  // Limits in metres and in seconds that no trip exceeds.
  static let maximumDistance = 1e12
  static let maximumSeconds = 1e10

  /// Decodes a trip. Throws an error for values that no recorder stores: for example, if fixes or gaps aren't on Earth, if there are more
  /// than 10,000 fixes, or if the segments don't match the fixes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    began = try values.decode(Date.self, forKey: .began)
    ended = try values.decodeIfPresent(Date.self, forKey: .ended)
    kind = try values.decodeIfPresent(Kind.self, forKey: .kind)
    visit = try values.decodeIfPresent(Location.Visit.self, forKey: .visit)
    distance = try values.decode(Double.self, forKey: .distance)
    fixes = try values.decode([Location].self, forKey: .fixes)
    gaps = try values.decode([Gap].self, forKey: .gaps)
    starts = try values.decode([Int].self, forKey: .starts)
    seconds = try values.decode(Double.self, forKey: .seconds)
    endsSegment = try values.decode(Bool.self, forKey: .endsSegment)
    standing = try values.decodeIfPresent(Location.self, forKey: .standing)
    guard began.canBeInTrip, visit?.place.canBeInTrip ?? true, visit?.arrival.canBeInTrip ?? true,
      visit?.departure?.canBeInTrip ?? true, ended?.canBeInTrip ?? true, (0...Self.maximumDistance).contains(distance),
      (0...Self.maximumSeconds).contains(seconds), gaps.count <= Self.maximumGaps,
      fixes.count <= Self.maximumFixes, fixes.allSatisfy(\.canBeInTrip), areStartsValid,
      gaps.allSatisfy({ $0.from.canBeInTrip && $0.to.canBeInTrip }),
      standing?.canBeInTrip ?? true
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "No recorder makes such a trip."))
    }
  }

  /// Whether the segments cover the fixes, and none is empty.
  private var areStartsValid: Bool {
    guard let first = starts.first, let last = starts.last else { return fixes.isEmpty }
    return first == 0 && last < fixes.count && zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 }
  }

  // MARK: - GPX and GeoJSON

  /// The trip as a GPX 1.1 document: a track with ``segments``, times and elevations, and the ``visit`` as a waypoint with the time of
  /// arrival.
  ///
  /// - Complexity: O(n) in the fixes; some microseconds for each.
  public var gpx: String {
    var document = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="LocoKit" xmlns="http://www.topografix.com/GPX/1/1">
      <metadata><time>\(began.textWithMilliseconds)</time></metadata>

      """
    if let visit {
      document += #"<wpt lat="\#(decimal(visit.place.latitude))" lon="\#(longitude(visit.place))">"#
      document += "<time>\(visit.arrival.textWithMilliseconds)</time><type>visit</type></wpt>\n"
    }
    document += "<trk>\n"
    for segment in segments {
      document += "<trkseg>\n"
      for fix in segment {
        document += #"<trkpt lat="\#(decimal(fix.latitude))" lon="\#(longitude(fix))">"#
        if let altitude = fix.altitude { document += "<ele>\(decimal(altitude))</ele>" }
        document += "<time>\(fix.timestamp.textWithMilliseconds)</time></trkpt>\n"
      }
      document += "</trkseg>\n"
    }
    return document + "</trk>\n</gpx>\n"
  }

  /// The trip as a GeoJSON feature (RFC 7946): a `MultiLineString` with a line for each of ``segments`` that has two fixes or more.
  ///
  /// The properties of the feature are `began`, `ended`, `distance` in metres, `duration` in seconds and `kind`. The properties of the
  /// ``visit`` are `visitPosition`, `visitAccuracy` in metres, `visitArrival` and `visitDeparture`. A segment is split
  /// into two lines where it crosses the 180th meridian, as the RFC recommends. Without a line, the geometry is `null`.
  ///
  /// - Complexity: O(n) in the fixes; some microseconds for each.
  public var geoJSON: String {
    let lines = segments.flatMap(Self.lines).filter { $0.count > 1 }
    let geometry = #"{"coordinates":\#(json(lines)),"type":"MultiLineString"}"#
    let properties = Properties(
      began: began.textWithMilliseconds, ended: ended?.textWithMilliseconds, distance: distance, duration: seconds,
      kind: kind,
      visitPosition: visit.map { Self.position($0.place) }, visitAccuracy: visit?.place.horizontalAccuracy,
      visitArrival: visit?.arrival.textWithMilliseconds, visitDeparture: visit?.departure?.textWithMilliseconds)
    return #"{"geometry":\#(lines.isEmpty ? "null" : geometry),"properties":\#(json(properties)),"type":"Feature"}"#
  }

  /// Returns the positions of a segment, split into lines at the 180th meridian. At a crossing, both lines have a position on the meridian.
  private static func lines(of segment: ArraySlice<Location>) -> [[[Double]]] {
    var lines: [[[Double]]] = [[]]
    for (last, fix) in zip([nil] + segment.map(Optional.some), segment) {
      if let last, abs(fix.longitude - last.longitude) > 180 {
        let edge = last.longitude < 0 ? -180.0 : 180
        // The degrees of longitude before and after the meridian.
        let (before, after) = (abs(edge - last.longitude), abs(fix.longitude + edge))
        let share = before + after > 0 ? before / (before + after) : 0
        func between(_ first: Double, _ second: Double) -> Double { first + (second - first) * share }
        var crossing = last
        crossing.latitude = between(last.latitude, fix.latitude)
        crossing.altitude = last.altitude.flatMap { first in fix.altitude.map { between(first, $0) } }
        crossing.longitude = edge
        if before > 0 { lines[lines.count - 1].append(position(crossing)) }
        crossing.longitude = -edge
        lines.append(after > 0 ? [position(crossing)] : [])
      }
      lines[lines.count - 1].append(position(fix))
    }
    return lines
  }

  private static func position(_ fix: Location) -> [Double] {
    // The sum of -0 and 0 is 0.
    ([fix.longitude, fix.latitude] + (fix.altitude.map { [$0] } ?? [])).map { $0 + 0 }
  }

  private struct Properties: Encodable {
    let began: String
    let ended: String?
    let distance: Double
    let duration: Double
    let kind: Kind?
    let visitPosition: [Double]?
    let visitAccuracy: Double?
    let visitArrival: String?
    let visitDeparture: String?
  }

  private func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    // All numbers of a trip are finite.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Returns a number as a decimal of XML Schema with seven places. C's functions would write the comma of some languages. A number that is
  /// rounded to 0 has no sign.
  private func decimal(_ number: Double) -> String {
    // A location's numbers have at most ten digits before the decimal point.
    let units = Int64((number * 1e7).rounded())
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    return (units < 0 ? "-" : "") + padded.dropLast(7) + "." + padded.suffix(7)
  }

  /// Returns a longitude for GPX, which excludes 180° east. Rounding could produce that value.
  private func longitude(_ fix: Location) -> String { decimal(fix.longitude > 180 - 5e-8 ? -180 : fix.longitude) }
}

extension Date {
  /// Whether the date is in the years 1 to 4000.
  var canBeInTrip: Bool { (Date.distantPast...Date.distantFuture).contains(self) }
}

extension Location {
  /// Whether the fix is on Earth, with a valid accuracy and a date in the years 1 to 4000.
  var canBeInTrip: Bool { isStorable && timestamp.canBeInTrip }
}

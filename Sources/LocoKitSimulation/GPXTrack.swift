import Foundation
import LocoKit

extension SimulatedProvider {
  /// A recorded track, read from a GPX file, as a ``SimulatedProvider/Route``.
  ///
  /// ```swift
  /// let track = try SimulatedProvider.GPXTrack(contentsOf: file)
  /// for note in track.notes { print(note) }             // what was dropped or assumed
  /// let provider = SimulatedProvider(route: track.route, seed: 1)
  /// ```
  ///
  /// A gap in the recording is an interval longer than 30 s and longer than four times the median interval. During a gap the device has no
  /// sky. If the ends of the gap are less than 200 m apart, and the mean speed between them is below 0.5 m/s, the device was indoors: it
  /// stays at the first place, and then walks to the second, where it arrives when the gap ends. In any other gap, such as a tunnel, it
  /// moves at a constant speed.
  ///
  /// The reader accepts GPX 1.0 and 1.1 in UTF-16 with a byte order mark, or in any encoding that contains ASCII. It reads the tracks of a
  /// file, or its routes if no track has a usable point, and loads nothing outside the file. Malformed XML costs no point. If the file is
  /// cut off, the reader uses the points before the end, unless there are fewer than two.
  ///
  /// Wrong times cost only their points: the reader keeps the longest run of points whose times don't fall, or that run of the reversed
  /// track if it is longer. It also drops repeated points, points of a clock that isn't set, and points at 0°, 0° that lie far from the
  /// others. Several points with the same whole second are spread over it. If most points have no time, the reader gives them times by the
  /// distance; if that isn't possible, the device drives at 50 km/h. ``notes`` contains the number of points that the reader
  /// dropped or changed. It refuses a file with a document type, and a file whose first 1,000 points have no usable coordinate.
  public struct GPXTrack: Sendable {
    /// The route from the first usable point to the last.
    public let route: Route
    /// Whether the points have their own times, not times by an assumed speed.
    package let isTimed: Bool
    /// The number of dropped points by reason.
    package let dropped: [DropReason: Int]
    /// Sentences that describe what the reader dropped or assumed.
    public let notes: [String]

    /// The reason for dropping a point.
    package enum DropReason: String, CaseIterable, Hashable, Sendable {
      /// The latitude or the longitude is missing, isn't a number, or is out of range.
      case badCoordinate = "without a usable coordinate"
      /// The point is at 0°, 0°, far from the others. Receivers report that place without a fix.
      case nullIsland = "at 0°, 0°, where receivers are before their first fix"
      case repeated = "with the time and the place of another"
      /// The point has no valid time, but at least half of the points have or get one.
      case noTime = "without a usable time"
      case timeGoingBack = "with a time that contradicts the other points"
      /// The time is of a clock that isn't set, or a day or more from all others.
      case timeFarOff = "with a time far from the others"
      /// The time is so far from the start that it rounds to the preceding point's.
      case sameTime = "with the same time as the preceding point"
      /// The point has no time, and the assumed speed gives it the preceding point's.
      case samePlace = "in the same place as the preceding point"
    }

    /// The limits of a file. The reader refuses a file that exceeds them.
    package struct Limits: Hashable, Sendable {
      package var bytes = 64 << 20
      /// The depth of nested elements.
      package var depth = 64
      package var points = 1_000_000
      /// The maximum duration of the route in days, at most 36,525. A pause of more than a day counts as one day.
      package var days = 366
      /// The reader refuses a file that has this many points before the first usable coordinate.
      static let unusablePoints = 1_000

      package init() {}
    }

    /// The usual speed between points without times: 50 km/h, in metres per second.
    private static let assumedSpeed = 14.0
    /// The minimum duration of a gap, in seconds.
    private static let minimumGap = 30.0
    /// The distance in metres and the mean speed in metres per second below which a gap is a stay.
    private static let (stayDistance, staySpeed) = (200.0, 0.5)
    /// The speed of the walk at the end of a stay, in metres per second.
    private static let walkingSpeed = 1.4

    /// The distance in metres from the next point within which a point at 0°, 0° is a place.
    private static let nearNullIsland = 100_000.0

    init(
      bytes: [UInt8], file: String, limits: Limits = Limits(), speedWithoutTimes: Double? = nil
    ) throws(FileFailure) {
      let speed = speedWithoutTimes ?? Self.assumedSpeed
      precondition(speed > 0 && speed.isFinite, "A speed is more than zero, not \(speed).")
      let document = try GPXReader(bytes, file: file, limits: limits).document
      var dropped: [DropReason: Int] = [:]
      dropped[.badCoordinate] = document.badCoordinates.count
      var notes = Self.notes(document)
      var segments = document.tracks
      if segments.allSatisfy({ $0.isEmpty }) {
        segments = document.routes
        if !segments.allSatisfy({ $0.isEmpty }) { notes.append("There is no track; the file's routes are used.") }
      }
      let read = segments.joined().count
      segments = Self.withoutNullIsland(segments)
      let all = segments.flatMap { $0 }
      dropped[.nullIsland] = read - all.count
      guard all.count >= 2 else {
        let found = all.count == 1 ? "is 1 usable track point" : "are no usable track points"
        let waypoints =
          document.waypoints > 0 ? " (waypoints, of which it has \(document.waypoints), aren't a track)" : ""
        let fault = document.badCoordinates.first.map { "; line \($0.line): \($0.words)" } ?? ""
        throw FileFailure(file, 0, "there \(found)\(waypoints); a route has at least 2\(fault)")
      }
      var points: [Route.Point]
      var start = Route.standardStart
      let times = GPXTimes(segments)
      isTimed = !times.points.isEmpty
      if isTimed {
        for (reason, count) in times.dropped { dropped[reason] = count }
        notes += times.notes
        let first = times.points[0].time ?? 0
        start = Date(timeIntervalSince1970: first)
        points = times.points.map { $0.point(at: ($0.time ?? first) - first) }
        let pauses = Self.shortenPauses(&points)
        if pauses > 0 { notes.append("Cut \(pauses) \(pauses == 1 ? "pause" : "pauses") of more than a day to a day.") }
        // Far from the start, rounding can make two times equal.
        let count = points.count
        var last = -TimeInterval.infinity
        points.removeAll { point in
          defer { last = max(last, point.time) }
          return point.time <= last
        }
        dropped[.sameTime] = count - points.count
      } else {
        points = Self.atSpeed(speed, all)
        let found = "\(times.timed) of \(all.count) points have a usable time"
        notes.append("\(found); the speed is assumed to be \(Int((speed * 3.6).rounded())) km/h.")
        dropped[.samePlace] = all.count - points.count
      }
      dropped = dropped.filter { $0.value > 0 }
      for reason in DropReason.allCases {
        if let count = dropped[reason] {
          let fault =
            reason == .badCoordinate ? document.badCoordinates.first : reason == .noTime ? document.badTimes.first : nil
          notes.append(
            "Dropped \(GPXTimes.words(count)) \(reason.rawValue)\(fault.map { "; line \($0.line): \($0.words)" } ?? "")."
          )
        }
      }
      guard points.count >= 2, let last = points.last else {
        throw FileFailure(file, 0, "all points lie in one place, without usable times")
      }
      let days = min(limits.days, Int(Duration.century.inSeconds / 86_400))
      guard last.time <= Double(days) * 86_400 else {
        throw FileFailure(file, 0, "the track takes \(Int(last.time / 86_400)) days; at most \(days) are read")
      }
      // Assumed times show no gaps in a recording.
      route = isTimed ? Self.route(points, start: start) : Route(points: points, start: start)
      self.dropped = dropped
      self.notes = notes
    }

    /// Returns notes about a file's XML and altitudes.
    private static func notes(_ document: GPXDocument) -> [String] {
      var notes: [String] = []
      if let line = document.cutOff {
        notes.append("Line \(line): the file is cut off; the \(GPXTimes.words(document.points)) before are used.")
      }
      if let (line, words) = document.malformed.first {
        let count = document.malformed.count
        notes.append(
          "Line \(line): \(words)\(count > 1 ? ", the first of \(count) errors in the XML" : ""); all points are used, "
            + "but other programs may refuse the file.")
      }
      if let (line, words) = document.badAltitudes.first {
        notes.append("Ignored \(document.badAltitudes.count) unusable altitudes; line \(line): \(words).")
      }
      return notes
    }

    /// Returns the segments without points at 0°, 0° that are far from the points before and after them.
    private static func withoutNullIsland(_ segments: [[GPXDocument.Point]]) -> [[GPXDocument.Point]] {
      func isNull(_ point: GPXDocument.Point) -> Bool { point.latitude == 0 && point.longitude == 0 }
      let others = segments.joined().filter { !isNull($0) }
      guard !others.isEmpty else { return segments }
      let null = SimulatedProvider.Route.Point(time: 0, latitude: 0, longitude: 0).location
      func isNear(_ index: Int) -> Bool {
        others.indices.contains(index) && others[index].point(at: 0).location.distance(to: null) <= nearNullIsland
      }
      var before = 0
      return segments.map { segment in
        segment.filter { point in
          if !isNull(point) {
            before += 1
            return true
          }
          return isNear(before - 1) || isNear(before)
        }
      }
    }

    /// Cuts pauses of more than a day to a day, and returns their number.
    private static func shortenPauses(_ points: inout [Route.Point]) -> Int {
      let day: TimeInterval = 86_400
      var (pauses, cut, previous) = (0, 0.0, 0.0)
      for index in points.indices {
        let pause = points[index].time - previous
        previous = points[index].time
        if pause > day { (pauses, cut) = (pauses + 1, cut + pause - day) }
        points[index].time -= cut
      }
      return pauses
    }

    private static func atSpeed(_ speed: Double, _ all: [GPXDocument.Point]) -> [Route.Point] {
      var points = [all[0].point(at: 0)]
      for next in all.dropFirst() {
        let last = points[points.count - 1]
        let metres = last.location.distance(to: next.point(at: 0).location)
        if metres > 0.01 { points.append(next.point(at: last.time + metres / speed)) }
      }
      return points
    }

    /// Creates a route whose gaps are stays indoors or outages.
    private static func route(_ points: [Route.Point], start: Date) -> Route {
      let intervals = zip(points, points.dropFirst()).map { $1.time - $0.time }
      let usual = intervals.sorted()[intervals.count / 2]
      var route = [points[0]]
      var outages: [Range<TimeInterval>] = []
      var indoors: [Range<TimeInterval>] = []
      for (from, to) in zip(points, points.dropFirst()) {
        let seconds = to.time - from.time
        if seconds > max(minimumGap, 4 * usual) {
          let metres = from.location.distance(to: to.location)
          if metres < stayDistance, metres < staySpeed * seconds {
            indoors.append(from.time..<to.time)
            let leaves = to.time - metres / walkingSpeed
            if leaves > from.time, leaves < to.time { route.append(from.staying(until: leaves)) }
          } else {
            outages.append(from.time..<to.time)
          }
        }
        route.append(to)
      }
      return Route(points: route, start: start, outages: outages, indoors: indoors)
    }
  }
}

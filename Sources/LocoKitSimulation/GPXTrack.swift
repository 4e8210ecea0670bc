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
  /// The reader accepts GPX 1.0 and 1.1, in UTF-8, UTF-16 with a byte order mark, ISO 8859-1 and -15, or Windows-1252. It reads the tracks
  /// of a file, or its routes if no track has a usable point, and loads nothing outside the file. If the XML is damaged, the reader uses
  /// the part before the damage, unless that has fewer than two points. It drops invalid points, and ``notes`` contains their number. It
  /// refuses a file in another encoding, a file with a document type, and a file whose first 1,000 points have no usable coordinate.
  public struct GPXTrack: Sendable {
    /// The route from the first usable point to the last.
    public let route: Route
    /// The number of dropped points by reason.
    package let dropped: [DropReason: Int]
    /// Sentences that describe what the reader dropped or assumed.
    public let notes: [String]

    /// The reason for dropping a point.
    package enum DropReason: String, CaseIterable, Hashable, Sendable {
      /// The latitude or the longitude is missing, isn't a number, or is out of range.
      case badCoordinate = "without a usable coordinate"
      /// The point has no valid time, but at least half of the points have a usable one.
      case noTime = "without a usable time"
      case sameTime = "with the same time as the preceding point"
      case timeGoingBack = "with an earlier time than the preceding point"
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

    /// The speed between points without times: 50 km/h, in metres per second.
    private static let assumedSpeed = 14.0
    /// The minimum duration of a gap, in seconds.
    private static let leastGap = 30.0
    /// The distance in metres and the mean speed in metres per second below which a gap is a stay.
    private static let (stayDistance, staySpeed) = (200.0, 0.5)
    /// The speed of the walk at the end of a stay, in metres per second.
    private static let walkingSpeed = 1.4

    init(_ document: GPXDocument, file: String, limits: Limits = Limits()) throws(FileFailure) {
      var dropped = document.badCoordinates > 0 ? [DropReason.badCoordinate: document.badCoordinates] : [:]
      var notes = document.note.map { [$0] } ?? []
      var segments = document.tracks
      if segments.allSatisfy({ $0.isEmpty }) {
        segments = document.routes
        if !segments.allSatisfy({ $0.isEmpty }) { notes.append("There is no track; the file's routes are used.") }
      }
      let all = segments.flatMap { $0 }
      guard all.count >= 2 else {
        let found = all.count == 1 ? "is 1 usable track point" : "are no usable track points"
        let waypoints = document.waypoints > 0 ? " (its \(document.waypoints) waypoints aren't a track)" : ""
        throw FileFailure(file, 0, "there \(found)\(waypoints); a route has at least 2")
      }
      var points: [Route.Point]
      var start = Route.standardStart
      var untimely: [DropReason: Int] = [:]
      let timed = Self.inTime(segments, &untimely)
      let isTimed = timed.count >= 2 && timed.count * 2 >= all.count
      if isTimed {
        for (reason, count) in untimely { dropped[reason] = count }
        start = timed[0].time ?? start
        points = timed.map { $0.point(at: ($0.time ?? start).timeIntervalSince(start)) }
        let pauses = Self.shortenPauses(&points)
        if pauses > 0 { notes.append("Cut \(pauses) \(pauses == 1 ? "pause" : "pauses") of more than a day to a day.") }
        // Far from the start, rounding can make two times equal.
        let count = points.count
        var last = -TimeInterval.infinity
        points.removeAll { point in
          defer { last = max(last, point.time) }
          return point.time <= last
        }
        if points.count < count { dropped[.sameTime, default: 0] += count - points.count }
      } else {
        points = Self.atAssumedSpeed(all)
        notes.append("\(timed.count) of \(all.count) points have a usable time; the route is driven at 50 km/h.")
      }
      for reason in DropReason.allCases {
        if let count = dropped[reason] {
          notes.append("Dropped \(count) \(count == 1 ? "point" : "points") \(reason.rawValue).")
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

    /// Returns the points with a time, without those that aren't later than the preceding point. Segments are sorted by their first times.
    private static func inTime(
      _ segments: [[GPXDocument.Point]], _ dropped: inout [DropReason: Int]
    ) -> [GPXDocument.Point] {
      let timed = segments.map { segment in segment.filter { $0.time != nil } }.filter { !$0.isEmpty }
      let untimed = segments.joined().count - timed.joined().count
      if untimed > 0 { dropped[.noTime] = untimed }
      var points: [GPXDocument.Point] = []
      for point in timed.sorted(by: { ($0[0].time ?? .distantPast) < ($1[0].time ?? .distantPast) }).joined() {
        if let time = point.time, let previous = points.last?.time, time <= previous {
          dropped[time == previous ? .sameTime : .timeGoingBack, default: 0] += 1
        } else {
          points.append(point)
        }
      }
      return points
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

    private static func atAssumedSpeed(_ all: [GPXDocument.Point]) -> [Route.Point] {
      var points = [all[0].point(at: 0)]
      for next in all.dropFirst() {
        let last = points[points.count - 1]
        let metres = last.location.distance(to: next.point(at: 0).location)
        if metres > 0.01 { points.append(next.point(at: last.time + metres / assumedSpeed)) }
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
        if seconds > max(leastGap, 4 * usual) {
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

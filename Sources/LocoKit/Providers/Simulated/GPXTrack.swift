public import Foundation

extension SimulatedProvider {
  /// A recorded track, read from a GPX file, as a ``SimulatedProvider/Route``.
  ///
  /// ```swift
  /// let track = try SimulatedProvider.GPXTrack(contentsOf: file)
  /// for note in track.notes { print(note) }             // what was dropped or assumed
  /// let provider = SimulatedProvider(route: track.route, seed: 1)
  /// ```
  ///
  /// A gap in the recording, of more than half a minute and more than four times the usual interval, is a time without sky.
  /// Where its ends are less than 200 m apart, and the way between them would have been gone at less than 0.5 m/s, the device
  /// was in a house: it stays where it was, and walks to where the recording goes on in the last seconds. Through any other gap,
  /// such as a tunnel, it glides.
  ///
  /// Reads GPX 1.0 and 1.1, in UTF-8, UTF-16 with a byte order mark, ISO 8859-1 and -15, or Windows-1252. A file with a
  /// document type is refused. What can be used of a sloppy file is used, and ``dropped`` counts the rest; a file whose first
  /// 1,000 points have no usable coordinate is refused without reading on. Tracks are used; a file without any is read for its
  /// routes. Nothing outside the file is ever loaded.
  public struct GPXTrack: Sendable {
    /// The way, from the first usable point to the last.
    public let route: SimulatedProvider.Route
    /// How many points were not used, by reason.
    package let dropped: [DropReason: Int]
    /// What a reader of the result should know, a sentence each: what was dropped and what was assumed.
    public let notes: [String]

    /// Why a point was not used.
    package enum DropReason: String, CaseIterable, Hashable, Sendable {
      /// Latitude or longitude are missing, are not numbers, or are not on Earth.
      case badCoordinate = "without a usable coordinate"
      /// Other points have a time, this one has none that can be read.
      case noTime = "without a usable time"
      /// The point before has the same time.
      case sameTime = "with the time of the point before"
      /// The point before has a later time.
      case timeGoingBack = "with a time before that of the point before"
    }

    /// How much of a file is read: what goes beyond is refused.
    package struct Limits: Hashable, Sendable {
      /// Bytes in the file.
      package var bytes = 64 << 20
      /// Elements within elements.
      package var depth = 64
      /// Points, of all kinds.
      package var points = 1_000_000
      /// The longest the route may take, after pauses of more than a day were cut to a day. More than a century counts as one.
      package var days = 366

      /// Points without a usable coordinate before the first that has one: then the rest of the file is not read.
      static let unusablePoints = 1_000

      /// 64 MiB, 64 elements deep, a million points, a year.
      package init() {}
    }

    /// Reads a file.
    ///
    /// - Complexity: O(size of the file) in time, O(number of points) in memory.
    /// - Throws: ``FileFailure``, with the file, the line and the reason.
    public init(contentsOf url: URL) throws(FileFailure) {
      try self.init(contentsOf: url, limits: Limits())
    }

    init(contentsOf url: URL, limits: Limits) throws(FileFailure) {
      let document = try GPXDocument(contentsOf: url, limits: limits)
      try self.init(document, file: url.relativePath, limits: limits)
    }

    /// Reads a file's contents.
    ///
    /// - Parameters:
    ///   - data: What stands in the file.
    ///   - name: What errors call the file.
    /// - Complexity: O(size of the data) in time, O(number of points) in memory.
    /// - Throws: ``FileFailure``, with the name, the line and the reason.
    public init(data: Data, name: String = "GPX") throws(FileFailure) {
      try self.init(data: data, name: name, limits: Limits())
    }

    init(data: Data, name: String = "GPX", limits: Limits) throws(FileFailure) {
      try self.init(GPXDocument(data, file: name, limits: limits), file: name, limits: limits)
    }
  }
}

extension SimulatedProvider.GPXTrack {
  /// What points without times are assumed to be driven at: metres per second, 50 km/h.
  static let assumedSpeed = 14.0
  /// Where nothing is recorded for so many seconds, that is a gap.
  private static let leastGap = 30.0
  /// A gap whose ends are this close, in metres, and this slow, in metres per second, is a stay in a house.
  private static let stayDistance = 200.0
  private static let staySpeed = 0.5
  /// How fast the device goes on after a stay, metres per second.
  private static let walkingSpeed = 1.4

  init(_ document: GPXDocument, file: String, limits: Limits) throws(FileFailure) {
    var dropped = document.badCoordinates > 0 ? [DropReason.badCoordinate: document.badCoordinates] : [:]
    var notes = document.note.map { [$0] } ?? []
    var segments = document.tracks
    if segments.allSatisfy(\.isEmpty) {
      segments = document.routes
      if !segments.allSatisfy(\.isEmpty) { notes.append("There is no track; the file's routes are used.") }
    }
    let all = segments.flatMap { $0 }
    guard all.count >= 2 else {
      let waypoints = document.waypoints > 0 ? " (its \(document.waypoints) waypoints are not a track)" : ""
      throw FileFailure(
        file, 0,
        "there \(all.count == 1 ? "is 1 usable track point" : "are no usable track points")\(waypoints);"
          + " a way has at least 2")
    }
    var points: [SimulatedProvider.Route.Point]
    var start = SimulatedProvider.Route.standardStart
    var untimely: [DropReason: Int] = [:]
    let timed = Self.inTime(segments, &untimely)
    if timed.count >= 2, timed.count * 2 >= all.count {
      dropped.merge(untimely) { $1 }
      start = timed[0].time ?? start
      points = timed.map { $0.point(at: ($0.time ?? start).timeIntervalSince(start)) }
      let pauses = Self.shortenPauses(&points)
      if pauses > 0 { notes.append("\(pauses) pauses of more than a day are cut to a day.") }
      // Far from the start a microsecond is less than a number can tell.
      let together = Self.dropNotRising(&points)
      if together > 0 { dropped[.sameTime, default: 0] += together }
    } else {
      points = Self.atAssumedSpeed(all)
      notes.append("Fewer than half of the points have a usable time; the way is driven at 50 km/h.")
    }
    for reason in DropReason.allCases {
      if let count = dropped[reason] {
        notes.append("\(count) \(count == 1 ? "point" : "points") \(reason.rawValue) dropped.")
      }
    }
    guard points.count >= 2, let last = points.last else {
      throw FileFailure(file, 0, "all points lie in one place, without usable times")
    }
    let days = min(limits.days, Int(Duration.century.inSeconds / 86_400))
    guard last.time <= Double(days) * 86_400 else {
      throw FileFailure(
        file, 0, "the track takes \(Int(last.time / 86_400)) days; at most \(days) are read")
    }
    route = Self.route(points, start: start)
    self.dropped = dropped
    self.notes = notes
  }

  /// The points with a time, segments in the order of their first ones, none before or at the time of another.
  private static func inTime(
    _ segments: [[GPXDocument.Point]], _ dropped: inout [DropReason: Int]
  ) -> [GPXDocument.Point] {
    let timed = segments.map { segment in segment.filter { $0.time != nil } }.filter { !$0.isEmpty }
    let untimed = segments.reduce(0) { $0 + $1.count } - timed.reduce(0) { $0 + $1.count }
    if untimed > 0 { dropped[.noTime] = untimed }
    var points: [GPXDocument.Point] = []
    for segment in timed.sorted(by: { ($0[0].time ?? .distantPast) < ($1[0].time ?? .distantPast) }) {
      for point in segment {
        guard let time = point.time else { continue }
        if let previous = points.last?.time, time <= previous {
          dropped[time == previous ? .sameTime : .timeGoingBack, default: 0] += 1
        } else {
          points.append(point)
        }
      }
    }
    return points
  }

  private static func shortenPauses(_ points: inout [SimulatedProvider.Route.Point]) -> Int {
    let day: TimeInterval = 86_400
    var pauses = 0
    var cut: TimeInterval = 0
    var previous: TimeInterval = 0
    points = points.map { point in
      let pause = point.time - previous
      previous = point.time
      if pause > day {
        pauses += 1
        cut += pause - day
      }
      return SimulatedProvider.Route.Point(
        time: point.time - cut, latitude: point.latitude, longitude: point.longitude, altitude: point.altitude)
    }
    return pauses
  }

  private static func dropNotRising(_ points: inout [SimulatedProvider.Route.Point]) -> Int {
    let count = points.count
    var last = -TimeInterval.infinity
    points.removeAll { point in
      guard point.time > last else { return true }
      last = point.time
      return false
    }
    return count - points.count
  }

  private static func atAssumedSpeed(_ all: [GPXDocument.Point]) -> [SimulatedProvider.Route.Point] {
    var points: [SimulatedProvider.Route.Point] = [all[0].point(at: 0)]
    for next in all.dropFirst() {
      guard let last = points.last else { continue }
      let metres = last.location.distance(to: next.point(at: 0).location)
      if metres > 0.01 { points.append(next.point(at: last.time + metres / assumedSpeed)) }
    }
    return points
  }

  /// What was not recorded: stays in a house, and ways without sky.
  private static func route(_ points: [SimulatedProvider.Route.Point], start: Date) -> SimulatedProvider.Route {
    let intervals = zip(points, points.dropFirst()).map { $1.time - $0.time }
    let usual = intervals.sorted()[intervals.count / 2]
    var route: [SimulatedProvider.Route.Point] = []
    var outages: [Range<TimeInterval>] = []
    var indoors: [Range<TimeInterval>] = []
    for (from, to) in zip(points, points.dropFirst()) {
      route.append(from)
      let gap = from.time..<to.time
      let seconds = to.time - from.time
      guard seconds > max(leastGap, 4 * usual) else { continue }
      let metres = from.location.distance(to: to.location)
      guard metres < stayDistance, metres < staySpeed * seconds else {
        outages.append(gap)
        continue
      }
      indoors.append(gap)
      let leaves = to.time - metres / walkingSpeed
      if leaves > from.time, leaves < to.time {
        route.append(
          SimulatedProvider.Route.Point(
            time: leaves, latitude: from.latitude, longitude: from.longitude, altitude: from.altitude))
      }
    }
    if let last = points.last { route.append(last) }
    return SimulatedProvider.Route(points: route, start: start, outages: outages, indoors: indoors)
  }
}

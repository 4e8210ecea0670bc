import Foundation
import LocoKit

/// Mends the times of a recorded track.
///
/// Devices write points twice, in the wrong order, several in a second with times in whole seconds, or with the time of a clock that isn't
/// set yet. One wrong time doesn't affect the other points. ``dropped`` and ``notes`` count every point that was dropped or changed.
struct GPXTimes {
  private typealias Point = GPXDocument.Point

  /// The points, each with a time that is at least the preceding point's. Empty if too few points have a time.
  private(set) var points: [GPXDocument.Point] = []
  private(set) var dropped: [SimulatedProvider.GPXTrack.DropReason: Int] = [:]
  private(set) var notes: [String] = []
  /// The number of points with a time that is used.
  private(set) var timed = 0

  /// The greatest number of points in a second that a receiver reports. More points with the same time don't have their own time.
  private static let maximumPerSecond = 20
  /// A group of at most this many points, with a pause of a day or more before and after it, and a share of its largest neighbor, has the
  /// time of a wrong clock.
  private static let (strayPoints, strayShare) = (2, 10)
  private static let day: TimeInterval = 86_400
  /// The beginning of 1990. No GPX file has earlier fixes: the format is of 2002. The clocks of phones and receivers start in 1970 or 1980.
  private static let earliest: TimeInterval = 631_152_000

  init(_ segments: [[GPXDocument.Point]]) {
    points = order(unique(withoutUnsetClock(segments)))
    dropStrays()
    forgetCrowdedTimes()
    timed = points.count { $0.time != nil }
    guard let first = points.lazy.compactMap({ $0.time }).first,
      points.contains(where: { $0.time.map { $0 > first } == true })
    else {
      points = []
      return
    }
    timePoints()
    spread()
  }

  /// Removes the points of a clock that wasn't set, unless it never was.
  private mutating func withoutUnsetClock(_ segments: [[Point]]) -> [[Point]] {
    let isSet = segments.joined().contains { $0.time.map { $0 >= Self.earliest } == true }
    guard isSet else { return segments }
    let set = segments.map { $0.filter { $0.time.map { $0 >= Self.earliest } != false } }
    count(.timeFarOff, segments.joined().count - set.joined().count)
    return set
  }

  /// Removes each point that repeats the time and the place of another.
  private mutating func unique(_ segments: [[Point]]) -> [[Point]] {
    let all = Array(segments.joined())
    func values(_ index: Int) -> (Double, Double, Double) {
      (all[index].time ?? .nan, all[index].latitude, all[index].longitude)
    }
    var isRepeated = all.map { _ in false }
    let sorted = Self.sorted(all.indices.filter { all[$0].time != nil }) { values($0) < values($1) }
    for (first, second) in zip(sorted, sorted.dropFirst()) { isRepeated[second] = values(first) == values(second) }
    var index = -1
    let unique = segments.map { segment in
      segment.filter { _ in
        index += 1
        return !isRepeated[index]
      }
    }
    count(.repeated, all.count - unique.joined().count)
    return unique
  }

  /// Returns indices in an order. Indices of equal elements rise. One function for all sorts keeps the page's module small.
  @inline(never)
  private static func sorted(_ indices: [Int], by isBefore: (Int, Int) -> Bool) -> [Int] {
    indices.sorted { isBefore($0, $1) || !isBefore($1, $0) && $0 < $1 }
  }

  /// Returns the points in the order of their times, without those that contradict the others.
  private mutating func order(_ segments: [[Point]]) -> [Point] {
    var keys: [TimeInterval] = []
    for segment in segments {
      // The median isn't affected by single wrong times. A segment without times follows the one before it.
      let times = segment.compactMap { $0.time }.sorted()
      keys.append(times.isEmpty ? keys.last ?? -.infinity : times[times.count / 2])
    }
    let sorted = Self.sorted(Array(keys.indices)) { keys[$0] < keys[$1] }.map { segments[$0] }
    let (forward, backward) = (Array(sorted.joined()), Array(sorted.map { $0.reversed() }.joined()))
    let (rising, falling) = (Self.longestRun(forward), Self.longestRun(backward))
    let isReversed = falling.count > rising.count
    let (points, run) = isReversed ? (backward, falling) : (forward, rising)
    let all = points.count { $0.time != nil }
    if run.count * 2 < all {
      notes.append("The \(all) points with a time are in no order; they are sorted by their times.")
      count(.noTime, points.count - all)
      let timed = points.filter { $0.time != nil }
      return Self.sorted(Array(timed.indices)) { timed[$0].time ?? 0 < timed[$1].time ?? 0 }.map { timed[$0] }
    }
    if isReversed {
      notes.append("The track begins with its newest point; the order of its \(points.count) points is reversed.")
    }
    count(.timeGoingBack, all - run.count)
    var isInRun = points.map { $0.time == nil }
    for index in run { isInRun[index] = true }
    return Self.points(points, where: isInRun)
  }

  private static func points(_ points: [Point], where isKept: [Bool]) -> [Point] {
    points.indices.filter { isKept[$0] }.map { points[$0] }
  }

  /// Returns the indices of the longest run of points whose times don't fall, by patience sorting.
  static func longestRun(_ points: [GPXDocument.Point]) -> [Int] {
    /// The index of the last point of the best run of each length, and each point's predecessor in its run.
    var (ends, previous): ([Int], [Int]) = ([], Array(repeating: -1, count: points.count))
    for (index, point) in points.enumerated() {
      guard let time = point.time else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if points[ends[middle]].time ?? 0 <= time { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var run: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      run.append(index)
      index = previous[index]
    }
    return run.reversed()
  }

  /// Drops single points whose times are a day or more from all others.
  private mutating func dropStrays() {
    var groups: [[Int]] = []
    var last = -TimeInterval.infinity
    for (index, point) in points.enumerated() {
      guard let time = point.time else { continue }
      if time - last >= Self.day { groups.append([]) }
      groups[groups.count - 1].append(index)
      last = time
    }
    let largest = groups.reduce(0) { max($0, $1.count) }
    var isSound = points.map { _ in true }
    for group in groups where group.count <= Self.strayPoints && group.count * Self.strayShare <= largest {
      for index in group { isSound[index] = false }
    }
    let sound = Self.points(points, where: isSound)
    count(.timeFarOff, points.count - sound.count)
    points = sound
  }

  /// Removes the times that too many points share, except that of the first.
  private mutating func forgetCrowdedTimes() {
    let timed = points.indices.filter { points[$0].time != nil }
    for (run, _) in runs(timed) where run.count > Self.maximumPerSecond {
      for index in run.dropFirst() { points[index].time = nil }
    }
  }

  /// Drops the points without a time. If most points have none, gives those between two points with times a time by the distance.
  private mutating func timePoints() {
    let (all, indices) = (points.count, points.indices.filter { points[$0].time != nil })
    if timed * 2 < all {
      for (from, to) in zip(indices, indices.dropFirst()) where to > from + 1 { fill(from, to) }
    }
    points.removeAll { $0.time == nil }
    guard points.count * 2 >= all else {
      points = []
      return
    }
    count(.noTime, all - points.count)
    let filled = points.count - timed
    if filled > 0 {
      notes.append("Gave \(Self.words(filled)) without a usable time a time by the distance between points with times.")
    }
  }

  private mutating func fill(_ from: Int, _ to: Int) {
    var distances = [0.0]
    for index in from..<to {
      let metres = points[index].point(at: 0).location.distance(to: points[index + 1].point(at: 0).location)
      distances.append(distances[index - from] + metres)
    }
    let (start, end) = (points[from].time ?? 0, points[to].time ?? 0)
    let whole = distances[to - from]
    for index in (from + 1)..<to {
      let share = whole > 0 ? distances[index - from] / whole : Double(index - from) / Double(to - from)
      points[index].time = start + (end - start) * share
    }
  }

  /// Spreads points with the same time over the second that begins at that time.
  private mutating func spread() {
    var spread = 0
    for (run, next) in runs(Array(points.indices)) {
      let time = points[run[0]].time ?? 0
      let step = min(1, next - time) / Double(run.count)
      for (number, index) in run.enumerated().dropFirst() { points[index].time = time + Double(number) * step }
      spread += run.count - 1
    }
    if spread > 0 { notes.append("Moved \(Self.words(spread)) with the time of another within that second.") }
  }

  /// Returns the indices of each run of points with the same time, and the time after it.
  private func runs(_ indices: [Int]) -> [(indices: [Int], next: TimeInterval)] {
    var runs: [(indices: [Int], next: TimeInterval)] = []
    for index in indices {
      let time = points[index].time ?? 0
      if !runs.isEmpty, points[runs[runs.count - 1].indices[0]].time == time {
        runs[runs.count - 1].indices.append(index)
      } else {
        if !runs.isEmpty { runs[runs.count - 1].next = time }
        runs.append(([index], .infinity))
      }
    }
    return runs
  }

  private mutating func count(_ reason: SimulatedProvider.GPXTrack.DropReason, _ count: Int) {
    if count > 0 { dropped[reason, default: 0] += count }
  }

  static func words(_ count: Int) -> String { "\(count) \(count == 1 ? "point" : "points")" }
}

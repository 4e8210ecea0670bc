import LocoFoundation
import LocoKit

extension TripRecorder {
  /// Which fixes a trip recorder uses.
  struct Configuration: Equatable, Sendable {
    // The values are those of CYLocationManager.
    /// The accuracy that a fix must have, in metres, more than 0. It doesn't affect ``SignalStrength``.
    var requiredAccuracy = 20.0
    /// The accuracy that a fix must have after 15 s of weak signal, in metres: finite, and ``requiredAccuracy`` or more.
    var weakAccuracy = 70.0
  }
}

/// Measures the distance of a trip.
///
/// The sum of the distances between consecutive fixes is too long: each fix is a few metres off, and an hour at rest would add up to
/// kilometres. So the meter takes the best recent fix every three seconds, and counts it only if it is far enough from the last counted
/// one. While the device moves, the minimum is half of the distance that both accuracies explain, and up to all of it for inaccurate fixes.
/// To detect that the device has begun to move, a longer distance is required. The counted distances are measured on the ellipsoid. The
/// meter discards fixes that go backwards in time and jumps of more than 100 m/s, unless the speeds of both fixes agree or several follow
/// each other, and doesn't count the distance between two segments.
struct TripMeter: Equatable, Sendable {
  let configuration: TripRecorder.Configuration
  private(set) var isMoving = false
  /// Whether fixes of the weaker accuracy are used too.
  var usesWeakFixes = false
  private var segment = Segment()

  // The first three values are those of CYLocationManager.
  /// The seconds between measurements.
  private static let interval = 3.0
  /// A measurement uses the best of this number of recent fixes.
  private static let windowSize = 5
  /// The number of fixes that the first measurement of a segment needs.
  private static let minimumFixes = 3
  /// The maximum speed between two fixes, in metres per second. A faster fix is a jump, unless both fixes have such a speed, up to that of
  /// an airliner in a jet stream.
  private static let (maximumSpeed, fastestFlight) = (100.0, 350.0)
  /// The multiple of a fix's speed that the speed between two fixes may have.
  private static let speedMargin = 1.2
  /// The least speed of a walker, in metres per second. Fixes in a house usually drift more slowly.
  private static let slowestWalk = 0.5
  /// The longest time without fixes that is bridged, in seconds.
  private static let longestGap = 60.0

  private struct Segment: Equatable, Sendable {
    var window: [Location] = []
    /// The measured fixes of the last 20 s, and at least the last two.
    var history: [Location] = []
    /// The last counted fix, where the next step starts.
    var anchor: Location? { didSet { atAnchor = anchor?.timestamp ?? .distantPast } }
    /// The last time when a fix was at the anchor, as far as the accuracies show.
    var atAnchor = Date.distantPast
    var last: Location?
    var measured = Date.distantPast
    var speed = 0.0
    /// The number of fixes in a row that were rejected as jumps or as old.
    var strays = 0
  }

  init(_ configuration: TripRecorder.Configuration = TripRecorder.Configuration()) {
    precondition(
      configuration.requiredAccuracy > 0 && configuration.weakAccuracy >= configuration.requiredAccuracy
        && configuration.weakAccuracy.isFinite,
      "requiredAccuracy must be more than 0, and weakAccuracy finite and no less than requiredAccuracy.")
    self.configuration = configuration
  }

  /// Whether the last accepted fix began a segment.
  var hasBegunSegment: Bool { segment.window.count == 1 }

  /// Ends a segment. The distance to the next fix doesn't count.
  mutating func endSegment() { (segment, isMoving) = (Segment(), false) }

  /// Returns the distance that the fix adds, in metres, or `nil` if the fix is rejected.
  mutating func add(_ fix: Location) -> Double? {
    guard accepts(fix) else { return nil }
    defer { segment.last = fix }
    if let last = segment.last, segment.anchor != nil, isMoving {
      let gap = fix.timestamp.timeIntervalSince(last.timestamp)
      if gap > 5, gap <= Self.longestGap { return bridge(last, fix, gap) }
    }
    segment.window.append(fix)
    if segment.window.count > Self.windowSize { segment.window.removeFirst() }
    guard segment.window.count >= Self.minimumFixes,
      fix.timestamp.timeIntervalSince(segment.measured) >= Self.interval
    else { return 0 }
    segment.measured = fix.timestamp
    // The most accurate fix that isn't older than the interval. Of equally accurate fixes, the newest one.
    let best = segment.window.filter { fix.timestamp.timeIntervalSince($0.timestamp) <= Self.interval }
      .min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
    return best.map { measure($0) } ?? 0
  }

  /// Whether a fix is valid, accurate, newer than the last one, and no farther from it than the maximum speed permits. A jump or an old fix
  /// is accepted if it follows several such fixes.
  private mutating func accepts(_ fix: Location) -> Bool {
    let required = usesWeakFixes ? configuration.weakAccuracy : configuration.requiredAccuracy
    guard fix.hasValidAccuracy, fix.hasValidCoordinate, fix.horizontalAccuracy <= required else { return false }
    guard let last = segment.last else { return true }
    let time = fix.timestamp.timeIntervalSince(last.timestamp)
    guard time != 0 else { return false }
    let least = last.distance(to: fix) - last.horizontalAccuracy - fix.horizontalAccuracy
    guard time < 0 || least / time > maximumSpeed(from: last, to: fix) else {
      segment.strays = 0
      return true
    }
    // After several such fixes in a row, the last good fix or the clock was wrong.
    segment.strays += 1
    guard segment.strays > Self.windowSize else { return false }
    endSegment()
    return true
  }

  /// Returns the maximum speed between two fixes: more than 100 m/s only if both have such a speed.
  private func maximumSpeed(from last: Location, to fix: Location) -> Double {
    let speed = min(last.speed ?? 0, fix.speed ?? 0)
    return speed <= Self.fastestFlight ? max(Self.maximumSpeed, Self.speedMargin * speed) : Self.maximumSpeed
  }

  private mutating func measure(_ best: Location) -> Double {
    remember(best)
    guard let anchor = segment.anchor else {
      segment.anchor = best
      return 0
    }
    guard best.timestamp > anchor.timestamp else { return 0 }
    let metres = anchor.geodesicDistance(to: best)
    if metres <= anchor.noise(with: best) { segment.atAnchor = best.timestamp }
    judgeMotion(best, from: anchor, metres)
    // Noise lengthens the distances between inaccurate fixes, so their steps must be longer.
    let share = min(1, max(0.5, 0.5 + (best.horizontalAccuracy - 10) / 40))
    guard isMoving, metres >= share * anchor.noise(with: best) else { return 0 }
    segment.speed = best.speed ?? (metres / best.timestamp.timeIntervalSince(anchor.timestamp))
    segment.anchor = best
    return metres
  }

  private mutating func remember(_ fix: Location) {
    let last = segment.history.last
    segment.history.append(fix)
    segment.history.removeAll { fix.timestamp.timeIntervalSince($0.timestamp) > 20 }
    if segment.history.count == 1, let last { segment.history.insert(last, at: 0) }
  }

  /// Detects a start by a distance that noise doesn't explain, and a stop by 15 s without such a distance.
  ///
  /// A fix from satellites has a speed, and its error changes slowly. So a distance over 20 s shows a walker too, also if the walker turns
  /// back often. The errors of other fixes jump and drift.
  private mutating func judgeMotion(_ best: Location, from anchor: Location, _ metres: Double) {
    func age(_ time: Date) -> Double { best.timestamp.timeIntervalSince(time) }
    func hasMoved(_ times: ClosedRange<Double>, noises: Double) -> Bool {
      segment.history.contains {
        times.contains(age($0.timestamp)) && $0.distance(to: best) >= noises * $0.noise(with: best)
      }
    }
    if isMoving {
      guard let oldest = segment.history.first else { return }
      isMoving = age(oldest.timestamp) < 15 || hasMoved(0 ... .infinity, noises: 1)
    } else {
      let isWalk = best.speed ?? 0 >= Self.slowestWalk
      // Without a speed, the time since the device left the anchor shows a drift.
      let isDrift = best.speed ?? metres / age(segment.atAnchor) < Self.slowestWalk
      isMoving =
        metres > 4 * anchor.noise(with: best) && !isDrift || hasMoved(isWalk ? 5...20 : 5...8, noises: 1.5)
    }
  }

  /// Returns the distance to the end of a gap in the fixes. The gap itself counts at the last speed: at least the straight line, and at
  /// most twice that. If the accuracies explain the straight line, it counts together with the next fixes.
  private mutating func bridge(_ before: Location, _ after: Location, _ gap: TimeInterval) -> Double {
    var added = 0.0
    if let anchor = segment.anchor, before.timestamp > anchor.timestamp {
      let metres = anchor.geodesicDistance(to: before)
      if metres >= 0.5 * anchor.noise(with: before) {
        added += metres
        segment.anchor = before
      }
    }
    let straight = before.geodesicDistance(to: after)
    if straight > before.noise(with: after) {
      added += min(max(straight, segment.speed * gap), 2 * straight)
      segment.anchor = after
    }
    // The speed before this gap says nothing about the next one.
    segment.speed = after.speed ?? straight / gap
    segment.measured = after.timestamp
    remember(after)
    judgeMotion(after, from: before, straight)
    return added
  }
}

extension Location {
  /// The distance in metres that the accuracies of two fixes explain.
  func noise(with other: Location) -> Double {
    (horizontalAccuracy * horizontalAccuracy + other.horizontalAccuracy * other.horizontalAccuracy).squareRoot()
  }
}

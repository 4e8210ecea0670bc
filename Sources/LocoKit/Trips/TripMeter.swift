import Foundation

extension TripRecorder {
  /// Which fixes are used, and how. Values out of range stop the program when a meter is made.
  public struct Configuration: Hashable, Sendable {
    /// How accurate a fix is to be used, metres, more than 0. The signal is strong up to 20 m and weak up to 70 m whatever is
    /// set here.
    public var requiredAccuracy = 20.0
    /// The same while the signal has been weak for long: no less, and finite.
    public var weakAccuracy = 70.0
    /// Jumps faster than this are discarded. Metres per second, more than 0.
    package var maximumSpeed = 100.0
    /// How often a segment is measured, more than 0.
    package var interval = Duration.seconds(3)
    /// How many fixes are kept to choose from, at most 1,000.
    package var windowSize = 5
    /// How many must have come before anything is measured, 1 to as many as are kept.
    package var minimumFixes = 3
    /// The longest gap without fixes over which a device that moved is taken to have gone on as fast.
    package var longestGap = Duration.seconds(60)

    /// CYLocationManager's values, and a jump of 100 m/s.
    public init() {}
  }
}

/// How far a device has travelled, from its fixes.
///
/// The sum of the distances between fixes is too long, for each is off by some metres: an hour of standing still would come to
/// kilometres. So every three seconds the best of the fixes kept is looked at, and it counts only if it is farther away than
/// the two accuracies explain: a little farther while the device moves, much farther to find that it has begun to. Ways are
/// measured along the ellipsoid. Nothing is counted backwards in time, nor a jump that no vehicle makes, nor what was
/// travelled while the meter was stopped.
struct TripMeter: Hashable, Sendable {
  /// What became of a fix.
  enum Verdict: Hashable, Sendable {
    /// It was kept, and nothing was measured.
    case kept
    /// So many metres were added.
    case added(Double)
    /// It was not used.
    case rejected(Reason)
  }

  /// Why a fix was not used.
  enum Reason: String, CaseIterable, Hashable, Sendable {
    /// Its accuracy or its coordinate is invalid.
    case invalid
    /// It is less accurate than required.
    case inaccurate
    /// It is not newer than the one before.
    case notNewer
    /// No vehicle gets there in that time.
    case jump
  }

  /// Which fixes are used, and how.
  let configuration: TripRecorder.Configuration
  /// How far the device has travelled, metres.
  private(set) var distance = 0.0
  /// Whether the device moves, as far as its fixes tell.
  private(set) var isMoving = false
  /// Whether fixes of the weaker accuracy are used too.
  var usesWeakFixes = false

  private var window: [Location] = []
  private var history: [Location] = []
  private var anchor: Location?
  private var last: Location?
  private var measured = Date.distantPast
  private var speed = 0.0
  private var strays = 0

  /// A meter at 0.
  init(_ configuration: TripRecorder.Configuration = TripRecorder.Configuration()) {
    precondition(
      configuration.requiredAccuracy > 0 && configuration.weakAccuracy >= configuration.requiredAccuracy
        && configuration.weakAccuracy.isFinite,
      "The required accuracy is more than 0, and the weak one no less, and finite.")
    precondition(configuration.maximumSpeed > 0, "The maximum speed is more than 0.")
    precondition(
      configuration.minimumFixes >= 1 && configuration.windowSize >= configuration.minimumFixes
        && configuration.windowSize <= 1_000,
      "At least one fix is needed, no more than are kept, and at most 1,000 are.")
    self.configuration = configuration
  }

  /// Sets the distance to 0; what comes next counts from where the device is.
  mutating func reset() {
    distance = 0
    endSegment()
  }

  /// Goes on at the distance of an earlier launch.
  mutating func resume(at distance: Double) {
    reset()
    self.distance = distance
  }

  /// Ends a segment: what is travelled until the next fix does not count.
  mutating func endSegment() {
    window = []
    history = []
    anchor = nil
    last = nil
    isMoving = false
    speed = 0
    strays = 0
    measured = .distantPast
  }

  /// Uses a fix.
  @discardableResult
  mutating func add(_ fix: Location) -> Verdict {
    if let reason = rejection(of: fix) { return .rejected(reason) }
    defer { last = fix }
    if let last, anchor != nil, isMoving {
      let gap = fix.timestamp.timeIntervalSince(last.timestamp)
      if gap > 5, gap <= configuration.longestGap.inSeconds { return .added(bridge(last, fix, gap)) }
    }
    window.append(fix)
    if window.count > configuration.windowSize { window.removeFirst() }
    guard window.count >= configuration.minimumFixes,
      fix.timestamp.timeIntervalSince(measured) >= configuration.interval.inSeconds
    else { return .kept }
    measured = fix.timestamp
    guard let best = best(at: fix.timestamp) else { return .kept }
    return measure(best)
  }

  private mutating func rejection(of fix: Location) -> Reason? {
    guard fix.hasValidAccuracy, fix.hasValidCoordinate else { return .invalid }
    guard fix.horizontalAccuracy <= (usesWeakFixes ? configuration.weakAccuracy : configuration.requiredAccuracy) else {
      return .inaccurate
    }
    guard let last else { return nil }
    let time = fix.timestamp.timeIntervalSince(last.timestamp)
    guard time != 0 else { return .notNewer }
    let least = last.distance(to: fix) - last.horizontalAccuracy - fix.horizontalAccuracy
    guard time < 0 || least / time > configuration.maximumSpeed else {
      strays = 0
      return nil
    }
    // Where several fixes in a row are elsewhere, or earlier, it was the one before that was wrong, or the clock.
    strays += 1
    if strays > configuration.windowSize { endSegment() }
    return strays == 0 ? nil : time < 0 ? .notNewer : .jump
  }

  /// The most accurate fix that is not older than the interval; of several the newest.
  private func best(at date: Date) -> Location? {
    window.filter { date.timeIntervalSince($0.timestamp) <= configuration.interval.inSeconds }
      .min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
  }

  private mutating func measure(_ best: Location) -> Verdict {
    history.append(best)
    history.removeAll { best.timestamp.timeIntervalSince($0.timestamp) > 20 }
    guard let anchor else {
      self.anchor = best
      return .kept
    }
    guard best.timestamp > anchor.timestamp else { return .kept }
    let segment = anchor.geodesicDistance(to: best)
    judgeMotion(best, from: anchor, segment)
    // Noise lengthens the segments between fixes the more, the worse they are: then longer ones are measured.
    let share = min(1, max(0.5, 0.5 + (best.horizontalAccuracy - 10) / 40))
    guard isMoving, segment >= share * Self.noise(anchor, best) else { return .kept }
    let time = best.timestamp.timeIntervalSince(anchor.timestamp)
    speed = best.speed ?? (segment / time)
    self.anchor = best
    distance += segment
    return .added(segment)
  }

  /// Begins to move where the device is farther off than noise takes it, and stands where it has not got away for long.
  private mutating func judgeMotion(_ best: Location, from anchor: Location, _ segment: Double) {
    if isMoving {
      if let oldest = history.first, best.timestamp.timeIntervalSince(oldest.timestamp) >= 15,
        oldest.distance(to: best) < Self.noise(oldest, best)
      {
        isMoving = false
      }
      return
    }
    let recent = history.first { (5...8).contains(best.timestamp.timeIntervalSince($0.timestamp)) }
    let isQuick = recent.map { $0.distance(to: best) > 1.5 * Self.noise($0, best) } ?? false
    isMoving = isQuick || segment > 4 * Self.noise(anchor, best)
  }

  /// Over a gap the device goes on as it went: not less than straight, and not more than twice that.
  private mutating func bridge(_ before: Location, _ after: Location, _ gap: TimeInterval) -> Double {
    var added = 0.0
    if let anchor, before.timestamp > anchor.timestamp {
      let segment = anchor.geodesicDistance(to: before)
      if segment >= 0.5 * Self.noise(anchor, before) { added += segment }
    }
    let straight = before.geodesicDistance(to: after)
    if straight > Self.noise(before, after) { added += min(max(straight, speed * gap), 2 * straight) }
    anchor = after
    window = [after]
    history = [after]
    measured = after.timestamp
    distance += added
    return added
  }

  private static func noise(_ first: Location, _ second: Location) -> Double {
    (first.horizontalAccuracy * first.horizontalAccuracy + second.horizontalAccuracy * second.horizontalAccuracy)
      .squareRoot()
  }
}

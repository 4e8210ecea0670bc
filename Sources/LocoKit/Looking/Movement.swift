import LocoFoundation

/// The pace of a trip, in metres per second of motion, learned from the distances between fixes.
struct TripPace: Equatable, Sendable {
  private(set) var value = Self.newTrip
  /// The seconds of motion that the pace was learned from.
  private(set) var learntFor = 0.0
  /// The fix that starts the next measurement.
  private(set) var start: Location?
  /// The seconds of motion since ``start``.
  private(set) var seconds = 0.0

  /// The lowest pace: a walk.
  static let least = 1.2
  /// The least pace at the start of a trip.
  private static let newTrip = 5.0
  /// The seconds of motion after which older measurements fade.
  private static let memory = 120.0
  /// The pace is learned from a coarse fix only after this many seconds of motion since ``start``.
  private static let minimumInterval = 30.0
  /// The share of the accuracies of two fixes that is subtracted from their distance if the second one is coarse. The accuracy of a coarse
  /// fix is a radius that contains 85–90 % of the fixes.
  private static let coarseErrorShare = 0.25
  /// The share of the accuracies of two fixes that is subtracted from their distance if the second one is from the GPS.
  private static let errorShare = 0.5
  /// The shortest assumed validity of a pace, in seconds of motion.
  private static let minimumHorizon = 300.0
  /// The time constant of the change from the speed of the fix to the trip's pace, in seconds.
  static let reversion = 30.0

  /// The seconds of motion during which a device is assumed to keep the pace: twice the motion that it was learned from, and at least
  /// ``minimumHorizon``.
  var horizon: Double { max(Self.minimumHorizon, 2 * learntFor) }

  mutating func begin(at fix: Location) {
    value = max(fix.speed ?? 0, Self.newTrip)
    learntFor = 0
    restart(at: fix)
  }

  mutating func move(for seconds: Double) { self.seconds += seconds }

  mutating func restart(at fix: Location) { (start, seconds) = (fix, 0) }

  /// Updates the pace from the distance to ``start``. Ignores a coarse fix that comes too soon after the start, because its error may be as
  /// large as the distance.
  mutating func learn(from fix: Location) {
    guard let start else { return begin(at: fix) }
    guard fix.source == .gps || seconds >= Self.minimumInterval else { return }
    let noise = start.horizontalAccuracy + fix.horizontalAccuracy
    let error = noise * (fix.source == .gps ? Self.errorShare : Self.coarseErrorShare)
    let seconds = max(1, seconds)
    let speed = max(0, start.distance(to: fix) - error) / seconds
    restart(at: fix)
    value += seconds / (seconds + min(learntFor, Self.memory)) * (speed - value)
    value = max(value, Self.least)
    learntFor += seconds
  }
}

/// Counts the time of motion and of stillness, in seconds.
struct MotionCounter: Equatable, Sendable {
  /// The last report of the motion sensor; `nil` before the first one, and after the planner has discarded it.
  var motion: LocationManager.Motion? {
    didSet {
      isStillnessDoubted = false
      if motion != oldValue { stood = 0 }
    }
  }
  /// Whether a fast fix contradicts the last report, which was stillness.
  private(set) var isStillnessDoubted = false
  /// The seconds of motion since the latest of these: a fix, the start of a rest, a failed look at rest. Stillness at rest reduces them.
  var moved = 0.0
  /// The seconds of stillness since the last motion.
  var still = 0.0
  /// The seconds since a vehicle was reported as stationary.
  var stood = 0.0
  /// The time of the last update.
  private(set) var time: Duration

  init(at uptime: Duration) { time = uptime }

  /// Discards a report of stillness.
  ///
  /// - Parameter mayReturn: Whether the report counts again after ``confirmStillness()``.
  mutating func doubtStillness(mayReturn: Bool) {
    motion = nil
    isStillnessDoubted = mayReturn
  }

  /// Counts a report of stillness again that was doubted.
  mutating func confirmStillness() { if isStillnessDoubted { motion = .still } }

  /// Counts the motion from a fix, which may be some seconds old. Returns the decrease of ``moved``.
  @discardableResult
  mutating func restart(age: Double) -> Double {
    let before = moved
    moved = min(max(0, age), moved)
    return before - moved
  }

  /// Sets the time, and returns the seconds that have passed.
  mutating func advance(to uptime: Duration) -> Double {
    defer { time = uptime }
    return (uptime - time).inSeconds
  }
}

/// The last fix.
struct FoundFix: Equatable, Sendable {
  let fix: Location
  let time: Duration
  /// The number of consecutive fixes in this place up to this one, less one. A coarse fix counts only if it is the first one there.
  let repeatCount: Int
}

/// The region whose exit wakes the app.
struct WakeRegion: Equatable, Sendable {
  /// The fix at its centre.
  let fix: Location
  /// The time when it was set.
  let setAt: Duration
  /// The pace of the device then, in metres per second.
  let pace: Double

  /// The least radius, in metres: smaller regions are reported late, or not at all.
  static let minimumRadius = 100.0
  /// A margin inside the bound, in metres.
  private static let buffer = 100.0
  /// The median delay of region exits on phones, in seconds, rounded up; see *Choosing a bound*.
  static let lateness = 110.0
  /// The least time before a coarse fix moves the region.
  private static let minimumAge = Duration.seconds(60)

  /// Returns the radius for a speed; the least radius if the speed is `nil`.
  static func radius(bound: Double, speed: Double?) -> Double {
    guard let speed else { return minimumRadius }
    return max(minimumRadius, LookSettings.share * bound - buffer - lateness * speed)
  }

  /// Returns whether the region is kept after a coarse fix, because the fix is close or the region is new. A region that followed each
  /// coarse fix would never be monitored.
  func holds(_ fix: Location, radius: Double, at uptime: Duration) -> Bool {
    self.fix.distance(to: fix) < radius / 2 || uptime - setAt < Self.minimumAge
  }
}

/// The place of the last fixes, which shows whether the device rests or moves.
struct RestPlace: Equatable, Sendable {
  /// The first fix in the place.
  private(set) var fix: Location?
  /// The time of the device's arrival.
  private(set) var since = Duration.zero
  /// The time of the last fix in the place.
  private(set) var seenAt = Duration.zero

  /// The largest distance between two fixes in one place, in metres, unless the sum of their accuracies is larger.
  private static let radius = 30.0
  /// The highest speed of a device that stays in one place, in metres per second.
  private static let speed = 0.7

  static func isOne(_ first: Location, _ second: Location) -> Bool {
    let noise = first.horizontalAccuracy + second.horizontalAccuracy
    return first.distance(to: second) < max(Self.radius, noise) && second.speed ?? 0 < Self.speed
  }

  /// The time from the first fix in the place to the last one; 0 without fixes.
  var length: Duration { seenAt - since }

  /// The largest accuracy of a coarse fix that can show a departure, in metres. Coarser fixes come from cells alone.
  private static let coarsest = 500.0
  /// The multiple of a coarse fix's accuracy that its error rarely exceeds. The accuracy itself holds for 84 to 92 % of the fixes in motion
  /// (MobilityNet).
  private static let certainty = 2.0

  /// Whether a coarse fix is so far from the place that the device has left it.
  func isClearlyElsewhere(_ coarse: Location) -> Bool {
    guard let fix, coarse.horizontalAccuracy <= Self.coarsest else { return false }
    return coarse.distance(to: fix) > fix.horizontalAccuracy + Self.certainty * coarse.horizontalAccuracy
  }

  /// Compares a fix with the place, and returns whether the device has left it.
  ///
  /// - Parameter isLookAtRest: Whether the fix ends a look at rest and shows no movement. If such a fix is elsewhere, the earlier fix is
  ///   assumed to be wrong, and the device to have been at the new place all the time.
  mutating func compare(_ fix: Location, at uptime: Duration, isLookAtRest: Bool) -> Bool {
    defer { seenAt = uptime }
    if let here = self.fix, Self.isOne(here, fix) { return false }
    let hasLeft = self.fix != nil && !isLookAtRest
    if self.fix == nil || !isLookAtRest { since = uptime }
    self.fix = fix
    return hasLeft
  }
}

/// The newest eight cells since the last fix, as hashes.
struct KnownCells: Hashable, Sendable {
  private var newest = SIMD8<UInt64>(repeating: 0)
  private var count = 0
  private var current: UInt64?

  /// Sets the current cell, and returns whether it has changed to a cell that isn't among the newest.
  mutating func enter(_ name: String) -> Bool {
    let cell = Self.hash(name)
    guard cell != current else { return false }
    current = cell
    guard !(0..<min(count, 8)).contains(where: { newest[$0] == cell }) else { return false }
    add(cell)
    return true
  }

  /// Removes all cells except the current one.
  mutating func restart() {
    count = 0
    if let current { add(current) }
  }

  private mutating func add(_ cell: UInt64) {
    // Replaces the oldest cell if there are eight.
    newest[count % 8] = cell
    count += 1
  }

  /// The 64-bit FNV-1a hash, which is the same in every launch.
  static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}

/// Estimates the location of a device that keeps the speed and the course of a fix.
struct DeadReckoning {
  let fix: Location

  /// The mean duration of straight movement, in seconds.
  private static let straight = 60.0
  /// The duration of straight movement that is almost certain, in seconds.
  private static let straightMemory = 20.0
  /// The lowest speed with a reliable course, in metres per second.
  private static let minimumSpeedWithCourse = 1.5
  private static let metresPerDegree = 111_195.0

  /// Returns the expected seconds of straight movement in a time of motion.
  static func ahead(_ seconds: Double) -> Double { straight * (1 - exp(-seconds / straight)) }

  /// Returns the error of the estimate after a time of motion, as a share of the distance.
  func uncertainty(after seconds: Double) -> Double {
    guard heading != nil, seconds > 0 else { return 1 }
    return 1 - Self.straightMemory / seconds * (1 - exp(-seconds / Self.straightMemory))
  }

  /// Returns the estimate after a time of straight movement.
  ///
  /// - Parameter growth: The increase of the error, in metres.
  func estimate(ahead seconds: Double, growth: Double, at date: Date) -> Location {
    var estimate = fix
    if let (speed, course) = heading {
      let (north, east) = (speed * cos(course) * seconds, speed * sin(course) * seconds)
      let parallel = Self.metresPerDegree * max(0.01, cos(fix.latitude * .pi / 180))
      estimate.latitude = min(90, max(-90, fix.latitude + north / Self.metresPerDegree))
      estimate.longitude = (fix.longitude + east / parallel).remainder(dividingBy: 360)
    }
    estimate.horizontalAccuracy += growth
    (estimate.timestamp, estimate.isEstimated) = (date, true)
    return estimate
  }

  /// The speed in metres per second and the course in radians; `nil` if they are unknown or the speed is too low.
  private var heading: (speed: Double, course: Double)? {
    guard let speed = fix.speed, let course = fix.course, speed >= Self.minimumSpeedWithCourse else { return nil }
    return (speed, course * .pi / 180)
  }
}

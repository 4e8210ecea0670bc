/// The pace of a trip, in metres a second of motion, learnt from the distances between fixes.
struct TripPace: Hashable, Sendable {
  /// The pace.
  private(set) var value = Self.newTrip
  /// The seconds of motion that the pace was learnt from.
  private(set) var learntFor = 0.0
  /// The fix that starts the next measurement, and the seconds of motion since then.
  private var start: Location?
  private var seconds = 0.0

  /// The least pace, which is that of a walk.
  static let least = 1.2
  /// The pace of a trip that has just begun.
  private static let newTrip = 5.0
  /// The part of the trip that the pace is learnt from, in seconds.
  private static let memory = 120.0
  /// The least motion between two coarse fixes that give a pace, in seconds.
  private static let leastInterval = 30.0
  /// The share of the claims of two coarse fixes that is subtracted from the distance between them. The claims are radii of 85–90 %.
  private static let coarseErrorShare = 0.25
  /// That of two fixes of the GPS.
  private static let errorShare = 0.5

  /// A trip begins at a fix.
  mutating func begin(at fix: Location) {
    value = max(fix.speed ?? 0, Self.newTrip)
    learntFor = 0
    restart(at: fix)
  }

  /// Counts seconds of motion.
  mutating func move(for seconds: Double) { self.seconds += seconds }

  /// Discards the motion since the last measurement: the device came to rest.
  mutating func rest() { seconds = 0 }

  /// The next measurement starts at a fix.
  mutating func restart(at fix: Location) { (start, seconds) = (fix, 0) }

  /// Updates the pace from the distance to the start. Consecutive coarse fixes are too near each other for that.
  mutating func learn(from fix: Location) {
    guard let start else { return begin(at: fix) }
    guard fix.source == .gps || seconds >= Self.leastInterval else { return }
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

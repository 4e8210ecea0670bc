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

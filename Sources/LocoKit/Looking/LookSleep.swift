/// The last suspension and wake-up of the app, and the last arrival.
struct LookSleep: Equatable, Sendable {
  /// The time of the last wake-up.
  private(set) var wokeAt = Duration.zero
  /// The time of the last suspension of a slow device, until the next fix shows whether it still is slow.
  private(set) var slowSince: Duration?
  /// Whether the look at rest was requested since the device came to rest or the app woke.
  var hasLookedAtRest = false
  /// The time when the system reported an arrival; `nil` after the device has left or the app was suspended.
  var arrivedAt: Duration?
  /// The number of exits from regions that have woken the app since the last fix that is accurate or elsewhere, at most ``mostExits``.
  private(set) var exits = 0

  /// The seconds between the report of an arrival and a suspension. The report is minutes late, so stillness needn't confirm it.
  static let stay = 15.0
  /// The pace of a trip, in metres per second, after which a short stop may be one at a traffic light.
  static let fastPace = 6.0
  /// The seconds after which the report of an arrival no longer counts, if the GPS or a pause prevented the suspension.
  static let longestStay = 60.0
  /// The highest speed of a device that has arrived, in metres per second.
  private static let walk = 2.5
  /// The least seconds between a wake-up and a suspension during movement.
  static let watch = 10.0
  /// The maximum age of the fix at a suspension during movement, in seconds.
  static let newestFix = 20.0
  /// The number of exits after which no region is set until a fix is accurate or elsewhere. The system reports the exit from a region that
  /// the device has already left. Without reception, as in a basement, four exits take about a quarter of an hour.
  private static let mostExits = 4

  /// Whether the exit from a region round the last fix may wake the app.
  var mayWatch: Bool { exits < Self.mostExits }

  mutating func countExit() { exits = min(exits + 1, Self.mostExits) }

  /// Resets ``exits`` if a fix shows where the device is, or that it has moved.
  mutating func compare(_ fix: Location, with last: Location?) {
    if fix.horizontalAccuracy <= WakeRegion.minimumRadius || last.map({ RestPlace.isOne($0, fix) }) != true {
      exits = 0
    }
  }

  mutating func begin(at uptime: Duration, isSlow: Bool) { (slowSince, arrivedAt) = (isSlow ? uptime : nil, nil) }

  mutating func end(at uptime: Duration) { (wokeAt, hasLookedAtRest, arrivedAt) = (uptime, false, nil) }

  mutating func endSlowness() { slowSince = nil }

  /// Discards an arrival if a fix is fast, or far from an earlier fix since the arrival.
  mutating func checkArrival(with fix: Location, last: Location?, seenAt: Duration) {
    guard let arrivedAt else { return }
    let isElsewhere = last.map { seenAt >= arrivedAt && fix.distance(to: $0) > WakeRegion.minimumRadius } ?? false
    if isElsewhere || Self.showsMotion(fix) { self.arrivedAt = nil }
  }

  /// Whether the speed of a fix shows that the device doesn't rest, whatever an earlier report says.
  static func showsMotion(_ fix: Location) -> Bool { fix.speed ?? 0 > walk }

  /// Returns whether the device has been slow since the suspension, and forgets the suspension.
  mutating func wasSlow(from last: FoundFix?, to fix: Location, at uptime: Duration, slowPace: Double) -> Bool {
    defer { slowSince = nil }
    guard let slowSince, let last, fix.horizontalAccuracy <= WakeRegion.minimumRadius else { return false }
    // A coarse fix may have followed the suspension.
    let seconds = max(1, (uptime - max(slowSince, last.time)).inSeconds)
    return max(last.fix.distance(to: fix) / seconds, fix.speed ?? 0) < slowPace
  }
}

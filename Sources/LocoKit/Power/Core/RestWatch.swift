/// Detects rest from the motion sensor, the fixes and the wake-ups.
///
/// Each sign of motion restarts the wait for rest: motion on foot or in a vehicle, fixes away from an earlier place, and a wake-up
/// because the device has left a place.
struct RestWatch: Equatable, Sendable {
  /// The beginning of the wait for rest: the last sign of motion, a new reason to track, or the creation of the controller.
  private var movedAt = Duration.zero
  /// The most accurate fix since ``placeAt`` that may be at the same place. Later fixes are compared with it.
  private var place: Location?
  /// The time when the first fix at the place arrived.
  private var placeAt = Duration.zero
  /// Whether the last fix was away from the place.
  private var wasAway = false
  private var motion: LocationManager.Motion?

  /// The minimum distance from the place for two fixes in a row to be a sign of motion, in metres, in addition to the accuracies. A single
  /// fix at rest may have such an error. The distance doesn't count while the sensor reports that the device is still.
  static let distance = 100.0
  /// The minimum distance from the place for a single fix to be a sign of motion, in metres, in addition to the accuracies. It counts even
  /// while the sensor reports that the device is still, as during a smooth ride.
  static let certainDistance = 300.0
  /// The time after which a fix that isn't away replaces the place. Otherwise a place from before the device stopped would remain, and
  /// noisy fixes at rest could count as away from it.
  static let interval = Duration.seconds(120)

  mutating func note(_ motion: LocationManager.Motion?, at uptime: Duration) {
    let wasMoving = isMoving
    self.motion = motion
    if isMoving || wasMoving { move(at: uptime) }
  }

  mutating func find(_ fix: Location, at uptime: Duration) {
    guard let place else { return setPlace(fix, at: uptime) }
    let distance = place.distance(to: fix) - place.horizontalAccuracy - fix.horizontalAccuracy
    let isAway = distance > Self.distance && motion != .still
    if distance > Self.certainDistance || isAway && wasAway {
      move(at: uptime)
      setPlace(fix, at: uptime)
    } else if isAway {
      wasAway = true
    } else if uptime - placeAt >= Self.interval {
      setPlace(fix, at: uptime)
    } else {
      wasAway = false
      // A better fix that isn't certainly at the place would make the place follow a walker.
      if fix.horizontalAccuracy < place.horizontalAccuracy, distance <= 0 { self.place = fix }
    }
  }

  private mutating func setPlace(_ fix: Location, at uptime: Duration) {
    (place, placeAt, wasAway) = (fix, uptime, false)
  }

  private var isMoving: Bool { motion?.isMoving == true }

  mutating func move(at uptime: Duration) { movedAt = uptime }

  /// Returns the time when the device begins to count as at rest; `nil` while the sensor reports motion.
  func deadline(after wait: Duration) -> Duration? { isMoving ? nil : movedAt + wait }
}

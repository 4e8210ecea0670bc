/// Whether the device rests, by its motion sensor, its fixes, and what wakes the app.
///
/// Each sign of motion restarts the wait for rest: motion on foot or in a vehicle, fixes away from where the device was some time before,
/// and a wake that shows that the device has left a place.
struct RestWatch: Hashable, Sendable {
  /// Whether there was no sign of motion for the whole wait.
  private(set) var isAtRest = false
  /// The time of the last sign of motion.
  private var movedAt = Duration.zero
  /// A fix that the next ones are compared with, and when it was found. It is the most accurate one of its ``interval``.
  private var place: Location?
  private var placeAt = Duration.zero
  /// Whether the last fix was away from the place.
  private var wasAway = false
  /// The sensor's last report.
  private var motion: Motion?

  /// The least distance of two fixes in a row from the place that is a sign of motion, in metres, beside the accuracies. The error of one fix
  /// at rest may be as large. The distance is ignored while the sensor reports that the device is still.
  static let distance = 100.0
  /// The same for one fix, whatever the sensor reports: it calls a smooth ride still.
  static let certainDistance = 300.0
  /// The time for which fixes are compared with the same place. The last one before a stop is forgotten, or the noise of a receiver at rest would add
  /// to its distance.
  static let interval = Duration.seconds(120)

  /// Receives the sensor's state, which lasts until it changes.
  mutating func hear(_ motion: Motion?, at uptime: Duration) {
    let wasMoving = isMoving
    self.motion = motion
    if isMoving || wasMoving { move(at: uptime) }
  }

  /// Receives a fix, and compares it with the place.
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
      if fix.horizontalAccuracy < place.horizontalAccuracy { self.place = fix }
    }
  }

  private mutating func setPlace(_ fix: Location, at uptime: Duration) {
    (place, placeAt, wasAway) = (fix, uptime, false)
  }

  /// Whether the sensor reports motion.
  private var isMoving: Bool { motion == .walking || motion == .vehicle }

  /// The device moves.
  mutating func move(at uptime: Duration) { (movedAt, isAtRest) = (uptime, false) }

  /// Ends the wait whose time is over. Without a wait the device never rests.
  mutating func settle(after wait: Duration?, at uptime: Duration) {
    isAtRest = deadline(after: wait).map { isAtRest || uptime >= $0 } ?? false
  }

  /// When the wait ends; `nil` while the sensor reports motion.
  func deadline(after wait: Duration?) -> Duration? { isMoving ? nil : wait.map { movedAt + $0 } }
}

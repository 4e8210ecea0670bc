import LocoFoundation

/// Collects the signs of problems, as a pure value.
struct HealthWatch: Equatable, Sendable {
  /// The time of the first sign of motion since the last location.
  private(set) var movedAt: Duration?
  /// The time since which the system watches the region.
  private(set) var watchedSince = Duration.zero
  /// The departures in a row whose exits weren't reported.
  private(set) var missedExits = 0
  // The last location of the previous launch. Shared, because it is large and used only once.
  private(set) var recalled: Shared<Location>?
  private(set) var wasNotRelaunched = false
  /// Whether a fix of reduced accuracy has been of no use since the last location.
  private(set) var isReduced = false
  /// The problems that the listeners know.
  private(set) var lastReported: LocationManager.Health
  /// Whether an input may have changed the health.
  private(set) var isStale = true

  /// The time without a location that is a problem, in seconds.
  private static let day = 86_400.0
  /// An exit was missed if a location is this many metres outside a region that was watched for at least this time. A car is usually nearer
  /// when its exit is reported: nine in ten exits are reported within 205 s.
  private static let (farAway, minimumWatch) = (5_000.0, Duration.seconds(600))
  /// The number of missed exits in a row that is a problem: 8 % of exits are never reported.
  private static let maximumMissed = 2

  /// - Parameter recalled: The location of an earlier launch; `nil` before the first one, after a pause, and if the system wouldn't have
  ///   launched the app.
  init(recalled: Location?) {
    self.recalled = recalled.map { Shared($0) }
    lastReported = LocationManager.Health(problems: [])
  }

  mutating func move(at uptime: Duration) {
    if movedAt == nil { movedAt = uptime }
    checkTime(at: uptime)
  }

  /// Notes if there has been no location for too long.
  mutating func checkTime(at uptime: Duration) { if lacksLocation(at: uptime) { isStale = true } }

  /// Notes that another input has changed: the device, the machine's state or the bound.
  mutating func noteDevice() { isStale = true }

  /// Notes a fix of reduced accuracy that isn't used.
  mutating func noteReducedAccuracy() { if isReduced.update(to: true) { isStale = true } }

  /// Forgets that fixes of reduced accuracy were of no use, after ``noteDevice()``. Returns whether they were.
  mutating func endReducedAccuracy() -> Bool { isReduced.update(to: false) }

  /// Forgets the motion since the last location, because the manager turns locations on or off.
  mutating func forgetMotion() { (movedAt, isStale) = (nil, true) }

  mutating func leaveRegion() { (missedExits, wasNotRelaunched, isStale) = (0, false, true) }

  /// Forgets the location of the previous launch, because the manager turns locations off: the device may move without a wake.
  mutating func forgetRecalled() { recalled = nil }

  mutating func watch(since uptime: Duration) { watchedSince = uptime }

  /// Whether the next location may change the health, even if no region is watched.
  var awaitsLocation: Bool { movedAt != nil || recalled != nil || isReduced }

  /// Whether a day has passed without a location since the first motion.
  func lacksLocation(at uptime: Duration) -> Bool { movedAt.map { (uptime - $0).inSeconds > Self.day } ?? false }

  /// Compares a delivered location with the watched region and the last location of the previous launch.
  mutating func find(_ location: Location, watching region: Location.Region?, at uptime: Duration) {
    (movedAt, isReduced) = (nil, false)
    if !lastReported.problems.isEmpty { isStale = true }
    if let recalled = recalled?.value {
      isStale = true
      let isOld = location.timestamp.timeIntervalSince(recalled.timestamp) > Self.day
      wasNotRelaunched = isOld && recalled.distance(to: location) > Self.farAway
      self.recalled = nil
    }
    guard let region, uptime - watchedSince >= Self.minimumWatch else { return }
    let centre = Location(
      latitude: region.latitude, longitude: region.longitude, horizontalAccuracy: 0, timestamp: location.timestamp)
    guard centre.distance(to: location) > region.radius + Self.farAway else { return }
    missedExits += 1
    isStale = true
  }

  func health(
    of device: LocationCore.Device, isRefused: Bool, hasBound: Bool, at uptime: Duration
  ) -> LocationManager.Health {
    var problems: [LocationManager.Health.Problem] = []
    if isRefused { problems.append(.permission) }
    if isReduced { problems.append(.reducedAccuracy) }
    // The low-power mode turns the setting off, and on again at its end.
    if let app = device.app, !app.mayRefresh, !app.isLowPowerMode, device.authorization == .always {
      problems.append(.backgroundRefresh)
    }
    if hasBound, missedExits >= Self.maximumMissed { problems.append(.regions) }
    if lacksLocation(at: uptime) { problems.append(.noLocation) }
    if wasNotRelaunched { problems.append(.notRelaunched) }
    if device.app?.isLowPowerMode == true { problems.append(.lowPowerMode) }
    return LocationManager.Health(problems: problems)
  }

  /// Stores the health, and returns whether it has changed.
  mutating func update(to health: LocationManager.Health) -> Bool {
    isStale = false
    return lastReported.update(to: health)
  }
}

/// The region whose exit wakes the app.
struct WakeRegion: Equatable, Sendable {
  /// The fix at its centre.
  let fix: Location
  /// The time when it was set.
  let setAt: Duration
  /// The pace of the device then, in metres per second.
  let pace: Double

  /// The least radius, in metres: the system reports exits from smaller regions late or never.
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

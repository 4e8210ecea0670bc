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

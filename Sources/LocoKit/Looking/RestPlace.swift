/// The place of the last fixes: evidence that the device rests, or that it moves.
struct RestPlace: Hashable, Sendable {
  /// The first fix of those in one place.
  private(set) var fix: Location?
  /// The time since which the device has been there.
  private(set) var since = Duration.zero
  /// The time of the last fix there.
  private var seenAt = Duration.zero

  /// Two fixes are in one place that are no farther apart, in metres, at a speed that is no higher, in metres a second.
  private static let radius = 30.0
  private static let speed = 0.7

  /// Whether a fix is in the same place as an earlier one.
  static func isOne(_ first: Location, _ second: Location) -> Bool {
    let noise = first.horizontalAccuracy + second.horizontalAccuracy
    return first.distance(to: second) < max(Self.radius, noise) && second.speed ?? 0 < Self.speed
  }

  /// The time from the first fix in the place to the last one; `nil` before the first.
  var length: Duration? { fix.map { _ in seenAt - since } }

  /// Compares a fix with the place, and returns whether the device has left it.
  ///
  /// - Parameter isLookAtRest: Whether the fix ends a look at rest: it finds the place that a coarse fix missed, and the device has
  ///   been there all the time.
  mutating func compare(_ fix: Location, at uptime: Duration, isLookAtRest: Bool) -> Bool {
    defer { seenAt = uptime }
    if let here = self.fix, Self.isOne(here, fix) { return false }
    let hasLeft = self.fix != nil && !isLookAtRest
    if self.fix == nil || !isLookAtRest { since = uptime }
    self.fix = fix
    return hasLeft
  }
}

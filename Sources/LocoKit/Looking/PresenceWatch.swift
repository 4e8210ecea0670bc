import LocoFoundation

/// Begins, updates and ends the presence, as a pure value.
struct PresenceWatch: Equatable, Sendable {
  // Shared, because it's large and most managers have none.
  private var shared: Shared<LocationManager.Presence>?

  /// The presence, which may be over.
  var stored: LocationManager.Presence? { shared?.value }
  var hasPresence: Bool { shared != nil }

  /// The validity of a presence, and the shortest extension of the validity that is reported, in seconds.
  private static let (validity, extensionInterval) = (86_400.0, 3_600.0)

  init(_ recalled: LocationManager.Presence?) { shared = recalled.map { Shared($0) } }

  /// Returns the presence at a date; `nil` if it is over then.
  func presence(at date: Date) -> LocationManager.Presence? { isOver(at: date) ? nil : stored }

  /// Ends the presence if it is over.
  mutating func expire(at date: Date) { if isOver(at: date) { end() } }

  /// Whether the end has passed, or is more than a day ahead because the clock was set back.
  private func isOver(at date: Date) -> Bool {
    guard let rest = shared?.value.until.timeIntervalSince(date) else { return false }
    return rest <= 0 || rest > Self.validity + Acquisition.clockTolerance
  }

  /// Begins or updates the presence of a device that rests at a place. Without a reason, ends it. A presence that is
  /// over must have ended: see ``expire(at:)``.
  mutating func rest(
    at place: Location, radius: Double, because reasons: Set<LocationManager.Presence.Reason>, at date: Date
  ) {
    guard !reasons.isEmpty else { return end() }
    let until = date.addingTimeInterval(Self.validity)
    if let stored, stored.holds(place, radius: radius), stored.reasons == reasons,
      until.timeIntervalSince(stored.until) < Self.extensionInterval
    {
      return
    }
    shared = Shared(
      wrappedValue: LocationManager.Presence(place: place, radius: radius, reasons: reasons, until: until))
  }

  /// Ends the presence if a fix is outside the circle by more than its accuracy.
  mutating func find(_ fix: Location) {
    if let stored, stored.place.distance(to: fix) > stored.radius + fix.horizontalAccuracy { end() }
  }

  mutating func end() { shared = nil }
}

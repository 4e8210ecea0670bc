public import LocoFoundation

extension LocationManager {
  /// A statement about a device at rest: that it is within a circle, until the manager says otherwise.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {
  ///   if let presence { send("at home until \(presence.until)") } else { send("under way") }
  /// }
  /// ```
  ///
  /// A server that receives each change needs no heartbeat, which would wake the device: while it rests, the system watches a region and
  /// visits at almost no cost, and wakes the app when it leaves. A presence needs ``LocationManager/errorBound``, and begins when the device
  /// is at rest. It ends with the exit from the region, the end of the visit, a significant change, a fix outside the circle, a failed
  /// look, or a pause. ``LastLocationStore`` keeps it over relaunches.
  public struct Presence: Hashable, Codable, Sendable {
    /// A reason to believe that the device is still there.
    public enum Reason: String, CaseIterable, Codable, Hashable, Sendable {
      /// The system watches a region around the place, and wakes the app when the device leaves it.
      case region
      /// The system reports the end of the visit.
      case visit
      /// The app runs, and the motion sensor reports no motion.
      case stillness
    }

    /// The circle's centre, with the accuracy of the fix at rest.
    public let place: Location
    /// The circle's radius, in metres: that of the watched region, and the accuracy of its centre.
    public let radius: Double
    /// The reasons, at least one.
    public let reasons: Set<Reason>
    /// The time until which the presence is valid without another one: a day after the device was last seen there. The manager extends it
    /// once an hour at most, while something else wakes the app.
    public let until: Date

    /// The share of departures that the reasons notice within some minutes, 0…1.
    ///
    /// MobilityNet's iPhone 6 reported the exit from a region or the end of the visit for 114 of 115 journeys, of exits alone 92 of 100, and
    /// of ends of visits 9 of 10; the motion sensor noticed each of 171 departures. The exits were 105 s late (median; nine in ten up to
    /// 205 s). On their outings, replayed, the phone was elsewhere for 1.4 to 3.0 % of the time with a presence (9 outings, bounds of 100 m to
    /// 2 km, with ideal and pessimistic assumptions).
    public var probability: Double {
      if reasons.contains(.stillness) || reasons.isSuperset(of: [.region, .visit]) { return 0.99 }
      return reasons.contains(.region) ? 0.92 : 0.9
    }
  }
}

/// Derives the presence from what the planner and the provider say, as a pure value.
struct PresenceWatch: Hashable, Sendable {
  // Shared, because it's large and most managers have none.
  private var shared: Shared<LocationManager.Presence>?

  var presence: LocationManager.Presence? { shared?.wrappedValue }
  var hasPresence: Bool { shared != nil }

  /// The validity without news, and the least extension that is reported, in seconds.
  private static let (validity, extensionInterval) = (86_400.0, 3_600.0)

  init(_ recalled: LocationManager.Presence?) { shared = recalled.map(Shared.init(wrappedValue:)) }

  /// The device rests at a place.
  mutating func rest(
    at place: Location, radius: Double, because reasons: Set<LocationManager.Presence.Reason>, at date: Date
  ) {
    guard !reasons.isEmpty else { return end() }
    let until = date.addingTimeInterval(Self.validity)
    if let presence, presence.holds(place, radius: radius), presence.reasons == reasons,
      abs(until.timeIntervalSince(presence.until)) < Self.extensionInterval
    {
      return
    }
    shared = Shared(
      wrappedValue: LocationManager.Presence(place: place, radius: radius, reasons: reasons, until: until))
  }

  /// A fix was found. One outside the circle ends the presence.
  mutating func find(_ fix: Location) {
    if let presence, presence.place.distance(to: fix) > presence.radius + fix.horizontalAccuracy { end() }
  }

  mutating func end() { shared = nil }
}

extension LocationManager.Presence {
  /// Whether the presence describes a place as well: a new fix in the same place isn't news, unless it is more than twice as accurate.
  fileprivate func holds(_ place: Location, radius: Double) -> Bool {
    self.place == place
      || self.place.distance(to: place) < radius / 2
        && place.horizontalAccuracy > self.place.horizontalAccuracy / 2 && radius <= self.radius
  }
}

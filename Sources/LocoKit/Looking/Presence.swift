public import LocoFoundation

extension LocationManager {
  /// A statement that a device rests within a circle, valid up to the time ``until``, unless the manager reports a change.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {
  ///   if let presence { send("at home until \(presence.until)") } else { send("under way") }
  /// }
  /// ```
  ///
  /// A server that receives each change needs no heartbeat, which would wake the device. While a phone rests, the system watches a region
  /// and visits at almost no cost, and wakes the app when the phone leaves. A presence needs an error bound, and begins when the device is
  /// at rest. If the app was suspended while the device moved slowly, that takes the start of a visit, or a minute without motion while its
  /// motion sensor runs. It ends with the exit from the region, the end of the visit, a significant change after the cool-down, a location
  /// outside the circle, a minute of motion, or a failed look during movement. It also ends if the permission, the bound or the last of its
  /// reasons is lost, and when the app pauses. ``LastLocationStore`` keeps it across relaunches.
  public struct Presence: Hashable, Codable, Sendable {
    /// A reason to believe that the device is still there.
    package enum Reason: String, CaseIterable, Codable, Hashable, Sendable {
      /// The system watches a region around the place, and wakes the app when the device leaves it.
      case region
      /// The system reports visits, and wakes the app at the end of one.
      case visit
      /// The app runs, and the motion sensor reports that the device is still.
      case stillness
    }

    /// The circle's centre, with the accuracy of the fix at rest.
    public let place: Location
    /// The circle's radius, in metres: the sum of the watched region's radius, at least 100 m, and the accuracy of ``place``.
    public let radius: Double
    /// The reasons, at least one.
    package let reasons: Set<Reason>
    /// The end of the presence, unless the manager reports a change before that: 23 to 24 hours after the app last ran while the device was
    /// at rest. If nothing else changes, the manager extends it at most once an hour, and only when the app runs for another reason.
    public let until: Date

    /// The share of departures that the reasons notice within some minutes, 0…1.
    ///
    /// On the four iPhone 6 of MobilityNet, the exit from a region or the end of the visit was reported for 114 of 115 journeys: the exit
    /// for 92 %, and the end of the visit for 90 %. The motion sensor noticed each of 171 departures. The exits were reported 105 s late
    /// (median; nine in ten up to 205 s). In a replay of 9 outings with bounds of 100 m to 2 km, the phone was elsewhere for 1.2 to 2.6 %
    /// of the time with a presence, with ideal and with pessimistic assumptions. On six other outings it was elsewhere for 1.8 to 8.4 %, before
    /// an arrival that is reported to a suspended app started a look.
    public var probability: Double {
      if reasons.contains(.stillness) || reasons.isSuperset(of: [.region, .visit]) { return 0.99 }
      return reasons.contains(.region) ? 0.92 : 0.9
    }
  }
}

extension LocationManager.Presence {
  /// Returns whether the presence also describes a place: a new fix in the same place changes nothing, unless it
  /// is more than twice as accurate or needs a larger circle.
  func holds(_ place: Location, radius: Double) -> Bool {
    let distance = self.place.distance(to: place)
    return distance < radius / 2 && distance + place.horizontalAccuracy <= self.radius
      && place.horizontalAccuracy >= self.place.horizontalAccuracy / 2 && radius <= self.radius
  }
}

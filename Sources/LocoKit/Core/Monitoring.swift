import LocoFoundation

/// The presence and the health, with the values that the listeners know.
struct Monitoring: Equatable, Sendable {
  private(set) var presence: PresenceWatch
  /// The presence that the listeners know.
  private(set) var lastReported: PresenceWatch
  var health: HealthWatch
  /// Whether the device has left its place since the last location. Until the next look, the planner may still assume that it rests.
  private(set) var hasLeft = false

  /// - Parameters:
  ///   - presence: The presence that an earlier launch stored. It ends if the app had paused.
  ///   - recalled: The location of an earlier launch, see ``HealthWatch``.
  init(presence: LocationManager.Presence?, isPaused: Bool, recalled: Location?) {
    self.presence = PresenceWatch(isPaused ? nil : presence)
    lastReported = PresenceWatch(presence)
    health = HealthWatch(recalled: recalled)
  }

  // MARK: - Signs

  /// Ends the presence, because the permission is lost, the app pauses, or the device may have moved.
  mutating func endPresence() { presence.end() }

  /// Ends the presence, because the device has left its place.
  mutating func leave() {
    presence.end()
    hasLeft = true
  }

  mutating func leaveRegion() {
    leave()
    health.leaveRegion()
  }

  /// Whether the next location may change the health or the presence.
  var awaitsLocation: Bool { presence.hasPresence || health.awaitsLocation }

  @inline(never)  // Most managers have no error bound.
  mutating func find(_ location: Location, watching region: Location.Region?, at uptime: Duration) {
    presence.find(location)
    hasLeft = false
    health.find(location, watching: region, at: uptime)
  }

  // MARK: - Conclusions

  /// Whether ``updatePresence(of:in:watching:on:at:)`` may change the presence of a device without a planner.
  var mayHavePresence: Bool { lastReported.hasPresence || presence.hasPresence }

  /// Derives the presence. Returns whether it has changed.
  @inline(never)
  mutating func updatePresence(
    of planner: LookPlanner?, in mode: ReceiverMode, watching region: Location.Region?, on device: LocationCore.Device,
    at date: Date
  ) -> Bool {
    presence.expire(at: date)
    if mode == .off {
      // Until the app asks for the permission, the presence of an earlier launch remains.
    } else if let planner, mode == .significantChanges, !hasLeft, let (fix, distance) = planner.placeAtRest {
      var reasons: Set<LocationManager.Presence.Reason> = []
      if region != nil, device.watchesRegions { reasons.insert(.region) }
      if device.wakeSources.contains(.visit) { reasons.insert(.visit) }
      if device.motion == .still { reasons.insert(.stillness) }
      let radius = max(planner.region?.radius ?? 0, WakeRegion.minimumRadius) + fix.horizontalAccuracy + distance
      presence.rest(at: fix, radius: radius, because: reasons, at: date)
    } else if planner?.showsDeparture != false {
      presence.end()
    }
    defer { lastReported = presence }
    return presence != lastReported
  }

  func health(
    of device: LocationCore.Device, in state: LocationMachine.State, hasBound: Bool, at uptime: Duration
  ) -> LocationManager.Health {
    // The system may refuse locations with an error, although the authorization allows them. While a prompt is shown, the user decides.
    let isRefused = state == .denied || device.authorization.event == .refused && state != .prompted
    return health.health(of: device, isRefused: isRefused, hasBound: hasBound, at: uptime)
  }

  /// Derives the health if an input may have changed it. Returns it if it has changed.
  mutating func updateHealth(
    of device: LocationCore.Device, in state: LocationMachine.State, hasBound: Bool, at uptime: Duration
  ) -> LocationManager.Health? {
    guard health.isStale else { return nil }
    return health.update(to: health(of: device, in: state, hasBound: hasBound, at: uptime)) ? health.lastReported : nil
  }
}

/// The region round the last fix: how it is watched, and whether its exit is still to be reported.
struct RegionWatch: Hashable, Sendable {
  /// The region that the system watches.
  enum Armed: Hashable, Sendable {
    /// A region of an earlier launch, if there is one: only its identifier is known.
    case earlier
    case none
    /// A `CLCircularRegion`.
    case circle(Location.Region)
    /// A condition of a `CLMonitor`.
    case condition(Location.Region)
  }

  /// A callback of the system's.
  enum Event: Hashable, Sendable {
    /// The device is outside a `CLCircularRegion` with the provider's identifier and this centre.
    case outside(latitude: Double, longitude: Double)
    /// A `CLCircularRegion` with this centre isn't watched, and why; any one without a centre.
    case failed(latitude: Double?, longitude: Double?, reason: String)
    /// The device is outside the condition that was armed last.
    case outsideCondition
    /// The condition that was armed last isn't watched, and why.
    case conditionFailed(reason: String)
  }

  /// The meaning of an event.
  enum Change: Hashable, Sendable {
    case exit
    case loss(reason: String)
  }

  private(set) var armed = Armed.earlier
  /// Whether the next exit is the first one since the region was armed, now or in an earlier launch.
  private(set) var awaitsExit = true
  /// Why the region isn't watched; `nil` where it is, and without a region.
  private(set) var problem: String?
  /// Before which a region that was lost isn't armed again by a fix.
  private(set) var nextAttempt = Duration.zero

  /// The least time between two attempts to arm a region that the system doesn't watch.
  static let attemptInterval = Duration.seconds(60)
  /// In degrees, about ten metres: the system may round the centre.
  private static let tolerance = 1e-4

  /// Replaces the region, which isn't removed first: an arming that follows a removal may be lost.
  mutating func arm(_ region: Location.Region?, asCondition: Bool) {
    armed = region.map { asCondition ? .condition($0) : .circle($0) } ?? .none
    awaitsExit = region != nil
  }

  /// Returns what an event means; `nil` where it is of another region, or repeated.
  mutating func receive(_ event: Event) -> Change? {
    guard awaitsExit, isArmed(event) else { return nil }
    awaitsExit = false
    switch event {
    case .outside, .outsideCondition: return .exit
    case .failed(_, _, let reason), .conditionFailed(let reason):
      problem = reason
      return .loss(reason: reason)
    }
  }

  /// Ends a loss, so that the manager arms a region again: where it is due, or a minute after the last attempt.
  mutating func offer(at uptime: Duration, isDue: Bool) {
    guard problem != nil, isDue || uptime >= nextAttempt else { return }
    nextAttempt = uptime + Self.attemptInterval
    problem = nil
  }

  private func isArmed(_ event: Event) -> Bool {
    switch (event, armed) {
    case (.outside, .earlier), (.outsideCondition, .earlier), (.outsideCondition, .condition),
      (.conditionFailed, .condition), (.failed(nil, nil, _), .circle):
      true
    case (.outside(let latitude, let longitude), .circle(let region)),
      (.failed(let latitude?, let longitude?, _), .circle(let region)):
      // A region that this one has replaced has its identifier too, and another centre.
      abs(latitude - region.latitude) < Self.tolerance && abs(longitude - region.longitude) < Self.tolerance
    default: false
    }
  }
}

/// The region around the last fix, and whether the system watches it.
struct RegionWatch: Equatable, Sendable {
  enum Armed: Hashable, Sendable {
    /// Possibly a region of an earlier launch. Only its identifier is known.
    case earlier
    case none
    /// A `CLCircularRegion`.
    case circle(Location.Region)
    /// A condition of a `CLMonitor`.
    case condition(Location.Region)
  }

  enum Event: Equatable, Sendable {
    /// The device is outside a `CLCircularRegion` with the provider's identifier.
    case outside(latitude: Double, longitude: Double)
    /// A `CLCircularRegion` isn't watched: the region with this centre, or the armed region if the centre is `nil`.
    case failed(latitude: Double?, longitude: Double?, reason: String)
    /// The device is outside the condition armed last.
    case outsideCondition
    /// The condition armed last isn't watched.
    case conditionFailed(reason: String)
    /// Another provider of the app has taken over the conditions, for good.
    case conditionsTaken
  }

  enum Change: Equatable, Sendable {
    case exit
    case loss(reason: String)
  }

  private(set) var armed = Armed.earlier
  /// Whether the region's exit is still awaited: neither an exit nor a failure has been reported since the region was armed.
  private(set) var awaitsExit = true
  /// The reason why the region isn't watched; `nil` if no failure was reported, or if the manager may arm a region again.
  private(set) var problem: String?
  /// The time from which a fix may arm a lost region again.
  private(set) var nextAttempt = Duration.zero
  /// Whether another provider has taken over the conditions, so that no region can be watched.
  private(set) var isTaken = false

  /// The minimum time between an attempt to arm a lost region and the next attempt that a fix causes.
  static let attemptInterval = Duration.seconds(60)
  /// In degrees, about ten metres: the system may round a centre.
  private static let tolerance = 1e-4

  /// Replaces the region. The old region isn't removed first, because the system may lose a region that is armed after a removal.
  mutating func arm(_ region: Location.Region?, asCondition: Bool) {
    armed = region.map { asCondition ? .condition($0) : .circle($0) } ?? .none
    awaitsExit = true
  }

  /// Returns what an event means; `nil` for an event of another region, and after an exit or a failure until a region is armed. A failure
  /// is also ignored while only a region of an earlier launch can be armed.
  mutating func receive(_ event: Event) -> Change? {
    guard event == .conditionsTaken || !isTaken && awaitsExit && isArmed(event) else { return nil }
    awaitsExit = false
    let reason: String
    switch event {
    case .outside, .outsideCondition: return .exit
    case .failed(_, _, let failure), .conditionFailed(let failure): reason = failure
    case .conditionsTaken:
      isTaken = true
      reason = "a newer provider of the app uses the conditions"
    }
    problem = reason
    return .loss(reason: reason)
  }

  /// Clears the problem of a lost region, so that the manager arms a region again: immediately if `isDue`, otherwise only if the last
  /// attempt was at least a minute ago.
  mutating func offer(at uptime: Duration, isDue: Bool) {
    guard problem != nil, !isTaken, isDue || uptime >= nextAttempt else { return }
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
      // A region that was replaced has the same identifier, but usually another centre.
      abs(latitude - region.latitude) < Self.tolerance && abs(longitude - region.longitude) < Self.tolerance
    default: false
    }
  }
}

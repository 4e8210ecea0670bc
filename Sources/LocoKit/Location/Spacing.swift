import LocoFoundation

/// The spacing of locations. A location is omitted until the minimum interval has passed. If it is too near the last one, it is omitted
/// until the maximum interval has passed, or always if there is none.
package struct Spacing: Equatable, Sendable {
  /// The minimum distance in metres, in addition to both accuracies; with 0 the distance isn't checked.
  package var distance: Double
  /// The time since the last location after which the distance isn't checked; `nil` if it always is.
  package var maximumInterval: Duration?
  /// The time since the last location during which every location is omitted.
  package var minimumInterval: Duration

  package init(distance: Double = 0, maximumInterval: Duration? = nil, minimumInterval: Duration = .zero) {
    (self.distance, self.maximumInterval, self.minimumInterval) = (distance, maximumInterval, minimumInterval)
  }

  package func omits(_ location: Location, after last: Location) -> Bool {
    let passed = location.timestamp.timeIntervalSince(last.timestamp)
    // A negative time shows that the clock was set back, so neither interval is known to last.
    if passed >= 0, passed < minimumInterval.inSeconds { return true }
    if let maximumInterval, passed < 0 || passed >= maximumInterval.inSeconds { return false }
    return distance > 0
      && last.distance(to: location) < distance + last.horizontalAccuracy + location.horizontalAccuracy
  }

  package func check() {
    Validation.require(Validation.distance("distance filter", distance))
    Validation.require(maximumInterval.flatMap { Validation.limit("maximum interval", $0) })
    Validation.require(Validation.pause("minimum interval", minimumInterval))
  }
}

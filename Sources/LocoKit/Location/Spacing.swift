import LocoFoundation

/// The distance and the time between two locations: a location is omitted if it is too near the last one in both, or too early.
package struct Spacing: Hashable, Sendable {
  /// The least distance in metres, in addition to both accuracies; 0 omits no location because of its place.
  package var distance: Double
  /// The time after which a location isn't omitted, however near it is; `nil` for no such time.
  package var maximumInterval: Duration?
  /// The time during which each location is omitted.
  package var minimumInterval: Duration

  package init(distance: Double = 0, maximumInterval: Duration? = nil, minimumInterval: Duration = .zero) {
    (self.distance, self.maximumInterval, self.minimumInterval) = (distance, maximumInterval, minimumInterval)
  }

  package func omits(_ location: Location, after last: Location) -> Bool {
    let passed = location.timestamp.timeIntervalSince(last.timestamp)
    // The clock may have been set back.
    if passed >= 0, passed < minimumInterval.inSeconds { return true }
    if let maximumInterval, passed >= maximumInterval.inSeconds { return false }
    return distance > 0
      && last.distance(to: location) < distance + last.horizontalAccuracy + location.horizontalAccuracy
  }

  package func check() {
    OutOfRange.check(OutOfRange.distance("distance filter", distance))
    OutOfRange.check(maximumInterval.flatMap { OutOfRange.limit("maximum interval", $0) })
    OutOfRange.check(OutOfRange.pause("minimum interval", minimumInterval))
  }
}

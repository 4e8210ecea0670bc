/// Selects the fixes for a consumer of tracking.
///
/// A fix passes if it is accurate enough, and is the first one, at least the distance filter away from the last one that passed, or at
/// least twice as accurate as that one, if twice that one's accuracy is at least the filter. This filter saves no power, because the
/// receiver stays on.
package struct TrackFilter: Equatable, Sendable {
  /// The largest accuracy that passes, in metres.
  package let desiredAccuracy: Double
  /// The minimum distance between two fixes, in metres.
  package let distanceFilter: Double
  private(set) var last: Location?

  package init(desiredAccuracy: Double, distanceFilter: Double = 0) {
    Validation.require(Validation.distance("desired accuracy", desiredAccuracy))
    Validation.require(Validation.distance("distance filter", distanceFilter))
    (self.desiredAccuracy, self.distanceFilter) = (desiredAccuracy, distanceFilter)
  }

  mutating func passes(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= desiredAccuracy else { return false }
    if let last, last.distance(to: fix) < distanceFilter {
      // A better fix of a place that is known well enough for the filter is no news.
      guard fix.isTwiceAsAccurate(as: last), last.horizontalAccuracy * 2 >= distanceFilter else {
        return false
      }
    }
    last = fix
    return true
  }
}

/// Selects the fixes for a consumer of tracking.
///
/// A fix passes if it is accurate enough, and is the first one, at least the distance filter away from the last one that passed, or at
/// least twice as accurate as that one, if twice that one's accuracy is at least the filter. This filter saves no power, because the
/// receiver stays on.
package struct TrackFilter: Hashable, Sendable {
  package let settings: ReceiverPlan.Settings
  private(set) var last: Location?

  package init(_ settings: ReceiverPlan.Settings) {
    settings.check()
    self.settings = settings
  }

  mutating func passes(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= settings.desiredAccuracy else { return false }
    if let last, last.distance(to: fix) < settings.distanceFilter {
      // A better fix of a place that is known well enough for the filter is no news.
      guard fix.isTwiceAsAccurate(as: last), last.horizontalAccuracy * 2 >= settings.distanceFilter else {
        return false
      }
    }
    last = fix
    return true
  }
}

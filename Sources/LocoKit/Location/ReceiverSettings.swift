/// The accuracy and the distance filter that a consumer requests of the receiver.
///
/// A provider may use them to save power:
///
/// ```swift
/// func setReceiver(_ settings: ReceiverSettings) {
///   buoy.interval = settings.distanceFilter >= 100 ? .seconds(10) : .seconds(1)
/// }
/// ```
public struct ReceiverSettings: Hashable, Sendable {
  /// The desired accuracy of fixes, in metres; 0 is the receiver's best.
  public var desiredAccuracy: Double
  /// The minimum distance between two fixes, in metres; 0 requests every fix.
  public var distanceFilter: Double

  /// Creates settings in metres, 0 or more. They are checked on use.
  public init(desiredAccuracy: Double, distanceFilter: Double) {
    (self.desiredAccuracy, self.distanceFilter) = (desiredAccuracy, distanceFilter)
  }

  func check() {
    OutOfRange.check(OutOfRange.distance("desired accuracy", desiredAccuracy))
    OutOfRange.check(OutOfRange.distance("distance filter", distanceFilter))
  }

  /// The best accuracy, and every fix: the settings of an acquisition.
  package static let best = ReceiverSettings(desiredAccuracy: 0, distanceFilter: 0)

  /// Returns the settings of a receiver with two consumers: the more demanding accuracy and the more demanding filter.
  package func merging(_ other: ReceiverSettings) -> ReceiverSettings {
    ReceiverSettings(
      desiredAccuracy: min(desiredAccuracy, other.desiredAccuracy),
      distanceFilter: min(distanceFilter, other.distanceFilter))
  }
}

/// Selects the fixes for a consumer of tracking.
///
/// A fix passes if it is accurate enough, and is the first one, at least the distance filter away from the last one that passed, or at
/// least twice as accurate as that one, if twice that one's accuracy is at least the filter. This filter saves no power, because the
/// receiver stays on.
package struct TrackFilter: Hashable, Sendable {
  package let settings: ReceiverSettings
  private(set) var last: Location?

  package init(_ settings: ReceiverSettings) {
    settings.check()
    self.settings = settings
  }

  mutating func passes(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= settings.desiredAccuracy else { return false }
    if let last, last.distance(to: fix) < settings.distanceFilter {
      let isBetter = fix.horizontalAccuracy <= last.horizontalAccuracy / 2
      // A better fix of a place that is known well enough for the filter is no news.
      guard isBetter, last.horizontalAccuracy * 2 >= settings.distanceFilter else { return false }
    }
    last = fix
    return true
  }
}

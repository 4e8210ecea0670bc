extension ReceiverPlan {
  /// The accuracy and the distance filter that a consumer requests of the receiver.
  ///
  /// A provider may use them to save power:
  ///
  /// ```swift
  /// func interval(for settings: ReceiverPlan.Settings) -> Duration {
  ///   settings.distanceFilter >= 100 ? .seconds(10) : .seconds(1)
  /// }
  /// ```
  public struct Settings: Hashable, Sendable {
    /// The desired accuracy of fixes, in metres; 0 is the receiver's best.
    public var desiredAccuracy: Double
    /// The minimum distance between two fixes, in metres; 0 requests every fix.
    public var distanceFilter: Double

    /// Creates settings in metres, 0 or more. They are checked on use.
    public init(desiredAccuracy: Double, distanceFilter: Double) {
      (self.desiredAccuracy, self.distanceFilter) = (desiredAccuracy, distanceFilter)
    }

    func check() {
      Validation.require(Validation.distance("desired accuracy", desiredAccuracy))
      Validation.require(Validation.distance("distance filter", distanceFilter))
    }

    /// The best accuracy, and every fix: the settings of an acquisition.
    package static let best = ReceiverPlan.Settings(desiredAccuracy: 0, distanceFilter: 0)

    /// Returns the settings of a receiver with two consumers: the more demanding accuracy and the more demanding filter.
    package func merging(_ other: ReceiverPlan.Settings) -> ReceiverPlan.Settings {
      ReceiverPlan.Settings(
        desiredAccuracy: min(desiredAccuracy, other.desiredAccuracy),
        distanceFilter: min(distanceFilter, other.distanceFilter))
    }
  }
}

/// What somebody wants of the receiver while it is on, and what it is told.
///
/// A provider is told of them, and may save power with what it need not do:
///
/// ```swift
/// func setReceiver(_ settings: ReceiverSettings) {
///   buoy.interval = settings.distanceFilter >= 100 ? .seconds(10) : .seconds(1)
/// }
/// ```
public struct ReceiverSettings: Hashable, Sendable {
  /// How accurate fixes shall be, metres; 0 is as accurate as the receiver can.
  public var desiredAccuracy: Double
  /// How far the device moves between two fixes at least, metres; 0 is every fix.
  public var distanceFilter: Double

  /// Settings from their parts: metres, 0 or more. They are checked where they are used.
  public init(desiredAccuracy: Double, distanceFilter: Double) {
    self.desiredAccuracy = desiredAccuracy
    self.distanceFilter = distanceFilter
  }

  /// Stops the program where a value is out of range.
  func check() {
    precondition(
      desiredAccuracy >= 0 && desiredAccuracy.isFinite,
      "The desired accuracy must be a finite number of metres, 0 or more, not \(desiredAccuracy).")
    precondition(
      distanceFilter >= 0 && distanceFilter.isFinite,
      "The distance filter must be a finite number of metres, 0 or more, not \(distanceFilter).")
  }

  /// An acquisition's: the best there is, and every fix.
  package static let best = ReceiverSettings(desiredAccuracy: 0, distanceFilter: 0)

  /// What one receiver is told for two who want something of it: as accurate as the more demanding wants it, and with the
  /// shorter distance filter.
  package func merging(_ other: ReceiverSettings) -> ReceiverSettings {
    ReceiverSettings(
      desiredAccuracy: min(desiredAccuracy, other.desiredAccuracy),
      distanceFilter: min(distanceFilter, other.distanceFilter))
  }
}

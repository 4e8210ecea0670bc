/// What somebody wants of the receiver while it is on, and what it is told.
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
      desiredAccuracy >= 0 && desiredAccuracy.isFinite, "The desired accuracy is a number of metres, 0 or more.")
    precondition(
      distanceFilter >= 0 && distanceFilter.isFinite, "The distance filter is a number of metres, 0 or more.")
  }

  /// An acquisition's: the best there is, and every fix.
  public static let everything = ReceiverSettings(desiredAccuracy: 0, distanceFilter: 0)

  /// The arbiter: one receiver for all who want something of it.
  ///
  /// As accurate as the most demanding wants it, and with the shortest distance filter.
  ///
  /// - Parameters:
  ///   - wants: What each of them wants.
  ///   - isPaused: Whether the app has paused, which beats all of them.
  /// - Returns: What the receiver is told; `nil` where it sleeps, because nobody wants anything or the app has paused.
  public static func serving(_ wants: some Sequence<ReceiverSettings>, isPaused: Bool) -> ReceiverSettings? {
    guard !isPaused else { return nil }
    return wants.reduce(nil) { all, want in
      guard let all else { return want }
      return ReceiverSettings(
        desiredAccuracy: min(all.desiredAccuracy, want.desiredAccuracy),
        distanceFilter: min(all.distanceFilter, want.distanceFilter))
    }
  }
}

import LocoFoundation

/// The rules that select locations from the fixes of a receiver that stays on, as in TTLocationHandler.
///
/// ```swift
/// var policy = TrackingPolicy()
/// policy.holdTime = .seconds(5)
/// policy.distanceFilter = 20
/// for await location in manager.track(accepting: policy) { save(location) }
/// ```
///
/// A fix of the required accuracy is accepted immediately. A less accurate fix waits: at the time limit, or when ``maximumPendingFixes``
/// fixes wait, the most accurate of them is accepted. No fix is accepted while the last location is accurate and recent. While
/// ``distanceFilter`` applies, a fix that may be at the place of the last location isn't accepted either.
///
/// Set the values in any order: they are checked when a ``PowerController`` or a call that tracks receives the policy. A value out of range
/// is a programming error and stops the program; a debug build prints the reason.
public struct TrackingPolicy: Hashable, Sendable {
  /// The accuracy of a fix that is accepted immediately, in metres: more than 0.
  public var requiredAccuracy: Double
  /// The time that a less accurate fix waits for a better one: more than 0, at most a day.
  public var pendingTimeLimit: Duration
  /// The number of less accurate fixes that ends the wait: 1…1,000.
  public var maximumPendingFixes: Int
  /// The time after an accurate location during which no other location is accepted: 0 to a day.
  public var holdTime: Duration
  /// The minimum distance between two locations, in metres, in addition to both accuracies. A nearer fix is omitted, unless it is at
  /// least twice as accurate as a location that is less accurate than ``requiredAccuracy``; 0 omits none.
  public var distanceFilter: Double
  /// The time since the last location after which ``distanceFilter`` no longer applies: more than 0, at most a day. With `nil`, the
  /// default, it always applies.
  ///
  /// ```swift
  /// // A location each 200 m or each five minutes, whichever comes first.
  /// let policy = TrackingPolicy(holdTime: .zero, distanceFilter: 200, maximumInterval: .seconds(300))
  /// ```
  public var maximumInterval: Duration?
  /// The time without a usable fix after which the listeners are notified, and again when one arrives: more than 0, at most a day. With
  /// `nil`, the default, they aren't notified. If several consumers track, the shortest time counts. See
  /// ``LocationManagerListener/locationManager(_:didChangeSignal:)``.
  public var signalTimeout: Duration?

  /// Creates a policy. The default values are those of TTLocationHandler.
  public init(
    requiredAccuracy: Double = 10, pendingTimeLimit: Duration = .seconds(10), maximumPendingFixes: Int = 10,
    holdTime: Duration = .seconds(60), distanceFilter: Double = 50, maximumInterval: Duration? = nil,
    signalTimeout: Duration? = nil
  ) {
    (self.requiredAccuracy, self.pendingTimeLimit) = (requiredAccuracy, pendingTimeLimit)
    (self.maximumPendingFixes, self.holdTime) = (maximumPendingFixes, holdTime)
    (self.distanceFilter, self.maximumInterval) = (distanceFilter, maximumInterval)
    self.signalTimeout = signalTimeout
  }

  func check() {
    Validation.require(Validation.length("required accuracy", requiredAccuracy))
    Validation.require(Validation.limit("pending time limit", pendingTimeLimit))
    precondition(
      (1...1_000).contains(maximumPendingFixes),
      "The maximum of pending fixes must be 1 to 1,000, not \(maximumPendingFixes).")
    Validation.require(Validation.pause("hold time", holdTime))
    Validation.require(signalTimeout.flatMap { Validation.limit("signal timeout", $0) })
    spacing.check()
  }

  var spacing: Spacing { Spacing(distance: distanceFilter, maximumInterval: maximumInterval) }
}

extension LocationManager {
  /// The reason for a location: the event that turned the GPS on, or the source of a location that was found without it.
  ///
  /// ```swift
  /// func locationManager(_ manager: LocationManager, didUpdate location: Location) {
  ///   switch manager.circumstances.cause {
  ///   case .tracking, .command: wanted += 1
  ///   case .bound, .retry, .rest: looks += 1
  ///   case .wake(let kind): wakes[kind, default: 0] += 1
  ///   case .backgroundUpdate, nil: others += 1
  ///   }
  /// }
  /// ```
  public enum Cause: Hashable, Sendable {
    /// The app resumed, forced an acquisition or requested one location, or the permission that it asked for was granted, or was
    /// reported again after fixes of reduced accuracy.
    case command
    /// A consumer tracks or has just stopped tracking: the app, a trip recorder or a ``PowerController``.
    case tracking
    /// The location is a coarse fix of the updates that keep the app running.
    case backgroundUpdate
    // The causes of a look, if an error bound is set.
    /// The error may soon exceed the bound, the device has moved for several minutes, a device without a motion sensor has rested for some
    /// time, or there is no fix yet.
    case bound
    /// The wait after a failed look is over.
    case retry
    /// The device is at rest, and the last location is from before its arrival or isn't accurate enough to be kept for hours.
    case rest
    /// The device has moved to another cell, has left a region or a place where it had stayed, or has been moving for some time after a rest.
    case wake(WakeKind)

    /// Whether the planner started the acquisition.
    var isLook: Bool {
      switch self {
      case .bound, .retry, .rest, .wake: true
      case .command, .tracking, .backgroundUpdate: false
      }
    }
  }
}

extension LocationManager.Cause: RawRepresentable, CaseIterable {
  /// Every cause; of the wake-ups, those that can cause a look.
  public static let allCases: [Self] =
    [.command, .tracking, .backgroundUpdate, .bound, .retry, .rest]
    + WakeKind.allCases.filter { $0.mayCauseLook }.map { .wake($0) }

  /// The cause's name. That of a wake-up is the name of its kind.
  public var rawValue: String {
    switch self {
    case .command: "command"
    case .tracking: "tracking"
    case .backgroundUpdate: "backgroundUpdate"
    case .bound: "bound"
    case .retry: "retry"
    case .rest: "rest"
    case .wake(let kind): kind.rawValue
    }
  }

  /// Creates the cause with a name; `nil` if no cause in ``allCases`` has it.
  public init?(rawValue: String) {
    guard let cause = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = cause
  }
}

extension LocationManager.Cause: Codable {}

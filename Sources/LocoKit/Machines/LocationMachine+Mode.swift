/// What the location hardware does.
///
/// ```swift
/// var icon: String {
///   switch manager.state.mode {
///   case .off: "location.slash"
///   case .significantChanges: "location"
///   case .gps: "location.fill"
///   }
/// }
/// ```
public enum ReceiverMode: String, CaseIterable, Hashable, Sendable {
  /// Nothing is on.
  case off
  /// The system wakes the app when the device has moved to another cell; the GPS is off.
  case significantChanges
  /// The GPS is on.
  case gps
}

extension LocationMachine.State {
  /// What the location hardware does for as long as the state lasts.
  public var mode: ReceiverMode {
    switch self {
    case .initial, .prompted, .denied, .paused: .off
    case .waitingSignificantChange: .significantChanges
    case .acquiring: .gps
    }
  }
}

extension LocationMachine {
  static let promptTimeLimit = Duration.seconds(60)

  /// A prompt and an acquisition do not last for ever.
  ///
  /// A manager's ``LocationManager/promptTimeLimit`` and ``AcquisitionPolicy/timeLimit`` set other times than these, which are
  /// theirs where nobody sets them. A manager that has an acceptable fix at the end of an acquisition says ``Event/acquired``
  /// in place of the deadline's event, and as long as somebody tracks there is no end.
  public static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .prompted: .after(promptTimeLimit, .promptExpired)
    case .acquiring: .after(.seconds(15), .acquisitionFailed)
    case .initial, .denied, .waitingSignificantChange, .paused: nil
    }
  }
}

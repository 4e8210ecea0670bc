/// What the location hardware does.
public enum ReceiverMode: String, CaseIterable, Hashable, Sendable {
  /// Nothing is on.
  case off
  /// The system wakes the app when the device has moved to another cell; the GPS is off.
  case significantChanges
  /// The GPS is on.
  case gps
}

/// What runs out while a state lasts.
public enum Deadline: String, CaseIterable, Hashable, Sendable {
  /// How long an answer to the permission prompt is awaited.
  case prompt
  /// How long an acquisition may take.
  case acquisition
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

  /// What runs out while the state lasts; `nil` where it may last for ever.
  public var deadline: Deadline? {
    switch self {
    case .prompted: .prompt
    case .acquiring: .acquisition
    case .initial, .denied, .waitingSignificantChange, .paused: nil
    }
  }
}

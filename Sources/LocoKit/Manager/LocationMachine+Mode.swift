extension LocationMachine.State {
  /// What the location hardware does for as long as the state lasts.
  package var mode: ReceiverMode {
    switch self {
    case .initial, .prompted, .denied, .paused: .off
    case .waitingSignificantChange: .significantChanges
    case .acquiring: .gps
    }
  }
}

extension LocationMachine {
  static let promptTimeLimit = Duration.seconds(60)

  /// Limits how long a prompt and an acquisition last.
  ///
  /// The durations are those of ``LocationManager/promptTimeLimit`` and of the policy's ``AcquisitionPolicy/timeLimit``; drawn are
  /// the defaults. A manager that has an acceptable fix at the end of an acquisition raises ``Event/acquired`` in place of the
  /// deadline's event, and a consumer that tracks keeps the acquisition going.
  public static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .prompted: .after(promptTimeLimit, .promptExpired, setting: "promptTimeLimit")
    case .acquiring: .after(.seconds(15), .acquisitionFailed, setting: "policy.timeLimit")
    case .initial, .denied, .waitingSignificantChange, .paused: nil
    }
  }
}

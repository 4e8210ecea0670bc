/// A manager's state, with the data that belongs to it: data of one state can't exist in another.
enum Phase: Hashable, Sendable {
  /// Nothing was asked for yet, or the permission was reset.
  case initial
  /// The system asks the user for the permission.
  case prompted(Prompt)
  /// The user refused the permission.
  case denied
  /// The GPS is off until the device has moved or a look is due.
  case waiting(Sleep)
  /// The GPS is on.
  case acquiring(Run)
  /// The app has paused.
  case paused
  /// The manager has released its provider, in this state. It ignores every further input.
  case released(LocationState)

  /// A prompt that the user hasn't answered.
  struct Prompt: Hashable, Sendable {
    /// When the manager stops waiting for the answer.
    let deadline: Duration
  }

  /// The time between two acquisitions.
  struct Sleep: Hashable, Sendable {
    /// When significant changes count again.
    let cooldownEnd: Duration
    /// The last coarse fix, where it was refused as a jump: see ``Acquisition``.
    var doubted: Shared<Location>?
  }

  /// The time for which the GPS is on.
  struct Run: Hashable, Sendable {
    /// Judges the fixes. Shared, because a turn reads, and so copies, the phase several times.
    @Shared var acquisition: Acquisition
    /// When the acquisition began, or delivered its last location.
    private(set) var began: Duration
    private var hasDelivered = false

    init(_ acquisition: Acquisition, at uptime: Duration) {
      _acquisition = Shared(wrappedValue: acquisition)
      began = uptime
    }

    /// Begins another acquisition while the GPS stays on.
    mutating func begin(_ acquisition: Acquisition, at uptime: Duration) {
      (self.acquisition, began) = (acquisition, uptime)
    }

    /// Takes note of a location that was delivered.
    mutating func deliver(_ location: Location, at uptime: Duration) {
      acquisition.delivered(location)
      (began, hasDelivered) = (uptime, true)
    }

    /// How long the first location takes; `nil` once there is one.
    func timeToFirstLocation(at uptime: Duration) -> Duration? { hasDelivered ? nil : uptime - began }
  }

  /// The state of the ``LocationMachine``.
  var state: LocationState {
    switch self {
    case .initial: .initial
    case .prompted: .prompted
    case .denied: .denied
    case .waiting: .waitingSignificantChange
    case .acquiring: .acquiring
    case .paused: .paused
    case .released(let state): state
    }
  }

  /// The receiver's mode in this phase.
  var mode: ReceiverMode {
    if case .released = self { .off } else { state.mode }
  }

  /// The run, while the GPS is on.
  var run: Run? {
    get { if case .acquiring(let run) = self { run } else { nil } }
    _modify {
      var run = self.run
      // Without a second reference to it, the acquisition changes in place.
      if run != nil { self = .initial }
      defer { if let run { self = .acquiring(run) } }
      yield &run
    }
  }
}

import LocoFoundation

/// A manager's state, with its data.
enum Phase: Equatable, Sendable {
  case initial
  /// The deadline is `nil` until the system shows the prompt.
  case prompted(deadline: Duration?)
  case denied
  case waiting(Sleep)
  case acquiring(Run)
  case paused
  /// The manager has released its provider in this state, ignores further inputs, and fails new demands.
  case released(LocationMachine.State)

  /// The time when the prompt expires, if the system shows it.
  var promptEnd: Duration? { if case .prompted(let end) = self { end } else { nil } }

  /// The data between two acquisitions.
  struct Sleep: Equatable, Sendable {
    /// The end of the cool-down. Until then, significant changes are ignored.
    let cooldownEnd: Duration
    /// The last fix that was rejected as a jump while the GPS was off: see ``Acquisition/doubted``.
    private(set) var doubted: Shared<Location>?

    init(cooldownEnd: Duration) { self.cooldownEnd = cooldownEnd }

    /// Judges a fix that was found while the GPS is off.
    mutating func judge(
      _ fix: Location, under policy: AcquisitionPolicy, previous: Location?, at date: Date
    ) -> Acquisition.Verdict {
      var acquisition = Acquisition(policy: policy, previous: previous, doubted: doubted?.value)
      defer { doubted = acquisition.doubted.map { Shared($0) } }
      return acquisition.judge(fix, at: date)
    }
  }

  /// The data while the GPS is on.
  struct Run: Equatable, Sendable {
    /// Shared, because a turn copies the phase several times.
    @Shared var acquisition: Acquisition
    /// The time when the acquisition began or last delivered a location.
    private(set) var began: Duration
    private(set) var hasDelivered = false
    /// The reason for the acquisition.
    private(set) var cause: LocationManager.Cause
    private(set) var signal: Signal

    init(_ acquisition: Acquisition, at uptime: Duration, because cause: LocationManager.Cause) {
      _acquisition = Shared(acquisition)
      (began, self.cause) = (uptime, cause)
      signal = Signal(lastFix: uptime)
    }

    /// Begins another acquisition while the GPS stays on.
    mutating func begin(_ acquisition: Acquisition, at uptime: Duration, because cause: LocationManager.Cause) {
      (self.acquisition, began, self.cause) = (acquisition, uptime, cause)
    }

    mutating func deliver(_ location: Location, at uptime: Duration) {
      acquisition.previous = location
      (began, hasDelivered) = (uptime, true)
    }

    /// Judges a fix. A usable one ends the loss of the signal; `isBack` is then `true`.
    mutating func judge(_ fix: Location, at now: LocationCore.Now, isBack: inout Bool) -> Acquisition.Verdict {
      let verdict = acquisition.judge(fix, at: now.date)
      if !verdict.isRejection { isBack = signal.find(at: now.uptime) }
      return verdict
    }

    mutating func lose(at uptime: Duration, after timeout: Duration) -> Bool { signal.lose(at: uptime, after: timeout) }
    mutating func begin(_ failure: ProviderReport.Failure) -> Bool { signal.begin(failure) }

    /// Returns the time to the first location, or `nil` after the first one.
    func timeToFirstLocation(at uptime: Duration) -> Duration? { hasDelivered ? nil : uptime - began }
  }

  /// The receiver's signal, as the listeners know it.
  struct Signal: Equatable, Sendable {
    /// The time of the last usable fix, or the time when the GPS turned on.
    private(set) var lastFix: Duration
    private(set) var isLost = false
    /// The kinds of the failures since the last usable fix, one bit for each.
    private(set) var failures: UInt8 = 0

    init(lastFix: Duration) { self.lastFix = lastFix }

    /// Returns whether the fix ends a loss.
    fileprivate mutating func find(at uptime: Duration) -> Bool {
      defer { self = Signal(lastFix: uptime) }
      return isLost
    }

    /// Returns whether the signal is lost now.
    fileprivate mutating func lose(at uptime: Duration, after timeout: Duration) -> Bool {
      guard !isLost, uptime - lastFix >= timeout else { return false }
      isLost = true
      return true
    }

    /// Returns whether the failure is the first one of its kind since the last usable fix.
    fileprivate mutating func begin(_ failure: ProviderReport.Failure) -> Bool {
      let kind: UInt8 =
        switch failure {
        case .locationUnknown: 1
        case .accessDenied: 2
        case .backgroundTimeExpired: 4
        case .other: 8
        }
      defer { failures |= kind }
      return failures & kind == 0
    }
  }

  /// Creates the data of a state that the manager enters.
  init(
    _ state: LocationMachine.State, because fact: LocationCore.Fact, under policy: AcquisitionPolicy,
    previous: Location?, at now: LocationCore.Now
  ) {
    switch state {
    case .initial: self = .initial
    case .denied: self = .denied
    case .paused: self = .paused
    case .prompted: self = .prompted(deadline: nil)
    case .waitingSignificantChange: self = .waiting(Sleep(cooldownEnd: now.uptime + policy.cooldown))
    case .acquiring:
      var trigger: Date?
      if case .changed(let change) = fact { trigger = min(change?.timestamp ?? now.date, now.date) }
      let acquisition = Acquisition(policy: policy, trigger: trigger, previous: previous)
      self = .acquiring(Run(acquisition, at: now.uptime, because: fact.cause))
    }
  }

  var state: LocationMachine.State {
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

  var mode: ReceiverMode {
    if case .released = self { .off } else { state.mode }
  }

  /// Whether the GPS is on.
  var isAcquiring: Bool { if case .acquiring = self { true } else { false } }

  var run: Run? { if case .acquiring(let run) = self { run } else { nil } }

  /// Changes the run with `body`. Returns `nil`, without a call, while the GPS is off.
  ///
  /// This isn't a `_modify` accessor of ``run``, because that would allocate memory at each access, also while the GPS is off.
  @inline(__always)
  @discardableResult
  mutating func changeRun<Result>(_ body: (inout Run) -> Result) -> Result? {
    guard case .acquiring(var run) = self else { return nil }
    // While only `run` refers to the acquisition, it changes in place.
    self = .initial
    defer { self = .acquiring(run) }
    return body(&run)
  }
}

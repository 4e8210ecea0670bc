#if !os(Windows) && !os(WASI)
  public import Foundation

  /// A provider that forwards reports and commands between another provider and its manager, and writes them to a ``Journal``.
  ///
  /// ```swift
  /// let recording = RecordingProvider(provider, to: Journal(folder: folder))
  /// let manager = LocationManager(provider: recording)
  /// recording.note("the battery is at 83 %")
  /// ```
  ///
  /// Written are the manager's beginning and end, every report, command, and change of policy or bound, each with the uptime and the
  /// date, and what the manager decided. So ``JournalProvider`` can play it again. The manager's owner waits for none of it: a queue
  /// encodes and writes.
  ///
  /// If the journal moves its places, the provider shifts each fix before the manager receives it: the place by a normal deviation of 1 m
  /// to the north and 1 m to the east, and the course by 1°. It removes courses below 1 m/s, and coordinates of exactly 0, 0. The shift hides
  /// the grid of the receiver's coordinates, which would show the latitude of a moved place; and the manager has to decide on the
  /// location that the journal contains, or a replay would decide differently. With ``Journal/Configuration/keepsPlaces`` the
  /// provider forwards everything unchanged.
  public final class RecordingProvider: LocationProvider, TurnObserver {
    /// The provider whose reports are passed on.
    package let base: any LocationProvider
    /// Where all is written.
    package let journal: Journal
    var onInput: ((LocationCore.Input) -> Void)?
    let firstDemandID = Demand.policyID + 1
    private var decisions: [String] = []
    private var now = LocationCore.Now(uptime: .zero, date: .distantPast)

    /// A provider that records another one, which serves nobody else.
    public init(_ base: any LocationProvider, to journal: Journal) {
      (self.base, self.journal) = (base, journal)
    }

    /// The other provider's.
    public var uptime: Duration { base.uptime }
    /// The other provider's.
    public var date: Date { base.date }
    /// The other provider's.
    public var authorization: Authorization { base.authorization }
    /// The other provider's.
    public var wakeSources: WakeSources { base.wakeSources }
    /// The other provider's.
    public var recommendedPolicy: AcquisitionPolicy { base.recommendedPolicy }
    /// The other provider's. Its fixes are shifted, unless the journal keeps places.
    public var onReport: ((ProviderReport) -> Void)? {
      get { base.onReport }
      set { base.onReport = newValue.map { tell in { [journal] in tell($0.mapPlaces(journal.taken)) } } }
    }
    /// Passed on.
    public func requestAuthorization() { base.requestAuthorization() }
    /// Passed on.
    public func setMode(_ mode: ReceiverMode) { base.setMode(mode) }
    /// Passed on.
    public func setReceiver(_ settings: ReceiverSettings) { base.setReceiver(settings) }
    /// Passed on.
    public func restartReceiver() { base.restartReceiver() }
    /// Passed on.
    public func setRegion(_ region: Location.Region?) { base.setRegion(region) }
    /// Passed on.
    public func setKeptRunning(_ isKept: Bool) { base.setKeptRunning(isKept) }
    /// Passed on.
    public func setErrorBound(_ bound: Double?) { base.setErrorBound(bound) }
    /// Passed on.
    public func setTimer(_ deadline: Duration?) { base.setTimer(deadline) }

    /// Writes a remark of the app's own between what happens, such as the battery's level. It is written as it is: name no place.
    ///
    /// - Parameter text: Its first 1,000 characters, as Unicode scalars, are kept.
    public func note(_ text: String) {
      let kept = String(String.UnicodeScalarView(text.unicodeScalars.prefix(JournalEntry.longestNote)))
      journal.append(
        JournalEntry(now: LocationCore.Now(uptime: base.uptime, date: base.date), what: .note(kept)))
    }

    // MARK: - What is written

    func recalled(_ location: Location) -> Location { journal.taken(location) }

    func begin(_ core: LocationCore) {
      flush()
      now = LocationCore.Now(uptime: base.uptime, date: base.date)
      let launch = JournalEntry.Launch(
        platform: Self.platform, authorization: core.authorization, wakeSources: core.wakeSources, policy: core.policy,
        location: core.location, isPaused: core.state == .paused)
      journal.append(JournalEntry(now: now, what: .launch(launch)))
    }

    func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) {
      flush()
      self.now = now
      journal.append(JournalEntry(now: now, what: .input(input)))
    }

    func didDecide(_ action: LocationCore.Action) {
      if let words = action.inJournal { decisions.append(words) }
    }

    func didEndTurn() { flush() }

    private func flush() {
      guard !decisions.isEmpty else { return }
      journal.append(JournalEntry(now: now, what: .decisions(decisions.joined(separator: "; "))))
      decisions = []
    }

    private static let platform: String = {
      let version = ProcessInfo.processInfo.operatingSystemVersion
      #if os(iOS)
        let name = "iOS"
      #elseif os(macOS)
        let name = "macOS"
      #elseif os(watchOS)
        let name = "watchOS"
      #elseif os(tvOS)
        let name = "tvOS"
      #elseif os(visionOS)
        let name = "visionOS"
      #else
        let name = "Linux"
      #endif
      return "\(name) \(version.majorVersion).\(version.minorVersion)"
    }()
  }

  @available(*, unavailable)
  extension RecordingProvider: Sendable {}
#endif

public import LocoFoundation
public import LocoKit

/// A provider that forwards reports and commands between another provider and its manager, and writes them to a ``Journal``.
///
/// ```swift
/// let recording = RecordingProvider(provider, to: Journal(folder: folder))
/// let manager = LocationManager(provider: recording)
/// recording.note("the battery is at 83 %")
/// ```
///
/// The journal contains the creation and the release of the manager, every report, command, demand and change of a setting, each with
/// the uptime and the date, and the manager's decisions. ``JournalProvider`` replays it. A background queue encodes and writes, so the
/// manager doesn't wait for the disk. Record one manager at a time to a journal: a replay can't tell the lines of two apart.
///
/// If the journal moves its places, the provider shifts each fix before the manager receives it: the place by a normal deviation of 1 m
/// to the north and 1 m to the east, the course by 1°, and a speed of 1 m/s or more by 0.1 m/s. The shift hides the grid of the
/// receiver's numbers, which would reveal the latitude of a moved place. The provider also converts speeds and courses from the ellipsoid
/// to a sphere: otherwise speeds would reveal the latitude, too. It removes floors, the place 0, 0, courses at speeds below 1 m/s or at
/// unknown speeds, and courses of exactly 0. The manager decides on the changed location, so that a replay of the journal makes the same
/// decisions. With `keepsPlaces` the provider forwards everything unchanged.
public final class RecordingProvider: LocationProvider, TurnObserver, HostProvider {
  /// The provider that is recorded.
  package let base: any LocationProvider
  /// The journal that the provider writes to.
  package let journal: Journal
  package var onInput: ((LocationCore.Input) -> Void)?
  package let firstDemandID = Demand.policyID + 1
  private var decisions = ""
  /// The last plan of the manager.
  private var plan = ReceiverPlan()
  private var now = LocationCore.Now(uptime: .zero, date: .distantPast)

  /// Creates a provider that records another one. No other manager may use the recorded provider.
  public init(_ base: any LocationProvider, to journal: Journal) {
    (self.base, self.journal) = (base, journal)
  }

  /// The uptime of the recorded provider, in whole nanoseconds, as the journal has it: otherwise a replay could decide differently.
  public var uptime: Duration { .nanoseconds(base.uptime.inNanoseconds) }
  /// The date of the recorded provider.
  public var date: Date { base.date }
  /// The authorization of the recorded provider.
  public var authorization: Authorization { base.authorization }
  /// The wake-up sources of the recorded provider.
  public var wakeSources: Set<WakeKind> { base.wakeSources }
  /// The background updates of the recorded provider.
  public var backgroundUpdates: LocationManager.BackgroundUpdates { base.backgroundUpdates }
  /// The policy that the recorded provider recommends.
  public var recommendedPolicy: AcquisitionPolicy { base.recommendedPolicy }
  /// The handler of the recorded provider. It receives shifted fixes, unless the journal keeps places.
  public var onReport: ProviderReport.Handler? {
    get { base.onReport }
    set {
      let isOnSphere = base is any SphericalProvider
      base.onReport = newValue.map { [journal] next in
        ProviderReport.Handler(before: next) { next($0.mapPlaces { journal.obfuscated($0, isOnSphere: isOnSphere) }) }
      }
    }
  }
  /// Forwards the plan.
  public func apply(_ plan: ReceiverPlan) { base.apply(plan) }
  /// Forwards the request.
  public func perform(_ request: ReceiverRequest) { base.perform(request) }

  package func readBattery() -> LocationManager.BatteryStatus? { (base as? any HostProvider)?.readBattery() }

  /// Writes a note of the app, such as the battery's level, to the journal. The text is written unchanged, so it must not mention places.
  ///
  /// - Parameter text: The note. Its first 1,000 Unicode scalars are kept.
  public func note(_ text: String) {
    let kept = String(String.UnicodeScalarView(text.unicodeScalars.prefix(JournalEntry.longestNote)))
    journal.append(
      JournalEntry(now: LocationCore.Now(uptime: base.uptime, date: base.date), what: .note(kept)))
  }

  // MARK: - Recording

  // After a recorded launch, the stored location is already converted. A second conversion would reveal the first.
  package func recalled(_ location: Location) -> Location { journal.obfuscated(location, isOnSphere: true) }

  package func begin(_ core: LocationCore) {
    flush()
    plan = core.plan
    now = LocationCore.Now(uptime: base.uptime, date: base.date)
    let launch = JournalEntry.Launch(
      platform: Self.platform, model: Self.model, authorization: core.device.authorization,
      wakeSources: core.device.wakeSources, backgroundUpdates: core.device.backgroundUpdates,
      policy: core.settings.policy,
      location: core.location, isPaused: core.state == .paused)
    journal.append(JournalEntry(now: now, what: .launch(launch)))
  }

  package func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) {
    flush()
    self.now = now
    journal.append(JournalEntry(now: now, what: .input(input)))
  }

  package func didDecide(_ action: LocationCore.Action) {
    guard let words = action.words(after: plan) else { return }
    if case .apply(let plan) = action { self.plan = plan }
    if decisions.isEmpty { decisions.reserveCapacity(150) } else { decisions += "; " }
    decisions += words
  }

  package func didEndTurn() { flush() }

  private func flush() {
    guard !decisions.isEmpty else { return }
    journal.append(JournalEntry(now: now, what: .decisions(decisions)))
    decisions = ""
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

  /// The name of the hardware, such as `iPhone17,1`; `nil` on a Mac, on Linux and in a simulator, where `machine` is the name of the
  /// processor.
  private static let model: String? = {
    #if (os(iOS) || os(watchOS) || os(tvOS) || os(visionOS)) && !targetEnvironment(simulator) && !targetEnvironment(macCatalyst)
      var system = utsname()
      guard uname(&system) == 0 else { return nil }
      return withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #else
      return nil
    #endif
  }()
}

@available(*, unavailable)
extension RecordingProvider: Sendable {}

import Foundation
import LocoKit
import Observation

/// The app's state, and what its buttons and switches do.
@MainActor
@Observable
public final class AppModel {
  /// A call of a listener's method.
  public struct Call: Identifiable, Sendable {
    public let id: Int
    public let name: String
    public let date: Date
  }

  /// Something that can wake the app.
  public struct WakeSource: Identifiable, Hashable, Sendable {
    public let name: String
    /// Whether the provider has it with the present permission and settings.
    public let isAvailable: Bool
    public var id: String { name }
  }

  /// The bounds to choose from, in metres; `nil` is off.
  public nonisolated static let errorBounds: [Double?] = [nil, 250, 500, 1_000]

  /// State, authorization and location.
  public private(set) var status: LocationModel
  /// Whether a journal is written, in this launch and the next ones, with its places moved. A journal follows a manager from its
  /// beginning, so a new manager takes over.
  public var isRecording: Bool {
    didSet {
      guard isRecording != oldValue else { return }
      settings.recordsJournal = isRecording
      restart()
      refreshFiles()
    }
  }
  /// The bound on the error of the last location, in metres, in this launch and the next ones: one of ``errorBounds``.
  public var errorBound: Double? {
    didSet {
      settings.errorBound = errorBound
      status.manager.errorBound = errorBound
    }
  }
  /// Whether the motion sensor is used, in this launch and the next ones. A provider is made with or without it, so a new one takes
  /// over.
  public var usesMotion: Bool {
    didSet {
      guard usesMotion != oldValue else { return }
      settings.usesMotion = usesMotion
      restart()
    }
  }
  /// Whether to offer recording: until ``answerOffer(records:)``, in the first launch.
  public private(set) var offersRecording: Bool
  /// The journal's files as of ``refreshFiles()``: the lines, and never the key to the places.
  public private(set) var files: [URL] = []
  /// The newest calls, newest first, at most a hundred.
  public private(set) var calls: [Call] = []

  @ObservationIgnored private let makeProvider: @MainActor (_ usesMotion: Bool) -> any LocationProvider
  @ObservationIgnored private let battery: @MainActor () -> Battery?
  @ObservationIgnored private let store: (any LocationStore)?
  @ObservationIgnored private let journal: Journal
  @ObservationIgnored private let settings: Settings
  @ObservationIgnored private var provider: any LocationProvider
  @ObservationIgnored private var recording: RecordingProvider?
  @ObservationIgnored private var lastNote: (battery: Battery, uptime: Duration)?
  @ObservationIgnored private var count = 0

  /// A model with the stored settings. Its manager asks for nothing until ``goOn()`` or ``authorize()``.
  ///
  /// - Parameters:
  ///   - store: Keeps the last location and a pause for the next launch.
  ///   - journal: The journal to record.
  ///   - settings: Where the settings are stored.
  ///   - battery: Returns the battery's level, or `nil` where it is unknown.
  ///   - makeProvider: Makes the provider: once now, and again whenever the use of the motion sensor or of the journal changes.
  public init(
    store: (any LocationStore)? = nil, journal: Journal, settings: UserDefaults = .standard,
    battery: @escaping @MainActor () -> Battery? = { nil },
    makeProvider: @escaping @MainActor (_ usesMotion: Bool) -> any LocationProvider
  ) {
    let settings = Settings(defaults: settings)
    (self.store, self.journal, self.settings) = (store, journal, settings)
    (self.battery, self.makeProvider) = (battery, makeProvider)
    isRecording = settings.recordsJournal
    errorBound = settings.errorBound
    usesMotion = settings.usesMotion
    offersRecording = !settings.hasOfferedRecording
    provider = makeProvider(settings.usesMotion)
    recording = settings.recordsJournal ? RecordingProvider(provider, to: journal) : nil
    status = LocationModel(LocationManager(provider: recording ?? provider, store: store))
    prepareManager()
  }

  /// Answers the offer of the first launch, which is not repeated.
  public func answerOffer(records: Bool) {
    offersRecording = false
    settings.hasOfferedRecording = true
    isRecording = records
  }

  // MARK: - The manager

  /// Resumes what the app did before this launch, and asks the user for nothing: call it once in each launch, including those in the
  /// background.
  public func goOn() {
    if status.manager.state == .initial, status.manager.authorization.isAuthorized {
      status.manager.tryPromptAuthorization()
    }
    noteBattery()
  }

  public func authorize() { status.manager.forcePromptAuthorization() }
  public func pause() { status.manager.pause() }
  public func resume() { status.manager.resume() }
  public func force() { status.manager.forceAcquireLocation() }

  /// Whether the machine reacts to `event`; a button for one that it ignores is disabled.
  public func isPossible(_ event: LocationMachine.Event) -> Bool {
    if case .ignore = LocationMachine.reaction(in: status.state, to: event) { false } else { true }
  }

  /// The wake sources of the provider. They change with the permission and the settings without a notification, so a view reads them
  /// repeatedly.
  public var wakeSources: [WakeSource] {
    let names: [(WakeSources, String)] = [
      (.significantChanges, "Significant changes"), (.regionExit, "Leaving a region"), (.visits, "The end of a visit"),
      (.keeper, "Kept running while moving"), (.timersWhileAsleep, "Timers in the background"), (.motion, "Motion"),
    ]
    return names.map { WakeSource(name: $1, isAvailable: provider.wakeSources.contains($0)) }
  }

  private func restart() {
    // The old provider turns everything off before the new one turns anything on: both use the same services of the system.
    provider.onReport?(.replaced)
    provider = makeProvider(usesMotion)
    recording = isRecording ? RecordingProvider(provider, to: journal) : nil
    lastNote = nil
    status = LocationModel(LocationManager(provider: recording ?? provider, store: store))
    prepareManager()
    goOn()
  }

  /// The bound comes before the first command, so that the first acquisition arms what wakes the app under it.
  private func prepareManager() {
    status.manager.errorBound = errorBound
    status.manager.listeners.add(self)
  }

  // MARK: - The journal

  /// Waits until everything is written, and lists the files.
  public func refreshFiles() {
    journal.synchronize()
    files = journal.files
  }

  /// Writes the battery's level into the journal: in each launch, when it has changed, and at least once an hour while the app runs.
  /// Call it when the system reports a change, and every few minutes.
  public func noteBattery() {
    guard let recording, let battery = battery() else { return }
    let uptime = recording.uptime
    if let lastNote, lastNote.battery == battery, uptime - lastNote.uptime < .seconds(3_600) { return }
    lastNote = (battery, uptime)
    recording.note(battery.note)
  }

  private func addCall(_ name: String) {
    count += 1
    calls.insert(Call(id: count, name: name, date: Date()), at: 0)
    if calls.count > 100 { calls.removeLast() }
    // A suspended app receives no notification of the level, so it is read whenever the app is awake.
    noteBattery()
  }
}

extension AppModel: @MainActor LocationManagerListener {
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) { addCall("didUpdate") }
  public func locationManagerDidPromptAccess(_ manager: LocationManager) { addCall("didPromptAccess") }
  public func locationManagerDidGrantAccess(_ manager: LocationManager) { addCall("didGrantAccess") }
  public func locationManagerDidDenyAccess(_ manager: LocationManager) { addCall("didDenyAccess") }
  public func locationManagerPromptDidExpire(_ manager: LocationManager) { addCall("promptDidExpire") }
  public func locationManagerDidForceAcquire(_ manager: LocationManager) { addCall("didForceAcquire") }
  public func locationManager(_ manager: LocationManager, didDetectSignificantChange change: Location?) {
    addCall("didDetectSignificantChange")
  }
  public func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause) {
    addCall("didBeginLook: \(cause)")
  }
  public func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    addCall("didFailToAcquire: \(failure)")
  }
  public func locationManagerDidPause(_ manager: LocationManager) { addCall("didPause") }
  public func locationManagerDidResume(_ manager: LocationManager) { addCall("didResume") }
  public func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    addCall("didTransition: \(transition.from.rawValue) → \(transition.to.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didReject fix: Location, because reason: RejectionReason) {
    addCall("didReject: \(reason.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    addCall("didChangeAuthorization: \(authorization.rawValue)")
    // The permission may be given in the Settings app, where no prompt of this manager is open.
    goOn()
  }
}

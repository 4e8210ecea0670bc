import Foundation
import LocoKit
import LocoKitJournal
import Observation

/// The app's state and the actions of its buttons and switches.
@MainActor
@Observable
public final class AppModel {
  /// A call of a listener method.
  public struct Call: Identifiable, Sendable {
    public let id: Int
    public let name: String
    public let date: Date
  }

  /// A button has one of these actions. The raw value is the button's title.
  public enum Action: String, CaseIterable, Identifiable, Sendable {
    case allow = "Allow locations"
    case find = "Find me now"
    case pause = "Pause"
    case resume = "Resume"

    public var id: Self { self }

    var event: LocationMachine.Event {
      switch self {
      case .allow: .forcePrompt
      case .find: .forceAcquire
      case .pause: .pause
      case .resume: .resume
      }
    }
  }

  /// A wake source of the provider, with a name for users.
  public struct WakeSource: Identifiable, Hashable, Sendable {
    public let name: String
    /// Whether the provider has this source now.
    public let isAvailable: Bool
    public var id: String { name }
  }

  /// The bounds to choose from, in metres; `nil` is off.
  public nonisolated static let errorBounds: [Double?] = [nil, 250, 500, 1_000]

  /// The manager, which views read. It is replaced when ``isRecording`` changes.
  public private(set) var manager: LocationManager
  /// Whether a journal is recorded, with its places moved. The setting is persisted. A change replaces the manager, because a journal
  /// must contain its manager's first event.
  public var isRecording: Bool {
    didSet {
      guard isRecording != oldValue else { return }
      settings.recordsJournal = isRecording
      // A user who has recorded needs no offer.
      if isRecording { (hasOffered, settings.hasOfferedRecording) = (true, true) }
      restart()
    }
  }
  /// The error bound, in metres: one of ``errorBounds``. The setting is persisted.
  public var errorBound: Double? {
    didSet {
      settings.errorBound = errorBound
      manager.errorBound = errorBound
    }
  }
  /// Whether the motion sensor is used. The setting is persisted. A change replaces the provider, which is created with or without the
  /// sensor.
  public var usesMotion: Bool {
    didSet {
      guard usesMotion != oldValue else { return }
      settings.usesMotion = usesMotion
      restart()
    }
  }
  /// Whether the way in which the app is kept running changes with each hour, see ``KeeperSetting``, while a journal is recorded. The setting
  /// is persisted. A change replaces the provider, which shows the system's indicator during the comparison.
  public var comparesKeepers: Bool {
    didSet {
      guard comparesKeepers != oldValue else { return }
      settings.comparesKeepers = comparesKeepers
      restart()
    }
  }
  /// Whether to offer recording: from the first location on, until the user has answered with ``answerOffer(records:)`` or records.
  public var offersRecording: Bool { !hasOffered && manager.location != nil }
  /// If the stored settings can't be read, it is `true`, because the user may have answered.
  private var hasOffered: Bool
  /// The journal's files after the last ``refreshFiles()``. They contain the lines, and never the key to the places.
  public private(set) var files: [URL] = []
  /// The latest listener calls, newest first, at most a hundred.
  public private(set) var calls: [Call] = []

  /// Receives the last location and each delivered one while a journal is recorded and no keepers are compared, and `nil` when that ends or
  /// the user pauses.
  @ObservationIgnored public var onStudiedPlace: (@MainActor (Location?) -> Void)? {
    didSet { studyPlace() }
  }

  /// Opens the app's page in the Settings app.
  @ObservationIgnored public var openSettings: @MainActor () -> Void = {}

  /// Sets how a provider keeps the app running, for the comparison.
  @ObservationIgnored public var setKeeper: (@MainActor (any LocationProvider, KeeperSetting) -> Void)? {
    didSet { updateKeeper() }
  }

  @ObservationIgnored private let makeProvider:
    @MainActor (_ usesMotion: Bool, _ comparesKeepers: Bool) -> any LocationProvider
  @ObservationIgnored private let date: @MainActor () -> Date
  @ObservationIgnored private let battery: @MainActor () -> Battery?
  @ObservationIgnored private let store: (any LocationStore)?
  @ObservationIgnored private let journal: Journal
  @ObservationIgnored private var settings: Settings { didSet { settings.write(to: settingsFile) } }
  @ObservationIgnored private let settingsFile: URL
  @ObservationIgnored private var provider: any LocationProvider
  @ObservationIgnored private var recording: RecordingProvider?
  @ObservationIgnored private var lastNote: (battery: Battery, uptime: Duration)?
  @ObservationIgnored private var lastKeeper: KeeperSetting?
  @ObservationIgnored private var count = 0

  /// Creates a model with the stored settings. Its manager is off until ``goOn()`` or another command starts it.
  ///
  /// - Parameters:
  ///   - store: The store that persists the last location and a pause.
  ///   - journal: The journal to record.
  ///   - settingsFile: The file with the settings.
  ///   - battery: Returns the battery's level and power supply, or `nil` if they are unknown.
  ///   - date: Returns the date.
  ///   - makeProvider: Creates a provider. Called now, and after each change of ``usesMotion``, ``comparesKeepers`` or ``isRecording``.
  public init(
    store: (any LocationStore)? = nil, journal: Journal, settingsFile: URL,
    battery: @escaping @MainActor () -> Battery? = { nil }, date: @escaping @MainActor () -> Date = { Date() },
    makeProvider: @escaping @MainActor (_ usesMotion: Bool, _ comparesKeepers: Bool) -> any LocationProvider
  ) {
    let settings = Settings.read(from: settingsFile)
    (self.store, self.journal, self.settings, self.settingsFile) = (store, journal, settings, settingsFile)
    (self.battery, self.date, self.makeProvider) = (battery, date, makeProvider)
    isRecording = settings.recordsJournal
    errorBound = settings.errorBound
    usesMotion = settings.usesMotion
    comparesKeepers = settings.comparesKeepers
    hasOffered = settings.hasOfferedRecording || settings.recordsJournal
    provider = makeProvider(settings.usesMotion, settings.comparesKeepers)
    recording = settings.recordsJournal ? RecordingProvider(provider, to: journal) : nil
    manager = LocationManager(provider: recording ?? provider, store: store)
    prepareManager()
  }

  /// Answers the offer to record, which then isn't repeated.
  public func answerOffer(records: Bool) {
    hasOffered = true
    settings.hasOfferedRecording = true
    isRecording = records
  }

  // MARK: - The manager

  /// Starts the manager if the app has the permission; shows no prompt. Call it once in each launch, including launches in the background.
  public func goOn() {
    if manager.state == .initial, manager.authorization.isAuthorized {
      manager.tryPromptAuthorization()
    }
    noteBattery()
    updateKeeper()
  }

  /// The actions that do something now.
  public var actions: [Action] {
    Action.allCases.filter { action in
      if action == .allow, manager.authorization.isAuthorized { return false }
      switch LocationMachine.reaction(in: manager.state, to: action.event) {
      case .go, .stay: return true
      case .ignore, .never: return false
      }
    }
  }

  public func perform(_ action: Action) {
    switch action {
    case .allow:
      // The provider doesn't open the settings for the first request of a launch.
      if manager.state == .initial, manager.authorization == .denied { openSettings() }
      manager.forcePromptAuthorization()
    case .find: manager.forceAcquireLocation()
    case .pause: manager.pause()
    case .resume: manager.resume()
    }
  }

  /// Why the GPS is on or off, and the most serious problem, in words for the user.
  public var explanation: String {
    let problem = manager.health.problems.first { $0 != .permission }
    return [stateInWords, problem?.advice].compactMap(\.self).joined(separator: " ")
  }

  private var stateInWords: String {
    switch manager.state {
    case .initial: "The GPS is off. Allow locations to begin."
    case .prompted: "The GPS is off until you answer the question."
    case .denied: "The GPS is off. " + LocationManager.Health.Problem.permission.advice
    case .waitingSignificantChange:
      errorBound.map { "The GPS is off while you are within \(Int($0)) m of the last location." }
        ?? "The GPS is off until the phone notices that you have moved far."
    case .acquiring: "The GPS is on, to find you."
    case .paused: "The GPS is off because you paused it."
    }
  }

  /// The provider's current wake sources. They change, such as with the permission or when the app enters the background. No listener
  /// method reports a change of the wake sources, so a view polls them.
  public var wakeSources: [WakeSource] {
    let isKept = WakeSource(name: "Kept running while moving", isAvailable: provider.backgroundUpdates != .never)
    return [isKept]
      // No iPhone reports cells.
      + WakeKind.allCases.filter { $0 != .cell }.map { kind in
        WakeSource(name: Self.names[kind] ?? kind.rawValue, isAvailable: provider.wakeSources.contains(kind))
      }
  }

  private static let names: [WakeKind: String] = [
    .significantChange: "Significant changes", .regionExit: "Leaving a region", .visit: "The end of a visit",
    .timer: "Timers in the background", .motion: "Motion",
  ]

  private func restart() {
    // Another manager of the old provider stops its services before the new one is created, since both use the same system services.
    _ = LocationManager(provider: provider)
    provider = makeProvider(usesMotion, comparesKeepers)
    recording = isRecording ? RecordingProvider(provider, to: journal) : nil
    (lastNote, lastKeeper) = (nil, nil)
    manager = LocationManager(provider: recording ?? provider, store: store)
    prepareManager()
    goOn()
    studyPlace()
  }

  /// Sets the error bound, which a manager needs before the first command, and adds the model as a listener.
  private func prepareManager() {
    manager.errorBound = errorBound
    manager.listeners.add(self)
  }

  // MARK: - The journal

  /// Updates ``files`` after the journal has written its lines, or after two seconds. The main actor isn't blocked meanwhile.
  public func refreshFiles() async {
    let journal = journal
    files = await withCheckedContinuation { listed in
      DispatchQueue.global(qos: .userInitiated).async {
        journal.synchronize()
        listed.resume(returning: journal.files)
      }
    }
  }

  /// Writes the battery's level and power supply to the journal, if it is being recorded: once for each new manager, after a change, and
  /// an hour after the last note. Call it when the system reports a change, and every few minutes.
  public func noteBattery() {
    guard let recording, let battery = battery() else { return }
    let uptime = recording.uptime
    if let lastNote, lastNote.battery == battery, uptime - lastNote.uptime < .seconds(3_600) { return }
    lastNote = (battery, uptime)
    recording.note(battery.note)
  }

  /// Sets how the app is kept running in this hour, and writes it to the journal, if keepers are compared and a journal is recorded. Call it
  /// every few minutes. While the app is suspended, no setting uses energy, so a later call suffices.
  public func updateKeeper() {
    guard let setKeeper, let recording, comparesKeepers else { return }
    let setting = KeeperSetting.at(date())
    guard setting != lastKeeper else { return }
    lastKeeper = setting
    recording.note(setting.note)
    setKeeper(provider, setting)
  }

  private func studyPlace() {
    // The study's exits wake the app too, which would add to the energy of the compared keepers.
    let isStudied = isRecording && !comparesKeepers && manager.state != .paused && manager.authorization.isAuthorized
    onStudiedPlace?(isStudied ? manager.location : nil)
  }

  /// Writes a note to the journal, if it is being recorded. The note must not contain a place.
  public func note(_ text: String) { recording?.note(text) }

  private func addCall(_ name: String) {
    count += 1
    calls.insert(Call(id: count, name: name, date: Date()), at: 0)
    if calls.count > 100 { calls.removeLast() }
    // A suspended app receives no notification of the level, so each listener call checks it.
    noteBattery()
    updateKeeper()
  }
}

extension AppModel: @MainActor LocationManagerListener {
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    addCall("didUpdate")
    studyPlace()
  }
  public func locationManagerDidPromptAccess(_ manager: LocationManager) { addCall("didPromptAccess") }
  public func locationManagerDidGrantAccess(_ manager: LocationManager) { addCall("didGrantAccess") }
  public func locationManagerDidDenyAccess(_ manager: LocationManager) { addCall("didDenyAccess") }
  public func locationManagerPromptDidExpire(_ manager: LocationManager) { addCall("promptDidExpire") }
  public func locationManagerDidForceAcquire(_ manager: LocationManager) { addCall("didForceAcquire") }
  public func locationManager(_ manager: LocationManager, didDetectSignificantChange change: Location?) {
    addCall("didDetectSignificantChange")
  }
  public func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
    addCall("didBeginLook: \(cause)")
  }
  public func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    addCall("didFailToAcquire: \(failure)")
  }
  public func locationManagerDidPause(_ manager: LocationManager) {
    addCall("didPause")
    studyPlace()
  }
  public func locationManagerDidResume(_ manager: LocationManager) { addCall("didResume") }
  public func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    addCall("didTransition: \(transition.from.rawValue) → \(transition.to.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didReject fix: Location, because reason: RejectionReason) {
    addCall("didReject: \(reason.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    addCall("didChangeAuthorization: \(authorization.rawValue)")
    // The user can grant the permission in the Settings app, without a prompt.
    goOn()
  }
}

import Foundation
import LocoKit
import Observation

/// What the app shows, and what its buttons do.
@MainActor
@Observable
public final class AppModel {
  /// A listener's method that was called, and when.
  public struct Call: Identifiable, Sendable {
    public let id: Int
    public let name: String
    public let date: Date
  }

  /// How full the battery is, 0…1, and whether it is being filled.
  public struct Battery: Hashable, Sendable {
    public enum Supply: String, Sendable { case unplugged, charging, full }

    public var level: Double
    public var supply: Supply

    public init(level: Double, supply: Supply) { (self.level, self.supply) = (level, supply) }

    /// As `LocoKitDemo study` reads it in a journal.
    var note: String { "battery \((level * 100).rounded() / 100) \(supply.rawValue)" }
  }

  /// State, authorization and location.
  public private(set) var status: LocationModel
  /// Whether a journal is written, in this launch and the next ones, with its places moved.
  public private(set) var isRecording: Bool
  /// The journal's files as of ``refreshFiles()``: what may be shared.
  public private(set) var files: [URL] = []
  /// The newest calls, newest first, at most a hundred.
  public private(set) var calls: [Call] = []
  /// Tells the battery's level, where it is known.
  @ObservationIgnored public var battery: () -> Battery? = { nil }
  @ObservationIgnored private var count = 0
  @ObservationIgnored private let provider: any LocationProvider
  @ObservationIgnored private let store: (any LocationStore)?
  @ObservationIgnored private let journal: Journal
  @ObservationIgnored private let settings: UserDefaults
  @ObservationIgnored private var recording: RecordingProvider?
  @ObservationIgnored private var notedBattery: Battery?

  private static let setting = "recordsJournal"

  public init(
    _ provider: any LocationProvider, store: (any LocationStore)? = nil, journal: Journal,
    settings: UserDefaults = .standard
  ) {
    (self.provider, self.store, self.journal, self.settings) = (provider, store, journal, settings)
    let recording = settings.bool(forKey: Self.setting) ? RecordingProvider(provider, to: journal) : nil
    isRecording = recording != nil
    self.recording = recording
    status = LocationModel(LocationManager(provider: recording ?? provider, store: store))
    status.manager.listeners.add(self)
  }

  /// Begins a journal, or ends it. A journal knows a manager from its beginning: so another one takes over, and goes on.
  public func setRecording(_ isRecording: Bool) {
    guard isRecording != self.isRecording else { return }
    settings.set(isRecording, forKey: Self.setting)
    self.isRecording = isRecording
    recording = isRecording ? RecordingProvider(provider, to: journal) : nil
    notedBattery = nil
    status.manager.listeners.remove(self)
    status = LocationModel(LocationManager(provider: recording ?? provider, store: store))
    status.manager.listeners.add(self)
    goOn()
    noteBattery()
    refreshFiles()
  }

  /// Looks which files there are, when all is written.
  public func refreshFiles() {
    journal.synchronize()
    files = journal.files
  }

  /// Writes the battery's level into the journal, where it is another than before: what a day costs.
  public func noteBattery() {
    guard let recording, let battery = battery(), battery != notedBattery else { return }
    notedBattery = battery
    recording.note(battery.note)
  }

  /// When the app is launched, by the user or in the background by the system: goes on with what it did, and asks nothing.
  public func goOn() {
    if status.authorization.isAuthorized { status.manager.tryPromptAuthorization() }
  }

  public func authorize() { status.manager.forcePromptAuthorization() }
  public func pause() { status.manager.pause() }
  public func resume() { status.manager.resume() }
  public func force() { status.manager.forceAcquireLocation() }

  /// What the machine would not ignore: the other buttons are grey.
  public func isPossible(_ event: LocationMachine.Event) -> Bool {
    if case .ignore = LocationMachine.reaction(in: status.state, to: event) { false } else { true }
  }

  private func note(_ name: String) {
    count += 1
    calls.insert(Call(id: count, name: name, date: Date()), at: 0)
    if calls.count > 100 { calls.removeLast() }
  }
}

extension AppModel: @MainActor LocationManagerListener {
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    note("didUpdate")
    // Asleep the app hears of no change of the level: whenever it is awake it looks.
    noteBattery()
  }
  public func locationManagerDidPromptAccess(_ manager: LocationManager) { note("didPromptAccess") }
  public func locationManagerDidGrantAccess(_ manager: LocationManager) { note("didGrantAccess") }
  public func locationManagerDidDenyAccess(_ manager: LocationManager) { note("didDenyAccess") }
  public func locationManagerPromptDidExpire(_ manager: LocationManager) { note("promptDidExpire") }
  public func locationManagerDidForceAcquire(_ manager: LocationManager) { note("didForceAcquire") }
  public func locationManager(_ manager: LocationManager, didDetectSignificantChange change: Location?) {
    note("didDetectSignificantChange")
  }
  public func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    note("didFailToAcquire: \(failure)")
  }
  public func locationManagerDidPause(_ manager: LocationManager) { note("didPause") }
  public func locationManagerDidResume(_ manager: LocationManager) { note("didResume") }
  public func locationManager(_ manager: LocationManager, didTransition transition: Transition) {
    note("didTransition: \(transition.from.rawValue) → \(transition.to.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didReject fix: Location, because reason: RejectionReason) {
    note("didReject: \(reason.rawValue)")
  }
  public func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    note("didChangeAuthorization: \(authorization.rawValue)")
  }
}

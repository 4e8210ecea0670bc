import Foundation

@testable import LocoKit

/// A provider that does what a test says, on a time that a test moves.
final class ScriptedProvider: LocationProvider {
  var uptime: Duration = .zero
  var date = Date(timeIntervalSinceReferenceDate: 800_000_000)
  var authorization: Authorization
  var recommendedPolicy = AcquisitionPolicy.loco
  var wakeSources = WakeSources.significantChanges
  var onReport: ((ProviderReport) -> Void)?
  /// What the provider was commanded, in order.
  private(set) var commands: [String] = []
  private(set) var mode = ReceiverMode.off
  private(set) var timer: Duration?
  /// Answers of the system to a request, reported at once.
  var answers: [ProviderReport] = []

  init(_ authorization: Authorization = .notDetermined) {
    self.authorization = authorization
  }

  func requestAuthorization() {
    commands.append("request")
    if authorization != .notDetermined { report(.authorization(authorization)) }
    for answer in answers { report(answer) }
  }

  func setMode(_ mode: ReceiverMode) {
    self.mode = mode
    commands.append(mode.rawValue)
    if mode != .off, !authorization.isAuthorized { report(.authorization(authorization)) }
  }

  private(set) var receivers: [ReceiverSettings] = []
  var receiver: ReceiverSettings? { receivers.last }
  func setReceiver(_ settings: ReceiverSettings) {
    receivers.append(settings)
  }

  /// The regions that were set, in order; `nil` where one was removed.
  private(set) var regions: [Location.Region?] = []
  func setRegion(_ region: Location.Region?) {
    regions.append(region)
  }

  func setTimer(_ deadline: Duration?) {
    timer = deadline
  }

  func report(_ report: ProviderReport) {
    onReport?(report)
  }

  /// The user decides.
  func decide(_ authorization: Authorization) {
    self.authorization = authorization
    report(.authorization(authorization))
  }

  /// Lets time pass on both clocks, and the timer fire if it is due.
  func pass(_ seconds: Double, timerFires: Bool = true) {
    uptime += .seconds(seconds)
    date += seconds
    if timerFires, let timer, timer <= uptime {
      self.timer = nil
      report(.timer)
    }
  }

  /// Lets time pass until the timer fires.
  func passUntilTimer() {
    guard let timer else { return }
    date += (timer - uptime).inSeconds
    uptime = timer
    pass(0)
  }

  /// A fix, as old as said, reported now.
  func fix(_ accuracy: Double, age: Double = 0, latitude: Double = 34.1, longitude: Double = -118.3) {
    report(.fixes([location(accuracy, age: age, latitude: latitude, longitude: longitude)]))
  }

  func location(
    _ accuracy: Double, age: Double = 0, latitude: Double = 34.1, longitude: Double = -118.3
  ) -> Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, timestamp: date - age)
  }
}

/// Writes down what it hears, and what it sees when it hears it.
final class Recorder: LocationManagerListener {
  private(set) var calls: [String] = []
  private(set) var locations: [Location] = []
  private(set) var failures: [AcquisitionFailure] = []
  private(set) var rejections: [RejectionReason] = []
  private(set) var transitions: [LocationManager.Transition] = []
  var onCall: ((LocationManager, String) -> Void)?

  private func note(_ manager: LocationManager, _ call: String) {
    calls.append(call)
    onCall?(manager, call)
  }

  /// The calls so far, and forgets them.
  func take() -> [String] {
    defer { calls = [] }
    return calls
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    locations.append(location)
    note(manager, "didUpdate")
  }
  func locationManagerDidPromptAccess(_ manager: LocationManager) { note(manager, "didPromptAccess") }
  func locationManagerDidGrantAccess(_ manager: LocationManager) { note(manager, "didGrantAccess") }
  func locationManagerDidDenyAccess(_ manager: LocationManager) { note(manager, "didDenyAccess") }
  func locationManagerPromptDidExpire(_ manager: LocationManager) { note(manager, "promptDidExpire") }
  func locationManagerDidForceAcquire(_ manager: LocationManager) { note(manager, "didForceAcquire") }
  func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {
    note(manager, "didDetectSignificantChange")
  }
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    failures.append(failure)
    note(manager, "didFailToAcquire")
  }
  func locationManagerDidPause(_ manager: LocationManager) { note(manager, "didPause") }
  func locationManagerDidResume(_ manager: LocationManager) { note(manager, "didResume") }
  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    transitions.append(transition)
    note(manager, "\(transition.from.rawValue)>\(transition.to.rawValue)")
  }
  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
    rejections.append(reason)
    note(manager, "didReject \(reason.rawValue)")
  }
  func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    note(manager, "didChangeAuthorization \(authorization.rawValue)")
  }
  func locationManager(_ manager: LocationManager, didChangeMotion motion: Motion) {
    note(manager, "didChangeMotion \(motion.rawValue)")
  }
  func locationManager(_ manager: LocationManager, didChangeBattery battery: LocationManager.BatteryStatus) {
    note(manager, "didChangeBattery \(battery.level ?? -1) \(battery.state?.rawValue ?? "unknown")")
  }
  /// Why commands were ignored, beside the calls.
  private(set) var reasons: [String] = []
  func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String
  ) {
    reasons.append(reason)
    note(manager, "didIgnore \(command.rawValue)")
  }
}

extension LocationManager {
  /// Begins a demand whose locations go to the listeners alone.
  func want(_ want: Demand.Want) -> Demand.ID {
    let id = makeDemand(.listeners)
    begin(id, want)
    return id
  }
}

/// Keeps the last location and a pause in memory.
final class MemoryStore: LocationStore {
  var location: Location?
  var isPaused = false
}

/// A manager, its provider and a listener, in a state of choice.
struct Fixture {
  let provider: ScriptedProvider
  let manager: LocationManager
  let recorder = Recorder()

  init(in state: LocationState, policy: AcquisitionPolicy? = nil) {
    provider = ScriptedProvider()
    manager = LocationManager(provider: provider, policy: policy)
    manager.listeners.add(recorder)
    let events: [LocationState: [() -> Void]] = [
      .prompted: [manager.tryPromptAuthorization],
      .denied: [manager.tryPromptAuthorization, { [provider] in provider.decide(.denied) }],
      .acquiring: [manager.tryPromptAuthorization, { [provider] in provider.decide(.always) }],
      .waitingSignificantChange: [
        manager.tryPromptAuthorization, { [provider] in provider.decide(.always) },
        { [provider] in
          provider.fix(9)
          provider.pass(60)
        },
      ],
      .paused: [manager.tryPromptAuthorization, { [provider] in provider.decide(.always) }, manager.pause],
    ]
    for event in events[state] ?? [] { event() }
    precondition(manager.state == state)
    _ = recorder.take()
  }
}

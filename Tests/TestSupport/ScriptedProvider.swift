import Foundation
import LocoKit
import LocoMachine

/// A provider whose reports and time a test controls.
final class ScriptedProvider: LocationProvider {
  var uptime: Duration = .zero
  var date = Date(timeIntervalSinceReferenceDate: 800_000_000)
  var authorization: Authorization
  var recommendedPolicy = AcquisitionPolicy.loco
  var wakeSources: Set<WakeKind> = [.significantChange]
  var backgroundUpdates = LocationManager.BackgroundUpdates.never
  var onReport: ProviderReport.Handler?
  /// The modes and requests that the manager commanded, in order.
  private(set) var commands: [String] = []
  /// The last plan, without a timer that has fired.
  private(set) var plan = ReceiverPlan()
  var mode: ReceiverMode { plan.mode }
  var timer: Duration? { plan.timer }

  init(_ authorization: Authorization = .notDetermined) {
    self.authorization = authorization
  }

  func perform(_ request: ReceiverRequest) {
    switch request {
    case .authorization:
      commands.append("request")
      if authorization != .notDetermined { report(.authorization(authorization)) }
    case .restart: commands.append("restart")
    }
  }

  private(set) var accuracies: [Double] = []
  var accuracy: Double? { accuracies.last }
  /// The regions that were set, in order, with `nil` for a removal.
  private(set) var regions: [Location.Region?] = []
  var radii: [Double?] { regions.map { $0?.radius } }

  func apply(_ plan: ReceiverPlan) {
    let last = self.plan
    self.plan = plan
    if let accuracy = plan.desiredAccuracy, accuracy != self.accuracy { accuracies.append(accuracy) }
    if plan.regionNumber != last.regionNumber { regions.append(plan.region) }
    guard plan.mode != last.mode || commands.isEmpty else { return }
    commands.append(plan.mode.rawValue)
    if plan.mode != .off, !authorization.isAuthorized { report(.authorization(authorization)) }
  }

  /// The reported fixes and locations of significant changes, in order.
  private(set) var reported: [Location] = []
  func report(_ report: ProviderReport) {
    switch report {
    case .fixes(let fixes): reported += fixes
    case .wake(.significantChange(let location?)): reported.append(location)
    default: break
    }
    onReport?(report)
  }

  /// Reports the user's answer to the prompt, or a change in the settings.
  func decide(_ authorization: Authorization) {
    self.authorization = authorization
    report(.authorization(authorization))
  }

  /// Advances both clocks, and fires the timer if it's due and `timerFires` is true.
  func pass(_ seconds: Double, timerFires: Bool = true) {
    uptime += .seconds(seconds)
    date += seconds
    if timerFires, let timer, timer <= uptime {
      plan.timer = nil
      report(.wake(.timer))
    }
  }

  /// Advances both clocks to the timer's deadline, and fires the timer.
  func passUntilTimer() {
    guard let timer else { return }
    date += (timer - uptime).inSeconds
    uptime = timer
    pass(0)
  }

  /// Reports a fix with an age in seconds.
  func fix(_ accuracy: Double, age: Double = 0, latitude: Double = 34.1, longitude: Double = -118.3) {
    report(.fixes([location(accuracy, age: age, latitude: latitude, longitude: longitude)]))
  }

  func location(
    _ accuracy: Double, age: Double = 0, latitude: Double = 34.1, longitude: Double = -118.3
  ) -> Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, timestamp: date - age)
  }
}

/// Records what a manager tells its listeners, except presence, health and visits.
final class Recorder: LocationManagerListener {
  /// The callbacks since the last ``take()``, in order, with values: `prompted>acquiring` for a transition, `didUpdate 9` with an accuracy.
  private(set) var received: [String] = []
  private(set) var locations: [Location] = []
  private(set) var failures: [AcquisitionFailure] = []
  private(set) var rejections: [RejectionReason] = []
  private(set) var transitions: [LocationManager.Transition] = []
  private(set) var looks: [LocationManager.Cause] = []
  private var circumstances: LocationManager.Circumstances?
  /// The reasons of ignored commands.
  private(set) var reasons: [String] = []
  /// Called after each callback is recorded.
  var onCall: ((LocationManager, String) -> Void)?

  /// The names of the callbacks.
  var calls: [String] { received.map { String($0.prefix { $0 != " " }) } }

  private func note(_ manager: LocationManager, _ call: String) {
    received.append(call)
    onCall?(manager, call)
  }

  /// Returns the callbacks since this function was last called.
  func take() -> [String] {
    defer { received = [] }
    return received
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    locations.append(location)
    let source = location.source == .gps ? "" : " \(location.source)"
    note(manager, "didUpdate \(Self.text(location.horizontalAccuracy))\(source)")
  }
  func locationManagerDidPromptAccess(_ manager: LocationManager) { note(manager, "didPromptAccess") }
  func locationManagerDidGrantAccess(_ manager: LocationManager) { note(manager, "didGrantAccess") }
  func locationManagerDidDenyAccess(_ manager: LocationManager) { note(manager, "didDenyAccess") }
  func locationManagerPromptDidExpire(_ manager: LocationManager) { note(manager, "promptDidExpire") }
  func locationManagerDidForceAcquire(_ manager: LocationManager) { note(manager, "didForceAcquire") }
  func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {
    note(manager, "didDetectSignificantChange")
  }
  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
    looks.append(cause)
    note(manager, "didBeginLook \(cause.rawValue)")
  }
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    failures.append(failure)
    note(manager, "didFailToAcquire \(Self.text(failure))")
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
  func locationManagerDidChangeCircumstances(_ manager: LocationManager) {
    let (now, before) = (manager.circumstances, circumstances)
    circumstances = now
    if let motion = now.motion, motion != before?.motion { return note(manager, "didChangeMotion \(motion.rawValue)") }
    guard let battery = now.battery, battery != before?.battery else {
      return note(manager, "didChangeCircumstances")
    }
    note(manager, "didChangeBattery \(battery.level ?? -1) \(battery.state?.rawValue ?? "unknown")")
  }
  func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String
  ) {
    reasons.append(reason)
    note(manager, "didIgnore \(command.rawValue)")
  }

  func locationManager(_ manager: LocationManager, didChangeSignal hasSignal: Bool) {
    note(manager, "didChangeSignal \(hasSignal)")
  }

  /// Returns 9 as "9" and 9.5 as "9.5".
  private static func text(_ accuracy: Double) -> String { Int(exactly: accuracy).map { "\($0)" } ?? "\(accuracy)" }

  /// Returns the case's name, followed by the accuracy of the best fix if the case has one.
  static func text(_ failure: AcquisitionFailure) -> String {
    switch failure {
    case .timeLimit(nil): "timeLimit"
    case .timeLimit(let best?): "timeLimit \(text(best.horizontalAccuracy))"
    case .tooManyErrors: "tooManyErrors"
    case .cancelled: "cancelled"
    case .accessNotRequested: "accessNotRequested"
    case .accessDenied: "accessDenied"
    case .paused: "paused"
    case .replaced: "replaced"
    }
  }
}

extension LocationManager {
  /// Begins a demand whose locations only listeners receive.
  func demand(_ kind: Demand.Kind) -> Demand.ID {
    let id = makeDemand(.listeners)
    begin(id, kind)
    return id
  }
}

extension AcquisitionPolicy {
  /// ``loco``, with reduced accuracy accepted.
  static let reduced = {
    var policy = loco
    policy.acceptsReducedAccuracy = true
    return policy
  }()
}

/// A store in memory.
final class MemoryStore: LocationStore {
  /// Called after each write.
  var onWrite: (() -> Void)?
  var location: Location? { didSet { onWrite?() } }
  var isPaused = false { didSet { onWrite?() } }
}

/// A manager in a given state, with its provider, store and listener.
struct Fixture {
  let provider: ScriptedProvider
  let manager: LocationManager
  let store = MemoryStore()
  let recorder = Recorder()

  /// - Parameters:
  ///   - authorization: The permission before the app asks.
  ///   - sources: What can wake the app.
  ///   - stored: The accuracy of a stored location, 50 s old. If it's set and `state` is `paused`, the pause is stored too.
  init(
    in state: LocationMachine.State, authorization: Authorization = .notDetermined, policy: AcquisitionPolicy? = nil,
    sources: Set<WakeKind> = [.significantChange], updates: LocationManager.BackgroundUpdates = .never,
    stored: Double? = nil
  ) {
    provider = ScriptedProvider(authorization)
    provider.wakeSources = sources
    provider.backgroundUpdates = updates
    if let stored { store.location = provider.location(stored, age: 50) }
    store.isPaused = stored != nil && state == .paused
    manager = LocationManager(provider: provider, policy: policy, store: store)
    manager.listeners.add(recorder)
    if manager.state != state { manager.tryPromptAuthorization() }
    if state == .prompted { provider.report(.promptShown) }
    if manager.state != state { provider.decide(state == .denied ? .denied : .always) }
    if state == .waitingSignificantChange {
      provider.fix(9)
      provider.pass(60)
    }
    if manager.state != state { manager.pause() }
    precondition(manager.state == state)
    _ = recorder.take()
  }
}

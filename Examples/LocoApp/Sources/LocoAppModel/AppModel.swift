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

  /// State, authorization and location.
  public let status: LocationModel
  /// The newest calls, newest first, at most a hundred.
  public private(set) var calls: [Call] = []
  @ObservationIgnored private var count = 0

  public init(_ manager: LocationManager) {
    status = LocationModel(manager)
    manager.listeners.add(self)
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
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) { note("didUpdate") }
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

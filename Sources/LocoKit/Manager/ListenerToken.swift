extension LocationManager {
  /// Closures that listen to a manager, for as long as somebody holds this.
  ///
  /// ```swift
  /// func open() {
  ///   token = manager.listeners.add(onTransition: { [weak self] in self?.add($0) })
  /// }
  ///
  /// func close() {
  ///   token = nil
  /// }
  /// ```
  ///
  /// See ``ListenerRegistry/add(onUpdate:onTransition:onFailure:onAuthorizationChange:onIgnore:)``.
  public class ListenerToken {
    fileprivate init() {}
  }
}

@available(*, unavailable)
extension LocationManager.ListenerToken: Sendable {}

extension ListenerRegistry where Listener == any LocationManagerListener {
  /// Adds closures behind the other listeners, for those who want no class to listen.
  ///
  /// ```swift
  /// token = manager.listeners.add(onUpdate: { [weak self] in self?.show($0) })
  /// ```
  ///
  /// Keep what is returned: the registry does not, and the closures are called until it is let go, or removed with
  /// ``remove(_:)``. Where the one that keeps it is what the closures use, they hold it weakly, as above.
  ///
  /// - Complexity: O(n).
  /// - Parameters:
  ///   - onUpdate: There is a new location.
  ///   - onTransition: A state was left and another one entered.
  ///   - onFailure: An acquisition ended without an acceptable fix.
  ///   - onAuthorizationChange: The permission has changed.
  ///   - onIgnore: A command did nothing; the sentence says why.
  public func add(
    onUpdate: ((Location) -> Void)? = nil, onTransition: ((LocationManager.Transition) -> Void)? = nil,
    onFailure: ((AcquisitionFailure) -> Void)? = nil, onAuthorizationChange: ((Authorization) -> Void)? = nil,
    onIgnore: ((LocationMachine.Event, String) -> Void)? = nil
  ) -> LocationManager.ListenerToken {
    let token = Closures(
      onUpdate: onUpdate, onTransition: onTransition, onFailure: onFailure,
      onAuthorizationChange: onAuthorizationChange, onIgnore: onIgnore)
    add(token as any LocationManagerListener)
    return token
  }
}

/// The token itself listens, so that the registry has one kind of entry: a second one would cost each listener a call.
private final class Closures: LocationManager.ListenerToken, LocationManagerListener {
  private let onUpdate: ((Location) -> Void)?
  private let onTransition: ((LocationManager.Transition) -> Void)?
  private let onFailure: ((AcquisitionFailure) -> Void)?
  private let onAuthorizationChange: ((Authorization) -> Void)?
  private let onIgnore: ((LocationMachine.Event, String) -> Void)?

  init(
    onUpdate: ((Location) -> Void)?, onTransition: ((LocationManager.Transition) -> Void)?,
    onFailure: ((AcquisitionFailure) -> Void)?, onAuthorizationChange: ((Authorization) -> Void)?,
    onIgnore: ((LocationMachine.Event, String) -> Void)?
  ) {
    self.onUpdate = onUpdate
    self.onTransition = onTransition
    self.onFailure = onFailure
    self.onAuthorizationChange = onAuthorizationChange
    self.onIgnore = onIgnore
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) { onUpdate?(location) }
  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    onTransition?(transition)
  }
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    onFailure?(failure)
  }
  func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    onAuthorizationChange?(authorization)
  }
  func locationManager(_ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String) {
    onIgnore?(command, reason)
  }
}

extension LocationManager {
  /// Keeps closures registered with a manager. Deinitializing the token removes them.
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
  /// See `ListenerRegistry.add(onUpdate:onTransition:onFailure:onAuthorizationChange:onIgnore:onHealthChange:)`.
  public class ListenerToken {
    fileprivate init() {}
  }
}

@available(*, unavailable)
extension LocationManager.ListenerToken: Sendable {}

extension ListenerRegistry where Listener == any LocationManagerListener {
  /// Adds closures after the other listeners, as an alternative to a listener class.
  ///
  /// ```swift
  /// token = manager.listeners.add(onUpdate: { [weak self] in self?.show($0) })
  /// ```
  ///
  /// Keep the returned token: the registry holds it weakly. The closures are called until the token is deinitialized, or removed with
  /// `remove(_:)`. If the closures use the token's owner, they must capture it weakly, as above.
  ///
  /// - Complexity: O(n).
  /// - Parameters:
  ///   - onUpdate: A location was delivered.
  ///   - onTransition: The state has changed.
  ///   - onFailure: An acquisition ended without an acceptable fix.
  ///   - onAuthorizationChange: The permission has changed.
  ///   - onIgnore: A command had no effect. The sentence is the reason.
  ///   - onHealthChange: A problem has begun or ended.
  public func add(
    onUpdate: ((Location) -> Void)? = nil, onTransition: ((LocationManager.Transition) -> Void)? = nil,
    onFailure: ((AcquisitionFailure) -> Void)? = nil, onAuthorizationChange: ((Authorization) -> Void)? = nil,
    onIgnore: ((LocationMachine.Event, String) -> Void)? = nil,
    onHealthChange: ((LocationManager.Health) -> Void)? = nil
  ) -> LocationManager.ListenerToken {
    let token = Closures()
    (token.onUpdate, token.onTransition, token.onFailure) = (onUpdate, onTransition, onFailure)
    (token.onAuthorizationChange, token.onIgnore) = (onAuthorizationChange, onIgnore)
    token.onHealthChange = onHealthChange
    add(token as any LocationManagerListener)
    return token
  }
}

/// A token that is itself the listener. A second kind of registry entry would cost each notification another call.
private final class Closures: LocationManager.ListenerToken, LocationManagerListener {
  var onUpdate: ((Location) -> Void)?
  var onTransition: ((LocationManager.Transition) -> Void)?
  var onFailure: ((AcquisitionFailure) -> Void)?
  var onAuthorizationChange: ((Authorization) -> Void)?
  var onIgnore: ((LocationMachine.Event, String) -> Void)?
  var onHealthChange: ((LocationManager.Health) -> Void)?

  func locationManager(_: LocationManager, didUpdate location: Location) { onUpdate?(location) }
  func locationManager(_: LocationManager, didTransition transition: LocationManager.Transition) {
    onTransition?(transition)
  }
  func locationManager(_: LocationManager, didFailToAcquire failure: AcquisitionFailure) { onFailure?(failure) }
  func locationManager(_: LocationManager, didChangeAuthorization authorization: Authorization) {
    onAuthorizationChange?(authorization)
  }
  func locationManager(_: LocationManager, didIgnore command: LocationMachine.Event, because reason: String) {
    onIgnore?(command, reason)
  }
  func locationManager(_: LocationManager, didChangeHealth health: LocationManager.Health) { onHealthChange?(health) }
}

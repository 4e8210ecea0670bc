/// Receives a manager's events. Every method has a default that does nothing.
///
/// ```swift
/// @MainActor
/// final class Screen: @MainActor LocationManagerListener {
///   private(set) var text = ""
///
///   func locationManager(_ manager: LocationManager, didUpdate location: Location) {
///     text = "at \(location.latitude), \(location.longitude)"
///   }
///
///   func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
///     text = "no location: \(failure)"
///   }
/// }
/// ```
///
/// Listeners are called in the isolation of the manager's owner, after the manager has set its state and commanded the hardware.
/// Commands from a listener take effect after all listeners are notified of the current event.
public protocol LocationManagerListener: AnyObject {
  /// A location was delivered.
  func locationManager(_ manager: LocationManager, didUpdate location: Location)
  /// The system shows the permission prompt.
  func locationManagerDidPromptAccess(_ manager: LocationManager)
  /// The permission was granted, and an acquisition begins.
  func locationManagerDidGrantAccess(_ manager: LocationManager)
  /// The permission was refused or withdrawn. Everything is off.
  func locationManagerDidDenyAccess(_ manager: LocationManager)
  /// The user didn't answer the prompt within ``LocationManager/promptTimeLimit``. A late answer starts nothing.
  func locationManagerPromptDidExpire(_ manager: LocationManager)
  /// An acquisition begins because the app forces it or requests one location, or because the system reports the permission after fixes of
  /// reduced accuracy were of no use.
  func locationManagerDidForceAcquire(_ manager: LocationManager)
  /// The device has moved to another cell, and an acquisition begins. `location` is coarse and may be old, or is `nil` if the
  /// platform has none.
  ///
  /// If that location is good enough, the manager delivers it instead of calling this method, with the source
  /// ``Location/Source/significantChange`` or ``Location/Source/reduced``, and no acquisition begins.
  func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?)
  /// The GPS is turned on for a look that is due under an error bound. For a look after a significant change, after the permission is
  /// granted or after a pause, the manager calls another method, such as ``locationManager(_:didDetectSignificantChange:)``.
  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause)
  /// An acquisition ended without an acceptable fix.
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure)
  /// The app has paused. Everything is off until it resumes.
  func locationManagerDidPause(_ manager: LocationManager)
  /// The app has resumed, and an acquisition begins.
  func locationManagerDidResume(_ manager: LocationManager)
  /// The state has changed. The more specific notifications follow.
  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition)
  /// A fix was rejected, and no consumer has used it.
  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason)
  /// The permission has changed. Called in every state, including during a pause.
  ///
  /// In ``LocationMachine/State/initial`` a permission alone starts nothing. If `authorization` permits locations, call
  /// ``LocationManager/tryPromptAuthorization()``, so that the app also starts when the user grants the permission in the settings.
  func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization)
  /// The motion, the battery, the state of the app or the trip in ``LocationManager/circumstances`` has changed. Not called when the motion
  /// becomes `nil`. During a pause, only a change of the trip is reported: read the other values after the pause.
  func locationManagerDidChangeCircumstances(_ manager: LocationManager)
  /// The device has come to rest, or the presence has ended, for example because the device has left. After the end, `presence` is `nil`.
  /// Also called when the circle, the reasons or the validity of the presence change.
  func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?)
  /// The health has changed: a problem has begun or ended.
  func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health)
  /// The system reports the beginning or the end of a visit, minutes late. Providers with ``WakeKind/visit`` report visits while an
  /// error bound is set. Not called during a pause.
  func locationManager(_ manager: LocationManager, didVisit visit: Location.Visit)
  /// While a consumer tracks, the receiver has found no usable fix for ``TrackingPolicy/signalTimeout``, or finds one again. A fix that is
  /// rejected doesn't count. When the manager leaves `acquiring`,
  /// ``locationManager(_:didTransition:)`` is called instead.
  func locationManager(_ manager: LocationManager, didChangeSignal hasSignal: Bool)
  /// The provider reports a failure while the GPS is on. Each of the three kinds is passed on once until the next usable fix or the end of
  /// the acquisition. The GPS stays on: five errors in a row, or the time limit, end an acquisition. A missing permission isn't passed on,
  /// because it changes the state.
  func locationManager(_ manager: LocationManager, didReceive failure: ProviderReport.Failure)
  /// A command had no effect in the current state: a prompt, a pause, a resume or a forced acquisition. `reason` is the sentence in the
  /// state machine's table, or says that another manager uses the provider.
  func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String)
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension LocationManagerListener {
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {}
  public func locationManagerDidPromptAccess(_ manager: LocationManager) {}
  public func locationManagerDidGrantAccess(_ manager: LocationManager) {}
  public func locationManagerDidDenyAccess(_ manager: LocationManager) {}
  public func locationManagerPromptDidExpire(_ manager: LocationManager) {}
  public func locationManagerDidForceAcquire(_ manager: LocationManager) {}
  public func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {}
  public func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {}
  public func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {}
  public func locationManagerDidPause(_ manager: LocationManager) {}
  public func locationManagerDidResume(_ manager: LocationManager) {}
  public func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {}
  public func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason)
  {}
  public func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {}
  public func locationManagerDidChangeCircumstances(_ manager: LocationManager) {}
  public func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {}
  public func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {}
  public func locationManager(_ manager: LocationManager, didVisit visit: Location.Visit) {}
  public func locationManager(_ manager: LocationManager, didChangeSignal hasSignal: Bool) {}
  public func locationManager(_ manager: LocationManager, didReceive failure: ProviderReport.Failure) {}
  public func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String
  ) {}
}

extension ListenerRegistry where Listener == any LocationManagerListener {
  /// Adds a listener after the others, without keeping it alive. Has no effect for a listener that was already added.
  ///
  /// - Complexity: O(n).
  public func add(_ listener: any LocationManagerListener) { add(LocationManagerEntry(listener)) }

  func notify(_ body: (any LocationManagerListener) -> Void) { notify(through: LocationManagerEntry.self, body) }
}

private final class LocationManagerEntry: ListenerEntry {
  let identifier: ObjectIdentifier
  #if hasFeature(Embedded)
    // Without weak references, a listener lives as long as its registration.
    private(set) var listener: (any LocationManagerListener)?
  #else
    private(set) weak var listener: (any LocationManagerListener)?
  #endif

  init(_ listener: any LocationManagerListener) {
    (identifier, self.listener) = (ObjectIdentifier(listener), listener)
  }

  func forget() { listener = nil }
}

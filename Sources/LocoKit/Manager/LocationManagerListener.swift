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
/// Listeners are told in the isolation of the manager's owner, after the manager's state is set and the hardware is
/// commanded. What a listener tells the manager to do happens after all listeners have heard of the present event.
///
/// A class on the main actor conforms as `final class Screen: @MainActor LocationManagerListener`.
public protocol LocationManagerListener: AnyObject {
  /// There is a new location.
  func locationManager(_ manager: LocationManager, didUpdate location: Location)
  /// The system shows the user a prompt for the permission.
  func locationManagerDidPromptAccess(_ manager: LocationManager)
  /// The permission is given; the first acquisition begins.
  func locationManagerDidGrantAccess(_ manager: LocationManager)
  /// The permission is refused or withdrawn; everything is off.
  func locationManagerDidDenyAccess(_ manager: LocationManager)
  /// The prompt stood unanswered for ``LocationManager/promptTimeLimit``; an answer that comes later begins nothing.
  func locationManagerPromptDidExpire(_ manager: LocationManager)
  /// An acquisition begins because the app wants one.
  func locationManagerDidForceAcquire(_ manager: LocationManager)
  /// The device has moved to another cell, and an acquisition begins. `location` is coarse and may be old.
  ///
  /// Where that location satisfies the policy, no acquisition begins: the listener receives the location instead, with the source
  /// ``Location/Source/significantChange``.
  func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?)
  /// A look begins, where an error bound is set. One that a significant change makes due is told as such.
  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause)
  /// An acquisition ended without an acceptable fix.
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure)
  /// Everything is off until the app resumes.
  func locationManagerDidPause(_ manager: LocationManager)
  /// The app has resumed; an acquisition begins.
  func locationManagerDidResume(_ manager: LocationManager)
  /// A state was left and another one entered. Told before what it means.
  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition)
  /// A fix was not used.
  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason)
  /// The permission has changed. Called in every state, also while paused.
  ///
  /// In ``LocationMachine/State/initial`` a permission alone starts nothing: where `authorization` allows it, call
  /// ``LocationManager/tryPromptAuthorization()``, so that the app also starts when its user allows it in the settings.
  func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization)
  /// The device moves in another way. Called in every state but ``LocationMachine/State/paused``: read ``LocationManager/motion`` after a
  /// pause.
  func locationManager(_ manager: LocationManager, didChangeMotion motion: Motion)
  /// The battery's level or state has changed. Called in every state but ``LocationMachine/State/paused``: read
  /// ``LocationManager/battery`` after a pause.
  func locationManager(_ manager: LocationManager, didChangeBattery battery: LocationManager.BatteryStatus)
  /// A command did nothing: a prompt, a pause, a resume or a forced acquisition that the present state has no use for.
  /// `reason` is a sentence, the one in the state machine's table.
  func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String)
}

extension LocationManagerListener {
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {}
  /// Does nothing.
  public func locationManagerDidPromptAccess(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManagerDidGrantAccess(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManagerDidDenyAccess(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManagerPromptDidExpire(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManagerDidForceAcquire(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {}
  /// Does nothing.
  public func locationManagerDidPause(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManagerDidResume(_ manager: LocationManager) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason)
  {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didChangeMotion motion: Motion) {}
  /// Does nothing.
  public func locationManager(_ manager: LocationManager, didChangeBattery battery: LocationManager.BatteryStatus) {}
  /// Does nothing.
  public func locationManager(
    _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String
  ) {}
}

extension ListenerRegistry where Listener == any LocationManagerListener {
  /// Adds a listener behind the others, without keeping it alive; one that is there already stays where it is.
  ///
  /// - Complexity: O(n).
  public func add(_ listener: any LocationManagerListener) { add(LocationManagerEntry(listener)) }
}

private final class LocationManagerEntry: ListenerRegistry<any LocationManagerListener>.Entry {
  private weak var held: (any LocationManagerListener)?
  override var listener: (any LocationManagerListener)? { held }
  override func forget() { held = nil }

  init(_ listener: any LocationManagerListener) {
    held = listener
    super.init(ObjectIdentifier(listener))
  }
}

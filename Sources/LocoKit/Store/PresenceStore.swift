/// A store that also persists the presence.
package protocol PresenceStore: LocationStore {
  /// The manager's current presence, for the next launch; `nil` without one.
  var presence: LocationManager.Presence? { get set }
}

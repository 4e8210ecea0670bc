/// A store that also persists the presence.
package protocol PresenceStore: LocationStore {
  /// The manager's current presence, for the next launch; `nil` if there is none.
  var presence: LocationManager.Presence? { get set }
}

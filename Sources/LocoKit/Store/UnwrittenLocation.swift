import LocoDurable

/// The values that a ``LastLocationStore`` hasn't written yet.
package struct UnwrittenLocation: UnwrittenChanges {
  /// `.some(nil)` removes the location.
  var location: Location??
  var isPaused: Bool?
  /// `.some(nil)` removes the presence.
  var presence: LocationManager.Presence??

  package var isEmpty: Bool { location == nil && isPaused == nil && presence == nil }

  func apply(to contents: inout StoreContents) {
    if let location { contents.location = location }
    if let isPaused { contents.isPaused = isPaused }
    if let presence { contents.presence = presence }
  }

  /// Returns the values. They stay until they are written, because a read of the store returns them.
  package mutating func begin() -> UnwrittenLocation { self }
  package mutating func succeed(_ written: UnwrittenLocation) {
    if location == written.location { location = nil }
    if isPaused == written.isPaused { isPaused = nil }
    if presence == written.presence { presence = nil }
  }
  package mutating func fail(_: UnwrittenLocation) {}
}

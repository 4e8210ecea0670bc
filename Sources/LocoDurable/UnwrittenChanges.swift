/// Changes that a store hasn't written yet.
package protocol UnwrittenChanges: Sendable {
  associatedtype Work: Sendable
  var isEmpty: Bool { get }
  /// Returns the changes for the next write. Not called if there are no changes.
  mutating func begin() -> Work
  /// Removes the written changes, unless `begin()` did. Changes that were made during the write remain.
  mutating func succeed(_ work: Work)
  /// Keeps changes whose write failed, for the next write. A store may limit their number.
  mutating func fail(_ work: Work)
}

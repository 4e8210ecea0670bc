import LocoDurable
import LocoKit

/// The locations that a ``LocationHistory`` hasn't written yet.
package struct UnwrittenLocations: UnwrittenChanges {
  package struct Work: Sendable {
    let locations: ArraySlice<UnwrittenEntry>
    /// The number of locations that were dropped before them.
    let dropped: Int
  }

  let capacity: Int
  let spacing: Spacing
  /// The last location that wasn't omitted.
  private var last: Location?
  private var count = 0
  private var locations: ArraySlice<UnwrittenEntry> = []
  private var dropped = 0

  init(capacity: Int, spacing: Spacing) { (self.capacity, self.spacing) = (capacity, spacing) }

  package var isEmpty: Bool { locations.isEmpty }

  /// Returns the location's number under the launch's identity, from 1; `nil` if the location is omitted.
  mutating func append(_ location: Location, _ circumstances: LocationManager.Circumstances) -> Int? {
    if let last, spacing.omits(location, after: last) { return nil }
    last = location
    count += 1
    locations.append(UnwrittenEntry(number: count, location: location, circumstances: circumstances))
    dropOldest()
    return count
  }

  mutating func removeAll() { (locations, dropped) = ([], 0) }

  package mutating func begin() -> Work {
    defer { (locations, dropped) = ([], 0) }
    return Work(locations: locations, dropped: dropped)
  }

  package mutating func succeed(_: Work) {}

  package mutating func fail(_ work: Work) {
    locations = work.locations + locations
    dropped += work.dropped
    dropOldest()
  }

  private mutating func dropOldest() {
    guard locations.count > capacity else { return }
    dropped += locations.count - capacity
    locations.removeFirst(locations.count - capacity)
  }
}

import LocoKit

/// A location that a history hasn't written yet.
package struct UnwrittenEntry: Sendable {
  /// The number of the location under the launch's identity, from 1.
  let number: Int
  let location: Location
  let circumstances: LocationManager.Circumstances
}

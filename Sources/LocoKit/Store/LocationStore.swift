/// Keeps what the next launch needs to know: the last location, and whether the app had paused.
///
/// A manager reads it once, when it is made, and writes what it delivers, each pause and its end: while the GPS stays on a
/// location every ten seconds at most, and the last one when it goes off.
///
/// A store of one's own is as short as this. In a test, two managers that are given the same one are two launches of an app:
///
/// ```swift
/// final class LaunchStore: LocationStore {
///   var location: Location?
///   var isPaused = false
/// }
/// ```
public protocol LocationStore: AnyObject {
  /// The last location delivered; `nil` where there is none. However old it is, its timestamp says so.
  var location: Location? { get set }
  /// Whether the app has paused and not resumed since. A store that does not keep it forgets a pause with the launch.
  var isPaused: Bool { get set }
}

extension LocationStore {
  /// Forgotten.
  public var isPaused: Bool {
    get { false }
    set {}
  }
}

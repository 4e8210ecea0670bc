/// Persists the last location and a pause for the next launch.
///
/// A manager reads the store when it's created. It writes the locations that it delivers; while the GPS is on or the app is kept running,
/// it writes at most one every ten seconds, and the last one afterwards. It also writes the beginning and the end of a pause.
///
/// A custom store can be as short as this example. In a test, two managers with the same store simulate two launches of an app:
///
/// ```swift
/// final class LaunchStore: LocationStore {
///   var location: Location?
///   var isPaused = false
/// }
/// ```
public protocol LocationStore: AnyObject {
  /// The last location delivered, however old; `nil` if there is none.
  var location: Location? { get set }
  /// Whether the app has paused and not resumed since. By default a pause isn't persisted.
  var isPaused: Bool { get set }
}

extension LocationStore {
  /// `false`; setting it has no effect.
  public var isPaused: Bool {
    get { false }
    set {}
  }
}

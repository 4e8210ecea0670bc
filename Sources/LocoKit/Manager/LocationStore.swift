/// Keeps the last location for the next launch.
///
/// A manager reads it once, when it is made, and writes each location that it delivers.
public protocol LocationStore: AnyObject {
  /// The last location delivered; `nil` where there is none. However old it is, its timestamp says so.
  var location: Location? { get set }
}

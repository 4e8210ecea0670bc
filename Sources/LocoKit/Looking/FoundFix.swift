/// The last fix.
struct FoundFix: Equatable, Sendable {
  let fix: Location
  let time: Duration
  /// The number of consecutive fixes in this place up to this one, less one. A coarse fix counts only if it is the first one there.
  let repeatCount: Int
}

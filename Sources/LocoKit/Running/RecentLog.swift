/// The newest elements, up to a bound.
@usableFromInline
struct RecentLog<Element> {
  @usableFromInline var ring: [Element] = []
  @usableFromInline var oldest = 0

  @inlinable
  static var capacity: Int { 32 }

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ element: Element) {
    if ring.count < Self.capacity {
      ring.append(element)
    } else {
      ring[oldest] = element
      oldest = (oldest + 1) % Self.capacity
    }
  }

  /// The elements, oldest first.
  var inOrder: [Element] { Array(ring[oldest...] + ring[..<oldest]) }
}

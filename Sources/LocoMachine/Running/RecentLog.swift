#if !hasFeature(Embedded)
  /// The newest 32 elements.
  @usableFromInline
  package struct RecentLog<Element> {
    @usableFromInline var ring: [Element] = []
    @usableFromInline var oldest = 0

    @usableFromInline
    package init() {}

    @inlinable
    @inline(__always)
    package mutating func append(_ element: Element) {
      if ring.count < 32 { return ring.append(element) }
      ring[oldest] = element
      oldest = (oldest + 1) % 32
    }

    /// The elements, oldest first.
    package var inOrder: [Element] { Array(ring[oldest...] + ring[..<oldest]) }
  }
#endif

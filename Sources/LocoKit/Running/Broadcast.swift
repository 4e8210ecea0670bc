/// The consumers' streams of one kind of element. Each stream has a bounded buffer that keeps the newest elements.
struct Broadcast<Element: Sendable> {
  private var consumers: [AsyncStream<Element>.Continuation] = []

  mutating func makeStream(keepingNewest count: Int) -> AsyncStream<Element> {
    let (stream, consumer) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(count))
    consumers.append(consumer)
    return stream
  }

  mutating func send(_ element: Element) {
    if !consumers.isEmpty { yield(element) }
  }

  // The size of a continuation isn't known at compile time. If this function were inlined, its caller would look up the size and reserve
  // memory, even without consumers.
  @inline(never)
  private mutating func yield(_ element: Element) {
    consumers.removeAll { consumer in
      if case .terminated = consumer.yield(element) { true } else { false }
    }
  }

  mutating func finish() {
    for consumer in consumers { consumer.finish() }
    consumers = []
  }
}

/// The newest 32 elements.
@usableFromInline
struct RecentLog<Element> {
  @usableFromInline var ring: [Element] = []
  @usableFromInline var oldest = 0

  @inlinable
  mutating func append(_ element: Element) {
    if ring.count < 32 { return ring.append(element) }
    ring[oldest] = element
    oldest = (oldest + 1) % 32
  }

  /// The elements, oldest first.
  var inOrder: [Element] { Array(ring[oldest...] + ring[..<oldest]) }
}

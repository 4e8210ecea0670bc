/// The consumers of one kind of element, each with a bounded buffer that keeps the newest.
struct Broadcast<Element: Sendable> {
  private var consumers: [AsyncStream<Element>.Continuation] = []

  /// A stream of the elements sent from now on, for one consumer.
  mutating func makeStream(keepingNewest count: Int) -> AsyncStream<Element> {
    let (stream, consumer) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(count))
    consumers.append(consumer)
    return stream
  }

  /// Gives an element to each consumer, and forgets those that have gone.
  mutating func send(_ element: Element) {
    if !consumers.isEmpty { yield(element) }
  }

  // The size of a continuation is known at run time only. Inlined, this function would make its caller look the size up and reserve
  // memory, even if there are no consumers.
  @inline(never)
  private mutating func yield(_ element: Element) {
    consumers.removeAll { consumer in
      if case .terminated = consumer.yield(element) { true } else { false }
    }
  }

  /// Ends all streams.
  mutating func finish() {
    for consumer in consumers { consumer.finish() }
    consumers = []
  }
}

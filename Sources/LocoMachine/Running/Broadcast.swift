#if !hasFeature(Embedded)
  /// The streams through which consumers receive elements of one type. Each stream has a bounded buffer that keeps the newest elements.
  @usableFromInline
  package struct Broadcast<Element: Sendable> {
    @usableFromInline
    struct Streams: Sendable {
      var made = 0
      var open: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    /// The open streams; `nil` before the first one, since most broadcasts have no consumer, and after ``finish()``. A stream that its
    /// consumer drops is removed immediately, on the consumer's thread.
    @usableFromInline var streams: Locked<Streams>?
    private var isFinished = false

    package init() {}

    /// Makes a stream, which has ended already after ``finish()``.
    package mutating func makeStream(
      keepingNewest count: Int, beginningWith first: Element? = nil
    ) -> AsyncStream<Element> {
      let (stream, consumer) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(count))
      if let first { consumer.yield(first) }
      if isFinished {
        consumer.finish()
        return stream
      }
      let streams = streams ?? Locked(Streams())
      self.streams = streams
      let number = streams.change {
        $0.made += 1
        $0.open[$0.made] = consumer
        return $0.made
      }
      consumer.onTermination = { [weak streams] _ in
        streams?.change { _ = $0.open.removeValue(forKey: number) }
      }
      return stream
    }

    /// The number of open streams.
    package var count: Int { open.count }

    private var open: [Int: AsyncStream<Element>.Continuation] { streams?.change { $0.open } ?? [:] }

    @inlinable
    package func send(_ element: Element) {
      if streams != nil { yield(element) }
    }

    // The size of a continuation isn't known at compile time. If this function were inlined, its caller would look up the size and reserve
    // memory, even without consumers.
    @inline(never)
    @usableFromInline
    func yield(_ element: Element) {
      for consumer in open.values { consumer.yield(element) }
    }

    package mutating func finish() {
      let open = open
      (streams, isFinished) = (nil, true)
      for consumer in open.values { consumer.finish() }
    }
  }
#endif

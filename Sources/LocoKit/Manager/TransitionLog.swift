/// The newest transitions, up to a bound.
struct TransitionLog {
  static let capacity = 32
  private var ring: [Transition] = []
  private var oldest = 0

  mutating func append(_ transition: Transition) {
    if ring.count < Self.capacity {
      ring.append(transition)
    } else {
      ring[oldest] = transition
      oldest = (oldest + 1) % Self.capacity
    }
  }

  /// In the order in which they happened.
  var inOrder: [Transition] {
    Array(ring[oldest...] + ring[..<oldest])
  }
}

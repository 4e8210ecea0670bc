extension StateGraph {
  /// A walk of random transitions from the initial state, each as likely as the others of its state.
  ///
  /// The same generator gives the same walk. No event of it is ignored, and it ends early only in a state that has no
  /// transitions.
  ///
  /// - Parameters:
  ///   - length: The number of events, zero or more.
  ///   - generator: The source of chance. One with a seed, as ``SeededGenerator``, lets a test that failed run again.
  public func walk(length: Int, using generator: inout some RandomNumberGenerator) -> [Machine.Event] {
    precondition(length >= 0, "A walk has no negative number of events.")
    var walk: [Machine.Event] = []
    var state = initial
    while walk.count < length, let edge = outgoing[state].randomElement(using: &generator) {
      walk.append(edges[edge].event)
      state = edges[edge].target
    }
    return walk
  }

  /// What is left of a walk that fails when events are left out of it for as long as it still fails.
  ///
  /// This is delta debugging: halves of the walk are left out, then quarters, down to single events, again and again.
  /// Events that would be ignored without those left out are left out with them, so every walk that is tried takes a
  /// transition with each of its events. In the end no single event can be left out in this way, unless the tries were
  /// used up before.
  ///
  /// A walk that does not fail is returned as it is.
  ///
  /// - Parameters:
  ///   - walk: Events from the initial state.
  ///   - maximumTries: How many walks are tried at most, `walk` among them; one or more.
  ///   - fails: Runs what is tested along a walk, from a new start, and tells whether it fails.
  public func shrunk(
    _ walk: [Machine.Event], maximumTries: Int = 1_000, where fails: ([Machine.Event]) -> Bool
  ) -> [Machine.Event] {
    precondition(maximumTries >= 1, "A walk is shrunk in one try or more.")
    guard fails(walk) else { return walk }
    var triesLeft = maximumTries - 1
    var shortest = walk
    var size = max(1, walk.count / 2)
    while true {
      let lengthBefore = shortest.count
      var start = 0
      while start < shortest.count {
        guard triesLeft > 0 else { return shortest }
        triesLeft -= 1
        let candidate = transitions(of: shortest[..<start] + shortest[start...].dropFirst(size))
        if fails(candidate) { shortest = candidate } else { start += size }
      }
      if size == 1, shortest.count == lengthBefore { return shortest }
      size = max(1, size / 2)
    }
  }

  /// The events without those that are ignored.
  private func transitions(of events: ArraySlice<Machine.Event>) -> [Machine.Event] {
    var state = initial
    return events.filter { event in
      guard let edge = outgoing[state].first(where: { edges[$0].event == event }) else { return false }
      state = edges[edge].target
      return true
    }
  }
}

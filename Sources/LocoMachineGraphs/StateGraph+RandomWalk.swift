@_spi(Benchmarks) public import LocoMachine

extension StateGraph {
  /// Returns walks of random events from the initial state.
  ///
  /// All transitions of a state are equally likely. Soon after a walk enters a state that no transition leaves, the walk ends and the next
  /// one starts.
  ///
  /// - Parameters:
  ///   - length: The number of events in all walks together, zero or more. If the initial state has no event to send, there are no walks.
  ///   - ignoredShare: The probability, 0…1, of sending an ignored event, such as an approval after a cancellation, in a state that has
  ///     both ignored events and transitions.
  ///   - seed: The same seed returns the same walks.
  public func walks(length: Int, ignoredShare: Double = 0, seed: UInt64) -> [[Machine.Event]] {
    var generator = SeededGenerator(seed: seed)
    precondition(length >= 0, "The length of the walks must be 0 or more.")
    precondition((0...1).contains(ignoredShare), "The share of ignored events must be 0 to 1.")
    var walks: [[Machine.Event]] = []
    var walk: [Machine.Event] = []
    var (state, remaining) = (initial, length)
    while remaining > 0 {
      if let (event, target) = step(from: state, ignoredShare: ignoredShare, using: &generator) {
        walk.append(event)
        remaining -= 1
        state = target
        // A trap is tested with a few more events.
        if !isTrap(state) || !Bool.random(using: &generator) { continue }
      } else if walk.isEmpty {
        break
      }
      walks.append(walk)
      (walk, state) = ([], initial)
    }
    return walk.isEmpty ? walks : walks + [walk]
  }

  private func step(
    from state: Int, ignoredShare: Double, using generator: inout SeededGenerator
  ) -> (event: Machine.Event, target: Int)? {
    if ignoredShare > 0, !ignored[state].isEmpty {
      let event = ignored[state][generator.index(below: ignored[state].count)]
      let chance = Double(generator.next() >> 11) * 0x1p-53
      if chance < ignoredShare || outgoing[state].isEmpty { return (event, state) }
    }
    guard !outgoing[state].isEmpty else { return nil }
    let edge = edges[outgoing[state][generator.index(below: outgoing[state].count)]]
    return (edge.event, edge.target)
  }

  /// Shortens a failing walk; the result fails too. A walk that doesn't fail is returned unchanged.
  ///
  /// This is delta debugging: the search omits halves of the walk, then quarters, down to single events, repeatedly. An event that can't
  /// occur after an omission is omitted too. So is an event that is then ignored, if the original walk has no ignored events. At the end,
  /// no single event can be omitted, unless the tries ran out.
  ///
  /// `fails` may also be `async`; then `await` the call.
  ///
  /// - Parameters:
  ///   - walk: Events from the initial state.
  ///   - maximumTries: The greatest number of calls of `fails`, 1 or more.
  ///   - fails: Restarts the tested code, sends it the events of a walk, and returns whether it fails.
  public func shrunk(
    _ walk: [Machine.Event], maximumTries: Int = 1_000, where fails: ([Machine.Event]) -> Bool
  ) -> [Machine.Event] {
    var search = shrinking(walk, maximumTries: maximumTries)
    while let candidate = search.candidate { search.conclude(fails: fails(candidate)) }
    return search.shortest
  }

  /// Returns the search for a shorter failing walk. Its candidates after the first one contain only events that can occur.
  func shrinking(_ walk: [Machine.Event], maximumTries: Int) -> Shrinking<Machine.Event> {
    let graph = transitions(of: walk[...]).count < walk.count ? withIgnoredEvents() : self
    return Shrinking(walk, maximumTries: maximumTries) { graph.transitions(of: $0) }
  }

  /// Follows the events from the initial state, and returns those that have an edge.
  fileprivate func transitions(of events: ArraySlice<Machine.Event>) -> [Machine.Event] {
    var state = initial
    return events.filter { event in
      guard let edge = outgoing[state].first(where: { edges[$0].event == event }) else { return false }
      state = edges[edge].target
      return true
    }
  }
}

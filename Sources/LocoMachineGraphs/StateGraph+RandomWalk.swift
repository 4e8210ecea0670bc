@_spi(Benchmarks) public import LocoMachine

extension StateGraph {
  /// Returns walks of random events from the initial state.
  ///
  /// All transitions of a state are equally likely. Soon after a walk enters a state without a way out, it ends and the next walk starts.
  ///
  /// - Parameters:
  ///   - length: The number of events in all walks, zero or more. There are fewer if no event changes anything.
  ///   - ignoredShare: The share of events that the machine ignores, 0…1, such as an approval after a cancellation.
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
        // A few more events test a state without a way out.
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
  /// This is delta debugging: the search omits halves of the walk, then quarters, down to single events, repeatedly. It also omits events
  /// that then can't occur, and events that are then ignored, unless the walk contains ignored events. At the end, no single event can be
  /// omitted, unless the tries ran out.
  ///
  /// For asynchronous code, see ``shrunk(_:maximumTries:isolation:where:)``.
  ///
  /// - Parameters:
  ///   - walk: Events from the initial state.
  ///   - maximumTries: The greatest number of calls of `fails`, 1 or more.
  ///   - fails: Runs the tested code along a walk, from a new start, and returns whether it fails.
  public func shrunk(
    _ walk: [Machine.Event], maximumTries: Int = 1_000, where fails: ([Machine.Event]) -> Bool
  ) -> [Machine.Event] {
    var search = shrinking(walk, maximumTries: maximumTries)
    while let candidate = search.candidate { search.conclude(fails: fails(candidate)) }
    return search.shortest
  }

  /// The search for a shorter failing walk. Each candidate is a walk that the graph has.
  func shrinking(_ walk: [Machine.Event], maximumTries: Int) -> Shrinking<Machine.Event> {
    let graph = transitions(of: walk[...]).count < walk.count ? withIgnoredEvents() : self
    return Shrinking(walk, maximumTries: maximumTries) { graph.transitions(of: $0) }
  }

  /// Returns the events of transitions that the graph has.
  fileprivate func transitions(of events: ArraySlice<Machine.Event>) -> [Machine.Event] {
    var state = initial
    return events.filter { event in
      guard let edge = outgoing[state].first(where: { edges[$0].event == event }) else { return false }
      state = edges[edge].target
      return true
    }
  }
}

// Questions about all paths. Each answer is exact, and a counterexample is as short as possible: events from the initial state, which a
// test can send to what it tests.

extension StateGraph {
  /// The fewest events that lead to a state that violates an invariant; `nil` if every reachable state satisfies it.
  ///
  /// ```swift
  /// // Each state of the light has a deadline.
  /// graph.counterexample(toAlways: { TrafficLight.deadline(in: $0) != nil })  // nil
  /// ```
  public func counterexample(toAlways holds: (Machine.State) -> Bool) -> [Machine.Event]? {
    search(from: initial) { !holds(states[$0]) }.map { $0.events }
  }

  /// The fewest events after which the machine, once it was in `source`, may never be in `target`; `nil` if every path leads there.
  ///
  /// A machine need not receive any event, and may receive any number of them: it can stay in a state without a deadline, and go round for
  /// ever. A deadline ends its state. The events lead to the state where the machine may stay, or once round.
  ///
  /// ```swift
  /// // A red light doesn't turn green if it is turned off: it flashes for ever.
  /// graph.counterexample(toEventually: .green, from: .red)  // [.turnOn, .turnOff, .timeOver]
  /// ```
  public func counterexample(
    toEventually target: Machine.State, from source: Machine.State = Machine.initialState
  ) -> [Machine.Event]? {
    guard target != source, let goal = states.firstIndex(of: target), let start = states.firstIndex(of: source),
      let prefix = search(from: initial, until: { $0 == start })
    else { return nil }
    let stay = search(from: start, avoiding: goal) { !hasDeadline[$0] }?.events
    let loop = states.indices.compactMap { state in lasso(from: start, round: state, avoiding: goal) }
      .min { $0.count < $1.count }
    let shortest = [stay, loop].compactMap { $0 }.min { $0.count < $1.count }
    return shortest.map { prefix.events + $0 }
  }

  /// The fewest events with which something happens, and later something else, without a third thing in between; `nil` if that cannot be.
  ///
  /// A row is a pair of a state and an event, with the transition or the reason for ignoring it.
  ///
  /// ```swift
  /// // Turned off and on, a green light turns red without amber.
  /// graph.counterexample(
  ///   toNever: { $0.target == .green }, then: { $0.target == .red },
  ///   without: { $0.target == .amber })  // [.turnOn, .timeOver, .turnOff, .turnOn]
  /// ```
  public func counterexample(
    toNever first: (TransitionTable<Machine>.Row) -> Bool, then second: (TransitionTable<Machine>.Row) -> Bool,
    without third: (TransitionTable<Machine>.Row) -> Bool
  ) -> [Machine.Event]? {
    let table = TransitionTable<Machine>()
    let full = withIgnoredEvents()
    let labels = full.edges.map { edge in
      let row = table.row(states[edge.source], edge.event)
      return (first: first(row), second: second(row), third: third(row))
    }
    // A node is a state, and whether the first thing has happened without the third.
    var cameBy = [(node: Int, event: Machine.Event)?](repeating: nil, count: 2 * states.count)
    var seen = [Bool](repeating: false, count: 2 * states.count)
    var frontier = [2 * initial]
    seen[2 * initial] = true
    func events(to node: Int) -> [Machine.Event] {
      var (events, node): ([Machine.Event], Int) = ([], node)
      while let step = cameBy[node] {
        events.append(step.event)
        node = step.node
      }
      return events.reversed()
    }
    while !frontier.isEmpty {
      var next: [Int] = []
      for node in frontier {
        let hasBegun = node % 2 == 1
        for index in full.outgoing[node / 2] {
          let (edge, label) = (full.edges[index], labels[index])
          if hasBegun, label.second { return events(to: node) + [edge.event] }
          let target = 2 * edge.target + (label.first || hasBegun && !label.third ? 1 : 0)
          if seen[target] { continue }
          seen[target] = true
          cameBy[target] = (node, edge.event)
          next.append(target)
        }
      }
      frontier = next
    }
    return nil
  }

  /// The fewest events that lead from a state to one that is wanted, without a state that is avoided.
  private func search(
    from source: Int, avoiding avoided: Int? = nil, until isWanted: (Int) -> Bool
  ) -> (state: Int, events: [Machine.Event])? {
    var cameBy = [Int?](repeating: nil, count: states.count)
    var frontier = [source]
    func events(to state: Int) -> [Machine.Event] {
      var (events, state): ([Machine.Event], Int) = ([], state)
      while state != source, let edge = cameBy[state] {
        events.append(edges[edge].event)
        state = edges[edge].source
      }
      return events.reversed()
    }
    while !frontier.isEmpty {
      if let found = frontier.first(where: isWanted) { return (found, events(to: found)) }
      var next: [Int] = []
      for state in frontier {
        for edge in outgoing[state] {
          let target = edges[edge].target
          guard target != source, target != avoided, cameBy[target] == nil else { continue }
          cameBy[target] = edge
          next.append(target)
        }
      }
      frontier = next
    }
    return nil
  }

  /// The fewest events that lead to a state and from there round to it again, each time leaving a state.
  private func lasso(from source: Int, round state: Int, avoiding avoided: Int) -> [Machine.Event]? {
    guard state != avoided, let way = search(from: source, avoiding: avoided, until: { $0 == state }) else {
      return nil
    }
    let round = outgoing[state].compactMap { edge -> [Machine.Event]? in
      let (target, event) = (edges[edge].target, edges[edge].event)
      guard edges[edge].isExternal, target != avoided else { return nil }
      return search(from: target, avoiding: avoided) { $0 == state }.map { [event] + $0.events }
    }
    return round.min { $0.count < $1.count }.map { way.events + $0 }
  }
}

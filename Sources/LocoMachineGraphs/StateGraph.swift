public import LocoMachine

/// A machine as a graph for exploration and model-based tests: states are nodes, transitions are edges.
///
/// ```swift
/// let graph = StateGraph<Turnstile>()
/// graph.unreachableStates                          // []
/// graph.traps                                      // []
/// graph.path(from: .locked, to: .unlocked)         // [.coin]
/// graph.tour()                                     // [.coin, .coin, .push]
/// graph.pairTours()                                // [[.coin, .coin, .coin, .push, .coin, .push]]
/// graph.reaches(.unlocked, avoiding: [.locked])    // false
/// ```
///
/// Results are deterministic: lists of states are in the order of declaration, and the choice among several shortest paths is always the
/// same.
public struct StateGraph<Machine: StateMachine>: Sendable {
  let states: [Machine.State]
  private(set) var edges: [Edge] = []
  /// The edges from each state, as positions in ``edges``.
  private(set) var outgoing: [[Int]]
  /// The events that each state ignores. A list omits the events that can't occur in its state, so no walk sends them there.
  private(set) var ignored: [[Machine.Event]]
  /// The default duration of each state's deadline; `nil` without a deadline.
  let durations: [Duration?]
  let initial: Int

  struct Edge: Sendable {
    let source: Int
    let target: Int
    let event: Machine.Event
    let isExternal: Bool
  }

  /// Reads the machine's table.
  public init() {
    let table = TransitionTable<Machine>()
    states = table.states
    var positions = [Int](repeating: 0, count: table.stateNumbers.bound)
    for (position, state) in states.enumerated() { positions[table.stateNumbers[state]] = position }
    initial = positions[table.stateNumbers[Machine.initialState]]
    durations = states.map { table.deadline(in: $0)?.duration }
    (outgoing, ignored) = (states.map { _ in [] }, states.map { _ in [] })
    for (source, state) in states.enumerated() {
      for event in table.events {
        let step = table.step(from: state, on: event)
        switch step.kind {
        case .ignored: ignored[source].append(event)
        case .impossible: break
        case .external, .internal:
          let target = positions[table.stateNumbers[step.next]]
          add(Edge(source: source, target: target, event: event, isExternal: step.kind == .external))
        }
      }
    }
  }

  private mutating func add(_ edge: Edge) {
    outgoing[edge.source].append(edges.count)
    edges.append(edge)
  }

  /// Returns the graph with ignored events as edges from a state to itself.
  func withIgnoredEvents() -> StateGraph {
    var graph = self
    for (state, events) in ignored.enumerated() {
      for event in events { graph.add(Edge(source: state, target: state, event: event, isExternal: false)) }
    }
    return graph
  }

  /// The states that a sequence of events leads to, including the initial state.
  public var reachableStates: [Machine.State] { reachable.map { states[$0] } }

  /// The states that no sequence of events leads to.
  public var unreachableStates: [Machine.State] {
    let reachable = Set(reachableStates)
    return states.filter { !reachable.contains($0) }
  }

  /// The states without a transition to another state.
  public var traps: [Machine.State] { states.indices.filter(isTrap).map { states[$0] } }

  func isTrap(_ state: Int) -> Bool { outgoing[state].allSatisfy { edges[$0].target == state } }

  /// Returns the shortest sequence of events from one state to another; `nil` if no path exists, empty if the states are equal.
  public func path(from source: Machine.State, to target: Machine.State) -> [Machine.Event]? {
    states.firstIndex(of: source).flatMap { search(from: $0) { states[$0] == target }?.events }
  }

  /// Returns whether a state can be reached from the initial state without entering one of the states `avoided`. The initial state
  /// counts as entered.
  public func reaches(_ state: Machine.State, avoiding avoided: Set<Machine.State>) -> Bool {
    !avoided.contains(Machine.initialState)
      && search(from: initial, avoiding: { avoided.contains(states[$0]) }) { states[$0] == state } != nil
  }

  var reachable: [Int] {
    var isReachable = states.map { _ in false }
    _ = search(from: initial) { state in
      isReachable[state] = true
      return false
    }
    return states.indices.filter { isReachable[$0] }
  }

  /// Finds the shortest path from a state to a goal.
  private func search(
    from source: Int, avoiding isAvoided: (Int) -> Bool = { _ in false }, until isGoal: (Int) -> Bool
  ) -> (node: Int, events: [Machine.Event])? {
    Self.search(nodes: states.count, from: source, until: isGoal) { state in
      outgoing[state].map { (edges[$0].target, edges[$0].event) }.filter { !isAvoided($0.0) }
    }
  }

  /// Searches a graph breadth first. Calls `isGoal` once for each node that it reaches, until a node is the goal.
  private static func search(
    nodes: Int, from source: Int, until isGoal: (Int) -> Bool, next: (Int) -> [(target: Int, event: Machine.Event)]
  ) -> (node: Int, events: [Machine.Event])? {
    var cameBy = [(source: Int, event: Machine.Event)?](repeating: nil, count: nodes)
    var frontier = [source]
    while !frontier.isEmpty {
      if let goal = frontier.first(where: isGoal) {
        var (events, node): ([Machine.Event], Int) = ([], goal)
        while node != source, let step = cameBy[node] {
          events.append(step.event)
          node = step.source
        }
        return (goal, events.reversed())
      }
      var found: [Int] = []
      for node in frontier {
        for (target, event) in next(node) where target != source && cameBy[target] == nil {
          cameBy[target] = (node, event)
          found.append(target)
        }
      }
      frontier = found
    }
    return nil
  }

  // MARK: - Questions about all paths

  // Each answer is exact. A counterexample is a shortest sequence of events from the initial state, which a test can send.

  /// Returns the shortest sequence of events to a state that violates an invariant; `nil` if every reachable state satisfies it.
  ///
  /// ```swift
  /// // Each state of the light has a deadline.
  /// graph.counterexample(toAlways: { TrafficLight.deadline(in: $0) != nil })  // nil
  /// ```
  public func counterexample(toAlways holds: (Machine.State) -> Bool) -> [Machine.Event]? {
    search(from: initial) { !holds(states[$0]) }?.events
  }

  /// Returns the shortest sequence of events that leads through `source` to a point from which the machine can avoid `target` forever;
  /// `nil` if every path from `source` reaches `target`, or if `source` is unreachable.
  ///
  /// A machine may receive no event or any number of them: it can stay in a state without a deadline, and repeat a cycle forever. A
  /// deadline ends its state. The returned events lead to the state where the machine may stay, or once through the cycle.
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
    let stay = search(from: start, avoiding: { $0 == goal }) { durations[$0] == nil }?.events
    let loop = states.indices.compactMap { lasso(from: start, through: $0, avoiding: goal) }.min { $0.count < $1.count }
    let shortest = [stay, loop].compactMap { $0 }.min { $0.count < $1.count }
    return shortest.map { prefix.events + $0 }
  }

  /// Returns the shortest path from `source` to a state, and then around a cycle back to it. The cycle's first transition is external.
  private func lasso(from source: Int, through state: Int, avoiding avoided: Int) -> [Machine.Event]? {
    guard state != avoided, let way = search(from: source, avoiding: { $0 == avoided }, until: { $0 == state }) else {
      return nil
    }
    let cycles = outgoing[state].compactMap { edge -> [Machine.Event]? in
      let (target, event) = (edges[edge].target, edges[edge].event)
      guard edges[edge].isExternal, target != avoided else { return nil }
      return search(from: target, avoiding: { $0 == avoided }) { $0 == state }.map { [event] + $0.events }
    }
    return cycles.min { $0.count < $1.count }.map { way.events + $0 }
  }

  /// Returns the shortest sequence of events in which a row matches `first`, and a later row matches `second`, without a match of `third`
  /// in between; `nil` if there is none.
  ///
  /// A row is a pair of a state and an event, with the reaction. The closures aren't called with events that can't occur.
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
    let (table, graph) = (TransitionTable<Machine>(), withIgnoredEvents())
    // Each state has two nodes. At the odd node, a row has matched `first`, and no later row has matched `third`; a row that matches
    // `second` leads to the goal.
    let goal = 2 * states.count
    return Self.search(nodes: goal + 1, from: 2 * initial, until: { $0 == goal }) { node in
      let hasBegun = node % 2 == 1
      return graph.outgoing[node / 2].map { index in
        let edge = graph.edges[index]
        let row = table.row(states[edge.source], edge.event)
        if hasBegun, second(row) { return (goal, edge.event) }
        return (2 * edge.target + (first(row) || hasBegun && !third(row) ? 1 : 0), edge.event)
      }
    }?.events
  }
}

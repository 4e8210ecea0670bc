/// A machine as a graph: states are nodes, transitions are edges. For exploring and for model-based tests.
///
/// ```swift
/// let graph = StateGraph<Turnstile>()
/// graph.unreachableStates                          // []
/// graph.traps                                      // []
/// graph.path(from: .locked, to: .unlocked)         // [.coin]
/// graph.tour()                                     // [.coin, .coin, .push]
/// graph.pairTours()                                // [[.coin, .coin, .coin, .push, .coin, .push]]
/// graph.reaches(.unlocked, avoiding: .locked)      // false
/// ```
///
/// All answers are lists in the order of declaration, or the shortest in that order, so they are the same every time. A
/// random walk is the same for the same generator.
public struct StateGraph<Machine: StateMachine>: Sendable {
  let states: [Machine.State]
  let edges: [Edge]
  let outgoing: [[Int]]
  /// The events that each state ignores.
  let ignored: [[Machine.Event]]
  /// Whether each state has a deadline.
  let hasDeadline: [Bool]
  let initial: Int

  struct Edge: Sendable {
    let source: Int
    let target: Int
    let event: Machine.Event
    /// Whether the state is left, be it for the same one.
    let isExternal: Bool
  }

  /// Reads the machine's table.
  public init() {
    let table = TransitionTable<Machine>()
    states = table.states
    // The table has checked that every state is listed.
    var positions = [Int](repeating: 0, count: table.stateNumbers.bound)
    for (position, state) in states.enumerated() { positions[table.stateNumbers[state]] = position }
    var edges: [Edge] = []
    var outgoing: [[Int]] = table.states.map { _ in [] }
    var ignored: [[Machine.Event]] = table.states.map { _ in [] }
    for (source, state) in table.states.enumerated() {
      for event in table.events {
        let step = table.step(from: state, on: event)
        if step.kind == .ignored {
          ignored[source].append(event)
          continue
        }
        outgoing[source].append(edges.count)
        edges.append(
          Edge(
            source: source, target: positions[table.stateNumbers[step.next]], event: event,
            isExternal: step.kind == .external))
      }
    }
    self.edges = edges
    self.outgoing = outgoing
    self.ignored = ignored
    hasDeadline = states.map { table.deadline(in: $0) != nil }
    initial = positions[table.stateNumbers[Machine.initialState]]
  }

  /// The states that some sequence of events leads to, the initial state among them.
  public var reachableStates: [Machine.State] {
    let seen = reachable(from: initial)
    return states.indices.filter { seen[$0] }.map { states[$0] }
  }

  /// The states that no sequence of events leads to.
  public var unreachableStates: [Machine.State] {
    let seen = reachable(from: initial)
    return states.indices.filter { !seen[$0] }.map { states[$0] }
  }

  /// The states that, once entered, are never left for another one.
  public var traps: [Machine.State] {
    states.indices.filter(isTrap).map { states[$0] }
  }

  func isTrap(_ state: Int) -> Bool { outgoing[state].allSatisfy { edges[$0].target == state } }

  /// The fewest events that lead from one state to another; `nil` where none do, empty where both are the same.
  public func path(from source: Machine.State, to target: Machine.State) -> [Machine.Event]? {
    guard let source = states.firstIndex(of: source), let target = states.firstIndex(of: target) else { return nil }
    return shortestPath(from: source, to: target)?.map { edges[$0].event }
  }

  /// Whether `state` can be reached from the initial state without ever being in `avoided`.
  public func reaches(_ state: Machine.State, avoiding avoided: Machine.State) -> Bool {
    reaches(state, avoiding: [avoided])
  }

  /// Whether `state` can be reached from the initial state without ever being in one of `avoided`.
  public func reaches(_ state: Machine.State, avoiding avoided: Set<Machine.State>) -> Bool {
    guard let target = states.firstIndex(of: state) else { return false }
    return reachable(from: initial, avoiding: states.map(avoided.contains))[target]
  }

  func reachable(from start: Int, avoiding avoided: [Bool]? = nil) -> [Bool] {
    var seen = [Bool](repeating: false, count: states.count)
    guard avoided?[start] != true else { return seen }
    seen[start] = true
    var frontier = [start]
    while let state = frontier.popLast() {
      for edge in outgoing[state] {
        let target = edges[edge].target
        if !seen[target], avoided?[target] != true {
          seen[target] = true
          frontier.append(target)
        }
      }
    }
    return seen
  }

  /// The same graph with the events that are ignored as edges from a state to itself.
  func withIgnoredEvents() -> StateGraph { StateGraph(addingIgnoredTo: self) }

  private init(addingIgnoredTo graph: StateGraph) {
    (states, initial, hasDeadline) = (graph.states, graph.initial, graph.hasDeadline)
    ignored = graph.states.map { _ in [] }
    var (edges, outgoing) = (graph.edges, graph.outgoing)
    for (state, events) in graph.ignored.enumerated() {
      for event in events {
        outgoing[state].append(edges.count)
        edges.append(Edge(source: state, target: state, event: event, isExternal: false))
      }
    }
    (self.edges, self.outgoing) = (edges, outgoing)
  }

  private func shortestPath(from source: Int, to target: Int) -> [Int]? {
    if source == target { return [] }
    var cameBy = [Int?](repeating: nil, count: states.count)
    var frontier = [source]
    while !frontier.isEmpty, cameBy[target] == nil {
      var next: [Int] = []
      for state in frontier {
        for edge in outgoing[state] where edges[edge].target != source && cameBy[edges[edge].target] == nil {
          cameBy[edges[edge].target] = edge
          next.append(edges[edge].target)
        }
      }
      frontier = next
    }
    guard cameBy[target] != nil else { return nil }
    var path: [Int] = []
    var state = target
    while state != source, let edge = cameBy[state] {
      path.append(edge)
      state = edges[edge].source
    }
    return path.reversed()
  }
}

public import LocoMachine

extension StateGraph {
  /// Returns a shortest walk from the initial state through every reachable transition, including internal ones; `nil` if no single walk
  /// takes all of them, as in a machine with two final states. For such a machine use ``tours()``.
  ///
  /// A test that sends the walk's events takes each transition in an order that can occur. The walk solves the Chinese postman problem
  /// on a directed graph with an open end.
  ///
  /// - Complexity: O(transitions² × states), milliseconds for a machine of a readable size.
  public func tour() -> [Machine.Event]? {
    walk(restarting: false)?.compactMap { edge in edge.map { edges[$0].event } }
  }

  /// Returns walks from the initial state that together take every reachable transition, including internal ones.
  ///
  /// The number of events plus the number of walks is minimal. A machine without reachable transitions has no walks.
  ///
  /// - Complexity: O(transitions² × states), milliseconds for a machine of a readable size.
  public func tours() -> [[Machine.Event]] { walk(restarting: true).map(events) ?? [] }

  /// Returns walks from the initial state that together take every reachable transition, and every pair of consecutive transitions.
  ///
  /// This is 1-switch coverage: it finds faults that depend on how a state was entered. The walks solve the Chinese postman problem on the
  /// line graph, whose nodes are the transitions and whose arcs are the pairs. The number of events plus the number of walks is minimal. A
  /// machine without reachable transitions has no walks.
  ///
  /// - Parameter includesIgnored: Whether an ignored event counts as a transition from its state to itself.
  /// - Complexity: O(pairs² × transitions). Usually, there are a few times as many pairs as transitions.
  public func pairTours(includesIgnored: Bool = false) -> [[Machine.Event]] {
    includesIgnored ? withIgnoredEvents().pairsOfEdges() : pairsOfEdges()
  }

  private func pairsOfEdges() -> [[Machine.Event]] {
    let taken = reachable.flatMap { outgoing[$0] }.sorted()
    var arcs: [Postman.Arc] = []
    var isInPair = [Bool](repeating: false, count: edges.count)
    for edge in taken {
      for next in outgoing[edges[edge].target] {
        arcs.append(Postman.Arc(source: edge, target: next, uses: 1))
        (isInPair[edge], isInPair[next]) = (true, true)
      }
    }
    let start = edges.count
    // A transition that is in no pair needs a separate walk.
    arcs += outgoing[initial].map { Postman.Arc(source: start, target: $0, uses: isInPair[$0] ? 0 : 1) }
    arcs += taken.map { Postman.Arc(source: $0, target: start, uses: 0) }
    // `start` isn't one of the ends, because the last walk would then have no event.
    let postman = Postman(nodeCount: edges.count + 1, arcs: arcs, start: start, ends: edges.indices)
    return postman.walk().map { walk in events(of: walk.map { arcs[$0].target == start ? nil : arcs[$0].target }) }
      ?? []
  }

  /// Returns the walk as positions in `edges`, with `nil` for a restart. Returns `nil` if no walk exists.
  private func walk(restarting: Bool) -> [Int?]? {
    let taken = reachable.flatMap { outgoing[$0] }.sorted()
    var arcs = taken.map { Postman.Arc(source: edges[$0].source, target: edges[$0].target, uses: 1) }
    if restarting {
      arcs += reachable.filter { $0 != initial }.map { Postman.Arc(source: $0, target: initial, uses: 0) }
    }
    let postman = Postman(nodeCount: states.count, arcs: arcs, start: initial, ends: states.indices)
    return postman.walk()?.map { $0 < taken.count ? taken[$0] : nil }
  }

  /// Splits a walk at its restarts, and returns the events of each part.
  private func events(of walk: [Int?]) -> [[Machine.Event]] {
    walk.split(separator: nil, omittingEmptySubsequences: true).map {
      $0.compactMap { edge in edge.map { edges[$0].event } }
    }
  }
}

/// The Chinese postman problem on a directed graph with an open end: a shortest walk that takes each arc at least a given number of times.
///
/// A minimum-cost flow finds the fewest repetitions of arcs. With these repetitions, the graph has an Eulerian walk.
private struct Postman {
  struct Arc {
    let source: Int
    let target: Int
    /// The minimum number of uses.
    let uses: Int
  }

  let nodeCount: Int
  let arcs: [Arc]
  let start: Int
  /// The nodes where the walk may end.
  let ends: Range<Int>

  /// Returns the walk as positions in `arcs`; `nil` if no walk exists.
  ///
  /// - Precondition: The uses that the flow finds connect `start` to each arc that must be used. Otherwise, the walk omits arcs.
  func walk() -> [Int]? { balancedUses().map(eulerWalk) }

  /// Returns how often the walk uses each arc; `nil` if no walk exists.
  ///
  /// The algorithm is successive shortest paths. A node that is entered more often than left is a source of the flow, and a node that is
  /// left more often than entered is a sink. One unit flows to an extra node, the end, through a free arc from one of `ends`.
  private func balancedUses() -> [Int]? {
    let end = nodeCount
    let arcs = arcs + ends.map { Arc(source: $0, target: end, uses: 0) }
    func price(_ arc: Int) -> Int { arc < self.arcs.count ? 1 : 0 }
    var surplus = [Int](repeating: 0, count: nodeCount + 1)
    surplus[start] += 1
    surplus[end] -= 1
    for arc in arcs {
      surplus[arc.target] += arc.uses
      surplus[arc.source] -= arc.uses
    }
    var repeats = [Int](repeating: 0, count: arcs.count)
    while let source = surplus.firstIndex(where: { $0 > 0 }) {
      // Bellman–Ford on the residual graph: repeating an arc costs its price, undoing a repetition refunds it.
      var cost = [Int?](repeating: nil, count: nodeCount + 1)
      var cameBy = [(arc: Int, repeats: Int)?](repeating: nil, count: nodeCount + 1)
      cost[source] = 0
      var changed = true
      func relax(_ from: Int, _ to: Int, _ arc: Int, _ repeats: Int) {
        guard let base = cost[from], base + repeats * price(arc) < cost[to] ?? .max else { return }
        cost[to] = base + repeats * price(arc)
        cameBy[to] = (arc, repeats)
        changed = true
      }
      while changed {
        changed = false
        for (index, arc) in arcs.enumerated() {
          relax(arc.source, arc.target, index, 1)
          if repeats[index] > 0 { relax(arc.target, arc.source, index, -1) }
        }
      }
      let sinks = surplus.indices.filter { surplus[$0] < 0 && cost[$0] != nil }
      guard let sink = sinks.min(by: { (cost[$0] ?? .max) < (cost[$1] ?? .max) }) else { return nil }
      var node = sink
      while node != source, let step = cameBy[node] {
        repeats[step.arc] += step.repeats
        node = step.repeats > 0 ? arcs[step.arc].source : arcs[step.arc].target
      }
      surplus[source] -= 1
      surplus[sink] += 1
    }
    return self.arcs.indices.map { self.arcs[$0].uses + repeats[$0] }
  }

  /// Hierholzer's algorithm: follows unused arcs to a node that has none left, and inserts the remaining cycles while backtracking.
  private func eulerWalk(_ uses: [Int]) -> [Int] {
    var unused = [[Int]](repeating: [], count: nodeCount)
    for (index, arc) in arcs.enumerated().reversed() {
      unused[arc.source] += Array(repeating: index, count: uses[index])
    }
    var walk: [Int] = []
    var pending: [(node: Int, arc: Int?)] = [(start, nil)]
    while let (node, arc) = pending.last {
      if let next = unused[node].popLast() {
        pending.append((arcs[next].target, next))
      } else {
        pending.removeLast()
        if let arc { walk.append(arc) }
      }
    }
    return walk.reversed()
  }
}

extension StateGraph {
  /// A shortest walk from the initial state through every transition that can be reached, internal ones too; `nil` where no
  /// single walk takes them all.
  ///
  /// This is the Chinese postman's problem on a directed graph, with the end left open: the walk uses every edge once,
  /// and the fewest edges again, which a minimum-cost flow finds. Drive a machine through it in a test, and each
  /// transition has been taken in an order that really happens.
  ///
  /// A machine with two ways to end has no such walk, but has ``tours()``.
  ///
  /// - Complexity: O(transitions² × states), milliseconds for machines that a person can read.
  public func tour() -> [Machine.Event]? {
    walk(restarting: false)?.compactMap { edge in edge.map { edges[$0].event } }
  }

  /// Walks, each from the initial state, that together take every transition that can be reached, internal ones too.
  ///
  /// Of all such sets this is one with the fewest events and walks, added up. Works for every machine; a machine without
  /// transitions has no walks.
  ///
  /// - Complexity: O(transitions² × states), milliseconds for machines that a person can read.
  public func tours() -> [[Machine.Event]] {
    guard let walk = walk(restarting: true) else { return [] }
    return events(of: walk)
  }

  /// Walks, each from the initial state, that together take every pair of transitions that can follow each other, and
  /// every transition.
  ///
  /// Testers know this as 1-switch coverage: it finds what goes wrong only where a state was entered in a particular way.
  /// The walks are those of a Chinese postman on the line graph, whose nodes are the transitions and whose arcs are the
  /// pairs. Of all such sets this is one with the fewest events and walks, added up. Works for every machine; a machine
  /// without transitions has no walks.
  ///
  /// - Parameter includesIgnored: Whether the walks also take each event that a state ignores, before and after each transition.
  /// - Complexity: O(pairs² × transitions), and pairs are a few times as many as transitions.
  public func pairTours(includesIgnored: Bool = false) -> [[Machine.Event]] {
    includesIgnored ? withIgnoredEvents().pairsOfEdges() : pairsOfEdges()
  }

  private func pairsOfEdges() -> [[Machine.Event]] {
    let seen = reachable(from: initial)
    let taken = edges.indices.filter { seen[edges[$0].source] }
    var arcs: [Postman.Arc] = []
    var isInPair = [Bool](repeating: false, count: edges.count)
    for edge in taken {
      for next in outgoing[edges[edge].target] {
        arcs.append(Postman.Arc(source: edge, target: next, uses: 1))
        isInPair[edge] = true
        isInPair[next] = true
      }
    }
    let start = edges.count
    for edge in outgoing[initial] {
      // A transition that nothing comes before and nothing follows is a walk by itself.
      arcs.append(Postman.Arc(source: start, target: edge, uses: isInPair[edge] ? 0 : 1))
    }
    arcs += taken.map { Postman.Arc(source: $0, target: start, uses: 0) }
    // A walk that ended in `start` would be one without an event.
    let postman = Postman(nodeCount: edges.count + 1, arcs: arcs, start: start, ends: edges.indices)
    guard let walk = postman.walk() else { return [] }
    return events(of: walk.map { arcs[$0].target == start ? nil : arcs[$0].target })
  }

  /// The walk as positions in `edges`; `nil` among them is a new start.
  private func walk(restarting: Bool) -> [Int?]? {
    let seen = reachable(from: initial)
    let taken = edges.indices.filter { seen[edges[$0].source] }
    var arcs = taken.map { Postman.Arc(source: edges[$0].source, target: edges[$0].target, uses: 1) }
    if restarting {
      arcs += states.indices.filter { seen[$0] && $0 != initial }
        .map { Postman.Arc(source: $0, target: initial, uses: 0) }
    }
    let postman = Postman(nodeCount: states.count, arcs: arcs, start: initial, ends: states.indices)
    return postman.walk()?.map { $0 < taken.count ? taken[$0] : nil }
  }

  /// The events of a walk, cut at each new start.
  private func events(of walk: [Int?]) -> [[Machine.Event]] {
    walk.split(separator: nil, omittingEmptySubsequences: true).map {
      $0.compactMap { edge in edge.map { edges[$0].event } }
    }
  }
}

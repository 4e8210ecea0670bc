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
    guard let walk = walk(restarting: true), !walk.isEmpty else { return [] }
    return walk.split(separator: nil, omittingEmptySubsequences: true).map {
      $0.compactMap { $0.map { edges[$0].event } }
    }
  }

  /// The walk as positions in `edges`; `nil` among them is a new start.
  private func walk(restarting: Bool) -> [Int?]? {
    let seen = reachable(from: initial)
    var arcs = edges.indices.filter { seen[edges[$0].source] }
      .map { Arc(source: edges[$0].source, target: edges[$0].target, edge: $0, uses: 1) }
    if restarting {
      arcs += states.indices.filter { seen[$0] && $0 != initial }
        .map { Arc(source: $0, target: initial, edge: nil, uses: 0) }
    }
    guard balance(&arcs) else { return nil }
    return eulerWalk(arcs)
  }

  /// An edge, or a new start, and how often the walk uses it.
  private struct Arc {
    let source: Int
    let target: Int
    let edge: Int?
    var uses: Int
  }

  /// Repeats arcs, as few as possible, until one open walk from the initial state can use each just as often as stated.
  ///
  /// Successive shortest paths: every state that is entered more often than left is a source of the difference, every
  /// state left more often is a sink, and one unit may end anywhere.
  private func balance(_ arcs: inout [Arc]) -> Bool {
    let end = states.count
    var surplus = [Int](repeating: 0, count: states.count + 1)
    surplus[initial] += 1
    surplus[end] -= 1
    for arc in arcs where arc.uses > 0 {
      surplus[arc.target] += 1
      surplus[arc.source] -= 1
    }
    var repeats = [Int](repeating: 0, count: arcs.count)
    var endedIn: Int?
    while let source = surplus.firstIndex(where: { $0 > 0 }) {
      // Bellman–Ford over the residual graph: repeating an arc costs 1, taking a repetition back earns 1.
      var cost = [Int?](repeating: nil, count: states.count + 1)
      var cameBy = [Residual?](repeating: nil, count: states.count + 1)
      cost[source] = 0
      var changed = true
      func relax(_ from: Int, _ to: Int, _ price: Int, _ step: Residual) {
        guard let base = cost[from], base + price < cost[to] ?? .max else { return }
        cost[to] = base + price
        cameBy[to] = step
        changed = true
      }
      while changed {
        changed = false
        for (index, arc) in arcs.enumerated() {
          relax(arc.source, arc.target, 1, .forward(index))
          if repeats[index] > 0 { relax(arc.target, arc.source, -1, .backward(index)) }
        }
        for state in states.indices { relax(state, end, 0, .finish(state)) }
        if let endedIn { relax(end, endedIn, 0, .unfinish(endedIn)) }
      }
      let sinks = surplus.indices.filter { surplus[$0] < 0 && cost[$0] != nil }
      guard let sink = sinks.min(by: { (cost[$0] ?? .max) < (cost[$1] ?? .max) }) else { return false }
      var node = sink
      while node != source, let step = cameBy[node] {
        switch step {
        case .forward(let index):
          repeats[index] += 1
          node = arcs[index].source
        case .backward(let index):
          repeats[index] -= 1
          node = arcs[index].target
        case .finish(let state):
          endedIn = state
          node = state
        case .unfinish(let state):
          if endedIn == state { endedIn = nil }
          node = end
        }
      }
      surplus[source] -= 1
      surplus[sink] += 1
    }
    for index in arcs.indices { arcs[index].uses += repeats[index] }
    return true
  }

  private enum Residual {
    case forward(Int)
    case backward(Int)
    case finish(Int)
    case unfinish(Int)
  }

  /// Hierholzer's algorithm: follow unused arcs until stuck, and join the detours while walking back.
  private func eulerWalk(_ arcs: [Arc]) -> [Int?] {
    var unused: [[Int]] = states.map { _ in [] }
    for (index, arc) in arcs.enumerated().reversed() {
      for _ in 0..<arc.uses { unused[arc.source].append(index) }
    }
    var walk: [Int] = []
    var pending: [(state: Int, arc: Int?)] = [(initial, nil)]
    while let (state, arc) = pending.last {
      if let next = unused[state].popLast() {
        pending.append((arcs[next].target, next))
      } else {
        pending.removeLast()
        if let arc { walk.append(arc) }
      }
    }
    return walk.reversed().map { arcs[$0].edge }
  }
}

/// The Chinese postman's problem on a directed graph, with the end left open: a shortest walk that uses each arc at least as
/// often as it must be used.
///
/// The fewest arcs that have to be used again are a minimum-cost flow; after that, the walk is Euler's.
struct Postman {
  struct Arc {
    let source: Int
    let target: Int
    /// How often the arc must be used, at least.
    let uses: Int
  }

  let nodeCount: Int
  let arcs: [Arc]
  /// The node in which the walk begins.
  let start: Int
  /// The nodes in which the walk may end.
  let ends: Range<Int>

  /// The walk as positions in `arcs`; `nil` where there is none.
  ///
  /// The arcs that must be used have to be connected, through each other or through `start`.
  func walk() -> [Int]? {
    balancedUses().map(eulerWalk)
  }

  /// How often each arc is used: as few times as possible, so that one open walk can use each just as often.
  ///
  /// Successive shortest paths: every node that is entered more often than left is a source of the difference, every node
  /// left more often is a sink, and one unit may end in any of `ends`.
  private func balancedUses() -> [Int]? {
    let end = nodeCount
    var surplus = [Int](repeating: 0, count: nodeCount + 1)
    surplus[start] += 1
    surplus[end] -= 1
    for arc in arcs {
      surplus[arc.target] += arc.uses
      surplus[arc.source] -= arc.uses
    }
    var repeats = [Int](repeating: 0, count: arcs.count)
    var endedIn: Int?
    while let source = surplus.firstIndex(where: { $0 > 0 }) {
      // Bellman–Ford over the residual graph: repeating an arc costs 1, taking a repetition back earns 1.
      var cost = [Int?](repeating: nil, count: nodeCount + 1)
      var cameBy = [Residual?](repeating: nil, count: nodeCount + 1)
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
        for node in ends { relax(node, end, 0, .finish(node)) }
        if let endedIn { relax(end, endedIn, 0, .unfinish(endedIn)) }
      }
      let sinks = surplus.indices.filter { surplus[$0] < 0 && cost[$0] != nil }
      guard let sink = sinks.min(by: { (cost[$0] ?? .max) < (cost[$1] ?? .max) }) else { return nil }
      var node = sink
      while node != source, let step = cameBy[node] {
        switch step {
        case .forward(let index):
          repeats[index] += 1
          node = arcs[index].source
        case .backward(let index):
          repeats[index] -= 1
          node = arcs[index].target
        case .finish(let last):
          endedIn = last
          node = last
        case .unfinish(let last):
          if endedIn == last { endedIn = nil }
          node = end
        }
      }
      surplus[source] -= 1
      surplus[sink] += 1
    }
    return arcs.indices.map { arcs[$0].uses + repeats[$0] }
  }

  private enum Residual {
    case forward(Int)
    case backward(Int)
    case finish(Int)
    case unfinish(Int)
  }

  /// Hierholzer's algorithm: follow unused arcs until stuck, and join the detours while walking back.
  private func eulerWalk(_ uses: [Int]) -> [Int] {
    var unused = [[Int]](repeating: [], count: nodeCount)
    for (index, arc) in arcs.enumerated().reversed() {
      for _ in 0..<uses[index] { unused[arc.source].append(index) }
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

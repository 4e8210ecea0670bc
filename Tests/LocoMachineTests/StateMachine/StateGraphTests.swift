import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitGPSD
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The state graph")
struct StateGraphTests {
  @Test("A graph names unreachable states and traps")
  func reachability() {
    let order = StateGraph<Order>()
    #expect(order.reachableStates == [.cart, .paid, .shipped, .cancelled])
    #expect(order.unreachableStates == [.lost])
    #expect(order.traps == [.shipped, .cancelled])

    let turnstile = StateGraph<Turnstile>()
    #expect(turnstile.reachableStates == [.locked, .unlocked])
    #expect(turnstile.unreachableStates.isEmpty)
    #expect(turnstile.traps.isEmpty)
  }

  @Test("path(from:to:) returns a shortest path, nil if there is none, and an empty path to the same state")
  func paths() {
    let order = StateGraph<Order>()
    #expect(order.path(from: .cart, to: .shipped) == [.pay, .ship])
    #expect(order.path(from: .cart, to: .cancelled) == [.cancel])
    #expect(order.path(from: .shipped, to: .cart) == nil)
    #expect(order.path(from: .cart, to: .lost) == nil)
    #expect(order.path(from: .cart, to: .cart) == [])
  }

  @Test("reaches(_:avoiding:) returns whether a state can be reached without entering others")
  func avoiding() {
    let order = StateGraph<Order>()
    #expect(order.reaches(.cancelled, avoiding: [.paid]))
    #expect(!order.reaches(.shipped, avoiding: [.paid]))
    #expect(!order.reaches(.cart, avoiding: [.cart]))
    #expect(!order.reaches(.cancelled, avoiding: [.cart, .paid]))
    #expect(!order.reaches(.shipped, avoiding: [.lost, .paid]))
    #expect(order.reaches(.shipped, avoiding: [.lost, .cancelled]))
  }

  @Test("The turnstile's tour includes its internal transition")
  func turnstile() {
    #expect(StateGraph<Turnstile>().tour() == [.coin, .coin, .push])
    #expect(StateGraph<Turnstile>().tours() == [[.coin, .coin, .push]])
  }

  @Test("A machine with two final states has several tours, and no single one")
  func severalEnds() {
    let tours = StateGraph<Order>().tours()
    #expect(tours.count == 4)
    #expect(tours.flatMap { $0 }.count == 6)
    #expect(StateGraph<Order>().tour() == nil)
  }

  @Test("The tour of a machine without transitions is empty")
  func still() {
    let still: [[Int?]] = Array(repeating: [nil, nil, nil], count: 4)
    Chosen.$targets.withValue(still) {
      #expect(StateGraph<Chosen>().tour() == [])
      #expect(StateGraph<Chosen>().tours() == [])
      #expect(StateGraph<Chosen>().traps == [.a, .b, .c, .d])
    }
  }

  @Test("Tours of small machines are as short as the shortest found by trial", arguments: 0..<300)
  func shortest(seed: UInt64) {
    let targets = Self.randomTargets(seed: seed)
    Chosen.$targets.withValue(targets) {
      let graph = StateGraph<Chosen>()
      let tour = graph.tour()
      #expect(tour?.count == fewestSteps(targets, restarting: false), "seed \(seed), \(targets)")
      if let tour { #expect(covers([tour], targets), "seed \(seed), \(targets)") }
      let tours = graph.tours()
      let steps = tours.map(\.count).reduce(0, +) + max(0, tours.count - 1)
      #expect(steps == fewestSteps(targets, restarting: true), "seed \(seed), \(targets)")
      #expect(covers(tours, targets), "seed \(seed), \(targets)")
    }
  }

  @Test("Pair tours take every pair of successive transitions, without an ignored event")
  func pairs() {
    expectPairTours(Turnstile.self)
    expectPairTours(Order.self)
    expectPairTours(Nasty.self)
    expectPairTours(Lift.self)
    expectPairTours(LocationMachine.self)
    expectPairTours(LookMachine.self)
    expectPairTours(TripMachine.self)
    expectPairTours(PaceMachine.self)
    expectPairTours(GPSDMachine.self)
    #expect(StateGraph<Turnstile>().pairTours() == [[.coin, .coin, .coin, .push, .coin, .push]])
    #expect(StateGraph<Order>().pairTours() == [[.pay, .ship], [.pay, .cancel], [.timeout], [.cancel]])
  }

  @Test("Pair tours of small machines are as short as the shortest found by trial", arguments: 0..<300)
  func shortestPairs(seed: UInt64) {
    let targets = Self.randomTargets(seed: seed)
    Chosen.$targets.withValue(targets) {
      expectPairTours(Chosen.self, "seed \(seed), \(targets)")
      let tours = StateGraph<Chosen>().pairTours()
      // The time to try all walks doubles with each pair.
      if let best = fewestPairSteps(targets, limit: 10) {
        let steps = tours.map(\.count).reduce(0, +) + max(0, tours.count - 1)
        #expect(steps == best, "seed \(seed), \(targets)")
      }
    }
  }

  @Test("Random walks follow transitions, restart at traps, and are the same for the same seed", arguments: 0..<100)
  func randomWalks(seed: UInt64) {
    Chosen.$targets.withValue(Self.randomTargets(seed: seed)) {
      let graph = StateGraph<Chosen>()
      for share in [0, 0.3, 1] {
        let walks = graph.walks(length: 50, ignoredShare: share, seed: seed)
        #expect(walks == graph.walks(length: 50, ignoredShare: share, seed: seed))
        #expect(graph.walks(length: 0, seed: seed) == [])
        var hasMoved = false
        for (number, walk) in walks.enumerated() {
          var states = [Chosen.initialState]
          for event in walk {
            let reaction = Chosen.reaction(in: states[states.count - 1], to: event)
            #expect(share > 0 || reaction.reason == nil, "seed \(seed)")
            hasMoved = hasMoved || reaction.reason == nil
            states.append(reaction.target ?? states[states.count - 1])
          }
          // Each walk except the last one ends in a trap.
          let end = states[states.count - 1]
          #expect(number == walks.count - 1 || graph.traps.contains(end), "seed \(seed): \(walk)")
        }
        let canMove = Chosen.Event.allCases.contains { Chosen.reaction(in: .a, to: $0).reason == nil }
        #expect(walks.joined().count == (canMove || share > 0 ? 50 : 0), "seed \(seed)")
        if share == 0 { #expect(hasMoved == canMove) }
      }
    }
  }

  @Test("No walk and no tour sends an event that can't occur, and neither does a shrunk walk", arguments: 0..<100)
  func excludedEvents(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let excluded = Set((0..<12).filter { _ in Bool.random(using: &random) })
    Chosen.$targets.withValue(Self.randomTargets(seed: seed)) {
      Chosen.$excluded.withValue(excluded) {
        let graph = StateGraph<Chosen>()
        func occurs(_ walk: [Chosen.Event]) -> Bool {
          var state = Chosen.initialState
          for event in walk {
            let reaction = Chosen.reaction(in: state, to: event)
            if case .never = reaction { return true }
            state = reaction.target ?? state
          }
          return false
        }
        let walks = [0, 0.5, 1].flatMap { graph.walks(length: 40, ignoredShare: $0, seed: seed) }
        let tours = graph.tours() + graph.pairTours(includesIgnored: true) + [graph.tour() ?? []]
        #expect(!(walks + tours).contains(where: occurs), "seed \(seed)")
        for walk in walks {
          _ = graph.shrunk(walk, maximumTries: 30) { candidate in
            #expect(!occurs(candidate), "seed \(seed): \(candidate)")
            return candidate.count > 2
          }
        }
        _ = graph.counterexample(
          toNever: { row in
            #expect(!row.isImpossible, "seed \(seed)")
            return true
          }, then: { _ in false }, without: { _ in false })
      }
    }
  }

  @Test("Random walks of an order have at least the requested share of ignored events")
  func ignoredShare() {
    let (graph, table) = (StateGraph<Order>(), TransitionTable<Order>())
    let walks = graph.walks(length: 3_000, ignoredShare: 0.25, seed: 3)
    var ignored = 0
    for walk in walks {
      var state = Order.initialState
      for event in walk where table.advance(&state, on: event).kind == .ignored { ignored += 1 }
    }
    #expect(walks.count > 300 && walks.joined().count == 3_000)
    // More than a quarter: a shipped or cancelled order ignores every event.
    #expect((750...1_900).contains(ignored), "\(ignored)")
  }

  @Test("Pair tours that include ignored events take each pair of events")
  func ignoredPairs() {
    let (graph, table) = (StateGraph<Order>(), TransitionTable<Order>())
    func pairs(_ tours: [[Order.Event]]) -> Set<[String]> {
      var pairs: Set<[String]> = []
      for tour in tours {
        var state = Order.initialState
        var last: String?
        for event in tour {
          let name = "\(event) in \(state)"
          if let last { pairs.insert([last, name]) }
          last = name
          table.advance(&state, on: event)
        }
      }
      return pairs
    }
    var wanted: Set<[String]> = []
    for state in graph.reachableStates {
      for first in Order.Event.allCases {
        let next = table.step(from: state, on: first).next
        for second in Order.Event.allCases { wanted.insert(["\(first) in \(state)", "\(second) in \(next)"]) }
      }
    }
    #expect(pairs(graph.pairTours(includesIgnored: true)) == wanted)
    #expect(pairs(graph.pairTours()).count < wanted.count)
  }

  @Test("Long random walks take the transitions of a state equally often")
  func evenWalks() {
    let walk = StateGraph<Turnstile>().walks(length: 3_000, seed: 1)[0]
    // Two of three events occur while the turnstile is unlocked, and half of those are pushes.
    #expect((900...1_100).contains(walk.filter { $0 == .push }.count))
  }

  @Test("A failing walk is shrunk until no event can be left out", arguments: 0..<100)
  func shrinks(seed: UInt64) {
    Chosen.$targets.withValue(Self.randomTargets(seed: seed)) {
      let graph = StateGraph<Chosen>()
      let walk = graph.walks(length: 50, seed: seed).first ?? []
      /// Returns the initial state and the state after each event; `nil` if an event is ignored.
      func path(_ walk: [Chosen.Event]) -> [Chosen.State]? {
        var path = [Chosen.initialState]
        for event in walk {
          guard let next = Chosen.reaction(in: path[path.count - 1], to: event).target else { return nil }
          path.append(next)
        }
        return path
      }
      // A candidate fails if it takes the walk's last transition at least twice.
      guard let event = walk.last, let state = path(walk)?.dropLast().last else { return }
      func fails(_ candidate: [Chosen.Event]) -> Bool {
        guard let path = path(candidate) else {
          Issue.record("seed \(seed): \(candidate) has an event that is ignored")
          return false
        }
        return zip(path, candidate).filter { $0 == state && $1 == event }.count >= 2
      }
      let shrunk = graph.shrunk(walk, where: fails)
      guard fails(walk) else {
        #expect(shrunk == walk)
        return
      }
      #expect(fails(shrunk) && shrunk.count <= walk.count)
      for index in shrunk.indices {
        var shorter = shrunk
        shorter.remove(at: index)
        #expect(path(shorter) == nil || !fails(shorter), "seed \(seed): \(shrunk) without \(index)")
      }
    }
  }

  @Test("Shrinking leaves out ignored events that aren't needed, and keeps a walk that doesn't fail")
  func shrinksByHand() {
    let graph = StateGraph<Turnstile>()
    let walk: [Turnstile.Event] = [.push, .coin, .push, .push, .coin, .coin, .push]
    #expect(graph.shrunk(walk) { $0.filter { $0 == .coin }.count >= 2 } == [.coin, .coin])
    #expect(graph.shrunk(walk) { $0.starts(with: walk) } == walk)
    #expect(graph.shrunk(walk) { _ in false } == walk)
    #expect(graph.shrunk(walk) { _ in true } == [])
    #expect(graph.shrunk([]) { _ in true } == [])
    // An ignored event that the walk needs is kept.
    #expect(graph.shrunk([.coin, .push, .push, .coin, .push]) { $0.contains([.push, .push]) } == [.push, .push])
    // A coin can be left out only after the push was left out.
    #expect(graph.shrunk([.coin, .coin, .push]) { $0.count == 3 || $0.first != nil && $0.last == .coin } == [.coin])
  }

  @Test("Shrinking respects its maximum number of tries", arguments: 1...12)
  func bounded(maximumTries: Int) {
    let walk = [Turnstile.Event](repeating: .coin, count: 100)
    var tried: [[Turnstile.Event]] = []
    let shrunk = StateGraph<Turnstile>().shrunk(walk, maximumTries: maximumTries) {
      tried.append($0)
      return $0.count >= 40
    }
    #expect(tried.count == maximumTries)
    #expect(tried.last { $0.count >= 40 } == shrunk)
  }

  /// Expects that the pair tours take exactly the transitions and pairs of the machine's function.
  private func expectPairTours<Machine: StateMachine>(_: Machine.Type, _ comment: Comment? = nil) {
    func transitions(in state: Machine.State) -> [(name: String, target: Machine.State)] {
      Machine.Event.allCases.compactMap { event in
        let reaction = Machine.reaction(in: state, to: event)
        return reaction.reason == nil ? ("\(state.rawValue) \(event.rawValue)", reaction.target ?? state) : nil
      }
    }
    var wanted: Set<[String]> = []
    var reached: Set<Machine.State> = [Machine.initialState]
    var frontier = [Machine.initialState]
    while let state = frontier.popLast() {
      for first in transitions(in: state) {
        wanted.insert([first.name])
        for second in transitions(in: first.target) { wanted.insert([first.name, second.name]) }
        if reached.insert(first.target).inserted { frontier.append(first.target) }
      }
    }
    var taken: Set<[String]> = []
    for walk in StateGraph<Machine>().pairTours() {
      #expect(!walk.isEmpty, comment)
      var state = Machine.initialState
      var previous: String?
      for event in walk {
        let reaction = Machine.reaction(in: state, to: event)
        #expect(reaction.reason == nil, comment)
        let name = "\(state.rawValue) \(event.rawValue)"
        taken.insert([name])
        if let previous { taken.insert([previous, name]) }
        previous = name
        state = reaction.target ?? state
      }
    }
    #expect(taken == wanted, comment)
  }

  /// Returns the smallest number of events and restarts that take every pair; `nil` for more than `limit` pairs. A transition in no pair
  /// counts as a pair. The search is breadth-first, over the last transition and the set of pairs taken.
  private func fewestPairSteps(_ targets: [[Int?]], limit: Int) -> Int? {
    let reachable = reachableEdges(targets)
    let edges = (0..<12).filter { reachable & 1 << $0 != 0 }
    func target(_ edge: Int) -> Int { targets[edge / 3][edge % 3] ?? 0 }
    var wanted = edges.flatMap { first in edges.filter { $0 / 3 == target(first) }.map { [first, $0] } }
    wanted += edges.filter { edge in !wanted.contains { $0.contains(edge) } }.map { [$0] }
    guard wanted.count <= limit else { return nil }
    let all = 1 << wanted.count - 1
    // A node is the last transition (12 at the start of a walk) and the set of pairs taken.
    var frontier: Set<[Int]> = [[12, 0]]
    var seen = frontier
    var steps = 0
    while !frontier.contains(where: { $0[1] == all }) {
      var next: Set<[Int]> = []
      for node in frontier {
        for edge in edges where edge / 3 == (node[0] == 12 ? 0 : target(node[0])) {
          var taken = node[1]
          for (bit, want) in wanted.enumerated() where want == [edge] || want == [node[0], edge] { taken |= 1 << bit }
          next.insert([edge, taken])
        }
        next.insert([12, node[1]])
      }
      frontier = next.subtracting(seen)
      seen.formUnion(frontier)
      steps += 1
    }
    return steps
  }

  #if _pointerBitWidth(_64)
    @Test("A seeded index equals Int.random(in:using:) on a 64-bit platform", arguments: [1, 2, 3, 20, 1_000])
    func seededIndex(count: Int) {
      var (fixed, platform) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
      for _ in 0..<1_000 { #expect(fixed.index(below: count) == Int.random(in: 0..<count, using: &platform)) }
    }
  #endif

  /// Returns the targets of a machine with up to twelve transitions, by state and event. A target is `nil` if the event is
  /// ignored.
  static func randomTargets(seed: UInt64) -> [[Int?]] {
    var random = SeededGenerator(seed: seed)
    let ignored = Double.random(in: 0.2...0.8, using: &random)
    return (0..<4).map { _ in
      (0..<3).map { _ in
        Double.random(in: 0..<1, using: &random) < ignored ? nil : Int.random(in: 0..<4, using: &random)
      }
    }
  }

  /// Returns the smallest number of events and restarts that take every reachable transition; `nil` if that isn't possible.
  private func fewestSteps(_ targets: [[Int?]], restarting: Bool) -> Int? {
    let wanted = reachableEdges(targets)
    var frontier: Set<[Int]> = [[0, 0]]
    var seen = frontier
    var steps = 0
    while !frontier.isEmpty {
      if frontier.contains(where: { $0[1] == wanted }) { return steps }
      var next: Set<[Int]> = []
      for node in frontier {
        for event in 0..<3 {
          guard let target = targets[node[0]][event] else { continue }
          next.insert([target, node[1] | 1 << (node[0] * 3 + event)])
        }
        if restarting { next.insert([0, node[1]]) }
      }
      frontier = next.subtracting(seen)
      seen.formUnion(frontier)
      steps += 1
    }
    return nil
  }

  private func reachableEdges(_ targets: [[Int?]]) -> Int {
    var reached: Set<Int> = [0]
    var grew = true
    while grew {
      let next = reached.union(reached.flatMap { targets[$0].compactMap { $0 } })
      grew = next.count > reached.count
      reached = next
    }
    var edges = 0
    for state in reached {
      for event in 0..<3 where targets[state][event] != nil { edges |= 1 << (state * 3 + event) }
    }
    return edges
  }

  private func covers(_ walks: [[Chosen.Event]], _ targets: [[Int?]]) -> Bool {
    var taken = 0
    for walk in walks {
      var state = 0
      for event in walk {
        let column = Chosen.Event.allCases.firstIndex(of: event) ?? 0
        guard let target = targets[state][column] else { return false }
        taken |= 1 << (state * 3 + column)
        state = target
      }
    }
    return taken == reachableEdges(targets)
  }
}

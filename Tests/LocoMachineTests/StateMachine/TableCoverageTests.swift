import LocoMachineTesting
import Testing

@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The coverage of a table")
struct TableCoverageTests {
  private typealias Order = RunnerSaveTests.Order

  /// Sends events to a runner with a coverage.
  private static func send(_ events: [Turnstile.Event], to coverage: TableCoverage<Turnstile>) {
    let gate = MachineRunner<Turnstile> { _, _ in }
    gate.listeners.add(coverage)
    for event in events { gate.send(event) }
  }

  @Test(
    "A coverage names the transitions, ignored rows and successions that weren't taken",
    arguments: [
      ([], ["locked: coin", "unlocked: coin", "unlocked: push"], ["locked: push"], 5),
      ([.push], ["locked: coin", "unlocked: coin", "unlocked: push"], [], 5),
      ([.coin], ["unlocked: coin", "unlocked: push"], ["locked: push"], 5),
      ([.coin, .push], ["unlocked: coin"], ["locked: push"], 4),
      // An ignored event doesn't separate the transitions before and after it.
      ([.coin, .push, .push, .coin, .coin], [], [], 2),
    ] as [([Turnstile.Event], [String], [String], Int)])
  func missing(events: [Turnstile.Event], transitions: [String], ignored: [String], successions: Int) {
    let coverage = TableCoverage<Turnstile>()
    Self.send(events, to: coverage)
    #expect(coverage.missing(.transitions) == transitions)
    #expect(coverage.missing(.ignored) == ignored)
    #expect(coverage.missing(.successions).count == successions)
  }

  @Test("A coverage is written as text and as a coloured diagram with counts")
  func formats() {
    let coverage = TableCoverage<Turnstile>()
    Self.send([.coin, .push, .coin, .push], to: coverage)
    #expect(coverage.description == "2 of 3 transitions, 0 of 1 ignored, 2 of 5 successions\nnot taken: unlocked: coin")
    let plain = StateDiagram<Turnstile>().dot
    #expect(coverage.dot.contains("coin (2×)") && coverage.dot.contains("#12824c") && coverage.dot != plain)
    #expect(!TableCoverage<Turnstile>().dot.contains("#12824c"))
    #expect(!plain.contains("×") && !plain.contains("fontcolor"))
  }

  private enum Door: StateMachine {
    enum State: String, CaseIterable { case closed, open }
    enum Event: String, CaseIterable { case push, pull, lock }
    static let initialState = State.closed

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      event == .lock ? .never("The door has no lock.") : .go(.open, [])
    }
  }

  @Test("An arrow is green if all of its transitions were taken, orange if some were, and red if none was")
  func colors() {
    let coverage = TableCoverage<Door>()
    func color() -> String? {
      let arrow = coverage.dot.split(separator: "\n").first { $0.contains("s0 -> s1") }
      return arrow?.firstMatch(of: /, color="(#\w+)"/).map { String($0.1) }
    }
    #expect(color() == "#c4183c")
    coverage.record(.push, in: .closed)
    #expect(color() == "#b35900")
    coverage.record(.pull, in: .closed)
    #expect(color() == "#12824c")
  }

  @Test("Rows whose event can't occur aren't listed")
  func impossible() {
    let coverage = TableCoverage<Door>()
    #expect(coverage.missing(.transitions) == ["closed: push", "closed: pull", "open: push", "open: pull"])
    #expect(coverage.missing(.ignored) == [])
    #expect(!coverage.missing(.successions).contains { $0.contains("lock") })
  }

  private static func order(_ coverage: TableCoverage<Order>) -> MachineRunner<Order> {
    let order = MachineRunner<Order>(
      clock: ManualClock(), perform: { _, _ in }, activities: { _ in .closures(start: {}, stop: {}) })
    order.listeners.add(coverage)
    return order
  }

  @Test("The walks of pairTours take each transition and each succession", arguments: [false, true])
  func tours(includesIgnored: Bool) {
    let coverage = TableCoverage<Order>()
    for walk in StateGraph<Order>().pairTours(includesIgnored: includesIgnored) {
      let order = Self.order(coverage)
      for event in walk { order.send(event) }
    }
    // An order that is paid or broken ignores all events, and no walk fails to save.
    #expect(coverage.missing(.transitions).isEmpty && coverage.missing(.successions).isEmpty)
    #expect(coverage.missing(.ignored).isEmpty == includesIgnored)
  }

  @Test("The counts are those of a recount, with several runners", arguments: 0..<20 as Range<UInt64>)
  func recount(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = TableCoverage<Order>()
    var (rows, successions): ([String: Int], Set<String>) = ([:], [])
    var orders: [(runner: MachineRunner<Order>, last: String?)] = (0..<4).map { _ in (Self.order(all), nil) }
    for _ in 0..<300 {
      let index = random.index(below: orders.count)
      if random.index(below: 20) == 0 { orders[index] = (Self.order(all), nil) }
      let event = Order.Event.allCases[random.index(below: Order.Event.allCases.count)]
      let row = "\(orders[index].runner.state.rawValue): \(event.rawValue)"
      rows[row, default: 0] += 1
      if case .ignored = orders[index].runner.send(event) { continue }
      if let last = orders[index].last { successions.insert("\(last), then \(row)") }
      orders[index].last = row
    }
    for row in TransitionTable<Order>().rows {
      #expect(all.count(of: row.event, in: row.state) == rows["\(row.state.rawValue): \(row.event.rawValue)"] ?? 0)
    }
    let missing = all.missing(.successions)
    #expect(successions.isDisjoint(with: missing), "seed \(seed)")
    #expect(Set(TableCoverage<Order>().missing(.successions)) == successions.union(missing), "seed \(seed)")
  }

  @Test("A transition whose state couldn't be saved isn't counted")
  func failedSave() {
    let coverage = TableCoverage<Order>()
    let order = Self.order(coverage)
    order.save = { _, _ in .saveFailed }
    order.send(.buy)
    #expect(coverage.count(of: .buy, in: .open) == 0 && coverage.count(of: .saveFailed, in: .open) == 1)
  }

  @Test("A row that no runner has taken can be recorded, and belongs to no succession")
  func recorded() {
    let coverage = TableCoverage<Turnstile>()
    coverage.record(.coin, in: .locked)
    coverage.record(.push, in: .unlocked)
    #expect(coverage.missing(.transitions) == ["unlocked: coin"] && coverage.missing(.successions).count == 5)
  }

  @Test("Tests that run in parallel can share a coverage")
  func parallel() async {
    let coverage = TableCoverage<Turnstile>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<50 { Self.send([.coin, .push], to: coverage) } } }
    }
    #expect(coverage.count(of: .coin, in: .locked) == 400 && coverage.count(of: .push, in: .unlocked) == 400)
    // No runner pushes and then pays, though a new one can have the address of an old one.
    #expect(coverage.missing(.successions).count == 4)
  }
}

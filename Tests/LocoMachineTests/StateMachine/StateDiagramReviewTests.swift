import Testing

@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

/// A reviewer of a machine reads its changes, its warnings, the longest times, and a log as a sequence diagram.
@Suite("The review of a machine")
struct StateDiagramReviewTests {
  private static let header = "state,event,target,effects,reason,reaction\n"

  // MARK: - Changes

  private static let old =
    header + "locked,coin,unlocked,,,go\nlocked,push,,,The arm is locked until a coin is paid.,ignore\n"
    + "unlocked,coin,,refund,,stay\nunlocked,push,locked,,,go\n"

  private enum LineEnds: StateMachine {
    enum State: String, CaseIterable { case on }
    enum Event: String, CaseIterable { case unix = "a\nb", windows = "a\r\nb" }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      event == .unix ? .stay([]) : .ignore("It has happened.")
    }
  }

  @Test("Events whose names differ only in their line ends stay apart")
  func lineEnds() throws {
    let diagram = StateDiagram<LineEnds>()
    #expect(try diagram.changes(from: diagram.csv).isEmpty)
    #expect(try diagram.changes(from: diagram.csv.replacing("ignore\n", with: "never\n")).count == 1)
  }

  @Test(
    "A change of a table is a line each",
    arguments: [
      ("coin,unlocked,,,go", "coin,unlocked,,,go", []),
      (
        "unlocked,coin,,refund,,stay", "unlocked,coin,,,,stay",
        ["changed: unlocked: coin stays / refund (was stays)"]
      ),
      (
        "unlocked,coin,,refund,,stay", "unlocked,coin,locked,refund,,go",
        ["changed: unlocked: coin stays / refund (was → locked / refund)"]
      ),
      (
        "locked,coin,unlocked,,,go", "locked,coin,,,\"It is \"\"free\"\", today.\",never",
        ["changed: locked: coin → unlocked (was can't occur: It is \"free\", today.)"]
      ),
      (
        "The arm is locked until a coin is paid.", "It is locked.",
        [
          "changed: locked: push ignored: The arm is locked until a coin is paid. (was ignored: It is locked.)"
        ]
      ),
      (
        "unlocked,push,locked,,,go\n",
        "unlocked,push,locked,,,go\nunlocked,kick,,,It bears it.,ignore\nlocked,kick,unlocked,,,go\n",
        ["event removed: kick", "removed: locked: kick → unlocked"]
      ),
      (
        "unlocked,push,locked,,,go\n",
        "unlocked,push,locked,,,go\nbroken,coin,locked,,,go\nbroken,push,,,It is broken.,ignore\n",
        ["state removed: broken", "removed: broken: coin → locked"]
      ),
      (
        "coin,unlocked,,,go\nlocked,push,,,The arm is locked until a coin is paid.,ignore\nunlocked,coin,,refund,,stay\n"
          + "unlocked,push,locked,,,go\n",
        "coin,,,,stay\nlocked,push,,,The arm is locked until a coin is paid.,ignore\n",
        [
          "state added: unlocked", "changed: locked: coin → unlocked (was stays)",
          "added: unlocked: coin stays / refund",
          "added: unlocked: push → locked",
        ]
      ),
    ])
  func change(now: String, before: String, lines: [String]) throws {
    #expect(Self.old == StateDiagram<Turnstile>().csv && Self.old.contains(now))
    let before = Self.old.replacing(now, with: before)
    #expect(try StateDiagram<Turnstile>().changes(from: before) == lines)
    // Line ends don't matter, nor does the last one.
    #expect(try StateDiagram<Turnstile>().changes(from: before.replacing("\n", with: "\r\n")) == lines)
    #expect(try StateDiagram<Turnstile>().changes(from: String(before.dropLast())) == lines)
  }

  @Test("If the initial state is new, each state that it doesn't reach is listed")
  func renamedInitialState() throws {
    let before = StateDiagram<Lost>().csv.replacing("ready,", with: "idle,")
    #expect(try StateDiagram<Lost>().changes(from: before).contains("no longer reachable: far"))
  }

  enum Lost: StateMachine {
    enum State: String, CaseIterable { case ready, near, far }
    enum Event: String, CaseIterable { case go }
    static let initialState = State.ready
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      state == .far ? .ignore("It is far.") : .go(.near, [])
    }
  }

  @Test("Each recorded table is that of its machine, whatever characters its names have")
  func recorded() throws {
    func check<Machine: StateMachine>(_ machine: Machine.Type) throws {
      let diagram = StateDiagram<Machine>()
      #expect(try diagram.changes(from: diagram.csv) == [], "\(machine)")
      // Even in names, a checkout may have changed the line ends.
      #expect(try diagram.changes(from: diagram.csv.replacing("\n", with: "\r\n")) == [], "\(machine)")
    }
    try check(Turnstile.self)
    try check(TrafficLight.self)
    try check(Order.self)
    try check(Nasty.self)
    try check(Words.self)
    try check(Unprintable.self)
    try check(Large.self)
  }

  @Test(
    "A text that is no table is refused with its line",
    arguments: [
      ("", 1, "is missing: the table is empty"),
      ("a,b\n", 1, "must be state,event,target,effects,reason,reaction, as StateDiagram.csv writes it"),
      (header + "a,b,c,,go\n", 2, "has 5 fields instead of 6"),
      (header + "a,b,c,,,go,\n", 2, "has 7 fields instead of 6"),
      (header + "a,b,c,,,goes\n", 2, "has the reaction \"goes\", which must be go, stay, ignore or never"),
      (header + "a,b,c,,,go\na,\"c\nd\",c,,,go\na,b,,,x,ignore\n", 5, "repeats a: b"),
      (header + "a,b,c,,,go\n\na,\"b\"\",c,,,go\n", 4, "has a quote that doesn't end"),
      (header + "a,\"b\"x,c,,,go\n", 2, "has a character behind the quote that ends a field"),
      (
        old.replacing("unlocked,push,locked,,,go\n", with: ""), 4,
        "is the last one, and there is none for unlocked: push"
      ),
      (
        old.replacing("locked,push,,,The arm is locked until a coin is paid.,ignore\n", with: ""), 4,
        "is the last one, and there is none for locked: push"
      ),
      (
        old.replacing("unlocked,coin,,refund,,stay\nunlocked,push,locked,,,go\n", with: ""), 3,
        "is the last one, and there is none for unlocked: coin"
      ),
    ])
  func refused(text: String, line: Int, problem: String) {
    let failure = #expect(throws: TableFailure.self) { try StateDiagram<Turnstile>().changes(from: text) }
    #expect(failure?.description == "Line \(line) of the table \(problem).")
  }

  @Test(
    "A change lists each pair that differs, each new trap and each state that can't be reached any more",
    arguments: 0..<300 as Range<UInt64>)
  func changeOfRandomMachine(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    typealias Table = [TransitionTable<Chosen>.Row]
    let (csv, old, oldTraps, oldUnreachable) = Chosen.drawn(&random) {
      let graph = StateGraph<Chosen>()
      return (StateDiagram<Chosen>().csv, TransitionTable<Chosen>().rows, graph.traps, graph.unreachableStates)
    }
    try Chosen.drawn(&random) {
      let lines = try StateDiagram<Chosen>().changes(from: csv)
      let (new, graph) = (TransitionTable<Chosen>().rows, StateGraph<Chosen>())
      let changed = zip(old, new).filter { $0 != $1 }.map { "changed: \($1.state.rawValue): \($1.event.rawValue) " }
      let found = lines.filter { $0.hasPrefix("changed: ") }
      #expect(found.count == changed.count && zip(found, changed).allSatisfy { $0.hasPrefix($1) }, "seed \(seed)")
      let traps = graph.traps.filter { !oldTraps.contains($0) }.map { "new trap: \($0.rawValue)" }
      let lost = graph.unreachableStates.filter { !oldUnreachable.contains($0) }
        .map { "no longer reachable: \($0.rawValue)" }
      #expect(Array(lines.dropFirst(found.count)) == traps + lost, "seed \(seed)")
    }
  }

  // MARK: - Warnings

  private enum Doubtful: StateMachine {
    enum State: String, CaseIterable { case a, b, lost }
    enum Event: String, CaseIterable { case go, idle, never }
    enum Effect: String, CaseIterable { case used, unused }
    enum Activity: String, CaseIterable { case runs, rests }
    static let initialState = State.a

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.a, .go): .go(.b, [.used])
      case (.lost, .go): .stay([])
      case (_, .never): .never("It doesn't exist.")
      default: .ignore("Nothing to do.")
      }
    }

    static func activities(in state: State) -> [Activity] { state == .b ? [.runs] : [] }
  }

  @Test("A warning names what can't be reached, only ignores, never does anything, or is in no row")
  func warnings() {
    #expect(
      StateDiagram<Doubtful>().warnings() == [
        "no path leads to the state lost", "no event does anything in the state b",
        "no event does anything in the state lost",
        "the event idle never does anything", "the event never never does anything",
        "no transition has the effect unused", "no state has the activity rests",
      ])
    #expect(StateDiagram<TrafficLight>().warnings() == [])
    #expect(
      StateDiagram<Order>().warnings(finalStates: [.shipped, .cancelled]) == ["no path leads to the state lost"])
    // Effects that aren't listed can't be missing.
    #expect(
      StateDiagram<Order>().warnings() == [
        "no path leads to the state lost", "no event does anything in the state shipped",
        "no event does anything in the state cancelled",
      ])
  }

  // MARK: - The longest time

  @Test("The longest time of the light goes through its deadlines, and has no bound if it may be turned off")
  func light() {
    let graph = StateGraph<TrafficLight>()
    #expect(graph.longestTime(from: .green, to: .red, avoiding: [.flashing]) == .milliseconds(23_500))
    #expect(graph.longestTime(from: .green, to: .red) == nil)
    #expect(graph.longestTime(from: .red, to: .red) == .zero)
    #expect(graph.longestTime(from: .red, to: .flashing) == nil)
  }

  /// Returns the longest time by trying all paths; `nil` without a bound.
  private static func longest(
    _ state: Chosen.State, to target: Chosen.State, avoiding avoided: Set<Chosen.State>, past: [Chosen.State] = []
  ) -> Duration? {
    if state == target { return .zero }
    guard !past.contains(state), let deadline = Chosen.deadline(in: state) else { return nil }
    let next = Chosen.Event.allCases.compactMap { Chosen.reaction(in: state, to: $0).target }.filter {
      !avoided.contains($0)
    }
    let times = next.map { longest($0, to: target, avoiding: avoided, past: past + [state]) }
    guard !times.isEmpty, !times.contains(nil) else { return nil }
    return deadline.duration + (times.compactMap { $0 }.max() ?? .zero)
  }

  @Test("The longest time is that of trying all paths", arguments: 0..<300 as Range<UInt64>)
  func longestTimes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let avoided: Set<Chosen.State> =
      Bool.random(using: &random) ? [] : [Chosen.State.allCases[Int.random(in: 0..<4, using: &random)]]
    Chosen.drawn(&random) {
      let graph = StateGraph<Chosen>()
      for (source, target) in Chosen.State.allCases.flatMap({ source in Chosen.State.allCases.map { (source, $0) } }) {
        let wanted = Self.longest(source, to: target, avoiding: avoided)
        #expect(
          graph.longestTime(from: source, to: target, avoiding: avoided) == wanted,
          "seed \(seed): \(source) to \(target) without \(avoided)")
      }
    }
  }

  @Test("Of two ways, the slower one counts, whichever is found first", arguments: [[1, 5, 2], [1, 2, 5]])
  func slowerWay(seconds: [Int]) {
    // From a to b or c, and from both to d.
    Chosen.$targets.withValue([[1, 2, nil], [3, nil, nil], [3, nil, nil], [nil, nil, nil]]) {
      Chosen.$seconds.withValue(seconds + [nil]) {
        #expect(StateGraph<Chosen>().longestTime(from: .a, to: .d) == .seconds(6))
      }
    }
  }

  // MARK: - Sequence diagrams

  @Test("A log is drawn with each event, its effects and the states, and shows gaps")
  func sequence() {
    let gate = MachineRunner<Turnstile> { _, _ in }
    gate.send(.coin)
    let restarted = StateTransition<Turnstile>(from: .unlocked, event: .coin, to: .unlocked)
    let gap = StateTransition<Turnstile>(from: .locked, event: .coin, to: .unlocked)
    #expect(
      StateDiagram<Turnstile>().sequence(of: gate.recentTransitions + [restarted, gap]) == """
        sequenceDiagram
          participant o as outside
          participant m as Turnstile
          Note over m: locked
          o->>m: coin
          Note over m: unlocked
          o->>m: coin
          m->>o: refund
          Note over m: … locked
          o->>m: coin
          Note over m: unlocked

        """)
    let again = StateTransition<TrafficLight>(from: .flashing, event: .timeOver, to: .flashing)
    #expect(
      StateDiagram<TrafficLight>().sequence(of: [again]).hasSuffix(
        "  Note over m: flashing\n  o->>m: timeOver\n  m->>o: toggleLamp\n  Note over m: flashing\n"))
    let odd = StateTransition<Nasty>(from: .punctuated, event: .state, to: .punctuated)
    #expect(
      StateDiagram<Nasty>().sequence(of: [odd]).contains(
        "  Note over m: semi#59;colon#colon; and, comma\n  o->>m: state\n  m->>o: again#59;\n")
    )
  }
}

extension Chosen {
  /// Runs `body` with a machine drawn at random.
  fileprivate static func drawn<Result>(_ random: inout SeededGenerator, body: () throws -> Result) rethrows -> Result {
    func draw<Value>(_ values: Value...) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    let targets = (0..<4).map { _ in (0..<3).map { _ in draw(nil, nil, 0, 1, 2, 3) as Int? } }
    let excluded = Set((0..<12).filter { _ in draw(true, false, false) })
    let seconds: [Int?] = (0..<4).map { _ in draw(nil, 1, 2, 5, 10, 30) }
    return try $targets.withValue(targets) {
      try $excluded.withValue(excluded) { try $seconds.withValue(seconds, operation: body) }
    }
  }
}

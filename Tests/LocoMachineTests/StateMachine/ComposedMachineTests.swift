import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("Composed machines")
struct ComposedMachineTests {
  /// The reactions of two machines, drawn from a seed. The first machine's effects send `x` and `y`, and the second machine's answers to
  /// them send `pull`, whose effects may answer again with `z`. The effects of `z` and `quiet` send nothing, so that no exchange is endless.
  private struct Rules {
    var first: [One.State: [One.Event: Reaction<One.State, One.Effect>]] = [:]
    var second: [Two.State: [Two.Event: Reaction<Two.State, Two.Effect>]] = [:]

    init(_ random: inout SeededGenerator) {
      for state in One.State.allCases {
        for event in One.Event.allCases {
          let effects: [One.Effect] =
            switch event {
            case .push, .tap: One.Effect.allCases
            case .pull: [.sendsZ, .silent]
            case .quiet: []
            }
          first[state, default: [:]][event] = Self.reaction(One.State.allCases, effects, &random)
        }
      }
      for state in Two.State.allCases {
        for event in Two.Event.allCases {
          second[state, default: [:]][event] = Self.reaction(
            Two.State.allCases, event == .z ? [.silent] : Two.Effect.allCases, &random)
        }
      }
    }

    private static func reaction<State, Effect>(
      _ states: [State], _ effects: [Effect], _ random: inout SeededGenerator
    ) -> Reaction<State, Effect> {
      let effects = effects.isEmpty ? [] : (0..<random.next(4)).map { _ in effects[random.next(effects.count)] }
      return switch random.next(12) {
      case 0: .never("Drawn.")
      case 1, 2: .ignore("Drawn.")
      case 3, 4: .stay(effects)
      default: .go(states[random.next(states.count)], effects)
      }
    }
  }

  @TaskLocal private static var rules: Rules?

  private enum One: StateMachine {
    enum State: String, CaseIterable { case a, b, c }
    enum Event: String, CaseIterable { case push, tap, quiet, pull }
    enum Effect: String, CaseIterable { case sendsX, sendsY, sendsZ, silent }
    static let initialState = State.a
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      rules?.first[state]?[event] ?? .ignore("No rules.")
    }
  }

  private enum Two: StateMachine {
    enum State: String, CaseIterable { case d, e }
    enum Event: String, CaseIterable { case knock, x, y, z }
    enum Effect: String, CaseIterable { case sendsQuiet, sendsPull, silent }
    static let initialState = State.d
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      rules?.second[state]?[event] ?? .ignore("No rules.")
    }
  }

  private enum Both: MachineExchange {
    typealias First = One
    typealias Second = Two
    static func eventForSecond(from effect: One.Effect) -> Two.Event? {
      switch effect {
      case .sendsX: .x
      case .sendsY: .y
      case .sendsZ: .z
      case .silent: nil
      }
    }
    static func eventForFirst(from effect: Two.Effect) -> One.Event? {
      switch effect {
      case .sendsQuiet: .quiet
      case .sendsPull: .pull
      case .silent: nil
      }
    }
  }

  /// Two runners that send each other events.
  private final class Runners {
    private(set) var effects: [String] = []
    private(set) var first: MachineRunner<One>?
    private(set) var second: MachineRunner<Two>?

    init() {
      first = MachineRunner(isolation: nil) { [unowned self] effect, _ in
        effects.append("1.\(effect)")
        if let event = Both.eventForSecond(from: effect) { second?.send(event, isolation: nil) }
      }
      second = MachineRunner(isolation: nil) { [unowned self] effect, _ in
        effects.append("2.\(effect)")
        if let event = Both.eventForFirst(from: effect) { first?.send(event, isolation: nil) }
      }
    }

    func send(_ event: ComposedMachine<Both>.Event) -> [String] {
      effects = []
      switch event {
      case .first(let event): first?.send(event, isolation: nil)
      case .second(let event): second?.send(event, isolation: nil)
      }
      return effects
    }
  }

  private static func broken(_ seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    return $rules.withValue(Rules(&random)) {
      let table = TransitionTable<ComposedMachine<Both>>()
      var (runners, state) = (Runners(), ComposedMachine<Both>.State.initial)
      for _ in 0..<40 {
        let event = ComposedMachine<Both>.Event.allCases[random.next(ComposedMachine<Both>.Event.allCases.count)]
        let row = table.row(state, event)
        guard !row.isImpossible else { continue }
        let found = Locked<[String]>([])
        let effects = Mistakes.receive({ text in found.change { $0.append(text) } }) { runners.send(event) }
        if row.target == .mistake {
          if found.change({ $0 }).isEmpty { return ["\(state.rawValue), \(event.rawValue): no runner finds a mistake"] }
          // The composed machine stops at a mistake, so the comparison starts again.
          (runners, state) = (Runners(), ComposedMachine<Both>.State.initial)
          continue
        }
        state = row.target ?? state
        guard let first = runners.first?.state, let second = runners.second?.state else { return ["no runner"] }
        let mistakes = found.change { $0 }
        if !mistakes.isEmpty || effects != row.effects || state != .both(first, second) {
          return ["\(row): the runners do \(effects) and are in \(first) and \(second); \(mistakes)"]
        }
      }
      return []
    }
  }

  @Test("A composed machine behaves like two runners that send each other events")
  func runners() async {
    let seeds = Seeds.part(0, of: 1, runs: isLong ? 2_000 : 500)
    await Seeds.play(seeds) { Self.broken($0) }
  }

  // MARK: - Questions

  /// Loads a sound file, which `Player` then plays.
  private enum Loader: StateMachine {
    enum State: String, CaseIterable { case empty, loading, loaded }
    enum Event: String, CaseIterable { case load, done, failed }
    enum Effect: String { case ready }
    static let initialState = State.empty
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.empty, .load), (.loaded, .load): .go(.loading, [])
      case (.loading, .load): .ignore("It is loading.")
      case (.loading, .done): .go(.loaded, [.ready])
      case (.loading, .failed): .go(.empty, [])
      case (_, .done), (_, .failed): .never("Nothing is loading.")
      }
    }
  }

  private enum Player: StateMachine {
    enum State: String, CaseIterable { case waiting, playing }
    enum Event: String, CaseIterable { case ready, stop }
    enum Effect: String { case reload }
    static let initialState = State.waiting
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      switch (state, event) {
      case (.waiting, .ready): .go(.playing, [])
      case (.waiting, .stop): .ignore("Nothing plays.")
      case (.playing, .ready): .never("A file plays once.")
      case (.playing, .stop): .go(.waiting, [.reload])
      }
    }
  }

  private enum Sound: MachineExchange {
    typealias First = Loader
    typealias Second = Player
    static func eventForSecond(from effect: Loader.Effect) -> Player.Event? { .ready }
    static func eventForFirst(from effect: Player.Effect) -> Loader.Event? { nil }
  }

  /// A machine that answers each call.
  private enum Echo: StateMachine {
    enum State: String, CaseIterable { case on }
    enum Event: String, CaseIterable { case call }
    enum Effect: String { case answer }
    static let initialState = State.on
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .stay([.answer]) }
  }

  private enum Endless: MachineExchange {
    typealias First = Echo
    typealias Second = Echo
    static func eventForSecond(from effect: Echo.Effect) -> Echo.Event? { .call }
    static func eventForFirst(from effect: Echo.Effect) -> Echo.Event? { .call }
    static func isExternal(_ event: ComposedMachine<Endless>.Event) -> Bool { true }
  }

  @Test("A graph finds the shortest paths to a mistake and to a combination of states; names are read back")
  func questions() {
    let graph = StateGraph<ComposedMachine<Sound>>()
    let load = ComposedMachine<Sound>.Event.first(.load)
    let path = graph.path(from: .initial, to: .mistake)
    #expect(path == [load, .first(.done), load, .first(.done)])
    #expect(graph.unreachableStates == [])
    // An event that only the other machine sends doesn't come from outside.
    #expect(TransitionTable<ComposedMachine<Sound>>().row(.initial, .second(.ready)).isImpossible)
    #expect(
      graph.counterexample(toAlways: { state in
        if case .both(.empty, .playing) = state { false } else { true }
      }) == [load, .first(.done), load, .first(.failed)])
    #expect(
      StateDiagram<ComposedMachine<Sound>>().markdown.contains(
        "| loading + waiting | 1.done | loaded + playing | 1.ready |"))
    #expect(
      ComposedMachine<Sound>.State(rawValue: "empty + playing") == .both(.empty, .playing)
        && ComposedMachine<Sound>.State(rawValue: "") == nil)
    #expect(
      ComposedMachine<Sound>.Event(rawValue: "2.stop") == .second(.stop)
        && ComposedMachine<Sound>.Event(rawValue: "stop") == nil)
  }

  private enum Fuse: StateMachine {
    enum State: String, CaseIterable { case burning, out }
    enum Event: String, CaseIterable { case end, light }
    static let initialState = State.burning
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.burning, .end): .go(.out, [])
      case (.out, .light): .go(.burning, [])
      case (.burning, .light), (.out, .end): .ignore("Nothing changes.")
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? { state == .burning ? .after(.seconds(9), .end) : nil }
  }

  private enum Hose: StateMachine {
    enum State: String, CaseIterable { case ready }
    enum Event: String, CaseIterable { case water, spark }
    enum Effect: String { case water, spark }
    static let initialState = State.ready
    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      .stay([event == .water ? .water : .spark])
    }
  }

  private enum FuseFirst: MachineExchange {
    typealias First = Fuse
    typealias Second = Hose
    static func eventForFirst(from effect: Hose.Effect) -> Fuse.Event? { effect == .water ? .end : .light }
  }

  private enum FuseSecond: MachineExchange {
    typealias First = Hose
    typealias Second = Fuse
    static func eventForSecond(from effect: Hose.Effect) -> Fuse.Event? { effect == .water ? .end : .light }
  }

  @Test("The event of a deadline may occur at any time, although the other machine sends it, too")
  func deadlines() {
    typealias First = ComposedMachine<FuseFirst>
    #expect(First.reaction(in: .initial, to: .first(.end)).target == .both(.out, .ready))
    #expect(First.reaction(in: .initial, to: .first(.light)).target == nil)
    #expect(TransitionTable<First>().row(.both(.out, .ready), .first(.light)).isImpossible)
    typealias Second = ComposedMachine<FuseSecond>
    #expect(Second.reaction(in: .initial, to: .second(.end)).target == .both(.ready, .out))
    #expect(TransitionTable<Second>().row(.both(.ready, .out), .second(.light)).isImpossible)
  }

  @Test("An endless exchange leads to the mistake")
  func endless() {
    #expect(ComposedMachine<Endless>.reaction(in: .initial, to: .first(.call)).target == .mistake)
  }

  // MARK: - Names and limits

  /// A machine whose states' names contain the separator of a composed state's name.
  private enum Summed: StateMachine {
    enum State: String, CaseIterable {
      case a, ab = "a + b", b, bc = "b + c", c, quoted = "\"a\" + b", mistake
    }
    enum Event: String, CaseIterable { case next }
    static let initialState = State.a

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      let states = State.allCases
      return .go(states[((states.firstIndex(of: state) ?? 0) + 1) % states.count], [])
    }
  }

  private enum SummedPair: MachineExchange {
    typealias First = Summed
    typealias Second = Summed
  }

  @Test("Different states have different names, whatever their machines' states are called")
  func names() {
    typealias State = ComposedMachine<SummedPair>.State
    let states = State.allCases
    #expect(Set(states.map(\.rawValue)).count == states.count && Set(states).count == states.count)
    #expect(states.allSatisfy { State(rawValue: $0.rawValue) == $0 })
    #expect(State.both(.ab, .c) != .both(.a, .bc) && State.both(.a, .a) != .mistake)
    let graph = StateGraph<ComposedMachine<SummedPair>>()
    #expect(graph.unreachableStates == [.mistake])
  }

  /// A machine that answers with as many effects as a test sets, all of which the other machine answers.
  private enum Chatty: StateMachine {
    enum State: String, CaseIterable { case only }
    enum Event: String, CaseIterable { case begin, reply }
    enum Effect: String { case say, mumble }
    @TaskLocal static var effects = 1
    static let initialState = State.only

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      .stay(Array(repeating: .mumble, count: effects) + [.say])
    }
  }

  private enum ChattyPair: MachineExchange {
    typealias First = Chatty
    typealias Second = Chatty
    static func eventForSecond(from effect: Chatty.Effect) -> Chatty.Event? { effect == .say ? .reply : nil }
    static func eventForFirst(from effect: Chatty.Effect) -> Chatty.Event? { effect == .say ? .reply : nil }
  }

  @Test("An endless exchange leads to the mistake, with any number of effects", arguments: [0, 1, 60, 1_000, 40_000])
  func endless(effects: Int) {
    Chatty.$effects.withValue(effects) {
      let step = TransitionTable<ComposedMachine<ChattyPair>>().transition(from: .initial, on: .first(.begin))
      #expect(step?.next == .mistake)
      let reaction = ComposedMachine<ChattyPair>.reaction(in: .initial, to: .first(.begin))
      #expect(reaction.effects.count <= 65_535)
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func next(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The look machine")
struct LookMachineTests {
  typealias State = LookMachine.State
  typealias Event = LookMachine.Event

  /// The transitions. All other pairs are ignored or excluded.
  static let expected: [String: Reaction<State, LookMachine.Effect>] = [
    "moving fixElsewhere": .stay([.learnPace]), "moving fixHere": .go(.resting, []),
    "moving noFix": .go(.blind, [.scheduleRetry]), "moving stillness": .go(.resting, [.rest]),
    "moving slow": .go(.asleepMoving, [.fallAsleep]),
    "resting fixElsewhere": .go(.moving, [.beginTrip]), "resting fixHere": .stay([.waitLonger]),
    "resting noFix": .stay([.backOff, .waitLonger]), "resting settled": .go(.asleep, [.fallAsleep]),
    "resting slow": .go(.asleep, [.fallAsleep]),
    "blind fixElsewhere": .go(.moving, [.learnPace]), "blind fixHere": .go(.resting, []),
    "blind noFix": .stay([.scheduleRetry]), "blind stillness": .go(.resting, [.rest]),
    "asleep fixElsewhere": .go(.asleepMoving, [.beginTrip]), "asleep fixHere": .stay([.waitLonger]),
    "asleep noFix": .stay([.backOff, .waitLonger]), "asleep slow": .stay([.fallAsleep]),
    "asleep woken": .go(.resting, [.wakeUp]),
    "asleepMoving fixElsewhere": .stay([.learnPace]), "asleepMoving fixHere": .go(.asleep, []),
    "asleepMoving noFix": .go(.asleepBlind, [.scheduleRetry]), "asleepBlind noFix": .stay([.scheduleRetry]),
    "asleepBlind fixElsewhere": .go(.asleepMoving, [.learnPace]), "asleepBlind fixHere": .go(.asleep, []),
    "asleepBlind woken": .go(.blind, [.wakeUp]),
    "asleepMoving slow": .stay([.fallAsleep]), "asleepMoving woken": .go(.moving, [.wakeUp]),
  ]

  @Test(
    "takes the listed transitions, and ignores or excludes all other events with a reason", arguments: State.allCases,
    Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(LookMachine.self, in: state, on: event, Self.expected)
  }

  @Test("has no traps and no unreachable states")
  func graph() {
    let graph = StateGraph<LookMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
  }

  @Test("has a tour through all of its transitions")
  func tour() throws {
    var state = LookMachine.initialState
    var taken: Set<String> = []
    for event in try #require(StateGraph<LookMachine>().tour()) {
      taken.insert("\(state.rawValue) \(event.rawValue)")
      state = LookMachine.reaction(in: state, to: event).target ?? state
    }
    #expect(taken == Set(Self.expected.keys))
  }
}

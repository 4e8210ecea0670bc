import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The look machine")
struct LookMachineTests {
  typealias State = LookMachine.State
  typealias Event = LookMachine.Event

  /// The transitions; all other pairs are ignored.
  static let expected: [String: Reaction<State, LookMachine.Effect>] = [
    "moving fixElsewhere": .stay([.learnPace]), "moving fixHere": .go(.resting, [.rest]),
    "moving noFix": .go(.blind, [.putOff]), "moving stillness": .go(.resting, [.rest]),
    "resting fixElsewhere": .go(.moving, [.beginTrip]), "resting fixHere": .stay([.rest]),
    "resting noFix": .stay([.putOff]),
    "blind fixElsewhere": .go(.moving, [.learnPace]), "blind fixHere": .go(.resting, [.rest]),
    "blind noFix": .stay([.putOff]), "blind stillness": .go(.resting, [.rest]),
  ]

  @Test(
    "takes the listed transitions, and ignores all other events with a reason", arguments: State.allCases,
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

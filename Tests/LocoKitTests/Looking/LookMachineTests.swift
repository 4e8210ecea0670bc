import Testing

@testable import LocoKit

@Suite("The look machine")
struct LookMachineTests {
  typealias State = LookMachine.State
  typealias Event = LookMachine.Event

  /// All that happens; every pair that is not here is ignored.
  static let expected: [String: Reaction<State, LookMachine.Effect>] = [
    "moving fixElsewhere": .stay([.learnPace]), "moving fixHere": .go(.resting, [.rest]),
    "moving noFix": .go(.blind, [.putOff]), "moving stillness": .go(.resting, [.rest]),
    "resting fixElsewhere": .go(.moving, [.beginTrip]), "resting fixHere": .stay([.rest]),
    "resting noFix": .stay([.putOff]),
    "blind fixElsewhere": .go(.moving, [.learnPace]), "blind fixHere": .go(.resting, [.rest]),
    "blind noFix": .stay([.putOff]), "blind stillness": .go(.resting, [.rest]),
  ]

  @Test("does what is listed, and ignores everything else for a reason", arguments: State.allCases, Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(LookMachine.self, in: state, on: event, Self.expected)
  }

  @Test("can be left from everywhere, and everything can be reached")
  func graph() {
    let graph = StateGraph<LookMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
  }

  @Test("is toured through all of its transitions")
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

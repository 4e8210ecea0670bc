import Testing

@testable import LocoKit

@Suite("The look machine")
struct LookMachineTests {
  typealias State = LookMachine.State
  typealias Event = LookMachine.Event

  /// Every pair that isn't ignored.
  static let expected: [String: Reaction<State, LookMachine.Effect>] = [
    "moving fixElsewhere": .stay([.learnPace]), "moving fixHere": .go(.resting, [.rest]),
    "moving noFix": .go(.blind, [.putOff]), "moving stillness": .go(.resting, [.rest]),
    "resting fixElsewhere": .go(.moving, [.beginTrip]), "resting fixHere": .stay([.rest]),
    "resting noFix": .stay([.putOff]),
    "blind fixElsewhere": .go(.moving, [.learnPace]), "blind fixHere": .go(.resting, [.rest]),
    "blind noFix": .stay([.putOff]), "blind stillness": .go(.resting, [.rest]),
  ]

  @Test(
    "Each pair does what the list says, and every other pair is ignored with a reason", arguments: State.allCases,
    Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(LookMachine.self, in: state, on: event, Self.expected)
  }

  @Test("Every state can be reached and left")
  func graph() {
    let graph = StateGraph<LookMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
  }

  @Test("A tour takes every transition")
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

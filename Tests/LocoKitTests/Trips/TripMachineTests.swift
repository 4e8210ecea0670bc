import Testing

@testable import LocoKit

@Suite("The trip machine")
struct TripMachineTests {
  typealias State = TripState
  typealias Event = TripMachine.Event

  /// All that happens; every pair that is not here is ignored.
  static let expected: [String: Reaction<State, TripMachine.Effect>] = [
    "idle prepare": .go(.prepared, []), "idle start": .go(.recording, []),
    "idle reset": .stay([.clear]),
    "prepared start": .go(.recording, []), "prepared stop": .go(.stopped, []),
    "prepared reset": .stay([.clear]), "prepared signalChanged": .stay([.notifySignal]),
    "prepared weakForLong": .stay([.allowWeakFixes, .notifyWeak]), "prepared silence": .stay([.restartReceiver]),
    "recording stop": .go(.stopped, [.endSegment]), "recording reset": .stay([.clear]),
    "recording fix": .stay([.measure]),
    "recording signalChanged": .stay([.notifySignal]),
    "recording weakForLong": .stay([.allowWeakFixes, .notifyWeak]), "recording silence": .stay([.restartReceiver]),
    "stopped prepare": .go(.prepared, []), "stopped start": .go(.recording, []),
    "stopped reset": .go(.idle, [.clear]),
  ]

  @Test("does what is listed, and ignores everything else for a reason", arguments: State.allCases, Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(TripMachine.self, in: state, on: event, Self.expected)
  }

  @Test("can be left from everywhere, and everything can be reached")
  func graph() {
    let graph = StateGraph<TripMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
  }

  @Test(
    "measures in recording alone, and has nothing to do with the receiver where it is not wanted",
    arguments: State.allCases)
  func receiver(_ state: State) {
    for event in Event.allCases {
      let effects: [TripMachine.Effect] =
        switch TripMachine.reaction(in: state, to: event) {
        case .go(_, let effects), .stay(let effects): effects
        case .ignore: []
        }
      if effects.contains(.measure) { #expect(state == .recording) }
      if effects.contains(.restartReceiver) || effects.contains(.notifySignal) { #expect(state.wantsReceiver) }
    }
  }
}

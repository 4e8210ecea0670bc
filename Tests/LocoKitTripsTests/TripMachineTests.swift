import Testing

@testable import LocoKit
@testable import LocoKitTrips
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The machine of a trip recorder")
struct TripMachineTests {
  typealias State = TripState
  typealias Event = TripMachine.Event

  /// The reactions of pairs of a state and an event. The other pairs are ignored or can't occur.
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

  @Test(
    "Each event has the listed reaction, or a reason why it does nothing", arguments: State.allCases, Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(TripMachine.self, in: state, on: event, Self.expected)
  }

  @Test("Every state can be reached and left")
  func graph() {
    let graph = StateGraph<TripMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
  }

  @Test(
    "Only `recording` measures fixes, and only states that use the GPS restart the receiver or report the signal",
    arguments: State.allCases)
  func receiver(_ state: State) {
    for event in Event.allCases {
      let effects: [TripMachine.Effect] =
        switch TripMachine.reaction(in: state, to: event) {
        case .go(_, let effects), .stay(let effects): effects
        case .ignore, .never: []
        }
      if effects.contains(.measure) { #expect(state == .recording) }
      if effects.contains(.restartReceiver) || effects.contains(.notifySignal) { #expect(state.wantsReceiver) }
    }
  }
}

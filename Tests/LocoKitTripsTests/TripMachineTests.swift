import Testing

@testable import LocoKit
@testable import LocoKitTrips
@testable import LocoMachine
@testable import TestSupport

@Suite("The machine of a trip recorder")
struct TripMachineTests {
  typealias State = TripState
  typealias Event = TripMachine.Event

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

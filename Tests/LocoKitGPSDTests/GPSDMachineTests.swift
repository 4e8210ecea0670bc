import Testing

@testable import LocoKit
@testable import LocoKitGPSD
@testable import LocoMachine
@testable import TestSupport

@Suite("GPSDMachine")
struct GPSDMachineTests {
  typealias State = GPSDMachine.State
  typealias Event = GPSDMachine.Event

  @Test(
    "connect, disconnect, watch and unwatch are balanced on every external transition",
    arguments: State.allCases)
  func nothingLeft(_ state: State) {
    for event in Event.allCases {
      guard case .go(let next, let effects) = GPSDMachine.reaction(in: state, to: event) else { continue }
      let isConnected = ![.closed, .backingOff].contains(state)
      let willBeConnected = ![.closed, .backingOff].contains(next)
      #expect(effects.contains(.connect) == (!isConnected && willBeConnected))
      #expect(effects.contains(.disconnect) == (isConnected && !willBeConnected))
      #expect(effects.contains(.watch) == (!state.isWatching && next.isWatching))
      // A lost connection ends the watch without a command.
      #expect(effects.contains(.unwatch) == (state.isWatching && !next.isWatching && event != .failed))
    }
  }

  @Test("connecting, greeting and backingOff have deadlines")
  func deadlines() {
    #expect(
      State.allCases.filter { GPSDMachine.deadline(in: $0) != nil } == [.connecting, .greeting, .backingOff])
    #expect(GPSDMachine.deadline(in: .connecting) == .after(.seconds(30), .failed))
    #expect(GPSDMachine.deadline(in: .greeting) == .after(.seconds(5), .failed))
    #expect(GPSDMachine.deadline(in: .backingOff) == .after(.milliseconds(500), .retryDue, setting: "backOff"))
  }
}

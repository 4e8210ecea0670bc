import Testing

@testable import LocoKit
@testable import LocoKitGPSD
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("GPSDMachine")
struct GPSDMachineTests {
  typealias State = GPSDMachine.State
  typealias Event = GPSDMachine.Event

  /// The reactions of pairs of a state and an event. The other pairs are ignored.
  static let expected: [String: Reaction<State, GPSDMachine.Effect>] = [
    "closed receiverWanted": .go(.connecting, [.connect]),
    "connecting released": .go(.closed, [.disconnect]), "connecting connected": .go(.greeting, []),
    "connecting failed": .go(.backingOff, [.disconnect]),
    "greeting released": .go(.closed, [.disconnect]), "greeting identified": .stay([.listReceivers]),
    "greeting greeted": .go(.idle, []), "greeting failed": .go(.backingOff, [.disconnect]),
    "idle receiverWanted": .go(.watching, [.watch]), "idle released": .go(.closed, [.disconnect]),
    "idle failed": .go(.backingOff, [.disconnect]),
    "watching receiverUnwanted": .go(.idle, [.unwatch]), "watching released": .go(.idle, [.unwatch]),
    "watching failed": .go(.backingOff, [.disconnect]), "watching receiverMissing": .go(.withoutReceiver, []),
    "watching receiversReopened": .stay([.watch]),
    "withoutReceiver receiverUnwanted": .go(.idle, [.unwatch]), "withoutReceiver released": .go(.idle, [.unwatch]),
    "withoutReceiver failed": .go(.backingOff, [.disconnect]),
    "withoutReceiver receiverFound": .go(.watching, []), "withoutReceiver receiversReopened": .stay([.watch]),
    "backingOff released": .go(.closed, []), "backingOff retryDue": .go(.connecting, [.connect]),
  ]

  @Test("each pair has the listed reaction, or is ignored with a reason", arguments: State.allCases, Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(GPSDMachine.self, in: state, on: event, Self.expected)
  }

  @Test("every state can be reached and left, and one tour takes every transition")
  func graph() throws {
    let graph = StateGraph<GPSDMachine>()
    #expect(graph.unreachableStates.isEmpty && graph.traps.isEmpty)
    var state = GPSDMachine.initialState
    var taken: Set<String> = []
    for event in try #require(graph.tour()) {
      taken.insert("\(state.rawValue) \(event.rawValue)")
      state = GPSDMachine.reaction(in: state, to: event).target ?? state
    }
    #expect(taken == Set(Self.expected.keys))
  }

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

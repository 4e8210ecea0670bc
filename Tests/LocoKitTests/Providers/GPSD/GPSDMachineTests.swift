import Testing

@testable import LocoKit

@Suite("The machine of the connection to gpsd")
struct GPSDMachineTests {
  typealias State = GPSDMachine.State
  typealias Event = GPSDMachine.Event

  /// All that happens; every pair that is not here is ignored.
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

  @Test("does what is listed, and ignores everything else for a reason", arguments: State.allCases, Event.allCases)
  func pair(_ state: State, _ event: Event) {
    expect(GPSDMachine.self, in: state, on: event, Self.expected)
  }

  @Test("can be left from everywhere, everything can be reached, and one walk takes every transition")
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
    "connects on the way to connecting alone, and leaves no connection and no receiver behind",
    arguments: State.allCases)
  func nothingLeft(_ state: State) {
    for event in Event.allCases {
      guard case .go(let next, let effects) = GPSDMachine.reaction(in: state, to: event) else { continue }
      let isConnected = ![.closed, .backingOff].contains(state)
      let willBeConnected = ![.closed, .backingOff].contains(next)
      #expect(effects.contains(.connect) == (!isConnected && willBeConnected))
      #expect(effects.contains(.disconnect) == (isConnected && !willBeConnected))
      #expect(effects.contains(.watch) == (!state.isWatching && next.isWatching))
      // A lost connection ends the watch without a word.
      #expect(effects.contains(.unwatch) == (state.isWatching && !next.isWatching && event != .failed))
    }
  }

  @Test("waits for nothing without a deadline, but for what the manager wants and a receiver says")
  func deadlines() {
    #expect(
      State.allCases.filter { GPSDMachine.deadline(in: $0) != nil } == [.connecting, .greeting, .backingOff])
    #expect(GPSDMachine.deadline(in: .connecting) == .after(.seconds(30), .failed))
    #expect(GPSDMachine.deadline(in: .greeting) == .after(.seconds(5), .failed))
    #expect(GPSDMachine.deadline(in: .backingOff) == .after(.milliseconds(500), .retryDue, setting: "backOff"))
  }
}

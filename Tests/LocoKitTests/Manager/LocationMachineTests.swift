import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

typealias State = LocationMachine.State
typealias Event = LocationMachine.Event

@Suite("The location machine")
struct LocationMachineTests {
  /// Every pair that does something.
  static let expected: [(State, Event, State?, String)] = [
    (.initial, .tryPrompt, .prompted, "requestAuthorization"),
    (.initial, .forcePrompt, .prompted, "requestAuthorization"),
    (.prompted, .authorized, .acquiring, "notify(accessGranted)"),
    (.prompted, .refused, .denied, "notify(accessDenied)"),
    (.prompted, .promptExpired, .initial, "notify(promptExpired)"),
    (.prompted, .pause, .paused, "notify(paused)"),
    (.denied, .forcePrompt, .prompted, "requestAuthorization"),
    (.denied, .authorized, .acquiring, "notify(accessGranted)"),
    (.denied, .authorizationReset, .initial, ""),
    (.waitingSignificantChange, .significantChange, .acquiring, "notify(significantChange)"),
    (.waitingSignificantChange, .lookDue, .acquiring, "notify(lookDue)"),
    (.waitingSignificantChange, .trackingRequested, .acquiring, ""),
    (.waitingSignificantChange, .forceAcquire, .acquiring, "notify(forceAcquire)"),
    (.waitingSignificantChange, .pause, .paused, "notify(paused)"),
    (.waitingSignificantChange, .refused, .denied, "notify(accessDenied)"),
    (.waitingSignificantChange, .authorizationReset, .initial, ""),
    (.waitingSignificantChange, .coarseFixAccepted, nil, "deliverLocation"),
    (.acquiring, .fixAccepted, nil, "deliverLocation"),
    (.acquiring, .acquired, .waitingSignificantChange, "deliverLocation"),
    (.acquiring, .acquisitionFailed, .waitingSignificantChange, "notify(acquisitionFailed)"),
    (.acquiring, .pause, .paused, "notify(paused)"),
    (.acquiring, .refused, .denied, "notify(accessDenied)"),
    (.acquiring, .authorizationReset, .initial, ""),
    (.paused, .resume, .acquiring, "notify(resumed)"),
  ]

  @Test("Each pair does what the table says", arguments: State.allCases, Event.allCases)
  func reaction(state: State, event: Event) throws {
    let reaction = TransitionTable<LocationMachine>()[state: state, event: event]
    if let row = Self.expected.first(where: { $0.0 == state && $0.1 == event }) {
      #expect(reaction.reason == nil, "\(state.rawValue) does not ignore \(event.rawValue)")
      #expect(reaction.target == row.2, "\(state.rawValue), \(event.rawValue)")
      #expect(
        reaction.effects.map(LocationMachine.name(ofEffect:)).joined(separator: " ") == row.3,
        "\(state.rawValue), \(event.rawValue)")
    } else {
      let reason = try #require(reaction.reason, "\(state.rawValue) ignores \(event.rawValue)")
      #expect(reason.count > 20 && reason.hasSuffix("."), "a reason is a sentence: \(reason)")
    }
  }

  @Test("Of the 96 pairs 24 do something and 30 can't occur, and each pair that does nothing has its own reason")
  func counts() {
    let rows = TransitionTable<LocationMachine>().rows
    #expect(rows.count == 96)
    #expect(rows.count(where: { $0.reason == nil }) == 24)
    #expect(rows.count(where: \.isImpossible) == 30)
    let reasons = rows.compactMap(\.reason)
    #expect(Set(reasons).count == reasons.count)
  }

  @Test("The states have the expected names, and the first one is init")
  func names() {
    #expect(
      State.allCases.map(\.rawValue) == [
        "init", "prompted", "denied", "waitingSignificantChange", "acquiring", "paused",
      ])
    #expect(LocationMachine.initialState == .initial)
  }

  @Test("Every state can be reached and left")
  func graph() {
    let graph = StateGraph<LocationMachine>()
    #expect(graph.unreachableStates.isEmpty)
    #expect(graph.traps.isEmpty)
  }

  @Test("The GPS starts only after a prompt, and only resuming ends a pause")
  func safety() {
    let graph = StateGraph<LocationMachine>()
    #expect(!graph.reaches(.acquiring, avoiding: [.prompted]))
    #expect(graph.path(from: .initial, to: .acquiring) == [.tryPrompt, .authorized])
    for event in Event.allCases where event != .resume {
      #expect(LocationMachine.reaction(in: .paused, to: event).target == nil, "\(event.rawValue)")
    }
  }

  @Test("The GPS is on only in acquiring, and states that must end have a deadline")
  func modes() {
    #expect(State.allCases.filter { $0.mode == .gps } == [.acquiring])
    #expect(State.allCases.filter { $0.mode == .significantChanges } == [.waitingSignificantChange])
    #expect(State.allCases.filter { LocationMachine.deadline(in: $0) != nil } == [.prompted, .acquiring])
    #expect(LocationMachine.deadline(in: .prompted) == .after(.seconds(60), .promptExpired, setting: "promptTimeLimit"))
    #expect(
      LocationMachine.deadline(in: .acquiring)
        == .after(AcquisitionPolicy.loco.timeLimit, .acquisitionFailed, setting: "policy.timeLimit"))
  }

  @Test("A tour takes every transition")
  func tour() throws {
    var state = LocationMachine.initialState
    var taken: Set<String> = []
    for event in try #require(StateGraph<LocationMachine>().tour()) {
      let reaction = LocationMachine.reaction(in: state, to: event)
      #expect(reaction.reason == nil, "the tour only takes transitions")
      taken.insert("\(state.rawValue) \(event.rawValue)")
      state = reaction.target ?? state
    }
    #expect(taken.count == Self.expected.count)
  }
}

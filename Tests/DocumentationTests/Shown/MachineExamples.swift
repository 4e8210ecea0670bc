import Foundation
import LocoKit
import LocoKitSimulation
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of machines")
final class MachineExamples {
  private var printed: [String] = []
  private var performed: [Turnstile.Effect] = []
  private var button = (isEnabled: true, hint: String?.none)

  private func print(_ item: Any) { printed.append("\(item)") }
  private func perform(_ effect: Turnstile.Effect) { performed.append(effect) }

  private func explain() {
    // shown: Reaction.swift: switch Turnstile.reaction(
  }

  @Test("A reaction has a target and effects, or the reason why the event is ignored")
  func reaction() throws {
    explain()
    #expect(printed == (try ExamplesTests.stated(by: "Reaction")))
  }

  @Results
  private func run() -> [String] {
    // shown: TransitionTable.swift: let table
  }

  @Test("A table returns the reaction in the example's comment")
  func table() throws {
    #expect(run() == (try ExamplesTests.stated(by: "TransitionTable")))
    #expect(performed.isEmpty)
  }

  @Results
  private func explore() -> [String] {
    // shown: StateGraph.swift: let graph
  }

  @Test("A graph returns the results in the example's comments")
  func graph() throws {
    #expect(explore() == (try ExamplesTests.stated(by: "StateGraph")))
  }

  @Test("A coverage names the row in the example that no event takes")
  func coverage() {
    let gate = MachineRunner<Turnstile> { _, _ in }
    // shown: TableCoverage.swift: let coverage
  }

  @Test("A page has the machines in the example, and the drawing of one")
  func page() throws {
    let svg = "<svg viewBox='0 0 1 1'></svg>"
    let file = FileManager.default.temporaryDirectory.appending(path: "street-\(UUID()).html")
    defer { try? FileManager.default.removeItem(at: file) }
    // shown: MachinePage.swift: var page
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == page.html)
    #expect(text.contains(svg) && text.contains("The street") && text.contains(#""name":"turnstile""#))
  }

  @Test("A machine hasn't changed since its table was recorded")
  func changes() throws {
    let file = Repository.root.appending(path: "StateDiagrams/turnstile.csv")
    // shown: StateDiagram+Changes.swift: let recorded
  }

  @Results
  private func longestTimes() -> [String] {
    let graph = StateGraph<TrafficLight>()
    // shown: StateGraph+Time.swift: // A green
  }

  @Test("The longest times are those in the example's comments")
  func longest() throws {
    #expect(longestTimes() == (try ExamplesTests.stated(by: "StateGraph/longestTime")))
  }

  @Test("A log is printed as a sequence diagram")
  func sequence() {
    let gate = MachineRunner<Turnstile> { _, _ in }
    gate.send(.coin)
    // shown: StateDiagram+Sequence.swift: print
    #expect(printed.first?.contains("o->>m: coin") == true)
  }

  private final class Crossing {
    private(set) var timer: Duration?
    private(set) var shown: StateSnapshot<TrafficLight>?

    private func setTimer(_ time: Duration?) { timer = time }
    private func show(_ light: StateSnapshot<TrafficLight>) { shown = light }
    private func perform(_ effect: TrafficLight.Effect) {}

    func run() {
      // shown: MachineInstance.swift: var light
    }
  }

  @Test("An instance handles the deadlines that have passed")
  func instance() {
    let crossing = Crossing()
    crossing.run()
    #expect(crossing.timer == .seconds(130))
    #expect(crossing.shown == StateSnapshot(state: .red, enteredAt: .milliseconds(153_500)))
  }

  @Test("A runner is restored from a saved snapshot")
  func snapshot() throws {
    let light = MachineRunner<TrafficLight>(clock: ManualClock()) { _, _ in }
    light.send(.turnOn)
    func perform(_ effect: TrafficLight.Effect) { Issue.record("\(effect) was performed again") }
    // shown: StateSnapshot.swift: let saved
    #expect(restored.state == .red)
  }

  private enum Player: StateMachine {
    enum State: String, CaseIterable { case loading, playing, stopped }
    enum Event: String, CaseIterable { case play, stop, loaded, failed }
    enum Activity: String { case download, sound }
    static let initialState = State.stopped

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.stopped, .play): .go(.loading, [])
      case (.stopped, .stop): .ignore("It has stopped.")
      case (.loading, .play), (.playing, .play): .ignore("It is loading or playing already.")
      case (.loading, .loaded): .go(.playing, [])
      case (.loading, .failed), (_, .stop): .go(.stopped, [])
      case (_, .loaded), (_, .failed): .never("Only the download sends it.")
      }
    }

    static func activities(in state: State) -> [Activity] {
      switch state {
      case .loading: [.download]
      case .playing: [.sound]
      case .stopped: []
      }
    }
  }

  private final class Speaker {
    private(set) var isOn = false
    func start() { isOn = true }
    func stop() { isOn = false }
  }

  private let speaker = Speaker()

  private func makePlayer(_ song: @escaping @Sendable () async -> String?) -> MachineRunner<Player> {
    let speaker = speaker
    // shown: MachineRunner+Activities.swift: let player
    return player
  }

  @Test("A task's result leads to the next state and its activity, and releasing the runner stops the activity")
  func activities() async throws {
    var player: MachineRunner? = makePlayer { "song" }
    player?.send(.play)
    try await player?.state { $0 == .playing }
    #expect(speaker.isOn)
    player = nil
    #expect(!speaker.isOn)

    let silent = makePlayer { nil }
    silent.send(.play)
    try await silent.state { $0 == .stopped }
    #expect(!speaker.isOn && silent.recentTransitions.last?.event == .failed)
  }

  enum Lamp: StateMachine {
    enum State: String, CaseIterable { case dark, flashing }
    enum Event: String, CaseIterable { case flash, timeOver }
    static let initialState = State.dark

    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (_, .flash): .go(.flashing, [])
      case (.flashing, .timeOver): .go(.dark, [])
      case (.dark, .timeOver): .never("A dark lamp has no deadline.")
      }
    }
    static func deadline(in state: State) -> Deadline<Self>? {
      state == .flashing ? .after(.seconds(2), .timeOver) : nil
    }
  }

  // shown: MachineExchange.swift: enum GateAndLamp

  @Test("A composed machine answers questions about both machines")
  func composed() throws {
    checkGateAndLamp()
    #expect(printed == (try ExamplesTests.stated(by: "MachineExchange")))
  }

  private func waitForTheGate(_ gate: MachineRunner<Turnstile>) async throws {
    // shown: MachineRunner.swift: try await gate.state {
  }

  @Test("Waiting for a state returns immediately in that state, and otherwise when the state is entered")
  func wait() async throws {
    let gate = MachineRunner<Turnstile> { _, _ in }
    let wait = Task { try await waitForTheGate(gate) }
    await Task.yield()
    gate.send(.coin)
    try await wait.value
    try await waitForTheGate(gate)
    #expect(gate.state == .unlocked)
  }

  private func draw() {
    // shown: StateDiagram.swift: let diagram
  }

  @Test("A diagram is rendered as Mermaid and CSV")
  func diagram() {
    draw()
    #expect(printed.count == 2 && printed[0].hasPrefix("stateDiagram") && printed[1].hasPrefix("state,event,"))
  }

  private func enable(_ manager: LocationManager) {
    // shown: LocationMachine.swift: let pause
  }

  @Test("The location machine returns whether a command has an effect, or the reason why it has none")
  func command() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    enable(manager)
    #expect(!button.isEnabled && button.hint?.isEmpty == false)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    enable(manager)
    #expect(button.isEnabled && button.hint == nil)
  }
}

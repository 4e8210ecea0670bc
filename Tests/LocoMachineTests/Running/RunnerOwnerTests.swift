import Observation
import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

/// Runners as properties of their owners.
@Suite("The owner of a runner")
struct RunnerOwnerTests {
  @MainActor
  final class Booth {
    private(set) var refunds = 0
    // An explicit type, because the closure uses the property.
    private(set) lazy var gate: MachineRunner<Turnstile> = MachineRunner(owner: self) { me, _, _ in
      me.refunds += 1
      me.gate.send(.push)
    }
  }

  @MainActor @Observable
  final class Model {
    private(set) var refunds = 0
    @ObservationIgnored private(set) lazy var gate = MachineRunner<Turnstile>(owner: self) { me, _, _ in me.refunds += 1
    }
  }

  actor Office {
    private(set) var refunds = 0
    private var gate: MachineRunner<Turnstile>?

    func open() {
      gate = MachineRunner(owner: self) { me, _, _ in
        me.refunds += 1
        me.gate?.send(.push)
      }
    }

    func pay() -> Turnstile.State? {
      gate?.send(.coin)
      return gate?.state
    }
  }

  final class Free {
    var refunds = 0
    private(set) lazy var gate = MachineRunner<Turnstile>(owner: self) { me, _, _ in me.refunds += 1 }
  }

  @Test("An effect receives the owner: a class of the main actor, an observable one, one without an actor")
  @MainActor func classes() {
    let (booth, model, free) = (Booth(), Model(), Free())
    for gate in [booth.gate, model.gate, free.gate] { for _ in 0..<2 { gate.send(.coin) } }
    #expect(booth.refunds == 1 && booth.gate.state == .locked)
    #expect(model.refunds == 1 && model.gate.state == .unlocked)
    #expect(free.refunds == 1)
  }

  @Test("An effect of an actor's runner has the actor's isolation")
  func actors() async {
    let office = Office()
    await office.open()
    #expect(await office.pay() == .unlocked)
    #expect(await office.pay() == .locked)
    #expect(await office.refunds == 1)
  }

  @Test("The runner holds its owner weakly, and performs no effect after the owner's end")
  @MainActor func weakly() {
    var booth: Booth? = Booth()
    weak let leaked = booth
    let gate = booth?.gate
    gate?.send(.coin)
    booth = nil
    #expect(leaked == nil)
    #expect(gate?.send(.coin) == .stayed)
  }

  /// A machine whose state has an activity.
  enum Lamp: StateMachine {
    enum State: String, CaseIterable { case off, on }
    enum Event: String, CaseIterable { case press, burntOut }
    enum Activity: String { case light }
    static let initialState = State.off
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch (state, event) {
      case (.off, .press): .go(.on, [])
      case (.on, .press), (.on, .burntOut): .go(.off, [])
      case (.off, .burntOut): .never("The lamp is off.")
      }
    }
    static func activities(in state: State) -> [Activity] { state == .on ? [.light] : [] }
  }

  @MainActor
  final class Room {
    var lines: [String] = []
    private(set) lazy var lamp = MachineRunner<Lamp>(owner: self) { _, _, _ in
    } activities: { me, activity in
      .closures(
        start: { [weak me] in me?.lines.append("start \(activity)") },
        stop: { [weak me] in me?.lines.append("stop \(activity)") })
    }
  }

  actor Workshop {
    var lamp: MachineRunner<Lamp>?
    var lit = 0

    func open() {
      lamp = MachineRunner(owner: self) { _, _, _ in
      } activities: { me, _ in
        me.lit += 1
        return .task { _ in .burntOut }
      }
    }

    func press() async throws -> Int {
      lamp?.send(.press)
      try await lamp?.state { $0 == .off }
      return lit
    }
  }

  @Test("An activity receives the owner, a class or an actor")
  @MainActor func activities() async throws {
    let room = Room()
    for _ in 0..<3 { room.lamp.send(.press) }
    #expect(room.lines == ["start light", "stop light", "start light"])
    let workshop = Workshop()
    await workshop.open()
    #expect(try await workshop.press() == 1)
  }

  @Test("A runner without its owner begins no work of the owner")
  @MainActor func without() {
    var room: Room? = Room()
    let lamp = room?.lamp
    room = nil
    lamp?.send(.press)
    #expect(lamp?.state == .on)
    lamp?.send(.press)
    #expect(lamp?.state == .off)
  }
}

// The page's interface to the machines. `describe` and `step` return an answer: the address of a length and JSON.
// Compiled as Embedded Swift with the engine, its graphs and the machines: the browser runs the code that ships.

private let players: [Player] = {
  var players = [
    Player(LocationMachine.self, name: "location", mode: { $0.mode.rawValue }),
    Player(LookMachine.self, name: "look"),
    Player(TripMachine.self, name: "trip", mode: { $0.wantsReceiver ? "gps" : "off" }),
    Player(TripDetectionMachine.self, name: "trip-detection", mode: { $0 == .resting ? "significantChanges" : "gps" }),
    Player(PaceMachine.self, name: "pace"),
    Player(GPSDMachine.self, name: "gpsd", mode: { $0.isWatching ? "gps" : "off" }),
    Player(Turnstile.self, name: "turnstile"),
  ]
  #if NASTY  // for a test
    players.append(Player(Nasty.self, name: "nasty"))
  #endif
  return players
}()

@_expose(wasm, "machineCount")
@_cdecl("machineCount")
func machineCount() -> Int32 { Int32(players.count) }

@_expose(wasm, "describe")
@_cdecl("describe")
func describe(_ machine: Int32) -> UnsafeMutableRawPointer { answer(players[Int(machine)].description) }

@_expose(wasm, "step")
@_cdecl("step")
func step(_ machine: Int32, _ state: Int32, _ event: Int32) -> UnsafeMutableRawPointer {
  answer(players[Int(machine)].step(Int(state), Int(event)))
}

@_expose(wasm, "release")
@_cdecl("release")
func release(_ answer: UnsafeMutableRawPointer) { answer.deallocate() }

/// A type-erased machine.
private struct Player: Sendable {
  let description: String
  let step: @Sendable (_ state: Int, _ event: Int) -> String

  init<Machine: StateMachine & SendableMetatype>(
    _ machine: Machine.Type, name: String, mode: @escaping (Machine.State) -> String? = { _ in nil }
  ) {
    let table = TransitionTable<Machine>()
    let states = table.states
    @Sendable func position(of state: Machine.State) -> Int { states.firstIndex { $0 == state } ?? 0 }
    let tours = StateGraph<Machine>().tours().map { tour in
      list(tour.map { event in number(table.events.firstIndex { $0 == event } ?? 0) })
    }
    let described = states.map { state in
      let deadline = table.deadline(in: state).map {
        Machine.event(of: $0.input).rawValue + " after "
          + ($0.setting.map { $0 + ", " } ?? "") + $0.duration.inUnits(separatedBy: " ")
      }
      return object([("name", quoted(state.rawValue)), ("mode", quoted(mode(state))), ("deadline", quoted(deadline))])
    }
    description = object([
      ("name", quoted(name)), ("states", list(described)), ("events", list(table.events.map { quoted($0.rawValue) })),
      ("initial", number(position(of: Machine.initialState))), ("tours", list(tours)),
    ])
    step = { state, event in
      let step = table.step(from: states[state], on: table.events[event])
      let kind =
        switch step.kind {
        case .external: "external"
        case .internal: "internal"
        case .ignored: "ignored"
        case .impossible: "impossible"
        }
      return object([
        ("kind", quoted(kind)), ("next", number(position(of: step.next))),
        ("effects", list(step.effects.map { quoted(table.effects[$0].description) })),
        ("reason", quoted(table[state: states[state], event: table.events[event]].reason)),
      ])
    }
  }
}

/// The state machine of the pace, which distinguishes fast travel from all other movement. `StateDiagrams/` contains a diagram of the
/// table.
///
/// The machine has no effects: the pace is a condition of rules. The speed limits of the events differ, so that a device near a limit
/// doesn't alternate between two paces.
package enum PaceMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// Slower than on a motorway.
    case ordinary
    /// On a motorway or a railway.
    case highway
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// The speed is 20 m/s or more.
    case fast
    /// The speed is less than 15 m/s, or was unknown for a minute.
    case slow
  }

  package static let initialState = State.ordinary

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    switch (state, event) {
    case (.ordinary, .fast): .go(.highway, [])
    case (.ordinary, .slow): .ignore("The pace is already ordinary.")
    case (.highway, .fast): .ignore("The pace is already highway.")
    case (.highway, .slow): .go(.ordinary, [])
    }
  }
}

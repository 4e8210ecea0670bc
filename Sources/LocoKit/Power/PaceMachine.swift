/// The device's speed class, which sets the distance between locations.
///
/// ```swift
/// var zoom: Int {
///   switch controller.pace {
///   case .walking: 17
///   case .ordinary: 15
///   case .highway: 12
///   }
/// }
/// ```
public enum Pace: String, CaseIterable, Hashable, Sendable {
  /// In town.
  case ordinary
  /// On foot, as the app reports.
  case walking
  /// On a motorway.
  case highway
}

/// The state machine of the pace. `StateDiagrams/` contains the drawn table.
///
/// The machine has no effects: a pace only sets the distance filter. The speed limits of the events differ, so that a device near a limit doesn't alternate between two paces.
package enum PaceMachine: StateMachine {
  package typealias State = Pace

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app reports that its user walks.
    case walkModeOn
    /// The app reports that its user no longer walks.
    case walkModeOff
    /// The speed is 20 m/s or more.
    case fast
    /// The speed is less than 15 m/s.
    case slow
  }

  package static let initialState = State.ordinary

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Nothing> {
    switch (state, event) {
    case (.ordinary, .walkModeOn), (.highway, .walkModeOn): .go(.walking, [])
    case (.ordinary, .walkModeOff): .ignore("The walk mode is already off.")
    case (.ordinary, .fast): .go(.highway, [])
    case (.ordinary, .slow): .ignore("The pace is already ordinary.")
    case (.walking, .walkModeOn): .ignore("The walk mode is already on.")
    case (.walking, .walkModeOff): .go(.ordinary, [])
    case (.walking, .fast): .ignore("The walk mode takes precedence over the speed.")
    case (.walking, .slow): .ignore("A low speed is expected in the walk mode.")
    case (.highway, .walkModeOff): .ignore("The pace is highway, so the walk mode is already off.")
    case (.highway, .fast): .ignore("The pace is already highway.")
    case (.highway, .slow): .go(.ordinary, [])
    }
  }
}

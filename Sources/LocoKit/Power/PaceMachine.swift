/// How fast the device moves: it decides how far apart locations are.
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
  /// On foot, because the app says so.
  case walking
  /// On a motorway.
  case highway
}

/// How fast the device moves, as far as it decides how often a location is wanted.
///
/// The table is drawn in `StateDiagrams/`. Speeds are judged before it, with a gap between fast and slow, so that a device
/// near the limit does not go back and forth.
package enum PaceMachine: StateMachine {
  package typealias State = Pace

  /// What can happen to a pace.
  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app says that its user walks.
    case walkModeOn
    /// The app says that its user walks no more.
    case walkModeOff
    /// The device moves at 20 m/s or faster.
    case fast
    /// The device moves slower than 15 m/s.
    case slow
  }

  /// Nothing is done at once: what lasts is the pace's distance filter.
  package enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// No case: a pace has no effects.
    package var description: String { "" }
  }

  /// In town.
  package static let initialState = State.ordinary

  /// What `event` does in `state`.
  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .ordinary:
      switch event {
      case .walkModeOn: .go(.walking, [])
      case .walkModeOff: .ignore("The walk mode is off already.")
      case .fast: .go(.highway, [])
      case .slow: .ignore("The pace is an ordinary one already.")
      }
    case .walking:
      switch event {
      case .walkModeOn: .ignore("The walk mode is on already.")
      case .walkModeOff: .go(.ordinary, [])
      case .fast: .ignore("The app says that its user walks, and knows better than a speed.")
      case .slow: .ignore("Slow is what walking is.")
      }
    case .highway:
      switch event {
      case .walkModeOn: .go(.walking, [])
      case .walkModeOff: .ignore("The walk mode is off on a motorway.")
      case .fast: .ignore("The device is fast already.")
      case .slow: .go(.ordinary, [])
      }
    }
  }
}

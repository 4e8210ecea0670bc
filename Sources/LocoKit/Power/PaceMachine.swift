/// How fast the device moves, as far as it decides how often a location is wanted.
///
/// The table is drawn in `StateDiagrams/`. Speeds are judged before it, with a gap between fast and slow, so that a device
/// near the limit does not go back and forth.
///
/// A controller has it in ``PowerController/pace``, here for how close a map is zoomed in:
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
public enum PaceMachine: StateMachine {
  /// A pace.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// In town.
    case ordinary
    /// On foot, because the app says so.
    case walking
    /// On a motorway.
    case highway
  }

  /// What can happen to a pace.
  public enum Event: String, CaseIterable, Hashable, Sendable {
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
  public enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// No case: a pace has no effects.
    public var description: String { "" }
  }

  /// In town.
  public static let initialState = State.ordinary

  /// What `event` does in `state`.
  public static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
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

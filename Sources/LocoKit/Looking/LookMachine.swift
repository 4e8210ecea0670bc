/// The motion of a device between two looks, by the results of the looks, where an error bound is set.
///
/// The planner of a ``LocationManager`` judges a look's fix and raises an event for it. The state decides which of the planner's limits
/// make the device look again: the distance that the device may have moved, motion at rest, or the end of a wait. The table is drawn in
/// `StateDiagrams/`.
package enum LookMachine: StateMachine {
  /// How the device moves.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// It moves: a look is due before it may have moved farther than the bound.
    case moving
    /// It stays where it is: only motion and wakes from outside make it look.
    case resting
    /// The last look found nothing: the next one is due after a wait, which motion shortens.
    case blind
  }

  /// The result of a look, or the end of motion.
  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A fix away from the last one, or the first fix there is.
    case fixElsewhere
    /// A second fix in a row in the same place.
    case fixHere
    /// A look that found nothing.
    case noFix
    /// The motion sensor has reported no motion for three minutes.
    case stillness
  }

  /// An action of a transition.
  package enum Effect: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// The planner updates the trip's pace from the last two fixes.
    case learnPace
    /// A trip begins, whose pace isn't known yet.
    case beginTrip
    /// The planner resets the motion counted so far, since the device has come to rest.
    case rest
    /// The planner postpones the next look, longer each time.
    case putOff

    /// The effect's name in tables and diagrams.
    package var description: String { rawValue }
  }

  /// A device moves until a look or the motion sensor shows that it doesn't.
  package static let initialState = State.moving

  /// What `event` does in `state`.
  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .moving:
      switch event {
      case .fixElsewhere: .stay([.learnPace])
      case .fixHere: .go(.resting, [.rest])
      case .noFix: .go(.blind, [.putOff])
      case .stillness: .go(.resting, [.rest])
      }
    case .resting:
      switch event {
      case .fixElsewhere: .go(.moving, [.beginTrip])
      case .fixHere: .stay([.rest])
      case .noFix: .stay([.putOff])
      case .stillness: .ignore("The device is at rest already.")
      }
    case .blind:
      switch event {
      case .fixElsewhere: .go(.moving, [.learnPace])
      case .fixHere: .go(.resting, [.rest])
      case .noFix: .stay([.putOff])
      case .stillness: .go(.resting, [.rest])
      }
    }
  }
}

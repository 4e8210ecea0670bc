/// The movement of a device between looks, if an error bound is set.
///
/// The planner of a ``LocationManager`` raises an event for the result of each look. The state decides which limit starts the next look: the
/// distance that the device may have moved, motion after rest, or the end of a wait. The table is drawn in `StateDiagrams/`.
package enum LookMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// The device moves: a look is due before it may have moved farther than the bound.
    case moving
    /// The device is at rest: only motion and wake-ups start a look.
    case resting
    /// The last look failed: the next one is due after some motion.
    case blind
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A look found a fix away from the last one, or the first fix.
    case fixElsewhere
    /// A look found a second fix in a row in the same place.
    case fixHere
    /// A look found no fix.
    case noFix
    /// The motion sensor has reported no motion for three minutes.
    case stillness
  }

  package enum Effect: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// The planner updates the trip's pace from the last two fixes.
    case learnPace
    /// The planner starts a trip, whose pace isn't known yet.
    case beginTrip
    /// The planner resets the motion, because the device rests.
    case rest
    /// The planner postpones the next look, longer each time.
    case putOff

    package var description: String { rawValue }
  }

  /// A device moves until a look or the motion sensor shows that it doesn't.
  package static let initialState = State.moving

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.moving, .fixElsewhere): .stay([.learnPace])
    case (.blind, .fixElsewhere): .go(.moving, [.learnPace])
    case (.resting, .fixElsewhere): .go(.moving, [.beginTrip])
    case (.moving, .fixHere), (.blind, .fixHere): .go(.resting, [.rest])
    case (.resting, .fixHere): .stay([.rest])
    case (.moving, .noFix): .go(.blind, [.putOff])
    case (.resting, .noFix), (.blind, .noFix): .stay([.putOff])
    case (.moving, .stillness), (.blind, .stillness): .go(.resting, [.rest])
    case (.resting, .stillness): .ignore("The device is at rest already.")
    }
  }
}

/// The movement of a device between looks, if an error bound is set.
///
/// The planner of a ``LocationManager`` raises an event for the result of each look, and when the app may be suspended. The state decides
/// which limit starts the next look: the distance that the device may have moved, motion after rest, the end of a wait, or a wake-up. The
/// table is drawn in `StateDiagrams/`.
package enum LookMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// The device moves: a look is due before it may have moved farther than the bound.
    case moving
    /// The device is at rest: only motion and wake-ups start a look.
    case resting
    /// The last look failed: the next one is due after some motion.
    case blind
    /// The device is at rest, and the app may be suspended: a wake-up starts a look.
    case asleep
    /// The device is slow, and the app may be suspended: the exit from a region wakes it before the device reaches the bound.
    case asleepMoving
    /// The last look failed, and the app may be suspended: a wake-up starts the next one.
    case asleepBlind
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A look found a fix away from the last one, or the first fix.
    case fixElsewhere
    /// A look found a second fix in a row in the same place.
    case fixHere
    /// A look found no fix.
    case noFix
    /// The motion sensor or the fixes have shown no motion for minutes.
    case stillness
    /// The device has rested long enough, and its fix is accurate enough to be kept for hours.
    case settled
    /// The device leaves a region before it reaches the bound, even if the system reports that late.
    case slow
    /// The system has woken the app, a look begins, or nothing would wake a suspended app any more.
    case woken
  }

  package enum Effect: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// The planner updates the trip's pace from the last two fixes.
    case learnPace
    /// The planner starts a trip, whose pace isn't known yet.
    case beginTrip
    /// The planner keeps the error of the estimate so far, and counts the motion at rest from zero.
    case rest
    /// The planner doubles the time until the next look at rest.
    case waitLonger
    /// The planner postpones the next look until the device has moved, longer each time.
    case putOff
    /// The planner postpones the next look by a time, longer each time.
    case backOff
    /// The planner sets a region round the last fix, and discards the motion sensor's last report.
    case fallAsleep
    /// The planner counts the time awake, and forgets how many looks have failed.
    case wakeUp

    package var description: String { rawValue }
  }

  /// A device moves until a look or the motion sensor shows that it doesn't.
  package static let initialState = State.moving

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.moving, .fixElsewhere): .stay([.learnPace])
    case (.blind, .fixElsewhere): .go(.moving, [.learnPace])
    case (.resting, .fixElsewhere): .go(.moving, [.beginTrip])
    // The planner then raises `slow` or `woken`, which depends on the speed, if the fix came from a look.
    case (.asleep, .fixElsewhere): .go(.asleepMoving, [.beginTrip])
    case (.asleepMoving, .fixElsewhere): .stay([.learnPace])
    case (.asleepBlind, .fixElsewhere): .go(.asleepMoving, [.learnPace])

    case (.moving, .fixHere), (.blind, .fixHere): .go(.resting, [])
    case (.asleepMoving, .fixHere), (.asleepBlind, .fixHere): .go(.asleep, [])
    case (.resting, .fixHere), (.asleep, .fixHere): .stay([.waitLonger])

    case (.moving, .noFix): .go(.blind, [.putOff])
    case (.asleepMoving, .noFix): .go(.asleepBlind, [.putOff])
    case (.blind, .noFix), (.asleepBlind, .noFix): .stay([.putOff])
    case (.resting, .noFix), (.asleep, .noFix): .stay([.backOff, .waitLonger])

    case (.moving, .stillness), (.blind, .stillness): .go(.resting, [.rest])
    case (.resting, .stillness): .ignore("The device is at rest already.")
    case (.resting, .settled): .go(.asleep, [.fallAsleep])
    case (.moving, .settled), (.blind, .settled): .never("A device is at rest before it settles.")

    case (.moving, .slow): .go(.asleepMoving, [.fallAsleep])
    case (.resting, .slow): .go(.asleep, [.fallAsleep])
    case (.asleep, .slow), (.asleepMoving, .slow): .stay([.fallAsleep])
    case (.blind, .slow), (.asleepBlind, .slow): .never("A speed is known only after a fix.")

    case (.asleep, .woken): .go(.resting, [.wakeUp])
    case (.asleepMoving, .woken): .go(.moving, [.wakeUp])
    case (.asleepBlind, .woken): .go(.blind, [.wakeUp])
    case (.moving, .woken), (.resting, .woken), (.blind, .woken): .ignore("The app isn't suspended.")

    case (.asleep, .stillness), (.asleepMoving, .stillness), (.asleepBlind, .stillness), (.asleep, .settled),
      (.asleepMoving, .settled), (.asleepBlind, .settled):
      .never("No time without motion is counted while the app is suspended.")
    }
  }
}

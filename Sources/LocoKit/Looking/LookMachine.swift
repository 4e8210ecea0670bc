/// The movement of a device between looks, if an error bound is set. A look turns the GPS on to find a fix.
///
/// The planner of a ``LocationManager`` raises events for fixes, failed looks and stillness, and when the app may be suspended or is woken.
/// The state decides what starts the next look: the distance that the device may have moved, motion after rest, the end of a wait, or a
/// wake-up. `StateDiagrams/` contains a diagram of the table.
package enum LookMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// The device moves: a look is due before the error may exceed the bound.
    case moving
    /// The device is at rest: motion or a wake-up starts a look. Without a motion sensor, time counts as motion.
    case resting
    /// The last look failed: the next one is due after some motion.
    case blind
    /// The device is at rest, and the app may be suspended: a wake-up starts a look.
    case asleep
    /// The device is slow, and the app may be suspended: the exit from a region usually wakes the app before the error reaches the bound.
    case asleepMoving
    /// The last look failed, and the app may be suspended: a wake-up starts the next one.
    case asleepBlind
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A fix was found that doesn't show rest: it is away from the last one, the first or second one in its place, or coarse.
    case fixElsewhere
    /// A look found a third fix in a row in the same place; a second one is enough while the app may be suspended.
    case fixHere
    /// A look found no fix.
    case noFix
    /// The motion sensor or the fixes have shown no motion for some time, or the device has arrived for a visit.
    case stillness
    /// The device has rested long enough, and either its fix is accurate enough to be kept for hours or a look at rest has already been
    /// requested.
    case settled
    /// The device is so slow that the system usually reports the exit from a region before the error reaches the bound.
    case slow
    /// The system has woken the app, a look begins, a fix doesn't show that the device is still slow, or suspensions are no longer allowed.
    case woken
  }

  package enum Effect: String, CaseIterable, Hashable, Sendable {
    /// The planner updates the trip's pace from the distance to an earlier fix.
    case learnPace
    /// The planner starts a trip, whose pace isn't known yet.
    case beginTrip
    /// The planner keeps the error of the estimate so far, and counts the motion at rest from zero.
    case rest
    /// The planner doubles the time until the next look at rest, up to 15 minutes.
    case waitLonger
    /// The planner postpones the next look until the device has moved for some time, which grows with each failure to four minutes, or
    /// to an hour if a modem reports its cells.
    case scheduleRetry
    /// The planner postpones the next look by a time that grows with each failure to four minutes, and counts the motion from zero.
    case backOff
    /// The planner sets a region around the last fix, unless the device has left it again and again. It discards the motion sensor's last
    /// report.
    case fallAsleep
    /// The planner stores the time of the wake-up, and resets the number of failed looks.
    case wakeUp
  }

  /// A device is assumed to move until its fixes, the motion sensor or a visit show that it doesn't.
  package static let initialState = State.moving

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.moving, .fixElsewhere): .stay([.learnPace])
    case (.blind, .fixElsewhere): .go(.moving, [.learnPace])
    case (.resting, .fixElsewhere): .go(.moving, [.beginTrip])
    // If the fix isn't coarse, the planner then raises `slow` or `woken`, depending on the speed.
    case (.asleep, .fixElsewhere): .go(.asleepMoving, [.beginTrip])
    case (.asleepMoving, .fixElsewhere): .stay([.learnPace])
    case (.asleepBlind, .fixElsewhere): .go(.asleepMoving, [.learnPace])

    case (.moving, .fixHere), (.blind, .fixHere): .go(.resting, [])
    case (.asleepMoving, .fixHere), (.asleepBlind, .fixHere): .go(.asleep, [])
    case (.resting, .fixHere), (.asleep, .fixHere): .stay([.waitLonger])

    case (.moving, .noFix): .go(.blind, [.scheduleRetry])
    case (.asleepMoving, .noFix): .go(.asleepBlind, [.scheduleRetry])
    case (.blind, .noFix), (.asleepBlind, .noFix): .stay([.scheduleRetry])
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
      .never("While the app is suspended, the planner doesn't count stillness.")
    }
  }
}

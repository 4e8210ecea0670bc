/// What a device is taken to do between two looks, where an error bound is set: what makes it look again depends on that.
///
/// The planner of a ``LocationManager`` reckons how far the device may have gone, and raises an event where a limit of the state is reached; how
/// far the limits are it keeps itself. The table is drawn in `StateDiagrams/`.
///
/// ```swift
/// LookMachine.reaction(in: .moving, to: .boundNear)              // .stay([.look])
/// LookMachine.reaction(in: .moving, to: .stillness)              // .go(.resting, [.rest])
/// LookMachine.reaction(in: .resting, to: .boundNear).target      // nil
/// ```
public enum LookMachine: StateMachine {
  /// What a device is taken to do.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// It moves, and the way it may have gone is reckoned.
    case moving
    /// It stays where it is: only motion and wakes from outside make it look.
    case resting
    /// The last look found nothing: how long to wait for the next is reckoned, in seconds of motion.
    case blind
  }

  /// What can happen between two looks, or come of one.
  public enum Event: String, CaseIterable, Hashable, Sendable {
    /// A fix away from the last one, or the first fix there is.
    case fixElsewhere
    /// A second fix in a row in the same place.
    case fixHere
    /// A look that found nothing.
    case noFix
    /// The device has been still for three minutes.
    case stillness
    /// The way that the device may have gone is nearly as long as the bound allows.
    case boundNear
    /// The device has moved, or not been looked for, as long as its state allows.
    case waitOver
    /// The device is in a cell that it was not in since the last fix, and far or long enough from it.
    case newCell
    /// The device has left the region round the last fix.
    case regionExit
    /// The system says that the device has moved to another cell.
    case significantChange
  }

  /// What a transition does once.
  public enum Effect: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// The GPS is turned on.
    case look
    /// The pace of the trip is learnt from the way between two fixes.
    case learnPace
    /// A trip begins, whose pace is not known yet.
    case beginTrip
    /// What was counted is forgotten, since the device has come to rest.
    case rest
    /// The next look is put off, longer each time.
    case putOff

    /// The effect's name in tables and diagrams.
    public var description: String { rawValue }
  }

  /// A device is taken to move until something says that it does not.
  public static let initialState = State.moving

  /// What `event` does in `state`.
  public static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .moving:
      switch event {
      case .fixElsewhere: .stay([.learnPace])
      case .fixHere: .go(.resting, [.rest])
      case .noFix: .go(.blind, [.putOff])
      case .stillness: .go(.resting, [.rest])
      case .boundNear: .stay([.look])
      case .waitOver: .ignore("While the device moves its way is reckoned, and no time.")
      case .newCell: .stay([.look])
      case .regionExit: .stay([.look])
      case .significantChange: .stay([.look])
      }
    case .resting:
      switch event {
      case .fixElsewhere: .go(.moving, [.beginTrip])
      case .fixHere: .stay([.rest])
      case .noFix: .stay([.putOff])
      case .stillness: .ignore("The device is at rest already.")
      case .boundNear: .ignore("At rest no way is reckoned: the device is taken to be where it was.")
      case .waitOver: .stay([.look])
      case .newCell: .stay([.look])
      case .regionExit: .stay([.look])
      case .significantChange: .stay([.look])
      }
    case .blind:
      switch event {
      case .fixElsewhere: .go(.moving, [.learnPace])
      case .fixHere: .go(.resting, [.rest])
      case .noFix: .stay([.putOff])
      case .stillness: .go(.resting, [.rest])
      case .boundNear: .ignore("Where there was no sky, looking more often does not help.")
      case .waitOver: .stay([.look])
      case .newCell: .stay([.look])
      case .regionExit: .stay([.look])
      case .significantChange: .stay([.look])
      }
    }
  }
}

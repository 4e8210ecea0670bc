/// A machine's state and when it was entered: all that there is to know of a machine with deadlines while it runs.
///
/// Save both, and a machine that is restored from them has lost no time: what became due meanwhile is due at once.
///
/// ```swift
/// let table = TransitionTable<TrafficLight>()
/// var light = StateSnapshot<TrafficLight>(state: .green, enteredAt: .zero)
/// setTimer(table.due(in: light)?.time)             // 20 s
/// while let step = table.expire(&light, at: .seconds(21)) {
///   for effect in table.effects(of: step) { perform(effect) }
/// }
/// show(light)                                      // .amber, entered at 20 s
/// ```
///
/// A ``MachineRunner`` measures the time since the beginning of 1970. A program that runs the machine itself may choose another zero, such
/// as the start of the system.
@frozen
public struct StateSnapshot<Machine: StateMachine>: Hashable, Sendable {
  /// The state.
  public let state: Machine.State
  /// When it was entered.
  public let enteredAt: Duration

  /// A machine that entered `state` at a time.
  @inlinable
  public init(state: Machine.State = Machine.initialState, enteredAt: Duration) {
    self.state = state
    self.enteredAt = enteredAt
  }
}

extension TransitionTable {
  /// What happens by itself in a state that lasts, and after which time; `nil` where a state may last for ever.
  @inlinable
  public func deadline(in state: Machine.State) -> Deadline<Machine.Event>? {
    hasDeadlines ? deadlines[stateNumbers[state]] : nil
  }

  /// Whether a state of the machine has a deadline.
  @inlinable
  var hasDeadlines: Bool { !deadlines.isEmpty }

  /// What happens by itself next, and when: what a timer is to be set to.
  @inlinable
  public func due(in snapshot: StateSnapshot<Machine>) -> (event: Machine.Event, time: Duration)? {
    deadline(in: snapshot.state).map { ($0.event, snapshot.enteredAt + $0.duration) }
  }

  /// Puts the machine into the state after `event`, entered at `time` unless the transition is an internal one.
  ///
  /// Whether a deadline was over before is not looked at: call ``expire(_:at:)`` first, until it returns `nil`.
  @inlinable
  @discardableResult
  public func advance(_ snapshot: inout StateSnapshot<Machine>, on event: Machine.Event, at time: Duration) -> Step {
    let step = step(from: snapshot.state, on: event)
    if step.kind == .external { snapshot = StateSnapshot(state: step.next, enteredAt: time) }
    return step
  }

  /// Takes the transition of a deadline that is over at `now`; `nil` where none is.
  ///
  /// The next state counts from the deadline, however late its end was noticed, so a machine that goes round does not lag
  /// behind. One that was away for long may be owed several transitions: call this until it returns `nil`. Each is a deadline
  /// long, so they end.
  @inlinable
  public func expire(_ snapshot: inout StateSnapshot<Machine>, at now: Duration) -> Step? {
    guard let due = due(in: snapshot), due.time <= now else { return nil }
    return advance(&snapshot, on: due.event, at: due.time)
  }
}

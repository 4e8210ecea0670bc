/// A time limit for a state, and the input that the machine receives when the limit is reached.
///
/// A machine declares deadlines in ``StateMachine/deadline(in:)``. Entering the state again restarts the time; an internal transition
/// doesn't.
///
/// ```swift
/// static func deadline(in state: State) -> Deadline<Event>? {
///   switch state {
///   case .flashing: .after(.milliseconds(500), .timeOver)
///   case .red: .after(.seconds(30), .timeOver)
///   case .green: .after(.seconds(20), .timeOver)
///   case .amber: .after(.milliseconds(3_500), .timeOver)
///   }
/// }
/// ```
@frozen
public struct Deadline<Input> {
  /// The time limit, or its default if there is a ``setting``.
  @usableFromInline package let duration: Duration
  /// The input of the deadline.
  @usableFromInline package let input: Input
  /// The name of the setting that overrides the duration; `nil` for a fixed duration.
  @usableFromInline package let setting: String?

  /// Returns a deadline that sends an input to the machine some time after the state is entered.
  ///
  /// - Parameters:
  ///   - duration: The time limit, or its default if there is a setting.
  ///   - input: The input of the deadline. Its event must lead to a state, possibly to the same one.
  ///   - setting: The name of the setting that overrides the duration, see ``MachineRunner/settings``; `nil` for a fixed duration. Diagrams
  ///     show it.
  /// - Precondition: The duration is more than zero and at most a century.
  public static func after(_ duration: Duration, _ input: Input, setting: String? = nil) -> Deadline {
    precondition(duration > .zero, "A deadline must be more than zero; use a transition instead.")
    precondition(duration <= .century, "A deadline must be at most a century; states without a deadline last forever.")
    return Deadline(duration: duration, input: input, setting: setting)
  }

  @inlinable
  package func duration(setting value: Duration?) -> Duration { setting == nil ? duration : value ?? duration }
}

extension Deadline: Equatable where Input: Equatable {}
extension Deadline: Hashable where Input: Hashable {}
extension Deadline: Sendable where Input: Sendable {}

/// A machine's state and the time when the machine entered it.
///
/// A machine that is restored from a saved snapshot handles the deadlines that have passed since then.
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
/// In the ``MachineRunner/snapshot`` of a runner, ``enteredAt`` counts from the beginning of 1970. A program that advances the machine
/// with a ``TransitionTable`` may choose another zero, such as the system's boot.
@frozen
public struct StateSnapshot<Machine: StateMachine>: Hashable, Sendable {
  /// The state.
  public let state: Machine.State
  /// The time when the machine entered the state.
  public let enteredAt: Duration

  /// Creates a snapshot of a machine that entered a state at a time.
  @inlinable
  public init(state: Machine.State = Machine.initialState, enteredAt: Duration) {
    (self.state, self.enteredAt) = (state, enteredAt)
  }
}

extension TransitionTable {
  @inlinable
  package func deadline(in state: Machine.State) -> Deadline<Machine.Input>? {
    hasDeadlines ? deadlines[stateNumbers[state]] : nil
  }

  @inlinable
  var hasDeadlines: Bool { !deadlines.isEmpty }

  /// The names of the deadlines' settings.
  var settings: Set<String> { Set(deadlines.compactMap { $0?.setting }) }

  /// Returns the time of the deadline of a state that is entered at `uptime`, given the value of the deadline's setting.
  ///
  /// - Precondition: The state has a deadline.
  @inlinable
  package func end(of state: Machine.State, from uptime: Duration, setting: Duration? = nil) -> Duration {
    guard let deadline = deadline(in: state) else {
      preconditionFailure("The state \(state.rawValue) has no deadline.")
    }
    return uptime + deadline.duration(setting: setting)
  }

  /// Returns the input and the time of the state's deadline, or `nil` if the state has no deadline. Set a timer for that time.
  @inlinable
  public func due(in snapshot: StateSnapshot<Machine>) -> (input: Machine.Input, time: Duration)? {
    deadline(in: snapshot.state).map { ($0.input, snapshot.enteredAt + $0.duration) }
  }

  /// Handles an event. An external transition enters its target at `time`.
  ///
  /// The function doesn't check deadlines: first call ``expire(_:at:)`` until it returns `nil`.
  @inlinable
  @discardableResult
  public func advance(_ snapshot: inout StateSnapshot<Machine>, on event: Machine.Event, at time: Duration) -> Step {
    let step = step(from: snapshot.state, on: event)
    assert(step.kind != .impossible, impossible(event, in: snapshot.state))
    if step.kind == .external { snapshot = StateSnapshot(state: step.next, enteredAt: time) }
    return step
  }

  /// Handles the state's deadline and returns the step, or returns `nil` if no deadline has passed at `now`.
  ///
  /// The next state is entered at the time of the deadline, however late the call is, so a cycle of states doesn't drift. After a long
  /// absence several deadlines may have passed: call this function until it returns `nil`.
  @inlinable
  public func expire(_ snapshot: inout StateSnapshot<Machine>, at now: Duration) -> Step? {
    guard let due = due(in: snapshot), due.time <= now else { return nil }
    return advance(&snapshot, on: Machine.event(of: due.input), at: due.time)
  }
}

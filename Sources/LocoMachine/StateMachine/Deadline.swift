/// A time limit for a state, and the input that the machine receives when the limit is reached.
///
/// A machine declares deadlines in ``StateMachine/deadline(in:)``. A deadline sends an ``StateMachine/Input``, with its data if there is any.
/// Entering the state again restarts the time; an internal transition doesn't.
///
/// ```swift
/// static func deadline(in state: State) -> Deadline<Self>? {
///   switch state {
///   case .flashing: .after(.milliseconds(500), .timeOver)
///   case .red: .after(.seconds(30), .timeOver)
///   case .green: .after(.seconds(20), .timeOver)
///   case .amber: .after(.milliseconds(3_500), .timeOver)
///   }
/// }
/// ```
@frozen
public struct Deadline<Machine: StateMachine>: Sendable {
  /// The time limit, or its default if there is a ``setting``.
  @usableFromInline package let duration: Duration
  /// The input of the deadline.
  @usableFromInline package let input: Machine.Input
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
  public static func after(_ duration: Duration, _ input: Machine.Input, setting: String? = nil) -> Deadline {
    if !isPermitted(duration) { fatalError(problem(with: duration, of: "A deadline of \(Machine.self)")) }
    return Deadline(duration: duration, input: input, setting: setting)
  }

  /// The names of the settings of the machine's deadlines, in the order of the states.
  static var settings: [String] {
    var names: [String] = []
    for state in Machine.State.allCases {
      if let name = Machine.deadline(in: state)?.setting, !names.contains(name) { names.append(name) }
    }
    return names
  }

  static func isPermitted(_ duration: Duration) -> Bool { duration > .zero && duration <= .century }

  /// Returns the message about a duration that isn't permitted.
  static func problem(with duration: Duration, of owner: String) -> String {
    "\(owner) must be more than zero and at most a century, not \(duration)."
  }

  @inlinable
  package func duration(setting value: Duration?) -> Duration { setting == nil ? duration : value ?? duration }
}

extension Deadline: Equatable where Machine.Input: Equatable {}
extension Deadline: Hashable where Machine.Input: Hashable {}

extension TransitionTable {
  @inlinable
  package func deadline(in state: Machine.State) -> Deadline<Machine>? {
    hasDeadlines ? details.deadlines[stateNumbers[state]] : nil
  }

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
}

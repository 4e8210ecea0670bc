/// What happens by itself in a state that has lasted for a time.
///
/// A machine says which of its states have one, with ``StateMachine/deadline(in:)``. A state entered again counts from zero; an
/// internal transition leaves the time as it is.
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
public struct Deadline<Event> {
  /// How long the state lasts at most: longer than zero, and a century at most. With a ``setting``, the setting's default.
  public let duration: Duration
  /// The event that the deadline raises. It leaves the state, if only to enter it again.
  public let event: Event
  /// The name of the setting that the program may change the duration by; `nil` for a fixed duration. Diagrams show it.
  public let setting: String?

  /// A deadline that raises `event`, `duration` after the state was entered.
  ///
  /// - Parameters:
  ///   - duration: How long the state lasts at most; with a setting, the setting's default.
  ///   - event: The event that the deadline raises.
  ///   - setting: The name of the setting that holds the duration; `nil` for a fixed one.
  /// - Precondition: The duration is longer than zero, and a century at most.
  public static func after(_ duration: Duration, _ event: Event, setting: String? = nil) -> Deadline {
    precondition(duration > .zero, "A deadline is longer than zero: what happens at once is a transition.")
    precondition(duration <= .century, "A deadline is a century at most; a state without one lasts for ever.")
    return Deadline(duration: duration, event: event, setting: setting)
  }

  private init(duration: Duration, event: Event, setting: String?) {
    self.duration = duration
    self.event = event
    self.setting = setting
  }

  /// The duration, where the program's setting has a value: a fixed one stays.
  func duration(setting value: Duration?) -> Duration { setting == nil ? duration : value ?? duration }
}

extension TransitionTable {
  /// When the deadline of a state that was entered at `uptime` is over, where the program's setting has a value.
  ///
  /// - Precondition: The state has a deadline.
  func end(of state: Machine.State, from uptime: Duration, setting: Duration? = nil) -> Duration {
    guard let deadline = deadline(in: state) else {
      preconditionFailure("The machine has no deadline in \(state.rawValue).")
    }
    return uptime + deadline.duration(setting: setting)
  }
}

extension Deadline: Equatable where Event: Equatable {}
extension Deadline: Hashable where Event: Hashable {}
extension Deadline: Sendable where Event: Sendable {}

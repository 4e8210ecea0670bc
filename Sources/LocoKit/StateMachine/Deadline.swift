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
  /// How long the state lasts at most: longer than zero, and a century at most.
  public let duration: Duration
  /// What happens then. It leaves the state, if only to enter it again.
  public let event: Event

  /// A deadline at which `event` happens, `duration` after the state was entered.
  ///
  /// - Precondition: The duration is longer than zero, and a century at most.
  public static func after(_ duration: Duration, _ event: Event) -> Deadline {
    precondition(duration > .zero, "A deadline is longer than zero: what happens at once is a transition.")
    precondition(duration <= .century, "A deadline is a century at most; a state without one lasts for ever.")
    return Deadline(duration: duration, event: event)
  }

  private init(duration: Duration, event: Event) {
    self.duration = duration
    self.event = event
  }
}

extension Deadline: Equatable where Event: Equatable {}
extension Deadline: Hashable where Event: Hashable {}
extension Deadline: Sendable where Event: Sendable {}

/// A transition from one state to another, or to the same one, caused by an event.
///
/// ```swift
/// for transition in gate.recentTransitions {
///   print(transition)  // locked → unlocked (coin)
/// }
/// ```
@frozen
public struct StateTransition<Machine: StateMachine>: Hashable, Sendable, CustomStringConvertible {
  /// The state before the event.
  public let from: Machine.State
  /// The event.
  public let event: Machine.Event
  /// The state after the event; after an internal transition, the same state.
  public let to: Machine.State

  /// Creates a transition.
  @inlinable
  public init(from: Machine.State, event: Machine.Event, to: Machine.State) {
    (self.from, self.event, self.to) = (from, event, to)
  }

  /// A readable line, such as `locked → unlocked (coin)`.
  public var description: String { "\(from.rawValue) → \(to.rawValue) (\(event.rawValue))" }
}

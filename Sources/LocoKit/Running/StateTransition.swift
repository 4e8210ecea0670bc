/// A state left and another one entered, because of an event.
///
/// ```swift
/// for transition in gate.recentTransitions {
///   print(transition)  // locked → unlocked (coin)
/// }
/// ```
@frozen
public struct StateTransition<Machine: StateMachine>: Hashable, Sendable {
  /// The state that was left.
  public let from: Machine.State
  /// The event.
  public let event: Machine.Event
  /// The state that was entered: for an internal transition, which enters none, the same one.
  public let to: Machine.State

  /// A transition from its parts.
  @inlinable
  public init(from: Machine.State, event: Machine.Event, to: Machine.State) {
    (self.from, self.event, self.to) = (from, event, to)
  }
}

extension StateTransition: CustomStringConvertible {
  /// A line to read, such as `locked → unlocked (coin)`.
  public var description: String { "\(from.rawValue) → \(to.rawValue) (\(event.rawValue))" }
}

extension StateTransition: Codable where Machine.State: Codable, Machine.Event: Codable {}

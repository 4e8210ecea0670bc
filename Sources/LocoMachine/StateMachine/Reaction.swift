/// The reaction of a machine to an event in a state.
///
/// ```swift
/// switch Turnstile.reaction(in: .locked, to: .push) {
/// case .go(let target, let effects): print("to \(target), doing \(effects)")
/// case .stay(let effects): print("doing \(effects)")
/// case .ignore(let reason): print(reason)     // The arm is locked until a coin is paid.
/// case .never(let reason): print(reason)
/// }
/// ```
public enum Reaction<State, Effect> {
  /// An external transition to a state, with its effects. A transition to the same state leaves it and enters it again.
  case go(State, [Effect])
  /// An internal transition: it has effects, and the state is neither left nor entered.
  case stay([Effect])
  /// The event does nothing. The associated sentence explains why to a reader of the table.
  case ignore(String)
  /// The event can't occur in the state. The associated sentence explains why to a reader of the table.
  ///
  /// The walks and tours of `StateGraph` never send the event. If it does occur, a runner stops a debug build; in a release build the
  /// runner logs and ignores it.
  case never(String)

  /// The state that is entered; `nil` unless the transition is external.
  public var target: State? {
    if case .go(let target, _) = self { target } else { nil }
  }

  /// The effects; empty if the event is ignored or can't occur.
  public var effects: [Effect] {
    switch self {
    case .go(_, let effects), .stay(let effects): effects
    case .ignore, .never: []
    }
  }

  /// The reason why the event does nothing, or can't occur; `nil` for a transition.
  @inlinable
  public var reason: String? {
    switch self {
    case .ignore(let reason), .never(let reason): reason
    case .go, .stay: nil
    }
  }
}

extension Reaction: Equatable where State: Equatable, Effect: Equatable {}
extension Reaction: Hashable where State: Hashable, Effect: Hashable {}
extension Reaction: Sendable where State: Sendable, Effect: Sendable {}

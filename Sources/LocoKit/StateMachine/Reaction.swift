/// What a machine does with an event in a state.
///
/// ```swift
/// switch Turnstile.reaction(in: .locked, to: .push) {
/// case .go(let target, let effects): print("to \(target), doing \(effects)")
/// case .stay(let effects): print("doing \(effects)")
/// case .ignore(let reason): print(reason)     // The arm is locked until a coin is paid.
/// }
/// ```
public enum Reaction<State, Effect> {
  /// An external transition into a state, with what happens once on the way.
  ///
  /// A transition into the same state is one too: the state is left and entered again.
  case go(State, [Effect])
  /// An internal transition: its effects happen, the state is neither left nor entered.
  case stay([Effect])
  /// Nothing happens, and why not, in words for whoever reads the table.
  case ignore(String)
}

extension Reaction {
  /// The state that is entered; `nil` where none is.
  public var target: State? {
    if case .go(let target, _) = self { target } else { nil }
  }

  /// What happens once; empty where the event is ignored.
  public var effects: [Effect] {
    switch self {
    case .go(_, let effects), .stay(let effects): effects
    case .ignore: []
    }
  }

  /// Why the event is ignored; `nil` where it is not.
  public var reason: String? {
    if case .ignore(let reason) = self { reason } else { nil }
  }
}

extension Reaction: Equatable where State: Equatable, Effect: Equatable {}
extension Reaction: Hashable where State: Hashable, Effect: Hashable {}
extension Reaction: Sendable where State: Sendable, Effect: Sendable {}

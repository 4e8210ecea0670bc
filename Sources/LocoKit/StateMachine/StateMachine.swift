/// A finite state machine, written as one total function over two enumerations.
///
/// A conforming type is a namespace: it holds no state. The function says what each event does in each state, an
/// exhaustive `switch` makes the compiler check that no pair was forgotten, and everything else comes for free:
/// ``MachineRunner`` runs it, ``StateDiagram`` draws it, ``StateGraph`` explores it.
///
/// ```swift
/// enum Turnstile: StateMachine {
///   enum State: String, CaseIterable { case locked, unlocked }
///   enum Event: String, CaseIterable { case coin, push }
///   enum Effect: String, CustomStringConvertible {
///     case refund
///     var description: String { rawValue }
///   }
///   static let initialState = State.locked
///
///   static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
///     switch (state, event) {
///     case (.locked, .coin): .go(.unlocked, [])
///     case (.locked, .push): .ignore("The arm is locked until a coin is paid.")
///     case (.unlocked, .coin): .stay([.refund])
///     case (.unlocked, .push): .go(.locked, [])
///     }
///   }
/// }
/// ```
///
/// Events are facts without numbers, so the table stays finite. Judge numbers first, and let the event say the fact that came out;
/// what its effects need beside the fact is the ``Payload``.
///
/// A machine belongs to no actor: it inherits from `SendableMetatype`, so that a type declared in a module whose default
/// isolation is the main actor, as in new app projects, conforms to it all the same.
public protocol StateMachine: SendableMetatype {
  /// The states. The raw value is the state's name in tables and diagrams.
  associatedtype State: RawRepresentable & CaseIterable & Hashable & Sendable where State.RawValue == String
  /// The events: what can happen to the machine. The raw value is the event's name in tables and diagrams.
  associatedtype Event: RawRepresentable & CaseIterable & Hashable & Sendable where Event.RawValue == String
  /// What a transition does once. The description is the effect's name in tables and diagrams: one word, no spaces.
  associatedtype Effect: Hashable & Sendable & CustomStringConvertible
  /// What an event may bring to the effects of its transition, such as an amount; `Void` for a machine that doesn't declare one.
  associatedtype Payload = Void

  /// The state in which the machine begins.
  static var initialState: State { get }

  /// What `event` does in `state`: the one place where the machine's behaviour is written.
  ///
  /// Total and pure: it answers every pair, always with the same value.
  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect>

  /// What happens by itself in `state` when it has lasted for a time; `nil`, as in a machine that does not say, where it may
  /// last for ever.
  ///
  /// Pure, as the other function is, and drawn with it. ``StateSnapshot`` is a machine that keeps its deadlines.
  ///
  /// - Precondition: The deadline's event goes to a state, be it the same one, so a deadline that is over is not due again.
  static func deadline(in state: State) -> Deadline<Event>?
}

extension StateMachine {
  /// A machine has no deadlines unless it says so.
  public static func deadline(in state: State) -> Deadline<Event>? { nil }
}

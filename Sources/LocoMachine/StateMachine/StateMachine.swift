/// A finite state machine: states, events, effects, and one total function that reacts to each event in each state.
///
/// A conforming type is never instantiated. The function returns the reaction to each event in each state, and an exhaustive `switch` lets
/// the compiler check that no pair is missing. ``MachineRunner`` runs the machine. With `LocoMachineGraphs`, `StateDiagram` draws it, and
/// `StateGraph` explores it.
///
/// ```swift
/// enum Turnstile: StateMachine {
///   enum State: String, CaseIterable { case locked, unlocked }
///   enum Event: String, CaseIterable { case coin, push }
///   enum Effect: String { case refund }
///   static let initialState = State.locked
///
///   static func reaction(
///     in state: State, to event: Event
///   ) -> Reaction<State, Effect> {
///     switch (state, event) {
///     case (.locked, .coin): .go(.unlocked, [])
///     case (.locked, .push):
///       .ignore("The arm is locked until a coin is paid.")
///     case (.unlocked, .coin): .stay([.refund])
///     case (.unlocked, .push): .go(.locked, [])
///     }
///   }
/// }
/// ```
///
/// Events are facts without numbers, so the table stays finite. Compare numbers first and send the event that follows from the comparison.
/// Data for the effects belongs in the ``Input``.
///
/// A machine isn't isolated to an actor. The protocol inherits from `SendableMetatype`, so that a type in a module whose default isolation
/// is the main actor, as in new app projects, conforms too. In such a module, mark the extensions and the constants that the machine's functions
/// use as `nonisolated`.
public protocol StateMachine: SendableMetatype {
  /// The states. A raw value is the state's name in tables and diagrams.
  associatedtype State: RawRepresentable & CaseIterable & Hashable & Sendable where State.RawValue == String
  /// The events. A raw value is the event's name in tables and diagrams.
  associatedtype Event: RawRepresentable & CaseIterable & Hashable & Sendable where Event.RawValue == String
  /// The effects of transitions. Their names in tables and diagrams are ``name(ofEffect:)``.
  associatedtype Effect: Hashable & Sendable = Never
  /// The input that a program sends to the machine: an event with its data, such as `.pay(cents: 500)`. By default, the input is the event.
  associatedtype Input: Sendable = Event

  /// The work that lasts as long as a state. Their names in tables and diagrams are ``name(ofActivity:)``.
  associatedtype Activity: Hashable & Sendable = Never

  /// The first state of the machine.
  static var initialState: State { get }

  /// Returns the machine's reaction to an event in a state.
  ///
  /// The function is total and pure: it accepts every pair, and always returns the same value for a pair.
  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect>

  /// Returns the event of an input. The default for inputs without data returns the input.
  ///
  /// The function is pure. The table, the diagrams and the exploration use only the event. The effects of the transition receive the input.
  static func event(of input: Input) -> Event

  /// Returns the deadline of a state; `nil`, the default, if the state may last forever.
  ///
  /// The function is pure. Diagrams show the deadlines.
  ///
  /// - Precondition: The deadline's event causes an external transition, possibly to the same state. Otherwise the deadline would fire
  ///   again immediately.
  static func deadline(in state: State) -> Deadline<Self>?

  /// Returns the activities of a state, such as a connection or a sound. A machine whose ``Activity`` is `Never` has none.
  ///
  /// A transition starts the activities that its target adds, and stops those that the target doesn't have. So an activity stops on every
  /// path out of its states. An activity of both the old and the new state continues; if its task has ended, it starts again. A transition
  /// to the same state restarts its activities; an internal transition doesn't. A state whose deadline has passed starts none.
  ///
  /// The function is pure. Diagrams show the activities.
  ///
  /// - Precondition: A state lists an activity once, and a machine has at most 64 activities.
  static func activities(in state: State) -> [Activity]

  /// Returns an effect's name in tables and diagrams: one word without spaces. By default, the effect's description or, if it has none, its
  /// raw value.
  static func name(ofEffect effect: Effect) -> String

  /// Returns an activity's name in tables and diagrams. By default, the activity's description or, if it has none, its raw value.
  static func name(ofActivity activity: Activity) -> String
}

extension StateMachine {
  /// Returns `nil`: the machine has no deadlines.
  public static func deadline(in state: State) -> Deadline<Self>? { nil }
}

extension StateMachine where Activity == Never {
  /// Returns an empty array: the machine has no activities.
  public static func activities(in state: State) -> [Never] { [] }
}

// A type with a raw value and a description fits two of the first, so each has a third, which is more specific.

extension StateMachine where Effect: CustomStringConvertible {
  /// Returns the effect's description.
  public static func name(ofEffect effect: Effect) -> String { effect.description }
}

extension StateMachine where Effect: RawRepresentable, Effect.RawValue == String {
  /// Returns the effect's raw value.
  public static func name(ofEffect effect: Effect) -> String { effect.rawValue }
}

extension StateMachine where Effect: RawRepresentable & CustomStringConvertible, Effect.RawValue == String {
  /// Returns the effect's description.
  public static func name(ofEffect effect: Effect) -> String { effect.description }
}

extension StateMachine where Activity: CustomStringConvertible {
  /// Returns the activity's description.
  public static func name(ofActivity activity: Activity) -> String { activity.description }
}

extension StateMachine where Activity: RawRepresentable, Activity.RawValue == String {
  /// Returns the activity's raw value.
  public static func name(ofActivity activity: Activity) -> String { activity.rawValue }
}

extension StateMachine where Activity: RawRepresentable & CustomStringConvertible, Activity.RawValue == String {
  /// Returns the activity's description.
  public static func name(ofActivity activity: Activity) -> String { activity.description }
}

extension StateMachine where Effect == Never {
  /// Never called: the machine has no effects.
  public static func name(ofEffect effect: Never) -> String {}
}

extension StateMachine where Activity == Never {
  /// Never called: the machine has no activities.
  public static func name(ofActivity activity: Never) -> String {}
}

extension StateMachine where Input == Event {
  /// Returns the input, which is the event.
  @inlinable
  public static func event(of input: Event) -> Event { input }
}

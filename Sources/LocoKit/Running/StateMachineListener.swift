/// Receives a machine's transitions and ignored events. Every method has a default that does nothing.
///
/// ```swift
/// final class Display: StateMachineListener {
///   var text = ""
///
///   func machine(_ runner: MachineRunner<Turnstile>, didTransition transition: StateTransition<Turnstile>) {
///     text = transition.to.rawValue
///   }
/// }
/// ```
///
/// The runner calls its listeners in its owner's isolation, after the state is set and the effects are performed. Events that a listener
/// sends wait until all listeners have been called. A class on the main actor conforms as
/// `final class Display: @MainActor StateMachineListener`.
public protocol StateMachineListener<Machine>: AnyObject {
  /// The machine.
  associatedtype Machine: StateMachine

  /// A state was left and another one entered, because of an event or a deadline.
  func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>)
  /// An event did nothing; `reason` is the sentence in the table.
  func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String)
}

extension StateMachineListener {
  /// Does nothing.
  public func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>) {}
  /// Does nothing.
  public func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String) {}
}

extension ListenerRegistry {
  /// Adds a listener behind the others, without keeping it alive; one that is there already stays where it is.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func add<Machine: StateMachine>(_ listener: any StateMachineListener<Machine>)
  where Listener == any StateMachineListener<Machine> {
    add(StateMachineEntry(listener))
  }
}

@usableFromInline
final class StateMachineEntry<Machine: StateMachine>: ListenerRegistry<any StateMachineListener<Machine>>.Entry {
  @usableFromInline weak var held: (any StateMachineListener<Machine>)?
  @inlinable
  override var listener: (any StateMachineListener<Machine>)? { held }
  override func forget() { held = nil }

  @usableFromInline
  init(_ listener: any StateMachineListener<Machine>) {
    held = listener
    super.init(ObjectIdentifier(listener))
  }
}

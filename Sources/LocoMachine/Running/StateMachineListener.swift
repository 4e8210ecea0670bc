#if !hasFeature(Embedded)
  /// Receives a machine's events and what they did. All methods are optional.
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
  /// The runner calls its listeners in its actor's isolation, after it has set the state and performed the effects. The events that a
  /// listener sends wait until all listeners have been called. A class on the main actor conforms as
  /// `final class Display: @MainActor StateMachineListener`.
  public protocol StateMachineListener<Machine>: AnyObject {
    /// The machine.
    associatedtype Machine: StateMachine

    /// The machine left a state and entered a state, possibly the same one, because of an event or a deadline.
    func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>)
    /// The machine ignored an event. The reason is the sentence in the table.
    func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String)
    /// The machine has handled an event. Called for every event, after the other methods: also for an internal transition.
    func machine(
      _ runner: MachineRunner<Machine>, didHandle event: Machine.Event, outcome: MachineInstance<Machine>.Outcome)
  }

  extension StateMachineListener {
    /// Does nothing.
    public func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>) {}
    /// Does nothing.
    public func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String) {}
    /// Does nothing.
    public func machine(
      _ runner: MachineRunner<Machine>, didHandle event: Machine.Event, outcome: MachineInstance<Machine>.Outcome
    ) {}
  }

  extension ListenerRegistry {
    /// Adds a listener after the others, unless it is already registered. The registry holds the listener weakly.
    ///
    /// - Complexity: O(n).
    @inlinable
    public func add<Machine: StateMachine>(_ listener: any StateMachineListener<Machine>)
    where Listener == any StateMachineListener<Machine> {
      add(StateMachineEntry(listener))
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    func notify<Machine: StateMachine>(_ body: (any StateMachineListener<Machine>) -> Void)
    where Listener == any StateMachineListener<Machine> {
      notify(through: StateMachineEntry<Machine>.self, body)
    }
  }
#endif

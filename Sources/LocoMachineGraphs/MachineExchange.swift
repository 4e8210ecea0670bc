#if !hasFeature(Embedded)
  public import LocoMachine

  /// The events that two machines send each other.
  ///
  /// ```swift
  /// enum GateAndLamp: MachineExchange {
  ///   typealias First = Turnstile
  ///   typealias Second = Lamp
  ///
  ///   static func eventForSecond(from effect: Turnstile.Effect) -> Lamp.Event? {
  ///     switch effect {
  ///     case .refund: .flash
  ///     }
  ///   }
  /// }
  ///
  /// func checkGateAndLamp() {
  ///   let graph = StateGraph<ComposedMachine<GateAndLamp>>()
  ///   print(graph.path(from: .both(.locked, .dark), to: .mistake) ?? [])  // []
  ///   print(graph.reaches(.both(.unlocked, .flashing), avoiding: [.both(.unlocked, .dark)]))  // false
  /// }
  /// ```
  ///
  /// No path leads to the mistake: whenever the gate refunds a coin, the lamp is in a state where the event `flash` can occur.
  public protocol MachineExchange: SendableMetatype {
    /// The first machine.
    associatedtype First: StateMachine
    /// The second machine.
    associatedtype Second: StateMachine

    /// Returns the event that an effect of the first machine sends to the second one; `nil` if it sends none. A machine without effects needs
    /// no function.
    static func eventForSecond(from effect: First.Effect) -> Second.Event?
    /// Returns the event that an effect of the second machine sends to the first one; `nil` if it sends none. A machine without effects needs
    /// no function.
    static func eventForFirst(from effect: Second.Effect) -> First.Event?
    /// Returns whether an event may come from outside. The default is `false` for the events that the other machine's effects send, except
    /// those of deadlines.
    static func isExternal(_ event: ComposedMachine<Self>.Event) -> Bool
  }

  extension MachineExchange where First.Effect == Never {
    /// Never called: the first machine has no effects.
    public static func eventForSecond(from effect: Never) -> Second.Event? {}
  }

  extension MachineExchange where Second.Effect == Never {
    /// Never called: the second machine has no effects.
    public static func eventForFirst(from effect: Never) -> First.Event? {}
  }

  extension MachineExchange {
    /// Returns whether no effect of the other machine sends the event, or a deadline does.
    public static func isExternal(_ event: ComposedMachine<Self>.Event) -> Bool {
      switch event {
      case .first(let event):
        isDeadline(event, of: First.self) || !sends(Second.self) { eventForFirst(from: $0) == event }
      case .second(let event):
        isDeadline(event, of: Second.self) || !sends(First.self) { eventForSecond(from: $0) == event }
      }
    }

    private static func isDeadline<Machine: StateMachine>(_ event: Machine.Event, of machine: Machine.Type) -> Bool {
      Machine.State.allCases.contains { state in
        Machine.deadline(in: state).map { Machine.event(of: $0.input) == event } ?? false
      }
    }

    /// Returns whether a machine has an effect that satisfies a condition.
    private static func sends<Machine: StateMachine>(
      _ machine: Machine.Type, _ isMatch: (Machine.Effect) -> Bool
    ) -> Bool {
      Machine.State.allCases.contains { state in
        Machine.Event.allCases.contains { Machine.reaction(in: state, to: $0).effects.contains(where: isMatch) }
      }
    }
  }
#endif

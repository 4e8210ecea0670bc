#if !hasFeature(Embedded)
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

  extension StateTransition: Codable where Machine.State: Codable, Machine.Event: Codable {}

  extension StateSnapshot: Codable {
    private enum CodingKeys: CodingKey { case state, enteredAt }

    /// The permitted times: up to ten thousand years before and after zero, so that no difference overflows a `Duration`.
    static var times: ClosedRange<Duration> { .century * -100 ... .century * 100 }

    /// Decodes the state's name and the time.
    ///
    /// - Throws: An error of the decoder, or a `DecodingError` if the machine has no state of that name, as after an update that renamed
    ///   it, or if the time is more than ten thousand years from zero.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let name = try container.decode(String.self, forKey: .state)
      guard let state = Machine.State(rawValue: name), Machine.State.allCases.contains(state) else {
        throw DecodingError.dataCorruptedError(
          forKey: .state, in: container,
          debugDescription: "The machine \(Machine.self) has no state \"\(name)\". Its states are "
            + "\(Machine.State.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      let enteredAt = try container.decode(Duration.self, forKey: .enteredAt)
      guard Self.times.contains(enteredAt) else {
        throw DecodingError.dataCorruptedError(
          forKey: .enteredAt, in: container,
          debugDescription:
            "The machine \(Machine.self) can't have entered \"\(name)\" more than ten thousand years from zero.")
      }
      self.init(state: state, enteredAt: enteredAt)
    }

    /// Encodes the state's name and the time.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(state.rawValue, forKey: .state)
      try container.encode(enteredAt, forKey: .enteredAt)
    }
  }

  /// Receives a machine's external transitions and ignored events. All methods are optional.
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
  /// The runner calls its listeners in its owner's isolation, after it has set the state and performed the effects. The events that a
  /// listener sends wait until all listeners have been called. A class on the main actor conforms as
  /// `final class Display: @MainActor StateMachineListener`.
  public protocol StateMachineListener<Machine>: AnyObject {
    /// The machine.
    associatedtype Machine: StateMachine

    /// The machine left a state and entered a state, possibly the same one, because of an event or a deadline.
    func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>)
    /// The machine ignored an event. The reason is the sentence in the table.
    func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String)
  }

  extension StateMachineListener {
    /// Does nothing.
    public func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>) {}
    /// Does nothing.
    public func machine(_ runner: MachineRunner<Machine>, didIgnore event: Machine.Event, because reason: String) {}
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

    @inlinable
    @inline(__always)
    func notify<Machine: StateMachine>(_ body: (any StateMachineListener<Machine>) -> Void)
    where Listener == any StateMachineListener<Machine> {
      notify(through: StateMachineEntry<Machine>.self, body)
    }
  }

  @usableFromInline
  final class StateMachineEntry<Machine: StateMachine>: ListenerEntry {
    @usableFromInline let identifier: ObjectIdentifier
    @usableFromInline private(set) weak var listener: (any StateMachineListener<Machine>)?

    @usableFromInline
    init(_ listener: any StateMachineListener<Machine>) {
      (identifier, self.listener) = (ObjectIdentifier(listener), listener)
    }

    @usableFromInline
    func forget() { listener = nil }
  }
#endif

#if canImport(Observation) && !hasFeature(Embedded)
  public import Observation

  /// A runner's state and what its events would do, observable by SwiftUI.
  ///
  /// ```swift
  /// struct PushButton: View {
  ///   let gate: MachineModel<Turnstile>
  ///   var body: some View {
  ///     Button("Push") { gate.runner.send(.push) }
  ///       .disabled(gate.reason(for: .push) != nil)
  ///       .help(gate.reason(for: .push) ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// A model keeps its runner, and belongs to the runner's actor. Its state changes when the runner calls its listeners.
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  @Observable
  public final class MachineModel<Machine: StateMachine> {
    /// The observed runner. Send events to it.
    @ObservationIgnored public let runner: MachineRunner<Machine>
    /// The current state.
    public private(set) var state: Machine.State
    @ObservationIgnored private var observer: Observer?

    /// Creates a model of a runner.
    public init(_ runner: MachineRunner<Machine>) {
      (self.runner, state) = (runner, runner.state)
      let observer = Observer { [weak self] in self?.state = $0 }
      self.observer = observer
      runner.listeners.add(observer)
    }

    /// The events that cause a transition in the current state, in the order of `allCases`. Those of deadlines are included.
    public var availableEvents: [Machine.Event] { runner.table.available(in: state) }

    /// Returns the reason why an event does nothing in the current state; `nil` if it causes a transition.
    public func reason(for event: Machine.Event) -> String? {
      runner.table.reason(of: event, in: state)
    }

    private final class Observer: StateMachineListener {
      private let report: (Machine.State) -> Void
      init(_ report: @escaping (Machine.State) -> Void) { self.report = report }
      func machine(_ runner: MachineRunner<Machine>, didTransition transition: StateTransition<Machine>) {
        report(transition.to)
      }
    }
  }

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  @available(*, unavailable)
  extension MachineModel: Sendable {}
#endif

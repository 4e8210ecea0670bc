/// The values of a running machine to save: its state, the time when it entered the state, and its settings.
///
/// ```swift
/// let saved = try JSONEncoder().encode(light.snapshot)
/// let snapshot = try JSONDecoder().decode(StateSnapshot<TrafficLight>.self, from: saved)
/// let restored = MachineRunner(restoring: snapshot) { effect, _ in perform(effect) }
/// ```
///
/// A ``MachineInstance`` and a ``MachineRunner`` that are restored from a snapshot handle the deadlines that have passed since then.
///
/// In the ``MachineRunner/snapshot`` of a runner, ``enteredAt`` counts from the beginning of 1970. To start a runner in a state for a preview or
/// a test, take the time now: `.seconds(Date.now.timeIntervalSince1970)`, or the `sinceEpoch` of a `ManualClock` of `LocoMachineTesting`.
/// A program with a ``MachineInstance`` may choose another zero, such as the system's boot.
@frozen
public struct StateSnapshot<Machine: StateMachine>: Hashable, Sendable {
  /// The state.
  public var state: Machine.State
  /// The time when the machine entered the state.
  public var enteredAt: Duration
  /// The durations of deadlines with a setting, by the setting's name; see ``Deadline/after(_:_:setting:)``.
  public var settings: [String: Duration]

  /// Creates a snapshot of a machine that entered a state at a time.
  @inlinable
  public init(
    state: Machine.State = Machine.initialState, enteredAt: Duration, settings: [String: Duration] = [:]
  ) {
    (self.state, self.enteredAt, self.settings) = (state, enteredAt, settings)
  }
}

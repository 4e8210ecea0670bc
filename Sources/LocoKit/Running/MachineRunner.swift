import Foundation

/// Runs a machine: keeps its state, performs its effects, calls its listeners, and fires its deadlines.
///
/// ```swift
/// let gate = MachineRunner<Turnstile> { effect, _ in
///   switch effect {
///   case .refund: print("Take your coin back.")
///   }
/// }
/// gate.send(.coin)
/// print(gate.state)  // unlocked
/// ```
///
/// An event runs to completion: the state is set, the effects are performed in order, and the listeners are called. An event that is sent
/// from within waits until then.
///
/// A runner belongs to the actor that made it, as a ``LocationManager`` does: it isn't `Sendable`, and effects, listeners and deadlines
/// run in its owner's isolation. In a class on the main actor or in an actor, its deadlines fire by themselves. A runner outside an actor
/// sets no timer: call ``expire()`` after ``nextDeadline``. A timer that is late or never fires loses nothing, because each call reads the
/// clock first, and takes every deadline that is over before it handles the event.
///
/// An event without listeners costs some tens of nanoseconds and no allocation; a machine with deadlines reads the clock, too.
public final class MachineRunner<Machine: StateMachine> {
  /// What a machine did with an event.
  public enum Outcome: Hashable, Sendable {
    /// The event led to a state, be it the same one.
    case transition(StateTransition<Machine>)
    /// An internal transition: its effects were performed, and no state was left.
    case stayed
    /// Nothing happened; the sentence in the table says why.
    case ignored(because: String)
    /// The event was sent from an effect or a listener, and waits until the present event is done.
    case queued
  }

  /// Performs an effect of a transition. The payload is that of the event; `nil` without one, and for a deadline.
  public typealias Perform = (
    _ effect: Machine.Effect, _ transition: StateTransition<Machine>, _ payload: Machine.Payload?
  ) -> Void

  /// The listeners, in order of registration, held weakly.
  public let listeners = ListenerRegistry<any StateMachineListener<Machine>>()

  @usableFromInline let turns: Turns<MachineCore<Machine>>
  @usableFromInline let perform: Perform
  private let clock: RunnerClock
  private let line = RunnerLine<Machine>()
  /// Starts a task that calls ``expire()`` at a time of the clock, in the isolation of the runner's owner; `nil` while that isn't known.
  @usableFromInline var startTimer: ((Duration) -> Task<Void, Never>)?
  private var timer: (task: Task<Void, Never>, time: Duration)?
  /// The actor that owns the runner, as far as it is known.
  private var owner: (any Actor)?
  @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
  @exclusivity(unchecked) @usableFromInline var log = RecentLog<StateTransition<Machine>>()
  @exclusivity(unchecked) private var consumers = Broadcast<StateTransition<Machine>>()
  /// Whether anybody has consumed transitions.
  @exclusivity(unchecked) @usableFromInline var hasConsumers = false

  /// A runner of a machine in its initial state, or in that of a snapshot.
  ///
  /// A restored machine catches up: deadlines that were over while it was away are taken when the timer fires, which is at once, or in
  /// the first ``send(_:_:isolation:)`` or ``expire()``. If the wall clock was set back meanwhile, the state counts from now, and no
  /// deadline takes longer than it says. If it was set forward, the deadline is over as if the time had passed. A machine that was away
  /// for more than 1,000 deadlines goes on from now after these.
  ///
  /// - Parameters:
  ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state, entered now.
  ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
  ///   - isolation: The actor that owns the runner: the caller's. In the initial value of a property it isn't known before the first
  ///     event.
  ///   - perform: Performs an effect, in the isolation of the owner. It is kept as long as the runner: capture the owner weakly.
  public init(
    restoring snapshot: StateSnapshot<Machine>? = nil, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation, perform: @escaping Perform
  ) {
    let clock = RunnerClock(clock)
    self.clock = clock
    self.perform = perform
    // The time since the state was entered, which is none if the wall clock was set back.
    let elapsed = snapshot.map { max(.zero, clock.sinceEpoch - $0.enteredAt) } ?? .zero
    var core = MachineCore<Machine>(state: snapshot?.state ?? Machine.initialState, enteredAt: clock.now() - elapsed)
    core.begin()
    turns = Turns(core)
    line.runner = self
    guard core.table.hasDeadlines else { return }
    adopt(isolation: isolation)
    setTimer(core.timer)
  }

  deinit {
    line.runner = nil
    timer?.task.cancel()
    clock.manual?.setAlarm(for: line, at: nil)
    consumers.finish()
  }
}

extension MachineRunner where Machine.Payload == Void {
  /// A runner of a machine without payloads.
  ///
  /// - Parameters:
  ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state, entered now.
  ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
  ///   - isolation: The actor that owns the runner: the caller's.
  ///   - perform: Performs an effect, in the isolation of the owner. Capture the owner weakly.
  public convenience init(
    restoring snapshot: StateSnapshot<Machine>? = nil, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    perform: @escaping (_ effect: Machine.Effect, _ transition: StateTransition<Machine>) -> Void
  ) {
    self.init(restoring: snapshot, clock: clock, isolation: isolation) { effect, transition, _ in
      perform(effect, transition)
    }
  }
}

@available(*, unavailable)
extension MachineRunner: Sendable {}

// MARK: - Events

extension MachineRunner {
  /// Handles an event: now, or after the event that is being handled. Deadlines that are over come first.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - payload: What the effects of this transition are given beside the event; nobody else is.
  ///   - isolation: The actor that owns the runner: the caller's.
  /// - Returns: What the machine did with the event.
  @inlinable
  @discardableResult
  public func send(
    _ event: Machine.Event, _ payload: Machine.Payload? = nil, isolation: isolated (any Actor)? = #isolation
  ) -> Outcome {
    if startTimer == nil, turns.core.table.hasDeadlines, isolation != nil { adoptLate(isolation: isolation) }
    guard !turns.isTurning else {
      take(.event(event, payload))
      return .queued
    }
    outcome = nil
    take(.event(event, payload))
    return outcome ?? .queued
  }

  /// Takes the deadlines that are over. A program that sets its own timer calls this when ``nextDeadline`` has passed.
  public func expire(isolation: isolated (any Actor)? = #isolation) {
    guard turns.core.table.hasDeadlines else { return }
    if startTimer == nil, isolation != nil { adoptLate(isolation: isolation) }
    take(.expire)
  }
}

// MARK: - What is known

extension MachineRunner {
  /// The current state.
  @inlinable
  public var state: Machine.State { turns.core.state }

  /// The time until the deadline of the state; zero if it is over, and `nil` in a state without one.
  public var nextDeadline: Duration? {
    turns.core.due.map { max(.zero, $0.time - clock.now()) }
  }

  /// The durations of deadlines with a ``Deadline/setting``, by the setting's name. Others last as long as the machine says. A state that
  /// has lasted for longer than a new, shorter duration ends at once.
  ///
  /// - Precondition: Each is longer than zero, and a century at most.
  public var settings: [String: Duration] {
    get { turns.core.settings }
    set {
      for (name, duration) in newValue where duration <= .zero || duration > .century {
        preconditionFailure("The setting \(name) is longer than zero and a century at most, not \(duration).")
      }
      take(.settings(newValue))
    }
  }

  /// The state and when it was entered, by the wall clock, since the beginning of 1970: save it, and give it to the next runner.
  ///
  /// In a machine without deadlines the time is that of the snapshot.
  public var snapshot: StateSnapshot<Machine> {
    let core = turns.core
    let elapsed = core.table.hasDeadlines ? clock.now() - core.enteredAt : .zero
    return StateSnapshot(state: core.state, enteredAt: clock.sinceEpoch - elapsed)
  }

  /// The newest transitions, at most 32, oldest first.
  public var recentTransitions: [StateTransition<Machine>] { log.inOrder }

  /// The transitions made from now on, for one consumer. Ask anew for each. A consumer that is slow gets the 64 newest.
  public var transitions: AsyncStream<StateTransition<Machine>> {
    hasConsumers = true
    return consumers.makeStream(keepingNewest: 64)
  }
}

// MARK: - One turn at a time

extension MachineRunner {
  @inlinable
  func take(_ input: MachineCore<Machine>.Input) { turns.take(input, at: { now(for: $0) }, carryOut: { carryOut($0) }) }

  @inlinable
  func now(for input: MachineCore<Machine>.Input) -> Duration { turns.core.table.hasDeadlines ? readClock() : .zero }

  @usableFromInline
  func readClock() -> Duration { clock.now() }

  @inlinable
  func carryOut(_ action: MachineCore<Machine>.Action) {
    switch action {
    case .take(let step, let transition, let payload, let isDeadline):
      for index in step.effects { perform(turns.core.table.effects[index], transition, payload) }
      let isExternal = step.kind == .external
      if isExternal {
        log.append(transition)
        if listeners.hasEntries || hasConsumers { tell(transition) }
      }
      if !isDeadline, outcome == nil { outcome = isExternal ? .transition(transition) : .stayed }
    case .ignore(let event, let state): ignore(event, in: state)
    case .setTimer(let time): setTimer(time)
    }
  }

  @usableFromInline
  func tell(_ transition: StateTransition<Machine>) {
    listeners.tell { $0.machine(self, didTransition: transition) }
    consumers.send(transition)
  }

  @inlinable
  func ignore(_ event: Machine.Event, in state: Machine.State) {
    let reason = turns.core.table[state: state, event: event].reason ?? ""
    if listeners.hasEntries { tell(event, isIgnoredBecause: reason) }
    if outcome == nil { outcome = .ignored(because: reason) }
  }

  @usableFromInline
  func tell(_ event: Machine.Event, isIgnoredBecause reason: String) {
    listeners.tell { $0.machine(self, didIgnore: event, because: reason) }
  }
}

// MARK: - The timer

extension MachineRunner {
  /// Learns the owner's isolation from a call, and sets the timer that waited for it.
  @usableFromInline
  func adoptLate(isolation: isolated (any Actor)?) {
    adopt(isolation: isolation)
    if startTimer != nil { setTimer(turns.core.timer) }
  }

  private func adopt(isolation: isolated (any Actor)?) {
    owner = isolation
    guard isolation != nil, clock.manual == nil else { return }
    startTimer = { [line, sleep = clock.sleep] time in
      Task {
        _ = isolation
        guard (try? await sleep(time)) != nil else { return }
        line.runner?.timerFired()
      }
    }
  }

  @usableFromInline
  func setTimer(_ time: Duration?) {
    if let manual = clock.manual {
      return manual.setAlarm(for: line, at: time.map(clock.instant)) { [line] in
        guard let runner = line.runner else { return }
        runner.owner?.preconditionIsolated("Move a clock in the isolation of the runners that use it.")
        runner.timerFired()
      }
    }
    // A timer that fires earlier finds nothing due, and is set again.
    if let timer, let time, timer.time <= time { return }
    timer?.task.cancel()
    timer = nil
    if let time, let startTimer { timer = (startTimer(time), time) }
  }

  private func timerFired() {
    timer = nil
    take(.expire)
  }
}

/// Leads a timer to its runner, until the runner is deinitialized. A weak reference would make each retain of the runner slower.
final class RunnerLine<Machine: StateMachine> {
  unowned var runner: MachineRunner<Machine>?
}

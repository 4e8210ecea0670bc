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
/// An event runs to completion: the runner sets the state, performs the effects in order, and calls the listeners. It queues events that an
/// effect or a listener sends.
///
/// A runner belongs to the actor that made it, as a ``LocationManager`` does: it isn't `Sendable`, and effects, listeners and deadlines
/// run in its owner's isolation. In a class on the main actor or in an actor, a task fires its deadlines. A runner outside an actor
/// sets no timer: call ``expire(isolation:)`` after ``nextDeadline``. A timer that is late or never fires loses nothing, because each call reads the
/// clock first, and takes every deadline that is over before it handles the event.
///
/// An event without listeners takes about 350 instructions and no allocation. A machine with deadlines reads the clock for each event.
public final class MachineRunner<Machine: StateMachine> {
  /// The result of an event.
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
  /// Whether the owner is known; a runner outside an actor has none.
  @usableFromInline var hasOwner = false
  private var timer: (task: Task<Void, Never>, time: Duration)?
  @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
  @exclusivity(unchecked) @usableFromInline var log = RecentLog<StateTransition<Machine>>()
  @exclusivity(unchecked) private var consumers = Broadcast<StateTransition<Machine>>()
  /// Whether ``transitions`` has had a consumer.
  @exclusivity(unchecked) @usableFromInline var hasConsumers = false

  /// A runner of a machine in its initial state, or in that of a snapshot.
  ///
  /// A restored machine catches up: it takes the deadlines that ended while it was away when its timer fires, immediately after this call,
  /// or in the first ``send(_:_:isolation:)`` or ``expire(isolation:)``. If the wall clock was set back, the state counts from now, and no
  /// deadline takes longer than it says. If it was set forward, the deadline is over as if the time had passed. A machine that was away
  /// for more than 1,000 deadlines takes 1,000, and then counts from now.
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
    // The time since the state was entered; zero if the wall clock was set back.
    let elapsed = snapshot.map { max(.zero, clock.sinceEpoch - $0.enteredAt) } ?? .zero
    var core = MachineCore<Machine>(state: snapshot?.state ?? Machine.initialState, enteredAt: clock.now() - elapsed)
    core.begin()
    turns = Turns(core)
    line.runner = self
    guard core.table.hasDeadlines else { return }
    if let isolation { adopt(isolation) }
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
  ///   - payload: Data for the effects of this transition. Listeners don't receive it.
  ///   - isolation: The actor that owns the runner: the caller's.
  /// - Returns: What the machine did with the event.
  @inlinable
  @discardableResult
  public func send(
    _ event: Machine.Event, _ payload: Machine.Payload? = nil, isolation: isolated (any Actor)? = #isolation
  ) -> Outcome {
    if !hasOwner, turns.core.table.hasDeadlines, let isolation { adoptLate(isolation) }
    guard !turns.isTurning else {
      take(.event(event, payload))
      return .queued
    }
    outcome = nil
    take(.event(event, payload))
    return outcome ?? .queued
  }

  /// Takes the deadlines that are over. A program that sets its own timer calls this when ``nextDeadline`` has passed.
  ///
  /// - Parameter isolation: The actor that owns the runner: the caller's.
  public func expire(isolation: isolated (any Actor)? = #isolation) {
    guard turns.core.table.hasDeadlines else { return }
    if !hasOwner, let isolation { adoptLate(isolation) }
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
  /// has lasted for longer than a new, shorter duration ends immediately. Settings that are set before the first event hold from the
  /// beginning: set them after restoring a machine.
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

  /// A stream of the transitions from this call on, for one consumer. A slow consumer gets the newest 64.
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
        if !listeners.entries.isEmpty || hasConsumers { tell(transition) }
      }
      if !isDeadline, outcome == nil { outcome = isExternal ? .transition(transition) : .stayed }
    case .ignore(let event, let state): ignore(event, in: state)
    case .setTimer(let time): setTimer(time)
    }
  }

  @inlinable
  func tell(_ transition: StateTransition<Machine>) {
    listeners.tell { $0.machine(self, didTransition: transition) }
    if hasConsumers { send(transition) }
  }

  @usableFromInline
  func send(_ transition: StateTransition<Machine>) { consumers.send(transition) }

  @inlinable
  func ignore(_ event: Machine.Event, in state: Machine.State) {
    let reason = turns.core.table[state: state, event: event].reason ?? ""
    if !listeners.entries.isEmpty { tell(event, isIgnoredBecause: reason) }
    if outcome == nil { outcome = .ignored(because: reason) }
  }

  @inlinable
  func tell(_ event: Machine.Event, isIgnoredBecause reason: String) {
    listeners.tell { $0.machine(self, didIgnore: event, because: reason) }
  }
}

// MARK: - The timer

extension MachineRunner {
  /// Learns the owner from a call, and sets the timer that waited for it.
  @usableFromInline
  func adoptLate(_ owner: any Actor) {
    adopt(owner)
    setTimer(turns.core.timer)
  }

  private func adopt(_ owner: any Actor) {
    hasOwner = true
    line.owner = owner
  }

  @usableFromInline
  func setTimer(_ time: Duration?) {
    if let manual = clock.manual {
      return manual.setAlarm(for: line, at: time.map(clock.instant)) { [line] in
        line.owner?.preconditionIsolated("Move a clock in the isolation of the runners that use it.")
        line.runner?.timerFired()
      }
    }
    // A timer that fires earlier finds no deadline that is over, and is set again.
    if let timer, let time, timer.time <= time { return }
    timer?.task.cancel()
    timer = nil
    guard let time, hasOwner else { return }
    // While it sleeps, the task holds neither the runner nor its owner.
    let task = Task { [line, sleep = clock.sleep] in
      guard (try? await sleep(time)) != nil, let owner = line.owner else { return }
      await line.fire(in: owner)
    }
    timer = (task, time)
  }

  fileprivate func timerFired() {
    timer = nil
    take(.expire)
  }
}

/// Leads a timer to its runner, until the runner is deinitialized. A weak reference would make each retain of the runner slower.
///
/// The owner is set before a timer is. The runner is used in the isolation of its owner alone.
final class RunnerLine<Machine: StateMachine>: @unchecked Sendable {
  unowned var runner: MachineRunner<Machine>?
  weak var owner: (any Actor)?

  func fire(in owner: isolated any Actor) { runner?.timerFired() }
}

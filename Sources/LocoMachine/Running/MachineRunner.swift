#if !hasFeature(Embedded)
  /// Runs a machine: keeps its state, performs its effects, starts and stops its activities, calls its listeners, and fires its deadlines.
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
  /// An event runs to completion: the runner sets the state, stops the activities that the new state doesn't have, performs the effects in
  /// order, starts the activities that the new state adds, and calls the listeners. It queues the events that effects, activities and
  /// listeners send meanwhile. If they send more than 200,000 events before the first ``send(_:isolation:)`` returns, the exchange is
  /// considered endless, and the program stops.
  ///
  /// With Observation (iOS 17, macOS 14), a runner is `Observable`. A SwiftUI view that reads its state, or what depends on the state, is
  /// updated after each external transition:
  ///
  /// ```swift
  /// struct PushButton: View {
  ///   let gate: MachineRunner<Turnstile>
  ///   var body: some View {
  ///     Button("Push") { gate.send(.push) }
  ///       .disabled(gate.reason(for: .push) != nil)
  ///       .help(gate.reason(for: .push) ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// A runner belongs to the actor that creates it: it isn't `Sendable`, and effects, listeners and deadlines run in that actor's isolation.
  /// Code in Swift 5 mode can send an event elsewhere. In a debug build, such an event stops the program, if the machine has deadlines or
  /// activities. A `ManualClock` of `LocoMachineTesting` fires the deadlines itself. With another clock, a task fires them if the runner
  /// belongs to an actor; otherwise, call ``expire(isolation:)`` when the time ``timeUntilDeadline`` has passed.
  ///
  /// After a late timer, such as when the app was suspended, the runner first handles the deadlines that have passed, up to 1,000: each as
  /// if at its time, followed by the events that the deadline's effects and listeners sent. So the states and the effects are those of a
  /// runner on time, with one exception: a state with activities whose deadline has already passed is entered now, so that a request that
  /// couldn't start doesn't time out. With `SuspendingClock`, the time asleep doesn't count, but that of a suspended app does.
  ///
  /// An event without listeners takes about 415 instructions and no allocation. A runner of a machine with deadlines reads the clock for
  /// each event, which then takes about 950.
  public final class MachineRunner<Machine: StateMachine> {
    /// The listeners, in order of registration, held weakly.
    public let listeners = ListenerRegistry<any StateMachineListener<Machine>>()

    @usableFromInline let driver: CoreDriver<MachineCore<Machine>>
    /// The core's table, here too because an access through the core is slower.
    @usableFromInline let table: TransitionTable<Machine>
    @usableFromInline let perform: (Machine.Effect, Machine.Input) -> Void
    private let clock: RunnerClock
    let line = WeakRunner<Machine>()
    /// Returns how to run an activity; `nil` for a machine without activities.
    @usableFromInline let work: ((Machine.Activity) -> Work)?
    /// The running activities, by the activity's position. Accesses don't overlap: an event that a closure sends waits in the queue.
    @exclusivity(unchecked) @usableFromInline var ongoing: [Ongoing?] = []
    /// Whether a task waits for the runner's actor.
    @exclusivity(unchecked) @usableFromInline var hasWaitingTasks = false
    /// The actor that created the runner. `deinit` stops the activities in its isolation. `nil` for a machine without activities.
    private let releaser: HomeIsolation?
    /// The newest settings. During an event, the core may still have older ones.
    private var assignedSettings: [String: Duration]
    @exclusivity(unchecked) @usableFromInline var hasActor = false
    @usableFromInline var timer: (task: Task<Void, Never>, time: Duration)?
    @exclusivity(unchecked) @usableFromInline var outcome: MachineInstance<Machine>.Outcome?
    @exclusivity(unchecked) @usableFromInline var log = RecentLog<StateTransition<Machine>>()
    @exclusivity(unchecked) private(set) var consumers = Broadcast<StateTransition<Machine>>()
    @exclusivity(unchecked) private var stateConsumers = Broadcast<Machine.State>()
    /// The waits for a state. Each removes itself once its task runs again.
    private var waiters: [(waiter: Waiter<Machine.State>, isMatch: (Machine.State) -> Bool)] = []
    /// Whether there have ever been consumers or waiters.
    @exclusivity(unchecked) @usableFromInline var hasConsumers = false

    /// Creates a runner of a machine in its initial state, or in the state of a snapshot.
    ///
    /// A restored machine handles the deadlines that have passed since the snapshot at the first ``send(_:isolation:)`` or
    /// ``expire(isolation:)``, or when its timer fires, soon after this call. If there are more than 1,000, it
    /// handles 1,000, and the time in the state then starts at zero. The time also starts at zero if the wall clock now shows a time before
    /// the state was entered, so that after the restoration no deadline takes longer than its duration. If the wall clock was set forward,
    /// the difference counts as time in the state.
    ///
    /// - Parameters:
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - isolation: The runner's actor: the caller's. In the initial value of a property, the actor isn't known before the
    ///     first call of ``send(_:isolation:)``, ``expire(isolation:)`` or ``state(isolation:where:)``.
    ///   - perform: Performs an effect of a transition, in the actor's isolation. The input is the one that caused the transition, possibly
    ///     that of a deadline. The runner retains the closure: capture weakly the object that keeps the runner.
    ///   - activities: Returns how to run an activity. The runner calls the closure for each start, in the actor's isolation. The
    ///     initializer calls it for the activities of the first state, unless the state's deadline has passed. The work that starts then must
    ///     not read the property that will hold the runner. The runner retains the closure: capture weakly the object that keeps the runner.
    /// - Precondition: The snapshot's time is at most ten thousand years from the beginning of 1970.
    public convenience init(
      restoring snapshot: StateSnapshot<Machine>? = nil, clock: some Clock<Duration> = ContinuousClock(),
      isolation: isolated (any Actor)? = #isolation,
      perform: @escaping (_ effect: Machine.Effect, _ input: Machine.Input) -> Void,
      activities: @escaping (_ activity: Machine.Activity) -> Work
    ) {
      self.init(snapshot, RunnerClock(clock), isolation, perform, activities)
    }

    private init(
      _ snapshot: StateSnapshot<Machine>?, _ clock: RunnerClock, _ isolation: (any Actor)?,
      _ perform: @escaping (Machine.Effect, Machine.Input) -> Void,
      _ work: ((Machine.Activity) -> Work)?
    ) {
      (self.clock, self.perform, self.work) = (clock, perform, work)
      assignedSettings = snapshot?.settings ?? [:]
      if let snapshot, !StateSnapshot<Machine>.times.contains(snapshot.enteredAt) {
        preconditionFailure("A snapshot's time must be within ten thousand years of 1970, not \(snapshot.enteredAt).")
      }
      // The time since the state was entered; zero if the wall clock shows an earlier time.
      let elapsed = snapshot.map { max(.zero, clock.sinceEpoch - $0.enteredAt) } ?? .zero
      var first = snapshot ?? StateSnapshot(enteredAt: .zero)
      first.enteredAt = clock.now() - elapsed
      driver = CoreDriver(MachineCore(first, isRestored: snapshot != nil, at: clock.now()))
      table = driver.core.table
      releaser = table.hasActivities ? HomeIsolation() : nil
      guard table.needsActor else { return }
      line.runner = self
      if let isolation { adopt(isolation) } else { setTimer(driver.core.timer) }
      ongoing = [Ongoing?](repeating: nil, count: table.activities.count)
      start(table.activityBits(in: driver.core.instance.state) & ~driver.core.postponed)
    }

    // This may run on any thread: a background task may release the last reference.
    deinit {
      if let releaser { releaser.release(isAdopted: hasActor, on: line.actor) { [ongoing] in Self.stop(ongoing) } }
      timer?.task.cancel()
      clock.alarms?.setAlarm(for: line, at: nil) {}
      consumers.finish()
      stateConsumers.finish()
    }

    // MARK: - Events

    /// Handles an event: now, or after the current event. First handles the deadlines that have passed.
    ///
    /// - Parameters:
    ///   - input: The event, with its data. The effects of the transition receive the data; listeners don't.
    ///   - isolation: The runner's actor: the caller's.
    /// - Returns: The result of the event; `nil` if an effect, an activity or a listener sends the event, which then waits until the
    ///   current event is done.
    @inlinable
    @discardableResult
    public func send(
      _ input: Machine.Input, isolation: isolated (any Actor)? = #isolation
    ) -> MachineInstance<Machine>.Outcome? {
      assert(isOwned(by: isolation))
      adoptIfNeeded(isolation)
      guard !driver.isTurning else {
        enqueue(input)
        return nil
      }
      outcome = nil
      handle(.send(input, table.hasDeadlines ? readClock() : .zero))
      if hasWaitingTasks { requireActorForTasks() }
      return outcome
    }

    /// Handles the deadlines that have passed. A program with its own timer calls this when the time ``timeUntilDeadline`` has passed.
    ///
    /// - Parameter isolation: The runner's actor: the caller's.
    public func expire(isolation: isolated (any Actor)? = #isolation) {
      assert(isOwned(by: isolation))
      adoptIfNeeded(isolation)
      if table.hasDeadlines {
        // The core sets the timer again if there still is a deadline.
        setTimer(nil)
        enqueue(.expire)
      }
      if hasWaitingTasks, !driver.isTurning { requireActorForTasks() }
    }

    // MARK: - State

    /// The current state.
    @inlinable
    public var state: Machine.State { driver.observed.core.instance.state }

    /// Waits until the machine enters a state that satisfies a condition; returns immediately if the current state does.
    ///
    /// ```swift
    /// try await gate.state { $0 == .unlocked }
    /// ```
    ///
    /// The machine may have left the state by the time the caller continues.
    ///
    /// - Parameters:
    ///   - isolation: The runner's actor: the caller's.
    ///   - isMatch: Returns whether a state satisfies the condition. Called in the actor's isolation, for the current state and each
    ///     entered state.
    /// - Returns: The state.
    /// - Precondition: The caller is isolated to the runner's actor, or the current state satisfies the condition.
    /// - Throws: `CancellationError` if the caller's task is cancelled while it waits.
    @discardableResult
    public func state(
      isolation: isolated (any Actor)? = #isolation, where isMatch: @escaping (Machine.State) -> Bool
    ) async throws -> Machine.State {
      assert(isOwned(by: isolation))
      adoptIfNeeded(isolation)
      if isMatch(state) { return state }
      // Nothing else could send an event, and no timer would fire.
      if isolation == nil { stopWithoutActor("A wait for a state") }
      let waiter = Waiter<Machine.State>()
      waiters.append((waiter, isMatch))
      hasConsumers = true
      defer { waiters.removeAll { $0.waiter === waiter } }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { waiter.wait($0) }
      } onCancel: {
        waiter.end(.failure(CancellationError()))
      }
    }

    /// The time until the state's deadline; zero if the deadline has passed, and `nil` if the state has none.
    public var timeUntilDeadline: Duration? {
      driver.observed.core.instance.deadline.map { max(.zero, $0 - clock.now()) }
    }

    /// The durations of deadlines with a setting, by the setting's name; see ``Deadline/after(_:_:setting:)``. A deadline without an entry
    /// has its default duration. If the state has lasted longer than a new duration, its deadline passes immediately, or with the first event or
    /// timer of a restored machine. Set the settings of a
    /// restored machine before its first event or deadline, so that they also apply to the time before the restoration. Settings that an
    /// effect, an activity or a listener assigns apply after the current event.
    ///
    /// - Precondition: Each name is the name of a setting of the machine. Each duration is more than zero and at most a century.
    public var settings: [String: Duration] {
      get {
        driver.registrar.noteRead()
        return assignedSettings
      }
      set {
        assignedSettings = newValue
        enqueue(.settings(newValue, table.hasDeadlines ? readClock() : .zero))
        driver.announceChange()
      }
    }

    /// The state to save and restore, the wall-clock time of its entry, counted from the beginning of 1970, and the ``settings``.
    ///
    /// In a machine without deadlines, the time is the current time.
    public var snapshot: StateSnapshot<Machine> {
      var snapshot = byWallClock(driver.observed.core.instance.snapshot)
      snapshot.settings = assignedSettings
      return snapshot
    }

    private func byWallClock(_ snapshot: StateSnapshot<Machine>) -> StateSnapshot<Machine> {
      var snapshot = snapshot
      let elapsed = table.hasDeadlines ? clock.now() - snapshot.enteredAt : .zero
      snapshot.enteredAt = clock.sinceEpoch - elapsed
      return snapshot
    }

    /// The newest 32 external transitions, oldest first.
    public var recentTransitions: [StateTransition<Machine>] {
      driver.registrar.noteRead()
      return log.inOrder
    }

    /// A new stream of the external transitions from now on, for one consumer. In an effect or a listener, it also has the current one. Its
    /// buffer keeps the newest 64.
    public var transitions: AsyncStream<StateTransition<Machine>> {
      hasConsumers = true
      return consumers.makeStream(keepingNewest: 64)
    }

    /// A new stream of the current state and of each state that is entered from now on, for one consumer. In an effect or a listener, it
    /// has the new state twice. Its buffer keeps the newest 64.
    public var states: AsyncStream<Machine.State> {
      hasConsumers = true
      return stateConsumers.makeStream(keepingNewest: 64, beginningWith: state)
    }

    /// The events that cause a transition in the current state, in the order of `allCases`. Those of deadlines are included.
    public var availableEvents: [Machine.Event] { table.available(in: state) }

    /// Returns the reason why an event does nothing, or can't occur, in the current state; `nil` if it causes a transition.
    ///
    /// The reason can be the hint of a button that is disabled.
    public func reason(for event: Machine.Event) -> String? { table.reason(of: event, in: state) }

    /// Saves each state before anything else happens. `nil`, the default, saves nothing.
    ///
    /// Before an external transition, the runner passes the ``snapshot`` of the new state, and the input, whose data the program may save too.
    /// If `save` returns `nil`, the transition follows, with its effects and activities, so that no effect is performed before its state is
    /// saved. If `save` returns an input, the save has failed: the transition doesn't happen, and the runner handles that input in the old
    /// state. A transition of that input isn't saved. ``send(_:isolation:)`` returns that the event was ignored. If the transition was that
    /// of a deadline, the deadline passes again after a minute, or after its duration if that is shorter.
    ///
    /// The closure is called before the effects, so the owner's data is still that before the transition: compute the new data from the
    /// input in the closure. The effect of an internal transition saves the data that it changes itself.
    ///
    /// An effect may be performed twice if the app is killed between the effect and the next save: give a request a number that the server
    /// recognizes, as in *A machine of your own*. The closure isn't called for the initial state, an internal transition, an ignored event or
    /// new ``settings``: set a setting before you send the event whose transition it belongs to, so that the snapshot has it. If an effect
    /// sets one, such as the longer wait before the next retry, it also saves the runner's ``snapshot``, which already has the setting.
    ///
    /// Set the closure before the first event. A restored runner starts its activities on creation, unless the state's deadline has passed;
    /// what they send before you set the closure isn't saved.
    public var save: ((_ snapshot: StateSnapshot<Machine>, _ input: Machine.Input) -> Machine.Input?)? {
      didSet { driver.core.saves = save != nil }
    }

    // MARK: - Turns

    @inlinable
    func handle(_ input: MachineCore<Machine>.Input) {
      driver.handle(input, at: { now(for: $0) }, carryOut: { carryOut($0) })
    }

    @usableFromInline
    func enqueue(_ input: Machine.Input) {
      enqueue(.send(input, table.hasDeadlines ? readClock() : .zero))
    }

    /// Handles an input. If a deadline's effects or listeners send it, queues it, to be handled before the next deadline.
    private func enqueue(_ input: MachineCore<Machine>.Input) {
      if driver.core.lateTime == nil { return handle(input) }
      driver.countSent()
      driver.core.enqueueLate(input)
    }

    @inlinable
    func now(for input: MachineCore<Machine>.Input) -> Duration {
      if case .send(_, let time, _) = input { time } else { timeOfRare(input) }
    }

    @usableFromInline
    func readClock() -> Duration { clock.now() }

    /// Returns the time of an input that isn't an event.
    @usableFromInline
    func timeOfRare(_ input: MachineCore<Machine>.Input) -> Duration {
      if case .settings(_, let time) = input { time } else { readClock() }
    }

    @inlinable
    func carryOut(_ action: MachineCore<Machine>.Action) {
      switch action {
      case .perform(let step, let transition, let input, let isLate):
        let isExternal = step.kind == .external
        let changesActivities = isExternal && table.hasActivities
        let changes: (stops: UInt64, starts: UInt64) = changesActivities ? driver.core.changes : (0, 0)
        if changes.stops != 0 { stop(changes.stops) }
        for index in step.effects { perform(table.effects[index], input) }
        if changes.starts != 0 { start(changes.starts) }
        if isExternal { log.append(transition) }
        finish(transition.event, isExternal ? .transition(transition) : .stayed, isLate: isLate)
        if isExternal, driver.registrar.hasReads { driver.registrar.announceChange() }
      case .ignore(let event, let state, let isLate):
        ignore(event, because: table.reason(of: event, in: state) ?? "", isLate: isLate)
      case .setTimer(let time): setTimer(time)
      case .runErrands: runErrands()
      }
    }

    @inlinable
    func notify(_ event: Machine.Event, _ outcome: MachineInstance<Machine>.Outcome) {
      listeners.notify {
        switch outcome {
        case .transition(let transition): $0.machine(self, didTransition: transition)
        case .stayed: break
        case .ignored(let reason): $0.machine(self, didIgnore: event, because: reason)
        }
        $0.machine(self, didHandle: event, outcome: outcome)
      }
      if hasConsumers, case .transition(let transition) = outcome { send(transition) }
    }

    @usableFromInline
    func send(_ transition: StateTransition<Machine>) {
      consumers.send(transition)
      stateConsumers.send(transition.to)
      for (waiter, isMatch) in waiters where !waiter.hasEnded && isMatch(transition.to) {
        waiter.end(.success(transition.to))
      }
    }

    @inlinable
    @inline(never)
    func ignore(_ event: Machine.Event, because reason: String, isLate: Bool) {
      finish(event, .ignored(because: reason), isLate: isLate)
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    func finish(_ event: Machine.Event, _ outcome: MachineInstance<Machine>.Outcome, isLate: Bool) {
      if !listeners.entries.isEmpty || hasConsumers { notify(event, outcome) }
      if !isLate, self.outcome == nil { self.outcome = outcome }
    }

    @usableFromInline
    func runErrands() {
      let errands = driver.core.takeErrands()
      if errands.starts != 0 { start(errands.starts) }
      if errands.saves { saveState() }
    }

    private func saveState() {
      guard let save, let unsaved = driver.core.unsaved else { return }
      let snapshot = driver.core.snapshot(after: unsaved)
      guard let failure = save(byWallClock(snapshot), unsaved.input) else { return }
      driver.core.saveFailure = failure
      let reason = "The state \(snapshot.state.rawValue) couldn't be saved."
      ignore(Machine.event(of: unsaved.input), because: reason, isLate: unsaved.isLate)
    }

    // MARK: - The timer

    /// Whether the caller is in the isolation of the runner's actor, if there is one. Otherwise stops the program.
    @usableFromInline
    func isOwned(by caller: (any Actor)?) -> Bool {
      if hasActor, let actor = line.actor, caller !== actor {
        actor.preconditionIsolated("A runner of \(Machine.self) belongs to an actor: use it there.")
      }
      return true
    }

    /// Sets the actor if the runner needs one and has none, as a runner that is the initial value of a property.
    @_alwaysEmitIntoClient
    @inline(__always)
    func adoptIfNeeded(_ actor: (any Actor)?) {
      if !hasActor, let actor, table.needsActor { adopt(actor) }
    }

    /// Sets the runner's actor, and starts the timer and the activities' tasks, which need an actor.
    @usableFromInline
    func adopt(_ actor: any Actor) {
      hasActor = true
      line.actor = actor
      setTimer(driver.core.timer)
      beginTasks()
    }

    @_alwaysEmitIntoClient
    func setTimer(_ time: Duration?) {
      // Keeps a timer that fires no later than `time`. If no deadline has passed when it fires, the core sets the timer again.
      if let timer, let time, timer.time <= time { return }
      replaceTimer(time)
    }

    @usableFromInline
    func replaceTimer(_ time: Duration?) {
      if let alarms = clock.alarms {
        return alarms.setAlarm(for: line, at: time.map { clock.start + $0 }) { [line] in
          line.actor?.preconditionIsolated(
            "Advance a clock in the isolation of its runners: a test of a runner on the main actor is @MainActor.")
          line.runner?.timerFired()
        }
      }
      timer?.task.cancel()
      timer = nil
      guard let time, hasActor else { return }
      // The sleeping task retains neither the runner nor its actor, and has no values of the task that sends the event.
      let task = Task.detached { [line, sleep = clock.sleep] in
        guard (try? await sleep(time)) != nil, let actor = line.actor else { return }
        await line.fire(in: actor)
      }
      timer = (task, time)
    }

    func timerFired() {
      timer = nil
      enqueue(.expire)
    }
  }

  extension MachineRunner where Machine.Activity == Never {
    /// Creates a runner of a machine without activities.
    ///
    /// - Parameters:
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - isolation: The runner's actor: the caller's.
    ///   - perform: Performs an effect in the actor's isolation, with the input that caused it. Capture weakly the
    ///     object that keeps the runner.
    public convenience init(
      restoring snapshot: StateSnapshot<Machine>? = nil, clock: some Clock<Duration> = ContinuousClock(),
      isolation: isolated (any Actor)? = #isolation,
      perform: @escaping (_ effect: Machine.Effect, _ input: Machine.Input) -> Void
    ) {
      self.init(snapshot, RunnerClock(clock), isolation, perform, nil)
    }
  }

  @available(*, unavailable)
  extension MachineRunner: Sendable {}
#endif

#if !hasFeature(Embedded)
  /// A pure value that makes a runner's decisions. It has an instance of the machine, the inputs that wait, and the runs of
  /// the activities.
  @usableFromInline
  struct MachineCore<Machine: StateMachine>: CoreProtocol, ~Copyable {
    /// The time on the runner's clock. The runner doesn't read it for the events of a machine without deadlines.
    @usableFromInline package typealias Now = Duration

    @usableFromInline
    package enum Input {
      /// An input of the machine, and the time when it was sent: zero in a machine without deadlines. An activity's input is dropped after
      /// its run has ended.
      case send(Machine.Input, Duration, from: Run? = nil)
      /// The task of a run has ended, with an input or without one.
      case end(Run, with: Machine.Input?)
      case expire
      /// New settings, and the time when they were set.
      case settings([String: Duration], Duration)
    }

    /// A run of an activity, from a start to the next stop.
    @usableFromInline
    package struct Run: Sendable {
      /// The activity's position in the table.
      @usableFromInline let activity: Int
      /// The number of the run. No two runs have the same number.
      @usableFromInline let number: Int
    }

    /// A transition that waits until its state is saved. For `isLate`, see ``Action/perform(_:_:_:isLate:)``.
    typealias Unsaved = (input: Machine.Input, run: Run?, time: Duration, isLate: Bool, isDeadline: Bool)

    /// The runner's work besides transitions: activities to start, as bits at their positions, whether to save ``unsaved``, and inputs to
    /// release. An input's data may send another input when it is deinitialized, so the core mustn't release it.
    typealias Errands = (starts: UInt64, saves: Bool, inputs: [Input])

    @usableFromInline
    package enum Action {
      /// `isLate` is `true` for a deadline, and for an event that a deadline's effects or listeners sent.
      case perform(TransitionTable<Machine>.Step, StateTransition<Machine>, Machine.Input, isLate: Bool)
      case ignore(Machine.Event, in: Machine.State, isLate: Bool)
      case setTimer(Duration?)
      /// Runs ``MachineCore/errands``. They aren't cases with payloads, because more cases would slow down every event.
      case runErrands
    }

    /// The table of the instance, here too because an access through two structures is slower.
    @usableFromInline let table: TransitionTable<Machine>
    @usableFromInline var instance: MachineInstance<Machine>
    @usableFromInline var timer: Duration?
    /// Whether each state is saved before the effects of the transition to it.
    var saves = false {
      // A turn that began stepwise ends so: a closure that saves may end the saving, and its transition still has to follow.
      didSet { if saves { isStepwise = true } }
    }
    /// Whether a turn may take several steps: because of saves, deadlines that have passed, or an input that isn't an event.
    @usableFromInline private(set) var isStepwise: Bool
    /// A transition that waits until its state is saved.
    private(set) var unsaved: Unsaved?
    /// The input that reports that the last save failed. The transition then doesn't happen.
    var saveFailure: Machine.Input?
    /// An input that waits until the deadlines that have passed are handled.
    private var waiting: Input?
    /// The number of each activity's current run, by the activity's position; zero while the activity is stopped.
    @usableFromInline var runs: [Int] = []
    @usableFromInline var lastRun = 0
    /// The activities whose task has ended, as bits at their positions.
    @usableFromInline var ended: UInt64 = 0
    /// The activities that the last transition stops and starts.
    @usableFromInline var changes: (stops: UInt64, starts: UInt64) = (0, 0)
    /// The time of the last deadline, while the inputs that its effects and listeners sent are handled. These inputs have this time, even
    /// if the deadline is handled late.
    @usableFromInline private(set) var lateTime: Duration?
    private var lateInputs: [Input] = []
    /// The number of ``lateInputs`` that were handled.
    private var lateCount = 0
    private var errands: Errands = (0, false, [])
    /// The activities of a restored state whose deadline has passed, as bits at their positions. They start in the states that the
    /// deadlines lead to, if these have them, too.
    @usableFromInline private(set) var postponed: UInt64 = 0
    /// The time of the turn, while the core handles what is due.
    private var turnTime = Duration.zero
    /// Whether an event or a deadline has arrived. Before that, a restored runner handles no deadline, and new settings also apply to the time
    /// before the restoration.
    private var hasBegun: Bool
    /// The number of deadlines handled in this turn.
    private var caughtUp = 0

    @usableFromInline static var maximumQueued: Int { 200_000 }
    @usableFromInline static var name: String { "\(Machine.self)" }
    /// The longest wait of a deadline whose new state couldn't be saved, until it passes again.
    static var deadlineRetry: Duration { .seconds(60) }
    /// The maximum number of deadlines in a turn. After that, the time in the state starts at zero.
    static var maximumLateDeadlines: Int { 1_000 }

    init(_ snapshot: StateSnapshot<Machine>, isRestored: Bool, at now: Duration) {
      (hasBegun, turnTime) = (!isRestored, now)
      instance = MachineInstance(restoring: snapshot)
      table = instance.table
      timer = instance.deadline
      isStepwise = isRestored
      if table.hasActivities {
        runs = [Int](repeating: 0, count: table.activities.count)
        begin(table.activityBits(in: instance.state))
        if isOver { postponed = table.activityBits(in: instance.state) }
      }
    }

    @inlinable
    mutating func handle(_ input: Input, at now: Duration, into actions: inout [Action]) {
      if !isStepwise, case .send(let input, _, let run) = input, !isOver(at: now) {
        raise(input, from: run, at: now, into: &actions)
        if table.hasDeadlines { updateTimer(into: &actions) }
      } else {
        handleStepwise(input, at: now)
      }
    }

    /// Queues an input that the effects or listeners of a deadline sent. It is handled before the next deadline.
    @usableFromInline
    mutating func enqueueLate(_ input: Input) { lateInputs.append(input) }

    @usableFromInline
    mutating func handleStepwise(_ input: Input, at now: Duration) {
      switch input {
      case .settings(let settings, _) where !hasBegun: instance.settings = settings
      case .send, .end, .settings: (waiting, hasBegun) = (input, true)
      case .expire: (timer, hasBegun) = (nil, true)
      }
      isStepwise = true
    }

    /// Handles an input after the deadlines that have passed by its time.
    private mutating func handle(_ input: Input, at time: Duration, isLate: Bool, into actions: inout [Action]) {
      switch input {
      case .send(let input, _, let run): saveAndRaise(input, from: run, at: time, isLate: isLate, into: &actions)
      case .end(let run, let input):
        guard runs[run.activity] == run.number else { return }
        ended |= 1 << run.activity
        if let input { saveAndRaise(input, from: run, at: time, isLate: isLate, into: &actions) }
      case .expire: timer = nil
      case .settings(let settings, _):
        instance.settings = settings
        // A deadline that passes because of a shorter setting passes now, not in the past.
        if let deadline = instance.deadline, deadline < time { instance.contents.enteredAt += time - deadline }
      }
    }

    @inlinable
    mutating func settle(at now: Duration, into actions: inout [Action]) -> Bool {
      isStepwise && settleStepwise(at: now, into: &actions)
    }

    @usableFromInline
    mutating func settleStepwise(at now: Duration, into actions: inout [Action]) -> Bool {
      turnTime = now
      if finishSave(at: now, into: &actions) { return true }
      if let lateTime, lateCount < lateInputs.count {
        handle(lateInputs[lateCount], at: lateTime, isLate: true, into: &actions)
        lateCount += 1
        return true
      }
      // Not before the last one's state is saved.
      if lateCount > 0 {
        (errands.inputs, lateInputs, lateCount) = (lateInputs, [], 0)
        actions.append(.runErrands)
        return true
      }
      lateTime = nil
      if hasBegun, let due = instance.due, due.time <= now {
        caughtUp += 1
        if caughtUp > Self.maximumLateDeadlines {
          instance.contents.enteredAt = now
        } else {
          lateTime = due.time
          saveAndRaise(due.input, at: due.time, isLate: true, isDeadline: true, into: &actions)
        }
        return true
      }
      caughtUp = 0
      if postponed != 0, !isOver {
        (errands.starts, postponed) = (postponed, 0)
        actions.append(.runErrands)
        return true
      }
      if let input = waiting {
        waiting = nil
        handle(input, at: now, isLate: false, into: &actions)
        return true
      }
      updateTimer(into: &actions)
      isStepwise = saves || !hasBegun
      return false
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    mutating func updateTimer(into actions: inout [Action]) {
      let deadline = instance.deadline
      guard deadline != timer else { return }
      timer = deadline
      actions.append(.setTimer(deadline))
    }

    mutating func takeErrands() -> Errands {
      defer { errands = (0, false, []) }
      return errands
    }

    /// Raises an input, after the state that it leads to is saved.
    private mutating func saveAndRaise(
      _ input: Machine.Input, from run: Run? = nil, at time: Duration, isLate: Bool = false, isDeadline: Bool = false,
      into actions: inout [Action]
    ) {
      let step = table.step(from: instance.state, on: Machine.event(of: input))
      let isExternal = step.kind == .external
      // A state with activities isn't over before they start: if its deadline has passed, it's entered now.
      let isTooLate =
        isLate && isExternal && table.activityBits(in: step.next) != 0
        && instance.deadline(of: step.next, from: time).map { $0 <= turnTime } ?? false
      let time = isTooLate ? turnTime : time
      if lateTime != nil { lateTime = time }
      guard saves, isExternal, run.map({ runs[$0.activity] == $0.number }) ?? true else {
        return raise(input, from: run, at: time, isLate: isLate, into: &actions)
      }
      unsaved = (input, run, time, isLate, isDeadline)
      errands.saves = true
      actions.append(.runErrands)
    }

    /// Whether the current state's deadline has passed.
    private var isOver: Bool { isOver(at: turnTime) }

    @_alwaysEmitIntoClient
    @inline(__always)
    func isOver(at time: Duration) -> Bool {
      guard table.hasDeadlines, let deadline = instance.deadline else { return false }
      return deadline <= time
    }

    /// Returns the snapshot of the state that a transition enters.
    func snapshot(after unsaved: Unsaved) -> StateSnapshot<Machine> {
      let step = table.step(from: instance.state, on: Machine.event(of: unsaved.input))
      return StateSnapshot(state: step.next, enteredAt: unsaved.time, settings: instance.settings)
    }

    /// Makes the transition whose state was saved, and returns `true`; returns `false` if no transition waits. If the save failed,
    /// handles the input that says so instead. That input's transition isn't saved, because its save would probably fail too.
    private mutating func finishSave(at now: Duration, into actions: inout [Action]) -> Bool {
      guard let unsaved else { return false }
      self.unsaved = nil
      guard let failure = saveFailure else {
        raise(unsaved.input, from: unsaved.run, at: unsaved.time, isLate: unsaved.isLate, into: &actions)
        return true
      }
      saveFailure = nil
      // The failure happens now, also for a deadline that is handled late. So do the events that follow from it.
      if lateTime != nil { lateTime = now }
      // A deadline passes again after its retry. Otherwise it would pass again immediately.
      if unsaved.isDeadline, let deadline = instance.deadline {
        let wait = min(Self.deadlineRetry, deadline - instance.enteredAt)
        instance.contents.enteredAt += now + wait - deadline
      }
      raise(failure, at: now, isLate: true, into: &actions)
      return true
    }

    @inlinable
    mutating func raise(
      _ input: Machine.Input, from run: Run? = nil, at time: Duration, isLate: Bool = false,
      into actions: inout [Action]
    ) {
      // Drops an activity's input after the activity's run has ended.
      if let run, runs[run.activity] != run.number { return }
      let (state, event) = (instance.state, Machine.event(of: input))
      let step = instance.advance(on: event, at: time)
      guard !step.isIgnored else { return actions.append(.ignore(event, in: state, isLate: isLate)) }
      let transition = StateTransition<Machine>(from: state, event: event, to: step.next)
      if step.kind == .external, table.hasActivities { change(from: state, to: step.next) }
      actions.append(.perform(step, transition, input, isLate: isLate))
    }

    @inlinable
    mutating func change(from source: Machine.State, to target: Machine.State) {
      changes = table.activityChanges(from: source, to: target)
      // An activity whose task has ended starts again in the next state.
      if ended != 0 { changes.starts |= ended & table.activityBits(in: target) }
      changes.stops.forEachBit { runs[$0] = 0 }
      ended = 0
      begin(changes.starts)
      guard postponed != 0 else { return }
      // Their runs have numbers already.
      changes.starts |= postponed & table.activityBits(in: target)
      postponed = 0
    }

    @inlinable
    mutating func begin(_ starts: UInt64) {
      starts.forEachBit { activity in
        lastRun += 1
        runs[activity] = lastRun
      }
    }
  }

  extension UInt64 {
    /// Calls `body` with the position of each set bit, the lowest first.
    @inlinable
    func forEachBit(_ body: (Int) -> Void) {
      var rest = self
      while rest != 0 {
        body(rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
#endif

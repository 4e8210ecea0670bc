#if !hasFeature(Embedded)
  extension MachineRunner {
    /// How a runner runs an activity: with two closures, or as a task.
    ///
    /// ```swift
    /// let player = MachineRunner<Player>(perform: { _, _ in }) { activity in
    ///   switch activity {
    ///   case .sound: .closures(start: { speaker.start() }, stop: { speaker.stop() })
    ///   case .download: .task { _ in await song() == nil ? .failed : .loaded }
    ///   }
    /// }
    /// ```
    public struct Work {
      @usableFromInline
      enum Kind {
        case closures(start: () -> Void, stop: () -> Void)
        case task(TaskBody)
      }

      @usableFromInline typealias TaskBody =
        @Sendable (_ send: @escaping @Sendable (Machine.Input) async -> Void) async -> Machine.Input?

      @usableFromInline let kind: Kind

      @inlinable
      init(kind: Kind) { self.kind = kind }

      /// Returns work that one closure starts and another one stops. The runner calls both in its actor's isolation.
      ///
      /// Capture what `stop` closes, such as a socket or a player, and not the owner. The owner's deinitialization deinitializes the runner,
      /// which stops its activities: a weak reference to the owner is `nil` in `stop`. A strong reference would keep both in memory.
      ///
      /// The runner's initializer calls `start` for the activities of the first state, also of a restored one that isn't over. The property
      /// that will hold the runner isn't set yet: an event that `start` sends through it is lost, and a lazy property calls itself without
      /// end.
      ///
      /// When a runner is deinitialized, it stops its activities immediately. But if the main actor owns the runner and the code that
      /// releases it runs elsewhere, a task on the main actor stops them. If another global actor owns the runner, whose `shared` is an
      /// instance of the global actor's own type, a task on that actor always stops them.
      ///
      /// The closure `stop` must not read the property that holds the runner: an assignment of `nil` to the property, which
      /// deinitializes the runner, hasn't ended by then, so the access violates exclusivity, and the program stops.
      @inlinable
      public static func closures(start: @escaping () -> Void, stop: @escaping () -> Void) -> Work {
        Work(kind: .closures(start: start, stop: stop))
      }

      /// Returns work that runs as a task. The runner cancels the task when the activity ends.
      ///
      /// Once this run of the activity has ended, the runner drops the inputs of its task, so a late answer can't arrive. If the result
      /// leads to a state with the same activity, the activity starts again, because its task has ended. If the runner's actor isn't known
      /// yet, the task begins with the first event. A task that captures the owner keeps it, and so the runner, until the task ends. A task
      /// that ignores its cancellation may still run while the next run of the activity begins.
      ///
      /// - Parameter body: Does the work, and returns an input for the machine, or `nil`. The body may send more inputs with `send`, which
      ///   returns when the machine has handled the input, or has dropped it because the activity has ended. Handle errors in the body, and
      ///   return an input for each outcome.
      /// - Precondition: An actor owns the runner. ``MachineRunner/send(_:isolation:)`` and ``MachineRunner/expire(isolation:)`` check it.
      public static func task(
        _ body:
          @escaping @Sendable (
            _ send: @escaping @Sendable (_ input: Machine.Input) async -> Void
          ) async -> Machine.Input?
      ) -> Work {
        Work(kind: .task(body))
      }
    }

    /// A running activity.
    @usableFromInline
    enum Ongoing {
      case closure(stop: () -> Void)
      /// A task that begins when the runner's actor is known.
      case waiting(Work.TaskBody, MachineCore<Machine>.Run)
      case task(Task<Void, Never>)

      @inlinable
      func stop() {
        switch self {
        case .closure(let stop): stop()
        case .waiting: break
        case .task(let task): task.cancel()
        }
      }
    }

    /// Starts activities, in the order of the table's `activities`.
    @inlinable
    func start(_ activities: UInt64) {
      guard let work else { return }
      activities.forEachBit { position in
        switch work(table.activities[position]).kind {
        case .closures(let start, let stop):
          ongoing[position] = .closure(stop: stop)
          start()
        case .task(let body): start(body, at: position)
        }
      }
    }

    @usableFromInline
    func start(_ body: @escaping Work.TaskBody, at position: Int) {
      ongoing[position] = .waiting(body, MachineCore.Run(activity: position, number: driver.core.runs[position]))
      hasWaitingTasks = true
      if hasActor { beginTasks() }
    }

    /// Stops activities, in the reverse order of the table's `activities`.
    @inlinable
    func stop(_ activities: UInt64) {
      var rest = activities
      while rest != 0 {
        let position = UInt64.bitWidth - 1 - rest.leadingZeroBitCount
        rest &= ~(1 << position)
        let ended = ongoing[position]
        ongoing[position] = nil
        ended?.stop()
      }
    }

    /// Stops the running activities of a runner that was deinitialized.
    static func stop(_ ongoing: [Ongoing?]) {
      for activity in ongoing.reversed() { activity?.stop() }
    }

    /// Begins the tasks that waited until the runner's actor was known.
    func beginTasks() {
      hasWaitingTasks = false
      for position in ongoing.indices {
        guard case .waiting(let body, let run) = ongoing[position] else { continue }
        // The task retains neither the runner nor its actor.
        let task = Task { [line] in
          let input = await body { input in
            guard let actor = line.actor else { return }
            await line.receive(input, from: run, in: actor)
          }
          guard let actor = line.actor else { return }
          await line.end(run, with: input, in: actor)
        }
        ongoing[position] = .task(task)
      }
    }

    /// Stops a program whose task would never begin.
    @usableFromInline
    func requireActorForTasks() {
      hasWaitingTasks = ongoing.contains { if case .waiting? = $0 { true } else { false } }
      if hasWaitingTasks { stopWithoutActor("A task") }
    }

    // A precondition prints no message in a release build.
    func stopWithoutActor(_ what: StaticString) -> Never {
      fatalError("\(what) of \(Machine.self) needs an actor: create and use the runner in one, such as the main actor.")
    }

    /// Handles an input of an activity, unless its run has ended.
    func receive(_ input: Machine.Input, from run: MachineCore<Machine>.Run) {
      handle(.send(input, table.hasDeadlines ? readClock() : .zero, from: run))
    }
  }

  @available(*, unavailable)
  extension MachineRunner.Work: Sendable {}
#endif

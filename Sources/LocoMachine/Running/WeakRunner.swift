#if !hasFeature(Embedded)
  /// The weak references of a timer or a task to its runner and the actor. In a machine with neither deadlines nor activities, they stay
  /// `nil`: a weak reference slows down each retain of the runner.
  ///
  /// `@unchecked`, because a runner isn't `Sendable`: only the actor's isolation uses it, and the actor is set before a timer or a task
  /// starts.
  final class WeakRunner<Machine: StateMachine>: @unchecked Sendable {
    weak var runner: MachineRunner<Machine>?
    weak var actor: (any Actor)?

    /// Fires the timer of the current task, unless the runner has cancelled it while the task waited for the actor.
    func fire(in actor: isolated any Actor) { if !Task.isCancelled { runner?.timerFired() } }

    func receive(_ input: Machine.Input, from run: MachineCore<Machine>.Run, in actor: isolated any Actor) {
      runner?.receive(input, from: run)
    }

    func end(_ run: MachineCore<Machine>.Run, with input: Machine.Input?, in actor: isolated any Actor) {
      runner?.handle(.end(run, with: input))
    }
  }
#endif

#if !hasFeature(Embedded)
  extension MachineRunner {
    /// Creates a runner that belongs to an object, which the closures receive.
    ///
    /// The runner holds the owner weakly, so the owner can keep the runner. After the owner's deinitialization, no effect is performed.
    ///
    /// - Parameters:
    ///   - owner: The object that keeps the runner.
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - isolation: The runner's actor: the caller's.
    ///   - perform: Performs an effect in the isolation of the runner's actor, with the input that caused it.
    ///   - activities: Returns how to run an activity, in the isolation of the runner's actor.
    public convenience init<Object: AnyObject>(
      owner: Object, restoring snapshot: StateSnapshot<Machine>? = nil,
      clock: some Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation,
      perform: @escaping (_ owner: Object, _ effect: Machine.Effect, _ input: Machine.Input) -> Void,
      activities: @escaping (_ owner: Object, _ activity: Machine.Activity) -> Work
    ) {
      self.init(
        restoring: snapshot, clock: clock, isolation: isolation,
        perform: { [weak owner] effect, input in if let owner { perform(owner, effect, input) } },
        activities: { [weak owner] activity in owner.map { activities($0, activity) } ?? .nothing })
    }

    /// Creates a runner that belongs to an actor, whose isolation the closures have.
    ///
    /// The runner holds the owner weakly, so the owner can keep the runner. Create it in a method of the actor.
    ///
    /// - Parameters:
    ///   - owner: The actor that keeps the runner.
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - perform: Performs an effect in the actor's isolation, with the input that caused it.
    ///   - activities: Returns how to run an activity, in the actor's isolation.
    public convenience init<Object: Actor>(
      owner: isolated Object, restoring snapshot: StateSnapshot<Machine>? = nil,
      clock: some Clock<Duration> = ContinuousClock(),
      perform: @escaping @Sendable (_ owner: isolated Object, _ effect: Machine.Effect, _ input: Machine.Input) -> Void,
      activities: @escaping @Sendable (_ owner: isolated Object, _ activity: Machine.Activity) -> Work
    ) {
      self.init(
        restoring: snapshot, clock: clock, isolation: owner,
        perform: { [weak owner] effect, input in owner?.assumeIsolated { perform($0, effect, input) } },
        activities: { [weak owner] activity in
          // The runner calls the closure in the actor's isolation, so the work doesn't leave it.
          nonisolated(unsafe) var work = Work.nothing
          owner?.assumeIsolated { work = activities($0, activity) }
          return work
        })
    }
  }

  extension MachineRunner where Machine.Activity == Never {
    /// Creates a runner of a machine without activities that belongs to an object, which the closure receives.
    ///
    /// The runner holds the owner weakly, so the owner can keep the runner. After the owner's deinitialization, no effect is performed.
    ///
    /// - Parameters:
    ///   - owner: The object that keeps the runner.
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - isolation: The runner's actor: the caller's.
    ///   - perform: Performs an effect in the isolation of the runner's actor, with the input that caused it.
    public convenience init<Object: AnyObject>(
      owner: Object, restoring snapshot: StateSnapshot<Machine>? = nil,
      clock: some Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation,
      perform: @escaping (_ owner: Object, _ effect: Machine.Effect, _ input: Machine.Input) -> Void
    ) {
      self.init(
        restoring: snapshot, clock: clock, isolation: isolation,
        perform: { [weak owner] effect, input in if let owner { perform(owner, effect, input) } })
    }

    /// Creates a runner of a machine without activities that belongs to an actor, whose isolation the closure has.
    ///
    /// The runner holds the owner weakly, so the owner can keep the runner. Create it in a method of the actor.
    ///
    /// - Parameters:
    ///   - owner: The actor that keeps the runner.
    ///   - snapshot: The ``snapshot`` of an earlier runner; `nil` for the initial state.
    ///   - clock: The clock of the deadlines. `ContinuousClock` counts while the system is asleep.
    ///   - perform: Performs an effect in the actor's isolation, with the input that caused it.
    public convenience init<Object: Actor>(
      owner: isolated Object, restoring snapshot: StateSnapshot<Machine>? = nil,
      clock: some Clock<Duration> = ContinuousClock(),
      perform: @escaping @Sendable (_ owner: isolated Object, _ effect: Machine.Effect, _ input: Machine.Input) -> Void
    ) {
      self.init(
        restoring: snapshot, clock: clock, isolation: owner,
        perform: { [weak owner] effect, input in owner?.assumeIsolated { perform($0, effect, input) } })
    }
  }

  extension MachineRunner.Work {
    /// The work of a runner whose owner is deinitialized.
    fileprivate static var nothing: Self { .closures(start: {}, stop: {}) }
  }
#endif

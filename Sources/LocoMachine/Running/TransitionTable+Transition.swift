#if !hasFeature(Embedded)
  extension TransitionTable {
    /// Returns the step for an event, or `nil` if the state ignores the event. Reports a mistake if the event can't occur in the state.
    ///
    /// A core or a planner calls this function with an event, then changes its state, and updates its data or appends actions for the
    /// effects.
    @inlinable
    package func transition(from state: Machine.State, on event: Machine.Event) -> Step? {
      let step = step(from: state, on: event)
      #if DEBUG
        TableObserver.observe(Machine.self, event, in: state)
      #endif
      guard step.isIgnored else { return step }
      if step.kind == .impossible { reportImpossible(event, in: state) }
      return nil
    }
  }
#endif

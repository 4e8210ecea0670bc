#if !hasFeature(Embedded)
  extension TransitionTable {
    /// Returns the transition of an event, or `nil` if the state ignores it. Reports a mistake if the event can't occur in the state.
    ///
    /// A core raises its facts with this function, and then changes its state and performs the effects.
    @inlinable
    package func transition(from state: Machine.State, on event: Machine.Event) -> Step? {
      let step = step(from: state, on: event)
      guard step.isIgnored else { return step }
      if step.kind == .impossible { Mistake.report(impossible(event, in: state)) }
      return nil
    }
  }
#endif

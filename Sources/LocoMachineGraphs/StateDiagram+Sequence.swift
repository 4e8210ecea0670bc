#if !hasFeature(Embedded)
  public import LocoMachine

  extension StateDiagram {
    /// Returns transitions as a Mermaid `sequenceDiagram`, which GitHub and GitLab render: what the machine received, and what it did.
    ///
    /// ```swift
    /// print(StateDiagram<Turnstile>().sequence(of: gate.recentTransitions))
    /// ```
    ///
    /// Events arrive from `outside`, effects go there, and a note shows each state. A gap, where a transition doesn't begin in the state of
    /// the one before it, is a note too.
    public func sequence(of transitions: [StateTransition<Machine>]) -> String {
      var text = "sequenceDiagram\n  participant o as outside\n  participant m as \("\(Machine.self)".mermaidLabel)\n"
      var state: Machine.State?
      for transition in transitions {
        if transition.from != state {
          let gap = state == nil ? "" : "… "
          text += "  Note over m: \(gap)\(transition.from.rawValue.pictureName.mermaidLabel)\n"
        }
        text += "  o->>m: \(transition.event.rawValue.mermaidLabel)\n"
        for name in table.row(transition.from, transition.event).effectNames {
          text += "  m->>o: \(name.mermaidLabel)\n"
        }
        if table.step(from: transition.from, on: transition.event).kind == .external {
          text += "  Note over m: \(transition.to.rawValue.pictureName.mermaidLabel)\n"
        }
        state = transition.to
      }
      return text
    }
  }
#endif

#if !hasFeature(Embedded)
  public import LocoMachine

  extension StateDiagram {
    /// Returns the probable mistakes of the machine, a line each.
    ///
    /// The lines name states that can't be reached, states whose events do nothing, events that never do anything, and effects and
    /// activities that no state has. The latter are found if their type is `CaseIterable`. Check the two machines of a `ComposedMachine`
    /// instead: most compositions have states that no path leads to, and events that do nothing.
    ///
    /// - Parameter finalStates: The states whose events are meant to do nothing.
    public func warnings(finalStates: Set<Machine.State> = []) -> [String] {
      let rows = table.rows
      let isIdle = { (row: TransitionTable<Machine>.Row) in row.target == nil && row.effects.isEmpty }
      return StateGraph<Machine>().unreachableStates.map { "no path leads to the state \($0.rawValue)" }
        + table.states.filter { state in
          !finalStates.contains(state) && rows.filter { $0.state == state }.allSatisfy(isIdle)
        }
        .map { "no event does anything in the state \($0.rawValue)" }
        + table.events.filter { event in rows.filter { $0.event == event }.allSatisfy(isIdle) }
        .map { "the event \($0.rawValue) never does anything" }
        + cases(of: Machine.Effect.self).filter { !table.effects.contains($0) }
        .map { "no transition has the effect \(Machine.name(ofEffect: $0))" }
        + cases(of: Machine.Activity.self).filter { !table.activities.contains($0) }
        .map { "no state has the activity \(Machine.name(ofActivity: $0))" }
    }

    /// Returns the cases of a type; empty if it doesn't list them.
    private func cases<Case>(of type: Case.Type) -> [Case] {
      func list<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(type.allCases) }
      guard let type = type as? any CaseIterable.Type else { return [] }
      return list(type).compactMap { $0 as? Case }
    }
  }
#endif

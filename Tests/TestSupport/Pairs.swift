import LocoMachine
import Testing

/// Compares the reaction to one pair of a state and an event with a list. The event of a pair that isn't in the list must be ignored or
/// declared impossible, with a reason.
func expect<Machine: StateMachine>(
  _ machine: Machine.Type, in state: Machine.State, on event: Machine.Event,
  _ expected: [String: Reaction<Machine.State, Machine.Effect>], sourceLocation: SourceLocation = #_sourceLocation
) {
  let reaction = machine.reaction(in: state, to: event)
  if let expected = expected["\(state.rawValue) \(event.rawValue)"] {
    #expect(reaction == expected, sourceLocation: sourceLocation)
  } else if let reason = reaction.reason {
    #expect(reason.hasSuffix(".") && reason.count > 20, sourceLocation: sourceLocation)
  } else {
    Issue.record("\(state) \(event) does something", sourceLocation: sourceLocation)
  }
}

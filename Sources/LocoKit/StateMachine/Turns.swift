/// Decisions as a pure value: inputs and the time go in, actions come out.
protocol DecisionCore {
  associatedtype Input
  associatedtype Action
  /// What a decision depends on beside the core: the time.
  associatedtype Now

  /// Handles an input.
  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action])
  /// Does one thing that is due.
  ///
  /// - Returns: Whether something was due; then it is called once more, after the actions have been carried out.
  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool
}

/// Carries out what a core decides.
protocol Runner: AnyObject {
  associatedtype Core: DecisionCore

  /// What a decision on an input depends on, at this moment.
  func now(for input: Core.Input) -> Core.Now
  func carryOut(_ action: Core.Action)
}

/// Runs a core, one turn at a time: an input, its actions, then whatever is due.
///
/// Actions are carried out after the access to the core has ended, so a callback may read the core. An input that a callback
/// causes waits until the turn is over.
final class Turns<Core: DecisionCore> {
  // Overlapping accesses aren't checked at run time, which would take a third of a turn. There are none: callbacks run between the
  // accesses, and the inputs that they cause wait.
  @exclusivity(unchecked) private(set) var core: Core
  @exclusivity(unchecked) private var pendingInputs: [Core.Input] = []
  /// The actions that remain, the last one first: an action is moved out of the end, and not copied.
  @exclusivity(unchecked) private var actions: [Core.Action] = []
  @exclusivity(unchecked) private(set) var isTurning = false

  private static var answersPerTurn: Int { 1_000 }

  init(_ core: Core) { self.core = core }

  /// Handles an input: now, or after the current turn and the inputs before it.
  func take<Owner: Runner>(_ input: Core.Input, for runner: Owner) where Owner.Core == Core {
    guard !isTurning else { return pendingInputs.append(input) }
    isTurning = true
    turn(input, runner)
    var answers = 0
    while !pendingInputs.isEmpty {
      answers += 1
      precondition(
        answers <= Self.answersPerTurn,
        "Listeners answer each other without end: each of 1,000 turns in a row gave the next command.")
      turn(pendingInputs.removeFirst(), runner)
    }
    isTurning = false
  }

  /// Handles an input before the inputs that wait, within the current turn if there is one: its remaining actions are carried
  /// out first, and what was due is settled by the core in its new state.
  func takeFirst<Owner: Runner>(_ input: Core.Input, for runner: Owner) where Owner.Core == Core {
    guard isTurning else { return take(input, for: runner) }
    runActions(runner)
    core.handle(input, at: runner.now(for: input), into: &actions)
    runStep(runner)
  }

  private func turn<Owner: Runner>(_ input: Core.Input, _ runner: Owner) where Owner.Core == Core {
    let now = runner.now(for: input)
    core.handle(input, at: now, into: &actions)
    runStep(runner)
    while core.settle(at: now, into: &actions) { runStep(runner) }
    runStep(runner)
  }

  /// Carries out the actions of a step of the core.
  private func runStep<Owner: Runner>(_ runner: Owner) where Owner.Core == Core {
    if actions.count > 1 { actions.reverse() }
    runActions(runner)
  }

  private func runActions<Owner: Runner>(_ runner: Owner) where Owner.Core == Core {
    while let action = actions.popLast() { runner.carryOut(action) }
  }
}

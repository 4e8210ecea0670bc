/// All that somebody decides, as a value that does nothing: inputs and the time go in, actions come out.
protocol DecisionCore {
  associatedtype Input
  associatedtype Action
  /// What a decision depends on beside the core: the time.
  associatedtype Now

  /// Takes note of an input, and says what is to be done at once.
  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action])
  /// Does one thing that is due, and says what is to be done.
  ///
  /// - Returns: Whether something was due; then it is to be called once more, after the actions have been carried out.
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
/// Actions are carried out when the access to the core has ended, so that whoever is told of something may read the core.
/// What they answer waits until the turn is over.
final class Turns<Core: DecisionCore> {
  // Whether two accesses overlap is not checked while the program runs, which would take a third of a turn. They do not: whoever is
  // called from a turn is called between them, and what they answer waits.
  @exclusivity(unchecked) private(set) var core: Core
  @exclusivity(unchecked) private var pendingInputs: [Core.Input] = []
  @exclusivity(unchecked) private var actions: [Core.Action] = []
  @exclusivity(unchecked) private var nextAction = 0
  @exclusivity(unchecked) private(set) var isTurning = false

  private static var answersPerTurn: Int { 1_000 }

  init(_ core: Core) { self.core = core }

  /// Takes an input: at once, or after the present turn and the inputs before it.
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

  /// Takes an input immediately, even during a turn. Pending inputs stay pending.
  ///
  /// - Returns: The actions of the present turn that were not carried out yet, and those of the input.
  func interrupt(with input: Core.Input, now: Core.Now) -> [Core.Action] {
    var left = Array(actions[nextAction...])
    (actions, nextAction) = ([], 0)
    core.handle(input, at: now, into: &left)
    return left
  }

  /// Forgets the inputs to come that `shouldForget` names.
  func forgetInputs(where shouldForget: (Core.Input) -> Bool) {
    if !pendingInputs.isEmpty { pendingInputs.removeAll(where: shouldForget) }
  }

  /// What was set during the present turn and takes effect after it: the newest of the inputs to come that has such a value.
  func pending<Value>(_ value: (Core.Input) -> Value?) -> Value? {
    pendingInputs.reversed().lazy.compactMap(value).first
  }

  private func turn<Owner: Runner>(_ input: Core.Input, _ runner: Owner) where Owner.Core == Core {
    let now = runner.now(for: input)
    core.handle(input, at: now, into: &actions)
    runActions(runner)
    while core.settle(at: now, into: &actions) { runActions(runner) }
    runActions(runner)
  }

  private func runActions<Owner: Runner>(_ runner: Owner) where Owner.Core == Core {
    guard !actions.isEmpty else { return }
    while nextAction < actions.count {
      let action = actions[nextAction]
      nextAction += 1
      runner.carryOut(action)
    }
    nextAction = 0
    actions.removeAll(keepingCapacity: true)
  }
}

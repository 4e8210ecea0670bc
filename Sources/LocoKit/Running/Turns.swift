/// Decisions as a pure value: inputs and the time go in, actions come out.
@usableFromInline
protocol DecisionCore {
  associatedtype Input
  associatedtype Action
  /// The time, and other data that a decision depends on.
  associatedtype Now

  /// Handles an input.
  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action])
  /// Does one thing that is due.
  ///
  /// - Returns: Whether something was due; then it is called once more, after the actions have been carried out.
  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool
}

/// Runs a core, one turn at a time: an input, its actions, then whatever is due.
///
/// Actions are carried out after the access to the core has ended, so a callback may read the core. An input that a callback
/// causes waits until the turn is over.
@usableFromInline
final class Turns<Core: DecisionCore> {
  // Overlapping accesses aren't checked at run time, which would take a third of a turn. They don't occur: callbacks run between the
  // accesses, and the inputs that they cause wait.
  @exclusivity(unchecked) @usableFromInline var core: Core
  @exclusivity(unchecked) @usableFromInline var pendingInputs: [Core.Input] = []
  /// The actions that remain, the last one first: an action is moved out of the end, and not copied.
  @exclusivity(unchecked) @usableFromInline var actions: [Core.Action] = []
  @exclusivity(unchecked) @usableFromInline var isTurning = false

  /// The most answers in a row, each to the one before, and the most that wait at a time.
  @inlinable
  static var mostGenerations: Int { 1_000 }
  @inlinable
  static var mostWaiting: Int { 100_000 }

  init(_ core: Core) { self.core = core }

  // A precondition prints no sentence in a release build.
  @usableFromInline
  static func stopEndlessAnswers() -> Never {
    fatalError("Listeners answer each other without end: each of 1,000 turns in a row gave the next command.")
  }

  /// Handles an input: now, or after the current turn and the inputs before it.
  ///
  /// - Parameters:
  ///   - now: What a decision on an input depends on, at this moment.
  ///   - carryOut: Carries out what the core has decided.
  // Inlined, with the function below: then what carries out an action is called directly.
  @inlinable
  @inline(__always)
  func take(_ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void) {
    guard !isTurning else { return pendingInputs.append(input) }
    isTurning = true
    turn(input, now, carryOut)
    var generations = 0
    while !pendingInputs.isEmpty {
      generations += 1
      if generations > Self.mostGenerations || pendingInputs.count > Self.mostWaiting { Self.stopEndlessAnswers() }
      for _ in pendingInputs.indices { turn(pendingInputs.removeFirst(), now, carryOut) }
    }
    isTurning = false
  }

  /// Handles an input before the inputs that wait, within the current turn if there is one: its remaining actions are carried
  /// out first, and what was due is settled by the core in its new state.
  func takeFirst(_ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void) {
    guard isTurning else { return take(input, at: now, carryOut: carryOut) }
    runActions(carryOut)
    core.handle(input, at: now(input), into: &actions)
    runStep(carryOut)
  }

  @inlinable
  @inline(__always)
  func turn(_ input: Core.Input, _ now: (Core.Input) -> Core.Now, _ carryOut: (Core.Action) -> Void) {
    let now = now(input)
    core.handle(input, at: now, into: &actions)
    var isSettled = false
    while true {
      runStep(carryOut)
      if isSettled { break }
      isSettled = !core.settle(at: now, into: &actions)
    }
  }

  /// Carries out the actions of a step of the core.
  @inlinable
  @inline(__always)
  func runStep(_ carryOut: (Core.Action) -> Void) {
    if actions.count > 1 { actions.reverse() }
    runActions(carryOut)
  }

  @inlinable
  @inline(__always)
  func runActions(_ carryOut: (Core.Action) -> Void) {
    while let action = actions.popLast() { carryOut(action) }
  }
}

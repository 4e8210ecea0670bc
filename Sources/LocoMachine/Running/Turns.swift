#if !hasFeature(Embedded)
  /// Decisions as a pure value: it takes inputs and the time, and returns actions.
  @usableFromInline
  package protocol DecisionCore {
    associatedtype Input
    associatedtype Action
    /// The time, and other data that a decision depends on.
    associatedtype Now

    /// The greatest number of inputs that callbacks send before the first one is done. More are an endless exchange.
    static var mostSent: Int { get }

    mutating func handle(_ input: Input, at now: Now, into actions: inout [Action])
    /// Handles one thing that is due. Returns whether there was one; it is then called again after the actions are carried out.
    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool
  }

  extension DecisionCore {
    @usableFromInline package static var mostSent: Int { 10_000 }
  }

  /// Runs a core in turns: a turn handles an input, carries out its actions, and then handles what is due.
  ///
  /// Actions are carried out after the access to the core has ended, so a callback may read the core. An input from a callback waits until
  /// the end of the turn.
  @usableFromInline
  package final class Turns<Core: DecisionCore> {
    // Exclusivity checks at run time would take a third of a turn. Accesses don't overlap: callbacks run between them, and their inputs wait.
    @exclusivity(unchecked) @usableFromInline package var core: Core
    @exclusivity(unchecked) @usableFromInline var pendingInputs: [Core.Input] = []
    /// The remaining actions in reverse order: removing the last one moves it, without a copy.
    @exclusivity(unchecked) @usableFromInline var actions: [Core.Action] = []
    @exclusivity(unchecked) @usableFromInline package internal(set) var isTurning = false

    @inlinable
    package init(_ core: Core) { self.core = core }

    /// The number of inputs that callbacks have sent in the current turn and in those that followed it.
    @exclusivity(unchecked) @usableFromInline var sent = 0
    // A precondition prints no message in a release build.
    @usableFromInline
    static func stopEndlessAnswers() -> Never {
      fatalError(
        """
        Effects and listeners sent more than \(Core.mostSent) events or commands before the first one was done. They probably answer each \
        other without end; if not, send fewer at a time.
        """)
    }

    @inlinable
    func countSent() {
      sent += 1
      if sent > Core.mostSent { Self.stopEndlessAnswers() }
    }

    /// Handles an input now, or after the current turn and the inputs that wait.
    ///
    /// - Parameters:
    ///   - now: Returns the data that a decision on an input depends on.
    ///   - carryOut: Carries out an action.
    // Inlined, as the functions below, so that `carryOut` is called directly.
    @inlinable
    @inline(__always)
    package func take(_ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void) {
      guard !isTurning else {
        countSent()
        return pendingInputs.append(input)
      }
      isTurning = true
      turn(input, now, carryOut)
      while !pendingInputs.isEmpty {
        let count = pendingInputs.count
        for index in 0..<count { turn(pendingInputs[index], now, carryOut) }
        pendingInputs.removeFirst(count)
      }
      (isTurning, sent) = (false, 0)
    }

    /// Handles an input before those that wait. During a turn, the remaining actions are carried out first, and the turn then continues with
    /// the new state.
    @inlinable
    package func takeFirst(_ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void) {
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

    /// Carries out the actions of one call of the core.
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
#endif

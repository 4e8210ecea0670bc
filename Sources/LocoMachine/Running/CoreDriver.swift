#if !hasFeature(Embedded)
  /// Runs a core in turns: a turn handles an input, carries out its actions, and then handles what is due.
  ///
  /// Actions are carried out after the access to the core has ended, so a callback may read the core. An input that a callback passes to
  /// `handle` waits until the end of the turn.
  ///
  /// The functions are `@_alwaysEmitIntoClient`, because a second, unspecialized copy of each would only make a program larger.
  @usableFromInline
  package final class CoreDriver<Core: CoreProtocol & ~Copyable> {
    // Exclusivity checks at run time would take a third of a turn's time. Accesses don't overlap: callbacks run between them, and their
    // inputs wait.
    @exclusivity(unchecked) @usableFromInline package var core: Core
    @exclusivity(unchecked) @usableFromInline var pendingInputs: [Core.Input] = []
    /// The inputs that are being handled. They leave ``pendingInputs`` first, because the `deinit` of an input's data may send another input.
    @exclusivity(unchecked) @usableFromInline var batch: [Core.Input] = []
    @exclusivity(unchecked) @usableFromInline var actions: [Core.Action] = []
    @exclusivity(unchecked) @usableFromInline package internal(set) var isTurning = false
    /// The number of inputs that callbacks have sent since the outermost call of `handle` began.
    @exclusivity(unchecked) @usableFromInline var sent = 0
    /// The observers of the properties that depend on the core.
    @usableFromInline package let registrar = Registrar()

    @_alwaysEmitIntoClient
    package init(_ core: consuming Core) { self.core = core }

    /// This driver, for a property of its owner that observers may read.
    @_alwaysEmitIntoClient
    package var observed: CoreDriver {
      registrar.noteRead()
      return self
    }

    /// Announces a change to the observers that have read a property. During a turn, the turn's end announces it.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func announceChange() {
      if registrar.hasReads, !isTurning { registrar.announceChange() }
    }

    // A precondition prints no message in a release build.
    @usableFromInline
    static func stopEndlessAnswers() -> Never {
      fatalError(
        """
        \(Core.name): effects and listeners sent more than \(Core.maximumQueued) events or commands before the first one was done. They probably answer each \
        other without end; if not, send fewer at a time.
        """)
    }

    @_alwaysEmitIntoClient
    func countSent() {
      sent += 1
      if sent > Core.maximumQueued { Self.stopEndlessAnswers() }
    }

    /// Handles an input now, or after the current turn and the inputs that wait.
    ///
    /// - Parameters:
    ///   - now: Returns the data that a decision on an input depends on.
    ///   - carryOut: Carries out an action.
    // Inlined, like `turn` and `runActions`, so that `carryOut` is called directly.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func handle(
      _ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void
    ) {
      guard !isTurning else {
        countSent()
        return pendingInputs.append(input)
      }
      isTurning = true
      turn(input, now, carryOut)
      while !pendingInputs.isEmpty {
        swap(&pendingInputs, &batch)
        for index in batch.indices { turn(batch[index], now, carryOut) }
        batch.removeAll(keepingCapacity: true)
      }
      (isTurning, sent) = (false, 0)
    }

    /// Handles an input before the inputs that wait. During a turn, carries out the remaining actions first; the turn then continues with
    /// the new state.
    @_alwaysEmitIntoClient
    package func handleFirst(
      _ input: Core.Input, at now: (Core.Input) -> Core.Now, carryOut: (Core.Action) -> Void
    ) {
      guard isTurning else { return handle(input, at: now, carryOut: carryOut) }
      carryOutRest(carryOut)
      core.handle(input, at: now(input), into: &actions)
      runActions(carryOut)
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    func turn(_ input: Core.Input, _ now: (Core.Input) -> Core.Now, _ carryOut: (Core.Action) -> Void) {
      let now = now(input)
      core.handle(input, at: now, into: &actions)
      var isSettled = false
      while true {
        runActions(carryOut)
        if isSettled { break }
        isSettled = !core.settle(at: now, into: &actions)
      }
    }

    /// Carries out the actions of one call of the core.
    @_alwaysEmitIntoClient
    @inline(__always)
    func runActions(_ carryOut: (Core.Action) -> Void) {
      // Most calls return no action, or one.
      if actions.count > 1 { actions.withUnsafeMutableBufferPointer { $0.reverse() } }
      carryOutRest(carryOut)
    }

    /// Carries out the actions from the last one to the first one. Taking an action from the end moves it; reading one would copy it.
    @_alwaysEmitIntoClient
    @inline(__always)
    func carryOutRest(_ carryOut: (Core.Action) -> Void) {
      while !actions.isEmpty { carryOut(actions.removeLast()) }
    }
  }
#endif

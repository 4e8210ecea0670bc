#if os(Linux) || os(macOS)
  extension GPSDCore {
    private static let table = TransitionTable<GPSDMachine>()

    /// Asks the table what an event does, changes the phase, and appends the actions.
    ///
    /// - Parameter reason: Why the connection has failed, if that is the event.
    /// - Returns: Whether the event does something in the present state.
    @discardableResult
    mutating func raise(
      _ event: GPSDMachine.Event, because reason: String = "", at now: Now, into actions: inout [Action]
    ) -> Bool {
      let step = Self.table.step(from: state, on: event)
      guard step.kind != .ignored else { return false }
      if step.kind == .external { enter(step.next, because: reason, at: now, into: &actions) }
      for effect in Self.table.effects(of: step) { act(effect, at: now, into: &actions) }
      log.tell(phase.connection, at: now.uptime, into: &actions)
      if step.kind == .external, case .backingOff(let reason, _) = phase {
        log.summarize(into: &actions)
        if mode == .gps { actions.append(.report(.failure(.other(reason)))) }
      }
      return true
    }

    /// Leaves the state for another, which takes over what it has in common with it.
    private mutating func enter(
      _ state: GPSDMachine.State, because reason: String, at now: Now, into actions: inout [Action]
    ) {
      if phase.watch != nil, !state.isWatching {
        // gpsd is gone, and the receiver with it; or the watch is over, and gpsd closes the receiver after its time.
        use.ended(at: now.uptime, tail: GPSDProvider.tail)
        receivers.endWatch()
      }
      switch state {
      case .closed: phase = .closed
      case .connecting: phase = .connecting(end: Self.table.end(of: state, from: now.uptime))
      case .greeting: phase = .greeting(GPSDPhase.Greeting(end: Self.table.end(of: state, from: now.uptime)))
      case .idle: phase = .idle(session(at: now))
      case .watching: phase = .watching(watch(at: now, into: &actions))
      case .withoutReceiver: phase = .withoutReceiver(watch(at: now, into: &actions))
      case .backingOff:
        backOff.fail(identifiedAt: phase.identifiedAt, at: now.uptime)
        let end = Self.table.end(of: state, from: now.uptime, setting: backOff.delay(chance: now.chance))
        phase = .backingOff(reason: reason, end: end)
      }
    }

    /// The present session, or the one that the greeting leads to.
    private func session(at now: Now) -> GPSDPhase.Session {
      phase.session ?? GPSDPhase.Session(identifiedAt: phase.identifiedAt ?? now.uptime)
    }

    /// The present watch, or a new one.
    private mutating func watch(at now: Now, into actions: inout [Action]) -> GPSDWatch {
      if let watch = phase.watch { return watch }
      receivers.beginWatch()
      use.began(at: now.uptime)
      if hasErrorBound, !receivers.hasControlSocket { log.advise(at: now.uptime, into: &actions) }
      return GPSDWatch(on: session(at: now), at: now.uptime)
    }

    private mutating func act(_ effect: GPSDMachine.Effect, at now: Now, into actions: inout [Action]) {
      switch effect {
      case .connect: actions.append(.connect)
      case .disconnect: actions.append(.disconnect)
      case .listReceivers:
        phase.greeting?.identifiedAt = now.uptime
        // Whatever a watch opens can be closed, even before gpsd has answered it.
        actions.append(.send("?DEVICES;\n"))
      case .watch: askToWatch(at: now, into: &actions)
      case .unwatch: actions.append(.send("?WATCH={\"enable\":false};\n"))
      }
    }

    /// Asks gpsd to watch the receiver, for the first time or once more.
    private mutating func askToWatch(at now: Now, into actions: inout [Action]) {
      phase.session?.ask(at: now.uptime)
      actions.append(.send("?WATCH={\"enable\":true,\"json\":true};\n"))
    }
  }

  // MARK: - Deadlines and silences

  extension GPSDCore {
    /// Raises the event of the machine's deadline.
    mutating func endState(at now: Now, into actions: inout [Action]) {
      guard let deadline = Self.table.deadline(in: state) else { return }
      let failure = state == .greeting ? "does not say what it is" : "does not answer"
      raise(deadline.event, because: "\(configuration.place) \(failure)", at: now, into: &actions)
    }

    /// Handles a silence of the receiver that is too long.
    mutating func answerSilence(at now: Now, into actions: inout [Action]) {
      switch phase.watch?.answerSilence(of: receivers, at: now) {
      case .fileIsGone: raisePresence(false, at: now, into: &actions)
      case .gpsdIsSilent:
        raise(.failed, because: "\(configuration.place) has fallen silent", at: now, into: &actions)
      case .ask: askToWatch(at: now, into: &actions)
      case .reopen(let paths, let closing): actions.append(.reopenReceivers(paths, closing: closing))
      case nil: break
      }
    }
  }
#endif

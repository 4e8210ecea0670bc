#if os(Linux) || os(macOS)
  extension GPSDCore {
    private static let table = TransitionTable<GPSDMachine>()

    /// Raises an event: looks it up in the table, changes the phase, and appends the actions.
    ///
    /// - Parameter reason: Why the connection failed, if that is the event.
    /// - Returns: Whether the event does something in the current state.
    @discardableResult
    mutating func raise(
      _ event: GPSDMachine.Event, because reason: String = "", at now: Now, into actions: inout [Action]
    ) -> Bool {
      let step = Self.table.step(from: state, on: event)
      guard step.kind != .ignored else { return false }
      if step.kind == .external { enter(step.next, because: reason, at: now, into: &actions) }
      for effect in Self.table.effects(of: step) { perform(effect, at: now, into: &actions) }
      log.add(phase.connection, at: now.uptime, into: &actions)
      if step.kind == .external, case .backingOff(let reason, _) = phase {
        log.summarize(into: &actions)
        if mode == .gps { actions.append(.report(.failure(.other(reason)))) }
      }
      return true
    }

    private mutating func enter(
      _ state: GPSDMachine.State, because reason: String, at now: Now, into actions: inout [Action]
    ) {
      if phase.watch != nil, !state.isWatching {
        // gpsd closes the receiver after the tail. A gpsd that is gone counts the same.
        use.ended(at: now.uptime, tail: GPSDProvider.tail)
        receivers.endWatch()
      }
      switch state {
      case .closed: phase = .closed
      case .connecting: phase = .connecting(end: Self.table.end(of: state, from: now.uptime))
      case .greeting: phase = .greeting(end: Self.table.end(of: state, from: now.uptime), identifiedAt: nil)
      case .idle: phase = .idle(session(at: now))
      case .watching: phase = .watching(watch(at: now, into: &actions))
      case .withoutReceiver: phase = .withoutReceiver(watch(at: now, into: &actions))
      case .backingOff:
        backOff.fail(identifiedAt: phase.identifiedAt, at: now.uptime)
        let delay = GPSDBackOff.delay(after: backOff.failures, chance: now.chance)
        phase = .backingOff(reason: reason, end: Self.table.end(of: state, from: now.uptime, setting: delay))
      }
    }

    private func session(at now: Now) -> GPSDPhase.Session {
      phase.session ?? GPSDPhase.Session(identifiedAt: phase.identifiedAt ?? now.uptime)
    }

    private mutating func watch(at now: Now, into actions: inout [Action]) -> GPSDWatch {
      if let watch = phase.watch { return watch }
      receivers.beginWatch()
      use.began(at: now.uptime)
      if hasErrorBound, !receivers.hasControlSocket { log.advise(at: now.uptime, into: &actions) }
      return GPSDWatch(on: session(at: now), at: now.uptime)
    }

    private mutating func perform(_ effect: GPSDMachine.Effect, at now: Now, into actions: inout [Action]) {
      switch effect {
      case .connect: actions.append(.connect)
      case .disconnect: actions.append(.disconnect)
      case .listReceivers:
        if case .greeting(let end, _) = phase { phase = .greeting(end: end, identifiedAt: now.uptime) }
        // The names are needed to close the receivers, even if gpsd never answers the watch.
        actions.append(.send("?DEVICES;\n"))
      case .watch: requestWatch(at: now, into: &actions)
      case .unwatch: actions.append(.send("?WATCH={\"enable\":false};\n"))
      }
    }

    private mutating func requestWatch(at now: Now, into actions: inout [Action]) {
      phase.session?.ask(at: now.uptime)
      actions.append(.send("?WATCH={\"enable\":true,\"json\":true};\n"))
    }

    /// Raises the event of the machine's deadline.
    mutating func endState(at now: Now, into actions: inout [Action]) {
      guard let deadline = Self.table.deadline(in: state) else { return }
      let failure = state == .greeting ? "does not say what it is" : "does not answer"
      raise(deadline.event, because: "\(configuration.place) \(failure)", at: now, into: &actions)
    }

    /// Handles a timeout of the receiver's reports.
    mutating func answerSilence(at now: Now, into actions: inout [Action]) {
      switch phase.watch?.answerSilence(of: receivers, at: now) {
      case .fileIsGone: raisePresence(false, at: now, into: &actions)
      case .gpsdIsSilent: raise(.failed, because: "\(configuration.place) has fallen silent", at: now, into: &actions)
      case .ask: requestWatch(at: now, into: &actions)
      case .reopen(let paths, let closing): actions.append(.reopenReceivers(paths, closing: closing))
      case nil: break
      }
    }
  }
#endif

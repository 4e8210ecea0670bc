#if os(Linux) || os(macOS)
  extension GPSDCore {
    mutating func receive(_ report: GPSDReport, at now: Now, into actions: inout [Action]) {
      switch report {
      case .version(let protocolMajor): receive(protocolMajor, at: now, into: &actions)
      case .devices(let devices):
        receivers.list(devices.map(\.path), now.files)
        // A list before the version is no greeting.
        if state != .greeting || phase.identifiedAt != nil { raise(.greeted, at: now, into: &actions) }
        raisePresence(!devices.isEmpty, at: now, into: &actions)
        if devices.isEmpty, receivers.hasControlSocket, !receivers.paths.isEmpty { phase.watch?.hearLoss(at: now) }
      case .device(let device):
        receivers.add(device.path, now.files[device.path])
        if device.isActivated == false { phase.watch?.hearEnd(at: now) }
      case .fix(let fix): receive(fix, at: now, into: &actions)
      case .noise:
        if let ended = phase.watch?.assembler.add(report) { emit(ended, at: now, into: &actions) }
      case .error(let message):
        log.add(problem: "gpsd does not understand: \(message.printable)", at: now.uptime, into: &actions)
      case .other: break
      }
    }

    private mutating func receive(_ protocolMajor: Int, at now: Now, into actions: inout [Action]) {
      guard protocolMajor == 3 else {
        let reason = "\(configuration.place) speaks version \(protocolMajor) of its protocol, not 3"
        raise(.failed, because: reason, at: now, into: &actions)
        return
      }
      // A repeated version doesn't repeat the request for the receivers.
      if state != .greeting || phase.identifiedAt == nil { raise(.identified, at: now, into: &actions) }
    }

    private mutating func receive(_ fix: GPSDReport.Fix, at now: Now, into actions: inout [Action]) {
      raisePresence(true, at: now, into: &actions)
      guard var watch = phase.watch else { return }
      if let last = watch.lastReport { receivers.report(after: now.uptime - last) }
      let ended = watch.hear(fix, at: now.uptime, patience: receivers.patience)
      phase.watch = watch
      guard fix.hasPosition else {
        if mode == .gps { actions.append(.report(.failure(.locationUnknown))) }
        return
      }
      // A connection that delivered a fix was useful, even a short one.
      backOff.reset()
      if let ended { emit(ended, at: now, into: &actions) }
    }

    /// Raises whether gpsd has a receiver.
    mutating func raisePresence(_ isPresent: Bool, at now: Now, into actions: inout [Action]) {
      let isNew = raise(isPresent ? .receiverFound : .receiverMissing, at: now, into: &actions)
      guard !isPresent, isNew, mode == .gps else { return }
      actions.append(.report(.failure(.other(GPSDProvider.Connection.withoutReceiver.description))))
    }

    /// Passes a location to the current movement check, or to the manager.
    mutating func emit(_ location: Location, at now: Now, into actions: inout [Action]) {
      if check.isOn {
        guard check.judge(location, at: now.date) else { return }
        // Without the location: if the manager delivered it, the next check would report the change again.
        actions.append(.report(.significantChange(nil)))
      } else if mode == .gps {
        check.note(location, at: now.date)
        actions.append(.report(.fixes([location])))
      }
    }
  }
#endif

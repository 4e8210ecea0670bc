#if os(Linux) || os(macOS)
  /// A watch: gpsd is asked to report the receiver, whether or not it has one.
  struct GPSDWatch: Hashable, Sendable {
    /// The connection of the watch.
    var session: GPSDPhase.Session
    /// The receiver's present epoch.
    var epoch = GPSDEpoch()
    /// When a silence of the receiver is too long.
    private(set) var silenceEnd: Duration
    /// The number of requests since the last report of a fix.
    private var silences = 0
    /// Whether gpsd has said that it closed the receiver.
    private var isEndKnown = false
    /// When the receiver last said something.
    private(set) var lastReport: Duration?

    /// The timeout of gpsd's answer.
    private static let answerLimit = Duration.seconds(10)

    /// A new watch, with five seconds for the first report.
    init(on session: GPSDPhase.Session, at uptime: Duration) {
      self.session = session
      silenceEnd = uptime + .seconds(5)
    }
  }

  // MARK: - Reports

  extension GPSDWatch {
    /// The receiver has reported, and may be silent for `patience`.
    mutating func hear(at uptime: Duration, patience: Duration) {
      lastReport = uptime
      silences = 0
      isEndKnown = false
      silenceEnd = uptime + patience
    }

    /// gpsd says that it has closed the receiver. It says that one is open before it has tried: only a fix shows that it is there.
    mutating func hearEnd(at now: GPSDCore.Now) {
      if silences == 0 { isEndKnown = true }
      hearLoss(at: now)
    }

    /// gpsd has dropped what it had: the control socket soon gives it back.
    mutating func hearLoss(at now: GPSDCore.Now) {
      guard silences == 0 else { return }
      silenceEnd = now.uptime + GPSDBackOff.delay(after: 1, chance: now.chance)
    }
  }

  // MARK: - Silences

  extension GPSDWatch {
    /// The answer to a silence.
    enum Answer: Hashable, Sendable {
      /// The receiver's file is not there.
      case fileIsGone
      /// gpsd answers nothing.
      case gpsdIsSilent
      /// gpsd is asked to watch again.
      case ask
      /// gpsd reopens the receivers through the control socket, and closes them before if `closing`.
      case reopen([String], closing: Bool)
    }

    /// The receiver was silent. gpsd doesn't reopen one without being asked.
    mutating func answerSilence(of receivers: GPSDReceivers, at now: GPSDCore.Now) -> Answer {
      let present = receivers.present(now.files)
      if present.isEmpty, !receivers.paths.isEmpty {
        // Asked for a file that is not there, gpsd would drop the receiver.
        silenceEnd = now.uptime + .seconds(1)
        return .fileIsGone
      }
      if let since = session.unansweredSince, now.uptime - since >= Self.answerLimit { return .gpsdIsSilent }
      silences += 1
      silenceEnd = now.uptime + pause(for: receivers, chance: now.chance)
      guard receivers.hasControlSocket, !present.isEmpty else { return .ask }
      // gpsd takes two seconds to open a serial receiver, and longer to find its speed: it is not closed again soon.
      let isGone = silences == 1 && lastReport != nil && !isEndKnown
      let isStuck = silences >= 4 && silences & (silences - 1) == 0
      return .reopen(present.sorted(), closing: isGone || isStuck)
    }

    /// The time until gpsd is asked again.
    private func pause(for receivers: GPSDReceivers, chance: Double) -> Duration {
      guard receivers.hasControlSocket || receivers.haveFiles else {
        return .seconds(4) + GPSDBackOff.delay(after: silences, chance: chance)
      }
      // Within two seconds for a minute and a half, then every ten.
      return .milliseconds(500) + GPSDBackOff.delay(after: silences > 50 ? 5 : min(silences, 2), chance: chance)
    }
  }
#endif

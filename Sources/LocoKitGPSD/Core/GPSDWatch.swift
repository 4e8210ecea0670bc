#if os(Linux) || os(macOS)
  import LocoKit

  /// A period during which gpsd is asked for the receiver's fixes.
  struct GPSDWatch: Equatable, Sendable {
    var assembler = GPSDFixAssembler()
    /// Whether the receiver reports; `false` once gpsd has closed or lost it.
    var hasReceiver = true
    /// The time when the current epoch ends, unless another fix with a position arrives first.
    private(set) var epochEnd: Duration?
    /// The time when the wait for the receiver's next report ends.
    private(set) var silenceEnd: Duration
    /// The number of requests since the receiver's last report.
    private var silences = 0
    /// Whether gpsd reported that it closed the receiver.
    private var isEndKnown = false
    private(set) var lastReport: Duration?

    /// The timeout of gpsd's answer.
    private static let answerLimit = Duration.seconds(10)

    /// Begins a watch, with five seconds for the first report.
    init(at uptime: Duration) { silenceEnd = uptime + .seconds(5) }

    // MARK: - Reports

    /// Receives a report.
    ///
    /// - Parameter patience: The timeout of the next report.
    mutating func hear(at uptime: Duration, patience: Duration) {
      lastReport = uptime
      silences = 0
      isEndKnown = false
      silenceEnd = uptime + patience
    }

    /// Adds a fix with a position, and returns the location of the epoch that the fix ends; `nil` if it ends none.
    mutating func add(_ fix: GPSDReport.Fix, at uptime: Duration) -> Location? {
      epochEnd = uptime + GPSDSource.epochPatience
      return assembler.add(.fix(fix))
    }

    mutating func endEpoch() -> Location? {
      epochEnd = nil
      return assembler.end()
    }

    /// Handles gpsd's report that it closed the receiver. A report of an open receiver isn't handled: gpsd sends that report before it
    /// tries to open the receiver, so only a fix shows that the receiver is there.
    mutating func hearEnd(at now: GPSDCore.Now) {
      if silences == 0 { isEndKnown = true }
      hearLoss(at: now)
    }

    /// Shortens the timeout after gpsd closed or dropped the receiver, so that it is requested again soon.
    mutating func hearLoss(at now: GPSDCore.Now) {
      if silences == 0 { silenceEnd = now.uptime + GPSDBackOff.delay(after: 1, chance: now.chance) }
    }

    // MARK: - Silences

    enum Answer: Equatable, Sendable {
      /// The receiver's file is gone.
      case fileIsGone
      /// gpsd hasn't answered.
      case gpsdIsSilent
      /// Ask gpsd to watch again.
      case ask
      /// Add the receivers through the control socket, and first remove them if `closing`.
      case reopen([String], closing: Bool)
    }

    /// Decides what to do about a silent receiver. gpsd reopens a receiver only on request.
    ///
    /// - Parameter unansweredSince: The time of the first request since gpsd's last answer.
    mutating func answerSilence(
      of receivers: GPSDReceivers, unansweredSince: Duration?, at now: GPSDCore.Now
    ) -> Answer {
      let present = receivers.present(now.files)
      if present.isEmpty, !receivers.paths.isEmpty {
        // A request would make gpsd drop the receiver.
        silenceEnd = now.uptime + .seconds(1)
        return .fileIsGone
      }
      if let unansweredSince, now.uptime - unansweredSince >= Self.answerLimit { return .gpsdIsSilent }
      silences += 1
      silenceEnd = now.uptime + pause(for: receivers, chance: now.chance)
      guard receivers.hasControlSocket, !present.isEmpty else { return .ask }
      // gpsd needs two seconds to open a serial receiver, and longer to detect its speed, so after the first request the provider
      // closes the receiver only at the 4th, 8th, 16th… one.
      let isGone = silences == 1 && lastReport != nil && !isEndKnown
      let isStuck = silences >= 4 && silences & (silences - 1) == 0
      return .reopen(present.sorted(), closing: isGone || isStuck)
    }

    /// Returns the time until the next request.
    private func pause(for receivers: GPSDReceivers, chance: Double) -> Duration {
      guard receivers.hasControlSocket || receivers.haveFiles else {
        return .seconds(4) + GPSDBackOff.delay(after: silences, chance: chance)
      }
      // At most two seconds for about a minute and a half, then about ten seconds.
      return .milliseconds(500) + GPSDBackOff.delay(after: silences > 50 ? 5 : min(silences, 2), chance: chance)
    }
  }
#endif

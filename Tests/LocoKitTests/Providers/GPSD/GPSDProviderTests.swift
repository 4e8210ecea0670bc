#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit

  @Suite("gpsd, in front of a scripted one")
  struct GPSDProviderTests {
    @Test("a location comes, in the sequence init, prompted, acquiring, waitingSignificantChange")
    func first() {
      let tracker = Tracker()
      tracker.start()
      tracker.daemon.advance(by: .seconds(1))
      #expect(
        tracker.recorder.transitions.map(\.to) == [.prompted, .acquiring, .waitingSignificantChange])
      #expect(tracker.recorder.locations.map(\.horizontalAccuracy) == [10])
      #expect(
        tracker.daemon.sent == [
          "?DEVICES;\n", "?WATCH={\"enable\":true,\"json\":true};\n", "?WATCH={\"enable\":false};\n",
        ])
      #expect(tracker.provider.connection == .open)
    }

    @Test("nothing is connected before the owner runs the provider, and nothing after")
    func notRunning() {
      let tracker = Tracker()
      tracker.manager.tryPromptAuthorization()
      tracker.daemon.advance(by: .seconds(10))
      #expect(tracker.daemon.connects.isEmpty)
      tracker.provider.take(.began)
      #expect(tracker.daemon.connects.count == 1)
      tracker.provider.stop()
      tracker.daemon.advance(by: .seconds(600))
      #expect(!tracker.daemon.isConnected && tracker.provider.connection == .closed)
      #expect(tracker.daemon.connects.count == 1)
    }

    @Test("a pause closes the connection, and a resume makes it again")
    func pause() {
      let tracker = Tracker.asleep()
      tracker.manager.pause()
      #expect(!tracker.daemon.isConnected && tracker.provider.connection == .closed)
      tracker.daemon.advance(by: .seconds(3_600))
      #expect(tracker.daemon.connects.count == 1)
      tracker.manager.resume()
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 2)
    }

    @Test("without a control socket the receiver stays on for 60 s, which are counted once")
    func tail() {
      let tracker = Tracker.asleep()
      let watched = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(27))
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(100))
      // Within the tail it was on without a break.
      let on = tracker.daemon.watchedFor - watched
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2) + on + .seconds(60))
      tracker.daemon.advance(by: .seconds(100))
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2) + on + .seconds(60))
    }

    @Test("with a control socket it is closed at once, and only then no tail is counted", arguments: [false, true])
    func control(_ fails: Bool) {
      let tracker = Tracker(controlSocket: "/run/gpsd.sock")
      tracker.daemon.controlFails = fails
      var lines: [String] = []
      tracker.provider.log = { lines.append($0) }
      tracker.start()
      tracker.daemon.advance(by: .seconds(200))
      #expect(tracker.daemon.controlled == (fails ? [] : ["/dev/ttyUSB0"]))
      #expect((tracker.provider.receiverOnTime > .seconds(60)) == fails)
      #expect(lines.contains { $0.contains("permission denied") } == fails)
    }

    @Test("a receiver's path that would be a command of its own is not written to the control socket")
    func injection() {
      let tracker = Tracker(controlSocket: "/run/gpsd.sock")
      tracker.daemon.receivers = [#"/dev/a\r\n!/dev/b=00"#, "/dev/ttyUSB0", "/dev/with space", ""]
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      tracker.manager.pause()
      tracker.daemon.advance(by: .seconds(3))
      #expect(Set(tracker.daemon.controlled).isSubset(of: ["/dev/ttyUSB0"]))
    }

    // MARK: - Significant changes

    @Test("while waiting it looks every five minutes, and 500 m from the last fix are a change")
    func checks() {
      let tracker = Tracker.asleep()
      tracker.daemon.advance(by: .seconds(290))
      #expect(!tracker.daemon.isWatched)
      tracker.daemon.north = 490
      tracker.daemon.advance(by: .seconds(20))
      #expect(tracker.recorder.calls.isEmpty)
      #expect(!tracker.daemon.isWatched)
      tracker.daemon.north = 510
      tracker.daemon.advance(by: .seconds(300))
      #expect(tracker.recorder.calls.contains("didDetectSignificantChange"))
      #expect(tracker.recorder.locations.count == 2)
      #expect(tracker.manager.state == .waitingSignificantChange)
      // From there, not from where it began.
      tracker.daemon.north = 900
      tracker.daemon.advance(by: .seconds(400))
      #expect(tracker.recorder.locations.count == 2)
    }

    @Test("a check without a fix ends with the policy's limit, and the receiver is off until the next")
    func checkWithoutFix() {
      let tracker = Tracker.asleep()
      tracker.daemon.error = nil
      let before = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(500))
      let watched = tracker.daemon.watchedFor - before
      #expect(watched >= .seconds(59) && watched <= .seconds(61))
      #expect(tracker.recorder.calls.isEmpty)
    }

    @Test("a check takes no fix that is stale, invalid or coarser than 100 m", arguments: [0, 1, 2])
    func checkJudges(_ wrong: Int) {
      let tracker = Tracker.asleep()
      tracker.daemon.north = 5_000
      switch wrong {
      case 0: tracker.daemon.age = 40
      case 1: tracker.daemon.error = 0
      default: tracker.daemon.error = 174
      }
      tracker.daemon.advance(by: .seconds(600))
      #expect(tracker.recorder.calls.isEmpty)
    }

    @Test("a fix that is too coarse for a check is not what the next check measures from")
    func coarseReference() {
      let tracker = Tracker.asleep()
      tracker.daemon.north = 5_000
      tracker.daemon.error = 400
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(70))
      #expect(tracker.manager.state == .waitingSignificantChange && !tracker.recorder.rejections.isEmpty)
      tracker.daemon.north = 0
      tracker.daemon.error = 17.3
      tracker.daemon.advance(by: .seconds(400))
      #expect(!tracker.recorder.calls.contains("didDetectSignificantChange"))
    }

    @Test("the app may report a change itself, and only while one is awaited")
    func reported() {
      let tracker = Tracker.asleep()
      tracker.provider.reportSignificantChange()
      #expect(tracker.recorder.calls.isEmpty, "the cool-down")
      tracker.daemon.advance(by: .seconds(30))
      tracker.provider.reportSignificantChange()
      #expect(tracker.manager.state == .acquiring)
      tracker.provider.reportSignificantChange()
      tracker.manager.pause()
      tracker.provider.reportSignificantChange()
      #expect(tracker.recorder.calls.filter { $0 == "didDetectSignificantChange" }.count == 1)
    }

    // MARK: - An error bound

    @Test("a look within a bound may take as long as a receiver without assistance needs: 90 s at first, then 60")
    func lookLimits() {
      let tracker = Tracker()
      tracker.manager.errorBound = 500
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(89))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(2))
      #expect(tracker.recorder.failures == [.timeLimit(best: nil)])
      tracker.daemon.error = 17.3
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.recorder.locations.count == 1 && tracker.manager.state == .waitingSignificantChange)
      tracker.daemon.error = nil
      for _ in 0..<300 where tracker.manager.state != .acquiring { tracker.daemon.advance(by: .seconds(1)) }
      tracker.daemon.advance(by: .seconds(58))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.failures.count == 2)
    }

    @Test("with a bound the manager looks, and the provider makes no checks of its own until there is none")
    func noChecks() {
      let tracker = Tracker.asleep(controlSocket: "/run/gpsd.sock")
      // So far that no look of the manager's comes in an hour, beside the first, of somebody who is known to be on foot.
      tracker.provider.reportMotion(.walking)
      tracker.manager.errorBound = 1_000_000
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.manager.state == .waitingSignificantChange && tracker.recorder.locations.count == 2)
      let watched = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(3_600))
      #expect(tracker.daemon.watchedFor == watched)
      tracker.manager.errorBound = nil
      tracker.daemon.advance(by: .seconds(305))
      #expect(tracker.daemon.watchedFor > watched)
    }

    @Test("a second manager without a bound has the checks again that the first one had not")
    func boundOfAnother() {
      let tracker = Tracker.asleep()
      tracker.manager.errorBound = 1_000_000
      let other = LocationManager(provider: tracker.provider)
      other.tryPromptAuthorization()
      tracker.daemon.advance(by: .seconds(5))
      #expect(other.state == .waitingSignificantChange)
      let watched = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(305))
      #expect(tracker.daemon.watchedFor > watched)
    }

    @Test(
      "what looks cost without a control socket is said once, and only there",
      arguments: [(500, nil, 1), (500, "/run/gpsd.sock", 0), (nil, nil, 0)] as [(Double?, String?, Int)])
    func tailAdvice(_ bound: Double?, _ controlSocket: String?, _ expected: Int) {
      let tracker = Tracker(controlSocket: controlSocket)
      var lines: [String] = []
      tracker.manager.errorBound = bound
      tracker.provider.log = { lines.append($0) }
      tracker.start()
      for _ in 0..<100 {
        tracker.daemon.advance(by: .seconds(10))
        tracker.daemon.north += 200
      }
      #expect(tracker.recorder.locations.count > 2)
      #expect(lines.count { $0.contains("control socket") && $0.contains("-F") } == expected)
    }

    // MARK: - What the app reports

    @Test("timers wake the manager, and what the app reports, from its first report on")
    func sources() {
      let daemon = ScriptedDaemon()
      let provider = GPSDProvider(system: daemon)
      var reports: [ProviderReport] = []
      provider.onReport = { reports.append($0) }
      #expect(provider.wakeSources == .timersWhileAsleep)
      provider.reportCell("310,410,1")
      provider.reportCell("310,410,2")
      provider.reportMotion(.still)
      provider.reportMotion(.vehicle)
      provider.reportSignificantChange()
      provider.setMode(.significantChanges)
      provider.reportSignificantChange()
      #expect(
        reports == [
          .wakeSources([.timersWhileAsleep, .cells]), .cell("310,410,1"), .cell("310,410,2"),
          .wakeSources([.timersWhileAsleep, .cells, .motion]), .motion(.still), .motion(.vehicle),
          .wakeSources([.timersWhileAsleep, .cells, .motion, .significantChanges]), .significantChange(nil),
        ])
      #expect(provider.connection == .closed, "whatever is of gpsd")
    }

    @Test("a device that the app calls still is not looked for, and is once it moves")
    func motion() {
      let tracker = Tracker()
      tracker.manager.errorBound = 500
      tracker.start()
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.recorder.locations.count == 1)
      tracker.provider.reportMotion(.still)
      tracker.daemon.advance(by: .seconds(3_600))
      #expect(tracker.recorder.locations.count == 1)
      tracker.provider.reportMotion(.vehicle)
      tracker.daemon.advance(by: .seconds(120))
      #expect(tracker.recorder.locations.count > 1)
    }

    @Test(
      "a cell that is new since the last fix makes the manager look half-way to the bound, and a known one does not")
    func cell() {
      let tracker = Tracker()
      tracker.manager.errorBound = 500
      tracker.start()
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(70))
      #expect(tracker.recorder.locations.count == 1 && tracker.manager.state == .waitingSignificantChange)
      tracker.provider.reportCell("a")
      #expect(tracker.manager.state == .waitingSignificantChange)
      tracker.provider.reportCell("b")
      #expect(tracker.manager.state == .acquiring)
    }

    // MARK: - Faults

    @Test("gpsd that is away is tried again, later each time, with chance in it, and not for ever sooner")
    func backOff() {
      let tracker = Tracker()
      tracker.daemon.manner = .refusing
      tracker.start()
      tracker.daemon.advance(by: .seconds(50))
      #expect(tracker.provider.connection == .failed(reason: "there is no gpsd"))
      #expect(tracker.recorder.failures == [.tooManyErrors])
      tracker.manager.forceAcquireLocation()
      let connects = tracker.daemon.connects
      let waits = zip(connects.dropFirst(), connects).map { $0 - $1 }.prefix(4)
      for (wait, base) in zip(waits, [0.5, 1, 2, 4]) {
        #expect(wait >= .seconds(base) && wait <= .seconds(base * 1.5 + 0.01))
      }
      #expect(Set(waits.map { $0.inSeconds.truncatingRemainder(dividingBy: 0.5) }).count > 1)
      tracker.daemon.manner = .well
      tracker.daemon.advance(by: .seconds(10))
      #expect(tracker.recorder.locations.count == 1)
    }

    @Test("gpsd that is killed and restarted is found again, in the middle of an acquisition too")
    func killed() {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(5))
      tracker.daemon.kill()
      tracker.daemon.advance(by: .seconds(2))
      tracker.daemon.manner = .well
      tracker.daemon.error = 17.3
      tracker.daemon.advance(by: .seconds(4))
      #expect(tracker.recorder.locations.count == 1)
      tracker.daemon.kill()
      tracker.daemon.manner = .well
      tracker.daemon.advance(by: .seconds(40))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 2)
    }

    @Test("gpsd without a receiver is an error with advice, once, and no silence")
    func withoutReceiver() {
      let tracker = Tracker()
      tracker.daemon.receivers = []
      tracker.start()
      tracker.daemon.advance(by: .seconds(1))
      #expect(tracker.provider.connection == .withoutReceiver)
      #expect("\(tracker.provider.connection)".contains("gpsdctl add"))
      tracker.daemon.advance(by: .seconds(58))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.receivers = ["/dev/ttyUSB0"]
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(60))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.recorder.locations.count == 2)
    }

    @Test(
      "a server that is none, or that does not answer, is left and tried again",
      arguments: [ScriptedDaemon.Manner.silent, .dribbling, .garbage, .wrongProtocol])
    func noDaemon(_ manner: ScriptedDaemon.Manner) {
      let tracker = Tracker()
      tracker.daemon.manner = manner
      tracker.start()
      tracker.daemon.advance(by: .seconds(20))
      guard case .failed = tracker.provider.connection else {
        #expect(tracker.provider.connection == .connecting)
        return
      }
      tracker.daemon.advance(by: .seconds(20))
      #expect((2...7).contains(tracker.daemon.connects.count))
      tracker.daemon.manner = .well
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(60))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(40))
      #expect(tracker.recorder.locations.count >= 1)
    }

    @Test("a look-up and a first address that take eight seconds are waited for, and what never connects is not")
    func slowConnection() {
      let tracker = Tracker()
      tracker.daemon.connecting = .seconds(8)
      tracker.start()
      tracker.daemon.advance(by: .seconds(12))
      #expect(tracker.recorder.locations.count == 1)
      let other = Tracker()
      other.daemon.connecting = .seconds(1_000)
      other.start()
      other.daemon.advance(by: .seconds(29))
      #expect(other.provider.connection == .connecting)
      other.daemon.advance(by: .seconds(1))
      if case .failed(let reason) = other.provider.connection {
        #expect(reason.hasSuffix("does not answer"))
      } else {
        Issue.record("\(other.provider.connection)")
      }
    }

    @Test("a significant change that the manager has no use for is one at the next look too")
    func changeDuringCooldown() {
      let tracker = Tracker.asleep()
      tracker.manager.policy.cooldown = .seconds(700)
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(30))
      #expect(tracker.manager.state == .waitingSignificantChange)
      let before = tracker.recorder.locations.count
      tracker.daemon.north += 5_000
      tracker.daemon.advance(by: .seconds(400))
      #expect(tracker.recorder.locations.count == before, "the cool-down holds")
      tracker.daemon.advance(by: .seconds(700))
      #expect(tracker.recorder.locations.count == before + 1)
    }

    @Test("gpsd that falls silent, without a word, is connected to anew")
    func silent() {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(5))
      tracker.daemon.manner = .silent
      tracker.daemon.isPlugged = false
      tracker.daemon.advance(by: .seconds(45))
      #expect(tracker.daemon.connects.count >= 2)
    }

    @Test("a flood of what is of no use does no harm")
    func flood() {
      let tracker = Tracker()
      tracker.daemon.manner = .flooding
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 1)
    }

    @Test("fixes of 1980 and 2080, and of a clock that goes back, are judged and refused", arguments: [-1.4e9, 1.7e9])
    func wrongDates(_ age: TimeInterval) {
      let tracker = Tracker()
      tracker.daemon.age = age
      tracker.start()
      tracker.daemon.advance(by: .seconds(10))
      #expect(tracker.manager.state == .acquiring)
      #expect(Set(tracker.recorder.rejections) == [age < 0 ? .futureDated : .stale])
      tracker.daemon.age = 0
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 1)
    }

    @Test("no fix is waited for until the limit, as location unknown")
    func noFix() {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(59))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(2))
      #expect(tracker.recorder.failures == [.timeLimit(best: nil)])
    }

    @Test("a log has every change of the connection and no location", arguments: 0..<(isLong ? 20 : 5))
    func log(_ seed: UInt64) {
      let run = GPSDScript(seed: seed)
      run.play()
      #expect(!run.log.isEmpty)
      #expect(!run.log.contains { $0.contains("34.") || $0.contains("118") })
    }
  }

  /// What must always hold, over scripts drawn from a seed in which everything goes wrong.
  @Suite("What must always hold in front of gpsd")
  struct GPSDInvariantTests {
    @Test("holds after every step of seeded scripts", arguments: 0..<8)
    func scripts(_ part: Int) async {
      await Seeds.play(Seeds.part(part, of: 8, runs: 40), alone: "oneGPSDScript") { seed in
        let run = GPSDScript(seed: seed)
        run.play()
        return run.broken
      }
    }

    @Test("the same seed gives the same run")
    func repeats() {
      for seed in UInt64(0)..<8 {
        let (first, second) = (GPSDScript(seed: seed), GPSDScript(seed: seed))
        first.play()
        second.play()
        #expect(first.story == second.story && first.log == second.log)
      }
    }

    @Test(
      "one script, told step by step",
      .enabled(if: Seeds.alone != nil, "a failing seed asks for it"))
    func oneGPSDScript() throws {
      let run = GPSDScript(seed: try #require(Seeds.alone))
      run.play()
      for line in run.story { print(line) }
      #expect(run.broken.isEmpty)
    }
  }

  /// One run: a tracker, and what happens to it.
  final class GPSDScript: LocationManagerListener {
    private(set) var broken: [String] = []
    private(set) var story: [String] = []
    private(set) var log: [String] = []
    private var random: SeededGenerator
    private let tracker: Tracker
    private var lastDelivered: Location?
    private var clockWasSet = false
    private var acquiringSince: Duration?
    private var hadBound = false

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      tracker = Tracker(controlSocket: Bool.random(using: &random) ? "/run/gpsd.sock" : nil)
      tracker.daemon.random = SeededGenerator(seed: seed ^ 0xABCD)
      tracker.manager.listeners.add(self)
      tracker.provider.log = { [weak self] in self?.log.append($0) }
    }

    func play() {
      tracker.start()
      for _ in 0..<60 {
        step()
        if !broken.isEmpty { return }
      }
      calm()
    }

    private func step() {
      let daemon = tracker.daemon
      let choice = Int.random(in: 0..<22, using: &random)
      story.append("\(daemon.uptime): \(choice) in \(tracker.manager.state.rawValue), \(tracker.provider.connection)")
      switch choice {
      case 0: tracker.manager.pause()
      case 1, 2: tracker.manager.resume()
      case 3, 4: tracker.manager.forceAcquireLocation()
      case 5: tracker.provider.reportSignificantChange()
      case 6: daemon.kill()
      case 7, 8: daemon.manner = .well
      case 9: daemon.manner = ScriptedDaemon.Manner.allCases.randomElement(using: &random) ?? .well
      case 10:
        daemon.loss = ScriptedDaemon.Loss.allCases.randomElement(using: &random) ?? .kept
        daemon.unplug()
      case 11: daemon.isPlugged = true
      case 12: daemon.receivers = Bool.random(using: &random) ? [] : ["/dev/ttyUSB0"]
      case 13: daemon.error = [nil, 0, 9, 17.3, 100, 400][Int.random(in: 0..<6, using: &random)]
      case 14: daemon.age = [0, 0, 0, 40, -40, 1e9][Int.random(in: 0..<6, using: &random)]
      case 15:
        daemon.clockOffset += Double.random(in: -7_200...7_200, using: &random)
        clockWasSet = true
      case 16: daemon.north += Double.random(in: -2_000...2_000, using: &random)
      case 17:
        tracker.manager.errorBound = [nil, 100, 500, 5_000][Int.random(in: 0..<4, using: &random)]
        hadBound = hadBound || tracker.manager.errorBound != nil
      case 18: tracker.provider.reportCell("\(Int.random(in: 0..<4, using: &random))")
      case 19: tracker.provider.reportMotion(Motion.allCases.randomElement(using: &random) ?? .still)
      default: daemon.say(["{", "null", String(repeating: "[", count: 1_000), "\u{7F}"][choice % 4])
      }
      check()
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        daemon.advance(by: .milliseconds(Int.random(in: 100...3_000, using: &random)))
        check()
      }
    }

    private func expect(_ holds: Bool, _ rule: String) {
      if !holds { broken.append("\(rule) at \(tracker.daemon.uptime) in \(tracker.manager.state.rawValue)") }
    }

    private func check() {
      let (daemon, state) = (tracker.daemon, tracker.manager.state)
      // While waiting, the receiver is on for a check, for a bounded time, and with an error bound never.
      expect(!daemon.isWatched || state == .acquiring || state == .waitingSignificantChange, "1: watched")
      if state == .waitingSignificantChange, tracker.manager.errorBound != nil {
        expect(![.watching, .withoutReceiver].contains(tracker.provider.connection), "1: a check with a bound")
      }
      if state == .paused { expect(!daemon.isConnected, "3: a pause is off") }
      if state == .acquiring, acquiringSince == nil { acquiringSince = daemon.uptime }
      if state != .acquiring { acquiringSince = nil }
      // A look may take 90 s, an acquisition 60.
      let limit = Duration.seconds(hadBound ? 93 : 63)
      if let acquiringSince { expect(daemon.uptime - acquiringSince <= limit, "2: the GPS is on for too long") }
      expect(tracker.provider.receiverOnTime <= daemon.uptime + .seconds(60), "the receiver was on before it was there")
    }

    func locationManager(_ manager: LocationManager, didTransition transition: Transition) {
      story.append("\(transition.from.rawValue) \(transition.to.rawValue)")
      if transition.to == .acquiring { acquiringSince = tracker.daemon.uptime }
      if transition.to == .paused { expect(!tracker.daemon.isWatched, "6: told before the hardware is commanded") }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      story.append("location \(location)")
      let age = tracker.daemon.date.timeIntervalSince(location.timestamp)
      expect(manager.state == .waitingSignificantChange || manager.state == .acquiring, "3: a location in a pause")
      expect(location.hasValidAccuracy && location.hasValidCoordinate, "5: an invalid location")
      // A third of the highest bound that was set.
      expect(location.horizontalAccuracy <= (hadBound ? 1_667 : 100), "5: a location that is not acceptable")
      expect(age <= 30 && age >= -1.01, "5: a location of another time")
      if let lastDelivered, !clockWasSet {
        expect(location.timestamp > lastDelivered.timestamp, "5: older than the last")
      }
      lastDelivered = location
      // With a bound the receiver may stay on for the next look.
      if manager.state == .acquiring { acquiringSince = tracker.daemon.uptime }
    }

    /// All trouble is over: a location comes.
    private func calm() {
      let daemon = tracker.daemon
      daemon.kill()
      (daemon.manner, daemon.isPlugged, daemon.receivers) = (.well, true, ["/dev/ttyUSB0"])
      (daemon.error, daemon.age) = (9, 0)
      tracker.manager.resume()
      daemon.advance(by: .seconds(200))
      let before = tracker.recorder.locations.count
      tracker.manager.forceAcquireLocation()
      daemon.advance(by: .seconds(65))
      expect(tracker.recorder.locations.count > before, "7: no location although all is well")
    }
  }
#endif

#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @_spi(Benchmarks) @testable import LocoKit
  @_spi(Benchmarks) @testable import LocoKitGPSD
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  @Suite("GPSDProvider with a scripted gpsd", .covers(GPSDMachine.self))
  struct GPSDProviderTests {
    @Test("the manager enters prompted, acquiring and, with the first location, waitingSignificantChange")
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

    @Test("the provider is connected only while it runs")
    func notRunning() {
      let tracker = Tracker()
      tracker.manager.tryPromptAuthorization()
      tracker.daemon.advance(by: .seconds(10))
      #expect(tracker.daemon.connects.isEmpty)
      tracker.daemon.begin()
      #expect(tracker.daemon.connects.count == 1)
      tracker.daemon.stop()
      tracker.daemon.advance(by: .seconds(600))
      #expect(!tracker.daemon.isConnected && tracker.provider.connection == .closed)
      #expect(tracker.daemon.connects.count == 1)
    }

    @Test("a pause closes the connection, and a resume reconnects")
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

    @Test("without a control socket the receiver stays on for 60 s; a watch in that time isn't counted twice")
    func tail() {
      let tracker = Tracker.asleep()
      let watched = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(27))
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(100))
      // Within the tail the receiver was on without a break.
      let on = tracker.daemon.watchedFor - watched
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2) + on + .seconds(60))
      tracker.daemon.advance(by: .seconds(100))
      #expect(tracker.provider.receiverOnTime == .seconds(30) - .milliseconds(2) + on + .seconds(60))
    }

    @Test(
      "with a control socket the receiver is closed immediately, and the tail counts only if the close fails",
      arguments: [false, true])
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

    @Test("a path that contains a command is not written to the control socket")
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

    @Test("a check every five minutes reports a change at 500 m from the last acquisition's fix")
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
      // The distance counts from the last acquisition's fix.
      tracker.daemon.north = 900
      tracker.daemon.advance(by: .seconds(400))
      #expect(tracker.recorder.locations.count == 2)
    }

    @Test("a check without a fix ends at the policy's limit, and the receiver is off until the next check")
    func checkWithoutFix() {
      let tracker = Tracker.asleep()
      tracker.daemon.error = nil
      let before = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(500))
      let watched = tracker.daemon.watchedFor - before
      #expect(watched >= .seconds(59) && watched <= .seconds(61))
      #expect(tracker.recorder.calls.isEmpty)
    }

    @Test(
      "a check ignores a fix that is stale, of the future, invalid or coarser than 100 m",
      arguments: [(40, 17.3), (-40, 17.3), (0, 0), (0, 174)] as [(TimeInterval, Double)])
    func checkJudges(_ age: TimeInterval, _ error: Double) {
      let tracker = Tracker.asleep()
      tracker.daemon.north = 5_000
      (tracker.daemon.age, tracker.daemon.error) = (age, error)
      tracker.daemon.advance(by: .seconds(600))
      #expect(tracker.recorder.calls.isEmpty)
    }

    @Test("a fix that is too coarse for a check isn't the reference of later checks")
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

    @Test("a change that the app reports counts only after the cool-down, while the manager waits for a change")
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

    @Test("a look may take 90 s at first, and 60 s later")
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

    @Test("the provider makes no checks while there is a bound")
    func noChecks() {
      let tracker = Tracker.asleep(controlSocket: "/run/gpsd.sock")
      // A bound so wide that on foot the manager makes only its first look in an hour.
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

    @Test("the checks resume with a second manager that has no bound")
    func boundOfAnother() {
      let tracker = Tracker.asleep()
      tracker.manager.errorBound = 1_000_000
      let other = LocationManager(provider: tracker.provider)
      other.tryPromptAuthorization()
      tracker.daemon.advance(by: .seconds(5))
      let watched = tracker.daemon.watchedFor
      tracker.daemon.advance(by: .seconds(305))
      #expect(tracker.daemon.watchedFor > watched)
      // A manager that isn't used any more would be released, which turns the checks off.
      #expect(other.state == .waitingSignificantChange)
    }

    @Test(
      "the cost of looks without a control socket is logged once",
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

    @Test("each source is a wake source from the app's first report on")
    func sources() {
      let daemon = ScriptedDaemon()
      let provider = GPSDProvider(system: daemon)
      var reports: [ProviderReport] = []
      provider.onReport = ProviderReport.Handler { reports.append($0) }
      #expect(provider.wakeSources == [.timer])
      provider.reportCell("310,410,1")
      provider.reportCell("310,410,2")
      provider.reportMotion(.still)
      provider.reportMotion(.vehicle)
      provider.reportSignificantChange()
      provider.setMode(.significantChanges)
      provider.reportSignificantChange()
      #expect(
        reports == [
          Sources([.timer, .cell]).report, .cell("310,410,1"), .cell("310,410,2"),
          Sources([.timer, .cell, .motion]).report, .motion(.still), .motion(.vehicle),
          Sources([.timer, .cell, .motion, .significantChange]).report, .significantChange(nil),
        ])
      #expect(provider.connection == .closed, "reports don't depend on gpsd")
    }

    @Test("while the app reports a still device, no look follows; once it reports a vehicle, one does")
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
      "a cell that is new since the last fix starts a look if the error may be half the bound; a known cell doesn't")
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

    @Test("without a bound, another cell starts an acquisition, at most every five minutes, without checks")
    func changesOfCells() {
      let tracker = Tracker()
      tracker.start()
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.recorder.locations.count == 1 && tracker.manager.state == .waitingSignificantChange)
      let on = tracker.provider.receiverOnTime
      tracker.daemon.advance(by: .seconds(4_000))
      #expect(tracker.provider.receiverOnTime <= on + .seconds(60), "no checks while the modem reports cells")
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(1))
      #expect(tracker.manager.state == .waitingSignificantChange)
      tracker.provider.reportCell("b")
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(40))
      #expect(tracker.recorder.locations.count == 2 && tracker.manager.state == .waitingSignificantChange)
      tracker.provider.reportCell("c")
      tracker.daemon.advance(by: .seconds(200))
      #expect(tracker.recorder.locations.count == 2, "five minutes have not passed")
      tracker.daemon.advance(by: .seconds(100))
      #expect(tracker.recorder.locations.count == 3, "the change is due later")
      tracker.provider.reportCell("d")
      tracker.provider.reportCell("c")
      tracker.daemon.advance(by: .seconds(4_000))
      #expect(tracker.recorder.locations.count == 3, "the cell of the last fix has returned")
      tracker.provider.reportCell("e")
      tracker.daemon.advance(by: .seconds(40))
      tracker.provider.reportCell("f")
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(40))
      #expect(tracker.recorder.locations.count == 5)
      tracker.daemon.advance(by: .seconds(4_000))
      #expect(tracker.recorder.locations.count == 5, "the app has located itself in the new cell")
    }

    @Test("without reception in another cell, the change is repeated after 5, 10, … 60 minutes until a fix is good")
    func repeatedChange() {
      let tracker = Tracker()
      tracker.start()
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(40))
      #expect(tracker.recorder.locations.count == 1)
      // Returns the minutes that have the receiver on.
      func minutes(_ count: Int) -> [Int] {
        (0..<count).filter { _ in
          let on = tracker.provider.receiverOnTime
          tracker.daemon.advance(by: .seconds(60))
          return tracker.provider.receiverOnTime > on + .seconds(20)
        }
      }
      tracker.daemon.error = nil
      tracker.provider.reportCell("b")
      #expect(minutes(150) == [0, 1, 5, 6, 15, 16, 35, 36, 75, 76, 135, 136])
      tracker.daemon.error = 17.3
      #expect(minutes(60).count <= 1 && tracker.recorder.locations.count == 2)
      tracker.daemon.error = 900
      tracker.provider.reportCell("c")
      #expect(minutes(12) == [0, 1, 5, 6], "900 m are not good enough, and the wait is five minutes again")
    }

    @Test("the wait for another change doubles in a cell, and is five minutes again in another cell")
    func waits() {
      var cells = GPSDCells()
      cells.report("a")
      cells.locate()
      cells.endAcquisition(at: .zero, cooldown: .seconds(30))
      cells.report("b")
      for due in [30, 330, 930] {
        #expect(cells.due == .seconds(due) && !cells.change(at: .seconds(due - 1)) && cells.change(at: .seconds(due)))
      }
      #expect(cells.due == .seconds(2_130))
      cells.report("c")
      for due in [1_230, 1_530] { #expect(cells.due == .seconds(due) && cells.change(at: .seconds(due))) }
      cells.report("b")
      #expect(cells.due == .seconds(2_130), "a cell that had looks doesn't end the wait")
    }

    @Test("a cell without a look since the last good fix ends the wait of another one, at most every five minutes")
    func anotherCellWhileWaiting() {
      let tracker = Tracker()
      tracker.start()
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(40))
      tracker.daemon.error = nil
      for cell in ["b", "c"] {
        tracker.provider.reportCell(cell)
        tracker.daemon.advance(by: .seconds(1_000))
      }
      // Both cells have had looks, and the next one of each is due after twenty minutes.
      for cell in ["b", "c", "b"] {
        let on = tracker.provider.receiverOnTime
        tracker.provider.reportCell(cell)
        tracker.daemon.advance(by: .seconds(30))
        #expect(tracker.provider.receiverOnTime == on, "a look in \(cell) again")
      }
      tracker.daemon.error = 17.3
      tracker.provider.reportCell("d")
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(40))
      #expect(tracker.recorder.locations.count == 2)
      tracker.daemon.error = nil
      tracker.provider.reportCell("e")
      tracker.daemon.advance(by: .seconds(200))
      tracker.provider.reportCell("f")
      #expect(tracker.manager.state == .waitingSignificantChange, "the last change is 200 s old")
      tracker.daemon.advance(by: .seconds(60))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(290))
      #expect(tracker.manager.state == .waitingSignificantChange)
      tracker.daemon.advance(by: .seconds(20))
      #expect(tracker.manager.state == .acquiring, "the wait for another look in the new cell is five minutes again")
      tracker.daemon.advance(by: .seconds(400))
      tracker.provider.reportCell("b")
      #expect(tracker.manager.state == .acquiring, "the device was located since the looks in this cell")
    }

    @Test("the first cell is a change if the device was never located, so that a failed first acquisition is repeated")
    func firstCell() {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(120))
      #expect(tracker.manager.state == .waitingSignificantChange && tracker.recorder.locations.isEmpty)
      tracker.provider.reportCell("a")
      #expect(tracker.manager.state == .acquiring)
    }

    /// A running provider with a plan, and its reports, without a manager.
    private final class Planned {
      let daemon = ScriptedDaemon()
      let provider: GPSDProvider
      private(set) var reports: [ProviderReport] = []
      /// Called during the next report of a timer, which is in the provider's turn.
      var answer: (() -> Void)?
      var timers: Int { reports.count { $0 == .wake(.timer) } }
      var changes: Int { reports.count { if case .wake(.significantChange) = $0 { true } else { false } } }

      init(_ plan: ReceiverPlan, controlSocket: String? = nil) {
        provider = GPSDProvider(controlSocket: controlSocket, system: daemon)
        provider.onReport = ProviderReport.Handler { [unowned self] in
          reports.append($0)
          guard $0 == .wake(.timer), let answer else { return }
          self.answer = nil
          answer()
        }
        daemon.provider = provider
        daemon.begin()
        provider.apply(plan)
      }
    }

    @Test("a run after a canceled one sets the timers again, and checks for movement again", arguments: [nil, 500.0])
    func secondRun(_ bound: Double?) {
      var plan = ReceiverPlan()
      (plan.mode, plan.errorBound, plan.timer) = (.significantChanges, bound, .seconds(400))
      let planned = Planned(plan)
      planned.daemon.advance(by: .seconds(100))
      planned.daemon.stop()
      planned.daemon.begin()
      planned.daemon.advance(by: .seconds(299))
      #expect(planned.daemon.connects.count == (bound == nil ? 1 : 0))
      planned.daemon.advance(by: .seconds(2))
      #expect(planned.timers == 1)
    }

    @Test("a restart in a provider's turn keeps the plan that was applied before it in the same turn")
    func restart() {
      var plan = ReceiverPlan()
      (plan.mode, plan.timer) = (.gps, .seconds(10))
      let planned = Planned(plan, controlSocket: "/run/gpsd.sock")
      planned.answer = { [unowned planned] in
        plan.timer = .seconds(30)
        planned.provider.apply(plan)
        planned.provider.perform(.restart)
      }
      planned.daemon.error = nil
      planned.daemon.advance(by: .seconds(12))
      #expect(planned.provider.plan == plan)
      #expect(planned.daemon.connects.count == 2 && planned.provider.connection == .watching)
      #expect(planned.daemon.controlled == ["/dev/ttyUSB0"], "the receiver was off")
      planned.daemon.advance(by: .seconds(20))
      #expect(planned.timers == 2)
    }

    @Test("with a bound and in a pause, a cell is no significant change")
    func cellsWithoutChanges() {
      for plan in [ReceiverMode.significantChanges, .off] {
        var wanted = ReceiverPlan()
        (wanted.mode, wanted.errorBound) = (plan, plan == .off ? nil : 500)
        let scene = Planned(wanted)
        scene.provider.reportCell("a")
        scene.provider.reportCell("b")
        scene.daemon.advance(by: .seconds(4_000))
        #expect(scene.changes == 0 && scene.reports.contains(.cell("b")))
      }
    }

    @Test("without a bound, a change of the cell during the cool-down is due after it")
    func cellInTheCooldown() {
      let tracker = Tracker()
      tracker.provider.reportCell("a")
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 1)
      tracker.provider.reportCell("b")
      tracker.daemon.advance(by: .seconds(20))
      #expect(tracker.recorder.locations.count == 1)
      tracker.daemon.advance(by: .seconds(20))
      #expect(tracker.recorder.locations.count == 2)
      tracker.daemon.advance(by: .seconds(400))
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(3))
      tracker.provider.reportCell("c")
      tracker.daemon.advance(by: .seconds(60))
      #expect(tracker.recorder.locations.count == 4, "although the last change is minutes old")
    }

    @Test("the cool-down of a change of the cell begins at the end of the acquisition, however early its good fix was")
    func cellAfterLongAcquisition() {
      var plan = ReceiverPlan()
      plan.mode = .gps
      let scene = Planned(plan)
      scene.provider.reportCell("a")
      scene.daemon.advance(by: .seconds(10))
      scene.daemon.error = nil
      scene.daemon.advance(by: .seconds(40))
      scene.provider.reportCell("b")
      plan.mode = .significantChanges
      scene.provider.apply(plan)
      scene.daemon.advance(by: .seconds(29))
      #expect(scene.changes == 0)
      scene.daemon.advance(by: .seconds(1))
      #expect(scene.changes == 1)
    }

    @Test("without an acquisition there is no cool-down: the first cell is a change immediately")
    func cellWithoutAcquisition() {
      var plan = ReceiverPlan()
      plan.mode = .significantChanges
      let scene = Planned(plan)
      scene.provider.reportCell("a")
      #expect(scene.changes == 1)
    }

    @Test("when the modem is gone, the receiver is checked again, and a new cell is compared with that of the last fix")
    func modemGone() {
      let tracker = Tracker()
      tracker.start()
      tracker.provider.reportCell("a")
      tracker.daemon.advance(by: .seconds(5))
      tracker.provider.reportCell(nil)
      #expect(tracker.provider.wakeSources == [.timer])
      let on = tracker.provider.receiverOnTime
      tracker.daemon.advance(by: .seconds(700))
      #expect(tracker.provider.receiverOnTime > on + .seconds(61), "two checks")
      let locations = tracker.recorder.locations.count
      tracker.provider.reportCell("b")
      tracker.daemon.advance(by: .seconds(5))
      #expect(tracker.recorder.locations.count == locations + 1 && tracker.provider.wakeSources == [.timer, .cell])
    }

    // MARK: - Faults

    @Test("an acquisition waits for a gpsd that starts later, and fails at its time limit", arguments: [true, false])
    func lateStart(starts: Bool) {
      let tracker = Tracker()
      tracker.daemon.manner = .refusing
      tracker.start()
      tracker.daemon.advance(by: .seconds(20))
      if starts { tracker.daemon.manner = .well }
      tracker.daemon.advance(by: .seconds(41))
      #expect(tracker.recorder.locations.count == (starts ? 1 : 0))
      #expect(tracker.recorder.failures == (starts ? [] : [.timeLimit(best: nil)]))
    }

    @Test("the reason of failed connections is reported once, and again in the next acquisition and after a fix")
    func failureOnce() {
      let watcher = Watcher()
      var failures: [String] = []
      watcher.provider.onFailure { failures.append($0) }
      let (missing, closed) = ("there is no gpsd", "gpsd has closed the connection")
      for expected in [[missing, missing], [closed, missing, missing]] {
        failures = []
        watcher.daemon.kill()
        watcher.daemon.advance(by: .seconds(20))
        #expect(failures == expected.dropLast())
        watcher.provider.setMode(.off)
        watcher.provider.setMode(.gps)
        watcher.daemon.advance(by: .seconds(20))
        #expect(failures == expected)
        watcher.daemon.manner = .well
        watcher.daemon.advance(by: .seconds(60))
        #expect(!watcher.fixes.isEmpty && failures == expected)
      }
    }

    @Test("a report without coordinates isn't a fix: the reason of failed connections isn't reported again")
    func failureOnceWithoutPosition() {
      let watcher = Watcher()
      watcher.daemon.isPlugged = false
      var failures: [String] = []
      watcher.provider.onFailure { failures.append($0) }
      for _ in 0..<3 {
        watcher.daemon.kill()
        watcher.daemon.advance(by: .seconds(20))
        watcher.daemon.manner = .well
        watcher.daemon.advance(by: .seconds(60))
        watcher.daemon.say(#"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(watcher.time)","eph":9}"#)
      }
      #expect(Set(failures).count == failures.count && failures.contains("there is no gpsd"), "\(failures)")
    }

    @Test("a server whose answers all differ doesn't fill the list of reported reasons")
    func differentFailures() {
      let watcher = Watcher()
      var failures: [String] = []
      watcher.provider.onFailure { failures.append($0) }
      watcher.daemon.kill()
      watcher.daemon.manner = .silent
      for version in 4..<60 {
        for _ in 0..<200 where !watcher.daemon.isConnected { watcher.daemon.advance(by: .seconds(1)) }
        watcher.daemon.say(#"{"class":"VERSION","release":"9","proto_major":\#(version),"proto_minor":0}"#)
      }
      #expect((10...16).contains(failures.count), "\(failures)")
    }

    @Test("a movement check that can't connect reports no failure")
    func failureOfACheck() {
      let tracker = Tracker.asleep()
      var failures: [String] = []
      tracker.provider.onFailure { failures.append($0) }
      let connects = tracker.daemon.connects.count
      tracker.daemon.kill()
      tracker.daemon.advance(by: .seconds(600))
      #expect(tracker.daemon.connects.count > connects && failures.isEmpty)
    }

    @Test("a gpsd that is restarted without a receiver doesn't end an acquisition")
    func restartsWithoutReceiver() {
      let tracker = Tracker()
      tracker.daemon.isPlugged = false
      tracker.start()
      for _ in 0..<12 {
        tracker.daemon.advance(by: .seconds(4))
        tracker.daemon.kill()
        tracker.daemon.manner = .well
      }
      #expect(tracker.manager.state == .acquiring && tracker.recorder.failures.isEmpty)
    }

    @Test("the delays of reconnecting double, with a random part")
    func backOff() {
      let tracker = Tracker()
      tracker.daemon.manner = .refusing
      tracker.start()
      tracker.daemon.advance(by: .seconds(50))
      #expect(tracker.provider.connection == .failed(reason: "there is no gpsd"))
      #expect(tracker.manager.state == .acquiring)
      let connects = tracker.daemon.connects
      let waits = zip(connects.dropFirst(), connects).map { $0 - $1 }.prefix(4)
      for (wait, base) in zip(waits, [0.5, 1, 2, 4]) {
        #expect(wait >= .seconds(base) && wait <= .seconds(base * 1.5 + 0.01))
      }
      #expect(Set(waits.map { $0.inSeconds.truncatingRemainder(dividingBy: 0.5) }).count > 1)
      tracker.daemon.advance(by: .seconds(15))
      tracker.daemon.manner = .well
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(10))
      #expect(tracker.recorder.locations.count == 1)
    }

    @Test(
      "whatever the last connection's bytes were, the next connection is read from its first line",
      arguments: ["", "{", #"{"class":"TPV","device":"/dev/tty"#, String(repeating: "x", count: 20_000)])
    func cutOff(_ bytes: String) {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      tracker.provider.read(Array(bytes.utf8))
      tracker.daemon.kill()
      (tracker.daemon.manner, tracker.daemon.error) = (.well, 17.3)
      tracker.daemon.advance(by: .seconds(4))
      #expect(tracker.daemon.connects.count == 2 && tracker.recorder.locations.count == 1)
    }

    @Test("a gpsd whose lines can't be read isn't silent", arguments: ["no JSON", "{}", #"{"class":7}"#])
    func unreadable(_ line: String) {
      let watcher = Watcher()
      watcher.daemon.period = .seconds(100_000)
      watcher.daemon.advance(by: .seconds(2))
      watcher.daemon.manner = .silent
      for _ in 0..<60 {
        watcher.daemon.advance(by: .seconds(1))
        watcher.daemon.say(line)
      }
      #expect(watcher.daemon.connects.count == 1)
      watcher.daemon.advance(by: .seconds(60))
      #expect(watcher.daemon.connects.count > 1)
    }

    @Test("the provider reconnects to a restarted gpsd, also during an acquisition")
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

    @Test("gpsd without a receiver is an error with advice")
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
      "a server that doesn't answer or isn't gpsd is disconnected and retried",
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

    @Test("a connection may take eight seconds, and one that never succeeds fails after 30 s")
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

    @Test("a significant change during the cool-down is reported again by a later check")
    func changeDuringCooldown() {
      let tracker = Tracker.asleep()
      tracker.manager.policy.cooldown = .seconds(700)
      tracker.manager.forceAcquireLocation()
      tracker.daemon.advance(by: .seconds(30))
      #expect(tracker.manager.state == .waitingSignificantChange)
      let before = tracker.recorder.locations.count
      tracker.daemon.north += 5_000
      tracker.daemon.advance(by: .seconds(400))
      #expect(tracker.recorder.locations.count == before, "the cool-down isn't over")
      tracker.daemon.advance(by: .seconds(700))
      #expect(tracker.recorder.locations.count == before + 1)
    }

    @Test("the provider reconnects to a gpsd that falls silent")
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

    @Test("a flood of unused reports does no harm")
    func flood() {
      let tracker = Tracker()
      tracker.daemon.manner = .flooding
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      #expect(tracker.recorder.locations.count == 1)
    }

    @Test("fixes of 1973 and 2071 are rejected", arguments: [-1.4e9, 1.7e9])
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

    @Test("an acquisition without a fix fails at the time limit")
    func noFix() {
      let tracker = Tracker()
      tracker.daemon.error = nil
      tracker.start()
      tracker.daemon.advance(by: .seconds(59))
      #expect(tracker.manager.state == .acquiring)
      tracker.daemon.advance(by: .seconds(2))
      #expect(tracker.recorder.failures == [.timeLimit(best: nil)])
    }

    @Test("a log has lines, but no location", arguments: 0..<(isLong ? 20 : 5))
    func log(_ seed: UInt64) {
      let run = GPSDScript.played(seed)
      #expect(!run.log.isEmpty)
      #expect(!run.log.contains { $0.contains("34.") || $0.contains("118") })
    }
  }
#endif

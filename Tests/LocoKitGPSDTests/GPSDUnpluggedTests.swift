#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitGPSD
  @testable import TestSupport

  @Suite("Receivers that are unplugged and plugged in")
  struct GPSDUnpluggedTests {
    private static let path = "/dev/ttyUSB0"

    @Test(
      "with a control socket, a receiver is back within five seconds after any two kinds of loss",
      arguments: ScriptedDaemon.Loss.allCases, ScriptedDaemon.Loss.allCases)
    func withControlSocket(_ first: ScriptedDaemon.Loss, _ second: ScriptedDaemon.Loss) {
      for away in [0.1, 2.4, 3, 60] {
        let watcher = Watcher(controlSocket: "/run/gpsd.sock")
        for loss in [first, second, first, second] {
          watcher.daemon.loss = loss
          watcher.daemon.advance(by: .seconds(8))
          watcher.daemon.unplug()
          watcher.daemon.advance(by: .seconds(away))
          watcher.daemon.isPlugged = true
          let before = watcher.fixes.count
          watcher.daemon.advance(by: .seconds(5))
          #expect(watcher.fixes.count > before, "away for \(away) s")
        }
      }
    }

    @Test("a receiver that was unplugged before the watch began returns through the control socket")
    func beforeTheWatch() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = .dropped
      watcher.daemon.advance(by: .seconds(5))
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.unplug()
      watcher.provider.setMode(.gps)
      watcher.daemon.advance(by: .seconds(3))
      #expect(watcher.provider.connection == .withoutReceiver)
      watcher.daemon.isPlugged = true
      let before = watcher.fixes.count
      watcher.daemon.advance(by: .seconds(5))
      #expect(watcher.fixes.count > before && watcher.provider.connection == .watching)
    }

    @Test("the number of requests for a missing receiver is bounded")
    func askedSeldom() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = .dropped
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      watcher.daemon.advance(by: .seconds(60))
      #expect((28...45).contains(watcher.daemon.reopened.count))
      watcher.daemon.advance(by: .seconds(3_600))
      #expect(watcher.daemon.reopened.count < 500)
      #expect(watcher.daemon.connects.count == 1, "gpsd answers, so the connection stays")
    }

    @Test(
      "a receiver is requested only while its file exists", arguments: [nil, "/run/gpsd.sock"])
    func file(_ controlSocket: String?) {
      let watcher = Watcher(controlSocket: controlSocket)
      watcher.daemon.files = [Self.path]
      watcher.daemon.loss = .droppedWhenAsked
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      watcher.daemon.files = []
      let sent = watcher.daemon.sent.count
      watcher.daemon.advance(by: .seconds(600))
      #expect(watcher.daemon.sent.count == sent && watcher.daemon.reopened.isEmpty)
      #expect(watcher.provider.connection == .withoutReceiver)
      watcher.daemon.files = [Self.path]
      watcher.daemon.isPlugged = true
      watcher.daemon.advance(by: .seconds(2))
      #expect(watcher.daemon.sent.count > sent)
      #expect(watcher.daemon.dropped.isEmpty)
    }

    @Test("a receiver of another machine is requested regardless of this machine's files")
    func otherMachine() {
      let daemon = ScriptedDaemon()
      let provider = GPSDProvider(host: "192.0.2.1", system: daemon)
      daemon.provider = provider
      daemon.files = [Self.path]
      daemon.begin()
      provider.setMode(.gps)
      daemon.advance(by: .seconds(5))
      daemon.unplug()
      daemon.files = []
      let sent = daemon.sent.count
      daemon.advance(by: .seconds(20))
      #expect((1...5).contains(daemon.sent.count - sent))
    }

    @Test(
      "a receiver whose file is gone isn't closed, because gpsd would accept its name again", arguments: [false, true])
    func renamed(stopsAtOnce: Bool) {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.files = [Self.path]
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.files = ["/dev/ttyUSB1"]
      watcher.daemon.receivers = ["/dev/ttyUSB1"]
      watcher.daemon.say(#"{"class":"DEVICES","devices":[{"path":"/dev/ttyUSB1"}]}"#)
      watcher.daemon.advance(by: .seconds(5))
      if !stopsAtOnce {
        watcher.provider.setMode(.significantChanges)
        watcher.daemon.advance(by: .seconds(5))
        #expect(Set(watcher.daemon.controlled) == ["/dev/ttyUSB1"])
      }
      watcher.daemon.stop()
      #expect(Set(watcher.daemon.controlled) == ["/dev/ttyUSB1"])
    }

    @Test("a late answer of the control socket doesn't turn on a receiver that is no longer wanted")
    func lateAnswer() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = .dropped
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      for _ in 0..<1_000 where watcher.daemon.reopened.isEmpty { watcher.daemon.advance(by: .milliseconds(10)) }
      #expect(!watcher.daemon.reopened.isEmpty)
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.isPlugged = true
      watcher.daemon.advance(by: .seconds(1))
      #expect(!watcher.daemon.isWatched && watcher.provider.connection == .open)
    }

    @Test("after an absence of a minute, the fixes return within twelve seconds after another, short absence")
    func awayForLong() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = .unnoticed
      watcher.daemon.advance(by: .seconds(8))
      watcher.daemon.unplug()
      watcher.daemon.advance(by: .seconds(60))
      watcher.daemon.isPlugged = true
      let back = watcher.fixes.count
      for _ in 0..<100 where watcher.fixes.count < back + 2 { watcher.daemon.advance(by: .milliseconds(100)) }
      watcher.daemon.unplug()
      watcher.daemon.isPlugged = true
      let before = watcher.fixes.count
      watcher.daemon.advance(by: .seconds(12))
      #expect(watcher.fixes.count > before)
    }

    @Test("after a device file was forgotten, requests are as rare as for network sources")
    func listedNoMore() {
      let watcher = Watcher()
      watcher.daemon.files = [Self.path]
      watcher.daemon.advance(by: .seconds(3))
      // The list reaches the limit of receivers, so the file is forgotten.
      watcher.daemon.receivers = (1...GPSDReceivers.maximum).map { "tcp://192.0.2.1:\($0)" }
      let list = watcher.daemon.receivers.map { #"{"path":"\#($0)"}"# }.joined(separator: ",")
      watcher.daemon.say(#"{"class":"DEVICES","devices":[\#(list)]}"#)
      watcher.daemon.isPlugged = false
      let sent = watcher.daemon.sent.count
      watcher.daemon.advance(by: .seconds(60))
      #expect((1...10).contains(watcher.daemon.sent.count - sent), "\(watcher.daemon.sent.count - sent)")
    }

    @Test("a slow receiver isn't reopened repeatedly")
    func slow() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.period = .seconds(10)
      watcher.daemon.advance(by: .seconds(60))
      let before = watcher.daemon.reopened.count
      watcher.daemon.advance(by: .seconds(600))
      #expect(watcher.daemon.reopened.count == before)
      #expect(watcher.fixes.count > 50)
    }

    @Test("while gpsd detects a receiver's serial speed, the provider closes it at most four times in a minute")
    func speed() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.isPlugged = false
      watcher.daemon.advance(by: .seconds(8))
      #expect(!watcher.daemon.reopened.contains { $0.closing })
      watcher.daemon.advance(by: .seconds(60))
      #expect((2...4).contains(watcher.daemon.reopened.count { $0.closing }))
    }

    @Test(
      "a gpsd that has named no receiver is asked again, as it may find one without a report",
      arguments: [nil, "/run/gpsd.sock"])
    func neverNamed(_ controlSocket: String?) {
      let watcher = Watcher(controlSocket: controlSocket)
      watcher.daemon.receivers = []
      watcher.daemon.advance(by: .seconds(30))
      #expect(watcher.provider.connection == .withoutReceiver)
      watcher.daemon.receivers = [Self.path]
      watcher.daemon.advance(by: .seconds(60))
      #expect(watcher.provider.connection == .watching)
    }

    @Test("after the connection to gpsd was lost, the receiver is closed through the control socket")
    func lostConnection() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.kill()
      #expect(watcher.daemon.controlled.isEmpty)
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.daemon.controlled == [Self.path])
      #expect(watcher.provider.receiverOnTime < .seconds(7))
    }

    @Test("a receiver is closed at the end of a program that has just ended its watch")
    func endAfterUnwatch() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.advance(by: .seconds(5))
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.stop()
      #expect(watcher.daemon.controlled == [Self.path])
    }

    @Test("a receiver is closed at the end of a program whose watch gpsd hasn't answered yet")
    func endBeforeAnAnswer() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      for _ in 0..<1_000 where !watcher.daemon.isWatched { watcher.daemon.advance(by: .microseconds(100)) }
      #expect(watcher.daemon.isWatched, "the watch began within a tenth of a second")
      watcher.daemon.stop()
      #expect(watcher.daemon.controlled == [Self.path])
    }

    // MARK: - Earlier watches

    @Test(
      "an epoch that began before the watch ended isn't delivered in the next watch",
      arguments: [false, true])
    func pendingEpoch(_ isPlugged: Bool) {
      let watcher = Watcher()
      watcher.daemon.advance(by: .milliseconds(100))
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.isPlugged = isPlugged
      watcher.provider.setMode(.gps)
      watcher.daemon.advance(by: .milliseconds(900))
      #expect(watcher.fixes.count == (isPlugged ? 1 : 0))
    }

    @Test("after a lost connection, the receiver counts as on for another 60 s")
    func tailOfALostConnection() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(5))
      let watched = watcher.daemon.watchedFor
      watcher.daemon.kill()
      watcher.daemon.advance(by: .seconds(30))
      #expect(watcher.provider.receiverOnTime >= watched + .seconds(30))
      watcher.daemon.advance(by: .seconds(100))
      #expect(watcher.provider.receiverOnTime >= watched + .seconds(60))
      #expect(watcher.provider.receiverOnTime < watched + .seconds(61))
    }

    @Test("a new acquisition connects immediately, and resets the back-off")
    func newAcquisition() {
      let watcher = Watcher()
      watcher.daemon.manner = .refusing
      watcher.daemon.advance(by: .seconds(100))
      watcher.provider.setMode(.significantChanges)
      let before = watcher.daemon.connects.count
      watcher.provider.setMode(.gps)
      #expect(watcher.daemon.connects.count == before + 1)
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.daemon.connects.count == before + 2)
    }
  }
#endif

#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit

  @Suite("gpsd's receiver, unplugged and plugged in")
  struct GPSDUnpluggedTests {
    private static let path = "/dev/ttyUSB0"

    @Test(
      "with a control socket is back within five seconds, whatever gpsd made of it",
      arguments: ScriptedDaemon.Loss.allCases, [0.1, 2.4, 3, 60])
    func withControlSocket(_ loss: ScriptedDaemon.Loss, _ away: Double) {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = loss
      for _ in 0..<5 {
        watcher.daemon.advance(by: .seconds(8))
        watcher.daemon.unplug()
        watcher.daemon.advance(by: .seconds(away))
        watcher.daemon.isPlugged = true
        let before = watcher.fixes.count
        watcher.daemon.advance(by: .seconds(5))
        #expect(watcher.fixes.count > before)
      }
    }

    @Test("before the watch is given back to gpsd through the control socket")
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

    @Test("is asked for a bounded number of times")
    func askedSeldom() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.loss = .dropped
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      watcher.daemon.advance(by: .seconds(60))
      #expect((28...45).contains(watcher.daemon.reopened.count))
      watcher.daemon.advance(by: .seconds(3_600))
      #expect(watcher.daemon.reopened.count < 500)
      #expect(watcher.daemon.connects.count == 1, "gpsd answers, and only has no receiver")
    }

    @Test(
      "is not asked for while its file is away, and is as soon as the file is back", arguments: [nil, "/run/gpsd.sock"])
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

    @Test("on another machine is asked for whatever files there are on this one")
    func otherMachine() {
      let daemon = ScriptedDaemon()
      let provider = GPSDProvider(host: "192.0.2.1", system: daemon)
      daemon.provider = provider
      daemon.files = [Self.path]
      provider.take(.began)
      provider.setMode(.gps)
      daemon.advance(by: .seconds(5))
      daemon.unplug()
      daemon.files = []
      let sent = daemon.sent.count
      daemon.advance(by: .seconds(20))
      #expect((1...5).contains(daemon.sent.count - sent))
    }

    @Test("is not turned on by an answer of the control socket that comes when nobody wants it any more")
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

    @Test("that was away for long is missed as soon as another, if it is unplugged again")
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

    @Test("that gpsd has no more is not asked for as often as a file of this machine")
    func listedNoMore() {
      let watcher = Watcher()
      watcher.daemon.files = [Self.path]
      watcher.daemon.advance(by: .seconds(3))
      // The list fills the provider's memory of receivers, so the file is forgotten.
      watcher.daemon.receivers = (1...GPSDReceivers.maximum).map { "tcp://192.0.2.1:\($0)" }
      let list = watcher.daemon.receivers.map { #"{"path":"\#($0)"}"# }.joined(separator: ",")
      watcher.daemon.say(#"{"class":"DEVICES","devices":[\#(list)]}"#)
      watcher.daemon.isPlugged = false
      let sent = watcher.daemon.sent.count
      watcher.daemon.advance(by: .seconds(60))
      #expect((1...10).contains(watcher.daemon.sent.count - sent), "\(watcher.daemon.sent.count - sent)")
    }

    @Test("is not closed again and again where it only is slow")
    func slow() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.period = .seconds(10)
      watcher.daemon.advance(by: .seconds(60))
      let before = watcher.daemon.reopened.count
      watcher.daemon.advance(by: .seconds(600))
      #expect(watcher.daemon.reopened.count == before)
      #expect(watcher.fixes.count > 50)
    }

    @Test("is not closed while gpsd still looks for its speed, more often than ever more seldom")
    func speed() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.isPlugged = false
      watcher.daemon.advance(by: .seconds(8))
      #expect(!watcher.daemon.reopened.contains { $0.closing })
      watcher.daemon.advance(by: .seconds(60))
      #expect((2...4).contains(watcher.daemon.reopened.count { $0.closing }))
    }

    @Test("is closed through the control socket where the connection was lost while it was wanted")
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

    @Test("is closed at the end of a program too that has just stopped to want it")
    func endAfterUnwatch() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.advance(by: .seconds(5))
      watcher.provider.setMode(.significantChanges)
      watcher.provider.stop()
      #expect(watcher.daemon.controlled == [Self.path])
    }

    @Test("is closed at the end of a program too that has just begun to want it, and was not answered")
    func endBeforeAnAnswer() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      for _ in 0..<1_000 where !watcher.daemon.isWatched { watcher.daemon.advance(by: .microseconds(100)) }
      #expect(watcher.daemon.isWatched, "it was not watched within a tenth of a second")
      watcher.provider.stop()
      #expect(watcher.daemon.controlled == [Self.path])
    }

    // MARK: - What has gone before

    @Test(
      "a fix that was begun before the receiver was let go is not given after it is wanted again",
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

    @Test("a lost connection leaves the receiver on for 60 s, which are counted")
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

    @Test("a new acquisition tries at once, whatever failed before, and begins the back-off anew")
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

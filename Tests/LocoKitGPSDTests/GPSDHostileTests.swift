#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitGPSD
  @testable import TestSupport

  @Suite("Servers that aren't gpsd")
  struct GPSDHostileTests {
    @Test("at most 16 receivers are remembered, the listed ones first")
    func receivers() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.advance(by: .seconds(1))
      for number in 0..<10_000 { watcher.daemon.say(#"{"class":"DEVICE","path":"/dev/tty\#(number)"}"#) }
      watcher.daemon.say(#"{"class":"DEVICES","devices":[{"path":"/dev/last"}]}"#)
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.daemon.controlled.count == GPSDReceivers.maximum)
      #expect(watcher.daemon.controlled.contains("/dev/last"))
    }

    @Test(
      "a path that isn't a receiver's is never written to the control socket",
      arguments: [
        "/etc/shadow", "/dev/../etc/shadow", "/dev/sda", "/home/receiver", "receiver", "../../etc/shadow",
        "tcp://a/../../etc/shadow",
      ])
    func files(_ path: String) {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.otherFiles = ["/etc/shadow", "/dev/../etc/shadow", "/dev/sda"]
      watcher.daemon.receivers = ["/dev/ttyUSB0", path]
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      watcher.daemon.advance(by: .seconds(60))
      watcher.daemon.stop()
      #expect(Set(watcher.daemon.reopened.map(\.path)) == ["/dev/ttyUSB0"])
      #expect(Set(watcher.daemon.controlled) == ["/dev/ttyUSB0"])
    }

    @Test(
      "the control socket isn't used for a server that may run on another machine, which is logged once",
      arguments: [
        ("192.0.2.1", false), ("gps.example.com", false), ("127.example.com", false), ("", false), ("localhost", true),
        ("LocalHost", true), ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true),
      ])
    func elsewhere(_ host: String, _ isHere: Bool) {
      let watcher = Watcher(host: host, controlSocket: "/run/gpsd.sock")
      watcher.daemon.receivers = ["/dev/ttyUSB0", "tcp://192.0.2.1:1234"]
      watcher.daemon.advance(by: .seconds(5))
      watcher.daemon.unplug()
      watcher.daemon.advance(by: .seconds(60))
      watcher.daemon.stop()
      #expect(watcher.daemon.reopened.isEmpty != isHere && watcher.daemon.controlled.isEmpty != isHere)
      #expect(watcher.log.count { $0.contains("/run/gpsd.sock is not used") } == (isHere ? 0 : 1))
    }

    @Test("repeated greetings don't repeat the request for receivers")
    func greetings() {
      let watcher = Watcher()
      watcher.daemon.manner = .silent
      watcher.daemon.advance(by: .milliseconds(10))
      for _ in 0..<100 {
        watcher.daemon.say(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#)
      }
      #expect(watcher.daemon.sent == ["?DEVICES;\n"])
    }

    @Test("the provider reconnects less and less often to a server that greets and closes")
    func closing() {
      let watcher = Watcher()
      watcher.daemon.manner = .closing
      watcher.daemon.advance(by: .seconds(60))
      #expect((3...8).contains(watcher.daemon.connects.count))
    }

    @Test("the provider reconnects soon to a server that restarts repeatedly, if each connection delivers a fix")
    func restarting() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(2))
      for restart in 1...12 {
        watcher.daemon.kill()
        watcher.daemon.manner = .well
        let before = watcher.fixes.count
        watcher.daemon.advance(by: .seconds(2))
        #expect(watcher.fixes.count > before, "restart \(restart)")
      }
    }

    @Test("the provider reconnects soon after a connection that lasted ten seconds")
    func usefulConnection() {
      let watcher = Watcher()
      watcher.daemon.manner = .closing
      watcher.daemon.advance(by: .seconds(60))
      watcher.daemon.manner = .well
      watcher.daemon.advance(by: .seconds(60))
      let before = watcher.daemon.connects.count
      watcher.daemon.kill()
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.daemon.connects.count == before + 1)
    }

    @Test("each minute's omitted lines are announced at the next minute's first line")
    func omissions() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(1))
      let before = watcher.log.count
      for minute in 1...3 {
        for _ in 0..<100 { watcher.daemon.say("junk") }
        watcher.daemon.advance(by: .seconds(61))
        watcher.daemon.say("junk")
        let announced = watcher.log.compactMap { $0.wholeMatch(of: /(\d+) more lines about gpsd were not logged/) }
        #expect(announced.count == minute)
        let logged = watcher.log.count - before - announced.count
        #expect(logged + announced.reduce(0) { $0 + (Int($1.1) ?? 0) } == minute * 101, "minute \(minute)")
        watcher.daemon.advance(by: .seconds(61))
      }
    }

    @Test("junk doesn't fill the log, and the number of omitted lines is logged")
    func junk() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(1))
      for _ in 0..<10_000 { watcher.daemon.say("junk") }
      for _ in 0..<10_000 { watcher.daemon.say(#"{"class":"ERROR","message":"no"}"#) }
      for _ in 0..<10_000 {
        watcher.daemon.say(#"{"class":"DEVICES","devices":[]}"#)
        watcher.daemon.say(#"{"class":"DEVICES","devices":[{"path":"/dev/a"}]}"#)
      }
      #expect(watcher.log.count <= 40)
      watcher.daemon.kill()
      #expect(watcher.log.last == "19990 more lines about gpsd were not logged")
      let logged = watcher.log.count
      watcher.daemon.manner = .well
      watcher.daemon.advance(by: .seconds(61))
      watcher.daemon.say("junk")
      #expect(watcher.log.count > logged, "the limit is reset after a minute")
    }

    @Test("control and format characters that a server sends are escaped in the log")
    func controlCharacters() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(1))
      watcher.daemon.say(#"{"class":"ERROR","message":"\u001b[2J\u0007\r\n\u202Egpsd\u0085\u2028 \u00e9"}"#)
      watcher.daemon.say(#"{"class":"\u001b[2J","release":"\u001b[2J","proto_major":"\u001b[2J"}"#)
      watcher.daemon.say(#"{"class":"DEVICE","path":"\u001b[2J"}"#)
      watcher.daemon.say(#"{"class":"VERSION","release":"\u001b[2J","proto_major":4,"proto_minor":0}"#)
      #expect(
        watcher.log.contains(#"gpsd does not understand: \u{1B}[2J\u{07}\r\n\u{202E}gpsd\u{0085}\u{2028} é"#),
        "\(watcher.log)")
      for scalar in (watcher.log + ["\(watcher.provider.connection)"]).joined().unicodeScalars {
        #expect(scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
      }
    }
  }
#endif

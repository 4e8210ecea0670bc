#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit

  @Suite("Servers that are no gpsd")
  struct GPSDHostileTests {
    @Test("that name ever new receivers are believed sixteen, those that they list first")
    func receivers() {
      let watcher = Watcher(controlSocket: "/run/gpsd.sock")
      watcher.daemon.advance(by: .seconds(1))
      for number in 0..<10_000 { watcher.daemon.say(#"{"class":"DEVICE","path":"/dev/tty\#(number)"}"#) }
      watcher.daemon.say(#"{"class":"DEVICES","devices":[{"path":"/dev/last"}]}"#)
      watcher.provider.setMode(.significantChanges)
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.daemon.controlled.count == GPSDCore.maximumReceivers)
      #expect(watcher.daemon.controlled.contains("/dev/last"))
    }

    @Test("that greet and close are connected to ever more seldom")
    func closing() {
      let watcher = Watcher()
      watcher.daemon.manner = .closing
      watcher.daemon.advance(by: .seconds(60))
      #expect((3...8).contains(watcher.daemon.connects.count))
    }

    @Test("a connection that has stood for ten seconds is soon made again")
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

    @Test("that send junk fill no log, which says how much there was")
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
      #expect(watcher.log.count > logged, "a minute later there is room again")
    }

    @Test("that write escapes and control characters write them into no log")
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

#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @_spi(Benchmarks) @testable import LocoKit
  @_spi(Benchmarks) @testable import LocoKitGPSD
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  @Suite("The receivers behind gpsd, and what their fixes lack")
  struct GPSDSourceTests {
    // MARK: - Several receivers

    private func latitudes(_ fixes: some Sequence<Location>) -> Set<Int> {
      Set(fixes.map { Int((($0.latitude - 34) * 111_195).rounded()) })
    }

    @Test("Of two receivers at rest, 40 m apart, only one's fixes are used, and the log names it")
    func twoReceivers() {
      let watcher = Watcher()
      watcher.daemon.others = [("/dev/ttyACM0", 40, 15)]
      watcher.daemon.advance(by: .seconds(120))
      #expect(watcher.fixes.count > 100 && latitudes(watcher.fixes) == [0])
      #expect(watcher.log.filter { $0.contains("fixes of") } == ["the fixes of /dev/ttyUSB0 are used"])
    }

    @Test("A receiver that is clearly better for ten seconds, or alone has positions for ten seconds, is used")
    func betterReceiver() {
      let watcher = Watcher()
      watcher.daemon.others = [("/dev/ttyACM0", 40, 8)]
      watcher.daemon.advance(by: .seconds(10))
      #expect(latitudes(watcher.fixes) == [0])
      watcher.daemon.advance(by: .seconds(3))
      #expect(latitudes(watcher.fixes.suffix(1)) == [40])
      // The better receiver loses its fix. Its failures count until the other receiver is used.
      watcher.daemon.others = [("/dev/ttyACM0", 40, nil)]
      let count = watcher.fixes.count
      watcher.daemon.advance(by: .seconds(9))
      #expect(watcher.fixes.count <= count + 1)
      watcher.daemon.advance(by: .seconds(4))
      #expect(watcher.fixes.count > count + 1 && latitudes(watcher.fixes.suffix(1)) == [0])
      #expect(
        watcher.log.filter { $0.contains("fixes of") } == [
          "the fixes of /dev/ttyUSB0 are used", "the fixes of /dev/ttyACM0 are used",
          "the fixes of /dev/ttyUSB0 are used",
        ])
    }

    @Test("A receiver without a fix doesn't fail an acquisition while the followed one has fixes")
    func otherWithoutFix() {
      var failures = 0
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(3))
      watcher.daemon.others = [("/dev/ttyACM0", 0, nil)]
      let next = watcher.provider.onReport
      watcher.provider.onReport = ProviderReport.Handler {
        if case .failure = $0 { failures += 1 }
        next?($0)
      }
      watcher.daemon.advance(by: .seconds(20))
      #expect(failures == 0 && watcher.fixes.count >= 20)
      watcher.daemon.error = nil
      watcher.daemon.advance(by: .seconds(3))
      #expect(failures >= 3)
    }

    @Test("The choice of a receiver lasts across watches, if the receiver still has positions")
    func acrossWatches() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(5))
      watcher.provider.setMode(.off)
      watcher.daemon.advance(by: .seconds(600))
      // The other receiver is the first to report after the pause.
      watcher.daemon.receivers = ["/dev/ttyACM0"]
      watcher.daemon.north = 40
      watcher.daemon.others = [("/dev/ttyUSB0", 0, 17)]
      watcher.provider.setMode(.gps)
      watcher.daemon.advance(by: .seconds(60))
      #expect(latitudes(watcher.fixes) == [0])
    }

    @Test("Fixes of two receivers are never mixed: a change has a reason of ten seconds", arguments: 0..<4)
    func neverMixed(part: Int) async {
      await Seeds.play(Seeds.part(part, of: 4, runs: 200)) { Self.broken($0) }
    }

    /// Receivers with positions, without, silent, and with errors that change slowly.
    private static func broken(_ seed: UInt64) -> [String] {
      var generator = SeededGenerator(seed: seed)
      var source = GPSDSource()
      let names = ["a", "b", "c"]
      var isFixed = [true, Bool.random(using: &generator), true]
      var isSilent = [false, false, Bool.random(using: &generator)]
      var errors = names.map { _ in Double.random(in: 5...40, using: &generator) }
      /// Each receiver's fixes with a position: the time, the error, and whether the fix was used.
      var history: [(device: Int, time: Double, error: Double, isUsed: Bool)] = []
      for tenth in 0..<1_200 where tenth % 5 == 0 {
        let time = Double(tenth) / 10
        for index in names.indices.shuffled(using: &generator) {
          if Int.random(in: 0..<60, using: &generator) == 0 { isFixed[index].toggle() }
          if Int.random(in: 0..<80, using: &generator) == 0 { isSilent[index].toggle() }
          if Int.random(in: 0..<60, using: &generator) == 0 {
            errors[index] = Double.random(in: 5...40, using: &generator)
          }
          guard !isSilent[index] else { continue }
          let fix = GPSDReport.Fix(
            device: names[index], mode: isFixed[index] ? .threeDimensional : .none, latitude: 34, longitude: -118,
            horizontalError: errors[index])
          let isUsed = source.follows(fix, at: .seconds(time))
          if isFixed[index] { history.append((index, time, errors[index], isUsed)) }
        }
      }
      let used = history.filter(\.isUsed)
      if used.isEmpty { return ["no fix is used"] }
      for (last, next) in zip(used, used.dropFirst()) where last.device != next.device {
        let isLost = next.time - last.time >= 10
        let rivals = history.filter { $0.device == next.device && $0.time > next.time - 10.6 && $0.time <= next.time }
        let isBetter = rivals.allSatisfy { rival in
          let followed = history.last { $0.device == last.device && $0.time <= rival.time }
          return rival.error * 3 < (followed?.error ?? .infinity) * 2 + 1e-9 || rival.time < next.time - 10
        }
        if !isLost, !isBetter {
          return ["at \(next.time) s, \(names[next.device]) replaces \(names[last.device]) without a reason"]
        }
      }
      // A receiver that nothing replaces is used in full, and a loss of ten seconds leads to another receiver.
      for fix in history where !fix.isUsed {
        let lastUsed = used.last { $0.time <= fix.time }
        if let lastUsed, lastUsed.device == fix.device,
          !used.contains(where: { $0.time > lastUsed.time && $0.time <= fix.time })
        {
          return ["at \(fix.time) s, a fix of the followed receiver isn't used"]
        }
        if let lastUsed, fix.time - lastUsed.time >= 10 {
          return ["at \(fix.time) s, a fix isn't used after ten seconds without one"]
        }
      }
      return []
    }

    // MARK: - What fixes lack

    @Test(
      "A receiver without times is used after three seconds, at the times of arrival, and the log says which sentence is missing"
    )
    func withoutTime() {
      let watcher = Watcher()
      watcher.daemon.omitted = ["time"]
      watcher.daemon.advance(by: .seconds(3))
      #expect(watcher.fixes.isEmpty)
      watcher.daemon.advance(by: .seconds(27))
      #expect(watcher.fixes.count >= 25)
      let ages = watcher.fixes.map { Date(timeIntervalSince1970: 1_795_244_400 + 30).timeIntervalSince($0.timestamp) }
      #expect(ages.allSatisfy { (0...27.1).contains($0) } && ages == ages.sorted(by: >))
      #expect(watcher.log.filter { $0.contains("RMC or ZDA") }.count == 1)
      // The next watch knows the receiver.
      let count = watcher.fixes.count
      watcher.provider.setMode(.off)
      watcher.daemon.advance(by: .seconds(100))
      watcher.provider.setMode(.gps)
      watcher.daemon.advance(by: .seconds(2.5))
      #expect(watcher.fixes.count > count)
      #expect(watcher.log.filter { $0.contains("RMC or ZDA") }.count == 1)
    }

    @Test("Several reports without a time in a quarter of a second are one fix")
    func withoutTimeInParts() {
      let watcher = Watcher()
      watcher.daemon.omitted = ["time"]
      watcher.daemon.advance(by: .seconds(5))
      let count = watcher.fixes.count
      watcher.daemon.advance(by: .milliseconds(600))
      for speed in [nil, 3.5] {
        watcher.daemon.say(
          #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"lat":34,"lon":-118,"eph":9\#(speed.map { ",\"speed\":\($0)" } ?? "")}"#
        )
        watcher.daemon.advance(by: .milliseconds(20))
      }
      watcher.daemon.isPlugged = false
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.fixes.dropFirst(count).filter { $0.speed == 3.5 }.count == 1)
    }

    @Test(
      "A receiver that lacks a coordinate is logged after ten seconds, once, and doesn't delay another receiver",
      arguments: ["", #""lat":34,"#, #""lon":-118,"#])
    func withoutPosition(_ rest: String) {
      for hasOther in [false, true] {
        let watcher = Watcher()
        watcher.daemon.isPlugged = false
        watcher.daemon.advance(by: .seconds(1))
        for second in 0..<30 {
          watcher.daemon.say(
            #"{"class":"TPV","device":"/dev/compass","mode":3,"time":"\#(watcher.time)",\#(rest)"eph":1}"#)
          if hasOther, second >= 5 {
            watcher.daemon.say(
              #"{"class":"TPV","device":"/dev/other","mode":3,"time":"\#(watcher.time)","lat":34,"lon":-118,"eph":17.3}"#
            )
          }
          watcher.daemon.advance(by: .seconds(1))
          let isLogged = watcher.log.contains { $0.contains("/dev/compass has a fix, but sends no position") }
          #expect(isLogged == (!hasOther && second >= 10), "\(second)")
        }
        #expect(watcher.fixes.count == (hasOther ? 25 : 0))
        #expect(watcher.log.filter { $0.contains("sends no position") }.count == (hasOther ? 0 : 1))
      }
    }

    @Test("Single reports without coordinates in looks that are an hour apart aren't logged")
    func withoutPositionOnce() {
      let watcher = Watcher()
      watcher.daemon.isPlugged = false
      for _ in 0..<3 {
        watcher.provider.setMode(.gps)
        watcher.daemon.advance(by: .seconds(1))
        watcher.daemon.say(#"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(watcher.time)","eph":9}"#)
        watcher.daemon.advance(by: .seconds(1))
        watcher.provider.setMode(.off)
        watcher.daemon.advance(by: .seconds(3_600))
      }
      #expect(!watcher.log.contains { $0.contains("sends no position") }, "\(watcher.log)")
    }

    @Test("Only a receiver that knows its position without a break, and sends no coordinates itself, is logged")
    func withoutPositionBetween() {
      /// Reports each second: the receiver and its mode.
      func log(_ reports: [[(device: String, mode: Int)]]) -> [String] {
        let watcher = Watcher()
        watcher.daemon.isPlugged = false
        watcher.daemon.advance(by: .seconds(1))
        for reports in reports {
          for report in reports {
            watcher.daemon.say(
              #"{"class":"TPV","device":"\#(report.device)","mode":\#(report.mode),"time":"\#(watcher.time)","eph":9}"#)
          }
          watcher.daemon.advance(by: .seconds(1))
        }
        return watcher.log.filter { $0.contains("sends no position") }
      }
      // Another receiver that looks for its position changes nothing.
      #expect(log(Array(repeating: [("compass", 3), ("receiver", 1)], count: 12)).count == 1)
      // The receiver lost its position in between.
      #expect(log((0..<15).map { [("compass", $0 == 7 ? 1 : 3)] }).isEmpty)
      // The other receiver's first report is as late.
      #expect(log((0..<12).map { $0 < 9 ? [("compass", 3)] : $0 == 11 ? [("receiver", 3)] : [] }).isEmpty)
    }

    @Test("A report without coordinates is part of its epoch")
    func partOfAnEpoch() {
      let watcher = Watcher()
      watcher.daemon.isPlugged = false
      watcher.daemon.advance(by: .seconds(1))
      for second in 0..<3 {
        let common = #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(watcher.time)""#
        watcher.daemon.say(common + #","lat":34,"lon":-118,"eph":9}"#)
        watcher.daemon.say(common + #","speed":\#(second)}"#)
        watcher.daemon.advance(by: .seconds(1))
      }
      #expect(watcher.fixes.map(\.speed) == [0, 1, 2])
    }

    @Test("A speed beyond any vehicle's is unknown", arguments: [(400.0, 400.0), (400.1, nil), (1e300, nil)])
    func absurdSpeed(_ speed: Double, _ expected: Double?) {
      let watcher = Watcher()
      watcher.daemon.isPlugged = false
      watcher.daemon.advance(by: .seconds(1))
      watcher.daemon.say(
        #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(watcher.time)","lat":34,"lon":-118,"eph":9,"speed":\#(speed)}"#
      )
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.fixes.last.map(\.speed) == .some(expected))
    }

    @Test("Positions before the receiver knows the date aren't used, because times follow")
    func dateFollows() {
      let watcher = Watcher()
      watcher.daemon.omitted = ["time"]
      watcher.daemon.advance(by: .seconds(2))
      watcher.daemon.omitted = []
      watcher.daemon.advance(by: .seconds(2))
      watcher.daemon.omitted = ["time"]
      watcher.daemon.advance(by: .seconds(2))
      #expect(watcher.fixes.count == 2 && !watcher.log.contains { $0.contains("RMC") })
    }

    @Test("A receiver without accuracies is rejected, and the log says once which sentence is missing")
    func withoutAccuracy() {
      let tracker = Tracker()
      var log: [String] = []
      tracker.provider.log = { log.append($0) }
      tracker.daemon.omitted = ["eph"]
      tracker.start()
      tracker.daemon.advance(by: .seconds(4))
      // gpsd may report a few positions before the sentence with the accuracy.
      #expect(!log.contains { $0.contains("GGA or GSA") })
      tracker.daemon.advance(by: .seconds(30))
      #expect(Set(tracker.recorder.rejections) == [.invalidAccuracy])
      #expect(log.filter { $0.contains("/dev/ttyUSB0") && $0.contains("GGA or GSA") }.count == 1)
    }

    @Test("Inaccurate positions that aren't in a row aren't logged")
    func sometimesWithoutAccuracy() {
      let tracker = Tracker()
      var log: [String] = []
      tracker.provider.log = { log.append($0) }
      tracker.start()
      for _ in 0..<8 {
        tracker.manager.forceAcquireLocation()
        tracker.daemon.omitted = ["eph"]
        tracker.daemon.advance(by: .seconds(3))
        tracker.daemon.omitted = []
        tracker.daemon.advance(by: .seconds(20))
      }
      #expect(!log.contains { $0.contains("GGA or GSA") }, "\(log)")
    }

    @Test(
      "A clock that differs from the receiver's is logged once; with usesReceiverTime, the receiver's time replaces it",
      arguments: [-5e7, -2, 31, 5e7])
    func clocks(_ age: TimeInterval) {
      for usesReceiverTime in [false, true] {
        let tracker = Tracker(usesReceiverTime: usesReceiverTime)
        var log: [String] = []
        tracker.provider.log = { log.append($0) }
        tracker.daemon.age = age
        tracker.start()
        tracker.daemon.advance(by: .seconds(10))
        let line = log.filter { $0.contains("differs from this machine's clock") }
        #expect(line.count == 1 && line[0].contains(usesReceiverTime ? "and is used" : "are rejected"))
        // Only after five seconds is it certain that the machine's clock is wrong.
        #expect(Set(tracker.recorder.rejections) == [age < 0 ? .futureDated : .stale])
        #expect(tracker.recorder.locations.count == (usesReceiverTime ? 1 : 0))
        let difference = tracker.provider.date.timeIntervalSince(tracker.daemon.date)
        #expect(abs(difference - (usesReceiverTime ? -age : 0)) < 0.01)
        // A small difference is no reason to change the clock.
        tracker.daemon.age = age + 0.5
        tracker.manager.forceAcquireLocation()
        tracker.daemon.advance(by: .seconds(3))
        #expect(tracker.provider.date.timeIntervalSince(tracker.daemon.date) == difference)
      }
    }

    @Test("A receiver that had old leap seconds moves the time, and moves it back when it has new ones")
    func leapSeconds() {
      let watcher = Watcher(usesReceiverTime: true)
      for (age, offset) in [(-18.0, 18.0), (0, 0), (2, 0)] {
        watcher.daemon.age = age
        watcher.daemon.advance(by: .seconds(8))
        #expect(abs(watcher.provider.date.timeIntervalSince(watcher.daemon.date) - offset) < 0.01, "\(age)")
      }
    }

    @Test("The time of a receiver with a fix every two seconds replaces the machine's")
    func slowClock() {
      let watcher = Watcher(usesReceiverTime: true)
      (watcher.daemon.period, watcher.daemon.age) = (.seconds(2), 5_000)
      watcher.daemon.advance(by: .seconds(20))
      #expect(abs(watcher.provider.date.timeIntervalSince(watcher.daemon.date) + 5_000) < 1)
    }

    @Test("The receiver's time replaces the machine's again after a further change of either")
    func clocksAgain() {
      let watcher = Watcher(usesReceiverTime: true)
      for age in [5_000.0, 9_000, -9_000, 0] {
        watcher.daemon.age = age
        watcher.daemon.advance(by: .seconds(8))
        #expect(abs(watcher.provider.date.timeIntervalSince(watcher.daemon.date) + age) < 1)
      }
    }

    @Test(
      "Fixes that waited in the connection are stale, and don't change or accuse a clock", arguments: [false, true])
    func lateFixes(_ usesReceiverTime: Bool) {
      let watcher = Watcher(usesReceiverTime: usesReceiverTime)
      watcher.daemon.advance(by: .seconds(5))
      let known = watcher.fixes.count
      for age in stride(from: 40.0, to: 0, by: -1) {
        watcher.daemon.age = age
        watcher.daemon.fix()
      }
      watcher.daemon.age = 0
      watcher.daemon.advance(by: .seconds(10))
      #expect(watcher.provider.date == watcher.daemon.date && watcher.log.allSatisfy { !$0.contains("clock") })
      #expect(watcher.fixes.count > known)
    }

    @Test("A receiver whose first date is wrong in each look doesn't change the clock")
    func wrongFirstDate() {
      let watcher = Watcher(usesReceiverTime: true)
      for _ in 0..<3 {
        watcher.daemon.age = -6e8
        watcher.provider.setMode(.gps)
        watcher.daemon.advance(by: .seconds(2))
        watcher.provider.setMode(.off)
        watcher.daemon.advance(by: .seconds(100))
      }
      #expect(watcher.provider.date == watcher.daemon.date)
    }

    @Test("Fixes that catch up for ten seconds don't change the clock")
    func catchingUp() {
      let watcher = Watcher(usesReceiverTime: true)
      watcher.daemon.advance(by: .seconds(3))
      for age in stride(from: 62.0, to: 30, by: -3) {
        watcher.daemon.age = age
        watcher.daemon.advance(by: .seconds(1))
        #expect(watcher.provider.date == watcher.daemon.date)
      }
    }

    @Test(
      "Two late fixes, or two with a wrong date, with a right fix between them don't change the clock",
      arguments: [40.0, -6e8])
    func wrongTwice(_ wrong: Double) {
      let watcher = Watcher(usesReceiverTime: true)
      for age in [wrong, 0, wrong, 0] {
        watcher.daemon.age = age
        watcher.daemon.advance(by: .seconds(4))
        #expect(watcher.provider.date == watcher.daemon.date)
      }
    }

    @Test(
      "The errors of a receiver whose driver passes its own estimates aren't converted, in each report that names the driver"
    )
    func ownErrors() {
      let watcher = Watcher()
      func accuracy(after line: String? = nil) -> Double? {
        if let line { watcher.daemon.say(line) }
        watcher.daemon.advance(by: .seconds(3))
        return watcher.fixes.last?.horizontalAccuracy
      }
      #expect(accuracy() == 10)
      #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","native":1}"#) == 17.3)
      // gpsd lists the receiver without a driver until it recognizes it again.
      #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB0"}"#) == 17.3)
      #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"NMEA0183"}"#) == 10)
      // The receiver was switched to NMEA, or gpsd doesn't say.
      for native in [#","native":0"#, ""] {
        #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","native":1}"#) == 17.3)
        #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox"\#(native)}"#) == 10)
      }
      #expect(accuracy(after: #"{"class":"DEVICE","path":"/dev/ttyUSB1","driver":"u-blox","native":1}"#) == 10)
      let both =
        #"{"class":"DEVICES","devices":[{"path":"/dev/ttyUSB0","driver":"u-blox","native":1},{"path":"/dev/ttyUSB1","driver":"SiRF"}]}"#
      #expect(accuracy(after: both) == 17.3)
    }

    @Test("The clocks of a sound receiver are never logged or changed", arguments: [-1.0, 0, 29])
    func equalClocks(_ age: TimeInterval) {
      let watcher = Watcher(usesReceiverTime: true)
      watcher.daemon.age = age
      watcher.daemon.advance(by: .seconds(10))
      #expect(watcher.provider.date == watcher.daemon.date && watcher.log.allSatisfy { !$0.contains("clock") })
    }

    @Test("gpsd's status marks simulated and estimated locations", arguments: [nil, 1, 2, 5, 6, 8])
    func status(_ status: Int?) {
      let watcher = Watcher()
      watcher.daemon.status = status
      watcher.daemon.advance(by: .seconds(5))
      #expect(watcher.fixes.count >= 3)
      #expect(watcher.fixes.allSatisfy { $0.isEstimated == (status == 5) && $0.isSimulatedBySoftware == (status == 8) })
    }

    @Test("The error estimates of another receiver aren't used")
    func noise() {
      let watcher = Watcher()
      watcher.daemon.advance(by: .seconds(2))
      let time = watcher.time
      for device in ["/dev/ttyUSB0", "/dev/ttyACM0"] {
        watcher.daemon.say(
          #"{"class":"GST","device":"\#(device)","time":"\#(time)","lat":\#(device.hasSuffix("0") && device.contains("USB") ? 3 : 30),"lon":4}"#
        )
      }
      watcher.daemon.say(
        #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"\#(time)","lat":34,"lon":-118,"eph":17.3}"#)
      watcher.daemon.advance(by: .seconds(1))
      #expect(watcher.fixes.contains { $0.horizontalAccuracy == 5 })
    }
  }
#endif

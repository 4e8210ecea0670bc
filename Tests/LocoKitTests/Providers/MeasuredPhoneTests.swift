#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit

  /// Measurements of phones on real outings, beside those of the simulated phone with the same speeds.
  @Suite("The simulated phone and the measured one")
  struct MeasuredPhoneTests {
    static let outings = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../shared/mobilitynet/develop").standardized
    static let isThere = FileManager.default.fileExists(atPath: outings.path)

    /// A fix of a phone that wanted 100 m, while the truth was known and the phone moved.
    struct Fix {
      let time: Double
      let accuracy: Double
      let error: Double
      let speed: Double
      /// Seconds since the fix before; `nil` where that isn't of the same way.
      let interval: Double?
    }

    @Test(
      "have coarse fixes on the way that come as often, claim as much, and are as far off, within a quarter",
      .enabled(if: isThere, "the recorded outings are not at hand"))
    func coarseFixes() throws {
      let fixes = try FileManager.default.contentsOfDirectory(at: Self.outings, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "gz" }.sorted { $0.path < $1.path }.flatMap(Self.fixes)
      try #require(fixes.count > 5_000)
      var simulated: [Fix] = []
      for seed in 1...5 as ClosedRange<UInt64> {
        var locator = CoarseLocator(seed: seed)
        var time = 0.0
        for fix in fixes {
          let interval = locator.wait(standingFor: 0)
          time += interval
          let drawn = locator.fix(at: time, speed: fix.speed, hasData: true)
          let error = (drawn.error.north * drawn.error.north + drawn.error.east * drawn.error.east).squareRoot()
          simulated.append(
            Fix(time: time, accuracy: drawn.accuracy, error: error, speed: fix.speed, interval: interval))
        }
      }
      // Claims come in steps, so that their shares say more than quantiles.
      for limit in [66.0, 170, 500] {
        let (measured, modelled) = (Self.share(of: fixes, upTo: limit), Self.share(of: simulated, upTo: limit))
        print("claims up to \(limit) m: measured \(measured), simulated \(modelled)")
        #expect(abs(measured - modelled) < 0.07, "\(limit) m")
      }
      for (name, value) in [
        ("interval, s", { $0.interval }),
        ("error of those that claim 100 m at most, m", { $0.accuracy <= 100 ? $0.error : nil }),
      ] as [(String, (Fix) -> Double?)] {
        let (real, made) = (fixes.compactMap(value).sorted(), simulated.compactMap(value).sorted())
        for share in [10, 50, 75, 90] {
          let (measured, modelled) = (real[real.count * share / 100], made[made.count * share / 100])
          print("\(name), \(share) %: measured \(measured), simulated \(modelled)")
          #expect(
            (measured * 0.75...measured * 1.25).contains(modelled), "\(name), \(share) %: \(modelled), \(measured)")
        }
      }
    }

    private static func share(of fixes: [Fix], upTo limit: Double) -> Double {
      Double(fixes.count { $0.accuracy <= limit }) / Double(fixes.count)
    }

    /// The fixes of an outing's phones that wanted 100 m and had a data connection.
    private static func fixes(of file: URL) throws -> [Fix] {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["gzip", "-dc", file.path]
      process.standardOutput = pipe
      try process.run()
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      var (phones, truth) = (Set<Substring>(), [(time: Double, place: Location)]())
      var (lines, fixes) = ([[Substring]](), [Fix]())
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        switch fields[0] {
        case "P" where fields[3] == "100m" && fields[4] != "30" && !line.contains("no-data-connection"):
          phones.insert(fields[1])
        case "R": truth.append((number(fields[1]), place(fields[2], fields[3])))
        case "F": lines.append(fields)
        default: break
        }
      }
      var last: (phone: Substring, time: Double)?
      for fields in lines where phones.contains(fields[1]) {
        let time = number(fields[3])
        let after = truth.partitioningIndex { $0.time > time }
        guard after >= 4, after + 3 < truth.count, truth[after + 3].time - truth[after - 4].time < 8 else {
          last = nil
          continue
        }
        let speed = truth[after - 4].place.distance(to: truth[after + 3].place) / 7
        guard speed > 1 else { continue }
        let wait = last.flatMap { $0.phone == fields[1] ? time - $0.time : nil }
        // Two within a second are one that was delivered twice.
        if wait ?? 1 >= 1 || wait ?? 1 < 0 {
          let near = truth[after - 1].time + 0.5 < time ? truth[after] : truth[after - 1]
          fixes.append(
            Fix(
              time: time, accuracy: number(fields[6]), error: near.place.distance(to: place(fields[4], fields[5])),
              speed: speed, interval: wait.flatMap { $0 >= 1 && $0 < 120 ? $0 : nil }))
        }
        last = (fields[1], time)
      }
      return fixes
    }

    private static func number(_ field: Substring) -> Double { Double(field) ?? .nan }

    private static func place(_ latitude: Substring, _ longitude: Substring) -> Location {
      Location(
        latitude: number(latitude), longitude: number(longitude), horizontalAccuracy: 0, timestamp: .distantPast)
    }
  }

  extension [(time: Double, place: Location)] {
    /// The least index whose element and all later elements are as wanted.
    fileprivate func partitioningIndex(_ isWanted: (Element) -> Bool) -> Int {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if isWanted(self[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }
#endif

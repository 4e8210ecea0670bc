#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  @Suite("The comparison")
  struct CompareTests {
    private func report(_ arguments: [String]) throws -> [String: Any] {
      let demo = try Demo(list: ["compare", "--json"] + arguments)
      #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
      return try #require(try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any])
    }

    private func policies(_ arguments: [String]) throws -> [[String: Any]] {
      try #require(try report(arguments)["policies"] as? [[String: Any]])
    }

    /// Writes a track, a straight line at 15 m/s for 299 s, and returns the path of its file. Most tests use this track, because
    /// a comparison on the built-in route takes many seconds.
    static func track() throws -> String {
      let points = (0..<300).map {
        let time = String(format: "2026-01-01T00:%02d:%02dZ", $0 / 60, $0 % 60)
        return "<trkpt lat=\"\(34 + Double($0) * 15 / 111_000)\" lon=\"-118\"><time>\(time)</time></trkpt>"
      }
      return try Demo.temporaryFile("a.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
    }

    @Test("--json prints the assumptions and a row with every key for each policy")
    func json() throws {
      let report = try report([
        "--seeds", "2", "--seed", "7", "--within", "400", "--within", "300", "--gpx", try Self.track(),
      ])
      #expect(Set(report.keys) == ["assumptions", "durationSeconds", "policies", "seeds", "tracks"])
      #expect(report["durationSeconds"] as? Int == 299 && report["seeds"] as? [Int] == [7, 8])
      #expect(report["tracks"] as? [String] == ["a.gpx"])
      #expect((report["assumptions"] as? [String: Any])?["hotStartSeconds"] as? Double == 4)
      let rows = try #require(report["policies"] as? [[String: Any]])
      let keys: Set = [
        "boundMeters", "coverage", "dwellGPSOnShare", "dwellSeconds", "estimateP95ErrorMeters", "gpsOnShare",
        "keptRunningShare", "medianErrorUnderWayMeters", "milliwatts", "percentPerHour", "percentPerHour13ProMax",
        "p95ErrorUnderWayMeters", "withinBoundShare", "policy", "phone", "isForEstimate", "startsPerHour",
        "timesOracle", "wakesPerHour",
      ]
      for row in rows { #expect(Set(row.keys) == keys) }
      #expect(rows.count == 4 + 2 * (Phone.allCases.count + 1) + 2)
      #expect(rows.compactMap { $0["boundMeters"] as? Double }.filter { $0 == 400 }.count == 8)
    }

    @Test("A bound of 500 m causes smaller errors than a look every minute, and more GPS time than the least possible")
    func order() throws {
      let report = try report(["--seeds", isLong ? "2" : "1", "--within", "500"])
      #expect(report["tracks"] as? [String] == ["freeway"] && report["durationSeconds"] as? Int == 1_800)
      let rows = try #require(report["policies"] as? [[String: Any]])
      func row(_ name: String) throws -> [String: Any] {
        try #require(rows.first { $0["policy"] as? String == name }, "\(name)")
      }
      func value(_ name: String, _ key: String) throws -> Double {
        try #require(try row(name)[key] as? Double, "\(name), \(key)")
      }
      #expect(try value("within 500 m", "p95ErrorUnderWayMeters") < value("every 60 s", "p95ErrorUnderWayMeters"))
      #expect(try value("every 60 s", "p95ErrorUnderWayMeters") < value("every 300 s", "p95ErrorUnderWayMeters"))
      #expect(try value("Loco, any cell", "gpsOnShare") > value("Loco, Apple's rule", "gpsOnShare"))
      #expect(try value("the least possible within 500 m", "gpsOnShare") < value("within 500 m", "gpsOnShare"))
      #expect(try value("within 500 m", "timesOracle") < value("Loco, any cell", "timesOracle"))
      #expect(try value("every 60 s", "startsPerHour") > 55)
      #expect(try row("the least possible within 500 m")["startsPerHour"] is NSNull)
      #expect(try row("every 60 s")["estimateP95ErrorMeters"] is NSNull, "there is no estimate without a bound")
    }

    @Test("The power more than doubles if the app is also kept running at rest", .long)
    func keeper() throws {
      let rows = try policies(["--seeds", "1", "--within", "500", "--route", "day"])
      func value(_ phone: String, _ key: String) throws -> Double {
        let row = rows.first { $0["phone"] as? String == phone && $0["boundMeters"] as? Double == 500 }
        return try #require(row?[key] as? Double, "\(phone), \(key)")
      }
      #expect(try value("keptAtRest", "milliwatts") > 2 * value("background", "milliwatts"))
      #expect(try value("keptAtRest", "keptRunningShare") > 0.9 && value("background", "keptRunningShare") < 0.3)
      #expect(try value("suspended", "keptRunningShare") == 0)
      // The battery holds 6.91 Wh.
      #expect(try abs(value("keptAtRest", "percentPerHour") - value("keptAtRest", "milliwatts") / 69.1) < 1e-3)
    }

    @Test("With a look every minute, a longer --hot-start raises the share of the time with the GPS on")
    func hotStart() throws {
      let track = try Self.track()
      let (fast, slow) = try (
        policies(["--seeds", "1", "--gpx", track]), policies(["--seeds", "1", "--gpx", track, "--hot-start", "5"])
      )
      for (fast, slow) in zip(fast, slow) where fast["policy"] as? String == "every 60 s" {
        let (less, more) = try (
          #require(fast["gpsOnShare"] as? Double), #require(slow["gpsOnShare"] as? Double)
        )
        #expect(less < more, "\(fast["policy"] ?? "")")
      }
      #expect(try Demo("compare", "--hot-start", "0").code == 64)
    }

    @Test("The seconds of several tracks are pooled, and equal seeds give equal results")
    func pooled() throws {
      let file = try Self.track()
      let once = try report(["--gpx", file, "--seeds", "1", "--within", "500"])
      let twice = try report(["--gpx", file, "--gpx=\(file)", "--seeds", "1", "--within", "500"])
      #expect(twice["tracks"] as? [String] == ["a.gpx", "a.gpx"])
      #expect(twice["durationSeconds"] as? Int == 598)
      let (one, two) = (once["policies"] as? NSArray, twice["policies"] as? NSArray)
      #expect(one != nil && one == two, "the same seconds twice give the same shares")
    }

    @Test("Without --json, the comparison prints tables and the assumptions, and no colors in a pipe")
    func text() throws {
      let demo = try Demo("compare", "--seeds", "1", "--gpx", try Self.track())
      #expect(demo.code == 0 && demo.error == "")
      for line in [
        "Loco, Apple's rule", "Loco, any cell", "every 60 s", "every 300 s", "within 200 m", "within 500 m",
        "within 1000 m",
        "the least possible within 500 m", "a phone, the app in the background", "a receiver on Linux, with gpsd",
        "a.gpx: 0:04:59.0, 1 times.",
        "Assumed for a phone, the app in the background: a satellite fix 4.0 s after a hot start (a median)",
        "a phone, the app never kept running",
      ] {
        #expect(("\n" + demo.output).contains("\n" + line), "\(line)")
      }
      #expect(!demo.output.contains("\u{1B}"))
    }

    @Test("The tables say of each bound, on each phone, whether the 95 % error misses it")
    func missedBounds() throws {
      let arguments = ["--seeds", "1", "--gpx", try Self.track(), "--within", "100", "--within", "400"]
      let rows = try policies(arguments)
      let lines = try Demo(list: ["compare"] + arguments).output.split(separator: "\n")
      var missed = 0
      for row in rows {
        guard let bound = row["boundMeters"] as? Double, let name = row["phone"] as? String else { continue }
        let isForEstimate = row["isForEstimate"] as? Bool == true
        let key = isForEstimate ? "estimateP95ErrorMeters" : "p95ErrorUnderWayMeters"
        guard let error = row[key] as? Double else { continue }
        let phone = try #require(Phone(rawValue: name))
        let title = isForEstimate ? "the same, bounding the estimate" : phone.title
        let text = String(format: "%.0f m", error) + (error > bound ? ", missed" : "")
        if error > bound { missed += 1 }
        // A line of the second table has a cell for each bound.
        let line = try #require(lines.last { $0.hasPrefix(title) }, "\(title)")
        let cells = line.dropFirst(title.count).components(separatedBy: "mW").dropFirst().map {
          $0.trimmingCharacters(in: .whitespaces)
        }
        try #require(cells.count == 2, "\(line)")
        let cell = cells[bound == 100 ? 0 : 1]
        #expect(cell.hasPrefix(text) && cell.contains("missed") == (error > bound), "\(line)")
        guard phone == .background, !isForEstimate else { continue }
        let first = try #require(lines.first { $0.hasPrefix("within \(Int(bound)) m ") })
        #expect(first.contains(" \(text) "), "\(first)")
      }
      #expect(missed > 0, "the track is too fast for some phones")
    }

    @Test("--help lists every option, and an invalid argument is refused with a clear message")
    func usage() throws {
      let help = try Demo("compare", "--help")
      #expect(help.code == 0 && help.output.contains("USAGE: LocoKitDemo compare"))
      for option in CompareOptions.options { #expect(help.output.contains(option.name), "\(option.name)") }
      for (arguments, code, message) in [
        (["--within", "99"], 64, "--within is a number of metres from 100 to 10000000, not '99'."),
        (["--within", "500", "--within", "x"], 64, "--within is a number of metres from 100 to 10000000, not 'x'."),
        (["--seeds", "0"], 64, "--seeds is a whole number from 1 to 1000, not '0'."),
        (["--gpx", "a", "--route", "day"], 64, "--gpx and --route are both routes: choose one."),
        (["--route", "dya"], 64, "--route is one of freeway, day, not 'dya'."),
        (["--sensors", "all"], 64, "there is no option '--sensors'."),
        (["--gpx", "/nowhere.gpx"], 66, "/nowhere.gpx: no such file"),
      ] as [([String], Int32, String)] {
        let demo = try Demo(list: ["compare"] + arguments)
        #expect(demo.code == code && demo.output == "", "\(arguments)")
        #expect(demo.error.hasPrefix("LocoKitDemo: \(message)\n"), "\(arguments): \(demo.error)")
      }
    }
  }
#endif

#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  @Suite("The demo's journals")
  struct ReplayTests {
    /// Returns the path of a folder for a journal. The folder doesn't exist yet.
    private static func folder() throws -> String { try Demo.temporaryFile("journal") }

    /// Records a drive and returns the path of its journal's only file.
    private static func recorded(_ arguments: String...) throws -> String { try recorded(list: arguments) }

    private static func recorded(list arguments: [String]) throws -> String {
      let folder = try folder()
      let demo = try Demo(list: arguments + ["--journal", folder])
      #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
      return folder + "/journal-000001.jsonl"
    }

    /// Returns the listener calls in an output.
    private static func calls(_ output: String) -> String { output.components(separatedBy: "\n\n")[0] }

    @Test("Replaying a journal with places prints the same listener calls as the drive")
    func played() throws {
      let folder = try Self.folder()
      let drive = try Demo("--within", "500", "--journal", folder, "--journal-places")
      let replay = try Demo("replay", folder)
      #expect(replay.code == 0 && replay.error == "")
      #expect(Self.calls(replay.output) == Self.calls(drive.output))
      for line in ["\ntime           0:", "\nbound          the last location at most 500.0 m off\n", "\nrejections"] {
        #expect(replay.output.contains(line), "\(line)")
      }
      #expect(
        !replay.output.contains("\nerror") && !replay.output.contains("\nseed"),
        "a journal has no ground truth and no seed")
    }

    @Test(
      "replay --check finds no difference in a journal whose places are moved",
      arguments: [
        ["drive", "--within", "300"], ["get"], ["trip", "--faults", "some"],
      ]
        + (isLong
          ? [
            ["drive", "--faults", "many", "--seed", "4"], ["drive", "--within", "300", "--phone", "gpsd"],
            ["track", "--distance-filter", "50"],
          ] : []))
    func checked(arguments: [String]) throws {
      let folder = try Self.folder()
      let demo = try Demo(list: arguments + ["--journal", folder])
      #expect(demo.code == 0, "\(demo.error)")
      let check = try Demo("replay", folder, "--check")
      #expect(check.code == 0 && check.error == "", "\(check.output)\(check.error)")
      #expect(check.output.hasSuffix(" inputs, and all decisions are as recorded\n"))
      #expect(Int(check.output.prefix { $0.isNumber }) ?? 0 > 5)
      let lines = try String(contentsOfFile: folder + "/journal-000001.jsonl", encoding: .utf8)
      #expect(
        lines.contains("[[") && !lines.contains(/\[34\.[01]\d*,-118\.|\[34\.[01]\d*,-?18\d|\[9\d.\d*,-118\./),
        "no true place is in the journal"
      )
    }

    @Test("replay counts the drive's wake-ups", arguments: [[], ["--route", "day", "--within", "500"]])
    func wakes(arguments: [String]) throws {
      let folder = try Self.folder()
      func wakes(_ demo: Demo) throws -> Int? {
        let summary = try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any]
        return summary?["wakes"] as? Int
      }
      let driven = try wakes(Demo(list: ["drive", "--json", "--journal", folder] + arguments))
      #expect(try wakes(Demo("replay", "--json", folder)) == driven && driven ?? 0 > 5)
    }

    @Test("The files of one journal are refused, with the name of its folder")
    func filesOfOneJournal() throws {
      let demo = try Demo("study", "a/b/journal-000001.jsonl", "a/b/journal-000002.jsonl")
      #expect(demo.code == 64 && demo.error.contains("a/b are one journal: pass the folder."), "\(demo.error)")
    }

    @Test("replay --check exits with 1 and prints the first difference; without --check, a note names it")
    func different() throws {
      let file = try Self.recorded("--within", "500")
      var lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
      let index = try #require(lines.firstIndex { $0.contains("look bound") })
      lines[index].replace("look bound", with: #"look cell\u001b[2J"#)
      try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
      let check = try Demo("replay", "--check", file)
      #expect(check.code == 1 && check.error == "")
      #expect(check.output.hasPrefix("\(file):\(index): recorded ") && check.output.contains(", now "))
      #expect(!check.output.contains("\u{1B}") && check.output.count { $0 == "\n" } == 1)
      // Without --check, the replay runs to the end, and a note names the difference.
      let replay = try Demo("replay", file)
      #expect(replay.code == 0 && replay.error.hasPrefix("note: \(file):\(index): recorded "))
    }

    @Test("replay --json has every key of a drive's summary, with null for values that a journal doesn't contain")
    func json() throws {
      // The places decide when looks are due, so the journal keeps them.
      let file = try Self.recorded("--within", "500", "--journal-places")
      let demo = try Demo("replay", file, "--json")
      let summary = try #require(try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any])
      let drive = try Demo("--within", "500", "--json")
      let known = try #require(try JSONSerialization.jsonObject(with: Data(drive.output.utf8)) as? [String: Any])
      #expect(Set(summary.keys) == Set(known.keys))
      let unknown = summary.filter { $0.value is NSNull }.keys
      #expect(
        Set(unknown) == [
          "coverage", "dwellGPSOnShare", "energyProfile", "estimateP95ErrorMeters", "keptRunningShare",
          "medianErrorMeters",
          "milliwatts", "phone", "oracleGPSOnSeconds", "p95ErrorMeters", "p95ErrorUnderWayMeters", "percentPerHour",
          "withinBoundShare",
          "percentPerHour13ProMax",
          "seed",
          "wakeOutcomes",
        ])
      for key in ["locations", "boundMeters"] { #expect(summary[key] as? Double == known[key] as? Double, "\(key)") }
      #expect(summary["looks"] as? [String: Int] == known["looks"] as? [String: Int])
      let on = (summary["gpsOnSeconds"] as? Double ?? 0, known["gpsOnSeconds"] as? Double ?? 1)
      #expect(abs(on.0 - on.1) < 5, "\(on)")
    }

    @Test("A journal names the same version as --version")
    func version() throws {
      let file = try Self.recorded("--within", "500")
      let version = try Demo("--version").output.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? ""
      #expect(try String(contentsOfFile: file, encoding: .utf8).prefix(600).contains(#""version":"\#(version)""#))
    }

    @Test("replay --report writes a page that only its owner can read, and --check refuses --report")
    func report() throws {
      let file = try Self.recorded("--within", "500")
      let page = FileManager.default.temporaryDirectory.appending(path: "replay-\(UUID().uuidString).html")
      defer { try? FileManager.default.removeItem(at: page) }
      #expect(try Demo("replay", file, "--json", "--report", page.path).code == 0)
      let text = try String(contentsOf: page, encoding: .utf8)
      #expect(text.contains(#""kind":"replay""#) && text.contains("default-src 'none'"))
      // The page has the bound twice: in the recording, and in the summary.
      #expect(text.matches(of: /"boundMeters":500\b/).count == 2)
      #expect(try Demo("replay", file, "--within", "100", "--json", "--report", page.path).code == 0)
      #expect(try String(contentsOf: page, encoding: .utf8).matches(of: /"boundMeters":100\b/).count == 2)
      #expect(try FileManager.default.attributesOfItem(atPath: page.path)[.posixPermissions] as? Int == 0o600)
      #expect(try Demo("replay", file, "--check", "--report", page.path).code == 64)
    }

    @Test("A replay with another bound or policy has other figures, and a note states what can't be known")
    func alternative() throws {
      func looks(_ arguments: String...) throws -> Int {
        let demo = try Demo(list: ["replay", "--json"] + arguments)
        #expect(demo.code == 0)
        #expect(
          demo.error.contains("note: the journal has no GPS fixes from times at which the GPS was off")
            == (arguments.count > 1))
        let summary = try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any]
        return (summary?["looks"] as? [String: Int])?["bound"] ?? -1
      }
      let file = try Self.recorded("--within", "500", "--phone", "foreground")
      let was = try looks(file)
      #expect(try looks(file, "--within", "2000") < was && was > 50)
      #expect(try looks(file, "--within", "none") == 0)
      let policies = try ["loco", "standalone"].map {
        try Demo("replay", file, "--json", "--within", "none", "--policy", $0).output
      }
      #expect(policies[0] != policies[1])
      #expect(try looks(file, "--within=500") > was / 2)
    }

    static let refused: [([String], Int32, String)] = [
      (["replay"], 64, "replay needs one file of a journal, or its folder."),
      (["replay", "a", "b"], 64, "replay needs one file"), (["study"], 64, "study needs files of journals"),
      (["replay", "a", "--chek"], 64, "did you mean '--check'?"), (["reply"], 64, "did you mean 'replay'?"),
      (["replay", "a", "--check", "--json"], 64, "choose one"),
      (
        ["replay", "a", "--check", "--within", "500"], 64, "--check compares with the recorded decisions, and --within"
      ),
      (["replay", "a", "--within", "much"], 64, "--within is a number of metres"),
      (["replay", "/nowhere/journal"], 66, "/nowhere/journal: no such file"),
      (["study", "/nowhere"], 66, "no such file"),
      (["replay", "/dev/null"], 66, "is not a regular file"), (["replay", "/etc/passwd"], 65, "/etc/passwd:1: "),
      (["study", "/etc/passwd"], 65, "/etc/passwd:1: "), (["--journal-places"], 64, "add --journal."),
      (["get", "--journal-places"], 64, "add --journal."), (["gpsd", "--journal-places"], 64, "add --journal."),
      (["compare", "--journal", "x"], 64, "there is no option '--journal'"),
      (["--journal", "/dev/null/journal"], 73, "cannot create the folder"),
      (["--journal", "/etc/passwd"], 73, "/etc/passwd"),
      (["gpsd", "--port", "1", "--for", "0.1", "--journal", "/etc/passwd"], 73, "/etc/passwd"),
    ]

    @Test("Invalid arguments and files are refused with a short message and the right exit code", arguments: refused)
    func refusals(arguments: [String], code: Int32, reason: String) throws {
      let demo = try Demo(list: arguments)
      #expect(demo.code == code && demo.output == "", "\(demo.code) \(demo.output)")
      #expect(demo.error.hasPrefix("LocoKitDemo: ") && demo.error.contains(reason), "\(demo.error)")
      #expect(demo.error.count { $0 == "\n" } == (code == 64 ? 2 : 1))
    }

    // MARK: - Figures

    /// Writes a journal of a device that has its permission at launch. Returns the file's path.
    static func journal(_ lines: [String], sources: Sources = .awake) throws -> String {
      let policy =
        #"{"timeLimit":15,"acceptableAccuracy":100,"cooldown":30,"lookAfterFailure":6,"lookOldEphemeris":25,"errorLimit":5,"#
        + #""maximumAge":30,"lookRecentFix":8,"desiredAccuracy":10,"lookFirstFix":45}"#
      let launch =
        #"{"t":0,"d":0,"is":"launch","format":1,"version":"0","platform":"iOS 26.0","authorization":"always","policy":"#
        + #"\#(policy),\#(fields(sources)),"isPaused":false}"#
      return try Demo.temporaryFile("study.jsonl", ([launch] + lines).joined(separator: "\n") + "\n")
    }

    /// The fields of a line with wake sources.
    static func fields(_ sources: Sources) -> String {
      let kinds = WakeKind.allCases.filter(sources.kinds.contains).map { "\"\($0.rawValue)\"" }
      return #""sources":[\#(kinds.joined(separator: ","))],"updates":"\#(sources.updates.rawValue)""#
    }

    static func line(_ seconds: Double, _ kind: String, _ rest: String = "") -> String {
      #"{"t":\#(Int(seconds * 1e9)),"d":\#(seconds),"is":"\#(kind)"\#(rest.isEmpty ? "" : "," + rest)}"#
    }

    /// Returns a line with a fix the given number of metres north of 34° N, taken at the time of the line.
    static func fix(_ seconds: Double, _ metres: Double, accuracy: Double = 5) -> String {
      line(seconds, "fixes", #""fixes":[[\#(34 + metres / 110_930),-118,\#(accuracy),null,null,0,null,\#(seconds)]]"#)
    }

    @Test("True and disguised positions don't share a folder, and a pattern that names a secret studies the journals")
    func places() throws {
      let parent = URL(filePath: try Self.folder()).appending(path: "journals")
      let (disguised, open) = (parent.appending(path: "a").path, parent.appending(path: "b").path)
      #expect(try Demo("get", "--journal", disguised).code == 0)
      #expect(try Demo("get", "--journal", open, "--journal-places").code == 0)
      #expect(try Demo("get", "--journal", disguised).code == 0)
      #expect(try Demo("get", "--journal", open, "--journal-places").code == 0)
      let (first, second) = (
        try Demo("get", "--journal", disguised, "--journal-places"), try Demo("get", "--journal", open)
      )
      #expect(first.code == 64 && first.error.contains("choose another folder"), "\(first.error)")
      // A run without a fix has no places yet. A secret that remains when its journal is gone still gives the rotation.
      let none = parent.appending(path: "c").path
      for _ in 0..<2 {
        #expect(try Demo("get", "--timeout", "0.5", "--seed", "4", "--journal", none).code == 75)
      }
      try FileManager.default.removeItem(atPath: disguised)
      #expect(try Demo("get", "--journal", disguised, "--journal-places").code == 64)
      #expect(try Demo("get", "--journal", disguised).code == 0)
      #expect(second.code == 64 && second.error.contains("choose another folder"), "\(second.error)")
      let all = try FileManager.default.contentsOfDirectory(atPath: parent.path).map { parent.appending(path: $0).path }
      #expect(all.contains { $0.hasSuffix(".secret") })
      let study = try Demo(list: ["study"] + all + ["--json"])
      #expect(study.code == 0 && study.output.split(separator: "\n").count == 3, "\(study.error)")
    }

    @Test("Launches stay in order if the clock was set back, and a killed app's GPS time ends with its last line")
    func ordered() throws {
      let launch = #"{"t":50000000000,"d":-900000,"is":"launch","format":1,"version":"0","platform":"iOS 26.0","#
      let policy = try String(contentsOfFile: Self.journal([]), encoding: .utf8).firstMatch(of: /"policy":\{[^}]*\}/)?.0
      func at(_ date: Double, _ line: String) -> String { line.replacing(/"d":[-0-9.]+/, with: "\"d\":\(date)") }
      func journal(accuracy: Double) throws -> String {
        try Self.journal([
          Self.line(0, "command", #""event":"tryPrompt""#), Self.line(0, "authorization", #""authorization":"always""#),
          Self.fix(5, 0, accuracy: accuracy),
          "\(launch)\"authorization\":\"always\",\(policy ?? ""),\"sources\":[\"significantChange\"],\"updates\":\"never\",\"isPaused\":false}",
          at(-900_000, Self.line(50, "command", #""event":"tryPrompt""#)),
          at(-900_000, Self.line(50, "authorization", #""authorization":"always""#)),
          at(-899_990, Self.fix(60, 0, accuracy: accuracy)).replacing(",60.0]", with: ",-899990.0]"),
        ])
      }
      let file = try journal(accuracy: 500)
      let page = try Demo.temporaryFile("page.html")
      let replay = try Demo("replay", file, "--report", page)
      #expect(replay.code == 0 && !replay.output.contains(/-\d+:/), "\(replay.output)")
      #expect(replay.output.contains("\ntime           0:00:15.0\nGPS on         15.0 s, 100.0 %"), "\(replay.output)")
      let text = try String(contentsOfFile: page, encoding: .utf8)
      #expect(text.contains(#""seconds":15"#))
      // The first launch ends at 5 s in `acquiring`. The initial state follows twice: for the end and the next manager.
      let states = try #require(text.firstMatch(of: /"states":\{"t":\[([-0-9,]*)\],"v":\[([0-9,]*)\]/))
      #expect(states.2.split(separator: ",").prefix(5) == ["0", "1", "4", "0", "0"], "\(states.0)")
      #expect(states.1.split(separator: ",").prefix(5) == ["0", "0", "0", "50", "0"], "\(states.0)")
      let figures = try Self.study(file)
      #expect(figures["gpsOnSecondsPerHour"] as? Double == 3_600 && figures["launches"] as? Int == 2)
      let counts = try Demo("replay", journal(accuracy: 5), "--json").output
      #expect(counts.contains(#""locations":2"#), "\(counts)")
    }

    @Test("The page of a long journal with few lines stays below 1 MB and states where it was cut off")
    func bounded() throws {
      let days = (1...200).map { Self.fix(Double($0) * 864_000, Double($0) * 1_000) }
      let file = try Self.journal(
        [
          Self.line(0, "command", #""event":"tryPrompt""#), Self.line(0, "authorization", #""authorization":"always""#),
          Self.fix(4, 0), Self.line(5, "motion", #""motion":"vehicle""#),
        ] + days)
      let page = try Demo.temporaryFile("page.html")
      let replay = try Demo("replay", file, "--within", "100", "--json", "--report", page)
      #expect(replay.code == 0)
      let text = try String(contentsOfFile: page, encoding: .utf8)
      #expect(text.utf8.count < 1_000_000, "\(text.utf8.count)")
      #expect(text.contains(": the page is full"))
    }

    @Test("A journal without its first file is played from the next launch, and a note counts the skipped lines")
    func middle() throws {
      let whole = try Self.recorded("--within", "500")
      let lines = try String(contentsOfFile: whole, encoding: .utf8).split(separator: "\n").map(String.init)
      let rest = try Demo.temporaryFile("rest.jsonl", lines[10..<30].joined(separator: "\n") + "\n")
      let alone = try Demo("replay", rest)
      #expect(alone.code == 65 && alone.error.contains("can't be replayed"), "\(alone.error)")
      let both = try Demo.temporaryFile("both.jsonl", (lines[10..<30] + lines).joined(separator: "\n") + "\n")
      let check = try Demo("replay", both, "--check")
      #expect(check.code == 0 && check.error.hasPrefix("note: 20 lines before the first launch are skipped"))
      for arguments in [["study"], ["study", "--json"]] {
        let study = try Demo(list: arguments + [both])
        #expect(study.code == 0 && study.error.hasPrefix("note: 20 lines before the first launch are skipped"))
      }
    }

    private static let force = #""event":"forceAcquire""#

    /// Returns the line that `study --json` prints for a journal.
    static func study(_ file: String) throws -> [String: Any] {
      let demo = try Demo("study", "--json", file)
      #expect(demo.code == 0, "\(demo.error)")
      return try #require(try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any])
    }

    @Test("study --json prints the expected figures with their numbers of samples")
    func figures() throws {
      let file = try Self.journal([
        Self.line(0, "command", #""event":"tryPrompt""#), Self.line(0, "authorization", #""authorization":"always""#),
        // The first fix that counts arrives after 4 s. The one before it isn't accurate enough.
        Self.fix(2, 0, accuracy: 500), Self.fix(4, 0),
        Self.line(20, "cell", #""text":"1""#), Self.line(30, "motion", #""motion":"walking""#),
        Self.line(35, "motion", #""motion":"still""#), Self.line(40, "cell", #""text":"2""#),
        // A look at rest, ten minutes after the last fix, takes 2 s.
        Self.line(600, "command", Self.force), Self.fix(602, 20),
        Self.line(610, "note", #""text":"battery 0.90 unplugged""#),
        // A look finds no fix.
        Self.line(1_000, "command", Self.force), Self.line(1_015, "timer"),
        // A look after a failure takes 6 s. Before the look, the device left its region and moved a kilometre.
        Self.line(1_100, "regionExit"), Self.line(1_110, "cell", #""text":"3""#),
        Self.line(1_200, "command", Self.force), Self.fix(1_206, 1_020),
        Self.line(4_210, "note", #""text":"battery 0.85 unplugged""#),
      ])
      let figures = try Self.study(file)
      #expect(figures["launches"] as? Int == 1)
      let times = try #require(figures["secondsToFirstFix"] as? [String: [String: Any]])
      func time(_ start: String) -> [Double] {
        let time = times[start]?["time"] as? [String: Any]
        return [
          time?["n"] as? Double ?? -1, time?["median"] as? Double ?? -1, times[start]?["unanswered"] as? Double ?? -1,
        ]
      }
      #expect(time("first") == [1, 4, 0] && time("recentFix") == [1, 2, 1])
      #expect(time("afterFailure") == [1, 6, 0] && time("oldEphemeris") == [0, -1, 0])
      func rate(_ key: String) -> [Double] {
        let rate = figures[key] as? [String: Any]
        return [rate?["n"] as? Double ?? -1, rate?["rate"] as? Double ?? -1]
      }
      #expect(rate("failedLooks") == [1, 0.25])
      let wakes = try #require(figures["wakesPerHour"] as? [String: [String: Any]])
      let others = WakeKind.allCases.map { ($0.rawValue, Int?(0)) }
      #expect(
        wakes.mapValues { $0["n"] as? Int }
          == [
            "significantChange": 0, "regionExit": 1, "visit": 0, "cell": 2, "motion": 1, "timer": 0,
          ].merging(others) { expected, _ in expected })
      let exits = try #require(figures["metresAfterRegionExit"] as? [String: Any])
      #expect(exits["n"] as? Int == 1 && abs((exits["median"] as? Double ?? 0) - 1_000) < 5, "\(exits)")
      // One motion and one cell change in ten minutes at rest.
      #expect(rate("falseMotionsPerHourAtRest") == [1, 6.02] && rate("cellChangesPerHourAtRest") == [1, 6.02])
      #expect(abs(rate("cellChangesPerKilometre")[1] - 1) < 0.01)
      #expect(rate("batteryPercentPerHourKeptRunning") == [1, 5] && rate("batteryPercentPerHourAsleep") == [0, -1])
    }

    @Test("study counts the way of dense fixes at any speed", arguments: [1.4, 5, 25])
    func denseFixes(speed: Double) throws {
      var lines = [
        Self.line(0, "command", #""event":"tryPrompt""#), Self.line(0, "authorization", #""authorization":"always""#),
      ]
      for second in 1...1_800 {
        lines.append(Self.fix(Double(second), Double(second) * speed))
        if second % Int(300 / speed) == 0 { lines.append(Self.line(Double(second), "cell", #""text":"\#(second)""#)) }
      }
      let rate = try Self.study(try Self.journal(lines))["cellChangesPerKilometre"] as? [String: Any]
      let perKilometre = try #require(rate?["rate"] as? Double)
      #expect((2.6...3.9).contains(perKilometre), "\(perKilometre)")
    }

    @Test("study prints dashes and null for figures without samples")
    func unknown() throws {
      let file = try Self.journal([Self.line(60, "note", #""text":"battery high""#)], sources: .changes)
      let text = try Demo("study", file).output
      for line in [
        "looks          –\n", "after a fix: median – s, quartiles – – – s, 95 % – s (n = 0; none came: 0)\n",
        "false motion   –\n", "cells          –\n", "battery        –\n",
      ] {
        #expect(text.contains(line), "\(line) is not in \(text)")
      }
      let figures = try Self.study(file)
      #expect(figures.count == 19 && figures["batteryStepPercent"] is NSNull)
      #expect((figures["cellChangesPerKilometre"] as? [String: Any])?["rate"] is NSNull)
    }

    /// Writes a journal with a battery note every hour. Levels are in percent, and `nil` is a charge.
    private static func notes(_ levels: [Int?], keptRunning: Range<Int> = 0..<0) throws -> String {
      var lines: [String] = []
      for (hour, level) in levels.enumerated() {
        let seconds = Double(hour) * 3_600
        lines.append(
          line(seconds, "wakeSources", fields(keptRunning.contains(hour) ? [.significantChange, .timer] : .changes)))
        let note = level.map { "battery \(Double($0) / 100) unplugged" } ?? "battery 0.5 charging"
        lines.append(line(seconds + 1, "note", #""text":"\#(note)""#))
      }
      return try journal(lines, sources: .changes)
    }

    struct Resolution: CustomTestStringConvertible, Sendable {
      var testDescription: String
      let levels: [Int?]
      var keptRunning = 0..<0
      /// The expected step, in percent.
      let step: Int?
      /// The expected rate while asleep, in percent per hour; its uncertainty; and the hours when it was measured.
      let asleep: [Double]
      let words: String
    }

    private static let (ones, fives, either) = (
      "levels have steps of 1 %: a run without a charge resolves 0.1 %/h after 10 h, 0.5 %/h after 2 h\n",
      "levels have steps of 5 %: a run without a charge resolves 0.1 %/h after 50 h, 0.5 %/h after 10 h\n",
      "levels have steps of 1 or 5 %: a run without a charge resolves 0.1 %/h after 10 or 50 h, "
        + "0.5 %/h after 2 or 10 h\n"
    )

    static let resolutions: [Resolution] = [
      Resolution(
        testDescription: "one run, steps of 1 %", levels: [90, 90, 88, 87, 86], step: 1, asleep: [1, 0.25, 4],
        words: ones),
      Resolution(
        testDescription: "one run, steps of 5 %", levels: [90, 90, 85, 85, 80], step: 5, asleep: [2.5, 1.25, 4],
        words: fives),
      Resolution(
        testDescription: "too few levels to tell: the larger step is assumed", levels: [90, 90, 85, 85], step: nil,
        asleep: [1.667, 1.667, 3],
        words: either),
      Resolution(
        testDescription: "two runs with a charge between them", levels: [90, 89, 88, nil, 70, 69, 68], step: 1,
        asleep: [1, 0.5, 4], words: ones),
      Resolution(
        testDescription: "two runs with an unrecorded charge between them", levels: [90, 89, 88, 99, 98, 97], step: 1,
        asleep: [1, 0.5, 4], words: ones),
      Resolution(
        testDescription: "two runs with time kept running between them", levels: [90, 89, 88, 80, 70, 69, 68],
        keptRunning: 2..<4,
        step: 1, asleep: [1, 0.667, 3], words: ones),
      Resolution(
        testDescription: "one run from 100 % to 0 %", levels: [100, 50, 0], step: 5, asleep: [50, 2.5, 2],
        words: fives),
    ]

    @Test("study prints the uncertainty of the battery's rate, which is due to rounded levels", arguments: resolutions)
    func resolution(_ example: Resolution) throws {
      let file = try Self.notes(example.levels, keptRunning: example.keptRunning)
      let figures = try Self.study(file)
      #expect(figures["batteryStepPercent"] as? Int == example.step)
      let asleep = try #require(figures["batteryPercentPerHourAsleep"] as? [String: Any])
      #expect(["rate", "within", "per"].map { asleep[$0] as? Double ?? -1 } == example.asleep)
      let text = try Demo("study", file).output
      #expect(text.contains(example.words), "\(text)")
      #expect(text.contains(" ± \(example.asleep[1]) %/h asleep (n = "), "\(text)")
    }

    @Test("A drive between two notes, in which the app is kept running, is no time asleep")
    func keptRunningBetweenNotes() throws {
      func note(_ hours: Double, _ level: Double) -> String {
        Self.line(hours * 3_600, "note", #""text":"battery \#(level) unplugged""#)
      }
      let file = try Self.journal(
        [
          note(0, 0.9), note(1, 0.89),
          Self.line(4_200, "wakeSources", Self.fields([.significantChange, .timer])),
          Self.line(6_600, "wakeSources", Self.fields(.changes)), note(2, 0.8), note(3, 0.79),
        ], sources: .changes)
      let asleep = try #require(try Self.study(file)["batteryPercentPerHourAsleep"] as? [String: Any])
      #expect(asleep["rate"] as? Double == 1 && asleep["per"] as? Double == 2)
    }

    @Test("A run is one launch, which can't be replayed without its first file, so the command keeps files for a year")
    func keptWhole() throws {
      let folder = try Self.folder()
      #expect(try Demo("get", "--journal", folder).code == 0)
      let first = folder + "/journal-000001.jsonl"
      try FileManager.default.setAttributes([.modificationDate: Date.now - 300 * 86_400], ofItemAtPath: first)
      #expect(try Demo("get", "--journal", folder).code == 0)
      #expect(FileManager.default.fileExists(atPath: first))
    }

    @Test("study pools several journals")
    func several() throws {
      let foreground = ["--within", "500", "--phone", "foreground"]
      let (day, other) = (try Self.recorded(list: foreground), try Self.recorded(list: foreground + ["--seed", "2"]))
      let both = try Demo("study", day, other).output
      #expect(both.contains("2 launches\n"))
      let sums = try [day, other].map { try #require(try Self.study($0)["sums"] as? [String: Any]) }
      func sum(_ key: String) -> Double { sums.reduce(0) { $0 + ($1[key] as? Double ?? -1e9) } }
      #expect(sum("looks") > 100 && both.contains(" failed (n = \(Int(sum("looks"))))\n"), "\(both)")
      // The sums in the JSON lines give the pooled figures in the text.
      let gps = (sum("gpsOnSeconds") / sum("seconds") * 36_000).rounded() / 10
      #expect(both.contains("\nGPS on         \(gps) s/h\n"), "\(gps): \(both)")
      let fixes = sums.flatMap { ($0["secondsToFirstFix"] as? [String: [Double]])?["recentFix"] ?? [] }.sorted()
      let median = (fixes[(fixes.count + 1) / 2 - 1] * 10).rounded() / 10
      // The simulated network's first fix arrives after a median of 0.7 s.
      #expect(abs(median - 0.7) < 0.5)
      #expect(both.contains("after a fix: median \(median) s,") && both.contains("(n = \(fixes.count); none came: "))
    }

    @Test("study --json prints a line for each journal, and a damaged one doesn't stop the others")
    func lines() throws {
      let folder = try Self.folder()
      #expect(try Demo("--within", "500", "--journal", folder).code == 0)
      let other = try Self.journal(
        [
          Self.line(0, "errorBound", #""metres":1000"#), Self.line(1, "errorBound", #""metres":300"#),
          Self.line(2, "note", #""text":"battery 0.9 unplugged""#),
        ])
      let text = try String(contentsOfFile: other, encoding: .utf8)
      try text.replacing(#""platform":"#, with: #""model":"iPhone17,1","platform":"#)
        .write(toFile: other, atomically: true, encoding: .utf8)
      let unbounded = try Self.journal([
        Self.line(0, "errorBound", #""metres":300"#), Self.line(1, "errorBound"),
      ])
      let damaged = try Demo.temporaryFile("damaged.jsonl", text + "\u{1B}[2J\n")
      let demo = try Demo("study", "--json", damaged, folder, "/nowhere/journal", other, unbounded)
      #expect(demo.code == 65)
      #expect(demo.error == "LocoKitDemo: 2 of 5 journals can't be read: their lines say why.\n")
      #expect(!demo.output.contains("\u{1B}") && !demo.output.contains(FileManager.default.temporaryDirectory.path))
      let lines = try demo.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      let names = [damaged, folder, "/nowhere/journal", other, unbounded].map { URL(filePath: $0).lastPathComponent }
      #expect(lines.map { $0["journal"] as? String } == names)
      #expect(
        lines.map { $0["error"] as? String } == [
          "\(names[0]):5: not a journal line: it is not a JSON object", nil, "journal: no such file", nil, nil,
        ])
      #expect(lines.map { $0.count } == [2, 19, 2, 19, 19])
      #expect((lines[1]["platform"] as? String)?.isEmpty == false && lines[1]["model"] is NSNull)
      #expect(lines[3]["platform"] as? String == "iOS 26.0" && lines[3]["model"] as? String == "iPhone17,1")
      let bounds = lines.map { $0["widestErrorBoundMetres"] as? Double }
      #expect(bounds == [nil, 500, nil, 1_000, nil])
      #expect((lines[3]["sums"] as? [String: Any])?["batteryLevels"] as? [Int] == [90])
      #expect(try Demo("study", "--json", "/nowhere/journal").code == 66)
    }
  }
#endif

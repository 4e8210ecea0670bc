#if os(Linux) || os(macOS)
  import Foundation
  import LocoMachineGraphs
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  @Suite("The demo")
  struct DemoTests {
    @Test("A drive prints listener calls, each with its time and state, then a summary")
    func drive() throws {
      let demo = try Demo("drive")
      #expect(demo.code == 0)
      #expect(demo.error == "", "a pipe gets no progress")
      let lines = demo.output.split(separator: "\n")
      #expect(lines.first == "0:00:00.0  prompted                 didTransition: init → prompted (tryPrompt)")
      for call in ["didPromptAccess", "didGrantAccess", "didDetectSignificantChange", "didUpdate", "didTransition"] {
        #expect(demo.output.contains(call), "\(call)")
      }
      for line in [
        "time           0:30:00.0", "GPS on", "wake-ups", "acquisitions", "locations", "error", "rejections",
        "seed           1",
      ] {
        #expect(demo.output.contains("\n" + line), "\(line)")
      }
      #expect(!demo.output.contains("\u{1B}"), "no colors in a pipe")
      #expect(try Demo("--route", "freeway").output == demo.output)
    }

    @Test(
      "Without arguments, the demo prints a day within a bound beside the GPS always on, with the figures of the drive")
    func overview() throws {
      let demo = try Demo()
      let lines = demo.output.split(separator: "\n")
      #expect(demo.code == 0 && demo.error == "")
      let day = try summary("--route", "day", "--within", "500", "--seed", "\(Overview.seed)")
      let (percent, share, p95) = (
        day.percentPerHour ?? .nan, day.withinBoundShare ?? .nan, day.p95ErrorUnderWayMeters ?? .nan
      )
      #expect(
        lines[1].hasPrefix(
          String(format: "within 500 m    %.2f %% of the battery per hour, %.0f %% a day", percent, 24 * percent)))
      #expect(
        String(lines[2].drop { $0 == " " })
          == String(format: "%.1f %% of the time under way within 500 m, 95 %% under %.0f m", 100 * share, p95))
      // On an iPhone 6, the GPS takes 3.6 % an hour. Coarse fixes, which keep an app running, would take less than 3 %.
      let always = try #require(lines[3].firstMatch(of: /GPS always on +([0-9.]+) %/).flatMap { Double($0.1) })
      #expect(always > 3 && always < 5)
      // The GPS is off in most half hours, and on in those of the drives.
      let strip = Array(lines[4].prefix { "▁▂▃▄▅▆▇█".contains($0) })
      #expect(strip.count == 48 && strip.count { $0 == "▁" } > 30 && strip.contains("█"))
      #expect(strip[15..<17].contains { $0 != "▁" } && strip[2..<9].allSatisfy { $0 == "▁" })
      #expect(lines[4].hasSuffix(String(format: " GPS %.0f s of 24 h", day.gpsOnSeconds)))
    }

    @Test("Half of the seeds 1 to 20 keep the bound for less of the day than the overview's", .long)
    func overviewIsTypical() throws {
      let shares = try (1...20).map {
        try summary("--route", "day", "--within", "500", "--seed", "\($0)").withinBoundShare ?? .nan
      }
      #expect(shares[Int(Overview.seed) - 1] == shares.sorted()[10])
    }

    struct Summary: Decodable, Equatable {
      struct Acquisitions: Decodable, Equatable {
        var met: Int
        var timedOut: Int
        var failed: Int
      }
      var durationSeconds: Double
      var gpsOnSeconds: Double
      var wakes: Int
      var acquisitions: Acquisitions
      var locations: Int
      var rejections: [String: Int]
      var medianErrorMeters: Double?
      var p95ErrorMeters: Double?
      var percentPerHour: Double?
      var seed: UInt64
      var looks: [String: Int]
      var wakeOutcomes: [String: Int]?
      var boundMeters: Double?
      var coverage: Double?
      var dwellGPSOnShare: Double?
      var p95ErrorUnderWayMeters: Double?
      var withinBoundShare: Double?
      var estimateP95ErrorMeters: Double?
      var oracleGPSOnSeconds: Double?
    }

    func summary(_ arguments: String...) throws -> Summary {
      let demo = try Demo(list: arguments + ["--json"])
      #expect(demo.code == 0, "\(demo.error)")
      return try JSONDecoder().decode(Summary.self, from: Data(demo.output.utf8))
    }

    @Test("--json prints the summary as one JSON object and nothing else")
    func json() throws {
      let summary = try summary()
      #expect(summary.durationSeconds == 1_800)
      #expect(summary.gpsOnSeconds > 0 && summary.gpsOnSeconds < 180)
      #expect(summary.acquisitions.met + summary.acquisitions.timedOut == summary.locations)
      #expect(summary.locations > 0 && summary.seed == 1)
      #expect((summary.medianErrorMeters ?? 0) < (summary.p95ErrorMeters ?? 0))
    }

    @Test(
      "Each acquisition of the summary ends once: coarse fixes, and fixes after which the GPS stays on, end none",
      arguments: [
        ["drive"], ["--within=500"], ["--route=day", "--within=200"], ["--route=day", "--within=2000", "--seed=3"],
      ])
    func acquisitions(arguments: [String]) throws {
      let demo = try Demo(list: arguments + ["--json"])
      let summary = try JSONDecoder().decode(Summary.self, from: Data(demo.output.utf8))
      let (counts, looks) = (summary.acquisitions, summary.looks.values.reduce(0, +))
      let ends = counts.met + counts.timedOut + counts.failed
      #expect(looks - 1 <= ends && ends <= looks, "\(ends) ends of \(looks) acquisitions; the last one may go on")
      #expect(counts.met > ends / 2)
      if summary.boundMeters != nil { #expect(summary.locations > ends, "coarse fixes are locations too") }
    }

    @Test(
      "The JSON summary has every key, with null for unknown values",
      arguments: ["drive", "--within=500", "--answer=deny", "gpsd"])
    func keys(argument: String) throws {
      let isReal = argument == "gpsd"
      let demo = try Demo(list: (isReal ? ["gpsd", "--port", "1", "--for", "0.1"] : [argument]) + ["--json"])
      let summary = try #require(
        try JSONSerialization.jsonObject(with: Data(demo.output.utf8)) as? [String: Any], "\(demo.error)")
      #expect(
        Set(summary.keys) == [
          "acquisitions", "boundMeters", "coverage", "durationSeconds", "dwellGPSOnShare", "estimateP95ErrorMeters",
          "energyProfile", "gpsOnSeconds", "keptRunningShare", "locations", "looks", "medianErrorMeters", "milliwatts",
          "oracleGPSOnSeconds", "p95ErrorMeters", "p95ErrorUnderWayMeters", "percentPerHour", "withinBoundShare",
          "percentPerHour13ProMax", "phone", "rejections",
          "seed", "wakeOutcomes", "wakes",
        ])
      let looks = try #require(summary["looks"] as? [String: Int])
      #expect(
        Set(looks.keys)
          == Set(LookCause.allCases.filter { $0 != .tracking }.map(\.name)).union([
            "bound", "motion", "retry", "cell", "regionExit", "visit", "rest", "significantChange", "forced", "resumed",
            "first",
          ]))
      #expect(summary["boundMeters"] as? Double == (argument == "--within=500" ? 500 : nil))
      #expect((summary["withinBoundShare"] is NSNull) == (argument != "--within=500"))
      #expect((summary["p95ErrorUnderWayMeters"] is NSNull) == (isReal || argument == "--answer=deny"))
      #expect((summary["oracleGPSOnSeconds"] is NSNull) == (isReal || argument == "--answer=deny"))
      #expect((summary["estimateP95ErrorMeters"] is NSNull) == (argument != "--within=500"))
    }

    @Test("With --within, the error is smaller, and the summary counts looks by cause and wake-ups by outcome")
    func within() throws {
      let (apple, bound) = (try summary(), try summary("--within", "500"))
      #expect(bound.boundMeters == 500)
      // The error may exceed the bound: at this speed, most coarse fixes have an accuracy worse than 100 m,
      // and some looks fail.
      #expect((bound.p95ErrorUnderWayMeters ?? .infinity) < 1_000)
      #expect((bound.p95ErrorUnderWayMeters ?? 0) < (apple.p95ErrorUnderWayMeters ?? 0) / 4)
      #expect((bound.estimateP95ErrorMeters ?? .infinity) <= (bound.p95ErrorUnderWayMeters ?? 0))
      #expect((bound.looks["bound"] ?? 0) > 20 && apple.looks["bound"] == 0)
      #expect(apple.looks["first"] == 1 && bound.looks["first"] == 1)
      #expect((bound.oracleGPSOnSeconds ?? 0) < bound.gpsOnSeconds && (bound.oracleGPSOnSeconds ?? 0) > 20)
      for each in [apple, bound] {
        let outcomes = try #require(each.wakeOutcomes)
        #expect(Set(outcomes.keys) == ["acquisition", "coolDown", "withinBound", "off", "running"])
        #expect(outcomes.values.reduce(0, +) - (outcomes["running"] ?? 0) == each.wakes)
      }
      #expect(apple.wakeOutcomes?["acquisition"] == apple.looks["significantChange"])
      let text = try Demo("--within", "500").output
      #expect(text.contains("didBeginLookBecauseOf: bound"))
      #expect(text.contains("\nbound          the last location at most 500.0 m off\n"))
      #expect(text.contains("of the estimate under"))
      #expect(text.contains(" of the time under way\n") && text.contains("within the bound for "))
      #expect(try Demo("drive").output.contains(": 6 started a look\n"))
    }

    @Test("On the route of a day, the GPS is on for less than 1 % of the time at rest", .long)
    func day() throws {
      let summary = try summary("--route", "day", "--trigger", "cell")
      #expect(summary.durationSeconds == 86_400 && summary.gpsOnSeconds > 60)
      #expect((summary.dwellGPSOnShare ?? 1) < 0.01)
      #expect(summary.coverage ?? 0 > 0.5 && summary.coverage ?? 1 <= 1)
    }

    @Test("Equal seeds give equal output, and different seeds give different output")
    func seeds() throws {
      let first = try Demo("--seed", "7", "--faults", "many", "--trigger", "cell")
      #expect(try Demo("--seed=7", "--faults=many", "--trigger=cell").output == first.output)
      #expect(try Demo("--seed", "8", "--faults", "many", "--trigger", "cell").output != first.output)
    }

    @Test("If any change of the cell wakes the app, there are more locations, a smaller error and more GPS time")
    func triggers() throws {
      let apple = try summary("--trigger", "apple")
      let cell = try summary("--trigger", "cell")
      #expect(cell.locations > apple.locations * 3)
      #expect(cell.gpsOnSeconds > apple.gpsOnSeconds)
      #expect((cell.p95ErrorMeters ?? 0) < (apple.p95ErrorMeters ?? 0))
    }

    @Test("The GPS stays off if the user denies or ignores the prompt", arguments: ["deny", "ignore"])
    func answers(answer: String) throws {
      let summary = try summary("--answer", answer)
      #expect(summary.gpsOnSeconds == 0 && summary.locations == 0)
      #expect(summary.medianErrorMeters == nil)
      let demo = try Demo("--answer", answer)
      #expect(demo.output.contains(answer == "deny" ? "didDenyAccess" : "promptDidExpire"))
    }

    @Test("The standalone policy gives a receiver without assistance data enough time for fixes")
    func standalone() throws {
      #expect(try summary("--phone", "gpsd", "--trigger", "cell").locations > 20)
    }

    @Test("The summary counts rejected fixes")
    func rejections() throws {
      #expect(try summary("--faults", "many", "--trigger", "cell", "--seed", "3").rejections.values.reduce(0, +) > 0)
    }

    @Test(
      "--log writes transitions, locations, rejections and receiver modes as lines of JSON that only the owner can read"
    )
    func log() throws {
      let file = try Demo.temporaryFile("log.jsonl")
      let demo = try Demo("--log", file, "--faults", "some", "--trigger", "cell", "--seed", "1")
      #expect(demo.code == 0)
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      var types: [String: Int] = [:]
      var last = 0.0
      for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
        let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let time = try #require((entry["t"] as? NSNumber)?.doubleValue)
        #expect(time >= last)
        last = time
        types[try #require(entry["type"] as? String), default: 0] += 1
      }
      #expect(Set(types.keys) == ["transition", "mode", "location", "rejection"])
      #expect(try Demo("--log", "/nowhere/log").code == 73)
    }

    @Test("An existing log that others can read is emptied and made readable by its owner alone")
    func existingLog() throws {
      let file = try Demo.temporaryFile("log.jsonl", "old content\n")
      #expect(chmod(file, 0o644) == 0)
      #expect(try Demo("--json", "--log", file).code == 0)
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
      #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("old content"))
    }

    #if os(Linux)
      @Test("A log that can't be made private or can't be written is reported in one sentence")
      func refusedLog() throws {
        // The permissions of a file in /proc can't be changed.
        let open = try Demo("--json", "--log", "/proc/self/comm")
        #expect(open.code == 73)
        let reason = "cannot be restricted to its owner: Operation not permitted"
        #expect(open.error == "LocoKitDemo: /proc/self/comm \(reason)\n")
        for arguments in [["--json"], ["gpsd", "--host", "127.0.0.1", "--port", "1", "--for", "1", "--json"]] {
          let full = try Demo(list: arguments + ["--log", "/dev/full"])
          #expect(full.code == 74, "\(arguments)")
          #expect(full.error.hasSuffix("LocoKitDemo: /dev/full cannot be written: No space left on device\n"))
          #expect(full.output.hasPrefix("{"), "the summary is not lost")
        }
      }
    #endif

    @Test("--gpx drives a recorded track and reports dropped points")
    func gpx() throws {
      let points = (0..<100).map {
        "<trkpt lat=\"34.\(1_000 + $0)\" lon=\"-118\"><time>2020-01-01T00:\($0 / 60 + 10):\($0 % 60 + 10)Z</time></trkpt>"
      }
      let text = "<gpx><trk><trkseg>\(points.joined(separator: "\n"))<trkpt/></trkseg></trk></gpx>"
      let demo = try Demo("--json", "--gpx", try Demo.temporaryFile("a.gpx", text))
      #expect(demo.code == 0)
      #expect(demo.error.contains("note: Dropped 1 point without a usable coordinate; line 100: it has no lat.\n"))
    }

    @Test("An invalid argument or file ends the demo with a clear message and the right exit code")
    func failures() throws {
      let bad = try Demo.temporaryFile("bad.gpx", "<gpx>")
      let cases: [([String], Int32, String)] = [
        (["--gpx", "/nowhere.gpx"], 66, "LocoKitDemo: /nowhere.gpx: no such file\n"),
        (
          ["--gpx", bad], 65,
          "LocoKitDemo: \(bad):1: the file is cut off, or an element isn't closed; export it again\n"
        ),
        (["--sed", "1"], 64, "LocoKitDemo: there is no option '--sed'; did you mean '--seed'?\n"),
        (["drvie"], 64, "LocoKitDemo: there is no command 'drvie'; did you mean 'drive'?\n"),
        (["--seed"], 64, "LocoKitDemo: --seed needs a value."),
        (["--seed", "-1"], 64, "LocoKitDemo: --seed is a whole number"),
        (["--json=1"], 64, "LocoKitDemo: --json takes no value."),
        (
          ["--faults", "mny"], 64, "LocoKitDemo: --faults is one of none, some, many, not 'mny'; did you mean 'many'?\n"
        ),
        (["--realtime", "0"], 64, "LocoKitDemo: --realtime is a number from 0.001"),
        (["--within", "99"], 64, "LocoKitDemo: --within is a number of metres from 100 to 10000000, not '99'."),
        (["--within", "nan"], 64, "LocoKitDemo: --within is a number of metres from 100 to 10000000, not 'nan'."),
        (
          ["gpsd", "--within", "inf"], 64,
          "LocoKitDemo: --within is a number of metres from 100 to 10000000, not 'inf'."
        ),
        (["track", "--within", "500"], 64, "LocoKitDemo: there is no option '--within'."),
        (["get", "--gpsd", "--within", "500"], 64, "LocoKitDemo: there is no option '--within'."),
        (["--sensors", "all"], 64, "LocoKitDemo: there is no option '--sensors'."),
        (
          ["--phone", "forground"], 64,
          "LocoKitDemo: --phone is one of background, dutyCycled, keptAtRest, suspended, foreground, gpsd, not 'forground'; did you "
            + "mean 'foreground'?"
        ),
        (["--gpx", "a", "--route", "day"], 64, "LocoKitDemo: --gpx and --route are both routes: choose one."),
        (["drive", "drive"], 64, "LocoKitDemo: 'drive' is not expected here."),
        (
          ["diagram", "--format", "svgg"], 64,
          "LocoKitDemo: --format is one of \(DiagramFormat.allCases.map(\.rawValue).joined(separator: ", ")), not 'svgg'"
        ),
      ]
      for (arguments, code, message) in cases {
        let demo = try Demo(list: arguments)
        #expect(demo.code == code, "\(arguments)")
        #expect(demo.error.hasPrefix(message), "\(arguments): \(demo.error)")
        #expect(demo.output == "", "\(arguments)")
      }
    }

    @Test("--help lists every option of drive, and --version prints the version")
    func help() throws {
      for arguments in [["--help"], ["-h"], ["help"], ["drive", "--help"]] {
        let demo = try Demo(list: arguments)
        #expect(demo.code == 0 && demo.output.contains("USAGE: LocoKitDemo [drive]"))
        for option in DriveOptions.options { #expect(demo.output.contains(option.name), "\(option.name)") }
      }
      #expect(try Demo("diagram", "--help").output.contains("USAGE: LocoKitDemo diagram"))
      #expect(try Demo("--version").output == "LocoKitDemo \(LocoKitDemo.version)\n")
    }

    @Test(
      "diagram prints the location machine exactly as in StateDiagrams",
      arguments: DiagramFormat.allCases)
    func diagram(format: DiagramFormat) throws {
      let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../StateDiagrams/location.\(format.fileExtension)").standardized
      #expect(
        try Demo("diagram", "--machine", "location", "--format", format.rawValue).output
          == String(contentsOf: file, encoding: .utf8))
    }

    @Test("diagram prints every machine that has a table in StateDiagrams")
    func machines() throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../StateDiagrams")
        .standardized
      let tables = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "csv" }
      #expect(tables.count == DiagramOptions.Machine.allCases.count)
      for table in tables {
        let machine = table.deletingPathExtension().lastPathComponent
        #expect(
          try Demo("diagram", "--machine", machine, "--format", "csv").output
            == String(contentsOf: table, encoding: .utf8), "\(machine)")
      }
    }

    @Test("Without gpsd, the demo says once how to start it, and exits with 69 when the time is over")
    func gpsd() throws {
      let demo = try Demo("gpsd", "--port", "1", "--host", "127.0.0.1", "--for", "1.2")
      #expect(demo.code == 69)
      #expect(demo.error.contains("there is no gpsd at 127.0.0.1:1 (Connection refused); start it: gpsd -N"))
      #expect(demo.error.split(separator: "\n").count == 1)
      #expect(demo.output.contains("prompted → acquiring"))
      for command in ["get", "track", "trip"] {
        #expect(
          try Demo(command, "--gpsd", "--port", "1", "--host", "127.0.0.1", "--for", "0.2").code == 69, "\(command)")
      }
      let json = try Demo("gpsd", "--port", "1", "--host", "127.0.0.1", "--for=1s", "--json")
      #expect(json.output.hasPrefix("{") && json.output.split(separator: "\n").count == 1)
    }

    @Test("get prints one location, or says why it found none")
    func get() throws {
      let demo = try Demo("get", "--desired", "30")
      #expect(demo.code == 0)
      for word in ["good enough", "place", "accuracy", "altitude", "age"] { #expect(demo.output.contains(word)) }
      let json = try Demo("get", "--json")
      #expect(json.output.hasPrefix("{") && json.output.contains("\"latitude\""))
      let none = try Demo("get", "--seed", "4", "--desired", "1", "--timeout", "0.5")
      #expect(none.code == 75 && none.error == "LocoKitDemo: No fix came in time.\n")
      let late = try Demo("get", "--seed", "2", "--timeout", "0.5")
      #expect(late.code == 75 && late.output.isEmpty && late.error == "LocoKitDemo: No fix came in time.\n")
      let over = try Demo("get", "--desired", "1", "--timeout", "1h")
      #expect(over.code == 75 && over.error == "LocoKitDemo: the run ended before a location was found.\n")
    }

    @Test("track applies a distance filter, and trip measures a trip")
    func uses() throws {
      let all = try Demo("track", "--json").output.split(separator: "\n")
      let filtered = try Demo("track", "--json", "--distance-filter", "200").output.split(separator: "\n")
      #expect(all.count > 1_500)
      #expect((50..<900).contains(filtered.count))
      let trip = try Demo("trip")
      #expect(trip.output.contains("the signal is strong") && trip.output.contains("duration       0:29:56."))
      let json = try Demo("trip", "--json")
      #expect(json.output.hasPrefix("{\"distanceMeters\":"))
      for (arguments, message) in [
        (["get", "--port", "3"], "--port is for a real receiver"),
        (["trip", "--gpsd", "--seed", "3"], "--seed is for a"),
        (["trip", "--desired", "5"], "--desired is for get and track, not for trip"),
        (["get", "--distance-filter", "5"], "--distance-filter is for track, not for get"),
        (["track", "--timeout", "5"], "--timeout is for get, not for track"),
        (["get", "--gpsd", "--phone", "gpsd"], "--phone is for a simulated device"),
        (["help", "gdps"], "there is no command 'gdps'; did you mean 'gpsd'?"),
        (["help", "get", "extra"], "help takes one command, not also 'extra'"),
        (["get", "--desired", "0"], "--desired is a number of metres above 0"),
        (["track", "--distance-filter", "-1"], "--distance"),
      ] {
        let demo = try Demo(list: arguments)
        #expect(demo.code == 64 && demo.error.contains(message), "\(arguments)")
      }
    }

    @Test("A file's control characters don't reach the terminal in an error")
    func controls() throws {
      let file = try Demo.temporaryFile(
        "escapes.gpx",
        "<gpx><trk><trkseg><trkpt lat=\"\u{1B}]0;title\u{7}\u{1B}[31mX\" lon=\"1\"/></trkseg></trk></gpx>")
      let demo = try Demo("drive", "--gpx", file)
      #expect(demo.code == 65 && demo.error.contains("title"))
      #expect(demo.error.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test(
      "A journal that can't be written has an exit code of its own, and the result is printed nevertheless",
      arguments: [["drive"], ["track"], ["get"], ["trip"]])
    func unwrittenJournal(command: [String]) throws {
      // The name of the folder's secret is taken by a folder.
      let folder = try Demo.temporaryFile("journal", "") + "-folder"
      try FileManager.default.createDirectory(atPath: folder + ".secret/x", withIntermediateDirectories: true)
      let demo = try Demo(list: command + ["--json", "--journal", folder])
      #expect(
        demo.code == 74 && demo.error.contains("the journal could not be written all the time, and lacks "),
        "\(demo.error)")
      #expect(demo.output.hasPrefix("{") && demo.output.hasSuffix("}\n"), "\(demo.output)")
    }

    @Test(
      "The error about an unknown option suggests only an option that the command accepts with the given ones",
      arguments: [
        (["track", "--log", "x"], "there is no option '--log'."),
        (["track", "--prt", "3"], "there is no option '--prt'."),
        (["track", "--prt", "3", "--gpsd"], "there is no option '--prt'; did you mean '--port'?"),
        (["track", "--gpsd", "--sed", "3"], "there is no option '--sed'."),
        (["track", "--sed", "3"], "there is no option '--sed'; did you mean '--seed'?"),
        (["track", "--gpd", "--seed=3"], "there is no option '--gpd'; did you mean '--gpx'?"),
        (["trip", "--desird", "5"], "there is no option '--desird'."),
        (["--json", "--interactiv"], "there is no option '--interactiv'."),
        (["help", "gdps"], "there is no command 'gdps'; did you mean 'gpsd'?"),
      ])
    func acceptedSuggestions(arguments: [String], message: String) throws {
      let demo = try Demo(list: arguments)
      #expect(demo.code == 64)
      let command = arguments[0].hasPrefix("-") || arguments[0] == "help" ? "" : "\(arguments[0]) "
      #expect(demo.error == "LocoKitDemo: \(message)\nTry 'LocoKitDemo \(command)--help'.\n")
    }

    @Test(
      "An argument that isn't expected suggests the option for such a file, and an unknown command lists the commands",
      arguments: [
        (["drive", "commute.gpx"], "'commute.gpx' is not expected here; did you mean '--gpx commute.gpx'?"),
        (["compare", "a/b.gpx"], "'a/b.gpx' is not expected here; did you mean '--gpx a/b.gpx'?"),
        (["diagram", "commute.gpx"], "'commute.gpx' is not expected here."),
        (["drive", "commute"], "'commute' is not expected here."),
        (["zzzzzz"], "there is no command 'zzzzzz'. The commands are drive, compare, get, "),
      ])
    func unexpectedArguments(arguments: [String], message: String) throws {
      let demo = try Demo(list: arguments)
      #expect(demo.code == 64 && demo.error.hasPrefix("LocoKitDemo: " + message))
    }

    @Test("Each command's help has examples, which the command accepts")
    @MainActor func examples() throws {
      for (name, command) in LocoKitDemo.commands where name != "help" {
        #expect(command.help.contains("\nEXAMPLES:\n  LocoKitDemo "), "\(name)")
        for (line, purpose) in command.examples {
          let words = line.split(separator: " ").map(String.init)
          #expect(!purpose.isEmpty && LocoKitDemo.commands.contains { $0.key == words[0] }, "\(line)")
          #expect(try command.parse(words.dropFirst(), as: words[0]) != nil, "\(line)")
        }
      }
    }

    @Test("On a terminal, a help's headings are bold and its options colored; elsewhere, the help is plain")
    @MainActor func colouredHelp() {
      let help = "Prints.\n\nOPTIONS:\n  --seed N   --x\n  -h, --help   print this\n\nEXIT CODES: 0 done\n"
      #expect(Output.styled(help, isColoured: false) == help)
      #expect(
        Output.styled(help, isColoured: true)
          == "Prints.\n\n\u{1B}[1mOPTIONS:\u{1B}[0m\n  \u{1B}[36m--seed\u{1B}[0m N   --x\n"
          + "  \u{1B}[36m-h, --help\u{1B}[0m   print this\n\n\u{1B}[1mEXIT CODES:\u{1B}[0m 0 done\n")
    }

    @Test(
      "Without the permission, the error names the permission and not the receiver",
      arguments: ["get", "track", "trip"],
      [
        ("deny", "the permission was denied."),
        ("ignore", "the permission was never given: the prompt was not answered."),
      ])
    func permission(command: String, answer: (String, String)) throws {
      let demo = try Demo(command, "--answer", answer.0)
      #expect(demo.code == 77)
      #expect(demo.error == "LocoKitDemo: \(answer.1)\n")
    }

    @Test("A duration is parsed with or without units, and anything else is refused")
    @MainActor func durations() throws {
      for (text, seconds) in [("90", 90), ("90s", 90), ("15m", 900), ("1h30m", 5_400), ("1h1m1s", 3_661)] {
        #expect(try GPSDOptions.parse(["--for", text], as: "gpsd")?.duration == .seconds(seconds), "\(text)")
      }
      for text in ["", "0", "-1", "m", "1d", "s1", "1e9h", "99999h", "nan", "inf", "1 h"] {
        #expect(throws: Failure.self, "\(text)") { try GPSDOptions.parse(["--for", text], as: "gpsd") }
      }
    }

    @Test("--realtime prints the same summary as a drive at full speed")
    func realtime() throws {
      #expect(try Demo("--json", "--realtime", "100000").output == Demo("--json").output)
    }

    @Test("The simulated day uses at most 0.3 % of the battery per hour with a bound of 500 m", .long)
    func batteryUse() throws {
      let day = try summary("--route", "day", "--within", "500")
      #expect(day.percentPerHour ?? 1 <= 0.3)
    }

    @Test("The demo prints the lines of the README's transcript, in which … stands for other lines")
    func transcript() throws {
      let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
      let block = try #require(text.components(separatedBy: "```console\n").dropFirst().first)
      var shown = block.components(separatedBy: "\n```")[0].split(separator: "\n")
      #expect(shown.removeFirst() == "$ swift run LocoKitDemo")
      #expect(shown.count == 5)
      var printed = try Demo().output.split(separator: "\n")[...]
      var mayLeaveOut = false
      for line in shown {
        if line == "…" {
          mayLeaveOut = true
          continue
        }
        let index = try #require(printed.firstIndex(of: line), "\(line)")
        #expect(mayLeaveOut || index == printed.startIndex, "\(line)")
        printed = printed[(index + 1)...]
        mayLeaveOut = false
      }
    }

    static let root = Repository.root
    static let traces = Repository.shared.appending(path: "traces")

    @Test(
      "Every recorded track is driven, and every malformed file is driven or refused in one line", .long,
      .enabled(if: FileManager.default.fileExists(atPath: traces.path), "the recorded tracks are not available"))
    func files() throws {
      for folder in ["tracks", "nasty"] {
        let files = try FileManager.default.contentsOfDirectory(
          at: Self.traces.appending(path: folder), includingPropertiesForKeys: nil)
        for file in files where folder == "nasty" || file.pathExtension == "gpx" {
          let demo = try Demo("--json", "--gpx", file.path)
          #expect(demo.code == 0 || (folder == "nasty" && demo.code == 65), "\(file.lastPathComponent): \(demo.error)")
          if demo.code == 65 {
            #expect(demo.output == "" && demo.error.split(separator: "\n").count == 1, "\(demo.error)")
          }
        }
      }
    }

    @Test("A suggestion is a known name with a small edit distance")
    func suggestions() {
      #expect(Suggestion.ending(for: "--sede", in: ["--seed", "--gpx"]) == "; did you mean '--seed'?")
      #expect(Suggestion.ending(for: "--elephant", in: ["--seed", "--gpx"]) == ".")
      #expect(Suggestion.ending(for: "--log", in: ["--for", "--gpx"]) == ".")
      #expect(Suggestion.distance(Array("kitten"), Array("sitting")) == 3)
      #expect(Suggestion.distance([], Array("abc")) == 3)
    }
  }
#endif

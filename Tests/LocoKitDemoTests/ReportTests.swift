#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD
  import LocoKitJournal
  import LocoKitSimulation
  @testable import TestSupport
  import Testing

  @testable import LocoKitDemo

  @Suite("The report")
  struct ReportTests {
    private func file(_ name: String = "report.html") throws -> String { try Demo.temporaryFile(name) }

    private func page(_ arguments: [String]) throws -> (text: String, output: String) {
      let file = try file()
      let demo = try Demo(list: arguments + ["--json", "--report", file])
      #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
      return (try String(contentsOfFile: file, encoding: .utf8), demo.output)
    }

    /// Returns the JSON object in the page.
    private func data(_ page: String) throws -> [String: Any] {
      let parts = page.components(separatedBy: "<script type=\"application/json\" id=\"data\">")
      try #require(parts.count == 2)
      let json = try #require(parts[1].components(separatedBy: "</script>").first)
      #expect(!json.contains("<"))
      return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test("A look because of a visit is called a departure, and any other is called as its event")
    func causes() {
      #expect(LookCause.wake(.visit).words == "departure")
      for kind in WakeKind.allCases where kind != .visit { #expect(LookCause.wake(kind).words == kind.facts.one) }
    }

    @Test("Each kind of event has a mark of its own on the map")
    func marks() {
      let marks = ReportWords().wakes.map { ([$0.shape ?? ""] + ($0.colors ?? [])).joined(separator: " ") }
      #expect(marks.count == WakeKind.allCases.count && Set(marks).count == marks.count)
    }

    @Test("A page has the figures of the summary, and --report doesn't change the output")
    func summary() throws {
      let (page, output) = try page(["--within", "500"])
      let data = try data(page)
      #expect(output == (try Demo("--within", "500", "--json").output))
      let printed = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? NSDictionary
      #expect(printed != nil && data["summary"] as? NSDictionary == printed)
      #expect(data["title"] as? String == "freeway" && data["kind"] as? String == "drive")
      let recording = try #require(data["recording"] as? [String: Any])
      func count(_ key: String) -> Int? { ((recording[key] as? [String: Any])?["t"] as? [Any])?.count }
      let looks = try #require(printed?["looks"] as? [String: Int])
      #expect(count("looks") == looks.values.reduce(0, +))
      #expect(count("locations") == printed?["locations"] as? Int)
      #expect(count("states") ?? 0 > 50 && count("wakes") ?? 0 > 50)

      // The delivered locations are near the true path.
      func path(_ key: String) throws -> [(time: Double, latitude: Double, longitude: Double)] {
        let path = try #require(recording[key] as? [String: [Double]])
        var sum = (0.0, 0.0, 0.0)
        return zip(path["t"] ?? [], zip(path["lat"] ?? [], path["lon"] ?? [])).map { time, place in
          sum = (sum.0 + time / 10, sum.1 + place.0 / 1e6, sum.2 + place.1 / 1e6)
          return sum
        }
      }
      let truth = try path("truth")
      #expect(truth.first?.time == 0 && truth.last?.time == recording["seconds"] as? Double)
      for location in try path("locations") {
        let next = try #require(truth.firstIndex { $0.time > location.time })
        let (from, to) = (truth[next - 1], truth[next])
        let share = (location.time - from.time) / (to.time - from.time)
        let north = from.latitude + (to.latitude - from.latitude) * share - location.latitude
        let east = (from.longitude + (to.longitude - from.longitude) * share - location.longitude) * 0.83
        // A coarse fix may be off by more than its accuracy.
        #expect((north * north + east * east).squareRoot() * 111_195 < 1_500)
      }
    }

    @Test("The page of a comparison has all rows of the JSON and the curve of the least possible GPS time")
    func comparison() throws {
      let (page, output) = try page(["compare", "--seeds", "1", "--within", "500", "--gpx", try CompareTests.track()])
      let data = try data(page)
      let printed = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? NSDictionary
      #expect(printed != nil && data["comparison"] as? NSDictionary == printed)
      let least = try #require(data["least"] as? [[String: Double]])
      let shares = least.compactMap { $0["gpsOnShare"] }
      #expect(shares.count == 21 && shares == shares.sorted(by: >), "a larger bound costs no more")
    }

    @Test("A page is readable only by its owner, even if it replaces a file")
    func permissions() throws {
      let file = try Demo.temporaryFile("old.html", String(repeating: "old ", count: 100_000))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      #expect(try Demo("--json", "--report", file).code == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.hasPrefix("<!doctype html>") && text.hasSuffix("</html>\n") && !text.contains("old old"))
    }

    @Test("A page that can't be written leaves the earlier one, also through a link", arguments: [false, true])
    func earlierPage(isLink: Bool) throws {
      let file = try Demo.temporaryFile("page.html", "earlier")
      let path = isLink ? file + ".link" : file
      if isLink { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file) }
      // The new page is written beside the earlier one.
      try FileManager.default.createDirectory(atPath: file + ".new", withIntermediateDirectories: true)
      let failed = try Demo("--json", "--report", path)
      #expect(failed.code == 74 && failed.error.contains("page.html.new"), "\(failed.error)")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "earlier")
      try FileManager.default.removeItem(atPath: file + ".new")
      #expect(try Demo("--json", "--report", path).code == 0)
      #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("<!doctype html>"))
    }

    @Test(
      "If a page can't be created, the command fails before the drive, and a failed write is an error",
      arguments: ["drive", "compare"])
    func refusals(command: String) throws {
      let folder = URL(filePath: try file()).deletingLastPathComponent().path
      for (path, code, message) in [
        (folder, 73, "\(folder) cannot be written: Is a directory"),
        ("\(folder)/none/report.html", 73, "\(folder)/none/report.html cannot be written: No such file or directory"),
      ] as [(String, Int32, String)] {
        let demo = try Demo(command, "--report", path)
        #expect(demo.code == code && demo.output == "" && demo.error == "LocoKitDemo: \(message)\n", "\(demo.error)")
      }
      #if os(Linux)
        let full = try Demo(
          list: [command, "--report", "/dev/full"]
            + (command == "compare" ? ["--seeds", "1", "--gpx", try CompareTests.track()] : []))
        #expect(full.code == 74 && full.error.contains("/dev/full cannot be written: No space left on device"))
      #endif
      let page = "\(folder)/blocked.html"
      try FileManager.default.createDirectory(atPath: page + ".new", withIntermediateDirectories: true)
      let blocked = try Demo(
        list: [command, "--report", page]
          + (command == "compare" ? ["--seeds", "1", "--gpx", try CompareTests.track()] : []))
      #expect(blocked.code == 74 && !FileManager.default.fileExists(atPath: page), "no empty page is left")
      #expect(try Demo(command, "--help").output.contains("--report FILE"))
    }

    @Test("--report and --log with the same file are refused")
    func oneFile() throws {
      let demo = try Demo("--log", "./a", "--report", "a")
      #expect(
        demo.code == 64 && demo.error.hasPrefix("LocoKitDemo: --log and --report are the same file: choose two.\n"))
    }

    @Test("An output that would replace the track, the journal or another output is refused, and the file remains")
    func inputs() throws {
      let track = try CompareTests.track()
      let contents = try String(contentsOfFile: track, encoding: .utf8)
      let link = try Demo.temporaryFile("link.html", "") + "2"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: track)
      for arguments in [
        ["--gpx", track, "--log", track], ["--gpx", track, "--report", track], ["--gpx", track, "--report", link],
        ["compare", "--seeds", "1", "--gpx", track, "--report", track],
      ] {
        let demo = try Demo(list: arguments)
        #expect(
          demo.code == 64 && demo.error.contains("choose another file for the output"), "\(arguments): \(demo.error)")
        #expect(try String(contentsOfFile: track, encoding: .utf8) == contents)
      }
      let folder = URL(filePath: try Demo.temporaryFile("x", "")).appending(path: "../inputs").standardized
      #expect(try Demo("--gpx", track, "--journal", folder.path).code == 0)
      let journal = folder.appending(path: "journal-000001.jsonl").path
      let recorded = try String(contentsOfFile: journal, encoding: .utf8)
      let demo = try Demo("replay", folder.path, "--report", journal)
      #expect(demo.code == 64 && recorded.count > 1_000)
      #expect(try String(contentsOfFile: journal, encoding: .utf8) == recorded)
      #expect(try Demo("--log", link, "--report", track).code == 64, "two names of one file")
      // A journal's files and its secret aren't outputs of another kind, and a test doesn't replace its journal.
      let cut = URL(filePath: try Demo.temporaryFile("cut.jsonl", recorded))
      for (arguments, file) in [
        (["--journal", folder.path, "--report", journal], journal),
        (["--journal", folder.path, "--log", journal], journal),
        (["--journal", folder.path, "--log", "\(folder.path).secret"], "\(folder.path).secret"),
        (["replay", journal, "--report", "\(folder.path).secret"], "\(folder.path).secret"),
        (["gpsd", "--for", "1s", "--journal", folder.path, "--log", journal], journal),
        (
          [
            "test", cut.path, "--expecting", "no-location=1", "--name", "cut", "--force", "--output",
            cut.deletingLastPathComponent().path,
          ], cut.path
        ),
      ] {
        let before = try Data(contentsOf: URL(filePath: file))
        let demo = try Demo(list: arguments)
        #expect(demo.code == 64 && demo.error.contains("choose another file for the output"), "\(demo.error)")
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
      }
    }

    @Test(
      "A run that fails, or whose output's reader is gone, keeps an earlier page",
      arguments: [
        ["drive", "--journal", "/dev/null/x"], ["drive", "--route", "day", "--within", "200"], ["compare"], ["replay"],
      ])
    func keptPage(arguments: [String]) throws {
      let page = try Demo.temporaryFile("page.html", "old")
      let journal = page + "-journal"
      if arguments == ["replay"] { #expect(try Demo("--journal", journal).code == 0) }
      let output = Pipe()
      try output.fileHandleForReading.close()
      let program = try Program(
        arguments + ["--report", page]
          + (arguments == ["compare"] ? ["--seeds", "1", "--gpx", try CompareTests.track()] : [])
          + (arguments == ["replay"] ? [journal] : []),
        output: output, error: Pipe())
      #expect(try program.end() == (arguments.count == 3 ? 73 : 141))
      #expect(try String(contentsOfFile: page, encoding: .utf8) == "old")
    }

    #if os(Linux)
      @Test("A page that can't be written costs neither the log nor the end of the journal")
      func failedPage() throws {
        let log = try Demo.temporaryFile("all.log", "")
        #expect(try Demo("--log", log).code == 0)
        let expected = try String(contentsOfFile: log, encoding: .utf8)
        let journal = log + "-journal"
        #expect(try Demo("--log", log, "--journal", journal, "--report", "/dev/full").code == 74)
        let lines = try String(contentsOfFile: log, encoding: .utf8)
        #expect(lines.count { $0 == "\n" } > 10 && lines != expected, "a journal moves the places")
        #expect(try Demo("replay", journal, "--check").code == 0)
        #expect(try Demo("--log", log, "--journal", "/dev/null/x").code == 73)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == lines, "a failed run keeps an earlier log")
      }
    #endif

    @Test("A journal that lost lines is an error, even if later lines were written")
    func lostLines() throws {
      let folder = URL(filePath: try Demo.temporaryFile("lost", "") + "-journal")
      let secret = folder.path + ".secret"
      try FileManager.default.createDirectory(atPath: secret + "/x", withIntermediateDirectories: true)
      let device = SimulatedProvider(route: .losAngeles, seed: 1)
      let journal = Journal(folder: folder)
      let manager = LocationManager(provider: RecordingProvider(device, to: journal))
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(60))
      _ = journal.synchronize()
      try FileManager.default.removeItem(atPath: secret)
      device.advance(by: .seconds(60))
      #expect(throws: Failure.self) { try journal.finish() }
      #expect(journal.synchronize() && journal.lostLines > 0)
    }

    @Test("The app's code of a phone whose sensor is simulated has the sensor", arguments: Phone.allCases)
    func sensorCode(phone: Phone) {
      let configuration = phone.configuration(hasBound: true)
      let hasSensor = configuration.wakeSources.contains(.motion) || configuration.backgroundUpdates != .never
      if hasSensor { #expect(phone.appCode.contains("configuration.motionSensor = .coreMotion")) }
    }

    @Test("A refused output doesn't create the journal's secret")
    func noSecret() throws {
      let folder = try Demo.temporaryFile("unmade", "") + "-journal"
      #expect(try Demo("--journal", folder, "--report", folder + ".secret").code == 64)
      #expect(!FileManager.default.fileExists(atPath: folder + ".secret"))
    }

    @Test("A seed that JavaScript's numbers can't hold is exact in the pages")
    func largeSeed() throws {
      let seed = "18446744073709551615"
      let (page, _) = try page(["drive", "--seed", seed])
      #expect(page.contains("seed \(seed)") && !page.contains("\"seed\":\(seed)"))
      #expect(!page.contains("ended early"))
      let (compared, _) = try self.page([
        "compare", "--seed", seed, "--seeds", "1", "--within", "500", "--gpx", try CompareTests.track(),
      ])
      #expect(compared.contains("seed \(seed)"))
    }

    @Test("The page of a journal whose stored location has no place has none either")
    func noPlace() throws {
      let folder = URL(filePath: try file("")).appending(path: "journal")
      let store = MemoryStore()
      store.location = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: .distantPast)
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: .phoneInBackground)
      let journal = Journal(folder: folder)
      let manager = LocationManager(provider: RecordingProvider(device, to: journal), store: store)
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(100))
      #expect(journal.synchronize())
      let report = try Self.replayed(folder)
      #expect(try data(report.page)["kind"] as? String == "replay")
    }

    @Test("A file's name with markup is escaped in the page")
    func escaping() throws {
      let track =
        #"<gpx><trk><trkseg><trkpt lat="34" lon="-118"><time>2026-01-01T00:00:00Z</time></trkpt>"#
        + #"<trkpt lat="34.01" lon="-118"><time>2026-01-01T00:02:00Z</time></trkpt></trkseg></trk></gpx>"#
      let name = "<!--<script>\"alert(1)\u{2028}&amp;.gpx"
      let (text, _) = try page(["--gpx", try Demo.temporaryFile(name, track)])
      #expect(try data(text)["title"] as? String == name)
      #expect(!text.contains("alert(1)\u{2028}&amp;.gpx<") && !text.contains("<!--<script>"))
      #expect(Report.escaped(#"{"a":"</script>"}"#) == #"{"a":"\u003c/script>"}"#)
    }

    @Test("The embedded page matches its source files")
    func sources() throws {
      let folder = URL(filePath: #filePath).appending(path: "../../../Sources/LocoKitDemo/Report/page").standardized
      // An installed copy of the tests has no sources.
      guard FileManager.default.fileExists(atPath: folder.path) else { return }
      func read(_ name: Substring) throws -> String {
        String(try String(contentsOf: folder.appending(path: String(name)), encoding: .utf8).dropLast())
      }
      let scripts = try read("report.html").matches(of: /<script src="(.+)"><\/script>/).map { try read($0.1) }
      let (page, hashes) = (ReportAssets.beforeData + ReportAssets.afterData, Self.inlined.map(\.hash))
      let expected = try read("report.html")
        .replacing(/(<script src=".+"><\/script>\n)+/) { _ in "<script>\(scripts.joined(separator: "\n"))</script>\n" }
        .replacing(#"<link rel="stylesheet" href="report.css">"#, with: "<style>\(read("report.css"))</style>")
        .replacing("STYLE-HASH", with: hashes[0]).replacing("SCRIPT-HASH", with: hashes[1])
      #expect(page == expected, "run Sources/LocoKitDemo/Report/page/generate")
    }

    /// The page's style sheet and script, each with the hash that the Content-Security-Policy must contain.
    private static var inlined: [(text: String, hash: String)] {
      [#/<style>(.+?)</style>/#.dotMatchesNewlines(), #/<script>(.+?)</script>/#.dotMatchesNewlines()].map { element in
        let text = (ReportAssets.beforeData + ReportAssets.afterData).firstMatch(of: element)?.1 ?? ""
        return (String(text), "sha256-" + Data(SHA256.hash(Array(text.utf8))).base64EncodedString())
      }
    }

    @Test("The page's Content-Security-Policy allows only its own script and style")
    func policy() throws {
      let (page, _) = try page([])
      for (text, hash) in Self.inlined {
        #expect(!text.isEmpty && page.contains(text) && page.contains("-src '\(hash)';"))
      }
      #expect(
        Data(SHA256.hash(Array("abc".utf8))).base64EncodedString() == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
      #expect(page.contains("default-src 'none'") && !page.contains("unsafe-inline"))
      #expect(!page.contains(" src=") && !page.contains(" href=") && !page.contains("url("))
    }

    @Test("A page stays under 200 KB for a day", .long)
    func day() throws {
      let (day, _) = try page(["--route", "day", "--within", "500"])
      #expect(day.utf8.count < 200_000)
    }

    @Test("A path stays under 2 MB for a day in which no second can be left out")
    func size() throws {
      var path = ThinnedPath()
      var random = Noise()
      for second in 0..<86_400 {
        path.add(
          Double(second),
          [48 + Double(second) * 1e-5 + random.next() * 1e-4, 11 + random.next() * 1e-4, 5 + random.next()])
      }
      let json = try JSONEncoder().encode(Recording.Path(path, hasAccuracy: true))
      #expect(
        (900_000..<1_700_000).contains(json.count), "all points are kept in a compact form: \(json.count)")
    }

    @Test(
      "A thinned path is off by at most about a metre in each value, also across the 180th meridian",
      arguments: 1...5)
    func thinning(seed: UInt64) throws {
      var random = Noise(state: seed)
      var (path, added) = (ThinnedPath(), [ThinnedPath.Value]())
      var (place, heading) = (ThinnedPath.Value(60, 179.99, 10), 0.3)
      for second in 0..<3_000 {
        if random.next() > 0.9 { heading += random.next() }
        place += [cos(heading) * 1e-4, sin(heading) * 2e-4, random.next() * 0.1]
        added.append(place)
        path.add(Double(second), [place.x, place.y > 180 ? place.y - 360 : place.y, place.z])
      }
      let points = path.thinned
      #expect(points.count < 1_500 && points.first?.time == 0 && points.last?.time == 2_999)
      var next = 1
      for second in 0..<3_000 {
        while points[next].time < Double(second) { next += 1 }
        let (from, to) = (points[next - 1], points[next])
        let share = (Double(second) - from.time) / (to.time - from.time)
        let off = from.value + (to.value - from.value) * share - added[second]
        #expect(abs(off.x) * 111_195 < 1.001 && abs(off.y) * 111_195 * cos(60 * .pi / 180) < 1.02 && abs(off.z) < 1.001)
      }
    }

    @Test("A straight path is thinned to its two ends, and a point that isn't later than the last one is dropped")
    func straight() {
      var path = ThinnedPath()
      #expect(path.thinned.isEmpty)
      for second in 0...100 { path.add(Double(second), [34 + Double(second) * 1e-4, -118, 5]) }
      path.add(50, [0, 0, 0])
      #expect(path.thinned.map(\.time) == [0, 100])
    }

    @Test("The page of a journal has fixes and looks, but nothing that requires the true places")
    func journal() throws {
      let folder = URL(filePath: try file("")).appending(path: "journal")
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: .phoneInBackground)
      let journal = Journal(folder: folder)
      let manager = LocationManager(provider: RecordingProvider(device, to: journal), store: nil)
      manager.errorBound = 500
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(1_800))
      #expect(journal.synchronize())
      let report = try Self.replayed(folder)
      let recording = try #require(report.recording)
      #expect(recording.truth == nil && recording.dwelling.isEmpty && recording.boundMeters == 500)
      #expect(recording.looks.t.count > 20 && recording.wakes.t.count > 20 && recording.estimates.count > 20)
      #expect(recording.fixes?.t.count ?? 0 > 20 && recording.locations.t.count > 20)
      #expect((1_500...1_800).contains(recording.seconds))
      #expect(recording.startedAt == SimulatedProvider.Route.standardStart.timeIntervalSince1970)
      let page = report.page
      #expect(try data(page)["kind"] as? String == "replay")
      // `.ci/report` opens this file in a browser.
      if let folder = ProcessInfo.processInfo.environment["LOCOKIT_REPORTS"] {
        try page.write(toFile: folder + "/replay.html", atomically: true, encoding: .utf8)
      }
    }

    /// Replays a journal and returns its report, as the command `replay --report` does.
    private static func replayed(_ folder: URL) throws -> Report {
      let provider = try JournalProvider(contentsOf: folder)
      var manager: LocationManager?
      let recorder = ReportRecorder(provider, boundMeters: 500) { manager }
      func begin() {
        let new = LocationManager(provider: provider, store: provider.store)
        manager = new
        recorder.begin(new)
      }
      provider.onRelaunch = begin
      begin()
      try provider.run()
      return Report(kind: .replay, title: "journal", recording: recorder.recording)
    }
  }

  /// A generator of random numbers in −0.5..<0.5.
  private struct Noise {
    var state: UInt64 = 1

    mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53) - 0.5
    }
  }
#endif

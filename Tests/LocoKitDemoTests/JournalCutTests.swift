#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal
  @_spi(Benchmarks) import LocoMachine
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  @Suite("The cut of a journal")
  struct JournalCutTests {
    /// Runs the demo with a journal that keeps the true places, and returns the journal's file.
    static func recorded(_ arguments: [String]) throws -> URL {
      let folder = try Demo.temporaryFile("journal")
      let demo = try Demo(list: arguments + ["--journal", folder, "--journal-places"])
      #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
      return URL(filePath: folder + "/journal-000001.jsonl")
    }

    private static func lines(_ file: URL) throws -> [String] {
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    static let drives: [[String]] = [
      ["drive", "--within", "500"], ["drive", "--route", "day", "--within", "500"],
      ["drive", "--faults", "many", "--seed", "4", "--within", "500"], ["drive", "--faults", "many", "--seed", "5"],
      ["drive", "--route", "day", "--faults", "many", "--phone", "gpsd", "--seed", "2", "--within", "500"],
      ["drive", "--route", "day", "--faults", "some", "--phone", "foreground", "--within", "300"], ["get"],
      ["trip", "--faults", "some"],
    ]

    @Test(
      "A replay that omits no input reproduces the recorded journal up to the manager's release",
      arguments: isLong ? drives : [drives[0], drives[3], drives[6]])
    func identity(arguments: [String]) throws {
      let file = try Self.recorded(arguments)
      let recorded = try Self.lines(file)
      let launches = try JournalScript.Contents(of: file).launches
      var replayed: [String] = []
      for launch in launches {
        let replay = ScriptReplay(launch.timed(), keeping: launch.timed().inputs)
        let manager = LocationManager(provider: replay.provider, store: replay.provider.store)
        while replay.step() {}
        withExtendedLifetime(manager) {}
        replayed += String(decoding: try replay.journal(), as: UTF8.self).split(separator: "\n").map(String.init)
      }
      // A script doesn't contain the release, so the comparison ends before the release and its decisions.
      let end = recorded.firstIndex { $0.contains(#""is":"release""#) } ?? recorded.endIndex
      #expect(launches.count == 1 && replayed.count > 5)
      for (index, (was, now)) in zip(recorded[..<end], replayed).enumerated() where was != now {
        Issue.record("line \(index + 1): \(was), now \(now)")
        break
      }
      #expect(replayed.count == end)
    }

    static let symptoms: [([String], String)] = [
      (["drive", "--route", "day", "--within", "500"], "error-beyond=500"),
      (["drive", "--route", "day", "--within", "500"], "gps-longer=20"),
      (["drive", "--route", "day", "--within", "500"], "no-location=3600"),
      (["drive", "--faults", "many", "--seed", "4", "--within", "500"], "error-beyond=500"),
      (["drive", "--faults", "many", "--seed", "5"], "no-location=40"),
      (
        ["drive", "--route", "day", "--faults", "many", "--phone", "gpsd", "--within", "500"],
        "gps-longer=20"
      ),
      (["track", "--faults", "many"], "gps-longer=120"),
    ]

    @Test(
      "A cut journal shows the symptom, needs each of its inputs, and has no place within 1 km of a recorded one",
      arguments: isLong ? symptoms : [symptoms[0], symptoms[4]])
    func cut(arguments: [String], text: String) throws {
      let file = try Self.recorded(arguments)
      let (contents, symptom) = (try JournalScript.Contents(of: file), try Symptom(text))
      var random = SystemRandomNumberGenerator()
      let cut = try JournalCut(contents, showing: symptom, using: &random)
      try cut.verify()
      #expect(cut.minimum == .all && cut.tries <= JournalCut.maximumTries)
      #expect(cut.journal.count { $0 == UInt8(ascii: "\n") } < contents.lines)
      #expect(cut.measure.largest > symptom.limit)

      for position in cut.kept {
        let rest = cut.kept.filter { $0 != position }
        let outcome = JournalCut.replayed(cut.script, keeping: rest, until: symptom)
        #expect(outcome.end == nil, "the input at \(position) can be left out")
      }

      let output = file.deletingLastPathComponent().appending(path: "cut.jsonl")
      try Data(cut.journal).write(to: output)
      let moved = try #require(JournalScript.Contents(of: output).launches.first).places.filter(\.hasValidCoordinate)
      let places = try #require(contents.launches.first).places.filter(\.hasValidCoordinate)
      // A cut that shows a long run of the GPS may contain no fix.
      if case .errorBeyond = symptom { #expect(moved.count >= 2) }
      for place in moved { #expect(places.allSatisfy { $0.distance(to: place) > 1_000 }, "\(place)") }
      // The moved places are the recorded ones, rotated together and each shifted by about a metre.
      let origins = Dictionary(places.map { (Moment($0), $0) }, uniquingKeysWith: { first, _ in first })
      let pairs = moved.compactMap { place in origins[Moment(place)].map { (place, $0) } }
      #expect(pairs.count == moved.count)
      for ((place, origin), (next, nextOrigin)) in zip(pairs, pairs.dropFirst()) {
        let distances = (place.distance(to: next), origin.distance(to: nextOrigin))
        #expect(abs(distances.0 - distances.1) < 15, "\(distances)")
      }
    }

    /// Identifies a fix by its time, accuracy and source, which stay the same when its place is moved.
    private struct Moment: Hashable {
      let date: Date
      /// The bit pattern, because NaN isn't equal to itself.
      let accuracy: UInt64
      let source: Location.Source

      init(_ place: Location) {
        (date, accuracy, source) = (place.timestamp, place.horizontalAccuracy.bitPattern, place.source)
      }
    }

    @Test(
      "A cut journal hides the stored location, the names of cells and notes; moving it hides the texts of failures")
    func hidden() throws {
      let file = try ReplayTests.journal([
        ReplayTests.line(1, "command", #""event":"tryPrompt""#),
        ReplayTests.line(1, "authorization", #""authorization":"always""#),
        ReplayTests.line(2, "note", #""text":"at home""#),
        ReplayTests.line(3, "cell", #""text":"262-1-4711""#),
        ReplayTests.line(4, "failure", #""failure":"other","text":"at home""#),
        ReplayTests.fix(5, 0), ReplayTests.line(500, "cell", #""text":"262-1-4711""#),
        ReplayTests.line(4_000, "significantChange", #""fixes":[[34.01,-118,500,null,null,0,null,4000]]"#),
      ])
      let text = try String(contentsOfFile: file, encoding: .utf8)
        .replacing(#""isPaused":false"#, with: #""isPaused":false,"fixes":[[34,-118,5,null,null,0,null,-1000]]"#)
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let contents = try JournalScript.Contents(of: URL(filePath: file))
      // Seeded, because random places may have the digits of the true ones.
      var random = SeededGenerator(seed: 1)
      let cut = try JournalCut(contents, showing: .noLocation(seconds: 3_000), using: &random)
      try cut.verify()
      // A cut omits a failure that the symptom doesn't need.
      let moved = try #require(contents.launches.first).moved(using: &random).timed()
      let whole = JournalCut.replayed(moved, keeping: moved.inputs, until: .gpsLonger(seconds: 1e6))
      for journal in [cut.journal, try whole.replay.journal()].map({ String(decoding: $0, as: UTF8.self) }) {
        #expect(!journal.contains("home") && !journal.contains("4711") && !journal.contains("-118"), "\(journal)")
        #expect(!journal.contains("[[34,") && journal.contains(#""is":"launch""#) && journal.contains("[["))
        #expect(journal.contains(#""failure":"other""#) == (journal.utf8.count > cut.journal.count))
      }
    }

    @Test(
      "A replay fires its manager's timers: those with a recorded deadline as late as recorded, the others on time"
    )
    func timers() throws {
      let file = try ReplayTests.journal([
        ReplayTests.line(0, "errorBound", #""metres":500"#), ReplayTests.line(1, "command", #""event":"tryPrompt""#),
        ReplayTests.line(1, "authorization", #""authorization":"always""#), ReplayTests.line(50, "timer"),
        ReplayTests.line(500, "battery"),
      ])
      let script = try #require(JournalScript.Contents(of: URL(filePath: file)).launches.first).timed()
      func timer(keeping kept: [Int]) throws -> String {
        let outcome = JournalCut.replayed(script, keeping: kept, until: .gpsLonger(seconds: 60))
        #expect(outcome.end == nil)
        let lines = String(decoding: try outcome.replay.journal(), as: UTF8.self).split(separator: "\n")
        return String(lines.first { $0.contains(#""is":"timer""#) } ?? "")
      }
      #expect(script.inputs == [0, 1, 2, 4])
      // With a bound, the first look may take 45 s. Without a bound, an acquisition may take 15 s.
      #expect(try timer(keeping: [0, 1, 2, 4]).contains(#""t":50000000000"#))
      #expect(try timer(keeping: [0, 1, 2]).contains(#""t":50000000000"#))
      #expect(try timer(keeping: [1, 2, 4]).contains(#""t":16000000000"#))
    }

    @Test("The last input of a symptom with too many inputs is left out if a timer before it shows the symptom")
    func lastInput() throws {
      let file = try ReplayTests.journal(
        [
          ReplayTests.line(1, "command", #""event":"tryPrompt""#),
          ReplayTests.line(1, "authorization", #""authorization":"always""#),
        ] + (0..<600).map { ReplayTests.line(1.5 + Double($0) / 100, "battery") } + [
          ReplayTests.line(16, "timer"), ReplayTests.line(100, "motion", #""motion":"walking""#),
        ])
      var random = SeededGenerator(seed: 1)
      let contents = try JournalScript.Contents(of: URL(filePath: file))
      let cut = try JournalCut(contents, showing: .gpsLonger(seconds: 14), using: &random)
      try cut.verify()
      #expect(cut.minimum == .beforeSymptom && cut.kept.count > 500)
      #expect(!String(decoding: cut.journal, as: UTF8.self).contains("walking"))
    }

    @Test("A timer that never fired, because the app was suspended and then killed, doesn't fire in a replay")
    func unfired() throws {
      let lines = [
        ReplayTests.line(0, "errorBound", #""metres":500"#), ReplayTests.line(1, "command", #""event":"tryPrompt""#),
        ReplayTests.line(1, "authorization", #""authorization":"always""#),
      ]
      for (last, fires) in [
        (ReplayTests.line(500, "lost", #""count":1"#), false), (ReplayTests.line(50, "timer"), true),
      ] {
        let file = try ReplayTests.journal(lines + [last])
        let script = try #require(JournalScript.Contents(of: URL(filePath: file)).launches.first).timed()
        let replay = ScriptReplay(script, keeping: script.inputs)
        let manager = LocationManager(provider: replay.provider, store: replay.provider.store)
        while replay.step() {}
        withExtendedLifetime(manager) {}
        let journal = String(decoding: try replay.journal(), as: UTF8.self)
        #expect(journal.contains(#""is":"timer""#) == fires, "\(journal)")
      }
    }

    /// A problem, the lines of a journal after the permission, and the number of inputs that cause it.
    static let problems: [(LocationManager.Health.Problem, [String], Int)] = [
      (
        .permission,
        [
          ReplayTests.fix(5, 0), ReplayTests.line(9, "battery"),
          ReplayTests.line(99, "authorization", #""authorization":"denied""#), ReplayTests.line(100, "battery"),
        ], 1
      ),
      (
        .reducedAccuracy,
        [
          ReplayTests.line(5, "fixes", #""fixes":[[34,-118,3000,null,null,0,null,5,"reduced"]]"#),
          ReplayTests.line(9, "battery"),
        ], 3
      ),
      (.lowPowerMode, [ReplayTests.fix(5, 0), app(9, isLow: false), app(99, isLow: true), app(100, isLow: false)], 1),
      (
        .backgroundRefresh,
        [ReplayTests.fix(5, 0), app(9, mayRefresh: true), app(99, mayRefresh: false), app(100, mayRefresh: true)], 1
      ),
      (
        .noLocation,
        [
          ReplayTests.line(2, "battery"), ReplayTests.fix(5, 0), ReplayTests.line(50, "motion", #""motion":"walking""#),
          ReplayTests.line(90_000, "motion", #""motion":"vehicle""#),
        ], 5
      ),
      (.notRelaunched, [ReplayTests.line(2, "battery"), ReplayTests.fix(5, 20_000), ReplayTests.fix(6, 20_000)], 5),
      (
        .regions,
        [1, 2, 3, 4].flatMap { (trip: Int) -> [String] in
          let (seconds, metres) = (Double(trip) * 1_000, Double(trip) * 20_000)
          return [
            ReplayTests.line(seconds, "command", #""event":"forceAcquire""#), ReplayTests.fix(seconds + 1, metres),
          ]
            + (trip == 1 ? [ReplayTests.line(seconds + 9, "regionExit")] : [])
        }, 10
      ),
    ]

    private static func app(_ seconds: Double, isLow: Bool = false, mayRefresh: Bool = true) -> String {
      ReplayTests.line(
        seconds, "app", #""foreground":true,"lowPower":\#(isLow),"background":\#(mayRefresh)"#)
    }

    @Test("A journal with a health problem is cut to the inputs that cause the problem", arguments: problems.indices)
    func healthProblem(index: Int) throws {
      let (problem, lines, inputs) = Self.problems[index]
      // Only a system that reports visits launches an app that was closed.
      var sources = Sources.awake
      if problem == .notRelaunched { sources.kinds.insert(.visit) }
      let file = try ReplayTests.journal(
        [
          ReplayTests.line(0, "errorBound", #""metres":500"#), ReplayTests.line(1, "command", #""event":"tryPrompt""#),
          ReplayTests.line(1, "authorization", #""authorization":"always""#),
        ] + lines, sources: sources)
      if problem == .notRelaunched {
        let text = try String(contentsOfFile: file, encoding: .utf8)
          .replacing(#""isPaused":false"#, with: #""isPaused":false,"fixes":[[34,-118,5,null,null,0,null,-90000]]"#)
          .replacing(#""authorization":"notDetermined""#, with: #""authorization":"always""#)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
      }
      let contents = try JournalScript.Contents(of: URL(filePath: file))
      let script = try #require(contents.launches.first).timed()
      for other in LocationManager.Health.Problem.allCases {
        let outcome = JournalCut.replayed(script, keeping: script.inputs, until: .health(other))
        #expect((outcome.end != nil) == (other == problem), "\(other)")
      }
      var random = SystemRandomNumberGenerator()
      let cut = try JournalCut(contents, showing: .health(problem), using: &random)
      try cut.verify()
      #expect(cut.minimum == .all)
      let journal = String(decoding: cut.journal, as: UTF8.self)
      #expect(cut.kept.count == inputs, "\(journal)")
    }

    // MARK: - The meter

    private func measured(_ events: [(Int, ReplayMeter.Event)], from beginning: Int = 0) -> ReplayMeter {
      var meter = ReplayMeter()
      meter.beginning = .seconds(beginning)
      for (position, (seconds, event)) in events.enumerated() {
        meter.handle(event, at: .seconds(seconds), position: position)
      }
      return meter
    }

    private func place(_ metres: Double, at seconds: Double, accuracy: Double = 10) -> Location {
      Location(
        latitude: metres / 111_195, longitude: 0, horizontalAccuracy: accuracy,
        timestamp: Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test("The measured GPS runs, times without a location and errors equal those calculated by hand")
    func meter() {
      func fixes(_ metres: Double, _ seconds: Double, accuracy: Double = 10, late: Double = 0) -> ReplayMeter.Event {
        let fix = place(metres, at: seconds, accuracy: accuracy)
        return .fixes([fix], date: fix.timestamp + late)
      }
      let start: [(Int, ReplayMeter.Event)] = [(0, .state(.acquiring)), (0, .mode(.gps))]
      #expect(
        measured(start + [(10, .time), (20, .mode(.gps)), (70, .mode(.significantChanges))]).gpsRun.largest == 70)
      #expect(measured(start + [(10, .omission), (70, .time)]).gpsRun.largest == 10, "the run isn't whole")
      #expect(
        measured(start + [(10, .omission), (20, .mode(.off)), (30, .mode(.gps)), (90, .time)]).gpsRun.largest == 60)
      #expect(
        measured(start + [(50, .state(.waitingSignificantChange)), (90, .time)]).timeWithoutLocation.largest == 90)
      #expect(measured(start + [(50, .state(.paused)), (90, .time)]).timeWithoutLocation.largest == 50)
      let known = start + [(10, .location(place(0, at: 10)))]
      let time = measured(known + [(90, .time)]).timeWithoutLocation
      #expect(time == .init(largest: 80, position: 2, began: .seconds(10)))
      #expect(abs(measured(known + [(90, fixes(500, 90))]).error.largest - 490) < 1)
      #expect(measured(known + [(90, fixes(500, 90, accuracy: 101))]).error.largest == 0, "too coarse")
      let later = measured(known + [(60, fixes(500, 60)), (90, .time)], from: 70)
      #expect(later.timeWithoutLocation.largest == 20 && later.gpsRun.largest == 20 && later.error.largest == 0)
      #expect(measured(known + [(90, fixes(500, 90, late: 11))]).error.largest == 0, "too old")
      #expect(measured(known + [(90, fixes(40_000, 90))]).error.largest == 0, "too far")
      #expect(measured(known + [(50, .omission), (90, fixes(500, 90))]).error.largest == 0, "not whole")
      #expect(measured(known + [(50, .state(.paused)), (90, fixes(500, 90))]).error.largest == 0, "paused")
    }

    /// The events after a first location at 20 s; a problem; and the position at which the problem's stretch (see `ReplayMeter`) begins, or
    /// `nil` if the problem isn't counted.
    private static let stretches: [([(Int, ReplayMeter.Event)], LocationManager.Health.Problem, Int?)] = [
      ([(90, .health([.lowPowerMode]))], .lowPowerMode, 2),
      ([(50, .omission), (90, .health([.permission]))], .permission, 3),
      ([(50, .omission), (90, .health([.lowPowerMode, .backgroundRefresh]))], .backgroundRefresh, 3),
      ([(90, .health([.lowPowerMode]))], .permission, nil),
      ([(90, .health([.noLocation]))], .noLocation, 1),
      ([(50, .omission), (90, .health([.noLocation]))], .noLocation, nil),
      ([(50, .state(.paused)), (90, .health([.noLocation]))], .noLocation, nil),
      ([(90, .health([.regions]))], .regions, 0), ([(50, .omission), (90, .health([.regions]))], .regions, nil),
      ([(50, .omission), (60, .exit), (90, .health([.regions]))], .regions, 3),
      ([(50, .exit), (60, .omission), (90, .health([.regions]))], .regions, nil),
      ([(50, .exit), (90, .health([.notRelaunched]))], .notRelaunched, 0),
      ([(50, .omission), (60, .exit), (90, .health([.notRelaunched]))], .notRelaunched, nil),
    ]

    @Test("A problem that an omission could cause is not counted", arguments: stretches.indices)
    func stretch(index: Int) {
      let (events, problem, position) = Self.stretches[index]
      let meter = measured([(0, .state(.acquiring)), (20, .location(place(0, at: 20)))] + events)
      #expect(meter.problems[problem].map { [Int($0.largest), $0.position] } == position.map { [1, $0] })
      #expect(Symptom.health(problem).isShown(by: meter) == (position != nil))
      #expect(ReplayMeter().combined(with: meter).problems == meter.problems)
    }
  }
#endif

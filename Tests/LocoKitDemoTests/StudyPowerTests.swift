#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import Testing

  @testable import TestSupport

  @Suite("The power in a study")
  struct StudyPowerTests {
    typealias Lines = ReplayTests

    /// A journal and the expected figures of its study.
    struct Example: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var lines: [String]
      var sources = Sources.changes
      /// Seconds with the GPS on, in the receiver's tail, kept running and asleep: each at rest, then in motion.
      let seconds: [Double]
      var wakes = 0
      /// The number of runs, their hours, and the measured and predicted drop in percent. Empty without a run.
      var run: [Double] = []
      /// The ratio of the measured to the predicted drop, its lower limit and its upper limit. -1 is unknown.
      var ratio: [Double] = [-1, -1, -1]
      let hours: Double
      let words: String
    }

    private static func note(_ hours: Double, _ level: Double, _ supply: String = "unplugged") -> String {
      Lines.line(hours * 3_600, "note", #""text":"battery \#(level) \#(supply)""#)
    }

    /// Returns a launch line at an uptime and a date, both in seconds.
    private static func launch(_ seconds: Double, date: Double, sources: Sources = .changes) -> String {
      let policy =
        #"{"timeLimit":15,"acceptableAccuracy":100,"cooldown":30,"lookAfterFailure":6,"lookOldEphemeris":25,"errorLimit":5,"#
        + #""maximumAge":30,"lookRecentFix":8,"desiredAccuracy":10,"lookFirstFix":45}"#
      return #"{"t":\#(Int(seconds * 1e9)),"d":\#(date),"is":"launch","format":1,"version":"0","platform":"iOS 26.0","#
        + #""authorization":"always","policy":\#(policy),\#(Lines.fields(sources)),"isPaused":false}"#
    }

    /// The lines of a manager that has a permission and tracks from the first second, with the GPS on.
    private static let track = [
      Lines.line(0, "command", #""event":"tryPrompt""#), Lines.line(0, "authorization", #""authorization":"always""#),
      Lines.line(0, "begin", #""id":1,"wish":"every","metres":0,"filter":0"#),
    ]

    /// The lines of a manager that has a permission, gets a fix after four seconds, and then sleeps.
    private static let asleep = [
      Lines.line(0, "command", #""event":"tryPrompt""#), Lines.line(0, "authorization", #""authorization":"always""#),
      Lines.fix(4, 0),
    ]

    private static func motion(_ seconds: Double, _ motion: String) -> String {
      Lines.line(seconds, "motion", #""motion":"\#(motion)""#)
    }

    private static func sources(_ seconds: Double, _ sources: Sources) -> String {
      Lines.line(seconds, "wakeSources", Lines.fields(sources))
    }

    /// Returns a line with a fix that has a speed, in metres per second.
    private static func fix(_ seconds: Double, speed: Double) -> String {
      Lines.line(seconds, "fixes", #""fixes":[[34,-118,5,null,null,\#(speed),null,\#(seconds)]]"#)
    }

    static let examples: [Example] = [
      Example(
        testDescription: "no battery", lines: [sources(3_600, .changes)], seconds: [0, 0, 0, 0, 0, 0, 3_600, 0],
        hours: 86.375,
        words:
          "no ratio: no level of an unplugged battery\n               a run resolves the ratio to 20 % after "
          + "17.3 h with steps of 1 %, or 86.4 h with steps of 5 %\n"),
      Example(
        testDescription: "one level", lines: [note(0, 0.9), sources(3_600, .changes)],
        seconds: [0, 0, 0, 0, 0, 0, 3_600, 0],
        hours: 86.375, words: "no ratio: no run between two levels\n"),
      Example(
        testDescription: "only a charger", lines: [note(0, 0.5, "charging"), note(1, 0.9, "full")],
        seconds: [0, 0, 0, 0, 0, 0, 3_600, 0], hours: 86.375, words: "no ratio: no level of an unplugged battery"),
      Example(
        testDescription: "asleep", lines: [note(0, 0.9), note(10, 0.81)], seconds: [0, 0, 0, 0, 0, 0, 36_000, 0],
        run: [1, 10, 9, 2.894], ratio: [3.109, 2.764, 3.455], hours: 5.556,
        words:
          "power          the battery fell by 9.0 % in 10.0 h (n = 1); the model of the iPhone 6 predicts 2.894 %\n"
          + "               ratio 3.109 (2.764 – 3.455)\n               a run resolves the ratio to 20 % after 5.6 h with "
          + "steps of 1 %\n"),
      Example(
        testDescription: "one step", lines: [note(0, 0.9), note(10, 0.89)], seconds: [0, 0, 0, 0, 0, 0, 36_000, 0],
        run: [1, 10, 1, 2.894], ratio: [-1, -1, 0.691], hours: 17.275,
        words:
          "the drop is too small for a ratio: at most 0.691\n               a run resolves the ratio to 20 % after "
          + "17.3 h with steps of 1 %\n"),
      Example(
        testDescription: "steps of 5 %", lines: [note(0, 0.9), note(10, 0.85), note(20, 0.7)],
        seconds: [0, 0, 0, 0, 0, 0, 72_000, 0], run: [1, 20, 20, 5.789], ratio: [3.455, 2.591, 4.319], hours: 25,
        words: "after 25.0 h with steps of 5 %\n"),
      Example(
        testDescription: "a charge between two runs",
        lines: [note(0, 0.9), note(1, 0.87), note(2, 0.8, "charging"), note(3, 0.95), note(4, 0.92)],
        seconds: [0, 0, 0, 0, 0, 0, 14_400, 0], run: [2, 2, 6, 0.579], ratio: [10.365, 6.91, 13.82], hours: 1.667,
        words: "the battery fell by 6.0 % in 2.0 h (n = 2)"),
      Example(
        testDescription: "an unrecorded charge",
        lines: [note(0, 0.9), note(1, 0.87), note(2, 0.99), note(3, 0.96)], seconds: [0, 0, 0, 0, 0, 0, 10_800, 0],
        run: [2, 2, 6, 0.579], ratio: [10.365, 6.91, 13.82], hours: 1.667, words: "in 2.0 h (n = 2)"),
      Example(
        testDescription: "a level of 100 %", lines: [note(0, 1), note(1, 1), note(2, 0.99), note(3, 0.96)],
        seconds: [0, 0, 0, 0, 0, 0, 10_800, 0], run: [1, 1, 3, 0.289], ratio: [10.365, 6.91, 13.82], hours: 1.667,
        words: "the battery fell by 3.0 % in 1.0 h (n = 1)"),
      Example(
        testDescription: "two notes at the same time", lines: [note(0, 0.9), note(0, 0.87), note(1, 0.84)],
        seconds: [0, 0, 0, 0, 0, 0, 3_600, 0], run: [1, 1, 6, 0.289], ratio: [20.73, 17.275, 24.185], hours: 0.833,
        words: "the battery fell by 6.0 % in 1.0 h (n = 1)"),
      Example(
        testDescription: "lost lines, and a launch after them",
        lines: [
          note(0, 0.9), note(1, 0.87), Lines.line(4_000, "lost", #""count":3"#), note(2, 0.8), note(3, 0.77),
          launch(20_000, date: 20_000), Lines.line(20_000, "note", #""text":"battery 0.7 unplugged""#),
          Lines.line(23_600, "note", #""text":"battery 0.67 unplugged""#),
        ], seconds: [0, 0, 0, 0, 0, 0, 23_600, 0], run: [2, 2, 6, 0.579], ratio: [10.365, 6.91, 13.82], hours: 1.667,
        words: "the battery fell by 6.0 % in 2.0 h (n = 2)"),
      Example(
        testDescription: "the GPS on, in motion by the sensor and at rest",
        lines: track + [
          motion(0, "walking"), note(0, 0.9), motion(1_800, "standing"), motion(3_600, "still"), note(2, 0.78),
        ], sources: .awake, seconds: [3_600, 3_600, 0, 0, 0, 0, 0, 0], run: [1, 2, 12, 11.577],
        ratio: [1.037, 0.95, 1.123],
        hours: 0.833, words: "states         GPS on: 3600 s at rest, 3600 s in motion\n"),
      Example(
        testDescription: "in motion by a fix's speed, for five minutes at most",
        lines: track + [
          fix(0, speed: 0.2), fix(100, speed: 5), fix(200, speed: 0.2), fix(300, speed: 5), note(1, 0.9),
        ],
        seconds: [3_200, 400, 0, 0, 0, 0, 0, 0], hours: 6.015, words: "GPS on: 3200 s at rest, 400 s in motion\n"),
      Example(
        testDescription: "in motion by the distance between fixes",
        lines: track
          + [Lines.fix(0, 0), Lines.fix(100, 5), Lines.fix(200, 500), Lines.fix(300, 505), note(1, 0.9)]
          .map { $0.replacing(",null,null,0,null,", with: ",null,null,null,null,") },
        seconds: [3_300, 300, 0, 0, 0, 0, 0, 0], hours: 6.188, words: "GPS on: 3300 s at rest, 300 s in motion\n"),
      Example(
        testDescription: "asleep between looks, with the receiver's tail",
        lines: asleep + [
          note(0.5, 0.9), Lines.line(7_200, "significantChange"), fix(7_204, speed: 10), note(4.5, 0.8),
        ], seconds: [8, 0, 5, 5, 0, 0, 15_887, 295], wakes: 1, run: [1, 4, 10, 1.24], ratio: [8.064, 4.032, 12.095],
        hours: 10,
        words:
          "states         GPS on: 4 s at rest, 0 s in motion\n               the receiver's tail: 0 s at rest, 5 s in "
          + "motion\n               kept running: 0 s at rest, 0 s in motion\n               asleep: 14096 s at rest, 295 s in "
          + "motion\n               1 wake-ups\n"),
      Example(
        testDescription: "asleep in motion, of which the sensor says nothing, for five minutes at most",
        lines: Array(asleep.dropLast()) + [motion(1, "walking"), Lines.fix(4, 0), note(1, 0.9)],
        seconds: [1, 3, 0, 5, 0, 0, 3_296, 295], hours: 67.331, words: "asleep: 3296 s at rest, 295 s in motion\n"),
      Example(
        testDescription: "the platform stops running timers while asleep, and runs them again",
        lines: asleep + [sources(3_604, .changes), sources(7_204, [.significantChange, .timer]), note(3, 0.9)],
        sources: [.significantChange, .timer], seconds: [4, 0, 5, 0, 7_191, 0, 3_600, 0], hours: 21.383,
        words: "kept running: 7191 s at rest, 0 s in motion\n"),
      Example(
        testDescription: "a keeper that is turned off and on",
        lines: [Lines.line(0, "errorBound", #""metres":500"#)] + asleep + [
          // The app is suspended after the look at rest. From the region exit on, it's kept running again.
          motion(4, "still"), Lines.line(184, "timer"), Lines.fix(186, 0), Lines.line(190, "timer"),
          Lines.line(3_600, "regionExit"),
          fix(3_604, speed: 10), motion(3_700, "vehicle"), Lines.line(3_720, "timer"),
          sources(7_200, Sources([.significantChange, .regionExit, .motion], .whileMoving)),
        ], sources: Sources([.significantChange, .regionExit, .motion], .whileMoving),
        seconds: [10, 20, 10, 10, 175, 3_566, 3_409, 0], wakes: 1, hours: 11.91,
        words: "kept running: 175 s at rest, 3566 s in motion\n"),
      Example(
        testDescription: "a relaunch",
        lines: asleep + [
          note(0.5, 0.9), sources(3_600, [.significantChange, .timer]),
          launch(50, date: 7_200, sources: [.significantChange, .timer]),
          Lines.line(50, "command", #""event":"tryPrompt""#).replacing("\"d\":50.0", with: "\"d\":7200"),
          Lines.line(50, "authorization", #""authorization":"always""#).replacing("\"d\":50.0", with: "\"d\":7200"),
          Lines.fix(54, 0).replacing("\"d\":54.0", with: "\"d\":7204").replacing(",54.0]", with: ",7204]"),
          Lines.line(3_650, "note", #""text":"battery 0.84 unplugged""#).replacing("\"d\":3650.0", with: "\"d\":10800"),
        ], sources: [.significantChange, .timer], seconds: [8, 0, 10, 0, 7_182, 0, 3_600, 0], run: [1, 2.5, 6, 2.704],
        ratio: [2.219, 1.849, 2.589], hours: 2.083, words: "the battery fell by 6.0 % in 2.5 h (n = 1)"),
    ]

    @Test(
      "study prints the time in each state, the battery's drop, and the ratio of the drop to the predicted one",
      arguments: examples)
    func power(_ example: Example) throws {
      let file = try Lines.journal(example.lines, sources: example.sources)
      let power = try #require(try Lines.study(file)["power"] as? [String: Any])
      #expect(
        Set(power.keys) == [
          "model", "isAsRecorded", "secondsInState", "wakes", "run", "ratio", "ratioAtLeast", "ratioAtMost",
          "hoursToResolve",
        ])
      let states = try #require(power["secondsInState"] as? [String: [String: Double]])
      let seconds = ["gps", "tail", "keptRunning", "asleep"].flatMap { state in
        ["resting", "moving"].map { states[state]?[$0] ?? -1 }
      }
      #expect(seconds == example.seconds)
      #expect(power["wakes"] as? Int == example.wakes)
      let run = power["run"] as? [String: Any]
      let keys = ["n", "hours", "measuredPercent", "predictedPercent"]
      #expect(keys.compactMap { run?[$0] as? Double } == example.run)
      #expect(["ratio", "ratioAtLeast", "ratioAtMost"].map { power[$0] as? Double ?? -1 } == example.ratio)
      #expect(power["hoursToResolve"] as? Double == example.hours)
      let text = try Demo("study", file).output
      #expect(text.contains(example.words), "\(text)")
    }

    @Test("The time in which lines were lost is no time asleep", arguments: [false, true])
    func lostLines(hasNotes: Bool) throws {
      let lines =
        [Self.note(0, 0.9), Self.note(1, 0.87), Lines.line(4_000, "lost", #""count":3"#)]
        + (hasNotes ? [Self.note(2, 0.8), Self.note(3, 0.77)] : [])
        + [
          Self.launch(20_000, date: 20_000), Lines.line(20_000, "note", #""text":"battery 0.7 unplugged""#),
        ]
      let figures = try Lines.study(Lines.journal(lines, sources: .changes))
      let asleep = try #require(figures["batteryPercentPerHourAsleep"] as? [String: Any])
      #expect(asleep["per"] as? Double == 1 && asleep["rate"] as? Double == 3)
    }

    @Test("study adds up several journals, and says if a replay differs from its recording")
    func several() throws {
      let (day, other) = (
        try Lines.journal([Self.note(0, 0.9), Self.note(10, 0.81)], sources: .changes),
        try Lines.journal(Self.asleep + [Self.note(1, 0.7)], sources: .changes)
      )
      func power(_ file: String) throws -> [String: Any] {
        try #require(try Lines.study(file)["power"] as? [String: Any])
      }
      let both = try Demo("study", day, other).output
      #expect(both.contains("the battery fell by 9.0 % in 10.0 h (n = 1)") && both.contains("ratio 3.109 ("), "\(both)")
      // `other` has inputs without decision lines, so it can't match its replay. `day` has only notes.
      #expect(try power(other)["isAsRecorded"] as? Bool == false)
      #expect(try power(day)["isAsRecorded"] as? Bool == true)
      let note = "the states are those of the replay, which differs from the recording\n"
      #expect(both.contains(note))
      #expect(try Demo("study", other).output.contains(note) && !Demo("study", day).output.contains(note))
    }

    @Test("The states of a recorded drive match the drive's summary")
    func recorded() throws {
      let folder = try Demo.temporaryFile("journal")
      let drive = try Demo("--within", "500", "--json", "--journal", folder)
      let summary = try #require(
        try JSONSerialization.jsonObject(with: Data(drive.output.utf8)) as? [String: Any])
      let power = try #require(try Lines.study(folder)["power"] as? [String: Any])
      #expect(power["isAsRecorded"] as? Bool == true && power["model"] as? String == "iPhone 6")
      let states = try #require(power["secondsInState"] as? [String: [String: Double]])
      func seconds(_ state: String) -> Double { states[state]?.values.reduce(0, +) ?? -1 }
      #expect(abs(seconds("gps") - (summary["gpsOnSeconds"] as? Double ?? 0)) < 0.1)
      // The study doesn't count the time after the journal's last line, which is less than a minute.
      let kept = (summary["keptRunningShare"] as? Double ?? 0) * 1_800
      #expect(abs(seconds("keptRunning") - kept) < 60)
      let total = ["gps", "tail", "keptRunning", "asleep"].reduce(0) { $0 + seconds($1) }
      let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
      let lines = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
      let last = try JSONSerialization.jsonObject(with: Data(try #require(lines.last).utf8)) as? [String: Any]
      let end = try #require(last?["t"] as? Double) / 1e9
      #expect(end > 1_740 && abs(total - end) < 0.01)
    }
  }
#endif

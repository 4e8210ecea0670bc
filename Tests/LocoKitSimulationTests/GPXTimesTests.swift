import Foundation
@_spi(Benchmarks) import LocoMachine
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("The times of a GPX track")
struct GPXTimesTests {
  private typealias Track = SimulatedProvider.GPXTrack

  private static func read(_ text: String) throws -> SimulatedProvider.GPXTrack {
    try SimulatedProvider.GPXTrack(bytes: Array(text.utf8), file: "")
  }

  // MARK: - Dates

  @Test(
    "Each form of ISO 8601 is read",
    arguments: [
      "2022-03-27T22:32:01Z", "2022-03-27T22:32:01.0Z", "2022-03-27T22:32:01,000Z", "2022-03-27 22:32:01",
      "2022-03-27t22:32:01z", "20220327T223201Z", "20220327T223201", "2022-03-27T22:32:01 Z", "2022-03-27T22:32:01.Z",
      "2022-03-28T00:02:01+01:30", "2022-03-28T00:02:01+0130", "2022-03-27T12:32:01-10", "2022-03-27T22:32:01 +00",
    ])
  func forms(_ text: String) {
    #expect(GPXDate.seconds(Array(text.utf8)[...]) == 1_648_420_321)
  }

  @Test(
    "Fractions, absent seconds, leap seconds and the end of a day are read",
    arguments: [
      ("2022-03-27T22:32:01,5Z", 1_648_420_321.5), ("2022-03-27T22:32:01.125Z", 1_648_420_321.125),
      ("2022-03-27T22:32Z", 1_648_420_320), ("20220327T2232", 1_648_420_320), ("2016-12-31T23:59:60Z", 1_483_228_800),
      ("2016-12-31T24:00:00Z", 1_483_228_800), ("1970-01-01T00:00:00Z", 0), ("2000-02-29T00:00:00Z", 951_782_400),
      ("1969-12-31T23:59:59Z", -1), ("2024-12-31T23:59:59Z", 1_735_689_599), ("0001-01-01T00:00Z", -62_135_596_800),
      ("2022-03-27T22:32+23:59", 1_648_333_980), ("2022-03-27T22:32-23:59", 1_648_506_660),
    ])
  func values(_ text: String, _ seconds: Double) {
    #expect(GPXDate.seconds(Array(text.utf8)[...]) == seconds)
  }

  @Test(
    "A day or a time that doesn't exist isn't read",
    arguments: [
      "2022-03-27T25:00:00Z", "2022-03-27T24:00:01Z", "2022-03-27T24:01Z", "2022-03-27T07:60:00Z",
      "2022-03-27T07:08:61Z", "2022-02-30T00:00:00Z", "2021-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
      "2022-04-31T00:00:00Z", "2022-13-01T00:00:00Z", "2022-00-01T00:00:00Z", "2022-01-00T00:00:00Z",
      "0000-01-01T00:00:00Z", "2022-03-27", "2022-0327T00:00:00Z", "202203-27T00:00:00Z", "22-03-27T00:00:00Z",
      "2022-03-27T22:32:01+24:00", "2022-03-27T22:32:01+01:60", "2022-03-27T22:32:01+1", "2022-03-27T22:32:01ZZ",
      "2022-03-27T22:32:1Z", "2022-03-27T22:32:01.5.5Z", "2022-03-27T22:3a:01Z", "2022-03-27Z22:32:01", "", "T",
      "yesterday",
    ])
  func noDates(_ text: String) {
    #expect(GPXDate.seconds(Array(text.utf8)[...]) == nil)
  }

  @Test("A day has the same date as in Foundation's calendar, from 1600 to 3998")
  func calendar() {
    for day in stride(from: -135_140, through: 741_000, by: 97) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      #expect(GPXDate.seconds(Array(date.formatted(Date.ISO8601FormatStyle()).utf8)[...]) == date.timeIntervalSince1970)
    }
  }

  @Test("A number of up to 15 digits is read as Swift reads it, and other texts aren't numbers")
  func numbers() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let digits = "\(UInt64.random(in: 0..<1_000_000_000_000_000, using: &generator))"
      let place = digits.index(digits.startIndex, offsetBy: Int.random(in: 0...digits.count, using: &generator))
      let exponent = ["", "e2", "E-3", "e+0"].randomElement(using: &generator) ?? ""
      let text = (Bool.random(using: &generator) ? "-" : "") + digits[..<place] + "." + digits[place...] + exponent
      #expect(Double(decimal: Array(text.utf8)[...]) == Double(text), "\(text)")
    }
    for text in [
      "", "-", "+", ".", "1.2.3", "1e", "e5", "1e+", "nan", "inf", "0x10", "1 2", "1e400", "1,5", "--1", "−1",
    ] {
      #expect(Double(decimal: Array(text.utf8)[...]) == nil, "\(text)")
    }
    for text in [
      "48.13712345678901234", "0.000000000000000000012345678901234567890", "123456789012345678901234", "1e-400",
    ] {
      let (read, exact) = (Double(decimal: Array(text.utf8)[...]) ?? .nan, Double(text) ?? .nan)
      #expect(abs(read - exact) <= 4 * exact.ulp, "\(text)")
    }
  }

  // MARK: - Files

  /// Files of the kinds that users have reported, the duration and the number of points of each route, and the dropped points.
  private static let reports: [(file: String, seconds: Double, points: Int, dropped: [Track.DropReason: Int])] = [
    ("rate3", 59 + 2 / 3.0, 180, [:]), ("rate10", 59.9, 600, [:]), ("cumulative", 99, 100, [.repeated: 170]),
    ("date-1970-first", 98, 99, [.timeFarOff: 1]), ("date-1980-first", 98, 99, [.timeFarOff: 1]),
    ("date-2080-first", 98, 99, [.timeGoingBack: 1]), ("date-2080-in-the-middle", 99, 99, [.timeGoingBack: 1]),
    ("date-2080-last", 98, 99, [.timeFarOff: 1]), ("date-a-day-ahead-at-60", 99, 99, [.timeGoingBack: 1]),
    ("ends", 99, 100, [:]), ("reversed", 99, 100, [:]), ("null-island", 99, 99, [.nullIsland: 1]),
  ]

  private static let folder = GPXTrackTests.traces.appending(path: "reports")

  @Test(
    "A file of a public report has the duration and the points of its sound times",
    .enabled(if: FileManager.default.fileExists(atPath: folder.path), "the recorded tracks are missing"),
    arguments: reports.indices)
  func report(_ index: Int) throws {
    let (file, seconds, points, dropped) = Self.reports[index]
    let track = try SimulatedProvider.GPXTrack(contentsOf: Self.folder.appending(path: "\(file).gpx"))
    #expect(abs(track.route.duration.inSeconds - seconds) < 0.001, "\(file): \(track.route.duration)")
    #expect(track.route.points.count == points && track.dropped == dropped, "\(file): \(track.notes)")
    #expect(track.notes.count == 1)
  }

  /// A track of points 1 s apart, with the given times in seconds after its start.
  private static func track(_ times: [Double?], latitude: (Int) -> Double = { 48 + Double($0) * 1e-4 }) throws -> Track
  {
    let points = times.enumerated().map { index, time in
      let date = time.map { Date(timeIntervalSince1970: 1_700_000_000 + $0).formatted(.iso8601WithFraction) }
      return "<trkpt lat=\"\(latitude(index))\" lon=\"11\">\(date.map { "<time>\($0)</time>" } ?? "")</trkpt>"
    }
    return try read("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
  }

  @Test("Points without times get theirs by the distance if most have none, and are dropped otherwise")
  func untimed() throws {
    // The third leg is as long as the other two.
    let few = try Self.track([0, nil, nil, 40, nil]) { 48 + [0, 1, 2, 4, 5][$0] * 1e-3 }
    #expect(few.route.points.map { $0.time.rounded() } == [0, 10, 20, 40] && few.dropped == [.noTime: 1])
    #expect(few.notes.first == "Gave 2 points without a usable time a time by the distance between points with times.")
    let most = try Self.track([0, nil, nil, 40, 50])
    #expect(most.route.points.map(\.time) == [0, 40, 50] && most.dropped == [.noTime: 2])
    let still = try Self.track([nil, 0, nil, nil, nil, 40]) { _ in 48 }
    #expect(still.route.points.map(\.time) == [0, 10, 20, 30, 40] && still.dropped == [.noTime: 1])
    // Two points that have times don't make a route of a planned one.
    let planned = try Self.track([0, 1] + Array(repeating: nil, count: 40))
    #expect(planned.route.points.count == 42)
    #expect(planned.notes == ["2 of 42 points have a usable time; the speed is assumed to be 50 km/h."])
  }

  @Test("Up to 20 points with the same time are spread until the next time, for a second at most")
  func shared() throws {
    #expect(try Self.track([0, 0, 1, 1, 5, 5]).route.points.map(\.time) == [0, 0.5, 1, 1.5, 5, 5.5])
    #expect(try Self.track([0, 0.25, 0.25, 0.75]).route.points.map(\.time) == [0, 0.25, 0.5, 0.75])
    let burst = try Self.track(Array(repeating: 0, count: 20) + [10])
    #expect(burst.route.points.count == 21 && abs(burst.route.points[19].time - 0.95) < 1e-6)
    #expect(burst.notes == ["Moved 19 points with the time of another within that second."])
    // More points don't come from a receiver: their time says nothing. 20 of them lie between the times.
    let stuck = try Self.track(Array(repeating: 0, count: 21) + [21])
    #expect(stuck.route.points.count == 22 && abs(stuck.route.points[20].time - 20) < 0.01)
    let none = try Self.track(Array(repeating: 0, count: 30))
    #expect(
      none.route.points.count == 30
        && none.notes == ["1 of 30 points have a usable time; the speed is assumed to be 50 km/h."])
  }

  @Test(
    "Single points a day from all others are dropped, and so are all of a clock that isn't set, but not the days of a hike"
  )
  func strays() throws {
    let day = 86_400.0
    let drive = (0..<40).map { 2 * day + Double($0) }
    for (times, dropped) in [
      ([0, 1], 2), ([0], 1), ([day], 1), ([0, 1, 2], 0), ([day + 1], 0),
      ([-1_690_000_000, -1_689_999_999, -1_689_999_998], 3),
    ] {
      #expect(try Self.track(times + drive).dropped[.timeFarOff, default: 0] == dropped, "\(times)")
      let mirrored = drive + times.reversed().map { 4 * day + 39 - $0 }
      #expect(try Self.track(mirrored).dropped[.timeFarOff, default: 0] == (dropped == 3 ? 0 : dropped), "\(mirrored)")
    }
    // Even if the clock is set late.
    let late = try Self.track((0..<60).map { -1_690_000_000 + Double($0) } + drive)
    #expect(late.dropped == [.timeFarOff: 60] && late.route.points.count == 40)
    let hike = try Self.track((0..<5).map { Double($0) * 1.5 * day })
    #expect(hike.route.points.count == 5 && hike.notes == ["Cut 4 pauses of more than a day to a day."])
    // A whole track of the first minutes of 1970 has only such times.
    #expect(try Self.track((0..<40).map { -1_700_000_000 + Double($0) }).dropped.isEmpty)
  }

  @Test("A point at 0°, 0° is a place only near it")
  func nullIsland() throws {
    for (near, dropped) in [(0.5, 0), (2, 1)] {
      let track = try Self.track([0, 1, 2]) { $0 == 1 ? 0 : near }
      let text =
        "<gpx><trk><trkseg>"
        + [near, 0, near + 1e-4].enumerated().map {
          "<trkpt lat=\"\($1)\" lon=\"\($1 == 0 ? 0 : near)\"><time>2020-01-01T00:00:0\($0)Z</time></trkpt>"
        }.joined() + "</trkseg></trk></gpx>"
      #expect(try Self.read(text).dropped[.nullIsland, default: 0] == dropped)
      #expect(track.dropped.isEmpty)
    }
    let boat =
      "<gpx><trk><trkseg><trkpt lat='0' lon='0'/><trkpt lat='0' lon='0'/><trkpt lat='0' lon='0.1'/></trkseg></trk></gpx>"
    #expect(try Self.read(boat).dropped == [.samePlace: 1])
    let buoy = (0..<3).map { "<trkpt lat='0' lon='0'><time>2020-01-01T00:00:0\($0)Z</time></trkpt>" }.joined()
    let moored = try Self.read("<gpx><trk><trkseg>\(buoy)</trkseg></trk></gpx>")
    #expect(moored.route.points.count == 3 && moored.dropped.isEmpty, "there is no other place")
  }

  @Test("Points in no order are sorted by their times")
  func unsorted() throws {
    var generator = SeededGenerator(seed: 3)
    let times = (0..<200).map(Double.init).shuffled(using: &generator)
    let track = try Self.track(times)
    #expect(track.route.points.map { $0.time } == times.sorted() && track.notes.count == 1)
    #expect(zip(track.route.points, 0...).allSatisfy { times[Int((($0.latitude - 48) * 1e4).rounded())] == Double($1) })
  }

  @Test("The longest run of times that don't fall is found")
  func longestRun() {
    for (times, length) in [
      ([], 0), ([1], 1), ([2, 1], 1), ([1, 1, 1], 3), ([1, 9, 2, 3], 3), ([5, 1, 6, 2, 7, 3], 3), ([9, 1, 2, 3, 0], 3),
      ([1, 2, 100, 3, 101, 4], 4), ([3, 3, 2, 2, 1], 2),
    ] as [([Double], Int)] {
      let points = times.map { GPXDocument.Point(latitude: 0, longitude: 0, time: $0) }
      let run = GPXTimes.longestRun(points)
      #expect(run.count == length, "\(times)")
      #expect(run == run.sorted() && run.map { times[$0] } == run.map { times[$0] }.sorted())
    }
  }

  // MARK: - Everything else in a file

  @Test(
    "Points with sound times give the same route whatever else the file has, and the notes count it", arguments: 0..<4)
  func disturbed(part: Int) async {
    let seeds = Seeds.part(part, of: 4, runs: isLong ? 400 : 120)
    await Seeds.play(seeds) { seed in
      let file = Disturbed(seed: seed)
      if Seeds.alone != nil { print(file.text) }
      return file.broken
    }
  }

  /// A track with sound times, and the same track in a file with wrong points and malformed XML.
  private struct Disturbed {
    private(set) var text = ""
    private var sound = ""
    private var expected: [Track.DropReason: Int] = [:]

    init(seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
      func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
      }
      func time(_ seconds: Double) -> String {
        let text = Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle())
        let forms = [
          text, text.replacing("T", with: " "), String(text.dropLast()), text.replacing("Z", with: ",00Z"),
          text.replacing("-", with: "").replacing(":", with: ""),
          Date(timeIntervalSince1970: seconds + 7_200).formatted(Date.ISO8601FormatStyle()).replacing(
            "Z", with: "+02:00"),
        ]
        return pick(forms)
      }
      func point(_ latitude: Double, _ longitude: Double, _ time: String?) -> String {
        "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\(time.map { "<time>\($0)</time>" } ?? "")</trkpt>"
      }

      var points: [(text: String, isSound: Bool)] = []
      var (seconds, latitude, longitude) = (1.6e9 + Double(seed % 1_000), 48.0, 11.0)
      let count = Int.random(in: 20...80, using: &generator)
      var bad = 0
      for index in 0..<count {
        seconds += Double(Int.random(in: 1...9, using: &generator))
        latitude += Double.random(in: -1e-4...1e-4, using: &generator)
        longitude += Double.random(in: -1e-4...1e-4, using: &generator)
        points.append((point(latitude, longitude, time(seconds)), true))
        // At most a third of the points are wrong, so that the sound ones are the longest run. They aren't the first or the last.
        guard (1..<(count - 1)).contains(index), bad * 3 < count, chance(0.3) else { continue }
        bad += 1
        let wrong: (text: String, reason: Track.DropReason)
        let elsewhere = latitude + 1e-5
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: wrong = (point(91, longitude, time(seconds)), .badCoordinate)
        case 1: wrong = ("<trkpt lat='48,1' lon='11'/>", .badCoordinate)
        case 2: wrong = (point(0, 0, time(seconds)), .nullIsland)
        case 3: wrong = (point(latitude, longitude, time(seconds)), .repeated)
        case 4: wrong = (point(elsewhere, longitude, nil), .noTime)
        case 5:
          wrong = (point(elsewhere, longitude, pick(["2022-02-30T00:00:00Z", "T25:00", "soon", "&#1;"])), .noTime)
        case 6: wrong = (point(elsewhere, longitude, time(pick([0, 315_964_800]) + Double(index))), .timeFarOff)
        default:
          let wrongBy = pick([-3_600, 3_600, 86_400, -86_400, 1.9e9]) + Double(index)
          wrong = (point(elsewhere, longitude, time(seconds + wrongBy)), .timeGoingBack)
        }
        points.append((wrong.text, false))
        expected[wrong.reason, default: 0] += 1
      }
      func file(_ points: [String]) -> String {
        "<gpx><trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk></gpx>"
      }
      sound = file(points.filter(\.isSound).map(\.text))
      let texts = ["", "", "<name>a & b</name>", "<desc>a < b &nbsp; \u{1}</desc>", "<p>", "</x>", "<!-- <trkpt -->"]
      var all = points.map { $0.text.replacing("</trkpt>", with: pick(texts) + "</trkpt>") + pick(texts) }
      // Sections can be in segments of their own, also with the newest first.
      if chance(0.3) { all.insert("</trkseg><trkseg>", at: count / 2) }
      let isReversed = chance(0.3) && !all.contains("</trkseg><trkseg>") && expected[.repeated] == nil
      text = file(isReversed ? all.reversed() : all)
    }

    var broken: [String] {
      do {
        let (track, plain) = (try GPXTimesTests.read(text), try GPXTimesTests.read(sound))
        var broken: [String] = []
        if !plain.notes.isEmpty { broken.append("the sound track has notes: \(plain.notes)") }
        if track.route != plain.route { broken.append("another route: \(track.notes)") }
        if track.dropped != expected { broken.append("dropped \(track.dropped), not \(expected): \(track.notes)") }
        return broken
      } catch {
        return ["\(error)"]
      }
    }
  }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
  fileprivate static var iso8601WithFraction: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}

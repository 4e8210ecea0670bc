import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Trip meters")
struct TripMeterTests {
  static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  static func fix(
    _ seconds: Double, north: Double, east: Double = 0, accuracy: Double = 5, speed: Double? = nil
  ) -> Location {
    Location(
      latitude: 48 + north / 111_195, longitude: 11 + east / (111_195 * 0.66913), horizontalAccuracy: accuracy,
      speed: speed, timestamp: start + seconds)
  }

  /// A meter, and the sum of the metres that it adds.
  struct SummingMeter {
    var meter = TripMeter()
    private(set) var distance = 0.0

    @discardableResult
    mutating func add(_ fix: Location) -> Double? {
      let metres = meter.add(fix)
      distance += metres ?? 0
      return metres
    }
  }

  /// The noise of a receiver, with a time constant of 30 s. The accuracy is the radius that contains 68 % of the errors.
  struct Noise {
    private var random: SeededGenerator
    private let deviation: Double
    private(set) var north = 0.0
    private(set) var east = 0.0

    init(accuracy: Double, seed: UInt64) {
      random = SeededGenerator(seed: seed)
      deviation = accuracy / 1.51
      north = normal() * deviation
      east = normal() * deviation
    }

    mutating func pass(_ seconds: Double) {
      let kept = exp(-seconds / 30)
      let fresh = (1 - kept * kept).squareRoot() * deviation
      north = north * kept + fresh * normal()
      east = east * kept + fresh * normal()
    }

    private mutating func normal() -> Double {
      let (first, second) = (Double.random(in: 0.000_001..<1, using: &random), Double.random(in: 0..<1, using: &random))
      return (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
    }
  }

  /// A drive of known length through blocks of 400 m at 14 m/s, with a turn after each block and a stop of half a minute after every third.
  static func drive(accuracy: Double, seed: UInt64) -> (fixes: [Location], length: Double) {
    var noise = Noise(accuracy: accuracy, seed: seed)
    var fixes: [Location] = []
    var (north, east, seconds, length) = (0.0, 0.0, 0.0, 0.0)
    func add(_ noise: inout Noise) {
      fixes.append(fix(seconds, north: north + noise.north, east: east + noise.east, accuracy: accuracy))
      noise.pass(1)
      seconds += 1
    }
    for block in 0..<60 {
      for _ in 0..<28 {
        if block % 2 == 0 { north += 14.2857 } else { east += block % 4 == 1 ? 14.2857 : -14.2857 }
        length += 14.2857
        add(&noise)
      }
      if block % 3 == 2 { for _ in 0..<30 { add(&noise) } }
    }
    return (fixes, length)
  }

  static func standing(accuracy: Double, seed: UInt64) -> [Location] {
    var noise = Noise(accuracy: accuracy, seed: seed)
    return (0..<3_600).map { second in
      defer { noise.pass(1) }
      return fix(Double(second), north: noise.north, east: noise.east, accuracy: accuracy)
    }
  }

  static func measured(_ fixes: [Location]) -> Double {
    var meter = SummingMeter()
    meter.meter.usesWeakFixes = true
    for fix in fixes { meter.add(fix) }
    return meter.distance
  }

  static func naive(_ fixes: [Location]) -> Double {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  /// Returns the distance by the rule of CYLocationManager, without a threshold for noise: whenever more than 3 s have passed, from the
  /// previous measured fix to the best fix of the last 3 s that is more accurate than 20 m, or without one to the newest fix. Its distance
  /// filter of 10 m drops fixes.
  static func older(_ all: [Location], isWeak: Bool) -> Double {
    var (kept, distance, last, measured): ([Location], Double, Location?, Date) = ([], 0, nil, .distantPast)
    var fixes: [Location] = []
    for fix in all where fixes.last.map({ $0.distance(to: fix) >= 10 }) ?? true { fixes.append(fix) }
    for (old, new) in zip(fixes, fixes.dropFirst()) where new.horizontalAccuracy <= (isWeak ? 70 : 20) {
      kept.append(new)
      if kept.count > 5 { kept.removeFirst() }
      guard new.timestamp.timeIntervalSince(measured) > 3 else { continue }
      measured = new.timestamp
      let from = last ?? old
      let recent = kept.filter {
        new.timestamp.timeIntervalSince($0.timestamp) <= 3 && $0.horizontalAccuracy < 20 && $0 != from
      }
      let best = recent.min { $0.horizontalAccuracy < $1.horizontalAccuracy } ?? new
      if kept.count >= 3 { distance += from.distance(to: best) }
      last = best
    }
    return distance
  }

  @Test(
    "The distance of a drive of known length is right within 3 %, or 5 % at an accuracy of 50 m",
    arguments: [5.0, 10, 20, 50], 0..<5)
  func noise(_ accuracy: Double, _ seed: UInt64) {
    let (fixes, length) = Self.drive(accuracy: accuracy, seed: seed)
    #expect(abs(Self.measured(fixes) / length - 1) < (accuracy > 20 ? 0.05 : 0.03))
  }

  @Test("An hour at rest adds almost nothing, unlike with CYLocationManager", arguments: [5.0, 10, 20, 50], 0..<5)
  func standingStill(_ accuracy: Double, _ seed: UInt64) {
    let fixes = Self.standing(accuracy: accuracy, seed: seed)
    #expect(Self.measured(fixes) <= 4 * accuracy)
    #expect(Self.older(fixes, isWeak: accuracy > 20) > 30 * accuracy)
  }

  @Test("The table in the documentation is reproduced", .long)
  func table() throws {
    var lines: [String] = []
    for accuracy in [5.0, 10, 20, 50] {
      var sums = [0.0, 0, 0, 0, 0, 0]
      for seed in UInt64(0)..<5 {
        let (fixes, length) = Self.drive(accuracy: accuracy, seed: seed)
        let still = Self.standing(accuracy: accuracy, seed: seed)
        let isWeak = accuracy > 20
        for (index, value) in [
          Self.measured(fixes) / length, Self.older(fixes, isWeak: isWeak) / length, Self.naive(fixes) / length,
          Self.measured(still), Self.older(still, isWeak: isWeak), Self.naive(still),
        ].enumerated() { sums[index] += value / 5 }
      }
      lines.append(
        String(
          format: "| %.0f m | %.3f | %.3f | %.3f | %.0f m | %.0f m | %.0f m |", accuracy, sums[0], sums[1], sums[2],
          sums[3], sums[4], sums[5]))
    }
    let article = try Repository.text("Sources/LocoKitTrips/LocoKitTrips.docc/RecordingTrips.md")
    for line in lines { #expect(article.contains(line), "\(line)") }
  }

  /// A route of the simulated phone, and its length in metres, or 0 for an hour in one place.
  struct SmallRoute: CustomTestStringConvertible {
    let testDescription: String
    let length: Double
    let corners: [(east: Double, north: Double)]
    var times = 1
    var isIndoors = false
    /// The range of the measured length: the share of the true one, or metres.
    let measures: ClosedRange<Double>

    var route: SimulatedProvider.Route {
      func waypoint(_ east: Double, _ north: Double, pause: Double = 0) -> SimulatedProvider.Route.Waypoint {
        SimulatedProvider.Route.Waypoint(
          latitude: 48.1 + north / 111_195, longitude: 11.5 + east / (111_195 * 0.66783), legSpeed: 1.4,
          pause: .seconds(pause), isIndoors: isIndoors)
      }
      let laps = (0..<times).flatMap { _ in corners.map { waypoint($0.east, $0.north) } }
      return SimulatedProvider.Route(waypoints: [waypoint(0, 0, pause: laps.isEmpty ? 3_660 : 60)] + laps)
    }
  }

  static let smallRoutes = [
    SmallRoute(
      testDescription: "a straight walk", length: 1_600, corners: [(1_600, 0)], measures: 0.98...1.08),
    SmallRoute(
      testDescription: "ten times around a square of 40 m", length: 1_600,
      corners: [(40, 0), (40, 40), (0, 40), (0, 0)],
      times: 10, measures: 0.9...1.08),
    SmallRoute(
      testDescription: "20 times around a square of 20 m", length: 1_600,
      corners: [(20, 0), (20, 20), (0, 20), (0, 0)],
      times: 20, measures: 0.65...0.95),
    SmallRoute(
      testDescription: "25 lanes of 40 m, to and fro", length: 2_000, corners: [(40, 0), (0, 0)], times: 25,
      measures: 0.7...0.95),
    SmallRoute(
      testDescription: "20 lanes of 25 m, to and fro", length: 1_000, corners: [(25, 0), (0, 0)], times: 20,
      measures: 0.5...0.8),
    SmallRoute(testDescription: "an hour at rest, outdoors", length: 0, corners: [], measures: 0...0),
    SmallRoute(testDescription: "an hour at rest, indoors", length: 0, corners: [], isIndoors: true, measures: 0...500),
  ]

  /// Returns the distances of a recorder and of CYLocationManager's rule on the fixes of a simulated phone.
  @MainActor
  private static func walk(_ small: SmallRoute, seed: UInt64) -> (meter: Double, older: Double) {
    let device = SimulatedProvider(route: small.route, seed: seed)
    let manager = LocationManager(provider: device)
    let recorder = TripRecorder(manager)
    var fixes: [Location] = []
    let observer = manager.makeDemand(.observer { if case .fix(let judged) = $0 { fixes.append(judged.fix) } })
    manager.begin(observer, .fixes(TrackFilter(desiredAccuracy: 5)))
    manager.tryPromptAuthorization()
    recorder.prepare()
    device.advance(by: .seconds(60))
    recorder.start()
    fixes = []
    device.advance(by: small.route.duration - .seconds(55))
    recorder.stop()
    return (recorder.distance, older(fixes, isWeak: false))
  }

  @Test("A walk in a small area is measured", arguments: smallRoutes, [1, 2, 3])
  @MainActor
  func small(_ small: SmallRoute, _ seed: UInt64) {
    let metres = Self.walk(small, seed: seed).meter
    #expect(small.measures.contains(small.length > 0 ? metres / small.length : metres), "\(metres) m")
  }

  @Test(
    "A slow drift over a long way counts only if the fixes, or without their speeds the way, have the speed of a walker",
    arguments: [
      (0.35, nil, false), (0.45, nil, true), (0.6, 0.2, false), (0.6, 0.49, false), (0.6, 0.5, true), (0.2, 0.6, true),
    ], [0, 3_600])
  func drift(_ motion: (pace: Double, speed: Double?, counts: Bool), afterRest rest: Int) {
    let (pace, speed, counts) = motion
    var meter = SummingMeter()
    for second in -rest..<0 { meter.add(Self.fix(Double(second), north: 0, accuracy: 10, speed: speed)) }
    for second in 0..<900 {
      meter.add(Self.fix(Double(second), north: Double(second) * pace, accuracy: 10, speed: speed))
    }
    #expect(counts ? meter.distance > 0.9 * 900 * pace : meter.distance == 0, "\(meter.distance) m")
  }

  @Test(
    "A walk to and fro counts if its fixes have a walker's speed, or if it's longer than six times their accuracy",
    arguments: [
      (1.4, 32.0, true), (0.5, 32, true), (0.49, 32, false), (nil, 32, false), (nil, 55, false), (nil, 66, true),
    ] as [(Double?, Double, Bool)])
  func toAndFro(_ speed: Double?, _ length: Double, _ counts: Bool) {
    var meter = SummingMeter()
    for second in 0..<900 {
      let north = abs((Double(second) * 1.4).remainder(dividingBy: 2 * length))
      meter.add(Self.fix(Double(second), north: north, accuracy: 10, speed: speed))
    }
    #expect(counts ? meter.distance > 100 : meter.distance == 0, "\(meter.distance) m")
  }

  @Test("The table of walks in the documentation is reproduced", .long)
  @MainActor
  func smallTable() throws {
    let article = try Repository.text("Sources/LocoKitTrips/LocoKitTrips.docc/RecordingTrips.md")
    for small in Self.smallRoutes {
      let all = (UInt64(1)...5).map { Self.walk(small, seed: $0) }
      func mean(_ values: [Double]) -> String { String(format: "%.0f m", values.reduce(0, +) / Double(values.count)) }
      let (meter, older) = (mean(all.map(\.meter)), mean(all.map(\.older)))
      let line = "| \(small.testDescription) | \(Int(small.length)) m | \(meter) | \(older) |"
      #expect(article.contains(line), "\(line)")
    }
  }

  @Test("CYLocationManager: the distance between two segments doesn't count")
  func stopped() {
    var meter = SummingMeter()
    for second in 0..<20 { meter.add(Self.fix(Double(second), north: Double(second) * 15)) }
    let before = meter.distance
    #expect(before > 200)
    meter.meter.endSegment()
    for second in 0..<20 { meter.add(Self.fix(Double(second) + 600, north: 9_000)) }
    #expect(meter.distance == before)
  }

  @Test("CYLocationManager: repeated fixes, and fixes older than the last one, don't count")
  func backwards() {
    var meter = SummingMeter()
    for second in 0..<30 {
      meter.add(Self.fix(Double(second), north: Double(second) * 15))
      let distance = meter.distance
      #expect(meter.add(Self.fix(Double(second), north: Double(second) * 15)) == nil)
      #expect(meter.add(Self.fix(Double(second) - 10, north: 0)) == nil)
      #expect(meter.distance == distance)
    }
    #expect(meter.distance < 30 * 15)
  }

  @Test("The best recent fix is measured, and no distance counts twice")
  func best() {
    var meter = SummingMeter()
    for second in 0..<120 {
      let isGood = second % 4 == 0
      meter.add(
        Self.fix(
          Double(second), north: Double(second) * 15, east: isGood ? 0 : second % 8 < 4 ? 40 : -40,
          accuracy: isGood ? 5 : 18))
    }
    #expect(abs(meter.distance / (116 * 15) - 1) < 0.02)
  }

  @Test("CYLocationManager: fixes with an invalid place, or an invalid or too great accuracy, are rejected")
  func invalid() {
    var meter = SummingMeter()
    #expect(meter.add(Self.fix(0, north: 0, accuracy: -1)) == nil)
    #expect(meter.add(Self.fix(0, north: 0, accuracy: 21)) == nil)
    #expect(meter.add(Self.fix(0, north: .nan)) == nil)
  }

  @Test("CYLocationManager: weak fixes count only while they are allowed")
  func weak() {
    var meter = SummingMeter()
    meter.meter.usesWeakFixes = true
    for second in 0..<60 { meter.add(Self.fix(Double(second), north: Double(second) * 20, accuracy: 50)) }
    #expect(abs(meter.distance / 1_180 - 1) < 0.1)
    meter.meter.usesWeakFixes = false
    #expect(meter.add(Self.fix(61, north: 1_300, accuracy: 50)) == nil)
  }

  /// Returns the mean of five noisy drives: the distance of a minute with a fix each second, and of an hour with rarer fixes.
  private func rarely(
    _ interval: Double, _ accuracy: Double, speed: Double, thenAt next: Double
  ) -> (first: Double, hour: Double) {
    var mean = (first: 0.0, hour: 0.0)
    for seed in UInt64(0)..<5 {
      var (noise, meter, seconds) = (Noise(accuracy: accuracy, seed: seed), SummingMeter(), 0.0)
      meter.meter.usesWeakFixes = true
      func add(every interval: Double, until end: Double, _ north: (Double) -> Double) {
        while seconds < end {
          meter.add(Self.fix(seconds, north: north(seconds) + noise.north, east: noise.east, accuracy: accuracy))
          noise.pass(interval)
          seconds += interval
        }
      }
      add(every: 1, until: 60) { $0 * speed }
      mean.first += meter.distance / 5
      add(every: interval, until: 3_660) { 60 * speed + ($0 - 60) * next }
      mean.hour += meter.distance / 5
    }
    mean.hour -= mean.first
    return mean
  }

  @Test(
    "After a drive, an hour at rest adds little, however rare the fixes are",
    arguments: [1.0, 3, 6, 8, 10, 15, 20, 30, 45, 61, 90, 120], [5.0, 10, 20, 50])
  func rareAtRest(_ interval: Double, _ accuracy: Double) {
    let added = rarely(interval, accuracy, speed: 14, thenAt: 0).hour
    #expect(added < 50 + 3 * accuracy, "\(added) m")
  }

  @Test("Rare fixes of a walk, a ride and a drive add up", arguments: [6.0, 8, 10, 15, 20, 30, 45, 61], [5.0, 10, 20])
  func rareUnderWay(_ interval: Double, _ accuracy: Double) {
    for speed in [1.4, 5, 14] {
      let share = rarely(interval, accuracy, speed: speed, thenAt: speed).hour / (3_600 * speed)
      #expect((0.97...1.35).contains(share), "\(share) at \(speed) m/s")
    }
  }

  @Test("Rare fixes after a faster drive add up", arguments: [6.0, 8, 10, 15, 20, 30], [5.0, 10, 20])
  func rareAndSlower(_ interval: Double, _ accuracy: Double) {
    for (speed, next) in [(30.0, 15.0), (14, 5)] {
      let share = rarely(interval, accuracy, speed: speed, thenAt: next).hour / (3_600 * next)
      #expect((0.97...1.35).contains(share), "\(share) at \(next) m/s")
    }
  }

  @Test("A flight counts if the fixes have their speeds", arguments: [(250.0, true), (250, false), (90, false)])
  func flight(speed: Double, hasSpeed: Bool) {
    var meter = SummingMeter()
    for second in 0..<600 {
      let fix = Self.fix(
        Double(second), north: Double(second) * speed, accuracy: 10, speed: hasSpeed ? speed : nil)
      meter.add(fix)
    }
    let length = 599 * speed
    #expect(hasSpeed || speed < 100 ? abs(meter.distance - length) < 0.02 * length : meter.distance == 0)
  }

  @Test("A wrong fix with a wrong speed adds nothing", arguments: [110.0, 200, 300, 450, 900], [200.0, 300, 900])
  func fastJump(metres: Double, speed: Double) {
    var meter = SummingMeter()
    for second in 0..<90 {
      let isWrong = second == 30
      meter.add(Self.fix(Double(second), north: isWrong ? metres : 0, speed: isWrong ? speed : 0))
    }
    #expect(meter.distance == 0)
  }

  @Test("Fixes of a flight may be farther apart than their speeds say", arguments: [(1.15, true), (1.3, false)])
  func margin(factor: Double, counts: Bool) {
    var meter = SummingMeter()
    for second in 0..<30 { meter.add(Self.fix(Double(second), north: Double(second) * 200, speed: 200)) }
    let last = 29 * 200.0 + 10
    #expect((meter.add(Self.fix(30, north: last + 200 * factor, speed: 200)) != nil) == counts)
  }

  @Test("A jump doesn't count, but later fixes do")
  func jump() {
    var meter = SummingMeter()
    for second in 0..<60 {
      let isWrong = second == 30
      let metres = meter.add(Self.fix(Double(second), north: isWrong ? 90_000 : Double(second) * 15))
      #expect((metres == nil) == isWrong)
    }
    #expect(abs(meter.distance / 870 - 1) < 0.05)
  }

  @Test("After several fixes at another place the meter continues there, without the distance to it")
  func elsewhere() {
    var meter = SummingMeter()
    for second in 0..<30 { meter.add(Self.fix(Double(second), north: Double(second) * 15)) }
    let before = meter.distance
    for second in 30..<90 { meter.add(Self.fix(Double(second), north: 90_000 + Double(second) * 15)) }
    #expect(meter.distance - before > 500 && meter.distance - before < 900)
  }

  @Test("A gap is bridged at the last speed, up to twice the straight line")
  func gap() {
    func meter(straight: Double) -> Double {
      var meter = SummingMeter()
      for second in 0...30 { meter.add(Self.fix(Double(second), north: Double(second) * 10)) }
      meter.add(Self.fix(60, north: 300 + straight))
      return meter.distance - 300
    }
    #expect(abs(meter(straight: 200) - 300) < 30, "30 s at 10 m/s")
    #expect(abs(meter(straight: 400) - 400) < 30, "not less than straight")
    #expect(abs(meter(straight: 100) - 200) < 30, "not more than twice that")
    #expect(abs(meter(straight: 3)) < 30, "the device stood still")
  }

  @Test("A gap of more than a minute counts as the straight line", arguments: [(60, 600), (61, 400)])
  func longGap(seconds: Double, metres: Double) {
    var meter = SummingMeter()
    for second in 0...30 { meter.add(Self.fix(Double(second), north: Double(second) * 10)) }
    for second in 0...10 {
      meter.add(Self.fix(30 + seconds + Double(second), north: 700 + Double(second) * 10))
    }
    #expect(abs(meter.distance - 400 - metres) < 50, "\(meter.distance)")
  }

  @Test("A stop between rare fixes ends the speed with which a gap is bridged")
  func gapAfterAStop() {
    var meter = SummingMeter()
    for second in 0...60 { meter.add(Self.fix(Double(second), north: Double(second) * 30)) }
    // The car stands at two fixes, and then drives at 5 m/s.
    for second in [70.0, 80] { meter.add(Self.fix(second, north: 1_800)) }
    let before = meter.distance
    meter.add(Self.fix(90, north: 1_850))
    #expect(abs(meter.distance - before - 50) < 15, "\(meter.distance - before) m")
  }

  private static let tracks = Repository.shared.appending(path: "traces/tracks")

  @Test(
    "The distance of a recorded drive is within 1 % of the surveyed length",
    .enabled(if: FileManager.default.fileExists(atPath: tracks.path), "needs the recorded tracks"))
  func recorded() throws {
    let truth = try SimulatedProvider.GPXTrack(contentsOf: Self.tracks.appending(path: "drive-mtv-truth.gpx")).route
    let drive = try SimulatedProvider.GPXTrack(contentsOf: Self.tracks.appending(path: "drive-mtv.gpx")).route
    let (begin, end) = (drive.start, drive.start + drive.duration.inSeconds)
    let surveyed = truth.points.filter { (begin...end).contains(truth.start + $0.time) }
    func location(_ point: SimulatedProvider.Route.Point, _ start: Date, _ accuracy: Double) -> Location {
      Location(
        latitude: point.latitude, longitude: point.longitude, horizontalAccuracy: accuracy,
        timestamp: start + point.time)
    }
    let length = Self.naive(surveyed.map { location($0, truth.start, 1) })
    // An HDOP of 0.8, converted as gpsd and `GPSDProvider` do.
    let measured = Self.measured(drive.points.map { location($0, drive.start, 0.8 * 19 / 1.73) })
    #expect(length > 8_000)
    #expect(abs(measured / length - 1) < 0.01, "\(measured / length)")
  }
}

import Foundation
import LocoKitSimulation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Trips while the machine's clock changes")
struct TripClockTests {
  @Test("A change of the clock during a trip changes nothing in the trip", arguments: 0..<4)
  func changes(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 200)) { Self.broken($0) }
  }

  /// Plays a random day twice: as it is, and with changes of the clock during its trips.
  private static func broken(_ seed: UInt64) -> [String] {
    var (plain, changed) = (AutomaticScene(), AutomaticScene())
    var (generator, clock) = (SeededGenerator(seed: seed), SeededGenerator(seed: ~seed))
    for scene in [0, 1] {
      generator = SeededGenerator(seed: seed)
      func play(_ scene: inout AutomaticScene, changes: Bool) {
        scene.rest(600)
        for _ in 0..<3 {
          for _ in 0..<Int.random(in: 3...12, using: &generator) {
            scene.move(
              Int.random(in: 1...12, using: &generator) * 10,
              speed: [1.3, 5, 12, 20][Int.random(in: 0..<4, using: &generator)])
            if Int.random(in: 0..<4, using: &generator) == 0 {
              scene.rest(Int.random(in: 1...7, using: &generator) * 30)
            }
            if changes, scene.core.state == .recording, Int.random(in: 0..<3, using: &clock) == 0 {
              scene.setClock(by: [-5_400, -60, 3_600, 86_400, -86_400][Int.random(in: 0..<5, using: &clock)])
              // An automatic recorder ignores it.
              scene.take(.command(.prepare))
            }
          }
          scene.rest(1_500)
        }
      }
      if scene == 0 { play(&plain, changes: false) } else { play(&changed, changes: true) }
    }
    var broken: [String] = []
    if plain.ended.count != changed.ended.count {
      return ["\(changed.ended.count) trips instead of \(plain.ended.count)"]
    }
    for (trip, expected) in zip(changed.ended, plain.ended) {
      // The clock isn't set back after a trip, so only the dates of the trips differ.
      let shift = trip.began.timeIntervalSince(expected.began)
      func isEqual(_ first: Date, _ second: Date) -> Bool { abs(first.timeIntervalSince(second) - shift) < 0.01 }
      if trip.duration.inSeconds.rounded() != expected.duration.inSeconds.rounded() {
        broken.append("\(trip.duration) instead of \(expected.duration)")
      }
      if !isEqual(trip.ended ?? .distantPast, expected.ended ?? .distantPast) { broken.append("ended at another time") }
      if abs(trip.distance - expected.distance) > 0.01 || trip.fixes.count != expected.fixes.count {
        broken.append("another way")
      }
      if !zip(trip.fixes, expected.fixes).allSatisfy({ isEqual($0.timestamp, $1.timestamp) }) {
        broken.append("fixes at other times")
      }
      if trip.gaps != [] { broken.append("a gap") }
    }
    return broken
  }

  @Test(
    "A trip whose clock was set back by 90 minutes keeps its duration, its times rise, and its GPX file is read",
    arguments: [-5_400.0, -1, 5_400])
  func commanded(_ change: Double) throws {
    var core = TripCore(TripRecorder.Configuration())
    var now = TripCore.Now(uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 800_000_000))
    var actions: [TripCore.Action] = []
    func take(_ input: TripCore.Input) {
      core.handle(input, at: now, into: &actions)
      while core.settle(at: now, into: &actions) {}
    }
    take(.command(.start))
    for second in 0..<600 {
      now.uptime += .seconds(1)
      now.date += second == 300 ? 1 + change : 1
      let fix = Location(
        latitude: 34 + Double(second) * 15 / 111_195, longitude: -118, horizontalAccuracy: 5, timestamp: now.date)
      take(.fix(.init(fix: fix, verdict: .acquired)))
    }
    take(.command(.stop))
    let trip = try #require(core.trip)
    let seconds = try #require(trip.ended).timeIntervalSince(trip.began)
    #expect(abs(seconds - 600) < 0.001 && trip.duration == .seconds(600))
    #expect(zip(trip.fixes, trip.fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    #expect(abs(trip.distance - 599 * 15) < 60, "\(trip.distance)")
    let track = try SimulatedProvider.GPXTrack(data: Data(trip.gpx.utf8))
    #expect(track.notes.isEmpty && track.route.points.count == trip.fixes.count)
    // The next trip has the machine's time again.
    take(.command(.reset))
    take(.command(.start))
    #expect(core.trip?.began == now.date)
    // So has a trip that begins with a reset of the one that is recorded.
    for seconds in [1, 1 + change] {
      (now.uptime, now.date) = (now.uptime + .seconds(1), now.date + seconds)
      let fix = Location(latitude: 34, longitude: -118, horizontalAccuracy: 5, timestamp: now.date)
      take(.fix(.init(fix: fix, verdict: .acquired)))
    }
    #expect(core.clock.offset == -change)
    take(.command(.reset))
    #expect(core.trip?.began == now.date)
  }

  @Test(
    "The clock of a resumed trip notices a change of the machine's clock before the next fix",
    arguments: [-5_400.0, 5_400])
  func resumed(_ change: Double) {
    var clock = TripClock()
    let now = TripCore.Now(uptime: .seconds(50), date: Date(timeIntervalSinceReferenceDate: 800_000_000))
    clock.resume(
      after: Location(latitude: 34, longitude: -118, horizontalAccuracy: 5, timestamp: now.date + 60), at: now)
    #expect(clock.offset == 60)
    let later = TripCore.Now(uptime: .seconds(60), date: now.date + 10 + change)
    #expect(clock.time(at: later).date == now.date + 70)
  }

  @Test(
    "The clock is set back during a stay, and the next trip has its whole way and its times",
    arguments: [0.0, -600, -3_600, -7_200])
  func setBackDuringStay(_ change: Double) throws {
    var scene = AutomaticScene()
    scene.rest(1_200)
    scene.setClock(by: change)
    scene.rest(60)
    let left = scene.now.date
    scene.move(900, speed: 12)
    scene.rest(1_500)
    let trip = try #require(scene.ended.first)
    #expect(scene.ended.count == 1)
    #expect(abs(trip.distance - 10_800) < 200, "\(trip.distance) m")
    #expect(abs(trip.began.timeIntervalSince(left)) < 120 && abs(trip.duration.inSeconds - 900) < 120)
  }

  @Test(
    "The first fix of a launch sets the clock of a computer without a clock battery, and the trip has the right dates",
    arguments: [nil, 20.0, 20_000], [3 * 86_400.0, 900, 0])
  func setByFirstFix(drivenBefore seconds: Double?, _ change: Double) throws {
    var (core, snapshot) = (TripCore(TripRecorder.Configuration()), TripSnapshot.nothing)
    var gaps: [Trip.Gap] = []
    var now = TripCore.Now(uptime: .zero, date: TripMeterTests.start)
    func take(_ input: TripCore.Input) {
      var actions: [TripCore.Action] = []
      core.handle(input, at: now, into: &actions)
      while core.settle(at: now, into: &actions) {}
      snapshot.save(actions)
      for case .missed(let gap) in actions { gaps.append(gap) }
    }
    func drive() {
      for _ in 0..<60 {
        let north = now.date.timeIntervalSince(TripMeterTests.start) * 15
        take(
          .fix(
            .init(fix: TripMeterTests.fix(north / 15, north: north.remainder(dividingBy: 90_000)), verdict: .acquired)))
        now.uptime += .seconds(1)
        now.date += 1
      }
    }
    take(.command(.start))
    var last = now.date
    if let seconds {
      drive()
      last = now.date - 1
      // The power fails, and the computer starts with the clock of the failure.
      core = TripCore(TripRecorder.Configuration())
      now.uptime = .seconds(20)
      now.date += seconds
      take(.launch(snapshot))
    }
    now.uptime += .seconds(30)
    now.date += 30 + change
    let first = now.date
    drive()
    let trip = try #require(core.trip)
    let fixes = trip.fixes.filter { $0.timestamp > last }
    #expect(fixes.count > 10 && fixes.allSatisfy { (first...now.date).contains($0.timestamp) })
    #expect(gaps.map(\.duration.inSeconds) == (seconds == nil ? [] : [first.timeIntervalSince(last)]))
  }

  @Test(
    "A trip that is resumed after the clock was set back continues at its last fix's time",
    arguments: [0.0, 1, 5_400, 80_000])
  func relaunch(_ setBack: Double) throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 12)
    let count = try #require(scene.core.trip).fixes.count
    scene.setClock(by: -setBack)
    try scene.relaunch(after: 5)
    scene.move(600, speed: 12)
    let trip = try #require(scene.core.trip)
    #expect(trip.fixes.count > count + 10)
    #expect(zip(trip.fixes, trip.fixes.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    scene.rest(1_500)
    let ended = try #require(scene.ended.first)
    let seconds = try #require(ended.ended).timeIntervalSince(ended.began)
    #expect(scene.ended.count == 1 && abs(seconds - 1_200) < 120)
  }

  @Test("Trips and visits stay ordered when the clock is set back during a stay or a trip", arguments: 0..<40)
  func ordered(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var scene = AutomaticScene()
    scene.rest(600)
    for _ in 0..<4 {
      let changes = [-7_200.0, -600, 3_600, 0]
      scene.setClock(by: changes[Int.random(in: 0..<4, using: &generator)])
      scene.move(300, speed: 12)
      if Bool.random(using: &generator) { scene.setClock(by: -5_400) }
      scene.move(300, speed: 12)
      scene.rest(1_500)
    }
    #expect(scene.ended.count == 4)
    for trip in scene.ended {
      if let visit = trip.visit {
        let departure = visit.departure ?? .distantPast
        #expect(visit.arrival <= departure && departure == trip.began, "seed \(seed): \(visit)")
      }
      #expect(trip.ended.map { $0 >= trip.began } == true)
      // The trip begins at the place of rest, where the device has neither a speed nor a course.
      #expect(trip.fixes.first?.speed == nil && trip.fixes.first?.course == nil)
    }
  }

  @Test(
    "The visit before a trip that the app begins ends at its beginning, even if the clock was set back",
    arguments: [0.0, -7_200])
  func commandedVisit(_ change: Double) throws {
    var scene = AutomaticScene()
    // The device rests with the speed of noise.
    for _ in 0..<20 {
      scene.wait(30)
      scene.fix(20, speed: 0.4)
    }
    scene.setClock(by: change)
    scene.take(.command(.start))
    let trip = try #require(scene.core.trip)
    let visit = try #require(trip.visit)
    #expect(visit.arrival <= trip.began && visit.departure == trip.began)
    #expect(trip.fixes.first?.speed == nil && trip.fixes.first?.course == nil)
  }

  @Test(
    "After the minimum stay the app isn't kept running, and the next fix shows how long the stop was",
    arguments: [200.0, 700])
  func unseenStop(_ seconds: Double) throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 12)
    scene.rest(90)
    #expect(scene.isKept)
    scene.wait(seconds)
    scene.take(.due)
    // 290 s and 790 s after the stop began. The trip hasn't ended, because no fix shows that the device is still there.
    #expect(scene.ended.isEmpty && scene.isKept == (seconds == 200))
    scene.advance(400)
    scene.fix(20, speed: 12)
    scene.move(300, speed: 12)
    #expect(scene.ended.count == (seconds == 200 ? 0 : 1))
    scene.rest(1_500)
    #expect(scene.ended.count == (seconds == 200 ? 1 : 2))
  }
}

import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

@Suite("A search of the manager's core")
struct LocationCoreTests {
  /// The number of states to search, from `LOCOKIT_STATES`; 1,000 by default. A million take about a minute in a release build.
  static let states = ProcessInfo.processInfo.environment["LOCOKIT_STATES"].flatMap(Int.init) ?? 1_000

  @Test("Three kinds of events launch an app, and each but a timer can cause a look")
  func wakeKinds() {
    #expect(WakeKind.allCases.filter(\.launchesApp) == [.significantChange, .regionExit, .visit])
    #expect(WakeKind.allCases.filter { !$0.mayCauseLook } == [.timer])
    #expect(!LocationManager.Cause.allCases.contains(.wake(.timer)))
  }

  @Test(
    "All rules hold on every path up to a depth, without an error bound, with one, and on a phone",
    arguments: [World(), World(bound: 500), World(bound: 500, isPhone: true), World(bound: 2_000, isPhone: true)])
  func explored(start: World) {
    let began = ContinuousClock.now
    // Checking a state takes about three times as long for a phone as for other devices.
    let states = start.isPhone ? max(500, Self.states / 4) : Self.states
    let report = Explorer(start: start).search(states: states)
    print(
      "\(report.states) different states, \(report.turns) turns, all paths of \(report.depth) letters from an alphabet of",
      "\(start.letters.count), \(began.duration(to: .now))")
    #expect(report.violation == nil, "\n\(report.test)")
    #expect(report.states >= states)
  }

  @Test(
    "The search finds each seeded defect, and prints a shortest path to it as a test", arguments: SeededDefect.allCases)
  func seeded(defect: SeededDefect) throws {
    var start = defect.world
    start.defect = defect
    // Only the defects of rule 7 need `afterCalm`.
    let report = Explorer(start: start).search(states: 20_000, isCalmed: defect.rule == 7)
    let violation = try #require(report.violation, "after \(report.states) states")
    #expect(violation.hasPrefix("\(defect.rule):"), "\(report.test)")
    #expect(report.test.contains("world.play([."))
    // The printed path finds the defect again, except for `chance`, which is random.
    var world = defect.world
    world.defect = defect
    _ = world.play(report.path)
    if defect != .chance { #expect((world.violation ?? Rules.afterCalm(world)) == violation) }
    world = defect.world
    #expect(world.play(report.path) == nil, "without the defect nothing is wrong")
  }

  @Test("A path is printed as Swift code")
  func pathAsCode() {
    let path: [World.Letter] = [
      .command(.tryPrompt), .authorization(.always), .change(age: nil), .change(age: 20), .changeOf(8, age: 0),
      .failure(.other("a \"b\"")), .bound(nil), .bound(500), .arrival, .departure, .motion(.still), .cell("a"),
      .wakeSources([.visit]), .wantBound(500, keepsRunning: true), .answered(.pauseAtLocation), .restart,
    ]
    #expect(
      code(of: path) == """
        [.command(.tryPrompt), .authorization(.always), .change(age: nil), .change(age: 20.0), .changeOf(8.0, age: 0.0), \
        .failure(.other("a \\"b\\"")), .bound(nil), .bound(500.0), .arrival, .departure, .wake(.motion(.still)), \
        .wake(.cell("a")), .wakeSources(Sources([.visit], .never)), .wantBound(500.0, keepsRunning: true), \
        .answered(.pauseAtLocation), .restart]
        """)
  }

  // MARK: - Paths that a search doesn't reach

  /// Returns a phone that has found a location and then played the letters.
  private static func phone(_ letters: World.Letter...) -> World {
    var world = World(bound: 500, isPhone: true)
    #expect(world.play(letters) == nil)
    return world
  }

  @Test("A coarse fix elsewhere shows that the device has left, even if it isn't delivered, and keeps the app running")
  func leftThePlace() {
    let path: [World.Letter] = [
      .motion(.still), .wait(50), .coarse(65, away: 400), .wait(60), .timer, .wait(10), .timer,
    ]
    var world = Self.phone(.motion(.still), .wait(60), .wait(60), .timer, .wait(10), .timer)
    #expect(!world.isKept)
    world = World(bound: 500, isPhone: true)
    #expect(world.play(path) == nil)
    #expect(world.isKept && world.core.location?.source == .gps)
  }

  @Test("Two coarse fixes that agree refute the last location, even if it is 1,000 km away")
  func refuted() {
    let world = Self.phone(
      .motion(.vehicle), .wait(15), .coarse(65, away: 1_000_000), .wait(2), .coarse(65, away: 1_000_010))
    #expect(world.core.location?.source == .coarse)
  }

  @Test("Errors of the provider end only demands for one location")
  func errors() {
    var world = World()
    _ = world.play([.command(.tryPrompt), .authorization(.always), .wantFixes, .wantOne(5)])
    _ = world.play(Array(repeating: .failure(.other("")), count: 5))
    #expect(world.violation == nil && !world.isWaiting)
    #expect(world.core.demands.all.map(\.id) == [World.fixes])
  }

  @Test(
    "The rules hold on longer paths",
    arguments: [
      // The app may be suspended at rest. The step that turns the GPS off keeps the app running again.
      (
        World(bound: 500, isPhone: true),
        [
          .motion(.still), .wait(60), .wait(60), .timer, .wait(10), .timer, .command(.forceAcquire), .wait(60),
          .fixAway(300, speed: 1),
        ]
      ),
      // A request fails after the look that it joined has found a location.
      (
        World(bound: 500),
        [
          .command(.tryPrompt), .authorization(.always), .wantOne(5), .wait(10), .fix(120, age: 0), .wait(10), .timer,
        ]
      ),
      // The acquisition that follows tracking fails.
      (
        World(bound: 500),
        [
          .command(.tryPrompt), .authorization(.always), .fix(5, age: 0), .wantEvery(100), .wait(60), .wantEveryNoMore,
          .wait(60), .timer,
        ]
      ),
    ] as [(World, [World.Letter])])
  func longer(world: World, path: [World.Letter]) {
    var world = world
    #expect(world.play(path) == nil)
    #expect(world.core.state == .waitingSignificantChange)
  }

  @Test("A fix that waited for a better one isn't delivered if it is too old by then")
  func waitedTooLong() {
    var world = World()
    #expect(
      world.play([
        .command(.tryPrompt), .authorization(.always), .wantAccepted, .fix(60, age: 25), .wait(10), .timer,
      ]) == nil)
    #expect(world.core.location == nil)
  }

  @Test("In the cool-down, a significant change counts only if it shows a departure while the app may be suspended")
  func departureInTheCooldown() {
    for (age, accuracy, state) in [
      (0, 500, .acquiring), (17, 500, .waitingSignificantChange), (0, 2_500, .waitingSignificantChange),
    ] as [(Double, Double, LocationMachine.State)] {
      var world = World(bound: 500, isPhone: true)
      let path: [World.Letter] = [
        .wait(240), .arrival, .fixAway(2_000, speed: 0), .wait(16), .timer, .fixAway(2_000, speed: 0), .wait(1), .timer,
      ]
      #expect(world.play(path) == nil)
      #expect(world.core.planner?.isAsleep == true && world.core.state == .waitingSignificantChange)
      #expect(world.play([.changeOf(accuracy, age: age)]) == nil)
      #expect(world.core.state == state, "\(age) s old, \(accuracy) m")
    }
  }

  @Test("A trip requests the best accuracy, although its filter also passes less accurate fixes")
  func coarseTrip() {
    let filter = TrackFilter(desiredAccuracy: 100, distanceFilter: 5)
    let demand = Demand(id: 1, kind: .fixes(filter))
    #expect(demand.receiverAccuracy == 0)
  }
}

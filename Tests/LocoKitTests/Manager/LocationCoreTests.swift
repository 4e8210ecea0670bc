import Foundation
import Testing

@testable import LocoKit

@Suite("A search of the manager's core")
struct LocationCoreTests {
  /// The number of states, from `LOCOKIT_STATES`. A million take about a minute in a release build.
  static let states = ProcessInfo.processInfo.environment["LOCOKIT_STATES"].flatMap(Int.init) ?? 1_000

  @Test(
    "All rules hold on every path up to a depth, without an error bound, with one, and on a phone",
    arguments: [World(), World(bound: 500), World(bound: 500, isPhone: true), World(bound: 2_000, isPhone: true)])
  func explored(start: World) {
    let began = ContinuousClock.now
    // A state of a phone takes three times as long: it is calm only after a walk as far as the bound.
    let states = start.isPhone ? max(500, Self.states / 4) : Self.states
    let report = Explorer(start: start).search(states: states)
    print(
      "\(report.states) different states, \(report.turns) turns, all paths of \(report.depth) letters of",
      "\(start.letters.count), \(began.duration(to: .now))")
    #expect(report.violation == nil, "\n\(report.test)")
    #expect(report.states >= states)
  }

  @Test(
    "The search finds each seeded defect, with a shortest path that can be pasted", arguments: SeededDefect.allCases)
  func seeded(defect: SeededDefect) throws {
    var start = World(bound: defect.bound, isPhone: defect.isOfPhone)
    start.defect = defect
    let report = Explorer(start: start).search(states: 2_000_000)
    let violation = try #require(report.violation, "after \(report.states) states")
    #expect(violation.hasPrefix("\(defect.rule):"))
    #expect(report.test.contains("world.play([."))
    // The printed path finds the defect again, except for `chance`, which is random.
    var world = World(bound: defect.bound, isPhone: defect.isOfPhone)
    world.defect = defect
    _ = world.play(report.path)
    if defect != .chance { #expect((world.violation ?? Rules.afterCalm(world)) == violation) }
    world = World(bound: defect.bound, isPhone: defect.isOfPhone)
    #expect(world.play(report.path) == nil, "without the defect nothing is wrong")
  }
}

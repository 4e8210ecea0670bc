import Foundation
import Testing

@testable import LocoKit

@Suite("The core of a manager, explored")
struct LocationCoreTests {
  /// `LOCOKIT_STATES` says how many; a million in a release build take about a minute.
  static let states = ProcessInfo.processInfo.environment["LOCOKIT_STATES"].flatMap(Int.init) ?? 1_000

  @Test(
    "all rules hold on every path, to a depth, without a bound, with one, and on a phone",
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

  @Test("a defect in each rule is found, by a shortest path that can be pasted", arguments: SeededDefect.allCases)
  func seeded(defect: SeededDefect) throws {
    var start = World(bound: defect.bound, isPhone: defect.isOfPhone)
    start.defect = defect
    let report = Explorer(start: start).search(states: 2_000_000)
    let violation = try #require(report.violation, "after \(report.states) states")
    #expect(violation.hasPrefix("\(defect.rule):"))
    #expect(report.test.contains("world.play([."))
    // What is printed can be played, and is found again; but for chance, which is another each time.
    var world = World(bound: defect.bound, isPhone: defect.isOfPhone)
    world.defect = defect
    _ = world.play(report.path)
    if defect != .chance { #expect((world.violation ?? Rules.afterCalm(world)) == violation) }
    world = World(bound: defect.bound, isPhone: defect.isOfPhone)
    #expect(world.play(report.path) == nil, "without the defect nothing is wrong")
  }
}

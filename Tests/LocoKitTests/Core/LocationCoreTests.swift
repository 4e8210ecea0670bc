import Foundation
import Testing

@testable import LocoKit

@Suite("The core of a manager, explored")
struct LocationCoreTests {
  /// `LOCOKIT_STATES` says how many; a million in a release build take about a minute.
  static let states = ProcessInfo.processInfo.environment["LOCOKIT_STATES"].flatMap(Int.init) ?? 8_000

  @Test("all rules hold on every path, to a depth")
  func explored() {
    let began = ContinuousClock.now
    let report = Explorer().search(states: Self.states)
    print(
      "\(report.states) different states, \(report.turns) turns, all paths of \(report.depth) letters of",
      "\(World.letters.count), \(began.duration(to: .now))")
    #expect(report.violation == nil, "\n\(report.test)")
    #expect(report.states >= Self.states)
  }

  @Test("a defect in each rule is found, by a shortest path that can be pasted", arguments: SeededDefect.allCases)
  func seeded(defect: SeededDefect) throws {
    let report = Explorer(defect: defect).search(states: 2_000_000)
    let violation = try #require(report.violation, "after \(report.states) states")
    #expect(violation.hasPrefix("\(defect.rawValue):"))
    #expect(report.test.contains("world.play([."))
    // What is printed can be played, and is found again; but for chance, which is another each time.
    var world = World()
    world.defect = defect
    _ = world.play(report.path)
    if defect != .chance { #expect((world.violation ?? Rules.afterCalm(world)) == violation) }
    world = World()
    #expect(world.play(report.path) == nil, "without the defect nothing is wrong")
  }
}

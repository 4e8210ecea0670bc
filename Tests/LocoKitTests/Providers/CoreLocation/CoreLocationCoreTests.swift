import Foundation
import Testing

@testable import LocoKit

@Suite("CoreLocationCore, explored")
struct CoreLocationCoreTests {
  @Test("all rules hold on every path up to a depth, on each platform", arguments: CoreLocationWorld.Phone.allCases)
  func explored(phone: CoreLocationWorld.Phone) {
    // A tenth of the manager's core on each of five platforms.
    let limit = max(500, LocationCoreTests.states / 10)
    let began = ContinuousClock.now
    let report = Explorer(start: CoreLocationWorld(phone)).search(states: limit)
    print(
      "\(phone): \(report.states) different states, \(report.turns) turns, all paths of \(report.depth) letters of",
      "\(CoreLocationWorld(phone).letters.count), \(began.duration(to: .now))")
    #expect(report.violation == nil, "\n\(report.test)")
  }

  @Test("a defect of each rule is found, with a shortest path to paste", arguments: CoreLocationDefect.allCases)
  func seeded(defect: CoreLocationDefect) throws {
    var start = CoreLocationWorld(defect.phone)
    start.defect = defect
    let report = Explorer(start: start).search(states: isLong ? 300_000 : 1_000)
    // A few defects take a longer search, which LOCOKIT_LONG=1 runs.
    if report.violation == nil, !isLong { return }
    let violation = try #require(report.violation, "after \(report.states) states")
    #expect(violation.hasPrefix("\(defect.rule):"), "\(report.test)")
    var world = CoreLocationWorld(defect.phone)
    #expect(world.play(report.path) == nil, "without the defect the rules hold")
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("CoreLocationCore, explored")
struct CoreLocationCoreTests {
  private typealias World = CoreLocationWorld

  @Test("all rules hold on every path up to a depth, on each platform", arguments: CoreLocationWorld.Phone.allCases)
  func explored(phone: CoreLocationWorld.Phone) {
    // For each of six configurations, a tenth of the states of the manager's core, but at least 250.
    let limit = max(250, LocationCoreTests.states / 10)
    let began = ContinuousClock.now
    let report = Explorer(start: World(phone)).search(states: limit)
    print(
      "\(phone): \(report.states) different states, \(report.turns) turns, all paths of \(report.depth) letters",
      "from an alphabet of \(World(phone).letters.count), \(began.duration(to: .now))")
    #expect(report.violation == nil, "\n\(report.test)")
  }

  @Test("all rules hold on random walks, on each platform", arguments: CoreLocationWorld.Phone.allCases)
  func walks(phone: CoreLocationWorld.Phone) {
    let report = Self.walk(from: World(phone), seeds: max(100, UInt64(LocationCoreTests.states) / 10))
    #expect(report.violation == nil, "\n\(report.test)")
  }

  @Test(
    "no rule breaks on the paths that a long search has found",
    arguments: [
      // An answer ends the repetition of a prompt that the system ignored.
      [
        .foreground(false), .requestAuthorization, .authorization(.always, isReduced: false),
        .authorization(.notDetermined, isReduced: false), .foreground(true),
      ],
      // Full accuracy expired with the GPS off.
      [
        .authorization(.always, isReduced: true), .mode(.gps), .mode(.off),
        .authorization(.notDetermined, isReduced: false), .authorization(.whenInUse, isReduced: true), .mode(.gps),
      ],
      // A late diagnostic of a session is the first input after the launch.
      [
        .authorization(.whenInUse, isReduced: false), .wait(10), .session(isSuspended: false, isOld: true),
      ],
    ] as [[CoreLocationWorld.Letter]], CoreLocationWorld.Phone.allCases)
  func found(path: [CoreLocationWorld.Letter], phone: CoreLocationWorld.Phone) {
    var world = World(phone)
    #expect(world.play(path) == nil)
  }

  @Test("each seeded defect is found, on a path that breaks no rule without it", arguments: CoreLocationDefect.allCases)
  func seeded(defect: CoreLocationDefect) throws {
    var start = World(defect.phone)
    start.defect = defect
    let report = Self.walk(from: start, seeds: 500)
    let violation = try #require(report.violation)
    #expect(violation.hasPrefix("\(defect.rule):"), "\(report.test)")
    var world = World(defect.phone)
    #expect(world.play(report.path) == nil, "without the defect the rules hold")
  }

  @Test("states with the same key have the same future, on each platform", arguments: CoreLocationWorld.Phone.allCases)
  func merged(phone: CoreLocationWorld.Phone) {
    let start = World(phone)
    var known: [Int: World] = [:]
    var (pairs, seed) = (0, UInt64(0))
    while pairs < (isLong ? 1_000 : 12) {
      var world = start
      seed += 1
      for letter in Self.letters(seed: seed) {
        world.play(letter)
        let other = known.updateValue(world, forKey: world.key)
        guard let other, other.core != world.core else { continue }
        pairs += 1
        let difference = start.letters.first { letter in
          var (one, two) = (world, other)
          one.play(letter)
          two.play(letter)
          return one.key != two.key || one.told != two.told
        }
        #expect(difference == nil, "\(world.core) and \(other.core)")
        if difference != nil { return }
      }
    }
  }

  // MARK: - Walks

  private static func letters(seed: UInt64) -> [World.Letter] {
    var random = SeededGenerator(seed: seed)
    func draw<Element>(_ all: [Element]) -> Element { all[Int(random.next() % UInt64(all.count))] }
    return draw(World.beginnings) + (0..<40).map { _ in draw(draw(World.groups)) }
  }

  /// Plays random letters, and returns the first broken rule with the letters that it needs.
  private static func walk(from start: World, seeds: UInt64) -> Explorer<World>.Report {
    var report = Explorer<World>.Report(initializer: start.initializer)
    for seed in 0..<seeds {
      var world = start
      let letters = letters(seed: seed)
      guard let violation = world.play(letters) ?? world.afterCalm() else { continue }
      (report.violation, report.path) = (violation, letters)
      // Omits the parts that aren't needed: halves first, single letters last.
      var size = letters.count / 2
      while size > 0 {
        var index = 0
        while index + size <= report.path.count {
          var shorter = report.path
          shorter.removeSubrange(index..<index + size)
          var world = start
          if (world.play(shorter) ?? world.afterCalm()) == violation { report.path = shorter } else { index += size }
        }
        size /= 2
      }
      break
    }
    return report
  }
}

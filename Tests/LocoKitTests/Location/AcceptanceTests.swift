import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("TTLocationHandler's acceptance")
struct AcceptanceTests {
  private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private static func fix(_ accuracy: Double, at seconds: Double, north: Double = 0) -> Location {
    Location(
      latitude: 34 + north / 111_195, longitude: -118, horizontalAccuracy: accuracy, timestamp: start + seconds)
  }

  /// Fixes for an acceptance, and the expected verdicts. `30 @ 1` means that the fix of 30 m from second 1 is accepted.
  struct Script: Sendable, CustomTestStringConvertible {
    enum Step {
      case add(Double, at: Double, north: Double = 0, uptime: Double? = nil, String)
      case expire(at: Double, String?)
      case waitEnds(Double?)
    }

    let name: String
    let policy: TrackingPolicy
    let steps: [Step]

    init(_ name: String, policy: TrackingPolicy = TrackingPolicy(), _ steps: Step...) {
      (self.name, self.policy, self.steps) = (name, policy, steps)
    }

    var testDescription: String { "\"\(name)\"" }
  }

  static let scripts: [Script] =
    [
      Script(
        "An accurate fix is accepted immediately, and pending fixes are dropped", .add(30, at: 0, "pending"),
        .waitEnds(10), .add(10, at: 1, "10 @ 1"), .waitEnds(nil), .expire(at: 60, nil)),
      Script(
        "At the end of the wait the best pending fix is accepted, not the newest", .add(60, at: 0, "pending"),
        .add(25, at: 1, "pending"), .add(40, at: 2, "pending"), .add(25.5, at: 3, "pending"), .expire(at: 9.9, nil),
        .expire(at: 10, "25 @ 1")),
      Script(
        "The wait counts from the first pending fix", policy: TrackingPolicy(maximumPendingFixes: 1_000),
        .add(30, at: 0, "pending"), .add(30, at: 1, "pending"), .add(30, at: 5, "pending"),
        .add(30, at: 9, "pending"), .waitEnds(10)),
      Script(
        "The tenth pending fix ends the wait, and the best fix is accepted", .add(30, at: 0, "pending"),
        .add(31, at: 0.1, "pending"),
        .add(32, at: 0.2, "pending"), .add(33, at: 0.3, "pending"), .add(34, at: 0.4, "pending"),
        .add(35, at: 0.5, "pending"), .add(36, at: 0.6, "pending"), .add(37, at: 0.7, "pending"),
        .add(38, at: 0.8, "pending"), .add(90, at: 0.95, "30 @ 0")),
      Script(
        "A fix nearer than the sum of the filter and both accuracies is a possible duplicate",
        policy: TrackingPolicy(holdTime: .zero),
        .add(8, at: 0, "8 @ 0"), .add(9, at: 1, north: 66, "possibleDuplicate"), .add(9, at: 2, north: 68, "9 @ 2")),
      Script(
        "Without a filter, possible duplicates are accepted",
        policy: TrackingPolicy(holdTime: .zero, distanceFilter: 0), .add(8, at: 0, "8 @ 0"),
        .add(8, at: 1, "8 @ 1")),
      Script(
        "A fix is accepted beyond the distance filter or after the maximum interval, whichever comes first",
        policy: TrackingPolicy(holdTime: .zero, distanceFilter: 100, maximumInterval: .seconds(60)),
        .add(8, at: 0, "8 @ 0"), .add(8, at: 59, "possibleDuplicate"), .add(8, at: 60, "8 @ 60"),
        .add(8, at: 70, north: 200, "8 @ 70"), .add(8, at: 119, north: 200, "possibleDuplicate"),
        .add(8, at: 130, north: 200, "8 @ 130")),
      Script(
        "After the clock was set back, a fix is accepted, and the maximum interval begins again",
        policy: TrackingPolicy(holdTime: .zero, distanceFilter: 100, maximumInterval: .seconds(60)),
        .add(8, at: 9_000, "8 @ 9000"), .add(8, at: 9_030, "possibleDuplicate"),
        .add(8, at: 1_800, uptime: 9_040, "8 @ 1800"), .add(8, at: 1_859, uptime: 9_099, "possibleDuplicate"),
        .add(8, at: 1_860, uptime: 9_100, "8 @ 1860")),
      Script("A negative accuracy is invalid", .add(-1, at: 0, "invalidAccuracy")),
      Script(
        "The same fix is a duplicate, and an older one is out of order", .add(5, at: 0, "5 @ 0"),
        .add(5, at: 0, "duplicate"), .add(5, at: -1, uptime: 0, "outOfOrder")),
      Script(
        "During the hold time after an accurate fix, no other fix is accepted", .add(10, at: 0, "10 @ 0"),
        .add(5, at: 1, north: 30, "lastIsRecent"), .add(50, at: 1.01, north: 30, "lastIsRecent"),
        .add(5, at: 30, north: 900, "lastIsRecent"), .add(50, at: 30.01, north: 900, "lastIsRecent"),
        .add(5, at: 59.9, north: 1_797, "lastIsRecent"), .add(50, at: 59.91, north: 1_797, "lastIsRecent"),
        .waitEnds(nil), .add(5, at: 60, north: 1_800, "5 @ 60")),
      Script(
        "No hold time follows a less accurate fix", policy: TrackingPolicy(maximumPendingFixes: 1),
        .add(11, at: 0, "11 @ 0"),
        .add(5, at: 1, north: 500, "5 @ 1")),
      Script(
        "Without a hold time the next fix is accepted", policy: TrackingPolicy(holdTime: .zero),
        .add(5, at: 0, "5 @ 0"),
        .add(5, at: 1, north: 500, "5 @ 1")),
      Script(
        "A fix that was pending while the device slept is dropped", .add(20, at: 0, "pending"),
        .expire(at: 20, "20 @ 0"), .add(20, at: 100, north: 900, "pending"), .expire(at: 86_400, nil), .waitEnds(nil),
        .add(20, at: 86_500, north: 900, "pending"), .add(50, at: 90_000, north: 1_800, "pending"),
        .expire(at: 90_010, "50 @ 90000")),
      Script(
        "A last fix from before the clock was set back blocks nothing", .add(5, at: 3_600, "5 @ 3600"),
        .add(5, at: 100, north: 5_000, uptime: 3_701, "5 @ 100"), .waitEnds(nil)),
      Script(
        "A pending fix from before the clock was set back blocks nothing", .add(5, at: 3_600, "5 @ 3600"),
        .add(60, at: 3_700, north: 900, "pending"), .add(5, at: 100, north: 5_000, uptime: 3_701, "5 @ 100"),
        .waitEnds(nil)),
    ]

  @Test("The fixes of each row get the expected verdicts", arguments: scripts)
  func verdicts(_ script: Script) {
    var acceptance = Acceptance(script.policy)
    func text(_ verdict: Acceptance.Verdict?) -> String? {
      switch verdict {
      case .accepted(let fix):
        #expect(acceptance.last == fix)
        let seconds = fix.timestamp.timeIntervalSince(Self.start)
        return
          "\(fix.horizontalAccuracy.formatted(.number.grouping(.never))) @ \(seconds.formatted(.number.grouping(.never)))"
      case .rejected(let reason): return reason.rawValue
      case .pending: return "pending"
      case .lastIsRecent: return "lastIsRecent"
      case .possibleDuplicate: return "possibleDuplicate"
      case nil: return nil
      }
    }
    for (number, step) in script.steps.enumerated() {
      switch step {
      case .add(let accuracy, let seconds, let north, let uptime, let expected):
        let fix = Self.fix(accuracy, at: seconds, north: north)
        let verdict = acceptance.add(fix, at: Self.start + seconds, uptime: .seconds(uptime ?? seconds))
        #expect(text(verdict) == expected, "step \(number + 1)")
      case .expire(let seconds, let expected):
        let verdict = acceptance.expire(
          at: Self.start + seconds, uptime: .seconds(seconds), isFresh: { _ in true })
        #expect(text(verdict) == expected, "step \(number + 1)")
      case .waitEnds(let seconds): #expect(acceptance.waitEnds == seconds.map { .seconds($0) }, "step \(number + 1)")
      }
    }
  }

  @Test("The equator and the prime meridian are valid")
  func valid() {
    var acceptance = Acceptance(TrackingPolicy())
    let here = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: Self.start)
    #expect(acceptance.add(here, at: Self.start, uptime: .zero) == .accepted(here))
  }

  @Test(
    "An accepted fix is accurate, or the best pending one when the wait ends or the maximum number is reached",
    arguments: 0..<100)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = TrackingPolicy(
      maximumPendingFixes: Int.random(in: 1...20, using: &random), holdTime: .zero, distanceFilter: 0)
    var acceptance = Acceptance(policy)
    var (waiting, ends, seconds): ([Location], Duration?, Double) = ([], nil, 0)
    func best() -> Location? {
      waiting.min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
    }
    for _ in 0..<200 {
      seconds += Double.random(in: 0.01...5, using: &random)
      let isOver = ends.map { .seconds(seconds) >= $0 } ?? false
      let expected = isOver ? best().map(Acceptance.Verdict.accepted) : nil
      #expect(
        acceptance.expire(at: Self.start + seconds, uptime: .seconds(seconds), isFresh: { _ in true })
          == expected)
      if isOver { (waiting, ends) = ([], nil) }
      let fix = Self.fix(Double.random(in: 1...100, using: &random), at: seconds, north: seconds * 100)
      let verdict = acceptance.add(fix, at: Self.start + seconds, uptime: .seconds(seconds))
      waiting.append(fix)
      if fix.horizontalAccuracy <= policy.requiredAccuracy {
        #expect(verdict == .accepted(fix))
        (waiting, ends) = ([], nil)
      } else if waiting.count == policy.maximumPendingFixes {
        #expect(verdict == best().map(Acceptance.Verdict.accepted))
        (waiting, ends) = ([], nil)
      } else {
        #expect(verdict == .pending)
        ends = ends ?? .seconds(seconds) + .seconds(10)
        #expect(acceptance.waitEnds == ends)
      }
    }
  }
}

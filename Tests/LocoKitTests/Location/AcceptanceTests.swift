import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@Suite("TTLocationHandler's acceptance")
struct AcceptanceTests {
  private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private static func fix(_ accuracy: Double, at seconds: Double, north: Double = 0) -> Location {
    Location(
      latitude: 34 + north / 111_195, longitude: -118, horizontalAccuracy: accuracy, timestamp: start + seconds)
  }

  private func add(
    _ acceptance: inout Acceptance, _ accuracy: Double, _ seconds: Double, north: Double = 0
  )
    -> Acceptance.Verdict
  {
    acceptance.add(
      Self.fix(accuracy, at: seconds, north: north), at: Self.start + seconds, uptime: .seconds(seconds))
  }

  private func expire(_ acceptance: inout Acceptance, _ seconds: Double) -> Acceptance.Verdict? {
    acceptance.expire(at: Self.start + seconds, uptime: .seconds(seconds))
  }

  @Test("an accurate fix is accepted immediately, and pending fixes are dropped")
  func accurate() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, 30, 0) == .pending)
    #expect(acceptance.waitEnds == .seconds(10))
    #expect(add(&acceptance, 10, 1) == .accepted(Self.fix(10, at: 1)))
    #expect(acceptance.waitEnds == nil && expire(&acceptance, 60) == nil)
  }

  @Test("at the end of the wait the best pending fix is accepted, not the newest")
  func best() {
    var acceptance = Acceptance(AcceptancePolicy())
    for (index, accuracy) in [60.0, 25, 40, 25.5].enumerated() {
      #expect(add(&acceptance, accuracy, Double(index)) == .pending)
    }
    #expect(expire(&acceptance, 9.9) == nil)
    #expect(expire(&acceptance, 10) == .accepted(Self.fix(25, at: 1)))
    #expect(acceptance.last?.horizontalAccuracy == 25)
  }

  @Test("the wait starts at the first pending fix, so a steady stream doesn't postpone its end")
  func steady() {
    var acceptance = Acceptance(AcceptancePolicy(maximumPendingFixes: 1_000))
    for second in 0..<10 { #expect(add(&acceptance, 30, Double(second)) == .pending) }
    #expect(acceptance.waitEnds == .seconds(10))
  }

  @Test("the tenth fix ends the wait, not the twelfth, and the best is accepted")
  func maximumPendingFixes() {
    var acceptance = Acceptance(AcceptancePolicy())
    for index in 0..<9 { #expect(add(&acceptance, 30 + Double(index), Double(index) / 10) == .pending) }
    #expect(add(&acceptance, 90, 0.95) == .accepted(Self.fix(30, at: 0)))
  }

  @Test("a fix within the filter and both accuracies is a possible duplicate, a farther one isn't")
  func duplicates() {
    var acceptance = Acceptance(AcceptancePolicy(holdTime: .zero))
    #expect(add(&acceptance, 8, 0) == .accepted(Self.fix(8, at: 0)))
    #expect(add(&acceptance, 9, 1, north: 66) == .possibleDuplicate)
    #expect(add(&acceptance, 9, 2, north: 68) == .accepted(Self.fix(9, at: 2, north: 68)))
    var all = Acceptance(AcceptancePolicy(holdTime: .zero, ignoresPossibleDuplicates: false))
    #expect(add(&all, 8, 0) == .accepted(Self.fix(8, at: 0)))
    #expect(add(&all, 8, 1) == .accepted(Self.fix(8, at: 1)))
  }

  @Test("a negative accuracy is invalid; the equator and the prime meridian are valid")
  func invalid() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, -1, 0) == .rejected(.invalidAccuracy))
    let here = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: Self.start)
    #expect(acceptance.add(here, at: Self.start, uptime: .zero) == .accepted(here))
    #expect(acceptance.add(here, at: Self.start, uptime: .zero) == .rejected(.duplicate))
    #expect(
      acceptance.add(Self.fix(5, at: -1), at: Self.start, uptime: .zero) == .rejected(.outOfOrder))
  }

  @Test("no fix is accepted while the last location is accurate and recent; a hold time of 0 turns this off")
  func recent() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, 10, 0) == .accepted(Self.fix(10, at: 0)))
    for seconds in [1, 30, 59.9] {
      #expect(add(&acceptance, 5, seconds, north: seconds * 30) == .lastIsRecent)
      #expect(add(&acceptance, 50, seconds + 0.01, north: seconds * 30) == .lastIsRecent)
    }
    #expect(acceptance.waitEnds == nil)
    #expect(add(&acceptance, 5, 60, north: 1_800) == .accepted(Self.fix(5, at: 60, north: 1_800)))
    // A less accurate location has no hold time.
    var coarse = Acceptance(AcceptancePolicy(maximumPendingFixes: 1))
    #expect(add(&coarse, 11, 0) == .accepted(Self.fix(11, at: 0)))
    #expect(add(&coarse, 5, 1, north: 500) == .accepted(Self.fix(5, at: 1, north: 500)))
    var all = Acceptance(AcceptancePolicy(holdTime: .zero))
    #expect(add(&all, 5, 0) == .accepted(Self.fix(5, at: 0)))
    #expect(add(&all, 5, 1, north: 500) == .accepted(Self.fix(5, at: 1, north: 500)))
  }

  @Test("fixes that were pending while the device slept are dropped")
  func slept() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, 20, 0) == .pending)
    #expect(expire(&acceptance, 20) == .accepted(Self.fix(20, at: 0)))
    #expect(add(&acceptance, 20, 100, north: 900) == .pending)
    #expect(expire(&acceptance, 86_400) == nil)
    #expect(acceptance.waitEnds == nil)
    #expect(add(&acceptance, 20, 86_500, north: 900) == .pending)
    #expect(add(&acceptance, 50, 90_000, north: 1_800) == .pending)
    #expect(expire(&acceptance, 90_010) == .accepted(Self.fix(50, at: 90_000, north: 1_800)))
  }

  @Test("after the clock is set back, neither pending fixes, nor the hold time, nor the order blocks a fix")
  func setBack() {
    for waits in [false, true] {
      var acceptance = Acceptance(AcceptancePolicy())
      #expect(add(&acceptance, 5, 3_600) == .accepted(Self.fix(5, at: 3_600)))
      if waits { #expect(add(&acceptance, 60, 3_700, north: 900) == .pending) }
      let fix = Self.fix(5, at: 100, north: 5_000)
      #expect(acceptance.add(fix, at: Self.start + 100, uptime: .seconds(3_701)) == .accepted(fix))
      #expect(acceptance.waitEnds == nil)
    }
  }

  @Test(
    "each accepted fix is accurate or the best pending one, and maximumPendingFixes bounds these", arguments: 0..<100)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = AcceptancePolicy(
      maximumPendingFixes: Int.random(in: 1...20, using: &random), holdTime: .zero, ignoresPossibleDuplicates: false)
    var acceptance = Acceptance(policy)
    var (waiting, ends, seconds): ([Location], Duration?, Double) = ([], nil, 0)
    func best() -> Location? {
      waiting.min { ($0.horizontalAccuracy, $1.timestamp) < ($1.horizontalAccuracy, $0.timestamp) }
    }
    for _ in 0..<200 {
      seconds += Double.random(in: 0.01...5, using: &random)
      let isOver = ends.map { .seconds(seconds) >= $0 } ?? false
      let expected = isOver ? best().map(Acceptance.Verdict.accepted) : nil
      #expect(expire(&acceptance, seconds) == expected)
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

  #if os(Linux) || os(macOS)
    @Test("values out of range stop the program")
    func ranges() async {
      await #expect(processExitsWith: .failure) { _ = Acceptance(AcceptancePolicy(requiredAccuracy: 0)) }
      await #expect(processExitsWith: .failure) { _ = Acceptance(AcceptancePolicy(pendingTimeLimit: .zero)) }
      await #expect(processExitsWith: .failure) { _ = Acceptance(AcceptancePolicy(maximumPendingFixes: 0)) }
      await #expect(processExitsWith: .failure) { _ = Acceptance(AcceptancePolicy(holdTime: .seconds(-1))) }
      await #expect(processExitsWith: .failure) {
        var policy = AcceptancePolicy()
        policy.distanceFilter = -.infinity
        _ = Acceptance(policy)
      }
    }
  #endif
}

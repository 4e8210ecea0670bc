import Foundation
import Testing

@testable import LocoKit

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
    acceptance.add(Self.fix(accuracy, at: seconds, north: north), at: .seconds(seconds))
  }

  @Test("an accurate fix is accepted at once, and what waited is forgotten")
  func accurate() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, 30, 0) == .pending)
    #expect(acceptance.waitEnds == .seconds(10))
    #expect(add(&acceptance, 10, 1) == .accepted(Self.fix(10, at: 1)))
    #expect(acceptance.waitEnds == nil && acceptance.expire(at: .seconds(60)) == nil)
  }

  @Test("when the wait is over the best that waited is taken, not the latest")
  func best() {
    var acceptance = Acceptance(AcceptancePolicy())
    for (index, accuracy) in [60.0, 25, 40, 25.5].enumerated() {
      #expect(add(&acceptance, accuracy, Double(index)) == .pending)
    }
    #expect(acceptance.expire(at: .seconds(9.9)) == nil)
    #expect(acceptance.expire(at: .seconds(10)) == .accepted(Self.fix(25, at: 1)))
    #expect(acceptance.last?.horizontalAccuracy == 25)
  }

  @Test("the wait is counted from the first that waits, so that a steady stream does not put it off for ever")
  func steady() {
    var acceptance = Acceptance(AcceptancePolicy(tries: 1_000))
    for second in 0..<10 { #expect(add(&acceptance, 30, Double(second)) == .pending) }
    #expect(acceptance.waitEnds == .seconds(10))
  }

  @Test("the tenth try ends the wait, not the twelfth, and gives the best")
  func tries() {
    var acceptance = Acceptance(AcceptancePolicy())
    for index in 0..<9 { #expect(add(&acceptance, 30 + Double(index), Double(index) / 10) == .pending) }
    #expect(add(&acceptance, 90, 0.95) == .accepted(Self.fix(30, at: 0)))
  }

  @Test("a fix nearer than the filter and both accuracies may be the same place, one farther is not")
  func duplicates() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, 8, 0) == .accepted(Self.fix(8, at: 0)))
    #expect(add(&acceptance, 9, 1, north: 66) == .possibleDuplicate)
    #expect(add(&acceptance, 9, 2, north: 68) == .accepted(Self.fix(9, at: 2, north: 68)))
    var all = Acceptance(AcceptancePolicy(ignoresPossibleDuplicates: false))
    #expect(add(&all, 8, 0) == .accepted(Self.fix(8, at: 0)))
    #expect(add(&all, 8, 1) == .accepted(Self.fix(8, at: 1)))
  }

  @Test("a negative accuracy does not count as a good one, and the equator and the prime meridian are places")
  func invalid() {
    var acceptance = Acceptance(AcceptancePolicy())
    #expect(add(&acceptance, -1, 0) == .rejected(.invalidAccuracy))
    let here = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: Self.start)
    #expect(acceptance.add(here, at: .zero) == .accepted(here))
    #expect(acceptance.add(here, at: .zero) == .rejected(.duplicate))
    #expect(add(&acceptance, 5, -1) == .rejected(.outOfOrder))
  }

  @Test("what waited for longer than is recent is not the best any more")
  func old() {
    var acceptance = Acceptance(AcceptancePolicy(pendingWait: .seconds(600), recency: .seconds(60)))
    _ = add(&acceptance, 20, 0)
    _ = add(&acceptance, 50, 61)
    #expect(acceptance.expire(at: .seconds(600)) == .accepted(Self.fix(50, at: 61)))
  }

  @Test("nothing is accepted of nothing, and the queue is bounded", arguments: 0..<100)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = AcceptancePolicy(tries: Int.random(in: 1...20, using: &random), ignoresPossibleDuplicates: false)
    var acceptance = Acceptance(policy)
    var given: [Location] = []
    var seconds = 0.0
    for _ in 0..<200 {
      seconds += Double.random(in: 0...5, using: &random)
      let fix = Self.fix(Double.random(in: 1...100, using: &random), at: seconds, north: seconds * 100)
      given.append(fix)
      for verdict in [acceptance.expire(at: .seconds(seconds)), acceptance.add(fix, at: .seconds(seconds))] {
        guard case .accepted(let location)? = verdict else { continue }
        #expect(given.contains(location))
        // Nothing that came since the last accepted one was better.
        given.removeAll { $0.timestamp <= location.timestamp }
      }
    }
  }

  @Test("values out of range stop the program")
  func ranges() async {
    await #expect(processExitsWith: .failure) { _ = AcceptancePolicy(requiredAccuracy: 0) }
    await #expect(processExitsWith: .failure) { _ = AcceptancePolicy(pendingWait: .zero) }
    await #expect(processExitsWith: .failure) { _ = AcceptancePolicy(tries: 0) }
    await #expect(processExitsWith: .failure) {
      var policy = AcceptancePolicy()
      policy.distanceFilter = -.infinity
    }
  }
}

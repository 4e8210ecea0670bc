import Foundation
import LocoKit
import Testing

@testable import PhoneReplay

@Suite("The results of a replay")
struct ResultTests {
  private func counts(_ seconds: [(Counts.Power, Bool, Int64)]) -> Counts {
    var counts = Counts()
    for (power, isMoving, time) in seconds { counts.add(milliseconds: time * 1_000, power, moving: isMoving) }
    return counts
  }

  @Test("The mean power follows from the seconds in each state and from the wake-ups")
  func power() throws {
    var sum = counts([(.gps, true, 100), (.coarse, true, 800), (.suspended, true, 100), (.suspended, false, 500)])
    #expect(Power.milliwatts(sum, moving: true) == 471 * 0.1 + 188 * 0.8)
    #expect(Power.milliwatts(sum, moving: false) == 0)
    sum.wakes.add(5, moving: false)
    #expect(Power.milliwatts(sum, moving: false) == 10)
    #expect(Power.milliwatts(Counts(), moving: true) == nil)
    // Always in 100 m mode, always in Best mode, and power used only while moving.
    #expect(abs(Power.dayPercentPerHour(rest: 91, moving: 188) - 1.434) < 0.001)
    #expect(abs(Power.dayPercentPerHour(rest: 235, moving: 471) - 3.686) < 0.001)
    #expect(abs(Power.dayPercentPerHour(rest: 0, moving: 195) - 0.235) < 0.001)
  }

  @Test("Errors are counted and pooled over runs")
  func errors() {
    var errors = Errors()
    #expect(errors.quantile(0.95) == nil)
    for metres in 0..<100 { errors.add(Double(metres) + 0.5, bound: 89.6) }
    #expect(errors.quantile(0.95) == 95)
    #expect(errors.beyondShare == 0.1)
    var others = Errors()
    others.add(1e9, bound: 500)
    errors += others
    #expect(errors.total == 101)
    #expect(errors.quantile(1) == Double(Errors.farthest))
  }

  @Test("A tally separates surface, rails, leaving and rest, and counts seconds without a location")
  func tally() {
    var tally = Tally()
    let place = Fixture.place(at: 0)
    let near = place.moved(north: 300, east: 0)
    tally.add(near, truth: place, classes: [.moving, .leaving], bound: 200)
    tally.add(near, truth: place, classes: [.moving, .rails], bound: 200)
    tally.add(near, truth: place, classes: [], bound: 200)
    tally.add(nil, truth: place, classes: [], bound: 200)
    #expect([tally.surface, tally.moving, tally.leaving, tally.rest].map(\.total) == [1, 2, 1, 1])
    #expect(tally.surface.beyond == 1)
    #expect(Row(Candidate(.default, bound: 200), trips: tally).withoutLocation == 0.25)
  }

  @Test("A row's JSON is one line with the expected keys")
  func json() throws {
    var tally = Tally()
    tally.counts = counts([(.gps, true, 10), (.coarse, true, 90), (.suspended, false, 1_000)])
    tally.add(Fixture.place(at: 0), truth: Fixture.place(at: 0), classes: .moving, bound: 500)
    for candidate in [Candidate(.default, bound: 500), Candidate(.significantChanges)] {
      let line = Row(candidate, trips: tally).json
      #expect(!line.contains("\n"))
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let wanted = [
        "policy", "bound", "dayPercentPerHour", "movingMilliwatts", "restMilliwatts", "surfaceBeyond", "railsBeyond",
        "surfaceP50", "surfaceP95",
        "dayPercentPerHour4Journeys", "journeysPerDay", "movingP95", "restP95", "leavingP95", "withoutLocation",
      ]
      for key in wanted { #expect(object[key] != nil, "\(key)") }
      #expect(object["policy"] as? String == candidate.policy.rawValue)
      #expect((object["bound"] is NSNull) == (candidate.bound == nil))
      #expect((object["surfaceBeyond"] is NSNull) == (candidate.bound == nil))
      #expect(object["movingMilliwatts"] as? Double == 216.3)
      #expect(object["leavingP95"] is NSNull)
    }
  }

  @Test("All rows of a table have the same number of cells")
  func tables() {
    let rows = Candidate.all(bounds: [100, 500]).map { Row($0, trips: Tally()) }
    for table in [Row.table(rows), Row.shortTable(rows)] {
      let widths = table.split(separator: "\n").map { $0.count { $0 == "|" } }
      #expect(Set(widths).count == 1, "\(table)")
    }
    #expect(Candidate.all().count == 9 * 5 + 3)
  }

  @Test("The battery's drop is predicted from the first reading below 100 % to the last")
  func battery() throws {
    let text =
      Fixture.text() + """
        B,ios-3,0,100
        B,ios-3,100,98
        S,ios-3,700,ONGOING_TRIP,TRIP_STARTED
        S,ios-3,750,ONGOING_TRIP,VISIT_STARTED
        S,ios-3,850,ONGOING_TRIP,TRIP_ENDED
        B,ios-3,1100,90
        """
    let check = try #require(BatteryCheck.check(try Fixture.outing(text)).first)
    // The baseline of 600 s moving and 400 s at rest, and two periods of tracking of 50 s, the second after the departure at 800 s.
    let millijoules: Double = 600 * 74 + 400 * 20 + 100 * 188
    #expect(check.measured == 8)
    #expect(abs(check.predicted - millijoules / 3_600 / (6_910 * 0.84) * 100) < 1e-9)
    #expect(abs(check.hoursOn - 100 / 3_600) < 1e-9)
    #expect(!check.isGood)
  }

  @Test("Every policy gives the same result when a replay is repeated", arguments: Candidate.all(bounds: [200]))
  func replay(_ candidate: Candidate) throws {
    let recording = try Fixture.recording()
    let tally = try Replay.run(recording, candidate, seed: 1)
    #expect(tally.known == 1_680)
    #expect(tally.counts.seconds(moving: true) == 600)
    #expect(tally.counts.seconds(moving: false) == 1_200)
    #expect(tally == (try Replay.run(recording, candidate, seed: 1)))
    if candidate.policy.hasBound, candidate.policy != .never {
      #expect(tally.without < 20)
      #expect(tally.rest.quantile(0.5) ?? .infinity <= 200)
    }
  }

  @Test("The oracle keeps the bound with about one look per bound of distance", arguments: [100.0, 500, 2_000])
  func oracle(bound: Double) throws {
    let recording = try Fixture.recording()
    let tally = try Replay.run(recording, Candidate(.oracle, bound: bound), seed: 0)
    #expect(tally.without == 0 && tally.journeys == 1)
    // The exit from the tunnel is 1,200 m from its entrance.
    #expect(tally.moving.beyond <= 1 && tally.moving.quantile(0.9) ?? .infinity <= bound)
    // Each look suffices for the distance of the bound, and the drive has 6,000 m.
    let looks = tally.counts.looks.moving + tally.counts.looks.rest
    #expect(Double(looks) <= 6_000 / bound + 3 && Double(looks) >= (6_000 - 1_200) / bound - 2, "\(looks)")
    let all = [false, true].reduce(0) { $0 + tally.counts.seconds(moving: $1) }
    #expect(abs(all - 1_800) < 10)
  }

  @Test("On a phone worse than recorded, motion and visits are reported 2 minutes late")
  func pessimistic() throws {
    let recording = try Fixture.recording()
    func times(_ assumptions: ReplayProvider.Assumptions) throws -> (motion: Double?, visit: Double?) {
      let provider = ReplayProvider(
        recording, options: ReplayProvider.Options(keeper: .always, assumptions: assumptions), seed: 0)
      let log = Log()
      log.listen(to: provider)
      provider.setMode(.significantChanges)
      for second in 0..<1_200 { try provider.advance(toSecond: second) }
      let departure = log.reports.last {
        if case .wake(.visit(let visit)) = $0.report { visit.departure != nil } else { false }
      }
      return (log.reports.last { $0.report == .wake(.motion(.vehicle)) }?.time, departure?.time)
    }
    let (ideal, late) = (try times(.ideal), try times(.pessimistic))
    #expect(ideal.motion == 420 && late.motion == 540 && ideal.visit == 800 && late.visit == 920)
  }

  @Test("With the outings' rate of journeys, a day uses as much as they do; with none, it rests like a still outing")
  func journeys() throws {
    var (trips, still) = (Tally(), Tally())
    trips.counts = counts([(.gps, true, 7_200), (.coarse, false, 79_200)])
    trips.journeys = 12
    still.counts = counts([(.suspended, false, 79_200)])
    let row = Row(Candidate(.default, bound: 500), trips: trips, still: still)
    let day = try #require(row.dayPercentPerHour)
    let (same, none) = (
      try #require(row.dayPercentPerHour(journeys: 12)), try #require(row.dayPercentPerHour(journeys: 0))
    )
    #expect(row.journeysPerDay == 12 && abs(same - day) < 1e-9)
    #expect(abs(none - Power.dayPercentPerHour(rest: 0, moving: 471)) < 1e-9)
  }

  @Test("A recorded outing is replayed", .enabled(if: Fixture.folder != nil))
  func recorded() throws {
    let folder = try #require(Fixture.folder)
    let outing = try OutingReader.read(contentsOf: folder.appendingPathComponent("uni-01.csv.gz"))
    #expect(outing.phones.count == 4)
    let recording = try #require(Recording(outing))
    let tally = try Replay.run(recording, Candidate(.always, bound: 500), seed: 0)
    #expect(tally.surface.total > 1_000)
    #expect(tally.surface.quantile(0.5) ?? .infinity < 500)
  }
}

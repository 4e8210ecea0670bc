import Foundation
import LocoKit
import LocoKitTrips
import Testing

@testable import PhoneReplay

@Suite("Automatic trips on a replay")
struct TripReplayTests {
  @Test("A drive is found with its length, and no other trip is found")
  func drive() throws {
    let recording = try #require(Recording(try OutingReader.read(Fixture.text(seconds: 3_600), file: "by hand")))
    var lines: [String] = []
    let tally = try Replay.trips(recording, seed: 0) { lines.append($0) }
    #expect(tally.journeys == 1 && tally.found == 1 && tally.invented == 0 && lines.count == 1, "\(lines)")
    let (distance, start) = (try #require(tally.distances.first), try #require(tally.starts.first))
    #expect(abs(distance.error) < 0.1 && abs(start) < 90, "\(lines)")
    #expect(tally.table.split(separator: "\n").count == 14)
  }

  @Test(
    "At least 97 % of the recorded outings' journeys are found, and no trip is recorded at rest",
    .enabled(if: Fixture.folder != nil, "needs the recorded outings")
  )
  func recorded() throws {
    var sum = TripTally()
    var lines: [String] = []
    for file in try OutingReader.files(in: try #require(Fixture.folder)) {
      guard let recording = Recording(try OutingReader.read(contentsOf: file)) else { continue }
      sum += try Replay.trips(recording, seed: 0) { lines.append($0) }
    }
    let words = lines.joined(separator: "\n")
    #expect(sum.journeys >= 20 && sum.found * 100 >= sum.journeys * 97 && sum.invented == 0, "\(words)")
    #expect(sum.starts.count { abs($0) <= 60 } * 100 >= sum.found * 88, "\(words)")
    let long = sum.distances.filter { $0.length >= TripTally.longJourney }
    #expect(long.count { abs($0.error) <= 0.05 } * 100 >= long.count * 75, "\(words)")
    #expect(try #require(sum.dayPercentPerHour) <= 0.35)
  }
}

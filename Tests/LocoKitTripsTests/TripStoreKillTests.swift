#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitTrips
  @testable import TestSupport

  @Suite("Trip stores of killed processes")
  struct TripStoreKillTests {
    /// `LOCOKIT_TRIP_KILLS` sets the number of kills, rounded up to tens, and `LOCOKIT_SEED` selects a single seed.
    private static let seeds: Range<UInt64> = {
      let environment = ProcessInfo.processInfo.environment
      if let seed = environment["LOCOKIT_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
      let kills = environment["LOCOKIT_TRIP_KILLS"].flatMap(UInt64.init) ?? 8
      return 0..<(kills + killsPerSeed - 1) / killsPerSeed
    }()
    private static let killsPerSeed = UInt64(10)

    /// The output of a writer.
    private struct Said {
      /// The number of the last fix that the recorder may have received.
      var adding: Int
      /// The written trips by their beginnings, with their minimum numbers of fixes.
      var written: [Date: Int] = [:]

      mutating func read(_ output: Data) {
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
          let words = line.split(separator: " ")
          guard let first = Double(words[1]) else { continue }
          if words[0] == "adding" { adding = Int(first) }
          if words.count == 3 { written[Date(timeIntervalSinceReferenceDate: first)] = Int(words[2]) }
        }
      }
    }

    @Test("A kill at any time loses nothing that was written, and each trip is stored once, with its fixes in order")
    func killed() async throws {
      var (resumed, ended) = (0, 0)
      for seed in Self.seeds {
        let scene = TripStoreTests.Scene()
        let areFound = seed % 2 == 1
        var said = Said(adding: 0)
        for life in 0..<Self.killsPerSeed {
          let writer = Process()
          let output = Pipe()
          writer.executableURL = products.appending(path: "StoreWriter")
          writer.arguments = [
            scene.path, "--trips", "\(seed * Self.killsPerSeed + life)", "\(said.adding + 1)",
            areFound ? "found" : "started",
          ]
          writer.standardOutput = output
          try writer.run()
          said.read(try output.fileHandleForReading.readToEnd() ?? Data())
          writer.waitUntilExit()
          try #require(writer.terminationReason == .uncaughtSignal && writer.terminationStatus == SIGKILL)
          let store = scene.store()
          let snapshot = store.load()
          let trips = try await store.trips()
          let problems = Self.problems(snapshot, trips, said, areFound) + scene.reports
          guard problems.isEmpty else {
            Issue.record(
              "life \(life): \(problems). LOCOKIT_SEED=\(seed) swift test --filter TripStoreKillTests/killed")
            return
          }
          resumed += snapshot?.trip == nil ? 0 : 1
          ended += trips.count
          // Sometimes the app removes ended trips.
          if life % 3 == 0 { for trip in trips { try await store.remove(trip) } }
          said.written = said.written.filter { began, _ in
            began == snapshot?.trip?.began || life % 3 > 0 && trips.contains { $0.began == began }
          }
        }
      }
      #expect(resumed > Self.seeds.count && ended > Self.seeds.count, "\(resumed) resumed, \(ended) ended")
    }

    /// Returns the problems of the files that a killed writer left.
    private static func problems(
      _ snapshot: TripSnapshot?, _ trips: [Trip], _ said: Said, _ areFound: Bool
    ) -> [String] {
      var problems: [String] = []
      let all = trips + [snapshot?.trip].compactMap { $0 }
      let counts = Dictionary(all.map { ($0.began, $0.fixes.count) }) { first, _ in
        problems.append("a trip is stored twice")
        return first
      }
      // A detected trip ends at the start of the stay, and excludes later fixes.
      for (began, count) in said.written where (counts[began] ?? -1) < count - (areFound ? 3 : 0) {
        problems.append("of \(count) fixes, \(counts[began] ?? -1) are there")
      }
      if snapshot?.detector?.isOnTrip == true, snapshot?.trip == nil {
        problems.append("the detector is on a trip, but no trip is stored")
      }
      for trip in all {
        let dates = trip.fixes.map(\.timestamp)
        if !zip(dates, dates.dropFirst()).allSatisfy({ areFound ? $0 <= $1 : $0 < $1 }) {
          problems.append("the fixes aren't in order")
        }
        if Array(trip.segments.joined()) != trip.fixes { problems.append("the segments differ from the fixes") }
        let length = trip.segments.reduce(0) { sum, segment in
          sum + zip(segment, segment.dropFirst()).reduce(0) { $0 + $1.0.geodesicDistance(to: $1.1) }
        }
        // A trip that the app starts stores a segment's first fix, but its meter measures from a later one.
        let least = length - (areFound ? 0.01 : 150 * Double(trip.segments.count))
        if !(least...length + 0.01).contains(trip.distance) {
          problems.append("\(trip.distance) m in place of \(length) m")
        }
        for fix in trip.fixes {
          guard let number = fix.altitude, number <= Double(said.adding) else {
            problems.append("a fix that wasn't added")
            continue
          }
          if !areFound,
            fix.latitude != number * 15 / 111_195
              || fix.timestamp != Date(timeIntervalSinceReferenceDate: 800_000_000 + number)
          {
            problems.append("a fix differs from the added one")
          }
        }
      }
      if trips.contains(where: { $0.ended == nil }) || snapshot?.trip?.ended != nil {
        problems.append("an ended trip has no end, or the current one has an end")
      }
      return problems
    }
  }
#endif

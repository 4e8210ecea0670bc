import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoDurable
@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

extension LocationHistory.Batch {
  var locations: [Location] { entries.map(\.location) }
  var positions: [LocationHistory.Position] { entries.map(\.position) }
}

@Suite("Location history")
struct LocationHistoryTests {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }
  private let reports = Locked<[String]>([])
  private var file: URL { folder.appending(path: "program/history.jsonl") }

  init() throws { temporary = try TemporaryFolder() }

  /// The date of a location without an age, in seconds since 2001.
  private static let now = 800_000_000.0

  private static func location(_ number: Int, age: Double = 0) -> Location {
    Location(
      latitude: 12.345_67, longitude: -1, horizontalAccuracy: 5, altitude: Double(number), speedAccuracy: 0.5,
      courseAccuracy: Double(number % 9), floor: number % 5,
      timestamp: Date(timeIntervalSinceReferenceDate: now - age))
  }

  private func history(
    capacity: Int = 1_000, lockTimeout: Duration = .seconds(2), at url: URL? = nil,
    flush: @escaping @Sendable (Int32) -> Int32 = RecordFile.flushToDevice
  ) -> LocationHistory {
    let file = RecordFile(
      path: (url ?? file).path, maximumSize: LocationHistory.maximumSize, maximumLine: LocationHistory.maximumLine,
      flush: flush)
    return LocationHistory(
      file, capacity: capacity, maximumAge: .seconds(1_000),
      report: { [reports] report in reports.change { $0.append(report) } }, lockTimeout: lockTimeout)
  }

  private func append(_ numbers: some Sequence<Int>, to history: LocationHistory) {
    for number in numbers { history.append(Self.location(number)) }
  }

  private func numbers(_ batch: LocationHistory.Batch) -> [Int] { batch.locations.map { Int($0.altitude ?? -1) } }

  private static func number(_ position: LocationHistory.Position) -> Int {
    Int(position.description.split(separator: "-").last ?? "") ?? -1
  }

  /// Whether the numbers of each launch increase by one.
  private static func areInOrder(_ positions: [LocationHistory.Position]) -> Bool {
    var last: [Substring: Int] = [:]
    return positions.allSatisfy { position in
      let launch = position.description.prefix { $0 != "-" }
      defer { last[launch] = number(position) }
      return last[launch].map { number(position) == $0 + 1 } ?? true
    }
  }

  private func lines() throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("Batches contain the oldest locations in order until they are acknowledged, also in another launch")
  func order() async throws {
    let history = history()
    let nothing = try await history.batch(upTo: 10)
    #expect(nothing.isEmpty && nothing.locations.isEmpty && nothing.dropped == 0)
    append(1...250, to: history)
    for launch in [history, self.history(), history] {
      let batch = try await launch.batch(upTo: 100)
      #expect(numbers(batch) == Array(1...100) && batch.dropped == 0 && !batch.isEmpty)
      #expect(batch.positions.map(Self.number) == Array(1...100) && batch.positions.last == batch.end)
    }
    for (upTo, expected) in [(100, 1...100), (40, 101...140), (1, 141...141), (1_000, 142...250)] {
      let batch = try await history.batch(upTo: upTo)
      #expect(numbers(batch) == Array(expected))
      try await history.acknowledge(through: batch.end)
    }
    #expect(try await history.batch(upTo: 1).isEmpty)
    append([251], to: self.history())
    append([252], to: history)
    #expect(history.synchronize(within: .seconds(60)))
    #expect(try await Set(numbers(self.history().batch(upTo: 9))).isSubset(of: [251, 252]))
    #expect(reports.change { $0 }.isEmpty)
  }

  @Test("An entry has the circumstances with which it was appended, also in the next launch and after a compaction")
  func circumstances() async throws {
    var known = LocationManager.Circumstances()
    (known.cause, known.motion) = (.regionExit, .walking)
    (known.isInForeground, known.isLowPowerMode) = (false, true)
    known.battery = LocationManager.BatteryStatus(level: 0.25, state: .unplugged)
    known.trip = Date(timeIntervalSinceReferenceDate: Self.now - 7)
    let history = history()
    history.append(Self.location(1), circumstances: known)
    history.append(Self.location(2))
    append(3...200, to: history)
    for launch in [history, self.history()] {
      let entries = try await launch.batch(upTo: 2).entries
      #expect(entries.map(\.circumstances) == [known, .init()])
    }
    append(201...400, to: history)
    let first = try await history.batch(upTo: 1)
    history.append(Self.location(401), circumstances: known)
    try await history.acknowledge(through: try #require(try await history.batch(upTo: 400).entries.last).position)
    #expect(try lines().count < 10, "compacted")
    #expect(try await self.history().batch(upTo: 9).entries.map(\.circumstances) == [known])
    #expect(first.entries.first?.position != nil && reports.change { $0 }.isEmpty)
  }

  @Test("A manager's history has the cause of each location")
  func listener() async throws {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    device.battery = LocationManager.BatteryStatus(level: 0.5, state: .charging)
    let manager = LocationManager(provider: device)
    let history = LocationHistory(file: file)
    manager.listeners.add(history)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(1_800))
    let entries = try await history.batch(upTo: 100).entries
    #expect(entries.first?.circumstances.cause == .command && entries.count > 3)
    #expect(entries.dropFirst().allSatisfy { $0.circumstances.cause == .significantChange })
    #expect(entries.allSatisfy { $0.circumstances.battery?.state == .charging })
  }

  @Test(
    "Appending returns the location's position in a batch, even after a relaunch or damage to the file",
    arguments: 0..<40 as Range<UInt64>)
  func appended(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var histories = [history(capacity: 30), history(capacity: 30)]
    var expected: [Int: LocationHistory.Position] = [:]
    var next = 1
    for _ in 0..<30 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: histories[0] = history(capacity: 30)
      case 1: _ = histories[1].synchronize(within: .seconds(60))
      case 2:
        if let text = try? String(contentsOf: file, encoding: .utf8) {
          try (text + "x\n").write(to: file, atomically: false, encoding: .utf8)
        }
      case 3:
        let batch = try await histories[0].batch(upTo: 3)
        try await histories[1].acknowledge(through: batch.end)
      default:
        let history = histories[Int.random(in: 0..<2, using: &random)]
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          expected[next] = history.append(Self.location(next))
          next += 1
        }
        #expect(history.synchronize(within: .seconds(60)))
      }
    }
    #expect(Set(expected.values).count == expected.count)
    for history in histories {
      for entry in try await history.batch(upTo: 100).entries {
        let number = Int(entry.location.altitude ?? -1)
        #expect(expected[number] == entry.position, "seed \(seed): \(number)")
      }
    }
  }

  @Test("Acknowledging the position of an appended location removes it and those before it")
  func acknowledged() async throws {
    let history = history()
    append(1...4, to: history)
    let position = try #require(history.append(Self.location(5)))
    append(6...7, to: history)
    try await history.acknowledge(through: position)
    #expect(try await numbers(history.batch(upTo: 9)) == [6, 7])
  }

  @Test("A history omits locations by distance, time and both, and returns no position for them")
  func spacing() async throws {
    func kept(_ distance: Double, _ maximum: Double?, _ minimum: Double) async throws -> [Double] {
      let history = LocationHistory(
        file: folder.appending(path: UUID().uuidString), distanceFilter: distance,
        maximumInterval: maximum.map { .seconds($0) }, minimumInterval: .seconds(minimum))
      var positions = 0
      // At rest for 100 s, then 10 m each second.
      for second in 0..<200 {
        let metres = Double(max(0, second - 100)) * 10
        let location = Location(
          latitude: metres / 111_195, longitude: 0, horizontalAccuracy: 5,
          timestamp: Date(timeIntervalSinceReferenceDate: Self.now + Double(second)))
        if history.append(location) != nil { positions += 1 }
      }
      let entries = try await history.batch(upTo: 1_000).entries
      #expect(entries.count == positions)
      return entries.map { $0.location.timestamp.timeIntervalSinceReferenceDate - Self.now }
    }
    #expect(try await kept(0, nil, 0).count == 200)
    #expect(try await kept(0, nil, 50) == [0, 50, 100, 150])
    #expect(try await kept(190, nil, 0) == [0, 120, 140, 160, 180])
    #expect(try await kept(190, 60, 0) == [0, 60, 120, 140, 160, 180])
    #expect(try await kept(190, 60, 30) == [0, 60, 120, 150, 180])
  }

  @Test("After the clock was set back or ahead, the intervals begin again, and the distance still counts")
  func spacingAfterAClockChange() async throws {
    for (change, minimum, maximum, distance, expected) in [
      (-7_200.0, 0.0, 300.0, 200.0, [0.0, 300, 600, 900, 1_200, 1_500]),
      (7_200, 0, 300, 200, [0, 300, 600, 900, 1_200, 1_500]),
      (-7_200, 240, 300, 200, [0, 300, 600, 900, 1_200, 1_500]),
      (-7_200, 240, nil, 0, [0, 240, 480, 720, 900, 1_140, 1_380, 1_620]),
      (-7_200, 0, nil, 200, [0]),
      // No date shows how much time has passed if the clock was set back by less than the time since the last location.
      (-120, 0, 300, 200, [0, 300, 600, 1_020, 1_320, 1_620]),
    ] as [(Double, Double, Double?, Double, [Double])] {
      let history = LocationHistory(
        file: folder.appending(path: UUID().uuidString), distanceFilter: distance,
        maximumInterval: maximum.map { .seconds($0) }, minimumInterval: .seconds(minimum))
      // At rest. The clock changes at 900 s.
      let kept = stride(from: 0.0, to: 1_800, by: 60).filter { second in
        var location = Self.location(1)
        location.timestamp += second + (second >= 900 ? change : 0)
        return history.append(location) != nil
      }
      #expect(kept == expected, "\(change), \(minimum)...\(maximum ?? -1)")
    }
  }

  @Test(
    "All locations up to the capacity are written, whatever their length is, and the file never exceeds its maximum size",
    arguments: 0..<16 as Range<UInt64>)
  func sizes(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let capacity = [1, 3, 20, 100][random.index(below: 4)]
    // The room of the largest history, for this capacity.
    let maximumSize = LocationHistory.maximumSize / LocationHistory.maximumCapacity * capacity + 4_000
    var known = LocationManager.Circumstances()
    (known.cause, known.motion) = (.significantChange, .standing)
    (known.isInForeground, known.isLowPowerMode) = (false, false)
    known.battery = LocationManager.BatteryStatus(level: 0.123_456_789_012_345_67, state: .unplugged)
    known.trip = Date(timeIntervalSinceReferenceDate: -1.234_567_890_123_456_7e-300)
    let url = folder.appending(path: "\(seed).jsonl")
    func launch() -> LocationHistory {
      let file = RecordFile(
        path: url.path, maximumSize: maximumSize, maximumLine: LocationHistory.maximumLine, flush: { _ in 0 })
      return LocationHistory(
        file, capacity: capacity, maximumAge: .seconds(1e9),
        report: { [reports] report in reports.change { $0.append(report) } })
    }
    var (history, launches, next, acknowledged) = (launch(), 1, 1, 0)
    for _ in 0..<30 {
      switch random.index(below: 8) {
      case 0 where next > 1:
        history = launch()
        launches += 1
      case 1:
        let batch = try await history.batch(upTo: 1 + random.index(below: capacity))
        acknowledged = numbers(batch).last ?? acknowledged
        try await history.acknowledge(through: batch.end)
      default:
        let isLong = random.index(below: 3) > 0
        for _ in 0..<1 + random.index(below: 2 * capacity) {
          var location = Self.location(next)
          if isLong {
            let long = -1.234_567_890_123_456_7e-300
            (location.latitude, location.longitude, location.horizontalAccuracy) = (long, long, -long)
            (location.verticalAccuracy, location.speed, location.course) = (long, long, long)
            (location.speedAccuracy, location.courseAccuracy) = (long, long)
            location.isSimulatedBySoftware = true
          }
          history.append(location, circumstances: isLong ? known : nil)
          next += 1
        }
      }
      #expect(history.synchronize(within: .seconds(60)), "seed \(seed)")
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
      #expect(try #require(size) <= maximumSize, "seed \(seed)")
      let lines = try Data(contentsOf: url).count { $0 == UInt8(ascii: "\n") }
      #expect(lines <= 2 * (capacity + launches + 1) + 64, "seed \(seed): compaction keeps up")
      let first = max(acknowledged + 1, next - capacity)
      #expect(try await numbers(launch().batch(upTo: 1_000)) == Array(first..<max(first, next)), "seed \(seed)")
    }
    #expect(reports.change { $0 }.isEmpty, "seed \(seed)")
  }

  @Test("The longest line, and the maximum capacity in lines of the maximum length, fit")
  func longest() throws {
    var known = LocationManager.Circumstances()
    let long = -1.234_567_890_123_456_7e-300
    func longest<Value: RawRepresentable<String> & CaseIterable>() -> Value? {
      Value.allCases.max { $0.rawValue.count < $1.rawValue.count }
    }
    (known.cause, known.motion, known.trip) = (longest(), longest(), Date(timeIntervalSinceReferenceDate: long))
    (known.isInForeground, known.isLowPowerMode) = (false, false)
    known.battery = LocationManager.BatteryStatus(level: -long, state: longest())
    var location = Location(
      latitude: long, longitude: long, horizontalAccuracy: -long, altitude: long, verticalAccuracy: long, speed: long,
      speedAccuracy: long, course: long, courseAccuracy: long, floor: .min,
      timestamp: Date(timeIntervalSinceReferenceDate: long), source: try #require(longest()))
    (location.isSimulatedBySoftware, location.isProducedByAccessory) = (true, true)
    let records = HistoryRecords(identity: .max)
    let lines = try records.lines(
      appending: [UnwrittenEntry(number: Int.max / 2, location: location, circumstances: known)],
      dropped: Int.max / 2 - 1, under: .max - 1)
    for line in lines { #expect(line.count <= LocationHistory.maximumLine, "\(String(decoding: line, as: UTF8.self))") }
    #expect(
      LocationHistory.maximumCapacity * (LocationHistory.maximumLine + 1) + 20_000 * (lines[0].count + 1)
        < LocationHistory.maximumSize)
  }

  @Test("Locations are read exactly, a non-finite altitude or speed is unknown, and invalid locations are omitted")
  func exact() async throws {
    var random = SeededGenerator(seed: 1)
    let locations = (0..<200).map { index in
      Location(
        latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random),
        horizontalAccuracy: .random(in: 0...1e5, using: &random),
        altitude: index % 2 == 0 ? nil : .random(in: -1e300...1e300, using: &random),
        verticalAccuracy: index % 3 == 0 ? nil : -.leastNonzeroMagnitude, speed: index % 5 == 0 ? nil : 1.0 / 3,
        course: index % 7 == 0 ? nil : .greatestFiniteMagnitude,
        timestamp: Date(timeIntervalSinceReferenceDate: Self.now + .random(in: -900...900, using: &random)),
        source: index % 4 == 0 ? .coarse : .gps)
    }
    let history = history()
    for location in locations { history.append(location) }
    #expect(history.synchronize(within: .seconds(60)))
    #expect(try await self.history().batch(upTo: 200).locations == locations)
    var wrong = Self.location(1)
    (wrong.speed, wrong.altitude) = (.nan, -.infinity)
    history.append(wrong)
    let last = try #require(try await history.batch(upTo: 300).locations.last)
    #expect(last == wrong && last.speed == nil && last.altitude == nil)
    for change: (inout Location) -> Void in [
      { $0.latitude = 91 }, { $0.longitude = .nan }, { $0.horizontalAccuracy = -1 },
      { $0.timestamp = Date(timeIntervalSinceReferenceDate: .infinity) },
    ] {
      wrong = Self.location(1)
      change(&wrong)
      history.append(wrong)
    }
    #expect(try await history.batch(upTo: 300).locations.count == 201)
    #expect(reports.change { $0 }.count == 4)
  }

  @Test("Acknowledging a position again, an older one, one not yet used, or one of another file has no effect")
  func acknowledgements() async throws {
    let history = history()
    append(1...10, to: history)
    let (three, five) = (try await history.batch(upTo: 3).end, try await history.batch(upTo: 5).end)
    let later = try #require(LocationHistory.Position(five.description.replacing(/-5$/, with: "-11")))
    let foreign = try #require(LocationHistory.Position("abc-9"))
    let huge = try #require(LocationHistory.Position(five.description.replacing(/-5$/, with: "-\(Int.max)")))
    for (position, first) in [
      (three, 4), (three, 4), (five, 6), (three, 6), (later, 6), (foreign, 6), (huge, 6), (five, 6),
    ] {
      try await history.acknowledge(through: position)
      for launch in [history, self.history()] {
        let batch = try await launch.batch(upTo: 1)
        #expect(numbers(batch) == [first] && batch.dropped == 0)
      }
    }
    #expect(reports.change { $0 }.isEmpty)
    try FileManager.default.removeItem(at: file)
    append(21...29, to: history)
    try await history.acknowledge(through: five)
    #expect(try await numbers(history.batch(upTo: 100)) == Array(21...29))
  }

  @Test(
    "A position is created from its description, but not from other strings",
    arguments: ["", "-", "1-", "-1", "1-1-1", "x-1", "1-x", "1--1", "01-1", "1-01", "A-1", "1-+1", "1-1 ", "é-1"])
  func positions(_ wrong: String) async throws {
    #expect(LocationHistory.Position(wrong) == nil)
    let end = try await history().batch(upTo: 1).end
    #expect(LocationHistory.Position(end.description) == end)
  }

  @Test(
    "Locations beyond the capacity or the maximum age are left out, and counted until a batch is acknowledged")
  func bounds() async throws {
    let history = history(capacity: 10)
    append(1...25, to: history)
    for _ in 0..<2 {
      let batch = try await history.batch(upTo: 4)
      #expect(numbers(batch) == Array(16...19) && batch.dropped == 15)
    }
    let end = try await history.batch(upTo: 4).end
    // A location in a batch doesn't count as dropped, even if it's removed before the acknowledgement.
    append(26...35, to: history)
    #expect(history.synchronize(within: .seconds(60)))
    try await history.acknowledge(through: end)
    let batch = try await history.batch(upTo: 100)
    #expect(numbers(batch) == Array(26...35) && batch.dropped == 6)
    try await history.acknowledge(through: batch.end)
    #expect(try await history.batch(upTo: 1).isEmpty)
    for (number, age) in [(36, 1_001.0), (37, 2_000), (38, 1_000), (39, 5_000), (40, 500), (41, 0), (42, 0)] {
      history.append(Self.location(number, age: age))
    }
    for _ in 0..<2 {
      let aged = try await history.batch(upTo: 2)
      #expect(numbers(aged) == [38, 40] && aged.dropped == 3, "batches are in order of delivery")
    }
    let aged = try await history.batch(upTo: 100)
    #expect(numbers(aged) == [38, 40, 41, 42] && aged.dropped == 3)
    try await history.acknowledge(through: aged.end)
    #expect(history.synchronize(within: .seconds(60)))
    try Data((lines().joined(separator: "\n") + "\ndamaged\n").utf8).write(to: file)
    let dropped = try await history.batch(upTo: 1)
    #expect(dropped.locations.isEmpty && dropped.dropped == 1 && !dropped.isEmpty)
    try await history.acknowledge(through: dropped.end)
    #expect(try await self.history(capacity: 10).batch(upTo: 1).isEmpty)
  }

  @Test(
    "A location with a wrong date, anywhere in the history, doesn't change which others are left out for their age",
    arguments: [-1e9, -3_456_000, -2_000, 2_000, 3_456_000, 1e9])
  func wrongDate(_ error: Double) async throws {
    let old = (1...3).map { Self.location($0, age: 2_000) }
    let recent = (4...9).map { Self.location($0, age: Double(9 - $0)) }
    for place in 0...9 {
      var locations = old + recent
      locations.insert(Self.location(0, age: -error), at: place)
      for isLaunchedAgain in [false, true] {
        let url = folder.appending(path: "\(place)-\(isLaunchedAgain).jsonl")
        var history = history(at: url, flush: { _ in 0 })
        for location in locations {
          history.append(location)
          #expect(history.synchronize(within: .seconds(60)))
          if isLaunchedAgain { history = self.history(at: url, flush: { _ in 0 }) }
        }
        let batch = try await history.batch(upTo: 100)
        #expect(numbers(batch).filter { $0 > 0 } == Array(4...9), "at \(place)")
        #expect(numbers(batch).contains(0) == (error > 0), "at \(place)")
      }
    }
  }

  @Test("Locations that were added while the clock was ahead don't make earlier ones too old")
  func clockAhead() async throws {
    let history = history()
    let today = Self.now - Date.now.timeIntervalSinceReferenceDate
    for number in 1...300 {
      history.append(Self.location(number, age: number <= 100 ? today : today - 3_456_000))
      #expect(history.synchronize(within: .seconds(60)))
    }
    let ahead = try await history.batch(upTo: 1_000)
    #expect(numbers(ahead) == Array(1...300) && ahead.dropped == 0)
    for number in 301...302 { history.append(Self.location(number, age: today)) }
    for launch in [history, self.history()] {
      let batch = try await launch.batch(upTo: 1_000)
      #expect(numbers(batch) == Array(1...302) && batch.dropped == 0)
    }
  }

  @Test(
    "A history keeps the locations of a simulated device, whatever its date is", arguments: [-3e9, 0, 8e8, 3e9, 1e11])
  func simulated(_ start: TimeInterval) async throws {
    var route = SimulatedProvider.Route.losAngeles
    route.start = Date(timeIntervalSinceReferenceDate: start)
    let device = SimulatedProvider(route: route, seed: 1)
    let manager = LocationManager(provider: device)
    let history = LocationHistory(file: file)
    manager.listeners.add(history)
    let delivered = Locked<[Location]>([])
    let token = manager.listeners.add(onUpdate: { location in delivered.change { $0.append(location) } })
    manager.tryPromptAuthorization()
    device.advance(by: route.duration)
    let batch = try await history.batch(upTo: 1_000)
    #expect(batch.locations == delivered.change { $0 } && batch.locations.count > 3 && batch.dropped == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Compaction removes acknowledged locations, and numbers continue after it")
  func compaction() async throws {
    let (history, other) = (history(capacity: 100), self.history(capacity: 100))
    for round in 0..<60 {
      append(round * 10 + 1...round * 10 + 10, to: history)
      #expect(history.synchronize(within: .seconds(60)))
      let batch = try await other.batch(upTo: 10)
      #expect(numbers(batch) == Array(round * 10 + 1...round * 10 + 10))
      #expect(batch.positions.map(Self.number) == numbers(batch) && batch.dropped == 0)
      try await (round % 2 == 0 ? history : other).acknowledge(through: batch.end)
      #expect(try lines().count < 90)
    }
    append(601...1_500, to: history)
    #expect(history.synchronize(within: .seconds(60)))
    #expect(try lines().count <= 1_000)
    let rest = try await other.batch(upTo: 1_000)
    #expect(numbers(rest) == Array(1_401...1_500) && rest.dropped == 800)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 1)
  }

  @Test("A torn last line is ignored, and the next append replaces it")
  func torn() async throws {
    let history = history()
    append(1...3, to: history)
    #expect(history.synchronize(within: .seconds(60)))
    let whole = try Data(contentsOf: file)
    let last = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    for length in last..<whole.count {
      try whole.prefix(length).write(to: file)
      let next = self.history()
      #expect(try await numbers(next.batch(upTo: 9)) == [1, 2])
      append([4], to: next)
      for launch in [next, self.history()] { #expect(try await numbers(launch.batch(upTo: 9)) == [1, 2, 4]) }
    }
    #expect(reports.change { $0 }.isEmpty)
  }

  @Test(
    "A damaged line is skipped, reported without a location, and counted as dropped; its number isn't reused",
    arguments: [
      "", "x", "[]", "[2.5]", "{}", "[3,12.34567]", "[3,91,0,5,null,null,null,null,1,\"gps\"]", "[-1]", "[99]",
      "[1,1,1,5,null,null,null,null,8e8,\"gps\"]", "[9e99]", "[3,1,1,5,null,null,null,null,8e8,7]",
      "\u{0}\u{1}", "[\"a\"]", "[\"x\",9]", "[\"a\",-1]", "[\"a\",8589934592]", "[\"a\",1.5]",
      "[8589934592,1,1,5,null,null,null,null,8e8,\"gps\"]",
      "[9223372036854775807,1,1,5,null,null,null,null,8e8,\"gps\"]", String(repeating: "[", count: 513),
    ])
  func damaged(_ line: String) async throws {
    let history = history()
    append(1...5, to: history)
    #expect(history.synchronize(within: .seconds(60)))
    let whole = try lines()
    try #require(whole.count == 7, "a header, an identity and five locations")
    for index in [3, 5] {
      reports.change { $0 = [] }
      var damaged = whole
      damaged[index + 1] = line
      try Data((damaged.joined(separator: "\n") + "\n").utf8).write(to: file)
      let next = self.history()
      append([6], to: next)
      let batch = try await next.batch(upTo: 9)
      #expect(numbers(batch) == (1...6).filter { $0 != index } && batch.dropped == 1)
      #expect(batch.positions.dropLast().map(Self.number) == numbers(batch).dropLast())
      #expect(batch.positions.last.map(Self.number) == 1, "the first location of the next launch")
      let reports = reports.change { $0 }
      #expect(reports.count == 1 && reports[0].hasSuffix("skipped: 1") && !reports[0].contains("12.34"))
      try await next.acknowledge(through: batch.end)
      #expect(try await self.history().batch(upTo: 9).isEmpty)
    }
  }

  @Test("A position that was acknowledged before another writer damaged the file doesn't acknowledge a later location")
  func acknowledgedTwice() async throws {
    let history = history()
    append(1...5, to: history)
    #expect(history.synchronize(within: .seconds(60)))
    try Data((lines().joined(separator: "\n") + "\ndamaged\n").utf8).write(to: file)
    let first = try await history.batch(upTo: 9)
    #expect(numbers(first) == Array(1...5))
    append([6], to: history)
    for _ in 0..<2 {
      try await history.acknowledge(through: first.end)
      #expect(try await numbers(history.batch(upTo: 9)) == [6])
    }
    let second = try await history.batch(upTo: 9)
    #expect(second.dropped == 1)
    // The damaged line has the position of the location, which is sent twice.
    for _ in 0..<2 { try await history.acknowledge(through: second.end) }
    #expect(try await history.batch(upTo: 9).isEmpty)
  }

  @Test("A damaged identity is reported, and loses no location")
  func damagedIdentity() async throws {
    let history = history()
    append(1...5, to: history)
    let end = try await history.batch(upTo: 9).end
    var damaged = try lines()
    #expect(damaged[1].hasPrefix("[\"\(end.description.dropLast(2))\""))
    damaged[1] = "damaged"
    try Data((damaged.joined(separator: "\n") + "\n").utf8).write(to: file)
    let next = self.history()
    try await next.acknowledge(through: end)
    let batch = try await next.batch(upTo: 9)
    #expect(numbers(batch) == Array(1...5) && batch.dropped == 0 && batch.end != end)
    #expect(reports.change { $0.count == 1 && $0[0].hasSuffix("skipped: 1") })
  }

  @Test("A line that acknowledges a damaged line's number is valid, and later numbers are greater")
  func damagedAcknowledgement() throws {
    var records = HistoryRecords(identity: 1)
    let lines = [
      "[1,1,1,5,null,null,null,null,8e8,\"gps\"]", "x", "x", "x", "[4]", "[2,1,1,5,null,null,null,null,8e8,\"gps\"]",
    ]
    #expect(records.read(lines.map { Data($0.utf8) }) == 3)
    func dropped() -> Int { records.batch(upTo: 9, maximumAge: .seconds(1), at: .distantFuture).dropped }
    #expect(records.acknowledged == 4 && dropped() == 0 && records.kept.isEmpty)
    #expect(
      records.read(
        try records.lines(
          appending: [UnwrittenEntry(number: 1, location: Self.location(1), circumstances: .init())], dropped: 0,
          under: 2)) == 0)
    #expect(records.kept.map(\.number) == [5] && dropped() == 0)
  }

  @Test(
    "A file with an unreadable first line is renamed, reported and replaced by a new one",
    arguments: [
      "x", "\n", "{}\n", "[1]\n", "{\"version\":2,\"history\":\"a\",\"last\":0,\"acknowledged\":0}\n",
      "{\"version\":2,\"name\":7}\n",
      "{\"version\":1,\"history\":\"x\",\"last\":0,\"acknowledged\":0}\n",
      "{\"version\":1,\"history\":\"a\",\"last\":1,\"acknowledged\":2}\n",
      "{\"version\":1,\"history\":\"a\",\"last\":9223372036854775807,\"acknowledged\":0}\n",
    ])
  func unreadable(_ text: String) async throws {
    let history = history()
    append([1], to: history)
    #expect(history.synchronize(within: .seconds(60)))
    for number in 1...9 {
      try Data(text.utf8).write(to: file)
      append([2], to: history)
      let batch = try await history.batch(upTo: 9)
      #expect(numbers(batch) == [2] && reports.change { $0 }.count == number)
      let isNewer = reports.change { $0.last?.contains("its version is 2, and this LocoKit reads version 1") }
      #expect(isNewer == text.contains(#""version":2"#))
      #expect(try Data(contentsOf: URL(filePath: file.path + ".unreadable-\(number)")) == Data(text.utf8))
    }
    try Data(text.utf8).write(to: file)
    await #expect(throws: StoreError.self) { try await history.batch(upTo: 9) }
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    try Data().write(to: file)
    #expect(try await history.batch(upTo: 9).isEmpty, "an empty file contains nothing to keep")
  }

  @Test("A file of an earlier version is read, and its positions remain")
  func earlierVersion() async throws {
    let text = """
      {"acknowledged":2,"history":"a1","last":4,"version":1}
      [3,1,2,5,30,null,null,null,8e8,"gps",null,null,null]
      [4,1,2,5,40,null,null,null,8e8,"gps",null,null,null]
      [5,1,2,5,50,null,null,null,8e8,"gps",null,null,null]
      [3]

      """
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    let history = history()
    let batch = try await history.batch(upTo: 9)
    #expect(
      batch.positions.map(\.description) == ["a1-4", "a1-5"] && numbers(batch) == [40, 50] && batch.dropped == 0)
    append([60], to: history)
    let next = try await history.batch(upTo: 9)
    #expect(next.positions.dropLast() == batch.positions[...] && Self.number(next.end) == 1)
    #expect(!next.end.description.hasPrefix("a1-") && next.positions.last == next.end)
    #expect(reports.change { $0 }.isEmpty)
  }

  /// A history's file as it should be: the numbers of all locations in order, and how many of them are acknowledged.
  private struct Copy {
    let url: URL
    var history: LocationHistory
    var all: [Int] = []
    var acknowledged = 0
  }

  /// `LOCOKIT_SEED` selects a single seed.
  @Test(
    "A position names one location in all copies of a history, and each copy forgets only what is acknowledged in it")
  func copies() async throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["LOCOKIT_SEED"].flatMap(UInt64.init)
    for seed in seed.map({ $0...$0 }) ?? 1...6 {
      do { try await copies(seed) } catch {
        Issue.record("\(error). LOCOKIT_SEED=\(seed) swift test --filter LocationHistoryTests/copies")
        return
      }
    }
  }

  private func copies(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    func launch(_ url: URL) -> LocationHistory { history(at: url, flush: { _ in 0 }) }
    var copies = (0..<3).map { number in
      let url = folder.appending(path: "\(seed)-\(number)/history.jsonl")
      return Copy(url: url, history: launch(url))
    }
    var (next, steps) = (1, [String]())
    var (named, positions) = ([LocationHistory.Position: Int](), [Int: LocationHistory.Position]())
    func check(_ isRight: Bool, _ what: String) throws {
      if !isRight { throw StoreError("\(what) after \(steps.suffix(9))") }
    }
    for _ in 0..<150 {
      let index = Int.random(in: 0..<3, using: &random)
      switch UInt64.random(in: 0..<8, using: &random) {
      case 0...2:
        let count = Int.random(in: 1...30, using: &random)
        steps.append("\(index) appends \(next)...\(next + count - 1)")
        append(next..<next + count, to: copies[index].history)
        copies[index].all += next..<next + count
        next += count
      case 3:
        steps.append("\(index) is launched again")
        copies[index].history.synchronize(within: .seconds(60))
        copies[index].history = launch(copies[index].url)
      case 4:
        // A backup is restored: into the same file before another launch, or as a new file while the app runs.
        let (target, isSameFile) = (Int.random(in: 0..<3, using: &random), Bool.random(using: &random))
        guard target != index, !copies[index].all.isEmpty else { continue }
        steps.append("\(index) is copied to \(target)\(isSameFile ? ", in place" : "")")
        for each in [index, target] { copies[each].history.synchronize(within: .seconds(60)) }
        let data = try Data(contentsOf: copies[index].url)
        try FileManager.default.createDirectory(
          at: copies[target].url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: copies[target].url, options: isSameFile ? [] : .atomic)
        // A running process would take contents that are replaced in place for appended lines.
        if isSameFile { copies[target].history = launch(copies[target].url) }
        (copies[target].all, copies[target].acknowledged) = (copies[index].all, copies[index].acknowledged)
      case 5 where !positions.isEmpty:
        // A reply arrives late, perhaps for another copy.
        let number = Int.random(in: 1..<next, using: &random)
        guard let position = positions[number] else { continue }
        steps.append("\(number) is acknowledged in \(index)")
        try await copies[index].history.acknowledge(through: position)
        if let place = copies[index].all.firstIndex(of: number) {
          copies[index].acknowledged = max(copies[index].acknowledged, place + 1)
        }
      default:
        let batch = try await copies[index].history.batch(upTo: .random(in: 1...200, using: &random))
        let expected = copies[index].all.dropFirst(copies[index].acknowledged).prefix(batch.locations.count)
        steps.append("\(index) returns \(batch.locations.count)")
        try check(numbers(batch) == Array(expected) && batch.dropped == 0, "\(numbers(batch)), not \(expected)")
        try check(batch.positions.last.map { $0 == batch.end } ?? true, "another end")
        for (position, number) in zip(batch.positions, numbers(batch)) {
          try check(named[position, default: number] == number, "\(position) names \(number) and another location")
          try check(positions[number, default: position] == position, "\(number) has another position")
          (named[position], positions[number]) = (number, position)
        }
      }
    }
    try check(reports.change { $0 }.isEmpty, "\(reports.change { $0 })")
  }

  @Test("Locations that are appended while a write fails remain in order")
  func appendedDuringAFailure() async throws {
    let first = history()
    append([1], to: first)
    #expect(first.synchronize(within: .seconds(60)))
    // During the next write the damaged line is reported. Then the write fails, since the file is a hard link.
    try Data((lines() + ["damaged", ""]).joined(separator: "\n").utf8).write(to: file)
    let link = folder.appending(path: "link")
    try FileManager.default.linkItem(at: file, to: link)
    let next = Locked<LocationHistory?>(nil)
    let history = LocationHistory(
      RecordFile(path: file.path, maximumSize: 10_000, maximumLine: LocationHistory.maximumLine), capacity: 9,
      maximumAge: .seconds(1)
    ) { _ in
      let history = next.change { next in
        defer { next = nil }
        return next
      }
      history?.append(Self.location(3))
    }
    next.change { $0 = history }
    append([2], to: history)
    #expect(!history.synchronize(within: .seconds(60)))
    try FileManager.default.removeItem(at: link)
    #expect(try await numbers(history.batch(upTo: 9)) == [1, 2, 3])
  }

  @Test("A retry that a later failure replaced doesn't write")
  func obsoleteRetry() throws {
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let (failures, isReported) = (Locked<[ContinuousClock.Instant]>([]), DispatchSemaphore(value: 0))
    let history = LocationHistory(file: file) { [file] _ in
      // Another reason for each failure, so that each one is reported.
      let number = failures.change { failures in
        failures.append(.now)
        return failures.count
      }
      try? FileManager.default.removeItem(at: file)
      if number % 2 == 0 {
        try? FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      } else {
        try? FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "elsewhere")
      }
      isReported.signal()
    }
    append([1], to: history)
    try #require(isReported.wait(timeout: .now() + 60) == .success)
    // The first retry would be half a second after the first failure. The next one is a second after the second failure.
    #expect(!history.synchronize(within: .seconds(60)))
    for _ in 0..<2 { try #require(isReported.wait(timeout: .now() + 60) == .success) }
    let times = failures.change { $0 }
    #expect(times[2] - times[1] >= .seconds(1))
  }

  /// Locks the file, as a hanging program does.
  private func holdLock() throws -> FileHandle {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let descriptor = open(file.path + ".new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  @Test(
    "While a hanging program holds the lock, a batch throws an error, and only locations beyond the capacity are lost"
  )
  func frozenWriter() async throws {
    let other = try holdLock()
    let history = history(capacity: 5, lockTimeout: .milliseconds(20))
    append(1...8, to: history)
    #expect(!history.synchronize(within: .seconds(60)))
    let error = await #expect(throws: StoreError.self) { try await history.batch(upTo: 9) }
    #expect(error?.localizedDescription.contains("another program has locked") == true)
    append([9], to: history)
    #expect(!history.synchronize(within: .seconds(60)))
    #expect(reports.change { $0 }.count == 1)
    // Processes that other tests are starting may have copies of the descriptor.
    try #require(flock(other.fileDescriptor, LOCK_UN) == 0)
    try other.close()
    let batch = try await history.batch(upTo: 9)
    #expect(numbers(batch) == Array(5...9) && batch.dropped == 4)
    #expect(history.synchronize(within: .seconds(60)))
  }

  @Test("The back-off doubles up to five minutes, and a new retry makes the previous one obsolete")
  func backOff() {
    var schedule = WriteSchedule()
    let first = schedule.fail("full")
    #expect(first.isNew && first.delay == .milliseconds(500) && schedule.latestRetry == first.number)
    let second = schedule.fail("full")
    #expect(!second.isNew && second.delay == .seconds(1) && schedule.latestRetry != first.number)
    #expect(schedule.fail("read-only").isNew)
    for _ in 0..<100 { _ = schedule.fail("read-only") }
    #expect(schedule.fail("full").delay == .seconds(300))
    _ = schedule.succeed(isEmpty: true)
    #expect(schedule.fail("full").delay == .milliseconds(500) && schedule.latestRetry > second.number)
  }

  @Test(
    "A folder or a link in place of the file causes an error, and pending locations are kept")
  func foreign() async throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let elsewhere = folder.appending(path: "elsewhere")
    for make in [
      { try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true) },
      { try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere) },
    ] {
      reports.change { $0 = [] }
      try make()
      let history = history()
      append([1], to: history)
      await #expect(throws: StoreError.self) { try await history.batch(upTo: 9) }
      let position = try #require(LocationHistory.Position("1-1"))
      await #expect(throws: StoreError.self) { try await history.acknowledge(through: position) }
      #expect(reports.change { $0 }.count == 1)
      try FileManager.default.removeItem(at: file)
      #expect(try await numbers(history.batch(upTo: 9)) == [1])
      try FileManager.default.removeItem(at: file)
    }
    #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
  }

  /// The file's contents at the last flush. A file that has replaced it since has another inode, and survives a power loss whole.
  private struct Disk: Sendable {
    var inode = UInt64(0)
    var contents = Data()
  }

  @Test(
    "Batches and acknowledgements survive a power loss, also if they succeed only after failures",
    arguments: 0..<6 as Range<UInt64>)
  func powerLoss(seed: UInt64) async throws {
    let failures = Locked(SeededGenerator(seed: seed + 1_000))
    /// Repeats a call that a failed flush may end.
    func retried<Result>(_ body: () async throws -> Result) async throws -> Result {
      for _ in 0..<200 { if let result = try? await body() { return result } }
      return try await body()
    }
    let disk = Locked(Disk())
    let (file, copy) = (file, folder.appending(path: "copy/history.jsonl"))
    try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    @Sendable func inode() -> UInt64 {
      var status = stat()
      return stat(file.path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
    func lose() throws -> LocationHistory {
      let isReplaced = disk.change { $0.inode } != inode()
      try (isReplaced ? Data(contentsOf: file) : disk.change { $0.contents }).write(to: copy)
      return self.history(at: copy)
    }
    let history = history(flush: { flushed in
      // With odd seeds, a third of the flushes fail.
      if seed % 2 == 1, failures.change({ $0.index(below: 3) }) == 0 { return -1 }
      var status = stat()
      // A flush of the folder or of a new file doesn't write the lines of this one.
      if fstat(flushed, &status) == 0, status.isFile(at: file.path) {
        disk.change { $0 = Disk(inode: inode(), contents: (try? Data(contentsOf: file)) ?? Data()) }
      }
      return 0
    })
    var random = SeededGenerator(seed: seed)
    var next = 1
    // A new file is durable. Appended lines aren't until they are flushed.
    disk.change { [inode = inode()] in $0.inode = inode }
    _ = try await retried { try await history.batch(upTo: 1) }
    disk.change { $0.inode = inode() }
    disk.change { $0.contents = (try? Data(contentsOf: file)) ?? Data() }
    for _ in 0..<60 {
      let count = Int.random(in: 1...9, using: &random)
      append(next..<next + count, to: history)
      next += count
      let most = Int.random(in: 1...12, using: &random)
      let batch = try await retried { try await history.batch(upTo: most) }
      let left = try await lose().batch(upTo: batch.locations.count)
      #expect(
        left.positions.map(Self.number) == batch.positions.map(Self.number) && left.locations == batch.locations)
      if Bool.random(using: &random) {
        try await retried { try await history.acknowledge(through: batch.end) }
        let rest = try await lose().batch(upTo: 1_000)
        #expect(rest.positions.allSatisfy { Self.number($0) > Self.number(batch.end) } && rest.dropped == 0)
      }
    }
  }

  #if os(Linux) || os(macOS)
    @Test("On a full disk the written locations remain, and the others are written later")
    func full() async throws {
      await #expect(processExitsWith: .success) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "history.jsonl")
        let reports = Locked<[String]>([])
        let history = LocationHistory(file: file) { report in
          reports.change { $0.append(report) }
        }
        for number in 1...3 { history.append(LocationHistoryTests.location(number)) }
        precondition(history.synchronize(within: .seconds(60)))
        let whole = try Data(contentsOf: file)
        signal(SIGXFSZ, SIG_IGN)
        for free in [0, 1, 30] {
          limitFiles(to: whole.count + free)
          history.append(LocationHistoryTests.location(4))
          precondition(!history.synchronize(within: .seconds(60)))
          let batch = try await history.batch(upTo: 2)
          precondition(batch.locations.compactMap(\.altitude) == [1, 2])
          do {
            try await history.acknowledge(through: batch.end)
            precondition(free == 30)
          } catch { precondition(free < 30 && "\(error)".contains("writ")) }
          precondition(free == 30 || (try! Data(contentsOf: file)) == whole)
        }
        precondition(reports.change { $0.count > 0 && $0[0].contains("cannot be written to the history yet") })
        limitFiles(to: 1_000_000)
        let batch = try await history.batch(upTo: 9)
        precondition(batch.locations.compactMap(\.altitude) == [3, 4, 4, 4] && batch.dropped == 0)
        // An upload that takes an empty batch for the end would wait for the next location.
        try await history.acknowledge(through: batch.end)
        limitFiles(to: try Data(contentsOf: file).count)
        history.append(LocationHistoryTests.location(5))
        do {
          _ = try await history.batch(upTo: 9)
          preconditionFailure("The batch is empty, although a location is left.")
        } catch { precondition("\(error)".hasPrefix("no location is written yet: ")) }
        limitFiles(to: 1_000_000)
        let last = try await history.batch(upTo: 9)
        precondition(last.locations.compactMap(\.altitude) == [5])
      }
    }

    @Test("A read-only folder causes an error, and pending locations are written when it's writable")
    func readOnly() async throws {
      await #expect(processExitsWith: .success) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "program")
        try FileManager.default.createDirectory(at: program, withIntermediateDirectories: true)
        precondition(chmod(program.path, 0o555) == 0)
        if geteuid() == 0 { precondition(seteuid(65_534) == 0) }
        let history = LocationHistory(file: program.appending(path: "history.jsonl"), report: { _ in })
        history.append(LocationHistoryTests.location(1))
        precondition(!history.synchronize(within: .seconds(60)))
        do {
          _ = try await history.batch(upTo: 1)
          preconditionFailure("The folder is writable.")
        } catch { precondition("\(error)".contains("cannot create")) }
        if getuid() == 0 { precondition(seteuid(0) == 0) }
        precondition(chmod(program.path, 0o755) == 0)
        precondition(history.synchronize(within: .seconds(60)))
      }
    }

    private func writer(_ arguments: [String], output: Pipe? = nil, at file: URL) throws -> Process {
      let writer = Process()
      writer.executableURL = products.appending(path: "StoreWriter")
      writer.arguments = [file.path, "--history"] + arguments
      if let output { writer.standardOutput = output }
      try writer.run()
      return writer
    }

    @Test("Several processes write at the same time, and the locations of each one are in order")
    func severalProcesses() async throws {
      let writers = try (0..<4).map { try writer(["\($0)", "\($0 * 1_000)", "200"], at: file) }
      for writer in writers {
        writer.waitUntilExit()
        #expect(writer.terminationStatus == 0)
      }
      let history = LocationHistory(file: file)
      let batch = try await history.batch(upTo: 1_000)
      #expect(Self.areInOrder(batch.positions) && batch.entries.count == 800 && batch.dropped == 0)
      for writer in 0..<4 {
        #expect(numbers(batch).filter { $0 / 1_000 == writer } == Array(writer * 1_000..<writer * 1_000 + 200))
      }
    }

    /// `LOCOKIT_KILLS` is the number of killed writers, rounded up to tens, and `LOCOKIT_SEED` selects a single seed.
    private static let seeds: Range<UInt64> = {
      let environment = ProcessInfo.processInfo.environment
      if let seed = environment["LOCOKIT_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
      let kills = environment["LOCOKIT_KILLS"].flatMap(UInt64.init) ?? 12
      return 0..<(kills + killsPerSeed - 1) / killsPerSeed
    }()
    private static let killsPerSeed = UInt64(10)

    @Test(
      "After a kill, written locations are in order, and acknowledged ones don't return"
    )
    func killed() async throws {
      var (compactions, acknowledgements) = (0, 0)
      for seed in Self.seeds {
        let file = folder.appending(path: "\(seed)/history.jsonl")
        var (last, acknowledged) = (0, 0)
        for life in 0..<Self.killsPerSeed {
          let output = Pipe()
          let writer = try writer(["\(seed * Self.killsPerSeed + life)", "\(last + 1)"], output: output, at: file)
          let log = try output.fileHandleForReading.readToEnd() ?? Data()
          writer.waitUntilExit()
          try #require(writer.terminationReason == .uncaughtSignal && writer.terminationStatus == SIGKILL)
          func latest(_ verb: String, or fallback: Int) -> Int {
            String(decoding: log, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
              .last { $0[0] == verb }.flatMap { Int($0[1]) } ?? fallback
          }
          let begun = latest("acknowledging", or: acknowledged)
          acknowledged = latest("acknowledged", or: acknowledged)
          let written = max(latest("written", or: last), begun)
          let history = LocationHistory(file: file, capacity: 100_000)
          let batch = try await history.batch(upTo: 100_000)
          last = numbers(batch).last ?? begun
          let first = last - batch.locations.count
          let isRight =
            numbers(batch) == Array(first + 1..<last + 1) && Self.areInOrder(batch.positions)
            && batch.entries.map { $0.circumstances.trip?.timeIntervalSinceReferenceDate ?? -1 }
              == numbers(batch).map(Double.init)
            && batch.dropped == 0 && (first == acknowledged || first == begun)
            && (written...latest("appending", or: last)).contains(last)
          guard isRight else {
            Issue.record(
              """
              life \(life): \(first + 1)...\(last), \(batch.dropped) dropped; acknowledged \(acknowledged) or \(begun), \
              written \(written). LOCOKIT_SEED=\(seed) swift test --filter LocationHistoryTests/killed
              """)
            return
          }
          acknowledgements += first - acknowledged
          acknowledged = first
        }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
        if lines < last { compactions += 1 }
      }
      #expect(compactions > Self.seeds.count / 4, "\(compactions)")
    }
  #endif
}

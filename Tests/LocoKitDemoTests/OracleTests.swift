#if os(Linux) || os(macOS)
  import Foundation
  @_spi(Benchmarks) import LocoKit
  @_spi(Benchmarks) import LocoKitSimulation
  @_spi(Benchmarks) import LocoMachine
  @testable import TestSupport
  import Testing

  @testable import LocoKitDemo

  @Suite("The oracle: the least possible GPS time")
  struct OracleTests {
    /// A small random track in a plane. Some seconds may have no view of the sky.
    private struct Track: CustomStringConvertible {
      var places: [SIMD3<Double>]
      var hasSky: [Bool]

      var description: String {
        zip(places, hasSky).map { "(\($0.x), \($0.y))\($1 ? "" : " no sky")" }.joined(separator: " ")
      }

      init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var place = SIMD3<Double>.zero
        places = []
        for _ in 0..<Int.random(in: 1...9, using: &random) {
          places.append(place)
          place.x += Double(Int.random(in: -2...5, using: &random))
          place.y += Double(Int.random(in: -1...1, using: &random))
        }
        let share = [0, 0.2, 0.5][Int.random(in: 0...2, using: &random)]
        hasSky = places.map { _ in Double.random(in: 0..<1, using: &random) >= share }
      }

      /// Returns the least cost, by trying each possible set of fixes.
      func minimumByTrying(within bound: Double, _ cost: Int) -> Int {
        let sky = places.indices.filter { hasSky[$0] }
        guard let first = sky.first else { return 0 }
        return (0..<1 << sky.count).compactMap { chosen in
          let fixes = sky.indices.filter { chosen >> $0 & 1 == 1 }.map { sky[$0] }
          return fixes.first == first ? self.cost(of: fixes, within: bound, cost) : nil
        }.min() ?? 0
      }

      /// Returns the cost of fixes at the given seconds; `nil` if the bound is broken when it must hold, or if a fix comes too
      /// soon after the last one for an acquisition.
      private func cost(of fixes: [Int], within bound: Double, _ cost: Int) -> Int? {
        var total = cost
        for (index, fix) in fixes.enumerated() {
          let next = index + 1 < fixes.count ? fixes[index + 1] : nil
          let stays = next.map { next in !(fix + 1..<next).contains { hasSky[$0] } } ?? false
          if let next {
            let wait = next - fix
            // The GPS may stay on for a fix in the next second, which costs a second. Any other fix costs an acquisition,
            // and a second more if there was no sky since the last fix and that time is shorter than an acquisition.
            let on = next == fix + 1 ? 1 : stays ? (wait >= cost ? cost : 1 + cost) : wait >= cost ? cost : nil
            guard let on else { return nil }
            total += on
          }
          // The first second beyond the bound. That's allowed until there is sky again, and during one look after that.
          let last = next ?? places.count
          guard let broken = (fix..<last).first(where: { GroundTruth.distance(places[$0], places[fix]) > bound })
          else { continue }
          guard !stays else { continue }
          guard let sky = (broken..<places.count).first(where: { hasSky[$0] }) else { continue }
          guard sky > broken, let next, next <= sky + cost else { return nil }
        }
        return total
      }
    }

    @Test("The oracle's result equals that of an exhaustive search on small random tracks", arguments: 0..<20)
    func exhaustive(block: UInt64) {
      for seed in block * 15..<block * 15 + 15 {
        let track = Track(seed: seed)
        let oracle = Oracle(places: track.places, hasSky: track.hasSky)
        for bound in [1.0, 3, 6, 12] {
          for cost in [2, 3] {
            #expect(
              oracle.secondsOn(within: bound, acquisitionSeconds: cost) == track.minimumByTrying(within: bound, cost),
              "seed \(seed), within \(bound), \(cost) s: \(track)")
          }
        }
      }
    }

    @Test("A wider bound never costs more, and a longer look never costs less")
    func monotone() {
      let oracle = GroundTruth(.losAngeles).oracle
      let bounds = [100.0, 150, 200, 350, 500, 800, 1_000, 3_000, 10_000, 100_000]
      let least = bounds.map { oracle.secondsOn(within: $0) }
      #expect(zip(least, least.dropFirst()).allSatisfy { $0 >= $1 }, "\(least)")
      #expect(least.last == Oracle.acquisitionSeconds, "one look is enough for the whole drive")
      let byCost = (1...9).map { oracle.secondsOn(within: 500, acquisitionSeconds: $0) }
      #expect(zip(byCost, byCost.dropFirst()).allSatisfy { $0 <= $1 }, "\(byCost)")
    }

    @Test("On a straight drive, the oracle needs a second of GPS each time the bound is exceeded")
    func straight() {
      let places = (0...1_000).map { SIMD3(Double($0) * 10, 0, 0) }
      let oracle = Oracle(places: places, hasSky: places.map { _ in true })
      // 10 km at 10 m/s: the first second more than 500 m away is 51 s later.
      #expect(oracle.secondsOn(within: 500) == 1 + 1_000 / 51)
      #expect(Oracle(places: places, hasSky: places.map { _ in false }).secondsOn(within: 500) == 0)
      #expect(Oracle(places: [], hasSky: []).secondsOn(within: 500) == 0)
    }

    @Test("Boxes find the place where a track leaves a circle, as a linear search does", arguments: 0..<20)
    func boxes(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      var place = SIMD3<Double>.zero
      let places = (0..<Int.random(in: 1...200, using: &random)).map { _ in
        for axis in 0..<3 { place[axis] += Double.random(in: -10...12, using: &random) }
        return place
      }
      let boxes = Boxes(places)
      for radius in [0.0, 5, 20, 60, 400, 1e9] {
        for index in places.indices {
          let plain = places.indices.first { $0 > index && GroundTruth.distance(places[$0], places[index]) > radius }
          #expect(boxes.first(beyond: radius, of: index) == plain ?? places.count, "\(index), \(radius)")
        }
      }
    }

    @Test("The ground truth measures distances as the library does, and separates movement from rest")
    func groundTruth() {
      let route = SimulatedProvider.Route.losAngeles
      let (first, last) = (route.points[0], route.points[route.points.count - 1])
      func location(_ point: SimulatedProvider.Route.Point) -> Location {
        Location(latitude: point.latitude, longitude: point.longitude, horizontalAccuracy: 0, timestamp: .distantPast)
      }
      let straight = GroundTruth.distance(GroundTruth.place(first), GroundTruth.place(last))
      let overGround = location(first).distance(to: location(last))
      #expect(abs(straight - overGround) < 0.2, "38 km: the straight line is 6 cm shorter")

      // Ten minutes at rest, 200 m in 200 s, and ten minutes at rest.
      let places = (0..<600).map { _ in 0.0 } + (0..<200).map { Double($0) } + (0..<600).map { _ in 200.0 }
      let all = [Bool](repeating: true, count: places.count)
      let truth = GroundTruth(places: places.map { SIMD3($0, 0, 0) }, hasSky: all, isKnown: all)
      let underWay = truth.isUnderWay.indices.filter { truth.isUnderWay[$0] }
      // Under way from 5 min before the device is 101 m from the first place, until 5 min after it was last 101 m from
      // the second place.
      #expect(underWay.first == 401 && underWay.last == 999)
      #expect(underWay.count == 598, "every second but the middle one, 100 m from both places")
      #expect(truth.prefix(500).isUnderWay.allSatisfy { !$0 }, "in a track that ends early, the device hasn't left yet")
    }

    private static let prototype = Repository.shared.appending(path: "reference/look-prototype.c")
    private static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first(
      where: FileManager.default.isExecutableFile)

    @Test(
      "The oracle equals an independent implementation in C on five recorded tracks",
      .enabled(
        if: FileManager.default.fileExists(atPath: prototype.path) && compiler != nil,
        "the implementation in C or a C compiler is missing"))
    func otherProgram() throws {
      let source = try Demo.temporaryFile(
        "least.c",
        """
        #include "\(Self.prototype.path)"
        #include <stdio.h>
        int main(void) {
          int n; scanf("%d", &n);
          double *x = malloc(sizeof(double) * n), *y = malloc(sizeof(double) * n); u8 *sky = malloc(n);
          for (int i = 0; i < n; i++) { int s; scanf("%lf %lf %d", &x[i], &y[i], &s); sky[i] = s; }
          double bound; int cost;
          while (scanf("%lf %d", &bound, &cost) == 2) printf("%.0f\\n", oracleMax(n, x, y, sky, bound, cost));
        }
        """)
      let program = URL(filePath: source).deletingLastPathComponent().appending(path: "least")
      let compiler = URL(filePath: try #require(Self.compiler))
      let compiling = try Program(
        ["-O2", "-w", "-o", program.path, source, "-lm"], of: compiler, output: FileHandle.nullDevice,
        error: FileHandle.nullDevice)
      try #require(try compiling.end() == 0)
      for name in ["drive-munich-1hz", "drive-mtv", "drive-leipzig-2s", "hike-istria-sparse", "run-washington"] {
        let route = try SimulatedProvider.GPXTrack(contentsOf: DemoTests.traces.appending(path: "tracks/\(name).gpx"))
          .route
        let east = 111_320 * cos(route.points[0].latitude * .pi / 180)
        let times = (0...Int(route.duration.seconds)).map(Double.init)
        let places = times.map { time in
          let point = route.position(at: time)
          return SIMD3(point.longitude * east, point.latitude * 111_320, 0)
        }
        let hasSky = times.map { route.hasSky(at: $0) }
        let oracle = Oracle(places: places, hasSky: hasSky)
        var questions: [(bound: Double, cost: Int)] = []
        for bound in [100.0, 200, 500, 1_000, 2_500] { for cost in [2, 3, 9] { questions.append((bound, cost)) } }
        var lines = ["\(places.count)"]
        for (place, sky) in zip(places, hasSky) { lines.append("\(place.x) \(place.y) \(sky ? 1 : 0)") }
        for question in questions { lines.append("\(question.bound) \(question.cost)") }
        let input = try Demo.temporaryFile("track", lines.joined(separator: "\n") + "\n")
        let output = Pipe()
        let asking = try Program(
          [], of: program, input: try #require(FileHandle(forReadingAtPath: input)), output: output,
          error: FileHandle.nullDevice)
        let reader = Reader(output.fileHandleForReading.fileDescriptor)
        try Reader.readToEnd([reader], Deadline())
        #expect(try asking.end() == 0)
        let expected = reader.text.split(separator: "\n").compactMap { Int($0) }
        let found = questions.map { oracle.secondsOn(within: $0.bound, acquisitionSeconds: $0.cost) }
        #expect(found == expected, "\(name)")
      }
    }
  }
#endif

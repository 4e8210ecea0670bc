#if os(Linux) || os(macOS)
  import LocoKit
  import Testing

  @testable import LocoKitDemo

  @Suite("The score of drives")
  struct ScoreTests {
    /// A rest of twenty minutes, and then twenty minutes at 10 m/s.
    private static let truth: GroundTruth = {
      let places = (0..<2_400).map { SIMD3(max(0, Double($0) - 1_200) * 10, 0, 0) }
      return GroundTruth(places: places, hasSky: places.map { _ in true }, isKnown: places.map { _ in true })
    }()

    private static func score(_ errors: [Float], estimate: [Float]? = nil) -> Score {
      var samples = Samples()
      samples.errors = errors
      samples.estimateErrors = estimate ?? errors
      samples.gpsOn = errors.map { _ in 0 }
      var score = Score()
      score.add(samples, along: truth)
      return score
    }

    @Test("The share within a bound counts the seconds under way with a last location, and an error equal to the bound")
    func share() {
      let underWay = Self.truth.isUnderWay.indices.filter { Self.truth.isUnderWay[$0] }
      #expect(underWay.count > 1_200 && underWay.count < 1_800)
      var errors = [Float](repeating: 10_000, count: 2_400)
      #expect(Self.score(errors).shareUnderWay(within: 500, of: .lastLocation) == 0)
      // A quarter is unknown, a quarter is exactly at the bound, and a quarter is below it.
      for (number, second) in underWay.enumerated() { errors[second] = [.nan, 500, 20, 500.5][number % 4] }
      let known = underWay.indices.filter { $0 % 4 != 0 }
      let within = known.filter { $0 % 4 < 3 }
      #expect(
        Self.score(errors).shareUnderWay(within: 500, of: .lastLocation) == Double(within.count) / Double(known.count))
      #expect(Self.score(errors).shareUnderWay(within: 501, of: .lastLocation) == 1)
      #expect(Self.score([Float](repeating: .nan, count: 2_400)).shareUnderWay(within: 500, of: .lastLocation) == nil)
      #expect(Score().shareUnderWay(within: 500, of: .lastLocation) == nil)
      // The estimate's errors are its own.
      let near = Self.score(errors, estimate: [Float](repeating: 10, count: 2_400))
      #expect(near.shareUnderWay(within: 500, of: .estimate) == 1)
    }
  }
#endif

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@Suite("An acquisition")
struct AcquisitionTests {
  static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

  static func fix(
    _ accuracy: Double, age: Double = 0, latitude: Double = 34, longitude: Double = -118
  ) -> Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, timestamp: now - age)
  }

  /// The preparation, a fix, and its verdict.
  static let cases: [(String, @Sendable (inout Acquisition) -> Void, Location, Acquisition.Verdict)] = [
    ("a fix with the desired accuracy ends the acquisition", { _ in }, fix(10), .acquired),
    ("a slightly worse fix is a candidate", { _ in }, fix(10.1), .candidate),
    ("an accuracy of 0 is valid", { _ in }, fix(0), .acquired),
    ("a negative accuracy is invalid", { _ in }, fix(-1), .rejected(.invalidAccuracy)),
    ("an accuracy of NaN is invalid", { _ in }, fix(.nan), .rejected(.invalidAccuracy)),
    ("an infinite accuracy is invalid", { _ in }, fix(.infinity), .rejected(.invalidAccuracy)),
    ("a latitude beyond a pole is invalid", { _ in }, fix(5, latitude: 90.1), .rejected(.invalidCoordinate)),
    ("a latitude of NaN is invalid", { _ in }, fix(5, latitude: .nan), .rejected(.invalidCoordinate)),
    (
      "a longitude beyond the antimeridian is invalid", { _ in }, fix(5, longitude: 180.1),
      .rejected(.invalidCoordinate)
    ),
    ("a longitude of NaN is invalid", { _ in }, fix(5, longitude: .nan), .rejected(.invalidCoordinate)),
    ("the equator and the prime meridian are valid", { _ in }, fix(5, latitude: 0, longitude: 0), .acquired),
    ("the poles and the antimeridian are valid", { _ in }, fix(5, latitude: -90, longitude: 180), .acquired),
    ("a fix of the greatest age is accepted", { _ in }, fix(5, age: 30), .acquired),
    ("an older fix is stale", { _ in }, fix(5, age: 30.1), .rejected(.stale)),
    ("clocks may differ by a second", { _ in }, fix(5, age: -1), .acquired),
    ("a fix beyond that is in the future", { _ in }, fix(5, age: -1.1), .rejected(.futureDated)),
    (
      "a date of NaN is stale", { _ in },
      Location(
        latitude: 34, longitude: -118, horizontalAccuracy: 5,
        timestamp: Date(timeIntervalSinceReferenceDate: .nan)), .rejected(.stale)
    ),
    ("a better fix replaces a candidate", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(40), .candidate),
    (
      "an equally good, newer fix replaces a candidate", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(50), .candidate
    ),
    (
      "a worse fix doesn't replace it", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(51),
      .rejected(.worseThanCandidate)
    ),
    (
      "an older fix doesn't replace it", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(40, age: 3),
      .rejected(.outOfOrder)
    ),
    ("the same fix is a duplicate", { _ = $0.judge(fix(50), at: now) }, fix(50), .rejected(.duplicate)),
    ("a better fix of the same time replaces it", { _ = $0.judge(fix(50), at: now) }, fix(40), .candidate),
    (
      "any new fix replaces a candidate that is too old", { _ = $0.judge(fix(20, age: 40), at: now - 15) }, fix(60),
      .candidate
    ),
    ("a fix older than the last location", { $0.delivered(fix(9, age: 5)) }, fix(8, age: 6), .rejected(.outOfOrder)),
    ("a fix of the last location's time", { $0.delivered(fix(9, age: 5)) }, fix(8, age: 5), .rejected(.duplicate)),
    ("a last location in the future blocks no fix", { $0.delivered(fix(9, age: -5)) }, fix(8), .acquired),
    (
      "a fix from before the trigger", { $0 = Acquisition(policy: .loco, trigger: now - 4) }, fix(5, age: 4.1),
      .rejected(.beforeTrigger)
    ),
    ("a fix of the trigger's time", { $0 = Acquisition(policy: .loco, trigger: now - 4) }, fix(5, age: 4), .acquired),
    (
      "a trigger in the future blocks no fix", { $0 = Acquisition(policy: .loco, trigger: now + 400) }, fix(5),
      .acquired
    ),
    (
      "a fix after an old trigger may be stale", { $0 = Acquisition(policy: .loco, trigger: now - 4_000) },
      fix(5, age: 3_000), .rejected(.stale)
    ),
  ]

  /// The same for jumps. A hundredth of a degree of latitude is 1,112 m.
  static let jumps: [(String, @Sendable (inout Acquisition) -> Void, Location, Acquisition.Verdict)] = [
    ("an airliner's speed is plausible", { $0.delivered(fix(9, age: 5)) }, fix(8, latitude: 34.016), .acquired),
    (
      "2.2 km in 5 s are a jump", { $0.delivered(fix(9, age: 5)) }, fix(8, latitude: 34.02),
      .rejected(.implausibleSpeed)
    ),
    ("2.2 km in 6 s aren't a jump", { $0.delivered(fix(9, age: 6)) }, fix(8, latitude: 34.02), .acquired),
    (
      "crossing the antimeridian isn't a jump", { $0.delivered(fix(9, age: 5, longitude: 180)) },
      fix(8, longitude: -180), .acquired
    ),
    ("twice the accuracies are subtracted", { $0.delivered(fix(100, age: 1)) }, fix(50, latitude: 34.0062), .candidate),
    (
      "no more than twice the accuracies are subtracted", { $0.delivered(fix(100, age: 1)) },
      fix(50, latitude: 34.0064),
      .rejected(.implausibleSpeed)
    ),
    (
      "a jump from a candidate is rejected", { _ = $0.judge(fix(50, age: 2), at: now) },
      fix(5, latitude: 34.01), .rejected(.implausibleSpeed)
    ),
    (
      "a jump is rejected whatever its accuracy", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(60, latitude: 35),
      .rejected(.implausibleSpeed)
    ),
    (
      "an old fix is stale wherever it is", { $0.delivered(fix(9, age: 50)) }, fix(5, age: 31, latitude: 60),
      .rejected(.stale)
    ),
    (
      "the jump is measured from the newest location, not from the best",
      {
        _ = $0.judge(fix(20, age: 10), at: now)
        $0.delivered(fix(60, age: 5, latitude: 34.03))
      }, fix(15, latitude: 34.045), .candidate
    ),
    (
      "a second fix that agrees is accepted",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
      }, fix(6, latitude: 35.001), .acquired
    ),
    (
      "two fixes that agree refute a wrong last location",
      {
        $0 = Acquisition(policy: .loco, previous: fix(9, age: 20, latitude: -34))
        _ = $0.judge(fix(30, age: 1), at: now)
      }, fix(30), .candidate
    ),
    (
      "two fixes that agree refute a wrong candidate, whatever accuracy it claims",
      {
        _ = $0.judge(fix(11, age: 3, latitude: 35), at: now)
        _ = $0.judge(fix(80, age: 1), at: now)
      }, fix(90), .candidate
    ),
    (
      "a second jump to another place is rejected",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
      }, fix(5, latitude: 36), .rejected(.implausibleSpeed)
    ),
    (
      "nor the same fix once more",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
      }, fix(5, age: 1, latitude: 35), .rejected(.implausibleSpeed)
    ),
    (
      "nor one after a fix that did not jump",
      {
        _ = $0.judge(fix(50, age: 5), at: now)
        _ = $0.judge(fix(5, age: 2, latitude: 35), at: now)
        _ = $0.judge(fix(60, age: 1), at: now)
      }, fix(5, latitude: 35), .rejected(.implausibleSpeed)
    ),
    (
      "an invalid fix between two that agree is ignored",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
        _ = $0.judge(fix(-1), at: now)
      }, fix(5, latitude: 35), .acquired
    ),
    (
      "a last location in the future isn't compared", { $0.delivered(fix(9, age: -9)) }, fix(8, latitude: 60), .acquired
    ),
    (
      "a candidate in the future, after the clock was set back, isn't compared",
      { _ = $0.judge(fix(50, age: -9), at: now + 9) }, fix(8, latitude: 60), .acquired
    ),
    (
      "a last location with an invalid coordinate isn't compared", { $0.delivered(fix(9, age: 5, latitude: .nan)) },
      fix(8), .acquired
    ),
    ("a last location with a negative accuracy isn't compared", { $0.delivered(fix(-1e9, age: 5)) }, fix(8), .acquired),
    (
      "a last location with an accuracy of NaN isn't compared", { $0.delivered(fix(.nan, age: 5)) },
      fix(8, latitude: 60), .acquired
    ),
    (
      "a last location with a date of NaN isn't compared", { $0.delivered(fix(9, age: .nan)) }, fix(8, latitude: 60),
      .acquired
    ),
  ]

  @Test("judges a fix", arguments: (cases + jumps).indices)
  func verdict(index: Int) {
    let (sentence, before, fix, expected) = (Self.cases + Self.jumps)[index]
    var acquisition = Acquisition(policy: .loco)
    before(&acquisition)
    #expect(acquisition.judge(fix, at: Self.now) == expected, "\(sentence)")
    if case .rejected = expected {
      #expect(acquisition.candidate(at: Self.now) != fix || expected == .rejected(.duplicate), "\(sentence)")
    } else {
      #expect(acquisition.candidate(at: Self.now) == fix, "\(sentence)")
    }
  }

  @Test("returns no candidate that is too old or in the future")
  func candidateAge() {
    var acquisition = Acquisition(policy: .loco)
    _ = acquisition.judge(Self.fix(50), at: Self.now)
    #expect(acquisition.candidate(at: Self.now + 30) != nil)
    #expect(acquisition.candidate(at: Self.now + 31) == nil)
    #expect(acquisition.candidate(at: Self.now - 2) == nil)
  }

  @Test("uses no fix that requires more than 400 m/s, unless two agree", arguments: 0..<8)
  func plausible(_ part: Int) async {
    await Seeds.play(Seeds.part(part, of: 8, runs: 800), alone: "plausible") {
      Self.brokenRule(seed: $0).map { [$0] } ?? []
    }
  }

  /// An acquisition of a moving device with occasional outliers, alone or in groups.
  private static func brokenRule(seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    func isReachable(_ to: Location, _ from: Location) -> Bool {
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      return from.distance(to: to) <= 400 * seconds + 2 * (from.horizontalAccuracy + to.horizontalAccuracy)
    }
    var (time, latitude, elsewhere) = (now, 34.0, 0.0)
    var used: Location? =
      Bool.random(using: &random) ? fix(20, age: 60, latitude: .random(in: -80...80, using: &random)) : nil
    var acquisition = Acquisition(policy: .loco, previous: used)
    var doubted: Location?
    for _ in 0..<60 {
      time += .random(in: 0.1...8, using: &random)
      latitude += .random(in: -0.0005...0.0005, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        elsewhere = Bool.random(using: &random) ? 0 : .random(in: -0.2...0.2, using: &random)
      }
      let fix = Location(
        latitude: latitude + elsewhere, longitude: -118, horizontalAccuracy: .random(in: 5...120, using: &random),
        timestamp: time)
      switch acquisition.judge(fix, at: time) {
      case .acquired, .candidate:
        if let used, !isReachable(fix, used) {
          guard let doubted, isReachable(fix, doubted) else { return "a jump is used" }
        }
        (used, doubted) = (fix, nil)
        if Bool.random(using: &random) { acquisition.delivered(fix) }
      case .rejected(.implausibleSpeed):
        guard let used, !isReachable(fix, used) else { return "what is no jump is refused as one" }
        if let doubted, isReachable(fix, doubted) { return "two that agree are refused" }
        doubted = fix
      case .rejected(.worseThanCandidate):
        doubted = nil
      case .rejected(let reason):
        return "\(reason)"
      }
    }
    // Two good fixes in one place are enough, whatever the last location.
    for _ in 0..<2 {
      time += 1
      let verdict = acquisition.judge(
        Location(latitude: latitude, longitude: -118, horizontalAccuracy: 4, timestamp: time), at: time)
      if verdict == .acquired { return nil }
    }
    return "two good fixes are not enough"
  }

  @Test("counts consecutive errors, and any fix restarts the count, even a rejected one")
  func errors() {
    var acquisition = Acquisition(policy: .loco)
    var answers = (0..<4).map { _ in acquisition.countError() }
    _ = acquisition.judge(Self.fix(-1), at: Self.now)
    answers += (0..<5).map { _ in acquisition.countError() }
    #expect(answers == Array(repeating: false, count: 8) + [true])
  }

  @Test("has Loco's values, and values for a receiver without assistance data")
  func policies() {
    let loco = AcquisitionPolicy.loco
    #expect(loco.desiredAccuracy == 10 && loco.acceptableAccuracy == 100 && loco.timeLimit == .seconds(15))
    #expect(loco.maximumAge == .seconds(30) && loco.cooldown == .seconds(30) && loco.errorLimit == 5)
    let alone = AcquisitionPolicy.standaloneReceiver
    #expect(alone.desiredAccuracy == 30 && alone.acceptableAccuracy == 100 && alone.timeLimit == .seconds(60))
  }

  @Test(
    "refuses a policy out of range, on use and on decoding",
    arguments: [
      { $0.desiredAccuracy = -1 }, { $0.desiredAccuracy = .nan }, { $0.desiredAccuracy = .infinity },
      { $0.acceptableAccuracy = 0 }, { $0.acceptableAccuracy = .nan }, { $0.timeLimit = .zero },
      { $0.timeLimit = .seconds(86_401) }, { $0.maximumAge = .seconds(-1) }, { $0.maximumAge = .seconds(1e6) },
      { $0.cooldown = .seconds(-1) }, { $0.cooldown = .seconds(1e9) }, { $0.errorLimit = 0 },
    ] as [@Sendable (inout AcquisitionPolicy) -> Void])
  func ranges(change: @Sendable (inout AcquisitionPolicy) -> Void) throws {
    var policy = AcquisitionPolicy.loco
    change(&policy)
    #expect(policy.problem?.hasSuffix(".") == true)
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let data = try encoder.encode(policy)
    #expect(throws: DecodingError.self) { try decoder.decode(AcquisitionPolicy.self, from: data) }
  }

  #if os(Linux) || os(macOS)
    @Test("an acquisition with a policy out of range stops the program")
    func wrongPolicy() async {
      await #expect(processExitsWith: .failure) {
        _ = Acquisition(policy: AcquisitionPolicy(desiredAccuracy: 0, acceptableAccuracy: 100, timeLimit: .seconds(1)))
      }
    }
  #endif

  @Test("a location is encoded with its known values, and decoded from an earlier version's encoding")
  func locationIsCodable() throws {
    var fix = Self.fix(5)
    (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy, fix.floor) = (9, 0.5, 90, 12, -1)
    let data = try JSONEncoder().encode(fix)
    #expect(try JSONDecoder().decode(Location.self, from: data) == fix)
    let plain = Self.fix(5)
    let text = try String(decoding: JSONEncoder().encode(plain), as: UTF8.self)
    for name in ["speedAccuracy", "courseAccuracy", "floor", "source"] { #expect(!text.contains(name)) }
    #expect(try JSONDecoder().decode(Location.self, from: Data(text.utf8)) == plain)
  }

  /// Whether the policy accepts reduced accuracy; the source and the age of a fix with 5 km; its verdict.
  static let reducedFixes: [(Bool, Location.Source, Double, Acquisition.Verdict)] = [
    (true, .reduced, 0, .acquired), (true, .reduced, 1_200, .acquired), (true, .reduced, 1_201, .rejected(.stale)),
    (true, .gps, 0, .candidate), (true, .gps, 31, .rejected(.stale)), (false, .reduced, 0, .candidate),
    (false, .reduced, 31, .rejected(.stale)),
  ]

  @Test(
    "ends with a fix of reduced accuracy if the policy accepts it, up to 20 minutes old", arguments: reducedFixes)
  func reduced(accepts: Bool, source: Location.Source, age: Double, expected: Acquisition.Verdict) {
    var policy = AcquisitionPolicy.loco
    policy.acceptsReducedAccuracy = accepts
    var acquisition = Acquisition(policy: policy)
    var fix = Self.fix(5_000, age: age)
    fix.source = source
    #expect(acquisition.judge(fix, at: Self.now) == expected)
    #expect((acquisition.outcome(at: Self.now, isOver: true) == fix) == (expected == .acquired))
    policy.maximumAge = .seconds(3_600)
    #expect(policy.maximumAge(of: fix) == .seconds(3_600), "a greater age of the app's own holds")
  }

  @Test(
    "a policy without reduced accuracy is encoded as in earlier versions")
  func reducedIsCodable() throws {
    var policy = AcquisitionPolicy.loco
    #expect(try !String(decoding: JSONEncoder().encode(policy), as: UTF8.self).contains("Reduced"))
    policy.acceptsReducedAccuracy = true
    #expect(try JSONDecoder().decode(AcquisitionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
  }

  @Test("a policy is encoded and decoded in metres and seconds")
  func policyIsCodable() throws {
    for policy in [AcquisitionPolicy.loco, .standaloneReceiver] {
      let data = try JSONEncoder().encode(policy)
      #expect(try JSONDecoder().decode(AcquisitionPolicy.self, from: data) == policy)
      let values = try JSONSerialization.jsonObject(with: data) as? [String: Double]
      #expect(
        values?["timeLimit"] == policy.timeLimit.inSeconds && values?["desiredAccuracy"] == policy.desiredAccuracy)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(
        AcquisitionPolicy.self,
        from: Data(
          #"{"desiredAccuracy":1,"acceptableAccuracy":2,"timeLimit":1e300,"maximumAge":1,"cooldown":1,"errorLimit":1}"#
            .utf8))
    }
  }
}

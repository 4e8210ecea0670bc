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

  /// What happened before, a fix, and its verdict.
  static let cases: [(String, @Sendable (inout Acquisition) -> Void, Location, Acquisition.Verdict)] = [
    ("a fix at the desired accuracy ends it", { _ in }, fix(10), .acquired),
    ("a fix a little worse is a candidate", { _ in }, fix(10.1), .candidate),
    ("an accuracy of 0 is valid", { _ in }, fix(0), .acquired),
    ("a negative accuracy is invalid", { _ in }, fix(-1), .rejected(.invalidAccuracy)),
    ("an accuracy that is no number is invalid", { _ in }, fix(.nan), .rejected(.invalidAccuracy)),
    ("an infinite accuracy is invalid", { _ in }, fix(.infinity), .rejected(.invalidAccuracy)),
    ("a latitude beyond a pole is invalid", { _ in }, fix(5, latitude: 90.1), .rejected(.invalidCoordinate)),
    ("a latitude that is no number is invalid", { _ in }, fix(5, latitude: .nan), .rejected(.invalidCoordinate)),
    (
      "a longitude beyond the antimeridian is invalid", { _ in }, fix(5, longitude: 180.1),
      .rejected(.invalidCoordinate)
    ),
    ("a longitude that is no number is invalid", { _ in }, fix(5, longitude: .nan), .rejected(.invalidCoordinate)),
    ("the equator and the prime meridian are places", { _ in }, fix(5, latitude: 0, longitude: 0), .acquired),
    ("the poles and the antimeridian are places", { _ in }, fix(5, latitude: -90, longitude: 180), .acquired),
    ("a fix of the greatest age counts", { _ in }, fix(5, age: 30), .acquired),
    ("an older one is stale", { _ in }, fix(5, age: 30.1), .rejected(.stale)),
    ("clocks may differ by a second", { _ in }, fix(5, age: -1), .acquired),
    ("beyond that a fix is from the future", { _ in }, fix(5, age: -1.1), .rejected(.futureDated)),
    (
      "a date that is no number is none", { _ in },
      Location(
        latitude: 34, longitude: -118, horizontalAccuracy: 5,
        timestamp: Date(timeIntervalSinceReferenceDate: .nan)), .rejected(.stale)
    ),
    ("a better fix takes the place of a candidate", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(40), .candidate),
    ("of two equally good ones the newer", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(50), .candidate),
    ("a worse one does not", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(51), .rejected(.worseThanCandidate)),
    ("nor an older one", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(40, age: 3), .rejected(.outOfOrder)),
    ("the same one is a duplicate", { _ = $0.judge(fix(50), at: now) }, fix(50), .rejected(.duplicate)),
    ("a better one of the same moment counts", { _ = $0.judge(fix(50), at: now) }, fix(40), .candidate),
    (
      "a candidate grown too old gives way to any new one", { _ = $0.judge(fix(20, age: 40), at: now - 15) }, fix(60),
      .candidate
    ),
    ("nothing older than the last delivered", { $0.delivered(fix(9, age: 5)) }, fix(8, age: 6), .rejected(.outOfOrder)),
    ("nor of the same moment", { $0.delivered(fix(9, age: 5)) }, fix(8, age: 5), .rejected(.duplicate)),
    ("a location from the future blocks nothing", { $0.delivered(fix(9, age: -5)) }, fix(8), .acquired),
    (
      "from before the trigger", { $0 = Acquisition(policy: .loco, trigger: now - 4) }, fix(5, age: 4.1),
      .rejected(.beforeTrigger)
    ),
    ("of the trigger's moment", { $0 = Acquisition(policy: .loco, trigger: now - 4) }, fix(5, age: 4), .acquired),
    (
      "a trigger from the future blocks nothing", { $0 = Acquisition(policy: .loco, trigger: now + 400) }, fix(5),
      .acquired
    ),
    (
      "an old trigger does not let an old fix pass", { $0 = Acquisition(policy: .loco, trigger: now - 4_000) },
      fix(5, age: 3_000), .rejected(.stale)
    ),
  ]

  /// The same, of jumps. A hundredth of a degree of latitude is 1,112 m.
  static let jumps: [(String, @Sendable (inout Acquisition) -> Void, Location, Acquisition.Verdict)] = [
    ("what an airliner flies is no jump", { $0.delivered(fix(9, age: 5)) }, fix(8, latitude: 34.016), .acquired),
    ("2.2 km in 5 s are", { $0.delivered(fix(9, age: 5)) }, fix(8, latitude: 34.02), .rejected(.implausibleSpeed)),
    ("in 6 s they are not", { $0.delivered(fix(9, age: 6)) }, fix(8, latitude: 34.02), .acquired),
    ("the antimeridian is none", { $0.delivered(fix(9, age: 5, longitude: 180)) }, fix(8, longitude: -180), .acquired),
    ("accuracies count twice", { $0.delivered(fix(100, age: 1)) }, fix(50, latitude: 34.0062), .candidate),
    (
      "and not more often", { $0.delivered(fix(100, age: 1)) }, fix(50, latitude: 34.0064),
      .rejected(.implausibleSpeed)
    ),
    (
      "a candidate is no place to jump from either", { _ = $0.judge(fix(50, age: 2), at: now) },
      fix(5, latitude: 34.01), .rejected(.implausibleSpeed)
    ),
    (
      "how accurate a jump is says nothing", { _ = $0.judge(fix(50, age: 2), at: now) }, fix(60, latitude: 35),
      .rejected(.implausibleSpeed)
    ),
    (
      "an old fix is stale wherever it is", { $0.delivered(fix(9, age: 50)) }, fix(5, age: 31, latitude: 60),
      .rejected(.stale)
    ),
    (
      "the newest location counts, not the best",
      {
        _ = $0.judge(fix(20, age: 10), at: now)
        $0.delivered(fix(60, age: 5, latitude: 34.03))
      }, fix(15, latitude: 34.045), .candidate
    ),
    (
      "a second fix that agrees lifts it",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
      }, fix(6, latitude: 35.001), .acquired
    ),
    (
      "so a last location that was wrong does no harm for long",
      {
        $0 = Acquisition(policy: .loco, previous: fix(9, age: 20, latitude: -34))
        _ = $0.judge(fix(30, age: 1), at: now)
      }, fix(30), .candidate
    ),
    (
      "nor a candidate that was wrong, however accurate it said it was",
      {
        _ = $0.judge(fix(11, age: 3, latitude: 35), at: now)
        _ = $0.judge(fix(80, age: 1), at: now)
      }, fix(90), .candidate
    ),
    (
      "a second jump to somewhere else does not lift it",
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
      "a fix of no use between two that agree is none",
      {
        $0.delivered(fix(9, age: 5))
        _ = $0.judge(fix(5, age: 1, latitude: 35), at: now)
        _ = $0.judge(fix(-1), at: now)
      }, fix(5, latitude: 35), .acquired
    ),
    ("a location from the future says nothing", { $0.delivered(fix(9, age: -9)) }, fix(8, latitude: 60), .acquired),
    (
      "nor a candidate that is from there since the clock was set back",
      { _ = $0.judge(fix(50, age: -9), at: now + 9) }, fix(8, latitude: 60), .acquired
    ),
    ("nor one that is nowhere", { $0.delivered(fix(9, age: 5, latitude: .nan)) }, fix(8), .acquired),
    ("nor one that is invalid", { $0.delivered(fix(-1e9, age: 5)) }, fix(8), .acquired),
    ("nor one of no accuracy at all", { $0.delivered(fix(.nan, age: 5)) }, fix(8, latitude: 60), .acquired),
    ("nor one of no time", { $0.delivered(fix(9, age: .nan)) }, fix(8, latitude: 60), .acquired),
  ]

  @Test("gives a verdict", arguments: (cases + jumps).indices)
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

  @Test("does not offer a candidate that has grown too old, or that the clock has left behind")
  func candidateAge() {
    var acquisition = Acquisition(policy: .loco)
    _ = acquisition.judge(Self.fix(50), at: Self.now)
    #expect(acquisition.candidate(at: Self.now + 30) != nil)
    #expect(acquisition.candidate(at: Self.now + 31) == nil)
    #expect(acquisition.candidate(at: Self.now - 2) == nil)
  }

  @Test("uses nothing that would take more than 400 m/s, unless two agree", arguments: 0..<8)
  func plausible(_ part: Int) async {
    await Seeds.play(Seeds.part(part, of: 8, runs: 800), alone: "plausible") {
      Self.brokenRule(seed: $0).map { [$0] } ?? []
    }
  }

  /// One acquisition in which the device travels, and now and then a fix is somewhere else, alone or with others.
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
    // Wherever it was taken to be, two good fixes in one place are enough.
    for _ in 0..<2 {
      time += 1
      let verdict = acquisition.judge(
        Location(latitude: latitude, longitude: -118, horizontalAccuracy: 4, timestamp: time), at: time)
      if verdict == .acquired { return nil }
    }
    return "two good fixes are not enough"
  }

  @Test("counts errors in a row, and any fix begins the count anew, even one that is refused")
  func errors() {
    var acquisition = Acquisition(policy: .loco)
    var answers = (0..<4).map { _ in acquisition.countError() }
    _ = acquisition.judge(Self.fix(-1), at: Self.now)
    answers += (0..<5).map { _ in acquisition.countError() }
    #expect(answers == Array(repeating: false, count: 8) + [true])
  }

  @Test("has Loco's values, and those for a receiver without assistance")
  func policies() {
    let loco = AcquisitionPolicy.loco
    #expect(loco.desiredAccuracy == 10 && loco.acceptableAccuracy == 100 && loco.timeLimit == .seconds(15))
    #expect(loco.maximumAge == .seconds(30) && loco.cooldown == .seconds(30) && loco.errorLimit == 5)
    let alone = AcquisitionPolicy.standaloneReceiver
    #expect(alone.desiredAccuracy == 30 && alone.acceptableAccuracy == 100 && alone.timeLimit == .seconds(60))
  }

  @Test(
    "refuses a policy out of range, where it is used and where it is read",
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
    @Test("stops a program that begins one with a policy out of range")
    func wrongPolicy() async {
      await #expect(processExitsWith: .failure) {
        _ = Acquisition(policy: AcquisitionPolicy(desiredAccuracy: 0, acceptableAccuracy: 100, timeLimit: .seconds(1)))
      }
    }
  #endif

  @Test("a location is written with what is known, and read where an earlier LocoKit wrote it")
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

  /// Whether the policy accepts reduced accuracy, a fix of 5 km, its source and age, and its verdict.
  static let reducedFixes: [(Bool, Location.Source, Double, Acquisition.Verdict)] = [
    (true, .reduced, 0, .acquired), (true, .reduced, 1_200, .acquired), (true, .reduced, 1_201, .rejected(.stale)),
    (true, .gps, 0, .candidate), (true, .gps, 31, .rejected(.stale)), (false, .reduced, 0, .candidate),
    (false, .reduced, 31, .rejected(.stale)),
  ]

  @Test(
    "ends with a fix of reduced accuracy where the policy accepts it, up to 20 minutes old", arguments: reducedFixes)
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
    "its policy is written as by an earlier LocoKit where it accepts no reduced accuracy")
  func reducedIsCodable() throws {
    var policy = AcquisitionPolicy.loco
    #expect(try !String(decoding: JSONEncoder().encode(policy), as: UTF8.self).contains("Reduced"))
    policy.acceptsReducedAccuracy = true
    #expect(try JSONDecoder().decode(AcquisitionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
  }

  @Test("its policy can be written and read, in metres and seconds")
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

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("An acquisition")
struct AcquisitionTests {
  static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

  static func fix(
    _ accuracy: Double, age: Double = 0, latitude: Double = 34, longitude: Double = -118
  ) -> Location {
    Location(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, timestamp: now - age)
  }

  /// A fix, the events before it, and its expected verdict.
  struct Judgement: Sendable, CustomTestStringConvertible {
    let name: String
    let fix: Location
    let verdict: Acquisition.Verdict
    let before: @Sendable (inout Acquisition) -> Void

    init(
      _ name: String, _ fix: Location, _ verdict: Acquisition.Verdict,
      after before: @escaping @Sendable (inout Acquisition) -> Void = { _ in }
    ) {
      (self.name, self.fix, self.verdict, self.before) = (name, fix, verdict, before)
    }

    /// Creates a judgement after earlier fixes.
    init(_ name: String, judged earlier: Location..., then fix: Location, _ verdict: Acquisition.Verdict) {
      self.init(name, fix, verdict) { for fix in earlier { _ = $0.judge(fix, at: now) } }
    }

    /// Creates a judgement after a last location and earlier fixes.
    init(
      _ name: String, delivered last: Location, judged earlier: Location..., then fix: Location,
      _ verdict: Acquisition.Verdict
    ) {
      self.init(name, fix, verdict) {
        $0.previous = last
        for fix in earlier { _ = $0.judge(fix, at: now) }
      }
    }

    /// Creates a judgement in an acquisition with a trigger.
    init(_ name: String, trigger: Date, then fix: Location, _ verdict: Acquisition.Verdict) {
      self.init(name, fix, verdict) { $0 = Acquisition(policy: .loco, trigger: trigger) }
    }

    var testDescription: String { "\"\(name)\"" }
  }

  static func marked(simulated: Bool = false, estimated: Bool = false) -> Location {
    var fix = fix(5)
    (fix.isSimulatedBySoftware, fix.isEstimated) = (simulated, estimated)
    return fix
  }

  @Sendable static func refuse(_ acquisition: inout Acquisition) {
    var policy = AcquisitionPolicy.loco
    policy.acceptsUnmeasuredLocations = false
    acquisition = Acquisition(policy: policy)
  }

  static let judgements: [Judgement] = [
    Judgement("A fix at the desired accuracy ends the acquisition", fix(10), .acquired),
    Judgement("A fix slightly worse than the desired accuracy is a candidate", fix(10.1), .candidate),
    Judgement("An accuracy of 0 is valid", fix(0), .acquired),
    Judgement("A negative accuracy is invalid", fix(-1), .rejected(.invalidAccuracy)),
    Judgement("A NaN accuracy is invalid", fix(.nan), .rejected(.invalidAccuracy)),
    Judgement("An infinite accuracy is invalid", fix(.infinity), .rejected(.invalidAccuracy)),
    Judgement("A latitude beyond a pole is invalid", fix(5, latitude: 90.1), .rejected(.invalidCoordinate)),
    Judgement("A NaN latitude is invalid", fix(5, latitude: .nan), .rejected(.invalidCoordinate)),
    Judgement("A longitude beyond 180° is invalid", fix(5, longitude: 180.1), .rejected(.invalidCoordinate)),
    Judgement("A NaN longitude is invalid", fix(5, longitude: .nan), .rejected(.invalidCoordinate)),
    Judgement("The equator and the prime meridian are valid", fix(5, latitude: 0, longitude: 1e-7), .acquired),
    Judgement("The prime meridian is valid", fix(5, latitude: 51, longitude: 0), .acquired),
    Judgement("0°, 0° isn't a fix", fix(5, latitude: 0, longitude: 0), .rejected(.invalidCoordinate)),
    Judgement("-0°, -0° isn't a fix", fix(5, latitude: -0.0, longitude: -0.0), .rejected(.invalidCoordinate)),
    Judgement(
      "0°, 0° is a place after a location near it", delivered: fix(9, age: 5, latitude: 0.001, longitude: 0),
      then: fix(5, latitude: 0, longitude: 0), .acquired),
    Judgement(
      "0°, 0° is a place after a candidate near it", judged: fix(50, age: 5, latitude: 0.001, longitude: 0),
      then: fix(5, latitude: 0, longitude: 0), .acquired),
    Judgement(
      "0°, 0° isn't a fix after a location 110 km away", delivered: fix(9, age: 900, latitude: 1, longitude: 0),
      then: fix(5, latitude: 0, longitude: 0), .rejected(.invalidCoordinate)),
    Judgement("A simulated fix is used", marked(simulated: true), .acquired),
    Judgement("An estimated fix is used", marked(estimated: true), .acquired),
    Judgement("A policy can refuse simulated fixes", marked(simulated: true), .rejected(.unmeasured), after: refuse),
    Judgement("A policy can refuse estimated fixes", marked(estimated: true), .rejected(.unmeasured), after: refuse),
    Judgement("A policy that refuses both accepts a measured fix", fix(5), .acquired, after: refuse),
    Judgement("The poles and the antimeridian are valid", fix(5, latitude: -90, longitude: 180), .acquired),
    Judgement("A fix of the maximum age is used", fix(5, age: 30), .acquired),
    Judgement("A fix older than the maximum age is stale", fix(5, age: 30.1), .rejected(.stale)),
    Judgement("Clocks may differ by a second", fix(5, age: -1), .acquired),
    Judgement("A fix dated more than a second ahead is rejected", fix(5, age: -1.1), .rejected(.futureDated)),
    Judgement("A fix with a NaN date is stale", fix(5, age: .nan), .rejected(.stale)),
    Judgement("A better fix replaces a candidate", judged: fix(50, age: 2), then: fix(40), .candidate),
    Judgement(
      "A newer fix of the same accuracy replaces a candidate", judged: fix(50, age: 2), then: fix(50), .candidate),
    Judgement("A worse fix is surpassed", judged: fix(50, age: 2), then: fix(51), .surpassed),
    Judgement(
      "A fix older than the candidate is rejected", judged: fix(50, age: 2), then: fix(40, age: 3),
      .rejected(.outOfOrder)),
    Judgement("The same fix is a duplicate", judged: fix(50), then: fix(50), .rejected(.duplicate)),
    Judgement("A better fix of the same date replaces a candidate", judged: fix(50), then: fix(40), .candidate),
    Judgement("A worse fix replaces a candidate that is too old", fix(60), .candidate) {
      _ = $0.judge(fix(20, age: 40), at: now - 15)
    },
    Judgement(
      "A fix older than the last location is rejected", delivered: fix(9, age: 5), then: fix(8, age: 6),
      .rejected(.outOfOrder)),
    Judgement(
      "A fix of the last location's date is a duplicate", delivered: fix(9, age: 5), then: fix(8, age: 5),
      .rejected(.duplicate)),
    Judgement("A last location from the future blocks nothing", delivered: fix(9, age: -5), then: fix(8), .acquired),
    Judgement(
      "A fix from before the trigger is rejected", trigger: now - 4, then: fix(5, age: 4.1), .rejected(.beforeTrigger)),
    Judgement("A fix of the trigger's date is used", trigger: now - 4, then: fix(5, age: 4), .acquired),
    Judgement("A trigger from the future blocks nothing", trigger: now + 400, then: fix(5), .acquired),
    Judgement(
      "An old trigger doesn't allow an old fix", trigger: now - 4_000, then: fix(5, age: 3_000), .rejected(.stale)),
  ]

  /// Judgements of jumps. A hundredth of a degree of latitude is 1,112 m.
  static let jumps: [Judgement] = [
    Judgement("An airliner's speed is plausible", delivered: fix(9, age: 5), then: fix(8, latitude: 34.016), .acquired),
    Judgement(
      "2.2 km in 5 s is a jump", delivered: fix(9, age: 5), then: fix(8, latitude: 34.02),
      .rejected(.implausibleSpeed)),
    Judgement("2.2 km in 6 s is plausible", delivered: fix(9, age: 6), then: fix(8, latitude: 34.02), .acquired),
    Judgement(
      "Crossing the antimeridian isn't a jump", delivered: fix(9, age: 5, longitude: 180),
      then: fix(8, longitude: -180),
      .acquired),
    Judgement(
      "Both accuracies count twice", delivered: fix(100, age: 1), then: fix(50, latitude: 34.0062), .candidate),
    Judgement(
      "Each accuracy counts no more than twice", delivered: fix(100, age: 1), then: fix(50, latitude: 34.0064),
      .rejected(.implausibleSpeed)),
    Judgement(
      "A jump from a candidate is rejected", judged: fix(50, age: 2), then: fix(5, latitude: 34.01),
      .rejected(.implausibleSpeed)),
    Judgement(
      "A jump is rejected whatever its accuracy", judged: fix(50, age: 2), then: fix(60, latitude: 35),
      .rejected(.implausibleSpeed)),
    Judgement(
      "An old fix is stale wherever it is", delivered: fix(9, age: 50), then: fix(5, age: 31, latitude: 60),
      .rejected(.stale)),
    Judgement("A jump is measured from the newest location, not from the best", fix(15, latitude: 34.045), .candidate) {
      _ = $0.judge(fix(20, age: 10), at: now)
      $0.previous = fix(60, age: 5, latitude: 34.03)
    },
    Judgement(
      "A second fix that agrees with a jump is used", delivered: fix(9, age: 5), judged: fix(5, age: 1, latitude: 35),
      then: fix(6, latitude: 35.001), .acquired),
    Judgement("Two fixes that agree replace a wrong last location", fix(30), .candidate) {
      $0 = Acquisition(policy: .loco, previous: fix(9, age: 20, latitude: -34))
      _ = $0.judge(fix(30, age: 1), at: now)
    },
    Judgement(
      "Two fixes that agree replace a wrong candidate of better accuracy", judged: fix(11, age: 3, latitude: 35),
      fix(80, age: 1), then: fix(90), .candidate),
    Judgement(
      "A second jump to another place is rejected", delivered: fix(9, age: 5), judged: fix(5, age: 1, latitude: 35),
      then: fix(5, latitude: 36), .rejected(.implausibleSpeed)),
    Judgement(
      "The same jump again is rejected", delivered: fix(9, age: 5), judged: fix(5, age: 1, latitude: 35),
      then: fix(5, age: 1, latitude: 35), .rejected(.implausibleSpeed)),
    Judgement(
      "A plausible fix between two jumps that agree: the second jump is rejected too", judged: fix(50, age: 5),
      fix(5, age: 2, latitude: 35),
      fix(60, age: 1), then: fix(5, latitude: 35), .rejected(.implausibleSpeed)),
    Judgement(
      "An invalid fix between two fixes that agree has no effect", delivered: fix(9, age: 5),
      judged: fix(5, age: 1, latitude: 35), fix(-1), then: fix(5, latitude: 35), .acquired),
    Judgement(
      "No fix is a jump from a last location in the future", delivered: fix(9, age: -9), then: fix(8, latitude: 60),
      .acquired
    ),
    Judgement("No fix is a jump from a candidate from before the clock was set back", fix(8, latitude: 60), .acquired) {
      _ = $0.judge(fix(50, age: -9), at: now + 9)
    },
    Judgement(
      "No fix is a jump from a last location with a NaN latitude", delivered: fix(9, age: 5, latitude: .nan),
      then: fix(8),
      .acquired),
    Judgement(
      "No fix is a jump from a last location with an invalid accuracy", delivered: fix(-1e9, age: 5), then: fix(8),
      .acquired),
    Judgement(
      "No fix is a jump from a last location with a NaN accuracy", delivered: fix(.nan, age: 5),
      then: fix(8, latitude: 60),
      .acquired),
    Judgement(
      "No fix is a jump from a last location with a NaN date", delivered: fix(9, age: .nan), then: fix(8, latitude: 60),
      .acquired),
  ]

  @Test("A fix gets the expected verdict, and a fix that is used becomes the candidate", arguments: judgements + jumps)
  func verdict(_ row: Judgement) {
    var acquisition = Acquisition(policy: .loco)
    row.before(&acquisition)
    #expect(acquisition.judge(row.fix, at: Self.now) == row.verdict)
    let isCandidate = acquisition.candidate(at: Self.now) == row.fix
    switch row.verdict {
    case .candidate, .acquired: #expect(isCandidate)
    case .surpassed: #expect(!isCandidate)
    case .rejected(let reason): #expect(!isCandidate || reason == .duplicate)
    }
  }

  @Test("A fix is rejected for each reason")
  func eachReason() {
    // The core rejects fixes for these, before or without an acquisition.
    let ofTheCore: Set<RejectionReason> = [.tooCoarse, .notListening]
    let tested = (Self.judgements + Self.jumps).compactMap { row -> RejectionReason? in
      if case .rejected(let reason) = row.verdict { reason } else { nil }
    }
    #expect(Set(tested).isDisjoint(with: ofTheCore))
    let missing = Set(RejectionReason.allCases).subtracting(ofTheCore.union(tested))
    #expect(missing.isEmpty, "add a row for it to `judgements`")
  }

  @Test("A candidate that is too old, or from before the clock was set back, isn't returned")
  func candidateAge() {
    var acquisition = Acquisition(policy: .loco)
    _ = acquisition.judge(Self.fix(50), at: Self.now)
    #expect(acquisition.candidate(at: Self.now + 30) != nil)
    #expect(acquisition.candidate(at: Self.now + 31) == nil)
    #expect(acquisition.candidate(at: Self.now - 2) == nil)
  }

  @Test("A fix that needs more than 400 m/s is used only if it agrees with the fix before", arguments: 0..<8)
  func plausible(_ part: Int) async {
    await Seeds.play(Seeds.part(part, of: 8, runs: 800)) { Self.brokenRule(seed: $0).map { [$0] } ?? [] }
  }

  /// Plays an acquisition on a moving device with occasional wrong fixes, alone or in groups. Returns the broken rule, or `nil`.
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
        if Bool.random(using: &random) { acquisition.previous = fix }
      case .rejected(.implausibleSpeed):
        guard let used, !isReachable(fix, used) else { return "a plausible fix is rejected as a jump" }
        if let doubted, isReachable(fix, doubted) { return "two fixes that agree are rejected" }
        doubted = fix
      case .surpassed:
        doubted = nil
      case .rejected(let reason):
        return "\(reason)"
      }
    }
    // Two good fixes in one place are enough, wherever the last location was.
    for _ in 0..<2 {
      time += 1
      let verdict = acquisition.judge(
        Location(latitude: latitude, longitude: -118, horizontalAccuracy: 4, timestamp: time), at: time)
      if verdict == .acquired { return nil }
    }
    return "two good fixes are not enough"
  }

  @Test("Errors in a row are counted, and any fix restarts the count, even a rejected one")
  func errors() {
    var acquisition = Acquisition(policy: .loco)
    var answers = (0..<4).map { _ in acquisition.countError() }
    _ = acquisition.judge(Self.fix(-1), at: Self.now)
    answers += (0..<5).map { _ in acquisition.countError() }
    #expect(answers == Array(repeating: false, count: 8) + [true])
  }

  @Test("`loco` has Loco's values, and `standaloneReceiver` those for a receiver without assistance data")
  func policies() {
    let loco = AcquisitionPolicy.loco
    #expect(loco.desiredAccuracy == 10 && loco.acceptableAccuracy == 100 && loco.timeLimit == .seconds(15))
    #expect(loco.maximumAge == .seconds(30) && loco.cooldown == .seconds(30) && loco.errorLimit == 5)
    let alone = AcquisitionPolicy.standaloneReceiver
    #expect(alone.desiredAccuracy == 30 && alone.acceptableAccuracy == 100 && alone.timeLimit == .seconds(60))
  }

  @Test(
    "A policy with a value out of range has a problem and can't be decoded",
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

  @Test("A location is encoded with only its known values, and is decoded from JSON without the others")
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

  /// Whether the policy accepts reduced accuracy, the source and age of a fix of 5 km, and its verdict.
  static let reducedFixes: [(Bool, Location.Source, Double, Acquisition.Verdict)] = [
    (true, .reduced, 0, .acquired), (true, .reduced, 1_200, .acquired), (true, .reduced, 1_201, .rejected(.stale)),
    (true, .gps, 0, .candidate), (true, .gps, 31, .rejected(.stale)), (false, .reduced, 0, .candidate),
    (false, .reduced, 31, .rejected(.stale)),
  ]

  @Test(
    "A fix of reduced accuracy, up to 20 minutes old, ends an acquisition if the policy accepts it",
    arguments: reducedFixes)
  func reduced(accepts: Bool, source: Location.Source, age: Double, expected: Acquisition.Verdict) {
    var policy = AcquisitionPolicy.loco
    policy.acceptsReducedAccuracy = accepts
    var acquisition = Acquisition(policy: policy)
    var fix = Self.fix(5_000, age: age)
    fix.source = source
    #expect(acquisition.judge(fix, at: Self.now) == expected)
    #expect((acquisition.outcome(at: Self.now, isOver: true) == fix) == (expected == .acquired))
    policy.maximumAge = .seconds(3_600)
    #expect(policy.maximumAge(of: fix) == .seconds(3_600), "a greater maximum age of the policy applies")
  }

  @Test("Each property of a policy is encoded, and is decoded to an equal policy")
  func eachPropertyIsCodable() throws {
    let changes: [(name: String, change: (inout AcquisitionPolicy) -> Void)] = [
      ("desiredAccuracy", { $0.desiredAccuracy = 7 }), ("acceptableAccuracy", { $0.acceptableAccuracy = 70 }),
      ("timeLimit", { $0.timeLimit = .seconds(7) }), ("maximumAge", { $0.maximumAge = .seconds(7) }),
      ("cooldown", { $0.cooldown = .seconds(7) }), ("errorLimit", { $0.errorLimit = 7 }),
      ("lookLimits", { $0.lookLimits = AcquisitionPolicy.standaloneReceiver.lookLimits }),
      ("acceptsReducedAccuracy", { $0.acceptsReducedAccuracy = true }),
      ("acceptsUnmeasuredLocations", { $0.acceptsUnmeasuredLocations = false }),
    ]
    #expect(Mirror(reflecting: AcquisitionPolicy.loco).children.map(\.label) == changes.map(\.name))
    for (name, change) in changes {
      var policy = AcquisitionPolicy.loco
      change(&policy)
      #expect(policy != .loco, "\(name)")
      #expect(try JSONDecoder().decode(AcquisitionPolicy.self, from: JSONEncoder().encode(policy)) == policy, "\(name)")
    }
    let text = try String(decoding: JSONEncoder().encode(AcquisitionPolicy.loco), as: UTF8.self)
    #expect(!text.contains("accepts"), "defaults are omitted")
  }

  @Test("A policy with a fraction of a second is the same after decoding")
  func fractions() throws {
    for number in 0..<200 {
      let policy = AcquisitionPolicy(
        desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: .milliseconds(1_000 + 37 * number))
      #expect(try JSONDecoder().decode(AcquisitionPolicy.self, from: JSONEncoder().encode(policy)) == policy)
    }
  }

  @Test("A policy is encoded in metres and seconds")
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

  @Test("A rejected fix shows the signal if its accuracy is the receiver's, and only a jump may be confirmed")
  func reasons() {
    let shown = RejectionReason.allCases.filter(\.showsSignal)
    #expect(Set(shown) == [.invalidAccuracy, .implausibleSpeed, .tooCoarse])
    #expect(RejectionReason.allCases.filter(\.mayBeConfirmed) == [.implausibleSpeed])
  }
}

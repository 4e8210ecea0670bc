import Foundation
import Testing

@testable import LocoKit

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

  @Test("gives a verdict", arguments: cases.indices)
  func verdict(index: Int) {
    let (sentence, before, fix, expected) = Self.cases[index]
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
      { $0.acceptableAccuracy = 9 }, { $0.acceptableAccuracy = .nan }, { $0.timeLimit = .zero },
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

import Foundation
import Testing

@testable import LocoKit

/// When a planner keeps the app running, and how it uses coarse fixes.
@Suite("The look planner of a phone that can keep the app running")
struct LookPlannerKeeperTests {
  typealias Sleeper = LookPlannerTests.Sleeper

  static let suspended: WakeSources = [.significantChanges, .regionExit, .visits, .keeper]
  static let kept = suspended.union([.timersWhileAsleep, .motion])

  /// A phone with a fix.
  private static func phone(_ bound: Double = 500, motion: Motion? = .walking, accuracy: Double = 10) -> Sleeper {
    let phone = Sleeper(bound, kept)
    if let motion { phone.planner.hear(motion) }
    phone.find(0, speed: 1, accuracy: accuracy)
    return phone
  }

  @Test(
    "The app is kept running until the device has been still for two minutes, and two minutes after a wake-up",
    arguments: [
      (nil, .still, 121.0, false), (nil, .still, 119, true), (nil, .walking, 600, true), (nil, .vehicle, 600, true),
      (nil, .standing, 600, true), (.keeperAtRest, .still, 600, true),
    ] as [(WakeSources?, Motion, Double, Bool)])
  func rest(added: WakeSources?, motion: Motion, seconds: Double, isKept: Bool) {
    let phone = Self.phone(motion: motion)
    if let added { phone.planner.sources.formUnion(added) }
    #expect(phone.planner.keepsRunning)
    phone.wait(seconds)
    #expect(phone.planner.keepsRunning == isKept)
  }

  @Test("Without a keeper or a region the app isn't suspended at rest", arguments: [WakeSources.keeper, .regionExit])
  func needs(source: WakeSources) {
    let phone = Self.phone(motion: .still)
    phone.planner.sources.remove(source)
    phone.wait(600)
    #expect(!phone.planner.isAsleep)
    #expect(phone.planner.keepsRunning == (source == .regionExit))
  }

  @Test(
    "A wake-up keeps the app running, and starts a look for a region exit or a departure",
    arguments: [
      ("region", LocationManager.LookCause.regionExit), ("departure", .visit), ("significant change", nil),
      ("sources", nil),
    ] as [(String, LocationManager.LookCause?)])
  func wakes(name: String, cause: LocationManager.LookCause?) {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    #expect(phone.planner.isAsleep && phone.due() == nil)
    phone.wait(3_600)
    #expect(phone.planner.looksAtSignificantChange)
    switch name {
    case "region": phone.planner.leaveRegion()
    case "departure": phone.planner.depart()
    case "significant change": phone.planner.wake()
    default: phone.planner.sources = .all
    }
    #expect(!phone.planner.isAsleep && phone.due() == cause)
  }

  @Test("A departure doesn't start a look while the device moves")
  func departsLate() {
    let phone = Self.phone()
    phone.wait(10)
    phone.planner.depart()
    #expect(phone.due() == nil)
  }

  @Test(
    "At rest, a last location worse than 30 m causes one more look",
    arguments: [(10.0, nil), (65, LocationManager.LookCause.rest)])
  func looksAtRest(accuracy: Double, cause: LocationManager.LookCause?) {
    let phone = Self.phone(motion: .still, accuracy: accuracy)
    phone.wait(121)
    #expect(phone.due() == cause)
    #expect(phone.planner.isAsleep == (cause == nil))
    if cause != nil {
      let policy = phone.planner.policy(for: .loco, at: phone.uptime)
      #expect(policy.desiredAccuracy == 30 && policy.timeLimit == .seconds(25))
      phone.find(20, accuracy: 65)
      phone.wait(1)
      #expect(phone.planner.isAsleep, "only one look")
    }
  }

  /// Gives a planner a coarse fix `metres` north of the start; returns whether the planner accepted it.
  @discardableResult
  private static func coarse(_ phone: Sleeper, _ metres: Double, _ accuracy: Double) -> Bool {
    let fix = Location(
      latitude: metres / 111_195.08, longitude: 0, horizontalAccuracy: accuracy,
      timestamp: Date(timeIntervalSinceReferenceDate: phone.now), source: .coarse)
    let isAccepted = phone.planner.accepts(fix)
    if isAccepted { phone.planner.findCoarse(fix) } else { phone.planner.hear(ofPlace: fix) }
    return isAccepted
  }

  @Test(
    "A coarse fix is accepted where it is more accurate than the last fix by now, and within the bound",
    arguments: [(5.0, 65.0, false), (60, 65, true), (600, 420, true), (600, 430, false), (60, 300, false)])
  func accepts(seconds: Double, accuracy: Double, isAccepted: Bool) {
    let phone = Self.phone(motion: .walking)
    phone.planner.hear(.walking)
    phone.wait(seconds)
    #expect(Self.coarse(phone, 100, accuracy) == isAccepted)
    #expect(phone.planner.fix?.source == (isAccepted ? .coarse : .gps))
  }

  @Test("A coarse fix postpones the next look, and doesn't count as satellite reception")
  func postpones() throws {
    let phone = Sleeper(500, Self.kept)
    phone.planner.hear(.vehicle)
    phone.find(0)
    let (satellitesAt, due) = (phone.planner.satellitesAt, try #require(phone.planner.nextDue(at: phone.uptime)))
    phone.wait(20)
    #expect(Self.coarse(phone, 100, 65))
    #expect(phone.planner.satellitesAt == satellitesAt)
    let next = try #require(phone.planner.nextDue(at: phone.uptime))
    #expect(next > due, "\(next) \(due)")
  }

  @Test("The pace is learned from coarse fixes half a minute apart")
  func pace() {
    let phone = Self.phone(motion: .vehicle)
    for second in 1...40 {
      phone.wait(5)
      Self.coarse(phone, Double(second) * 75, 65)
    }
    let pace = phone.planner.trip.value
    #expect(pace > 12 && pace < 15.1, "15 m/s less a part of the accuracies: \(pace)")
  }

  @Test(
    "A device that is reported as still and is found elsewhere isn't still", arguments: [(300.0, true), (50, false)])
  func elsewhere(metres: Double, moves: Bool) {
    let phone = Self.phone(motion: .still)
    phone.wait(60)
    Self.coarse(phone, metres, 65)
    #expect((phone.planner.motion == nil) == moves)
    phone.wait(70)
    #expect(phone.planner.isAsleep == !moves)
  }

  @Test("Without a motion sensor the device rests when its coarse fixes stay in place for three minutes")
  func withoutSensor() {
    let phone = Sleeper(500, Self.suspended.union(.timersWhileAsleep))
    phone.find(0, accuracy: 65)
    for _ in 0..<9 {
      phone.wait(30)
      Self.coarse(phone, 10, 60)
    }
    phone.wait(1)
    #expect(phone.planner.state == .resting)
  }

  @Test(
    "The app is suspended during a trip that is slow enough for the region",
    arguments: [
      (500.0, 1.0, Motion.walking, true), (500, 3, .walking, false), (2_000, 3, .walking, true),
      (500, 1, .vehicle, false), (200, 1, .walking, false),
    ])
  func slow(bound: Double, pace: Double, motion: Motion, isAsleep: Bool) {
    let phone = Sleeper(bound, Self.kept)
    phone.planner.hear(motion)
    for step in 0..<20 {
      phone.find(Double(step) * pace * 60, speed: pace)
      phone.wait(step < 19 ? 60 : 1)
      // A region exit wakes the phone if its app was suspended.
      if step < 19 { phone.planner.leaveRegion() }
      phone.planner.hear(motion)
    }
    phone.wait(31)
    #expect(phone.planner.isAsleep == isAsleep)
  }

  @Test(
    "A device that is still slow after a wake-up is suspended again, and a faster one isn't",
    arguments: [(150.0, true), (900, false)])
  func slowAtWake(metres: Double, isAsleep: Bool) {
    let phone = Sleeper(2_000, Self.kept)
    phone.planner.hear(.walking)
    phone.find(0, speed: 1)
    phone.wait(25)
    phone.find(100, speed: 1)
    phone.wait(10)
    #expect(phone.planner.isAsleep)
    phone.wait(120)
    phone.planner.leaveRegion()
    #expect(phone.planner.keepsRunning && phone.due() == .regionExit)
    phone.find(100 + metres, speed: 1)
    #expect(phone.planner.isAsleep == isAsleep)
    if isAsleep {
      phone.planner.arrive()
      #expect(phone.due() == .rest, "the start of a visit causes a look")
    }
  }

  @Test(
    "A forced fix while asleep leaves the app suspended only in the same place",
    arguments: [(5.0, true), (400, false)])
  func forced(metres: Double, isAsleep: Bool) {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    #expect(phone.planner.isAsleep)
    phone.wait(600)
    phone.find(metres)
    #expect(phone.planner.isAsleep == isAsleep)
  }

  @Test(
    "A failed look is retried after 20 s where the device is fast, and after a minute where it is slow",
    arguments: [(30.0, 20.0), (1.5, 60)])
  func retries(speed: Double, seconds: Double) throws {
    let phone = Sleeper(500, Self.kept)
    phone.planner.hear(.vehicle)
    for step in 0..<10 {
      phone.find(Double(step) * speed * 60, speed: speed)
      phone.wait(60)
      phone.planner.hear(speed > 5 ? .vehicle : .walking)
    }
    phone.findNothing(took: 1)
    let wait = try #require(phone.secondsToLook())
    #expect(abs(wait - seconds) < 3)
  }

  @Test(
    "With the estimate as target a look is due later, on a straight course only",
    arguments: [(500.0, 0.0, true), (500, nil, false), (250, 0, false)] as [(Double, Double?, Bool)])
  func estimate(bound: Double, course: Double?, isLater: Bool) throws {
    func due(_ target: LocationManager.BoundTarget) throws -> Double {
      let sleeper = Sleeper(bound)
      sleeper.planner.target = target
      sleeper.planner.hear(.vehicle)
      sleeper.find(0, speed: course.map { _ in 15 })
      return try #require(sleeper.secondsToLook())
    }
    let (last, estimate) = (try due(.lastLocation), try due(.estimate))
    #expect(isLater ? estimate > 1.3 * last : estimate <= 1.15 * last && estimate >= last)
  }
}

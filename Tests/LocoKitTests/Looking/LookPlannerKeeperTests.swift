import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// Tests of suspension and coarse fixes.
@Suite("The look planner of a phone that can keep its app running", .covers(LookMachine.self))
struct LookPlannerKeeperTests {
  typealias Sleeper = LookPlannerTests.Sleeper

  static let suspended = Sources.phone
  static let kept = Sources.kept

  /// Returns a phone whose planner has found a fix.
  static func phone(_ bound: Double = 500, motion: LocationManager.Motion? = .walking, accuracy: Double = 10) -> Sleeper
  {
    let phone = Sleeper(bound, kept)
    if let motion { phone.planner.motionDidChange(to: motion) }
    phone.find(0, speed: 1, accuracy: accuracy)
    return phone
  }

  @Test(
    "keeps the app running for a minute of stillness, or for two with a bound under 200 m and without `briefly`",
    arguments: [
      (500, nil, .still, 61.0, false), (500, nil, .still, 59, true), (200, nil, .still, 61, false),
      (199, nil, .still, 119, true), (199, nil, .still, 121, false), (100, .briefly, .still, 59, true),
      (100, .briefly, .still, 61, false), (500, nil, .walking, 600, true),
      (500, nil, .vehicle, 600, true), (500, nil, .standing, 899, true), (500, nil, .standing, 901, false),
      (500, .always, .still, 600, true),
    ] as [(Double, LocationManager.BackgroundUpdates?, LocationManager.Motion, Double, Bool)])
  func rest(
    bound: Double, updates: LocationManager.BackgroundUpdates?, motion: LocationManager.Motion, seconds: Double,
    isKept: Bool
  ) {
    let phone = Self.phone(bound, motion: motion)
    if let updates { phone.planner.settings.use(Self.kept.kinds, updates) }
    #expect(phone.planner.keepsRunning)
    phone.wait(seconds)
    #expect(phone.planner.keepsRunning == isKept)
  }

  @Test(
    "never falls asleep without a keeper or without a region; without a region, it keeps the app running",
    arguments: [true, false])
  func needs(isRegion: Bool) {
    let phone = Self.phone(motion: .still)
    let kinds = isRegion ? Self.kept.kinds.subtracting([.regionExit]) : Self.kept.kinds
    phone.planner.settings.use(kinds, isRegion ? .whileMoving : .never)
    phone.wait(600)
    #expect(!phone.planner.isAsleep)
    #expect(phone.planner.keepsRunning == isRegion)
  }

  @Test(
    "a wake-up keeps the app running, and the exit from the region or a departure starts a look",
    arguments: [
      ("region", LocationManager.Cause.regionExit), ("departure", .visit), ("significant change", nil),
      ("sources", nil),
    ] as [(String, LocationManager.Cause?)])
  func wakes(name: String, cause: LocationManager.Cause?) {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    #expect(phone.planner.isAsleep && phone.due() == nil)
    phone.wait(3_600)
    switch name {
    case "region": phone.planner.leaveRegion()
    case "departure": phone.planner.visitEnded()
    case "significant change":
      #expect(phone.planner.looksAtSignificantChange)
      phone.planner.appDidWake()
    default: phone.planner.settings.use(Sources.awake.kinds, .never)
    }
    #expect(!phone.planner.isAsleep && phone.due() == cause)
  }

  @Test("coarse fixes are wanted from ten seconds before a look on, or 45 s after a fix if the look is later")
  func coarseFixesBeforeALook() throws {
    for (bound, pace) in [(100.0, 1.0), (500, 12), (500, 1), (2_000, 30)] {
      let phone = Sleeper(bound, Self.kept)
      phone.planner.motionDidChange(to: .walking)
      phone.find(0, speed: pace)
      let from = try #require(phone.planner.coarseFixesFrom(at: phone.uptime)).inSeconds
      let look = try #require(phone.planner.nextDue(at: phone.uptime)).inSeconds
      #expect(abs(from - max(0, min(look - 10, 45))) < 0.01, "\(bound) m at \(pace) m/s")
    }
  }

  @Test(
    "coarse fixes are wanted before the first fix, after a failed look and when motion begins after a rest; not at rest, nor asleep"
  )
  func coarseFixesImmediately() {
    let phone = Sleeper(500, Self.kept)
    func from() -> Duration? { phone.planner.coarseFixesFrom(at: phone.uptime) }
    #expect(from() == .zero)
    phone.planner.motionDidChange(to: .walking)
    phone.find(0, speed: 1)
    #expect(from() == .seconds(45))
    phone.wait(20)
    phone.findNothing()
    #expect(phone.planner.phase.blindness != nil && from() == .zero)
    phone.find(30, speed: 1)
    phone.planner.motionDidChange(to: .still)
    #expect(from() == nil)
    phone.planner.settings.mustKeepRunning = true
    phone.wait(200)
    #expect(phone.planner.state == .resting && from() == nil)
    phone.planner.motionDidChange(to: .walking)
    #expect(from() == .zero)
    phone.planner.motionDidChange(to: .still)
    phone.findNothing(took: 60)
    #expect(phone.planner.state == .resting && from() == nil)
    phone.planner.leaveRegion()
    #expect(phone.due() == nil && from() == .zero, "a look is due after the back-off")
  }

  @Test(
    "after a failed look, a coarse fix that is better than the last location is accepted with any bound, and delays no look"
  )
  func coarseFixAfterAFailure() throws {
    for bound in [100.0, 500] {
      let phone = Self.phone(bound, motion: .vehicle)
      phone.find(0, speed: 10)
      let wide = Location(
        latitude: 500 / 111_195.08, longitude: 0, horizontalAccuracy: bound,
        timestamp: Date(timeIntervalSinceReferenceDate: 40),
        source: .coarse)
      phone.wait(20)
      #expect(!phone.planner.accepts(wide), "before a failed look, it must be accurate enough")
      phone.findNothing()
      phone.wait(3)
      #expect(phone.planner.accepts(wide) == (bound == 100), "\(bound) m: if it is better")
      phone.wait(60)
      let (due, failures) = (phone.planner.nextDue(at: phone.uptime), phone.planner.looks.failures)
      #expect(phone.planner.accepts(wide))
      phone.planner.findCoarse(wide, age: 0)
      #expect(phone.planner.fix == wide && phone.planner.counter.moved == 0)
      #expect(phone.planner.nextDue(at: phone.uptime) == due && phone.planner.looks.failures == failures)
      #expect(phone.planner.state == .blind)
    }
    let new = Sleeper(100, Self.kept)
    new.findNothing()
    let wide = Location(latitude: 0, longitude: 0, horizontalAccuracy: 165, timestamp: Date(), source: .coarse)
    #expect(!new.planner.accepts(wide), "a first location is within the bound")
  }

  @Test(
    "20 s after a stop, a vehicle may be far away: with a narrow bound it accelerates fast, with a wide one to 14 m/s",
    arguments: [
      (249, .vehicle, 0, 6, 10), (249, .standing, 4, 6, 10), (250, .vehicle, 0, 14, 30), (249, .vehicle, 20, 20, 10),
      (249, .walking, 0, 5, 30),
    ] as [(Double, LocationManager.Motion, Double, Double, Double)])
  func vehicleAfterAStop(
    bound: Double, motion: LocationManager.Motion, speed: Double, pace: Double, acceleration: Double
  ) {
    let metres = pace * 20 - (pace - speed) * acceleration * (1 - exp(-20 / acceleration))
    let phone = Sleeper(bound, Self.kept)
    phone.planner.motionDidChange(to: motion)
    phone.find(0, speed: speed)
    #expect(abs(phone.planner.reach(20) - metres) < 1e-9)
  }

  @Test("a vehicle that is faster than its trip's pace slows down over half a minute, also with a narrow bound")
  func vehicleSlowsDown() {
    let phone = Sleeper(100, Self.kept)
    phone.planner.motionDidChange(to: .vehicle)
    phone.find(0, speed: 6)
    phone.wait(30)
    phone.find(210, speed: 20)
    let pace = phone.planner.trip.value
    #expect((6..<10).contains(pace))
    #expect(abs(phone.planner.reach(20) - (pace * 20 + (20 - pace) * 30 * (1 - exp(-2.0 / 3)))) < 1e-9)
  }

  @Test("after a trip by vehicle, two minutes of stillness are a rest, because one may be a traffic light")
  func trafficLight() {
    for (speed, seconds) in [(20.0, 120.0), (3, 60)] {
      let phone = Self.phone(500, motion: .walking)
      for step in 1...20 {
        phone.wait(20)
        phone.find(Double(step) * 20 * speed, speed: speed)
      }
      phone.planner.motionDidChange(to: .still)
      phone.wait(seconds - 1)
      #expect(phone.planner.keepsRunning)
      phone.wait(2)
      #expect(!phone.planner.keepsRunning)
    }
  }

  @Test(
    "a rejected coarse fix that is far away for its accuracy ends a reported stillness",
    arguments: [
      (165.0, 200.0, false), (165, 330, false), (165, 345, true), (499, 1_020, true), (501, 5_000, false),
      (90, 101, true),
      (90, 95, false),
    ] as [(Double, Double, Bool)])
  func clearlyElsewhere(accuracy: Double, metres: Double, hasLeft: Bool) {
    let phone = Self.phone(150, motion: .still)
    phone.wait(30)
    phone.planner.noteRejectedCoarseFix(
      Location(
        latitude: metres / 111_195.08, longitude: 0, horizontalAccuracy: accuracy,
        timestamp: Date(timeIntervalSinceReferenceDate: 30), source: .coarse))
    #expect((phone.planner.counter.motion == nil) == hasLeft)
  }

  @Test(
    "a significant change shows a departure if it is newer and farther away than the last fix, while no look can show it"
  )
  func departureByAChange() {
    let phone = Self.phone(500, motion: .still)
    let now = Date(timeIntervalSinceReferenceDate: 130)
    func change(_ metres: Double, after seconds: Double) -> Location {
      Location(
        latitude: metres / 111_195.08, longitude: 0, horizontalAccuracy: 400,
        timestamp: Date(timeIntervalSinceReferenceDate: seconds))
    }
    #expect(!phone.planner.hasLeft(by: change(1_000, after: 10), at: now))
    phone.wait(130)
    #expect(phone.planner.isAsleep)
    #expect(phone.planner.hasLeft(by: change(420, after: 10), at: now))
    #expect(
      !phone.planner.hasLeft(by: change(405, after: 10), at: now)
        && !phone.planner.hasLeft(by: change(1_000, after: 0), at: now))
    for path: WritableKeyPath<Location, Double> in [\.latitude, \.longitude, \.horizontalAccuracy] {
      for value in [-500, 500, .nan] where path != \.horizontalAccuracy || !(value > 0) {
        var invalid = change(1_000, after: 10)
        invalid[keyPath: path] = value
        #expect(!phone.planner.hasLeft(by: invalid, at: now), "\(invalid)")
      }
    }
    // The fix is from before the clock was set back.
    #expect(phone.planner.hasLeft(by: change(1_000, after: -3_590), at: now - 3_600))
    // An app without a keeper, in the back-off after a failed look.
    let other = Sleeper(500, [.significantChange, .regionExit])
    other.find(0)
    #expect(!other.planner.isAsleep && !other.planner.hasLeft(by: change(1_000, after: 10), at: now))
    other.findNothing(took: 10)
    #expect(!other.planner.mayLook && other.planner.hasLeft(by: change(420, after: 10), at: now))
  }

  @Test("a visit's departure starts no look if the device was known to move")
  func departsLate() {
    let phone = Self.phone()
    phone.wait(10)
    phone.planner.visitEnded()
    #expect(phone.due() == nil)
  }

  @Test(
    "looks once more at rest if the last fix's accuracy is worse than 30 m",
    arguments: [(10.0, nil), (65, LocationManager.Cause.rest)])
  func looksAtRest(accuracy: Double, cause: LocationManager.Cause?) {
    let phone = Self.phone(motion: .still, accuracy: accuracy)
    phone.wait(121)
    #expect(phone.due() == cause)
    #expect(phone.planner.isAsleep == (cause == nil))
    if cause != nil {
      let policy = phone.planner.policy(for: .loco, at: phone.uptime)
      #expect(policy.desiredAccuracy == 30 && policy.timeLimit == .seconds(25))
      phone.find(20, accuracy: 65)
      phone.wait(1)
      #expect(phone.planner.isAsleep, "it looks once")
    }
  }

  @Test(
    "the app is suspended after a look at rest, unless the fix shows movement: a vehicle has left a traffic light",
    arguments: [(20.0, nil, true), (200, nil, true), (60, 2.4, true), (60, 2.6, false)])
  func leavesDuringTheLookAtRest(metres: Double, speed: Double?, isAsleep: Bool) {
    let phone = Self.phone(motion: .still, accuracy: 65)
    phone.wait(121)
    #expect(phone.due() == .rest)
    phone.find(metres, speed: speed, accuracy: 65)
    phone.wait(1)
    #expect(phone.planner.isAsleep == isAsleep)
  }

  /// Passes a coarse fix `metres` north of the start to a planner, and returns whether the planner accepted it.
  @discardableResult
  private static func coarse(_ phone: Sleeper, _ metres: Double, _ accuracy: Double) -> Bool {
    let fix = phone.coarse(metres, accuracy: accuracy)
    let isAccepted = phone.planner.accepts(fix)
    if isAccepted { phone.planner.findCoarse(fix, age: 0) } else { phone.planner.noteRejectedCoarseFix(fix) }
    return isAccepted
  }

  @Test(
    "accepts a coarse fix whose accuracy is within 85 % of the bound and within the last location's possible error",
    arguments: [(5.0, 65.0, false), (60, 65, true), (600, 420, true), (600, 430, false), (60, 300, false)])
  func accepts(seconds: Double, accuracy: Double, isAccepted: Bool) {
    let phone = Self.phone(motion: .walking)
    phone.planner.motionDidChange(to: .walking)
    phone.wait(seconds)
    #expect(Self.coarse(phone, 100, accuracy) == isAccepted)
    #expect(phone.planner.fix?.source == (isAccepted ? .coarse : .gps))
  }

  @Test("a coarse fix postpones the next look, and doesn't count as a fix from satellites")
  func postpones() throws {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .vehicle)
    phone.find(0)
    let (satellitesAt, due) = (phone.planner.looks.satellitesAt, try #require(phone.planner.nextDue(at: phone.uptime)))
    phone.wait(20)
    #expect(Self.coarse(phone, 100, 65))
    #expect(phone.planner.looks.satellitesAt == satellitesAt)
    let next = try #require(phone.planner.nextDue(at: phone.uptime))
    #expect(next > due, "\(next) \(due)")
  }

  @Test("learns the pace from coarse fixes, over intervals of at least half a minute")
  func pace() {
    let phone = Self.phone(motion: .vehicle)
    for second in 1...40 {
      phone.wait(5)
      Self.coarse(phone, Double(second) * 75, 65)
    }
    let pace = phone.planner.trip.value
    #expect(pace > 12 && pace < 15.1, "15 m/s, but each distance is reduced by a share of the accuracies: \(pace)")
  }

  @Test(
    "a device that is reported as still but found elsewhere doesn't count as still",
    arguments: [(300.0, true), (50, false)])
  func elsewhere(metres: Double, moves: Bool) {
    let phone = Self.phone(motion: .still)
    phone.wait(50)
    Self.coarse(phone, metres, 65)
    #expect((phone.planner.counter.motion == nil) == moves)
    phone.wait(50)
    #expect(phone.planner.isAsleep == !moves)
  }

  @Test("without a motion sensor, coarse fixes in one place for some minutes show that the device rests")
  func withoutSensor() {
    let phone = Sleeper(500, Self.suspended.union([.timer]))
    phone.find(0, accuracy: 65)
    for _ in 0..<9 {
      phone.wait(30)
      Self.coarse(phone, 10, 60)
    }
    phone.wait(1)
    #expect(phone.planner.state == .resting)
  }

  @Test(
    "lets the app be suspended in motion if the region's exit would be reported in time, in a vehicle from 1.5 km on",
    arguments: [
      (500.0, 1.0, LocationManager.Motion.walking, true), (500, 3, .walking, false), (2_000, 3, .walking, true),
      (500, 1, .vehicle, false), (200, 1, .walking, false), (1_499, 3, .vehicle, false), (1_500, 3, .vehicle, true),
      (1_499, 7, .walking, false), (1_500, 7, .walking, true), (2_000, 11, .vehicle, true),
      (2_000, 12, .vehicle, false),
    ])
  func slow(bound: Double, pace: Double, motion: LocationManager.Motion, isAsleep: Bool) {
    let phone = Sleeper(bound, Self.kept)
    phone.planner.motionDidChange(to: motion)
    for step in 0..<20 {
      phone.find(Double(step) * pace * 60, speed: pace)
      phone.wait(step < 19 ? 60 : 1)
      // The exit from the region wakes an app that was suspended during the movement.
      if step < 19 { phone.planner.leaveRegion() }
      phone.planner.motionDidChange(to: motion)
    }
    phone.wait(31)
    #expect(phone.planner.isAsleep == isAsleep)
  }

  @Test("a report of stillness wakes the planner only of a slow device whose app hears its sensor")
  func stillnessAsleep() {
    func wakes(_ phone: Sleeper) -> Bool {
      #expect(phone.planner.isAsleep)
      phone.planner.motionDidChange(to: .still)
      return !phone.planner.isAsleep
    }
    let slow = Self.phone(2_000)
    slow.wait(25)
    slow.find(100, speed: 1)
    slow.wait(10)
    #expect(wakes(Sleeper(slow)))
    let suspended = Sleeper(slow)
    suspended.planner.settings.use(Sources.phone.kinds.subtracting([.timer]), .whileMoving)
    #expect(!wakes(suspended), "without timers, the report may be an old one")
    let resting = Self.phone(2_000, motion: .still)
    resting.wait(200)
    #expect(resting.planner.state == .asleep && !wakes(resting))
  }

  @Test(
    "after a wake-up, the app may be suspended again if the device is still slow and no consumer forbids it",
    arguments: [
      // At most 1.625 m/s within 500 m, and 8.3 m/s within 2,000 m, in 120 s. An inaccurate fix doesn't show it.
      (500.0, 150.0, 1.0, 10.0, false, true), (500, 190, 1, 10, false, true), (500, 200, 1, 10, false, false),
      (500, 150, 1.7, 10, false, false), (500, 150, 1, 10, true, false), (500, 150, 1, 101, false, false),
      (2_000, 985, 1, 10, false, true), (2_000, 1_015, 1, 10, false, false), (2_000, 150, 8.2, 10, false, true),
      (2_000, 150, 8.4, 10, false, false), (2_000, 150, 1, 10, true, false), (2_000, 150, 1, 99, false, true),
    ])
  func slowAtWake(
    bound: Double, metres: Double, speed: Double, accuracy: Double, isForbidden: Bool, isAsleep: Bool
  ) {
    let phone = Self.phone(bound)
    var walked = 0.0
    while !phone.planner.isAsleep, walked < 500 {
      phone.wait(25)
      walked += 25
      phone.find(walked, speed: 1)
      phone.wait(10)
    }
    #expect(phone.planner.isAsleep)
    phone.wait(120)
    phone.planner.leaveRegion()
    #expect(phone.planner.keepsRunning && phone.due() == .regionExit)
    phone.planner.settings.mustKeepRunning = isForbidden
    phone.find(walked + metres, speed: speed, accuracy: accuracy)
    #expect(phone.planner.isAsleep == isAsleep && phone.planner.keepsRunning == !isAsleep)
    if isAsleep {
      phone.planner.visitBegan()
      #expect(phone.due() == .rest, "the arrival starts a look")
    }
  }

  @Test(
    "a sleeping planner is woken by a fix that the app forces, unless the fix is in the same place",
    arguments: [(5.0, true), (400, false)])
  func forced(metres: Double, isAsleep: Bool) {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    #expect(phone.planner.isAsleep)
    phone.wait(600)
    phone.find(metres)
    #expect(phone.planner.isAsleep == isAsleep)
  }

  enum Outcome: Sendable { case fix(Double, speed: Double), nothing, wake }

  @Test(
    "the looks that the app forces while a slow device's app may be suspended decide whether it rests, is slow, or moves",
    arguments: [
      ([], .asleepMoving),
      ([.fix(160, speed: 1)], .asleepMoving),
      ([.fix(3_000, speed: 20)], .moving),
      ([.fix(100, speed: 0)], .asleep),
      ([.fix(100, speed: 0), .fix(100, speed: 0)], .asleep),
      ([.fix(100, speed: 0), .nothing], .asleep),
      ([.nothing], .asleepBlind),
      ([.nothing, .nothing], .asleepBlind),
      ([.nothing, .wake], .blind),
      ([.nothing, .fix(220, speed: 1)], .asleepMoving),
      ([.nothing, .fix(100, speed: 0)], .asleep),
    ] as [([Outcome], LookMachine.State)])
  func forcedWhileSlow(outcomes: [Outcome], state: LookMachine.State) {
    let phone = Self.phone(2_000)
    phone.wait(25)
    phone.find(100, speed: 1)
    phone.wait(10)
    for outcome in outcomes {
      phone.wait(60)
      switch outcome {
      case .fix(let metres, let speed): phone.find(metres, speed: speed)
      case .nothing: phone.findNothing()
      case .wake: phone.planner.appDidWake()
      }
    }
    #expect(phone.planner.state == state)
  }

  @Test("a slow device that has stopped may be suspended again after a wake-up's look, without a minute of stillness")
  func slowAtRest() {
    let phone = Self.phone(2_000)
    for _ in 0..<2 {
      phone.wait(10)
      phone.find(100, speed: 0.5)
    }
    phone.wait(40)
    #expect(phone.planner.state == .asleep)
    phone.planner.appDidWake()
    #expect(phone.planner.state == .resting)
    phone.find(100, speed: 0)
    #expect(phone.planner.state == .asleep)
  }

  @Test(
    "retries after 6 s if the device is fast and after 18 s if it is slow, and the further waits are 5 times as long, up to 240 s",
    arguments: [(30.0, 6.0), (1.5, 18)])
  func retries(speed: Double, seconds: Double) throws {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .vehicle)
    for step in 0..<10 {
      phone.find(Double(step) * speed * 60, speed: speed)
      phone.wait(60)
      phone.planner.motionDidChange(to: speed > 5 ? .vehicle : .walking)
    }
    for wait in [1, 5, 25, 125].map({ $0 * seconds }) {
      phone.findNothing(took: 1)
      #expect(abs(try #require(phone.secondsToLook()) - min(wait, 240)) < 3)
    }
  }

  @Test(
    "only with a course and a wide bound, a look for the estimate is due much later than for the last location",
    arguments: [(500.0, 0.0, true), (500, nil, false), (250, 0, false)] as [(Double, Double?, Bool)])
  func estimate(bound: Double, course: Double?, isLater: Bool) throws {
    func due(_ target: LocationManager.BoundTarget) throws -> Double {
      let sleeper = Sleeper(bound)
      sleeper.planner.settings.target = target
      sleeper.planner.motionDidChange(to: .vehicle)
      sleeper.find(0, speed: course.map { _ in 15 })
      return try #require(sleeper.secondsToLook())
    }
    let (last, estimate) = (try due(.lastLocation), try due(.estimate))
    #expect(isLater ? estimate > 1.3 * last : estimate <= 1.15 * last && estimate >= last)
  }

  // MARK: - Data that a new phase discards

  @Test(
    "after a drive, a look at rest follows an accurate fix, unless the device stood at that fix", arguments: [0.0, 20])
  func looksAfterTheDrive(speed: Double) {
    let phone = Sleeper(2_000, Self.kept)
    phone.planner.motionDidChange(to: .vehicle)
    phone.find(0)
    phone.wait(60)
    phone.find(60 * speed, speed: speed)
    phone.wait(speed == 0 ? 1 : 30)
    phone.planner.motionDidChange(to: .still)
    phone.wait(121)
    #expect(phone.due() == (speed == 0 ? nil : .rest))
  }

  @Test("a new trip learns its pace as fast as the first one")
  func newTrip() {
    func learnt(after minutes: Int) -> Double {
      let phone = Sleeper(500, Self.kept)
      phone.planner.motionDidChange(to: .vehicle)
      for minute in 0...minutes {
        phone.find(Double(minute) * 1_800, speed: 30)
        phone.wait(60)
      }
      // Fixes in one place end the trip, and fixes elsewhere begin another one.
      let place = Double(minutes) * 1_800
      for _ in 0..<3 { phone.find(place, speed: 0) }
      for metres in [300.0, 700] {
        phone.find(place + metres, speed: 4)
        phone.wait(100)
      }
      return phone.planner.trip.value
    }
    #expect(abs(learnt(after: 60) - learnt(after: 0)) < 1e-6)
  }

  @Test("a coarse fix elsewhere restarts the count of fixes in one place")
  func countsAgain() {
    let phone = Self.phone(motion: .walking)
    phone.find(1)
    phone.wait(300)
    #expect(Self.coarse(phone, 1_000, 65))
    phone.find(1_000)
    #expect(phone.planner.state == .moving)
    phone.find(1_000)
    #expect(phone.planner.state == .resting)
  }

  @Test("a suspended app is kept running again when it may no longer be suspended", arguments: [true, false])
  func maySleepNoMore(isDemand: Bool) {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    #expect(!phone.planner.keepsRunning)
    if isDemand {
      phone.planner.settings.mustKeepRunning = true
    } else {
      phone.planner.settings.use(Self.kept.kinds.subtracting([.regionExit]), .whileMoving)
    }
    #expect(phone.planner.keepsRunning)
    if isDemand {
      phone.planner.settings.mustKeepRunning = false
    } else {
      phone.planner.settings.use(Self.kept.kinds, .whileMoving)
    }
    #expect(phone.planner.keepsRunning, "the app is suspended only after a rest, not as soon as it may be")
  }

  @Test("after a wake-up, failed looks at the last place don't delay the first retry")
  func failuresOfTheLastPlace() throws {
    func retry(failures: Int) throws -> Double {
      let phone = Self.phone(motion: .still)
      phone.wait(130)
      for _ in 0..<failures {
        phone.findNothing(took: 1)
        phone.wait(300)
      }
      phone.planner.leaveRegion()
      phone.planner.motionDidChange(to: .vehicle)
      phone.wait(5)
      phone.findNothing(took: 1)
      return try #require(phone.secondsToLook())
    }
    #expect(try retry(failures: 5) == retry(failures: 0))
  }

  @Test("a device that was fast after a wake-up doesn't count as slow when its vehicle stops")
  func slowOnce() {
    let phone = Self.phone(2_000)
    phone.wait(25)
    phone.find(100, speed: 1)
    phone.wait(10)
    #expect(phone.planner.isAsleep)
    phone.wait(60)
    phone.planner.leaveRegion()
    phone.planner.motionDidChange(to: .vehicle)
    phone.find(1_500, speed: 20)
    #expect(!phone.planner.isAsleep)
    phone.wait(600)
    phone.find(1_600, speed: 0)
    #expect(!phone.planner.isAsleep && phone.planner.keepsRunning)
  }

  @Test("after a suspension on foot and a coarse fix, a fast vehicle's app keeps running", arguments: [nil, 400, 900])
  func slowBeforeACoarseFix(metres: Double?) {
    let phone = Self.phone(1_000)
    phone.wait(25)
    phone.find(25, speed: 1)
    phone.wait(10)
    #expect(phone.planner.isAsleep)
    phone.wait(230)
    if metres != nil { phone.planner.findCoarse(phone.coarse(), age: 0) }
    phone.wait(60)
    phone.find(metres ?? 400, accuracy: 65)
    #expect(phone.planner.isAsleep == (metres == nil))
  }

  @Test("a device that stopped far from its last fix looks before its app is suspended, although it kept its course")
  func stopsAway() throws {
    let phone = Self.phone(motion: .vehicle)
    phone.find(14, speed: 14)
    phone.wait(8)
    phone.planner.motionDidChange(to: .still)
    #expect(phone.due() == nil)
    phone.wait(60)
    let wifi = phone.coarse(111)
    #expect(phone.planner.accepts(wifi), "it is nearer than the last fix may be")
    let rest = try #require(phone.planner.placeAtRest)
    #expect(rest.fix == phone.planner.fix && (100...120).contains(rest.distance))
    phone.wait(60)
    #expect(phone.due() == .rest && !phone.planner.isAsleep)
    phone.find(120)
    #expect(!phone.planner.accepts(wifi))
    phone.wait(130)
    #expect(phone.planner.isAsleep && phone.planner.placeAtRest?.distance == 0)
  }

  @Test("a vehicle that a fix shows in motion isn't parked, although its sensor reports that it stands")
  func standsOnTheMove() {
    let phone = Self.phone(motion: .standing)
    phone.wait(890)
    phone.find(20_000, speed: 30)
    phone.wait(500)
    #expect(!phone.planner.isAsleep && phone.planner.keepsRunning)
    phone.wait(500)
    #expect(phone.planner.isAsleep)
  }

  @Test(
    "the app of a stationary vehicle is suspended after 15 minutes awake and a quiet time in one place",
    arguments: [
      ("from the report", 900), ("before the first fix", 60), ("before a first fix that shows motion", 900),
      ("again after a drive", 900), ("awake again", 900),
    ])
  func parks(start: String, seconds: Double) {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .standing)
    if start.hasPrefix("before") {
      phone.wait(2_000)
      phone.find(0, speed: start.hasSuffix("motion") ? 30 : 0)
    } else {
      phone.find(0, speed: 1)
    }
    if start == "again after a drive" {
      phone.wait(600)
      phone.planner.motionDidChange(to: .vehicle)
      phone.wait(5)
      phone.planner.motionDidChange(to: .standing)
    }
    if start == "awake again" {
      phone.wait(901)
      phone.planner.motionDidChange(to: .standing)
      phone.wait(2_000)
      phone.planner.appDidWake()
    }
    phone.wait(seconds - 2)
    #expect(!phone.planner.isAsleep)
    phone.wait(4)
    #expect(phone.planner.isAsleep)
  }

  @Test("the app of a vehicle that stands in a wide bound may be suspended before the vehicle counts as parked")
  func standsInAWideBound() {
    let phone = Self.phone(2_000, motion: .standing)
    phone.wait(25)
    phone.find(0, speed: 0)
    phone.wait(12)
    #expect(phone.planner.state == .asleepMoving)
  }

  @Test("the region keeps its radius until it is set again, although the pace changes")
  func paces() {
    let phone = Self.phone(1_400, motion: .vehicle)
    phone.find(10, speed: 6)
    let region = phone.planner.region
    // The speed of the fix counts, not only the pace of the trip, which is slower.
    #expect(phone.planner.trip.value < 6 && region?.radius ?? 0 > 200)
    #expect(region?.radius == WakeRegion.radius(bound: 1_400, speed: 6))
    for second in 1...3 {
      phone.wait(15)
      phone.planner.findCoarse(phone.coarse(Double(second) * 111), age: 0)
      #expect(phone.planner.region == region)
    }
    phone.wait(20)
    phone.find(500, speed: 8)
    #expect(phone.planner.region != region)
    let resting = Self.phone(1_400, motion: .vehicle)
    resting.find(10, speed: 6)
    resting.planner.motionDidChange(to: .still)
    #expect(resting.planner.state == .moving && resting.planner.region?.radius ?? 0 > 200)
    resting.wait(200)
    #expect(resting.planner.state == .asleep && resting.planner.region?.radius == 100)
  }

  /// Waits until the app is suspended. A look at rest fails.
  private static func restWithoutReception(_ phone: Sleeper) {
    phone.wait(400)
    if phone.due() == .rest { phone.findNothing(took: 20) }
    phone.wait(400)
  }

  @Test(
    "without reception, the fifth suspension in a place whose region is left again and again sets no region",
    arguments: [(nil, false), (300, false), (100, true), (90, true)] as [(Double?, Bool)])
  func leavesTheSameRegion(coarseAccuracy: Double?, isSetAgain: Bool) throws {
    let phone = Self.phone(1_000, motion: .still)
    for exits in 0..<4 {
      phone.wait(200)
      #expect(phone.planner.isAsleep && phone.planner.region != nil, "after \(exits) exits")
      phone.planner.leaveRegion()
      phone.findNothing(took: 20)
      phone.planner.motionDidChange(to: .still)
    }
    if let coarseAccuracy {
      phone.planner.findCoarse(phone.coarse(accuracy: coarseAccuracy), age: 0)
      #expect((phone.planner.region != nil) == isSetAgain)
    }
    Self.restWithoutReception(phone)
    #expect(phone.planner.isAsleep && (phone.planner.region != nil) == isSetAgain)
    // A fix elsewhere is a new place.
    phone.planner.appDidWake()
    phone.find(2_000, accuracy: 300)
    phone.planner.motionDidChange(to: .still)
    Self.restWithoutReception(phone)
    #expect(phone.planner.isAsleep && phone.planner.region != nil)
  }

  @Test("an exit from a region counts only if it wakes a suspended app")
  func exitsAwake() {
    let phone = Self.phone(1_000, motion: .still)
    for _ in 0..<9 { phone.planner.leaveRegion() }
    phone.findNothing(took: 20)
    phone.planner.motionDidChange(to: .still)
    Self.restWithoutReception(phone)
    #expect(phone.planner.isAsleep && phone.planner.region != nil)
  }

  @Test(
    "a fix faster than 2.5 m/s contradicts the report of stillness, in an app that can't be kept running, too",
    arguments: [(30, true), (2.6, true), (2.5, false), (nil, false)] as [(Double?, Bool)])
  func fastFixAfterStillness(speed: Double?, isContradicted: Bool) {
    let phone = Sleeper(500, [.significantChange, .motion, .timer])
    phone.planner.motionDidChange(to: .still)
    phone.find(0, speed: 0)
    phone.wait(200)
    #expect(phone.planner.state == .resting)
    phone.find(3_000, speed: speed)
    #expect((phone.planner.counter.motion == nil) == isContradicted)
    #expect((phone.secondsToLook() != nil) == isContradicted, "the next look follows by time")
    // The motion may be reported only once, so the report counts again when the device stops.
    phone.find(3_100, speed: 0)
    #expect(phone.planner.counter.motion == (isContradicted ? nil : .still), "elsewhere")
    phone.find(3_100, speed: 0)
    #expect(phone.planner.counter.motion == .still)
    phone.find(6_000, speed: speed)
    phone.planner.motionDidChange(to: .walking)
    phone.find(6_000, speed: 0)
    #expect(phone.planner.counter.motion == .walking, "a newer report stays")
    // A first fix is fast, too.
    let passenger = Sleeper(500, [.significantChange, .motion, .timer])
    passenger.planner.motionDidChange(to: .still)
    passenger.find(0, speed: speed)
    #expect((passenger.planner.counter.motion == nil) == isContradicted)
  }

  @Test("with coarse fixes, a doubted stillness doesn't return, and before the first fix it holds")
  func stillnessWithAKeeper() {
    let phone = Self.phone(motion: .still)
    phone.find(3_000, speed: 10)
    for _ in 0..<2 { phone.find(3_010, speed: 0) }
    #expect(phone.planner.counter.motion == nil)
    let searching = Sleeper(500, Self.kept)
    searching.planner.motionDidChange(to: .still)
    searching.findNothing(took: 45)
    searching.wait(300)
    #expect(searching.secondsToLook() == nil)
  }

  @Test("at the next place, the device is looked for at rest again")
  func looksAtRestAgain() {
    let phone = Self.phone(motion: .still, accuracy: 65)
    for place in [0.0, 3_000, 6_000] {
      if place > 0 { phone.find(place, accuracy: 65) }
      phone.planner.motionDidChange(to: .still)
      for _ in 0..<300 where phone.due() != .rest { phone.wait(1) }
      #expect(phone.due() == .rest, "\(place) m")
      phone.find(place, accuracy: 65)
      #expect(phone.due() == nil)
    }
  }

  @Test("without a keeper, a failed first look is repeated, although the sensor reports stillness")
  func firstLookFails() throws {
    let phone = Sleeper(500, [.significantChange, .motion, .timer])
    phone.planner.motionDidChange(to: .still)
    for _ in 0..<4 {
      phone.findNothing(took: 45)
      let wait = try #require(phone.secondsToLook())
      #expect((60...300).contains(wait), "\(wait)")
      phone.wait(wait)
    }
    phone.find(0, speed: 0)
    phone.wait(600)
    #expect(phone.secondsToLook() == nil)
  }

  @Test("after a wake-up, the sensor's report from before the suspension no longer counts")
  func staleMotion() throws {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    phone.wait(3_600)
    phone.planner.leaveRegion()
    phone.findNothing(took: 1)
    let wait = try #require(phone.secondsToLook(), "time counts as motion until the sensor reports")
    #expect(wait <= 300)
  }

  @Test("the estimate at rest gets less accurate while the sensor reports motion, even before a look is due")
  func estimateAtRest() throws {
    let phone = Sleeper(500, [.significantChange, .motion, .timer])
    phone.planner.motionDidChange(to: .still)
    phone.find(0, speed: 1)
    phone.wait(200)
    #expect(phone.planner.state == .resting)
    let before = try #require(phone.planner.estimate(at: .distantPast)).horizontalAccuracy
    phone.planner.motionDidChange(to: .walking)
    phone.wait(50)
    #expect(phone.due() == nil)
    #expect(try #require(phone.planner.estimate(at: .distantPast)).horizontalAccuracy > before + 50)
  }

  @Test("after a wake-up the app is kept running for a minute, however long the device has been still")
  func wakesForAMinute() {
    let phone = Self.phone(motion: .still)
    phone.wait(130)
    phone.wait(3_600)
    phone.planner.visitEnded()
    phone.planner.motionDidChange(to: .still)
    phone.find(1)
    phone.planner.visitEnded()
    phone.planner.motionDidChange(to: .still)
    phone.wait(50)
    #expect(phone.planner.keepsRunning)
    phone.wait(11)
    #expect(!phone.planner.keepsRunning)
  }

  /// A bound, the events 14 s after an arrival, and whether the app is suspended 2 s later.
  static let stays: [(name: String, bound: Double, follows: @Sendable (inout LookPlanner) -> Void, isAsleep: Bool)] = [
    ("nothing", 500, { _ in }, true), ("motion on foot", 500, { $0.motionDidChange(to: .walking) }, true),
    ("a vehicle", 500, { $0.motionDidChange(to: .vehicle) }, false),
    ("a vehicle that stands", 500, { $0.motionDidChange(to: .standing) }, false),
    (
      "a vehicle, then a walk", 500,
      {
        $0.motionDidChange(to: .vehicle)
        $0.motionDidChange(to: .walking)
      }, false
    ),
    ("a bound that becomes narrow", 500, { $0.settings.bound = 150 }, false),
    (
      "a region that can't be watched for a while", 500,
      {
        $0.settings.use(kept.kinds.subtracting([.regionExit]), .whileMoving)
        $0.settings.use(kept.kinds, .whileMoving)
      }, false
    ),
    ("a departure", 500, { $0.visitEnded() }, false), ("the exit from the region", 500, { $0.leaveRegion() }, false),
    ("a narrow bound", 150, { _ in }, false),
  ]

  @Test(
    "the app is suspended 15 s after an arrival unless the phone leaves, rides, loses its region or has a narrow bound",
    arguments: stays.indices)
  func arrival(index: Int) {
    let (name, bound, follows, isAsleep) = Self.stays[index]
    let phone = Sleeper(bound, Self.kept)
    phone.planner.motionDidChange(to: .walking)
    phone.find(0, speed: 5)
    phone.planner.visitBegan()
    phone.wait(12)
    // The speed is too high for a suspension because of slow movement.
    phone.find(40, speed: 2)
    phone.wait(2)
    #expect(!phone.planner.isAsleep)
    follows(&phone.planner)
    phone.wait(2)
    #expect(phone.planner.isAsleep == isAsleep, "\(name)")
  }

  @Test("each arrival that is reported to a suspended app starts one look, also after a rest short of the destination")
  func arrivalWhileAsleep() {
    let phone = Self.phone(motion: .still)
    phone.wait(70)
    for place in [300.0, 600] {
      #expect(phone.planner.isAsleep && phone.due() == nil)
      phone.planner.visitBegan()
      #expect(phone.planner.keepsRunning && phone.due() == .rest)
      // Such a fix would require a look before the suspension, if the arrival hadn't started one.
      phone.find(place, speed: 0, accuracy: 65)
      #expect(phone.due() == nil)
      phone.planner.motionDidChange(to: .still)
      phone.wait(130)
      #expect(phone.planner.fix?.latitude == place / 111_195.08)
    }
    #expect(phone.planner.isAsleep && phone.due() == nil)
  }

  @Test(
    "after a fix with a vehicle's speed, the app runs until rest is shown again, whatever started the look",
    arguments: [nil, LocationManager.Motion.still],
    ["rest", "an arrival", "the exit from the region", "a significant change"])
  func motionAfterRest(motion: LocationManager.Motion?, cause: String) {
    let phone = Self.phone(motion: motion, accuracy: 65)
    if motion == nil { for _ in 0..<2 { phone.find(0, speed: 0, accuracy: 65) } }
    if cause == "rest" {
      for _ in 0..<5 where phone.due() != .rest {
        phone.wait(30)
        if motion == nil, phone.due() != .rest { Self.coarse(phone, 0, 65) }
      }
      #expect(phone.due() == .rest, "the last fix is inaccurate")
    } else {
      phone.wait(130)
      phone.find(0, speed: 0)
      phone.wait(130)
      switch cause {
      case "an arrival": phone.planner.visitBegan()
      case "the exit from the region": phone.planner.leaveRegion()
      default: phone.planner.appDidWake()
      }
      if let motion { phone.planner.motionDidChange(to: motion) }
    }
    phone.wait(5)
    phone.find(400, speed: 12)
    for second in 1...59 {
      phone.wait(1)
      #expect(phone.planner.keepsRunning, "\(second) s after the fix")
      #expect(phone.planner.nextDue(at: phone.uptime) != nil)
    }
  }

  @Test(
    "an arrival doesn't outweigh a fast fix or a fix elsewhere",
    arguments: [(50.0, 20.0, false), (300, 2, false), (300, 20, false), (50, 2, true)])
  func arrivalIsWrong(metres: Double, speed: Double, isAsleep: Bool) {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .walking)
    phone.find(0, speed: 5, accuracy: 65)
    phone.planner.visitBegan()
    phone.wait(16)
    #expect(phone.due() == .rest)
    phone.find(metres, speed: speed)
    phone.wait(40)
    #expect(phone.planner.isAsleep == isAsleep && phone.due() != .rest)
  }

  @Test("a slow device's app runs for ten seconds before it may be suspended")
  func watch() {
    let phone = Self.phone(2_000)
    phone.wait(9.9)
    #expect(!phone.planner.isAsleep)
    phone.wait(0.2)
    #expect(phone.planner.isAsleep)
  }

  @Test("an arrival doesn't count before the first fix or after a minute")
  func arrivalDoesNotCount() {
    let early = Sleeper(500, Self.kept)
    early.planner.motionDidChange(to: .walking)
    early.planner.visitBegan()
    early.wait(1_200)
    early.find(0, speed: 10)
    early.wait(10)
    #expect(!early.planner.isAsleep)

    let paused = Sleeper(500, Self.kept)
    paused.planner.motionDidChange(to: .walking)
    paused.find(0, speed: 5)
    paused.planner.visitBegan()
    paused.planner.count(to: .seconds(7_200), isLooking: true)
    paused.find(5_000, speed: 2)
    paused.planner.count(to: .seconds(7_210))
    #expect(!paused.planner.isAsleep)
  }

  @Test("the app isn't suspended during a look, nor before the look at rest that a back-off delays")
  func looksBeforeSleep() {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .walking)
    phone.find(0, speed: 5, accuracy: 65)
    phone.wait(100)
    phone.findNothing(took: 12)
    phone.planner.visitBegan()
    phone.planner.count(to: phone.uptime + .seconds(20), isLooking: true)
    #expect(!phone.planner.isAsleep && phone.planner.looks.hint == nil)
    phone.wait(21)
    #expect(!phone.planner.isAsleep && phone.planner.looks.hint == .rest)
    phone.find(10, speed: 0, accuracy: 20)
    phone.wait(1)
    #expect(phone.planner.isAsleep)
  }

  @Test("without a motion sensor, coarse fixes in one place start one look at rest, and the app is suspended")
  func indoorsWithoutSensor() {
    let phone = Sleeper(500, Self.suspended.union([.timer]))
    phone.find(0, accuracy: 65)
    var looks = 0
    for _ in 0..<120 {
      phone.wait(30)
      Self.coarse(phone, 10, 60)
      if phone.due() == .rest {
        looks += 1
        phone.planner.count(to: phone.uptime + .seconds(25), isLooking: true)
        phone.find(5, accuracy: 65)
        phone.wait(1)
      }
      if phone.planner.isAsleep { break }
    }
    #expect(looks == 1 && phone.planner.isAsleep, "\(looks) looks")
  }

  @Test(
    "after an arrival with an inaccurate last fix, one look precedes the suspension, however accurate its fix is",
    arguments: [20.0, 65])
  func arrivalWithACoarseFix(accuracy: Double) {
    let phone = Sleeper(500, Self.kept)
    phone.planner.motionDidChange(to: .walking)
    phone.find(0, speed: 5, accuracy: 65)
    phone.planner.visitBegan()
    phone.wait(16)
    #expect(phone.due() == .rest && !phone.planner.isAsleep)
    phone.find(10, speed: 0, accuracy: accuracy)
    phone.wait(1)
    #expect(phone.due() == nil && phone.planner.isAsleep)
  }
}

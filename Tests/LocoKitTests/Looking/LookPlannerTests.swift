import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("The look planner", .covers(LookMachine.self))
struct LookPlannerTests {
  static let sensors: Sources = [.significantChange, .cell, .motion, .timer]

  /// A planner with its time, in seconds.
  final class Sleeper {
    var planner: LookPlanner
    private(set) var uptime = Duration.zero
    var now: Double { uptime.inSeconds }

    init(_ bound: Double = 500, _ sources: Sources = LookPlannerTests.sensors) {
      planner = LookPlanner(
        settings: LookSettings(bound: bound, sources: sources.kinds, backgroundUpdates: sources.updates), at: .zero)
    }

    init(_ sleeper: Sleeper) { (planner, uptime) = (sleeper.planner, sleeper.uptime) }

    func wait(_ seconds: Double) { wait(until: uptime + .seconds(seconds)) }

    func wait(until uptime: Duration) {
      self.uptime = uptime
      planner.count(to: uptime)
    }

    /// Passes a fix `metres` north of the start to the planner.
    func find(
      _ metres: Double, speed: Double? = nil, accuracy: Double = 10, took: Double? = 3.5, age: Double = 0,
      isLook: Bool = true
    ) {
      planner.find(
        Location(
          latitude: metres / 111_195.08, longitude: 0, horizontalAccuracy: accuracy, speed: speed,
          course: speed.map { _ in 0 }, timestamp: Date(timeIntervalSinceReferenceDate: now - age)),
        after: took.map { .seconds($0) }, age: age, isLook: isLook)
    }

    /// Returns a coarse fix `metres` north of the start.
    func coarse(_ metres: Double = 0, accuracy: Double = 65) -> Location {
      Location(
        latitude: metres / 111_195.08, longitude: 0, horizontalAccuracy: accuracy,
        timestamp: Date(timeIntervalSinceReferenceDate: now), source: .coarse)
    }

    func findNothing(took: Double = 6) { planner.lookDidFail(after: .seconds(took)) }

    /// Whether a significant change starts a look.
    var looksAtSignificantChange: Bool { planner.looksAtSignificantChange }

    func due() -> LocationManager.Cause? { planner.due(at: uptime) }

    /// Returns the time until a look is due without other inputs; `nil` if it is longer than `limit`.
    func secondsToLook(_ limit: Double = 5_000) -> Double? {
      let began = now
      while now - began <= limit {
        if due() != nil { return now - began }
        wait(1)
      }
      return nil
    }
  }

  @Test("refuses a bound out of range with a message", arguments: [99.9, 0, -500, .nan, .infinity])
  func minimumBound(bound: Double) throws {
    let problem = try #require(LookPlanner.problem(withBound: bound))
    #expect(problem.contains("finite and 100 m or more, not \(bound)"))
    #expect(LookPlanner.problem(withBound: 100) == nil)
  }

  @Test("Motion counts only where timers count its time")
  func motionWithoutTimers() {
    #expect(LookSettings(bound: 500, sources: [.motion, .timer]).hearsMotion)
    #expect(!LookSettings(bound: 500, sources: [.motion, .regionExit]).hearsMotion)
  }

  @Test("decides without allocations: it is a trivial type")
  func isPlain() {
    #expect(_isPOD(LookPlanner.self))
  }

  @Test("without coarse fixes, a report of stillness holds until the next report, also after a fix elsewhere")
  func stillnessHolds() {
    let sleeper = Sleeper(500, [.motion, .timer])
    sleeper.find(0)
    sleeper.wait(30)
    sleeper.planner.motionDidChange(to: .still)
    sleeper.wait(30)
    sleeper.find(300)
    #expect(sleeper.secondsToLook(3_600) == nil)
    sleeper.planner.motionDidChange(to: .vehicle)
    #expect(sleeper.secondsToLook(300) != nil)
  }

  @Test(
    "plans looks whatever speed a fix has", arguments: [-1e12, -.greatestFiniteMagnitude, .greatestFiniteMagnitude])
  func absurdSpeed(speed: Double) throws {
    let sleeper = Sleeper()
    sleeper.find(0, speed: speed)
    #expect(sleeper.planner.nextDue(at: .zero) != nil)
    sleeper.find(10, speed: 1)
    #expect(sleeper.secondsToLook() != nil)
  }

  @Test("looks immediately without a location, and after a failed look only after a wait")
  func first() {
    let sleeper = Sleeper()
    #expect(sleeper.due() == .bound)
    #expect(sleeper.planner.nextDue(at: .zero) == .zero)
    sleeper.findNothing(took: 45)
    #expect(sleeper.planner.state == .blind)
    // The back-off is three times the look's duration. It's longer than the minute of motion before a retry.
    #expect(sleeper.secondsToLook() == 135)
    #expect(sleeper.due() == .retry)
  }

  @Test(
    "a look ends at an accuracy of a third of the bound, or at a time limit that depends on the receiver's state",
    arguments: [(100, 33.3, 100), (200, 66.7, 100), (500, 166.7, 166.7), (1_000, 333.3, 333.3), (3_000, 1_000, 1_000)])
  func limits(bound: Double, desired: Double, acceptable: Double) {
    let sleeper = Sleeper(bound)
    func policy() -> AcquisitionPolicy { sleeper.planner.policy(for: .loco, at: sleeper.uptime) }
    #expect(abs(policy().desiredAccuracy - desired) < 0.1 && abs(policy().acceptableAccuracy - acceptable) < 0.1)
    #expect(policy().problem == nil && policy().maximumAge == AcquisitionPolicy.loco.maximumAge)
    #expect(policy().timeLimit == .seconds(45))
    // A fix from the network, which has no speed, doesn't count as one from satellites.
    sleeper.find(0, accuracy: 65)
    #expect(policy().timeLimit == .seconds(25))
    sleeper.find(0, speed: 1)
    // 2.5 times the mean duration of a look, 3.5 s.
    #expect(policy().timeLimit == .seconds(8.75))
    sleeper.findNothing()
    #expect(policy().timeLimit == .seconds(12))
    for _ in 0..<20 { sleeper.find(0, speed: 1, took: 1) }
    #expect(policy().timeLimit == .seconds(8))
    sleeper.findNothing()
    #expect(policy().timeLimit == .seconds(12))
    sleeper.wait(7_201)
    #expect(policy().timeLimit == .seconds(25))
    #expect(
      sleeper.planner.policy(for: .standaloneReceiver, at: sleeper.uptime).timeLimit == .seconds(90))
  }

  @Test(
    "looks when the device may have moved 85 % of the bound: at first with the fix's speed, later with the trip's pace",
    arguments: [
      // At 10 m/s: 425 m, less the 35 m that the device moves during the look.
      (LocationManager.Motion.walking, 10.0, 39.0...40.0),
      // Stationary at the start of a trip: the pace is 5 m/s.
      (.walking, 0, 110...111),
      // The same in a vehicle: 8 m/s.
      (.vehicle, 0, 77...78),
      (.vehicle, 30, 10...11),
    ])
  func way(motion: LocationManager.Motion, speed: Double, seconds: ClosedRange<Double>) throws {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: motion)
    sleeper.find(0, speed: speed)
    let next = try #require(sleeper.planner.nextDue(at: .zero)).inSeconds
    #expect(seconds.contains(next), "\(next)")
    let found = try #require(sleeper.secondsToLook())
    #expect(abs(found - next) <= 1)
    #expect(sleeper.due() == .bound)
  }

  @Test("starts with short waits each time that the device comes to rest, and doubles them at rest")
  func waitsAtRest() throws {
    let sleeper = Sleeper(500, [.significantChange, .timer])
    func rest(from metres: Double) throws -> [Double] {
      while sleeper.planner.state != .resting { sleeper.find(metres, speed: 0) }
      return try (0..<3).map { _ in
        #expect(sleeper.planner.state == .resting)
        let wait = try #require(sleeper.secondsToLook())
        sleeper.find(metres, speed: 0)
        return wait
      }
    }
    #expect(try rest(from: 0) == [120, 240, 480])
    // A fix of a moving device, then rest again.
    sleeper.find(3_000, speed: 10)
    #expect(sleeper.planner.state == .moving)
    #expect(try rest(from: 3_000) == [120, 240, 480])
    // The same with a failed look in between.
    sleeper.find(6_000, speed: 10)
    sleeper.find(6_000, speed: 0)
    sleeper.findNothing()
    #expect(sleeper.planner.state == .blind)
    sleeper.find(6_000, speed: 0)
    #expect(sleeper.planner.state == .resting)
    #expect(try #require(sleeper.secondsToLook()) == 120)
  }

  @Test("a failed look at rest keeps the state, and doubles the wait")
  func nothingAtRest() throws {
    let sleeper = Sleeper(500, [.significantChange, .timer])
    for _ in 0..<3 { sleeper.find(0, speed: 0) }
    #expect(try #require(sleeper.secondsToLook()) == 120)
    sleeper.findNothing()
    #expect(sleeper.planner.state == .resting)
    #expect(try #require(sleeper.secondsToLook()) == 240)
  }

  @Test("a fix after failed looks continues the trip, with the pace since the last fix")
  func afterBlindness() {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: .vehicle)
    sleeper.find(0, speed: 10)
    sleeper.wait(100)
    sleeper.findNothing()
    sleeper.wait(100)
    #expect(sleeper.planner.state == .blind)
    sleeper.find(4_000, speed: 10)
    #expect(sleeper.planner.state == .moving)
    // The device moved at 20 m/s since the last fix, and nothing was learned before.
    #expect(sleeper.planner.trip.value > 18 && sleeper.planner.trip.value < 20.1, "\(sleeper.planner.trip.value)")
  }

  @Test("gives a slow receiver more time than its looks take")
  func slowReceiver() {
    let sleeper = Sleeper()
    for _ in 0..<20 { sleeper.find(0, speed: 1, took: 7) }
    #expect(abs(sleeper.planner.policy(for: .loco, at: .zero).timeLimit.inSeconds - 17.5) < 0.3)
    sleeper.findNothing()
    #expect(abs(sleeper.planner.policy(for: .loco, at: .zero).timeLimit.inSeconds - 17.5) < 0.3)
  }

  @Test("trusts a pace for five minutes at first, and then for twice the motion that it was learned from")
  func horizon() {
    let sleeper = Sleeper(100_000)
    sleeper.planner.motionDidChange(to: .vehicle)
    sleeper.find(0, speed: 0)
    #expect(sleeper.secondsToLook() == 300 && sleeper.due() == .bound)
    sleeper.find(7_000, speed: 25)
    #expect(sleeper.secondsToLook() == 600)
    sleeper.find(21_000, speed: 25)
    #expect(sleeper.secondsToLook() == 1_800)
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.find(70_000, speed: 1)
    #expect(sleeper.secondsToLook(3_000) == nil, "on foot a pace holds")
  }

  @Test("learns a trip's pace from the distances between fixes, and discards it at rest")
  func pace() {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.find(0, speed: 0)
    #expect(sleeper.planner.trip.value == 5)
    for number in 1...20 {
      sleeper.wait(50)
      sleeper.find(Double(number) * 1_000, speed: 20)
    }
    // Each distance counts as 1,000 m less half of the sum of both accuracies: 990 m in 50 s.
    #expect(abs(sleeper.planner.trip.value - 19.8) < 0.1)
    sleeper.wait(400)
    sleeper.find(20_000, speed: 0)
    #expect(sleeper.planner.state == .moving)
    sleeper.wait(400)
    sleeper.find(20_000, speed: 0)
    #expect(sleeper.planner.state == .resting)
    sleeper.wait(50)
    sleeper.find(21_000, speed: 9)
    #expect(sleeper.planner.state == .moving && sleeper.planner.trip.value == 9)
  }

  @Test("the pace is never below that of a walk, however often the device was in one place")
  func minimumPace() {
    let sleeper = Sleeper()
    sleeper.find(0, speed: 0)
    for _ in 0..<20 {
      sleeper.wait(300)
      sleeper.find(0, speed: 1)
    }
    #expect(sleeper.planner.trip.value == 1.2)
  }

  @Test("rests after three minutes of stillness, and looks after a minute of motion, which stillness partly offsets")
  func rest() {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.find(0, speed: 10)
    sleeper.wait(10)
    sleeper.planner.motionDidChange(to: .still)
    sleeper.wait(179)
    #expect(sleeper.planner.state == .moving)
    #expect(sleeper.due() == nil && sleeper.planner.nextDue(at: sleeper.uptime) == nil)
    sleeper.wait(1)
    #expect(sleeper.planner.state == .resting)
    #expect(sleeper.secondsToLook() == nil, "at rest nothing is due")
    for _ in 0..<10 {
      // 15 s of false motion and a minute of stillness cancel out.
      sleeper.planner.motionDidChange(to: .walking)
      sleeper.wait(15)
      sleeper.planner.motionDidChange(to: .still)
      sleeper.wait(60)
      #expect(sleeper.due() == nil)
    }
    sleeper.planner.motionDidChange(to: .walking)
    #expect(sleeper.secondsToLook() == 60)
    #expect(sleeper.due() == .motion)
    // A minute of stillness undoes 15 s of motion only.
    let other = Sleeper()
    other.planner.motionDidChange(to: .still)
    other.find(0, speed: 1)
    other.wait(180)
    other.planner.motionDidChange(to: .walking)
    other.wait(45)
    other.planner.motionDidChange(to: .still)
    other.wait(60)
    other.planner.motionDidChange(to: .walking)
    #expect(other.secondsToLook() == 30)
  }

  @Test("rests at the third fix in one place; without a sensor, looks at rest become rarer")
  func restWithoutSensor() {
    let sleeper = Sleeper(500, [.timer])
    sleeper.find(0, speed: 0)
    var waits: [Double] = []
    for _ in 0..<7 {
      waits.append(sleeper.secondsToLook() ?? 0)
      sleeper.find(0, speed: 0)
    }
    #expect(waits[0] < 120 && sleeper.planner.state == .resting)
    #expect(waits[2...] == [120, 240, 480, 900, 900])
  }

  @Test("new wake sources keep the app's settings, and a phone's policy means assistance data")
  func settings() {
    var settings = LocationCore.Settings(policy: .loco)
    settings.errorBound = 500
    settings.boundTarget = .estimate
    let device = LocationCore.Device(
      authorization: .always, wakeSources: [.timer, .motion], backgroundUpdates: .briefly)
    guard var look = settings.look(for: Demands(), on: device) else {
      Issue.record("a bound has a planner")
      return
    }
    #expect(look.isAssisted && look.target == .estimate)
    look.mustKeepRunning = true
    let before = look
    look.use([.regionExit], .never)
    #expect(look != before)
    look.use([.timer, .motion], .briefly)
    #expect(look == before)
    settings.policy = .standaloneReceiver
    #expect(settings.look(for: Demands(), on: device)?.isAssisted == false)
  }

  @Test(
    "waits for one minute of motion after a failed look, then two, then four, and with cells for up to an hour; a phone retries sooner",
    arguments: [
      ([.motion, .timer], false, [60, 120, 240, 240]),
      (sensors, false, [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]), (sensors, true, [60, 120, 240, 480]),
      // A receiver with assistance data retries when a device at 10 m/s has moved by a quarter of the bound.
      ([.motion, .timer], true, [13, 63, 240, 240]),
    ] as [(Sources, Bool, [Double])])
  func blind(sources: Sources, isAssisted: Bool, waits: [Double]) {
    let sleeper = Sleeper(500, sources)
    sleeper.planner.settings.isAssisted = isAssisted
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.find(0, speed: 10)
    for wait in waits {
      sleeper.findNothing()
      #expect(sleeper.secondsToLook() == wait)
      #expect(sleeper.due() == .retry)
    }
    sleeper.findNothing()
    sleeper.planner.motionDidChange(to: .still)
    #expect(sleeper.secondsToLook(170) == nil, "stillness is no motion")
    sleeper.wait(20)
    #expect(sleeper.planner.state == .resting)
  }

  @Test("after failed looks at rest or in motion, a new cell starts a look within five minutes")
  func cellAfterFailures() {
    for isAtRest in [true, false] {
      let sleeper = Sleeper(500, [.cell, .timer])
      for _ in 0..<(isAtRest ? 4 : 1) { sleeper.find(0, speed: 0) }
      #expect((sleeper.planner.state == .resting) == isAtRest)
      for _ in 0..<8 {
        sleeper.findNothing()
        _ = sleeper.secondsToLook()
      }
      sleeper.findNothing()
      sleeper.wait(271)
      sleeper.planner.enter("new", because: .cell)
      #expect(sleeper.due() == .cell)
    }
  }

  @Test(
    "looks in a new cell at half of the bound and after twenty seconds of motion, but not in a known cell"
  )
  func cells() {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.planner.enter("a", because: .cell)
    sleeper.find(0, speed: 1)
    sleeper.wait(55)
    sleeper.planner.enter("b", because: .cell)
    #expect(sleeper.due() == nil, "not far enough")
    sleeper.planner.enter("a", because: .cell)
    sleeper.planner.enter("b", because: .cell)
    #expect(sleeper.due() == nil, "the cell is known")
    sleeper.planner.motionDidChange(to: .vehicle)
    sleeper.planner.enter("c", because: .cell)
    #expect(sleeper.due() == .cell)
    sleeper.find(250, speed: 30)
    sleeper.wait(10)
    sleeper.planner.enter("d", because: .cell)
    #expect(sleeper.due() == nil, "far enough, but too early")
    // After a failed look, twenty seconds of motion are enough. At rest, recent motion is enough.
    sleeper.findNothing()
    sleeper.wait(20)
    // The last fix was elsewhere, so the cells before it are new again.
    sleeper.planner.enter("b", because: .cell)
    #expect(sleeper.due() == .cell)
    sleeper.findNothing()
    sleeper.planner.motionDidChange(to: .still)
    sleeper.wait(180)
    sleeper.planner.enter("f", because: .cell)
    #expect(sleeper.planner.state == .resting && sleeper.due() == nil)
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.wait(1)
    sleeper.planner.enter("g", because: .cell)
    #expect(sleeper.due() == .cell)
  }

  @Test("only a cell that differs from the current one and from the newest eight since the last fix is new")
  func knownCells() {
    var random = SeededGenerator(seed: 1)
    var cells = KnownCells()
    var (current, newest): (String?, [String]) = (nil, [])
    for step in 0..<2_000 {
      if Int.random(in: 0..<10, using: &random) == 0 {
        cells.restart()
        newest = current.map { [$0] } ?? []
      } else {
        let name = "\(Int.random(in: 0..<12, using: &random))"
        let isNew = name != current && !newest.suffix(8).contains(name)
        #expect(cells.enter(name) == isNew, "step \(step)")
        if isNew { newest.append(name) }
        current = name
      }
    }
  }

  @Test(
    "looks at the exit from the region, in a back-off when it ends, and at a significant change if timers don't run")
  func regions() throws {
    let sleeper = Sleeper(500, [.significantChange, .regionExit])
    #expect(sleeper.planner.region == nil)
    sleeper.find(0, speed: 1, accuracy: 20)
    // An exit is reported about 110 s late. At the trip's pace of 5 m/s, this leaves the least radius.
    #expect(sleeper.planner.region?.radius == 100)
    #expect(sleeper.planner.nextDue(at: .zero) == nil, "no timer runs")
    sleeper.planner.leaveRegion()
    #expect(sleeper.planner.region == nil && sleeper.due() == .regionExit)
    sleeper.find(1_000, speed: 0)
    sleeper.wait(1)
    #expect(sleeper.looksAtSignificantChange)
    sleeper.find(1_000, speed: 0)
    sleeper.find(1_000, speed: 0)
    #expect(sleeper.planner.state == .resting && sleeper.planner.region?.radius == 100)
    sleeper.findNothing()
    sleeper.planner.leaveRegion()
    #expect(sleeper.due() == nil && !sleeper.looksAtSignificantChange, "in the back-off")
    sleeper.wait(60)
    #expect(sleeper.due() == .regionExit)
  }

  @Test(
    "a new cell in the back-off after a failed look at rest causes a look when it ends, unless another cause is due")
  func cellInBackOff() {
    for isDue in [false, true] {
      let sleeper = Sleeper(500, [.cell, .timer, .regionExit])
      for _ in 0..<3 { sleeper.find(0, speed: 0) }
      sleeper.findNothing(took: 20)
      sleeper.wait(10)
      #expect(sleeper.planner.state == .resting)
      if isDue { sleeper.planner.leaveRegion() }
      sleeper.planner.enter("new", because: .cell)
      #expect(sleeper.due() == nil)
      sleeper.wait(50)
      #expect(sleeper.due() == (isDue ? .regionExit : .cell))
      sleeper.findNothing(took: 20)
      sleeper.wait(61)
      #expect(sleeper.due() == nil, "one cell causes one look")
    }
  }

  @Test(
    "the region's radius follows from the bound and the pace, and is at least 100 m",
    arguments: [100.0, 500, 1_000, 5_000])
  func radius(bound: Double) throws {
    let sleeper = Sleeper(bound, [.regionExit])
    for speed in [0.0, 1.4, 10, 30] {
      sleeper.find(sleeper.now * 7, speed: speed)
      sleeper.wait(60)
      let radius = try #require(sleeper.planner.region).radius
      #expect(radius >= 100 && radius <= max(100, 0.85 * bound - 100))
    }
  }

  @Test("while the GPS stays on, the region moves once a minute; the last fix is in its middle")
  func regionWhileOn() throws {
    let sleeper = LookPlannerKeeperTests.phone(100, motion: .vehicle)
    var centers: [Double] = []
    func note() throws {
      let center = try #require(sleeper.planner.region).latitude
      if center != centers.last { centers.append(center) }
    }
    for second in 0...300 {
      sleeper.wait(1)
      sleeper.find(Double(second) * 20, speed: 20, took: second == 0 ? 3.5 : nil)
      #expect(sleeper.planner.staysOn)
      try note()
    }
    #expect(centers.count == 6)
    // In a traffic jam, the GPS turns off.
    sleeper.find(6_030, speed: 0.5, took: nil)
    #expect(!sleeper.planner.staysOn)
    try note()
    #expect(try #require(centers.last) == 6_030 / 111_195.08)
  }

  @Test("during movement timers start looks, a significant change doesn't, and a region exit does at half the bound")
  func timersFirst() {
    let sleeper = Sleeper(500, .awake)
    sleeper.planner.motionDidChange(to: .walking)
    sleeper.find(0, speed: 5)
    sleeper.wait(5)
    #expect(!sleeper.looksAtSignificantChange)
    sleeper.planner.leaveRegion()
    #expect(sleeper.due() == nil)
    sleeper.wait(45)
    sleeper.planner.leaveRegion()
    #expect(sleeper.due() == .regionExit)
  }

  @Test("the receiver stays on only if the next look would be due within 6 s")
  func staysOn() {
    // A look takes 3.5 s. One is due at an error of 85 m, which a device with 8.95 m/s reaches in these 9.5 s.
    for (bound, speed, staysOn) in [
      (100.0, 30.0, true), (500, 30, false), (100, 1.4, false), (100, 9, true), (100, 8.9, false),
    ] {
      let sleeper = Sleeper(bound)
      sleeper.planner.motionDidChange(to: .walking)
      sleeper.find(0, speed: speed)
      #expect(sleeper.planner.staysOn == staysOn)
    }
  }

  @Test("learns the mean duration of looks, and ignores looks of 15 s or more if the receiver has assistance data")
  func lead() {
    let sleeper = Sleeper()
    sleeper.planner.settings.isAssisted = true
    for took in [nil, 0, 15, 200] as [Double?] { sleeper.find(0, took: took) }
    #expect(sleeper.planner.looks.lead == 3.5)
    sleeper.find(0, took: 8.5)
    #expect(sleeper.planner.looks.lead == 4.5)
  }

  @Test("A receiver that needs half a minute for each fix begins its looks as much earlier")
  func earlierLooks() {
    let sleeper = Sleeper(500)
    for took in [nil, 0, -1] as [Double?] { sleeper.find(0, took: took) }
    #expect(sleeper.planner.looks.lead == 3.5)
    for _ in 0..<30 { sleeper.find(0, took: 29, isLook: false) }
    #expect(sleeper.planner.looks.lead == 3.5, "a wait of the app for a better fix")
    for _ in 0..<30 { sleeper.find(0, took: 29) }
    #expect((28...29).contains(sleeper.planner.looks.lead))
    for _ in 0..<30 { sleeper.find(0, took: 90) }
    #expect((29...30).contains(sleeper.planner.looks.lead))
    sleeper.planner.motionDidChange(to: .vehicle)
    sleeper.find(0, speed: 10)
    #expect(sleeper.planner.reach(sleeper.planner.motionUntilDue + 29) < 500)
  }

  @Test("A fix that was old when it was found counts from its date, as far as the device has moved")
  func oldFix() {
    for motion in [LocationManager.Motion.vehicle, .still] {
      let sleeper = Sleeper(500)
      sleeper.planner.motionDidChange(to: motion)
      sleeper.find(0)
      sleeper.wait(14)
      sleeper.find(200, age: 10)
      #expect(sleeper.planner.counter.moved == (motion == .vehicle ? 10 : 0))
      sleeper.find(200, age: 100)
      #expect(sleeper.planner.counter.moved == (motion == .vehicle ? 10 : 0), "no more than it has moved")
      sleeper.find(200, age: -100)
      #expect(sleeper.planner.counter.moved == 0, "nor does a clock that was set back change the past")
    }
  }

  @Test("a look is due exactly at the predicted time, whatever happened before", arguments: 0..<200 as Range<UInt64>)
  func nextDue(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sleeper = Sleeper(Double.random(in: 100...3_000, using: &random), .awake)
    var way = 0.0
    for _ in 0..<60 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        sleeper.planner.motionDidChange(to: LocationManager.Motion.allCases.randomElement(using: &random) ?? .still)
      case 1: sleeper.planner.enter("\(Int.random(in: 0..<20, using: &random))", because: .cell)
      case 2: sleeper.findNothing(took: Double.random(in: 1...90, using: &random))
      case 3:
        way += Double.random(in: 0...2_000, using: &random)
        sleeper.find(way, speed: Double.random(in: 0...50, using: &random))
      default: sleeper.wait(Double.random(in: 0...100, using: &random))
      }
    }
    let later = Sleeper(sleeper)
    if let next = sleeper.planner.nextDue(at: sleeper.uptime) {
      if next > sleeper.uptime {
        later.wait(until: max(sleeper.uptime, next - .milliseconds(10)))
        if next > sleeper.uptime + .milliseconds(10) { #expect(later.due() == nil, "not before") }
        later.wait(until: next)
      }
      #expect(later.due() != nil, "at the predicted time")
    } else {
      later.wait(3_000)
      #expect(later.due() == nil, "without other inputs, no look was predicted")
    }
  }

  @Test("without reception the receiver is on for at most a quarter of the time, whatever wakes the app")
  func failingSky() {
    for (limits, first) in [(AcquisitionPolicy.LookLimits.phone, false), (.phone, true), (.standaloneReceiver, true)] {
      var policy = AcquisitionPolicy.loco
      policy.lookLimits = limits
      for sources in [Sources.awake, [.regionExit, .significantChange], [.timer]] {
        let sleeper = Sleeper(500, sources)
        sleeper.planner.motionDidChange(to: .vehicle)
        if !first { sleeper.find(0, speed: 30) }
        var on = 0.0
        var cell = 0
        while sleeper.now < 7_200 {
          cell += 1
          sleeper.planner.enter("\(cell)", because: .cell)
          sleeper.planner.leaveRegion()
          if sleeper.looksAtSignificantChange || sleeper.due() != nil {
            let limit = sleeper.planner.policy(for: policy, at: sleeper.uptime).timeLimit.inSeconds
            on += limit
            sleeper.wait(limit)
            sleeper.findNothing(took: limit)
          }
          sleeper.wait(1)
        }
        #expect(on / sleeper.now <= 0.26, "\(on) s of \(sleeper.now) s")
        #expect(on > 100, "it does try")
      }
    }
  }

  @Test("the estimate continues straight on from the fix, gets less accurate, and stops when the device rests")
  func estimate() throws {
    let sleeper = Sleeper()
    sleeper.planner.motionDidChange(to: .vehicle)
    #expect(sleeper.planner.estimate(at: Date()) == nil)
    sleeper.find(0, speed: 20, accuracy: 10)
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let now = try #require(sleeper.planner.estimate(at: date))
    #expect(now.latitude == 0 && now.horizontalAccuracy >= 10 && now.timestamp == date && now.isEstimated)
    sleeper.wait(10)
    let soon = try #require(sleeper.planner.estimate(at: date))
    // 60 (1 − exp(−10/60)) seconds at 20 m/s.
    #expect(abs(soon.latitude * 111_195 - 184.2) < 0.5 && abs(soon.longitude) < 1e-9)
    #expect(soon.horizontalAccuracy > now.horizontalAccuracy)
    sleeper.planner.motionDidChange(to: .still)
    sleeper.wait(10_000)
    let rest = try #require(sleeper.planner.estimate(at: date))
    #expect(sleeper.planner.state == .resting && rest.latitude == soon.latitude)
    #expect(soon.speed == 20 && rest.speed == nil && rest.course == nil)
    // At a speed below 1.5 m/s, the course isn't used, and the estimate stays at the fix.
    sleeper.find(0, speed: 1)
    sleeper.wait(50)
    #expect(sleeper.planner.estimate(at: date)?.latitude == 0)
  }

  @Test("the estimate follows the course of the fix", arguments: [0, 45, 90, 180, 270, 359] as [Double])
  func course(_ course: Double) throws {
    var planner = LookPlanner(settings: LookSettings(bound: 500, sources: Sources.awake.kinds), at: .zero)
    planner.find(
      Location(latitude: 60, longitude: 10, horizontalAccuracy: 5, speed: 20, course: course, timestamp: Date()),
      after: nil, age: 0, isLook: true)
    planner.motionDidChange(to: .vehicle)
    planner.count(to: .seconds(10))
    let estimate = try #require(planner.estimate(at: Date()))
    // At 60° north, a degree of longitude has half the length.
    let (north, east) = ((estimate.latitude - 60) * 111_195, (estimate.longitude - 10) * 111_195 / 2)
    let angle = course * .pi / 180
    #expect(abs(north - 184.2 * cos(angle)) < 0.5 && abs(east - 184.2 * sin(angle)) < 0.5)
  }

  @Test(
    "estimates across the antimeridian and near a pole are valid coordinates",
    arguments: [(0.0, 179.9999), (89.9999, 0), (-90, 180)])
  func edges(latitude: Double, longitude: Double) throws {
    var planner = LookPlanner(settings: LookSettings(bound: 500, sources: Sources.awake.kinds), at: .zero)
    planner.find(
      Location(
        latitude: latitude, longitude: longitude, horizontalAccuracy: 5, speed: 300, course: 45, timestamp: Date()),
      after: nil, age: 0, isLook: true)
    planner.count(to: .seconds(60))
    let estimate = try #require(planner.estimate(at: Date()))
    #expect((-90...90).contains(estimate.latitude) && (-180...180).contains(estimate.longitude))
  }
}

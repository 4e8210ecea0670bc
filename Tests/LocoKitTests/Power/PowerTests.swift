import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("Power policy")
struct PowerPolicyTests {
  typealias Conditions = PowerController.Policy.Conditions
  static let powers: [PowerController.Policy.Power] = [
    .external, .battery(level: nil), .battery(level: 1), .battery(level: 0.2), .battery(level: 0.19),
    .battery(level: 0),
  ]

  @Test(
    "The default is TTLocationHandler's: continuous in the foreground and on external power, otherwise sleep",
    arguments: powers)
  func standard(_ power: PowerController.Policy.Power) {
    for isLow in [true, false] {
      let seen = Conditions(isInForeground: true, power: power, isLowPowerMode: isLow)
      #expect(PowerController.Policy().decision(in: seen, pace: .ordinary) == .continuous(distanceFilter: 50))
      let unseen = Conditions(isInForeground: false, power: power, isLowPowerMode: isLow)
      #expect(
        PowerController.Policy().decision(in: unseen, pace: .ordinary)
          == (power == .external ? .continuous(distanceFilter: 50) : .significantChanges))
    }
  }

  @Test("The decision for each combination of conditions and settings is that of the table", arguments: 0..<64)
  func table(_ number: Int) {
    let bits = (0..<6).map { number >> $0 & 1 == 1 }
    for power in Self.powers {
      for pace in Pace.allCases {
        var policy = PowerController.Policy()
        policy.isContinuousInForeground = bits[0]
        policy.isContinuousOnExternalPower = bits[1]
        policy.isContinuousOnBattery = bits[2]
        policy.lowestBattery = bits[5] ? 0.2 : 0
        let conditions = Conditions(isInForeground: bits[3], power: power, isLowPowerMode: bits[4])
        let expected: Bool
        switch (bits[3], power) {
        case (true, _): expected = bits[0]
        case (false, .external): expected = bits[1]
        case (false, .battery(let level)): expected = bits[2] && !bits[4] && (level ?? 1) >= policy.lowestBattery
        }
        let filter: Double = [.walking: 10, .ordinary: 50, .highway: 400][pace] ?? 0
        #expect(
          policy.decision(in: conditions, pace: pace)
            == (expected ? .continuous(distanceFilter: filter) : .significantChanges))
      }
    }
  }

  @Test("TTLocationHandler: the setting for battery power doesn't depend on that for external power")
  func battery() {
    var policy = PowerController.Policy()
    policy.isContinuousOnBattery = true
    policy.isContinuousOnExternalPower = false
    let conditions = Conditions(isInForeground: false, power: .battery(level: 0.9))
    #expect(policy.decision(in: conditions, pace: .ordinary) == .continuous(distanceFilter: 50))
  }

  @Test(
    "Each event changes each pace as expected", arguments: Pace.allCases, PaceMachine.Event.allCases)
  func pace(_ state: Pace, _ event: PaceMachine.Event) {
    let expected: [String: Pace] = [
      "ordinary walkModeOn": .walking, "ordinary fast": .highway, "walking walkModeOff": .ordinary,
      "highway walkModeOn": .walking, "highway slow": .ordinary,
    ]
    switch PaceMachine.reaction(in: state, to: event) {
    case .go(let next, let effects):
      #expect(effects.isEmpty && expected["\(state.rawValue) \(event.rawValue)"] == next)
    case .ignore(let reason):
      #expect(expected["\(state.rawValue) \(event.rawValue)"] == nil && reason.hasSuffix("."))
    case .stay, .never: Issue.record("no internal transitions, and no excluded events")
    }
  }
}

@Suite("Power controller")
struct PowerControllerTests {
  let fixture = Fixture(in: .waitingSignificantChange)
  let source = PowerController.Source(.init(isInForeground: false, power: .battery(level: 0.8)))
  let controller: PowerController

  init() { controller = PowerController(fixture.manager, source: source) }

  private func fix(_ accuracy: Double, speed: Double, north: Double) {
    fixture.provider.pass(1)
    var location = fixture.provider.location(accuracy, latitude: 34 + north / 111_195)
    location.speed = speed
    fixture.provider.report(.fixes([location]))
  }

  @Test("The manager sleeps on battery power, and tracks on external power and in the foreground")
  func follows() {
    #expect(fixture.provider.mode == .significantChanges)
    source.conditions.power = .external
    #expect(fixture.provider.mode == .gps)
    #expect(fixture.provider.receiver == ReceiverSettings(desiredAccuracy: 10, distanceFilter: 0))
    source.conditions.isInForeground = true
    source.conditions.power = .battery(level: 0.5)
    #expect(fixture.provider.mode == .gps)
    source.conditions.isInForeground = false
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("The receiver isn't reconfigured when the demand changes")
  func changes() {
    source.conditions.power = .external
    let receivers = fixture.provider.receivers
    let transitions = fixture.recorder.transitions
    controller.isWalking = true
    controller.acceptance.holdTime = .seconds(7)
    controller.policy.distanceFilter = 70
    #expect(fixture.provider.receivers == receivers && receivers.last?.desiredAccuracy == 10)
    #expect(fixture.recorder.transitions == transitions)
  }

  @Test("TTLocationHandler: its rules accept a fix immediately, or the best one after a wait")
  func accepted() {
    source.conditions.power = .external
    controller.acceptance.holdTime = .zero
    let before = fixture.recorder.locations.count
    fix(8, speed: 1, north: 100)
    fix(8, speed: 1, north: 110)
    #expect(fixture.recorder.locations.count == before + 1, "the second may be the same place")
    for accuracy in [40.0, 20, 60] { fix(accuracy, speed: 1, north: 400) }
    #expect(fixture.recorder.locations.count == before + 1)
    fixture.provider.pass(8)
    #expect(fixture.recorder.locations.last?.horizontalAccuracy == 20)
  }

  @Test(
    "TTLocationHandler: no location follows an accurate one for a minute, and a change of the rules takes effect immediately"
  )
  func recent() {
    source.conditions.power = .external
    let before = fixture.recorder.locations.count
    for second in 0..<121 { fix(8, speed: 10, north: 100 + Double(second) * 10) }
    #expect(fixture.recorder.locations.count == before + 3)
    controller.acceptance.holdTime = .zero
    #expect(fixture.provider.mode == .gps)
    fixture.provider.pass(10)
    fix(8, speed: 10, north: 5_000)
    fix(8, speed: 10, north: 5_100)
    #expect(fixture.recorder.locations.count == before + 5)
  }

  @Test("A pending fix isn't delivered after a pause or a day of sleep")
  func waits() {
    for isPause in [true, false] {
      source.conditions.power = .external
      let before = fixture.recorder.locations.count
      fix(30, speed: 1, north: isPause ? 5_000 : 9_000)
      if isPause { fixture.manager.pause() }
      fixture.provider.pass(86_400)
      if isPause { fixture.manager.resume() }
      #expect(fixture.recorder.locations.count == before)
      fix(5, speed: 1, north: isPause ? 6_000 : 10_000)
      #expect(fixture.recorder.locations.count == before + 1)
      source.conditions.power = .battery(level: 1)
      fixture.provider.pass(60)
    }
  }

  @Test("A second controller is notified by the same source")
  func replaced() {
    var controller = PowerController(fixture.manager, source: source)
    controller = PowerController(fixture.manager, source: source)
    source.conditions.power = .external
    #expect(controller.decision == .continuous(distanceFilter: 50))
  }

  @Test("A listener that changes the conditions during the start of the receiver turns it off")
  func reentrant() {
    fixture.recorder.onCall = { [source] _, call in
      if call.hasPrefix("waitingSignificantChange>") { source.conditions.power = .battery(level: 1) }
    }
    source.conditions.power = .external
    #expect(controller.decision == .significantChanges)
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("A fix that is less accurate than the last one changes the pace too")
  func lessAccurate() {
    source.conditions.power = .external
    fix(30, speed: 1, north: 0)
    fix(40, speed: 25, north: 20)
    #expect(fixture.recorder.rejections == [.worseThanCandidate] && controller.pace == .highway)
  }

  @Test("After a minute without a speed the pace is ordinary, with the app's distance filter")
  func unknownSpeed() {
    source.conditions.power = .external
    fix(10, speed: 30, north: 0)
    for _ in 0..<59 {
      fixture.provider.pass(1)
      fixture.provider.fix(10)
    }
    #expect(controller.pace == .highway)
    fixture.provider.pass(1)
    fixture.provider.fix(10)
    #expect(controller.pace == .ordinary && controller.decision == .continuous(distanceFilter: 50))
    controller.policy.distanceFilter = 20
    #expect(controller.decision == .continuous(distanceFilter: 20))
    controller.isWalking = true
    #expect(controller.decision == .continuous(distanceFilter: 10))
  }

  @Test("TTLocationHandler: on a motorway locations are 400 m apart, and near the limit the pace doesn't alternate")
  func hysteresis() {
    source.conditions.power = .external
    fix(10, speed: 21, north: 0)
    #expect(controller.pace == .highway)
    #expect(controller.decision == .continuous(distanceFilter: 400))
    let before = fixture.manager.recentTransitions.count
    for (index, speed) in [19.0, 21, 16, 20, 15].enumerated() {
      fix(10, speed: speed, north: Double(index + 1) * 20)
      #expect(controller.pace == .highway)
    }
    fix(10, speed: 14.9, north: 200)
    #expect(controller.pace == .ordinary)
    #expect(fixture.manager.recentTransitions.count == before, "the GPS stays on")
  }

  @Test("TTLocationHandler: the walk mode continues on a motorway, and an ordinary pace follows it")
  func walking() {
    source.conditions.power = .external
    fix(10, speed: 30, north: 0)
    controller.isWalking = true
    #expect(controller.decision == .continuous(distanceFilter: 10))
    fix(10, speed: 30, north: 100)
    #expect(controller.pace == .walking)
    controller.isWalking = false
    #expect(controller.pace == .ordinary && controller.decision == .continuous(distanceFilter: 50))
  }

  @Test("The GPS is off during a pause, and the decision applies after it")
  func paused() {
    source.conditions.power = .external
    fixture.manager.pause()
    #expect(fixture.provider.mode == .off)
    source.conditions.isInForeground = true
    #expect(fixture.provider.mode == .off)
    fixture.manager.resume()
    fix(50, speed: 1, north: 0)
    fix(8, speed: 1, north: 60)
    #expect(fixture.provider.mode == .gps)
  }

  @Test("A source that reads its conditions is read once a minute")
  func read() {
    var conditions = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 1))
    let other = Fixture(in: .waitingSignificantChange)
    let controller = PowerController(other.manager, source: PowerController.Source(reading: { conditions }))
    conditions.power = .external
    other.provider.pass(59)
    #expect(controller.decision == .significantChanges)
    other.provider.pass(2)
    #expect(controller.decision == .continuous(distanceFilter: 50))
    #expect(other.provider.mode == .gps)
  }

  @Test("A deinitialized controller ends its demand")
  func letGo() {
    let other = Fixture(in: .waitingSignificantChange)
    var controller: PowerController? = PowerController(
      other.manager, source: PowerController.Source(.init(isInForeground: true, power: .external)))
    #expect(other.provider.mode == .gps && controller != nil)
    controller = nil
    other.provider.pass(16)
    #expect(other.provider.mode == .significantChanges)
  }
}

@Suite("Rest")
struct RestTests {
  /// A step of a case.
  enum Step: Sendable {
    case motion(Motion?)
    /// A fix: the distance to the north, and the accuracy, in metres.
    case fix(Double, Double)
    case move
  }

  /// The steps with their seconds, and the second at which a wait of 300 s ends; `nil` if the device still moves.
  static let cases: [(String, [(Double, Step)], Double?)] = [
    ("no steps", [], 300),
    ("the first fix", [(10, .fix(0, 10))], 300),
    ("fixes in one place", [(10, .fix(0, 10)), (50, .fix(110, 10)), (51, .fix(-110, 10))], 300),
    ("two fixes away from the place are motion", [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 351),
    ("a single one isn't", [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(0, 10)), (52, .fix(121, 10))], 300),
    (
      "the wait starts at the second one",
      [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10)), (52, .fix(121, 10))], 351
    ),
    ("one fix far away is motion", [(10, .fix(0, 10)), (50, .fix(321, 10))], 350),
    ("a slightly nearer one isn't", [(10, .fix(0, 10)), (50, .fix(319, 10))], 300),
    ("one far away after a long time is motion", [(10, .fix(0, 10)), (290, .fix(321, 10))], 590),
    (
      "a device that is slow for two minutes rests",
      [(10, .fix(0, 10)), (130, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 300
    ),
    (
      "a slightly faster device doesn't",
      [(10, .fix(0, 10)), (129, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 541
    ),
    ("inaccurate fixes aren't motion", [(10, .fix(0, 10)), (50, .fix(500, 600)), (51, .fix(500, 600))], 300),
    (
      "a better fix after an inaccurate one isn't motion",
      [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(520, 10))], 300
    ),
    ("the next one elsewhere is motion", [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(900, 10))], 351),
    (
      "a sensor that reports stillness outweighs two fixes",
      [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 300
    ),
    ("but not a fix far away", [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(321, 10))], 350),
    ("walking lasts", [(10, .motion(.walking))], nil),
    ("a vehicle lasts", [(10, .motion(.vehicle))], nil),
    ("until it stands", [(10, .motion(.vehicle)), (100, .motion(.standing))], 400),
    ("until it is still", [(10, .motion(.walking)), (100, .motion(.still)), (150, .motion(.still))], 400),
    ("until the sensor is off", [(10, .motion(.walking)), (100, .motion(nil))], 400),
    ("stillness isn't motion", [(10, .motion(.still))], 300),
    ("a departure is motion", [(100, .move)], 400),
  ]

  @Test("Rest begins after a wait without a sign of motion", arguments: cases.indices)
  func watch(index: Int) {
    let (sentence, steps, end) = Self.cases[index]
    var watch = RestWatch()
    let wait = Duration.seconds(300)
    for (second, step) in steps {
      let uptime = Duration.seconds(second)
      switch step {
      case .motion(let motion): watch.note(motion, at: uptime)
      case .move: watch.move(at: uptime)
      case .fix(let north, let accuracy):
        let fix = Location(
          latitude: 34 + north / 111_195, longitude: -118, horizontalAccuracy: accuracy, timestamp: .distantPast)
        watch.find(fix, at: uptime)
      }
      watch.settle(after: wait, at: uptime)
      #expect(!watch.isAtRest, "\(sentence)")
    }
    #expect(watch.deadline(after: wait) == end.map { .seconds($0) }, "\(sentence)")
    watch.settle(after: wait, at: .seconds((end ?? 100_000) - 1))
    #expect(!watch.isAtRest, "\(sentence)")
    watch.settle(after: wait, at: .seconds(end ?? 100_000))
    #expect(watch.isAtRest == (end != nil), "\(sentence)")
    watch.settle(after: nil, at: .seconds(100_000))
    #expect(!watch.isAtRest && watch.deadline(after: nil) == nil, "without a wait the device never rests")
  }

  private static let external = PowerController.Policy.Conditions(isInForeground: false, power: .external)

  /// Creates a manager that tracks on external power, and sleeps after five minutes at rest.
  private static func tracking() -> (Fixture, PowerController.Source, PowerController) {
    let fixture = Fixture(in: .waitingSignificantChange)
    let source = PowerController.Source(external)
    let controller = PowerController(fixture.manager, source: source)
    controller.policy.sleepsAtRest = .seconds(300)
    return (fixture, source, controller)
  }

  /// Advances the time, with the manager's timers.
  private static func pass(_ seconds: Int, _ fixture: Fixture) {
    for _ in 0..<seconds { fixture.provider.pass(1) }
  }

  /// The reports at rest, and whether the device tracks after them.
  static let signs: [(ProviderReport, Bool)] = [
    (.motion(.walking), true), (.motion(.vehicle), true), (.motion(.still), false), (.motion(.standing), false),
    (.regionExited, true), (.departure, true), (.arrival, false), (.significantChange(nil), true), (.cell("a"), false),
    (.timer, false), (.failure(.locationUnknown), false),
  ]

  @Test("Rest turns the GPS off, and a sign of motion turns it on", arguments: signs)
  func wakes(report: ProviderReport, tracks: Bool) {
    let (fixture, _, controller) = Self.tracking()
    Self.pass(299, fixture)
    #expect(fixture.provider.mode == .gps && !controller.isAtRest)
    // The acquisition that remains ends after 15 s.
    Self.pass(17, fixture)
    #expect(fixture.provider.mode == .significantChanges && controller.isAtRest)
    #expect(controller.decision == .significantChanges)
    // After the cool-down.
    Self.pass(600, fixture)
    #expect(fixture.provider.mode == .significantChanges)
    fixture.provider.report(report)
    #expect((controller.decision == .continuous(distanceFilter: 50)) == tracks)
    #expect(controller.isAtRest == !tracks)
    guard tracks else { return }
    Self.pass(200, fixture)
    #expect(fixture.provider.mode == .gps)
    if case .motion = report { fixture.provider.report(.motion(.still)) }
    Self.pass(400, fixture)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("A significant change in the cool-down and reports during a pause don't end the rest")
  func ignored() {
    let (fixture, _, controller) = Self.tracking()
    Self.pass(316, fixture)
    #expect(fixture.provider.mode == .significantChanges && controller.isAtRest)
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.provider.mode == .significantChanges && controller.isAtRest)
    Self.pass(60, fixture)
    fixture.manager.pause()
    for report in Self.signs where report.1 { fixture.provider.report(report.0) }
    #expect(controller.isAtRest && fixture.provider.mode == .off)
  }

  @Test("A charger ends the rest, and without a wait there is none")
  func conditions() {
    let (fixture, source, controller) = Self.tracking()
    Self.pass(400, fixture)
    #expect(controller.isAtRest)
    source.conditions.power = .battery(level: 1)
    #expect(controller.decision == .significantChanges)
    source.conditions.power = .external
    #expect(!controller.isAtRest && fixture.provider.mode == .gps)
    Self.pass(400, fixture)
    #expect(controller.isAtRest)
    controller.policy.sleepsAtRest = nil
    #expect(!controller.isAtRest && fixture.provider.mode == .gps)
    Self.pass(1_000, fixture)
    #expect(fixture.provider.mode == .gps)
  }

  #if os(Linux) || os(macOS)
    @Test("A policy with no wait or more than a day stops the program")
    func misuse() async {
      await #expect(processExitsWith: .failure) { RestTests.tracking().2.policy.sleepsAtRest = .zero }
      await #expect(processExitsWith: .failure) { RestTests.tracking().2.policy.sleepsAtRest = .seconds(86_401) }
    }
  #endif

  /// Five minutes on the road, half an hour at a place, and ten minutes on the road.
  static let route = SimulatedProvider.Route(waypoints: [
    .init(latitude: 34, longitude: -118, speed: 20),
    .init(latitude: 34 + 6_000 / 111_195, longitude: -118, speed: 20, pause: .seconds(1_800)),
    .init(latitude: 34 + 18_000 / 111_195, longitude: -118, speed: 20),
  ])

  @Test(
    "On a drive with a stop the manager tracks, sleeps, and tracks again", arguments: [500, nil], [1, 2, 3])
  func outing(bound: Double?, seed: UInt64) {
    var configuration = SimulatedProvider.Configuration.phoneInBackground
    configuration.authorization = .always
    let device = SimulatedProvider(route: Self.route, seed: seed, configuration: configuration)
    let manager = LocationManager(provider: device)
    manager.errorBound = bound
    let controller = PowerController(manager, source: PowerController.Source(Self.external))
    controller.policy.sleepsAtRest = .seconds(300)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(290))
    #expect(manager.state == .acquiring && !controller.isAtRest)
    let before = device.energy.gpsOn
    device.advance(by: .seconds(1_800))
    // The simulated sensor sometimes reports motion at rest, and the wait restarts.
    #expect(controller.isAtRest && device.energy.gpsOn - before < .seconds(1_000))
    // The device leaves its region after a few minutes, and its cell after half a kilometre, but significant changes are at least
    // five minutes apart.
    device.advance(by: .seconds(400))
    #expect(manager.state == .acquiring && !controller.isAtRest)
  }
}

@Suite("Background work")
struct BackgroundActivityTests {
  private struct Failed: Error {}

  @Test("Work runs in the caller's isolation, and its result and error are passed on")
  @MainActor
  func done() async throws {
    var count = 0
    let result = await performInBackground("Counting") {
      count += 1
      return count
    }
    #expect(result == 1 && count == 1)
    await #expect(throws: Failed.self) { try await performInBackground("Failing") { throw Failed() } }
  }
}

#if os(Linux)
  @Suite("Power supplies on Linux")
  struct SystemPowerSourceTests {
    private func power(_ supplies: [String: [String: String]]) throws -> PowerController.Policy.Power {
      let folder = FileManager.default.temporaryDirectory.appending(path: "power-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, files) in supplies {
        let supply = folder.appending(path: name)
        try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
        for (file, text) in files { try Data("\(text)\n".utf8).write(to: supply.appending(path: file)) }
      }
      let conditions = PowerController.Source.system(in: folder).conditions
      #expect(!conditions.isInForeground)
      return conditions.power
    }

    @Test("Chargers, batteries, both or none are read")
    func supplies() throws {
      let battery = ["type": "Battery", "status": "Discharging", "capacity": "64"]
      #expect(try power([:]) == .external, "a machine without a battery")
      #expect(try power(["BAT0": battery]) == .battery(level: 0.64))
      #expect(try power(["BAT0": battery, "AC": ["type": "Mains", "online": "0"]]) == .battery(level: 0.64))
      #expect(try power(["BAT0": battery, "AC": ["type": "Mains", "online": "1"]]) == .external)
      #expect(try power(["BAT0": battery, "usb": ["type": "USB", "online": "1"]]) == .external)
      for status in ["Charging", "Full", "Not charging"] {
        #expect(try power(["BAT0": ["type": "Battery", "status": status, "capacity": "9"]]) == .external)
      }
      #expect(
        try power(["BAT0": battery, "BAT1": ["type": "Battery", "status": "Discharging", "capacity": "20"]])
          == .battery(level: 0.2))
    }

    @Test("A mouse's battery doesn't count, and a damaged level is unknown")
    func damaged() throws {
      #expect(
        try power(["hid": ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "5"]])
          == .external)
      #expect(
        try power(["BAT0": ["type": "Battery", "status": "Unknown", "capacity": "much"]]) == .battery(level: nil))
      #expect(try power(["BAT0": ["type": "Battery", "capacity": "700"]]) == .battery(level: 1))
      #expect(
        try power(["BAT0": ["type": "Battery", "status": String(repeating: "x", count: 100_000)]])
          == .battery(level: nil))
    }
  }
#endif

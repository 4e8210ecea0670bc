import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@Suite("The power policy")
struct PowerPolicyTests {
  typealias Conditions = PowerController.Policy.Conditions
  static let powers: [PowerController.Policy.Power] = [
    .external, .battery(level: nil), .battery(level: 1), .battery(level: 0.2), .battery(level: 0.19),
    .battery(level: 0),
  ]

  @Test(
    "is TTLocationHandler's as it comes: continuous while seen and on external power, asleep otherwise",
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

  @Test("says for every combination of conditions and settings what its table says", arguments: 0..<64)
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

  @Test("TTLocationHandler: what may be continuous on the battery is so there, whatever is said of external power")
  func battery() {
    var policy = PowerController.Policy()
    policy.isContinuousOnBattery = true
    policy.isContinuousOnExternalPower = false
    let conditions = Conditions(isInForeground: false, power: .battery(level: 0.9))
    #expect(policy.decision(in: conditions, pace: .ordinary) == .continuous(distanceFilter: 50))
  }

  @Test(
    "a pace goes where it should for every event", arguments: Pace.allCases, PaceMachine.Event.allCases)
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
    case .stay: Issue.record("nothing stays")
    }
  }
}

@Suite("The power controller")
struct PowerControllerTests {
  let fixture = Fixture(in: .waitingSignificantChange)
  let source = PowerController.SettableSource(.init(isInForeground: false, power: .battery(level: 0.8)))
  let controller: PowerController

  init() { controller = PowerController(fixture.manager, source: source) }

  private func fix(_ accuracy: Double, speed: Double, north: Double) {
    fixture.provider.pass(1)
    var location = fixture.provider.location(accuracy, latitude: 34 + north / 111_195)
    location.speed = speed
    fixture.provider.report(.fixes([location]))
  }

  @Test("sleeps on the battery, tracks on external power and while seen, and sleeps again")
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

  @Test("keeps the receiver as it is while one want of it takes the place of another")
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

  @Test("TTLocationHandler: continuous locations are accepted by its rules: at once, or the best when the wait is over")
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

  @Test("TTLocationHandler: an accurate location stands for a minute, and a change of the rules holds at once")
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

  @Test("a fix that waits is not given after a pause, nor after a day of sleep")
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

  @Test("a controller that takes another's place hears of its source")
  func replaced() {
    var controller = PowerController(fixture.manager, source: source)
    controller = PowerController(fixture.manager, source: source)
    source.conditions.power = .external
    #expect(controller.decision == .continuous(distanceFilter: 50))
  }

  @Test("a listener that changes the conditions while the receiver is turned on leaves nothing on")
  func reentrant() {
    fixture.recorder.onCall = { [source] _, call in
      if call.hasPrefix("waitingSignificantChange>") { source.conditions.power = .battery(level: 1) }
    }
    source.conditions.power = .external
    #expect(controller.decision == .significantChanges)
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("a speed that is no longer known is no motorway's, and the distance filter in town is the app's")
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

  @Test("TTLocationHandler: on a motorway locations are 400 m apart, and near the limit the pace does not flap")
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

  @Test("TTLocationHandler: the walk mode holds on a motorway too, and its end is an ordinary pace")
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

  @Test("a pause is off whatever the power, and the decision holds after it")
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

  @Test("a source that says nothing by itself is read once a minute")
  func read() {
    final class SilentSource: PowerController.Source {
      var conditions = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 1))
      var onChange: (() -> Void)?
    }
    let silent = SilentSource()
    let other = Fixture(in: .waitingSignificantChange)
    let controller = PowerController(other.manager, source: silent)
    silent.conditions.power = .external
    other.provider.pass(59)
    #expect(controller.decision == .significantChanges)
    other.provider.pass(2)
    #expect(controller.decision == .continuous(distanceFilter: 50))
    #expect(other.provider.mode == .gps)
  }

  @Test("a controller that is let go wants nothing any more")
  func letGo() {
    let other = Fixture(in: .waitingSignificantChange)
    var controller: PowerController? = PowerController(
      other.manager, source: PowerController.SettableSource(.init(isInForeground: true, power: .external)))
    #expect(other.provider.mode == .gps && controller != nil)
    controller = nil
    other.provider.pass(16)
    #expect(other.provider.mode == .significantChanges)
  }
}

@Suite("Rest")
struct RestTests {
  /// Something that happens to a watch, by its second.
  enum Step: Sendable {
    case motion(Motion?)
    /// A fix that many metres north, with that accuracy.
    case fix(Double, Double)
    case move
  }

  /// What happens when, and the second at which a wait of 300 s ends; `nil` where the device moves.
  static let cases: [(String, [(Double, Step)], Double?)] = [
    ("nothing is known", [], 300),
    ("a first fix is no motion", [(10, .fix(0, 10))], 300),
    ("fixes in one place are none", [(10, .fix(0, 10)), (50, .fix(110, 10)), (51, .fix(-110, 10))], 300),
    ("two away from it are motion", [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 351),
    ("not one", [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(0, 10)), (52, .fix(121, 10))], 300),
    ("from there on", [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10)), (52, .fix(121, 10))], 351),
    ("one far away is motion", [(10, .fix(0, 10)), (50, .fix(321, 10))], 350),
    ("not a little nearer", [(10, .fix(0, 10)), (50, .fix(319, 10))], 300),
    ("after a long time one far away is too", [(10, .fix(0, 10)), (290, .fix(321, 10))], 590),
    (
      "who is slow for two minutes rests",
      [(10, .fix(0, 10)), (130, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 300
    ),
    (
      "who is a little faster does not",
      [(10, .fix(0, 10)), (129, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 541
    ),
    ("fixes of no accuracy are no motion", [(10, .fix(0, 10)), (50, .fix(500, 600)), (51, .fix(500, 600))], 300),
    ("nor is the better one after them", [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(520, 10))], 300),
    ("but the next one elsewhere is", [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(900, 10))], 351),
    (
      "a sensor that says still is believed",
      [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 300
    ),
    ("unless the device is far away", [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(321, 10))], 350),
    ("walking lasts", [(10, .motion(.walking))], nil),
    ("a vehicle too", [(10, .motion(.vehicle))], nil),
    ("until it stands", [(10, .motion(.vehicle)), (100, .motion(.standing))], 400),
    ("until it is still", [(10, .motion(.walking)), (100, .motion(.still)), (150, .motion(.still))], 400),
    ("until the sensor is off", [(10, .motion(.walking)), (100, .motion(nil))], 400),
    ("stillness is no motion", [(10, .motion(.still))], 300),
    ("a departure is motion", [(100, .move)], 400),
  ]

  @Test("begins when nothing has shown motion for the whole wait", arguments: cases.indices)
  func watch(index: Int) {
    let (sentence, steps, end) = Self.cases[index]
    var watch = RestWatch()
    let wait = Duration.seconds(300)
    for (second, step) in steps {
      let uptime = Duration.seconds(second)
      switch step {
      case .motion(let motion): watch.hear(motion, at: uptime)
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

  /// A manager that tracks on external power, and sleeps after five minutes at rest.
  private static func tracking() -> (Fixture, PowerController.SettableSource, PowerController) {
    let fixture = Fixture(in: .waitingSignificantChange)
    let source = PowerController.SettableSource(external)
    let controller = PowerController(fixture.manager, source: source)
    controller.policy.sleepsAtRest = .seconds(300)
    return (fixture, source, controller)
  }

  /// Lets time pass, with the manager's timers.
  private static func pass(_ seconds: Int, _ fixture: Fixture) {
    for _ in 0..<seconds { fixture.provider.pass(1) }
  }

  /// What wakes a device at rest, and whether it tracks then.
  static let signs: [(ProviderReport, Bool)] = [
    (.motion(.walking), true), (.motion(.vehicle), true), (.motion(.still), false), (.motion(.standing), false),
    (.regionExited, true), (.departure, true), (.arrival, false), (.significantChange(nil), true), (.cell("a"), false),
    (.timer, false), (.failure(.locationUnknown), false),
  ]

  @Test("turns the GPS off, and a sign of motion turns it on again", arguments: signs)
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

  @Test("ends neither by the change that a service reports when it is armed, nor in a pause")
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

  @Test("begins anew with external power, and is none without a wait of the policy's")
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
    @Test("stops a program whose policy waits for no time or more than a day")
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
    "on a drive with a rest: tracks, sleeps, and tracks again after the departure", arguments: [500, nil], [1, 2, 3])
  func outing(bound: Double?, seed: UInt64) {
    var configuration = SimulatedProvider.Configuration.phoneInBackground
    configuration.authorization = .always
    let device = SimulatedProvider(route: Self.route, seed: seed, configuration: configuration)
    let manager = LocationManager(provider: device)
    manager.errorBound = bound
    let controller = PowerController(manager, source: PowerController.SettableSource(Self.external))
    controller.policy.sleepsAtRest = .seconds(300)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(290))
    #expect(manager.state == .acquiring && !controller.isAtRest)
    let before = device.energy.gpsOn
    device.advance(by: .seconds(1_800))
    // The simulated sensor reports motion at rest now and then, after which the wait begins anew.
    #expect(controller.isAtRest && device.energy.gpsOn - before < .seconds(1_000))
    // A region is left after a few minutes, and a cell after half a kilometre, but not sooner than five minutes after the last change.
    device.advance(by: .seconds(400))
    #expect(manager.state == .acquiring && !controller.isAtRest)
  }
}

@Suite("Work in the background")
struct BackgroundActivityTests {
  private struct Failed: Error {}

  @Test("is done where it was asked for, and gives what it gives")
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
  @Suite("The kernel's power supplies")
  struct SystemPowerSourceTests {
    private func power(_ supplies: [String: [String: String]]) throws -> PowerController.Policy.Power {
      let folder = FileManager.default.temporaryDirectory.appending(path: "power-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, files) in supplies {
        let supply = folder.appending(path: name)
        try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
        for (file, text) in files { try Data("\(text)\n".utf8).write(to: supply.appending(path: file)) }
      }
      let conditions = PowerController.SystemSource(folder: folder).conditions
      #expect(!conditions.isInForeground)
      return conditions.power
    }

    @Test("are a charger, a battery, both, or none")
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

    @Test("of a mouse are none of the machine's, and what is damaged is not known")
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

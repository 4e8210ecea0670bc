import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

private typealias Rule = PowerController.Rule

@Suite("Rules of a power controller")
struct RuleTests {
  typealias Condition = PowerController.Condition

  /// Returns facts whose circumstances are unknown, except those that `change` sets.
  private static func facts(_ change: (inout Rule.Facts) -> Void = { _ in }) -> Rule.Facts {
    var facts = Rule.Facts(circumstances: .init(), isFast: false, flags: [], isAtRest: { _ in false })
    change(&facts)
    return facts
  }

  /// Each condition except `not`, with facts under which it holds, and facts under which it doesn't.
  private nonisolated(unsafe) static let cases: [(condition: Condition, holds: [Rule.Facts], fails: [Rule.Facts])] = [
    (
      .foreground, [facts { $0.circumstances.isInForeground = true }],
      [facts { $0.circumstances.isInForeground = false }]
    ),
    (
      .charging,
      [.charging, .full].map { state in facts { $0.circumstances.battery = .init(level: 0.1, state: state) } },
      [.unplugged, nil].map { state in facts { $0.circumstances.battery = .init(level: 1, state: state) } }
    ),
    (
      .battery(below: 0.2),
      [0, 0.19].map { level in facts { $0.circumstances.battery = .init(level: level, state: .full) } },
      [0.2, 1, nil].map { level in facts { $0.circumstances.battery = .init(level: level, state: nil) } }
    ),
    (
      .lowPowerMode, [facts { $0.circumstances.isLowPowerMode = true }],
      [facts { $0.circumstances.isLowPowerMode = false }]
    ),
    (
      .vehicle,
      [
        facts { $0.circumstances.motion = .vehicle }, facts { $0.circumstances.motion = .standing },
        facts { $0.isFast = true },
      ],
      [facts { $0.circumstances.motion = .still }, facts { $0.circumstances.motion = .walking }]
    ),
    (.trip, [facts { $0.circumstances.trip = .distantPast }], []),
    (
      .atRest(after: .seconds(9)), [facts { $0.isAtRest = { $0 == .seconds(9) } }],
      [facts { $0.isAtRest = { $0 == .seconds(8) } }]
    ),
    (.flag("a"), [facts { $0.flags = ["a", "b"] }], [facts { $0.flags = ["b"] }]),
  ]

  @Test(
    "A condition doesn't hold while its circumstance is unknown, and a negation holds whenever its condition doesn't",
    arguments: cases.indices)
  func holds(index: Int) {
    let (condition, holds, fails) = Self.cases[index]
    for (facts, expected) in holds.map({ ($0, true) }) + (fails + [Self.facts()]).map({ ($0, false) }) {
      #expect(Rule(.sleep, when: [condition]).holds(with: facts) == expected)
      #expect(Rule(.sleep, when: [.not(condition)]).holds(with: facts) == !expected)
      #expect(Rule(.sleep, when: [.not(.not(condition))]).holds(with: facts) == expected)
    }
  }

  @Test("A rule needs all its conditions, and one without conditions always holds")
  func all() {
    let both: Set<Condition> = [.flag("a"), .flag("b")]
    for flags in [[], ["a"], ["b"], ["a", "b"]] as [Set<String>] {
      #expect(Rule(.sleep, when: both).holds(with: Self.facts { $0.flags = flags }) == (flags.count == 2))
    }
    #expect(Rule(.sleep).holds(with: Self.facts()))
  }

  @Test("The table has a row for each rule, in order, and says what happens otherwise")
  func table() {
    let rules = [
      Rule(.bound(200), when: [.not(.battery(below: 0.2)), .flag("a|b")]),
      Rule(.track(TrackingPolicy(distanceFilter: 0)), when: [.trip]),
    ]
    #expect(
      PowerController.table(of: rules) == """
        | when | mode |
        |---|---|
        | flag "a\\|b", not battery below 0.2 | stay within 200.0 m |
        | trip | track |
        | otherwise | sleep |

        """)
    #expect(PowerController.table(of: [Rule(.sleep)]).hasSuffix("|---|---|\n| always | sleep |\n"))
    #expect(
      PowerController.table(of: PowerController.standardRules).contains(
        "| foreground, vehicle | track, 400.0 m apart |"))
  }
}

extension Fixture {
  /// Reports the battery's state.
  func plug(_ state: LocationManager.BatteryStatus.State, level: Double = 0.8) {
    provider.report(.battery(.init(level: level, state: state)))
  }

  /// Reports whether the app is in the foreground.
  func enter(foreground isInForeground: Bool) {
    provider.report(.app(isInForeground: isInForeground, isLowPowerMode: false, mayRefresh: true))
  }
}

@Suite("Power controller", .covers(PaceMachine.self))
struct PowerControllerTests {
  let fixture = Fixture(in: .waitingSignificantChange)
  let controller: PowerController

  init() {
    controller = PowerController(fixture.manager)
    fixture.plug(.unplugged)
  }

  private var isTracking: Bool { if case .track = controller.rule?.mode { true } else { false } }
  private var distance: Double? {
    if case .track(let policy) = controller.rule?.mode { policy.distanceFilter } else { nil }
  }

  private var bound: Double? { fixture.manager.core.planner?.settings.bound }

  private func fix(_ accuracy: Double, speed: Double, north: Double) {
    fixture.provider.pass(1)
    var location = fixture.provider.location(accuracy, latitude: 34 + north / 111_195)
    location.speed = speed
    fixture.provider.report(.fixes([location]))
  }

  @Test(
    "By TTLocationHandler's rules, the manager tracks on external power or in the foreground, and sleeps otherwise"
  )
  func follows() {
    #expect(fixture.provider.mode == .significantChanges && controller.rule == nil)
    fixture.plug(.charging)
    #expect(fixture.provider.mode == .gps && distance == 50)
    #expect(fixture.provider.accuracy == 10)
    fixture.enter(foreground: true)
    fixture.plug(.unplugged, level: 0.5)
    #expect(fixture.provider.mode == .gps)
    fixture.enter(foreground: false)
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("The first rule that holds decides, and a change of the rules or a flag takes effect immediately")
  func order() {
    let (first, second) = (Rule(.bound(300), when: [.flag("a")]), Rule(.track(TrackingPolicy()), when: [.flag("b")]))
    controller.rules = [first, second, Rule(.sleep)]
    let cases: [(Set<String>, Rule)] = [
      ([], Rule(.sleep)), (["b"], second), (["a", "b"], first), (["a"], first), ([], Rule(.sleep)),
    ]
    for (flags, rule) in cases {
      controller.flags = flags
      #expect(controller.rule == rule)
      #expect(bound == (rule == first ? 300 : nil))
      if rule == second { #expect(fixture.provider.mode == .gps) }
    }
    controller.flags = ["a", "b"]
    controller.rules = [second, first]
    #expect(controller.rule == second)
  }

  @Test("The smaller of a rule's bound and the app's bound applies")
  func bounds() {
    controller.rules = [Rule(.bound(300))]
    #expect(bound == 300)
    fixture.manager.errorBound = 200
    #expect(bound == 200)
    fixture.manager.errorBound = 1_000
    #expect(bound == 300)
    controller.rules = []
    #expect(bound == 1_000)
  }

  @Test("A trip of a recorder and a motion report change the decision")
  func circumstances() {
    controller.rules = [Rule(.bound(100), when: [.trip]), Rule(.bound(200), when: [.vehicle])]
    fixture.provider.report(.motion(.vehicle))
    #expect(bound == 200)
    fixture.manager.trip = .distantPast
    #expect(bound == 100)
    fixture.manager.trip = nil
    fixture.provider.report(.motion(.still))
    #expect(bound == nil)
  }

  @Test("A change of the hold time and the distance filter doesn't reconfigure the receiver")
  func changes() {
    fixture.plug(.charging)
    let accuracies = fixture.provider.accuracies
    let transitions = fixture.recorder.transitions
    controller.rules = [Rule(.track(TrackingPolicy(holdTime: .seconds(7), distanceFilter: 70)))]
    #expect(fixture.provider.accuracies == accuracies && accuracies.last == 10)
    #expect(fixture.recorder.transitions == transitions)
  }

  @Test("TTLocationHandler: its rules accept an accurate fix immediately, or the best one after a wait")
  func accepted() {
    controller.rules = [Rule(.track(TrackingPolicy(holdTime: .zero)))]
    let before = fixture.recorder.locations.count
    fix(8, speed: 1, north: 100)
    fix(8, speed: 1, north: 110)
    #expect(fixture.recorder.locations.count == before + 1, "the second fix may be at the same place")
    for accuracy in [40.0, 20, 60] { fix(accuracy, speed: 1, north: 400) }
    #expect(fixture.recorder.locations.count == before + 1)
    fixture.provider.pass(8)
    #expect(fixture.recorder.locations.last?.horizontalAccuracy == 20)
  }

  @Test(
    "TTLocationHandler: no location follows an accurate one for a minute, and a change of the rules takes effect immediately"
  )
  func recent() {
    fixture.plug(.charging)
    let before = fixture.recorder.locations.count
    for second in 0..<121 { fix(8, speed: 10, north: 100 + Double(second) * 10) }
    #expect(fixture.recorder.locations.count == before + 3)
    controller.rules = [Rule(.track(TrackingPolicy(holdTime: .zero)))]
    #expect(fixture.provider.mode == .gps)
    fixture.provider.pass(10)
    fix(8, speed: 10, north: 5_000)
    fix(8, speed: 10, north: 5_100)
    #expect(fixture.recorder.locations.count == before + 5)
  }

  @Test("A pending fix isn't delivered after a pause or a day of suspension")
  func waits() {
    for isPause in [true, false] {
      fixture.plug(.charging)
      let before = fixture.recorder.locations.count
      fix(30, speed: 1, north: isPause ? 5_000 : 9_000)
      if isPause { fixture.manager.pause() }
      fixture.provider.pass(86_400)
      if isPause { fixture.manager.resume() }
      #expect(fixture.recorder.locations.count == before)
      fix(5, speed: 1, north: isPause ? 6_000 : 10_000)
      #expect(fixture.recorder.locations.count == before + 1)
      fixture.plug(.unplugged)
      fixture.provider.pass(60)
    }
  }

  @Test("If a listener removes the flag while the receiver starts, the receiver turns off")
  func reentrant() {
    controller.rules = [Rule(.track(TrackingPolicy()), when: [.flag("on")])]
    fixture.recorder.onCall = { [controller] _, call in
      if call.hasPrefix("waitingSignificantChange>") { controller.flags = [] }
    }
    controller.flags = ["on"]
    #expect(controller.rule == nil)
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("A fix that is less accurate than the last one changes the pace too")
  func lessAccurate() {
    fixture.plug(.charging)
    fix(30, speed: 1, north: 0)
    fix(40, speed: 25, north: 20)
    #expect(fixture.recorder.rejections == [] && distance == 400)
  }

  @Test("Slow fixes leave the pace as it is")
  func slow() {
    fixture.plug(.charging)
    for second in 0..<3 {
      fix(10, speed: 1, north: Double(60 * second))
      #expect(distance == 50)
    }
  }

  @Test("After a minute without a speed, a fast device no longer counts as in a vehicle")
  func unknownSpeed() {
    fixture.plug(.charging)
    fix(10, speed: 30, north: 0)
    for _ in 0..<59 {
      fixture.provider.pass(1)
      fixture.provider.fix(10)
    }
    #expect(distance == 400)
    fixture.provider.pass(1)
    fixture.provider.fix(10)
    #expect(distance == 50)
  }

  @Test("A minute after the last fast fix, the rule changes without another input")
  func speedExpires() {
    fixture.plug(.charging)
    fix(10, speed: 30, north: 0)
    for _ in 0..<20 { fixture.provider.pass(1) }
    fix(10, speed: 30, north: 600)
    for _ in 0..<59 { fixture.provider.pass(1) }
    #expect(distance == 400)
    fixture.provider.pass(1)
    #expect(distance == 50)
  }

  @Test("The speed of a fix after a suspension doesn't extend the last one")
  func speedAfterASuspension() {
    fixture.plug(.charging)
    fix(10, speed: 30, north: 0)
    fixture.provider.pass(3_600, timerFires: false)
    fix(10, speed: 16, north: 600)
    #expect(distance == 50, "16 m/s alone isn't fast")
  }

  @Test("A report of 12,000 usable fixes isn't an endless exchange")
  func manyFixes() {
    fixture.plug(.charging)
    fixture.provider.pass(1)
    let fixes = (0..<12_000).map { index in
      var fix = fixture.provider.location(10, latitude: 34 + Double(index) / 111_195)
      fix.timestamp += Double(index - 12_000) / 12_000
      fix.speed = 30
      return fix
    }
    fixture.provider.report(.fixes(fixes))
    #expect(distance == 400 && fixture.manager.location != nil)
  }

  @Test("TTLocationHandler: on a motorway locations are 400 m apart, and near the limit the pace doesn't alternate")
  func hysteresis() {
    fixture.plug(.charging)
    fix(10, speed: 19.9, north: 0)
    #expect(distance == 50)
    fix(10, speed: 20, north: 60)
    #expect(distance == 400)
    let before = fixture.manager.recentTransitions.count
    for (index, speed) in [19.0, 21, 16, 20, 15].enumerated() {
      fix(10, speed: speed, north: Double(index + 4) * 20)
      #expect(distance == 400)
    }
    fix(10, speed: 14.9, north: 200)
    #expect(distance == 50)
    #expect(fixture.manager.recentTransitions.count == before, "the GPS stays on")
  }

  @Test("The GPS is off during a pause, and the controller's decision applies after the pause")
  func paused() {
    fixture.plug(.charging)
    fixture.manager.pause()
    #expect(fixture.provider.mode == .off)
    fixture.enter(foreground: true)
    #expect(fixture.provider.mode == .off)
    fixture.manager.resume()
    fix(50, speed: 1, north: 0)
    fix(8, speed: 1, north: 60)
    #expect(fixture.provider.mode == .gps)
  }

  @Test("The controller sets no timer in a pause, and decides again at its end")
  func timerInPause() {
    fixture.plug(.charging)
    fix(1, speed: 25, north: 0)
    fix(1, speed: 25, north: 25)
    #expect(distance == 400)
    fixture.manager.pause()
    #expect(fixture.provider.timer == nil)
    fixture.provider.pass(120)
    #expect(fixture.provider.timer == nil && controller.rule?.conditions == [.charging, .vehicle])
    fixture.manager.resume()
    #expect(controller.rule?.conditions == [.charging], "the speed is two minutes old")
  }

  @Test("A deinitialized controller ends its demand")
  func letGo() {
    let other = Fixture(in: .waitingSignificantChange)
    other.plug(.charging)
    var controller: PowerController? = PowerController(other.manager)
    #expect(other.provider.mode == .gps && controller != nil)
    controller = nil
    other.provider.pass(16)
    #expect(other.provider.mode == .significantChanges)
  }
}

@Suite("Rest", .covers(PaceMachine.self))
struct RestTests {
  /// A step of a case.
  enum Step: Sendable {
    case motion(LocationManager.Motion?)
    /// A fix: the distance to the north, and the accuracy, in metres.
    case fix(Double, Double)
    case move
  }

  /// A description, the steps with their times in seconds, and the end of a wait of 300 s; `nil` if the device still moves.
  static let cases: [(String, [(Double, Step)], Double?)] = [
    ("no steps", [], 300),
    ("the first fix", [(10, .fix(0, 10))], 300),
    ("fixes in one place", [(10, .fix(0, 10)), (50, .fix(110, 10)), (51, .fix(-110, 10))], 300),
    (
      "two fixes in a row away from the place are motion",
      [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 351
    ),
    (
      "a single fix away from the place isn't motion",
      [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(0, 10)), (52, .fix(121, 10))], 300
    ),
    (
      "the wait starts at the second fix away from the place",
      [(10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10)), (52, .fix(121, 10))], 351
    ),
    ("one fix far away is motion", [(10, .fix(0, 10)), (50, .fix(321, 10))], 350),
    ("one fix slightly nearer isn't motion", [(10, .fix(0, 10)), (50, .fix(319, 10))], 300),
    ("one fix far away after a long time is motion", [(10, .fix(0, 10)), (290, .fix(321, 10))], 590),
    (
      "a fix nearby after two minutes becomes the place, so slow movement isn't motion",
      [(10, .fix(0, 10)), (130, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 300
    ),
    (
      "a fix nearby before two minutes doesn't become the place, so slightly faster movement is motion",
      [(10, .fix(0, 10)), (129, .fix(90, 10)), (240, .fix(180, 10)), (241, .fix(180, 10))], 541
    ),
    (
      "a better fix away from the place doesn't become the place, so a walk is motion",
      [(10, .fix(0, 8)), (60, .fix(100, 7)), (110, .fix(200, 6)), (111, .fix(200, 6))], 411
    ),
    ("inaccurate fixes aren't motion", [(10, .fix(0, 10)), (50, .fix(500, 600)), (51, .fix(500, 600))], 300),
    (
      "a better fix after an inaccurate one isn't motion",
      [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(520, 10))], 300
    ),
    ("a fix far from the better one is motion", [(10, .fix(0, 600)), (50, .fix(500, 10)), (51, .fix(900, 10))], 351),
    (
      "a sensor that reports stillness outweighs two fixes",
      [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(121, 10)), (51, .fix(121, 10))], 300
    ),
    (
      "a sensor that reports stillness doesn't outweigh a fix far away",
      [(5, .motion(.still)), (10, .fix(0, 10)), (50, .fix(321, 10))], 350
    ),
    ("walking lasts until the next report", [(10, .motion(.walking))], nil),
    ("a vehicle's motion lasts until the next report", [(10, .motion(.vehicle))], nil),
    ("a vehicle moves until it stands", [(10, .motion(.vehicle)), (100, .motion(.standing))], 400),
    (
      "a device moves until it is still", [(10, .motion(.walking)), (100, .motion(.still)), (150, .motion(.still))], 400
    ),
    ("a device moves until the sensor is off", [(10, .motion(.walking)), (100, .motion(nil))], 400),
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
      #expect(watch.deadline(after: wait).map { uptime < $0 } ?? true, "\(sentence)")
    }
    #expect(watch.deadline(after: wait) == end.map { .seconds($0) }, "\(sentence)")
  }

  private static let sleep = Rule(.sleep, when: [.atRest(after: .seconds(300))])

  /// Creates a manager that tracks on external power, and sleeps after five minutes at rest.
  private static func tracking() -> (Fixture, PowerController) {
    let fixture = Fixture(in: .waitingSignificantChange)
    let controller = PowerController(fixture.manager, rules: [sleep] + PowerController.standardRules)
    fixture.plug(.charging)
    return (fixture, controller)
  }

  /// Advances the time, with the manager's timers.
  private static func pass(_ seconds: Int, _ fixture: Fixture) {
    for _ in 0..<seconds { fixture.provider.pass(1) }
  }

  /// Reports at rest, each with whether the manager tracks after it.
  static let signs: [(ProviderReport, Bool)] = [
    (.motion(.walking), true), (.motion(.vehicle), true), (.motion(.still), false), (.motion(.standing), false),
    (.regionExit, true), (.departure, true), (.arrival, false), (.significantChange(nil), true), (.cell("a"), false),
    (.timer, false), (.failure(.locationUnknown), false),
  ]

  @Test("Rest turns the GPS off, and a sign of motion turns it on", arguments: signs)
  func wakes(report: ProviderReport, tracks: Bool) {
    let (fixture, controller) = Self.tracking()
    Self.pass(299, fixture)
    #expect(fixture.provider.mode == .gps && controller.rule != Self.sleep)
    // The acquisition that remains ends after 15 s.
    Self.pass(17, fixture)
    #expect(fixture.provider.mode == .significantChanges && controller.rule == Self.sleep)
    // The GPS stays off after the cool-down.
    Self.pass(600, fixture)
    #expect(fixture.provider.mode == .significantChanges)
    fixture.provider.report(report)
    #expect((controller.rule == Self.sleep) == !tracks)
    guard tracks else { return }
    Self.pass(200, fixture)
    #expect(fixture.provider.mode == .gps)
    if case .wake(.motion) = report { fixture.provider.report(.motion(.still)) }
    Self.pass(400, fixture)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("A significant change in the cool-down and reports during a pause don't end the rest")
  func ignored() {
    let (fixture, controller) = Self.tracking()
    Self.pass(316, fixture)
    #expect(fixture.provider.mode == .significantChanges && controller.rule == Self.sleep)
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.provider.mode == .significantChanges && controller.rule == Self.sleep)
    Self.pass(60, fixture)
    fixture.manager.pause()
    for report in Self.signs where report.1 { fixture.provider.report(report.0) }
    #expect(controller.rule == Self.sleep && fixture.provider.mode == .off)
  }

  @Test("A charger ends the rest, and without the rule the manager never rests")
  func conditions() {
    let (fixture, controller) = Self.tracking()
    Self.pass(400, fixture)
    #expect(controller.rule == Self.sleep)
    fixture.plug(.unplugged)
    #expect(fixture.provider.mode == .significantChanges)
    fixture.plug(.charging)
    #expect(controller.rule != Self.sleep && fixture.provider.mode == .gps)
    Self.pass(400, fixture)
    #expect(controller.rule == Self.sleep)
    controller.rules = PowerController.standardRules
    #expect(controller.rule != Self.sleep && fixture.provider.mode == .gps)
    Self.pass(1_000, fixture)
    #expect(fixture.provider.mode == .gps)
  }

  @Test("A new controller waits for the whole time before the device counts as at rest")
  func new() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.pass(1_000)
    let controller = PowerController(fixture.manager, rules: [Rule(.bound(900), when: [.atRest(after: .seconds(300))])])
    #expect(controller.rule == nil)
    Self.pass(299, fixture)
    #expect(controller.rule == nil)
    Self.pass(1, fixture)
    #expect(controller.rule != nil)
  }

  @Test(
    "A rule applies at the second in which its time at rest is over, whether the rule needs rest or excludes it",
    arguments: [false, true], [0, 1, 20, 36])
  func punctual(isExcluded: Bool, setAfter seconds: Int) {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.pass(1_000)
    let rest = PowerController.Condition.atRest(after: .seconds(37))
    let rules = [Rule(.bound(900), when: [isExcluded ? .not(rest) : rest]), Rule(.bound(800), when: [])]
    let controller = PowerController(fixture.manager, rules: seconds == 0 ? rules : [])
    // Only the controller's own timer lets it look again.
    for second in 1...80 {
      fixture.provider.pass(1)
      if second == seconds { controller.rules = rules }
      if second < seconds { continue }
      #expect(controller.rule == rules[(second >= 37) == isExcluded ? 1 : 0], "after \(second) s")
    }
  }

  @Test("New rules apply in time, whenever they are set", arguments: [1, 7, 29], [30, 40])
  func newRules(second: Int, wait: Int) {
    let fixture = Fixture(in: .waitingSignificantChange)
    let controller = PowerController(fixture.manager, rules: [])
    fixture.provider.pass(Double(second))
    let rest = Rule(.sleep, when: [.atRest(after: .seconds(wait))])
    controller.rules = [rest]
    for now in (second + 1)...(wait + 5) {
      fixture.provider.pass(1)
      #expect((controller.rule == rest) == (now >= wait), "after \(now) s")
    }
  }

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
    device.battery = LocationManager.BatteryStatus(level: 1, state: .charging)
    let controller = PowerController(manager, rules: [Self.sleep] + PowerController.standardRules)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(290))
    #expect(manager.state == .acquiring && controller.rule != Self.sleep)
    let before = device.energy.gpsOn
    device.advance(by: .seconds(1_800))
    // The simulated sensor sometimes reports motion at rest, and the wait restarts.
    #expect(controller.rule == Self.sleep && device.energy.gpsOn - before < .seconds(1_000))
    // The exit from the region is reported some minutes after the departure. A significant change is reported at least
    // half a kilometre and five minutes after the last one.
    device.advance(by: .seconds(400))
    #expect(manager.state == .acquiring && controller.rule != Self.sleep)
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

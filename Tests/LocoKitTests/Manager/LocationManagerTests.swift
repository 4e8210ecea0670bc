import Dispatch
import Foundation
import LocoMachineGraphs
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import LocoKitTrips
@testable import LocoMachine
@testable import TestSupport

@Suite("The location manager", .covers(LocationMachine.self))
struct LocationManagerTests {
  /// The cool-down after an acquisition, in seconds.
  private static let cooldown = AcquisitionPolicy.loco.cooldown.inSeconds

  @Table static var permission: [Behavior] {
    Behavior(
      "Before the app asks for the permission, nothing turns the GPS on", in: .initial, authorization: .always,
      .decide(.always), .change, .fix(5) => "didReject notListening", .timer, .pause => "didIgnore pause",
      .resume => "didIgnore resume", .force => "didIgnore forceAcquire", .expect(\.manager.state, .initial),
      .expect(\.manager.location, nil), commands: "")
    Behavior(
      "A manager prompts, is granted access, acquires a location and sleeps", in: .initial,
      .prompt => "prompted", .promptShown => "didPromptAccess",
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse",
      .wait(3), .fix(40), .fix(9) => "waitingSignificantChange, didUpdate 9",
      commands: "request, gps, significantChanges")
    Behavior(
      "A forced prompt asks for the permission as the first prompt does", in: .initial, .forcePrompt => "prompted",
      .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always", commands: "request, gps")
    Behavior(
      "Where access is granted already, a manager acquires without a prompt", in: .initial, authorization: .always,
      .prompt => "prompted, acquiring, didGrantAccess")
    Behavior(
      "Where access was denied, only a forced prompt asks again", in: .initial, authorization: .denied,
      .prompt => "prompted, denied, didDenyAccess", .prompt => "didIgnore tryPrompt",
      .expect(\.provider.commands, ["off", "request"]),
      .permission(.always), .forcePrompt => "prompted, acquiring, didGrantAccess, didChangeAuthorization always")
    Behavior(
      "A restricted device denies access", in: .prompted,
      .decide(.restricted) => "denied, didDenyAccess, didChangeAuthorization restricted",
      .expect(\.manager.authorization, .restricted))
    Behavior(
      "A prompt without an answer expires after its time limit, with everything off", in: .prompted,
      .wait(LocationMachine.promptTimeLimit.inSeconds - 1), .wait(1) => "init, promptDidExpire",
      .expect(\.provider.timer, nil))
    Behavior(
      "An error that reports denied access counts even before the permission changes", in: .acquiring,
      .failure(.accessDenied) => "denied, didDenyAccess")
    for state in LocationMachine.State.allCases {
      Behavior(
        "A prompt that the system shows is reported only in the state `prompted`: \(state)", in: state,
        .promptShown => state == .prompted ? "didPromptAccess" : "")
    }
    for state in [LocationMachine.State.waitingSignificantChange, .acquiring] {
      Behavior(
        "A denial of access turns everything off, and a new grant starts an acquisition: \(state)", in: state,
        .decide(.denied) => "denied, didDenyAccess, didChangeAuthorization denied",
        .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always")
    }
    for state in [LocationMachine.State.waitingSignificantChange, .acquiring, .denied] {
      Behavior(
        "A permission that is undecided again takes the manager to its initial state: \(state)", in: state,
        .decide(.notDetermined) => "init, didChangeAuthorization notDetermined")
    }
    for (authorization, received) in [
      (Authorization.denied, ", denied, didDenyAccess"), (.notDetermined, ", init"), (.whenInUse, ""),
    ] {
      Behavior(
        "A pause outlasts a change of the permission, and resuming applies it: \(authorization)", in: .paused,
        .decide(authorization) => "didChangeAuthorization \(authorization)", .change,
        .fix(3) => "didReject notListening", .expect(\.manager.state, .paused),
        .expect(\.manager.authorization, authorization),
        .resume => "acquiring, didResume\(received)")
    }
    for (authorization, received) in [(Authorization.denied, ", denied, didDenyAccess"), (.whenInUse, "")] {
      Behavior(
        "A pause during the prompt counts: the answer starts nothing, and resuming applies it: \(authorization)",
        in: .prompted, .pause => "paused, didPause",
        .decide(authorization) => "didChangeAuthorization \(authorization)", .wait(100),
        .fix(3) => "didReject notListening",
        .resume => "acquiring, didResume\(received)")
    }
  }

  @Table static var acquiring: [Behavior] {
    Behavior(
      "A significant change starts the GPS, and the time limit ends the acquisition with the best fix",
      in: .waitingSignificantChange,
      .change(900) => "acquiring, didDetectSignificantChange", .wait(5), .fix(60),
      .wait(10) => "waitingSignificantChange, didUpdate 60")
    Behavior(
      "Fixes from before a significant change are rejected, and fixes between the change and its report are accepted",
      in: .waitingSignificantChange,
      .change(900, age: 20) => "acquiring, didDetectSignificantChange", .fix(9, age: 21) => "didReject beforeTrigger",
      .fix(9, age: 10) => "waitingSignificantChange, didUpdate 9")
    Behavior(
      "An acquisition without an acceptable fix fails, with the accuracy of the best fix", in: .acquiring, .fix(101),
      .wait(15) => "waitingSignificantChange, didFailToAcquire timeLimit 101", .expect(\.manager.location, nil),
      .expect(\.recorder.failures.first?.description, "The best fix in time was accurate to 101.0 m only."))
    Behavior(
      "An error ends an acquisition whose time limit is over, even if the timer hasn't fired", in: .acquiring,
      .wait(100, timerFires: false),
      .failure(.locationUnknown) => "waitingSignificantChange, didFailToAcquire timeLimit")
    Behavior(
      "A timer that fires early changes nothing", in: .acquiring, .wait(3), .timer,
      .expect(\.provider.timer, .seconds(15)))
    Behavior(
      "All fixes of a report are judged before the time limit ends the acquisition", in: .acquiring,
      .wait(100, timerFires: false),
      .fixes((40, 90), (80, 5), (30, 0)) => "didReject stale, waitingSignificantChange, didUpdate 30")
    Behavior(
      "Five errors in a row end an acquisition, and a fix between them restarts the count", in: .acquiring,
      .errors(4), .fix(50), .errors(4), .errors(1) => "waitingSignificantChange, didFailToAcquire tooManyErrors")
    Behavior(
      "A jump is rejected, and a second fix that agrees with it is delivered", in: .waitingSignificantChange,
      .force => "acquiring, didForceAcquire", .fix(5, north: 2_000_000) => "didReject implausibleSpeed",
      .expect(\.manager.location?.latitude, 34.1), .wait(1),
      .fix(6, north: 2_000_000) => "waitingSignificantChange, didUpdate 6")
    Behavior(
      "A jump during tracking is rejected and not delivered", in: .waitingSignificantChange,
      .track(50) => "acquiring", .fix(5) => "didUpdate 5", .wait(1),
      .fix(5, north: 11_119) => "didReject implausibleSpeed", .wait(1), .fix(5) => "didUpdate 5", .cancelTracking)
    Behavior(
      "Significant changes are ignored during the cool-down after an acquisition, and not longer", in: .acquiring,
      .wait(15) => "waitingSignificantChange, didFailToAcquire timeLimit", .wait(cooldown - 1), .change, .wait(1),
      .change => "acquiring, didDetectSignificantChange")
    Behavior(
      "A forced acquisition is ignored while the GPS is on, and starts the GPS during the cool-down", in: .acquiring,
      .force => "didIgnore forceAcquire", .fix(5) => "waitingSignificantChange, didUpdate 5",
      .force => "acquiring, didForceAcquire")
    Behavior(
      "A pause while the manager waits turns everything off, and the end of the pause starts an acquisition",
      in: .waitingSignificantChange, .pause => "paused, didPause", .change, .fix(5) => "didReject notListening",
      .resume => "acquiring, didResume", commands: "off, gps")
    Behavior(
      "An error bound starts a look at once if the manager has no location", in: .waitingSignificantChange,
      sources: .awake, .bound(500) => "acquiring, didBeginLook bound",
      .fix(5) => "waitingSignificantChange, didUpdate 5")
    Behavior(
      "An acceptable accuracy below the desired one counts as the desired one", in: .waitingSignificantChange,
      .policy { $0.acceptableAccuracy = 1 }, .force => "acquiring, didForceAcquire", .fix(11),
      .wait(15) => "waitingSignificantChange, didFailToAcquire timeLimit 11", .force => "acquiring, didForceAcquire",
      .fix(10) => "waitingSignificantChange, didUpdate 10")
    Behavior(
      "A fix with a NaN altitude is delivered once during tracking", in: .acquiring, .track(),
      .fix(50, altitude: .nan) => "didUpdate 50",
      .cancelTracking)
    Behavior(
      "The state and the GPS are set before each callback", in: .initial, .prompt => "prompted",
      .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always",
      .fix(5) => "waitingSignificantChange, didUpdate 5", .wait(60),
      .change => "acquiring, didDetectSignificantChange", .pause => "paused, didPause",
      .resume => "acquiring, didResume", .decide(.denied) => "denied, didDenyAccess, didChangeAuthorization denied")
    for state in LocationMachine.State.allCases where state != .acquiring {
      Behavior(
        "A fix outside an acquisition is rejected: \(state)", in: state, .fix(5) => "didReject notListening")
    }
  }

  @Table static var sensors: [Behavior] {
    for state in LocationMachine.State.allCases where state != .paused {
      Behavior(
        "A change of motion is reported, and motion is unknown without a sensor: \(state)", in: state,
        .expect(\.manager.motion, nil), .report(.motion(.still)) => "didChangeMotion still", .report(.motion(.still)),
        .report(.motion(.walking)) => "didChangeMotion walking",
        .report(Sources([.significantChange, .motion]).report), .expect(\.manager.motion, .walking),
        .report(Sources.changes.report), .expect(\.manager.motion, nil))
      Behavior(
        "A change of the battery is reported, and a level that isn't 0 to 1 is unknown: \(state)", in: state,
        .expect(\.manager.battery, nil), .battery(0.5, .unplugged) => "didChangeBattery 0.5 unplugged",
        .battery(0.5, .unplugged), .battery(0.5, .charging) => "didChangeBattery 0.5 charging",
        .battery(1.1, nil) => "didChangeBattery -1.0 unknown", .battery(.nan, nil),
        .expect(\.manager.battery, LocationManager.BatteryStatus(level: nil, state: nil)))
    }
    Behavior(
      "During a pause, motion changes without a callback, and is unknown without a sensor", in: .paused,
      .expect(\.manager.motion, nil), .report(.motion(.still)), .report(.motion(.walking)),
      .expect(\.manager.motion, .walking), .report(Sources([.significantChange, .motion]).report),
      .expect(\.manager.motion, .walking), .report(Sources.changes.report), .expect(\.manager.motion, nil))
    Behavior(
      "During a pause, the battery changes without a callback", in: .paused, .expect(\.manager.battery, nil),
      .battery(0.5, .unplugged), .battery(0.5, .charging), .battery(1.1, nil), .battery(.nan, nil),
      .expect(\.manager.battery, LocationManager.BatteryStatus(level: nil, state: nil)))
  }

  private static let coarse = AcquisitionPolicy(
    desiredAccuracy: 1_000, acceptableAccuracy: 3_000, timeLimit: .seconds(15))

  @Table static var changes: [Behavior] {
    // The accuracy and age of the change's location, and its distance north in degrees.
    for (accuracy, age, north) in [(1_000.0, 0.0, 0.0), (1_000, 30, 0), (0, 0, 0), (900, -1, 0), (900, 0, 0.2)] {
      Behavior(
        "A significant change that satisfies the policy is delivered without the GPS: \(accuracy) m, \(age) s, \(north)°",
        in: .waitingSignificantChange, policy: coarse,
        .change(accuracy, age: age, north: north * 111_195) => "didUpdate \(Int(accuracy)) significantChange", .wait(5),
        .change(900, north: north * 111_195) => "didUpdate 900 significantChange")
    }
    for (accuracy, age, north) in [
      (1_000.1, 0.0, 0.0), (-1, 0, 0), (900, 30.1, 0), (900, -1.1, 0), (900, 0, 1), (900, 0, 60),
    ] {
      Behavior(
        "A significant change that is rejected or inaccurate starts the GPS: \(accuracy) m, \(age) s, \(north)°",
        in: .waitingSignificantChange, policy: coarse,
        .change(accuracy, age: age, north: north * 111_195) => "acquiring, didDetectSignificantChange")
    }
    Behavior(
      "A significant change isn't delivered during the cool-down, or without a location newer than the last one",
      in: .acquiring, policy: coarse, .fix(9) => "waitingSignificantChange, didUpdate 9", .wait(cooldown - 1),
      .change(500),
      .wait(1),
      .change(500, age: cooldown) => "acquiring, didDetectSignificantChange",
      .fix(9) => "waitingSignificantChange, didUpdate 9", .wait(60),
      .change => "acquiring, didDetectSignificantChange")
    Behavior(
      "A significant change of reduced accuracy keeps its source", in: .waitingSignificantChange, policy: .reduced,
      .change(5_000, age: 40, source: .reduced) => "didUpdate 5000 reduced",
      .expect(\.manager.circumstances.cause, .significantChange))
  }

  @Test("Listeners and the provider receive what each row says", arguments: permission + acquiring + sensors + changes)
  func behaves(_ behavior: Behavior) async { await behavior.check() }

  @Test("A listener's command waits until all listeners have received the event")
  func reentrancy() {
    let fixture = Fixture(in: .acquiring)
    let second = Recorder()
    fixture.manager.listeners.add(second)
    fixture.recorder.onCall = { manager, call in
      if call == "didUpdate 5" {
        manager.pause()
        #expect(manager.state == .waitingSignificantChange)
      }
    }
    fixture.provider.fix(5)
    #expect(fixture.manager.state == .paused)
    let received = ["acquiring>waitingSignificantChange", "didUpdate 5", "waitingSignificantChange>paused", "didPause"]
    #expect(fixture.recorder.take() == received)
    #expect(second.take() == received)
  }

  // MARK: - The last reference

  /// A provider that records its commands, and whether the main actor sent them.
  private final class WatchedProvider: LocationProvider {
    let base = ScriptedProvider()
    var commands: [(name: String, isOnMainActor: Bool)] = []
    var onReport: ProviderReport.Handler? {
      get { base.onReport }
      set {
        note("onReport \(newValue == nil ? "nil" : "set")")
        base.onReport = newValue
      }
    }
    var uptime: Duration { base.uptime }
    var date: Date { base.date }
    let authorization = Authorization.always
    let recommendedPolicy = AcquisitionPolicy.loco
    func perform(_ request: ReceiverRequest) { if request == .authorization { onReport?(.authorization(.always)) } }
    func apply(_ plan: ReceiverPlan) { note("\(plan.mode), timer \(plan.timer == nil ? "off" : "on")") }

    private static let key: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()
    init() { _ = Self.key }
    private func note(_ name: String) { commands.append((name, DispatchQueue.getSpecific(key: Self.key) != nil)) }
  }

  @MainActor private final class Screen {
    var manager: LocationManager?
    var trips: TripRecorder?
    var power: PowerController?
  }

  enum Released: CaseIterable { case manager, trips, power }

  @Test(
    "A manager, recorder or controller of the main actor commands the provider on it, even if released elsewhere",
    arguments: Released.allCases, [true, false])
  @MainActor func releasedElsewhere(released: Released, isElsewhere: Bool) async {
    let provider = WatchedProvider()
    let manager = LocationManager(provider: provider)
    manager.tryPromptAuthorization()
    var screen: Screen? = Screen()
    switch released {
    case .manager:
      screen?.manager = LocationManager(provider: provider)
      screen?.manager?.tryPromptAuthorization()
    case .trips:
      screen?.trips = TripRecorder(manager)
      screen?.trips?.start()
    case .power:
      screen?.power = PowerController(manager, rules: [.init(.track(TrackingPolicy()))])
    }
    #expect(released == .manager || manager.state == .acquiring)
    provider.base.pass(5)
    provider.commands = []
    if isElsewhere {
      let last = Locked(screen)
      screen = nil
      await Task.detached { last.change { $0 = nil } }.value
      for _ in 0..<1_000 where provider.commands.isEmpty { await Task.yield() }
    } else {
      screen = nil
    }
    #expect(!provider.commands.isEmpty)
    #expect(provider.commands.allSatisfy { $0.isOnMainActor })
    if released == .manager {
      #expect(provider.commands.map(\.name) == ["onReport nil", "off, timer off"])
    }
    withExtendedLifetime(manager) {}
  }

  #if os(Linux) || os(macOS)
    @Test("A listener that endlessly answers callbacks with commands stops the program")
    func pingPong() async {
      await #expect(processExitsWith: .failure) {
        let fixture = Fixture(in: .acquiring)
        fixture.recorder.onCall = { manager, call in
          if call == "didPause" { manager.resume() }
          if call == "didResume" { manager.pause() }
        }
        fixture.manager.pause()
      }
    }
  #endif

  @Test("Transitions print as lines and can be encoded and decoded, and an unknown state can't be decoded")
  func transitionsAreReadable() throws {
    let transition = LocationManager.Transition(
      from: .initial, event: .tryPrompt, to: .prompted, date: Date(timeIntervalSince1970: 1_777_834_800.25))
    #expect("\(transition)" == "2026-05-03T19:00:00.250Z init → prompted (tryPrompt)")
    let fixture = Fixture(in: .paused)
    let recent = fixture.manager.recentTransitions
    #expect(try JSONDecoder().decode([LocationManager.Transition].self, from: JSONEncoder().encode(recent)) == recent)
    #expect(try JSONDecoder().decode([ReceiverMode].self, from: Data(#"["gps","off"]"#.utf8)) == [.gps, .off])
    #expect(try JSONDecoder().decode([TripRecorder.SignalStrength].self, from: Data(#"["weak"]"#.utf8)) == [.weak])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([LocationMachine.State].self, from: Data(#"["asleep"]"#.utf8))
    }
  }

  @Test("A manager keeps its 32 newest transitions, oldest first")
  func recentTransitions() {
    let fixture = Fixture(in: .acquiring)
    for _ in 0..<20 {
      fixture.manager.pause()
      fixture.manager.resume()
    }
    let recent = fixture.manager.recentTransitions
    #expect(recent.count == 32)
    #expect(recent == fixture.recorder.transitions.suffix(32))
    #expect(recent.last?.to == .acquiring)
  }

  @Test("The store holds the last location, and a new manager reads it")
  func store() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let store = fixture.store
    #expect(store.location != nil && store.location == fixture.manager.location)
    #expect(LocationManager(provider: ScriptedProvider(), store: store).location == store.location)
  }

  /// The state that a command or a report of the permission leads to. Commands and reports that aren't listed for a state have no effect in
  /// it.
  static let targets: [LocationMachine.State: [LocationMachine.Event: LocationMachine.State]] = [
    .initial: [.tryPrompt: .prompted, .forcePrompt: .prompted],
    .prompted: [.authorized: .acquiring, .refused: .denied, .pause: .paused],
    .denied: [.forcePrompt: .prompted, .authorized: .acquiring, .authorizationReset: .initial],
    .waitingSignificantChange: [
      .refused: .denied, .authorizationReset: .initial, .pause: .paused, .forceAcquire: .acquiring,
    ],
    .acquiring: [.refused: .denied, .authorizationReset: .initial, .pause: .paused],
    .paused: [.resume: .acquiring],
  ]

  @Test(
    "A command or a permission report has an effect only in the listed states, and an ignored command has a reason",
    arguments: LocationMachine.State.allCases)
  func targets(state: LocationMachine.State) {
    let inputs: [(LocationMachine.Event, isCommand: Bool, (Fixture) -> Void)] = [
      (.tryPrompt, true, { $0.manager.tryPromptAuthorization() }),
      (.forcePrompt, true, { $0.manager.forcePromptAuthorization() }), (.pause, true, { $0.manager.pause() }),
      (.resume, true, { $0.manager.resume() }), (.forceAcquire, true, { $0.manager.forceAcquireLocation() }),
      (.authorized, false, { $0.provider.decide(.always) }), (.refused, false, { $0.provider.decide(.denied) }),
      (.authorizationReset, false, { $0.provider.decide(.notDetermined) }),
    ]
    for (event, isCommand, act) in inputs {
      let fixture = Fixture(in: state)
      let requests = fixture.provider.commands.count { $0 == "request" }
      let transitions = fixture.recorder.transitions.count
      act(fixture)
      let target = Self.targets[state]?[event]
      #expect(fixture.recorder.transitions.dropFirst(transitions).first?.to == target, "\(event)")
      let requested = fixture.provider.commands.count { $0 == "request" } - requests
      #expect(requested == (target == .prompted ? 1 : 0), "\(event)")
      let reasons = [LocationMachine.reaction(in: state, to: event).reason].compactMap { $0 }
      #expect(fixture.recorder.reasons == (isCommand && target == nil ? reasons : []), "\(event)")
    }
  }

  @Test("A pause and a location are stored after the GPS is off and the listeners are notified")
  func storeComesLast() {
    let fixture = Fixture(in: .acquiring)
    let (manager, provider, store) = (fixture.manager, fixture.provider, fixture.store)
    var events: [String] = []
    store.onWrite = { events.append("written, \(provider.mode)") }
    fixture.recorder.onCall = { events.append($1) }
    provider.fix(5)
    #expect(events == ["acquiring>waitingSignificantChange", "didUpdate 5", "written, significantChanges"])
    events = []
    manager.pause()
    #expect(events == ["waitingSignificantChange>paused", "didPause", "written, off"])
    manager.resume()
    #expect(!store.isPaused)
  }

  @Test("On a drive with a policy of 5 km, significant changes alone deliver locations after the first one")
  func changesAlone() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(
      provider: device,
      policy: AcquisitionPolicy(desiredAccuracy: 5_000, acceptableAccuracy: 5_000, timeLimit: .seconds(15)))
    let recorder = Recorder()
    manager.listeners.add(recorder)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let first = device.energy.gpsOn
    device.advance(by: .seconds(3_600))
    #expect(device.energy.gpsOn == first)
    let changes = recorder.locations.count { $0.source == .significantChange }
    #expect(changes >= 5 && recorder.locations.count == changes + 1)
  }

  @Test("An altitude, speed or course that isn't finite is unknown, and the fix is delivered once and stored")
  func notFinite() throws {
    for invalid in [Double.nan, Double.infinity, -Double.infinity] {
      let fixture = Fixture(in: .acquiring)
      let (provider, recorder) = (fixture.provider, fixture.recorder)
      var fix = provider.location(9)
      (fix.altitude, fix.verticalAccuracy, fix.speed, fix.course) = (invalid, invalid, invalid, invalid)
      (fix.speedAccuracy, fix.courseAccuracy) = (invalid, invalid)
      provider.report(.fixes([fix]))
      let location = try #require(fixture.manager.location)
      #expect(location == Location(latitude: 34.1, longitude: -118.3, horizontalAccuracy: 9, timestamp: fix.timestamp))
      #expect(fixture.store.location == location)
      provider.report(.significantChange(fix))
      provider.report(.fixes([fix]))
      #expect(recorder.locations.count == 1)
      #expect(recorder.rejections == [.notListening])
    }
  }

  @Test("A policy's values can be set one by one, even if the desired accuracy exceeds the acceptable one for a moment")
  func policyInAnyOrder() {
    var policy = AcquisitionPolicy.loco
    policy.desiredAccuracy = 150
    policy.acceptableAccuracy = 300
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.manager.policy.desiredAccuracy = 150
    fixture.manager.policy.acceptableAccuracy = 300
    #expect(fixture.manager.policy == policy)
    fixture.manager.forceAcquireLocation()
    fixture.provider.fix(140)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  #if os(Linux) || os(macOS)
    /// A value out of range, and the words of the error that stops the program.
    enum Misuse: String, CaseIterable, Codable {
      case desired, acceptable, timeLimit, initial, bound, tooSmall, prompt, acceptance

      func commit() {
        let fixture = Fixture(in: .waitingSignificantChange)
        switch self {
        case .desired: fixture.manager.policy.desiredAccuracy = .nan
        case .acceptable: fixture.manager.policy.acceptableAccuracy = -1
        case .timeLimit: fixture.manager.policy.timeLimit = .zero
        case .initial:
          var policy = AcquisitionPolicy.loco
          policy.lookLimits.firstFix = .seconds(86_401)
          _ = LocationManager(provider: ScriptedProvider(), policy: policy)
        case .bound: fixture.manager.errorBound = .infinity
        case .tooSmall: fixture.manager.errorBound = 99
        case .prompt: fixture.manager.promptTimeLimit = .seconds(100_000)
        case .acceptance:
          PowerController(fixture.manager).rules = [.init(.track(TrackingPolicy(requiredAccuracy: .nan)))]
        }
      }

      var words: [String] {
        switch self {
        case .desired: ["desired accuracy", "above 0", "not nan"]
        case .acceptable: ["acceptable accuracy", "above 0", "not -1.0"]
        case .timeLimit: ["time limit", "more than 0", "not 0.0 s"]
        case .initial: ["time limit of a look", "at most a day", "not 86401.0 s"]
        case .bound: ["error bound", "finite", "not inf"]
        case .tooSmall: ["error bound", "100 m or more", "not 99.0"]
        case .prompt: ["prompt's time limit", "at most a day", "not 100000.0 s"]
        case .acceptance: ["required accuracy", "above 0", "not nan"]
        }
      }
    }

    @Test(
      "A value out of range stops the program with an error that names the value and its limit",
      arguments: Misuse.allCases)
    func misuse(_ misuse: Misuse) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.commit()
      }
      let sentence = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      for words in misuse.words { #expect(sentence.contains(words), "\(sentence)") }
    }
  #endif

  @Test("A listener that forces an acquisition at each update keeps the GPS on, and the transitions name the cause")
  func forcedWithEachUpdate() {
    // Without slow starts no acquisition fails. A failure would end the chain.
    var configuration = SimulatedProvider.Configuration()
    configuration.receiver.hasSlowStarts = false
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let manager = LocationManager(provider: device)
    let token = manager.listeners.add(onUpdate: { [weak manager] _ in manager?.forceAcquireLocation() })
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let before = device.energy.gpsOn
    device.advance(by: .seconds(1_200))
    #expect(device.energy.gpsOn - before > .seconds(1_190))
    let causes = Set(manager.recentTransitions.filter { $0.to == .acquiring }.map(\.event))
    #expect(causes == [.forceAcquire])
    withExtendedLifetime(token) {}
  }

  @Test("A manager that is released turns everything off")
  func letGo() {
    let provider = ScriptedProvider(.always)
    var manager: LocationManager? = LocationManager(provider: provider)
    manager?.tryPromptAuthorization()
    #expect(provider.commands == ["off", "request", "gps"])
    manager = nil
    #expect(provider.mode == .off)
    #expect(provider.timer == nil)
    #expect(provider.onReport == nil)
  }

  @Test("A manager uses the provider's policy unless the app sets one")
  func policy() {
    let provider = ScriptedProvider()
    provider.recommendedPolicy = .standaloneReceiver
    #expect(LocationManager(provider: provider).policy == .standaloneReceiver)
    #expect(LocationManager(provider: provider, policy: .loco).policy == .loco)
  }

  @MainActor
  @Test("Each of two streams receives a location, and another stream the transition")
  func streams() async throws {
    let fixture = Fixture(in: .acquiring)
    let streams = [fixture.manager.updates, fixture.manager.updates]
    let transitions = fixture.manager.transitions
    fixture.provider.fix(5)
    let location = try #require(fixture.manager.location)
    for stream in streams {
      #expect(try await elements(stream, 1) == [location])
    }
    #expect(try await elements(transitions, 1).map(\.to) == [.waitingSignificantChange])
  }

  @MainActor
  @Test("A slow consumer receives the 16 newest locations, and the stream ends with the manager")
  func slowConsumer() async throws {
    var fixture: Fixture? = Fixture(in: .acquiring)
    let updates = try #require(fixture?.manager.updates)
    for number in 0..<20 {
      fixture?.provider.fix(Double(10) - Double(number) / 10)
      fixture?.provider.pass(60)
      fixture?.manager.forceAcquireLocation()
    }
    fixture = nil
    let accuracies = try await elements(updates).map(\.horizontalAccuracy)
    #expect(accuracies.count == 16)
    #expect(accuracies.last == 8.1)
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@Suite("The location manager")
struct LocationManagerTests {
  @Test("does nothing before the app asks, whatever the system reports")
  func nothingBeforeAsking() {
    let provider = ScriptedProvider(.always)
    let manager = LocationManager(provider: provider)
    provider.decide(.always)
    provider.report(.significantChange(nil))
    provider.fix(5)
    provider.report(.timer)
    manager.pause()
    manager.resume()
    manager.forceAcquireLocation()
    #expect(manager.state == .initial)
    #expect(provider.mode == .off)
    #expect(manager.location == nil)
  }

  @Test("asks, is granted, acquires, and sleeps; listeners hear each step in order")
  func firstRun() {
    let fixture = Fixture(in: .initial)
    fixture.manager.tryPromptAuthorization()
    #expect(fixture.recorder.take() == ["init>prompted"])
    fixture.provider.report(.promptShown)
    #expect(fixture.recorder.take() == ["didPromptAccess"])
    fixture.provider.decide(.whenInUse)
    #expect(
      fixture.recorder.take() == ["prompted>acquiring", "didGrantAccess", "didChangeAuthorization whenInUse"])
    fixture.provider.pass(3)
    fixture.provider.fix(40)
    fixture.provider.fix(9)
    #expect(fixture.recorder.take() == ["acquiring>waitingSignificantChange", "didUpdate"])
    #expect(fixture.manager.location?.horizontalAccuracy == 9)
    #expect(fixture.provider.commands == ["off", "request", "gps", "significantChanges"])
  }

  @Test(
    "says that a prompt is shown where it has asked, and not where the system shows another one",
    arguments: LocationState.allCases)
  func promptShown(state: LocationState) {
    let fixture = Fixture(in: state)
    fixture.provider.report(.promptShown)
    #expect(fixture.recorder.calls == (state == .prompted ? ["didPromptAccess"] : []))
  }

  @Test("passes through prompted at once where the permission is given, without a word of a prompt")
  func alreadyGranted() {
    let provider = ScriptedProvider(.always)
    let manager = LocationManager(provider: provider)
    let recorder = Recorder()
    manager.listeners.add(recorder)
    manager.tryPromptAuthorization()
    #expect(manager.state == .acquiring)
    #expect(recorder.calls == ["init>prompted", "prompted>acquiring", "didGrantAccess"])
  }

  @Test("is in denied at once where the permission was refused, and asks again only when forced")
  func alreadyDenied() {
    let provider = ScriptedProvider(.denied)
    let manager = LocationManager(provider: provider)
    manager.tryPromptAuthorization()
    #expect(manager.state == .denied)
    manager.tryPromptAuthorization()
    #expect(provider.commands.count { $0 == "request" } == 1)
    provider.authorization = .always
    manager.forcePromptAuthorization()
    #expect(manager.state == .acquiring)
  }

  @Test("treats a restricted device as a refusal")
  func restricted() {
    let fixture = Fixture(in: .prompted)
    fixture.provider.decide(.restricted)
    #expect(fixture.manager.state == .denied)
    #expect(fixture.manager.authorization == .restricted)
  }

  @Test("gives up a prompt that nobody answers, with everything off")
  func promptExpires() {
    let fixture = Fixture(in: .prompted)
    fixture.provider.pass(59)
    #expect(fixture.manager.state == .prompted)
    fixture.provider.pass(1)
    #expect(fixture.manager.state == .initial)
    #expect(fixture.recorder.take() == ["prompted>init", "promptDidExpire"])
    #expect(fixture.provider.timer == nil)
  }

  @Test("hears of a refusal in every state that has something on, and of a permission restored")
  func refusal() {
    for state in [LocationState.waitingSignificantChange, .acquiring] {
      let fixture = Fixture(in: state)
      fixture.provider.decide(.denied)
      #expect(fixture.manager.state == .denied)
      #expect(fixture.provider.mode == .off)
      #expect(fixture.recorder.take().contains("didDenyAccess"))
      fixture.provider.decide(.always)
      #expect(fixture.manager.state == .acquiring)
      #expect(fixture.recorder.take().contains("didGrantAccess"))
    }
  }

  @Test("takes an error that says access is denied for a refusal, before the status changes")
  func deniedByError() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.report(.failure(.accessDenied))
    #expect(fixture.manager.state == .denied)
    #expect(fixture.provider.mode == .off)
  }

  @Test("begins anew when the permission is undecided again")
  func reset() {
    for state in [LocationState.waitingSignificantChange, .acquiring, .denied] {
      let fixture = Fixture(in: state)
      fixture.provider.decide(.notDetermined)
      #expect(fixture.manager.state == .initial)
      #expect(fixture.provider.mode == .off)
    }
  }

  @Test("stays paused whatever happens to the permission, shows it, and finds it out on resuming")
  func pauseIsSticky() {
    for (authorization, state) in [
      (Authorization.denied, LocationState.denied), (.notDetermined, .initial), (.whenInUse, .acquiring),
    ] {
      let fixture = Fixture(in: .paused)
      fixture.provider.decide(authorization)
      fixture.provider.report(.significantChange(nil))
      fixture.provider.fix(3)
      #expect(fixture.manager.state == .paused)
      #expect(fixture.provider.mode == .off)
      #expect(fixture.manager.authorization == authorization)
      fixture.manager.resume()
      #expect(fixture.manager.state == state)
    }
  }

  @Test("wakes on a significant change, and goes back to sleep when the time is over")
  func wake() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.report(.significantChange(fixture.provider.location(900)))
    #expect(
      fixture.recorder.take() == ["waitingSignificantChange>acquiring", "didDetectSignificantChange"])
    fixture.provider.pass(5)
    fixture.provider.fix(60)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.pass(10)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.recorder.take() == ["acquiring>waitingSignificantChange", "didUpdate"])
    #expect(fixture.manager.location?.horizontalAccuracy == 60)
  }

  @Test("a wake takes fixes from after the change itself, though they are from before it was told")
  func triggerIsTheChange() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.report(.significantChange(fixture.provider.location(900, age: 20)))
    fixture.provider.fix(9, age: 21)
    #expect(fixture.recorder.rejections == [.beforeTrigger])
    fixture.provider.fix(9, age: 10)
    #expect(fixture.recorder.rejections == [.beforeTrigger])
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("fails where the best fix in time is not acceptable, and says how good it was")
  func timeLimit() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.fix(101)
    fixture.provider.pass(15)
    #expect(fixture.recorder.failures.first.map { "\($0)" } == "The best fix in time was accurate to 101.0 m only.")
    #expect(fixture.manager.location == nil)
  }

  @Test("reads whether the time is over at every report, even where the timer never fires")
  func timerIsMissing() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.pass(100, timerFires: false)
    fixture.provider.report(.failure(.locationUnknown))
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("does not take a timer for more than a wake: one that fires early changes nothing")
  func timerIsEarly() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.pass(3)
    fixture.provider.report(.timer)
    #expect(fixture.manager.state == .acquiring)
    #expect(fixture.provider.timer == .seconds(15))
  }

  @Test("judges all fixes of a batch before it looks at the clock")
  func batch() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.pass(100, timerFires: false)
    let batch = [
      fixture.provider.location(40, age: 90), fixture.provider.location(80, age: 5), fixture.provider.location(30),
    ]
    fixture.provider.report(.fixes(batch))
    #expect(fixture.recorder.rejections == [.stale])
    #expect(fixture.manager.location == batch[2])
  }

  @Test("fails after five errors in a row, and not when a fix comes between them")
  func errors() {
    let fixture = Fixture(in: .acquiring)
    for _ in 0..<4 { fixture.provider.report(.failure(.other("x"))) }
    fixture.provider.fix(50)
    for _ in 0..<4 { fixture.provider.report(.failure(.other("x"))) }
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.report(.failure(.other("x")))
    #expect(fixture.recorder.failures == [.tooManyErrors])
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("gives every fix a verdict: outside an acquisition nobody listens")
  func notListening() {
    for state in LocationState.allCases where state != .acquiring {
      let fixture = Fixture(in: state)
      fixture.provider.fix(5)
      #expect(fixture.recorder.take() == ["didReject notListening"])
    }
  }

  @Test("tells of a jump and does not deliver it; a second fix that agrees is delivered")
  func jump() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let last = fixture.manager.location
    fixture.manager.forceAcquireLocation()
    _ = fixture.recorder.take()
    fixture.provider.fix(5, latitude: 52.5, longitude: 13.4)
    #expect(fixture.recorder.take() == ["didReject implausibleSpeed"])
    #expect(fixture.manager.location == last && fixture.manager.state == .acquiring)
    fixture.provider.pass(1)
    fixture.provider.fix(6, latitude: 52.5, longitude: 13.4)
    #expect(fixture.recorder.take() == ["acquiring>waitingSignificantChange", "didUpdate"])
    #expect(fixture.manager.location?.latitude == 52.5)
  }

  @Test("a jump while the GPS stays on is told, and given to nobody")
  func jumpWhileTracking() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let demand = fixture.manager.want(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 50, distanceFilter: 0))))
    fixture.provider.fix(5)
    fixture.provider.pass(1)
    fixture.provider.fix(5, latitude: 34.2)
    fixture.provider.pass(1)
    fixture.provider.fix(5)
    #expect(fixture.recorder.locations.map(\.latitude) == [34.1, 34.1, 34.1])
    #expect(fixture.recorder.rejections == [.implausibleSpeed])
    fixture.manager.end(demand)
  }

  @Test("ignores wakes for the cool-down after an acquisition, and not for longer")
  func coolDown() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.pass(15)
    #expect(fixture.manager.state == .waitingSignificantChange)
    fixture.provider.pass(29)
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.manager.state == .waitingSignificantChange)
    fixture.provider.pass(1)
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.manager.state == .acquiring)
  }

  @Test("forces an acquisition during the cool-down, and joins one that is running")
  func force() {
    let fixture = Fixture(in: .acquiring)
    fixture.manager.forceAcquireLocation()
    #expect(fixture.recorder.take() == ["didIgnore forceAcquire"])
    fixture.provider.fix(5)
    _ = fixture.recorder.take()
    fixture.manager.forceAcquireLocation()
    #expect(fixture.recorder.take() == ["waitingSignificantChange>acquiring", "didForceAcquire"])
  }

  @Test("sets its state and commands the hardware before any listener hears of it")
  func order() {
    let fixture = Fixture(in: .initial)
    fixture.recorder.onCall = { [provider = fixture.provider] manager, call in
      #expect(provider.mode == manager.state.mode, "\(call)")
      if call.contains(">") { #expect(call.hasSuffix(">" + manager.state.rawValue)) }
    }
    fixture.manager.tryPromptAuthorization()
    fixture.provider.decide(.always)
    fixture.provider.fix(5)
    fixture.provider.pass(60)
    fixture.provider.report(.significantChange(nil))
    fixture.manager.pause()
    fixture.manager.resume()
    fixture.provider.decide(.denied)
    #expect(fixture.recorder.calls.count > 10)
  }

  @Test("lets a command of a listener wait until all listeners have heard of the event")
  func reentrancy() {
    let fixture = Fixture(in: .acquiring)
    let second = Recorder()
    fixture.manager.listeners.add(second)
    fixture.recorder.onCall = { manager, call in
      if call == "didUpdate" {
        manager.pause()
        #expect(manager.state == .waitingSignificantChange)
      }
    }
    fixture.provider.fix(5)
    #expect(fixture.manager.state == .paused)
    let heard = ["acquiring>waitingSignificantChange", "didUpdate", "waitingSignificantChange>paused", "didPause"]
    #expect(fixture.recorder.take() == heard)
    #expect(second.take() == heard)
  }

  #if os(Linux) || os(macOS)
    @Test("stops a program whose listeners answer each other for ever")
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

  @Test("its transitions are lines to read, and can be written and read back with states and modes")
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
      try JSONDecoder().decode([LocationState].self, from: Data(#"["asleep"]"#.utf8))
    }
  }

  @Test("remembers its newest transitions, up to a bound, oldest first")
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

  @Test("keeps the last location in the store, and finds it there")
  func store() {
    let provider = ScriptedProvider(.always)
    let store = MemoryStore()
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    provider.fix(8)
    #expect(store.location == manager.location)
    #expect(LocationManager(provider: ScriptedProvider(), store: store).location == store.location)
  }

  @Test("says which command it ignores, in every state, with the table's reason", arguments: LocationState.allCases)
  func ignoredCommands(state: LocationState) {
    let commands: [(LocationMachine.Event, (LocationManager) -> Void)] = [
      (.tryPrompt, { $0.tryPromptAuthorization() }), (.forcePrompt, { $0.forcePromptAuthorization() }),
      (.pause, { $0.pause() }), (.resume, { $0.resume() }), (.forceAcquire, { $0.forceAcquireLocation() }),
    ]
    for (event, command) in commands {
      let fixture = Fixture(in: state)
      command(fixture.manager)
      if let reason = LocationMachine.reaction(in: state, to: event).reason {
        #expect(fixture.recorder.calls == ["didIgnore \(event.rawValue)"])
        #expect(fixture.recorder.reasons == [reason])
      } else {
        #expect(fixture.recorder.reasons.isEmpty && !fixture.recorder.transitions.isEmpty)
      }
    }
  }

  /// A store that looks at the receiver whenever it is written.
  private final class WatchingStore: LocationStore {
    private let provider: ScriptedProvider
    private(set) var modes: [ReceiverMode] = []
    var location: Location? { didSet { modes.append(provider.mode) } }
    var isPaused = false { didSet { modes.append(provider.mode) } }
    init(_ provider: ScriptedProvider) { self.provider = provider }
  }

  @Test("turns the receiver off before it writes to the store: a pause, and a location")
  func storeComesLast() {
    let provider = ScriptedProvider(.always)
    let store = WatchingStore(provider)
    let manager = LocationManager(provider: provider, store: store)
    let recorder = Recorder()
    manager.listeners.add(recorder)
    var written: [Int] = []
    recorder.onCall = { _, _ in written.append(store.modes.count) }
    manager.tryPromptAuthorization()
    provider.fix(5)
    #expect(store.modes == [.significantChanges])
    manager.pause()
    #expect(store.modes == [.significantChanges, .off])
    #expect(written == [0, 0, 0, 0, 0, 1, 1], "and everybody has been told")
    manager.resume()
    #expect(!store.isPaused)
  }

  @Test(
    "tells how the device moves, when that changes, in every state but while paused",
    arguments: [LocationState.initial, .prompted, .denied, .waitingSignificantChange, .acquiring, .paused])
  func motion(state: LocationState) {
    let fixture = Fixture(in: state)
    #expect(fixture.manager.motion == nil)
    for motion in [Motion.still, .still, .walking] { fixture.provider.report(.motion(motion)) }
    #expect(fixture.manager.motion == .walking)
    #expect(fixture.recorder.take() == (state == .paused ? [] : ["didChangeMotion still", "didChangeMotion walking"]))
    // A sensor that is off says nothing of how the device moves.
    fixture.provider.report(.wakeSources([.significantChanges, .motion]))
    #expect(fixture.manager.motion == .walking)
    fixture.provider.report(.wakeSources(.significantChanges))
    #expect(fixture.manager.motion == nil && fixture.manager.state == state)
  }

  @Test(
    "tells of the battery, when that changes, in every state but while paused",
    arguments: [LocationState.initial, .prompted, .denied, .waitingSignificantChange, .acquiring, .paused])
  func battery(state: LocationState) {
    let fixture = Fixture(in: state)
    #expect(fixture.manager.battery == nil)
    let half = LocationManager.BatteryStatus(level: 0.5, state: .unplugged)
    for battery in [
      half, half, LocationManager.BatteryStatus(level: 0.5, state: .charging),
      LocationManager.BatteryStatus(level: 1.1, state: nil),
    ] {
      fixture.provider.report(.battery(battery))
    }
    #expect(fixture.manager.battery == LocationManager.BatteryStatus(level: nil, state: nil))
    let calls = ["didChangeBattery 0.5 unplugged", "didChangeBattery 0.5 charging", "didChangeBattery -1.0 unknown"]
    #expect(fixture.recorder.take() == (state == .paused ? [] : calls))
    // A level that is not a number is unknown, too: it is no news.
    fixture.provider.report(.battery(LocationManager.BatteryStatus(level: .nan, state: nil)))
    #expect(fixture.recorder.calls.isEmpty && fixture.manager.state == state)
  }

  /// The accuracy and age of a significant change's location, by how many degrees it is north, and whether it is delivered.
  static let changes: [(Double, Double, Double, Bool)] = [
    (1_000, 0, 0, true), (1_000, 30, 0, true), (0, 0, 0, true), (1_000.1, 0, 0, false), (-1, 0, 0, false),
    (900, 30.1, 0, false), (900, -1, 0, true), (900, -1.1, 0, false), (900, 0, 0.2, true), (900, 0, 1, false),
    (900, 0, 60, false),
  ]

  @Test("delivers a significant change that satisfies the policy, and turns nothing on", arguments: changes)
  func change(accuracy: Double, age: Double, north: Double, isDelivered: Bool) {
    let policy = AcquisitionPolicy(desiredAccuracy: 1_000, acceptableAccuracy: 3_000, timeLimit: .seconds(15))
    let fixture = Fixture(in: .waitingSignificantChange, policy: policy)
    var change = fixture.provider.location(accuracy, age: age, latitude: 34.1 + north)
    fixture.provider.report(.significantChange(change))
    change.source = .significantChange
    #expect((fixture.manager.location == change) == isDelivered)
    #expect(fixture.provider.mode == (isDelivered ? .significantChanges : .gps))
    #expect(fixture.recorder.calls.contains("didDetectSignificantChange") == !isDelivered)
    #expect(fixture.recorder.calls.contains("didUpdate") == isDelivered)
    guard isDelivered else { return }
    // A later one is delivered too: nothing was on that needs a cool-down.
    fixture.provider.pass(5)
    fixture.provider.report(.significantChange(fixture.provider.location(900, latitude: 34.1 + north)))
    #expect(fixture.recorder.locations.count == 3 && fixture.provider.mode == .significantChanges)
  }

  @Test("delivers no significant change in the cool-down, and looks where it has no location or an old one")
  func changeIsOld() {
    let policy = AcquisitionPolicy(desiredAccuracy: 1_000, acceptableAccuracy: 3_000, timeLimit: .seconds(15))
    let fixture = Fixture(in: .acquiring, policy: policy)
    fixture.provider.fix(9)
    fixture.provider.pass(29)
    fixture.provider.report(.significantChange(fixture.provider.location(500)))
    #expect(fixture.recorder.locations.count == 1 && fixture.provider.mode == .significantChanges)
    fixture.provider.pass(1)
    fixture.provider.report(.significantChange(fixture.provider.location(500, age: 30)))
    #expect(fixture.provider.mode == .gps, "it is as old as the last location")
    fixture.provider.fix(9)
    fixture.provider.pass(60)
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.provider.mode == .gps)
  }

  @Test("follows significant changes without the GPS on a drive, where some kilometres are good enough")
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

  @Test("delivers a significant change of reduced accuracy as such")
  func reducedChange() {
    var policy = AcquisitionPolicy.loco
    policy.acceptsReducedAccuracy = true
    let fixture = Fixture(in: .waitingSignificantChange, policy: policy)
    var change = fixture.provider.location(5_000, age: 40)
    change.source = .reduced
    fixture.provider.report(.significantChange(change))
    #expect(fixture.manager.location == change && fixture.provider.mode == .significantChanges)
  }

  @Test("takes an altitude, a speed or a course that is not finite for unknown, and tells of a fix once")
  func notFinite() throws {
    for invalid in [Double.nan, Double.infinity, -Double.infinity] {
      let provider = ScriptedProvider(.always)
      let store = MemoryStore()
      let manager = LocationManager(provider: provider, store: store)
      let recorder = Recorder()
      manager.listeners.add(recorder)
      manager.tryPromptAuthorization()
      _ = recorder.take()
      var fix = provider.location(9)
      (fix.altitude, fix.verticalAccuracy, fix.speed, fix.course) = (invalid, invalid, invalid, invalid)
      (fix.speedAccuracy, fix.courseAccuracy) = (invalid, invalid)
      provider.report(.fixes([fix]))
      let location = try #require(manager.location)
      #expect(location == Location(latitude: 34.1, longitude: -118.3, horizontalAccuracy: 9, timestamp: fix.timestamp))
      #expect(store.location == location)
      provider.report(.significantChange(fix))
      provider.report(.fixes([fix]))
      #expect(recorder.calls.count { $0 == "didUpdate" } == 1)
      #expect(recorder.rejections == [.notListening])
    }
  }

  @Test("is told of a fix with a NaN altitude once, where somebody tracks too")
  func notFiniteTracked() {
    let fixture = Fixture(in: .acquiring)
    let trackers = fixture.manager.want(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 100, distanceFilter: 0))))
    var fix = fixture.provider.location(50)
    fix.altitude = .nan
    fixture.provider.report(.fixes([fix]))
    #expect(fixture.recorder.take() == ["didUpdate"])
    fixture.manager.end(trackers)
  }

  @Test("takes a policy whose values are set one after the other, in any order")
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

  @Test("takes an acceptable accuracy below the desired one, which has no effect")
  func acceptableBelowDesired() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.manager.policy.acceptableAccuracy = 1
    fixture.manager.forceAcquireLocation()
    fixture.provider.fix(11)
    fixture.provider.pass(15)
    #expect(fixture.recorder.failures.count == 1)
    fixture.manager.forceAcquireLocation()
    fixture.provider.fix(10)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 10])
  }

  #if os(Linux) || os(macOS)
    /// Setting a value that is out of range, and what the trap's sentence must contain.
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
          let source = PowerController.Source(.init(isInForeground: false, power: .external))
          PowerController(fixture.manager, source: source).acceptance.requiredAccuracy = .nan
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
      "stops a program where a value is set that is out of range, and names the value and the limit",
      arguments: Misuse.allCases)
    func misuse(_ misuse: Misuse) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.commit()
      }
      let sentence = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      for words in misuse.words { #expect(sentence.contains(words), "\(sentence)") }
    }
  #endif

  @Test("an acquisition that is forced again with each update keeps the GPS on, and each transition says why")
  func forcedWithEachUpdate() {
    final class Insatiable: LocationManagerListener {
      func locationManager(_ manager: LocationManager, didUpdate location: Location) { manager.forceAcquireLocation() }
    }
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let listener = Insatiable()
    manager.listeners.add(listener)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let before = device.energy.gpsOn
    device.advance(by: .seconds(1_200))
    #expect(device.energy.gpsOn - before > .seconds(1_190))
    let causes = Set(manager.recentTransitions.filter { $0.to == .acquiring }.map(\.event))
    #expect(causes == [.forceAcquire])
    withExtendedLifetime(listener) {}
  }

  @Test("turns everything off when it is let go")
  func letGo() {
    let provider = ScriptedProvider(.always)
    var manager: LocationManager? = LocationManager(provider: provider)
    manager?.tryPromptAuthorization()
    #expect(provider.mode == .gps)
    manager = nil
    #expect(provider.mode == .off)
    #expect(provider.timer == nil)
    #expect(provider.onReport == nil)
  }

  @Test("takes the provider's policy unless it is given one")
  func policy() {
    let provider = ScriptedProvider()
    provider.recommendedPolicy = .standaloneReceiver
    #expect(LocationManager(provider: provider).policy == .standaloneReceiver)
    #expect(LocationManager(provider: provider, policy: .loco).policy == .loco)
  }

  @MainActor
  @Test("gives its locations and transitions to any number of async consumers")
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
  @Test("keeps the newest for a slow consumer, and ends its streams with itself")
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

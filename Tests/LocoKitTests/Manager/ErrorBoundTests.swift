import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("A manager with an error bound", .covers(LookMachine.self))
struct ErrorBoundTests {
  @Test("The planner knows the receiver of a policy that the app sets later, and of one that it sets before the bound")
  func policyOfAReceiver() {
    for isEarly in [false, true] {
      let manager = LocationManager(provider: ScriptedProvider(.always))
      if isEarly { manager.policy = .standaloneReceiver }
      manager.errorBound = 500
      #expect(manager.core.planner?.settings.isAssisted == !isEarly)
      manager.policy = .standaloneReceiver
      #expect(manager.core.planner?.settings.isAssisted == false)
      manager.policy = .loco
      #expect(manager.core.planner?.settings.isAssisted == true)
    }
  }

  @Test(
    "The planner learns how long looks take, but not how long a requested location takes", arguments: [false, true])
  func durations(isForced: Bool) throws {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .timer]
    let manager = LocationManager(provider: provider)
    manager.policy = .standaloneReceiver
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    provider.fix(9)
    let lead = try #require(manager.core.planner).looks.lead
    if isForced { manager.forceAcquireLocation() } else { provider.passUntilTimer() }
    #expect(manager.state == .acquiring)
    for _ in 0..<20 { provider.pass(1) }
    provider.fix(9)
    #expect(manager.state == .waitingSignificantChange)
    #expect((manager.core.planner?.looks.lead == lead) == isForced)
  }

  /// A drive along a route, with two sorted lists: the errors of the last location and of the estimate at each second that has one.
  private struct Drive {
    let device: SimulatedProvider
    let manager: LocationManager
    let recorder = Recorder()
    var errors: [Double] = []
    var estimates: [Double] = []

    init(_ sources: Set<WakeKind>, seed: UInt64 = 1, bound: Double?, seconds: Int = 1_800) {
      var configuration = SimulatedProvider.Configuration()
      configuration.wakeSources = sources
      // The receiver of a Linux device, where apps get cells and timers: no fixes from a network, and a hot start.
      configuration.receiver = .standalone
      configuration.receiver.firstStart = .hot
      device = SimulatedProvider(route: .losAngeles, seed: seed, configuration: configuration)
      manager = LocationManager(provider: device)
      manager.listeners.add(recorder)
      manager.errorBound = bound
      manager.tryPromptAuthorization()
      for _ in 0..<seconds {
        device.advance(by: .seconds(1))
        guard let location = manager.location else { continue }
        errors.append(location.distance(to: device.position))
        if let estimate = manager.estimate { estimates.append(estimate.distance(to: device.position)) }
      }
      errors.sort()
      estimates.sort()
    }
  }

  private static let sensors: Sources = [.significantChange, .cell, .motion, .timer]

  @Test(
    "95 % of the last location's errors are within the bound, and its median error is larger than the estimate's",
    arguments: [200.0, 500, 1_000])
  func within(bound: Double) {
    let drive = Drive(Self.sensors.kinds, bound: bound)
    #expect(drive.errors[drive.errors.count * 95 / 100] <= bound)
    #expect(drive.recorder.looks.contains(.bound))
    #expect(drive.estimates[drive.estimates.count / 2] < drive.errors[drive.errors.count / 2])
    // By Loco's rule the GPS is on for 70 s, and the error is 3 km.
    #expect(drive.device.energy.gpsOn < .seconds(bound == 200 ? 1_400 : 500))
  }

  @Test(
    "Without a bound, cells, region exits and timers change no transition", arguments: [1, 2, 3] as [UInt64])
  func none(seed: UInt64) {
    let plain = Drive([.significantChange], seed: seed, bound: nil)
    let all = Drive([.significantChange, .cell, .regionExit, .timer], seed: seed, bound: nil)
    #expect(plain.recorder.transitions == all.recorder.transitions && plain.recorder.looks.isEmpty)
    #expect(all.manager.estimate == nil)
  }

  @Test("A smaller bound causes more looks, and without a bound there are none")
  func changed() {
    let drive = Drive(Self.sensors.kinds, bound: 3_000, seconds: 300)
    let looks = drive.recorder.looks.count
    drive.manager.errorBound = 500
    #expect(drive.manager.errorBound == 500)
    drive.device.advance(by: .seconds(120))
    #expect(drive.recorder.looks.count > looks + 3)
    drive.manager.errorBound = nil
    let before = drive.recorder.looks.count
    drive.device.advance(by: .seconds(600))
    #expect(drive.recorder.looks.count == before && drive.manager.estimate == nil)
  }

  @Test("A bound that is set after the first location starts a look immediately")
  func setLate() {
    let drive = Drive(Self.sensors.kinds, bound: nil, seconds: 60)
    #expect(drive.manager.state == .waitingSignificantChange)
    drive.manager.errorBound = 500
    #expect(drive.manager.state == .acquiring && drive.recorder.looks == [.bound])
  }

  @Test("A bound that is set in a callback is read back immediately")
  func read() {
    let fixture = Fixture(in: .initial)
    var read: [Double?] = []
    fixture.recorder.onCall = { manager, _ in
      for bound in [300, nil] as [Double?] {
        manager.errorBound = bound
        read.append(manager.errorBound)
      }
    }
    fixture.manager.errorBound = 500
    fixture.manager.tryPromptAuthorization()
    #expect(read == [300, nil])
    #expect(fixture.manager.errorBound == nil)
  }

  @Test("A target that is set in a callback is read back immediately, and the planner uses it")
  func targetInAListener() {
    let fixture = Fixture(in: .initial)
    var read: LocationManager.BoundTarget?
    fixture.recorder.onCall = { manager, _ in
      manager.boundTarget = .estimate
      read = manager.boundTarget
    }
    fixture.manager.errorBound = 500
    fixture.manager.tryPromptAuthorization()
    #expect(read == .estimate && fixture.manager.core.planner?.settings.target == .estimate)
  }

  @Test("The minimum error bound can be set")
  func smallest() {
    let manager = LocationManager(provider: ScriptedProvider())
    manager.errorBound = LocationManager.minimumErrorBound
    #expect(manager.errorBound == 100)
  }

  @Table static var behaviors: [Behavior] {
    Behavior(
      "A region is armed around each fix and removed by a pause, and an earlier launch's region stays until a fix",
      in: .initial, authorization: .always, sources: [.significantChange, .regionExit], .bound(200),
      .prompt => "prompted, acquiring, didGrantAccess", .expect(\.provider.radii, []),
      .fix(10) => "waitingSignificantChange, didUpdate 10", .expect(\.provider.radii, [100]), .wait(60),
      .report(.regionExit) => "acquiring, didBeginLook regionExit", .expect(\.provider.radii, [100]),
      .fix(10) => "waitingSignificantChange, didUpdate 10", .expect(\.provider.radii, [100, 100]),
      .expect(\.provider.regions[1]?.latitude, 34.1), .expect(\.provider.regions[0]?.latitude, 34.1),
      .pause => "paused, didPause", .expect(\.provider.radii, [100, 100, nil]), .resume => "acquiring, didResume",
      .wait(1), .fix(10) => "waitingSignificantChange, didUpdate 10",
      .expect(\.provider.radii, [100, 100, nil, 100]), .bound(nil),
      .expect(\.provider.radii, [100, 100, nil, 100, nil]))
    // At 5 m/s the device goes 85 % of the bound in 85 s, and the assumed duration of a look is 3.5 s.
    Behavior(
      "A cancelled request doesn't count as a failed look: the next look isn't postponed", in: .initial,
      authorization: .always, sources: sensors, .bound(500), .prompt => "prompted, acquiring, didGrantAccess",
      .report(.motion(.walking)) => "didChangeMotion walking", .fix(10) => "waitingSignificantChange, didUpdate 10",
      .expect(\.provider.timer, .milliseconds(81_502)), .acquire(5) => "acquiring, didForceAcquire", .wait(5),
      .cancel => "waitingSignificantChange, didFailToAcquire cancelled",
      .expect(\.provider.timer, .milliseconds(81_502)),
      .waitForTimer => "acquiring, didBeginLook bound")
    Behavior(
      "A receiver that stays on has the accuracy and the time limit of a look, not those of the app's policy",
      in: .initial, authorization: .always, sources: sensors, .bound(100),
      .prompt => "prompted, acquiring, didGrantAccess", .report(.motion(.vehicle)) => "didChangeMotion vehicle",
      .wait(1), .fix(30, speed: 30) => "didUpdate 30", .wait(1), .fix(30, north: 30, speed: 30) => "didUpdate 30",
      .wait(1), .fix(30, north: 60, speed: 30) => "didUpdate 30", .wait(1),
      .fix(30, north: 90, speed: 30) => "didUpdate 30", .wait(1), .fix(30, north: 120, speed: 30) => "didUpdate 30",
      .wait(8) => "waitingSignificantChange, didFailToAcquire timeLimit")
  }

  @Test("Listeners and the provider receive what each row says", arguments: behaviors)
  func behaves(_ behavior: Behavior) async { await behavior.check() }

  @Test("The planner learns the duration of a look from looks, not from the intervals between tracked locations")
  func lead() {
    let fixture = Fixture(in: .initial, authorization: .always, sources: Self.sensors.kinds)
    let (manager, provider, recorder) = (fixture.manager, fixture.provider, fixture.recorder)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    provider.report(.motion(.walking))
    provider.fix(10)
    var iterator: LocationManager.Tracking.Iterator? = manager.track().makeAsyncIterator()
    for number in 1...20 {
      provider.pass(number == 1 ? 1 : 10)
      provider.fix(10, latitude: 34.1 + Double(number) * 100 / 111_195)
    }
    iterator = nil
    provider.pass(1)
    provider.fix(10, latitude: 34.1 + 2_010 / 111_195)
    #expect(iterator == nil && manager.state == .waitingSignificantChange)
    provider.passUntilTimer()
    #expect(recorder.looks == [.bound])
    provider.pass(8)
    #expect(manager.state == .waitingSignificantChange, "a look after a recent fix takes 8 s at most")
  }

  /// The state of an app when it is terminated.
  enum Moment: CaseIterable { case firstSearch, asleep, look, tracked }

  @Test(
    "An app that is terminated is relaunched and finds its location", arguments: Moment.allCases,
    [nil, 500] as [Double?])
  func ended(moment: Moment, bound: Double?) {
    for seed in 0..<8 as Range<UInt64> {
      let device = SimulatedProvider(route: .losAngeles, seed: seed)
      var manager = LocationManager(provider: device)
      var launches = 0
      func begin() {
        manager.errorBound = bound
        manager.tryPromptAuthorization()
      }
      device.onRelaunch = {
        launches += 1
        manager = LocationManager(provider: device)
        begin()
      }
      begin()
      func isNow() -> Bool {
        switch moment {
        case .firstSearch: manager.state == .acquiring && manager.location == nil
        case .asleep: manager.state == .waitingSignificantChange
        case .look, .tracked: manager.state == .acquiring && manager.location != nil
        }
      }
      device.advance(by: .milliseconds(500))
      for _ in 0..<100 where !isNow() && (moment == .firstSearch || moment == .asleep) {
        device.advance(by: .milliseconds(500))
      }
      if moment == .look || moment == .tracked { device.advance(by: .seconds(60)) }
      if moment == .look {
        // The first acquisition may have failed.
        for _ in 0..<10 where manager.location == nil {
          manager.forceAcquireLocation()
          device.advance(by: .seconds(60))
        }
        manager.forceAcquireLocation()
      }
      if moment == .tracked {
        _ = manager.demand(.every(TrackFilter(desiredAccuracy: 50)))
        device.advance(by: .seconds(30))
      }
      #expect(isNow(), "seed \(seed)")
      let ended = device.date
      device.terminate()
      device.advance(by: .seconds(1_200))
      #expect(launches == 1, "seed \(seed)")
      #expect((manager.location?.timestamp ?? .distantPast) > ended, "seed \(seed)")
    }
  }
}

@Suite("Error bound while a consumer tracks")
struct TrackedBoundTests {
  /// Reports a fix of a drive to the north at 30 m/s, after a second.
  @discardableResult
  private static func drive(_ provider: ScriptedProvider, to second: Int, accuracy: Double) -> Location {
    provider.pass(1)
    var fix = provider.location(accuracy, latitude: 34.1 + Double(second * 30) / 111_195)
    fix.speed = 30
    provider.report(.fixes([fix]))
    return fix
  }

  @Test(
    "A fix that the consumers don't use becomes the last location when the error of that one reaches the bound",
    arguments: [
      .every(TrackFilter(desiredAccuracy: 10)), .accepted(Acceptance(TrackingPolicy(distanceFilter: 5_000))),
    ] as [Demand.Kind], [15, 400] as [Double])
  func bound(kind: Demand.Kind, accuracy: Double) throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let (provider, manager) = (fixture.provider, fixture.manager)
    manager.errorBound = 500
    provider.fix(8)
    let id = manager.demand(kind)
    var (errors, locations) = ([Double](), Set<Date>())
    for second in 1...300 {
      let fix = Self.drive(provider, to: second, accuracy: accuracy)
      let location = try #require(manager.location)
      errors.append(location.distance(to: fix))
      locations.insert(location.timestamp)
    }
    // A fix of 400 m isn't accurate enough for the bound.
    #expect((errors.max() ?? 0 <= 500) == (accuracy == 15) && manager.state == .acquiring, "\(errors.max() ?? 0) m")
    #expect(locations.count < 50, "\(locations.count) locations")
    manager.end(id)
  }

  @Test("After the exit from the region, a fix that the consumers don't use becomes the last location")
  func exit() {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .regionExit])
    let (provider, manager) = (fixture.provider, fixture.manager)
    manager.errorBound = 500
    provider.fix(8)
    let id = manager.demand(.every(TrackFilter(desiredAccuracy: 10)))
    for accuracy in [15.0, 16] {
      provider.pass(1)
      provider.fix(accuracy)
      #expect(manager.location?.horizontalAccuracy == (accuracy == 15 ? 8 : 16))
      provider.report(.regionExit)
    }
    manager.end(id)
  }

  @Test("Each fix that a consumer receives reaches the listeners, in order, although the bound needs a location sooner")
  @MainActor func waits() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let (provider, manager) = (fixture.provider, fixture.manager)
    manager.errorBound = 300
    provider.fix(8)
    var iterator = manager.track(accepting: TrackingPolicy(holdTime: .zero)).makeAsyncIterator()
    var told: [Location] = []
    let token = manager.listeners.add(onUpdate: { told.append($0) })
    for second in 1...60 {
      Self.drive(provider, to: second, accuracy: second % 7 == 2 ? 12 : 15)
    }
    let times = told.map(\.timestamp)
    #expect(times == times.sorted() && Set(times).count == times.count && told.count > 5)
    for _ in 0..<3 {
      let given = try #require(await iterator.next())
      #expect(told.contains(given), "\(given)")
    }
    withExtendedLifetime(token) {}
  }
}

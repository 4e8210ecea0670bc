import Foundation
import Testing

@testable import LocoKit

@Suite("A manager with an error bound")
struct ErrorBoundTests {
  /// A drive along a route, with the error of the last location and of the estimate at each second, sorted.
  private struct Drive {
    let device: SimulatedProvider
    let manager: LocationManager
    let recorder = Recorder()
    var errors: [Double] = []
    var estimates: [Double] = []

    init(_ sources: WakeSources, seed: UInt64 = 1, bound: Double?, seconds: Int = 1_800) {
      var configuration = SimulatedProvider.Configuration()
      configuration.wakeSources = sources
      // The receiver of a Linux device, where apps get cells and timers: no fixes of a network, and a hot start.
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
        errors.append(location.distance(to: device.position.location))
        guard let estimate = manager.estimate else { continue }
        let place = Location(
          latitude: estimate.latitude, longitude: estimate.longitude, horizontalAccuracy: 0, timestamp: estimate.date)
        estimates.append(place.distance(to: device.position.location))
      }
      errors.sort()
      estimates.sort()
    }
  }

  private static let sensors: WakeSources = [.significantChanges, .cells, .motion, .timersWhileAsleep]

  @Test(
    "For 95 % of a drive the error is within the bound, and each look names its cause", arguments: [200.0, 500, 1_000])
  func within(bound: Double) {
    let drive = Drive(Self.sensors, bound: bound)
    #expect(drive.errors[drive.errors.count * 95 / 100] <= bound)
    #expect(drive.recorder.looks.contains(.bound))
    #expect(drive.estimates[drive.estimates.count / 2] < drive.errors[drive.errors.count / 2])
    // By Loco's rule the GPS is on for 70 s, and the error is 3 km.
    #expect(drive.device.energy.gpsOn < .seconds(bound == 200 ? 1_200 : 500))
  }

  @Test(
    "Without a bound a manager follows Loco's rule, whatever the wake-up sources are", arguments: [1, 2, 3] as [UInt64])
  func none(seed: UInt64) {
    let plain = Drive([.significantChanges], seed: seed, bound: nil)
    let all = Drive([.significantChanges, .cells, .regionExit, .timersWhileAsleep], seed: seed, bound: nil)
    #expect(plain.recorder.transitions == all.recorder.transitions && plain.recorder.looks.isEmpty)
    #expect(all.manager.estimate == nil)
  }

  @Test("A smaller bound causes earlier looks, and without a bound Loco's rule applies again")
  func changed() {
    let drive = Drive(Self.sensors, bound: 3_000, seconds: 300)
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
    let drive = Drive(Self.sensors, bound: nil, seconds: 60)
    #expect(drive.manager.state == .waitingSignificantChange)
    drive.manager.errorBound = 500
    #expect(drive.manager.state == .acquiring && drive.recorder.looks == [.bound])
  }

  @Test("A bound that is set in a callback is read back immediately")
  func read() {
    final class Setter: LocationManagerListener {
      var seen: [Double?] = []
      func locationManager(_ manager: LocationManager, didTransition transition: Transition) {
        manager.errorBound = 300
        seen.append(manager.errorBound)
        manager.errorBound = nil
        seen.append(manager.errorBound)
      }
    }
    let manager = LocationManager(provider: SimulatedProvider(route: .losAngeles, seed: 1))
    let setter = Setter()
    manager.listeners.add(setter)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(setter.seen == [300, nil])
    #expect(manager.errorBound == nil)
  }

  @Test("The minimum error bound can be set")
  func smallest() {
    let manager = LocationManager(provider: ScriptedProvider())
    manager.errorBound = LocationManager.minimumErrorBound
    #expect(manager.errorBound == 100)
  }

  @Table static var behaviors: [Behavior] {
    Behavior(
      "A region is armed again after its exit, where the device is found in the same place", in: .initial,
      authorization: .always, sources: [.significantChanges, .regionExit], .bound(200),
      .prompt => "prompted, acquiring, didGrantAccess", .fix(10) => "waitingSignificantChange, didUpdate 10",
      .expect(\.provider.regions.count, 1), .wait(60), .report(.regionExited) => "acquiring, didBeginLook regionExit",
      .fix(10) => "waitingSignificantChange, didUpdate 10", .expect(\.provider.regions.count, 2),
      .expect(\.provider.regions[1]?.radius, 100), .expect(\.provider.regions[0]?.radius, 100))
    // At 5 m/s the device goes 85 % of the bound in 85 s, and a look takes 3.5 s.
    Behavior(
      "A cancelled task isn't a look that found nothing: the next look keeps its time", in: .initial,
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

  @Test("The planner learns how long a look takes from looks, not from the pace of tracked locations")
  func lead() {
    let fixture = Fixture(in: .initial, authorization: .always, sources: Self.sensors)
    let (manager, provider, recorder) = (fixture.manager, fixture.provider, fixture.recorder)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    provider.report(.motion(.walking))
    provider.fix(10)
    var iterator: Tracking.Iterator? = manager.track().makeAsyncIterator()
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

  /// A simulated device that records its regions.
  private final class RegionProvider: LocationProvider {
    let base = SimulatedProvider(route: .losAngeles, seed: 1)
    var regions: [Double?] = []
    var uptime: Duration { base.uptime }
    var date: Date { base.date }
    var authorization: Authorization { base.authorization }
    var recommendedPolicy: AcquisitionPolicy { base.recommendedPolicy }
    var wakeSources: WakeSources { [.significantChanges, .regionExit] }
    var onReport: ((ProviderReport) -> Void)? {
      get { base.onReport }
      set { base.onReport = newValue }
    }
    func requestAuthorization() { base.requestAuthorization() }
    func setMode(_ mode: ReceiverMode) { base.setMode(mode) }
    func setTimer(_ deadline: Duration?) { base.setTimer(deadline) }
    func setRegion(_ region: CircularRegion?) { regions.append(region?.radius) }
  }

  @Test(
    "A region is armed around each fix and removed by a pause, and the region of an earlier launch stays until then")
  func regions() {
    let provider = RegionProvider()
    let manager = LocationManager(provider: provider)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(provider.regions.isEmpty, "the region of an earlier launch stays: after its removal an exit may be lost")
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions == [100])
    provider.onReport?(.regionExited)
    #expect(manager.state == .acquiring && provider.regions == [100], "the region is replaced, and not removed first")
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions == [100, 100])
    manager.pause()
    #expect(provider.regions == [100, 100, nil])
    manager.resume()
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions.count > 3 && provider.regions.last == .some(100), "the region is armed again")
    manager.errorBound = nil
    #expect(provider.regions.last == .some(nil))
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
      if moment == .look { manager.forceAcquireLocation() }
      if moment == .tracked {
        _ = manager.want(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 50, distanceFilter: 0))))
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

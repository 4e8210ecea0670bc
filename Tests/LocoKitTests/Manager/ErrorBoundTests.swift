import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@Suite("A manager with an error bound")
struct ErrorBoundTests {
  /// Hears why it looks, and where it is.
  private final class Hearer: LocationManagerListener {
    var causes: [LocationManager.LookCause] = []
    var transitions: [String] = []
    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause) {
      causes.append(cause)
    }
    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      transitions.append("\(transition)")
    }
  }

  /// A drive along a route, and how far off the last location was, second by second.
  private struct Drive {
    let device: SimulatedProvider
    let manager: LocationManager
    let hearer = Hearer()
    var errors: [Double] = []
    var estimates: [Double] = []

    init(_ sources: WakeSources, seed: UInt64 = 1, bound: Double?, seconds: Int = 1_800) {
      var configuration = SimulatedProvider.Configuration()
      configuration.wakeSources = sources
      // A receiver on Linux, where apps get cells and timers: without a network's fixes, and hot.
      configuration.receiver = .standalone
      configuration.receiver.firstStart = .hot
      device = SimulatedProvider(route: .losAngeles, seed: seed, configuration: configuration)
      manager = LocationManager(provider: device)
      manager.listeners.add(hearer)
      manager.errorBound = bound
      manager.tryPromptAuthorization()
      for _ in 0..<seconds {
        device.advance(by: .seconds(1))
        guard let location = manager.location else { continue }
        errors.append(location.distance(to: device.position))
        guard let estimate = manager.estimate else { continue }
        let place = Location(
          latitude: estimate.latitude, longitude: estimate.longitude, horizontalAccuracy: 0, timestamp: estimate.date)
        estimates.append(place.distance(to: device.position))
      }
      errors.sort()
      estimates.sort()
    }
  }

  private static let sensors: WakeSources = [.significantChanges, .cells, .motion, .timersWhileAsleep]

  @Test("keeps the last location within it for 95 % of a drive, and says why it looks", arguments: [200.0, 500, 1_000])
  func within(bound: Double) {
    let drive = Drive(Self.sensors, bound: bound)
    #expect(drive.errors[drive.errors.count * 95 / 100] <= bound)
    #expect(drive.hearer.causes.contains(.bound))
    #expect(drive.estimates[drive.estimates.count / 2] < drive.errors[drive.errors.count / 2])
    // Loco's rule is on for 70 s, and 3 km off.
    #expect(drive.device.energy.gpsOn < .seconds(bound == 200 ? 1_200 : 500))
  }

  @Test("of none is Loco's rule, whatever could wake it", arguments: [1, 2, 3] as [UInt64])
  func none(seed: UInt64) {
    let plain = Drive([.significantChanges], seed: seed, bound: nil)
    let all = Drive([.significantChanges, .cells, .regionExit, .timersWhileAsleep], seed: seed, bound: nil)
    #expect(plain.hearer.transitions == all.hearer.transitions && plain.hearer.causes.isEmpty)
    #expect(all.manager.estimate == nil)
  }

  @Test("looks sooner once the bound is a smaller one, and by Loco's rule again once there is none")
  func changed() {
    let drive = Drive(Self.sensors, bound: 3_000, seconds: 300)
    let looks = drive.hearer.causes.count
    drive.manager.errorBound = 500
    #expect(drive.manager.errorBound == 500)
    drive.device.advance(by: .seconds(120))
    #expect(drive.hearer.causes.count > looks + 3)
    drive.manager.errorBound = nil
    let before = drive.hearer.causes.count
    drive.device.advance(by: .seconds(600))
    #expect(drive.hearer.causes.count == before && drive.manager.estimate == nil)
  }

  @Test("looks at once where it is set after the first location")
  func setLate() {
    let drive = Drive(Self.sensors, bound: nil, seconds: 60)
    #expect(drive.manager.state == .waitingSignificantChange)
    drive.manager.errorBound = 500
    #expect(drive.manager.state == .acquiring && drive.hearer.causes == [.bound])
  }

  @Test("is read as it was set, in the middle of a turn too")
  func read() {
    final class Setter: LocationManagerListener {
      var seen: [Double?] = []
      func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
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

  @Test("may be the smallest there is")
  func smallest() {
    let manager = LocationManager(provider: ScriptedProvider())
    manager.errorBound = LocationManager.minimumErrorBound
    #expect(manager.errorBound == 100)
  }

  /// A manager on a provider that a test moves, in its first acquisition.
  private struct Scripted {
    let provider = ScriptedProvider(.always)
    let manager: LocationManager
    let recorder = Recorder()
    let hearer = Hearer()

    init(_ sources: WakeSources, bound: Double, motion: Motion? = nil) {
      provider.wakeSources = sources
      manager = LocationManager(provider: provider)
      manager.listeners.add(recorder)
      manager.listeners.add(hearer)
      manager.errorBound = bound
      manager.tryPromptAuthorization()
      if let motion { provider.report(.motion(motion)) }
    }

    /// A fix so many metres north of the first.
    func fix(_ metres: Double = 0, accuracy: Double = 10, speed: Double? = nil) {
      var fix = provider.location(accuracy, latitude: 34 + metres / 111_195)
      fix.speed = speed
      provider.report(.fixes([fix]))
    }
  }

  @Test("arms the region anew after its exit, where the device is found in the same place once more")
  func regionAgain() {
    let scripted = Scripted([.significantChanges, .regionExit], bound: 200)
    scripted.fix()
    #expect(scripted.provider.regions.count == 1)
    scripted.provider.pass(60)
    scripted.provider.report(.regionExited)
    #expect(scripted.manager.state == .acquiring && scripted.hearer.causes == [.regionExit])
    scripted.fix()
    #expect(scripted.provider.regions.count == 2, "an exit is reported once for each region")
    #expect(scripted.provider.regions.first == scripted.provider.regions.last)
  }

  @MainActor
  @Test("does not take a waiter that leaves for a look that found nothing: the next look is when it was")
  func cancelledWaiter() async {
    let scripted = Scripted(Self.sensors, bound: 500, motion: .walking)
    scripted.fix()
    let (manager, due) = (scripted.manager, scripted.provider.timer)
    #expect(due != nil)
    let waiter = await begin { try await manager.acquire(desiredAccuracy: 5) }
    #expect(manager.state == .acquiring)
    scripted.provider.pass(5)
    waiter.cancel()
    _ = await waiter.result()
    #expect(scripted.recorder.failures == [.cancelled] && scripted.provider.timer == due)
    scripted.provider.passUntilTimer()
    #expect(manager.state == .acquiring && scripted.hearer.causes == [.bound])
  }

  @Test("stays on by the look's accuracy and time limit, not by the app's policy")
  func staysOn() {
    let scripted = Scripted(Self.sensors, bound: 100, motion: .vehicle)
    for second in 0..<5 {
      scripted.provider.pass(1)
      scripted.fix(Double(second) * 30, accuracy: 30, speed: 30)
    }
    #expect(scripted.recorder.locations.count == 5 && scripted.manager.state == .acquiring)
    scripted.provider.pass(8)
    #expect(scripted.recorder.failures == [.timeLimit(best: nil)])
    #expect(scripted.manager.state == .waitingSignificantChange)
  }

  @Test("learns how long looks take from looks, not from the pace of the locations that somebody tracks")
  func lead() {
    let scripted = Scripted(Self.sensors, bound: 500, motion: .walking)
    scripted.fix()
    var iterator: LocationManager.Tracking.Iterator? = scripted.manager.track().makeAsyncIterator()
    for number in 1...20 {
      scripted.provider.pass(number == 1 ? 1 : 10)
      scripted.fix(Double(number) * 100)
    }
    iterator = nil
    scripted.provider.pass(1)
    scripted.fix(2_010)
    #expect(iterator == nil && scripted.manager.state == .waitingSignificantChange)
    scripted.provider.passUntilTimer()
    #expect(scripted.hearer.causes == [.bound])
    scripted.provider.pass(8)
    #expect(scripted.manager.state == .waitingSignificantChange, "a look after a recent fix takes 8 s at most")
  }

  /// Keeps what it was told of regions.
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
    func setRegion(_ region: Location.Region?) { regions.append(region?.radius) }
  }

  @Test("arms a region round each fix, and removes it in a pause; one of an earlier launch stays until then")
  func regions() {
    let provider = RegionProvider()
    let manager = LocationManager(provider: provider)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(provider.regions.isEmpty, "that of an earlier launch stays: what is removed may be lost")
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions == [100])
    provider.onReport?(.regionExited)
    #expect(manager.state == .acquiring && provider.regions == [100], "it is replaced, and never removed first")
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions == [100, 100])
    manager.pause()
    #expect(provider.regions == [100, 100, nil])
    manager.resume()
    provider.base.advance(by: .seconds(30))
    #expect(provider.regions.count > 3 && provider.regions.last == .some(100), "it is armed again")
    manager.errorBound = nil
    #expect(provider.regions.last == .some(nil))
  }

  /// In what the app is when it is ended.
  enum Moment: CaseIterable { case firstSearch, asleep, look, tracked }

  @Test(
    "is launched again by the system, in whatever it was ended, and finds its location", arguments: Moment.allCases,
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

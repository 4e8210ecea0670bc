#if LOCOKIT_STAND_INS
  import CoreLocation
  import CoreMotion
  import Foundation
  import Testing

  @testable import LocoKit

  @Suite("What wakes an app, in front of a stand-in")
  struct WakingTests {
    /// A phone whose provider reports to the test instead of its manager.
    private final class Reports {
      let phone: Phone
      private(set) var all: [ProviderReport] = []

      init(
        device: StandInDevice = StandInDevice(), status: CLAuthorizationStatus = .authorizedAlways,
        capabilities: CoreLocationProvider.Capabilities = CoreLocationProvider.capabilities,
        configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
      ) {
        device.setStatus(status)
        phone = Phone(device: device, capabilities: capabilities, configure: configure)
        phone.provider.onReport = { [unowned self] in all.append($0) }
        device.advance(by: 1)
        all = []
      }

      var exits: Int { all.filter { $0 == .regionExited }.count }
      var sources: [WakeSources] { all.compactMap { if case .wakeSources(let sources) = $0 { sources } else { nil } } }
      var motions: [Motion] { all.compactMap { if case .motion(let motion) = $0 { motion } else { nil } } }

      func clear() { all = [] }

      /// So many metres to the north of where it was in the beginning, and time for an exit to be found.
      func carry(north: Double) {
        phone.device.carry(to: phone.fix(8, north: north))
        phone.device.advance(by: 60)
      }
    }

    private static func region(north: Double = 0, radius: Double = 100) -> CircularRegion {
      CircularRegion(latitude: 34 + north / 111_320, longitude: -118, radius: radius)
    }

    /// Allowed, with an error bound, asleep in the background after a first location.
    private static func bounded(
      device: StandInDevice = StandInDevice(),
      configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
    ) -> Phone {
      let phone = Phone(device: device, answers: [.allowWhileUsing], configure: configure)
      device.fixes = { _ in phone.fix(8) }
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      device.carry(to: phone.fix(8, north: 0))
      device.advance(by: 10)
      #expect(phone.manager.state == .waitingSignificantChange)
      device.isInForeground = false
      return phone
    }

    // MARK: - The region

    @Test("an error bound arms one region round the last fix, of which the exit alone is told")
    func armed() throws {
      let region = try #require(Self.bounded().device.regions.first)
      #expect(region.identifier == WakingServices.regionIdentifier)
      #expect(!region.notifyOnEntry && region.notifyOnExit)
      #expect((region.center.latitude, region.center.longitude, region.radius) == (34, -118, 100))
    }

    @Test("the exit makes the manager look, and the new region takes the place of the last one, which is not removed")
    func replaced() throws {
      let phone = Self.bounded()
      let device = phone.device
      for kilometres in 1...3 {
        let found = phone.recorder.locations.count
        device.carry(to: phone.fix(8, north: Double(kilometres) * 1_000))
        device.advance(by: 60)
        #expect(phone.recorder.locations.count == found + 1)
        #expect(device.regions.count == 1 && device.removals == 0)
        #expect(abs(device.regions[0].center.latitude - phone.fix(8).coordinate.latitude) < 1e-6)
      }
    }

    @Test("an exit wakes a suspended app")
    func suspended() {
      let phone = Self.bounded()
      #expect(!phone.device.isKeptRunning)
      phone.device.advance(by: 11)
      #expect(phone.device.isSuspended)
      phone.device.carry(to: phone.fix(8, north: 1_000))
      phone.device.advance(by: 60)
      #expect(phone.recorder.locations.count == 2)
    }

    @Test("exits of other regions of the app, and of one that was replaced, are not the manager's")
    func otherRegions() {
      let test = Reports()
      let device = test.phone.device
      test.carry(north: 0)
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region(radius: 5_000))
      device.advance(by: 1)
      let replaced = device.regions[0]
      test.phone.core.startMonitoring(
        for: CLCircularRegion(
          center: CLLocationCoordinate2D(latitude: 34, longitude: -118), radius: 100, identifier: "Home"))
      test.carry(north: 1_000)
      #expect(test.exits == 0)
      test.phone.provider.setRegion(Self.region(north: 1_000, radius: 5_000))
      // On its way when its successor was armed.
      test.phone.changes.delegate?.locationManager(test.phone.changes, didExitRegion: replaced)
      #expect(test.exits == 0)
      test.carry(north: 7_000)
      #expect(test.exits == 1)
    }

    @Test("each arming is reported once, however often the exit is told")
    func once() {
      let test = Reports()
      test.carry(north: 0)
      test.phone.provider.setMode(.significantChanges)
      for count in 1...3 {
        test.phone.provider.setRegion(Self.region())
        test.carry(north: 1_000)
        for region in test.phone.device.regions { test.phone.device.exit(region) }
        #expect(test.exits == count)
        test.carry(north: 0)
      }
    }

    @Test("a device that is outside when its region is armed is reported too, though there is no exit")
    func outsideAlready() {
      let test = Reports()
      test.carry(north: 1_000)
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      test.phone.device.advance(by: 1)
      #expect(test.exits == 1)
    }

    @Test("an exit is found some 100 m beyond the edge, and some time later")
    func buffer() {
      let test = Reports()
      test.carry(north: 0)
      test.phone.provider.setMode(.gps)
      test.phone.provider.setRegion(Self.region())
      test.phone.device.advance(by: 1)
      test.carry(north: 199)
      #expect(test.exits == 0)
      test.phone.device.carry(to: test.phone.fix(8, north: 201))
      test.phone.device.advance(by: 49)
      #expect(test.exits == 0)
      test.phone.device.advance(by: 2)
      #expect(test.exits == 1)
    }

    @Test("a region is no larger than what can be monitored")
    func largest() {
      let device = StandInDevice()
      device.maximumRegionDistance = 1_000
      let test = Reports(device: device)
      test.phone.provider.setRegion(Self.region(radius: 5_000))
      #expect(test.phone.device.regions.map(\.radius) == [1_000])
    }

    @Test("where the app's own regions are twenty, there is none for the manager, and the source is withdrawn")
    func twenty() {
      let test = Reports()
      for number in 0..<20 {
        test.phone.core.startMonitoring(
          for: CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 34, longitude: -118), radius: 100, identifier: "\(number)"))
      }
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      test.carry(north: 0)
      test.carry(north: 1_000)
      #expect(test.phone.device.regions.count == 20 && test.exits == 0)
      #expect(test.sources == [[.significantChanges, .timersWhileAsleep]])
      #expect(test.phone.host.log.count == 1 && test.phone.provider.turns.core.region.problem != nil)
    }

    @Test("a failure of another region, and one that is only slow, withdraw nothing")
    func otherFailures() {
      let test = Reports()
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      test.phone.device.advance(by: 1)
      let (manager, region) = (test.phone.changes, test.phone.device.regions[0])
      let other = CLCircularRegion(center: region.center, radius: 100, identifier: "Home")
      let cases: [(CLRegion?, CLError.Code)] = [
        (other, .regionMonitoringFailure), (region, .regionMonitoringSetupDelayed),
        (region, .regionMonitoringResponseDelayed),
      ]
      for (region, code) in cases {
        manager.delegate?.locationManager(manager, monitoringDidFailFor: region, withError: CLError(code))
      }
      #expect(test.all.isEmpty)
      manager.delegate?.locationManager(
        manager, monitoringDidFailFor: nil, withError: CLError(.regionMonitoringDenied))
      #expect(test.sources == [[.significantChanges, .timersWhileAsleep]])
    }

    @Test("a region that failed is armed again with the next fix, once a minute at most, and in the foreground at once")
    func armedAgain() {
      let phone = Self.bounded()
      let device = phone.device
      device.isInForeground = true
      let others = (0..<20).map {
        CLCircularRegion(
          center: CLLocationCoordinate2D(latitude: 35, longitude: -118), radius: 100, identifier: "\($0)")
      }
      phone.manager.errorBound = nil
      for region in others { phone.core.startMonitoring(for: region) }
      phone.manager.errorBound = 500
      device.advance(by: 3)
      #expect(phone.provider.turns.core.region.problem != nil && device.regions.count == 20)
      func look() {
        phone.manager.forceAcquireLocation()
        device.advance(by: 3)
      }
      // Still no room: one attempt, and no other one within a minute.
      let lines = phone.host.log.count
      for _ in 0..<3 { look() }
      #expect(phone.host.log.count == lines + 1)
      for region in others.prefix(2) { phone.core.stopMonitoring(for: region) }
      look()
      #expect(phone.provider.turns.core.region.problem != nil)
      device.advance(by: 60)
      look()
      #expect(phone.provider.turns.core.region.problem == nil && device.regions.count == 19)
      #expect(phone.provider.wakeSources.contains(.regionExit))
    }

    @Test(
      "a region that other code has stopped is armed again in the foreground, and with the next change",
      arguments: [true, false])
    func stoppedByOthers(_ comesToForeground: Bool) {
      let phone = Self.bounded()
      phone.device.advance(by: 1)
      phone.device.stopAllRegions()
      if comesToForeground {
        phone.device.isInForeground = true
      } else {
        phone.device.advance(by: 400)
        phone.device.move(to: phone.fix(500, north: 3_000))
      }
      phone.device.advance(by: 10)
      #expect(phone.device.regions.count == 1 && phone.host.log.isEmpty)
    }

    @Test("the exit of a region that was replaced by one on the same parallel is not the manager's")
    func sameParallel() {
      let test = Reports()
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      let replaced = test.phone.device.regions[0]
      test.phone.provider.setRegion(CircularRegion(latitude: 34, longitude: -118.01, radius: 100))
      test.phone.changes.delegate?.locationManager(test.phone.changes, didExitRegion: replaced)
      #expect(test.exits == 0)
    }

    @Test("the stand-in loses an arming that follows at once on a removal")
    func removalLosesTheNext() {
      let test = Reports()
      test.carry(north: 0)
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      test.phone.provider.setRegion(nil)
      #expect(test.phone.device.regions.isEmpty)
      test.phone.provider.setRegion(Self.region())
      test.carry(north: 1_000)
      #expect(test.exits == 0)
    }

    @Test("a pause removes the region, and so does a bound that is taken back")
    func removed() {
      let paused = Self.bounded()
      paused.manager.pause()
      #expect(paused.device.regions.isEmpty)
      let unbound = Self.bounded()
      unbound.manager.errorBound = nil
      #expect(unbound.device.regions.isEmpty)
    }

    // MARK: - Another launch

    @Test("an app that was ended is launched by the exit, in whose launch the region is replaced and not removed")
    func relaunched() {
      let device = Self.bounded().device
      device.terminate()
      device.carry(to: Phone(device: StandInDevice()).fix(8, north: 1_000))
      device.advance(by: 60)
      #expect(device.launchReason == "location")
      let phone = Self.bounded(device: device)
      #expect(phone.recorder.locations.count == 1)
      #expect(device.regions.count == 1 && device.removals == 0)
    }

    @Test("a launch with nothing to do leaves an earlier launch's region, until its exit comes: then it is removed")
    func unwanted() {
      let device = Self.bounded().device
      device.terminate()
      let test = Reports(device: device)
      #expect(device.regions.count == 1)
      test.carry(north: 1_000)
      #expect(device.regions.isEmpty && test.exits == 0)
    }

    @Test("a launch without a bound removes an earlier launch's region as soon as it uses locations")
    func withoutBound() {
      let device = Self.bounded().device
      device.terminate()
      let phone = Phone(device: device)
      #expect(device.regions.count == 1)
      phone.manager.tryPromptAuthorization()
      #expect(device.regions.isEmpty)
    }

    // MARK: - What can wake

    @Test(
      "what can wake follows from the permission, the accuracy, the background mode and the foreground",
      arguments: [
        (CLAuthorizationStatus.authorizedAlways, true, false, [.significantChanges, .regionExit]),
        (.authorizedAlways, true, true, [.significantChanges, .regionExit, .timersWhileAsleep]),
        (.authorizedAlways, false, true, [.significantChanges]),
        (.authorizedWhenInUse, true, true, []),
        (.notDetermined, true, true, []),
      ] as [(CLAuthorizationStatus, Bool, Bool, WakeSources)])
    func sources(
      _ status: CLAuthorizationStatus, _ hasFullAccuracy: Bool, _ hasBackground: Bool, _ inBackground: WakeSources
    ) {
      let device = StandInDevice()
      if !hasFullAccuracy { device.setAccuracy(.reducedAccuracy) }
      let test = Reports(device: device, status: status) { $0.allowsBackgroundUpdates = hasBackground }
      let inForeground = inBackground.union([.significantChanges, .timersWhileAsleep])
      #expect(test.phone.provider.wakeSources == inForeground)
      device.isInForeground = false
      #expect(test.phone.provider.wakeSources == inBackground)
      device.isInForeground = true
      // Each change was reported.
      #expect(test.sources == (inForeground == inBackground ? [] : [inBackground, inForeground]))
    }

    @Test("on a Mac, which suspends no app, timers always run")
    func mac() {
      let mac = CoreLocationProvider.Capabilities(
        significantChanges: true, continuousFixes: true, regionExits: true, motionActivity: false, suspendsApps: false)
      let test = Reports(status: .notDetermined, capabilities: mac)
      #expect(test.phone.provider.wakeSources == [.significantChanges, .timersWhileAsleep])
      test.phone.device.setStatus(.authorizedAlways)
      #expect(test.phone.provider.wakeSources == [.significantChanges, .regionExit, .timersWhileAsleep])
    }

    @Test("a change of the permission or of the accuracy is reported once, with what can wake from then on")
    func changes() {
      let test = Reports(status: .authorizedWhenInUse) { $0.allowsBackgroundUpdates = true }
      let all: WakeSources = [.significantChanges, .regionExit, .timersWhileAsleep]
      let inUse: WakeSources = [.significantChanges, .timersWhileAsleep]
      let device = test.phone.device
      device.setStatus(.authorizedAlways)
      #expect(test.sources == [all])
      device.setAccuracy(.reducedAccuracy)
      device.setAccuracy(.fullAccuracy)
      device.setStatus(.denied)
      #expect(test.sources == [all, inUse, all, inUse])
    }

    @Test("no region is told of under reduced accuracy: the manager removes it, and arms it again")
    func reducedAccuracy() {
      let phone = Self.bounded()
      phone.device.setAccuracy(.reducedAccuracy)
      #expect(phone.device.regions.isEmpty)
      phone.device.setAccuracy(.fullAccuracy)
      #expect(phone.device.regions.count == 1)
    }

    @Test(
      "a significant change is reported while it is awaited, and not while the GPS is on", arguments: [true, false])
    func significantChange(_ isGPSOn: Bool) {
      let test = Reports()
      test.phone.provider.setMode(isGPSOn ? .gps : .significantChanges)
      test.phone.device.advance(by: 1)
      test.phone.device.move(to: test.phone.fix(500, north: 5_000))
      let changes = test.all.filter { if case .significantChange = $0 { true } else { false } }
      #expect(changes.count == (isGPSOn ? 0 : 1))
    }

    // MARK: - Kept running

    @Test("with background updates an app that is asleep under a bound is kept running, and looks by its timers")
    func keptRunning() {
      let phone = Self.bounded { $0.allowsBackgroundUpdates = true }
      #expect(phone.device.isKeptRunning && !phone.device.isUpdating)
      let looks = phone.recorder.locations.count
      phone.device.advance(by: 300)
      #expect(phone.recorder.locations.count > looks)
      #expect(phone.device.coarseUpdates > 0)
      #expect(!phone.recorder.rejections.contains(.notListening), "what keeps the app running is ignored")
      phone.manager.pause()
      #expect(!phone.device.isKeptRunning)
    }

    @Test("no app is kept running without a bound, without background updates, or while the GPS is on")
    func notKeptRunning() {
      let unbound = Phone(answers: [.allowWhileUsing]) { $0.allowsBackgroundUpdates = true }
      unbound.device.fixes = { _ in unbound.fix(8) }
      unbound.manager.tryPromptAuthorization()
      unbound.device.advance(by: 10)
      #expect(unbound.manager.state == .waitingSignificantChange && !unbound.device.isKeptRunning)
      #expect(!Self.bounded().device.isKeptRunning)
      let phone = Self.bounded { $0.allowsBackgroundUpdates = true }
      phone.device.fixes = { _ in nil }
      let coarse = phone.device.starts.filter { $0 == "coarse" }.count
      phone.manager.forceAcquireLocation()
      let updates = phone.device.coarseUpdates
      phone.device.advance(by: 14)
      #expect(phone.device.isUpdating && phone.device.coarseUpdates == updates)
      phone.device.advance(by: 5)
      #expect(phone.device.starts.filter { $0 == "coarse" }.count == coarse + 1)
    }

    @Test("without an indicator an app is kept running at 100 m, and with one at 3 km", arguments: [true, false])
    func keptRunningAt(_ showsIndicator: Bool) {
      let phone = Self.bounded {
        $0.allowsBackgroundUpdates = true
        $0.showsBackgroundIndicator = showsIndicator
      }
      #expect(phone.device.coarseAccuracies == [showsIndicator ? 3_000 : 100])
    }

    @Test("what keeps an app running is on before the GPS goes off, and the other way round")
    func neverWithout() {
      let phone = Self.bounded { $0.allowsBackgroundUpdates = true }
      let before = phone.device.switches.count
      phone.manager.forceAcquireLocation()
      phone.device.advance(by: 5)
      #expect(phone.device.switches.dropFirst(before) == ["+updating", "-coarse", "+coarse", "-updating"])
      let unbound = Phone(.whenInUse, answers: [.allowWhileUsing])
      unbound.device.fixes = { _ in unbound.fix(8) }
      unbound.manager.tryPromptAuthorization()
      unbound.device.advance(by: 10)
      #expect(unbound.device.switches == ["+updating", "+changes", "-updating"])
    }

    // MARK: - Motion

    private static func moving() throws -> (test: Reports, sensor: CMMotionActivityManager) {
      let test = Reports {
        $0.allowsBackgroundUpdates = true
        $0.usesMotionActivity = true
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      test.phone.provider.setErrorBound(500)
      test.phone.provider.setMode(.significantChanges)
      return (test, sensor)
    }

    @Test("what the sensor says is reported within ten seconds, in the manager's three words")
    func motion() throws {
      let (test, sensor) = try Self.moving()
      let table: [(Set<String>, Motion)] = [
        (["stationary"], .still), (["walking"], .walking), (["automotive"], .vehicle), (["running"], .walking),
        (["automotive", "stationary"], .vehicle), (["cycling"], .walking), (["stationary"], .still),
      ]
      for (names, motion) in table {
        sensor.report(CMMotionActivity(names))
        test.phone.device.advance(by: 10.1)
        #expect(test.motions.last == motion)
      }
      #expect(test.motions.count == table.count)
    }

    @Test("a guess of low confidence is not reported, nor what is known already")
    func guesses() throws {
      let (test, sensor) = try Self.moving()
      sensor.report(CMMotionActivity(["automotive"], confidence: .low))
      test.phone.device.advance(by: 11)
      sensor.report(CMMotionActivity(["walking"], confidence: .medium))
      test.phone.device.advance(by: 11)
      sensor.report(CMMotionActivity(["running"]))
      test.phone.device.advance(by: 11)
      #expect(test.motions == [.walking])
    }

    @Test(
      "unknown motion is no motion: nobody counts as on foot any more, and whoever was still or in a vehicle still is",
      arguments: [Set(["unknown"]), []])
    func unknownMotion(_ unknown: Set<String>) throws {
      let (test, sensor) = try Self.moving()
      func report(_ names: Set<String>) {
        sensor.report(CMMotionActivity(names))
        test.phone.device.advance(by: 11)
      }
      report(unknown)
      #expect(test.all.isEmpty)
      for (name, motion) in [("stationary", Motion.still), ("automotive", .vehicle)] {
        report([name])
        test.clear()
        report(unknown)
        #expect(test.all.isEmpty && test.phone.provider.wakeSources.contains(.motion), "\(motion)")
      }
      report(["walking"])
      test.clear()
      report(unknown)
      #expect(test.all == [.wakeSources([.significantChanges, .regionExit, .timersWhileAsleep])])
      report(["walking"])
      #expect(test.motions == [.walking])
    }

    @Test("stillness is not believed for three minutes after a fix that is as fast as a vehicle, and then it is")
    func stillAfterFastFix() throws {
      let (test, sensor) = try Self.moving()
      let device = test.phone.device
      test.phone.provider.setMode(.gps)
      func fix(speed: Double, age: TimeInterval = 0) {
        device.deliver([
          CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 34, longitude: -118), altitude: 0, horizontalAccuracy: 8,
            verticalAccuracy: -1, course: -1, speed: speed, timestamp: device.date - age)
        ])
      }
      fix(speed: 30)
      sensor.report(CMMotionActivity(["stationary"]))
      device.advance(by: 170)
      #expect(test.motions.isEmpty)
      device.advance(by: 21)
      #expect(test.motions == [.still])
      // A slow fix and a cached one are no sign of a vehicle.
      sensor.report(CMMotionActivity(["walking"]))
      device.advance(by: 11)
      fix(speed: 2)
      fix(speed: 30, age: 60)
      sensor.report(CMMotionActivity(["stationary"]))
      device.advance(by: 11)
      #expect(test.motions == [.still, .walking, .still])
    }

    @Test("motion counts as a source once the sensor has said something: a user who refuses it says nothing")
    func refusedMotion() throws {
      let (test, sensor) = try Self.moving()
      sensor.isAllowed = false
      sensor.report(CMMotionActivity(["walking"]))
      test.phone.device.advance(by: 11)
      #expect(test.all.isEmpty && sensor.promptsShown == 1)
      sensor.isAllowed = true
      sensor.report(CMMotionActivity(["walking"]))
      test.phone.device.advance(by: 11)
      let sources: WakeSources = [.significantChanges, .regionExit, .timersWhileAsleep, .motion]
      #expect(test.all == [.wakeSources(sources), .motion(.walking)])
    }

    @Test("the sensor is on under a bound alone, and off with everything else")
    func sensorOff() throws {
      let (test, sensor) = try Self.moving()
      test.phone.provider.setMode(.gps)
      #expect(sensor.isOn)
      sensor.report(CMMotionActivity(["walking"]))
      test.phone.device.advance(by: 11)
      #expect(test.phone.provider.wakeSources.contains(.motion))
      test.phone.provider.setMode(.off)
      #expect(!sensor.isOn && !test.phone.provider.wakeSources.contains(.motion))
      test.phone.provider.setMode(.significantChanges)
      // The reading from before is forgotten.
      #expect(sensor.isOn && !test.phone.provider.wakeSources.contains(.motion))
      test.phone.provider.setErrorBound(nil)
      #expect(!sensor.isOn && sensor.promptsShown == 1)
      let unasked = Reports { $0.allowsBackgroundUpdates = true }
      unasked.phone.provider.setErrorBound(500)
      unasked.phone.provider.setMode(.significantChanges)
      #expect(CMMotionActivityManager.newest?.isOn == false)
    }

    @Test("with the sensor a device that is still is not looked for, and one that moves is")
    func sensorSavesLooks() throws {
      let phone = Self.bounded {
        $0.allowsBackgroundUpdates = true
        $0.usesMotionActivity = true
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      sensor.report(CMMotionActivity(["stationary"]))
      phone.device.advance(by: 11)
      let looks = phone.recorder.locations.count
      phone.device.advance(by: 3_600)
      #expect(phone.recorder.locations.count == looks)
      sensor.report(CMMotionActivity(["walking"]))
      phone.device.advance(by: 600)
      #expect(phone.recorder.locations.count > looks)
    }
  }
#endif

#if LOCOKIT_STAND_INS
  import CoreLocation
  import CoreMotion
  import Foundation
  import Testing

  @testable import LocoKit
  import LocoKitMotion
  @testable import TestSupport

  @Suite("Waking an app with a stand-in")
  struct WakingTests {
    /// A phone whose provider reports to the test instead of a manager.
    private final class Reports {
      let phone: Phone
      /// All reports except the app's state.
      private(set) var all: [ProviderReport] = []

      init(
        device: StandInDevice = StandInDevice(), status: CLAuthorizationStatus = .authorizedAlways,
        capabilities: CoreLocationProvider.Capabilities = CoreLocationProvider.capabilities,
        configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
      ) {
        device.setStatus(status)
        phone = Phone(device: device, capabilities: capabilities, configure: configure)
        phone.provider.onReport = ProviderReport.Handler { [unowned self] report in
          if case .app = report { return }
          all.append(report)
        }
        device.advance(by: 1)
        all = []
      }

      var exits: Int { all.filter { $0 == .regionExit }.count }
      var sources: [Sources] {
        all.compactMap { if case .wakeSources(let kinds, let updates) = $0 { Sources(kinds, updates) } else { nil } }
      }
      var motions: [LocationManager.Motion] {
        all.compactMap { if case .wake(.motion(let motion)) = $0 { motion } else { nil } }
      }

      func clear() { all = [] }

      /// Moves the device north of its start, in metres, and waits long enough for an exit to be reported.
      func carry(north: Double) {
        phone.device.carry(to: phone.fix(8, north: north))
        phone.device.advance(by: 60)
      }
    }

    private static func region(north: Double = 0, radius: Double = 100) -> Location.Region {
      Location.Region(latitude: 34 + north / 111_320, longitude: -118, radius: radius)
    }

    @Table static var regions: [PhoneBehavior] {
      PhoneBehavior(
        "An exit makes the manager look, and the new region replaces the last one without a removal", in: .bounded,
        .carry(1_000)
          => "+updating, acquiring, didBeginLook regionExit, didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8",
        .carry(2_000)
          => "+updating, acquiring, didBeginLook regionExit, didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8",
        .carry(3_000)
          => "+updating, acquiring, didBeginLook regionExit, didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8",
        .expect(\.device.regions.count, 1))
      PhoneBehavior(
        "An exit wakes a suspended app", in: .bounded, .wait(11), .expect(\.device.isSuspended, true),
        .carry(1_000)
          => "+updating, acquiring, didBeginLook regionExit, didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8"
      )
      PhoneBehavior(
        "A region that other code has stopped is armed again in the foreground", in: .bounded, .wait(1),
        .stopAllRegions, .foreground(true) => "+region", .wait(10), .expect(\.phone.host.log, []))
      PhoneBehavior(
        "A region that other code has stopped is armed again at the next change", in: .bounded, .wait(1),
        .stopAllRegions, .wait(400),
        .move(3_000) => "+region, +updating, +region, acquiring, didDetectSignificantChange",
        .wait(10) => "didReject implausibleSpeed, +region, -updating, waitingSignificantChange, didUpdate 8",
        .expect(\.phone.host.log, []))
      PhoneBehavior(
        "A pause removes the region", in: .bounded, .pause => "-visits, -changes, -region, paused, didPause")
      PhoneBehavior("Removing the bound removes the region", in: .bounded, .bound(nil) => "-visits, -region")
      PhoneBehavior(
        "Reduced accuracy removes the region, and full accuracy restores it", in: .bounded,
        .accuracy(.reducedAccuracy) => "-region", .accuracy(.fullAccuracy) => "+region")
      PhoneBehavior(
        "An exit launches an ended app, which replaces the region without a removal", in: .bounded, .end,
        .carry(1_000), .expect(\.device.launchReason, "location"), .launch, .fixes { _ in 8 }, .bound(500),
        .prompt => "prompted, +updating, +changes, +visits, acquiring, didGrantAccess",
        .wait(10) => "didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8",
        .expect(\.device.regions.count, 1))
      PhoneBehavior(
        "An exit that launched an app removes the region after five seconds if the app uses no locations", in: .bounded,
        .end, .carry(1_000), .launch, .wait(4), .expect(\.device.regions.count, 1), .wait(2) => "-region")
      PhoneBehavior(
        "An idle launch keeps an earlier launch's region until its exit", in: .bounded, .launch, .wait(60),
        .expect(\.device.regions.count, 1), .carry(1_000) => "-region")
      PhoneBehavior(
        "A pause before the first fix removes an earlier launch's region", in: .bounded, .end, .launch, .bound(500),
        .prompt => "prompted, +updating, +changes, +visits, acquiring, didGrantAccess",
        .expect(\.device.regions.count, 1),
        .pause => "-visits, -changes, -updating, -region, paused, didPause", .expect(\.device.regions.count, 0))
      PhoneBehavior(
        "A launch without a bound removes an earlier launch's region as soon as it uses locations", in: .bounded,
        .launch, .expect(\.device.regions.count, 1),
        .prompt => "prompted, +updating, +changes, -region, acquiring, didGrantAccess")
    }

    @Table static var keeper: [PhoneBehavior] {
      for (keepsRunning, atRest) in [
        (.whileMoving, "didUpdate 65 coarse, -coarse"), (.briefly, "didUpdate 65 coarse, -coarse"),
        (.always, "didUpdate 65 coarse ×30"), (.never, ""),
      ] as [(LocationManager.BackgroundUpdates, String)] {
        PhoneBehavior(
          "At rest an app is suspended or kept running according to the configuration: \(keepsRunning)", in: .bounded,
          configure: {
            $0.allowsBackgroundUpdates = true
            $0.backgroundUpdates = keepsRunning
          }, .expect(\.device.isKeptRunning, keepsRunning != .never), .wait(900) => atRest,
          .expect(\.device.isKeptRunning, keepsRunning == .always),
          .expect(\.device.isSuspended, keepsRunning != .always))
      }
      PhoneBehavior(
        "The keeper stays on while the GPS is on, and turns off in a pause", in: .bounded,
        // With 200 m, the app isn't suspended because of slow movement.
        configure: { $0.allowsBackgroundUpdates = true }, .bound(200),
        .force => "+updating, +region, acquiring, didForceAcquire",
        .wait(5) => "didReject duplicate, -updating, waitingSignificantChange, didUpdate 8",
        .force => "+updating, +region, acquiring, didForceAcquire",
        .pause => "-coarse, -visits, -changes, -updating, -region, paused, didPause")
      PhoneBehavior(
        "An app isn't kept running without a bound", in: .acquiring, configure: { $0.allowsBackgroundUpdates = true },
        .fixes { _ in 8 }, .wait(10) => "-updating, waitingSignificantChange, didUpdate 8")
      PhoneBehavior(
        "An app isn't kept running without background updates", in: .bounded,
        .expect(\.device.isKeptRunning, false))
      PhoneBehavior(
        "A coarse fix replaces a last location whose error may be larger by now", in: .bounded,
        configure: { $0.allowsBackgroundUpdates = true }, .carry(150) => "didUpdate 65 coarse ×2",
        .expect(\.manager.location?.horizontalAccuracy, 65))
    }

    @Table static var endsOfVisits: [PhoneBehavior] {
      PhoneBehavior(
        "The end of a visit wakes a suspended app, which looks", in: .bounded, .wait(600),
        .expect(\.device.isSuspended, true), .depart => "+updating, +region, acquiring, didBeginLook visit",
        .wait(5) => "didReject stale, +region, -updating, waitingSignificantChange, didUpdate 8")
      PhoneBehavior(
        "A launch that uses no locations stops the monitoring of visits after five seconds", in: .bounded, .end,
        .expect(\.device.launchesForVisits, true), .depart, .expect(\.device.launchReason, "location"), .launch,
        .wait(4),
        .expect(\.device.launchesForVisits, true), .wait(2), .expect(\.device.launchesForVisits, false), .end, .depart,
        .expect(\.device.launchReason, nil))
    }

    @Test(
      "The listeners and the device receive what each row says",
      arguments: regions + keeper + endsOfVisits)
    func behaves(_ behavior: PhoneBehavior) async { await behavior.check() }

    // MARK: - The region

    @Test("an error bound arms a region around the last fix, for its exit only")
    func armed() throws {
      let region = try #require(Phone.bounded().device.regions.first)
      #expect(region.identifier == CircularRegion.identifier)
      #expect(!region.notifyOnEntry && region.notifyOnExit)
      #expect((region.center.latitude, region.center.longitude, region.radius) == (34, -118, 100))
    }

    @Test("exits of the app's other regions and of a replaced region are ignored")
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
      // Late, after its successor was armed.
      test.phone.changes.delegate?.locationManager(test.phone.changes, didExitRegion: replaced)
      #expect(test.exits == 0)
      test.carry(north: 7_000)
      #expect(test.exits == 1)
    }

    @Test("each arming has one exit, even if the system repeats it")
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

    @Test("arming a region that doesn't contain the device reports an exit")
    func outsideAlready() {
      let test = Reports()
      test.carry(north: 1_000)
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      test.phone.device.advance(by: 1)
      #expect(test.exits == 1)
    }

    @Test("the stand-in notices an exit 100 m beyond the edge, and reports it after 50 s")
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

    @Test("a region's radius is limited to the largest that can be monitored; -1 says that none can now")
    func largest() {
      let device = StandInDevice()
      device.maximumRegionDistance = -1
      let test = Reports(device: device)
      test.phone.provider.setRegion(Self.region(radius: 5_000))
      #expect(test.phone.device.regions.isEmpty)
      device.maximumRegionDistance = 1_000
      test.phone.provider.setRegion(Self.region(north: 10_000, radius: 5_000))
      #expect(test.phone.device.regions.map(\.radius) == [1_000])
    }

    @Test("with twenty regions of the app the source is withdrawn")
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
      #expect(test.sources == [[.significantChange, .visit, .timer]])
      #expect(test.phone.host.log.count == 1 && test.phone.provider.driver.core.region.problem != nil)
    }

    @Test("a failure of another region, or a delay, doesn't withdraw the source")
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
      #expect(test.sources == [[.significantChange, .visit, .timer]])
    }

    @Test("a failed region is armed again with the next fix, at most once a minute")
    func armedAgain() {
      let phone = Phone.bounded()
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
      #expect(phone.provider.driver.core.region.problem != nil && device.regions.count == 20)
      func look() {
        phone.manager.forceAcquireLocation()
        device.advance(by: 3)
      }
      // No room: one attempt a minute.
      let lines = phone.host.log.count
      for _ in 0..<3 { look() }
      #expect(phone.host.log.count == lines + 1)
      for region in others.prefix(2) { phone.core.stopMonitoring(for: region) }
      look()
      #expect(phone.provider.driver.core.region.problem != nil)
      device.advance(by: 60)
      look()
      #expect(phone.provider.driver.core.region.problem == nil && device.regions.count == 19)
      #expect(phone.provider.wakeSources.contains(.regionExit))
    }

    @Test("the exit of a replaced region on the same parallel is ignored")
    func sameParallel() {
      let test = Reports()
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(Self.region())
      let replaced = test.phone.device.regions[0]
      test.phone.provider.setRegion(Location.Region(latitude: 34, longitude: -118.01, radius: 100))
      test.phone.changes.delegate?.locationManager(test.phone.changes, didExitRegion: replaced)
      #expect(test.exits == 0)
    }

    @Test("the stand-in loses an arming right after a removal")
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

    // MARK: - Wake sources

    @Test(
      "the wake sources follow the permission, the accuracy, the background updates and the foreground",
      arguments: [
        (CLAuthorizationStatus.authorizedAlways, true, false, [.significantChange, .regionExit, .visit]),
        (.authorizedAlways, true, true, .phone),
        (.authorizedAlways, false, true, [.significantChange, .visit]),
        (.authorizedWhenInUse, true, true, []),
        (.notDetermined, true, true, []),
      ] as [(CLAuthorizationStatus, Bool, Bool, Sources)])
    func sources(
      _ status: CLAuthorizationStatus, _ hasFullAccuracy: Bool, _ hasBackground: Bool, _ inBackground: Sources
    ) {
      let device = StandInDevice()
      if !hasFullAccuracy { device.setAccuracy(.reducedAccuracy) }
      let test = Reports(device: device, status: status) { $0.allowsBackgroundUpdates = hasBackground }
      let inForeground = inBackground.union([.significantChange, .timer])
      #expect(test.phone.provider.sources == inForeground)
      device.isInForeground = false
      #expect(test.phone.provider.sources == inBackground)
      device.isInForeground = true
      // Each change was reported.
      #expect(test.sources == [inBackground, inForeground])
    }

    @Test(
      "the background updates are those of the configuration", arguments: LocationManager.BackgroundUpdates.allCases)
    func backgroundUpdates(_ updates: LocationManager.BackgroundUpdates) {
      let test = Reports {
        $0.allowsBackgroundUpdates = true
        $0.backgroundUpdates = updates
      }
      #expect(test.phone.provider.backgroundUpdates == updates)
    }

    @Test("in the background there are timers while the keeper runs, and each change is reported")
    func timersInBackground() {
      let test = Reports { $0.allowsBackgroundUpdates = true }
      let (provider, device) = (test.phone.provider, test.phone.device)
      let without: Sources = .phone
      let with = without.union([.timer])
      provider.setMode(.significantChanges)
      device.isInForeground = false
      for _ in 0..<2 {
        provider.setKeptRunning(true)
        provider.setKeptRunning(false)
      }
      provider.setKeptRunning(true)
      device.setAccuracy(.reducedAccuracy)
      #expect(test.sources == [without, with, without, with, without, with, [.significantChange, .visit]])
      #expect(!device.isKeptRunning)
    }

    @Test("timers always run on a Mac, which doesn't suspend apps")
    func mac() {
      let mac = CoreLocationProvider.Capabilities(
        significantChanges: true, visits: false, continuousFixes: true, regionExits: true,
        suspendsApps: false)
      let test = Reports(status: .notDetermined, capabilities: mac)
      #expect(test.phone.provider.sources == [.significantChange, .timer])
      test.phone.device.setStatus(.authorizedAlways)
      #expect(test.phone.provider.sources == [.significantChange, .regionExit, .timer])
    }

    @Test("each change of the permission or the accuracy reports the wake sources once")
    func changes() {
      let test = Reports(status: .authorizedWhenInUse) { $0.allowsBackgroundUpdates = true }
      let all: Sources = .phone.union([.timer])
      let inUse: Sources = [.significantChange, .timer]
      let reduced = inUse.union([.visit])
      let device = test.phone.device
      device.setStatus(.authorizedAlways)
      #expect(test.sources == [all])
      device.setAccuracy(.reducedAccuracy)
      device.setAccuracy(.fullAccuracy)
      device.setStatus(.denied)
      #expect(test.sources == [all, reduced, all, inUse])
    }

    @Test(
      "a significant change is reported while it is awaited, and not while the GPS is on", arguments: [true, false])
    func significantChange(_ isGPSOn: Bool) {
      let test = Reports()
      test.phone.provider.setMode(isGPSOn ? .gps : .significantChanges)
      test.phone.device.advance(by: 1)
      test.phone.device.move(to: test.phone.fix(500, north: 5_000))
      let changes = test.all.filter { if case .wake(.significantChange) = $0 { true } else { false } }
      #expect(changes.count == (isGPSOn ? 0 : 1))
    }

    // MARK: - The keeper

    @Test("with background updates and a bound, an app is kept running on the move, and not at rest")
    func keptRunning() {
      let phone = Phone.bounded { $0.allowsBackgroundUpdates = true }
      let device = phone.device
      let looks = device.switches.count { $0 == "+updating" }
      device.coarseAccuracy = 600
      for second in 1...300 {
        device.carry(to: phone.fix(8, north: Double(second) * 15))
        device.advance(by: 1)
        #expect(device.isKeptRunning)
      }
      #expect(device.switches.count { $0 == "+updating" } > looks, "looks by timers")
      device.coarseAccuracy = 65
      device.advance(by: 600)
      #expect(!device.isKeptRunning && device.isSuspended)
      let updates = device.coarseUpdates
      device.advance(by: 3_600)
      #expect(device.coarseUpdates == updates)
      device.carry(to: phone.fix(8, north: 9_000))
      device.advance(by: 60)
      #expect(device.isKeptRunning)
      phone.manager.pause()
      #expect(!device.isKeptRunning)
    }

    @Test(
      "the keeper uses the configured accuracy; without an indicator, 100 m or better",
      arguments: [
        (false, nil, 100), (true, nil, 100), (false, 3_000, 100), (true, 3_000, 3_000), (false, 10, 10),
        (true, 10, 10),
      ] as [(Bool, Double?, Double)])
    func keptRunningAt(_ showsIndicator: Bool, _ accuracy: Double?, _ expected: Double) {
      let phone = Phone.bounded {
        $0.allowsBackgroundUpdates = true
        $0.showsBackgroundIndicator = showsIndicator
        if let accuracy { $0.keepsRunning = .continuous(accuracy: accuracy) }
      }
      #expect(phone.device.coarseAccuracies == [expected])
    }

    @Test(
      "the duty-cycled keeper asks for 3 km between two looks, and for 100 m before a look; without an indicator, always for 100 m"
    )
    func dutyCycled() {
      for showsIndicator in [true, false] {
        let phone = Phone.bounded {
          $0.allowsBackgroundUpdates = true
          $0.showsBackgroundIndicator = showsIndicator
          $0.keepsRunning = .dutyCycled
        }
        let device = phone.device
        var accuracies: [Double] = []
        for second in 1...300 {
          device.carry(to: phone.fix(8, north: Double(second) * 15))
          device.advance(by: 1)
          #expect(device.isKeptRunning)
          if let accuracy = device.coarseAccuracies.first, accuracy != accuracies.last { accuracies.append(accuracy) }
        }
        #expect(showsIndicator ? accuracies.count > 4 : accuracies == [100], "\(accuracies)")
        #expect(accuracies.allSatisfy { $0 == 100 || $0 == 3_000 })
      }
    }

    // MARK: - Coarse fixes

    private static func kept() -> Reports {
      let test = Reports { $0.allowsBackgroundUpdates = true }
      test.phone.device.carry(to: test.phone.fix(8, north: 0))
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setKeptRunning(true)
      test.clear()
      return test
    }

    @Test("the keeper's fixes are reported as coarse, and not while the GPS is on or after the keeper has stopped")
    func coarseFixes() {
      let test = Self.kept()
      let device = test.phone.device
      func fixes() -> [Location] {
        test.all.flatMap { report -> [Location] in if case .fixes(let fixes) = report { fixes } else { [] } }
      }
      device.deliverCoarseLocation()
      #expect(fixes().map(\.source) == [.coarse] && fixes().map(\.horizontalAccuracy) == [65])
      test.phone.provider.setMode(.gps)
      device.deliverCoarseLocation()
      device.deliver([test.phone.fix(8)])
      #expect(fixes().map(\.source) == [.coarse, .gps])
      test.phone.provider.setMode(.significantChanges)
      device.deliverCoarseLocation()
      #expect(fixes().map(\.source) == [.coarse, .gps, .coarse])
      test.phone.provider.setKeptRunning(false)
      device.deliverCoarseLocation(late: true)
      #expect(fixes().count == 3)
    }

    @Test("a failed region is armed again with a coarse fix")
    func regionOfCoarseFix() {
      let test = Self.kept()
      test.phone.provider.setRegion(Self.region())
      test.phone.device.advance(by: 1)
      let manager = test.phone.changes
      manager.delegate?.locationManager(
        manager, monitoringDidFailFor: nil, withError: CLError(.regionMonitoringDenied))
      #expect(!test.phone.provider.wakeSources.contains(.regionExit))
      test.phone.device.deliverCoarseLocation()
      #expect(test.phone.provider.wakeSources.contains(.regionExit))
    }

    // MARK: - Visits

    private static func visit(_ departure: Date) -> CLVisit {
      CLVisit(
        arrivalDate: .distantPast, departureDate: departure,
        coordinate: CLLocationCoordinate2D(latitude: 34, longitude: -118), horizontalAccuracy: 50)
    }

    @Test(
      "visits are monitored with Always and a bound, unless the mode is off",
      arguments: [
        (CLAuthorizationStatus.authorizedAlways, 500, .significantChanges, true),
        (.authorizedAlways, 500, .gps, true), (.authorizedAlways, 500, .off, false),
        (.authorizedAlways, nil, .significantChanges, false), (.authorizedWhenInUse, 500, .significantChanges, false),
        (.denied, 500, .significantChanges, false),
      ] as [(CLAuthorizationStatus, Double?, ReceiverMode, Bool)])
    func visits(_ status: CLAuthorizationStatus, _ bound: Double?, _ mode: ReceiverMode, _ isOn: Bool) {
      let test = Reports(status: status)
      test.phone.provider.setErrorBound(bound)
      test.phone.provider.setMode(mode)
      #expect(test.phone.device.isMonitoringVisits == isOn)
    }

    @Test("the beginning and the end of a visit are reported, unless the mode is off")
    func departures() {
      let test = Reports()
      func notify(_ departure: Date) { test.phone.device.notify(Self.visit(departure)) }
      test.phone.provider.setErrorBound(500)
      for mode in [ReceiverMode.significantChanges, .gps] {
        test.phone.provider.setMode(mode)
        test.clear()
        notify(.distantFuture)
        notify(test.phone.device.date - 500)
        let visits = test.all.compactMap { if case .wake(.visit(let visit)) = $0 { visit } else { nil } }
        #expect(visits.map(\.departure) == [nil, test.phone.device.date - 500])
        #expect(visits.allSatisfy { $0.place.horizontalAccuracy > 0 && $0.arrival == $0.place.timestamp })
      }
      test.phone.provider.setMode(.off)
      test.clear()
      let manager = test.phone.changes
      manager.delegate?.locationManager(manager, didVisit: Self.visit(test.phone.device.date))
      #expect(test.all.isEmpty)
    }

    // MARK: - Launches

    @Test(
      "what launched an app is reported if the app uses locations within five seconds, and once",
      arguments: [(0.0, 1), (4, 1), (6, 0)])
    func launches(_ delay: Double, _ count: Int) {
      let before = Reports()
      let device = before.phone.device
      before.phone.provider.setErrorBound(500)
      before.phone.provider.setMode(.significantChanges)
      before.phone.device.carry(to: before.phone.fix(8, north: 0))
      before.phone.provider.setRegion(Self.region())
      device.terminate()
      before.carry(north: 1_000)
      device.depart()
      #expect(device.launchReason == "location")
      // The system delivers the events of the launch within the first second, in which the app has used no locations yet.
      let test = Reports(device: device)
      device.advance(by: delay)
      #expect(test.all.isEmpty)
      for mode in [ReceiverMode.gps, .off, .significantChanges] {
        test.phone.provider.setMode(mode)
        device.advance(by: 1)
      }
      let visits = test.all.count { if case .wake(.visit) = $0 { true } else { false } }
      #expect(test.exits == count && visits == count)
    }

    /// Returns the reports of an app that was killed, and launched because the device has left the region.
    private static func launchedByAnExit() -> Reports {
      let before = Reports()
      before.phone.provider.setMode(.significantChanges)
      before.phone.device.carry(to: before.phone.fix(8, north: 0))
      before.phone.provider.setRegion(region())
      before.phone.device.terminate()
      before.carry(north: 1_000)
      return Reports(device: before.phone.device)
    }

    @Test(
      "the exit of a launch isn't reported after the manager has replaced or removed the region",
      arguments: [true, false])
    func replacedRegionOfALaunch(_ isReplaced: Bool) {
      let test = Self.launchedByAnExit()
      test.phone.provider.setRegion(isReplaced ? Self.region(north: 1_000) : nil)
      test.phone.provider.setMode(.significantChanges)
      test.phone.device.advance(by: 10)
      #expect(test.exits == 0)
    }

    @Test("a manager that starts without a region learns of the exit that launched the app, and the region is removed")
    func startsWithoutRegion() {
      let test = Self.launchedByAnExit()
      var plan = ReceiverPlan()
      (plan.mode, plan.regionNumber) = (.significantChanges, 1)
      test.phone.provider.apply(plan)
      #expect(test.exits == 1)
      #expect(test.phone.device.regions.isEmpty)
    }

    @Test("another manager of the provider keeps the region until it sets its own")
    func otherManager() {
      let test = Reports()
      test.phone.provider.setMode(.significantChanges)
      test.phone.device.carry(to: test.phone.fix(8, north: 0))
      test.phone.provider.setRegion(Self.region())
      test.phone.provider.apply(ReceiverPlan())
      #expect(test.phone.device.regions.count == 1)
      test.phone.provider.setMode(.significantChanges)
      test.phone.provider.setRegion(nil)
      #expect(test.phone.device.regions.isEmpty)
    }

    @Test("a launch reports at most eight visits, the newest ones, each once")
    func visitsOfALaunch() {
      let device = StandInDevice()
      let test = Reports(device: device)
      let visits = (0..<12).map { Self.visit(device.date + TimeInterval($0)) }
      let manager = test.phone.changes
      for visit in visits + [visits[11]] { manager.delegate?.locationManager(manager, didVisit: visit) }
      test.phone.provider.setMode(.significantChanges)
      let reported = test.all.compactMap { if case .wake(.visit(let visit)) = $0 { visit.departure } else { nil } }
      #expect(reported == visits.suffix(8).map(\.departureDate))
    }

    // MARK: - Motion

    private static func moving(
      configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
    ) throws -> (test: Reports, sensor: CMMotionActivityManager) {
      let test = Reports {
        $0.allowsBackgroundUpdates = true
        $0.motionSensor = .coreMotion
        configure(&$0)
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      test.phone.provider.setKeptRunning(true)
      test.phone.provider.setMode(.significantChanges)
      return (test, sensor)
    }

    @Test("the sensor's activity is reported within ten seconds, as one of four motions")
    func motion() throws {
      let (test, sensor) = try Self.moving()
      let table: [(Set<String>, LocationManager.Motion)] = [
        (["stationary"], .still), (["walking"], .walking), (["automotive"], .vehicle), (["running"], .walking),
        (["automotive", "stationary"], .standing), (["automotive"], .vehicle), (["cycling"], .walking),
        (["stationary"], .still),
      ]
      for (names, motion) in table {
        sensor.report(CMMotionActivity(names))
        test.phone.device.advance(by: 10.1)
        #expect(test.motions.last == motion)
      }
      #expect(test.motions.count == table.count)
    }

    @Test("activities stored while the sensor was off, up to an hour ago, are reported when it turns on")
    func storedMotion() throws {
      let (test, sensor) = try Self.moving()
      let provider = test.phone.provider
      #expect(sensor.queries.map { $0.to.timeIntervalSince($0.from) } == [3_600])
      provider.setKeptRunning(false)
      let off = provider.date
      sensor.stored = [
        CMMotionActivity(["stationary"], startDate: off.addingTimeInterval(-5)),
        CMMotionActivity(["walking"], startDate: off.addingTimeInterval(10)),
        CMMotionActivity(["automotive"], confidence: .low, startDate: off.addingTimeInterval(20)),
        CMMotionActivity([], startDate: off.addingTimeInterval(30)),
        CMMotionActivity(["automotive"], startDate: off.addingTimeInterval(40)),
      ]
      test.phone.device.advance(by: 600)
      provider.setKeptRunning(true)
      test.phone.device.advance(by: 1)
      #expect(sensor.queries.last?.from == off)
      let changes = test.all.compactMap { if case .pastMotion(let changes) = $0 { changes } else { nil } }
      #expect(changes.map { $0.map(\.motion) } == [[.walking, nil, nil, .vehicle]])
      #expect(changes.first?.first?.date == off.addingTimeInterval(10))
      // The clock is set back to before the sensor was turned off.
      provider.setKeptRunning(false)
      test.phone.device.clockOffset = -7_200
      provider.setKeptRunning(true)
      test.phone.device.advance(by: 1)
      let query = try #require(sensor.queries.last)
      #expect(query.to < off && query.to.timeIntervalSince(query.from) == 3_600)
    }

    @Test("of more than 1,000 stored activities, the newest ones are reported")
    func newestMotion() throws {
      let (test, sensor) = try Self.moving()
      let provider = test.phone.provider
      provider.setKeptRunning(false)
      let off = provider.date
      sensor.stored = (0..<1_003).map {
        CMMotionActivity([$0 % 2 == 0 ? "walking" : "stationary"], startDate: off.addingTimeInterval(Double($0) / 2))
      }
      test.phone.device.advance(by: 600)
      provider.setKeptRunning(true)
      test.phone.device.advance(by: 1)
      let dates = test.all.compactMap { if case .pastMotion(let changes) = $0 { changes.map(\.date) } else { nil } }
      #expect(dates == [sensor.stored.suffix(1_000).map(\.startDate)])
    }

    @Test("an activity of low confidence isn't reported, and an unchanged motion isn't reported again")
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
      "an unknown activity doesn't change the motion", arguments: [Set(["unknown"]), []])
    func unknownMotion(_ unknown: Set<String>) throws {
      let (test, sensor) = try Self.moving()
      func report(_ names: Set<String>) {
        sensor.report(CMMotionActivity(names))
        test.phone.device.advance(by: 11)
      }
      report(unknown)
      #expect(test.motions.isEmpty && !test.phone.provider.wakeSources.contains(.motion))
      for (name, motion) in [
        ("stationary", LocationManager.Motion.still), ("automotive", .vehicle), ("walking", .walking),
      ] {
        report([name])
        #expect(test.motions.last == motion)
        let count = test.motions.count
        report(unknown)
        #expect(test.motions.count == count && test.phone.provider.wakeSources.contains(.motion), "\(motion)")
      }
      // An unknown activity doesn't replace a reading that isn't reported yet either.
      sensor.report(CMMotionActivity(["stationary"]))
      report(unknown)
      #expect(test.motions.last == .still)
    }

    @Test(
      "stillness ends when the sensor hasn't known the motion for 30 s, unless the app can be kept running",
      arguments: [LocationManager.BackgroundUpdates.never, .whileMoving])
    func silence(_ updates: LocationManager.BackgroundUpdates) throws {
      let (test, sensor) = try Self.moving { $0.backgroundUpdates = updates }
      let (device, provider) = (test.phone.device, test.phone.provider)
      provider.setErrorBound(500)
      func report(_ names: Set<String>, for seconds: Double) {
        sensor.report(CMMotionActivity(names))
        device.advance(by: seconds)
      }
      var hearsMotion: Bool { provider.wakeSources.contains(.motion) }
      report(["stationary"], for: 11)
      // At rest, short silences are frequent.
      for _ in 0..<5 {
        report([], for: 25)
        report(["stationary"], for: 11)
        #expect(hearsMotion && test.motions == [.still])
      }
      report(["unknown"], for: 45)
      #expect(hearsMotion == (updates != .never))
      report(["automotive"], for: 11)
      #expect(hearsMotion && test.motions == [.still, .vehicle])
      report([], for: 60)
      #expect(hearsMotion, "other motion isn't withdrawn")
      report(["stationary"], for: 11)
      #expect(hearsMotion && test.motions == [.still, .vehicle, .still])
    }

    @Test("stillness that waits for the end of a fast trip is forgotten when the motion is unknown")
    func doubtedReading() {
      func motion(after silence: Double) -> LocationManager.Motion? {
        var watch = MotionWatch(at: .zero)
        watch.receive(.still)
        _ = watch.judge(at: .seconds(10), lastFastFix: .seconds(5), doubtsStillness: true)
        watch.receiveUnknown(at: .seconds(190 - silence))
        return watch.judge(at: .seconds(190), lastFastFix: .seconds(5), doubtsStillness: true)
      }
      #expect(motion(after: 29) == .still)
      #expect(motion(after: 30) == nil)
    }

    @Test("stillness isn't reported for three minutes after a fix with a vehicle's speed")
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
      // A slow fix or a cached one doesn't count.
      sensor.report(CMMotionActivity(["walking"]))
      device.advance(by: 11)
      fix(speed: 2)
      fix(speed: 30, age: 60)
      sensor.report(CMMotionActivity(["stationary"]))
      device.advance(by: 11)
      #expect(test.motions == [.still, .walking, .still])
      // A fast fix withdraws the stillness, which is reported again after a slow one if no other reading follows.
      fix(speed: 30)
      #expect(!test.phone.provider.wakeSources.contains(.motion))
      // A fix without a speed shows no stop.
      fix(speed: -1)
      device.advance(by: 300)
      #expect(test.motions.count == 3)
      fix(speed: 30)
      device.advance(by: 100)
      fix(speed: 2)
      device.advance(by: 70)
      #expect(test.motions.count == 3)
      device.advance(by: 21)
      #expect(test.motions == [.still, .walking, .still, .still])
      #expect(test.phone.provider.wakeSources.contains(.motion))
      sensor.report(CMMotionActivity(["walking"]))
      device.advance(by: 11)
      fix(speed: 30)
      #expect(test.phone.provider.wakeSources.contains(.motion), "other motion isn't withdrawn")
    }

    @Test(
      "a coarse fix with a vehicle's speed delays the report of stillness, too",
      arguments: [(-1, [.still]), (30, [])] as [(Double, [LocationManager.Motion])])
    func stillAfterFastCoarseFix(_ speed: Double, _ expected: [LocationManager.Motion]) throws {
      let (test, sensor) = try Self.moving()
      test.phone.device.carry(to: test.phone.fix(8, north: 0))
      test.phone.device.coarseSpeed = speed
      test.phone.device.deliverCoarseLocation()
      test.phone.device.coarseSpeed = -1
      sensor.report(CMMotionActivity(["stationary"]))
      test.phone.device.advance(by: 60)
      #expect(test.motions == expected)
    }

    @Test("motion is a source from the sensor's first reading on")
    func refusedMotion() throws {
      let (test, sensor) = try Self.moving()
      sensor.isAllowed = false
      sensor.report(CMMotionActivity(["walking"]))
      test.phone.device.advance(by: 11)
      #expect(test.all.isEmpty && sensor.promptsShown == 1)
      sensor.isAllowed = true
      sensor.report(CMMotionActivity(["walking"]))
      test.phone.device.advance(by: 11)
      let sources: Sources = .kept
      #expect(test.all == [sources.report, .motion(.walking)])
    }

    @Test(
      "in an app that can't be kept running, the sensor runs in the foreground under a bound",
      arguments: [true, false])
    func sensorInForeground(hasBound: Bool) throws {
      let phone = Phone(.whenInUse) { $0.motionSensor = .coreMotion }
      let sensor = try #require(CMMotionActivityManager.newest)
      phone.manager.errorBound = hasBound ? 500 : nil
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 60)
      #expect(phone.manager.state == .waitingSignificantChange && sensor.isOn == hasBound)
      sensor.report(CMMotionActivity(["walking"]))
      phone.device.advance(by: 11)
      #expect(phone.manager.motion == (hasBound ? .walking : nil))
      phone.device.isInForeground = false
      #expect(!sensor.isOn && phone.manager.motion == nil)
      phone.device.isInForeground = true
      #expect(sensor.isOn == hasBound)
      phone.manager.pause()
      #expect(!sensor.isOn)
    }

    @Test("in an app that can be kept running, the sensor runs only while it is")
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
      // The earlier reading is discarded.
      #expect(sensor.isOn && !test.phone.provider.wakeSources.contains(.motion))
      test.phone.provider.setKeptRunning(false)
      #expect(!sensor.isOn && sensor.promptsShown == 1)
      let unasked = Reports { $0.allowsBackgroundUpdates = true }
      unasked.phone.provider.setKeptRunning(true)
      unasked.phone.provider.setMode(.significantChanges)
      #expect(CMMotionActivityManager.newest?.isOn == false)
    }

    @Test("the sensor stays on with the GPS when a rule that tracks in a vehicle ends the bound")
    func sensorWhileTracking() throws {
      let phone = Phone(.always) {
        $0.allowsBackgroundUpdates = true
        $0.motionSensor = .coreMotion
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      phone.manager.tryPromptAuthorization()
      let controller = PowerController(
        phone.manager, rules: [.init(.track(TrackingPolicy()), when: [.vehicle]), .init(.bound(500), when: [])])
      phone.device.advance(by: 11)
      sensor.report(CMMotionActivity(["automotive"]))
      for second in 1...60 {
        phone.device.advance(by: 1)
        phone.device.carry(to: phone.fix(8, north: Double(second) * 14))
        if second < 12 { continue }
        #expect(controller.rule == controller.rules[0] && phone.manager.motion == .vehicle && sensor.isOn, "\(second)")
      }
      sensor.report(CMMotionActivity(["stationary"]))
      for _ in 1...12 {
        phone.device.advance(by: 1)
        phone.device.carry(to: phone.fix(8, north: 840))
      }
      #expect(controller.rule == controller.rules[1] && sensor.isOn && phone.device.isKeptRunning)
      withExtendedLifetime(controller) {}
    }

    @Test("in an app that is never kept running, the sensor ends in the background, also while the GPS is on")
    func sensorEnds() throws {
      let phone = Phone(.always) {
        $0.allowsBackgroundUpdates = true
        $0.backgroundUpdates = .never
        $0.motionSensor = .coreMotion
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 11)
      phone.provider.setMode(.gps)
      #expect(sensor.isOn)
      phone.device.isInForeground = false
      #expect(!sensor.isOn)
    }

    @Test("with the sensor, no look follows while the device is still, and one follows once it moves")
    func sensorSavesLooks() throws {
      let phone = Phone.bounded {
        $0.allowsBackgroundUpdates = true
        $0.motionSensor = .coreMotion
        $0.backgroundUpdates = .always
      }
      let sensor = try #require(CMMotionActivityManager.newest)
      sensor.report(CMMotionActivity(["stationary"]))
      phone.device.advance(by: 11)
      let looks = phone.device.switches.count { $0 == "+updating" }
      phone.device.advance(by: 3_600)
      #expect(phone.device.switches.count { $0 == "+updating" } == looks)
      sensor.report(CMMotionActivity(["walking"]))
      phone.device.coarseAccuracy = 600
      for second in 1...900 {
        phone.device.carry(to: phone.fix(8, north: Double(second) * 1.4))
        phone.device.advance(by: 1)
      }
      #expect(phone.device.switches.count { $0 == "+updating" } > looks)
    }
  }
#endif

#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  @MainActor
  @Suite("App power source, with stand-ins for Apple's frameworks", .serialized)
  struct AppPowerSourceTests {
    /// Waits until a posted notification has met a condition. Other tests may keep every thread for minutes.
    private func arrive(_ condition: () -> Bool) async {
      let limit = ContinuousClock.now + .seconds(300)
      while !condition(), .now < limit { await Task.yield() }
    }

    /// Gives a notification that should have no effect the time to have one.
    private func pass() async {
      for _ in 0..<1_000 { await Task.yield() }
    }

    @Test("A plugged-in device has external power, another one a battery with its level if known")
    func power() {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        let source = PowerController.Source.app(standIn.device, isInForeground: true)
        for (isPlugged, level, power) in [
          (true, 0.5, PowerController.Policy.Power.external), (true, nil, .external),
          (false, 0.5, .battery(level: 0.5)), (false, 0, .battery(level: 0)), (false, 1, .battery(level: 1)),
          (false, nil, .battery(level: nil)),
        ] as [(Bool, Double?, PowerController.Policy.Power)] {
          standIn.power(isPlugged: isPlugged, level: level)
          #expect(
            source.conditions == .init(isInForeground: true, power: power), "\(platform) \(isPlugged) \(level as Any)")
        }
      }
    }

    @Test(
      "The battery of a phone and a watch is monitored: charging and full are external power, unknown isn't")
    func states() {
      let phone = StandInPhone()
      let watch = StandInWatch()
      let sources = [phone.device, watch.device].map { PowerController.Source.app($0, isInForeground: false) }
      #expect(phone.isMonitored && watch.isMonitored)
      for (number, isExternal) in [(0, false), (1, false), (2, true), (3, true)] {
        phone.power(isPlugged: false, level: 0.25)
        watch.power(isPlugged: false, level: 0.25)
        phone.state(number)
        watch.state(number)
        for source in sources { #expect(source.conditions.power == (isExternal ? .external : .battery(level: 0.25))) }
      }
    }

    @Test("The power of a Mac is what IOKit reports, also with missing values")
    func mac() {
      let mac = StandInMac()
      let source = PowerController.Source.app(mac.device, isInForeground: true)
      let current = "Current Capacity"
      let most = "Max Capacity"
      for (provider, batteries, power) in [
        (nil, [], .external), ("AC Power", [[current: 10, most: 100]], .external),
        ("Battery Power", [[current: 10, most: 40]], .battery(level: 0.25)),
        // Several batteries, such as a UPS: the lowest level counts.
        ("UPS Power", [[current: 60, most: 100], nil, [current: 30, most: 100]], .battery(level: 0.3)),
        ("Battery Power", [], .battery(level: nil)), ("Battery Power", [[current: 10]], .battery(level: nil)),
        ("Battery Power", [[most: 10]], .battery(level: nil)),
        ("Battery Power", [[current: 5, most: 0]], .battery(level: nil)),
        ("Battery Power", [[current: 50, most: 40]], .battery(level: 1)),
        ("Battery Power", [[current: -5, most: 40]], .battery(level: 0)),
      ] as [(String?, [[String: Int]?], PowerController.Policy.Power)] {
        mac.sources(provider: provider, batteries)
        #expect(source.conditions.power == power, "\(provider ?? "none") \(batteries)")
      }
      mac.power(isPlugged: true, level: nil)
    }

    @Test("The decision follows the app into the foreground and back")
    func app() async {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        standIn.power(isPlugged: false, level: 1)
        let fixture = Fixture(in: .waitingSignificantChange)
        let source = PowerController.Source.app(standIn.device, isInForeground: false)
        let controller = PowerController(fixture.manager, source: source)
        #expect(controller.decision == .significantChanges)
        standIn.appBecomesActive()
        await arrive { controller.decision != .significantChanges }
        #expect(
          source.conditions.isInForeground && controller.decision == .continuous(distanceFilter: 50), "\(platform)")
        standIn.appLeaves()
        await arrive { controller.decision == .significantChanges }
        #expect(!source.conditions.isInForeground && controller.decision == .significantChanges, "\(platform)")
      }
    }

    @Test("A phone's battery changes notify the controller; a Mac's and a watch's battery is read once a minute")
    func battery() async {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        standIn.power(isPlugged: false, level: 1)
        let fixture = Fixture(in: .waitingSignificantChange)
        let controller = PowerController(
          fixture.manager, source: PowerController.Source.app(standIn.device, isInForeground: false))
        for (isPlugged, decision) in [
          (true, .continuous(distanceFilter: 50)), (false, .significantChanges),
        ] as [(Bool, PowerController.Policy.Decision)] {
          standIn.power(isPlugged: isPlugged, level: 1)
          if platform != .phone {
            await pass()
            #expect(controller.decision != decision, "\(platform)")
            fixture.provider.pass(60)
          }
          await arrive { controller.decision == decision }
          #expect(controller.decision == decision, "\(platform)")
          if isPlugged { #expect(fixture.provider.mode == .gps) }
        }
      }
    }

    @Test("A deinitialized source is no longer notified")
    func letGo() async {
      let standIn = StandInPlatform.phone.standIn
      var source: PowerController.Source? = PowerController.Source.app(standIn.device, isInForeground: false)
      weak let gone = source
      source = nil
      #expect(gone == nil)
      standIn.appBecomesActive()
      await pass()
    }

    @Test("Without a device the source reads the platform's")
    func platform() {
      StandInPhone().power(isPlugged: false, level: 0.75)
      #expect(PowerController.Source.app(isInForeground: false).conditions.power == .battery(level: 0.75))
    }

    @Test("The Core Location provider reports the battery to the manager")
    func provider() async {
      let standIn = StandInPhone()
      standIn.power(isPlugged: false, level: 0.5)
      let device = StandInDevice()
      device.isOnMainActor = true
      let phone = Phone(device: device, answers: [.allowWhileUsing]) { $0.reportsBattery = true }
      phone.manager.tryPromptAuthorization()
      await arrive {
        phone.device.advance(by: 0.01)
        return phone.manager.battery != nil
      }
      #expect(phone.manager.battery == LocationManager.BatteryStatus(level: 0.5, state: .unplugged))
      for (number, state) in [(2, LocationManager.BatteryStatus.State.charging), (3, .full), (0, nil), (1, .unplugged)]
        as [(Int, LocationManager.BatteryStatus.State?)]
      {
        standIn.state(number)
        await arrive {
          phone.device.advance(by: 0.01)
          return phone.manager.battery?.state == state
        }
        #expect(phone.manager.battery == LocationManager.BatteryStatus(level: 0.5, state: state))
      }
    }
  }
#endif

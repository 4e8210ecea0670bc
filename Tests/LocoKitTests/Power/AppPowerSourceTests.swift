#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit

  @MainActor
  @Suite("An app's power, in front of stand-ins for Apple's frameworks", .serialized)
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

    @Test("is what the device says: external where it is plugged in, else the battery's level, where it is known")
    func power() {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        let source = AppPowerSource(standIn.device, isInForeground: true)
        for (isPlugged, level, power) in [
          (true, 0.5, PowerPolicy.Power.external), (true, nil, .external),
          (false, 0.5, .battery(level: 0.5)), (false, 0, .battery(level: 0)), (false, 1, .battery(level: 1)),
          (false, nil, .battery(level: nil)),
        ] as [(Bool, Double?, PowerPolicy.Power)] {
          standIn.power(isPlugged: isPlugged, level: level)
          #expect(
            source.conditions == .init(isInForeground: true, power: power), "\(platform) \(isPlugged) \(level as Any)")
        }
      }
    }

    @Test(
      "of a phone and a watch is monitored, external while charging and when full, and a battery where nobody knows")
    func states() {
      let phone = StandInPhone()
      let watch = StandInWatch()
      let sources = [phone.device, watch.device].map { AppPowerSource($0, isInForeground: false) }
      #expect(phone.isMonitored && watch.isMonitored)
      for (number, isExternal) in [(0, false), (1, false), (2, true), (3, true)] {
        phone.power(isPlugged: false, level: 0.25)
        watch.power(isPlugged: false, level: 0.25)
        phone.state(number)
        watch.state(number)
        for source in sources { #expect(source.conditions.power == (isExternal ? .external : .battery(level: 0.25))) }
      }
    }

    @Test("of a Mac is what IOKit says, whatever it leaves out")
    func mac() {
      let mac = StandInMac()
      let source = AppPowerSource(mac.device, isInForeground: true)
      let current = "Current Capacity"
      let most = "Max Capacity"
      for (provider, batteries, power) in [
        (nil, [], .external), ("AC Power", [[current: 10, most: 100]], .external),
        ("Battery Power", [[current: 10, most: 40]], .battery(level: 0.25)),
        // The weakest of several; a UPS.
        ("UPS Power", [[current: 60, most: 100], nil, [current: 30, most: 100]], .battery(level: 0.3)),
        ("Battery Power", [], .battery(level: nil)), ("Battery Power", [[current: 10]], .battery(level: nil)),
        ("Battery Power", [[most: 10]], .battery(level: nil)),
        ("Battery Power", [[current: 5, most: 0]], .battery(level: nil)),
        ("Battery Power", [[current: 50, most: 40]], .battery(level: 1)),
        ("Battery Power", [[current: -5, most: 40]], .battery(level: 0)),
      ] as [(String?, [[String: Int]?], PowerPolicy.Power)] {
        mac.sources(provider: provider, batteries)
        #expect(source.conditions.power == power, "\(provider ?? "nothing") \(batteries)")
      }
      mac.power(isPlugged: true, level: nil)
    }

    @Test("has a manager follow the app into the foreground and back")
    func app() async {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        standIn.power(isPlugged: false, level: 1)
        let fixture = Fixture(in: .waitingSignificantChange)
        let source = AppPowerSource(standIn.device, isInForeground: false)
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

    @Test("tells of a phone's battery when it changes; a Mac's and a watch's are read when the controller looks")
    func battery() async {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        standIn.power(isPlugged: false, level: 1)
        let fixture = Fixture(in: .waitingSignificantChange)
        let controller = PowerController(
          fixture.manager, source: AppPowerSource(standIn.device, isInForeground: false))
        for (isPlugged, decision) in [
          (true, .continuous(distanceFilter: 50)), (false, .significantChanges),
        ] as [(Bool, PowerPolicy.Decision)] {
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

    @Test("one that is let go hears of nothing any more")
    func letGo() async {
      let standIn = StandInPlatform.phone.standIn
      var source: AppPowerSource? = AppPowerSource(standIn.device, isInForeground: false)
      weak let gone = source
      source = nil
      #expect(gone == nil)
      standIn.appBecomesActive()
      await pass()
    }

    @Test("without a device is the platform's own")
    func platform() {
      StandInPhone().power(isPlugged: false, level: 0.75)
      #expect(AppPowerSource(isInForeground: false).conditions.power == .battery(level: 0.75))
    }

    @Test(
      "reaches a manager's listeners through the provider for Core Location")
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
      #expect(phone.manager.battery == BatteryStatus(level: 0.5, state: .unplugged))
      for (number, state) in [(2, BatteryStatus.State.charging), (3, .full), (0, nil), (1, .unplugged)]
        as [(Int, BatteryStatus.State?)]
      {
        standIn.state(number)
        await arrive {
          phone.device.advance(by: 0.01)
          return phone.manager.battery?.state == state
        }
        #expect(phone.manager.battery == BatteryStatus(level: 0.5, state: state))
      }
    }
  }
#endif

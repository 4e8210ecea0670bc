#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  @MainActor
  @Suite("Battery, with stand-ins for Apple's frameworks", .serialized)
  struct BatterySensorTests {
    typealias Status = LocationManager.BatteryStatus

    /// Waits up to five minutes for a condition. After a notification, other tests may occupy all threads for minutes.
    private func arrive(_ condition: () -> Bool) async {
      let limit = ContinuousClock.now + .seconds(300)
      while !condition(), .now < limit { await Task.yield() }
    }

    @Test("A device reports whether it is plugged in, and its level if known")
    func power() {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        for (isPlugged, level) in [
          (true, 0.5), (true, nil), (false, 0.5), (false, 0), (false, 1), (false, 0.7), (false, nil),
        ]
          as [(Bool, Double?)]
        {
          standIn.power(isPlugged: isPlugged, level: level)
          let expected = Status(level: level, state: isPlugged ? .charging : .unplugged)
          #expect(standIn.battery.status() == expected, "\(platform) \(isPlugged) \(level as Any)")
        }
      }
    }

    @Test("The battery of a phone and a watch is monitored, and each state is reported")
    func states() {
      let (phone, watch) = (StandInPhone(), StandInWatch())
      let batteries = [phone.battery, watch.battery]
      #expect(phone.isMonitored && watch.isMonitored)
      for (number, state) in [nil, .unplugged, .charging, .full].enumerated() as EnumeratedSequence<[Status.State?]> {
        phone.power(isPlugged: false, level: 0.25)
        watch.power(isPlugged: false, level: 0.25)
        phone.state(number)
        watch.state(number)
        for battery in batteries { #expect(battery.status() == Status(level: 0.25, state: state)) }
      }
    }

    @Test("A Mac reports the power that IOKit returns, even if values are missing")
    func mac() {
      let mac = StandInMac()
      let current = "Current Capacity"
      let most = "Max Capacity"
      for (provider, batteries, level) in [
        ("Battery Power", [[current: 10, most: 40]], 0.25),
        // With several batteries, such as a Mac's own and a UPS's, the lowest level counts.
        ("UPS Power", [[current: 60, most: 100], nil, [current: 30, most: 100]], 0.3), ("Battery Power", [], nil),
        ("Battery Power", [[current: 10]], nil), ("Battery Power", [[most: 10]], nil),
        ("Battery Power", [[current: 5, most: 0]], nil), ("Battery Power", [[current: 50, most: 40]], 1),
        ("Battery Power", [[current: -5, most: 40]], 0),
      ] as [(String?, [[String: Int]?], Double?)] {
        mac.sources(provider: provider, batteries)
        #expect(mac.battery.status() == Status(level: level, state: .unplugged), "\(provider ?? "none") \(batteries)")
      }
      mac.sources(provider: nil, [])
      #expect(mac.battery.status() == Status(level: nil, state: .charging))
      mac.sources(provider: "AC Power", [[current: 10, most: 100]])
      #expect(mac.battery.status() == Status(level: 0.1, state: .charging))
      mac.power(isPlugged: true, level: nil)
    }

    @Test("A phone's battery changes are reported; those of a Mac and a watch are noticed at the next reading")
    func changes() async {
      for platform in StandInPlatform.allCases {
        let standIn = platform.standIn
        standIn.power(isPlugged: false, level: 1)
        let reported = Locked<[Status]>([])
        let sensor = BatterySensor(standIn.battery) { status in reported.change { $0.append(status) } }
        #expect(reported.change { $0 } == [Status(level: 1, state: .unplugged)])
        standIn.power(isPlugged: true, level: 1)
        if platform != .phone { sensor.read() }
        await arrive { reported.change { $0.last?.state } == .charging }
        #expect(reported.change { $0.last } == Status(level: 1, state: .charging), "\(platform)")
      }
    }

    @Test(
      "The controller's rules follow the app into the foreground and back, and the manager knows the system's settings")
    func app() {
      let device = StandInDevice()
      device.isOnMainActor = true
      let phone = Phone(device: device, answers: [.allowWhileUsing]) { _ in }
      phone.manager.tryPromptAuthorization()
      device.advance(by: 60)
      let controller = PowerController(phone.manager, rules: [.init(.bound(500), when: [.foreground])])
      for isInForeground in [false, true, false] {
        device.isInForeground = isInForeground
        #expect((controller.rule != nil) == isInForeground)
        #expect(phone.manager.circumstances.isInForeground == isInForeground)
      }
      device.isInForeground = true
      phone.host.isLowPowerMode = true
      #expect(phone.manager.circumstances.isLowPowerMode == true)
      #expect(phone.manager.health.problems == [.lowPowerMode])
      (phone.host.isLowPowerMode, phone.host.refresh) = (false, .denied)
      #expect(phone.manager.health.problems == [.backgroundRefresh])
      phone.host.refresh = .restricted
      #expect(phone.manager.health.problems.isEmpty, "the user can't change it")
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
        return phone.manager.circumstances.battery != nil
      }
      #expect(phone.manager.circumstances.battery == LocationManager.BatteryStatus(level: 0.5, state: .unplugged))
      for (number, state) in [(2, LocationManager.BatteryStatus.State.charging), (3, .full), (0, nil), (1, .unplugged)]
        as [(Int, LocationManager.BatteryStatus.State?)]
      {
        standIn.state(number)
        await arrive {
          phone.device.advance(by: 0.01)
          return phone.manager.circumstances.battery?.state == state
        }
        #expect(phone.manager.circumstances.battery == LocationManager.BatteryStatus(level: 0.5, state: state))
      }
    }
  }
#endif

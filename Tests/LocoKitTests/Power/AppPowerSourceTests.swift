#if canImport(UIKit) && os(Linux)
  import Foundation
  import Testing

  @testable import LocoKit

  @MainActor
  @Suite("An app's power, in front of a stand-in for UIKit", .serialized)
  struct AppPowerSourceTests {
    /// Lets what was posted arrive.
    private func arrive(_ condition: () -> Bool) async {
      for _ in 0..<10_000 where !condition() { await Task.yield() }
    }

    @Test("is what the device says: charging and full are external, a level that is unknown is none")
    func power() {
      let device = StandInBattery()
      let source = AppPowerSource(isInForeground: true)
      #expect(device.isMonitored)
      for (state, power) in [
        (StandInBattery.State.charging, PowerPolicy.Power.external), (.full, .external),
        (.unplugged, .battery(level: 0.5)), (.unknown, .battery(level: 0.5)),
      ] {
        device.level = 0.5
        device.state = state
        #expect(source.conditions == .init(isInForeground: true, power: power))
      }
      device.level = -1
      #expect(source.conditions.power == .battery(level: nil))
      device.level = 1
      device.state = .unplugged
    }

    @Test("tells of every change, of the battery and of the app, and has a manager follow")
    func changes() async {
      let device = StandInBattery()
      device.state = .unplugged
      let fixture = Fixture(in: .waitingSignificantChange)
      let source = AppPowerSource(isInForeground: false)
      let controller = PowerController(fixture.manager, source: source)
      #expect(controller.decision == .significantChanges)
      device.state = .charging
      await arrive { controller.decision != .significantChanges }
      #expect(fixture.provider.mode == .gps)
      device.state = .unplugged
      await arrive { controller.decision == .significantChanges }
      #expect(controller.decision == .significantChanges)
      StandInBattery.appBecomesActive()
      await arrive { controller.decision != .significantChanges }
      #expect(source.conditions.isInForeground && controller.decision == .continuous(distanceFilter: 50))
      StandInBattery.appEntersBackground()
      await arrive { controller.decision == .significantChanges }
      #expect(controller.decision == .significantChanges)
    }

    @Test("one that is let go hears of nothing any more")
    func letGo() async {
      var source: AppPowerSource? = AppPowerSource(isInForeground: false)
      weak let gone = source
      source = nil
      #expect(gone == nil)
      StandInBattery.appBecomesActive()
      await arrive { false }
    }
  }
#endif

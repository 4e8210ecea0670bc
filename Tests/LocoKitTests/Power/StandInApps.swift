#if LOCOKIT_STAND_INS
  // Separate from the tests: importing UIKit or AppKit together with Testing requires overlays that only Apple's platforms have.
  import AppKit
  import Foundation
  import IOKit
  import UIKit
  import WatchKit

  @testable import LocoKit
  @testable import TestSupport

  /// A platform's stand-in, controlled by a test.
  @MainActor
  protocol StandInApp {
    var device: AppDevice { get }
    var becomesActive: Notification.Name { get }
    var leaves: Notification.Name { get }
    /// Sets the power; `nil` is an unknown level.
    func power(isPlugged: Bool, level: Double?)
  }

  extension StandInApp {
    func appBecomesActive() { NotificationCenter.default.post(name: becomesActive, object: nil) }
    func appLeaves() { NotificationCenter.default.post(name: leaves, object: nil) }
  }

  enum StandInPlatform: CaseIterable {
    case phone, watch, mac

    @MainActor
    var standIn: any StandInApp {
      switch self {
      case .phone: StandInPhone()
      case .watch: StandInWatch()
      case .mac: StandInMac()
      }
    }
  }

  struct StandInPhone: StandInApp {
    let device = AppDevice.phone()
    let becomesActive = UIApplication.didBecomeActiveNotification
    let leaves = UIApplication.didEnterBackgroundNotification

    func power(isPlugged: Bool, level: Double?) {
      UIDevice.current.level = level.map(Float.init) ?? -1
      UIDevice.current.state = isPlugged ? .charging : .unplugged
    }

    var isMonitored: Bool { UIDevice.current.isBatteryMonitoringEnabled }

    /// Sets a state by its number: unknown, unplugged, charging, full.
    func state(_ number: Int) { UIDevice.current.state = UIDevice.BatteryState(rawValue: number) ?? .unknown }
  }

  struct StandInWatch: StandInApp {
    let device = AppDevice.watch()
    let becomesActive = WKApplication.didBecomeActiveNotification
    let leaves = WKApplication.didEnterBackgroundNotification

    func power(isPlugged: Bool, level: Double?) {
      WKInterfaceDevice.current().level = level.map(Float.init) ?? -1
      WKInterfaceDevice.current().state = isPlugged ? .charging : .unplugged
    }

    var isMonitored: Bool { WKInterfaceDevice.current().isBatteryMonitoringEnabled }

    /// Sets a state by its number: unknown, unplugged, charging, full.
    func state(_ number: Int) {
      WKInterfaceDevice.current().state = WKInterfaceDeviceBatteryState(rawValue: number) ?? .unknown
    }
  }

  struct StandInMac: StandInApp {
    let device = AppDevice.mac()
    let becomesActive = NSApplication.didBecomeActiveNotification
    let leaves = NSApplication.didResignActiveNotification

    func power(isPlugged: Bool, level: Double?) {
      sources(
        provider: isPlugged ? "AC Power" : "Battery Power",
        level.map { [[kIOPSCurrentCapacityKey: Int($0 * 100), kIOPSMaxCapacityKey: 100]] } ?? [])
    }

    /// Sets the values of IOKit.
    func sources(provider: String?, _ sources: [[String: Int]?]) {
      StandInPowerSources.provider = provider
      StandInPowerSources.sources = sources
    }
  }
#endif

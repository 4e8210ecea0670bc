#if LOCOKIT_STAND_INS
  // A file that imports the stand-ins of UIKit and AppKit can't import Testing, because the compiler would then require Testing's
  // overlays for these modules, which only Apple's platforms have.
  import AppKit
  import Foundation
  import IOKit
  import UIKit
  import WatchKit

  @testable import LocoKit
  @testable import TestSupport

  /// A platform's battery, controlled by a test through the stand-in of its framework.
  @MainActor
  protocol StandInBattery {
    var battery: DeviceBattery { get }
    /// Sets the power supply and the level; `nil` is an unknown level.
    func power(isPlugged: Bool, level: Double?)
  }

  enum StandInPlatform: CaseIterable {
    case phone, watch, mac

    @MainActor
    var standIn: any StandInBattery {
      switch self {
      case .phone: StandInPhone()
      case .watch: StandInWatch()
      case .mac: StandInMac()
      }
    }
  }

  struct StandInPhone: StandInBattery {
    let battery = DeviceBattery.phone()

    func power(isPlugged: Bool, level: Double?) {
      UIDevice.current.level = level.map(Float.init) ?? -1
      UIDevice.current.state = isPlugged ? .charging : .unplugged
    }

    var isMonitored: Bool { UIDevice.current.isBatteryMonitoringEnabled }

    /// Sets a state by its number, from 0: unknown, unplugged, charging, full.
    func state(_ number: Int) { UIDevice.current.state = UIDevice.BatteryState(rawValue: number) ?? .unknown }
  }

  struct StandInWatch: StandInBattery {
    let battery = DeviceBattery.watch()

    func power(isPlugged: Bool, level: Double?) {
      WKInterfaceDevice.current().level = level.map(Float.init) ?? -1
      WKInterfaceDevice.current().state = isPlugged ? .charging : .unplugged
    }

    var isMonitored: Bool { WKInterfaceDevice.current().isBatteryMonitoringEnabled }

    /// Sets a state by its number, from 0: unknown, unplugged, charging, full.
    func state(_ number: Int) {
      WKInterfaceDevice.current().state = WKInterfaceDeviceBatteryState(rawValue: number) ?? .unknown
    }
  }

  struct StandInMac: StandInBattery {
    let battery = DeviceBattery.mac()

    func power(isPlugged: Bool, level: Double?) {
      sources(
        provider: isPlugged ? "AC Power" : "Battery Power",
        level.map { [[kIOPSCurrentCapacityKey: Int($0 * 100), kIOPSMaxCapacityKey: 100]] } ?? [])
    }

    /// Sets the values that IOKit returns.
    func sources(provider: String?, _ sources: [[String: Int]?]) {
      StandInPowerSources.provider = provider
      StandInPowerSources.sources = sources
    }
  }
#endif

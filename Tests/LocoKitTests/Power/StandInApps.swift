#if LOCOKIT_STAND_INS
  // Apart from the tests: a file that imports UIKit or AppKit and Testing asks for overlays that are Apple's alone.
  import AppKit
  import Foundation
  import IOKit
  import UIKit
  import WatchKit

  @testable import LocoKit

  /// A platform's stand-in, scripted by a test.
  @MainActor
  protocol StandInApp {
    /// What reads it.
    var device: any AppDevice { get }
    /// The notifications, as the platform posts them.
    var becomesActive: Notification.Name { get }
    var leaves: Notification.Name { get }
    /// Plugs it in, or not, with a level or with one that is not known.
    func power(isPlugged: Bool, level: Double?)
  }

  extension StandInApp {
    func appBecomesActive() { NotificationCenter.default.post(name: becomesActive, object: nil) }
    func appLeaves() { NotificationCenter.default.post(name: leaves, object: nil) }
  }

  /// The platforms that there are stand-ins for.
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
    let device: any AppDevice = PhoneDevice()
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
    let device: any AppDevice = WatchDevice()
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
    let device: any AppDevice = MacDevice()
    let becomesActive = NSApplication.didBecomeActiveNotification
    let leaves = NSApplication.didResignActiveNotification

    func power(isPlugged: Bool, level: Double?) {
      sources(
        provider: isPlugged ? "AC Power" : "Battery Power",
        level.map { [[kIOPSCurrentCapacityKey: Int($0 * 100), kIOPSMaxCapacityKey: 100]] } ?? [])
    }

    /// Sets what IOKit gives.
    func sources(provider: String?, _ sources: [[String: Int]?]) {
      StandInPowerSources.provider = provider
      StandInPowerSources.sources = sources
    }
  }
#endif

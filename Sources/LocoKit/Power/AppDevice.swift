// What the frameworks of each platform say of its apps and its power.

#if os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS
  import Foundation

  /// An app's platform, as ``PowerController/AppSource`` needs it.
  @MainActor
  protocol AppDevice {
    /// Posted when the app enters the foreground.
    var entersForeground: Notification.Name { get }
    /// Posted when it leaves the foreground.
    var leavesForeground: Notification.Name { get }
    /// Posted when the battery may have changed; none where the platform posts nothing.
    var batteryChanges: [Notification.Name] { get }
    /// What powers the device now.
    var power: PowerController.Policy.Power { get }
    /// Has the platform watch the battery, where it does not by itself.
    func monitorBattery()
  }
#endif

#if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
  import UIKit

  /// An iPhone, an iPad or a Vision Pro.
  struct PhoneDevice: AppDevice {
    var entersForeground: Notification.Name { UIApplication.didBecomeActiveNotification }
    var leavesForeground: Notification.Name { UIApplication.didEnterBackgroundNotification }
    var batteryChanges: [Notification.Name] {
      [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification]
    }

    var power: PowerController.Policy.Power {
      switch UIDevice.current.batteryState {
      case .charging, .full: return .external
      case .unplugged, .unknown: break
      @unknown default: break
      }
      let level = UIDevice.current.batteryLevel
      return .battery(level: level >= 0 ? Double(level) : nil)
    }

    func monitorBattery() { UIDevice.current.isBatteryMonitoringEnabled = true }
  }
#endif

#if os(watchOS) || LOCOKIT_STAND_INS
  import WatchKit

  /// An Apple Watch.
  struct WatchDevice: AppDevice {
    var entersForeground: Notification.Name { WKApplication.didBecomeActiveNotification }
    var leavesForeground: Notification.Name { WKApplication.didEnterBackgroundNotification }
    var batteryChanges: [Notification.Name] { [] }

    var power: PowerController.Policy.Power {
      switch WKInterfaceDevice.current().batteryState {
      case .charging, .full: return .external
      case .unplugged, .unknown: break
      @unknown default: break
      }
      let level = WKInterfaceDevice.current().batteryLevel
      return .battery(level: level >= 0 ? Double(level) : nil)
    }

    func monitorBattery() { WKInterfaceDevice.current().isBatteryMonitoringEnabled = true }
  }
#endif

#if os(macOS) || LOCOKIT_STAND_INS
  import AppKit
  #if os(macOS)
    import IOKit.ps
  #else
    import IOKit
  #endif

  /// A Mac.
  struct MacDevice: AppDevice {
    var entersForeground: Notification.Name { NSApplication.didBecomeActiveNotification }
    var leavesForeground: Notification.Name { NSApplication.didResignActiveNotification }
    var batteryChanges: [Notification.Name] { [] }

    /// A UPS counts as a battery. Where IOKit says nothing, the Mac counts as plugged in: one without a battery has to be.
    var power: PowerController.Policy.Power {
      guard let info = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
        let provider = IOPSGetProvidingPowerSourceType(info)?.takeUnretainedValue(),
        !(provider as NSString).isEqual(to: kIOPSACPowerValue)
      else { return .external }
      let list = IOPSCopyPowerSourcesList(info)?.takeRetainedValue()
      let levels = (list as NSArray? ?? []).compactMap { source -> Double? in
        guard
          let source = IOPSGetPowerSourceDescription(info, source as AnyObject)?.takeUnretainedValue() as NSDictionary?,
          let capacity = source[kIOPSCurrentCapacityKey] as? Int, let most = source[kIOPSMaxCapacityKey] as? Int,
          most > 0
        else { return nil }
        return min(max(Double(capacity) / Double(most), 0), 1)
      }
      return .battery(level: levels.min())
    }

    /// IOKit does so by itself.
    func monitorBattery() {}
  }
#endif

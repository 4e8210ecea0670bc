#if canImport(CoreLocation) && (os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS)
  import LocoFoundation
  #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
    import UIKit
  #endif
  #if os(watchOS) || LOCOKIT_STAND_INS
    import WatchKit
  #endif
  #if os(macOS)
    import IOKit.ps
  #elseif LOCOKIT_STAND_INS
    import IOKit
  #endif

  /// The battery of a device.
  struct DeviceBattery {
    /// The notifications of the battery's changes; empty if the platform posts none.
    var changes: [Notification.Name] = []
    let status: @MainActor () -> LocationManager.BatteryStatus

    @MainActor
    static func current() -> DeviceBattery {
      #if os(watchOS)
        .watch()
      #elseif os(macOS)
        .mac()
      #else
        .phone()
      #endif
    }

    #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
      /// An iPhone, an iPad or a Vision Pro. Turns on the monitoring of its battery.
      @MainActor
      static func phone() -> DeviceBattery {
        UIDevice.current.isBatteryMonitoringEnabled = true
        return DeviceBattery(
          changes: [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification]
        ) {
          status(UIDevice.current.batteryState.rawValue, level: UIDevice.current.batteryLevel)
        }
      }
    #endif

    #if os(watchOS) || LOCOKIT_STAND_INS
      /// An Apple Watch. Turns on the monitoring of its battery.
      @MainActor
      static func watch() -> DeviceBattery {
        WKInterfaceDevice.current().isBatteryMonitoringEnabled = true
        return DeviceBattery {
          let device = WKInterfaceDevice.current()
          return status(device.batteryState.rawValue, level: device.batteryLevel)
        }
      }
    #endif

    #if !os(macOS)
      /// Converts a state and a level. UIKit and WatchKit use the same numbers for a state, and a negative number for an unknown level.
      private static func status(_ state: Int, level: Float) -> LocationManager.BatteryStatus {
        let states: [LocationManager.BatteryStatus.State?] = [nil, .unplugged, .charging, .full]
        return .init(
          level: (Double(level) * 100).rounded() / 100, state: states.indices.contains(state) ? states[state] : nil)
      }
    #endif

    #if os(macOS) || LOCOKIT_STAND_INS
      /// A Mac. A UPS counts as a battery. If IOKit returns nothing, the Mac counts as plugged in.
      static func mac() -> DeviceBattery {
        DeviceBattery {
          guard let info = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
            let provider = IOPSGetProvidingPowerSourceType(info)?.takeUnretainedValue()
          else { return .init(level: nil, state: .charging) }
          let isPlugged = (provider as NSString).isEqual(to: kIOPSACPowerValue)
          let list = IOPSCopyPowerSourcesList(info)?.takeRetainedValue()
          let levels = (list as NSArray? ?? []).compactMap { source -> Double? in
            let details =
              IOPSGetPowerSourceDescription(info, source as AnyObject)?.takeUnretainedValue() as NSDictionary?
            guard let capacity = details?[kIOPSCurrentCapacityKey] as? Int,
              let maximum = details?[kIOPSMaxCapacityKey] as? Int, maximum > 0
            else { return nil }
            return min(max(Double(capacity) / Double(maximum), 0), 1)
          }
          return .init(level: levels.min(), state: isPlugged ? .charging : .unplugged)
        }
      }
    #endif
  }
#endif

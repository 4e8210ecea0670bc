#if os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS
  import LocoFoundation
  #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
    import UIKit
  #endif
  #if os(watchOS) || LOCOKIT_STAND_INS
    import WatchKit
  #endif
  #if os(macOS) || LOCOKIT_STAND_INS
    import AppKit
    #if os(macOS)
      import IOKit.ps
    #else
      import IOKit
    #endif
  #endif

  extension PowerController.Source {
    /// Creates a source that reads the app's foreground state and the device's power, on iOS, macOS, visionOS and watchOS.
    ///
    /// ```swift
    /// let source = PowerController.Source.app(isInForeground: !isLaunchedInBackground)
    /// controller = PowerController(manager, source: source)
    /// ```
    ///
    /// An iPhone or iPad posts every change of the battery. A Mac and a watch don't, so the controller reads their battery with each fix
    /// and once a minute. A Mac app is in the foreground while it's active. The source turns on battery monitoring where the platform
    /// requires it, at almost no cost. tvOS has no battery: use ``init(_:)`` there.
    ///
    /// Compiled and tested against stand-ins for UIKit, WatchKit, AppKit and IOKit; never run on a device.
    ///
    /// - Parameter isInForeground: Whether the app is in the foreground now: `false` if the system launched it in the background.
    @MainActor
    public static func app(isInForeground: Bool) -> PowerController.Source {
      #if os(watchOS)
        app(.watch(), isInForeground: isInForeground)
      #elseif os(macOS)
        app(.mac(), isInForeground: isInForeground)
      #else
        app(.phone(), isInForeground: isInForeground)
      #endif
    }

    @MainActor
    static func app(_ device: AppDevice, isInForeground: Bool) -> PowerController.Source {
      let state = AppState(device, isInForeground: isInForeground)
      let source = PowerController.Source(reading: { state.conditions })
      state.source = source
      return source
    }
  }

  @MainActor
  private final class AppState {
    weak var source: PowerController.Source?
    private let device: AppDevice
    private var isInForeground: Bool
    private let observations = Observations()

    init(_ device: AppDevice, isInForeground: Bool) {
      (self.device, self.isInForeground) = (device, isInForeground)
      observations.observe(device.entersForeground) { [weak self] in self?.changed(isInForeground: true) }
      observations.observe(device.leavesForeground) { [weak self] in self?.changed(isInForeground: false) }
      for name in device.batteryChanges { observations.observe(name) { [weak self] in self?.source?.onChange?() } }
      #if canImport(ObjectiveC)
        observations.observe(.NSProcessInfoPowerStateDidChange) { [weak self] in self?.source?.onChange?() }
      #endif
    }

    var conditions: PowerController.Policy.Conditions {
      #if canImport(ObjectiveC)
        let isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
      #else
        let isLowPowerMode = false
      #endif
      return .init(isInForeground: isInForeground, power: device.power(), isLowPowerMode: isLowPowerMode)
    }

    private func changed(isInForeground: Bool) {
      self.isInForeground = isInForeground
      source?.onChange?()
    }
  }

  struct AppDevice {
    let entersForeground: Notification.Name
    let leavesForeground: Notification.Name
    /// The notifications of battery changes, if the platform posts any.
    var batteryChanges: [Notification.Name] = []
    let power: @MainActor () -> PowerController.Policy.Power

    #if os(iOS) || os(visionOS) || LOCOKIT_STAND_INS
      /// An iPhone, an iPad or a Vision Pro. Turns on the monitoring of its battery.
      @MainActor
      static func phone() -> AppDevice {
        UIDevice.current.isBatteryMonitoringEnabled = true
        return AppDevice(
          entersForeground: UIApplication.didBecomeActiveNotification,
          leavesForeground: UIApplication.didEnterBackgroundNotification,
          batteryChanges: [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification]
        ) {
          power(
            isExternal: [.charging, .full].contains(UIDevice.current.batteryState), level: UIDevice.current.batteryLevel
          )
        }
      }
    #endif

    #if os(watchOS) || LOCOKIT_STAND_INS
      /// An Apple Watch. Turns on the monitoring of its battery.
      @MainActor
      static func watch() -> AppDevice {
        WKInterfaceDevice.current().isBatteryMonitoringEnabled = true
        return AppDevice(
          entersForeground: WKApplication.didBecomeActiveNotification,
          leavesForeground: WKApplication.didEnterBackgroundNotification
        ) {
          power(
            isExternal: [.charging, .full].contains(WKInterfaceDevice.current().batteryState),
            level: WKInterfaceDevice.current().batteryLevel)
        }
      }
    #endif

    #if !os(macOS)
      private static func power(isExternal: Bool, level: Float) -> PowerController.Policy.Power {
        isExternal ? .external : .battery(level: level >= 0 ? Double(level) : nil)
      }
    #endif

    #if os(macOS) || LOCOKIT_STAND_INS
      /// A Mac. A UPS counts as a battery. If IOKit returns nothing, the Mac counts as plugged in.
      static func mac() -> AppDevice {
        AppDevice(
          entersForeground: NSApplication.didBecomeActiveNotification,
          leavesForeground: NSApplication.didResignActiveNotification
        ) {
          guard let info = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
            let provider = IOPSGetProvidingPowerSourceType(info)?.takeUnretainedValue(),
            !(provider as NSString).isEqual(to: kIOPSACPowerValue)
          else { return .external }
          let list = IOPSCopyPowerSourcesList(info)?.takeRetainedValue()
          let levels = (list as NSArray? ?? []).compactMap { source -> Double? in
            let details =
              IOPSGetPowerSourceDescription(info, source as AnyObject)?.takeUnretainedValue() as NSDictionary?
            guard let capacity = details?[kIOPSCurrentCapacityKey] as? Int,
              let maximum = details?[kIOPSMaxCapacityKey] as? Int, maximum > 0
            else { return nil }
            return min(max(Double(capacity) / Double(maximum), 0), 1)
          }
          return .battery(level: levels.min())
        }
      }
    #endif
  }
#endif

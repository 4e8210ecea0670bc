#if os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS
  import Foundation

  extension PowerController {
    /// iOS, macOS, visionOS and watchOS: whether the app is in the foreground, and what its device is powered by.
    ///
    /// ```swift
    /// let source = PowerController.AppSource(isInForeground: !isLaunchedInBackground)
    /// controller = PowerController(manager, source: source)
    /// ```
    ///
    /// iPhones and iPads tell of every change of the battery; on a Mac and a watch, which do not, the controller reads it with
    /// each location and once a minute. A Mac's app is in the foreground while it is the active one. Turns the monitoring of
    /// the battery on where it has to be, which costs next to nothing. tvOS has no battery: use a ``PowerController/SettableSource``
    /// there.
    ///
    /// Compiled and tested against stand-ins for UIKit, WatchKit, AppKit and IOKit; never run on a device.
    @MainActor
    public final class AppSource: @MainActor PowerController.Source {
      /// Set by the controller.
      public var onChange: (() -> Void)?
      private let device: any AppDevice
      private var isInForeground: Bool
      private let observations = Observations()

      /// - Parameter isInForeground: Whether the app is in the foreground now: `false` where the system launched it in the background.
      public convenience init(isInForeground: Bool) {
        #if os(watchOS)
          self.init(WatchDevice(), isInForeground: isInForeground)
        #elseif os(macOS)
          self.init(MacDevice(), isInForeground: isInForeground)
        #else
          self.init(PhoneDevice(), isInForeground: isInForeground)
        #endif
      }

      init(_ device: any AppDevice, isInForeground: Bool) {
        self.device = device
        self.isInForeground = isInForeground
        device.monitorBattery()
        observations.observe(device.entersForeground) { [weak self] in self?.changed(isInForeground: true) }
        observations.observe(device.leavesForeground) { [weak self] in self?.changed(isInForeground: false) }
        for name in device.batteryChanges { observations.observe(name) { [weak self] in self?.onChange?() } }
        #if canImport(ObjectiveC)
          observations.observe(.NSProcessInfoPowerStateDidChange) { [weak self] in self?.onChange?() }
        #endif
      }

      /// What the device says now.
      public var conditions: PowerController.Policy.Conditions {
        #if canImport(ObjectiveC)
          let isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
        #else
          let isLowPowerMode = false
        #endif
        return PowerController.Policy.Conditions(
          isInForeground: isInForeground, power: device.power, isLowPowerMode: isLowPowerMode)
      }

      private func changed(isInForeground: Bool) {
        self.isInForeground = isInForeground
        onChange?()
      }
    }
  }
#endif

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
  import Foundation
  import UIKit

  /// iOS and visionOS: whether the app is seen, and what its device is powered by.
  ///
  /// Turns the monitoring of the battery on, which costs next to nothing. Elsewhere set a ``SettablePowerSource`` yourself.
  @MainActor
  public final class AppPowerSource: @MainActor PowerSource {
    /// Set by the controller.
    public var onChange: (() -> Void)?
    private var isInForeground: Bool
    private let observations = Observations()

    /// - Parameter isInForeground: Whether the app is seen now: not where the system has launched it in the background.
    public init(isInForeground: Bool) {
      self.isInForeground = isInForeground
      UIDevice.current.isBatteryMonitoringEnabled = true
      observations.observe(UIApplication.didBecomeActiveNotification) { [weak self] in
        self?.changed(isInForeground: true)
      }
      observations.observe(UIApplication.didEnterBackgroundNotification) { [weak self] in
        self?.changed(isInForeground: false)
      }
      observations.observe(UIDevice.batteryStateDidChangeNotification) { [weak self] in self?.onChange?() }
      observations.observe(UIDevice.batteryLevelDidChangeNotification) { [weak self] in self?.onChange?() }
      #if canImport(ObjectiveC)
        observations.observe(.NSProcessInfoPowerStateDidChange) { [weak self] in self?.onChange?() }
      #endif
    }

    /// What the device says now.
    public var conditions: PowerPolicy.Conditions {
      #if canImport(ObjectiveC)
        let isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
      #else
        let isLowPowerMode = false
      #endif
      return PowerPolicy.Conditions(isInForeground: isInForeground, power: power, isLowPowerMode: isLowPowerMode)
    }

    private var power: PowerPolicy.Power {
      let device = UIDevice.current
      switch device.batteryState {
      case .charging, .full: return .external
      case .unplugged, .unknown: break
      @unknown default: break
      }
      return .battery(level: device.batteryLevel >= 0 ? Double(device.batteryLevel) : nil)
    }

    private func changed(isInForeground: Bool) {
      self.isInForeground = isInForeground
      onChange?()
    }
  }

  /// Observers that end with whoever has them.
  private final class Observations {
    private var tokens: [any NSObjectProtocol] = []

    deinit {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    func observe(_ name: Notification.Name, _ call: @escaping @MainActor @Sendable () -> Void) {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
          // Whichever thread posts it: the low-power mode's comes on any.
          Task { @MainActor in call() }
        })
    }
  }
#endif

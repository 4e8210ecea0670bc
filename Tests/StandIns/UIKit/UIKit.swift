public import Foundation

/// A scripted device, with the part of UIKit that `DeviceBattery` uses.
@MainActor
public final class UIDevice {
  public enum BatteryState: Int, Sendable {
    case unknown = 0
    case unplugged = 1
    case charging = 2
    case full = 3
  }

  public static let current = UIDevice()
  public nonisolated static let batteryStateDidChangeNotification = NSNotification.Name(
    "UIDeviceBatteryStateDidChangeNotification")
  public nonisolated static let batteryLevelDidChangeNotification = NSNotification.Name(
    "UIDeviceBatteryLevelDidChangeNotification")

  public var isBatteryMonitoringEnabled = false
  /// The state; unknown unless battery monitoring is enabled.
  public var batteryState: BatteryState { isBatteryMonitoringEnabled ? state : .unknown }
  public var batteryLevel: Float { isBatteryMonitoringEnabled ? level : -1 }

  // For tests. Not part of the framework.
  public var state = BatteryState.unplugged { didSet { post(Self.batteryStateDidChangeNotification) } }
  public var level: Float = 1 { didSet { post(Self.batteryLevelDidChangeNotification) } }

  private func post(_ name: NSNotification.Name) {
    if isBatteryMonitoringEnabled { NotificationCenter.default.post(name: name, object: self) }
  }
}

@MainActor
public final class UIApplication {
  public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
    "UIApplicationDidBecomeActiveNotification")
  public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
    "UIApplicationDidEnterBackgroundNotification")
}

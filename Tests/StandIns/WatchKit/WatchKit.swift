public import Foundation

public enum WKInterfaceDeviceBatteryState: Int, Sendable {
  case unknown = 0
  case unplugged = 1
  case charging = 2
  case full = 3
}

/// A scripted watch, with the part of WatchKit that `DeviceBattery` uses.
@MainActor
public final class WKInterfaceDevice {
  private static let device = WKInterfaceDevice()
  public class func current() -> WKInterfaceDevice { device }

  public var isBatteryMonitoringEnabled = false
  /// The state; unknown unless battery monitoring is enabled. Changes post no notification.
  public var batteryState: WKInterfaceDeviceBatteryState { isBatteryMonitoringEnabled ? state : .unknown }
  public var batteryLevel: Float { isBatteryMonitoringEnabled ? level : -1 }

  // For tests. Not part of the framework.
  public var state = WKInterfaceDeviceBatteryState.unplugged
  public var level: Float = 1
}

@MainActor
public final class WKApplication {
  public static let didBecomeActiveNotification = NSNotification.Name("WKApplicationDidBecomeActiveNotification")
  public static let didEnterBackgroundNotification = NSNotification.Name("WKApplicationDidEnterBackgroundNotification")
}

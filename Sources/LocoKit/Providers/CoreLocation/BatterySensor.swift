#if canImport(CoreLocation) && (os(iOS) || os(visionOS) || LOCOKIT_STAND_INS)
  import LocoFoundation
  import UIKit

  /// Reports UIKit's battery status, now and at each change.
  @MainActor
  final class BatterySensor {
    private let observations = Observations()

    init(_ report: @escaping @Sendable (LocationManager.BatteryStatus) -> Void) {
      UIDevice.current.isBatteryMonitoringEnabled = true
      for name in [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification] {
        observations.observe(name) { report(LocationManager.BatteryStatus(UIDevice.current)) }
      }
      report(LocationManager.BatteryStatus(UIDevice.current))
    }
  }

  extension LocationManager.BatteryStatus {
    @MainActor
    fileprivate init(_ device: UIDevice) {
      let state: State? =
        switch device.batteryState {
        case .unplugged: .unplugged
        case .charging: .charging
        case .full: .full
        case .unknown: nil
        @unknown default: nil
        }
      // UIKit's level is negative if unknown.
      self.init(level: Double(device.batteryLevel), state: state)
    }
  }
#endif

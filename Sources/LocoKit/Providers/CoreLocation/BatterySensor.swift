#if canImport(CoreLocation) && (os(iOS) || os(visionOS) || LOCOKIT_STAND_INS)
  import Foundation
  import UIKit

  /// The device's battery, as UIKit reports it on the main actor.
  @MainActor
  final class BatterySensor {
    private let observations = Observations()

    /// Begins to report the battery: now, and whenever it changes.
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
      // Negative where it is unknown.
      self.init(level: Double(device.batteryLevel), state: state)
    }
  }
#endif

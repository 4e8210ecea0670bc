#if canImport(UIKit) && os(Linux)
  // Apart from the tests: a file that imports both UIKit and Testing asks for an overlay that is Apple's alone.
  import Foundation
  import UIKit

  /// The stand-in's battery and app, for tests.
  @MainActor
  struct StandInBattery {
    /// UIKit's, by the same numbers.
    enum State: Int {
      case unknown, unplugged, charging, full
    }

    var isMonitored: Bool { UIDevice.current.isBatteryMonitoringEnabled }
    var state: State {
      get { State(rawValue: UIDevice.current.state.rawValue) ?? .unknown }
      nonmutating set { UIDevice.current.state = UIDevice.BatteryState(rawValue: newValue.rawValue) ?? .unknown }
    }
    var level: Float {
      get { UIDevice.current.level }
      nonmutating set { UIDevice.current.level = newValue }
    }

    static func appBecomesActive() {
      NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
    }

    static func appEntersBackground() {
      NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
    }
  }
#endif

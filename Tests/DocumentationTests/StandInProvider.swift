#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation

  @testable import LocoKit

  // The library has this initializer and `shared` only on Apple's platforms. With the stand-ins, these tests and `.ci/clients` need them
  // to compile the documentation's code.
  extension CoreLocationProvider {
    nonisolated convenience init(configuration: Configuration = Configuration()) {
      self.init(configuration: configuration, makeManager: { CLLocationManager() }, host: IdleHost())
    }
  }

  extension LocationManager {
    @MainActor static let shared = LocationManager(
      provider: CoreLocationProvider(), store: LastLocationStore.standard)
  }

  nonisolated private final class IdleHost: CoreLocationHost {
    var uptime: Duration { .zero }
    var date: Date { Date() }
    func info(_ key: String) -> Any? { "" }
    var appInfo: ((_ key: String) -> Any?)? { info }
    func setTimer(after delay: Duration?, _ fire: @escaping () -> Void) {}
    var isInForeground: Bool { true }
    let isLowPowerMode = false
    let refresh = BackgroundRefresh.available
    var onAppChange: (() -> Void)?
    var hasBeenUnlocked: Bool { true }
    func beginActivity(onExpiry: @escaping () -> Void) {}
    func endActivity() {}
    var onThread: @Sendable (@escaping @Sendable () -> Void) -> Void { { _ in } }
    func log(_ message: String) {}
  }
#endif

import LocoKit

/// Knows where the device is.
@MainActor
public final class Nearby: @MainActor LocationManagerListener {
  /// The last location; `nil` before the first one.
  public private(set) var location: Location?
  /// Whether the user has refused.
  public private(set) var isRefused = false

  private let manager: LocationManager

  /// Creates a model that uses a platform.
  public init(provider: any LocationProvider) {
    manager = LocationManager(provider: provider)
    manager.listeners.add(self)
  }

  /// Asks for the permission. With it, the first acquisition begins.
  public func start() {
    manager.tryPromptAuthorization()
  }

  /// There is a new location.
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    self.location = location
  }

  /// The user has refused.
  public func locationManagerDidDenyAccess(_ manager: LocationManager) {
    isRefused = true
  }
}

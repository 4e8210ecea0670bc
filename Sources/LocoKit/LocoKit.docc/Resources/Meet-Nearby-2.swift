import LocoKit

/// Provides the location of the device.
@MainActor
public final class Nearby: @MainActor LocationManagerListener {
  /// The last location; `nil` before the first one.
  public private(set) var location: Location?
  /// Whether the user has refused the permission.
  public private(set) var isRefused = false

  private let manager: LocationManager

  /// Creates a model with the provider of a platform.
  public init(provider: any LocationProvider) {
    manager = LocationManager(provider: provider)
    manager.listeners.add(self)
  }

  /// Asks for the permission. With it, the first acquisition begins.
  public func start() {
    manager.tryPromptAuthorization()
  }

  /// Stores a new location.
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    self.location = location
  }

  /// Stores a refusal of the permission.
  public func locationManagerDidDenyAccess(_ manager: LocationManager) {
    isRefused = true
  }
}

import LocoKit

/// Provides the location of the device.
@MainActor
public final class Nearby {
  /// The last location; `nil` before the first one.
  public private(set) var location: Location?

  private let manager: LocationManager

  /// Creates a model with the provider of a platform.
  public init(provider: any LocationProvider) {
    manager = LocationManager(provider: provider)
  }
}

import LocoKit

/// Knows where the device is.
@MainActor
public final class Nearby {
  /// The last location; `nil` before the first one.
  public private(set) var location: Location?

  private let manager: LocationManager

  /// Creates a model that uses a platform.
  public init(provider: any LocationProvider) {
    manager = LocationManager(provider: provider)
  }
}

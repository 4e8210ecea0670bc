import LocoKit
import LocoKitSimulation

/// A simulated device and the settings of its app.
struct Setup {
  var seed: UInt64 = 1
  var phone: Phone
  var configuration: SimulatedProvider.Configuration
  /// The manager's error bound, in metres.
  var bound: Double?
  /// The location whose error is bounded.
  var target = LocationManager.BoundTarget.lastLocation
  /// The interval between looks that the app forces; `nil` for none.
  var period: Duration?
}

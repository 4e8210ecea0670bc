#if canImport(CoreLocation) && (os(iOS) || os(macOS) || LOCOKIT_STAND_INS)
  import CoreLocation

  /// The region as a `CLCircularRegion`, where the provider can't use a condition of a `CLMonitor`: before iOS 18 and macOS 15, before the
  /// first unlock, away from the main thread, and while the service session has no effect.
  ///
  /// iOS 27 deprecates this part of Core Location. Nothing else calls it.
  final class CircularRegion {
    static let identifier = "LocoKit.LastFix"

    /// Whether the device can monitor regions.
    static var isAvailable: Bool { CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) }

    private let manager: CLLocationManager
    /// The region armed last, perhaps in an earlier launch.
    ///
    /// The system reads this property and the next one from another process, so they are read when a region is first armed.
    private lazy var armed = manager.monitoredRegions.first { region in region.identifier == Self.identifier }
    private lazy var largestRadius = manager.maximumRegionMonitoringDistance

    init(_ manager: CLLocationManager) { self.manager = manager }

    /// Returns a region with a radius of at most Core Location's maximum.
    func limited(_ region: Location.Region) -> Location.Region {
      // The maximum is -1 while monitoring is unavailable.
      if largestRadius <= 0 { largestRadius = manager.maximumRegionMonitoringDistance }
      let radius = largestRadius > 0 ? min(region.radius, largestRadius) : region.radius
      return Location.Region(latitude: region.latitude, longitude: region.longitude, radius: radius)
    }

    /// Arms a region. It replaces the last one, which has the same identifier.
    func arm(_ region: Location.Region) {
      let region = limited(region)
      let circle = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: region.latitude, longitude: region.longitude),
        radius: region.radius, identifier: Self.identifier)
      circle.notifyOnEntry = false
      circle.notifyOnExit = true
      armed = circle
      manager.startMonitoring(for: circle)
    }

    func disarm() {
      if let armed { manager.stopMonitoring(for: armed) }
      armed = nil
    }

    /// Requests the state of a new region: if the device is already outside, Core Location reports no exit.
    func requestState(of region: CLRegion) {
      if region.identifier == Self.identifier { manager.requestState(for: region) }
    }

    /// Returns the event of an exit; `nil` for another region of the app.
    static func exit(from region: CLRegion) -> RegionWatch.Event? {
      guard let region = region as? CLCircularRegion, region.identifier == identifier else { return nil }
      return .outside(latitude: region.center.latitude, longitude: region.center.longitude)
    }

    /// Returns the event of a failure; `nil` for another region of the app, and for a delay.
    static func failure(of region: CLRegion?, _ error: any Error) -> RegionWatch.Event? {
      if let region, region.identifier != identifier { return nil }
      let reason: String
      switch (error as? CLError)?.code {
      case .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed: return nil
      case .regionMonitoringDenied: reason = "monitoring is denied"
      case .regionMonitoringFailure: reason = "monitoring failed, perhaps because the app has too many regions"
      default: reason = "monitoring failed"
      }
      let center = (region as? CLCircularRegion).map { region in region.center }
      return .failed(latitude: center?.latitude, longitude: center?.longitude, reason: reason)
    }
  }
#endif

@_exported public import Foundation

public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
}

// In the framework, every method is optional.
extension CLLocationManagerDelegate {
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    preconditionFailure("A delegate without locationManager(_:didFailWithError:): the framework raises an exception.")
  }
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
  public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}
}

/// The part of Core Location's manager that the provider uses, on a scripted device.
open class CLLocationManager: NSObject {
  /// The device. Not part of the framework.
  public let device: StandInDevice

  /// The device, after a check of the thread. `nil` once the app has ended, because its managers then have no effect.
  private var checked: StandInDevice? {
    device.checkThread()
    guard device.isManaged(by: self) else { return nil }
    device.makeCurrent()
    return device
  }

  public weak var delegate: (any CLLocationManagerDelegate)? {
    didSet { if delegate != nil { device.hasDelegate(self) } }
  }
  public var authorizationStatus: CLAuthorizationStatus { read(device.effectiveStatus) }
  public var accuracyAuthorization: CLAccuracyAuthorization { read(device.accuracyAuthorization) }
  public var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
  public var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
  public var activityType = CLActivityType.other
  public var pausesLocationUpdatesAutomatically = true
  public var allowsBackgroundLocationUpdates = false {
    didSet {
      precondition(
        !allowsBackgroundLocationUpdates || device.bundleBackgroundModes.contains("location"),
        "The framework stops an app that allows background updates without the background mode.")
    }
  }
  public var showsBackgroundLocationIndicator = false
  public var location: CLLocation? { read(device.lastLocation) }

  public override convenience init() {
    self.init(device: StandInDevice())
  }

  public init(device: StandInDevice) {
    self.device = device
    super.init()
    device.attach(self)
  }

  public class func significantLocationChangeMonitoringAvailable() -> Bool { true }
  public class func locationServicesEnabled() -> Bool {
    preconditionFailure("locationServicesEnabled() may block, so it must not be called on the thread of the callbacks.")
  }

  public func requestWhenInUseAuthorization() { checked?.requestWhenInUse() }
  public func requestAlwaysAuthorization() { checked?.requestAlways() }
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    checked?.requestFullAccuracy(purposeKey, completion)
  }
  public func startUpdatingLocation() { checked?.startUpdating(self) }
  public func stopUpdatingLocation() { checked?.stopUpdating(self) }
  public func requestLocation() { checked?.requestLocation() }
  public func startMonitoringSignificantLocationChanges() { checked?.startSignificantChanges(self) }
  public func stopMonitoringSignificantLocationChanges() { checked?.stopSignificantChanges() }

  // All managers of an app share the monitoring of visits.
  public func startMonitoringVisits() { checked?.startVisits() }
  public func stopMonitoringVisits() { checked?.stopVisits() }

  // All managers of an app share its regions.
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { regionClass == CLCircularRegion.self }
  public var maximumRegionMonitoringDistance: CLLocationDistance { read(device.maximumRegionDistance) }
  public var monitoredRegions: Set<CLRegion> { read(Set(device.regions)) }

  /// Counts the read of a property. On a real device, the property is read from another process.
  private func read<Value>(_ value: Value) -> Value {
    device.reads += 1
    return value
  }

  public func startMonitoring(for region: CLRegion) { checked?.startMonitoring(region, self) }
  public func stopMonitoring(for region: CLRegion) { checked?.stopMonitoring(region) }
  public func requestState(for region: CLRegion) { checked?.requestState(region, self) }

  /// Whether this manager has updates that don't use the receiver. Not part of the framework.
  public internal(set) var hasCoarseUpdates = false
}

@_exported public import Foundation

/// An area that the system watches: see `CLRegion.h`.
public class CLRegion: NSObject {
  public let identifier: String
  public var notifyOnEntry = true
  public var notifyOnExit = true

  init(identifier: String) {
    self.identifier = identifier
  }

  public override func isEqual(_ other: Any?) -> Bool { (other as? CLRegion)?.identifier == identifier }
  public override var hash: Int { identifier.hashValue }
}

public final class CLCircularRegion: CLRegion {
  public let center: CLLocationCoordinate2D
  public let radius: CLLocationDistance

  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }

  /// The copy that the system keeps.
  var copied: CLCircularRegion {
    let region = CLCircularRegion(center: center, radius: radius, identifier: identifier)
    (region.notifyOnEntry, region.notifyOnExit) = (notifyOnEntry, notifyOnExit)
    return region
  }
}

public enum CLRegionState: Int, Sendable {
  case unknown = 0
  case inside = 1
  case outside = 2
}

// MARK: - The regions of a device

extension StandInDevice {
  /// The maximum number of an app's regions, for all its managers together.
  private static let maximumRegions = 20

  func startMonitoring(_ region: CLRegion, _ manager: CLLocationManager) {
    guard let region = (region as? CLCircularRegion)?.copied else { return }
    let identifier = region.identifier
    let isNew = !regions.contains { $0.identifier == identifier }
    guard !isNew || regions.count < Self.maximumRegions, region.radius <= maximumRegionDistance else {
      return schedule(after: 0.01) { [weak self, weak manager] in
        guard let self, let manager else { return }
        self.notify(manager) {
          $0.locationManager($1, monitoringDidFailFor: region, withError: CLError(.regionMonitoringFailure))
        }
      }
    }
    regions.removeAll { $0.identifier == identifier }
    regions.append(region)
    switches.append("+region")
    lostRegions.remove(identifier)
    if let removed = removedAt.removeValue(forKey: identifier), uptime - removed < 1, losesArmingAfterRemoval() {
      lostRegions.insert(identifier)
    }
    if isOutside(region, by: 0) { insideOf.remove(identifier) } else { insideOf.insert(identifier) }
    schedule(after: 0.01) { [weak self, weak manager] in
      guard let self, let manager else { return }
      self.notify(manager) { $0.locationManager($1, didStartMonitoringFor: region) }
    }
  }

  func stopMonitoring(_ region: CLRegion) {
    guard regions.contains(where: { $0.identifier == region.identifier }) else { return }
    regions.removeAll { $0.identifier == region.identifier }
    removedAt[region.identifier] = uptime
    switches.append("-region")
  }

  func requestState(_ region: CLRegion, _ manager: CLLocationManager) {
    let identifier = region.identifier
    schedule(after: 0.05) { [weak self, weak manager] in
      guard let self, let manager, let region = self.regions.first(where: { $0.identifier == identifier }) else {
        return
      }
      let isKnown = self.watchesRegions && self.place != nil && !self.lostRegions.contains(identifier)
      let state: CLRegionState = isKnown ? self.isOutside(region, by: 0) ? .outside : .inside : .unknown
      self.notify(manager) { $0.locationManager($1, didDetermineState: state, for: region) }
    }
  }

  /// Moves the device. The system notices an exit ``regionBuffer`` beyond the edge, and reports it after ``regionLatency``. An exit wakes a
  /// suspended app, and launches an app that has ended.
  public func carry(to location: CLLocation) {
    place = location
    for region in regions where insideOf.contains(region.identifier) && isOutside(region, by: regionBuffer) {
      insideOf.remove(region.identifier)
      scheduleOfSystem(after: regionLatency) { [weak self] in self?.exit(region) }
    }
    for region in regions where !isOutside(region, by: 0) { insideOf.insert(region.identifier) }
  }

  /// Reports an exit from an armed region to all managers, whether or not the device has left the region.
  public func exit(_ region: CLCircularRegion) {
    let isArmed = regions.contains { $0 === region } && !lostRegions.contains(region.identifier)
    guard isArmed, region.notifyOnExit, watchesRegions else { return }
    if isOver {
      launchReason = "location"
      untoldExits.append(region)
    } else {
      wake()
      tellAll { $0.locationManager($1, didExitRegion: region) }
    }
  }

  /// The watched regions that contain the device, as far as the system has noticed.
  public var watchedRegions: [CLCircularRegion] {
    regions.filter { !lostRegions.contains($0.identifier) && insideOf.contains($0.identifier) }
  }

  /// Reports the exits that launched the app. Called when a manager gets a delegate.
  func tellUntoldExits() {
    let exits = untoldExits
    untoldExits = []
    for region in exits {
      schedule(after: 0.02) { [weak self] in self?.tellAll { $0.locationManager($1, didExitRegion: region) } }
    }
  }

  /// Whether the system watches regions: only while Always is in effect, and with full accuracy.
  private var watchesRegions: Bool { mayUseAlways && accuracyAuthorization == .fullAccuracy }

  /// Stops monitoring all regions, as other code of the app may do.
  public func stopAllRegions() {
    regions = []
  }

  private func isOutside(_ region: CLCircularRegion, by distance: CLLocationDistance) -> Bool {
    guard let place else { return false }
    let center = CLLocation(
      coordinate: region.center, altitude: 0, horizontalAccuracy: 0, verticalAccuracy: -1, course: -1, speed: -1,
      timestamp: place.timestamp)
    return metres(place, center) > region.radius + distance
  }
}

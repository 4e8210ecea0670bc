#if canImport(CoreLocation)
  import CoreLocation
  import Foundation

  /// What wakes an app, or launches it again: significant changes and one region, with a manager of their own.
  ///
  /// Errors of significant changes are ignored: the status of the permission covers the only one that matters.
  final class WakingServices: NSObject {
    var onSignificantChange: (([CLLocation]) -> Void)?
    /// Called once for each region that is armed, now or in an earlier launch.
    var onRegionExit: (() -> Void)?
    /// Called in its place where the region that is armed is not watched, with the reason.
    var onRegionLoss: ((_ reason: String) -> Void)?

    private let changes: CLLocationManager
    /// `nil` before the first command: they may still be on from an earlier launch.
    private var hasSignificantChanges: Bool?
    /// Whether an exit has yet to be told: one of an earlier launch's region too.
    private var awaitsExit = true
    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      private var armed: CLCircularRegion?
      /// Whether the system has confirmed that it monitors the region: from then on it is listed.
      private var isConfirmed = false
    #endif
    /// `nil` where Core Location's regions are used.
    private let conditions: RegionConditions?
    /// Whether the file that holds the conditions can be read.
    private let mayOpenConditions: () -> Bool
    /// The last arming of a condition; 0 before the first one, `nil` while one of Core Location's regions is armed in its place.
    private var arming: Int? = 0
    private var listening: Task<Void, Never>?

    /// What tells the region from the others of the app.
    static let regionIdentifier = "LocoKit.LastFix"

    /// - Parameters:
    ///   - conditions: What watches over the region in the place of Core Location's regions. On the main actor only.
    ///   - mayOpenConditions: Whether they may be used: not before the device was unlocked first, when their file cannot be read.
    init(_ manager: CLLocationManager, conditions: RegionConditions?, mayOpenConditions: @escaping () -> Bool) {
      changes = manager
      self.conditions = conditions
      self.mayOpenConditions = mayOpenConditions
      super.init()
      changes.delegate = self
      if let conditions { listen(to: conditions.reports()) }
    }

    deinit { listening?.cancel() }

    private func listen(to reports: AsyncStream<RegionConditions.Report>) {
      MainActor.preconditionIsolated("Conditions are used on the main actor.")
      let services = ThreadBound(self)
      listening = Task { @MainActor in
        for await report in reports { services.object?.receive(report) }
      }
    }

    /// Receives a state of a condition, which may be repeated.
    func receive(_ report: RegionConditions.Report) {
      switch report {
      case .exit(let number): if number == arming { leave() }
      case .unwatched(let number, let reason): if number == arming, number > 0 { lose(reason) }
      }
    }

    private func leave() {
      guard awaitsExit else { return }
      awaitsExit = false
      onRegionExit?()
    }

    private func lose(_ reason: String) {
      guard awaitsExit else { return }
      awaitsExit = false
      onRegionLoss?(reason)
    }

    /// From here on the exits of conditions are heard, of an earlier launch's too. Needs Always.
    func openConditions() {
      if mayOpenConditions() { conditions?.open() }
    }

    /// Checks that the region is still monitored: other code of the app may stop every region.
    func checkRegion() {
      guard awaitsExit else { return }
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if armed != nil, isConfirmed, !changes.monitoredRegions.contains(where: isArmed) {
          lose("other code has stopped it")
        }
      #endif
      if let conditions, let arming, arming > 0 { conditions.check(arming) }
    }

    func setSignificantChanges(_ isOn: Bool) {
      guard isOn != hasSignificantChanges else { return }
      hasSignificantChanges = isOn
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if isOn {
          changes.startMonitoringSignificantLocationChanges()
        } else {
          changes.stopMonitoringSignificantLocationChanges()
        }
      #endif
    }

    /// Arms a region in the place of the last one, or removes it.
    ///
    /// A region with the identifier of another one replaces it. The last one is not removed first, for an arming that follows a
    /// removal may be lost.
    func setRegion(_ region: CircularRegion?) {
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        awaitsExit = region != nil
        (armed, isConfirmed) = (nil, false)
        let region = region.map { region in
          CircularRegion(
            latitude: region.latitude, longitude: region.longitude,
            radius: min(region.radius, changes.maximumRegionMonitoringDistance))
        }
        // Before the first unlock one of Core Location's regions is armed, and one that follows later takes its place.
        let conditions = mayOpenConditions() ? conditions : nil
        arming = conditions?.arm(region)
        guard let region, conditions == nil else {
          for old in changes.monitoredRegions where old.identifier == Self.regionIdentifier {
            changes.stopMonitoring(for: old)
          }
          return
        }
        let circle = CLCircularRegion(
          center: CLLocationCoordinate2D(latitude: region.latitude, longitude: region.longitude),
          radius: region.radius, identifier: Self.regionIdentifier)
        circle.notifyOnEntry = false
        circle.notifyOnExit = true
        armed = circle
        changes.startMonitoring(for: circle)
      #endif
    }
  }

  extension WakingServices: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      onSignificantChange?(locations)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      /// The device may be outside by now, which is no exit.
      func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        guard isArmed(region) else { return }
        isConfirmed = true
        changes.requestState(for: region)
      }

      func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
      ) {
        guard armed != nil, region.map(isArmed) ?? true else { return }
        switch (error as? CLError)?.code {
        // A delay is no failure.
        case .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed: break
        case .regionMonitoringDenied: lose("monitoring is denied")
        case .regionMonitoringFailure: lose("it failed, as it does where the app has too many regions")
        default: lose("it failed")
        }
      }

      func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        if state == .outside, isArmed(region) { leave() }
      }

      func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        // Of a region of an earlier launch nothing but the identifier is known.
        if armed == nil ? region.identifier == Self.regionIdentifier : isArmed(region) { leave() }
      }

      /// Whether a region is the one that was armed last: one that it has replaced has its identifier, and another centre.
      private func isArmed(_ region: CLRegion) -> Bool {
        guard let armed, region.identifier == armed.identifier, let region = region as? CLCircularRegion else {
          return false
        }
        // Some metres, should the system round what it keeps.
        return abs(region.center.latitude - armed.center.latitude) < 1e-4
          && abs(region.center.longitude - armed.center.longitude) < 1e-4
      }
    #endif
  }
#endif

#if canImport(CoreLocation)
  import CoreLocation
  import Foundation

  /// What wakes an app, or launches it again: significant changes and one region, with a manager of their own.
  ///
  /// Errors are left aside: what concerns the permission is told by its status, and nothing else can be done about them.
  final class WakingServices: NSObject {
    var onSignificantChange: (([CLLocation]) -> Void)?
    /// Called once for each region that is armed, now or in an earlier launch.
    var onRegionExit: (() -> Void)?

    private let changes: CLLocationManager
    /// `nil` before the first command: they may still be on from an earlier launch.
    private var hasSignificantChanges: Bool?
    /// Whether an exit has yet to be told: one of an earlier launch's region too.
    private var awaitsExit = true
    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      private var armed: CLCircularRegion?
    #endif
    /// `nil` where Core Location's regions are used.
    private let conditions: RegionConditions?
    /// The last arming of a condition; 0 before the first one.
    private var arming = 0
    private var listening: Task<Void, Never>?

    /// What tells the region from the others of the app.
    static let regionIdentifier = "LocoKit.LastFix"

    /// - Parameter conditions: What watches over the region in the place of Core Location's regions. On the main actor only.
    init(_ manager: CLLocationManager, conditions: RegionConditions?) {
      changes = manager
      self.conditions = conditions
      super.init()
      changes.delegate = self
      if let conditions { listen(to: conditions.exits()) }
    }

    deinit { listening?.cancel() }

    /// Carries the services into a task of the main actor. They are of no actor themselves, since a provider may be made on any thread
    /// with a run loop, so the compiler cannot see that both ends are the main actor: `listen(to:)`, which makes this, stops
    /// the program anywhere else, and the task, which alone reads it, is the main actor's. Nothing else has one.
    private struct Listener: @unchecked Sendable {
      weak var services: WakingServices?
    }

    private func listen(to exits: AsyncStream<Int>) {
      MainActor.preconditionIsolated("Conditions are used on the main actor.")
      let listener = Listener(services: self)
      listening = Task { @MainActor in
        for await number in exits { listener.services?.leaveRegion(ofArming: number) }
      }
    }

    /// What a condition says, now or again.
    func leaveRegion(ofArming number: Int) {
      if number == arming { leave() }
    }

    private func leave() {
      guard awaitsExit else { return }
      awaitsExit = false
      onRegionExit?()
    }

    /// From here on the exits of conditions are heard, of an earlier launch's too. Needs Always.
    func openConditions() { conditions?.open() }

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
        armed = nil
        let region = region.map { region in
          CircularRegion(
            latitude: region.latitude, longitude: region.longitude,
            radius: min(region.radius, changes.maximumRegionMonitoringDistance))
        }
        if let conditions { arming = conditions.arm(region) }
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
        if isArmed(region) { changes.requestState(for: region) }
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

#if canImport(CoreLocation)
  import CoreLocation
  import LocoFoundation

  /// The services that wake or relaunch an app, with a separate `CLLocationManager`: significant changes, visits and one region.
  ///
  /// Errors of significant changes and visits are ignored: the only one that matters is a denial, and the provider receives changes of the
  /// permission itself.
  final class WakingServices: NSObject {
    var onInput: ((CoreLocationCore.Input) -> Void)?

    private let changes: CLLocationManager
    /// `nil` if every region is a `CLCircularRegion`.
    private let conditions: RegionConditions?
    /// Whether another provider has taken over the app's conditions.
    private var isReplaced = false
    /// The number of the last arming of a condition; 0 before the first one, `nil` if the last region was a `CLCircularRegion`.
    private var arming: Int? = 0
    private var listening: Task<Void, Never>?
    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      private let circle: CircularRegion
    #endif

    /// - Parameter conditions: The conditions to use instead of a `CLCircularRegion`. On the main actor only.
    init(_ manager: CLLocationManager, conditions: RegionConditions?) {
      changes = manager
      self.conditions = conditions
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        circle = CircularRegion(manager)
      #endif
      super.init()
      changes.delegate = self
      guard let reports = conditions?.reports() else { return }
      MainActor.preconditionIsolated("Conditions are used on the main actor.")
      let services = ThreadBound(self)
      listening = Task { @MainActor in
        for await report in reports { services.object?.receive(report) }
        services.object?.endConditions()
      }
    }

    deinit { listening?.cancel() }

    func receive(_ report: RegionConditions.Report) {
      if report.arming == arming { onInput?(.regionEvent(report.event)) }
    }

    private func endConditions() {
      isReplaced = true
      onInput?(.regionEvent(.conditionsTaken))
    }

    /// Opens the monitor, which then reports the exits of conditions, including those of an earlier launch.
    func openConditions() { conditions?.open() }

    /// Checks whether other code of the app has removed the condition.
    func checkCondition() {
      if let arming { conditions?.check(arming) }
    }

    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      func startSignificantChanges() { changes.startMonitoringSignificantLocationChanges() }
      func stopSignificantChanges() { changes.stopMonitoringSignificantLocationChanges() }

      /// Arms a `CLCircularRegion`. It replaces the last one.
      func arm(_ region: Location.Region) {
        circle.arm(region)
        // A condition that stays would be renewed by the next launch.
        if let arming, arming > 0, !isReplaced { _ = conditions?.arm(nil) }
        arming = nil
      }

      /// Replaces the region with a condition, or removes it.
      func setCondition(_ region: Location.Region?) {
        guard !isReplaced else { return }
        arming = conditions?.arm(region.map { circle.limited($0) })
        circle.disarm()
      }
    #else
      func startSignificantChanges() {}
      func stopSignificantChanges() {}
      func arm(_ region: Location.Region) {}
      func setCondition(_ region: Location.Region?) {}
    #endif

    #if os(iOS) || LOCOKIT_STAND_INS
      func startVisits() { changes.startMonitoringVisits() }
      func stopVisits() { changes.stopMonitoringVisits() }
    #else
      func startVisits() {}
      func stopVisits() {}
    #endif
  }

  extension WakingServices: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      onInput?(.significantChange(locations.last.map(Location.init)))
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

    #if os(iOS) || LOCOKIT_STAND_INS
      /// Core Location reports a visit at its beginning, with a departure in the distant future, and at its end.
      func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        let place = Location(
          latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude,
          horizontalAccuracy: visit.horizontalAccuracy, timestamp: visit.arrivalDate)
        let hasEnded = visit.departureDate != .distantFuture
        onInput?(
          .visit(
            Location.Visit(place: place, arrival: visit.arrivalDate, departure: hasEnded ? visit.departureDate : nil)))
      }
    #endif

    #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
      func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        circle.requestState(of: region)
      }

      func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
      ) {
        if let event = CircularRegion.failure(of: region, error) { onInput?(.regionEvent(event)) }
      }

      func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        if state == .outside { leave(region) }
      }

      func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { leave(region) }

      private func leave(_ region: CLRegion) {
        if let event = CircularRegion.exit(from: region) { onInput?(.regionEvent(event)) }
      }
    #endif
  }
#endif

import LocoKit

/// OwnTracks' Move mode: a location each 100 m or each five minutes, whichever comes first.
func followed(by manager: LocationManager) -> LocationManager.Tracking {
  manager.track(
    accepting: TrackingPolicy(
      requiredAccuracy: 50, holdTime: .zero, distanceFilter: 100, maximumInterval: .seconds(300)))
}

/// Overland's settings for trips: tracking without a distance filter while a trip is recorded, and otherwise a bound of a kilometre.
let tripRules: [PowerController.Rule] = [
  .init(.track(TrackingPolicy(requiredAccuracy: 50, holdTime: .zero, distanceFilter: 0)), when: [.trip]),
  .init(.bound(1_000)),
]

/// OwnTracks' fallback: a location each 100 m, but only significant changes at rest, on a low battery that isn't charging, and in the
/// low-power mode.
let thriftyRules: [PowerController.Rule] = [
  .init(.sleep, when: [.lowPowerMode]),
  .init(.sleep, when: [.not(.charging), .battery(below: 0.2)]),
  .init(.sleep, when: [.atRest(after: .seconds(300))]),
  .init(.track(TrackingPolicy(holdTime: .zero, distanceFilter: 100))),
]

/// In place of the home zone of Home Assistant and OwnTracks: a wide bound while the app detects the Wi-Fi network at home, and narrower
/// bounds elsewhere.
let homeRules: [PowerController.Rule] = [
  .init(.bound(5_000), when: [.flag("home Wi-Fi")]),
  .init(.bound(200), when: [.vehicle]),
  .init(.bound(500)),
]

/// Answers a request for a location by Home Assistant's rule: at most 30 s old and accurate to 100 m, or else at most ten minutes old and
/// accurate to 1,500 m.
@MainActor
func locationForRequest(of manager: LocationManager) async throws -> Location {
  do {
    return try await manager.acquire(desiredAccuracy: 100, maximumAge: .seconds(30), timeout: .seconds(20))
  } catch AcquisitionFailure.timeLimit {
    return try await manager.acquire(desiredAccuracy: 1_500, maximumAge: .seconds(600), timeout: .seconds(10))
  }
}

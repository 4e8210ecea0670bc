import LocoKit
import LocoKitSimulation
import Testing

@MainActor
@Test(arguments: 1...10 as ClosedRange<UInt64>)
func knowsWhereACommuterIs(seed: UInt64) throws {
  let home = SimulatedProvider.Route.Waypoint(latitude: 48.137, longitude: 11.575, pause: .seconds(3_600))
  let office = SimulatedProvider.Route.Waypoint(latitude: 48.183, longitude: 11.601, pause: .seconds(28_800))
  let route = SimulatedProvider.Route(waypoints: [home, office])
  let device = SimulatedProvider(route: route, seed: seed, configuration: .phoneInBackground)
  let manager = LocationManager(provider: device)
  manager.errorBound = 500
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(14_400))
  let location = try #require(manager.location)
  #expect(location.distance(to: device.position) < 500)
  #expect(device.energy.gpsOn < .seconds(300))
}

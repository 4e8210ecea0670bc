import LocoKit
import LocoKitSimulation
import Nearby
import Testing

@MainActor
struct NearbyTests {
  @Test("Nearby has a location ten minutes after the start")
  func location() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let nearby = Nearby(provider: device)
    nearby.start()
    device.advance(by: .seconds(600))
    #expect(nearby.location != nil)
  }

  @Test("Nearby knows that the user has refused, and the GPS stays off")
  func refusal() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    device.answer = .deny
    let nearby = Nearby(provider: device)
    nearby.start()
    device.advance(by: .seconds(60))
    #expect(nearby.isRefused && nearby.location == nil)
    #expect(device.energy.gpsOn == .zero)
  }

  @Test(
    "The error is at most 500 m for 80 % of half an hour on a freeway, with the GPS on for less than a third of it",
    arguments: 1...10 as ClosedRange<UInt64>)
  func bound(seed: UInt64) {
    let device = SimulatedProvider(route: .losAngeles, seed: seed, configuration: .phoneInBackground)
    let nearby = Nearby(provider: device)
    nearby.start()
    var errors: [Double] = []
    for _ in 0..<1_800 {
      device.advance(by: .seconds(1))
      let place = Location(
        latitude: device.position.latitude, longitude: device.position.longitude, horizontalAccuracy: 0,
        timestamp: device.date)
      if let location = nearby.location { errors.append(location.distance(to: place)) }
    }
    errors.sort()
    #expect(errors[errors.count * 80 / 100] <= 500)
    #expect(device.energy.gpsOn < .seconds(600))
  }
}

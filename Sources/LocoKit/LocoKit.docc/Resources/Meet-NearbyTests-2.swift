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
}

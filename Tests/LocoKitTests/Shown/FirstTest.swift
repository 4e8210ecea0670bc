import LocoKit
import Testing

@MainActor
@Test func sleepsAgainAfterTheFirstFix() {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let manager = LocationManager(provider: device)
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(30))
  #expect(manager.state == .waitingSignificantChange)
  #expect(manager.location != nil)
}

import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

// shown: WhyIsItOff

@MainActor
@Suite("Why is it off?")
struct WhyIsItOffTests {
  @Test("The ignored command, the state and the recent transitions show why the GPS is off")
  func answers() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let complaints = Complaints()
    manager.listeners.add(complaints)
    manager.resume()
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    #expect(complaints.lines.first == "resume: Nothing was paused; begin by asking for the permission.")
    #expect(banner(of: manager) == nil)
    let lines = diagnosis(of: manager).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.first == "waitingSignificantChange, always")
    #expect(lines.last?.hasSuffix("acquiring → waitingSignificantChange (acquired)") == true)
  }
}

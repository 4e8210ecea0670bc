import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
func diagnosis(of manager: LocationManager) -> String {
  let transitions = manager.recentTransitions.map(\.description)
  return (["\(manager.state.rawValue), \(manager.authorization.rawValue)"] + transitions).joined(separator: "\n")
}

@MainActor
final class Complaints: @MainActor LocationManagerListener {
  private(set) var lines: [String] = []

  func locationManager(_ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String) {
    lines.append("\(command.rawValue): \(reason)")
  }

  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
    lines.append("a fix of \(location.horizontalAccuracy) m: \(reason)")
  }

  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    lines.append("no location: \(failure)")
  }
}

@MainActor
func banner(of manager: LocationManager) -> String? {
  manager.health.problems.first?.advice
}

@MainActor
@Suite("Why is it off?")
struct WhyIsItOffTests {
  @Test("The ignored command, the state and the recent transitions explain why the GPS is off")
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

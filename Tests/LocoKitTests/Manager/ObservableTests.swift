import LocoKit
import Observation
import Testing

@testable import TestSupport

@Suite("The model for SwiftUI")
struct LocationModelTests {
  @Test("The model announces each change of a property, and nothing else")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func observation() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let model = LocationManager.Model(fixture.manager)
    #expect(model.state == .waitingSignificantChange)
    #expect(model.location == fixture.manager.location)

    await expectChange(of: { model.state }, by: fixture.manager.forceAcquireLocation)
    await expectChange(of: { model.location }) { fixture.provider.fix(7) }
    await expectChange(of: { model.authorization }) { fixture.provider.decide(.denied) }
    #expect(model.state == .denied)
    #expect(model.authorization == .denied)
    #expect(model.location?.horizontalAccuracy == 7)
    await expectChange(of: { model.location }, isAnnounced: false, by: fixture.manager.forcePromptAuthorization)
  }

  @Test("The model's health is the manager's: its changes are announced, and time alone changes it too")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func health() async {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .regionExit])
    let model = LocationManager.Model(fixture.manager)
    fixture.provider.report(.regionExit)
    fixture.provider.pass(86_401)
    #expect(model.health.problems == [.noLocation] && model.health == fixture.manager.health)
    await expectChange(of: { model.health }) { fixture.provider.decide(.denied) }
    #expect(model.health.problems.contains(.permission))
  }

  @Test("A released model is no longer a listener")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func lifetime() {
    let fixture = Fixture(in: .waitingSignificantChange)
    var model: LocationManager.Model? = LocationManager.Model(fixture.manager)
    weak let gone = model
    #expect(fixture.manager.listeners.count == 2)
    model = nil
    #expect(gone == nil)
    #expect(fixture.manager.listeners.count == 1)
  }

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  private func expectChange<Value>(of read: () -> Value, isAnnounced: Bool = true, by change: () -> Void) async {
    await confirmation(expectedCount: isAnnounced ? 1 : 0) { announced in
      withObservationTracking {
        _ = read()
      } onChange: {
        announced()
      }
      change()
    }
  }
}

import LocoKit
import Observation
import Testing

@Suite("The model for SwiftUI")
struct LocationModelTests {
  @Test("says before each property changes that it will, and nothing else")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func observation() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let model = LocationModel(fixture.manager)
    #expect(model.state == .waitingSignificantChange)
    #expect(model.location == fixture.manager.location)

    await expectChange(of: { model.state }, by: fixture.manager.forceAcquireLocation)
    await expectChange(of: { model.location }) { fixture.provider.fix(7) }
    await expectChange(of: { model.authorization }) { fixture.provider.decide(.denied) }
    #expect(model.state == .denied)
    #expect(model.authorization == .denied)
    #expect(model.location?.horizontalAccuracy == 7)
    await expectChange(of: { model.location }, isTold: false, by: fixture.manager.forcePromptAuthorization)
  }

  @Test("hears nothing any more once it is let go")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func lifetime() {
    let fixture = Fixture(in: .waitingSignificantChange)
    var model: LocationModel? = LocationModel(fixture.manager)
    weak let gone = model
    #expect(fixture.manager.listeners.count == 2)
    model = nil
    #expect(gone == nil)
    #expect(fixture.manager.listeners.count == 1)
  }

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  private func expectChange<Value>(of read: () -> Value, isTold: Bool = true, by change: () -> Void) async {
    await confirmation(expectedCount: isTold ? 1 : 0) { told in
      withObservationTracking {
        _ = read()
      } onChange: {
        told()
      }
      change()
    }
  }
}

import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

@MainActor
@Suite("Closures as listeners")
struct ListenerTokenTests {
  @Test("Closures receive the callbacks of a listener, in the order in which the closures were added")
  func hear() {
    let provider = ScriptedProvider()
    let manager = LocationManager(provider: provider)
    var received: [String] = []
    let token = manager.listeners.add(
      onUpdate: { received.append("\($0.horizontalAccuracy)") }, onTransition: { received.append($0.to.rawValue) },
      onFailure: { _ in received.append("failed") }, onAuthorizationChange: { received.append($0.rawValue) },
      onIgnore: { event, reason in received.append("\(event.rawValue): \(reason)") })
    let second = manager.listeners.add(onUpdate: { _ in received.append("second") })
    manager.resume()
    manager.tryPromptAuthorization()
    provider.decide(.always)
    provider.fix(8)
    manager.forceAcquireLocation()
    provider.pass(60)
    #expect(
      received == [
        "resume: Nothing was paused; begin by asking for the permission.", "prompted", "acquiring", "always",
        "waitingSignificantChange", "8.0", "second", "acquiring", "waitingSignificantChange", "failed",
      ])
    withExtendedLifetime((token, second)) {}
  }

  @Test("Closures are removed when the owner of their token is released")
  func letGo() {
    final class Owner {
      var token: LocationManager.ListenerToken?
      var updates = 0
    }
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let before = manager.listeners.count
    var owner: Owner? = Owner()
    weak let held = owner
    owner?.token = manager.listeners.add(onUpdate: { [weak owner] _ in owner?.updates += 1 })
    #expect(manager.listeners.count == before + 1)
    owner = nil
    #expect(held == nil)
    #expect(manager.listeners.count == before)
  }

  @Test("Closures receive nothing after their removal, or after they have released their token in a call")
  func remove() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    var received = 0
    let removed = manager.listeners.add(onTransition: { _ in received += 1 })
    manager.listeners.remove(removed)
    var itself: LocationManager.ListenerToken?
    itself = manager.listeners.add(onTransition: { _ in
      received += 1
      itself = nil
    })
    manager.pause()
    manager.resume()
    #expect(received == 1)
    #expect(itself == nil)
    withExtendedLifetime(removed) {}
  }
}

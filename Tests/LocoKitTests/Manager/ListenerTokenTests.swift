import Testing

@testable import LocoKit

@MainActor
@Suite("Closures that listen")
struct ListenerTokenTests {
  @Test("hear what listeners hear, in their place among them")
  func hear() {
    let provider = ScriptedProvider()
    let manager = LocationManager(provider: provider)
    var heard: [String] = []
    let token = manager.listeners.add(
      onUpdate: { heard.append("\($0.horizontalAccuracy)") }, onTransition: { heard.append($0.to.rawValue) },
      onFailure: { _ in heard.append("failed") }, onAuthorizationChange: { heard.append($0.rawValue) },
      onIgnore: { event, reason in heard.append("\(event.rawValue): \(reason)") })
    let second = manager.listeners.add(onUpdate: { _ in heard.append("second") })
    manager.resume()
    manager.tryPromptAuthorization()
    provider.decide(.always)
    provider.fix(8)
    manager.forceAcquireLocation()
    provider.pass(60)
    #expect(
      heard == [
        "resume: Nothing was paused; begin by asking for the permission.", "prompted", "acquiring", "always",
        "waitingSignificantChange", "8.0", "second", "acquiring", "waitingSignificantChange", "failed",
      ])
    withExtendedLifetime((token, second)) {}
  }

  @Test("are let go with what is returned, and keep nobody")
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

  @Test("hear nothing once they are removed, or have let themselves go while they were told")
  func remove() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    var heard = 0
    let removed = manager.listeners.add(onTransition: { _ in heard += 1 })
    manager.listeners.remove(removed)
    var itself: LocationManager.ListenerToken?
    itself = manager.listeners.add(onTransition: { _ in
      heard += 1
      itself = nil
    })
    manager.pause()
    manager.resume()
    #expect(heard == 1)
    #expect(itself == nil)
    withExtendedLifetime(removed) {}
  }
}

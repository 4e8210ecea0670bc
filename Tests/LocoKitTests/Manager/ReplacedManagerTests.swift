import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitJournal
@testable import LocoKitSimulation
@testable import LocoKitTrips
@testable import TestSupport

@MainActor
@Suite("A manager that replaces another")
struct ReplacedManagerTests {
  @Test("A new manager takes over the provider, even if the old one is released afterwards")
  func letGoAfterwards() {
    let provider = ScriptedProvider(.always)
    var manager = LocationManager(provider: provider)
    manager.tryPromptAuthorization()
    #expect(provider.mode == .gps)
    // The old manager is released after the new one is created.
    manager = LocationManager(provider: provider)
    #expect(provider.mode == .off && provider.timer == nil)
    manager.tryPromptAuthorization()
    #expect(provider.mode == .gps && provider.timer != nil)
    provider.fix(5)
    #expect(manager.location != nil && provider.mode == .significantChanges)
  }

  @Test("A replaced manager ignores every command, reports that, and doesn't disturb the new one")
  func commandsOfTheOldOne() async {
    let provider = ScriptedProvider(.always)
    let store = MemoryStore()
    let old = LocationManager(provider: provider, store: store)
    let recorder = Recorder()
    old.listeners.add(recorder)
    old.tryPromptAuthorization()
    let new = LocationManager(provider: provider, store: store)
    new.tryPromptAuthorization()
    let commands = provider.commands
    _ = recorder.take()
    old.pause()
    old.resume()
    old.forceAcquireLocation()
    old.tryPromptAuthorization()
    old.forcePromptAuthorization()
    let trip = TripRecorder(old)
    trip.start()
    trip.stop()
    #expect(
      recorder.take() == ["pause", "resume", "forceAcquire", "tryPrompt", "forcePrompt"].map { "didIgnore \($0)" })
    let attempt = await begin { try await old.acquire() }
    await #expect(throws: AcquisitionFailure.replaced) { try await attempt.value }
    #expect("\(AcquisitionFailure.replaced)".contains("Another manager"))
    let tracked = await begin {
      for await _ in old.track() { Issue.record("A replaced manager delivered a location.") }
    }
    _ = await tracked.result()
    #expect(provider.commands == commands && !store.isPaused)
    #expect(provider.mode == .gps && new.state == .acquiring)
  }

  @Test("The old manager's tasks end, and the new manager reads its last location")
  func waiters() async throws {
    let provider = ScriptedProvider(.always)
    let store = MemoryStore()
    let old = LocationManager(provider: provider, store: store)
    old.tryPromptAuthorization()
    let attempt = await begin { try await old.acquire(desiredAccuracy: 1) }
    let tracked = await begin { for await _ in old.track(desiredAccuracy: 50) {} }
    provider.fix(20)
    provider.pass(1)
    provider.fix(20, latitude: 34.102)
    #expect(store.location != old.location, "while the GPS is on, a location is written at most every ten seconds")
    let new = LocationManager(provider: provider, store: store)
    #expect(new.location == old.location && new.location?.latitude == 34.102)
    await #expect(throws: AcquisitionFailure.replaced) { try await attempt.value }
    try await tracked.value
  }

  @Test("A listener may replace the manager in a callback, and the new manager reads the pause")
  func inATurn() {
    let provider = ScriptedProvider(.always)
    let store = MemoryStore()
    var manager: LocationManager? = LocationManager(provider: provider, store: store)
    let recorder = Recorder()
    manager?.listeners.add(recorder)
    recorder.onCall = { _, call in
      if call == "didPause" { manager = LocationManager(provider: provider, store: store) }
    }
    manager?.tryPromptAuthorization()
    manager?.pause()
    #expect(manager?.state == .paused && provider.mode == .off)
    manager?.resume()
    provider.fix(5)
    #expect(manager?.location != nil && provider.mode == .significantChanges)
  }

  @Test("If a listener replaces the manager, listeners receive the remaining callbacks of the turn, and then nothing")
  func restOfTheTurn() {
    let provider = ScriptedProvider()
    let old = LocationManager(provider: provider)
    var new: LocationManager?
    let (first, second) = (Recorder(), Recorder())
    old.listeners.add(first)
    old.listeners.add(second)
    old.tryPromptAuthorization()
    _ = (first.take(), second.take())
    first.onCall = { _, call in
      if call == "prompted>acquiring" {
        new = LocationManager(provider: provider)
      } else {
        #expect(provider.commands.last == "gps", "the remaining callbacks come before the release")
      }
    }
    provider.decide(.whenInUse)
    let received = ["prompted>acquiring", "didGrantAccess", "didChangeAuthorization whenInUse"]
    #expect(first.received == received && second.received.sorted() == received.sorted())
    #expect(provider.commands.last == "off" && new?.state == .initial)
  }

  @Test(
    "Pending commands of a manager that is replaced in a callback are ignored with a reason, and its iterators end")
  func pendingInATurn() async throws {
    let provider = ScriptedProvider(.always)
    let old = LocationManager(provider: provider)
    var new: LocationManager?
    var iterator: LocationManager.Tracking.Iterator?
    let recorder = Recorder()
    old.listeners.add(recorder)
    recorder.onCall = { manager, call in
      guard call == "didGrantAccess" else { return }
      manager.pause()
      iterator = manager.track().makeAsyncIterator()
      new = LocationManager(provider: provider)
    }
    old.tryPromptAuthorization()
    #expect(recorder.reasons == ["Another manager now uses this manager's provider."])
    let next = await begin { await iterator?.next() }
    #expect(try await next.value == nil)
    new?.tryPromptAuthorization()
    #expect(provider.mode == .gps)
  }

  @Test("A manager that replaces another one at each relaunch of the app still finds locations")
  func relaunch() {
    let device = SimulatedProvider(route: .losAngeles, seed: 3)
    device.faults.relaunches = 30
    var manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    var launches = 0
    device.onRelaunch = {
      launches += 1
      manager = LocationManager(provider: device)
      manager.tryPromptAuthorization()
    }
    device.advance(by: .seconds(1_800))
    device.faults = .none
    device.advance(by: .seconds(60))
    #expect(launches > 3)
    let before = manager.location
    manager.forceAcquireLocation()
    device.advance(by: .seconds(60))
    #expect(manager.location != before)
  }
}

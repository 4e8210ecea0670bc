import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@MainActor
@Suite("The manager at the limits of its contract")
struct ManagerLimitTests {
  @Test("A bound beyond the size of the Earth needs no look at rest or on the move")
  func hugeBound() {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .timer]
    let manager = LocationManager(provider: provider)
    manager.errorBound = 1e13
    manager.tryPromptAuthorization()
    provider.fix(9)
    #expect(manager.state == .waitingSignificantChange)
  }

  @Test("The app's time limit ends the prompt")
  func promptTimeLimit() {
    let provider = ScriptedProvider(.notDetermined)
    let manager = LocationManager(provider: provider)
    manager.promptTimeLimit = .seconds(300)
    manager.tryPromptAuthorization()
    provider.report(.promptShown)
    #expect(manager.state == .prompted && provider.timer == provider.uptime + .seconds(300))
    provider.passUntilTimer()
    #expect(manager.state == .initial)
  }

  @Test("A location that a consumer received is delivered, although a stricter wait goes on")
  func lostLocation() async throws {
    let fixture = Fixture(in: .acquiring)
    let (manager, provider) = (fixture.manager, fixture.provider)
    provider.fix(9)
    provider.pass(600)
    let patient = await begin { try await manager.acquire(desiredAccuracy: 5, timeout: .seconds(60)) }
    let first = await begin { try await manager.acquire(desiredAccuracy: 100) }
    provider.fix(50, latitude: 34.2)
    #expect(try await first.value.horizontalAccuracy == 50)
    patient.cancel()
    _ = await patient.result()
    for _ in 0..<10 { await Task.yield() }
    #expect(manager.location?.horizontalAccuracy == 50)
  }

  @Test("A location that a consumer received is delivered, although a stricter track goes on")
  func lostLocationTracking() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let (manager, provider) = (fixture.manager, fixture.provider)
    let id = manager.demand(.every(TrackFilter(desiredAccuracy: 10)))
    provider.pass(600)
    let first = await begin { try await manager.acquire(desiredAccuracy: 100) }
    provider.fix(50, latitude: 34.2)
    #expect(try await first.value.horizontalAccuracy == 50)
    #expect(manager.location?.horizontalAccuracy == 50)
    manager.end(id)
  }

  @Test(
    "A store refuses a location without a date, or with one or an accuracy that an app couldn't round",
    arguments: [(.nan, 3), (1e15, 3), (-1e15, 3), (0, 1e300), (0, 30_000_000)] as [(Double, Double)])
  func unstorable(seconds: Double, accuracy: Double) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "h12-\(UUID().uuidString).json")
    let store = LastLocationStore(file: file, report: { _ in })
    store.isPaused = true
    #expect(store.synchronize())
    store.location = Location(
      latitude: 1, longitude: 2, horizontalAccuracy: accuracy,
      timestamp: Date(timeIntervalSinceReferenceDate: seconds))
    #expect(store.location == nil)
    store.isPaused = false
    #expect(store.synchronize())
    #expect(!LastLocationStore(file: file).isPaused)
  }

  /// Returns the result of a wait of a minute for 20 m, in which the provider reports what `report` does after a second.
  private func acquired(_ report: (ScriptedProvider) -> Void) async -> Result<Location, any Error> {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let attempt = await begin { try await manager.acquire(desiredAccuracy: 20, timeout: .seconds(60)) }
    fixture.provider.pass(1)
    report(fixture.provider)
    return await attempt.result()
  }

  @Test("At its timeout, acquire returns the best fix of its wait")
  func bestAtTimeout() async throws {
    let result = await acquired { provider in
      provider.fix(65)
      for _ in 0..<60 { provider.pass(1) }
    }
    #expect(throws: Never.self) { try result.get() }
  }

  @Test("A later fix that isn't acceptable doesn't replace an acceptable one, unless another acceptable one follows")
  func bestBeforeAWorseOne() async throws {
    for (later, best) in [(500, 60), (90, 90)] as [(Double, Double)] {
      let result = await acquired { provider in
        provider.fix(60)
        for _ in 0..<40 { provider.pass(1) }
        provider.fix(later)
        for _ in 0..<20 { provider.pass(1) }
      }
      #expect(try result.get().horizontalAccuracy == best)
    }
  }

  @Test(
    "A new fix replaces one that is too old for the wait, or that is old and isn't acceptable either",
    arguments: [(60, 3_600), (120, 40)])
  func bestBeforeAPause(accuracy: Double, seconds: Double) async throws {
    let result = await acquired { provider in
      provider.fix(accuracy)
      provider.pass(seconds, timerFires: false)
      provider.fix(150)
      provider.pass(60)
    }
    #expect { try result.get() } throws: { error in
      if case AcquisitionFailure.timeLimit(let best?) = error { best.horizontalAccuracy == 150 } else { false }
    }
  }

  @Test("At the default timeout, acquire returns an acceptable fix that was some seconds old")
  func bestAtDefaultTimeout() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let attempt = await begin { try await manager.acquire(desiredAccuracy: 20) }
    fixture.provider.pass(1)
    fixture.provider.fix(65, age: 3)
    for _ in 0..<60 { fixture.provider.pass(1) }
    let result = await attempt.result()
    #expect(throws: Never.self) { try result.get() }
  }

  @Test("A smaller bound begins a look at rest if the last fix is too inaccurate for it")
  func lowerBoundAtRest() {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .motion, .timer]
    let manager = LocationManager(provider: provider)
    manager.errorBound = 5_000
    manager.tryPromptAuthorization()
    provider.fix(1_500)
    provider.report(.wake(.motion(.still)))
    for _ in 0..<300 { provider.pass(1) }
    manager.errorBound = 100
    var looked = manager.state == .acquiring
    for _ in 0..<7_200 { provider.pass(1); looked = looked || manager.state == .acquiring }
    #expect(looked)
  }

  @Test("A manager that is released on another thread leaves the provider to the next manager")
  func dropped() async {
    let provider = ScriptedProvider(.always)
    let box = Box()
    box.manager = LocationManager(provider: provider)
    box.manager?.tryPromptAuthorization()
    dropElsewhere(box)
    let new = LocationManager(provider: provider)
    new.tryPromptAuthorization()
    #expect(new.state == .acquiring && provider.mode == .gps)
    for _ in 0..<1_000 { await Task.yield() }
    #expect(provider.onReport != nil && provider.mode == .gps)
    provider.fix(5)
    #expect(new.location != nil)
  }

  @Test("Tracking replaces an inaccurate location by an accurate one in its circle")
  func poorAcceptedLater() {
    let provider = ScriptedProvider(.always)
    let manager = LocationManager(provider: provider)
    let recorder = Recorder()
    manager.listeners.add(recorder)
    manager.tryPromptAuthorization()
    provider.fix(9, latitude: 35)
    provider.pass(3_600)
    let controller = PowerController(manager, rules: [.init(.track(TrackingPolicy()))])
    provider.pass(1)
    provider.fix(800)
    for _ in 0..<12 { provider.pass(1) }
    for _ in 0..<3_600 { provider.pass(1); provider.fix(5, latitude: 34.105) }
    #expect(manager.location!.horizontalAccuracy == 5)
    _ = controller
  }

  @Test("A track whose wait exceeds the maximum age delivers the same locations to listeners")
  func pendingAligned() async {
    let provider = ScriptedProvider(.always)
    var policy = AcquisitionPolicy.loco
    policy.maximumAge = .seconds(5)
    let manager = LocationManager(provider: provider, policy: policy)
    let recorder = Recorder()
    manager.listeners.add(recorder)
    manager.tryPromptAuthorization()
    provider.pass(20)
    var iterator = manager.track(accepting: TrackingPolicy(holdTime: .zero)).makeAsyncIterator()
    for index in 0..<300 {
      provider.pass(2)
      provider.fix(Double(12 + index % 5), latitude: 34.1 + Double(index) * 60 / 111_195)
    }
    var tracked = 0
    for _ in 0..<16 { if await iterator.next() != nil { tracked += 1 } }
    #expect(recorder.locations.count > 0)
  }

  @Test("After a pause, a power controller decides by what has changed in it")
  func unpluggedInPause() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let controller = PowerController(fixture.manager, rules: [.init(.track(TrackingPolicy()), when: [.charging])])
    fixture.provider.report(.battery(LocationManager.BatteryStatus(level: 0.5, state: .charging)))
    #expect(controller.rule != nil && fixture.manager.state == .acquiring)
    fixture.manager.pause()
    fixture.provider.report(.battery(LocationManager.BatteryStatus(level: 0.5, state: .unplugged)))
    fixture.manager.resume()
    #expect(controller.rule == nil)
  }

  @Test("A smaller bound wakes a planner that fell asleep on the move")
  func lowerBoundOfManager() {
    let provider = ScriptedProvider(.always)
    (provider.wakeSources, provider.backgroundUpdates) = (Sources.kept.kinds, Sources.kept.updates)
    let manager = LocationManager(provider: provider)
    manager.errorBound = 2_000
    manager.tryPromptAuthorization()
    provider.report(.wake(.motion(.vehicle)))
    var fix = provider.location(9)
    (fix.speed, fix.course) = (8, 0)
    provider.report(.fixes([fix]))
    for _ in 0..<15 { provider.pass(1) }
    #expect(!provider.plan.keepsAppRunning, "asleep")
    manager.errorBound = 300
    #expect(provider.plan.keepsAppRunning || manager.state == .acquiring)
  }

  @Test("A significant change without a valid place starts no look in the cool-down")
  func invalidChange() {
    let provider = ScriptedProvider(.always)
    (provider.wakeSources, provider.backgroundUpdates) = (Sources.phone.kinds, Sources.phone.updates)
    let manager = LocationManager(provider: provider)
    manager.errorBound = 2_000
    manager.tryPromptAuthorization()
    var fix = provider.location(9)
    fix.speed = 1
    provider.report(.fixes([fix]))
    provider.report(.wakeSources(Sources.kept.kinds, backgroundUpdates: .whileMoving))
    for _ in 0..<20 { provider.pass(1) }
    provider.report(
      .wake(
        .significantChange(
          Location(latitude: 0, longitude: 0, horizontalAccuracy: -1, timestamp: provider.date))))
    #expect(manager.state == .waitingSignificantChange)
  }

  @Test("The distance to a place that is no number is no number")
  func nanDistance() {
    let here = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: .distantPast)
    let nowhere = Location(latitude: .nan, longitude: 0, horizontalAccuracy: 5, timestamp: .distantPast)
    #expect(here.distance(to: nowhere).isNaN)
  }

  /// `nil` in the box is set on another thread, while the main actor waits.
  private final class Box { nonisolated(unsafe) var manager: LocationManager? }
  private func dropElsewhere(_ box: Box) {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let box = box
    let thread = Thread {
      box.manager = nil; done.signal()
    }
    thread.start()
    done.wait()
  }
}

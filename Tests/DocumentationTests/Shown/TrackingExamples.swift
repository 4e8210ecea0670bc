import Foundation
import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of tracking")
final class TrackingExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  private var shown: [Location] = []
  private var saved: [Location] = []
  private var failures = 0
  private var plotted: [(fix: Location, label: String?)] = []

  init() {
    manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
  }

  private func show(_ location: Location) { shown.append(location) }
  private func save(_ location: Location) { saved.append(location) }
  private func plot(_ fix: Location, label: String? = nil) { plotted.append((fix, label)) }

  /// Runs a loop while time passes. Then a second manager takes over the device, which ends the loops of the first manager.
  private func run(for duration: Duration, _ loop: @escaping () async throws -> Void) async throws {
    let running = await begin(loop)
    for _ in 0..<Int(duration / .seconds(1)) {
      device.advance(by: .seconds(1))
      await Task.yield()
    }
    withExtendedLifetime(LocationManager(provider: device)) {}
    try await running.value
  }

  private func showAll() async {
    // shown: LocationManager+Async.swift: for await location in manager.updates {
  }

  @Test("updates delivers the manager's locations")
  func updates() async throws {
    try await run(for: .seconds(120)) {
      self.manager.forceAcquireLocation()
      await self.showAll()
    }
    #expect(!shown.isEmpty && shown.last == manager.location)
  }

  private func countFailures() async {
    // shown: LocationManager+Async.swift: for await transition in manager.transitions where transition.event
  }

  @Test("transitions delivers a failed acquisition")
  func transitions() async throws {
    device.loseSky(for: .seconds(120))
    try await run(for: .seconds(60)) {
      self.manager.forceAcquireLocation()
      await self.countFailures()
    }
    #expect(failures == 1)
  }

  private func plotAll() async {
    // shown: LocationManager+Async.swift: for await judged in manager.judgedFixes {
  }

  private func judge() async {
    // shown: JudgedFix.swift: for await judged in manager.judgedFixes {
  }

  @Test("judgedFixes delivers each fix with its verdict")
  func judgedFixes() async throws {
    let plotting = await begin { await self.plotAll() }
    let judging = await begin { await self.judge() }
    var wrong = try #require(manager.location)
    wrong.horizontalAccuracy = -1
    manager.forceAcquireLocation()
    device.deliver([wrong])
    withExtendedLifetime(LocationManager(provider: device)) {}
    _ = try await (plotting.value, judging.value)
    #expect(plotted.map(\.fix) == [wrong, wrong])
    #expect(plotted.compactMap(\.label) == ["invalidAccuracy"])
  }

  private func followAll() async {
    // shown: LocationManager+Async.swift: for await location in manager.track(desiredAccurac
  }

  @Test("track delivers accurate locations, at least 100 m apart unless one is twice as accurate as the last")
  func tracks() async throws {
    try await run(for: .seconds(60)) { await self.followAll() }
    #expect(shown.count > 5 && shown.allSatisfy { $0.horizontalAccuracy <= 50 })
    for (last, next) in zip(shown, shown.dropFirst()) where next.horizontalAccuracy > last.horizontalAccuracy / 2 {
      #expect(next.distance(to: last) >= 100)
    }
  }

  private func goal() async {
    let goal = Location(latitude: 34.1727, longitude: -118.5709, horizontalAccuracy: 0, timestamp: .now)
    // shown: Tracking.swift: for await location in manager.track(
  }

  @Test("Leaving a track loop turns the GPS off")
  func ends() async throws {
    try await device.advance(atMost: .seconds(600)) { await self.goal() }
    #expect(shown.count > 100)
    device.advance(by: .seconds(30))
    #expect(manager.state == .waitingSignificantChange)
  }

  private func saveSome() async {
    // shown: LocationManager+Async.swift: for await location in manager.track(accepting: Tra
  }

  private func saveMany() async {
    // shown: TrackingPolicy.swift: var policy
  }

  @Test("A policy with a shorter hold time accepts more locations")
  func accepts() async throws {
    try await run(for: .seconds(180)) { await self.saveSome() }
    let some = saved.count
    saved = []
    let other = TrackingExamples()
    try await other.run(for: .seconds(180)) { await other.saveMany() }
    #expect(some > 1 && other.saved.count > 2 * some)
  }
}

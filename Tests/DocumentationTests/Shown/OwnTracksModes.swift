import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import Testing

@testable import TestSupport

// shown: MovingToLocoKit: final class Monitoring

@MainActor
@Suite("OwnTracks' monitoring modes")
final class OwnTracksModesTests {
  /// A drive of five minutes, half an hour at rest, and a drive of ten minutes.
  private static let route = SimulatedProvider.Route(
    waypoints: [
      .init(latitude: 34, longitude: -118, speed: 12),
      .init(latitude: 34 + 3_600 / 111_195, longitude: -118, speed: 12, pause: .seconds(1_800)),
      .init(latitude: 34 + 10_800 / 111_195, longitude: -118, speed: 12),
    ], start: .now)

  /// A phone whose app is in the background and publishes locations in a monitoring mode.
  @MainActor
  private final class Phone {
    let device: SimulatedProvider
    let manager: LocationManager
    let history: LocationHistory
    let monitoring: Monitoring
    private let folder = FileManager.default.temporaryDirectory.appending(path: "modes-\(UUID().uuidString)")

    init(_ mode: Monitoring.Mode, seed: UInt64 = 1, battery: Double = 0.8) {
      var configuration = SimulatedProvider.Configuration.phoneInBackground
      configuration.authorization = .always
      device = SimulatedProvider(route: OwnTracksModesTests.route, seed: seed, configuration: configuration)
      device.battery = LocationManager.BatteryStatus(level: battery, state: .unplugged)
      manager = LocationManager(provider: device)
      history = LocationHistory(file: folder.appending(path: "history.jsonl"))
      monitoring = Monitoring(manager, publishingTo: history, mode: mode)
      manager.tryPromptAuthorization()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Advances the device. Returns the locations that were published and the time that the GPS was on.
    func advance(by seconds: Int) async throws -> (locations: [Location], gps: Duration) {
      let before = device.energy.gpsOn
      device.advance(by: .seconds(seconds))
      return (try await published(), device.energy.gpsOn - before)
    }

    func published() async throws -> [Location] {
      let batch = try await history.batch(upTo: 10_000)
      try await history.acknowledge(through: batch.end)
      return batch.entries.map(\.location)
    }
  }

  struct Rule: Sendable {
    let mode: Monitoring.Mode
    var battery = 0.8
    let locations: ClosedRange<Int>
    /// The expected range of GPS time, in seconds.
    let gps: ClosedRange<Double>
    var changes = 0...0
  }

  @Test(
    "Each mode publishes the expected number of locations within the expected GPS time",
    arguments: [
      Rule(mode: .quiet, locations: 0...0, gps: 0...0),
      Rule(mode: .manual, locations: 0...0, gps: 0...0),
      Rule(mode: .significant, locations: 2...5, gps: 0.1...15, changes: 1...4),
      Rule(mode: .move, locations: 70...110, gps: 1_000...1_700, changes: 0...1),
      Rule(mode: .move, battery: 0.1, locations: 2...5, gps: 0.1...15, changes: 1...4),
    ], [1, 2, 3])
  func drive(_ rule: Rule, seed: UInt64) async throws {
    let drive = try await Phone(rule.mode, seed: seed, battery: rule.battery).advance(by: 2_700)
    #expect(rule.locations.contains(drive.locations.count))
    #expect(rule.gps.contains(drive.gps / .seconds(1)))
    #expect(rule.changes.contains(drive.locations.count { $0.source == .significantChange }))
  }

  @Test(
    "A request publishes one location, and another request within a minute returns the same location",
    arguments: [.manual, .significant] as [Monitoring.Mode])
  func request(_ mode: Monitoring.Mode) async throws {
    let phone = Phone(mode)
    _ = try await phone.advance(by: 700)
    let before = phone.device.energy.gpsOn
    let here = try await phone.device.advance(atMost: .seconds(60)) { try await phone.monitoring.request() }
    #expect(here.horizontalAccuracy <= 100)
    #expect(phone.manager.state == (mode == .manual ? .paused : .waitingSignificantChange))
    let spent = phone.device.energy.gpsOn
    #expect(spent > before && spent - before < .seconds(30))
    #expect(try await phone.published() == [here])
    let again = try await phone.device.advance(atMost: .seconds(60)) { try await phone.monitoring.request() }
    #expect(again == here && phone.device.energy.gpsOn == spent)
    #expect(try await phone.published().isEmpty)
  }

  @Test("After any mode, the quiet and manual modes turn the GPS off", arguments: Monitoring.Mode.allCases)
  func off(before mode: Monitoring.Mode) async throws {
    let phone = Phone(mode)
    _ = try await phone.advance(by: 120)
    for off in [Monitoring.Mode.quiet, .manual] {
      phone.monitoring.mode = off
      #expect(phone.manager.state == .paused && phone.device.mode == .off)
      let next = try await phone.advance(by: 300)
      #expect(next.locations.isEmpty && next.gps == .zero)
    }
    phone.monitoring.mode = .quiet
    await #expect(throws: AcquisitionFailure.paused) { try await phone.monitoring.request() }
    phone.monitoring.mode = mode
    let isOn = mode == .significant || mode == .move
    #expect((phone.device.mode == .off) != isOn)
  }

  @Test("Two concurrent requests share one location, and the quiet mode ends a request")
  func requests() async throws {
    let phone = Phone(.manual)
    let (first, second) = try await phone.device.advance(atMost: .seconds(60)) {
      async let first = phone.monitoring.request()
      async let second = phone.monitoring.request()
      return try await (first, second)
    }
    #expect(first == second && phone.manager.state == .paused)
    #expect(try await phone.published() == [first])
    phone.device.advance(by: .seconds(100))
    let request = Task { try await phone.monitoring.request() }
    await Task.yield()
    phone.monitoring.mode = .quiet
    await #expect(throws: AcquisitionFailure.paused) { try await request.value }
    #expect(phone.device.mode == .off)
  }

  @Test("The move mode turns the GPS off at rest and on a low battery, then on again", arguments: [1, 2, 3])
  func fallback(seed: UInt64) async throws {
    let phone = Phone(.move, seed: seed)
    let road = try await phone.advance(by: 290)
    #expect(road.gps > .seconds(280) && road.locations.count > 10)
    _ = try await phone.advance(by: 1_800)
    #expect(phone.manager.state == .waitingSignificantChange)
    _ = try await phone.advance(by: 400)
    #expect(phone.manager.state == .acquiring)
    phone.device.battery = LocationManager.BatteryStatus(level: 0.19, state: .unplugged)
    _ = try await phone.advance(by: 30)
    #expect(phone.manager.state == .waitingSignificantChange)
    phone.device.battery = LocationManager.BatteryStatus(level: 0.9, state: .charging)
    #expect(phone.manager.state == .waitingSignificantChange, "a charger doesn't wake the app")
    phone.device.reportSignificantChange()
    #expect(phone.manager.state == .acquiring)
  }

  @Test("At rest and without a distance filter, a location arrives each time the hold time has passed")
  func interval() async throws {
    let device = SimulatedProvider(
      route: SimulatedProvider.Route(waypoints: [.init(latitude: 34, longitude: -118)]), seed: 1)
    let manager = LocationManager(provider: device)
    let policy = TrackingPolicy(
      requiredAccuracy: 50, holdTime: .seconds(60), distanceFilter: 0)
    let controller = PowerController(manager, rules: [.init(.track(policy))])
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(120))
    var count = 0
    let token = manager.listeners.add(onUpdate: { _ in count += 1 })
    device.advance(by: .seconds(600))
    #expect((9...11).contains(count))
    withExtendedLifetime((controller, token)) {}
  }
}

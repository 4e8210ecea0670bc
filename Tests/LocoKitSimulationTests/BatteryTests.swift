import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitSimulation
@testable import TestSupport

@Suite("The battery and the app of a simulated device")
struct BatteryTests {
  private static let home = SimulatedProviderTests.home

  private static func atHome(_ level: Double, _ state: LocationManager.BatteryStatus.State) -> SimulatedProvider {
    let device = SimulatedProvider(route: home, seed: 1)
    device.battery = LocationManager.BatteryStatus(level: level, state: state)
    return device
  }

  @Test(
    "An unplugged battery drains at the power of device and app, is reported at each percent, and stops at 0")
  func battery() throws {
    let device = Self.atHome(1, .unplugged)
    let manager = LocationManager(provider: device)
    let recorder = Recorder()
    manager.listeners.add(recorder)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(36_000))
    // An iPhone 6 at rest uses 20 mW, its battery holds 6.91 Wh, and the app adds little.
    let level = try #require(device.battery?.level)
    let expected = 1 - (0.02 * 36_000 + device.energy.joules(.phone)) / (6.91 * 3_600)
    #expect(abs(level - expected) < 1e-9 && level < 0.972)
    let reports = recorder.received.filter { $0.contains("didChangeBattery") }
    #expect(reports.count == 3 && reports.last?.contains("0.98") == true, "\(reports)")
    device.battery = LocationManager.BatteryStatus(level: 0.001, state: .unplugged)
    device.advance(by: .seconds(36_000))
    #expect(device.battery?.level == 0 && manager.circumstances.battery?.level == 0)
  }

  @Test("A battery without a level is reported with its state, such as that of a machine without a battery")
  func withoutLevel() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    for state in [LocationManager.BatteryStatus.State.full, .charging] {
      device.battery = LocationManager.BatteryStatus(level: nil, state: state)
      device.advance(by: .seconds(1))
      #expect(manager.circumstances.battery == LocationManager.BatteryStatus(level: nil, state: state))
    }
  }

  @Test("A battery that is set again drains from the new level, whatever the device used before")
  func setAgain() throws {
    let (used, new) = (Self.atHome(1, .unplugged), Self.atHome(1, .unplugged))
    used.advance(by: .seconds(36_000))
    used.battery = LocationManager.BatteryStatus(level: 0.8, state: .unplugged)
    #expect(used.battery?.level == 0.8)
    new.battery = LocationManager.BatteryStatus(level: 0.8, state: .unplugged)
    for device in [used, new] { device.advance(by: .seconds(36_000)) }
    #expect(abs(try #require(used.battery?.level) - (try #require(new.battery?.level))) < 1e-9)
  }

  @Test(
    "A suspended app learns of its battery from the next wake-up, one in the foreground or that is kept running at once",
    arguments: [nil, 300] as [Double?], [false, true])
  func suspended(bound: Double?, isInForeground: Bool) {
    let device = SimulatedProvider(
      route: SimulatedProvider.Route(waypoints: [.init(latitude: 34, longitude: -118)]), seed: 1,
      configuration: .phoneInBackground)
    device.battery = LocationManager.BatteryStatus(level: 0.5, state: .unplugged)
    let manager = LocationManager(provider: device)
    manager.errorBound = bound
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(3_600))
    device.setApp(isInForeground: isInForeground)
    let isAwake = isInForeground || device.wakeSources.contains(.timer)
    let charging = LocationManager.BatteryStatus(level: 0.6, state: .charging)
    device.battery = charging
    #expect((manager.circumstances.battery == charging) == isAwake)
    device.advance(by: .seconds(600))
    #expect((manager.circumstances.battery == charging) == isAwake)
    device.reportSignificantChange()
    #expect(manager.circumstances.battery == charging)
    let full = LocationManager.BatteryStatus(level: 1, state: .full)
    device.setApp(isInForeground: false)
    device.advance(by: .seconds(600))
    device.battery = full
    device.setApp(isInForeground: true)
    #expect(manager.circumstances.battery == full)
  }

  @Test("A battery that changes is reported at once, except during a pause")
  func changes() {
    let device = Self.atHome(1, .unplugged)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let charging = LocationManager.BatteryStatus(level: 0.5, state: .charging)
    device.battery = charging
    #expect(manager.circumstances.battery == charging)
    manager.pause()
    device.battery = LocationManager.BatteryStatus(level: 0.6, state: .charging)
    #expect(manager.circumstances.battery?.level != 0.6)
    manager.resume()
    #expect(manager.circumstances.battery?.level == 0.6)
  }

  @Test("A plugged-in battery doesn't drain, and a device without a battery reports none")
  func plugged() {
    for state in [LocationManager.BatteryStatus.State.charging, .full] {
      let device = Self.atHome(0.5, state)
      device.advance(by: .seconds(36_000))
      #expect(device.battery?.level == 0.5)
    }
    let (device, reports) = SimulatedProviderTests.reports(
      Self.home, SimulatedProviderTests.allowed, mode: .gps, for: 900)
    #expect(device.battery == nil)
    #expect(!reports.contains { if case .battery = $0 { true } else { false } })
  }

  @Test("The state of the app is reported when a manager starts, and at each change")
  func app() {
    let device = SimulatedProvider(route: Self.home, seed: 1)
    device.setApp(isInForeground: true)
    let manager = LocationManager(provider: device)
    #expect(manager.circumstances.isInForeground == nil)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    #expect(manager.circumstances.isInForeground == true && manager.circumstances.isLowPowerMode == false)
    device.setApp(isInForeground: false, isLowPowerMode: true)
    #expect(manager.circumstances.isInForeground == false && manager.circumstances.isLowPowerMode == true)
  }

  @Test(
    "Without Background App Refresh the system doesn't launch the app, but the user can", arguments: [true, false])
  func refresh(isAllowed: Bool) {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    device.setApp(isInForeground: false, mayRefresh: isAllowed)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    var launches = 0
    device.onRelaunch = { launches += 1 }
    device.terminate()
    device.advance(by: .seconds(1_500))
    #expect((launches > 0) == isAllowed)
    device.terminate()
    let before = launches
    device.launch()
    #expect(launches == before + 1)
  }

  @Test("A leg with a legSpeed is driven at that speed")
  func legs() {
    var corner = SimulatedProvider.Route.Waypoint(latitude: 34.1, longitude: -118, speed: 30, legSpeed: 5)
    corner.longitude += 0.01
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: 34, longitude: -118, speed: 0, legSpeed: 20), corner,
      .init(latitude: 34.2, longitude: -118, speed: 0),
    ])
    let metres = zip(route.points, route.points.dropFirst()).map {
      $0.location.distance(to: $1.location) / ($1.time - $0.time)
    }
    let corners = route.points.firstIndex { abs($0.latitude - 34.1) < 1e-9 } ?? 0
    #expect(metres[..<corners].allSatisfy { abs($0 - 20) < 0.1 } && metres[corners...].allSatisfy { abs($0 - 5) < 0.1 })
    #expect(corner.latitude == 34.1 && abs(corner.longitude + 117.99) < 1e-9)
  }
}

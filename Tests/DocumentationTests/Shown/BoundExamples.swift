import Foundation
import LocoKit
import LocoKitGPSD
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of a bound")
final class BoundExamples {
  private let device: SimulatedProvider
  private let manager: LocationManager
  private let marker = Marker()

  private final class Marker {
    private(set) var place: Location?
    func move(to place: Location) { self.place = place }
  }

  private static var configuration: SimulatedProvider.Configuration {
    var configuration = SimulatedProvider.Configuration()
    configuration.wakeSources = Sources.awake.kinds
    return configuration
  }

  init() {
    device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: Self.configuration)
    manager = LocationManager(provider: device)
  }

  private let slider = (value: 60.0, maximum: 2_000.0)

  private func slide() {
    // shown: LocationManager.swift: manager.errorBound = max(slider.value, LocationMan
  }

  @Test("A bound from a slider is clamped to the minimum")
  func slid() {
    slide()
    #expect(manager.errorBound == 100)
  }

  private func boundTheEstimate() {
    // shown: ChoosingABound: manager.boundTarget
  }

  @Test("Bounding the estimate instead of the last location needs less GPS time")
  func boundEstimate() {
    boundTheEstimate()
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(1_500))
    #expect(manager.boundTarget == .estimate)
    let other = SimulatedProvider(route: .losAngeles, seed: 1, configuration: Self.configuration)
    let manager = LocationManager(provider: other)
    // shown: ChoosingABound: manager.tryPromptAuthorization(
    other.advance(by: .seconds(1_500))
    #expect(device.energy.gpsOn < other.energy.gpsOn)
    #expect(self.manager.estimate != nil)
  }

  private func begin() {
    // shown: LocationManager.swift: manager.errorBound = 500
  }

  private func refresh() {
    // shown: LocationManager.swift: if let here
  }

  @Test("An estimate is near the device's true position")
  func estimate() throws {
    begin()
    refresh()
    #expect(marker.place == nil)
    device.advance(by: .seconds(600))
    refresh()
    let place = try #require(marker.place)
    #expect(place.isEstimated && abs(place.latitude - device.position.latitude) < 0.01)
  }

  @Test("Without a bound, the marker shows the last location")
  func unbound() {
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    refresh()
    #expect(marker.place != nil && marker.place == manager.location)
  }

  @MainActor
  final class Looks: @MainActor LocationManagerListener {
    private(set) var timedLooks = 0
    private(set) var wakes = 0

    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
      if [.bound, .retry, .rest].contains(cause) { timedLooks += 1 } else { wakes += 1 }
    }
  }

  @Test("Looks caused by timers and by wake-ups are counted")
  func causes() {
    let looks = Looks()
    manager.listeners.add(looks)
    begin()
    device.advance(by: .seconds(1_800))
    #expect(looks.timedLooks > 0 && looks.wakes > 0)
  }

  private func choose(_ provider: any LocationProvider) {
    // shown: WakeEvent.swift: manager.errorBound
  }

  @Test("The bound is wider if only regions and significant changes can wake the app")
  func wakes() {
    choose(device)
    #expect(manager.errorBound == 500)
    choose(SimulatedProvider(route: .losAngeles, seed: 1))
    #expect(manager.errorBound == 1_500)
  }

  @Test("A phone that is kept running briefly uses less energy at rest than one that always runs")
  func backgroundUpdates() {
    // shown: BackgroundUpdates.swift: var configuration
    func energy(_ configuration: SimulatedProvider.Configuration) -> Duration {
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
      let manager = LocationManager(provider: device)
      manager.errorBound = 200
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(10_000))
      return withExtendedLifetime(manager) { device.energy.keptRunning.total }
    }
    let brief = energy(configuration)
    configuration.backgroundUpdates = .always
    #expect(brief < energy(configuration))
  }

  #if os(Linux) || os(macOS)
    private let gpsd = GPSDProvider()

    // shown: Motion.swift: func ignitionChanged(

    @Test("A change of the ignition line is reported as motion")
    func motion() {
      var reports: [ProviderReport] = []
      gpsd.onReport = ProviderReport.Handler { reports.append($0) }
      ignitionChanged(to: true)
      ignitionChanged(to: false)
      #expect(reports.suffix(2) == [.motion(.vehicle), .motion(.still)] && gpsd.wakeSources.contains(.motion))
    }
  #endif
}

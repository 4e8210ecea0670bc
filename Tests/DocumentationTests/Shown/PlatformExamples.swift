import Foundation
import LocoKit
import LocoKitGPSD
import LocoKitMotion
import LocoKitSimulation
import Testing

@testable import TestSupport

/// A buoy with a receiver. The provider below controls it.
final class Buoy {
  enum Message {
    case fix(Location), noSky, alarm
  }

  struct Fence: Equatable {
    let latitude, longitude, radius: Double
  }

  var uptime = Duration.zero
  var date = Date(timeIntervalSinceReferenceDate: 800_000_000)
  var isReceiverOn = false
  var interval = Duration.seconds(1)
  var alarm: Duration?
  var fence: Fence?
}

// shown: LocationProvider.swift: final class BuoyProvider

extension BuoyProvider {
  // shown: ProviderReport.swift: func receive(
}

extension BuoyProvider {
  // shown: ReceiverSettings.swift: func setReceiver(

  // shown: WakeSources.swift: var wakeSources
}

@MainActor
@Suite("Examples of platforms")
final class PlatformExamples {
  private let provider = BuoyProvider()
  private var buoy: Buoy { provider.buoy }
  private lazy var manager = LocationManager(provider: provider)

  private var fix: Location {
    Location(latitude: 54, longitude: 8, horizontalAccuracy: 6, timestamp: buoy.date)
  }

  @Test("A custom provider turns its receiver on and off and monitors a region")
  func own() {
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(buoy.isReceiverOn && buoy.alarm != nil && buoy.interval == .seconds(1))
    provider.receive(.noSky)
    #expect(manager.location == nil)
    provider.receive(.fix(fix))
    #expect(manager.location == fix && !buoy.isReceiverOn)
    #expect(buoy.fence?.latitude == 54)
  }

  @Test("A custom provider derives the receiver's interval from the distance filter")
  func receiver() async {
    manager.tryPromptAuthorization()
    provider.receive(.fix(fix))
    let following = await begin { for await _ in self.manager.track(distanceFilter: 200) {} }
    #expect(buoy.interval == .seconds(10))
    following.cancel()
    _ = await following.result()
  }

  @Test("A provider's alarm ends an acquisition at its time limit")
  func alarm() throws {
    manager.tryPromptAuthorization()
    buoy.uptime = try #require(buoy.alarm)
    provider.receive(.alarm)
    #expect(manager.recentTransitions.last?.event == .acquisitionFailed)
  }

  @MainActor
  final class Permission: @MainActor LocationManagerListener {
    private(set) var hint: String?

    // shown: ProviderReport.swift: func locationManager(
  }

  @Test("A listener changes its hint with the authorization")
  func authorization() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let permission = Permission()
    manager.listeners.add(permission)
    device.setAuthorization(.whenInUse)
    #expect(permission.hint?.hasPrefix("Choose Always") == true)
    device.setAuthorization(.denied)
    #expect(permission.hint?.hasPrefix("Locations are off") == true)
    device.setAuthorization(.always)
    #expect(permission.hint == nil)
  }

  #if canImport(CoreMotion)
    private func motion() -> CoreLocationProvider {
      // shown: LocoKitMotion: var configuration
      return CoreLocationProvider(configuration: configuration)
    }
  #endif

  #if canImport(CoreLocation)
    private func coreLocation() -> LocationManager {
      // shown: CoreLocationProvider.swift: var configuration
      return manager
    }
  #endif

  #if os(Linux) || os(macOS)
    @MainActor
    final class Daemon: @MainActor LocationManagerListener {
      func serve() async throws {
        // shown: GPSDProvider.swift: let provider
      }
    }
  #endif
}

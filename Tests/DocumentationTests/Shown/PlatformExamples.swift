import Foundation
import LocoKit
import LocoKitGPSD
import LocoKitMotion
import LocoKitSimulation
import Testing

@testable import TestSupport

#if canImport(CoreLocation)
  import CoreLocation
#endif

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
  private(set) var restarts = 0
  func restart() { restarts += 1 }
}

// shown: LocationProvider.swift: final class BuoyProvider

extension BuoyProvider {
  // shown: ProviderReport.swift: func receive(
}

/// A buoy that watches regions and notices its engine.
final class FencedBuoyProvider: LocationProvider {
  let buoy = Buoy()
  let authorization = Authorization.always
  let wakeSources: Set<WakeKind> = [.regionExit, .motion, .timer]
  let recommendedPolicy = AcquisitionPolicy.standaloneReceiver
  var onReport: ProviderReport.Handler?
  var uptime: Duration { buoy.uptime }
  var date: Date { buoy.date }
  private var last = ReceiverPlan()

  // shown: ReceiverPlan.swift: func apply(

  // shown: ReceiverRequest.swift: func perform(

  // shown: WakeEvent.swift: func ignitionChanged(

  // shown: Region.swift: func region(

}

/// A buoy whose engine isn't of interest.
final class SilentBuoyProvider: LocationProvider {
  let base: FencedBuoyProvider
  var authorization: Authorization { base.authorization }
  var recommendedPolicy: AcquisitionPolicy { base.recommendedPolicy }
  var uptime: Duration { base.uptime }
  var date: Date { base.date }

  init(_ base: FencedBuoyProvider) { self.base = base }

  // shown: ProviderReport+Handler.swift: var onReport
  func apply(_ plan: ReceiverPlan) { base.apply(plan) }
  func perform(_ request: ReceiverRequest) { base.perform(request) }
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
    #expect(buoy.isReceiverOn && buoy.alarm != nil)
    provider.receive(.noSky)
    #expect(manager.location == nil)
    provider.receive(.fix(fix))
    #expect(manager.location == fix && !buoy.isReceiverOn)
  }

  @Test("A custom provider applies each part of the plan, and reports wake-ups")
  func plan() async {
    let provider = FencedBuoyProvider()
    let buoy = provider.buoy
    let manager = LocationManager(provider: provider)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(buoy.isReceiverOn && buoy.alarm != nil && buoy.interval == .seconds(1) && buoy.fence == nil)
    provider.onReport?(.fixes([fix]))
    #expect(buoy.fence?.latitude == 54 && provider.region(around: fix).radius == 100)
    provider.ignitionChanged(to: true)
    #expect(manager.circumstances.motion == .vehicle)
    manager.restartReceiver()
    #expect(buoy.restarts == (buoy.isReceiverOn ? 1 : 0))
    let following = await begin { for await _ in manager.track(desiredAccuracy: 200) {} }
    #expect(buoy.interval == .seconds(10))
    following.cancel()
    _ = await following.result()
  }

  @Test("A provider that wraps another one drops its reports of motion, and passes on the others and the release")
  func wrapped() {
    let base = FencedBuoyProvider()
    let manager = LocationManager(provider: SilentBuoyProvider(base))
    manager.tryPromptAuthorization()
    base.ignitionChanged(to: true)
    #expect(manager.circumstances.motion == nil)
    base.onReport?(.fixes([fix]))
    #expect(manager.location == fix && base.onReport != nil)
    let next = LocationManager(provider: SilentBuoyProvider(base))
    manager.forceAcquireLocation()
    #expect(manager.state == .waitingSignificantChange && next.state == .initial && !base.buoy.isReceiverOn)
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

    // shown: Authorization.swift: func locationManager(
  }

  @Test("A listener changes its hint with the authorization")
  func authorization() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let permission = Permission()
    manager.listeners.add(permission)
    device.authorization = .whenInUse
    #expect(permission.hint?.hasPrefix("Choose Always") == true)
    device.authorization = .denied
    #expect(permission.hint?.hasPrefix("Locations are off") == true)
    device.authorization = .always
    #expect(permission.hint == nil)
  }

  #if canImport(CoreMotion)
    private func motion() -> LocationManager {
      // shown: LocoKitMotion: var configuration
      return manager
    }
  #endif

  #if canImport(CoreLocation)
    private func coreLocation() -> LocationManager {
      // shown: CoreLocationProvider.swift: var configuration
      return manager
    }

    private func conversions(of location: Location) -> (CLLocationCoordinate2D, Location) {
      // shown: CoreLocationConversions.swift: let center
      // shown: CoreLocationConversions.swift: let place
      // shown: CoreLocationConversions.swift: let start
      return (center, start)
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

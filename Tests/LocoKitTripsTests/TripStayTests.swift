import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoKitTrips
@testable import TestSupport

@Suite("Stays of a trip")
struct TripStayTests {
  private final class Listener: TripRecorderListener {
    var trips: [Trip] = []
    func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) { trips.append(trip) }
  }

  /// Drives with stops of a duration along a road, and returns the trips, in minutes after the start.
  private func trips(
    stops: [Int], speed: Double, seed: UInt64, on configuration: SimulatedProvider.Configuration
  ) -> [ClosedRange<Int>] {
    var waypoints = [
      SimulatedProvider.Route.Waypoint(
        latitude: 48, longitude: 11, legSpeed: speed, pause: .seconds(1_800), isIndoors: true)
    ]
    for (index, stop) in stops.enumerated() {
      waypoints.append(
        .init(latitude: 48 + Double(index + 1) * 0.03, longitude: 11, legSpeed: speed, pause: .seconds(stop)))
    }
    waypoints.append(
      .init(
        latitude: 48 + Double(stops.count + 1) * 0.03, longitude: 11, legSpeed: speed, pause: .seconds(3_600),
        isIndoors: true))
    let route = SimulatedProvider.Route(waypoints: waypoints)
    let device = SimulatedProvider(route: route, seed: seed, configuration: configuration)
    let manager = LocationManager(provider: device)
    let recorder = TripRecorder.automatic(manager, minimumStay: .seconds(300))
    let listener = Listener()
    recorder.listeners.add(listener)
    manager.tryPromptAuthorization()
    device.advance(by: route.duration)
    let start = device.date.addingTimeInterval(-device.uptime.inSeconds)
    return listener.trips.map {
      Int($0.began.timeIntervalSince(start) / 60)...Int(($0.ended ?? start).timeIntervalSince(start) / 60)
    }
  }

  @Test("A stop that is shorter than the minimum stay by 20 s doesn't split a trip", arguments: 1...(isLong ? 20 : 5))
  func shortStops(seed: UInt64) {
    // A coarse fix may show the device at the stop before its arrival or after its departure.
    var satellites = SimulatedProvider.Configuration()
    satellites.receiver.hasNetwork = false
    for stop in [240, 260, 280] {
      for speed in [4.5, 12, 25] {
        let trips = trips(stops: Array(repeating: stop, count: 6), speed: speed, seed: seed, on: satellites)
        #expect(trips.count == 1, "stops of \(stop) s at \(speed) m/s: \(trips)")
      }
    }
  }

  @Test("While the manager tracks, an automatic trip is measured with all fixes", arguments: 1...(isLong ? 20 : 3))
  func tracked(seed: UInt64) {
    // Corners each 222 m.
    var waypoints = [
      SimulatedProvider.Route.Waypoint(
        latitude: 48, longitude: 11, legSpeed: 12, pause: .seconds(1_800), isIndoors: true)
    ]
    for corner in 1...60 {
      waypoints.append(
        .init(
          latitude: 48 + Double((corner + 1) / 2) * 0.002, longitude: 11 + Double(corner / 2) * 0.003, legSpeed: 12,
          pause: corner == 60 ? .seconds(3_600) : .zero, isIndoors: corner == 60))
    }
    let route = SimulatedProvider.Route(waypoints: waypoints)
    let device = SimulatedProvider(route: route, seed: seed, configuration: .phoneInBackground)
    let manager = LocationManager(provider: device)
    let recorder = TripRecorder.automatic(manager, minimumStay: .seconds(300))
    let listener = Listener()
    recorder.listeners.add(listener)
    let controller = PowerController(
      manager, rules: [.init(.track(TrackingPolicy(holdTime: .zero)), when: [.trip]), .init(.sleep)])
    manager.tryPromptAuthorization()
    device.advance(by: route.duration)
    let truth = 13_364.0
    withExtendedLifetime(controller) {
      let distances = listener.trips.map(\.distance)
      // The fix in the house, where the trip begins, may be tens of metres off.
      #expect((0.92 * truth...truth + 50).contains(distances.max() ?? 0), "\(distances)")
      #expect(distances.count == 1, "\(distances): wrong fixes in the house are no trip")
    }
  }

  @Test("A stay of an hour ends a trip", arguments: 1...(isLong ? 20 : 5))
  func longStops(seed: UInt64) {
    for speed in [4.5, 12, 25] {
      let trips = trips(stops: Array(repeating: 3_600, count: 4), speed: speed, seed: seed, on: .phoneInBackground)
      // The phone may sleep through the beginning of a stay, or through a drive of two minutes; or a coarse fix may be wrong.
      #expect((3...7).contains(trips.count), "at \(speed) m/s: \(trips)")
    }
  }
}

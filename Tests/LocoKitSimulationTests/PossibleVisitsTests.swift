import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitSimulation
@testable import TestSupport

@Suite("The visits of a simulated phone")
struct PossibleVisitsTests {
  @Test(
    "A phone reports only what a phone can: visits with Always, arrivals in their stay, and stays that are in one place"
  )
  func possibleVisits() {
    let stops = [400, 700, 3_600, 200, 1_800].enumerated().map { index, pause in
      SimulatedProvider.Route.Waypoint(
        latitude: 48 + Double(index) * 0.02, longitude: 11, speed: 10, pause: .seconds(pause), isIndoors: true)
    }
    let route = SimulatedProvider.Route(waypoints: stops)
    let stays = Visits.stays(on: route)
    #expect(stays.count >= 4)
    for stay in stays {
      let end = min(stay.upperBound, route.duration.inSeconds)
      for time in stride(from: stay.lowerBound, through: end, by: 10) {
        #expect(
          route.position(at: stay.lowerBound).location.distance(to: route.position(at: time).location) <= Visits
            .radius + 1)
      }
    }
    for seed in 0..<300 as Range<UInt64> {
      for report in Visits.arrivals(seed: seed, at: stays) {
        #expect(report.stay.lowerBound < report.time && report.time < report.stay.upperBound, "seed \(seed)")
      }
      for report in Visits.departures(seed: seed, from: stays) {
        #expect(report.time >= report.stay.upperBound, "seed \(seed)")
      }
    }
    for authorization in [Authorization.always, .whenInUse] {
      var configuration = SimulatedProvider.Configuration.phoneInBackground
      configuration.authorization = authorization
      let device = SimulatedProvider(route: route, seed: 3, configuration: configuration)
      var visits = 0
      device.onReport = ProviderReport.Handler { if case .wake(.visit) = $0 { visits += 1 } }
      device.setMode(.significantChanges)
      device.advance(by: route.duration)
      #expect((visits > 0) == (authorization == .always), "\(authorization): \(visits)")
    }
  }
}

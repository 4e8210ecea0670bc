import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("A simulated region")
struct RegionMonitorTests {
  /// A stay of 100 s, then two kilometres north at 10 m/s.
  static let away = SimulatedProvider.Route(waypoints: [
    .init(latitude: 0, longitude: 10, speed: 10, pause: .seconds(100)),
    .init(latitude: 2_000 / 111_195, longitude: 10, speed: 10, pause: .seconds(5_000)),
  ])
  static let region = Location.Region(latitude: 0, longitude: 10, radius: 100)

  static func device(
    _ route: SimulatedProvider.Route, seed: UInt64 = 1, region: SimulatedProvider.RegionModel,
    authorization: Authorization = .always
  ) -> SimulatedProvider {
    var configuration = SimulatedProvider.Configuration()
    configuration.authorization = authorization
    configuration.region = region
    return SimulatedProvider(route: route, seed: seed, configuration: configuration)
  }

  /// A model without randomness.
  static var certain: SimulatedProvider.RegionModel {
    var model = SimulatedProvider.RegionModel()
    (model.latencySpread, model.lost) = (0, 0)
    return model
  }

  static func exits(_ device: SimulatedProvider, _ seconds: Int = 2_000) -> [Double] {
    var exits: [Double] = []
    device.onReport = ProviderReport.Handler { [unowned device] in
      if $0 == .regionExit { exits.append(device.uptime.inSeconds) }
    }
    device.advance(by: .seconds(seconds))
    return exits
  }

  @Test("The exit is reported once, a latency after the device crosses the edge")
  func exit() {
    let device = Self.device(Self.away, region: Self.certain)
    device.setRegion(Self.region)
    let exits = Self.exits(device)
    // A stay of 100 s, 10 s to the edge, and a latency of 100 s.
    #expect(exits.count == 1 && abs((exits.first ?? 0) - 210) < 0.5, "\(exits)")
  }

  @Test("A region that is set while the device is outside it reports one exit, after the latency")
  func outside() {
    let device = Self.device(Self.away, region: Self.certain)
    device.advance(by: .seconds(1_000))
    for _ in 0..<2 {
      let set = device.uptime.inSeconds
      device.setRegion(Self.region)
      let exits = Self.exits(device, 500)
      #expect(exits.count == 1 && abs((exits.first ?? 0) - set - 100) < 0.5, "\(exits)")
    }
  }

  @Test("There is no exit if the device returns in time, the region is removed, or the permission is missing")
  func notLeft() {
    let there = Self.away.points.last?.latitude ?? 0
    let visit = SimulatedProvider.Route(waypoints: [
      .init(latitude: 0, longitude: 10, speed: 60), .init(latitude: there / 4, longitude: 10, speed: 60),
      .init(latitude: 0, longitude: 10, speed: 60, pause: .seconds(1_000)),
    ])
    let back = Self.device(visit, region: Self.certain)
    back.setRegion(Self.region)
    #expect(Self.exits(back).isEmpty)
    let removed = Self.device(Self.away, region: Self.certain)
    removed.setRegion(Self.region)
    removed.setRegion(nil)
    #expect(Self.exits(removed).isEmpty)
    let inUse = Self.device(Self.away, region: Self.certain, authorization: .whenInUse)
    inUse.setRegion(Self.region)
    #expect(Self.exits(inUse).isEmpty)
    inUse.authorization = .always
    #expect(Self.exits(inUse).count == 1)
  }

  @Test("Another manager of the provider keeps the region until it sets its own")
  func otherManager() {
    let device = Self.device(Self.away, region: Self.certain)
    device.setRegion(Self.region)
    device.apply(ReceiverPlan())
    #expect(Self.exits(device).count == 1)
  }

  @Test("The exit requires an uninterrupted time outside")
  func interrupted() {
    func point(_ time: Double, _ metres: Double) -> SimulatedProvider.Route.Point {
      SimulatedProvider.Route.Point(time: time, latitude: metres / 111_195, longitude: 10)
    }
    // The device is outside from 12.5 s to 27.5 s, and again from 32.5 s on.
    let route = SimulatedProvider.Route(points: [
      point(0, 0), point(10, 0), point(20, 400), point(30, 0), point(40, 400), point(5_000, 400),
    ])
    let device = Self.device(route, region: Self.certain)
    device.setRegion(Self.region)
    let exits = Self.exits(device)
    #expect(exits.count == 1 && abs((exits.first ?? 0) - 132.5) < 0.5, "\(exits)")
  }

  @Test("An exit from a region isn't a wake-up while the GPS is on")
  func awake() {
    let device = Self.device(Self.away, region: Self.certain)
    device.setMode(.gps)
    device.setRegion(Self.region)
    #expect(Self.exits(device, 300).count == 1)
    #expect(device.energy.wakes == 0)
  }

  @Test("Exits are late, and sometimes lost, as in the model")
  func model() {
    var latest: [Double] = []
    for seed in 0..<400 as Range<UInt64> {
      let device = Self.device(Self.away, seed: seed, region: .init())
      device.setRegion(Self.region)
      latest += Self.exits(device)
    }
    #expect((354...382).contains(latest.count), "\(latest.count) of 400 found")
    // A stay of 100 s, 10 s to the edge, and a median latency of 100 s.
    let median = latest.sorted()[latest.count / 2]
    #expect((200...222).contains(median), "\(median) s")
  }

  @Test("The exit is found on a long route")
  func long() {
    // Five hours inside the region, with more points than the monitor searches at a time, then outside.
    let points = (0..<18_000).map { second in
      SimulatedProvider.Route.Point(
        time: Double(second), latitude: 0.0001 * sin(Double(second) / 10),
        longitude: 10 + 0.0001 * cos(Double(second) / 10))
    }
    let route = SimulatedProvider.Route(
      points: points + [SimulatedProvider.Route.Point(time: 18_100, latitude: 0.01, longitude: 10)])
    let device = Self.device(route, region: Self.certain)
    device.setRegion(Self.region)
    let exits = Self.exits(device, 20_000)
    #expect(exits.count == 1 && (18_100...18_120).contains(exits.first ?? 0), "\(exits)")
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitSimulation

@Suite("A route")
struct RouteTests {
  @Test("The built-in route takes half an hour for 40 to 46 km, below 36 m/s and within Los Angeles County")
  func losAngeles() {
    let route = SimulatedProvider.Route.losAngeles
    #expect(route.duration == .seconds(1_800))
    let metres = zip(route.points, route.points.dropFirst()).reduce(0) {
      $0 + $1.0.location.distance(to: $1.1.location)
    }
    #expect((40_000...46_000).contains(metres), "\(metres)")
    for second in 0..<1_800 { #expect(route.velocity(at: Double(second)).speed < 36) }
    // Within Los Angeles County.
    #expect(
      route.points.allSatisfy { (34.0...34.2).contains($0.latitude) && (-118.7 ... -118.2).contains($0.longitude) })
  }

  @Test("Positions are on the straight line between points, also over the antimeridian, and stay at the end")
  func positions() {
    let route = SimulatedProvider.Route(points: [
      .init(time: 0, latitude: 0, longitude: 179, altitude: 0),
      .init(time: 10, latitude: 10, longitude: -179, altitude: 100),
    ])
    #expect(route.position(at: -5).longitude == 179)
    #expect(route.position(at: 5).latitude == 5)
    #expect(abs(route.position(at: 5).longitude) == 180)
    #expect(route.position(at: 7.5).longitude == -179.5)
    #expect(route.position(at: 5).altitude == 50)
    #expect(route.position(at: 99).longitude == -179)
  }

  @Test("A route through recorded locations starts at the first timestamp and passes each location at its timestamp")
  func locations() {
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let locations = [0.0, 30, 90].map {
      Location(
        latitude: 48 + $0 / 10_000, longitude: 11, horizontalAccuracy: 50, altitude: 500 + $0, timestamp: start + $0)
    }
    let route = SimulatedProvider.Route(locations: locations)
    #expect(route.start == start && route.duration == .seconds(90))
    let device = SimulatedProvider(route: route, seed: 1)
    for location in locations {
      device.advance(by: .seconds(location.timestamp.timeIntervalSince(device.date)))
      #expect(device.position.distance(to: location) < 0.001 && device.position.altitude == location.altitude)
      #expect(device.position.timestamp == location.timestamp)
    }
  }

  @Test("A leg takes the shorter way over the antimeridian, at the waypoints' speed", arguments: [1.0, -1])
  func antimeridian(direction: Double) {
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: 0, longitude: direction * 179.99, speed: 20),
      .init(latitude: 0, longitude: direction * -179.99, speed: 20),
    ])
    #expect(abs(route.duration.inSeconds - 111.3) < 0.3)
    #expect(route.points.allSatisfy { (179.99...180).contains(abs($0.longitude)) })
    var walker = RouteWalker(origin: route.points[0])
    for second in 0..<110 {
      let step = walker.step(at: Double(second), on: route)
      #expect(abs(step.speed - 20) < 0.2 && abs(step.east - direction * 20 * Double(second)) < 10 && step.north == 0)
      let velocity = route.velocity(at: Double(second))
      #expect(abs(velocity.speed - 20) < 0.2 && velocity.course == 180 - direction * 90)
    }
  }

  @Test("The speed changes evenly between waypoints, and the device pauses")
  func waypoints() {
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: 0, longitude: 0, speed: 0, pause: .seconds(10)), .init(latitude: 0.01, longitude: 0, speed: 20),
    ])
    #expect(route.position(at: 10).latitude == 0)
    #expect(abs(route.duration.inSeconds - (10 + 1_112.0 / 10)) < 0.1)
    #expect(route.velocity(at: 20).speed < route.velocity(at: 100).speed)
    #expect(route.velocity(at: 60).course == 0)
  }

  @Test("The course is the direction to the next point, all around and across the antimeridian")
  func courses() throws {
    for longitude in [0, 180, -180, 179.999] {
      for course in stride(from: 0.0, to: 360, by: 15) {
        let (north, east) = (cos(course * .pi / 180) * 0.01, sin(course * .pi / 180) * 0.01)
        let end = (longitude + east).remainder(dividingBy: 360)
        let route = SimulatedProvider.Route(points: [
          .init(time: 0, latitude: 0, longitude: longitude), .init(time: 60, latitude: north, longitude: end),
        ])
        let found = try #require(route.velocity(at: 30).course)
        #expect((0..<360).contains(found) && abs((found - course).remainder(dividingBy: 360)) < 1e-6, "\(found)")
      }
    }
  }

  @Test("There is no sky in a tunnel or a house, and only a house is indoors")
  func sky() {
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: 0, longitude: 0, speed: 10, pause: .seconds(100), isIndoors: true),
      .init(latitude: 0.009, longitude: 0, speed: 10, entersTunnel: true),
      .init(latitude: 0.018, longitude: 0, speed: 10, pause: .seconds(10)),
    ])
    #expect(route.indoors == [0..<100] && route.outages.count == 1)
    for (time, hasSky, isIndoors) in [
      (0.0, false, true), (99.9, false, true), (100, true, false), (199, true, false), (202, false, false),
      (300, false, false), (301, true, false), (500, true, false),
    ] {
      #expect(route.hasSky(at: time) == hasSky && route.isIndoors(at: time) == isIndoors, "\(time)")
    }
  }

  #if os(Linux) || os(macOS)
    @Test("A route without points traps, and so does a leg without a speed")
    func refusals() async {
      await #expect(processExitsWith: .failure) { _ = SimulatedProvider.Route(points: []) }
      await #expect(processExitsWith: .failure) {
        _ = SimulatedProvider.Route(waypoints: [
          .init(latitude: 0, longitude: 0, speed: 0), .init(latitude: 1, longitude: 0, speed: 0),
        ])
      }
    }

    /// Invalid arguments, each with a part of the message.
    static let wrong: [(make: @Sendable () -> Void, sentence: String)] = [
      ({ route(.init(time: .nan, latitude: 0, longitude: 0)) }, "Point 1 of a route has the time nan s"),
      ({ route(.init(time: 0, latitude: 0, longitude: 0)) }, "Point 1 of a route has the time 0.0 s"),
      (
        { route(.init(time: 1e18, latitude: 0, longitude: 0)) }, "has the time 1e+18 s; a route takes a century at most"
      ),
      ({ route(.init(time: 1, latitude: 148, longitude: 0)) }, "latitude 148.0; the range is -90 to 90"),
      ({ route(.init(time: 1, latitude: .nan, longitude: 0)) }, "latitude nan; the range is -90 to 90"),
      ({ route(.init(time: 1, latitude: 0, longitude: 181)) }, "longitude 181.0; the range is -180 to 180"),
      ({ route(.init(time: 1, latitude: 0, longitude: 0, altitude: .nan)) }, "altitude nan"),
      (
        {
          _ = SimulatedProvider.Route(
            points: [.init(time: 0, latitude: 0, longitude: 0)], start: Date(timeIntervalSinceReferenceDate: .infinity))
        }, "start is a date, not inf"
      ),
      ({ leg(.init(latitude: 0, longitude: 0, speed: .nan)) }, "Waypoint 1 has the speed nan m/s"),
      ({ leg(.init(latitude: 0, longitude: 0, speed: -1)) }, "Waypoint 1 has the speed -1.0 m/s"),
      ({ leg(.init(latitude: .nan, longitude: 0)) }, "Waypoint 1 has the latitude nan"),
      ({ leg(.init(latitude: 0, longitude: -200)) }, "Waypoint 1 has the longitude -200.0"),
      ({ leg(.init(latitude: 0, longitude: 0, pause: .seconds(-1))) }, "Waypoint 1 has a pause of -1.0 seconds"),
      (
        { leg(.init(latitude: 2, longitude: 0, speed: 0.001), from: 0.001) },
        "from 0.001 m/s to 0.001 m/s; a route from waypoints moves for at most 1000000.0 s"
      ),
      (
        { SimulatedProvider(route: .losAngeles, seed: 1).advance(by: .seconds(-5)) },
        "time advances by 0 s or more, not by -5.0 seconds"
      ),
    ]

    private static func route(_ point: SimulatedProvider.Route.Point) {
      _ = SimulatedProvider.Route(points: [.init(time: 0, latitude: 0, longitude: 0), point])
    }

    private static func leg(_ waypoint: SimulatedProvider.Route.Waypoint, from speed: Double = 14) {
      _ = SimulatedProvider.Route(waypoints: [.init(latitude: 1, longitude: 0, speed: speed), waypoint])
    }

    @Test("Invalid places, times and speeds trap with a message that has the value", arguments: wrong.indices)
    func refusals(index: Int) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
        RouteTests.wrong[index].make()
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains(Self.wrong[index].sentence), "\(message.prefix(500))")
    }
  #endif
}

package import LocoKit
package import LocoKitSimulation

/// Many simulated devices, each with its own manager and provider.
package struct Fleet {
  package private(set) var devices: [(manager: LocationManager, provider: SimulatedProvider)] = []

  /// Creates a device for each seed, all on the same route.
  package init(_ seeds: Range<UInt64>, route: SimulatedProvider.Route = .day) {
    devices.reserveCapacity(seeds.count)
    for seed in seeds {
      let provider = SimulatedProvider(route: route, seed: seed)
      devices.append((LocationManager(provider: provider), provider))
    }
  }

  /// Requests the permission on all devices.
  package func start() {
    for device in devices { device.manager.tryPromptAuthorization() }
  }

  /// Advances all devices to the same time.
  package func run(until deadline: Duration) {
    for device in devices { device.provider.advance(by: deadline - device.provider.uptime) }
  }
}

extension SimulatedProvider.Route {
  /// A working day in Los Angeles: a night at home, half an hour's drive, the office, a walk to lunch, the office, and the drive home.
  package static let day: SimulatedProvider.Route = {
    let home = (latitude: 34.0522, longitude: -118.2437)
    let halfway = (latitude: 34.0980, longitude: -118.3290)
    let office = (latitude: 34.1381, longitude: -118.3534)
    let lunch = (latitude: 34.1450, longitude: -118.3600)
    func stop(_ place: (latitude: Double, longitude: Double), hours: Double = 0, speed: Double = 9) -> Waypoint {
      Waypoint(latitude: place.latitude, longitude: place.longitude, speed: speed, pause: .seconds(hours * 3_600))
    }
    return SimulatedProvider.Route(waypoints: [
      stop(home, hours: 8), stop(halfway), stop(office, hours: 4, speed: 1.4), stop(lunch, hours: 0.5, speed: 1.4),
      stop(office, hours: 4), stop(halfway), stop(home, hours: 6),
    ])
  }()

  /// A day and a night of driving back and forth between two places about 35 km apart.
  package static let driven = SimulatedProvider.Route(
    waypoints: (0..<42).map { leg in
      Waypoint(
        latitude: leg.isMultiple(of: 2) ? 34 : 34.3, longitude: leg.isMultiple(of: 2) ? -118.2 : -118.1, speed: 16)
    })
}

extension SimulatedProvider.Route {
  /// Half an hour along the 101 freeway through Los Angeles: from Calabasas through the valley and the Cahuenga Pass,
  /// where traffic crawls, to a car park at Union Station. 43 km.
  public static let losAngeles = SimulatedProvider.Route(waypoints: [
    Waypoint(latitude: 34.1555, longitude: -118.6400, speed: 0, pause: .seconds(20)),
    Waypoint(latitude: 34.1580, longitude: -118.6360, speed: 22),
    Waypoint(latitude: 34.1683, longitude: -118.6058, speed: 33),
    Waypoint(latitude: 34.1708, longitude: -118.5975, speed: 33),
    Waypoint(latitude: 34.1722, longitude: -118.5884, speed: 34),
    Waypoint(latitude: 34.1727, longitude: -118.5709, speed: 34),
    Waypoint(latitude: 34.1731, longitude: -118.5536, speed: 33),
    Waypoint(latitude: 34.1719, longitude: -118.5362, speed: 33),
    Waypoint(latitude: 34.1680, longitude: -118.5190, speed: 34),
    Waypoint(latitude: 34.1612, longitude: -118.5010, speed: 33),
    Waypoint(latitude: 34.1584, longitude: -118.4920, speed: 31),
    Waypoint(latitude: 34.1608, longitude: -118.4695, speed: 24),
    Waypoint(latitude: 34.1577, longitude: -118.4486, speed: 29),
    Waypoint(latitude: 34.1575, longitude: -118.4311, speed: 32),
    Waypoint(latitude: 34.1553, longitude: -118.4137, speed: 32),
    Waypoint(latitude: 34.1533, longitude: -118.3964, speed: 31),
    Waypoint(latitude: 34.1512, longitude: -118.3792, speed: 27),
    Waypoint(latitude: 34.1460, longitude: -118.3690, speed: 25),
    Waypoint(latitude: 34.1383, longitude: -118.3625, speed: 22),
    Waypoint(latitude: 34.1325, longitude: -118.3480, speed: 13),
    Waypoint(latitude: 34.1240, longitude: -118.3420, speed: 10),
    Waypoint(latitude: 34.1125, longitude: -118.3365, speed: 12),
    Waypoint(latitude: 34.1075, longitude: -118.3290, speed: 21),
    Waypoint(latitude: 34.1018, longitude: -118.3135, speed: 26),
    Waypoint(latitude: 34.0980, longitude: -118.3105, speed: 27),
    Waypoint(latitude: 34.0907, longitude: -118.3060, speed: 28),
    Waypoint(latitude: 34.0837, longitude: -118.2995, speed: 29),
    Waypoint(latitude: 34.0795, longitude: -118.2917, speed: 29),
    Waypoint(latitude: 34.0762, longitude: -118.2840, speed: 28),
    Waypoint(latitude: 34.0735, longitude: -118.2745, speed: 27),
    Waypoint(latitude: 34.0672, longitude: -118.2610, speed: 26),
    Waypoint(latitude: 34.0622, longitude: -118.2488, speed: 20),
    Waypoint(latitude: 34.0580, longitude: -118.2440, speed: 17),
    Waypoint(latitude: 34.0548, longitude: -118.2395, speed: 13),
    Waypoint(latitude: 34.0560, longitude: -118.2365, speed: 0),
  ]).parked(until: 1_800)

  /// The same route, and then standing still until so many seconds after the start.
  func parked(until time: Double) -> SimulatedProvider.Route {
    guard let last = points.last, last.time < time else { return self }
    let parked = Point(time: time, latitude: last.latitude, longitude: last.longitude, altitude: last.altitude)
    return SimulatedProvider.Route(points: points + [parked], start: start, outages: outages, indoors: indoors)
  }
}

import Foundation
import LocoKitSimulation

/// The true positions of a device at the end of each second of a route.
struct GroundTruth {
  /// The positions in metres from the centre of the Earth, along three axes. At a distance of 10 km over ground, the straight line between
  /// two positions is a millimetre shorter.
  let places: [SIMD3<Double>]
  /// Whether a fix is possible, for each second.
  let hasSky: [Bool]
  /// Whether the error of the last location counts. It counts indoors, where the device stays, but not in a gap of a recording,
  /// where the position is unknown.
  let isKnown: [Bool]
  /// Whether the device is under way, for each second: at some time in the five minutes before or after, it is more than 100 m from its
  /// place in that second. Otherwise it dwells.
  let isUnderWay: [Bool]

  private static let underWayDistance = 100.0
  private static let underWaySeconds = 300

  init(_ route: SimulatedProvider.Route) {
    let times = (0..<Int(route.duration.seconds.rounded(.up))).map { Double($0 + 1) }
    let hasSky = times.map { route.hasSky(at: $0) }
    self.init(
      places: times.map { Self.place(route.position(at: $0)) }, hasSky: hasSky,
      isKnown: zip(times, hasSky).map { $1 || route.isIndoors(at: $0) })
  }

  init(places: [SIMD3<Double>], hasSky: [Bool], isKnown: [Bool]) {
    self.places = places
    self.hasSky = hasSky
    self.isKnown = isKnown
    let leaves = Self.secondsWithin(places)
    let arrives = Self.secondsWithin(places.reversed())
    isUnderWay = places.indices.map {
      leaves[$0] <= Self.underWaySeconds || arrives[places.count - 1 - $0] <= Self.underWaySeconds
    }
  }

  var oracle: Oracle { Oracle(places: places, hasSky: hasSky) }

  /// Returns the truth of the first seconds, for a drive that ended early.
  func prefix(_ count: Int) -> GroundTruth {
    guard count < places.count else { return self }
    return GroundTruth(
      places: Array(places.prefix(count)), hasSky: Array(hasSky.prefix(count)), isKnown: Array(isKnown.prefix(count)))
  }

  /// Returns, for each second, the time in seconds until the device is more than 100 m away.
  private static func secondsWithin(_ places: [SIMD3<Double>]) -> [Int] {
    let boxes = Boxes(places)
    return places.indices.map { index in
      let beyond = boxes.first(beyond: underWayDistance, of: index)
      return beyond == places.count ? .max : beyond - index
    }
  }

  static func place(_ point: SimulatedProvider.Route.Point) -> SIMD3<Double> {
    place(latitude: point.latitude, longitude: point.longitude)
  }

  /// Returns a place on the sphere that ``Location/distance(to:)`` uses, with the mean radius of the Earth.
  static func place(latitude: Double, longitude: Double) -> SIMD3<Double> {
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    return 6_371_008.8 * SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
  }

  /// Returns the distance in metres.
  static func distance(_ first: SIMD3<Double>, _ second: SIMD3<Double>) -> Double {
    let difference = first - second
    return (difference * difference).sum().squareRoot()
  }
}

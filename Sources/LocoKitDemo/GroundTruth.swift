#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Where a device really is at the end of each second of a route: what its last location is measured against.
  struct GroundTruth {
    /// In metres from the centre of the Earth, along three axes: the distance between two of these is the straight line, which is
    /// shorter than the way over ground by a millimetre in 10 km.
    let places: [SIMD3<Double>]
    /// Whether a receiver could have a fix.
    let hasSky: [Bool]
    /// Whether the error of the last location counts: it does indoors, where the device stays, and not where a recording has a
    /// gap, since nobody knows where the device was.
    let isKnown: [Bool]
    /// Whether the device is more than 100 m from where it was, or will be, within five minutes. Otherwise it dwells.
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

    /// The least that any policy could have spent.
    var oracle: Oracle { Oracle(places: places, hasSky: hasSky) }

    /// The first seconds alone, of a drive that was ended early.
    func prefix(_ count: Int) -> GroundTruth {
      guard count < places.count else { return self }
      return GroundTruth(
        places: Array(places.prefix(count)), hasSky: Array(hasSky.prefix(count)), isKnown: Array(isKnown.prefix(count)))
    }

    /// For each second, how long it takes to be more than 100 m away.
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

    /// A place on a sphere with the mean radius of Earth, as ``Location/distance(to:)`` measures.
    static func place(latitude: Double, longitude: Double) -> SIMD3<Double> {
      let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
      return 6_371_008.8 * SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    /// Metres between two places.
    static func distance(_ first: SIMD3<Double>, _ second: SIMD3<Double>) -> Double {
      let difference = first - second
      return (difference * difference).sum().squareRoot()
    }
  }

  /// Boxes round places, and round pairs of boxes, up to one round all: to find where a track leaves a circle without looking at
  /// every place on the way.
  struct Boxes {
    private let count: Int
    private let size: Int
    private var lower: [SIMD3<Double>]
    private var upper: [SIMD3<Double>]
    private let places: [SIMD3<Double>]

    init(_ places: [SIMD3<Double>]) {
      self.places = places
      count = places.count
      var size = 1
      while size < count { size *= 2 }
      self.size = size
      let last = places.last ?? .zero
      lower = [SIMD3<Double>](repeating: last, count: 2 * size)
      for (index, place) in places.enumerated() { lower[size + index] = place }
      upper = lower
      for node in stride(from: size - 1, to: 0, by: -1) {
        lower[node] = pointwiseMin(lower[2 * node], lower[2 * node + 1])
        upper[node] = pointwiseMax(upper[2 * node], upper[2 * node + 1])
      }
    }

    /// The first place after one that is farther from it than `radius`; their number where there is none.
    func first(beyond radius: Double, of index: Int) -> Int {
      guard index + 1 < count else { return count }
      let centre = places[index]
      var node = size + index + 1
      while true {
        let away = pointwiseMax(centre - lower[node], upper[node] - centre)
        if (away * away).sum() > radius * radius {
          if node >= size { return min(node - size, count) }
          node *= 2
        } else {
          while node & 1 == 1 { node /= 2 }
          if node == 0 { return count }
          node += 1
        }
      }
    }
  }
#endif

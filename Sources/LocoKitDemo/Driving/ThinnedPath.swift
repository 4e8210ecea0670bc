import Foundation

/// A simplified path through time: the lines between its points deviate from the added places by at most a tolerance.
///
/// The algorithm takes one pass. From the last point, it keeps the slopes of the slowest and the fastest line that are within the tolerance
/// of all places added since.
struct ThinnedPath {
  /// A latitude and a longitude in degrees, and an accuracy in metres.
  typealias Value = SIMD3<Double>

  private var points: [(time: Double, value: Value)] = []
  private var newest: (time: Double, value: Value)?
  private var slowest = Value(repeating: -.infinity)
  private var fastest = Value(repeating: .infinity)

  /// The tolerance along each axis, in metres: less than a receiver's accuracy.
  private static let tolerance = 1.0
  private static let metresPerDegree = 111_195.0

  /// Adds a place. A place that isn't later than the last one is ignored.
  mutating func add(_ time: Double, _ added: Value) {
    let time = (time * 10).rounded() / 10
    var value = added
    guard let anchor = points.last, let newest else {
      points = [(time, value)]
      newest = points[0]
      return
    }
    guard time > newest.time else { return }
    // Longitudes continue beyond the 180th meridian.
    value.y -= ((value.y - newest.value.y) / 360).rounded() * 360
    let bounds = Self.slopes(from: anchor, to: (time, value))
    let (slower, faster) = (pointwiseMax(slowest, bounds.slowest), pointwiseMin(fastest, bounds.fastest))
    if any(slower .> faster) {
      emit(newest)
      (slowest, fastest) = Self.slopes(from: points[points.count - 1], to: (time, value))
    } else {
      (slowest, fastest) = (slower, faster)
    }
    self.newest = (time, value)
  }

  /// All points, including the newest place.
  var thinned: [(time: Double, value: Value)] {
    var path = self
    if let newest, let last = points.last, newest.time > last.time { path.emit(newest) }
    return path.points
  }

  private mutating func emit(_ newest: (time: Double, value: Value)) {
    let anchor = points[points.count - 1]
    let time = newest.time - anchor.time
    let slope = pointwiseMin(pointwiseMax((newest.value - anchor.value) / time, slowest), fastest)
    points.append((newest.time, anchor.value + slope * time))
  }

  private static func slopes(
    from anchor: (time: Double, value: Value), to point: (time: Double, value: Value)
  ) -> (slowest: Value, fastest: Value) {
    let degrees = tolerance / metresPerDegree
    let margin = Value(degrees, degrees / max(0.01, cos(point.value.x * .pi / 180)), tolerance)
    let time = point.time - anchor.time
    return ((point.value - margin - anchor.value) / time, (point.value + margin - anchor.value) / time)
  }
}

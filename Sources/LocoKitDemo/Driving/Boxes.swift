/// A tree of bounding boxes that finds where a track leaves a circle, without visiting every place.
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

  /// Returns the index of the first later place that is farther away than `radius`, or the number of places.
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

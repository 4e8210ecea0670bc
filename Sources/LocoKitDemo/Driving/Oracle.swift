/// Computes the least possible time with the GPS on for an error bound, with the whole route known in advance.
///
/// At every second with sky, the last fix must be within the bound. An acquisition takes a number of seconds and yields its fix in
/// the last of them; a GPS that stays on yields a fix every second. If there is no sky when the bound is reached, the acquisition may
/// start when the sky is back. The first acquisition ends at the first second with sky.
///
/// The result is exact. Dynamic programming from the end computes, for each second, the least time after a fix at that second.
///
/// - Complexity: O(n log n) for recorded tracks.
struct Oracle {
  /// The duration of an acquisition: the time to a phone's first fix, which is from the network, rounded up to whole seconds.
  static let acquisitionSeconds = 1

  private let hasSky: [Bool]
  private let boxes: Boxes
  /// For each second, and for the second after the last, the next second with sky.
  private let nextSky: [Int]

  init(places: [SIMD3<Double>], hasSky: [Bool]) {
    self.hasSky = hasSky
    boxes = Boxes(places)
    var nextSky = [Int](repeating: hasSky.count, count: hasSky.count + 1)
    for second in hasSky.indices.reversed() { nextSky[second] = hasSky[second] ? second : nextSky[second + 1] }
    self.nextSky = nextSky
  }

  /// Returns the least possible time with the GPS on, in seconds.
  func secondsOn(within bound: Double, acquisitionSeconds cost: Int = Oracle.acquisitionSeconds) -> Int {
    let count = hasSky.count
    guard nextSky[0] < count else { return 0 }
    var least = LeastOfRange(count: count)
    for second in hasSky.indices.reversed() where hasSky[second] {
      least[second] = secondsOn(after: second, within: bound, cost, least)
    }
    return cost + least[nextSky[0]]
  }

  /// Returns the least time after a fix, given the least times of all later seconds.
  private func secondsOn(after fix: Int, within bound: Double, _ cost: Int, _ least: LeastOfRange) -> Int {
    let count = hasSky.count
    let beyond = boxes.first(beyond: bound, of: fix)
    let deadline = beyond < count && !hasSky[beyond] ? nextSky[beyond] + cost : beyond
    // The bound holds to the end, or no sky follows.
    guard beyond < count, nextSky[beyond] < count else { return 0 }
    let next = nextSky[fix + 1]
    let stayingOn = next == fix + 1 ? 1 + least[next] : 1 + cost + least[next]
    let end = min(deadline, count - 1)
    guard fix + cost <= end else { return stayingOn }
    return min(stayingOn, cost + least.least(in: fix + cost...end))
  }
}

/// A segment tree that returns the minimum of any range. Setting a number and querying take O(log n).
private struct LeastOfRange {
  private var nodes: [Int]
  private let size: Int
  /// The value of unset numbers. Adding a cost to it doesn't overflow.
  private static let unset = Int.max / 2

  init(count: Int) {
    var size = 1
    while size < count { size *= 2 }
    self.size = size
    nodes = [Int](repeating: Self.unset, count: 2 * size)
  }

  subscript(index: Int) -> Int {
    get { nodes[size + index] }
    set {
      var node = size + index
      nodes[node] = newValue
      while node > 1 {
        node /= 2
        nodes[node] = min(nodes[2 * node], nodes[2 * node + 1])
      }
    }
  }

  func least(in range: ClosedRange<Int>) -> Int {
    var (low, high) = (size + range.lowerBound, size + range.upperBound + 1)
    var least = Self.unset
    while low < high {
      if low & 1 == 1 {
        least = min(least, nodes[low])
        low += 1
      }
      if high & 1 == 1 {
        high -= 1
        least = min(least, nodes[high])
      }
      (low, high) = (low / 2, high / 2)
    }
    return least
  }
}

import Foundation

/// Cell towers round a device, and which cell serves it.
///
/// Sites stand on a jittered hexagonal grid 900 m apart, with three sectors each. The strength of a sector falls with
/// 37.6 log₁₀ of the distance; shadowing (6 dB, correlated over 60 m) belongs to the place, fading (1 dB, 20 s) to the
/// time. Another cell takes over when it was 3 dB stronger for 3 s, and with a probability of 35 % the old one takes back
/// once within 2–10 s. Calibrated to a change about every 290 m on the road, as measured on 55 hours of real cells; real
/// ones are less regular.
struct CellNetwork: Sendable {
  struct Cell: Hashable, Sendable {
    var column: Int32
    var row: Int32
    var sector: UInt8
  }

  static let spacing = 900.0

  private let seed: UInt64
  private let originLatitude: Double
  private let originLongitude: Double
  private let metresPerDegreeEast: Double
  private(set) var serving: Cell?
  private var stronger: (cell: Cell, since: Double)?
  private var bounce: (cell: Cell, at: Double)?
  private var random: SeededGenerator

  init(seed: UInt64, origin: Route.Point) {
    self.seed = SeededGenerator.mix(seed ^ 0xCE11)
    random = SeededGenerator(seed: self.seed)
    originLatitude = origin.latitude
    originLongitude = origin.longitude
    metresPerDegreeEast = max(1, 111_320 * cos(origin.latitude * .pi / 180))
  }

  /// Forgets what was compared; the next measurement chooses anew without calling it a change.
  mutating func reset() {
    serving = nil
    stronger = nil
    bounce = nil
  }

  /// Measures at a place and a time, and says whether another cell has taken over.
  mutating func measure(_ point: Route.Point, at time: Double) -> Bool {
    let x = (point.longitude - originLongitude) * metresPerDegreeEast
    let y = (point.latitude - originLatitude) * 110_574
    let (best, servingStrength) = strongest(x, y, time)
    guard let serving else {
      self.serving = best.cell
      return false
    }
    if let bounce, time >= bounce.at {
      self.bounce = nil
      stronger = nil
      guard bounce.cell != serving else { return false }
      self.serving = bounce.cell
      return true
    }
    guard best.cell != serving, best.strength > servingStrength + 3 else {
      stronger = nil
      return false
    }
    guard let stronger, stronger.cell == best.cell else {
      self.stronger = (best.cell, time)
      return false
    }
    guard time - stronger.since >= 3 else { return false }
    self.stronger = nil
    if Double.random(in: 0..<1, using: &random) < 0.35 {
      bounce = (serving, time + Double.random(in: 2...10, using: &random))
    }
    self.serving = best.cell
    return true
  }

  private func strongest(_ x: Double, _ y: Double, _ time: Double) -> (best: (cell: Cell, strength: Double), Double) {
    let row = (y / (Self.spacing * 0.866)).rounded()
    let column = (x / Self.spacing - row / 2).rounded()
    var best = (cell: Cell(column: 0, row: 0, sector: 0), strength: -Double.infinity)
    var servingStrength = -Double.infinity
    for (columnStep, rowStep) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)] {
      var cell = Cell(
        column: Int32(clamping: Int(column) + columnStep), row: Int32(clamping: Int(row) + rowStep), sector: 0)
      let site = hash(UInt64(bitPattern: Int64(cell.column)), UInt64(bitPattern: Int64(cell.row)))
      let siteX = Self.spacing * (Double(cell.column) + Double(cell.row) / 2 + 0.5 * Self.unit(site) - 0.25)
      let siteY = Self.spacing * (0.866 * Double(cell.row) + 0.5 * Self.unit(site &* 31) - 0.25)
      let east = x - siteX
      let north = y - siteY
      let path = -37.6 * log10(max(35, (east * east + north * north).squareRoot()))
      let common = path + 6 * shadowing(site, x, y)
      let angle = atan2(north, east) * 180 / .pi
      for sector in 0..<3 {
        cell.sector = UInt8(sector)
        var off = (angle - Double(sector) * 120).truncatingRemainder(dividingBy: 360)
        if off > 180 { off -= 360 }
        if off < -180 { off += 360 }
        let pattern = -min(12 * (off / 65) * (off / 65), 20)
        let strength = common + pattern + fading(site &+ UInt64(sector), time)
        if strength > best.strength { best = (cell, strength) }
        if cell == serving { servingStrength = strength }
      }
    }
    return (best, servingStrength)
  }

  /// Normal noise that belongs to a place, smooth over 60 m.
  private func shadowing(_ site: UInt64, _ x: Double, _ y: Double) -> Double {
    let column = (x / 60).rounded(.down)
    let row = (y / 60).rounded(.down)
    let right = x / 60 - column
    let up = y / 60 - row
    var sum = 0.0
    var squares = 0.0
    for (columnStep, rowStep, weight) in [
      (0, 0, (1 - right) * (1 - up)), (1, 0, right * (1 - up)), (0, 1, (1 - right) * up), (1, 1, right * up),
    ] {
      let corner = UInt64(bitPattern: Int64(column) + Int64(columnStep)) &* 0x1F12_3BB5 &+ site
      sum += weight * Self.normal(hash(corner, UInt64(bitPattern: Int64(row) + Int64(rowStep))))
      squares += weight * weight
    }
    return sum / squares.squareRoot()
  }

  /// Normal noise that belongs to a time, smooth over 20 s.
  private func fading(_ sector: UInt64, _ time: Double) -> Double {
    let step = (time / 20).rounded(.down)
    let share = time / 20 - step
    let before = Self.normal(hash(sector, UInt64(step)))
    let after = Self.normal(hash(sector, UInt64(step) + 1))
    return before * (1 - share) + after * share
  }

  private func hash(_ first: UInt64, _ second: UInt64) -> UInt64 {
    SeededGenerator.mix(seed ^ SeededGenerator.mix(first &* 0x9E37_79B9_7F4A_7C15 ^ second))
  }

  private static func unit(_ hash: UInt64) -> Double {
    Double(SeededGenerator.mix(hash) >> 11) * 0x1p-53
  }

  /// Close to normal with variance 1: the sum of four even numbers.
  private static func normal(_ hash: UInt64) -> Double {
    let sum = Double(hash & 0xFFFF) + Double(hash >> 16 & 0xFFFF) + Double(hash >> 32 & 0xFFFF) + Double(hash >> 48)
    return (sum / 65_536 - 2) * 1.732
  }
}

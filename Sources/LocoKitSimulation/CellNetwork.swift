import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// The cell towers around a device, and the cell that serves it.
///
/// The sites are on a jittered square grid, 850 m apart. The grid is thinned, with a density that differs between patches 6 km wide. Each
/// site has three sectors. A sector's strength falls by 37.6 dB for each factor of ten in the distance. Shadowing (6 dB) depends on the
/// place, and changes over 150 m. Fading (1 dB) depends on the time, and changes over 20 s. A cell that is 3 dB stronger for a second takes
/// over. The old cell may then take over again. Rarely, another cell is chosen at random.
///
/// The model is calibrated against 55 hours of recorded cells: on the road, the cell changes every 288 m on average, and for 32 % of the
/// way the last change is more than 500 m back; at rest, it changes 1.23 times an hour.
struct CellNetwork: Sendable {
  struct Cell: Hashable, Sendable, CustomStringConvertible {
    var column: Int32
    var row: Int32
    var sector: UInt8

    var description: String { "\(column),\(row),\(sector)" }
  }

  /// The required lead of another cell in decibels, and its duration in seconds.
  private static let hysteresis = 3.0, timeToTrigger = 1.0
  /// The probability that a change is reversed, and the delay in seconds. The reversal is itself reversed with the same probability.
  private static let pingPong = 0.4, pingPongDelay = 2.0...10.0
  /// The number of random changes per hour, and the seconds until a random change is undone.
  private static let spuriousRate = 0.3, spuriousDelay = 3.0...63.0

  private(set) var serving: Cell?
  private var stronger: (cell: Cell, since: Double)?
  private var bounce: (cell: Cell, at: Double)?
  private var spuriousAt: Double?
  private var map: CellMap
  private var random: SeededGenerator

  init(seed: UInt64) {
    let seed = SeededGenerator.mix(seed ^ 0xCE11)
    random = SeededGenerator(seed: seed)
    map = CellMap(seed: seed)
  }

  /// Forgets the serving cell. The next measurement chooses one, and doesn't count as a change.
  mutating func reset() { (serving, stronger, bounce) = (nil, nil, nil) }

  /// Measures the cells at a place, in metres east and north of a fixed origin, and at a time in seconds.
  ///
  /// - Returns: Whether another cell has taken over.
  mutating func measure(east: Double, north: Double, at time: Double) -> Bool {
    map.move(east: east, north: north)
    guard let serving else {
      self.serving = map.best(at: time, above: -.infinity, but: nil)
      return false
    }
    if let bounce, time >= bounce.at {
      (self.bounce, stronger) = (nil, nil)
      if bounce.cell == serving { return false }
      change(to: bounce.cell, from: serving, at: time)
      return true
    }
    if let better = map.strongest(at: time, insteadOf: serving, by: Self.hysteresis) {
      if stronger?.cell != better.cell { stronger = (better.cell, time) }
      guard better.isOnly || time - (stronger?.since ?? time) >= Self.timeToTrigger else { return false }
      stronger = nil
      change(to: better.cell, from: serving, at: time)
      return true
    }
    stronger = nil
    guard bounce == nil, time >= spurious(at: time), let other = map.randomCell(but: serving, &random) else {
      return false
    }
    spuriousAt = nil
    self.serving = other
    bounce = (serving, time + Double.random(in: Self.spuriousDelay, using: &random))
    return true
  }

  /// Returns the time of the next measurement, a second or more after `time`, if the device stands until `end`. The cell doesn't
  /// change before that.
  mutating func nextMeasurement(after time: Double, standingUntil end: Double) -> Double {
    let next = time + 1
    guard end > next, let serving, stronger == nil else { return next }
    let limit = min(end, spurious(at: time), time + 3_600, bounce?.at ?? .infinity)
    // Measurements are whole seconds apart, as in motion.
    return max(next, time + (map.quietUntil(limit, from: time, serving, by: Self.hysteresis) - time).rounded(.up))
  }

  private mutating func change(to cell: Cell, from old: Cell, at time: Double) {
    serving = cell
    if Double.random(in: 0..<1, using: &random) < Self.pingPong {
      bounce = (old, time + Double.random(in: Self.pingPongDelay, using: &random))
    }
  }

  private mutating func spurious(at time: Double) -> Double {
    if let spuriousAt { return spuriousAt }
    let at = time - log(1 - Double.random(in: 0..<1, using: &random)) * 3_600 / Self.spuriousRate
    spuriousAt = at
    return at
  }
}

/// The sites of a simulated cell network, and the strength of their sectors at a place.
private struct CellMap: Sendable {
  typealias Cell = CellNetwork.Cell

  private struct Site {
    var column: Int32
    var row: Int32
    /// Metres.
    var east: Float
    var north: Float
    /// Radians.
    var azimuth: Float
    /// The cosines and sines of the phases of the site's shadowing waves.
    var cosines = SIMD8<Float>()
    var sines = SIMD8<Float>()
  }

  /// The distance between sites without thinning, in metres.
  private static let spacing = 850.0
  /// The size of a patch in metres. A patch keeps each site with the probability least share + (1 − least share) u⁶, with u uniform in 0…1.
  private static let patch = 6_000.0, minimumShare = 0.015
  /// The standard deviation of shadowing in decibels, and its length in metres per radian.
  private static let shadowing: Float = 6, shadowingLength: Float = 150
  /// The standard deviation of fading in decibels, and the seconds from one value to the next. Fading is interpolated between values.
  private static let fading = 1.0, fadingStep = 20.0
  /// The maximum of fading, in decibels: the maximum of ``normal(_:)``, rounded up.
  private static let maximumFading = 3.4642
  /// The maximum path loss of a received site, relative to the nearest one, in decibels.
  private static let range: Float = 30
  /// The distance after which the sites around the device are determined again, in metres.
  private static let refresh = 200.0
  /// The distance below which strength doesn't increase, in metres.
  private static let minimumDistance: Float = 35

  private let seed: UInt64
  private var sites: [Site] = []
  /// The place that the sites surround.
  private var centre: (east: Double, north: Double)?
  private var place = (east: Double.nan, north: Double.nan)
  /// The cosines and sines of the shadowing waves at the place.
  private var cosines = SIMD8<Float>()
  private var sines = SIMD8<Float>()

  init(seed: UInt64) { self.seed = seed }

  mutating func move(east: Double, north: Double) {
    guard (east, north) != place else { return }
    place = (east, north)
    let isNear = centre.map { abs($0.east - east) < Self.refresh && abs($0.north - north) < Self.refresh } ?? false
    if !isNear {
      centre = place
      findSites()
    }
    let phases = Self.waves.east * Float(east) + Self.waves.north * Float(north)
    for wave in 0..<8 { (cosines[wave], sines[wave]) = (cos(phases[wave]), sin(phases[wave])) }
  }

  /// Returns the strongest cell that exceeds the serving one by more than `hysteresis` decibels; `nil` if there is none. If the serving one
  /// isn't received, returns the strongest cell, and `isOnly` is `true`.
  func strongest(at time: Double, insteadOf serving: Cell, by hysteresis: Double) -> (cell: Cell, isOnly: Bool)? {
    let strength = strength(of: serving).map { Double($0) + fading(of: serving, at: time) }
    let least = strength.map { $0 + hysteresis } ?? -.infinity
    return best(at: time, above: least, but: serving).map { ($0, strength == nil) }
  }

  /// Returns the start of the first fading step in which another cell may take over at this place; `time` if that step has begun or the
  /// serving cell isn't received; `limit` if no such step begins before the limit.
  func quietUntil(_ limit: Double, from time: Double, _ serving: Cell, by hysteresis: Double) -> Double {
    guard let strength = strength(of: serving) else { return time }
    let least = Double(strength) + hysteresis
    var rivals: [(cell: Cell, strength: Double)] = []
    forEachSector(above: Float(least - 2 * Self.maximumFading)) { cell, strength in
      if cell != serving { rivals.append((cell, Double(strength))) }
    }
    guard !rivals.isEmpty else { return limit }
    func isQuiet(_ step: Double) -> Bool {
      let least = least + fading(of: serving, inStep: step)
      return rivals.allSatisfy { $0.strength + fading(of: $0.cell, inStep: step) <= least }
    }
    // Strengths are linear within a step, so the check of both ends is enough.
    var step = (time / Self.fadingStep).rounded(.down)
    var wasQuiet = isQuiet(step)
    while step * Self.fadingStep < limit {
      let isQuiet = isQuiet(step + 1)
      guard wasQuiet, isQuiet else { return max(time, step * Self.fadingStep) }
      wasQuiet = isQuiet
      step += 1
    }
    return limit
  }

  /// Returns another cell near the place; `nil` if there is at most one site.
  func randomCell(but cell: Cell, _ random: inout SeededGenerator) -> Cell? {
    guard sites.count > 1 else { return nil }
    let site = sites[random.index(below: sites.count)]
    var other = Cell(column: site.column, row: site.row, sector: UInt8.random(in: 0..<3, using: &random))
    if other == cell { other.sector = (other.sector + 1) % 3 }
    return other
  }

  // MARK: - Strengths, in decibels

  func best(at time: Double, above least: Double, but cell: Cell?) -> Cell? {
    var (best, strongest): (Cell?, Double) = (nil, least)
    forEachSector(above: Float(least - Self.maximumFading)) { candidate, strength in
      guard candidate != cell, Double(strength) + Self.maximumFading > strongest else { return }
      let strength = Double(strength) + fading(of: candidate, at: time)
      if strength > strongest { (best, strongest) = (candidate, strength) }
    }
    return best
  }

  /// Calls a closure for every sector with a strength above `least`, without fading.
  private func forEachSector(above least: Float, _ body: (Cell, Float) -> Void) {
    for site in sites {
      let (common, east, north) = common(site)
      guard common > least else { continue }
      let angle = atan2(north, east) - site.azimuth
      for sector in 0..<3 as Range<UInt8> {
        let strength = common + Self.pattern(angle, sector)
        if strength > least { body(Cell(column: site.column, row: site.row, sector: sector), strength) }
      }
    }
  }

  private func strength(of cell: Cell) -> Float? {
    guard let site = sites.first(where: { $0.column == cell.column && $0.row == cell.row }) else { return nil }
    let (common, east, north) = common(site)
    return common + Self.pattern(atan2(north, east) - site.azimuth, cell.sector)
  }

  /// Returns the part of the strength that all sectors of a site share, and the device's place relative to the site.
  private func common(_ site: Site) -> (strength: Float, east: Float, north: Float) {
    let east = Float(place.east) - site.east
    let north = Float(place.north) - site.north
    let waves = (cosines * site.cosines - sines * site.sines).sum()
    return (Self.path(east, north) + Self.shadowing * 0.5 * waves, east, north)
  }

  private static func path(_ east: Float, _ north: Float) -> Float {
    -18.8 * log10(max(minimumDistance * minimumDistance, east * east + north * north))
  }

  /// Returns the gain of a sector at an angle from the site's azimuth, relative to the gain in the sector's own direction.
  private static func pattern(_ angle: Float, _ sector: UInt8) -> Float {
    let off = (angle - Float(sector) * (2 * .pi / 3)).remainder(dividingBy: 2 * .pi) * (180 / .pi) / 65
    return -min(12 * off * off, 20)
  }

  private func fading(of cell: Cell, at time: Double) -> Double {
    let step = (time / Self.fadingStep).rounded(.down)
    let share = time / Self.fadingStep - step
    return fading(of: cell, inStep: step) * (1 - share) + fading(of: cell, inStep: step + 1) * share
  }

  private func fading(of cell: Cell, inStep step: Double) -> Double {
    let number = UInt64(step) << 2 | UInt64(cell.sector)
    return Self.fading * Self.normal(hash(Int64(cell.column), Int64(cell.row), number))
  }

  // MARK: - Sites

  private mutating func findSites() {
    let column = Int64((place.east / Self.spacing).rounded(.down))
    let row = Int64((place.north / Self.spacing).rounded(.down))
    // The search reaches farther if sites are rare.
    let reach = Int64(min(7, max(2, (2.2 / share(place.east, place.north).squareRoot()).rounded(.up))))
    var found: [(site: Site, path: Float)] = []
    for siteRow in row - reach...row + reach {
      for siteColumn in column - reach...column + reach {
        let number = hash(siteColumn, siteRow, 1 << 62)
        let east = (Double(siteColumn) + 0.1 + 0.8 * Self.unit(number &+ 1)) * Self.spacing
        let north = (Double(siteRow) + 0.1 + 0.8 * Self.unit(number &+ 2)) * Self.spacing
        guard Self.unit(number &+ 4) < share(east, north) else { continue }
        let path = Self.path(Float(place.east - east), Float(place.north - north))
        var site = Site(
          column: Int32(clamping: siteColumn), row: Int32(clamping: siteRow), east: Float(east), north: Float(north),
          azimuth: Float(Self.unit(number &+ 3) * 2 * .pi))
        for wave in 0..<8 {
          let phase = Float(Self.unit(number &+ 10 &+ UInt64(wave)) * 2 * .pi)
          (site.cosines[wave], site.sines[wave]) = (cos(phase), sin(phase))
        }
        found.append((site, path))
      }
    }
    let best = found.map { $0.path }.max() ?? -.infinity
    sites = found.filter { $0.path > best - Self.range }.map { $0.site }
  }

  /// Returns the share of sites that thinning keeps at a place.
  private func share(_ east: Double, _ north: Double) -> Double {
    let patch = hash(Int64((east / Self.patch).rounded(.down)), Int64((north / Self.patch).rounded(.down)), 2 << 62)
    let even = Self.unit(patch)
    let cube = even * even * even
    return Self.minimumShare + (1 - Self.minimumShare) * cube * cube
  }

  /// The waves of shadowing, in radians per metre. All sites have the same waves, with different phases.
  private static let waves: (east: SIMD8<Float>, north: SIMD8<Float>) = {
    var waves = (east: SIMD8<Float>(), north: SIMD8<Float>())
    for wave in 0..<8 {
      let number = UInt64(wave)
      let angle = Float((Double(wave) + unit(number)) * .pi / 8)
      let length = abs(1 + 0.4 * Float(normal(SeededGenerator.mix(number &+ 100)))) / shadowingLength
      (waves.east[wave], waves.north[wave]) = (length * cos(angle), length * sin(angle))
    }
    return waves
  }()

  private func hash(_ first: Int64, _ second: Int64, _ third: UInt64) -> UInt64 {
    let mixed = SeededGenerator.mix(
      UInt64(bitPattern: second) &* 0x9E37_79B9_7F4A_7C15 ^ SeededGenerator.mix(third &* 0xD1B5_4A32_D192_ED03 &+ 1))
    return SeededGenerator.mix(seed ^ UInt64(bitPattern: first) &* 0x1F12_3BB5_1F12_3BB5 ^ mixed)
  }

  private static func unit(_ hash: UInt64) -> Double { Double(SeededGenerator.mix(hash) >> 11) * 0x1p-53 }

  /// Returns a nearly normal number with variance 1, from the sum of four uniform numbers.
  private static func normal(_ hash: UInt64) -> Double {
    let sum = Double(hash & 0xFFFF) + Double(hash >> 16 & 0xFFFF) + Double(hash >> 32 & 0xFFFF) + Double(hash >> 48)
    return (sum / 65_536 - 2) * 1.7320508
  }
}

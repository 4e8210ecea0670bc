import Foundation

/// Where the sites of a simulated cell network stand, and how strong their sectors are at a place.
struct CellMap: Sendable {
  typealias Cell = CellNetwork.Cell

  private struct Site {
    var column: Int32
    var row: Int32
    /// Metres.
    var east: Float
    var north: Float
    /// Radians.
    var azimuth: Float
    /// The phases of the waves of its shadowing.
    var cosines: SIMD8<Float>
    var sines: SIMD8<Float>
  }

  /// How far apart sites are, where none is missing.
  private static let spacing = 850.0
  /// In a patch each site is there with a probability of the least share + (1 − the least share) u⁶, u even in 0…1.
  private static let patch = 6_000.0
  private static let leastShare = 0.015
  /// Decibels, and metres to a radian.
  private static let shadowing: Float = 6
  private static let shadowingLength: Float = 150
  /// Decibels, and the seconds from one value to the next: between them it is a straight line.
  private static let fading = 1.0
  private static let fadingStep = 20.0
  /// No fading is more: that of a normal number which is the sum of four even ones.
  private static let mostFading = 3.4642
  /// A site whose path loss is so many decibels more than the nearest one's is not heard.
  private static let range: Float = 30
  /// After so many metres the sites round the device are looked for anew.
  private static let refresh = 200.0
  /// Sites nearer than so many metres are as strong as there.
  private static let leastDistance: Float = 35

  private let seed: UInt64
  private var sites: [Site] = []
  /// Where the sites were looked for.
  private var centre: (east: Double, north: Double)?
  private var place = (east: Double.nan, north: Double.nan)
  /// The waves of the shadowing at the place.
  private var cosines = SIMD8<Float>()
  private var sines = SIMD8<Float>()

  init(seed: UInt64) {
    self.seed = seed
  }

  /// Goes to a place.
  mutating func move(east: Double, north: Double) {
    guard (east, north) != place else { return }
    place = (east, north)
    if let centre, abs(centre.east - east) < Self.refresh, abs(centre.north - north) < Self.refresh {
    } else {
      centre = place
      findSites()
    }
    let phases = Self.waves.east * Float(east) + Self.waves.north * Float(north)
    for wave in 0..<8 {
      cosines[wave] = cos(phases[wave])
      sines[wave] = sin(phases[wave])
    }
  }

  /// The strongest cell.
  func strongest(at time: Double) -> Cell? {
    best(at: time, above: -.infinity, but: nil)?.cell
  }

  /// The strongest cell, where that is another one than `serving` and stronger by so many decibels; and whether that one is not
  /// heard at all.
  func strongest(at time: Double, insteadOf serving: Cell, by hysteresis: Double) -> (cell: Cell, isOnly: Bool)? {
    let strength = strength(of: serving).map { Double($0) + fading(of: serving, at: time) }
    let least = strength.map { $0 + hysteresis } ?? -.infinity
    return best(at: time, above: least, but: serving).map { ($0.cell, strength == nil) }
  }

  /// Until when, `limit` at most, no cell can take over from the serving one at the place: up to the beginning of the first step of
  /// fading, or in it, in which one may.
  func quietUntil(_ limit: Double, from time: Double, _ serving: Cell, by hysteresis: Double) -> Double {
    guard let strength = strength(of: serving) else { return time }
    let least = Double(strength) + hysteresis
    var rivals: [(cell: Cell, strength: Double)] = []
    forEachSector(above: Float(least - 2 * Self.mostFading)) { cell, strength in
      if cell != serving { rivals.append((cell, Double(strength))) }
    }
    guard !rivals.isEmpty else { return limit }
    // In a step all strengths are straight lines: what is not stronger at both ends is not between them.
    var step = (time / Self.fadingStep).rounded(.down)
    var wasQuiet = isQuiet(step, rivals, least, serving)
    while step * Self.fadingStep < limit {
      let isQuiet = isQuiet(step + 1, rivals, least, serving)
      guard wasQuiet, isQuiet else { return max(time, step * Self.fadingStep) }
      wasQuiet = isQuiet
      step += 1
    }
    return limit
  }

  private func isQuiet(
    _ step: Double, _ rivals: [(cell: Cell, strength: Double)], _ least: Double, _ serving: Cell
  )
    -> Bool
  {
    let least = least + fading(of: serving, inStep: step)
    return rivals.allSatisfy { $0.strength + fading(of: $0.cell, inStep: step) <= least }
  }

  /// Any cell of the sites round the place but one; `nil` where there are too few.
  func randomCell(but cell: Cell, _ random: inout SeededGenerator) -> Cell? {
    guard sites.count > 1, let site = sites.randomElement(using: &random) else { return nil }
    var other = Cell(column: site.column, row: site.row, sector: UInt8.random(in: 0..<3, using: &random))
    if other == cell { other.sector = (other.sector + 1) % 3 }
    return other
  }
}

// MARK: - Strengths, in decibels

extension CellMap {
  private func best(at time: Double, above least: Double, but cell: Cell?) -> (cell: Cell, strength: Double)? {
    var best: (cell: Cell, strength: Double)?
    var least = least
    forEachSector(above: Float(least - Self.mostFading)) { candidate, strength in
      guard candidate != cell, Double(strength) + Self.mostFading > least else { return }
      let strength = Double(strength) + fading(of: candidate, at: time)
      guard strength > least else { return }
      least = strength
      best = (candidate, strength)
    }
    return best
  }

  /// Every sector of which more than `least` is heard, but for fading.
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

  /// What all sectors of a site have in common, and where the place is from there.
  private func common(_ site: Site) -> (strength: Float, east: Float, north: Float) {
    let east = Float(place.east) - site.east
    let north = Float(place.north) - site.north
    let waves = (cosines * site.cosines - sines * site.sines).sum()
    return (Self.path(east, north) + Self.shadowing * 0.5 * waves, east, north)
  }

  private static func path(_ east: Float, _ north: Float) -> Float {
    -18.8 * log10(max(leastDistance * leastDistance, east * east + north * north))
  }

  /// The strength of a sector at an angle from the site's azimuth, less that straight ahead.
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
}

// MARK: - Sites

extension CellMap {
  private mutating func findSites() {
    let column = (place.east / Self.spacing).rounded(.down)
    let row = (place.north / Self.spacing).rounded(.down)
    // Where sites are few, farther away.
    let reach = Int64(min(7, max(2, (2.2 / share(place.east, place.north).squareRoot()).rounded(.up))))
    var found: [(column: Int64, row: Int64, east: Double, north: Double, path: Float)] = []
    var best = -Float.infinity
    for siteRow in Int64(row) - reach...Int64(row) + reach {
      for siteColumn in Int64(column) - reach...Int64(column) + reach {
        let site = hash(siteColumn, siteRow, 1 << 62)
        let east = (Double(siteColumn) + 0.1 + 0.8 * Self.unit(site &+ 1)) * Self.spacing
        let north = (Double(siteRow) + 0.1 + 0.8 * Self.unit(site &+ 2)) * Self.spacing
        guard Self.unit(site &+ 4) < share(east, north) else { continue }
        let path = Self.path(Float(place.east - east), Float(place.north - north))
        best = max(best, path)
        found.append((siteColumn, siteRow, east, north, path))
      }
    }
    let heard = found.filter { $0.path > best - Self.range }
    sites = heard.map { site(column: $0.column, row: $0.row, east: $0.east, north: $0.north) }
  }

  private func site(column: Int64, row: Int64, east: Double, north: Double) -> Site {
    let number = hash(column, row, 1 << 62)
    var site = Site(
      column: Int32(clamping: column), row: Int32(clamping: row), east: Float(east), north: Float(north),
      azimuth: Float(Self.unit(number &+ 3) * 2 * .pi), cosines: .zero, sines: .zero)
    for wave in 0..<8 {
      let phase = Float(Self.unit(number &+ 10 &+ UInt64(wave)) * 2 * .pi)
      site.cosines[wave] = cos(phase)
      site.sines[wave] = sin(phase)
    }
    return site
  }

  /// The share of sites that are there.
  private func share(_ east: Double, _ north: Double) -> Double {
    let patch = hash(
      Int64((east / Self.patch).rounded(.down)), Int64((north / Self.patch).rounded(.down)), 2 << 62)
    let even = Self.unit(patch)
    let cube = even * even * even
    return Self.leastShare + (1 - Self.leastShare) * cube * cube
  }

  /// The waves of which shadowing is made, radians a metre. All sites have the same; a site's phases make its shadowing its own.
  private static let waves: (east: SIMD8<Float>, north: SIMD8<Float>) = {
    var waves = (east: SIMD8<Float>(), north: SIMD8<Float>())
    for wave in 0..<8 {
      let number = UInt64(wave)
      let angle = Float((Double(wave) + unit(number)) * .pi / 8)
      let length = abs(1 + 0.4 * Float(normal(SeededGenerator.mix(number &+ 100)))) / shadowingLength
      waves.east[wave] = length * cos(angle)
      waves.north[wave] = length * sin(angle)
    }
    return waves
  }()

  private func hash(_ first: Int64, _ second: Int64, _ third: UInt64) -> UInt64 {
    let mixed = SeededGenerator.mix(
      UInt64(bitPattern: second) &* 0x9E37_79B9_7F4A_7C15 ^ SeededGenerator.mix(third &* 0xD1B5_4A32_D192_ED03 &+ 1))
    return SeededGenerator.mix(seed ^ UInt64(bitPattern: first) &* 0x1F12_3BB5_1F12_3BB5 ^ mixed)
  }

  private static func unit(_ hash: UInt64) -> Double {
    Double(SeededGenerator.mix(hash) >> 11) * 0x1p-53
  }

  /// Close to normal with variance 1: the sum of four even numbers.
  private static func normal(_ hash: UInt64) -> Double {
    let sum = Double(hash & 0xFFFF) + Double(hash >> 16 & 0xFFFF) + Double(hash >> 32 & 0xFFFF) + Double(hash >> 48)
    return (sum / 65_536 - 2) * 1.7320508
  }
}

import Foundation

/// Cell towers round a device, and which cell serves it.
///
/// Sites stand on a jittered square grid 850 m apart, thinned: how many there are differs from patch to patch, each 6 km wide.
/// Each site has three sectors. The strength of a sector falls with 37.6 log₁₀ of the distance; shadowing (6 dB, over 150 m)
/// belongs to the place, fading (1 dB, over 20 s) to the time. A cell that is 3 dB stronger for a second takes over, the old one
/// may take back, and now and then another cell is chosen for no reason.
///
/// Calibrated against 55 hours of real cells: a change every 288 m on the road, 32 % of the way more than 500 m after the last
/// change, and 1.23 changes an hour standing still.
struct CellNetwork: Sendable {
  struct Cell: Hashable, Sendable, CustomStringConvertible {
    var column: Int32
    var row: Int32
    var sector: UInt8

    var description: String { "\(column),\(row),\(sector)" }
  }

  /// Decibels by which another cell must be stronger, and for how many seconds.
  private static let hysteresis = 3.0
  private static let timeToTrigger = 1.0
  /// The probability that the old cell takes back after a change, which may repeat, and after how many seconds.
  private static let pingPong = 0.4
  private static let pingPongDelay = 2.0...10.0
  /// Changes for no reason: how many an hour, and after how many seconds they are undone.
  private static let spuriousRate = 0.3
  private static let spuriousDelay = 3.0...63.0

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

  /// Forgets what was compared; the next measurement chooses anew without calling it a change.
  mutating func reset() {
    (serving, stronger, bounce) = (nil, nil, nil)
  }

  /// Measures at a place, in metres east and north of anywhere, and a time in seconds, and says whether another cell has taken
  /// over.
  mutating func measure(east: Double, north: Double, at time: Double) -> Bool {
    map.move(east: east, north: north)
    guard let serving else {
      self.serving = map.strongest(at: time)
      return false
    }
    if let bounce, time >= bounce.at {
      (self.bounce, stronger) = (nil, nil)
      if bounce.cell == serving { return false }
      take(bounce.cell, from: serving, at: time)
      return true
    }
    if let better = map.strongest(at: time, insteadOf: serving, by: Self.hysteresis) {
      if stronger?.cell != better.cell { stronger = (better.cell, time) }
      guard better.isOnly || time - (stronger?.since ?? time) >= Self.timeToTrigger else { return false }
      stronger = nil
      take(better.cell, from: serving, at: time)
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

  /// When to measure next, a second or more after `time`, where the device stands until `end`: before that there is no change.
  mutating func nextMeasurement(after time: Double, standingUntil end: Double) -> Double {
    let next = time + 1
    guard end > next, let serving, stronger == nil else { return next }
    var limit = min(end, spurious(at: time), time + 3_600)
    if let bounce { limit = min(limit, bounce.at) }
    // Measured on the same seconds as while the device moves.
    return max(next, time + (map.quietUntil(limit, from: time, serving, by: Self.hysteresis) - time).rounded(.up))
  }

  private mutating func take(_ cell: Cell, from old: Cell, at time: Double) {
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

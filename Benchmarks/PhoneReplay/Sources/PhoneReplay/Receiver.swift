import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine

/// The GPS of a replayed phone: its fixes and their times after a start.
///
/// Times are milliseconds from the outing's start.
struct Receiver {
  /// The time of the network's fix, or `nil` if none is due.
  private(set) var networkAt: Int64?
  /// The time of the next satellite fix, or `nil` while the receiver is off.
  private(set) var satelliteAt: Int64?

  private let recording: Recording
  private var random: SeededGenerator
  /// The time after which satellite fixes have the smaller claim.
  private var settledAt: Int64 = 0
  /// The error of the last drawn satellite fix, in standard deviations, and its time.
  private var error = (north: 0.0, east: 0.0)
  private var errorAt: Int64?
  /// The index of the last fix used from the Best stream.
  private var given: Int?

  /// The length of a failure, in milliseconds.
  private let failureLength: Int64
  /// The end of the last failure.
  private var failureEnd: Int64 = .min

  init(_ recording: Recording, seed: UInt64, failureLength: Int64 = 0) {
    self.recording = recording
    self.failureLength = failureLength
    random = SeededGenerator(recording.hash, seed, 0x6770_73)
  }

  /// Turns the receiver on.
  mutating func start(at now: Int64) {
    let network = Measured.networkStart.median * exp(Measured.networkStart.spread * random.normals().0)
    let satellites = Measured.satelliteStart.value(at: random.share()) ?? 0
    networkAt = now + Recording.milliseconds(network)
    let wait = Recording.milliseconds(satellites)
    if now >= failureEnd, wait > ReplayProvider.Assumptions.longStart { failureEnd = now + failureLength }
    let first = max(now + wait, failureEnd)
    satelliteAt = first
    settledAt = first + Recording.milliseconds(-Measured.satelliteSettling * log(1 - random.share()))
  }

  /// Turns the receiver off.
  mutating func stop() { (networkAt, satelliteAt) = (nil, nil) }

  /// Returns the network's fix that is due, or `nil` underground without a recent coarse fix.
  mutating func networkFix(at now: Int64) -> Location? {
    networkAt = nil
    let time = Double(now) / 1_000
    let nearest = nearestCoarse(now)
    guard let truth = recording.outing.truth.place(at: time) else {
      // Underground, the network repeats the latest coarse fix.
      let index = Recording.index(after: now, in: recording.coarse) - 1
      guard index >= 0, now - recording.coarse[index].delivered <= Int64(Measured.networkMemory * 1_000) else {
        return nil
      }
      let fix = recording.coarse[index].fix
      return location(fix.place, claim: max(Measured.networkClaim, fix.claim), at: time)
    }
    let normals = random.normals()
    if let nearest, let error = nearest.error {
      let place = truth.moved(north: error.north, east: error.east)
      return location(place, claim: max(Measured.networkClaim, nearest.fix.claim), at: time)
    }
    let place = truth.moved(north: normals.0 * Measured.networkError, east: normals.1 * Measured.networkError)
    return location(place, claim: Measured.networkClaim, at: time)
  }

  /// Returns the satellite fix that is due, or `nil` if the receiver has no new position. The next one is due a second later.
  mutating func satelliteFix(at now: Int64) -> Location? {
    satelliteAt = now + 1_000
    let index = Recording.index(after: now, in: recording.best) - 1
    if index >= 0, now - recording.best[index].delivered <= Int64(Measured.bestLife * 1_000) {
      guard given != index else { return nil }
      given = index
      let fix = recording.best[index].fix
      var location = location(fix.place, claim: fix.claim, at: fix.measured)
      (location.speed, location.course) = (fix.speed, fix.course)
      return location
    }
    let time = Double(now) / 1_000
    guard let truth = recording.outing.truth.place(at: time) else { return nil }
    let fresh = random.normals()
    let kept = errorAt.map { exp(-Double(now - $0) / 1_000 / Measured.satelliteMemory) } ?? 0
    let share = (1 - kept * kept).squareRoot()
    error = (error.north * kept + fresh.0 * share, error.east * kept + fresh.1 * share)
    errorAt = now
    let place = truth.moved(north: error.north * Measured.satelliteError, east: error.east * Measured.satelliteError)
    let claims = Measured.satelliteClaims
    var location = location(place, claim: now < settledAt ? claims.first : claims.later, at: time)
    if let velocity = recording.outing.truth.velocity(at: time) {
      location.speed = velocity.speed
      // A stationary device has no course.
      location.course = velocity.speed >= 0.5 ? velocity.course : nil
    }
    return location
  }

  /// Returns the coarse fix closest in time, if it's within the network's memory.
  private func nearestCoarse(_ now: Int64) -> Recording.TimedFix? {
    let after = Recording.index(after: now, in: recording.coarse)
    let near = [after - 1, after].filter { recording.coarse.indices.contains($0) }.map { recording.coarse[$0] }
    let nearest = near.min { abs($0.delivered - now) < abs($1.delivered - now) }
    return nearest.flatMap { abs($0.delivered - now) <= Int64(Measured.networkMemory * 1_000) ? $0 : nil }
  }

  private func location(_ place: Place, claim: Double, at time: Double) -> Location {
    Location(
      latitude: place.latitude, longitude: place.longitude, horizontalAccuracy: claim,
      timestamp: Date(timeIntervalSince1970: recording.outing.start + time))
  }
}

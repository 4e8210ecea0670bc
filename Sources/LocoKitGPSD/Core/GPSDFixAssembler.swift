import LocoFoundation
import LocoKit

/// Assembles gpsd's reports into one location for each epoch of the receiver.
///
/// gpsd may send several reports for an epoch, for different sentences of the receiver, and some before the receiver knows the date.
/// A receiver's consecutive fixes with the same time are joined: a member that a later fix has replaces that of an earlier one. Fixes
/// without a time or a position are ignored; `GPSDSource` gives a time to those of a receiver that sends none.
///
/// The horizontal accuracy is the root mean square of the distance to the true position. If the errors have the same size in both
/// directions, 63 % of them are within this radius; Core Location's contains 68 %. With the receiver's own estimate (`GST`) it is
/// √(north² + east²). Otherwise it is gpsd's `eph`, the 95 % radius, or without one √(epx² + epy²), divided by 1.73: the 95 % radius is
/// 2.448 standard deviations, and the root mean square is 1.414. Altitude, speed and course have one dimension: 95 % of their errors are
/// within 1.96 standard deviations, and 68 % within one. Errors that are deviations already, as a u-blox sends them, aren't divided;
/// gpsd computes that of the course itself.
///
/// An estimate that is missing, not positive or not finite isn't used. An accuracy without an estimate is unknown: an unknown horizontal
/// accuracy is −1, which no acquisition accepts, and any other is `nil`.
struct GPSDFixAssembler: Equatable, Sendable {
  private var epoch: GPSDReport.Fix?
  private var noise: GPSDReport.Noise?

  /// Adds a report. If the report begins a new epoch, ends the current one and returns its location.
  mutating func add(_ report: GPSDReport) -> Location? {
    switch report {
    case .noise(let noise):
      // gpsd may send the estimate before the fix of its epoch.
      let ended = epoch?.device == noise.device && epoch?.time != noise.time ? end() : nil
      self.noise = noise
      return ended
    case .fix(let fix):
      guard fix.isPositioned, fix.time != nil else { return nil }
      guard let epoch, epoch.time == fix.time, epoch.device == fix.device else {
        let ended = end()
        self.epoch = fix
        return ended
      }
      self.epoch?.join(fix)
      return nil
    default:
      return nil
    }
  }

  /// Ends the current epoch, and returns its location.
  mutating func end() -> Location? {
    guard let fix = epoch else { return nil }
    epoch = nil
    guard let time = fix.time, let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
    let noise = noise.flatMap { $0.time == time && $0.device == fix.device ? $0 : nil }
    let speed = fix.speed.flatMap { (0...Location.maximumSpeed).contains($0) ? $0 : nil }
    // gpsd rounds a course just below 360° to 360.
    let course = fix.track.flatMap { (0...360).contains($0) ? Location.course(fromDegrees: $0) : nil }
    let deviations = fix.errorsAreDeviations ? 1 : 1.96
    var location = Location(
      latitude: latitude, longitude: longitude,
      horizontalAccuracy: Self.accuracy(fix, noise), altitude: fix.altitude,
      verticalAccuracy: Self.positive(noise?.altitudeDeviation)
        ?? Self.positive(fix.verticalError).map { $0 / deviations },
      speed: speed, speedAccuracy: speed == nil ? nil : Self.positive(fix.speedError).map { $0 / deviations },
      course: course, courseAccuracy: course == nil ? nil : Self.positive(fix.trackError).map { $0 / 1.96 },
      timestamp: time)
    location.isSimulatedBySoftware = fix.status == .simulated
    location.isEstimated = fix.status == .estimated
    return location
  }

  private static func accuracy(_ fix: GPSDReport.Fix, _ noise: GPSDReport.Noise?) -> Double {
    if let north = positive(noise?.latitudeDeviation), let east = positive(noise?.longitudeDeviation) {
      return (north * north + east * east).squareRoot()
    }
    return positive(fix.horizontalError).map { $0 / (fix.errorsAreDeviations ? 1 : 1.73) } ?? -1
  }

  private static func positive(_ value: Double?) -> Double? { value.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }
}

extension GPSDReport.Fix {
  /// Adds a later report of the same epoch.
  fileprivate mutating func join(_ later: Self) {
    (mode, status) = (later.mode, later.status ?? status)
    for member in [
      \Self.latitude, \.longitude, \.altitude, \.horizontalError, \.verticalError, \.speed, \.speedError, \.track,
      \.trackError,
    ] {
      self[keyPath: member] = later[keyPath: member] ?? self[keyPath: member]
    }
  }
}

import Foundation

/// gpsd's reports to locations, one for each epoch of the receiver.
///
/// gpsd sends several reports an epoch, as the receiver's sentences come in, and some before the receiver has said what day
/// it is. Those without a time are left out, those of one time are joined, what is said last of each member counting.
///
/// The accuracy is the root of the mean square distance, as near as gpsd lets one come to the 68 % of Core Location: 63 %
/// of errors of the same size in both directions are within. Where the receiver estimates its noise (`GST`) it is
/// √(north² + east²). Otherwise it is gpsd's `eph`, which is the radius of 95 %, divided by 1.73: for errors of the same
/// size in both directions the radius of 95 % is 2.448 standard deviations, and the root of the mean square distance is
/// 1.414. The errors of the altitude, the speed and the course have one dimension: 95 % of them are within 1.96 standard deviations,
/// and 68 % within one. Where the estimate is missing, 0 or not a number, the accuracy is −1, which no acquisition accepts.
struct GPSDFixAssembler: Hashable, Sendable {
  private var epoch: GPSDReport.Fix?
  private var noise: GPSDReport.Noise?

  /// With nothing said yet.
  init() {}

  /// Takes note of a report.
  ///
  /// - Returns: The location of the epoch that this report ends, by belonging to a later one.
  mutating func add(_ report: GPSDReport) -> Location? {
    switch report {
    case .noise(let noise):
      // It may come before the fix that it is about, and then ends the epoch before.
      let ended = epoch?.device == noise.device && epoch?.time != noise.time ? end() : nil
      self.noise = noise
      return ended
    case .fix(let fix):
      guard fix.mode == .twoDimensional || fix.mode == .threeDimensional, fix.time != nil else { return nil }
      guard var epoch, epoch.time == fix.time, epoch.device == fix.device else {
        let ended = end()
        self.epoch = fix
        return ended
      }
      epoch.join(fix)
      self.epoch = epoch
      return nil
    default:
      return nil
    }
  }

  /// Ends the present epoch: no more will be said of it.
  ///
  /// - Returns: Its location; `nil` where there is none.
  mutating func end() -> Location? {
    guard let fix = epoch else { return nil }
    epoch = nil
    guard let time = fix.time, let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
    var noise: GPSDReport.Noise?
    if let said = self.noise, said.time == time, said.device == fix.device { noise = said }
    let speed = fix.speed.flatMap { $0 >= 0 ? $0 : nil }
    let course = fix.track.flatMap { (0..<360).contains($0) ? $0 : nil }
    return Location(
      latitude: latitude, longitude: longitude,
      horizontalAccuracy: Self.accuracy(fix, noise), altitude: fix.altitude,
      verticalAccuracy: Self.positive(noise?.altitudeDeviation) ?? Self.positive(fix.verticalError).map { $0 / 1.96 },
      speed: speed, speedAccuracy: speed == nil ? nil : Self.positive(fix.speedError).map { $0 / 1.96 },
      course: course, courseAccuracy: course == nil ? nil : Self.positive(fix.trackError).map { $0 / 1.96 },
      timestamp: time)
  }

  private static func accuracy(_ fix: GPSDReport.Fix, _ noise: GPSDReport.Noise?) -> Double {
    if let north = positive(noise?.latitudeDeviation), let east = positive(noise?.longitudeDeviation) {
      return (north * north + east * east).squareRoot()
    }
    return positive(fix.horizontalError).map { $0 / 1.73 } ?? -1
  }

  private static func positive(_ value: Double?) -> Double? {
    value.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }
}

extension GPSDReport.Fix {
  /// What a later report of the same epoch adds.
  fileprivate mutating func join(_ later: Self) {
    mode = later.mode
    latitude = later.latitude ?? latitude
    longitude = later.longitude ?? longitude
    altitude = later.altitude ?? altitude
    horizontalError = later.horizontalError ?? horizontalError
    verticalError = later.verticalError ?? verticalError
    speed = later.speed ?? speed
    speedError = later.speedError ?? speedError
    track = later.track ?? track
    trackError = later.trackError ?? trackError
  }
}

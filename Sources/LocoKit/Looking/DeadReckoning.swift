import LocoFoundation

/// Estimates the location of a device that keeps the speed and the course of a fix.
struct DeadReckoning {
  let fix: Location

  /// The mean duration of straight movement, in seconds.
  private static let straight = 60.0
  /// The duration of straight movement that is almost certain, in seconds.
  private static let straightMemory = 20.0
  /// The lowest speed with a reliable course, in metres per second.
  private static let minimumSpeedWithCourse = 1.5
  private static let metresPerDegree = 111_195.0

  /// Returns the expected seconds of straight movement in a time of motion.
  static func ahead(_ seconds: Double) -> Double { straight * (1 - exp(-seconds / straight)) }

  /// Returns the error of the estimate after a time of motion, as a share of the distance.
  func uncertainty(after seconds: Double) -> Double {
    guard heading != nil, seconds > 0 else { return 1 }
    return 1 - Self.straightMemory / seconds * (1 - exp(-seconds / Self.straightMemory))
  }

  /// Returns the estimate after a time of straight movement.
  ///
  /// - Parameter growth: The increase of the error, in metres.
  func estimate(ahead seconds: Double, growth: Double, at date: Date) -> Location {
    var estimate = fix
    if let (speed, course) = heading {
      let (north, east) = (speed * cos(course) * seconds, speed * sin(course) * seconds)
      let parallel = Self.metresPerDegree * max(0.01, cos(fix.latitude * .pi / 180))
      estimate.latitude = min(90, max(-90, fix.latitude + north / Self.metresPerDegree))
      estimate.longitude = (fix.longitude + east / parallel).remainder(dividingBy: 360)
    }
    estimate.horizontalAccuracy += growth
    (estimate.timestamp, estimate.isEstimated) = (date, true)
    return estimate
  }

  /// The speed in metres per second and the course in radians; `nil` if they are unknown or the speed is too low.
  private var heading: (speed: Double, course: Double)? {
    guard let speed = fix.speed, let course = fix.course, speed >= Self.minimumSpeedWithCourse else { return nil }
    return (speed, course * .pi / 180)
  }
}

import Foundation

/// Estimates the location of a device that keeps the speed and the course of a fix.
struct DeadReckoning {
  /// The fix.
  let fix: Location

  /// The mean duration of straight movement, and the duration that is certain, in seconds.
  private static let straight = 60.0
  private static let straightMemory = 20.0
  /// The least speed with a known course, in metres a second.
  private static let leastSpeedWithCourse = 1.5
  /// Metres in a degree of latitude.
  private static let degree = 111_195.0

  /// The expected seconds of straight movement within a time of motion.
  static func ahead(_ seconds: Double) -> Double { straight * (1 - exp(-seconds / straight)) }

  /// The error of the estimate after a time of motion, in seconds, as a share of the distance travelled.
  func uncertainty(after seconds: Double) -> Double {
    guard heading != nil, seconds > 0 else { return 1 }
    return 1 - Self.straightMemory / seconds * (1 - exp(-seconds / Self.straightMemory))
  }

  /// The estimate after some seconds of straight movement, with an error that has grown by some metres.
  func estimate(ahead seconds: Double, growth: Double, at date: Date) -> LocationManager.Estimate {
    var (latitude, longitude) = (fix.latitude, fix.longitude)
    if let (speed, course) = heading {
      latitude = min(90, max(-90, latitude + speed * cos(course) * seconds / Self.degree))
      longitude += speed * sin(course) * seconds / (Self.degree * max(0.01, cos(fix.latitude * .pi / 180)))
      longitude = longitude.remainder(dividingBy: 360)
    }
    return LocationManager.Estimate(
      latitude: latitude, longitude: longitude, accuracy: fix.horizontalAccuracy + growth, date: date)
  }

  /// The speed in metres a second and the course in radians; `nil` without them, or at a lower speed.
  private var heading: (speed: Double, course: Double)? {
    guard let speed = fix.speed, let course = fix.course, speed >= Self.leastSpeedWithCourse else { return nil }
    return (speed, course * .pi / 180)
  }
}

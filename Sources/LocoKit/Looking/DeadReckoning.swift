import Foundation

/// Where a device probably is that went on from a fix at its speed and course.
struct DeadReckoning {
  /// The fix.
  let fix: Location

  /// The time for which a device goes straight on, and for which that is certain, in seconds.
  private static let straight = 60.0
  private static let straightMemory = 20.0
  /// The least speed at which a receiver knows its course, in metres a second.
  private static let leastSpeedWithCourse = 1.5
  /// Metres in a degree of latitude.
  private static let degree = 111_195.0

  /// For how many seconds at the fix's velocity the device has gone straight on, after so many of motion.
  static func ahead(_ seconds: Double) -> Double { straight * (1 - exp(-seconds / straight)) }

  /// The share of the way gone that the device may be from the estimate, after so many seconds of motion.
  func uncertainty(after seconds: Double) -> Double {
    guard heading != nil, seconds > 0 else { return 1 }
    return 1 - Self.straightMemory / seconds * (1 - exp(-seconds / Self.straightMemory))
  }

  /// The estimate after the device has gone straight on for some seconds and may be some metres from there.
  func estimate(ahead seconds: Double, growth: Double, at date: Date) -> Estimate {
    var (latitude, longitude) = (fix.latitude, fix.longitude)
    if let (speed, course) = heading {
      latitude = min(90, max(-90, latitude + speed * cos(course) * seconds / Self.degree))
      longitude += speed * sin(course) * seconds / (Self.degree * max(0.01, cos(fix.latitude * .pi / 180)))
      longitude = longitude.remainder(dividingBy: 360)
    }
    return Estimate(
      latitude: latitude, longitude: longitude, accuracy: fix.horizontalAccuracy + growth, date: date)
  }

  /// The speed in metres a second and the course in radians; `nil` without them, or at a speed at which a receiver doesn't know its
  /// course.
  private var heading: (speed: Double, course: Double)? {
    guard let speed = fix.speed, let course = fix.course, speed >= Self.leastSpeedWithCourse else { return nil }
    return (speed, course * .pi / 180)
  }
}

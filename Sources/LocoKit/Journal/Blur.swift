import Foundation

/// Shifts each place by about a metre and each course by about a degree, to hide the grid of the receiver's numbers. Removes floors,
/// which may name a building.
///
/// A receiver rounds degrees to a grid: to 5…7 decimals, or to a ten-thousandth of a minute. A rotation of the Earth preserves the grid, and
/// the grid shows the direction of true north and the latitude, because the meridians converge. A few dozen fixes are enough. The
/// grid of courses shows the same over some kilometres.
///
/// Rounding is a weak remedy: at the step of the grid it leaves 14 % of the signal, and five times that step still leaves 0.1 %. A normal
/// shift with a standard deviation of one step leaves 3·10⁻⁹. 1 m is 0.9 steps of 10⁻⁵ degrees, the coarsest grid in use,
/// and leaves 10⁻⁷ of it: more fixes than a journal can contain would be needed to see it.
///
/// The shift is a function of the place and the key. A repeated fix therefore stays a repeated fix, and the mean of many shifts does
/// not show the place of a device at rest.
struct Blur: Hashable, Sendable {
  /// A random number of one journal, which is not stored.
  let key: UInt64

  /// The standard deviation to the north and to the east, metres.
  static let metres = 1.0
  /// The standard deviation of a course, degrees.
  static let degrees = 1.0
  /// Below this speed, in metres per second, the course of a receiver is noise. The planner ignores courses up to 1.5 m/s.
  static let leastSpeedWithCourse = 1.0
  private static let metresPerDegree = 111_195.0

  func blurred(_ location: Location) -> Location {
    guard location.hasValidCoordinate else { return location }
    // Some receivers report 0, 0 for an unknown place. A known place would show the distance of all others from it.
    guard location.latitude != 0 || location.longitude != 0 else { return Disguise.nowhere(location) }
    var blurred = location
    blurred.floor = nil
    let place = location.latitude.bitPattern ^ SeededGenerator.mix(location.longitude.bitPattern)
    var random = SeededGenerator(seed: SeededGenerator.mix(key ^ place))
    let (north, east) = (random.nextNormal() * Self.metres, random.nextNormal() * Self.metres)
    blurred.latitude = min(90, max(-90, location.latitude + north / Self.metresPerDegree))
    let parallel = Self.metresPerDegree * max(0.01, cos(location.latitude * .pi / 180))
    blurred.longitude = (location.longitude + east / parallel).remainder(dividingBy: 360)
    blurred.course = location.course.flatMap { course in
      // Some receivers report 0 for an unknown course.
      guard course.isFinite, course != 0, location.speed ?? 0 >= Self.leastSpeedWithCourse else { return nil }
      let turned = (course + random.nextNormal() * Self.degrees).truncatingRemainder(dividingBy: 360)
      return turned < 0 ? turned + 360 : turned
    }
    if blurred.course == nil { blurred.courseAccuracy = nil }
    return blurred
  }
}

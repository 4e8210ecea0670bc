import Foundation

/// Shifts each place by about a metre and each course by about a degree, before a manager takes them and a journal has them moved.
///
/// A receiver writes degrees on a grid: seven digits after the point, or six, or ten-thousandths of a minute. A turn of the Earth keeps
/// such a grid, and its lines say where true north is and, since meridians converge, the latitude: some dozen fixes tell both.
/// Courses tell them too, by their own grid.
///
/// Rounding hides a grid badly: what is left of it shrinks with the rounding's step alone, and rounding has to be some times
/// as coarse as the grid. A normal shift as large as the grid's step leaves 3·10⁻⁹ of it, which a million million fixes do not
/// show. A metre is 0.9 times 10⁻⁵ degrees, the coarsest grid in use, and less than what a receiver knows.
///
/// The shift depends on the place and the key alone. So the same fix again is the same fix again, and a device at rest does not tell
/// its place by the mean of its shifts.
struct Blur: Hashable, Sendable {
  /// Drawn for each journal and kept nowhere.
  let key: UInt64

  /// The standard deviation to the north and to the east, metres.
  static let metres = 1.0
  /// The standard deviation of a course, degrees.
  static let degrees = 1.0
  /// Slower than this a receiver makes its course up, metres per second. The planner uses none that slow.
  static let leastSpeedWithCourse = 1.0
  private static let metresPerDegree = 111_195.0

  func blurred(_ location: Location) -> Location {
    guard location.hasValidCoordinate else { return location }
    // Where a receiver says that it does not know, the place is known to everybody, and how far all others are from there.
    guard location.latitude != 0 || location.longitude != 0 else { return Disguise.nowhere(location) }
    var blurred = location
    let place = location.latitude.bitPattern ^ SeededGenerator.mix(location.longitude.bitPattern)
    var random = SeededGenerator(seed: SeededGenerator.mix(key ^ place))
    let (north, east) = (random.nextNormal() * Self.metres, random.nextNormal() * Self.metres)
    blurred.latitude = min(90, max(-90, location.latitude + north / Self.metresPerDegree))
    let parallel = Self.metresPerDegree * max(0.01, cos(location.latitude * .pi / 180))
    blurred.longitude = (location.longitude + east / parallel).remainder(dividingBy: 360)
    blurred.course = location.course.flatMap { course in
      // 0 is what many say who do not know it.
      guard course.isFinite, course != 0, location.speed ?? 0 >= Self.leastSpeedWithCourse else { return nil }
      let turned = (course + random.nextNormal() * Self.degrees).truncatingRemainder(dividingBy: 360)
      return turned < 0 ? turned + 360 : turned
    }
    return blurred
  }
}

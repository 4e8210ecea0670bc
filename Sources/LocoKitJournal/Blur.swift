import LocoFoundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// Shifts each place by about a metre and, at 1 m/s or more, each course by about a degree and each speed by about 0.1 m/s, which hides
/// the grid of the receiver's numbers. Also converts these speeds and courses to a sphere. Removes the courses at lower or
/// unknown speeds, and the floors, because a floor may identify a building.
///
/// A receiver rounds degrees to a grid: to 5…7 decimals, or to a ten-thousandth of a minute. A rotation of the Earth preserves the grid.
/// The grid reveals the direction of true north and the latitude, because the meridians converge. A few dozen fixes are enough. The grid of
/// courses reveals the same to within some kilometres, and the grid of speeds reveals the factor of their conversion.
///
/// Rounding the moved places is a weak remedy: rounding to the step of the grid leaves 14 % of the signal, and to five times that step
/// 0.1 %. A normal shift with a standard deviation of one step leaves 3·10⁻⁹. The shift of 1 m is 0.9 steps of 10⁻⁵ degrees, the coarsest
/// grid in use, and leaves 10⁻⁷: to detect it, an attacker would need more fixes than a journal can contain.
///
/// The shift is a function of the key and the location's numbers. A repeated fix therefore gets the same shift, and the mean of many shifts
/// does not reveal the place of a device at rest.
struct Blur: Equatable, Sendable {
  /// A random number that each ``Journal`` draws when it is created, and doesn't store.
  let key: UInt64

  /// The standard deviation to the north and to the east.
  private static let metres = 1.0
  /// The standard deviations of a course and of a speed. Receivers round speeds to 0.1 m/s or finer.
  private static let (degrees, metresPerSecond) = (1.0, 0.1)
  /// The speed below which a receiver's course is noise, in metres per second. Below it the blur removes the course, and doesn't convert
  /// the speed, because the error is less than the receiver's. The planner ignores courses up to 1.5 m/s.
  private static let minimumSpeedWithCourse = 1.0
  private static let metresPerDegree = 111_195.0

  /// - Parameter isOnSphere: Whether the speed and the course are already those on a sphere.
  func blurred(_ location: Location, isOnSphere: Bool = true) -> Location {
    guard location.hasValidCoordinate else { return location }
    // Some receivers report 0, 0 for an unknown place. Since 0, 0 is known, it would reveal its distance from all other
    // places.
    guard location.latitude != 0 || location.longitude != 0 else { return PlaceObfuscation.nowhere(location) }
    var blurred = location
    blurred.floor = nil
    let place = location.latitude.bitPattern ^ SeededGenerator.mix(location.longitude.bitPattern)
    var random = SeededGenerator(seed: SeededGenerator.mix(key ^ place))
    let (north, east) = (random.nextNormal() * Self.metres, random.nextNormal() * Self.metres)
    blurred.latitude = min(90, max(-90, location.latitude + north / Self.metresPerDegree))
    let parallel = Self.metresPerDegree * max(0.01, cos(location.latitude * .pi / 180))
    blurred.longitude = (location.longitude + east / parallel).remainder(dividingBy: 360)
    guard let speed = location.speed, speed >= Self.minimumSpeedWithCourse else {
      (blurred.course, blurred.courseAccuracy) = (nil, nil)
      return blurred
    }
    // Some receivers report 0 for an unknown course.
    if location.course ?? 0 == 0 { (blurred.course, blurred.courseAccuracy) = (nil, nil) }
    if !isOnSphere { blurred = blurred.onSphere }
    // If all speeds at a place had the same shift, their differences would reveal the factor.
    let motion = speed.bitPattern ^ SeededGenerator.mix(location.course?.bitPattern ?? 0)
    random = SeededGenerator(seed: random.next() ^ SeededGenerator.mix(motion))
    blurred.course = blurred.course.map { Location.course(fromDegrees: $0 + random.nextNormal() * Self.degrees) }
    blurred.speed = blurred.speed.map { $0 + random.nextNormal() * Self.metresPerSecond }
    return blurred
  }
}

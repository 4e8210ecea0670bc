import LocoFoundation

/// The WGS 84 ellipsoid.
package enum Ellipsoid {
  private static let equatorialRadius = 6_378_137.0
  private static let flattening = 1 / 298.257223563

  /// Returns the radii of curvature in metres at a latitude in degrees: `north` along the meridian, and `east` across it.
  package static func radii(atLatitude latitude: Double) -> (north: Double, east: Double) {
    let squaredEccentricity = flattening * (2 - flattening)
    let sine = sin(latitude * .pi / 180)
    let share = 1 - squaredEccentricity * sine * sine
    let east = equatorialRadius / share.squareRoot()
    return (east * (1 - squaredEccentricity) / share, east)
  }

  /// Returns the length of the shortest path in metres, by Lambert's formula (W. D. Lambert, *The distance between two widely separated
  /// points on the surface of the earth*, J. Washington Academy of Sciences 32, 1942): the angle between the points on the auxiliary
  /// sphere, with a correction of the first order in the flattening.
  fileprivate static func distance(from first: Location, to second: Location) -> Double {
    let (beta1, beta2) = (reduced(first.latitude), reduced(second.latitude))
    let longitude = (second.longitude - first.longitude).remainder(dividingBy: 360) * .pi / 180
    let (mean, half) = ((beta1 + beta2) / 2, (beta2 - beta1) / 2)
    let (sinHalf, sinLongitude) = (sin(half), sin(longitude / 2))
    // The square of the sine of half the angle.
    let haversine = min(1, sinHalf * sinHalf + cos(beta1) * cos(beta2) * sinLongitude * sinLongitude)
    guard haversine > 0 else { return haversine == 0 ? 0 : .nan }
    let angle = 2 * asin(haversine.squareRoot())
    let (sinMean, cosMean, cosHalf) = (sin(mean), cos(mean), cos(half))
    let x = (angle - sin(angle)) * sinMean * sinMean * cosHalf * cosHalf / max(1 - haversine, 1e-4)
    let y = (angle + sin(angle)) * cosMean * cosMean * sinHalf * sinHalf / haversine
    return equatorialRadius * (angle - flattening / 2 * (x + y))
  }

  /// Returns the reduced latitude in radians.
  private static func reduced(_ latitude: Double) -> Double {
    atan2((1 - flattening) * sin(latitude * .pi / 180), cos(latitude * .pi / 180))
  }
}

extension Location {
  /// Returns the length of the shortest path to another location on the WGS 84 ellipsoid, in metres; NaN if a coordinate is invalid.
  /// Altitudes are ignored.
  ///
  /// Compared with Karney's geodesics, the error is at most 0.001 % up to 15,000 km. Near the antipode, at 20,000 km, it reaches 0.2 %.
  package func geodesicDistance(to other: Location) -> Double {
    hasValidCoordinate && other.hasValidCoordinate ? Ellipsoid.distance(from: self, to: other) : .nan
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Distances on the ellipsoid")
struct GeodesicTests {
  // Two points in degrees, and their distance in metres by GeographicLib 2 (C. F. F. Karney), WGS 84.
  // swift-format-ignore
  static let known: [(Double, Double, Double, Double, Double)] = [
    (90, 0, -90, 0, 20003931.458625447),
    (90, 10, 90, 50, 0.000000000),
    (89.9999, 0, 89.9999, 180, 22.338795913),
    (0, 0, 0, 180, 20003931.458625447),
    (0, 0, 0, 179.9, 20003008.421509411),
    (0, 0, 0, 179.3, 19959584.699233953),
    (0, 0, 0, 179.5, 19980861.908890963),
    (30, 0, -30, 180, 20003931.458625447),
    (30, 0, -30, 179.9, 20003008.421509411),
    (0, 0, 0, 1e-09, 0.000111319),
    (45, 7, 45, 7, 0.000000000),
    (-90, 0, 45, 5, 14986910.107290467),
    (0, 0, 1e-07, 179.7, 19995624.880368773),
    (60, 0, 60, 180, 6695785.819644420),
    (0, 0, 45, 180, 15018987.080647703),
    (1e-12, 0, -1e-12, 180, 20003931.458625447),
    (45, 0, 45, 1e-05, 0.788468351),
    (0, 0, 0, 90, 10018754.171394622),
    (0, 0, 10, 0, 1105854.833234372),
    (0, 179.9, 0, -179.9, 22263.898158653),
    (36.530042355041, 0, -48.16427077909777, 5.762344694676511, 9398502.043468699),
    (-8.57168, 21.518059, 76.357905, -12.365975, 9680751.704350201),
    (1.411429, 31.458538, -56.761138, 4.28711, 6896409.888148104),
    (23.37889, 105.471674, -73.057778, -70.775545, 14475460.835569423),
    (-73.679303, 111.472032, 34.818927, -164.923079, 13485951.463912092),
    (86.794816, 167.312801, 27.706056, 41.602574, 7148416.630201411),
    (-61.651063, -174.599735, 5.108628, -158.561602, 7530859.807477917),
    (-55.762513, -92.900515, -84.585134, -12.983594, 3755660.920868970),
    (-10.704399, 123.273766, 3.442341, 50.505015, 8210933.156216106),
    (-0.040833, 58.481831, -7.680621, -79.861356, 15335036.802173706),
    (89.578116, 178.448991, 61.238799, 74.811464, 3221270.616061687),
    (-33.250101, -97.320275, -37.972809, -154.71954, 5144955.579768521),
    (47.93182, -35.85607, 62.385052, -40.855129, 1639046.097083892),
    (81.531544, 125.031518, 81.5336023, 125.031525, 229.849365409),
    (73.028403, -10.804581, 73.0313996, -10.8049527, 334.633483074),
    (-75.999175, 46.603768, -75.9987511, 46.6014271, 78.988370530),
    (-73.488333, -60.269175, -73.4834073, -60.2703061, 550.893057047),
    (-67.997481, -91.300338, -67.9966321, -91.2997127, 98.228558878),
    (52.869829, -116.035874, 52.8667856, -116.0370634, 348.023287617),
    (-55.058174, 83.481918, -55.0552427, 83.4850778, 383.746688738),
    (-68.261578, -28.527978, -68.2610279, -28.5256634, 113.686810847),
    (83.825372, 109.228141, 83.8232906, 109.2340213, 242.952925439),
    (-51.493581, -38.061131, -51.4909594, -38.0645382, 375.593731437),
    (-71.14077, 176.148611, -71.1402392, 176.1508685, 100.728558825),
    (48.538765, -61.576047, 48.5384288, -61.5749249, 90.905274356),
    (-65.581252, -74.690471, 65.593155, 105.580488, 19996764.552052163),
    (-20.527353, -97.875749, 20.74979, 82.065848, 19979083.075530551),
    (11.931399, -23.891905, -11.883995, 156.213663, 19997736.943787470),
    (65.347797, -32.613451, -65.347388, 147.51631, 20002338.132109348),
    (38.307902, -10.667524, -38.146609, 169.794927, 19972759.551076021),
    (61.150361, -70.967376, -61.232839, 109.076988, 19994626.340324529),
    (-73.808565, -6.680009, 73.831295, 173.63149, 19996225.432847440),
    (-38.882976, -31.554505, 38.745975, 148.350532, 19988116.993800160),
  ]

  @Test(
    "Distances equal GeographicLib's to 0.001 %, or to 0.2 % above 15,100 km, in both directions",
    arguments: 0..<known.count)
  func ways(_ index: Int) {
    let (latitude1, longitude1, latitude2, longitude2, length) = Self.known[index]
    let first = Location(latitude: latitude1, longitude: longitude1, horizontalAccuracy: 0, timestamp: .distantPast)
    let second = Location(latitude: latitude2, longitude: longitude2, horizontalAccuracy: 0, timestamp: .distantPast)
    let share = length < 15_100_000 ? 1e-5 : 2e-3
    #expect(abs(first.geodesicDistance(to: second) - length) <= share * length + 1e-6)
    #expect(abs(second.geodesicDistance(to: first) - length) <= share * length + 1e-6)
  }

  @Test("A distance to an invalid coordinate is NaN")
  func noNumber() {
    let here = Location(latitude: 0, longitude: 0, horizontalAccuracy: 0, timestamp: .distantPast)
    for (latitude, longitude) in [(91.0, 0.0), (.nan, 0), (0, .infinity)] {
      let there = Location(latitude: latitude, longitude: longitude, horizontalAccuracy: 0, timestamp: .distantPast)
      #expect(here.geodesicDistance(to: there).isNaN)
    }
  }

  @Test("A distance exceeds a detour by no more than its error, and is the same in both directions", arguments: 0..<500)
  func triangle(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let points = (0..<3).map { _ in
      Location(
        latitude: Double.random(in: -90...90, using: &random), longitude: Double.random(in: -180...180, using: &random),
        horizontalAccuracy: 0, timestamp: .distantPast)
    }
    let direct = points[0].geodesicDistance(to: points[2])
    let detour = points[0].geodesicDistance(to: points[1]) + points[1].geodesicDistance(to: points[2])
    // Above 15,000 km, the error of a distance reaches 0.2 % near the antipode.
    #expect(direct <= detour * (direct < 15_000_000 ? 1 + 1e-5 : 1 + 2e-3))
    #expect(abs(direct - points[2].geodesicDistance(to: points[0])) < 1e-6)
    #expect(abs(direct / max(1, points[0].distance(to: points[2])) - 1) < 0.0058)
  }
}

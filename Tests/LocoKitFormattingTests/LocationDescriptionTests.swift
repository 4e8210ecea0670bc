import Foundation
import LocoKit
import Testing

@testable import LocoKitFormatting

@Suite("A location's description")
struct LocationDescriptionTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func location(_ latitude: Double, _ longitude: Double) -> Location {
    Location(
      latitude: latitude, longitude: longitude, horizontalAccuracy: 12.4, altitude: 519.2, speed: 12, course: 243,
      timestamp: now - 75)
  }

  @Test("An angle has the digits of the locale", arguments: ["ar_EG", "fa_IR", "de_DE"])
  func digits(locale: String) {
    let text = location(48.1347, 8.05).description(at: now, locale: Locale(identifier: locale)).sexagesimalCoordinate
    let digits = text.filter(\.isWholeNumber)
    #expect(digits.allSatisfy(\.isASCII) == (locale == "de_DE"), "\(text)")
    #expect(digits.contains { $0.isASCII } == (locale == "de_DE"), "\(text)")
    #expect(digits.compactMap(\.wholeNumberValue) == [4, 8, 0, 8, 0, 4, 9, 8, 0, 3, 0, 0, 0], "\(text)")
  }

  @Test("A description has the locale's units and number format")
  func locales() {
    let german = location(48.137154, -11.576124).description(at: now, locale: Locale(identifier: "de_DE"))
    #expect(german.coordinate == "48,137154; -11,576124")
    #expect(german.sexagesimalCoordinate == "48° 08′ 13,8″ N; 11° 34′ 34,0″ W")
    #expect((german.accuracy, german.altitude, german.speed) == ("± 12 m", "519 m", "43 km/h"))
    #expect(german.course == "243° WSW")
    #expect(german.age == "1 Minute und 15 Sekunden" || german.age == "1 Minute, 15 Sekunden")
    let american = location(-0.5, 0).description(at: now, locale: Locale(identifier: "en_US"))
    #expect(american.coordinate == "-0.500000, 0.000000")
    #expect(american.sexagesimalCoordinate == "0° 30′ 00.0″ S, 0° 00′ 00.0″ E")
    #expect((american.accuracy, american.altitude, american.speed) == ("± 41 ft", "1,703 ft", "27 mph"))
    #expect(american.age == "1 minute, 15 seconds")
    // For a locale of the United Kingdom, lengths are in feet and speeds in miles per hour.
    let british = location(51.5, -0.12).description(at: now, locale: Locale(identifier: "en_GB"))
    #expect((british.accuracy, british.speed) == ("± 41 ft", "27 mph"))
  }

  @Test("A negative altitude has the text of the positive one behind a sign", arguments: ["en_IE", "en_US"])
  func negative(locale: String) {
    func text(_ altitude: Double) -> String? {
      let here = Location(latitude: 1, longitude: 1, horizontalAccuracy: 5, altitude: altitude, timestamp: now)
      return here.description(at: now, locale: Locale(identifier: locale)).altitude
    }
    for altitude in [0.07, 0.4, 3.04, 9.96, 10.4, 123.4, 8_848.9] {
      #expect(text(-altitude) == "-" + (text(altitude) ?? ""), "\(altitude) m")
    }
  }

  @Test("Rounded angles never show 60 seconds or 60 minutes", arguments: [59.999_999_9, 0.016_666_666, 89.999_999_999])
  func sixty(_ latitude: Double) {
    let text = location(latitude, 0).description(at: now, locale: Locale(identifier: "en_US")).sexagesimalCoordinate
    #expect(!text.contains("60.") && !text.contains("60′"), "\(text)")
  }

  /// Values that round to zero, to a whole unit or to the 180th meridian, with their texts.
  static let edges: [(latitude: Double, longitude: Double, coordinate: String, seconds: String)] = [
    (-0.0, -0.0, "0.000000, 0.000000", "0° 00′ 00.0″ N, 0° 00′ 00.0″ E"),
    (-4e-7, -5e-7, "0.000000, 0.000000", "0° 00′ 00.0″ N, 0° 00′ 00.0″ E"),
    (-6e-7, 6e-7, "-0.000001, 0.000001", "0° 00′ 00.0″ N, 0° 00′ 00.0″ E"),
    (-2e-5, -2e-5, "-0.000020, -0.000020", "0° 00′ 00.1″ S, 0° 00′ 00.1″ W"),
    (-90, -180, "-90.000000, 180.000000", "90° 00′ 00.0″ S, 180° 00′ 00.0″ E"),
    (90, 180, "90.000000, 180.000000", "90° 00′ 00.0″ N, 180° 00′ 00.0″ E"),
    (1, -179.999_999_8, "1.000000, 180.000000", "1° 00′ 00.0″ N, 180° 00′ 00.0″ E"),
    (1, 179.999_999_8, "1.000000, 180.000000", "1° 00′ 00.0″ N, 180° 00′ 00.0″ E"),
    (1, -179.999_99, "1.000000, -179.999990", "1° 00′ 00.0″ N, 180° 00′ 00.0″ E"),
    (1, -179.999, "1.000000, -179.999000", "1° 00′ 00.0″ N, 179° 59′ 56.4″ W"),
  ]

  @Test("Zero has no sign, and the 180th meridian has one text", arguments: edges.indices)
  func edge(_ index: Int) {
    let edge = Self.edges[index]
    let text = location(edge.latitude, edge.longitude).description(at: now, locale: Locale(identifier: "en_US"))
    #expect((text.coordinate, text.sexagesimalCoordinate) == (edge.coordinate, edge.seconds))
  }

  @Test("An altitude or a speed that rounds to zero has no sign", arguments: [-0.0, -0.01, -0.05, 0.04])
  func zero(_ value: Double) {
    var here = location(1, 1)
    (here.altitude, here.speed) = (value, value)
    let text = here.description(at: now, locale: Locale(identifier: "en_IE"))
    #expect((text.altitude, text.speed) == ("0.0 m", "0 km/h"))
  }

  @Test("No text of any angle has a negative zero or 60 seconds")
  func angles() {
    for step in -200...200 {
      for base in [0, 1.0 / 60, 1, 59.0 / 60, 89, 179] {
        for sign in [-1.0, 1] {
          let angle = sign * (base + Double(step) * 1e-7)
          let text = location(max(-90, min(90, angle)), angle).description(at: now, locale: Locale(identifier: "en_US"))
          let all = " \(text.coordinate) \(text.sexagesimalCoordinate)"
          #expect(!all.contains("-0.000000") && !all.contains("60.") && !all.contains("60′"), "\(angle): \(all)")
          #expect(!all.contains(/[ ,]0° 00′ 00\.0″ [SW]/), "\(angle): \(all)")
        }
      }
    }
  }

  @Test("The text of an unknown value is nil or a dash, and extreme values don't stop the program")
  func unknown() {
    let nothing = Location(
      latitude: .nan, longitude: .infinity, horizontalAccuracy: -1, speed: .nan, course: .nan, timestamp: .distantFuture
    )
    .description(at: now, locale: Locale(identifier: "en_US"))
    #expect(nothing.accuracy == "–" && nothing.sexagesimalCoordinate == "–, –" && nothing.altitude == nil)
    _ = Location(
      latitude: 1e300, longitude: -1e300, horizontalAccuracy: 1e300, altitude: 1e300, timestamp: .distantPast
    )
    .description(at: now)
  }

  @Test(
    "A course has the nearest compass point",
    arguments: [
      (0.0, "N"), (11.2, "N"), (11.3, "NNE"), (90, "E"), (180, "S"), (270, "W"), (348.8, "N"), (359.9, "N"),
      (-45, "NW"),
    ])
  func compass(_ course: Double, _ point: String) {
    #expect(Location.compassPoint(course) == point)
  }

  @Test("A course is written as 0 to 359 degrees", arguments: [(0.0, "0° N"), (359.4, "359° N"), (359.6, "0° N")])
  func wholeCourse(_ course: Double, _ text: String) {
    var here = location(0, 0)
    here.course = course
    #expect(here.description(at: now, locale: Locale(identifier: "en_US")).course == text)
  }
}

public import Foundation
public import LocoKit

extension Location {
  /// A location as text for users, in the units and the number format of a locale.
  ///
  /// ```swift
  /// let words = location.description(at: now, locale: Locale(identifier: "en_IE"))
  /// words.coordinate               // "48.137154, 11.576124"
  /// words.sexagesimalCoordinate    // "48° 08′ 13.8″ N, 11° 34′ 34.0″ E"
  /// words.accuracy                 // "± 12 m"
  /// words.speed                    // "43 km/h"
  /// words.age                      // "1 minute, 15 seconds"
  /// ```
  ///
  /// The units are metres and kilometres per hour, or feet and miles per hour. The compass points are always in English.
  public struct Description: Hashable, Sendable {
    /// The coordinate in decimal degrees: `48.137154, 11.576124`. The longitude -180° is 180°.
    public let coordinate: String
    /// The coordinate in degrees, minutes and seconds: `48° 08′ 13.8″ N, 11° 34′ 34.0″ E`.
    public let sexagesimalCoordinate: String
    /// The horizontal accuracy, a radius with a probability of 68 %: `± 12 m`; a dash if it is invalid.
    public let accuracy: String
    /// The altitude above mean sea level: `519 m`; `nil` if unknown.
    public let altitude: String?
    /// The speed over ground: `43 km/h`; `nil` if unknown.
    public let speed: String?
    /// The course in degrees from true north, with the nearest compass point: `243° WSW`; `nil` if unknown.
    public let course: String?
    /// The time since the location's timestamp, in at most two units: `1 minute, 15 seconds`.
    public let age: String
  }

  /// Returns the location as text for users.
  ///
  /// - Parameters:
  ///   - now: The current time, which determines the age.
  ///   - locale: The locale that determines the format of the numbers, the units, and the language of the age.
  public func description(at now: Date, locale: Locale = .current) -> Location.Description {
    let isMetric = locale.measurementSystem == .metric
    func number(_ value: Double, _ digits: Int) -> String {
      // A value that is rounded to 0 has no sign.
      let shown = abs(value) * pow(10, Double(digits)) <= 0.5 ? 0 : value
      return shown.formatted(.number.precision(.fractionLength(digits)).locale(locale))
    }
    func length(_ metres: Double) -> String {
      let measured = Measurement(value: metres, unit: UnitLength.meters).converted(to: isMetric ? .meters : .feet)
      return "\(number(measured.value, abs(measured.value) < 10 ? 1 : 0)) \(measured.unit.symbol)"
    }
    // The same meridian as 180° has one text.
    let east = longitude <= -180 + 5e-7 ? longitude + 360 : longitude
    let separator = locale.decimalSeparator == "," ? "; " : ", "
    let age = now.timeIntervalSince(timestamp)
    return Location.Description(
      coordinate: number(latitude, 6) + separator + number(east, 6),
      sexagesimalCoordinate: Self.inSeconds(latitude, "N", "S", number) + separator
        + Self.inSeconds(longitude, "E", "W", number),
      accuracy: hasValidAccuracy ? "± " + length(horizontalAccuracy) : "–",
      altitude: altitude.map(length),
      speed: speed.map {
        let measured = Measurement(value: $0, unit: UnitSpeed.metersPerSecond)
          .converted(to: isMetric ? .kilometersPerHour : .milesPerHour)
        return "\(number(measured.value, 0)) \(measured.unit.symbol)"
      },
      course: course.map { "\(number($0 >= 359.5 ? 0 : $0, 0))° \(Self.compassPoint($0))" },
      age: Duration.seconds(age.isFinite ? max(0, min(age, 1e12)).rounded() : 0)
        .formatted(
          .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2).locale(locale)))
  }

  private static func inSeconds(
    _ degrees: Double, _ positive: String, _ negative: String, _ number: (Double, Int) -> String
  ) -> String {
    guard degrees.isFinite, abs(degrees) <= 360 else { return "–" }
    // The whole angle is rounded, not its seconds, so that 59.96 seconds become a minute and not 60.0 seconds.
    let tenths = (abs(degrees) * 36_000).rounded()
    let isPositive = degrees > 0 || tenths == 0 || tenths == 180 * 36_000
    let (whole, minutes) = (Int(tenths) / 36_000, Int(tenths) / 600 % 60)
    let seconds = tenths.truncatingRemainder(dividingBy: 600) / 10
    let zero = number(0, 0)
    let padding = (minutes < 10 ? zero : "", seconds < 10 ? zero : "")
    return
      "\(number(Double(whole), 0))° \(padding.0)\(number(Double(minutes), 0))′ \(padding.1)\(number(seconds, 1))″ "
      + (isPositive ? positive : negative)
  }

  /// Returns the nearest of 16 compass points.
  static func compassPoint(_ course: Double) -> String {
    let points = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]
    guard course.isFinite else { return "–" }
    let turn = course.truncatingRemainder(dividingBy: 360)
    return points[Int(((turn + 360) / 22.5).rounded()) % 16]
  }
}

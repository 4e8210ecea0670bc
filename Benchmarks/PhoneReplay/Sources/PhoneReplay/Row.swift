import Foundation
public import LocoKit

/// A row of the result: the cost and the errors of a policy with a bound.
public struct Row: Hashable, Sendable {
  /// The policy and the bound.
  public var candidate: Candidate
  /// The result of all outings with trips, with all seeds.
  public var trips: Tally
  /// The result of all outings at rest, with all seeds.
  public var still: Tally

  /// Creates a row.
  public init(_ candidate: Candidate, trips: Tally, still: Tally = Tally()) {
    self.candidate = candidate
    self.trips = trips
    self.still = still
  }

  /// The power above that of an idle phone while moving, in milliwatts.
  public var movingMilliwatts: Double? { Power.milliwatts(trips.counts, moving: true) }
  /// The power above that of an idle phone at rest on outings with trips, in milliwatts.
  public var restMilliwatts: Double? { Power.milliwatts(trips.counts, moving: false) }
  /// The power above that of an idle phone on outings at rest, in milliwatts.
  public var stillMilliwatts: Double? { Power.milliwatts(still.counts, moving: false) }
  /// The percentage of a new battery per hour, on a day of 22 hours at rest and 2 moving.
  public var dayPercentPerHour: Double? {
    guard let restMilliwatts, let movingMilliwatts else { return nil }
    return Power.dayPercentPerHour(rest: restMilliwatts, moving: movingMilliwatts)
  }
  /// The percentage of a new battery per hour of an iPhone 13 Pro Max on the same day: the least and the most, because the phone's coarse
  /// updates and wake-ups weren't measured.
  public var recentDay: ClosedRange<Double>? { Power.recentDay(trips.counts) }
  /// Returns the percentage of a new battery per hour on a day with fewer journeys than the outings. The power at rest is interpolated
  /// between outings at rest and outings with trips.
  public func dayPercentPerHour(journeys: Double) -> Double? {
    let hours = trips.counts.seconds(moving: false) / 3_600
    guard let restMilliwatts, let movingMilliwatts, let stillMilliwatts, hours > 0, trips.journeys > 0 else {
      return nil
    }
    let share = journeys / (Double(trips.journeys) / hours * Power.day.rest)
    let rest = stillMilliwatts + (restMilliwatts - stillMilliwatts) * share
    return Power.dayPercentPerHour(rest: rest, moving: movingMilliwatts)
  }
  /// The journeys on a day of 22 hours at rest, at the rate of the outings.
  public var journeysPerDay: Double? {
    let hours = trips.counts.seconds(moving: false) / 3_600
    return hours > 0 ? Double(trips.journeys) / hours * Power.day.rest : nil
  }
  /// Of the seconds with a known truth, the share without a last location.
  public var withoutLocation: Double? { trips.known > 0 ? Double(trips.without) / Double(trips.known) : nil }

  /// The time with a presence, as a share of the time at rest.
  public var presentShare: Double? {
    let seconds = trips.counts.seconds(moving: false)
    return seconds > 0 ? Double(trips.present) / seconds : nil
  }
  /// The time with the phone elsewhere, as a share of the time with a presence.
  public var elsewhereShare: Double? { trips.present > 0 ? Double(trips.elsewhere) / Double(trips.present) : nil }

  /// Returns the GPS starts per hour, at rest or moving, or `nil` if that time is zero.
  public func looksPerHour(moving isMoving: Bool) -> Double? {
    let hours = trips.counts.seconds(moving: isMoving) / 3_600
    return hours > 0 ? Double(trips.counts.looks.value(moving: isMoving)) / hours : nil
  }

  /// Returns the looks per hour that the manager began because of a cause, at rest or moving, or `nil` if that time is zero.
  public func looksPerHour(_ cause: LocationManager.Cause, moving isMoving: Bool) -> Double? {
    let hours = trips.counts.seconds(moving: isMoving) / 3_600
    return hours > 0 ? Double(trips.counts.causes[cause]?.value(moving: isMoving) ?? 0) / hours : nil
  }

  /// Returns the share of a power state in the time at rest or moving, or `nil` if that time is zero.
  public func share(_ power: Counts.Power, moving isMoving: Bool) -> Double? {
    let seconds = trips.counts.seconds(moving: isMoving)
    return seconds > 0 ? trips.counts.seconds(power, moving: isMoving) / seconds : nil
  }
}

// MARK: - JSON

extension Row {
  /// The row as one line of JSON. Shares are fractions, and errors are in metres. A value that wasn't measured is `null`.
  public var json: String {
    let fields: [(String, Double?, Int)] = [
      ("bound", candidate.bound, 0), ("dayPercentPerHour", dayPercentPerHour, 4),
      ("movingMilliwatts", movingMilliwatts, 2), ("restMilliwatts", restMilliwatts, 2),
      ("surfaceBeyond", candidate.bound == nil ? nil : trips.surface.beyondShare, 5),
      ("dayPercentPerHour4Journeys", dayPercentPerHour(journeys: 4), 4), ("journeysPerDay", journeysPerDay, 1),
      ("recentDayLeast", recentDay?.lowerBound, 4), ("recentDayMost", recentDay?.upperBound, 4),
      ("railsBeyond", candidate.bound == nil ? nil : trips.rails.beyondShare, 5),
      ("surfaceP50", trips.surface.quantile(0.5), 0), ("surfaceP95", trips.surface.quantile(0.95), 0),
      ("movingP95", trips.moving.quantile(0.95), 0),
      ("restP95", trips.rest.quantile(0.95), 0), ("leavingP95", trips.leaving.quantile(0.95), 0),
      ("withoutLocation", withoutLocation, 5), ("stillMilliwatts", stillMilliwatts, 2),
      ("stillP95", still.rest.quantile(0.95), 0),
      ("looksPerHourMoving", looksPerHour(moving: true), 2), ("looksPerHourRest", looksPerHour(moving: false), 3),
      ("gpsShareMoving", share(.gps, moving: true), 4), ("keeperShareMoving", share(.coarse, moving: true), 4),
      ("gpsShareRest", share(.gps, moving: false), 5), ("keeperShareRest", share(.coarse, moving: false), 4),
      ("idleShareMoving", share(.idle, moving: true), 4), ("idleShareRest", share(.idle, moving: false), 4),
      ("wakesRest", Double(trips.counts.wakes.rest), 0), ("wakesMoving", Double(trips.counts.wakes.moving), 0),
      ("hoursMoving", trips.counts.seconds(moving: true) / 3_600, 2),
      ("presentShareRest", presentShare, 4), ("elsewhereShare", elsewhereShare, 5),
      ("hoursRest", trips.counts.seconds(moving: false) / 3_600, 2),
    ]
    let causes: [(String, Double?, Int)] = LocationManager.Cause.allCases.flatMap { cause in
      [true, false].map { isMoving in
        ("looksPerHour\(isMoving ? "Moving" : "Rest")_\(cause.rawValue)", looksPerHour(cause, moving: isMoving), 3)
      }
    }
    let values = (fields + causes).map { name, value, digits in
      "\"\(name)\":\(value.map { number($0, digits) } ?? "null")"
    }
    return "{" + (["\"policy\":\"\(candidate.policy.rawValue)\""] + values).joined(separator: ",") + "}"
  }
}

/// Formats a number with a fixed number of decimals, independent of the locale.
func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
